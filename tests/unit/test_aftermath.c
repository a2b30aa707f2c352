/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is found of each kind of step, when it is done, not done, changed again, or gone. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "journals.h"
#include "policy/aftermath.h"

#define STR(text) ((char *)(uintptr_t)(text))
#define CG "/sys/fs/cgroup"

static struct root *kernel;
static struct cgpol_host *host;

static int open_host(void **state)
{
	(void)state;
	kernel = fakekernel_new(NULL);
	return host_open_root(kernel, &host, NULL);
}

static int close_host(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void finds_all(const struct step *step, size_t steps, enum journal_state end,
		      const enum recover_finding *should)
{
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(recovery_clear) struct recovery recovery = {0};

	journals_make(host, step, steps, end, &journal);
	assert_int_equal(aftermath_look(host, &journal, &recovery), 0);
	assert_int_equal(recovery.entries, steps);
	for (size_t i = 0; i < steps; i++) {
		if (recovery.finding[i] != should[i])
			fail_msg("step %zu is found %d, not %d", i, (int)recovery.finding[i], (int)should[i]);
	}
}

static void finds(struct step step, enum journal_state end, enum recover_finding should)
{
	finds_all(&step, 1, end, &should);
}

static struct step value(const char *old, const char *new)
{
	return (struct step){.op = STEP_SET,
			     .cgroup = STR("/a"),
			     .file = STR("memory.max"),
			     .old_value = STR(old),
			     .new_value = STR(new)};
}

static void a_value_is_put_back_only_while_it_is_what_was_written(void **state)
{
	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.max=8192", NULL);
	finds(value("max", "8192"), JOURNAL_DONE, RECOVER_PUT_BACK);
	finds(value("8192", "4096"), JOURNAL_OPEN, RECOVER_NOTHING);
	finds(value("max", "4096"), JOURNAL_DONE, RECOVER_CHANGED);
	finds(value("max", "8192"), JOURNAL_FAILED, RECOVER_NOTHING);
	finds((struct step){.op = STEP_SET,
			    .cgroup = STR("/b"),
			    .file = STR("memory.max"),
			    .old_value = STR("max"),
			    .new_value = STR("1")},
	      JOURNAL_DONE, RECOVER_GONE);
}

static void one_that_was_written_twice_is_looked_at_as_one(void **state)
{
	const struct step twice[] = {value("16384", "8192"), value("8192", "4096")};
	const struct step around[] = {value("8192", "4096"), value("4096", "8192")};

	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.max=4096", NULL);
	finds_all(twice, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_PUT_BACK});
	assert_int_equal(fakekernel_poke(kernel, "/a", "memory.max", "8192"), 0);
	finds_all(twice, 2, JOURNAL_OPEN, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_NOTHING});
	/* Lowered for a while: it need not be lowered again on the way back. */
	finds_all(around, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_NOTHING, RECOVER_NOTHING});
	assert_int_equal(fakekernel_poke(kernel, "/a", "memory.max", "16384"), 0);
	finds_all(twice, 2, JOURNAL_OPEN, (enum recover_finding[]){RECOVER_NOTHING, RECOVER_NOTHING});
}

static void a_cgroup_is_removed_when_it_is_ours_and_nobody_is_in_it(void **state)
{
	const struct step make = {.op = STEP_MKDIR, .cgroup = STR("/a")};

	(void)state;
	finds(make, JOURNAL_OPEN, RECOVER_NOTHING);
	finds(make, JOURNAL_DONE, RECOVER_GONE);
	fakekernel_cgroup(kernel, "/a", NULL);
	/* Killed before it could mark it; but what is done has its mark, or is another's. */
	finds(make, JOURNAL_OPEN, RECOVER_PUT_BACK);
	finds(make, JOURNAL_DONE, RECOVER_CHANGED);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	finds(make, JOURNAL_DONE, RECOVER_PUT_BACK);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds(make, JOURNAL_DONE, RECOVER_STAYS);
	fakekernel_end(kernel, 101);
	assert_int_equal(fakekernel_poke(kernel, "/a/theirs", NULL, NULL), 0);
	finds(make, JOURNAL_DONE, RECOVER_STAYS);
}

static void an_unmarked_one_with_settings_is_not_removed(void **state)
{
	const struct step make = {.op = STEP_MKDIR, .cgroup = STR("/a")};

	(void)state;
	fakekernel_cgroup(kernel, "/a", "pids.max=7", NULL);
	finds(make, JOURNAL_OPEN, RECOVER_NOTHING);
}

static void processes_that_go_back_do_not_hold_a_cgroup(void **state)
{
	const struct step steps[] = {
		{.op = STEP_MKDIR, .cgroup = STR("/a")},
		{.op = STEP_ATTACH, .cgroup = STR("/a"), .old_value = STR("/from"), .pid = 101},
	};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	fakekernel_cgroup(kernel, "/from", NULL);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_PUT_BACK});
	/* But they do when there is no way back. */
	assert_int_equal(fakekernel_rmdir(kernel, "/from"), 0);
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_STAYS, RECOVER_STAYS});
}

