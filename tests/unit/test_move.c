/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes and threads get where they are to go, and each that does not is told. */
#include "test.h"

#include "act/move.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"
#include "tree.h"

static struct root *root;
static struct cgpol_host *host;
static struct change *change;
static struct moves moves;
static struct cgpol_error err;
static char *tree;

static int set_up(void **state)
{
	struct change_setup setup = {.command = "cgpol move"};

	(void)state;
	tree = tree_make();
	setup.state = tree_path(tree, "state");
	root = fakekernel_new(NULL);
	fakekernel_cgroup(root, "/a", NULL);
	fakekernel_cgroup(root, "/b", NULL);
	assert_int_equal(fakekernel_start(root, "/", 1), 0);
	for (pid_t pid = 10; pid <= 13; pid++)
		assert_int_equal(fakekernel_start(root, "/a", pid), 0);
	err = (struct cgpol_error){0};
	change = NULL;
	if (host_open_root(root, &host, &err) < 0 || change_open(host, &setup, &change, &err) < 0)
		fail_msg("%s", err.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	change_close(change);
	moves_clear(&moves);
	cgpol_host_free(host);
	tree_remove(tree);
	return 0;
}

static const char *where(pid_t pid)
{
	const char *name = fakekernel_where(root, pid);

	return name ? name : "gone";
}

/* "10 moved, 11 denied" */
static const char *results(void)
{
	static char text[512];

	*text = '\0';
	for (size_t i = 0; i < moves.count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d %s", i ? ", " : "",
			       (int)moves.moved[i].pid, move_result_name(moves.moved[i].result));
	return text;
}

static void run(const struct move_request *request, const char *expected)
{
	if (move(host, change, request, &moves, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(results(), expected);
}

static void named_processes_are_moved_and_each_is_told(void **state)
{
	static const pid_t pids[] = {11, 10, 99};
	const struct move_request request = {.pid = pids, .pids = 3, .to = "/b"};

	(void)state;
	fakekernel_comm(root, 11, "db");
	run(&request, "11 moved, 10 moved, 99 gone");
	assert_string_equal(where(10), "/b");
	assert_string_equal(where(11), "/b");
	assert_string_equal(where(12), "/a");
	assert_string_equal(moves.moved[0].comm, "db");
	assert_string_equal(moves.moved[0].from, "/a");
	assert_int_equal(change_commit(change, &err), 0);
}

static void one_that_is_there_already_is_left_alone(void **state)
{
	static const pid_t pids[] = {10};
	const struct move_request request = {.pid = pids, .pids = 1, .to = "/a"};
	unsigned before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);

	(void)state;
	run(&request, "10 there");
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
	assert_null(change_id(change));
}

static void a_denied_one_does_not_stop_the_others(void **state)
{
	static const pid_t pids[] = {10, 11, 12};
	const struct move_request request = {.pid = pids, .pids = 3, .to = "/b"};

	(void)state;
	fakekernel_behave(root, 10, FAKEKERNEL_KTHREAD);
	fakekernel_behave(root, 11, FAKEKERNEL_FOREIGN);
	run(&request, "10 denied, 11 denied, 12 moved");
	assert_non_null(strstr(moves.moved[0].why.text, "kernel thread"));
	assert_int_equal(moves.moved[0].why.code, EINVAL);
	assert_true(*moves.moved[1].why.text);
	assert_string_equal(where(11), "/a");
	assert_int_equal(change_commit(change, &err), 0);
	assert_string_equal(where(12), "/b");
}

static void init_is_moved_only_by_force(void **state)
{
	static const pid_t pids[] = {1};
	struct move_request request = {.pid = pids, .pids = 1, .to = "/b"};

	(void)state;
	run(&request, "1 denied");
	assert_string_equal(where(1), "/");
	moves_clear(&moves);
	request.is_forced = true;
	run(&request, "1 moved");
}

static void a_zombie_counts_as_gone(void **state)
{
	static const pid_t pids[] = {10};
	const struct move_request request = {.pid = pids, .pids = 1, .to = "/b"};

	(void)state;
	fakekernel_behave(root, 10, FAKEKERNEL_ZOMBIE);
	run(&request, "10 gone");
}

/* The kernel leaves one that is exiting where it is, and says nothing: here by refusing it. */
static void one_that_is_exiting_counts_as_gone(void **state)
{
	static const pid_t pids[] = {10};
	const struct move_request request = {.pid = pids, .pids = 1, .to = "/b"};
	AUTO(free_p) char *stat = NULL;
	char *flags;

	(void)state;
	assert_int_equal(root_read(root, "/proc/10/stat", &stat, NULL), 0);
	/* Field 9, behind ") S ppid pgrp session tty tpgid". */
	flags = strrchr(stat, ')') + 2;
	for (int field = 3; field < 9; field++)
		flags = strchr(flags, ' ') + 1;
	assert_int_equal(strncmp(flags, "4194304 ", 8), 0);
	flags[6] = '8'; /* and PF_EXITING, 4 */
	fakekernel_put(root, "/proc/10/stat", stat);
	fakekernel_behave(root, 10, FAKEKERNEL_FOREIGN);
	run(&request, "10 gone");
}

/* What a hook does while the move runs. */
static struct {
	unsigned forks_left;
	pid_t next;
} fork_bomb;

static void fork_at_each_attach(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access != FAKEKERNEL_CHANGES || strcmp(path, "/sys/fs/cgroup/b/cgroup.procs") != 0 ||
	    fork_bomb.forks_left == 0)
		return;
	fork_bomb.forks_left--;
	assert_int_equal(fakekernel_start(root, "/a", fork_bomb.next++), 0);
}

static void a_cgroup_is_emptied_round_by_round(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS};

	(void)state;
	fork_bomb.forks_left = 2;
	fork_bomb.next = 20;
	fakekernel_hook(root, fork_at_each_attach, NULL);
	run(&request, "10 moved, 11 moved, 12 moved, 13 moved, 20 moved, 21 moved");
	assert_int_equal(moves.left, 0);
	assert_true(moves.rounds >= 2);
	assert_string_equal(where(21), "/b");
	assert_int_equal(change_commit(change, &err), 0);
}

