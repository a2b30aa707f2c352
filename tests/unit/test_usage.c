/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Usage: named processes, scans with patterns, cgroups by node, and all of them while things vanish. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "memory/row.h"
#include "memory/usage.h"

#define MOUNT "/sys/fs/cgroup"
#define STAT_REST " S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 0 20 0 1 0 350 0 0"

struct fixture {
	struct root *root;
	struct cgpol_host host;
	struct cgpol_usage *usage;
};

static void tear_down(struct fixture *fixture)
{
	cgpol_usage_free(fixture->usage);
	root_free(fixture->root);
}

/* A process with so many pages of anonymous memory on node 1. */
static void put_process(struct root *root, pid_t pid, const char *comm, unsigned pages)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	(void)snprintf(text, sizeof(text), "%d (%s)" STAT_REST, (int)pid, comm);
	fakeroot_put(root, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	(void)snprintf(text, sizeof(text), "State:\tS\nTgid:\t%d\nPPid:\t1\nVmRSS:\t9 kB\nRssAnon:\t9 kB\n",
		       (int)pid);
	fakeroot_put(root, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/numa_maps", (int)pid);
	(void)snprintf(text, sizeof(text), "1 default anon=%u N1=%u kernelpagesize_kB=4\n", pages, pages);
	fakeroot_put(root, path, text);
}

static void set_up(struct fixture *fixture)
{
	static char mount[] = MOUNT, top[] = "/";
	struct root *root = fakeroot_new();

	*fixture = (struct fixture){
		.root = root,
		.host = {.root = root, .cgroup2 = mount, .cgroup2_root = top, .has_memory = true},
	};
	fakeroot_put(root, "/sys/devices/system/node/online", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/has_memory", "0-1\n");
	fakeroot_put(root, "/proc/meminfo", "Hugepagesize:       2048 kB\n");
	fakeroot_put(root, "/proc/self/mountinfo", "");
	put_process(root, 11, "db", 5);
	put_process(root, 12, "web", 50);
	put_process(root, 13, "web", 7);
	put_process(root, 14, "dbus", 50);
	fakeroot_put(root, "/proc/2/stat",
		     "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0");
	fakeroot_put(root, "/proc/2/status", "State:\tS (sleeping)\nTgid:\t2\nPPid:\t0\nThreads:\t1\n");
	fakeroot_put(root, "/proc/20/stat",
		     "20 (late) Z 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0");
	fakeroot_put(root, "/proc/20/status", "State:\tZ (zombie)\nTgid:\t20\nPPid:\t1\nThreads:\t1\n");
	assert_int_equal(usage_new(&fixture->usage), 0);
}

static void assert_pids(const struct cgpol_usage *usage, const pid_t *pids, size_t count)
{
	assert_int_equal(usage->rows, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(usage->row[i].pid, pids[i]);
}

static void adds_named_processes_in_the_order_given(void **state)
{
	static const pid_t pids[] = {13, 11, 2};
	AUTO(tear_down) struct fixture fixture;
	AUTO(free_p) char *nodes = NULL;

	(void)state;
	set_up(&fixture);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		assert_int_equal(usage_add_process(&fixture.host, fixture.usage, pids[i], NULL), 0);
	assert_pids(fixture.usage, pids, ARRAY_SIZE(pids));
	assert_string_equal(fixture.usage->row[0].name, "web");
	assert_int_equal(fixture.usage->row[0].node[0].total, 0);
	assert_int_equal(fixture.usage->row[0].node[1].bytes[USAGE_ANON], 7 * 4096);
	assert_int_equal(fixture.usage->row[2].total, 0); /* a kernel thread that was asked for */
	nodes = nodeset_format(&fixture.usage->nodes);
	assert_string_equal(nodes, "0-1");
}

static void says_why_a_named_process_is_missing(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	struct cgpol_error err = {0};

	(void)state;
	set_up(&fixture);
	assert_int_equal(usage_add_process(&fixture.host, fixture.usage, 999999, &err), -ESRCH);
	assert_string_equal(err.text, "process 999999 does not exist");
	assert_int_equal(err.kind, CGPOL_FAILED);
	fakeroot_fail(fixture.root, "/proc/12/numa_maps", EACCES);
	assert_int_equal(usage_add_process(&fixture.host, fixture.usage, 12, &err), -EACCES);
	assert_string_equal(err.text,
			    "process 12 (web) cannot be read: /proc/12/numa_maps needs ptrace permission "
			    "(CAP_SYS_PTRACE or the same user)");
	assert_int_equal(fixture.usage->rows, 1); /* its totals */
	assert_int_equal(fixture.usage->row[0].nodes, 0);
	assert_int_equal(fixture.usage->row[0].total, 9 * 1024);
	fakeroot_fail(fixture.root, "/proc/13/status", EPERM);
	assert_int_equal(usage_add_process(&fixture.host, fixture.usage, 13, &err), -EACCES);
	assert_int_equal(fixture.usage->rows, 1);
}

static void lists_the_largest_first(void **state)
{
	static const pid_t pids[] = {12, 14, 13, 11};
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, NULL), 0);
	assert_pids(fixture.usage, pids, ARRAY_SIZE(pids));
	assert_int_equal(fixture.usage->others, 2);
	assert_int_equal(fixture.usage->vanished, 0);
	assert_int_equal(fixture.usage->unreadable, 0);
}

static void leaves_itself_out_unless_named(void **state)
{
	static const pid_t others[] = {12, 13, 11}, named[] = {14};
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fixture.root->facts.self = 14;
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, NULL), 0);
	assert_pids(fixture.usage, others, ARRAY_SIZE(others));
	tear_down(&fixture);
	set_up(&fixture);
	fixture.root->facts.self = 14;
	assert_int_equal(usage_add_process(&fixture.host, fixture.usage, 14, NULL), 0);
	assert_pids(fixture.usage, named, ARRAY_SIZE(named));
}