static void a_process_is_moved_back_from_where_it_was_put(void **state)
{
	struct step move = {.op = STEP_ATTACH, .cgroup = STR("/a"), .old_value = STR("/b"), .pid = 101};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	fakekernel_cgroup(kernel, "/b", NULL);
	fakekernel_cgroup(kernel, "/c", NULL);
	finds(move, JOURNAL_DONE, RECOVER_GONE);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds(move, JOURNAL_DONE, RECOVER_PUT_BACK);
	assert_int_equal(fakekernel_poke(kernel, "/c", "cgroup.procs", "101"), 0);
	finds(move, JOURNAL_DONE, RECOVER_CHANGED);
	assert_int_equal(fakekernel_poke(kernel, "/b", "cgroup.procs", "101"), 0);
	finds(move, JOURNAL_OPEN, RECOVER_NOTHING);
	move.old_value = NULL;
	finds(move, JOURNAL_DONE, RECOVER_LOST);
	/* Another process with its number. */
	move.start_time = 1;
	finds(move, JOURNAL_DONE, RECOVER_GONE);
}

static void a_controller_stays_on_for_those_who_use_it(void **state)
{
	const struct step enable = {.op = STEP_ENABLE,
				    .cgroup = STR("/"),
				    .file = STR("cgroup.subtree_control"),
				    .old_value = STR("cpu"),
				    .new_value = STR("+memory")};
	struct step theirs = enable;

	(void)state;
	finds(enable, JOURNAL_OPEN, RECOVER_NOTHING);
	assert_int_equal(fakekernel_poke(kernel, "/", "cgroup.subtree_control", "+memory +cpu"), 0);
	assert_int_equal(fakekernel_poke(kernel, "/bare", NULL, NULL), 0);
	finds(enable, JOURNAL_DONE, RECOVER_PUT_BACK);
	assert_false(aftermath_is_used(host, "/", "memory"));
	assert_int_equal(fakekernel_poke(kernel, "/bare", "cpu.weight", "7"), 0);
	finds(enable, JOURNAL_DONE, RECOVER_PUT_BACK);
	assert_true(aftermath_is_used(host, "/", "cpu"));
	assert_int_equal(fakekernel_poke(kernel, "/bare", "memory.low", "4096"), 0);
	finds(enable, JOURNAL_DONE, RECOVER_STAYS);
	assert_int_equal(fakekernel_poke(kernel, "/bare", "memory.low", "0"), 0);
	assert_int_equal(fakekernel_poke(kernel, "/bare", "cgroup.subtree_control", "+memory"), 0);
	finds(enable, JOURNAL_DONE, RECOVER_STAYS);
	assert_int_equal(fakekernel_poke(kernel, "/bare", "cgroup.subtree_control", "-memory"), 0);
	assert_int_equal(root_set_xattr(kernel, CG "/bare", MARK_ATTRIBUTE, "run 12 34"), 0);
	finds(enable, JOURNAL_DONE, RECOVER_STAYS);
	/* It was on before. */
	theirs.old_value = STR("cpu memory");
	finds(theirs, JOURNAL_DONE, RECOVER_NOTHING);
}

static void the_type_goes_with_a_cgroup_that_was_made(void **state)
{
	const struct step steps[] = {
		{.op = STEP_MKDIR, .cgroup = STR("/a")},
		{.op = STEP_THREADED,
		 .cgroup = STR("/a"),
		 .old_value = STR("domain"),
		 .new_value = STR("threaded")},
	};

	(void)state;
	assert_int_equal(fakekernel_poke(kernel, "/a", NULL, NULL), 0);
	finds(steps[1], JOURNAL_OPEN, RECOVER_NOTHING);
	assert_int_equal(fakekernel_poke(kernel, "/a", "cgroup.type", "threaded"), 0);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	finds(steps[1], JOURNAL_DONE, RECOVER_LOST);
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_PUT_BACK});
}

static void a_value_of_a_made_cgroup_goes_or_stays_with_it(void **state)
{
	const struct step steps[] = {
		{.op = STEP_MKDIR, .cgroup = STR("/a")},
		value(NULL, "8192"),
	};

	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.max=8192", NULL);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_PUT_BACK});
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_STAYS, RECOVER_STAYS});
}

static void a_removed_cgroup_is_made_again_unless_others_did(void **state)
{
	struct step gone = {.op = STEP_RMDIR, .cgroup = STR("/a"), .old_value = STR("owner 0:0\n")};
	const struct step above = {.op = STEP_RMDIR, .cgroup = STR("/x/a"), .old_value = STR("owner 0:0\n")};

	(void)state;
	finds(gone, JOURNAL_DONE, RECOVER_PUT_BACK);
	finds(above, JOURNAL_DONE, RECOVER_GONE);
	fakekernel_cgroup(kernel, "/a", "pids.max=7", NULL);
	finds(gone, JOURNAL_OPEN, RECOVER_NOTHING);
	finds(gone, JOURNAL_DONE, RECOVER_CHANGED);
	gone.old_value = NULL;
	finds(gone, JOURNAL_OPEN, RECOVER_NOTHING);
}

