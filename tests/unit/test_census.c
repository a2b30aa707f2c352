/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of libpolicy/memory/census.c: every process becomes a row, whatever happens to it meanwhile. */
#include "test.h"

#include "fakeroot.h"
#include "machine.h"
#include "memory/census.h"

struct taken {
	struct cgpol_host *host;
	struct pool pool;
	struct memcg_list memcgs;
	struct census census;
};

static void take(struct root *root, uint64_t kills, struct taken *taken)
{
	memset(taken, 0, sizeof(*taken));
	assert_int_equal(host_open_root(root, &taken->host, NULL), 0);
	assert_int_equal(memcg_list_init(&taken->memcgs), 0);
	assert_int_equal(census_take(taken->host, &taken->pool, &taken->memcgs, kills, &taken->census), 0);
}

static void release(struct taken *taken)
{
	census_clear(&taken->census);
	memcg_list_clear(&taken->memcgs);
	pool_clear(&taken->pool);
	cgpol_host_free(taken->host);
}

static const struct oom_task *row(const struct taken *taken, pid_t pid)
{
	size_t at = census_find(&taken->census, pid);

	assert_true(at != OOM_NOBODY);
	return &taken->census.task[at];
}

static void reads_every_number_in_pages(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 12,
						    .ppid = 1,
						    .comm = "db",
						    .anon_kib = 4096,
						    .file_kib = 400,
						    .shmem_kib = 40,
						    .swap_kib = 80,
						    .pgtables_kib = 64,
						    .adj = -17,
						    .score = 640,
						    .mems = "1",
						    .cgroup = "/web/db"});
	take(root, 0, &taken);
	const struct oom_task *task = row(&taken, 12);
	assert_string_equal(task->comm, "db");
	assert_int_equal(task->anon, 1024);
	assert_int_equal(task->file, 100);
	assert_int_equal(task->shmem, 10);
	assert_int_equal(task->swap, 20);
	assert_int_equal(task->pgtables, 16);
	assert_int_equal(task->adj, -17);
	assert_int_equal(task->score, 640);
	assert_true(task->has_mm);
	assert_int_equal(task->threads, 1);
	assert_true(nodeset_has(task->thread[0].mems, 1));
	assert_false(nodeset_has(task->thread[0].mems, 0));
	assert_string_equal(taken.memcgs.group[task->memcg].name, "/web/db");
	release(&taken);
}

static void orders_by_creation_not_by_pid(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 5, .start = 900}); /* pids wrapped around */
	machine_add(root, &(struct machine_process){.pid = 800, .start = 100});
	machine_add(root, &(struct machine_process){.pid = 801, .start = 100});
	take(root, 0, &taken);
	assert_int_equal(taken.census.task[0].pid, 800);
	assert_int_equal(taken.census.task[1].pid, 801);
	assert_int_equal(taken.census.task[2].pid, 5);
	release(&taken);
}

static void leaves_itself_out(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 5});
	machine_add(root, &(struct machine_process){.pid = root->facts.self});
	take(root, 0, &taken);
	assert_int_equal(taken.census.tasks, 1);
	assert_int_equal(census_find(&taken.census, root->facts.self), OOM_NOBODY);
	release(&taken);
}

static void knows_kernel_threads_and_the_init_of_the_initial_namespace_only(void **state)
{
	struct taken taken;

	(void)state;
	for (int initial = 0; initial < 2; initial++) {
		struct root *root = machine_new();
		root->facts.initial_pidns = initial;
		machine_add(root, &(struct machine_process){.pid = 1});
		machine_add(root, &(struct machine_process){.pid = 2, .is_kthread = true});
		take(root, 0, &taken);
		assert_int_equal(row(&taken, 1)->is_init, initial);
		assert_true(row(&taken, 2)->is_kthread);
		assert_false(row(&taken, 2)->has_mm);
		release(&taken);
	}
}

