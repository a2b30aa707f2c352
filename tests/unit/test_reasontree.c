/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroups that cannot be made, threaded, emptied or removed. */
#include "policy/reasontree.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "refusal.h"
#include "test.h"

static const struct step threaded = {
	.op = STEP_THREADED, .cgroup = STR("/p/t"), .new_value = STR("threaded")};

static void expect_not_threaded(struct refusal *refusal, const char *text, const char *hint)
{
	refusal_expect(refusal, &(struct refusal_case){threaded, EOPNOTSUPP, CGPOL_REFUSED, text, hint});
	assert_string_equal(refusal->err.file, "cgroup.type");
}

static void open_threads(struct refusal *refusal)
{
	refusal_open(refusal);
	refusal_put(refusal, "/p", NULL);
	refusal_put(refusal, "/p/t", NULL);
	refusal_put(refusal, "/p/s", NULL);
	refusal_put(refusal, "/p/cgroup.subtree_control", "cpu\n");
	refusal_put(refusal, "/p/t/cgroup.subtree_control", "\n");
	refusal_put(refusal, "/p/t/cgroup.events", "populated 0\nfrozen 0\n");
}

/* kernel/cgroup/cgroup.c cgroup_enable_threaded(), cgroup_can_be_thread_root() */
static void what_hinders_a_threaded_cgroup_is_told(void **state)
{
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_threads(&refusal);
	expect_not_threaded(
		&refusal,
		"cannot make cgroup /p/t threaded: cgroup /p above it is \"domain\", and cannot hold", NULL);
	refusal_put(&refusal, "/p/s/cgroup.events", "populated 1\n");
	expect_not_threaded(&refusal, "cgroup /p/s beside it has processes", "without such children");
	refusal_put(&refusal, "/p/cgroup.subtree_control", "cpu memory\n");
	expect_not_threaded(&refusal, "controller memory is enabled in cgroup /p above it",
			    "cpuset and pids");
	refusal_put(&refusal, "/p/t/cgroup.subtree_control", "pids io\n");
	expect_not_threaded(&refusal, "controller io is enabled for its children", "\"-io\"");
	refusal_put(&refusal, "/p/t/cgroup.events", "populated 1\n");
	expect_not_threaded(&refusal, "it, or a cgroup below it, has processes", "move its processes");
}

static void what_is_in_use_cannot_be_removed(void **state)
{
	static const struct step step = {.op = STEP_RMDIR, .cgroup = STR("/p/t")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_threads(&refusal);
	refusal_expect(&refusal, &(struct refusal_case){
					 step, EBUSY, CGPOL_REFUSED,
					 "cannot remove cgroup /p/t: it is empty, but processes of it have "
					 "not quite ended",
					 "in a moment"});
	assert_string_equal(refusal.err.file, "/p/t");
	refusal_put(&refusal, "/p/t/cgroup.threads", "12\n13\n");
	refusal_put(&refusal, "/p/t/cgroup.procs", "12\n");
	refusal_expect(&refusal, &(struct refusal_case){step, EBUSY, CGPOL_REFUSED, "it has processes: 12",
							"--move-to"});
	for (int i = 0; i < 5; i++) {
		char name[] = "/p/t/0";

		name[5] = (char)('0' + i);
		refusal_put(&refusal, name, NULL);
	}
	refusal_expect(&refusal,
		       &(struct refusal_case){step, EBUSY, CGPOL_REFUSED,
					      "there are cgroups below it: /p/t/0, /p/t/1, /p/t/2 and 2 more",
					      "--recursive"});
	refusal_expect(&refusal, &(struct refusal_case){{.op = STEP_RMDIR, .cgroup = STR("/p/none")},
							ENOENT,
							CGPOL_FAILED,
							"cgroup /p/none does not exist",
							"try again"});
}

static void those_that_do_not_end_are_named(void **state)
{
	static const struct step step = {.op = STEP_KILL, .cgroup = STR("/p/t")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_threads(&refusal);
	refusal_put(&refusal, "/p/t/cgroup.procs", "12\n13\n");
	refusal_expect(&refusal,
		       &(struct refusal_case){
			       step, ETIMEDOUT, CGPOL_REFUSED,
			       "cannot end the processes of cgroup /p/t: some have not ended: 12 (?), 13 (?)",
			       "state D"});
	refusal_expect(&refusal, &(struct refusal_case){step, EOPNOTSUPP, CGPOL_REFUSED,
							"threads of processes that are elsewhere too",
							"domain threaded"});
}

/* The first that lacks it, why, and what gives it. */
static void a_controller_that_is_not_handed_down(void **state)
{
	static const char unit[] = "/user.slice/user-1000.slice/user@1000.service";
	AUTO(refusal_close) struct refusal refusal;
	char below[128];

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/user.slice", NULL);
	refusal_put(&refusal, "/user.slice/user-1000.slice", "cpu memory pids\n");
	refusal_put(&refusal, unit, "memory pids\n");
	(void)snprintf(below, sizeof(below), "%s/app", unit);
	refusal_put(&refusal, below, "memory pids\n");
	refusal_expect(&refusal,
		       &(struct refusal_case){
			       {.op = STEP_ENABLE,
				.cgroup = below,
				.file = STR("cgroup.subtree_control"),
				.new_value = STR("+cpuset")},
			       ENOENT,
			       CGPOL_UNSUPPORTED,
			       "controller cpuset is not enabled in cgroup /user.slice, so that "
			       "/user.slice/user-1000.slice has nothing of it",
			       "as root: put \"[Service]\" and \"Delegate=cpu cpuset io memory pids\" into "
			       "/etc/systemd/system/user@.service.d/delegate.conf, run systemctl "
			       "daemon-reload, and log in again"});
}

static void limits_on_the_number_of_cgroups(void **state)
{
	static const struct step step = {.op = STEP_MKDIR, .cgroup = STR("/p/t/x")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_threads(&refusal);
	refusal_expect(&refusal, &(struct refusal_case){step, EAGAIN, CGPOL_REFUSED,
							"as many cgroups as are allowed", NULL});
	refusal_put(&refusal, "/p/cgroup.max.depth", "1\n");
	refusal_expect(&refusal, &(struct refusal_case){step, EAGAIN, CGPOL_REFUSED,
							"cgroup.max.depth of cgroup /p allows no more than 1",
							"raise it"});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_hinders_a_threaded_cgroup_is_told),
		cmocka_unit_test(what_is_in_use_cannot_be_removed),
		cmocka_unit_test(those_that_do_not_end_are_named),
		cmocka_unit_test(a_controller_that_is_not_handed_down),
		cmocka_unit_test(limits_on_the_number_of_cgroups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
