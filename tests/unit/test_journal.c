/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journal: what is written down of a change is what is read again, also when the end is missing. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/journal.h"

/* The n-th allocation from now on fails; 0: none does. */
static unsigned fail_at;

static bool is_refused(void)
{
	return fail_at > 0 && --fail_at == 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size)
{
	return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return is_refused() ? NULL : __real_reallocarray(old, count, size);
}

char *__wrap_strdup(const char *text)
{
	return is_refused() ? NULL : __real_strdup(text);
}

static char bytes_command[] = "cgpol set \"/we\tb\" '\xff\n%' memory.max=1G";
static const struct journal head = {
	.id = (char *)(uintptr_t) "20261130T221721-1234",
	.command = bytes_command,
	.boot = (char *)(uintptr_t) "d2c6a9c4-0000-4000-8000-000000000001",
	.mount = (char *)(uintptr_t) "/sys/fs/cgroup /",
	.time = 1796077041,
	.uid = 1000,
	.pid = 1234,
	.start_time = 98765,
};

/* Literals: nobody writes to them. */
static char *text_of(const char *literal)
{
	return (char *)(uintptr_t)literal;
}

static const struct step steps[] = {
	{.op = STEP_MKDIR, .cgroup = (char *)(uintptr_t) "/we\tb"},
	{.op = STEP_ENABLE,
	 .cgroup = (char *)(uintptr_t) "/",
	 .file = (char *)(uintptr_t) "cgroup.subtree_control",
	 .old_value = (char *)(uintptr_t) "cpu",
	 .new_value = (char *)(uintptr_t) "+memory",
	 .is_optional = true},
	{.op = STEP_SET,
	 .cgroup = (char *)(uintptr_t) "/we\tb",
	 .file = (char *)(uintptr_t) "io.max",
	 .old_value = (char *)(uintptr_t) "8:0 rbps=1 wbps=max\n8:16 rbps=2",
	 .new_value = (char *)(uintptr_t) "",
	 .lost = "what was written meanwhile"},
	{.op = STEP_ATTACH,
	 .cgroup = (char *)(uintptr_t) "/we\tb",
	 .old_value = (char *)(uintptr_t) "/-",
	 .is_thread = true,
	 .is_optional = true,
	 .pid = 4711,
	 .start_time = UINT64_MAX},
	{.op = STEP_HOST,
	 .file = (char *)(uintptr_t) "/proc/sys/vm/swappiness",
	 .old_value = (char *)(uintptr_t) "=60",
	 .new_value = (char *)(uintptr_t) "-"},
};

static char *join(char *a, char *b)
{
	char *both = NULL;

	assert_non_null(a);
	assert_non_null(b);
	assert_true(asprintf(&both, "%s%s", a, b) > 0);
	free(a);
	free(b);
	return both;
}

/* The head and the steps, as they are on disk when the first step is about to be done. */
static char *begun(void)
{
	struct plan plan = {.step = (struct step *)(uintptr_t)steps, .steps = ARRAY_SIZE(steps)};

	return join(journal_begin(&head), journal_plan(&plan, 0));
}

static void parse(const char *text, struct journal *journal)
{
	struct cgpol_error err = {0};
	int rc = journal_parse(text, journal, &err);

	if (rc < 0)
		fail_msg("%s (%s)", err.text, err.value);
}

static void assert_text(const char *is, const char *should)
{
	if (should)
		assert_non_null(is);
	if (should)
		assert_string_equal(is, should);
	else
		assert_null(is);
}

static void what_is_written_is_read_again(void **state)
{
	AUTO(free_p) char *text = begun();
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	parse(text, &journal);
	assert_string_equal(journal.id, head.id);
	assert_string_equal(journal.command, head.command);
	assert_string_equal(journal.boot, head.boot);
	assert_string_equal(journal.mount, head.mount);
	assert_true(journal.time == head.time && journal.uid == 1000 && journal.pid == 1234);
	assert_int_equal(journal.start_time, 98765);
	assert_int_equal(journal.state, JOURNAL_OPEN);
	assert_int_equal(journal.entries, ARRAY_SIZE(steps));
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step *is = &journal.entry[i].step;

		assert_int_equal(is->op, steps[i].op);
		assert_text(is->cgroup, steps[i].cgroup);
		assert_text(is->file, steps[i].file);
		assert_text(is->old_value, steps[i].old_value);
		assert_text(is->new_value, steps[i].new_value);
		assert_text(is->lost, steps[i].lost);
		assert_int_equal(is->is_optional, steps[i].is_optional);
		assert_int_equal(is->is_thread, steps[i].is_thread);
		assert_int_equal(is->pid, steps[i].pid);
		assert_true(is->start_time == steps[i].start_time);
		assert_int_equal(journal.entry[i].result, STEP_PENDING);
		assert_true(journal.entry[i].is_begun);
	}
}