static void takes_the_mm_of_a_live_thread_when_the_leader_is_dead(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 20, .is_zombie = true, .threads = 2});
	machine_add(root, &(struct machine_process){.pid = 20, .tgid = 20, .is_zombie = true});
	machine_add(root, &(struct machine_process){.pid = 20, .is_zombie = true, .threads = 2});
	fakeroot_mkdir(root, "/proc/20/task/21");
	fakeroot_put(root, "/proc/20/task/21/status",
		     "Name:\tz\nState:\tS (sleeping)\nTgid:\t20\nPid:\t21\nPPid:\t1\nVmSize:\t9 "
		     "kB\nVmRSS:\t400 kB\n"
		     "RssAnon:\t400 kB\nRssFile:\t0 kB\nRssShmem:\t0 kB\nVmPTE:\t40 kB\nVmSwap:\t0 "
		     "kB\nThreads:\t2\n"
		     "SigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\nMems_allowed_list:\t0-1\n");
	take(root, 0, &taken);
	const struct oom_task *task = row(&taken, 20);
	assert_true(task->is_zombie_leader && task->has_mm);
	assert_int_equal(task->anon, 100);
	/* A dead thread has no policy any more, and none excludes nothing. */
	assert_true(task->thread[0].has_policy);
	assert_null(task->thread[0].policy);
	/* The thread that lives is kept: its files show what the leader's do not. */
	assert_int_equal(task->threads, 2);
	assert_int_equal(task->thread[1].tid, 21);
	assert_false(task->is_dying); /* though the leader itself is PF_EXITING */
	release(&taken);
}

static void has_no_mm_for_a_zombie(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 20, .is_zombie = true});
	take(root, 0, &taken);
	assert_false(row(&taken, 20)->has_mm);
	assert_false(row(&taken, 20)->is_zombie_leader);
	release(&taken);
}

static void finds_who_shares_an_mm(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	/* 10 and 12 share one; 11 was forked from 10: the same addresses, another mm. */
	machine_add(root, &(struct machine_process){.pid = 10, .stack = 0x7ffc0000});
	machine_add(root, &(struct machine_process){.pid = 11, .stack = 0x7ffc0000});
	machine_add(root, &(struct machine_process){.pid = 12, .stack = 0x7ffc0000});
	machine_add(root, &(struct machine_process){.pid = 13});
	fakeroot_share_mm(root, 10, 12);
	take(root, 0, &taken);
	assert_int_not_equal(row(&taken, 10)->mm, 0);
	assert_int_equal(row(&taken, 10)->mm, row(&taken, 12)->mm);
	assert_int_not_equal(row(&taken, 11)->mm, row(&taken, 10)->mm);
	assert_int_equal(row(&taken, 13)->mm, 0);
	release(&taken);
}

static void knows_a_vfork_child_by_its_parents_mm_and_a_score_of_zero(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 10, .stack = 0x7ffc0000});
	machine_add(root, &(struct machine_process){.pid = 11, .ppid = 10, .stack = 0x7ffc0000, .score = -1});
	machine_add(root, &(struct machine_process){.pid = 12, .ppid = 10, .stack = 0x7ffc0000});
	fakeroot_share_mm(root, 10, 11);
	fakeroot_share_mm(root, 10, 12);
	take(root, 0, &taken);
	assert_true(row(&taken, 11)->is_vfork_child);
	assert_false(row(&taken, 12)->is_vfork_child); /* a plain CLONE_VM child is a normal candidate */
	assert_false(row(&taken, 10)->is_vfork_child);
	release(&taken);
}

static void takes_a_dying_process_for_a_victim_only_where_the_killer_was_at_work(void **state)
{
	struct taken taken;

	(void)state;
	for (uint64_t kills = 0; kills < 2; kills++) {
		struct root *root = machine_new();
		machine_add(root, &(struct machine_process){.pid = 10, .is_dying = true, .anon_kib = 4});
		take(root, kills, &taken);
		assert_true(row(&taken, 10)->is_dying);
		assert_int_equal(row(&taken, 10)->is_oom_victim, kills);
		release(&taken);
	}
}

