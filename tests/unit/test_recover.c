/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking a change back: what is refused before anything is touched, what is told, and what may fail. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "journals.h"
#include "policy/recover.h"

#define STR(text) ((char *)(uintptr_t)(text))
#define CG "/sys/fs/cgroup"

static struct root *kernel;
static struct cgpol_host *host;
static struct journal journal;
static struct recovery recovery;
static struct cgpol_error err;

static int open_host(void **state)
{
	(void)state;
	kernel = fakekernel_new(NULL);
	err = (struct cgpol_error){0};
	return host_open_root(kernel, &host, NULL);
}

static int close_host(void **state)
{
	(void)state;
	journal_clear(&journal);
	recovery_clear(&recovery);
	cgpol_host_free(host);
	return 0;
}

static const struct step limits[] = {
	{.op = STEP_SET,
	 .cgroup = STR("/a"),
	 .file = STR("memory.high"),
	 .old_value = STR("max"),
	 .new_value = STR("4096")},
	{.op = STEP_SET,
	 .cgroup = STR("/a"),
	 .file = STR("memory.max"),
	 .old_value = STR("max"),
	 .new_value = STR("8192")},
};

static void made(const struct step *step, size_t steps)
{
	journal_clear(&journal);
	journals_make(host, step, steps, JOURNAL_DONE, &journal);
}

static void with_limits(void)
{
	fakekernel_cgroup(kernel, "/a", "memory.high=4096", "memory.max=8192", NULL);
	made(limits, ARRAY_SIZE(limits));
}

static void assert_file(const char *path, const char *should)
{
	AUTO(free_p) char *text = NULL;

	assert_int_equal(root_read(kernel, path, &text, NULL), 0);
	assert_string_equal(text, should);
}

static int apply(bool is_forced)
{
	return recover_apply(host, &journal, is_forced, &recovery, &err);
}

static void looking_changes_nothing(void **state)
{
	unsigned before;

	(void)state;
	with_limits();
	before = fakekernel_accesses(kernel, FAKEKERNEL_CHANGES);
	assert_int_equal(recover_look(host, &journal, &recovery, &err), 0);
	assert_int_equal(fakekernel_accesses(kernel, FAKEKERNEL_CHANGES), before);
	assert_int_equal(recovery.finding[0], RECOVER_PUT_BACK);
	assert_string_equal(recovery.now[1], "8192");
}

static void every_value_is_put_back_in_reverse(void **state)
{
	(void)state;
	with_limits();
	assert_int_equal(apply(false), 0);
	assert_file(CG "/a/memory.high", "max");
	assert_file(CG "/a/memory.max", "max");
	assert_string_equal(recovery.now[0], "max");
}

static void one_value_that_was_changed_since_keeps_all_as_it_is(void **state)
{
	(void)state;
	with_limits();
	assert_int_equal(fakekernel_poke(kernel, "/a", "memory.high", "16384"), 0);
	assert_int_equal(apply(false), -ESTALE);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_string_equal(
		err.text, "memory.high of cgroup /a is \"16384\": neither what the change wrote nor what was "
			  "there before");
	assert_non_null(strstr(err.hint, "--force"));
	assert_file(CG "/a/memory.max", "8192");
	assert_int_equal(apply(true), 0);
	assert_file(CG "/a/memory.high", "max");
	assert_file(CG "/a/memory.max", "max");
}

static void a_process_that_was_moved_on_is_moved_back_by_force(void **state)
{
	const struct step move = {.op = STEP_ATTACH, .cgroup = STR("/a"), .old_value = STR("/b"), .pid = 101};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	fakekernel_cgroup(kernel, "/b", NULL);
	fakekernel_cgroup(kernel, "/c", NULL);
	assert_int_equal(fakekernel_start(kernel, "/c", 101), 0);
	made(&move, 1);
	assert_int_equal(apply(false), -ESTALE);
	assert_non_null(strstr(err.text, "process 101 is \"/c\""));
	assert_int_equal(apply(true), 0);
	assert_string_equal(fakekernel_where(kernel, 101), "/b");
}