static void a_value_in_a_removed_cgroup_comes_back_with_it(void **state)
{
	const struct step steps[] = {
		value("max", "8192"),
		{.op = STEP_RMDIR, .cgroup = STR("/a"), .old_value = STR("owner 0:0\nset memory.max 8192\n")},
	};

	(void)state;
	finds_all(steps, 2, JOURNAL_DONE, (enum recover_finding[]){RECOVER_PUT_BACK, RECOVER_PUT_BACK});
}

static void what_cannot_come_back_is_lost(void **state)
{
	const struct step kill = {.op = STEP_KILL, .cgroup = STR("/a")};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds(kill, JOURNAL_OPEN, RECOVER_NOTHING); /* they live */
	fakekernel_end(kernel, 101);
	finds(kill, JOURNAL_DONE, RECOVER_LOST);
	finds((struct step){.op = STEP_RECLAIM, .cgroup = STR("/a"), .new_value = STR("4096")}, JOURNAL_DONE,
	      RECOVER_LOST);
	finds((struct step){.op = STEP_CHECK,
			    .cgroup = STR("/a"),
			    .file = STR("memory.current"),
			    .new_value = STR("4096")},
	      JOURNAL_DONE, RECOVER_NOTHING);
}

static void settings_of_processes_and_of_the_machine(void **state)
{
	struct step adj = {.op = STEP_TASK,
			   .file = STR("oom_score_adj"),
			   .pid = 101,
			   .old_value = STR("5"),
			   .new_value = STR("0")};
	const struct step swap = {.op = STEP_HOST,
				  .file = STR("/proc/sys/vm/swappiness"),
				  .old_value = STR("10"),
				  .new_value = STR("60")};

	(void)state;
	finds(adj, JOURNAL_DONE, RECOVER_GONE);
	fakekernel_cgroup(kernel, "/a", NULL);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	finds(adj, JOURNAL_DONE, RECOVER_PUT_BACK);
	adj.new_value = STR("7");
	finds(adj, JOURNAL_DONE, RECOVER_CHANGED);
	finds(swap, JOURNAL_DONE, RECOVER_PUT_BACK);
}

static void a_configuration_file_is_looked_at_byte_for_byte(void **state)
{
	struct step save = {.op = STEP_SAVE, .file = STR("/etc/sysctl.d/c.conf"), .new_value = STR("a\n")};

	(void)state;
	finds(save, JOURNAL_OPEN, RECOVER_NOTHING);
	fakekernel_put(kernel, "/etc/sysctl.d/c.conf", "a\n");
	finds(save, JOURNAL_DONE, RECOVER_PUT_BACK);
	save.new_value = STR("b\n");
	finds(save, JOURNAL_DONE, RECOVER_CHANGED);
	save.old_value = STR("a\n");
	finds(save, JOURNAL_DONE, RECOVER_NOTHING);
}

static void memory_that_runs_out_leaves_the_findings_alone(void **state)
{
	const struct step steps[] = {
		{.op = STEP_MKDIR, .cgroup = STR("/b")},
		value("max", "8192"),
		{.op = STEP_ATTACH, .cgroup = STR("/a"), .old_value = STR("/b"), .pid = 101},
	};
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(recovery_clear) struct recovery recovery = {0};
	unsigned failures = 0;

	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.max=8192", NULL);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	journals_make(host, steps, ARRAY_SIZE(steps), JOURNAL_DONE, &journal);
	for (unsigned n = 1; n < 30; n++) {
		int rc;

		fakekernel_fail_nth(kernel, FAKEKERNEL_READS, n, ENOMEM);
		rc = aftermath_look(host, &journal, &recovery);
		fakekernel_fail_nth(kernel, FAKEKERNEL_READS, 0, 0);
		assert_true(rc == 0 || (rc == -ENOMEM && !recovery.finding));
		failures += rc < 0;
		recovery_clear(&recovery);
	}
	assert_true(failures > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_host, close_host)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_value_is_put_back_only_while_it_is_what_was_written),
		TEST(one_that_was_written_twice_is_looked_at_as_one),
		TEST(a_cgroup_is_removed_when_it_is_ours_and_nobody_is_in_it),
		TEST(an_unmarked_one_with_settings_is_not_removed),
		TEST(processes_that_go_back_do_not_hold_a_cgroup),
		TEST(a_process_is_moved_back_from_where_it_was_put),
		TEST(a_controller_stays_on_for_those_who_use_it),
		TEST(the_type_goes_with_a_cgroup_that_was_made),
		TEST(a_value_of_a_made_cgroup_goes_or_stays_with_it),
		TEST(a_removed_cgroup_is_made_again_unless_others_did),
		TEST(a_value_in_a_removed_cgroup_comes_back_with_it),
		TEST(memory_that_runs_out_leaves_the_findings_alone),
		TEST(what_cannot_come_back_is_lost),
		TEST(settings_of_processes_and_of_the_machine),
		TEST(a_configuration_file_is_looked_at_byte_for_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
