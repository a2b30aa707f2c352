/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's own reports from the field, tests/cases/oom: their task tables as snapshots, ranked, and the
 * first compared with what is known of the report. */
#include "test.h"

#include <ctype.h>
#include <glob.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "memory/badness.h"
#include "snapshots.h"

enum { COLUMNS_MAX = 16 };

/* Columns of a task table, by the words of its header. */
struct columns {
	int tgid, rss, pgtables, ptes, pmds, swap, adj;
	int count; /* numbers in a row after the bracket; the name follows */
};

struct report {
	char name[8];
	char *text, *expect;
	struct snap *snap;
	char *comm[512]; /* of the snapshot's tasks */
	bool has_table;
};

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	assert_non_null(file);
	assert_true(getdelim(&text, &size, '\0', file) > 0);
	(void)fclose(file);
	return text;
}

/* Behind "[  123]" or "[ pid ]", which stands after any prefix a logger put before it; NULL when there is
 * none. */
static const char *after_bracket(const char *line, const char *word)
{
	for (const char *at = strchr(line, '['); at; at = strchr(at + 1, '[')) {
		const char *p = at + 1 + strspn(at + 1, " ");
		size_t size = word ? strlen(word) : strspn(p, "0123456789");
		if (size == 0 || (word && strncmp(p, word, size) != 0))
			continue;
		p += size;
		p += strspn(p, " ");
		if (*p == ']')
			return p + 1;
	}
	return NULL;
}

static bool parse_header(const char *line, struct columns *columns)
{
	const char *at = after_bracket(line, "pid");
	struct span rest = {at, at ? strlen(at) : 0}, word;

	*columns = (struct columns){-1, -1, -1, -1, -1, -1, -1, 0};
	if (!at || !strstr(at, "total_vm"))
		return false;
	for (int i = 0; text_word(&rest, &word); i++) {
		const struct {
			const char *name;
			int *column;
		} known[] = {{"tgid", &columns->tgid},
			     {"rss", &columns->rss},
			     {"nr_ptes", &columns->ptes},
			     {"nr_pmds", &columns->pmds},
			     {"swapents", &columns->swap},
			     {"oom_score_adj", &columns->adj},
			     {"pgtables_bytes", &columns->pgtables}};
		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			if (span_is(word, known[k].name))
				*known[k].column = i;
		columns->count = i; /* without the last, the name */
	}
	assert_true(columns->tgid >= 0 && columns->rss >= 0 && columns->swap >= 0 && columns->adj >= 0);
	assert_true(columns->pgtables >= 0 || columns->ptes >= 0);
	assert_true(columns->count < COLUMNS_MAX);
	return true;
}

static void parse_row(struct report *report, const char *line, const struct columns *columns)
{
	const char *at = after_bracket(line, NULL);
	struct snap *s = report->snap;
	int64_t value[COLUMNS_MAX];

	if (!at)
		return;
	for (int i = 0; i < columns->count; i++) {
		while (*at == ' ')
			at++;
		if (text_i64_head(at, &at, &value[i]) < 0)
			return;
	}
	assert_true(s->snapshot.tasks < ARRAY_SIZE(report->comm));
	at += strspn(at, " ");
	report->comm[s->snapshot.tasks] = strdup(at);
	struct oom_task *task =
		snap_at(s, snap_task(s, report->comm[s->snapshot.tasks], (uint64_t)value[columns->rss]));
	task->pid = (pid_t)value[columns->tgid];
	task->swap = (uint64_t)value[columns->swap];
	task->adj = (int)value[columns->adj];
	if (columns->pgtables >= 0)
		task->pgtables = (uint64_t)value[columns->pgtables] / s->snapshot.page_size;
	if (columns->ptes >= 0)
		task->pgtables = (uint64_t)value[columns->ptes];
	if (columns->pmds >= 0)
		task->pgtables += (uint64_t)value[columns->pmds];
}