static void what_others_use_by_now_stays_and_is_named(void **state)
{
	const struct step steps[] = {
		{.op = STEP_ENABLE,
		 .cgroup = STR("/"),
		 .file = STR("cgroup.subtree_control"),
		 .old_value = STR(""),
		 .new_value = STR("+memory")},
		{.op = STEP_MKDIR, .cgroup = STR("/a")},
	};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	fakekernel_cgroup(kernel, "/b", "memory.max=4096", NULL);
	made(steps, 2);
	assert_int_equal(apply(false), -EBUSY);
	assert_int_equal(err.kind, CGPOL_PARTIAL);
	assert_string_equal(err.text,
			    "change 20261130T221721-1234 is taken back, but cgroup /a and 1 more stays");
	fakekernel_end(kernel, 101);
	assert_int_equal(apply(false), -EBUSY);
	assert_string_equal(err.text,
			    "change 20261130T221721-1234 is taken back, but controller memory, which others "
			    "use by now, stays");
	assert_int_equal(recovery.finding[1], RECOVER_PUT_BACK);
}

static void an_empty_cpuset_with_processes_gets_what_has_the_same_effect(void **state)
{
	const struct step step = {.op = STEP_SET,
				  .cgroup = STR("/a"),
				  .file = STR("cpuset.cpus"),
				  .old_value = STR(""),
				  .new_value = STR("1")};

	(void)state;
	fakekernel_cgroup(kernel, "/a", "cpuset.cpus=1", NULL);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	made(&step, 1);
	/* Only the first write; the second one is the wider list. */
	fakekernel_fail_nth(kernel, FAKEKERNEL_CHANGES, 1, ENOSPC);
	assert_int_equal(apply(false), -EBUSY);
	assert_int_equal(err.kind, CGPOL_PARTIAL);
	assert_non_null(strstr(err.text,
			       "cpuset.cpus of cgroup /a, which cannot be emptied while processes are in it, "
			       "stays"));
	assert_file(CG "/a/cpuset.cpus", "0-3");
	/* Killed before it was written down, and done again. */
	assert_int_equal(apply(false), -EBUSY);
	assert_file(CG "/a/cpuset.cpus", "0-3");
}

static void a_failure_leaves_no_other_step_behind(void **state)
{
	(void)state;
	with_limits();
	fakekernel_fail(kernel, FAKEKERNEL_CHANGES, CG "/a/memory.max", EACCES);
	assert_int_equal(apply(false), -EACCES);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "taking change 20261130T221721-1234 back: "));
	assert_non_null(strstr(err.text, "memory.max"));
	assert_file(CG "/a/memory.high", "max");
	assert_int_equal(recovery.finding[1], RECOVER_STAYS);
	fakekernel_fail(kernel, FAKEKERNEL_CHANGES, CG "/a/memory.max", 0);
	assert_int_equal(apply(false), 0);
}

/* What others do between the write and the look at it. */
static void spoil(void *arg, unsigned access, const char *path)
{
	unsigned *writes = arg;

	if (access != FAKEKERNEL_CHANGES && *writes > 0 && strcmp(path, CG "/a/memory.high") == 0)
		(void)fakekernel_poke(kernel, "/a", "memory.high", "12288");
	if (access == FAKEKERNEL_CHANGES)
		++*writes;
}

static void a_file_that_does_not_hold_what_it_held_is_told(void **state)
{
	unsigned writes = 0;

	(void)state;
	with_limits();
	fakekernel_hook(kernel, spoil, &writes);
	assert_int_equal(apply(false), -EIO);
	fakekernel_hook(kernel, NULL, NULL);
	assert_non_null(strstr(err.text, "memory.high of cgroup /a is \"12288\" after it was put back"));
	assert_file(CG "/a/memory.max", "max");
}

static void every_failing_change_and_read_is_survived(void **state)
{
	static const unsigned kinds[] = {FAKEKERNEL_CHANGES, FAKEKERNEL_READS};

	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	made(limits, ARRAY_SIZE(limits));
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		for (unsigned n = 1; n < 40; n++) {
			assert_int_equal(fakekernel_poke(kernel, "/a", "memory.high", "4096"), 0);
			assert_int_equal(fakekernel_poke(kernel, "/a", "memory.max", "8192"), 0);
			fakekernel_fail_nth(kernel, kinds[kind], n, EIO);
			(void)apply(false);
			fakekernel_fail_nth(kernel, kinds[kind], 0, 0);
			err = (struct cgpol_error){0};
			if (apply(false) < 0)
				fail_msg("after access %u: %s", n, err.text);
			assert_file(CG "/a/memory.high", "max");
			assert_file(CG "/a/memory.max", "max");
		}
	}
}