static void takes_what_any_pattern_matches(void **state)
{
	static const struct {
		const char *pattern[2];
		size_t count;
		pid_t pids[4];
		size_t matches;
	} cases[] = {
		{{"web", NULL}, 1, {12, 13}, 2},
		{{"^db$", NULL}, 1, {11}, 1},
		{{"db", NULL}, 1, {14, 11}, 2},
		{{"^db$", "bus$"}, 2, {14, 11}, 2},
		{{"(web|dbus)", NULL}, 1, {12, 14, 13}, 3},
		{{"nothing", NULL}, 1, {0}, 0},
		{{"kthreadd", NULL}, 1, {0}, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(tear_down) struct fixture fixture;
		char *patterns[2] = {NULL, NULL};

		set_up(&fixture);
		for (size_t j = 0; j < cases[i].count; j++)
			patterns[j] = strdup(cases[i].pattern[j]);
		assert_int_equal(
			usage_add_matching(&fixture.host, fixture.usage, patterns, cases[i].count, NULL), 0);
		assert_pids(fixture.usage, cases[i].pids, cases[i].matches);
		free(patterns[0]);
		free(patterns[1]);
	}
}

static void refuses_a_malformed_pattern(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	char good[] = "web", bad[] = "we(b", *patterns[] = {good, bad};
	struct cgpol_error err = {0};

	(void)state;
	set_up(&fixture);
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, patterns, 2, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_non_null(strstr(err.text, "pattern \"we(b\": "));
	assert_int_equal(fixture.usage->rows, 0);
}

static void counts_what_may_not_be_read(void **state)
{
	static const pid_t pids[] = {14, 12};
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fakeroot_fail(fixture.root, "/proc/12/numa_maps", EACCES); /* 9 KiB by its status */
	fakeroot_fail(fixture.root, "/proc/11/stat", EPERM);	   /* hidepid=1 */
	fakeroot_fail(fixture.root, "/proc/13/numa_maps", EIO);
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, NULL), 0);
	assert_pids(fixture.usage, pids, ARRAY_SIZE(pids));
	assert_int_equal(fixture.usage->unreadable, 3);
	assert_int_equal(fixture.usage->forbidden, 2);
	assert_int_equal(fixture.usage->row[1].nodes, 0);
	assert_int_equal(fixture.usage->row[1].total, 9 * 1024);
}