static void a_negative_time_survives(void **state)
{
	struct journal early = head;
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(free_p) char *text = NULL;

	(void)state;
	early.time = -5;
	text = journal_begin(&early);
	parse(text, &journal);
	assert_true(journal.time == -5);
}

static void what_was_found_just_before_a_step_replaces_what_was_planned(void **state)
{
	AUTO(free_p) char *text = join(begun(), join(journal_old(2, "8:0 rbps=3"), journal_old(1, NULL)));
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	parse(text, &journal);
	assert_string_equal(journal.entry[2].step.old_value, "8:0 rbps=3");
	assert_null(journal.entry[1].step.old_value);
}

static void the_end_says_what_nobody_said_of_a_step(void **state)
{
	AUTO(free_p)
	char *text = join(begun(), join(journal_result(1, STEP_SKIPPED), journal_end(JOURNAL_DONE)));
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	parse(text, &journal);
	assert_int_equal(journal.state, JOURNAL_DONE);
	assert_int_equal(journal.entry[0].result, STEP_DONE);
	assert_int_equal(journal.entry[1].result, STEP_SKIPPED);
	assert_int_equal(journal.entry[4].result, STEP_DONE);
}

static void a_failed_change_has_the_results_that_were_written(void **state)
{
	AUTO(free_p)
	char *text = join(join(begun(), journal_result(0, STEP_UNDONE)),
			  join(journal_result(1, STEP_PENDING), journal_end(JOURNAL_FAILED)));
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	parse(text, &journal);
	assert_int_equal(journal.state, JOURNAL_FAILED);
	assert_int_equal(journal.entry[0].result, STEP_UNDONE);
	assert_false(journal.entry[1].is_begun);
	assert_int_equal(journal.entry[2].result, STEP_PENDING);
	assert_false(journal.entry[2].is_begun);
}

static void a_change_that_was_taken_back_is_undone(void **state)
{
	AUTO(free_p) char *text = join(begun(), join(journal_end(JOURNAL_DONE), journal_end(JOURNAL_UNDONE)));
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	parse(text, &journal);
	assert_int_equal(journal.state, JOURNAL_UNDONE);
}

static void cut_anywhere_it_is_what_the_whole_lines_say(void **state)
{
	AUTO(free_p)
	char *text = join(begun(), join(journal_result(0, STEP_DONE), journal_end(JOURNAL_DONE)));
	AUTO(free_p) char *whole_head = journal_begin(&head);
	size_t size = strlen(text), last = 0;

	(void)state;
	for (size_t cut = 0; cut <= size; cut++) {
		AUTO(free_p) char *part = strndup(text, cut);
		AUTO(journal_clear) struct journal journal = {0};
		int rc = journal_parse(part, &journal, NULL);

		if (cut < strlen(whole_head)) {
			assert_int_equal(rc, -ENODATA);
			assert_null(journal.id);
			continue;
		}
		assert_int_equal(rc, 0);
		assert_true(journal.entries >= last);
		last = journal.entries;
		assert_int_equal(journal.state, cut == size ? JOURNAL_DONE : JOURNAL_OPEN);
	}
	assert_int_equal(last, ARRAY_SIZE(steps));
}

static void refused(const char *text, const char *sentence, const char *value)
{
	AUTO(free_p) char *whole = join(begun(), strdup(text));
	struct cgpol_error err = {0};
	struct journal journal = {.pid = 77};

	assert_int_equal(journal_parse(whole, &journal, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, sentence));
	if (value)
		assert_string_equal(err.value, value);
	assert_int_equal(journal.pid, 77);
	assert_null(journal.entry);
}