/* Whatever file of a process fails, at whatever step: the others are there, and the row says what happened.
 */
static void keeps_the_others_when_one_vanishes(void **state)
{
	static const char *const files[] = {"/proc/10/stat", "/proc/10/status", "/proc/10/oom_score_adj"};
	static const int reasons[] = {ENOENT, ESRCH, EACCES, EINVAL, EIO};
	struct taken taken;

	(void)state;
	for (size_t f = 0; f < 3; f++) {
		for (size_t r = 0; r < 5; r++) {
			struct root *root = machine_new();
			machine_add(root, &(struct machine_process){.pid = 9, .anon_kib = 40});
			machine_add(root, &(struct machine_process){.pid = 10});
			machine_add(root, &(struct machine_process){.pid = 11, .anon_kib = 80});
			fakeroot_fail(root, files[f], reasons[r]);
			take(root, 0, &taken);
			assert_int_equal(taken.census.tasks, 3);
			assert_int_equal(row(&taken, 10)->has_vanished, r < 2);
			assert_int_equal(row(&taken, 10)->is_unreadable, r >= 2);
			assert_int_equal(row(&taken, 9)->anon, 10);
			assert_int_equal(row(&taken, 11)->anon, 20);
			release(&taken);
		}
	}
}

static void adds_a_thread_once_and_reads_its_own_policy(void **state)
{
	struct root *root = machine_new();
	struct taken taken;
	size_t index, again;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 10, .threads = 2});
	machine_add(root, &(struct machine_process){.pid = 11, .tgid = 10, .policy = "bind:1", .mems = "1"});
	take(root, 0, &taken);
	struct oom_task *task = &taken.census.task[census_find(&taken.census, 10)];
	assert_int_equal(census_add_thread(taken.host, &taken.pool, task, 11, &index), 0);
	assert_int_equal(census_add_thread(taken.host, &taken.pool, task, 11, &again), 0);
	assert_int_equal(index, again);
	assert_int_equal(task->threads, 2);
	assert_int_equal(census_read_policy(taken.host, &taken.pool, task, &task->thread[index]), 0);
	assert_true(task->thread[index].has_policy);
	assert_int_equal(task->thread[index].policy->mode, MEMPOLICY_BIND);
	assert_false(nodeset_has(task->thread[index].mems, 0));
	assert_int_equal(census_add_thread(taken.host, &taken.pool, task, 99, &index), -ENOENT);
	release(&taken);
}

static void leaves_a_policy_unknown_that_may_not_be_read(void **state)
{
	struct root *root = machine_new();
	struct taken taken;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 10});
	fakeroot_fail(root, "/proc/10/numa_maps", EACCES);
	fakeroot_fail(root, "/proc/10/task/10/numa_maps", EACCES);
	take(root, 0, &taken);
	struct oom_task *task = &taken.census.task[census_find(&taken.census, 10)];
	assert_int_equal(census_read_policy(taken.host, &taken.pool, task, &task->thread[0]), 0);
	assert_false(task->thread[0].has_policy);
	release(&taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_number_in_pages),
		cmocka_unit_test(orders_by_creation_not_by_pid),
		cmocka_unit_test(leaves_itself_out),
		cmocka_unit_test(knows_kernel_threads_and_the_init_of_the_initial_namespace_only),
		cmocka_unit_test(takes_the_mm_of_a_live_thread_when_the_leader_is_dead),
		cmocka_unit_test(has_no_mm_for_a_zombie),
		cmocka_unit_test(finds_who_shares_an_mm),
		cmocka_unit_test(knows_a_vfork_child_by_its_parents_mm_and_a_score_of_zero),
		cmocka_unit_test(takes_a_dying_process_for_a_victim_only_where_the_killer_was_at_work),
		cmocka_unit_test(keeps_the_others_when_one_vanishes),
		cmocka_unit_test(adds_a_thread_once_and_reads_its_own_policy),
		cmocka_unit_test(leaves_a_policy_unknown_that_may_not_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