static void knows_when_processes_are_hidden(void **state)
{
	static const struct {
		bool has_init, is_initial, hides;
	} cases[] = {
		{true, true, false},
		{false, true, true}, /* hidepid=2 */
		{true, false, true},
		{false, false, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(tear_down) struct fixture fixture;
		char none[] = "nothing", *patterns[] = {none};

		set_up(&fixture);
		fixture.root->facts.initial_pidns = cases[i].is_initial;
		if (cases[i].has_init)
			put_process(fixture.root, 1, "init", 3);
		assert_int_equal(usage_add_process(&fixture.host, fixture.usage, 11, NULL), 0);
		assert_false(fixture.usage->hides);
		assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, patterns, 1, NULL), 0);
		assert_int_equal(fixture.usage->hides, cases[i].hides);
	}
}

static void needs_a_proc_with_processes(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	struct cgpol_error err = {0};

	(void)state;
	fixture = (struct fixture){.root = fakeroot_new()};
	fixture.host.root = fixture.root;
	fakeroot_put(fixture.root, "/sys/devices/system/node/online", "0\n");
	fakeroot_put(fixture.root, "/sys/devices/system/node/has_memory", "0\n");
	fakeroot_mkdir(fixture.root, "/proc/sys");
	assert_int_equal(usage_new(&fixture.usage), 0);
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, &err), -ESRCH);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "/proc lists no process");
}

/* A process goes away between the list and any of its files: the answer is the same without it. */
static void loses_only_the_process_that_vanishes(void **state)
{
	static const int errnums[] = {ENOENT, ESRCH};
	enum { BEFORE = 5 }; /* online, has_memory, meminfo, mountinfo, the list */
	unsigned accesses = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 0; n == 0 || n <= accesses - BEFORE; n++) {
			AUTO(tear_down) struct fixture fixture;
			const struct cgpol_usage *usage;

			set_up(&fixture);
			usage = fixture.usage;
			fakeroot_fail_nth(fixture.root, n ? BEFORE + n : 0, errnums[i]);
			assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, NULL), 0);
			accesses = fakeroot_accesses(fixture.root);
			assert_int_equal(usage->vanished, n ? 1 : 0);
			assert_int_equal(usage->rows + usage->others, n ? 5 : 6);
			assert_int_equal(usage->unreadable, 0);
			for (size_t row = 1; row < usage->rows; row++)
				assert_true(usage->row[row - 1].total >= usage->row[row].total);
		}
	}
	assert_int_equal(accesses, BEFORE + 4 * 3 + 1 + 2 - 1);
}

static void fails_whole_when_the_machine_cannot_be_listed(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	struct cgpol_error err = {0};

	(void)state;
	set_up(&fixture);
	fakeroot_fail(fixture.root, "/proc", EACCES);
	assert_int_equal(usage_add_matching(&fixture.host, fixture.usage, NULL, 0, &err), -EACCES);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_true(err.text[0] != '\0');
}

/* LKML, a report on NUMA balancing: bytes, not pages. The keys below the first two are shortened. */
static const char numa_stat[] = "anon N0=98304 N1=0 N2=10250747904 N3=2634334208\n"
				"file N0=4211032064 N1=13505200128 N2=0 N3=0\n"
				"kernel_stack N0=16384 N1=0 N2=0 N3=0\n"
				"pagetables N0=1 N1=2 N2=0 N3=0\n"
				"sec_pagetables N0=4 N1=0 N2=0 N3=0\n"
				"shmem N0=4096 N1=0 N2=0 N3=0\n"
				"file_mapped N0=1000 N1=0 N2=0 N3=0\n"
				"anon_thp N0=1000 N1=0 N2=0 N3=0\n"
				"shmem_thp N0=1000 N1=0 N2=0 N3=0\n"
				"inactive_anon N0=1000 N1=0 N2=0 N3=0\n"
				"slab_reclaimable N0=8 N1=0 N2=0 N3=0\n"
				"slab_unreclaimable N0=16 N1=0 N2=0 N3=0\n"
				"pgdemote_kswapd N0=x N1=-1\n"
				"a_key_of_tomorrow\n";

