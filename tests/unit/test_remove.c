/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is deleted is what was named, children first, and nothing that lives without being told so. */
#include "test.h"

#include "act/remove.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct removal removal;
static struct cgpol_error err;

static int set_up(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	fakekernel_cgroup(root, "/a/b/c", NULL);
	fakekernel_cgroup(root, "/a/d", NULL);
	fakekernel_cgroup(root, "/a2", NULL);
	err = (struct cgpol_error){0};
	return host_open_root(root, &host, &err);
}

static int tear_down(void **state)
{
	(void)state;
	removal_clear(&removal);
	cgpol_host_free(host);
	return 0;
}

static const char *join(const struct subtree *names)
{
	static char text[512];

	*text = '\0';
	for (size_t i = 0; i < names->count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			       names->name[i]);
	return text;
}

enum { RECURSIVE = 1, CLEARED = 2, FORCED = 4 };

static int look(unsigned how, char *first, char *second)
{
	char *names[] = {first, second};
	const struct remove_request request = {
		.cgroup = names,
		.cgroups = second ? 2 : 1,
		.is_recursive = how & RECURSIVE,
		.is_cleared = how & CLEARED,
		.is_forced = how & FORCED,
	};

	return remove_look(host, &request, &removal, &err);
}

static void expect_failure(int rc, int want, int kind, const char *part)
{
	assert_int_equal(rc, want);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
	assert_int_equal(removal.all.count, 0);
}

static void one_leaf_goes_alone(void **state)
{
	char name[] = "/a/b/c";

	(void)state;
	assert_int_equal(look(0, name, NULL), 0);
	assert_string_equal(join(&removal.all), "/a/b/c");
	assert_string_equal(join(&removal.top), "/a/b/c");
}

static void all_below_go_before_it(void **state)
{
	char name[] = "/a";

	(void)state;
	assert_int_equal(look(RECURSIVE, name, NULL), 0);
	assert_string_equal(join(&removal.all), "/a/d /a/b/c /a/b /a");
	assert_string_equal(join(&removal.top), "/a");
}

static void each_goes_once_however_often_it_is_named(void **state)
{
	char name[] = "/a", again[] = "/a/b";

	(void)state;
	assert_int_equal(look(RECURSIVE, name, again), 0);
	assert_string_equal(join(&removal.all), "/a/d /a/b/c /a/b /a");
	assert_string_equal(join(&removal.top), "/a");
}

static void children_that_stay_are_named(void **state)
{
	char name[] = "/a";

	(void)state;
	expect_failure(look(0, name, NULL), -ENOTEMPTY, CGPOL_REFUSED, "cgroups below it: b, d");
}

static void children_that_are_named_too_are_no_obstacle(void **state)
{
	char name[] = "/a/b", child[] = "/a/b/c";

	(void)state;
	assert_int_equal(look(0, name, child), 0);
	assert_string_equal(join(&removal.all), "/a/b/c /a/b");
}

static void who_lives_there_is_named(void **state)
{
	char name[] = "/a";

	(void)state;
	assert_int_equal(fakekernel_start(root, "/a/d", 71), 0);
	fakekernel_comm(root, 71, "db");
	expect_failure(look(RECURSIVE, name, NULL), -EBUSY, CGPOL_REFUSED, "71 (db)");
	assert_int_equal(look(RECURSIVE | CLEARED, name, NULL), 0);
}

static void the_root_and_what_is_not_there_are_refused(void **state)
{
	char slash[] = "/", none[] = "/none", name[] = "/a/d";

	(void)state;
	expect_failure(look(RECURSIVE | CLEARED | FORCED, slash, NULL), -EBUSY, CGPOL_REFUSED, "root");
	expect_failure(look(0, none, NULL), -ENOENT, CGPOL_FAILED, "/none");
	expect_failure(look(0, name, none), -ENOENT, CGPOL_FAILED, "/none");
}