static void one_that_fills_up_again_is_given_up(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .rounds = 3};

	(void)state;
	fork_bomb.forks_left = 1000;
	fork_bomb.next = 20;
	fakekernel_hook(root, fork_at_each_attach, NULL);
	if (move(host, change, &request, &moves, &err) < 0)
		fail_msg("%s", err.text);
	fakekernel_hook(root, NULL, NULL);
	assert_int_equal(moves.rounds, 3);
	assert_int_equal(moves.count, 12);
	assert_int_equal(moves.left, 4);
}

static void a_denied_one_is_tried_once_and_is_left(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS};

	(void)state;
	fakekernel_behave(root, 11, FAKEKERNEL_FOREIGN);
	run(&request, "10 moved, 11 denied, 12 moved, 13 moved");
	assert_int_equal(moves.left, 1);
}

static void only_those_that_match_are_moved(void **state)
{
	struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS, .match = "^pg_"};

	(void)state;
	fakekernel_comm(root, 10, "pg_writer");
	fakekernel_comm(root, 11, "my_pg_");
	fakekernel_comm(root, 12, "pg_");
	run(&request, "10 moved, 12 moved");
	assert_int_equal(moves.left, 0);
	request.match = NULL;
	request.comm = "my_pg_";
	run(&request, "10 moved, 12 moved, 11 moved");
	assert_string_equal(where(13), "/a");
}