static void reads_bytes_by_node(void **state)
{
	AUTO(row_clear) struct usage_row row = {0};

	(void)state;
	assert_int_equal(usage_parse_numa_stat(numa_stat, &row), 0);
	assert_int_equal(row.nodes, 4);
	assert_true(row.node[2].bytes[USAGE_ANON] == UINT64_C(10250747904));
	assert_true(row.node[0].bytes[USAGE_FILE] == UINT64_C(4211032064) - 4096);
	assert_int_equal(row.node[0].bytes[USAGE_SHMEM], 4096);
	assert_int_equal(row.node[0].bytes[USAGE_KERNEL], 16384 + 1 + 4 + 8 + 16);
	assert_int_equal(row.node[0].bytes[USAGE_HUGE], 0);
	assert_true(row.bytes[USAGE_ANON] == UINT64_C(98304) + UINT64_C(10250747904) + UINT64_C(2634334208));
	assert_true(row.total ==
		    row.node[0].total + row.node[1].total + row.node[2].total + row.node[3].total);
}

/* The counters are read one after the other. */
static void does_not_go_below_zero(void **state)
{
	AUTO(row_clear) struct usage_row row = {0};

	(void)state;
	assert_int_equal(usage_parse_numa_stat("file N0=4096\nshmem N0=8192\n", &row), 0);
	assert_int_equal(row.node[0].bytes[USAGE_FILE], 0);
	assert_int_equal(row.node[0].bytes[USAGE_SHMEM], 8192);
}

static void refuses_a_malformed_numa_stat(void **state)
{
	static const char *const cases[] = {
		"anon N0\n",	      "anon N0=\n", "anon N0=-1\n",	"anon N0=18446744073709551616\n",
		"anon Nx=1\n",	      "anon =1\n",  "anon N4096=1\n",	"anon 0=1\n",
		"anon N4294967296=1", "anon N=1\n", "file N0=1 junk\n", "shmem N0=1N1=2\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct usage_row row = {.total = 77};

		if (usage_parse_numa_stat(cases[i], &row) != -EINVAL)
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(row.total, 77);
		assert_null(row.node);
	}
}

static void put_cgroup(struct root *root, const char *name, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), MOUNT "%s/memory.numa_stat", name);
	fakeroot_put(root, path, text);
	(void)snprintf(path, sizeof(path), MOUNT "%s/memory.swap.current", name);
	fakeroot_put(root, path, "8192\n");
}

static void put_cgroups(struct root *root)
{
	put_cgroup(root, "/web", "anon N0=4096 N1=8192\nfile N0=16384 N1=0\nshmem N0=4096 N1=0\n");
	put_cgroup(root, "/web/z", "anon N0=1 N1=0\n");
	put_cgroup(root, "/web/z/deep", "anon N0=2 N1=0\n");
	put_cgroup(root, "/web/a", "anon N0=3 N1=0\n");
	fakeroot_mkdir(root, MOUNT "/web/threads"); /* no memory controller below */
	fakeroot_mkdir(root, MOUNT "/web/threads/deeper");
}

static void walks_parents_first_and_the_older_first(void **state)
{
	static const char *const names[] = {"/web", "/web/z", "/web/z/deep", "/web/a"};
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put_cgroups(fixture.root);
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "web", NULL), 0);
	assert_int_equal(fixture.usage->rows, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(fixture.usage->row[i].name, names[i]);
	assert_int_equal(fixture.usage->row[0].pid, 0);
	assert_true(fixture.usage->row[0].has_swap);
	assert_int_equal(fixture.usage->row[0].swap, 8192);
	assert_int_equal(fixture.usage->vanished, 0);
}

static void never_opens_numa_maps_for_a_cgroup(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put_cgroups(fixture.root);
	fakeroot_fail(fixture.root, "/proc", EIO);
	fakeroot_fail(fixture.root, "/proc/meminfo", EIO);
	fakeroot_fail(fixture.root, "/proc/12/numa_maps", EIO);
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/web", NULL), 0);
}

static void knows_where_swap_is_not_accounted(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture);
	fakeroot_put(fixture.root, MOUNT "/memory.numa_stat", "anon N0=4096 N1=0\n");
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/", NULL), 0);
	assert_string_equal(fixture.usage->row[0].name, "/");
	assert_false(fixture.usage->row[0].has_swap);
	assert_int_equal(fixture.usage->row[0].nodes, 2);
}

