/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read of those who live in a cgroup, and what is not known of them. */
#include "policy/guardfacts.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "refusal.h"
#include "test.h"

static void numa_stat_counts_what_migrates_on_some_nodes(void **state)
{
	static const char text[] =
		"anon N0=4096 N1=8192 N2=16384\nfile N0=1 N1=1 N2=1\nfile_mapped N0=100 N1=200 N2=400\n"
		"anon_thp N0=5 N1=5 N2=5\n";
	static const char *const broken[] = {"anon N0\n",     "anon X0=1\n", "anon N0=-1\n",
					     "anon N0=1x\n",  "anon N=1\n",  "anon N99999999999999999999=1\n",
					     "anon N5000=1\n"};
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	uint64_t bytes = 7;

	(void)state;
	assert_int_equal(nodeset_parse("1-2", NODESET_NODES_MAX, &nodes, NULL), 0);
	assert_int_equal(guardfacts_parse_numa_stat(text, &nodes, &bytes), 0);
	assert_int_equal(bytes, 8192 + 16384 + 200 + 400);
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
		assert_int_equal(guardfacts_parse_numa_stat(broken[i], &nodes, &bytes), -EINVAL);
	assert_int_equal(bytes, 8192 + 16384 + 200 + 400);
	assert_int_equal(guardfacts_parse_numa_stat("anon N1=18446744073709551615 N2=9\n", &nodes, &bytes),
			 0);
	assert_int_equal(bytes, UINT64_MAX);
	assert_int_equal(guardfacts_parse_numa_stat("", &nodes, &bytes), 0);
	assert_int_equal(bytes, 0);
}

static void open_memory(struct refusal *refusal)
{
	refusal_open(refusal);
	fakeroot_put(refusal->root, "/proc/meminfo",
		     "MemTotal: 1000 kB\nSwapTotal: 100 kB\nSwapFree: 80 kB\n");
	refusal_put(refusal, "/a", NULL);
	refusal_put(refusal, "/a/b", NULL);
	refusal_put(refusal, "/a/b/memory.current", "5000\n");
	refusal_put(refusal, "/a/b/memory.high", "max\n");
	refusal_put(refusal, "/a/b/memory.stat",
		    "anon 1\nfile 2\ninactive_anon 10\nactive_anon 20\ninactive_file 300\nactive_file 4000\n"
		    "unevictable 9\nslab_reclaimable 50000\n");
}

static void memory_is_told_apart_by_where_it_can_go(void **state)
{
	AUTO(refusal_close) struct refusal refusal;
	struct guardfacts facts;
	struct guardfacts_memory memory;

	(void)state;
	open_memory(&refusal);
	facts = (struct guardfacts){.host = refusal.host};
	assert_int_equal(guardfacts_read_memory(&facts, "/a/b", &memory), 0);
	assert_int_equal(memory.current, 5000);
	assert_true(memory.high == UINT64_MAX);
	assert_int_equal(memory.anon, 30);
	assert_int_equal(memory.cache, 54300);
	assert_int_equal(memory.swap_room, 80 * 1024);
	assert_false(memory.has_reclaim);
	/* The lowest that is left of all limits above it, or of the machine. */
	refusal_put(&refusal, "/a/b/memory.swap.max", "3000\n");
	refusal_put(&refusal, "/a/b/memory.swap.current", "1000\n");
	refusal_put(&refusal, "/a/b/memory.reclaim", "");
	assert_int_equal(guardfacts_read_memory(&facts, "/a/b", &memory), 0);
	assert_int_equal(memory.swap_room, 2000);
	assert_true(memory.has_reclaim);
	refusal_put(&refusal, "/a/memory.swap.max", "1500\n");
	refusal_put(&refusal, "/a/memory.swap.current", "1600\n");
	assert_int_equal(guardfacts_read_memory(&facts, "/a/b", &memory), 0);
	assert_int_equal(memory.swap_room, 0);
}

