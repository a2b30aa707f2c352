/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may be frozen is, what keeps it frozen is named, and so is who does not freeze. */
#include "test.h"

#include "act/freeze.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct cgpol_error err;

static int set_up(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	fakekernel_cgroup(root, "/a/b", NULL);
	fakekernel_cgroup(root, "/ab", NULL);
	assert_int_equal(fakekernel_start(root, "/a/b", 10), 0);
	err = (struct cgpol_error){0};
	return host_open_root(root, &host, &err);
}

static int tear_down(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void it_is_one_write_and_none_when_it_is_so(void **state)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	AUTO(plan_free_p) struct plan *nothing = NULL;

	(void)state;
	assert_int_equal(freeze_plan(host, "/a", true, &plan, &err), 0);
	assert_int_equal(plan->steps, 1);
	assert_int_equal(plan->step[0].op, STEP_SET);
	assert_string_equal(plan->step[0].file, "cgroup.freeze");
	assert_string_equal(plan->step[0].old_value, "0");
	assert_string_equal(plan->step[0].new_value, "1");
	assert_int_equal(freeze_plan(host, "/a", false, &nothing, &err), 0);
	assert_int_equal(nothing->steps, 0);
}

static void expect_failure(const char *cgroup, bool is_freezing, int rc, int kind, const char *part)
{
	struct plan *plan = NULL;

	assert_int_equal(freeze_plan(host, cgroup, is_freezing, &plan, &err), rc);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
	assert_null(plan);
}

static void the_root_and_what_is_not_there_are_refused(void **state)
{
	(void)state;
	expect_failure("/", true, -EBUSY, CGPOL_REFUSED, "root");
	expect_failure("/none", true, -ENOENT, CGPOL_FAILED, "no such cgroup");
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/cgroup.freeze", ENOENT);
	expect_failure("/a", true, -ENOENT, CGPOL_UNSUPPORTED, "came with 5.2");
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/cgroup.freeze", EIO);
	expect_failure("/a", true, -EIO, CGPOL_FAILED, "cannot read cgroup.freeze");
}

static void cgpol_does_not_freeze_itself(void **state)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	AUTO(plan_free_p) struct plan *other = NULL;

	(void)state;
	assert_int_equal(fakekernel_start(root, "/a/b", root->facts.self), 0);
	expect_failure("/a/b", true, -EBUSY, CGPOL_REFUSED, "this cgpol itself");
	expect_failure("/a", true, -EBUSY, CGPOL_REFUSED, "this cgpol itself");
	assert_int_equal(freeze_plan(host, "/ab", true, &other, &err), 0);
	assert_int_equal(freeze_plan(host, "/a", false, &plan, &err), 0);
}

static void a_frozen_cgroup_above_is_named(void **state)
{
	AUTO(free_p) char *none = freeze_holder(host, "/a/b");
	AUTO(free_p) char *holder = NULL;

	(void)state;
	assert_null(none);
	assert_int_equal(fakekernel_poke(root, "/a/b", "cgroup.freeze", "1"), 0);
	none = freeze_holder(host, "/a/b");
	assert_null(none);
	assert_int_equal(fakekernel_poke(root, "/a", "cgroup.freeze", "1"), 0);
	holder = freeze_holder(host, "/a/b");
	assert_string_equal(holder, "/a");
}

static void who_does_not_freeze_is_named(void **state)
{
	AUTO(free_p) char *nobody = freeze_stuck(host, "/ab");
	AUTO(free_p) char *stuck = NULL;

	(void)state;
	assert_string_equal(nobody, "");
	fakekernel_comm(root, 10, "dd");
	fakekernel_behave(root, 10, FAKEKERNEL_STUCK);
	stuck = freeze_stuck(host, "/a");
	assert_string_equal(stuck, "10 (dd, state D)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_one_write_and_none_when_it_is_so, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_root_and_what_is_not_there_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(cgpol_does_not_freeze_itself, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_frozen_cgroup_above_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_does_not_freeze_is_named, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