static void says_why_a_cgroup_has_no_row(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	struct cgpol_error err = {0};

	(void)state;
	set_up(&fixture);
	put_cgroups(fixture.root);
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/gone", &err), -ENOENT);
	assert_string_equal(err.text, "cgroup \"/gone\" does not exist");
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/web/threads", &err), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "../etc", &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	fakeroot_put(fixture.root, MOUNT "/web/a/memory.numa_stat", "anon N0=x\n");
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/web", &err), -EINVAL);
	assert_non_null(strstr(err.text, "\"/web/a\""));
	assert_int_equal(fixture.usage->rows, 0);
	fixture.host.has_memory = false;
	assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/web", &err), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
}

static void loses_only_the_cgroup_that_vanishes(void **state)
{
	static const char *const lost[] = {"/web/z/deep", "/web/a"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lost); i++) {
		AUTO(tear_down) struct fixture fixture;
		char path[128];

		set_up(&fixture);
		put_cgroups(fixture.root);
		(void)snprintf(path, sizeof(path), MOUNT "%s/memory.numa_stat", lost[i]);
		fakeroot_fail(fixture.root, path, ENODEV);
		(void)snprintf(path, sizeof(path), MOUNT "%s", lost[i]);
		fakeroot_fail(fixture.root, path, ENOENT);
		assert_int_equal(usage_add_cgroup(&fixture.host, fixture.usage, "/web", NULL), 0);
		assert_int_equal(fixture.usage->rows, 3);
		for (size_t row = 0; row < fixture.usage->rows; row++)
			assert_string_not_equal(fixture.usage->row[row].name, lost[i]);
	}
}

static void serves_the_public_functions(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	struct cgpol_usage *usage = NULL;

	(void)state;
	set_up(&fixture);
	put_cgroups(fixture.root);
	assert_int_equal(cgpol_usage_read(&fixture.host, "/web", &usage, NULL), 0);
	assert_int_equal(cgpol_usage_rows(usage), 4);
	assert_string_equal(cgpol_usage_name(usage, 0), "/web");
	assert_null(cgpol_usage_name(usage, 4));
	assert_int_equal(cgpol_usage_bytes(usage, 0, 0), 4096 + 16384); /* shmem is a part of file */
	assert_int_equal(cgpol_usage_bytes(usage, 0, 1), 8192);
	assert_int_equal(cgpol_usage_bytes(usage, 0, 7), 0);
	assert_int_equal(cgpol_usage_bytes(usage, 0, -1), 0);
	assert_int_equal(cgpol_usage_bytes(usage, 9, 0), 0);
	cgpol_usage_free(usage);
	cgpol_usage_free(NULL);
	usage = NULL;
	assert_int_equal(cgpol_usage_read(&fixture.host, "/gone", &usage, NULL), -ENOENT);
	assert_null(usage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_named_processes_in_the_order_given),
		cmocka_unit_test(says_why_a_named_process_is_missing),
		cmocka_unit_test(lists_the_largest_first),
		cmocka_unit_test(leaves_itself_out_unless_named),
		cmocka_unit_test(takes_what_any_pattern_matches),
		cmocka_unit_test(refuses_a_malformed_pattern),
		cmocka_unit_test(counts_what_may_not_be_read),
		cmocka_unit_test(knows_when_processes_are_hidden),
		cmocka_unit_test(needs_a_proc_with_processes),
		cmocka_unit_test(loses_only_the_process_that_vanishes),
		cmocka_unit_test(fails_whole_when_the_machine_cannot_be_listed),
		cmocka_unit_test(reads_bytes_by_node),
		cmocka_unit_test(does_not_go_below_zero),
		cmocka_unit_test(refuses_a_malformed_numa_stat),
		cmocka_unit_test(walks_parents_first_and_the_older_first),
		cmocka_unit_test(never_opens_numa_maps_for_a_cgroup),
		cmocka_unit_test(knows_where_swap_is_not_accounted),
		cmocka_unit_test(says_why_a_cgroup_has_no_row),
		cmocka_unit_test(loses_only_the_cgroup_that_vanishes),
		cmocka_unit_test(serves_the_public_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