static void what_cannot_be_read_is_not_known(void **state)
{
	static const char *const files[] = {"/sys/fs/cgroup/a/b/memory.current",
					    "/sys/fs/cgroup/a/b/memory.high",
					    "/sys/fs/cgroup/a/b/memory.stat", "/proc/meminfo"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO(refusal_close) struct refusal refusal;
		struct guardfacts facts;
		struct guardfacts_memory memory = {.current = 7};

		open_memory(&refusal);
		facts = (struct guardfacts){.host = refusal.host};
		fakeroot_fail(refusal.root, files[i], EACCES);
		assert_int_equal(guardfacts_read_memory(&facts, "/a/b", &memory), -ENODATA);
		fakeroot_fail(refusal.root, files[i], ENOMEM);
		assert_int_equal(guardfacts_read_memory(&facts, "/a/b", &memory), -ENOMEM);
		assert_int_equal(memory.current, 7);
	}
}

static void nodes_are_looked_at_only_under_processes(void **state)
{
	AUTO(refusal_close) struct refusal refusal;
	AUTO(nodeset_clear_p) struct nodeset kept = {0, NULL};
	AUTO(guardfacts_nodes_clear) struct guardfacts_nodes nodes = {0};
	struct guardfacts facts;
	unsigned accesses;

	(void)state;
	refusal_open(&refusal);
	facts = (struct guardfacts){.host = refusal.host};
	refusal_put(&refusal, "/a", NULL);
	assert_int_equal(nodeset_add(&kept, 1), 0);
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), -ENODATA);
	refusal_put(&refusal, "/a/cgroup.events", "populated 0\nfrozen 0\n");
	accesses = fakeroot_accesses(refusal.root);
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), 0);
	assert_int_equal(fakeroot_accesses(refusal.root) - accesses, 1);
	assert_false(nodes.is_populated);
	/* Without an own list it has what those above have: 0-1. */
	refusal_put(&refusal, "/a/cgroup.events", "populated 1\nfrozen 0\n");
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), 0);
	assert_true(nodes.is_populated && nodes.migrates && !nodes.has_bytes);
	assert_true(nodeset_has(&nodes.dropped, 0) && !nodeset_has(&nodes.dropped, 1));
	refusal_put(&refusal, "/a/memory.numa_stat", "anon N0=4096 N1=1\n");
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), 0);
	assert_true(nodes.has_bytes);
	assert_int_equal(nodes.bytes, 4096);
	refusal_put(&refusal, "/a/cpuset.mems.effective", "1\n");
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), 0);
	assert_true(nodeset_is_empty(&nodes.dropped));
	refusal.host->major = 5;
	refusal.host->minor = 10;
	assert_int_equal(guardfacts_read_nodes(&facts, "/a", &kept, &nodes), 0);
	assert_false(nodes.migrates);
}

static void siblings_of_a_threaded_cgroup_are_told_apart(void **state)
{
	static const char *const parts[] = {"/p/t", "/p/a", "/p/b", "/p/c", "/p/d", "/p/e"};
	AUTO(refusal_close) struct refusal refusal;
	struct guardfacts_threads threads;
	struct guardfacts facts;

	(void)state;
	refusal_open(&refusal);
	facts = (struct guardfacts){.host = refusal.host};
	/* The real root has no type. */
	assert_int_equal(guardfacts_read_threads(&facts, "/t", &threads), 0);
	assert_string_equal(threads.type, "");
	assert_int_equal(guardfacts_read_threads(&facts, "/", &threads), -ENODATA);
	assert_int_equal(guardfacts_read_threads(&facts, "/p/t", &threads), -ENODATA);
	refusal_put(&refusal, "/p", NULL);
	refusal_put(&refusal, "/p/cgroup.subtree_control", "cpu pids\n");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char name[64];

		refusal_put(&refusal, parts[i], NULL);
		(void)snprintf(name, sizeof(name), "%s/cgroup.events", parts[i]);
		refusal_put(&refusal, name, "populated 0\n");
		(void)snprintf(name, sizeof(name), "%s/cgroup.subtree_control", parts[i]);
		refusal_put(&refusal, name, "\n");
	}
	refusal_put(&refusal, "/p/a/cgroup.type", "threaded\n");
	assert_int_equal(guardfacts_read_threads(&facts, "/p/t", &threads), 0);
	assert_string_equal(threads.type, "domain");
	assert_int_equal(threads.others, 4);
	assert_int_equal(threads.busy, 0);
	assert_string_equal(threads.names, "/p/b, /p/c, /p/d");
	assert_false(threads.has_controllers);
	refusal_put(&refusal, "/p/d/cgroup.events", "populated 1\n");
	refusal_put(&refusal, "/p/e/cgroup.subtree_control", "cpu memory\n");
	refusal_put(&refusal, "/p/cgroup.subtree_control", "cpu io\n");
	assert_int_equal(guardfacts_read_threads(&facts, "/p/t", &threads), 0);
	assert_int_equal(threads.busy, 2);
	assert_string_equal(threads.names, "/p/d, /p/e");
	assert_true(threads.has_controllers);
}