static void a_bad_pattern_is_the_users_fault(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .match = "("};

	(void)state;
	assert_int_equal(move(host, change, &request, &moves, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(moves.count, 0);
}

static void without_a_change_it_only_tells(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS};
	unsigned before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);

	(void)state;
	if (move(host, NULL, &request, &moves, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(results(), "10 planned, 11 planned, 12 planned, 13 planned");
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
	assert_int_equal(moves.plans, 1);
	assert_int_equal(moves.plan[0]->steps, 4);
	assert_int_equal(moves.plan[0]->step[3].pid, 13);
	assert_true(moves.plan[0]->step[3].is_optional);
	assert_string_equal(moves.plan[0]->step[3].old_value, "/a");
}

static void expect_failure(const struct move_request *request, int rc, int kind, const char *part)
{
	assert_int_equal(move(host, change, request, &moves, &err), rc);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
}

static void a_cgroup_that_takes_none_fails_as_a_whole(void **state)
{
	static const pid_t pids[] = {10};
	struct move_request request = {.pid = pids, .pids = 1, .to = "/none"};

	(void)state;
	expect_failure(&request, -ENOENT, CGPOL_FAILED, "no such cgroup");
	fakekernel_cgroup(root, "/c/d", NULL);
	request.to = "/c";
	expect_failure(&request, -EBUSY, CGPOL_REFUSED, "/c");
	request = (struct move_request){.from = "/none", .to = "/b"};
	expect_failure(&request, -ENOENT, CGPOL_FAILED, "/none");
	assert_string_equal(where(10), "/a");
}

static void a_thread_is_not_taken_for_its_process(void **state)
{
	static const pid_t pids[] = {31};
	const struct move_request request = {.pid = pids, .pids = 1, .to = "/b"};

	(void)state;
	assert_int_equal(fakekernel_thread(root, 10, 31), 0);
	run(&request, "31 denied");
	assert_non_null(strstr(moves.moved[0].why.text, "31 is a thread of process 10"));
	assert_string_equal(where(10), "/a");
}

static void make_threaded(void)
{
	assert_int_equal(fakekernel_thread(root, 10, 31), 0);
	assert_int_equal(fakekernel_thread(root, 10, 32), 0);
	for (pid_t pid = 11; pid <= 13; pid++)
		fakekernel_end(root, pid);
	assert_int_equal(fakekernel_poke(root, "/a/t", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/a/t", "cgroup.type", "threaded"), 0);
}

static void a_thread_is_moved_and_those_beside_it_stay(void **state)
{
	static const pid_t tids[] = {31};
	const struct move_request request = {.pid = tids, .pids = 1, .to = "/a/t", .is_thread = true};

	(void)state;
	make_threaded();
	run(&request, "31 moved");
	assert_string_equal(where(31), "/a/t");
	assert_string_equal(where(32), "/a");
	assert_string_equal(where(10), "/a");
}

static void move_the_sibling_too(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access == FAKEKERNEL_CHANGES && strcmp(path, "/sys/fs/cgroup/a/t/cgroup.threads") == 0)
		assert_int_equal(fakekernel_poke(root, "/a/t", "cgroup.threads", "32"), 0);
}

static void a_thread_that_takes_another_with_it_fails_and_is_put_back(void **state)
{
	static const pid_t tids[] = {31};
	const struct move_request request = {.pid = tids, .pids = 1, .to = "/a/t", .is_thread = true};

	(void)state;
	make_threaded();
	fakekernel_hook(root, move_the_sibling_too, NULL);
	expect_failure(&request, -EXDEV, CGPOL_FAILED, "thread 32 of its process has moved");
	fakekernel_hook(root, NULL, NULL);
	assert_string_equal(where(31), "/a");
}

static void single_threads_do_not_go_to_an_ordinary_cgroup(void **state)
{
	static const pid_t tids[] = {10};
	const struct move_request request = {.pid = tids, .pids = 1, .to = "/b", .is_thread = true};

	(void)state;
	expect_failure(&request, -EOPNOTSUPP, CGPOL_REFUSED, "cgroup.type is \"domain\"");
}

static void all_go_back_when_the_change_does_not_end(void **state)
{
	const struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS};

	(void)state;
	run(&request, "10 moved, 11 moved, 12 moved, 13 moved");
	assert_int_equal(change_abort(change, &err), 0);
	assert_string_equal(where(10), "/a");
	assert_string_equal(where(13), "/a");
}

static void an_access_that_fails_harms_nobody(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 200; n++) {
		const struct move_request request = {.from = "/a", .to = "/b", .rounds = MOVE_ROUNDS};
		struct moves told = {0};
		struct cgpol_error why = {0};
		int rc;

		fakekernel_fail_nth(root, FAKEKERNEL_READS, n, EIO);
		rc = move(host, NULL, &request, &told, &why);
		fakekernel_fail_nth(root, FAKEKERNEL_READS, 0, 0);
		if (rc < 0)
			assert_true(*why.text);
		moves_clear(&told);
	}
	assert_string_equal(where(10), "/a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(named_processes_are_moved_and_each_is_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_there_already_is_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_denied_one_does_not_stop_the_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(init_is_moved_only_by_force, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_zombie_counts_as_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_exiting_counts_as_gone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cgroup_is_emptied_round_by_round, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_fills_up_again_is_given_up, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_denied_one_is_tried_once_and_is_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_those_that_match_are_moved, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_bad_pattern_is_the_users_fault, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_a_change_it_only_tells, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cgroup_that_takes_none_fails_as_a_whole, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_thread_is_not_taken_for_its_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_thread_is_moved_and_those_beside_it_stay, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_thread_that_takes_another_with_it_fails_and_is_put_back,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(single_threads_do_not_go_to_an_ordinary_cgroup, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(all_go_back_when_the_change_does_not_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_access_that_fails_harms_nobody, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
