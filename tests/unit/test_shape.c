/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of a tree of cgroups: what is read, what is not even tried, and what goes away meanwhile. */
#include "policy/shape.h"

#include <limits.h>

#include "base/cleanup.h"
#include "fakeroot.h"
#include "machine.h"
#include "test.h"

static struct root *root;
static struct cgpol_host *host;
static struct shapes shapes;
static struct cgpol_error err;

static void put(const char *cgroup, const char *file, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroup, file);
	fakeroot_put(root, path, text);
}

static void put_cgroup(const char *cgroup, unsigned long long max, bool oom_group)
{
	machine_cgroup(root, cgroup, max, 4096, oom_group);
	put(cgroup, "cgroup.type", "domain\n");
	put(cgroup, "cgroup.procs", "");
	put(cgroup, "cgroup.subtree_control", "memory cpuset\n");
	put(cgroup, "memory.high", "max\n");
	put(cgroup, "cpuset.cpus.partition", "member\n");
	put(cgroup, "cpuset.cpus.effective", "0-3\n");
	put(cgroup, "cpuset.mems.effective", "0-1\n");
}

static int make_machine(void **state)
{
	(void)state;
	root = machine_new();
	put("", "cgroup.subtree_control", "memory cpuset\n");
	put("", "cgroup.procs", "1\n2\n");
	put_cgroup("/b", 1 << 20, true);
	put_cgroup("/b/x", 0, false);
	put_cgroup("/b/x/y", 0, true);
	put_cgroup("/a", 0, false);
	put_cgroup("/c", 0, false);
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	shapes_clear(&shapes);
	cgpol_host_free(host);
	return 0;
}

static int read_all(const char *cgroup, unsigned depth, unsigned parts)
{
	shapes_clear(&shapes);
	err = (struct cgpol_error){0};
	return shapes_read(host, cgroup, depth, parts, &shapes, &err);
}

static void expect_names(const char *expected)
{
	char text[512] = "";

	for (size_t i = 0; i < shapes.count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u%s ",
			       shapes.shape[i].depth, shapes.shape[i].name);
	assert_string_equal(text, expected);
}

static const struct shape *find(const char *name)
{
	for (size_t i = 0; i < shapes.count; i++)
		if (strcmp(shapes.shape[i].name, name) == 0)
			return &shapes.shape[i];
	fail_msg("no %s", name);
	return NULL;
}

static void what_is_below_a_cgroup_follows_it(void **state)
{
	(void)state;
	assert_int_equal(read_all("/", UINT_MAX, 0), 0);
	expect_names("0/ 1/a 1/b 2/b/x 3/b/x/y 1/c ");
	assert_int_equal(read_all("/b", UINT_MAX, 0), 0);
	expect_names("0/b 1/b/x 2/b/x/y ");
}

static void no_deeper_than_asked(void **state)
{
	(void)state;
	assert_int_equal(read_all("/", 0, 0), 0);
	expect_names("0/ ");
	assert_int_equal(read_all("/", 2, 0), 0);
	expect_names("0/ 1/a 1/b 2/b/x 1/c ");
}

static void a_row_has_all_that_was_asked_for(void **state)
{
	const struct shape *shape;

	(void)state;
	put("/b", "cgroup.procs", "12\n13\n14\n");
	put("/b", "memory.high", "8192\n");
	put("/b", "cpuset.cpus.partition", "root invalid (Parent is not a partition root)\n");
	fakeroot_set_xattr(root, "/sys/fs/cgroup/b", MARK_ATTRIBUTE, "kept");
	fakeroot_set_xattr(root, "/sys/fs/cgroup/c", MARK_ATTRIBUTE, "run 77 5 6");
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_ALL), 0);
	shape = find("/b");
	assert_string_equal(shape->type, "domain");
	assert_int_equal(shape->has & (SHAPE_PROCS | SHAPE_CURRENT | SHAPE_MAX | SHAPE_HIGH | SHAPE_GROUP),
			 SHAPE_PROCS | SHAPE_CURRENT | SHAPE_MAX | SHAPE_HIGH | SHAPE_GROUP);
	assert_int_equal(shape->procs, 3);
	assert_int_equal(shape->current, 4096);
	assert_int_equal(shape->max, 1 << 20);
	assert_int_equal(shape->high, 8192);
	assert_string_equal(shape->partition, "root invalid (Parent is not a partition root)");
	assert_string_equal(shape->cpus, "0-3");
	assert_string_equal(shape->mems, "0-1");
	assert_int_equal(shape->mark.kind, MARK_KEPT);
	assert_int_equal(find("/c")->mark.kind, MARK_OWNED);
	assert_int_equal(find("/c")->mark.pid, 77);
	assert_int_equal(find("/a")->procs, 0);
	assert_true(find("/a")->max == UINT64_MAX);
	shape = find("/");
	assert_true(shape->is_root);
	assert_null(shape->type);
	assert_int_equal(shape->has, SHAPE_PROCS);
	assert_int_equal(shape->procs, 2);
	assert_string_equal(shape->mems, "0-1");
}

static void what_was_not_asked_for_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(read_all("/b", 0, SHAPE_MAX), 0);
	assert_int_equal(shapes.shape->has, SHAPE_MAX);
	assert_null(shapes.shape->type);
	assert_null(shapes.shape->cpus);
	assert_int_equal(shapes.shape->mark.kind, MARK_NONE);
}

