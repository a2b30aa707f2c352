/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of libpolicy/memory/forecast.c and its public face: from files to victims. */
#include "test.h"

#include "fakeroot.h"
#include "machine.h"
#include "memory/forecast.h"

enum { MIB = 1024 }; /* in KiB */

/* The scene cgpol exists for: a is large on node 0, b is spread, c is bound to node 1 and grows there until
 * it is full: 100 MiB are left. */
static struct root *scene(const char *mems, const char *policy)
{
	struct root *root = machine_new();

	machine_add(root, &(struct machine_process){.pid = 1, .comm = "init"});
	machine_add(root, &(struct machine_process){.pid = 2, .comm = "kthreadd", .is_kthread = true});
	machine_add(root,
		    &(struct machine_process){.pid = 10, .comm = "a", .anon_kib = 700 * MIB, .node = 0});
	machine_add(root,
		    &(struct machine_process){.pid = 11, .comm = "b", .anon_kib = 300 * MIB, .node = 0});
	machine_add(root, &(struct machine_process){.pid = 12,
						    .comm = "c",
						    .anon_kib = 500 * MIB,
						    .node = 1,
						    .mems = mems,
						    .policy = policy});
	return root;
}

static struct cgpol_forecast *ask(struct root *root, const struct cgpol_question *question,
				  struct cgpol_host **host)
{
	struct cgpol_forecast *forecast = NULL;
	struct cgpol_error err = {0};

	assert_int_equal(host_open_root(root, host, NULL), 0);
	int rc = cgpol_forecast_make(*host, question, &forecast, &err);
	if (rc < 0)
		fail_msg("%s", err.text);
	return forecast;
}

static void kills_the_largest_first_which_frees_nothing_there_and_the_guilty_second(void **state)
{
	static const struct {
		const char *mems, *policy;
		int constraint;
	} rows[] = {{"1", NULL, OOM_CPUSET}, {NULL, "bind:1", OOM_MEMORY_POLICY}};
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	question.tid = 12;
	for (size_t i = 0; i < 2; i++) {
		struct cgpol_forecast *forecast = ask(scene(rows[i].mems, rows[i].policy), &question, &host);
		const struct cgpol_victim *first = cgpol_forecast_at(forecast, 0);
		const struct cgpol_victim *second = cgpol_forecast_at(forecast, 1);
		assert_int_equal(forecast->oom.domain.constraint, rows[i].constraint);
		assert_int_equal(first->pid, 10);
		assert_string_equal(first->comm, "a");
		assert_string_equal(first->reason, "victim");
		assert_true(first->bytes == 700ULL << 20);
		assert_int_equal(first->points, 700 * 256);
		assert_int_equal(forecast->oom.useful, OOM_USELESS);
		assert_int_equal(second->pid, 12);
		assert_string_equal(second->reason, "then");
		assert_null(cgpol_forecast_at(forecast, 2));
		assert_int_equal(forecast->oom.certainty, OOM_CERTAIN);
		assert_int_equal(forecast->oom.then[0].useful, OOM_USEFUL);
		cgpol_forecast_free(forecast);
		cgpol_host_free(host);
	}
}

