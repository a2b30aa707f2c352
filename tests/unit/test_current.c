/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read of a cgroup and of those above it before a plan is made. */
#include "policy/current.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "policies.h"
#include "test.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_policy *policy;
	struct current current;
	struct cgpol_error err;
};

static void open_scene(struct scene *scene, struct cgpol_policy *policy)
{
	scene->root = fakekernel_new(NULL);
	scene->policy = policy;
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
}

static void close_scene(struct scene *scene)
{
	current_clear(&scene->current);
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

static int read_current(struct scene *scene, const char *cgroup)
{
	current_clear(&scene->current);
	return current_read(scene->host, scene->policy, cgroup, NULL, &scene->current, &scene->err);
}

static void expect_set(const struct nodeset *set, const char *list)
{
	AUTO(free_p) char *found = nodeset_format(set);

	assert_string_equal(found, list);
}

static void every_level_is_described(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", "pids.max=1", NULL));
	fakekernel_cgroup(scene.root, "/a", "memory.max=4096", NULL);
	assert_int_equal(fakekernel_start(scene.root, "/a", 12), 0);
	assert_int_equal(fakekernel_start(scene.root, "/", 13), 0);
	assert_int_equal(read_current(&scene, "/a/b/c"), 0);
	assert_int_equal(scene.current.levels, 4);
	assert_string_equal(scene.current.level[0].name, "/");
	assert_string_equal(scene.current.level[1].name, "/a");
	assert_string_equal(scene.current.level[2].name, "/a/b");
	assert_string_equal(scene.current.level[3].name, "/a/b/c");
	assert_string_equal(scene.current.level[0].type, "domain");
	assert_string_equal(scene.current.level[0].subtree_control, "cpuset cpu io memory hugetlb pids");
	assert_false(scene.current.level[0].has_processes); /* they do no harm in the real root */
	assert_true(scene.current.level[1].has_processes);
	assert_true(scene.current.level[1].exists);
	assert_false(scene.current.level[2].exists);
	assert_null(scene.current.level[2].controllers);
	assert_int_equal(scene.current.values, 2);
	assert_null(scene.current.value[0].text);
	assert_int_equal(scene.current.page_size, 4096);
	assert_int_equal(read_current(&scene, "/a"), 0);
	assert_int_equal(scene.current.levels, 2);
	assert_string_equal(scene.current.value[0].text, "4096");
	assert_string_equal(scene.current.value[1].text, "max");
	assert_int_equal(read_current(&scene, "/"), 0);
	assert_int_equal(scene.current.levels, 1);
}

static void a_value_that_cannot_be_read_is_no_failure(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	fakekernel_cgroup(scene.root, "/a", NULL);
	fakekernel_fail(scene.root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/memory.max", EACCES);
	assert_int_equal(read_current(&scene, "/a"), 0);
	assert_int_equal(scene.current.value[0].error, -EACCES);
	assert_null(scene.current.value[0].text);
}

static void the_lowest_limit_and_the_nodes_are_found(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=50%", "memory.high=10% of nodes:0-1", NULL));
	fakekernel_cgroup(scene.root, "/a/b/c", "memory.max=4096", NULL);
	assert_int_equal(read_current(&scene, "/a/b/c"), 0);
	assert_int_equal(scene.current.memory_limit, UINT64_MAX); /* its own does not count */
	assert_int_equal(scene.current.memory_total, UINT64_C(2) << 30);
	assert_int_equal(scene.current.nodes, 2);
	assert_int_equal(scene.current.node_total[1], UINT64_C(1) << 30);
	expect_set(&scene.current.possible_nodes, "0-3"); /* to tell which do not exist */
	expect_set(&scene.current.memory_nodes, "0-1");
	assert_int_equal(fakekernel_poke(scene.root, "/a", "memory.max", "1M"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "memory.max", "2M"), 0);
	assert_int_equal(read_current(&scene, "/a/b/c"), 0);
	assert_int_equal(scene.current.memory_limit, 1 << 20);
}

static void effective_sets_are_of_the_nearest_ancestor(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("cpuset.cpus=1", "cpuset.mems=1", NULL));
	fakekernel_cgroup(scene.root, "/a", "cpuset.cpus=1-2", "cpuset.mems=0", NULL);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", NULL, NULL), 0);
	assert_int_equal(read_current(&scene, "/a/b/c"), 0);
	expect_set(&scene.current.cpus, "1-2");
	expect_set(&scene.current.mems, "0");
	assert_string_equal(scene.current.cpus_from, "/a"); /* /a/b exists, but has no cpuset */
	assert_string_equal(scene.current.mems_from, "/a");
	expect_set(&scene.current.possible_cpus, "0-7");
	expect_set(&scene.current.online_cpus, "0-3");
	expect_set(&scene.current.possible_nodes, "0-3");
	expect_set(&scene.current.memory_nodes, "0-1");
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.cpus.partition", "root"), 0);
	assert_int_equal(read_current(&scene, "/a"), 0);
	expect_set(&scene.current.cpus, "0-3"); /* its own ones, which the root has given away, too */
	assert_string_equal(scene.current.cpus_from, "/");
}

static void without_numa_node_0_is_all(void **state)
{
	AUTO(close_scene) struct scene scene = {.policy = policies_make("cpuset.mems=0", NULL)};

	(void)state;
	scene.root = fakeroot_new();
	fakeroot_put(scene.root, "/proc/self/mountinfo",
		     "24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(scene.root, "/sys/fs/cgroup/cgroup.controllers", "memory\n");
	assert_int_equal(host_open_root(scene.root, &scene.host, NULL), 0);
	assert_int_equal(read_current(&scene, "/a"), 0);
	expect_set(&scene.current.mems, "0");
	assert_null(scene.current.mems_from);
}

static void only_what_is_needed_is_read(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	unsigned before;

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	before = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	assert_int_equal(read_current(&scene, "/a"), 0);
	/* The root's controllers, subtree_control and type; that /a is not there. */
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_READS) - before, 4);
}

