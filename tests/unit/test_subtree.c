/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup with all below it: the order, what vanishes meanwhile, who lives
 * there, and waiting for the dead. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/subtree.h"
#include "populated.h"

static struct root *root;
static struct cgpol_host *host;
static struct populated populated;

static int make_machine(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	populated_wrap(&populated, root);
	fakekernel_cgroup(root, "/a/b/c", NULL);
	fakekernel_cgroup(root, "/a/d", NULL);
	fakekernel_cgroup(root, "/other", NULL);
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void put_comm(pid_t pid, const char *comm)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	(void)snprintf(text, sizeof(text),
		       "%d (%s) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 7 1 1 "
		       "1 1 1 140000 0 0 0 0 0 0 0 "
		       "0 0 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		       pid, comm);
	fakekernel_put(root, path, text);
}

static void expect_tree(const struct subtree *tree, const char *expected)
{
	char text[256] = "";

	for (size_t i = 0; i < tree->count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", tree->name[i]);
	assert_string_equal(text, expected);
}

static void parents_come_before_their_children(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	(void)state;
	assert_int_equal(subtree_list(host, "/a", &tree), 0);
	expect_tree(&tree, "/a /a/b /a/d /a/b/c ");
}

static void the_root_has_all(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	(void)state;
	assert_int_equal(subtree_list(host, "/", &tree), 0);
	expect_tree(&tree, "/ /a /other /a/b /a/d /a/b/c ");
}

static void one_that_is_gone_is_said_to_be(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	(void)state;
	assert_int_equal(subtree_list(host, "/none", &tree), -ENOENT);
}

static void one_that_goes_while_it_is_read_is_no_failure(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	(void)state;
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/b", ENODEV);
	assert_int_equal(subtree_list(host, "/a", &tree), 0);
	subtree_clear(&tree);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/b", EIO);
	assert_int_equal(subtree_list(host, "/a", &tree), -EIO);
}

static void the_living_are_named(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	AUTO(free_p) char *nobody = NULL, *two = NULL, *many = NULL;

	(void)state;
	assert_int_equal(subtree_list(host, "/a", &tree), 0);
	nobody = subtree_living(host, &tree);
	assert_string_equal(nobody, "");
	assert_int_equal(fakekernel_start(root, "/a/b/c", 12), 0);
	assert_int_equal(fakekernel_start(root, "/a/d", 15), 0);
	put_comm(12, "sh\033[1m");
	fakekernel_fail(root, FAKEKERNEL_READS, "/proc/15/stat", ENOENT);
	two = subtree_living(host, &tree); /* 15 goes before its name is read */
	assert_string_equal(two, "15 (?), 12 (sh\\x1b[1m)");
	for (pid_t pid = 20; pid < 30; pid++)
		assert_int_equal(fakekernel_start(root, "/a/d", pid), 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/proc/15/stat", 0);
	put_comm(15, "db");
	many = subtree_living(host, &tree);
	assert_string_equal(many, "15 (db), 20 (load), 21 (load), 22 (load) and 8 more");
}

static void populated_counts_what_is_below(void **state)
{
	(void)state;
	assert_false(subtree_is_populated(host, "/a"));
	assert_int_equal(fakekernel_start(root, "/a/b/c", 12), 0);
	assert_true(subtree_is_populated(host, "/a"));
	assert_false(subtree_is_populated(host, "/a/d"));
	assert_false(subtree_is_populated(host, "/none"));
	assert_false(subtree_is_populated(host, "/")); /* has no cgroup.events */
}

static void waiting_ends_at_once_where_nobody_is_or_somebody_lives(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	AUTO(free_p) char *living = NULL;

	(void)state;
	assert_int_equal(subtree_list(host, "/a", &tree), 0);
	assert_int_equal(subtree_wait(host, &tree, 100000, &living), 0);
	assert_null(living);
	assert_int_equal(fakekernel_start(root, "/a/b/c", 12), 0);
	put_comm(12, "sh");
	assert_int_equal(subtree_wait(host, &tree, 100000, &living), -EBUSY);
	assert_string_equal(living, "12 (sh)");
	assert_int_equal(subtree_wait(host, &tree, 100000, NULL), -EBUSY);
}

static void waiting_lasts_until_the_dead_are_gone(void **state)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	AUTO(free_p) char *living = NULL;

	(void)state;
	assert_int_equal(subtree_list(host, "/a", &tree), 0);
	populated.dead_for = 3;
	assert_int_equal(subtree_wait(host, &tree, 1000, &living), 0);
	assert_int_equal(populated.dead_for, 0);
	populated.dead_for = 100;
	assert_int_equal(subtree_wait(host, &tree, 10, &living), -EBUSY); /* every 2 ms: six looks */
	assert_int_equal(populated.dead_for, 94);
	assert_string_equal(living, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parents_come_before_their_children, make_machine,
						remove_machine),
		cmocka_unit_test_setup_teardown(the_root_has_all, make_machine, remove_machine),
		cmocka_unit_test_setup_teardown(one_that_is_gone_is_said_to_be, make_machine, remove_machine),
		cmocka_unit_test_setup_teardown(one_that_goes_while_it_is_read_is_no_failure, make_machine,
						remove_machine),
		cmocka_unit_test_setup_teardown(the_living_are_named, make_machine, remove_machine),
		cmocka_unit_test_setup_teardown(populated_counts_what_is_below, make_machine, remove_machine),
		cmocka_unit_test_setup_teardown(waiting_ends_at_once_where_nobody_is_or_somebody_lives,
						make_machine, remove_machine),
		cmocka_unit_test_setup_teardown(waiting_lasts_until_the_dead_are_gone, make_machine,
						remove_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