static void kills_the_right_one_when_the_large_one_is_out_of_reach(void **state)
{
	struct root *root = scene("1", NULL);
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	machine_add(root,
		    &(struct machine_process){.pid = 10, .comm = "a", .anon_kib = 700 * MIB, .mems = "0"});
	question.tid = 12;
	struct cgpol_forecast *forecast = ask(root, &question, &host);
	assert_int_equal(cgpol_forecast_at(forecast, 0)->pid, 12);
	assert_int_equal(forecast->oom.useful, OOM_USEFUL);
	assert_int_equal(forecast->oom.skipped_count[OOM_SKIP_CPUSET], 1);
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

static void foretells_a_whole_group(void **state)
{
	struct root *root = machine_new();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	machine_cgroup(root, "/g", 0, 60 << 20, true);
	machine_cgroup(root, "/g/leaf", 64 << 20, 60 << 20, false);
	machine_cgroup(root, "/g/other", 0, 0, false);
	machine_add(root, &(struct machine_process){.pid = 10, .anon_kib = 50 * MIB, .cgroup = "/g/leaf"});
	machine_add(root, &(struct machine_process){.pid = 11, .anon_kib = 9 * MIB, .cgroup = "/g/leaf"});
	machine_add(root, &(struct machine_process){.pid = 12, .anon_kib = 4, .cgroup = "/g/other"});
	machine_procs(root, "/g/leaf", "10\n11\n");
	question.tid = 11;
	struct cgpol_forecast *forecast = ask(root, &question, &host);
	/* The flag sits above the domain: the group is not taken (mem_cgroup_get_oom_group() stops at the
	 * domain). */
	assert_int_equal(forecast->oom.domain.constraint, OOM_MEMCG);
	assert_int_equal(forecast->oom.kills, 1);
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);

	root = machine_new();
	machine_cgroup(root, "/g", 64 << 20, 60 << 20, false);
	machine_cgroup(root, "/g/leaf", 0, 60 << 20, true);
	machine_add(root, &(struct machine_process){.pid = 10, .anon_kib = 50 * MIB, .cgroup = "/g/leaf"});
	machine_add(root, &(struct machine_process){.pid = 11, .anon_kib = 9 * MIB, .cgroup = "/g/leaf"});
	machine_procs(root, "/g/leaf", "10\n11\n");
	forecast = ask(root, &question, &host);
	assert_int_equal(forecast->oom.kills, 2);
	assert_int_equal(cgpol_forecast_at(forecast, 0)->pid, 10);
	assert_int_equal(cgpol_forecast_at(forecast, 1)->pid, 11);
	assert_string_equal(cgpol_forecast_at(forecast, 1)->reason, "oom_group");
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

static void names_nobody_when_nobody_can_be_killed(void **state)
{
	struct root *root = machine_new();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	machine_cgroup(root, "/g", 64 << 20, 60 << 20, false);
	machine_add(root,
		    &(struct machine_process){.pid = 10, .anon_kib = 50 * MIB, .cgroup = "/g", .adj = -1000});
	machine_procs(root, "/g", "10\n");
	question.tid = 10;
	struct cgpol_forecast *forecast = ask(root, &question, &host);
	assert_int_equal(forecast->oom.outcome, OOM_NO_VICTIM);
	assert_null(cgpol_forecast_at(forecast, 0));
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

static void does_not_know_what_helps_when_memory_by_node_cannot_be_read(void **state)
{
	struct root *root = scene("1", NULL);
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	fakeroot_fail(root, "/proc/10/numa_maps", EACCES);
	fakeroot_fail(root, "/proc/10/task/10/numa_maps", EACCES);
	question.tid = 12;
	struct cgpol_forecast *forecast = ask(root, &question, &host);
	assert_int_equal(cgpol_forecast_at(forecast, 0)->pid, 10);
	assert_int_equal(forecast->oom.useful, OOM_USEFUL_UNKNOWN);
	assert_false(forecast->oom.has_freed);
	assert_int_equal(cgpol_forecast_at(forecast, 1)->pid, 12); /* the next kill is still named */
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

/* The files of a leader that has exited are empty; what the process holds is in those of a thread that lives.
 */
static void reads_what_a_process_with_a_dead_leader_holds(void **state)
{
	struct root *root = scene("1", NULL);
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 20, .comm = "z", .is_zombie = true, .threads = 2});
	fakeroot_mkdir(root, "/proc/20/task/20");
	fakeroot_mkdir(root, "/proc/20/task/21");
	machine_add(root, &(struct machine_process){
				  .pid = 21, .tgid = 20, .anon_kib = 900 * MIB, .node = 1, .threads = 2});
	question.tid = 12;
	struct cgpol_forecast *forecast = ask(root, &question, &host);
	assert_int_equal(cgpol_forecast_at(forecast, 0)->pid, 20);
	assert_true(forecast->oom.freed_bytes == 900ULL << 20);
	assert_int_equal(forecast->oom.useful, OOM_USEFUL);
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

static void sees_growers_however_few_candidates_are_shown(void **state)
{
	struct root *root = scene("1", NULL);
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;

	(void)state;
	fakeroot_put(root, "/proc/11/statm",
		     "999999 99999 0 0 0 0 0\n"); /* b, of 76,800 pages at the census */
	question.tid = 12;
	struct cgpol_forecast *forecast = ask(root, &question, &host); /* shows one */
	assert_int_equal(forecast->oom.certainty, OOM_LIKELY);
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

static void reads_memory_by_node_of_few_processes_only(void **state)
{
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_forecast *forecast = NULL;
	struct cgpol_host *host = NULL;
	size_t read = 0;

	(void)state;
	question.tid = 12;
	assert_int_equal(host_open_root(scene("1", NULL), &host, NULL), 0);
	assert_int_equal(forecast_make(host, &question, 1, &forecast, NULL), 0);
	const struct oom_snapshot *values = snapshot_values(forecast->snapshot);
	for (size_t i = 0; i < values->tasks; i++)
		read += values->task[i].shares_tried;
	assert_int_equal(read, 2); /* a and c; not b, not init */
	cgpol_forecast_free(forecast);
	cgpol_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kills_the_largest_first_which_frees_nothing_there_and_the_guilty_second),
		cmocka_unit_test(kills_the_right_one_when_the_large_one_is_out_of_reach),
		cmocka_unit_test(foretells_a_whole_group),
		cmocka_unit_test(names_nobody_when_nobody_can_be_killed),
		cmocka_unit_test(does_not_know_what_helps_when_memory_by_node_cannot_be_read),
		cmocka_unit_test(reads_what_a_process_with_a_dead_leader_holds),
		cmocka_unit_test(sees_growers_however_few_candidates_are_shown),
		cmocka_unit_test(reads_memory_by_node_of_few_processes_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