/* A level that has every controller got them from above: reading that would cost a start ten files. */
static void what_lies_above_enough_is_not_read(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	unsigned before;

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	assert_int_equal(fakekernel_poke(scene.root, "/", "cgroup.subtree_control", "+memory"), 0);
	fakekernel_cgroup(scene.root, "/a", NULL);
	before = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	assert_int_equal(read_current(&scene, "/a/b"), 0);
	/* That /a/b is not there; controllers, subtree_control, type and processes of /a. */
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_READS) - before, 5);
	assert_true(scene.current.level[0].exists);
	assert_string_equal(scene.current.level[0].subtree_control, scene.current.level[1].controllers);
	assert_string_equal(scene.current.level[1].subtree_control, "");
	assert_false(scene.current.level[2].exists);
	current_clear(&scene.current);
	before = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	assert_int_equal(read_current(&scene, "/a"), 0);
	/* Its controllers, and memory.max. */
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_READS) - before, 2);
	assert_true(scene.current.level[1].exists);
	assert_string_equal(scene.current.value[0].text, "max");
}

static void a_failure_leaves_the_output_alone(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (unsigned n = 1; n < 40; n++) {
		AUTO(close_scene) struct scene scene = {0};
		int rc;

		open_scene(&scene, policies_make("memory.max=50%", "memory.high=10% of nodes:0-1",
						 "cpuset.cpus=1", "cpuset.mems=1", NULL));
		fakekernel_cgroup(scene.root, "/a/b", NULL);
		scene.current.major = 77;
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, EIO);
		rc = current_read(scene.host, scene.policy, "/a/b", NULL, &scene.current, &scene.err);
		if (rc == 0)
			continue;
		failed++;
		assert_int_equal(rc, -EIO);
		assert_int_equal(scene.current.major, 77);
		assert_int_equal(scene.err.kind, CGPOL_FAILED);
		assert_non_null(strstr(scene.err.text, "cannot read /"));
	}
	assert_true(failed > 10);
}

static void odd_contents_are_told(void **state)
{
	static const char *const files[][2] = {{"/proc/meminfo", "MemTotal: x kB\n"},
					       {"/proc/meminfo", "MemTotal: 99999999999999999999 kB\n"},
					       {"/sys/devices/system/node/node1/meminfo", "Node 1\n"},
					       {"/sys/devices/system/cpu/possible", "0-\n"},
					       {"/sys/devices/system/node/has_memory", "zero\n"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, policies_make("memory.max=50%", "memory.high=10% of nodes:0-1",
						 "cpuset.cpus=1", "cpuset.mems=1", NULL));
		fakekernel_put(scene.root, files[i][0], files[i][1]);
		assert_int_equal(read_current(&scene, "/a"), -EINVAL);
		assert_non_null(strstr(scene.err.text, "is not understood"));
	}
}

static void without_cgroup2_there_is_nothing_to_plan(void **state)
{
	AUTO(close_scene) struct scene scene = {.policy = policies_make(NULL, NULL)};

	(void)state;
	scene.root = fakeroot_new();
	assert_int_equal(host_open_root(scene.root, &scene.host, NULL), 0);
	assert_int_equal(read_current(&scene, "/a"), -EOPNOTSUPP);
	assert_int_equal(scene.err.kind, CGPOL_UNSUPPORTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_is_described),
		cmocka_unit_test(a_value_that_cannot_be_read_is_no_failure),
		cmocka_unit_test(the_lowest_limit_and_the_nodes_are_found),
		cmocka_unit_test(effective_sets_are_of_the_nearest_ancestor),
		cmocka_unit_test(without_numa_node_0_is_all),
		cmocka_unit_test(only_what_is_needed_is_read),
		cmocka_unit_test(what_lies_above_enough_is_not_read),
		cmocka_unit_test(a_failure_leaves_the_output_alone),
		cmocka_unit_test(odd_contents_are_told),
		cmocka_unit_test(without_cgroup2_there_is_nothing_to_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