static bool ends_table(const char *line)
{
	return strstr(line, "oom-kill:") || strstr(line, "ut of memory") || strstr(line, "oom_reaper:");
}

static void parse_table(struct report *report)
{
	struct columns columns;
	bool inside = false;
	char *rest = report->text;

	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
		if (!inside)
			inside = report->has_table = parse_header(line, &columns);
		else if (ends_table(line))
			break;
		else
			parse_row(report, line, &columns);
	}
}

/* The value of a field of .expect; "" when it has none. */
static const char *field(const struct report *report, const char *key, char *buffer, size_t size)
{
	struct span value = text_field_span(report->expect, key);

	(void)snprintf(buffer, size, "%.*s", (int)value.size, value.at ? value.at : "");
	return buffer;
}

/* The first number of a text, at or after `at`. */
static bool first_number(const char *at, int64_t *value)
{
	at += strcspn(at, "0123456789");
	return text_i64_head(at, &at, value) == 0;
}

/* "PID NAME points=N ..." somewhere in max_badness. */
static bool expected_maximum(const struct report *report, int64_t *pid, int64_t *points)
{
	char text[1024];
	const char *end = strstr(field(report, "max_badness", text, sizeof(text)), " points=");
	const char *at = end;

	if (!end || text_i64_head(end + strlen(" points="), &end, points) < 0)
		return false;
	while (at > text && at[-1] != ' ')
		at--;
	while (at > text && at[-1] == ' ')
		at--;
	while (at > text && isdigit((unsigned char)at[-1]))
		at--;
	return text_i64_head(at, &at, pid) == 0;
}

/* What the points are scaled by: "at T=N" beside the maximum where the report's own total is not known. */
static uint64_t expected_total(const struct report *report)
{
	char text[1024];
	int64_t total = 0;
	const char *at = strstr(field(report, "max_badness", text, sizeof(text)), " at T=");

	if (at && first_number(at, &total))
		return (uint64_t)total;
	(void)first_number(field(report, "totalpages", text, sizeof(text)), &total);
	return (uint64_t)total;
}

static void open_report(struct report *report, const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char expect[512], kernel[256];

	memset(report, 0, sizeof(*report));
	(void)snprintf(report->name, sizeof(report->name), "%.2s", name);
	(void)snprintf(expect, sizeof(expect), "%.*s.expect", (int)(strlen(path) - strlen(".txt")), path);
	report->text = read_file(path);
	report->expect = read_file(expect);
	report->snap = snap_new(1, 1000);
	if (strstr(field(report, "kernel", kernel, sizeof(kernel)), "16 KiB pages"))
		report->snap->snapshot.page_size = 16384;
	parse_table(report);
}

static void close_report(struct report *report)
{
	for (size_t i = 0; i < report->snap->snapshot.tasks; i++)
		free(report->comm[i]);
	snap_free(report->snap);
	free(report->text);
	free(report->expect);
}

/* Ranks the table as it stands: who is in it was eligible. */
static const struct oom_candidate *rank(struct report *report)
{
	struct snap *s = report->snap;

	s->forecast.domain.totalpages = expected_total(report);
	if (nodeset_is_empty(&s->forecast.domain.mems))
		assert_int_equal(nodeset_add(&s->forecast.domain.mems, 0), 0);
	assert_int_equal(badness_rank(&s->snapshot, &s->question, NULL, 0, &s->forecast), 0);
	return s->forecast.candidates ? &s->forecast.candidate[0] : NULL;
}

static pid_t pid_of(const struct report *report, const struct oom_candidate *row)
{
	return report->snap->snapshot.task[row->task].pid;
}

/* Does what the kernel took agree with the maximum, as far as .expect knows? */
static void check_victim(const struct report *report, const struct oom_candidate *first)
{
	char agree[256], victim[256];
	int64_t pid;

	(void)field(report, "agree", agree, sizeof(agree));
	if (!first_number(field(report, "victim", victim, sizeof(victim)), &pid))
		return;
	if (strncmp(agree, "yes", 3) == 0)
		assert_int_equal(pid_of(report, first), pid);
	if (strncmp(agree, "no", 2) == 0 || strstr(agree, ": no"))
		assert_int_not_equal(pid_of(report, first), pid);
}

