/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that do not go where they should, and settings of processes. */
#include "policy/reasontask.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "refusal.h"
#include "test.h"

enum { KTHREAD = 0x200000, BOUND = 0x04000000 };

#define MOVE(to, pid_)                                              \
	{                                                           \
		.op = STEP_ATTACH, .cgroup = STR(to), .pid = (pid_) \
	}
#define AFFINITY(pid_, list)                                               \
	{                                                                  \
		.op = STEP_AFFINITY, .pid = (pid_), .new_value = STR(list) \
	}

static void open_tasks(struct refusal *refusal)
{
	refusal_open(refusal);
	refusal_put(refusal, "/a", NULL);
	refusal_put(refusal, "/a/b", NULL);
	refusal_put(refusal, "/a/cgroup.subtree_control", "cpu memory\n");
	refusal_put(refusal, "/a/cpuset.cpus.effective", "2\n");
	refusal_put(refusal, "/a/b/cpuset.cpus.effective", "\n");
	refusal_put(refusal, "/a/b/cpuset.mems.effective", "0\n");
	refusal_process(refusal, 30, "sh", 0, "/a");
	refusal_process(refusal, 31, "ksoftirqd/0", KTHREAD | BOUND, "/");
	fakeroot_put(refusal->root, "/proc/30/oom_score_adj", "0\n");
}

static void moves_that_the_kernel_refuses(void **state)
{
	static const struct refusal_case cases[] = {
		{MOVE("/a", 30), EBUSY, CGPOL_REFUSED,
		 "cannot move process 30 (sh) into cgroup /a: controllers are enabled for its children (cpu "
		 "memory)",
		 "below it"},
		{MOVE("/a/b", 30), ENOSPC, CGPOL_REFUSED,
		 "its cpuset has no cpus (cpuset.cpus.effective \"\"); the chain of it: / 0-3, /a 2, /a/b "
		 "none",
		 "partition"},
		{MOVE("/a/b", 99), ESRCH, CGPOL_FAILED,
		 "cannot move process 99 into cgroup /a/b: it does not exist, or has "
		 "ended",
		 NULL},
		{MOVE("/a/b", 31), EINVAL, CGPOL_REFUSED, "a kernel thread that stays where it is", NULL},
		{MOVE("/a/b", 30), EINVAL, CGPOL_REFUSED, "CONFIG_RT_GROUP_SCHED", "chrt -o -p 0 30"},
		{MOVE("/a/b", 99), EINVAL, CGPOL_FAILED, "has ended", NULL},
		{MOVE("/none", 30), ENOENT, CGPOL_FAILED, "cgroup /none does not exist", NULL},
		{MOVE("/a/b", 99), ENOENT, CGPOL_FAILED, "has ended", NULL},
		{MOVE("/a/b", 30), ENOENT, CGPOL_REFUSED, "lies outside this cgroup namespace (nsdelegate)",
		 "inside"},
		{MOVE("/none", 30), ENODEV, CGPOL_FAILED, "cgroup /none does not exist", NULL},
		{MOVE("/a/b", 30), EOPNOTSUPP, CGPOL_REFUSED,
		 "its cgroup.type is \"domain\", which takes threads", "domain"},
		{MOVE("/a/b", 30), ENOMEM, CGPOL_FAILED, "out of memory", NULL},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_tasks(&refusal);
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
	assert_string_equal(refusal.err.file, "cgroup.procs");
}

static void a_thread_stays_in_the_domain_of_its_process(void **state)
{
	struct step step = MOVE("/a/b", 30);
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_tasks(&refusal);
	step.is_thread = true;
	refusal_expect(
		&refusal,
		&(struct refusal_case){step, EOPNOTSUPP, CGPOL_REFUSED,
				       "cannot move thread 30 (sh) into cgroup /a/b: its cgroup.type is "
				       "\"domain\", and a thread can only go to the cgroups that its process "
				       "is spread over: it is in /a",
				       "--threaded"});
	refusal_put(&refusal, "/a/b/cgroup.type", "domain invalid\n");
	refusal_expect(&refusal, &(struct refusal_case){step, EOPNOTSUPP, CGPOL_REFUSED,
							"\"domain invalid\", which takes", NULL});
}

static void a_cpuset_without_nodes_is_told_as_such(void **state)
{
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_tasks(&refusal);
	refusal_put(&refusal, "/a/b/cpuset.mems.effective", "\n");
	refusal_expect(&refusal, &(struct refusal_case){
					 MOVE("/a/b", 30), ENOSPC, CGPOL_REFUSED,
					 "its cpuset has no nodes (cpuset.mems.effective \"\"); the chain "
					 "of it: / 0-1, /a/b none",
					 "cpuset.mems"});
}

static void settings_of_processes(void **state)
{
	static const struct step adj = {
		.op = STEP_TASK, .pid = 30, .file = STR("oom_score_adj"), .new_value = STR("2000")};
	static const struct step gone = {
		.op = STEP_TASK, .pid = 99, .file = STR("oom_score_adj"), .new_value = STR("1")};
	static const struct refusal_case cases[] = {
		{AFFINITY(30, "5"), EINVAL, CGPOL_REFUSED,
		 "cannot set the affinity of thread 30 (sh) to \"5\": none of these cpus is left; offline or "
		 "not there: 5; "
		 "its cpuset (cpuset.cpus.effective): / 0-3, /a 2",
		 "widen cpuset.cpus"},
		{AFFINITY(30, "1"), EINVAL, CGPOL_REFUSED, "none of these cpus is left; its cpuset", NULL},
		{AFFINITY(31, "1"), EINVAL, CGPOL_REFUSED, "a kernel thread that is bound to its cpus", NULL},
		{AFFINITY(99, "1"), ESRCH, CGPOL_FAILED, "it does not exist, or has ended", NULL},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_tasks(&refusal);
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
	refusal_expect(&refusal, &(struct refusal_case){adj, EINVAL, CGPOL_REFUSED, "-1000 to 1000", NULL});
	refusal_expect(&refusal, &(struct refusal_case){gone, ENOENT, CGPOL_FAILED,
							"process 99 to \"1\": it does not exist", NULL});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_null(strstr(refusal.err.text, "pid 0"));
}

static void a_full_cgroup_is_named_when_a_process_starts(void **state)
{
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	open_tasks(&refusal);
	refusal_put(&refusal, "/a/pids.max", "3\n");
	refusal_put(&refusal, "/a/pids.current", "3\n");
	assert_int_equal(explain_start(refusal.host, "/a/b", -EAGAIN, &refusal.err), -EAGAIN);
	assert_non_null(strstr(refusal.err.text, "pids.max of cgroup /a allows no more than 3"));
	assert_int_equal(explain_start(refusal.host, "/a/b", -ENODEV, &refusal.err), -ENODEV);
	assert_non_null(strstr(refusal.err.text, "it was removed meanwhile"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_that_the_kernel_refuses),
		cmocka_unit_test(a_thread_stays_in_the_domain_of_its_process),
		cmocka_unit_test(a_cpuset_without_nodes_is_told_as_such),
		cmocka_unit_test(settings_of_processes),
		cmocka_unit_test(a_full_cgroup_is_named_when_a_process_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
