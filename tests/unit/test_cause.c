/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read to find the cause of a refusal; the sentences themselves are in test_plan and test_explain. */
#include "policy/cause.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "fakekernel.h"
#include "test.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/a/b", NULL);
}

static void close_scene(struct scene *scene)
{
	cgpol_host_free(scene->host);
}

static void expect_parent(const char *cgroup, const char *parent)
{
	AUTO(free_p) char *found = cause_parent(cgroup);

	assert_string_equal(found, parent);
}

static void parents_end_at_the_root(void **state)
{
	(void)state;
	expect_parent("/a/b", "/a");
	expect_parent("/a", "/");
	assert_null(cause_parent("/"));
}

static void the_first_without_a_controller_is_found(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *first = NULL;

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", NULL, NULL), 0);
	assert_null(cause_first_without(scene.host, "/a/b", "memory"));
	first = cause_first_without(scene.host, "/a/b/c", "memory");
	assert_string_equal(first, "/a/b/c");
	assert_null(cause_first_without(scene.host, "/a/x/c", "memory"));
}

static void the_nearest_limit_that_is_reached_is_found(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *name = NULL;
	uint64_t value = 0;

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "pids.max", "0"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "pids.max", "5"), 0);
	assert_int_equal(cause_find_limit(scene.host, "/a/b", "pids.max", "pids.current", &name, &value), 0);
	assert_string_equal(name, "/a");
	assert_int_equal(value, 0);
	assert_int_equal(cause_find_limit(scene.host, "/a/b", "memory.max", NULL, &name, &value), -ENOENT);
}

static void a_partition_that_has_the_cpus_is_found(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *name = NULL;
	AUTO(free_p) char *cpus = NULL;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/p", "cpuset.cpus=2-3", NULL);
	assert_null(cause_find_partition(scene.host, "/a", "0-2", &cpus));
	assert_int_equal(fakekernel_poke(scene.root, "/p", "cpuset.cpus.partition", "root"), 0);
	assert_null(cause_find_partition(scene.host, "/p", "0-2", &cpus));
	assert_null(cause_find_partition(scene.host, "/a", "0-1", &cpus));
	assert_null(cpus);
	name = cause_find_partition(scene.host, "/a", "0-2", &cpus);
	assert_string_equal(name, "/p");
	assert_string_equal(cpus, "2-3");
}

static void processes_are_added_to_the_sentence(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct cgpol_error err = {0};

	(void)state;
	open_scene(&scene);
	(void)error_set(&err, EBUSY, CGPOL_REFUSED, "it is busy");
	error_detail(&err, "f", "v", "h");
	cause_add_processes(scene.host, "/a/b", &err);
	assert_string_equal(err.text, "it is busy");
	assert_int_equal(fakekernel_start(scene.root, "/a/b", 12), 0);
	cause_add_processes(scene.host, "/a/b", &err);
	assert_string_equal(err.text, "it is busy: 12");
	assert_string_equal(err.file, "f");
	assert_string_equal(err.value, "v");
	assert_string_equal(err.hint, "h");
	assert_int_equal(err.code, EBUSY);
	cause_add_processes(scene.host, "/none", &err);
	cause_add(NULL, "nothing");
}

static void missing_files_have_a_remedy_when_there_is_one(void **state)
{
	(void)state;
	assert_non_null(strstr(cause_of_missing("memory.swap.max"), "swapaccount"));
	assert_non_null(strstr(cause_of_missing("memory.zswap.max"), "ZSWAP"));
	assert_non_null(strstr(cause_of_missing("cpu.uclamp.min"), "UCLAMP"));
	assert_non_null(strstr(cause_of_missing("io.bfq.weight"), "bfq"));
	assert_non_null(strstr(cause_of_missing("io.cost.qos"), "root"));
	assert_null(cause_of_missing("memory.max"));
}

static void the_nearest_common_cgroup(void **state)
{
	static const struct {
		const char *a, *b, *both;
	} cases[] = {
		{"/a/b", "/a/c", "/a"}, {"/a/b", "/a/b", "/a/b"}, {"/a", "/a/b", "/a"}, {"/a/b", "/a", "/a"},
		{"/ab", "/a", "/"},	{"/a", "/b", "/"},	  {"/", "/a", "/"},	{"/", "/", "/"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_p) char *both = cause_common(cases[i].a, cases[i].b);

		assert_string_equal(both, cases[i].both);
	}
}

static void chains_and_what_is_offline_are_listed(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	char text[64], small[12];

	(void)state;
	open_scene(&scene);
	cause_list_chain(scene.host, "/a/b", "cpuset.cpus.effective", text, sizeof(text));
	assert_string_equal(text, "/ 0-3, /a 0-3, /a/b 0-3");
	cause_list_chain(scene.host, "/a/b", "cpuset.cpus.effective", small, sizeof(small));
	assert_string_equal(small, "/ 0-3, /a 0");
	cause_list_chain(scene.host, "/a/b", "none", text, sizeof(text));
	assert_string_equal(text, "");
	cause_list_offline(scene.host, true, "2-5", text, sizeof(text));
	assert_string_equal(text, "4-5");
	cause_list_offline(scene.host, false, "0", text, sizeof(text));
	assert_string_equal(text, "");
	cause_list_offline(scene.host, true, "x", text, sizeof(text));
	assert_string_equal(text, "");
	fakekernel_fail(scene.root, FAKEKERNEL_READS, "/sys/devices/system/cpu/online", EACCES);
	cause_list_offline(scene.host, true, "2-5", text, sizeof(text));
	assert_string_equal(text, "");
}

static void a_gap_has_its_reason_and_its_remedy(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct cause_gap gap;

	(void)state;
	open_scene(&scene);
	assert_int_equal(cause_find_gap(scene.host, "/a/b", "memory", &gap), -ENOENT);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", NULL, NULL), 0);
	assert_int_equal(cause_find_gap(scene.host, "/a/b/c", "memory", &gap), 0);
	assert_int_equal(gap.kind, CGPOL_UNSUPPORTED);
	assert_string_equal(
		gap.why, "controller memory is not enabled in cgroup /a/b, so that /a/b/c has nothing of it");
	assert_int_equal(cause_find_gap(scene.host, "/a/b", "rdma", &gap), 0);
	assert_non_null(strstr(gap.why, "controller rdma is not in cgroup.controllers of the root cgroup /"));
}

static void a_seccomp_filter_is_seen(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_put(scene.root, "/proc/self/status", "Name:\tx\nSeccomp:\t0\n");
	assert_false(cause_has_seccomp(scene.host));
	fakekernel_put(scene.root, "/proc/self/status", "Name:\tx\nSeccomp:\t2\n");
	assert_true(cause_has_seccomp(scene.host));
	fakekernel_put(scene.root, "/proc/self/status", "Name:\tx\n");
	assert_false(cause_has_seccomp(scene.host));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_end_at_the_root),
		cmocka_unit_test(the_first_without_a_controller_is_found),
		cmocka_unit_test(the_nearest_limit_that_is_reached_is_found),
		cmocka_unit_test(a_partition_that_has_the_cpus_is_found),
		cmocka_unit_test(processes_are_added_to_the_sentence),
		cmocka_unit_test(missing_files_have_a_remedy_when_there_is_one),
		cmocka_unit_test(the_nearest_common_cgroup),
		cmocka_unit_test(chains_and_what_is_offline_are_listed),
		cmocka_unit_test(a_gap_has_its_reason_and_its_remedy),
		cmocka_unit_test(a_seccomp_filter_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