static void another_mount_is_refused(void **state)
{
	(void)state;
	with_limits();
	free(journal.mount);
	journal.mount = strdup("/sys/fs/cgroup /box");
	assert_int_equal(apply(true), -EXDEV);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(err.text, "cgroup2 is mounted elsewhere"));
	assert_file(CG "/a/memory.max", "8192");
}

static void after_a_boot_only_files_are_left(void **state)
{
	const struct step steps[] = {
		{.op = STEP_HOST,
		 .file = STR("/proc/sys/vm/swappiness"),
		 .old_value = STR("10"),
		 .new_value = STR("60")},
		{.op = STEP_SAVE,
		 .file = STR("/etc/sysctl.d/c.conf"),
		 .old_value = STR("b\n"),
		 .new_value = STR("a\n")},
	};

	(void)state;
	fakekernel_put(kernel, "/proc/sys/kernel/random/boot_id", "this");
	with_limits();
	free(journal.boot);
	journal.boot = strdup("that");
	assert_int_equal(apply(true), -EXDEV);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(err.text, "the machine was booted since"));

	fakekernel_put(kernel, "/etc/sysctl.d/c.conf", "a\n");
	made(steps, 2);
	free(journal.boot);
	journal.boot = strdup("that");
	assert_int_equal(apply(false), 0);
	assert_int_equal(recovery.finding[0], RECOVER_GONE);
	assert_file("/proc/sys/vm/swappiness", "60");
	assert_file("/etc/sysctl.d/c.conf", "b");
}

static void a_change_whose_cgpol_lives_is_left_alone(void **state)
{
	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.high=4096", "memory.max=8192", NULL);
	assert_int_equal(fakekernel_start(kernel, "/a", 101), 0);
	journals_make(host, limits, 2, JOURNAL_OPEN, &journal);
	journal.pid = 101;
	{
		AUTO(free_p) char *stat = NULL;
		const char *at;
		char *save;

		assert_int_equal(root_read(kernel, "/proc/101/stat", &stat, NULL), 0);
		at = strtok_r(strrchr(stat, ')'), " ", &save);
		for (unsigned i = 0; i < 20; i++)
			at = strtok_r(NULL, " ", &save);
		journal.start_time = strtoull(at, NULL, 10);
	}
	assert_true(recover_is_running(host, &journal));
	assert_int_equal(apply(true), -EBUSY);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(
		strstr(err.text, "cgpol (process 101) is still at work on change 20261130T221721-1234"));
	journal.start_time++;
	assert_false(recover_is_running(host, &journal));
	assert_int_equal(apply(false), 0);
	assert_file(CG "/a/memory.max", "max");
}

static void memory_that_runs_out_is_told(void **state)
{
	(void)state;
	with_limits();
	fakekernel_fail(kernel, FAKEKERNEL_READS, CG "/a/memory.max", ENOMEM);
	assert_int_equal(apply(false), -ENOMEM);
	assert_null(recovery.finding);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_host, close_host)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(looking_changes_nothing),
		TEST(every_value_is_put_back_in_reverse),
		TEST(one_value_that_was_changed_since_keeps_all_as_it_is),
		TEST(a_process_that_was_moved_on_is_moved_back_by_force),
		TEST(what_others_use_by_now_stays_and_is_named),
		TEST(an_empty_cpuset_with_processes_gets_what_has_the_same_effect),
		TEST(a_failure_leaves_no_other_step_behind),
		TEST(a_file_that_does_not_hold_what_it_held_is_told),
		TEST(every_failing_change_and_read_is_survived),
		TEST(another_mount_is_refused),
		TEST(after_a_boot_only_files_are_left),
		TEST(a_change_whose_cgpol_lives_is_left_alone),
		TEST(memory_that_runs_out_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
