/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of processes: all of a cgroup gets them, those that appear meanwhile too, or nobody does. */
#include "test.h"

#include <unistd.h>

#include "act/tasks.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/affinity.h"
#include "host/proc.h"
#include "policy/policy.h"

static struct root *root;
static struct cgpol_host *host;
static struct change *change;
static struct cgpol_policy *policy;
static struct tasks_told told;
static struct cgpol_error err;
static char state[] = "/tmp/cgpol-tasks.XXXXXX";

static int make_machine(void **unused)
{
	(void)unused;
	root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	assert_int_equal(policy_new(&policy), 0);
	err = (struct cgpol_error){0};
	told = (struct tasks_told){0};
	fakekernel_cgroup(root, "/web/app", NULL);
	fakekernel_cgroup(root, "/web/db", NULL);
	assert_int_equal(fakekernel_start(root, "/web/app", 10), 0);
	assert_int_equal(fakekernel_start(root, "/web/db", 11), 0);
	assert_int_equal(fakekernel_start(root, "/", 12), 0);
	return 0;
}

static int remove_machine(void **unused)
{
	(void)unused;
	fakekernel_hook(root, NULL, NULL);
	change_close(TAKE(change));
	tasks_told_clear(&told);
	policy_free(TAKE(policy));
	cgpol_host_free(TAKE(host));
	return 0;
}

static int make_state(void **unused)
{
	(void)unused;
	return mkdtemp(state) ? 0 : -1;
}

static int remove_state(void **unused)
{
	char command[sizeof(state) + 16];

	(void)unused;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", state);
	return system(command); // NOLINT(cert-env33-c): our own folder
}

static void begin(void)
{
	const struct change_setup setup = {.state = state, .command = "cgpol set"};

	assert_int_equal(change_open(host, &setup, &change, NULL), 0);
}

/* With a change of its own, which ends well or is taken back. */
static int set_tasks(const struct tasks_request *request)
{
	struct tasks_request with = *request;
	int rc;

	with.policy = policy;
	err = (struct cgpol_error){0};
	tasks_told_clear(&told);
	begin();
	rc = tasks_set(host, change, &with, NULL, &told, &err);
	if (rc == 0)
		assert_int_equal(change_commit(change, NULL), 0);
	change_close(TAKE(change));
	return rc;
}

static void want(const char *key, const char *value)
{
	assert_int_equal(policy_set_any(policy, key, value, NULL), 0);
}

static const char *adj_of(pid_t pid)
{
	static char text[16];
	int adj = 0;

	assert_int_equal(proc_read_adj(host, pid, &adj), 0);
	(void)snprintf(text, sizeof(text), "%d", adj);
	return text;
}

static const char *affinity_of(pid_t pid, pid_t tid)
{
	static char text[64];
	AUTO(nodeset_clear_p) struct nodeset cpus = {0};
	AUTO(free_p) char *list = NULL;

	assert_int_equal(affinity_read(host, pid, tid, &cpus), 0);
	list = nodeset_format(&cpus);
	assert_non_null(list);
	(void)snprintf(text, sizeof(text), "%s", list);
	return text;
}

static const struct tasks_request of_web = {.cgroup = "/web"};

static void every_process_of_a_cgroup_and_below_gets_it(void **unused)
{
	(void)unused;
	want("oom_score_adj", "500");
	assert_int_equal(set_tasks(&of_web), 0);
	assert_string_equal(adj_of(10), "500");
	assert_string_equal(adj_of(11), "500");
	assert_string_equal(adj_of(12), "0");
	assert_int_equal(told.changed, 2);
	assert_int_equal(told.unchanged, 0);
	assert_int_equal(told.rounds, 2);
	assert_true(told.is_settled);
}

static void a_second_call_writes_nothing(void **unused)
{
	unsigned before;

	(void)unused;
	want("oom_score_adj", "500");
	want("affinity", "1");
	assert_int_equal(set_tasks(&of_web), 0);
	before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);
	assert_int_equal(set_tasks(&of_web), 0);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
	assert_int_equal(told.changed, 0);
	assert_int_equal(told.unchanged, 4);
	assert_int_equal(told.plans, 0);
}

/* ---- others at work meanwhile ---- */

/* Forks once, from a process that was not set yet: the child has the old value. */
static void fork_once(void *arg, unsigned access, const char *path)
{
	bool *is_done = arg;

	if (*is_done || access != FAKEKERNEL_CHANGES || strcmp(path, "/proc/10/oom_score_adj") != 0)
		return;
	*is_done = true;
	assert_int_equal(fakekernel_fork(root, 11, 20), 0);
}

static void who_is_forked_meanwhile_gets_it_too(void **unused)
{
	bool is_done = false;

	(void)unused;
	want("oom_score_adj", "-500");
	fakekernel_hook(root, fork_once, &is_done);
	assert_int_equal(set_tasks(&of_web), 0);
	assert_true(is_done);
	assert_string_equal(adj_of(20), "-500");
	assert_int_equal(told.changed, 3);
	assert_int_equal(told.rounds, 3);
}

