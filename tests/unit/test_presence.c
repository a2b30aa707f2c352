/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether a machine has a setting, and why not. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policy/presence.h"

static void close_host(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static struct cgpol_host *open_kernel(const char *release)
{
	struct root *root = fakekernel_new("cpuset cpu io memory");
	struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};

	if (release)
		fakekernel_release(root, release);
	if (host_open_root(root, &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

static void must_be(struct cgpol_host *host, const char *name, enum presence_state wanted, const char *why)
{
	struct presence presence = {.state = PRESENCE_UNKNOWN};
	const struct key *key = key_find(name);

	/* The pattern itself. */
	for (const struct key *row = key_table; !key && row->name; row++)
		key = strcmp(row->name, name) == 0 ? row : NULL;
	assert_non_null(key);
	assert_int_equal(presence_read(host, key, name, &presence), 0);
	if (presence.state != wanted || !strstr(presence.text, why))
		fail_msg("%s: %d: %s", name, (int)presence.state, presence.text);
}

static void files_of_cgroups_are_seen_below_the_root(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel(NULL);

	(void)state;
	must_be(host, "memory.max", PRESENCE_UNKNOWN,
		"no cgroup below the root has controller memory yet, so that its file cannot be seen");
	fakekernel_cgroup(host->root, "/a/b", NULL);
	must_be(host, "memory.max", PRESENCE_YES, "/sys/fs/cgroup/a/memory.max");
	must_be(host, "cgroup.freeze", PRESENCE_YES, "/sys/fs/cgroup/a/cgroup.freeze");
	must_be(host, "memory.zswap.writeback", PRESENCE_NO,
		"this kernel (6.1) is too old: it came with 6.8");
	must_be(host, "cpu.uclamp.max", PRESENCE_NO, "this kernel (6.1) has no cpu.uclamp.max");
	must_be(host, "pids.max", PRESENCE_NO, "controller pids");
	must_be(host, "hugetlb.*.max", PRESENCE_NO, "controller hugetlb");
}

static void files_of_the_root_are_seen_there(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel(NULL);

	(void)state;
	must_be(host, "io.cost.qos", PRESENCE_NO, "this kernel (6.1) has no io.cost.qos");
	fakekernel_put(host->root, "/sys/fs/cgroup/io.cost.qos", "");
	fakekernel_cgroup(host->root, "/a", NULL);
	must_be(host, "cgroup.max.depth", PRESENCE_YES, "cgroup.max.depth");
}

static void settings_of_the_machine_are_files(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel(NULL);

	(void)state;
	must_be(host, "vm.swappiness", PRESENCE_YES, "/proc/sys/vm/swappiness");
	must_be(host, "kernel.numa_balancing", PRESENCE_YES, "/proc/sys/kernel/numa_balancing");
	must_be(host, "weighted_interleave.node0", PRESENCE_NO, "is too old: it came with 6.9");
	must_be(host, "weighted_interleave.node*", PRESENCE_NO, "is too old: it came with 6.9");
	fakekernel_fail(host->root, FAKEKERNEL_READS, "/proc/sys/vm/swappiness", EACCES);
	must_be(host, "vm.swappiness", PRESENCE_UNKNOWN, "cannot be looked at");
}

static void settings_of_processes_are_known_by_the_kernel(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel(NULL);
	AUTO(close_host) struct cgpol_host *old = open_kernel("5.10.0");

	(void)state;
	must_be(host, "home_node", PRESENCE_YES, "this kernel (6.1) has it");
	must_be(old, "home_node", PRESENCE_NO, "this kernel (5.10) is too old: it came with 5.17");
	must_be(old, "oom_score_adj", PRESENCE_YES, "this kernel (5.10) has it");
	must_be(old, "memory.zswap.max", PRESENCE_NO, "too old: it came with 5.19");
}

static void huge_pages_are_named_as_the_kernel_names_them(void **state)
{
	static const struct {
		const char *folder, *file;
	} cases[] = {
		{"hugepages-2048kB", "hugetlb.2MB.max"},
		{"hugepages-1048576kB", "hugetlb.1GB.max"},
		{"hugepages-64kB", "hugetlb.64KB.max"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct root *root = fakekernel_new("hugetlb");
		AUTO(close_host) struct cgpol_host *host = NULL;
		char path[96];

		(void)snprintf(path, sizeof(path), "/sys/kernel/mm/hugepages/%s/nr_hugepages",
			       cases[i].folder);
		fakekernel_put(root, path, "0\n");
		fakekernel_cgroup(root, "/a/b", NULL);
		assert_int_equal(host_open_root(root, &host, NULL), 0);
		must_be(host, "hugetlb.*.max", strstr(cases[i].file, "2MB") ? PRESENCE_YES : PRESENCE_NO,
			cases[i].file);
	}
}

/* An answer or -ENOMEM, whatever fails. */
static void survives_a_failure_at_any_read(void **state)
{
	static const char *const names[] = {"memory.max", "pids.max", "vm.swappiness", "hugetlb.*.max",
					    "cgroup.max.depth"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		for (unsigned n = 1; n < 30; n++) {
			AUTO(close_host) struct cgpol_host *host = open_kernel(NULL);
			struct presence presence = {.state = PRESENCE_UNKNOWN};
			int rc;

			fakekernel_cgroup(host->root, "/a/b", NULL);
			fakekernel_fail_nth(host->root, FAKEKERNEL_READS, n, i % 2 ? ENOMEM : EIO);
			rc = presence_read(
				host, key_find(names[i]) ? key_find(names[i]) : key_find("hugetlb.2MB.max"),
				names[i], &presence);
			assert_true(rc == -ENOMEM || (rc == 0 && presence.text[0] != '\0'));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_cgroups_are_seen_below_the_root),
		cmocka_unit_test(files_of_the_root_are_seen_there),
		cmocka_unit_test(settings_of_the_machine_are_files),
		cmocka_unit_test(settings_of_processes_are_known_by_the_kernel),
		cmocka_unit_test(huge_pages_are_named_as_the_kernel_names_them),
		cmocka_unit_test(survives_a_failure_at_any_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
