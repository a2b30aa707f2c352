/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads beside a moved one are remembered, and one that moved too is found. */
#include "test.h"

#include "act/siblings.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct plan *plan;
static struct siblings siblings;

static int set_up(void **state)
{
	char cgroup[] = "/a/t";
	const struct step step = {.op = STEP_ATTACH, .cgroup = cgroup, .pid = 31, .is_thread = true};

	(void)state;
	root = fakekernel_new("cpu pids");
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 10), 0);
	assert_int_equal(fakekernel_thread(root, 10, 31), 0);
	assert_int_equal(fakekernel_thread(root, 10, 32), 0);
	assert_int_equal(fakekernel_poke(root, "/a/t", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/a/t", "cgroup.type", "threaded"), 0);
	assert_int_equal(plan_new("/a/t", &plan), 0);
	assert_int_equal(plan_add(plan, &step), 0);
	return host_open_root(root, &host, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	siblings_clear(&siblings);
	plan_free(plan);
	plan = NULL;
	cgpol_host_free(host);
	return 0;
}

static void those_of_its_process_are_remembered_without_itself(void **state)
{
	(void)state;
	assert_int_equal(siblings_read(host, plan, &siblings), 0);
	assert_int_equal(siblings.count, 2);
	assert_int_equal(siblings.sibling[0].tid, 10);
	assert_int_equal(siblings.sibling[1].tid, 32);
	assert_string_equal(siblings.sibling[1].cgroup, "/a");
}

static void they_stay_when_the_thread_moves(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(siblings_read(host, plan, &siblings), 0);
	assert_int_equal(fakekernel_poke(root, "/a/t", "cgroup.threads", "31"), 0);
	assert_int_equal(siblings_check(host, &siblings, &err), 0);
}

static void one_that_moves_too_is_named(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(siblings_read(host, plan, &siblings), 0);
	assert_int_equal(fakekernel_poke(root, "/a/t", "cgroup.threads", "32"), 0);
	assert_int_equal(siblings_check(host, &siblings, &err), -EXDEV);
	assert_int_equal(err.kind, CGPOL_FAILED);
	if (!strstr(err.text, "thread 32 of its process has moved from cgroup /a to /a/t"))
		fail_msg("%s", err.text);
}

static void one_that_ends_has_not_moved(void **state)
{
	(void)state;
	assert_int_equal(siblings_read(host, plan, &siblings), 0);
	fakekernel_end(root, 10);
	assert_int_equal(siblings_check(host, &siblings, NULL), 0);
}

static void threads_of_a_cgroup_are_listed(void **state)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(siblings_list(host, "/a", &tids, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(siblings_list(host, "/none", &tids, &count), -ENOENT);
	assert_int_equal(count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(those_of_its_process_are_remembered_without_itself, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(they_stay_when_the_thread_moves, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_moves_too_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_ends_has_not_moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_of_a_cgroup_are_listed, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