static void a_line_that_is_none_of_ours_is_refused_with_its_number(void **state)
{
	static const char *const bad[] = {
		"step\t6\tmkdir\t-\t0\t0\t=/x\t-\t-\t-\t-\n", /* not the next number */
		"step\t5\tmkdir\t-\t0\t0\t=/x\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t0\t=/x\t-\t-\t-\t-\t-\n",
		"step\t5\tmkdirs\t-\t0\t0\t=/x\t-\t-\t-\t-\n",
		"step\t5\tmkdir\to-\t0\t0\t=/x\t-\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t0\t=/x/../y\t-\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t0\t=/x/..\t-\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t0\t=x\t-\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t0\t-\t-\t-\t-\t-\n",
		"step\t5\tmkdir\t-\t0\t-1\t=/x\t-\t-\t-\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t-\t-\t=1\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=a/b\t-\t=1\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=..\t-\t=1\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=memory.max\t=1\t-\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=memory.max\t1\t=1\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=memory.max\t=%\t=1\t-\n",
		"step\t5\tset\t-\t0\t0\t=/x\t=memory.max\t=%00\t=1\t-\n",
		"step\t5\tenable\t-\t0\t0\t=/x\t=cgroup.subtree_control\t-\t=memory\t-\n",
		"step\t5\thost\t-\t0\t0\t-\t=swappiness\t-\t=1\t-\n",
		"step\t5\thost\t-\t0\t0\t-\t=/proc/sys/../../etc/passwd\t-\t=1\t-\n",
		"step\t5\tattach\t-\t0\t0\t=/x\t-\t-\t-\t-\n",
		"step\t5\tattach\t-\t4294967297\t0\t=/x\t-\t-\t-\t-\n",
		"old\t5\t=x\n",
		"old\t0\n",
		"old\t0\tx\n",
		"result\t5\tdone\n",
		"result\t18446744073709551616\tdone\n",
		"result\t0\tgood\n",
		"end\topen\n",
		"end\tdone\t-\n",
		"end\n",
		"id\t=again\n",
		"cgpol journal 1\n",
		"\n",
		"later\t1\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refused(bad[i], "line 14 of the journal is none that cgpol writes", NULL);
	refused("a\x1b[31mb\n", "line 14", "a\\x1b[31mb");
	refused("end\tdone\nstep\t5\tmkdir\t-\t0\t0\t=/x\t-\t-\t-\t-\n", "line 15", NULL);
}

static void what_is_no_journal_or_a_later_one_is_refused(void **state)
{
	struct cgpol_error err = {0};
	struct journal journal = {0};

	(void)state;
	assert_int_equal(journal_parse("cgpol journal 2\n", &journal, &err), -EINVAL);
	assert_non_null(strstr(err.text, "of a later version"));
	assert_string_equal(err.value, "cgpol journal 2");
	assert_int_equal(journal_parse("\n", &journal, &err), -EINVAL);
	assert_int_equal(journal_parse("", &journal, &err), -ENODATA);
	assert_non_null(strstr(err.text, "nothing was done"));
}

static void a_step_without_a_whole_head_is_refused(void **state)
{
	struct journal journal = {0};

	(void)state;
	assert_int_equal(journal_parse("cgpol journal 1\nid\t=a\nstep\t0\tmkdir\t-\t0\t0\t=/x\t-\t-\t-\t-\n",
				       &journal, NULL),
			 -EINVAL);
	assert_int_equal(journal_parse("cgpol journal 1\nid\t=a\nend\tdone\n", &journal, NULL), -EINVAL);
}

static void every_operation_result_and_state_has_its_own_name(void **state)
{
	(void)state;
	for (enum step_op op = STEP_MKDIR; op <= STEP_AFFINITY; op++)
		for (enum step_op other = STEP_MKDIR; other < op; other++)
			assert_string_not_equal(journal_op_name(op), journal_op_name(other));
	for (enum step_result result = STEP_PENDING; result <= STEP_STAYS; result++)
		assert_non_null(journal_result_name(result));
	for (enum journal_state at = JOURNAL_OPEN; at <= JOURNAL_UNDONE; at++)
		assert_non_null(journal_state_name(at));
	assert_string_equal(journal_state_name(JOURNAL_STUCK), "stuck");
}

static void a_mount_has_the_cgroup_that_is_there(void **state)
{
	struct cgpol_host host = {.cgroup2 = text_of("/sys/fs/cgroup"), .cgroup2_root = text_of("/box")};
	AUTO(free_p) char *box = journal_mount(&host), *none = NULL;

	(void)state;
	assert_string_equal(box, "/sys/fs/cgroup /box");
	host.cgroup2 = NULL;
	none = journal_mount(&host);
	assert_string_equal(none, "");
}

static void memory_that_runs_out_is_told_and_nothing_is_kept(void **state)
{
	AUTO(free_p) char *text = join(begun(), join(journal_old(2, "x"), journal_end(JOURNAL_DONE)));
	struct journal journal = {0};
	struct cgpol_error err = {0};
	int rc = -ENOMEM;

	(void)state;
	for (unsigned n = 1; rc == -ENOMEM && n < 200; n++) {
		fail_at = n;
		rc = journal_parse(text, &journal, &err);
		fail_at = 0;
		assert_true(rc == 0 ||
			    (rc == -ENOMEM && err.code == ENOMEM && !journal.id && !journal.entry));
	}
	assert_int_equal(rc, 0);
	journal_clear(&journal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_again),
		cmocka_unit_test(a_negative_time_survives),
		cmocka_unit_test(what_was_found_just_before_a_step_replaces_what_was_planned),
		cmocka_unit_test(the_end_says_what_nobody_said_of_a_step),
		cmocka_unit_test(a_failed_change_has_the_results_that_were_written),
		cmocka_unit_test(a_change_that_was_taken_back_is_undone),
		cmocka_unit_test(cut_anywhere_it_is_what_the_whole_lines_say),
		cmocka_unit_test(a_line_that_is_none_of_ours_is_refused_with_its_number),
		cmocka_unit_test(what_is_no_journal_or_a_later_one_is_refused),
		cmocka_unit_test(a_step_without_a_whole_head_is_refused),
		cmocka_unit_test(every_operation_result_and_state_has_its_own_name),
		cmocka_unit_test(memory_that_runs_out_is_told_and_nothing_is_kept),
		cmocka_unit_test(a_mount_has_the_cgroup_that_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
