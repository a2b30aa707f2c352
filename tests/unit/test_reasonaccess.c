/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EACCES, EPERM and EROFS: whose it is, and who could. */
#include "policy/reasonaccess.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "refusal.h"
#include "test.h"

#define MOVE(from, to, pid_)                                                                \
	{                                                                                   \
		.op = STEP_ATTACH, .cgroup = STR(to), .old_value = STR(from), .pid = (pid_) \
	}

/* One user's part of the tree. */
static void open_as_user(struct refusal *refusal)
{
	refusal_open(refusal);
	refusal->root->facts.uid = 1000;
	refusal->root->facts.caps = 0;
	refusal_put(refusal, "/u", NULL);
	refusal_put(refusal, "/u/a", NULL);
	refusal_put(refusal, "/u/b", NULL);
	refusal_put(refusal, "/u/cgroup.procs", "");
	refusal_put(refusal, "/u/a/cgroup.procs", "");
	refusal_put(refusal, "/u/b/cgroup.procs", "");
	refusal_put(refusal, "/u/b/memory.max", "max\n");
	fakeroot_own(refusal->root, "/sys/fs/cgroup/u/a/cgroup.procs", 1000, 1000);
	fakeroot_own(refusal->root, "/sys/fs/cgroup/u/b/cgroup.procs", 1000, 1000);
	refusal_process(refusal, 30, "sh", 0, "/u/a");
}

static void a_move_names_the_common_ancestor_and_its_owner_and_three_remedies(void **state)
{
	static const struct refusal_case cases[] = {
		{MOVE("/u/a", "/u/b", 30), EACCES, CGPOL_FAILED,
		 "cannot move process 30 (sh) into cgroup /u/b: permission denied: it needs write access to "
		 "cgroup.procs of cgroup /u, the nearest one above both, too, which belongs to uid 0 (its "
		 "own to "
		 "uid 1000)",
		 "as root"},
		{MOVE(NULL, "/u/b", 30), EACCES, CGPOL_FAILED, "cgroup.procs of cgroup /u,",
		 "systemd-run --user --scope"},
		{MOVE("/v", "/u/b", 30), EPERM, CGPOL_FAILED, "cgroup /, the nearest",
		 "AttachProcessesToUnit"},
		{MOVE(NULL, "/u/b", 31), EACCES, CGPOL_FAILED, "permission denied: it belongs to uid 1000",
		 "root"},
		{MOVE("/u/a", "/u/b", 30), EROFS, CGPOL_FAILED, "mounted read-only", "container"},
	};
	static const struct refusal_case thread = {
		{.op = STEP_ATTACH,
		 .cgroup = STR("/u/b"),
		 .old_value = STR("/u/a"),
		 .pid = 30,
		 .is_thread = true},
		EACCES,
		CGPOL_FAILED,
		"cannot move thread 30 (sh) into cgroup /u/b: permission denied: it needs write "
		"access to cgroup.threads of cgroup /u",
		NULL};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_as_user(&refusal);
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
	assert_string_equal(refusal.err.file, "cgroup.procs");
	refusal_expect(&refusal, &thread);
	assert_string_equal(refusal.err.file, "cgroup.threads");
}