/* Returns whether the report has a table that could be compared. */
static bool check_report(const char *path)
{
	struct report report;
	int64_t pid = 0, points = 0;
	char agree[256];

	open_report(&report, path);
	bool is_known = expected_maximum(&report, &pid, &points);
	bool has_rows = report.snap->snapshot.tasks > 0;
	if (!has_rows) {
		assert_false(is_known);
		print_message("%s: not compared: %s\n", report.name,
			      report.has_table ? "the rows of its table were cut" : "it has no task table");
	} else {
		const struct oom_candidate *first = rank(&report);
		assert_true(is_known);
		print_message("%s: %zu rows, the first is %d with %lld points; the kernel agrees: %s\n",
			      report.name, report.snap->snapshot.tasks, pid_of(&report, first),
			      (long long)first->points, field(&report, "agree", agree, sizeof(agree)));
		assert_int_equal(first->points, points);
		assert_int_equal(pid_of(&report, first), pid);
		check_victim(&report, first);
	}
	close_report(&report);
	return has_rows;
}

static void the_most_points_are_those_of_every_published_table(void **state)
{
	size_t tables = 0;
	glob_t found;

	(void)state;
	assert_int_equal(glob(TESTS_DIR "/cases/oom/*.txt", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		tables += check_report(found.gl_pathv[i]);
	print_message("%zu reports, %zu with a task table\n", found.gl_pathc, tables);
	assert_int_equal(found.gl_pathc, 27);
	assert_int_equal(tables, 18);
	globfree(&found);
}

/* Report 14: the tasks with oom_score_adj 500 had been reaped already, which a table does not show. */
static void without_the_reaped_tasks_the_kernels_choice_is_the_first(void **state)
{
	struct report report;

	(void)state;
	open_report(&report, TESTS_DIR "/cases/oom/14.txt");
	for (size_t i = 0; i < report.snap->snapshot.tasks; i++) {
		struct oom_task *task = snap_at(report.snap, i);
		task->is_oom_victim = task->adj == 500;
		task->score = task->adj == 500 ? 0 : -1;
	}
	const struct oom_candidate *first = rank(&report);
	assert_int_equal(pid_of(&report, first), 749);
	assert_int_equal(first->points, 1199);
	close_report(&report);
}

/* Report 22: all that was left was exempt or reaped, and the kernel said so. */
static void without_the_reaped_task_nobody_is_left(void **state)
{
	struct report report;

	(void)state;
	open_report(&report, TESTS_DIR "/cases/oom/22.txt");
	assert_int_equal(pid_of(&report, rank(&report)), 281);
	snap_at(report.snap, 1)->is_oom_victim = true;
	snap_at(report.snap, 1)->score = 0;
	assert_null(rank(&report));
	close_report(&report);
}

/* Report 17, the reason why points became signed (9066e5cfb73c, v5.9): all of the pod has -998. */
static void with_negative_points_the_largest_dies_and_not_the_pause_container(void **state)
{
	struct report report;

	(void)state;
	open_report(&report, TESTS_DIR "/cases/oom/17.txt");
	const struct oom_candidate *first = rank(&report);
	assert_int_equal(first->points, -209232);
	assert_int_equal(first->adj, -998 * 4194);
	assert_string_equal(report.snap->snapshot.task[first->task].comm, "data_sim");
	close_report(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_points_are_those_of_every_published_table),
		cmocka_unit_test(without_the_reaped_tasks_the_kernels_choice_is_the_first),
		cmocka_unit_test(without_the_reaped_task_nobody_is_left),
		cmocka_unit_test(with_negative_points_the_largest_dies_and_not_the_pause_container),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