static void the_highest_oom_group_above_is_told(void **state)
{
	(void)state;
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_GROUP), 0);
	assert_null(find("/b")->oom_group_from);
	assert_true(find("/b")->oom_group);
	assert_string_equal(find("/b/x")->oom_group_from, "/b");
	assert_false(find("/b/x")->oom_group);
	assert_string_equal(find("/b/x/y")->oom_group_from, "/b");
	/* Also when the walk begins below it. */
	assert_int_equal(read_all("/b/x", UINT_MAX, SHAPE_GROUP), 0);
	assert_string_equal(find("/b/x")->oom_group_from, "/b");
	assert_string_equal(find("/b/x/y")->oom_group_from, "/b");
}

static unsigned count_accesses(const char *cgroup, unsigned parts)
{
	unsigned before = fakeroot_accesses(root);

	assert_int_equal(read_all(cgroup, UINT_MAX, parts), 0);
	return fakeroot_accesses(root) - before;
}

static void a_leaf_costs_one_look_and_no_listing(void **state)
{
	unsigned one, two;

	(void)state;
	one = count_accesses("/", 0);
	put_cgroup("/d", 0, false);
	two = count_accesses("/", 0);
	assert_int_equal(two - one, 1);
}

static void files_of_controllers_that_are_off_are_not_tried(void **state)
{
	unsigned with, without;

	(void)state;
	with = count_accesses("/", SHAPE_MAX);
	put("", "cgroup.subtree_control", "cpuset\n");
	put("/b", "cgroup.subtree_control", "\n");
	put("/b/x", "cgroup.subtree_control", "\n");
	without = count_accesses("/", SHAPE_MAX);
	assert_int_equal(with - without, 5);
	assert_int_equal(find("/b")->has, 0);
}

static void a_threaded_cgroup_has_no_count_of_processes(void **state)
{
	(void)state;
	put("/c", "cgroup.type", "threaded\n");
	fakeroot_fail(root, "/sys/fs/cgroup/c/cgroup.procs", EOPNOTSUPP);
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_PROCS | SHAPE_TYPE), 0);
	assert_int_equal(find("/c")->has, 0);
	assert_string_equal(find("/c")->type, "threaded");
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_MAX | SHAPE_TYPE), 0);
	assert_int_equal(find("/c")->has, 0); /* memory.max is not looked for */
	assert_int_equal(find("/a")->has, SHAPE_MAX);
}

static void one_that_goes_away_is_left_out_and_counted(void **state)
{
	(void)state;
	fakeroot_fail(root, "/sys/fs/cgroup/b/x", ENODEV);
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_ALL), 0);
	expect_names("0/ 1/a 1/b 1/c ");
	assert_int_equal(shapes.vanished, 1);
	fakeroot_fail(root, "/sys/fs/cgroup/b/x", EACCES);
	assert_int_equal(read_all("/", UINT_MAX, SHAPE_ALL), 0);
	expect_names("0/ 1/a 1/b 1/c ");
	assert_int_equal(shapes.vanished, 0);
}

static void a_cgroup_that_is_not_there_is_said_to_be(void **state)
{
	(void)state;
	assert_int_equal(read_all("/none", UINT_MAX, SHAPE_ALL), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "cgroup \"/none\" does not exist");
	assert_null(shapes.shape);
	fakeroot_fail(root, "/sys/fs/cgroup/b", EACCES);
	assert_int_equal(read_all("/b", UINT_MAX, SHAPE_ALL), -EACCES);
	assert_string_equal(err.text, "cannot look at cgroup \"/b\": Permission denied");
}

/* One that vanishes at any moment must not take the others along. */
static void any_single_failure_costs_one_cell_or_one_row(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV, ESRCH, EACCES};
	unsigned all = count_accesses("/", SHAPE_ALL);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 1; n <= all; n++) {
			int rc;

			fakeroot_fail_nth(root, n, errnums[i]);
			rc = read_all("/", UINT_MAX, SHAPE_ALL);
			fakeroot_fail_nth(root, 0, 0);
			if (rc == 0)
				assert_true(shapes.count >= 1);
			else
				assert_null(shapes.shape);
		}
	}
}

static void no_memory_is_a_failure(void **state)
{
	unsigned all = count_accesses("/", SHAPE_ALL);

	(void)state;
	for (unsigned n = 1; n <= all; n++) {
		int rc;

		fakeroot_fail_nth(root, n, ENOMEM);
		rc = read_all("/", UINT_MAX, SHAPE_ALL);
		fakeroot_fail_nth(root, 0, 0);
		if (rc < 0) {
			assert_int_equal(rc, -ENOMEM);
			assert_null(shapes.shape);
		}
	}
}

static void marks_have_names(void **state)
{
	(void)state;
	assert_null(shape_mark_name(MARK_NONE));
	assert_string_equal(shape_mark_name(MARK_KEPT), "kept");
	assert_string_equal(shape_mark_name(MARK_OWNED), "run");
	assert_string_equal(shape_mark_name(MARK_PARENT), "parent");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_below_a_cgroup_follows_it),
		TEST(no_deeper_than_asked),
		TEST(a_row_has_all_that_was_asked_for),
		TEST(what_was_not_asked_for_is_not_there),
		TEST(the_highest_oom_group_above_is_told),
		TEST(a_leaf_costs_one_look_and_no_listing),
		TEST(files_of_controllers_that_are_off_are_not_tried),
		TEST(a_threaded_cgroup_has_no_count_of_processes),
		TEST(one_that_goes_away_is_left_out_and_counted),
		TEST(a_cgroup_that_is_not_there_is_said_to_be),
		TEST(any_single_failure_costs_one_cell_or_one_row),
		TEST(no_memory_is_a_failure),
		TEST(marks_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