static void put_status(struct refusal *refusal, const char *path, const char *threads, const char *cpus)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "Name:\tx\nThreads:\t%s\nCpus_allowed_list:\t%s\n", threads, cpus);
	fakeroot_put(refusal->root, path, text);
}

static void threads_that_insist_on_the_cpus_are_found(void **state)
{
	enum { KTHREAD = 0x200000 };
	AUTO(refusal_close) struct refusal refusal;
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct guardfacts_affinity affinity;
	struct guardfacts facts;

	(void)state;
	refusal_open(&refusal);
	facts = (struct guardfacts){.host = refusal.host};
	assert_int_equal(nodeset_parse("2-3", NODESET_CPUS_MAX, &cpus, NULL), 0);
	refusal_process(&refusal, 10, "any\n", 0, "/");
	refusal_process(&refusal, 11, "pinned", 0, "/");
	refusal_process(&refusal, 12, "kworker", KTHREAD, "/");
	refusal_process(&refusal, 13, "inside", 0, "/p/q");
	refusal_process(&refusal, 14, "beside", 0, "/pq");
	refusal_process(&refusal, 15, "many", 0, "/");
	put_status(&refusal, "/proc/10/status", "1", "0-3");
	put_status(&refusal, "/proc/11/status", "1", "3");
	put_status(&refusal, "/proc/12/status", "1", "3");
	put_status(&refusal, "/proc/13/status", "1", "3");
	put_status(&refusal, "/proc/14/status", "1", "2-3");
	put_status(&refusal, "/proc/15/status", "2", "0-3");
	put_status(&refusal, "/proc/15/task/15/status", "2", "0-3");
	put_status(&refusal, "/proc/15/task/16/status", "2", "2");
	assert_int_equal(guardfacts_read_affinity(&facts, "/p", &cpus, &affinity), 0);
	assert_int_equal(affinity.threads, 3);
	assert_string_equal(affinity.names, "11 (pinned), 14 (beside), 16 (many)");
	fakeroot_fail(refusal.root, "/proc/11/status", ENOENT);
	assert_int_equal(guardfacts_read_affinity(&facts, "/p", &cpus, &affinity), 0);
	assert_int_equal(affinity.threads, 2);
	fakeroot_fail(refusal.root, "/proc", EACCES);
	assert_int_equal(guardfacts_read_affinity(&facts, "/p", &cpus, &affinity), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numa_stat_counts_what_migrates_on_some_nodes),
		cmocka_unit_test(memory_is_told_apart_by_where_it_can_go),
		cmocka_unit_test(what_cannot_be_read_is_not_known),
		cmocka_unit_test(nodes_are_looked_at_only_under_processes),
		cmocka_unit_test(siblings_of_a_threaded_cgroup_are_told_apart),
		cmocka_unit_test(threads_that_insist_on_the_cpus_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