static void what_systemd_made_is_its_own(void **state)
{
	char name[] = "/web.slice";

	(void)state;
	fakekernel_cgroup(root, "/web.slice/db.service", NULL);
	/* Without systemd it is a name like any other. */
	assert_int_equal(look(RECURSIVE, name, NULL), 0);
	removal_clear(&removal);
	fakekernel_put(root, "/run/systemd/system/x", "");
	expect_failure(look(RECURSIVE, name, NULL), -EBUSY, CGPOL_OWNED, "db.service is a unit of systemd");
	assert_int_equal(look(RECURSIVE | FORCED, name, NULL), 0);
}

static void the_steps_end_the_uppermost_and_remove_each(void **state)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	char name[] = "/a", other[] = "/a2";

	(void)state;
	assert_int_equal(look(RECURSIVE, name, other), 0);
	assert_int_equal(plan_new(NULL, &plan), 0);
	assert_int_equal(remove_plan_kill(&removal, 1500, plan), 0);
	assert_int_equal(remove_plan_rmdir(&removal, plan), 0);
	assert_int_equal(plan->steps, 7);
	assert_int_equal(plan->step[0].op, STEP_KILL);
	assert_string_equal(plan->step[0].cgroup, "/a2");
	assert_string_equal(plan->step[0].new_value, "1500");
	assert_non_null(plan->step[0].lost);
	assert_string_equal(plan->step[1].cgroup, "/a");
	assert_int_equal(plan->step[2].op, STEP_RMDIR);
	assert_string_equal(plan->step[6].cgroup, "/a");
}

static void waiting_for_an_empty_one_is_over_at_once(void **state)
{
	char name[] = "/a";

	(void)state;
	assert_int_equal(look(RECURSIVE, name, NULL), 0);
	assert_int_equal(remove_wait(host, &removal, 0, &err), 0);
}

static unsigned looks;

/* The zombie is reaped while cgpol waits. */
static void end_at_the_third_look(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access == FAKEKERNEL_READS && strcmp(path, "/sys/fs/cgroup/a/cgroup.events") == 0 && ++looks == 3)
		fakekernel_end(root, 71);
}

static void one_that_ends_late_is_waited_for(void **state)
{
	char name[] = "/a";

	(void)state;
	looks = 0;
	assert_int_equal(fakekernel_start(root, "/a/d", 71), 0);
	assert_int_equal(look(RECURSIVE | CLEARED, name, NULL), 0);
	fakekernel_hook(root, end_at_the_third_look, NULL);
	if (remove_wait(host, &removal, 5000, &err) < 0)
		fail_msg("%s", err.text);
	fakekernel_hook(root, NULL, NULL);
	assert_true(looks >= 3);
}

static void survivors_are_named_when_the_time_is_over(void **state)
{
	char name[] = "/a";

	(void)state;
	assert_int_equal(fakekernel_start(root, "/a/d", 71), 0);
	fakekernel_behave(root, 71, FAKEKERNEL_STUCK);
	fakekernel_comm(root, 71, "dd");
	assert_int_equal(look(RECURSIVE | CLEARED, name, NULL), 0);
	assert_int_equal(remove_wait(host, &removal, 30, &err), -EBUSY);
	assert_int_equal(err.kind, CGPOL_FAILED);
	if (!strstr(err.text, "71 (dd)"))
		fail_msg("%s", err.text);
}

static void a_failing_read_leaves_nothing_behind(void **state)
{
	char name[] = "/a";

	(void)state;
	for (unsigned n = 1; n < 60; n++) {
		int rc;

		err = (struct cgpol_error){0};
		fakekernel_fail_nth(root, FAKEKERNEL_READS, n, EIO);
		rc = look(RECURSIVE, name, NULL);
		fakekernel_fail_nth(root, FAKEKERNEL_READS, 0, 0);
		if (rc < 0) {
			assert_true(*err.text);
			assert_int_equal(removal.all.count, 0);
		}
		removal_clear(&removal);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_leaf_goes_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_below_go_before_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_goes_once_however_often_it_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(children_that_stay_are_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(children_that_are_named_too_are_no_obstacle, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(who_lives_there_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_root_and_what_is_not_there_are_refused, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_systemd_made_is_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_steps_end_the_uppermost_and_remove_each, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(waiting_for_an_empty_one_is_over_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_ends_late_is_waited_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(survivors_are_named_when_the_time_is_over, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_failing_read_leaves_nothing_behind, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