static void a_write_names_the_owner(void **state)
{
	static const struct refusal_case cases[] = {
		{SET_OF("/u/b", "memory.max", "1"), EACCES, CGPOL_FAILED,
		 "cannot set memory.max of cgroup /u/b to \"1\": permission denied: it belongs to uid 0",
		 "systemd-run --user --scope -p Delegate=yes"},
		{{.op = STEP_MKDIR, .cgroup = STR("/u/a/c")},
		 EACCES,
		 CGPOL_FAILED,
		 "it belongs to uid 0",
		 NULL},
		{{.op = STEP_MKDIR, .cgroup = STR("/gone/c")},
		 EACCES,
		 CGPOL_FAILED,
		 "it belongs to somebody else",
		 NULL},
		{{.op = STEP_RMDIR, .cgroup = STR("/u/a")},
		 EACCES,
		 CGPOL_FAILED,
		 "cannot remove cgroup /u/a: permission denied",
		 NULL},
		{{.op = STEP_ENABLE,
		  .cgroup = STR("/"),
		  .file = STR("cgroup.subtree_control"),
		  .new_value = STR("+cpuset")},
		 EACCES,
		 CGPOL_FAILED,
		 "cannot enable controller cpuset for the children of cgroup /: permission denied: it "
		 "belongs to uid 0",
		 "put \"[Service]\" and \"Delegate=cpu cpuset io memory pids\" into "
		 "/etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload, and log in "
		 "again"},
		{{.op = STEP_OWNER, .cgroup = STR("/u/a"), .new_value = STR("5:5")},
		 EPERM,
		 CGPOL_FAILED,
		 "cannot give cgroup /u/a to 5:5: only root",
		 "as root"},
		{{.op = STEP_OWNER,
		  .cgroup = STR("/u/a"),
		  .file = STR("cgroup.procs"),
		  .new_value = STR("5:5")},
		 EPERM,
		 CGPOL_FAILED,
		 "cannot give cgroup.procs of cgroup /u/a to 5:5: only root",
		 "as root"},
		{{.op = STEP_OWNER, .cgroup = STR("/u/a"), .new_value = STR("5:5")},
		 EROFS,
		 CGPOL_FAILED,
		 "mounted read-only",
		 NULL},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_as_user(&refusal);
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
}

static void the_root_of_a_namespace_is_the_hosts(void **state)
{
	static const struct refusal_case there = {SET_OF("/", "memory.max", "1"), EPERM, CGPOL_FAILED,
						  "owned by the host (nsdelegate)", "cgpol create /NAME"};
	static const struct refusal_case real = {SET_OF("/", "memory.max", "1"), EPERM, CGPOL_FAILED,
						 "permission denied", NULL};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_expect(&refusal, &real);
	refusal_put(&refusal, "/cgroup.type", "domain\n");
	refusal_expect(&refusal, &there);
}

static void files_of_the_machine_that_are_kept_from_us(void **state)
{
	static const struct refusal_case cases[] = {
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("10")},
		 EACCES,
		 CGPOL_FAILED,
		 "cannot set /proc/sys/vm/swappiness to \"10\": permission denied: it belongs to uid 0",
		 "as root"},
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("10")},
		 EPERM,
		 CGPOL_FAILED,
		 "permission denied",
		 "as root"},
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("10")},
		 EROFS,
		 CGPOL_FAILED,
		 "/proc/sys is mounted read-only, as it is in a container",
		 "on the machine itself"},
		{{.op = STEP_SAVE, .file = STR("/etc/sysctl.d/90-cgpol.conf"), .new_value = STR("a\nb\n")},
		 EROFS,
		 CGPOL_FAILED,
		 "cannot write /etc/sysctl.d/90-cgpol.conf: the file system is mounted read-only",
		 NULL},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	fakeroot_put(refusal.root, "/proc/sys/vm/swappiness", "60\n");
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
	assert_string_equal(refusal.err.value, "");
}

static void scores_below_the_lowest_need_a_capability(void **state)
{
	static const struct step adj = {
		.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 30, .new_value = STR("-500")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_as_user(&refusal);
	fakeroot_put(refusal.root, "/proc/30/oom_score_adj", "-100\n");
	fakeroot_own(refusal.root, "/proc/30/oom_score_adj", 7, 7);
	refusal_expect(&refusal,
		       &(struct refusal_case){adj, EACCES, CGPOL_FAILED,
					      "cannot set oom_score_adj of process 30 (sh) to \"-500\": "
					      "permission denied: the process belongs to uid 7",
					      "as the user"});
	fakeroot_own(refusal.root, "/proc/30/oom_score_adj", 1000, 1000);
	refusal_expect(&refusal,
		       &(struct refusal_case){adj, EACCES, CGPOL_FAILED,
					      "needs CAP_SYS_RESOURCE, and it is -100", "a higher score"});
	assert_string_equal(refusal.err.file, "/proc/30/oom_score_adj");
	refusal_expect(&refusal, &(struct refusal_case){adj, EROFS, CGPOL_FAILED, "read-only", NULL});
	fakeroot_fail(refusal.root, "/proc/30/oom_score_adj", ESRCH);
	refusal_expect(&refusal,
		       &(struct refusal_case){adj, EPERM, CGPOL_FAILED, "needs CAP_SYS_RESOURCE", NULL});
}

static void an_affinity_may_be_blocked_by_a_filter(void **state)
{
	static const struct step step = {.op = STEP_AFFINITY, .pid = 30, .new_value = STR("1")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_as_user(&refusal);
	refusal_expect(&refusal, &(struct refusal_case){
					 step, EPERM, CGPOL_FAILED,
					 "cannot set the affinity of thread 30 (sh) to \"1\": permission "
					 "denied: the thread belongs to another user",
					 "as root"});
	assert_string_equal(refusal.err.file, "affinity");
	fakeroot_put(refusal.root, "/proc/self/status", "Name:\tcgpol\nSeccomp:\t2\n");
	refusal_expect(&refusal, &(struct refusal_case){step, EPERM, CGPOL_FAILED,
							"blocked, by a seccomp filter", "CAP_SYS_NICE"});
	refusal_expect(&refusal,
		       &(struct refusal_case){SET_OF("/u/b", "memory.max", "1"), EPERM, CGPOL_FAILED,
					      "by a seccomp filter or a security module", NULL});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_move_names_the_common_ancestor_and_its_owner_and_three_remedies),
		cmocka_unit_test(a_write_names_the_owner),
		cmocka_unit_test(the_root_of_a_namespace_is_the_hosts),
		cmocka_unit_test(files_of_the_machine_that_are_kept_from_us),
		cmocka_unit_test(scores_below_the_lowest_need_a_capability),
		cmocka_unit_test(an_affinity_may_be_blocked_by_a_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