/* Whoever writes finds a new process each time. */
static void start_always(void *arg, unsigned access, const char *path)
{
	pid_t *next = arg;

	if (access == FAKEKERNEL_CHANGES && strncmp(path, "/proc/", 6) == 0)
		assert_int_equal(fakekernel_start(root, "/web/app", (*next)++), 0);
}

static void a_cgroup_that_never_settles_is_given_up(void **unused)
{
	const struct tasks_request request = {.cgroup = "/web", .rounds = 5};
	pid_t next = 1000;

	(void)unused;
	want("oom_score_adj", "7");
	fakekernel_hook(root, start_always, &next);
	assert_int_equal(set_tasks(&request), -EAGAIN);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "after 5 rounds"));
	assert_int_equal(told.rounds, 6);
	assert_string_equal(adj_of(10), "0");
	assert_string_equal(adj_of(11), "0");
}

static void end_first(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access == FAKEKERNEL_CHANGES && strcmp(path, "/proc/10/oom_score_adj") == 0)
		fakekernel_end(root, 10);
}

static void who_ends_meanwhile_is_no_failure(void **unused)
{
	(void)unused;
	want("oom_score_adj", "5");
	fakekernel_hook(root, end_first, NULL);
	assert_int_equal(set_tasks(&of_web), 0);
	assert_string_equal(adj_of(11), "5");
	assert_int_equal(told.gone, 1);
	assert_int_equal(told.changed, 1);
}

/* ---- who is denied ---- */

static void somebody_elses_process_fails_it_all(void **unused)
{
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)unused;
	fakekernel_behave(root, 11, FAKEKERNEL_FOREIGN);
	want("oom_score_adj", "-1000");
	before = fakekernel_dump_settings(root);
	assert_true(set_tasks(&of_web) < 0);
	after = fakekernel_dump_settings(root);
	assert_string_equal(after, before);
	assert_non_null(strstr(err.text, "11"));
	assert_non_null(strstr(err.text, "all is as it was before"));
	assert_non_null(strstr(err.hint, "CAP_SYS_RESOURCE"));
	assert_string_equal(err.value, "-1000");
}

static void a_thread_of_the_kernel_is_left_alone(void **unused)
{
	(void)unused;
	fakekernel_behave(root, 11, FAKEKERNEL_KTHREAD);
	want("oom_score_adj", "9");
	want("affinity", "2");
	assert_int_equal(set_tasks(&of_web), 0);
	assert_string_equal(adj_of(11), "0");
	assert_string_equal(affinity_of(11, 11), "0-3");
	assert_string_equal(affinity_of(10, 10), "2");
}

/* ---- named processes ---- */

static void named_processes_get_it_with_all_their_threads(void **unused)
{
	const pid_t pid[] = {12};
	const struct tasks_request request = {.pid = pid, .pids = 1};

	(void)unused;
	assert_int_equal(fakekernel_thread(root, 12, 13), 0);
	want("affinity", "1-2");
	assert_int_equal(set_tasks(&request), 0);
	assert_string_equal(affinity_of(12, 12), "1-2");
	assert_string_equal(affinity_of(12, 13), "1-2");
	assert_string_equal(affinity_of(10, 10), "0-3");
	assert_int_equal(told.changed, 2);
}

static void a_named_process_that_is_gone_is_told(void **unused)
{
	const pid_t pid[] = {12, 99};
	const struct tasks_request request = {.pid = pid, .pids = 2};

	(void)unused;
	want("oom_score_adj", "3");
	assert_int_equal(set_tasks(&request), -ESRCH);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "process 99 does not exist");
	assert_string_equal(adj_of(12), "0");
}

static void a_cgroup_that_is_gone_is_told(void **unused)
{
	const struct tasks_request request = {.cgroup = "/none"};

	(void)unused;
	want("oom_score_adj", "3");
	assert_int_equal(set_tasks(&request), -ENOENT);
	assert_string_equal(err.text, "cgroup /none does not exist");
}

/* ---- affinity and cpusets ---- */

static void an_affinity_outside_of_the_cpuset_is_refused(void **unused)
{
	(void)unused;
	assert_int_equal(fakekernel_poke(root, "/web", "cpuset.cpus", "0-1"), 0);
	want("affinity", "1-2");
	assert_int_equal(set_tasks(&of_web), -EINVAL);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(err.text, "cpu 2 is not in the cpuset of cgroup /web, which has 0-1"));
}

static void a_narrower_cgroup_below_gets_what_it_has_of_it(void **unused)
{
	(void)unused;
	assert_int_equal(fakekernel_poke(root, "/web/db", "cpuset.cpus", "2-3"), 0);
	want("affinity", "1-2");
	assert_int_equal(set_tasks(&of_web), 0);
	assert_string_equal(affinity_of(10, 10), "1-2");
	assert_string_equal(affinity_of(11, 11), "2");
}

