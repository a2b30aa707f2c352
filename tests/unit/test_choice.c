/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of cpus and nodes by property, on real topologies, below a parent, and at their worst. */
#include "test.h"

#include <time.h>

#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "policy/choice.h"

#define NODES "/sys/devices/system/node"

static void close_host(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static struct cgpol_host *open_capture(const char *name)
{
	struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};
	char path[256];

	(void)snprintf(path, sizeof(path), TESTS_DIR "/roots/topology/%s", name);
	if (host_open(path, NULL, &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

static struct cgpol_host *open_root(struct root *root)
{
	struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};

	if (host_open_root(root, &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

static void must_be(struct cgpol_host *host, const struct choice *choice, const char *text, const char *list)
{
	AUTO(free_p) char *made = NULL;
	struct cgpol_error err = {0};

	if (choice_make(host, choice, text, &made, &err) != 0)
		fail_msg("%s: %s", text, err.text);
	if (strcmp(made, list) != 0)
		fail_msg("%s is \"%s\", not \"%s\"", text, made, list);
}

static void must_fail(struct cgpol_host *host, const struct choice *choice, const char *text,
		      enum cgpol_kind kind, const char *why)
{
	char *made = NULL;
	struct cgpol_error err = {0};

	if (choice_make(host, choice, text, &made, &err) >= 0)
		fail_msg("%s is \"%s\"", text, made);
	assert_null(made);
	if ((enum cgpol_kind)err.kind != kind || !strstr(err.text, why))
		fail_msg("%s: kind %d: %s", text, (int)err.kind, err.text);
	if (strncmp(err.text, choice->what, strlen(choice->what)) != 0)
		fail_msg("%s: \"%s\" does not begin with %s", text, err.text, choice->what);
}

static const struct choice of_nodes = {.what = "cpuset.mems", .cgroup = "/a"};
static const struct choice of_cpus = {.what = "cpuset.cpus", .cgroup = "/a", .is_cpus = true};

/* The right answers are in the captures' files: has_cpu, has_memory, distance, cpulist. */
static void nodes_are_chosen_by_what_they_are(void **state)
{
	static const struct {
		const char *capture, *cpus, *text, *list;
	} cases[] = {
		{"power9-0-8-250-255", NULL, "all", "0,8,250-255"},
		{"power9-0-8-250-255", NULL, "!250-255", "0,8"},
		{"power9-0-8-250-255", NULL, "+0,2", "0,250"},
		{"power9-0-8-250-255", NULL, "0x101", "0,8"},
		{"power9-0-8-250-255", NULL, "8,0", "0,8"},
		{"power9-0-8-250-255", NULL, "none", ""},
		{"power9-0-8-250-255", NULL, "", ""},
		{"power9-0-8-250-255", NULL, "has-cpu", "0,8"},
		{"power9-0-8-250-255", NULL, "has-mem", "0,8,250-255"},
		{"power9-0-8-250-255", NULL, "cpu-less", "250-255"},
		{"power9-0-8-250-255", NULL, "cpu-less&!250", "251-255"},
		{"power9-0-8-250-255", "0-3", "of-cpus", "0"},
		{"power9-0-8-250-255", "0,88", "of-cpus", "0,8"},
		/* Its cpulist has cpu 87, which is offline. */
		{"power9-0-8-250-255", "87-88", "of-cpus", "8"},
		{"power9-0-8-250-255", "88", "max-dist:10", "8"},
		{"power9-0-8-250-255", "88", "max-dist:40", "0,8"},
		{"power9-0-8-250-255", "0", "max-dist:79", "0,8"},
		{"power9-0-8-250-255", "0", "max-dist:80", "0,8,250-255"},
		{"power9-0-8-250-255", "0", "max-dist:80&cpu-less&!251-253", "250,254-255"},
		{"holes-cpuless-tiers", NULL, "cpu-less", "4,6,8-9"},
		{"holes-cpuless-tiers", NULL, "has-cpu", "0-2"},
		{"holes-cpuless-tiers", "2-3", "of-cpus", "1"},
		{"holes-cpuless-tiers", NULL, "+N", "9"},
		/* Node 4 has neither, 0-3 no memory: only 5-10 can be had. */
		{"memless-and-cpuless-nodes", NULL, "all", "5-10"},
		{"memless-and-cpuless-nodes", NULL, "cpu-less", "5-10"},
		{"memless-and-cpuless-nodes", "0-1", "max-dist:11", "5"},
		{"memless-and-cpuless-nodes", "0-1", "max-dist:14", "5-6"},
		{"memless-and-cpuless-nodes", "0-1", "max-dist:17", "5-7"},
		{"memless-cpuless-6.1", NULL, "tier:4", "0,2"},
		{"memless-cpuless-6.1", NULL, "tier:4&cpu-less", "2"},
		{"memless-cpuless-6.1", "1", "max-dist:20", "0,2"},
		{"node0-offline", NULL, "has-mem", "1"},
		{"gb10-new-meminfo-fields", NULL, "all", "0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_host) struct cgpol_host *host = open_capture(cases[i].capture);
		AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
		struct choice choice = of_nodes;

		if (cases[i].cpus) {
			assert_int_equal(nodeset_parse(cases[i].cpus, NODESET_CPUS_MAX, &cpus, NULL), 0);
			choice.cpus = &cpus;
		}
		must_be(host, &choice, cases[i].text, cases[i].list);
	}
}

static void cpus_are_those_of_nodes(void **state)
{
	static const struct {
		const char *capture, *text, *list;
	} cases[] = {
		{"holes-cpuless-tiers", "nodes:0,1", "0-3"},
		{"holes-cpuless-tiers", "nodes:2", "4-5"},
		{"holes-cpuless-tiers", "nodes:all", "0-5"},
		{"holes-cpuless-tiers", "nodes:has-cpu", "0-5"},
		{"holes-cpuless-tiers", "nodes:!0", "2-5"},
		{"holes-cpuless-tiers", "nodes:+1", "2-3"},
		{"holes-cpuless-tiers", "nodes:0-1&!0,3", "1-2"},
		{"holes-cpuless-tiers", "!0-1", "2-5"},
		{"holes-cpuless-tiers", "+0-5:1/2", "0,2,4"},
		{"holes-cpuless-tiers", "0-31:2/4", "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29"},
		/* A node without memory has cpus as good as another's. */
		{"memless-cpuless-6.1", "nodes:1", "1"},
		{"memless-and-cpuless-nodes", "nodes:0,3", "0-1,6-7"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_host) struct cgpol_host *host = open_capture(cases[i].capture);

		must_be(host, &of_cpus, cases[i].text, cases[i].list);
	}
}

static void refusals_say_what_is_wrong(void **state)
{
	static const struct {
		bool is_cpus;
		const char *text;
		enum cgpol_kind kind;
		const char *why;
	} cases[] = {
		{false, "0-", CGPOL_USAGE, "malformed"},
		{false, "has-gpu", CGPOL_USAGE, "malformed"},
		{false, "max-dist:", CGPOL_USAGE, "has no number behind the colon"},
		{false, "max-dist:x", CGPOL_USAGE, "has no number behind the colon"},
		{false, "max-dist: 3", CGPOL_USAGE, "has no number behind the colon"},
		{false, "max-dist:256", CGPOL_USAGE, "is out of range: 0 to 255"},
		{false, "tier:4096", CGPOL_USAGE, "is out of range: 0 to 4095"},
		{false, "tier:5", CGPOL_UNSUPPORTED, "does not exist: the memory tiers are 4"},
		{false, "cpu-less&has-cpu", CGPOL_UNSUPPORTED, "leaves none of the nodes"},
		{false, "max-dist:5&all", CGPOL_UNSUPPORTED, "leaves none of the nodes"},
		{false, "!0,2", CGPOL_UNSUPPORTED, "which are 0,2"},
		{false, "has-cpu&", CGPOL_USAGE, "has nothing beside it"},
		{false, "&", CGPOL_USAGE, "has nothing beside it"},
		{false, "+7", CGPOL_USAGE, "counts beyond the 2 allowed nodes"},
		{false, "0x10", CGPOL_USAGE, "the highest number is 2"},
		{false, "same", CGPOL_USAGE, "cgroup /a has no list yet"},
		{false, "netdev:eth9", CGPOL_FAILED, "does not exist"},
		{false, "nodes:0", CGPOL_USAGE, "malformed"},
		{true, "has-cpu", CGPOL_USAGE, "chooses nodes; for their cpus write nodes:has-cpu"},
		{true, "local", CGPOL_USAGE, "write nodes:local"},
		{true, "netdev:eth0", CGPOL_USAGE, "is a node; for its cpus write nodes:netdev:eth0"},
		{true, "nodes:2", CGPOL_UNSUPPORTED, "needs node 2, which has no cpus"},
		{true, "nodes:9", CGPOL_UNSUPPORTED, "needs node 9, which is not online"},
		{true, "nodes:", CGPOL_USAGE, "names no node"},
		{true, "nodes:none", CGPOL_USAGE, "names no node"},
		{true, "nodes:nodes:0", CGPOL_USAGE, "malformed"},
		{true, "nodes:0&nodes:1", CGPOL_UNSUPPORTED, "leaves none of the cpus"},
		{true, "0\n1", CGPOL_USAGE, "malformed"},
	};
	AUTO(close_host) struct cgpol_host *host = open_capture("memless-cpuless-6.1");
	char many[64] = "all";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		must_fail(host, cases[i].is_cpus ? &of_cpus : &of_nodes, cases[i].text, cases[i].kind,
			  cases[i].why);
	for (size_t i = 0; i < 15; i++)
		strcat(many, "&0");
	must_be(host, &of_nodes, many, "0");
	strcat(many, "&0");
	must_fail(host, &of_nodes, many, CGPOL_USAGE, "one too many");
}

static void kernels_without_tiers_say_so(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_capture("power9-0-8-250-255");

	(void)state;
	must_fail(host, &of_nodes, "tier:4", CGPOL_UNSUPPORTED, "does not tell memory tiers");
}

/* A plain list is not compared with the machine: what judges it can say more. */
static void plain_lists_pass(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_capture("memless-cpuless-6.1");

	(void)state;
	must_be(host, &of_nodes, "1,900", "1,900");
	must_be(host, &of_cpus, "1000-1001", "1000-1001");
	must_fail(host, &of_nodes, "4096", CGPOL_USAGE, "the highest number is 4095");
}

/* The parent /p has nodes 0-1 of 0-1, and cpus 1-2 of 0-3. */
static struct cgpol_host *open_kernel(void)
{
	struct root *root = fakekernel_new(NULL);

	fakekernel_put(root, NODES "/has_cpu", "0-1\n");
	fakekernel_put(root, NODES "/node0/cpulist", "0-1\n");
	fakekernel_put(root, NODES "/node1/cpulist", "2-3\n");
	fakekernel_put(root, NODES "/node0/distance", "10 20\n");
	fakekernel_put(root, NODES "/node1/distance", "20 10\n");
	fakekernel_cgroup(root, "/p", "cpuset.cpus=1-2", NULL);
	fakekernel_cgroup(root, "/p/a", "cpuset.cpus=2", "cpuset.mems=1", NULL);
	return open_root(root);
}

static void all_is_relative_to_the_parent(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();
	struct choice cpus = {.what = "cpuset.cpus", .cgroup = "/p/a", .is_cpus = true};
	struct choice nodes = {.what = "cpuset.mems", .cgroup = "/p/a"};

	(void)state;
	must_be(host, &cpus, "all", "1-2");
	must_be(host, &cpus, "!1", "2");
	must_be(host, &cpus, "+0", "1");
	must_be(host, &cpus, "same", "2");
	must_be(host, &nodes, "same", "1");
	must_be(host, &cpus, "nodes:0", "1");
	must_be(host, &cpus, "nodes:0-1", "1-2");
	must_be(host, &nodes, "of-cpus", "1");
	must_be(host, &nodes, "max-dist:10", "1");
	/* What is not made yet will have its parent's cpus. */
	nodes.cgroup = "/p/new/below";
	cpus.cgroup = "/p/new/below";
	must_be(host, &nodes, "of-cpus", "0-1");
	must_be(host, &cpus, "all", "1-2");
	must_fail(host, &cpus, "same", CGPOL_USAGE, "cgroup /p/new/below has no list yet");
	/* Of the root there is no parent. */
	cpus.cgroup = "/";
	must_be(host, &cpus, "all", "0-3");
}

static void local_is_the_node_of_the_calling_cpu(void **state)
{
	/* Field 39, behind a name that looks like fields. */
	static const char stat[] =
		"7 (a) b 1 2) R 1 7 7 0 -1 4194304 99 0 0 0 0 0 0 0 20 0 1 0 500 2310144 176 "
		"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 %s 0 0 0 0 0\n";
	static const struct {
		const char *cpu, *list;
	} cases[] = {{"0", "0"}, {"3", "1"}};
	AUTO(close_host) struct cgpol_host *host = open_kernel();
	char text[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): it is one, above. */
		(void)snprintf(text, sizeof(text), stat, cases[i].cpu);
		fakekernel_put(host->root, "/proc/self/stat", text);
		must_be(host, &of_nodes, "local", cases[i].list);
	}
	fakekernel_put(host->root, "/proc/self/stat", "7 (a) R 1 7");
	must_fail(host, &of_nodes, "local", CGPOL_FAILED, "cannot read /proc/self/stat");
}

static void devices_have_a_node(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();

	(void)state;
	fakekernel_put(host->root, "/sys/class/net/eth0/device/numa_node", "1\n");
	must_be(host, &of_nodes, "netdev:eth0", "1");
	must_be(host, &of_cpus, "nodes:netdev:eth0", "2-3");
	must_fail(host, &of_nodes, "netdev:eth1", CGPOL_FAILED, "does not exist");
}

/* The n-th read fails: an error with a sentence or, where another file serves, the right list. */
static void survives_a_failure_at_any_read(void **state)
{
	static const char *const texts[] = {"has-cpu&max-dist:10", "same", "of-cpus", "!0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int rc = -1;

		for (unsigned n = 1; n < 200 && rc < 0; n++) {
			AUTO(close_host) struct cgpol_host *host = open_kernel();
			const struct choice choice = {.what = "cpuset.mems", .cgroup = "/p/a"};
			AUTO(free_p) char *list = NULL;
			struct cgpol_error err = {0};
			unsigned before = fakekernel_accesses(host->root, FAKEKERNEL_READS);

			fakekernel_fail_nth(host->root, FAKEKERNEL_READS, n, EIO);
			rc = choice_make(host, &choice, texts[i], &list, &err);
			if (rc < 0)
				assert_true(err.text[0] != '\0' && !list);
			/* Done without meeting the fault. */
			if (fakekernel_accesses(host->root, FAKEKERNEL_READS) - before >= n && rc == 0)
				rc = -1;
		}
		assert_int_equal(rc, 0);
	}
}

/* 1,024 nodes of which each knows the distance to each: below 100 ms (kubernetes' 2^n subsets hung at 34). */
static void a_machine_of_1024_nodes_is_no_trouble(void **state)
{
	struct root *root = fakeroot_new();
	AUTO(free_p) char *row = malloc(8 * 1024);
	AUTO(close_host) struct cgpol_host *host = NULL;
	struct timespec before, after;
	char path[96], list[16];
	long spent;

	(void)state;
	assert_non_null(row);
	fakeroot_put(root, NODES "/possible", "0-1023\n");
	fakeroot_put(root, NODES "/online", "0-1023\n");
	fakeroot_put(root, NODES "/has_cpu", "0-511\n");
	fakeroot_put(root, NODES "/has_memory", "0-1023\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-511\n");
	for (unsigned i = 0; i < 1024; i++) {
		size_t used = 0;

		for (unsigned j = 0; j < 1024; j++)
			used += (size_t)sprintf(row + used, "%u ", i == j ? 10 : i / 2 == j / 2 ? 15 : 40);
		(void)snprintf(path, sizeof(path), NODES "/node%u/distance", i);
		fakeroot_put(root, path, row);
		(void)snprintf(path, sizeof(path), NODES "/node%u/cpulist", i);
		list[0] = '\0';
		if (i < 512)
			(void)snprintf(list, sizeof(list), "%u", i);
		fakeroot_put(root, path, list);
	}
	host = open_root(root);
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before), 0);
	must_be(host, &of_nodes, "max-dist:15&has-cpu&!0-1", "2-511");
	assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after), 0);
	spent = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	print_message("1024 nodes: %ld ms\n", spent);
#ifndef __SANITIZE_ADDRESS__
	assert_true(spent < 100);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_chosen_by_what_they_are),
		cmocka_unit_test(cpus_are_those_of_nodes),
		cmocka_unit_test(refusals_say_what_is_wrong),
		cmocka_unit_test(kernels_without_tiers_say_so),
		cmocka_unit_test(plain_lists_pass),
		cmocka_unit_test(all_is_relative_to_the_parent),
		cmocka_unit_test(local_is_the_node_of_the_calling_cpu),
		cmocka_unit_test(devices_have_a_node),
		cmocka_unit_test(survives_a_failure_at_any_read),
		cmocka_unit_test(a_machine_of_1024_nodes_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