static void a_clipped_one_becomes_what_the_cgroup_has(void **unused)
{
	const struct tasks_request request = {.cgroup = "/web", .is_clipped = true};

	(void)unused;
	assert_int_equal(fakekernel_poke(root, "/web", "cpuset.cpus", "0-2"), 0);
	want("affinity", "2");
	assert_int_equal(set_tasks(&request), 0);
	want("affinity", "0-4000");
	assert_int_equal(set_tasks(&request), 0);
	assert_string_equal(affinity_of(10, 10), "0-2");
}

static void threads_with_an_affinity_of_their_own_are_counted(void **unused)
{
	const pid_t pid[] = {10};
	const struct tasks_request request = {.pid = pid, .pids = 1};
	size_t threads = 9;

	(void)unused;
	assert_int_equal(tasks_pinned(host, "/web", &threads), 0);
	assert_int_equal(threads, 0);
	assert_int_equal(fakekernel_thread(root, 10, 15), 0);
	want("affinity", "1");
	assert_int_equal(set_tasks(&request), 0);
	assert_int_equal(tasks_pinned(host, "/web", &threads), 0);
	assert_int_equal(threads, 2);
	assert_int_equal(tasks_pinned(host, "/web/db", &threads), 0);
	assert_int_equal(threads, 0);
}

/* ---- what cannot be ---- */

static void a_memory_policy_is_the_processes_own_affair(void **unused)
{
	(void)unused;
	want("mempolicy", "bind:1");
	assert_int_equal(set_tasks(&of_web), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_non_null(strstr(err.hint, "cpuset.mems"));
}

static void without_a_change_it_is_only_told(void **unused)
{
	const struct tasks_request request = {.cgroup = "/web", .policy = policy};
	AUTO(plan_free_p) struct plan *plan = NULL;
	unsigned before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);

	(void)unused;
	want("oom_score_adj", "1");
	want("affinity", "0");
	assert_int_equal(plan_new(NULL, &plan), 0);
	assert_int_equal(tasks_set(host, NULL, &request, plan, &told, &err), 0);
	assert_int_equal(plan->steps, 4);
	assert_int_equal(plan->step[0].op, STEP_TASK);
	assert_int_equal(plan->step[0].pid, 10);
	assert_string_equal(plan->step[0].file, "oom_score_adj");
	assert_string_equal(plan->step[0].old_value, "0");
	assert_string_equal(plan->step[0].new_value, "1");
	assert_int_equal(plan->step[1].op, STEP_AFFINITY);
	assert_string_equal(plan->step[1].old_value, "0-3");
	assert_string_equal(plan->step[1].new_value, "0");
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
}

/* For each n: the n-th access fails. Either all holds nevertheless, or all is as it was. */
static void fail_nth(unsigned accesses, int errnum)
{
	for (unsigned n = 1; n < 200; n++) {
		AUTO(free_p) char *before = NULL;
		AUTO(free_p) char *after = NULL;
		unsigned count;
		int rc;

		(void)remove_machine(NULL);
		(void)make_machine(NULL);
		want("oom_score_adj", "500");
		want("affinity", "1");
		before = fakekernel_dump_settings(root);
		count = fakekernel_accesses(root, accesses);
		fakekernel_fail_nth(root, accesses, n, errnum);
		rc = set_tasks(&of_web);
		count = fakekernel_accesses(root, accesses) - count;
		fakekernel_fail_nth(root, accesses, 0, 0);
		after = fakekernel_dump_settings(root);
		if (rc < 0) {
			assert_string_equal(after, before);
			assert_true(*err.text != '\0');
		} else {
			assert_string_not_equal(after, before);
		}
		if (count < n)
			return;
	}
	fail_msg("it never ends");
}

static void a_change_that_fails_is_all_taken_back(void **unused)
{
	(void)unused;
	fail_nth(FAKEKERNEL_CHANGES, EIO);
}

static void what_cannot_be_read_harms_nobody(void **unused)
{
	(void)unused;
	fail_nth(FAKEKERNEL_READS, EIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_process_of_a_cgroup_and_below_gets_it),
		TEST(a_second_call_writes_nothing),
		TEST(who_is_forked_meanwhile_gets_it_too),
		TEST(a_cgroup_that_never_settles_is_given_up),
		TEST(who_ends_meanwhile_is_no_failure),
		TEST(somebody_elses_process_fails_it_all),
		TEST(a_thread_of_the_kernel_is_left_alone),
		TEST(named_processes_get_it_with_all_their_threads),
		TEST(a_named_process_that_is_gone_is_told),
		TEST(a_cgroup_that_is_gone_is_told),
		TEST(an_affinity_outside_of_the_cpuset_is_refused),
		TEST(a_narrower_cgroup_below_gets_what_it_has_of_it),
		TEST(a_clipped_one_becomes_what_the_cgroup_has),
		TEST(threads_with_an_affinity_of_their_own_are_counted),
		TEST(a_memory_policy_is_the_processes_own_affair),
		TEST(without_a_change_it_is_only_told),
		TEST(a_change_that_fails_is_all_taken_back),
		TEST(what_cannot_be_read_harms_nobody),
	};

	return cmocka_run_group_tests(tests, make_state, remove_state);
}
