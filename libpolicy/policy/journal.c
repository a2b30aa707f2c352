/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one change did, as text that survives it. */
#include "policy/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

/* What follows is of version 1; another number is another text. */
static const char first_line[] = "cgpol journal 1";

enum needs {
	NEED_CGROUP = 1,
	NEED_FILE = 2,
	NEED_NEW = 4,
	NEED_PID = 8,
	NEED_PATH = 16, /* the file is a path, not a name in a cgroup */
};

/* By enum step_op. The names are in files: none is ever changed. */
static const struct op_row {
	const char *name;
	unsigned needs;
} op_rows[] = {
	[STEP_MKDIR] = {"mkdir", NEED_CGROUP},
	[STEP_ENABLE] = {"enable", NEED_CGROUP | NEED_FILE | NEED_NEW},
	[STEP_SET] = {"set", NEED_CGROUP | NEED_FILE | NEED_NEW},
	[STEP_THREADED] = {"threaded", NEED_CGROUP},
	[STEP_OWNER] = {"owner", NEED_CGROUP | NEED_NEW},
	[STEP_ATTACH] = {"attach", NEED_CGROUP | NEED_PID},
	[STEP_RECLAIM] = {"reclaim", NEED_CGROUP | NEED_NEW},
	[STEP_CHECK] = {"check", NEED_CGROUP | NEED_FILE | NEED_NEW},
	[STEP_KILL] = {"kill", NEED_CGROUP},
	[STEP_RMDIR] = {"rmdir", NEED_CGROUP},
	[STEP_HOST] = {"host", NEED_FILE | NEED_NEW | NEED_PATH},
	[STEP_SAVE] = {"save", NEED_FILE | NEED_NEW | NEED_PATH},
	[STEP_TASK] = {"task", NEED_FILE | NEED_NEW | NEED_PID},
	[STEP_AFFINITY] = {"affinity", NEED_NEW | NEED_PID},
};

static const char *const result_names[] = {
	[STEP_PENDING] = "pending", [STEP_DONE] = "done",     [STEP_UNCHANGED] = "unchanged",
	[STEP_SKIPPED] = "skipped", [STEP_FAILED] = "failed", [STEP_UNDONE] = "undone",
	[STEP_STAYS] = "stays",
};

static const char *const state_names[] = {
	[JOURNAL_OPEN] = "open",   [JOURNAL_DONE] = "done",	[JOURNAL_FAILED] = "failed",
	[JOURNAL_STUCK] = "stuck", [JOURNAL_UNDONE] = "undone",
};

const char *journal_state_name(enum journal_state state)
{
	return state_names[state];
}

const char *journal_result_name(enum step_result result)
{
	return result_names[result];
}

const char *journal_op_name(enum step_op op)
{
	return op_rows[op].name;
}

char *journal_mount(const struct cgpol_host *host)
{
	char *mount;

	if (!host->cgroup2)
		return strdup("");
	return asprintf(&mount, "%s %s", host->cgroup2, host->cgroup2_root ? host->cgroup2_root : "/") < 0
		       ? NULL
		       : mount;
}

/* ---- to text ---- */

/* Text that grows; a failure is kept in the stream. */
struct writer {
	FILE *file;
	char *text;
	size_t size;
	bool is_failed;
};

static bool writer_open(struct writer *writer)
{
	*writer = (struct writer){0};
	writer->file = open_memstream(&writer->text, &writer->size);
	return writer->file != NULL;
}

static char *writer_take(struct writer *writer)
{
	bool is_failed = ferror(writer->file) || writer->is_failed;

	if (fclose(writer->file) != 0 || is_failed) {
		free(writer->text);
		return NULL;
	}
	return writer->text;
}

static void put_value(struct writer *writer, char before, const char *value)
{
	size_t size = value ? 3 * strlen(value) + 1 : 1;
	AUTO(free_p) char *encoded = value ? malloc(size) : NULL;

	if (!value) {
		(void)fprintf(writer->file, "%c-", before);
		return;
	}
	if (!encoded || !text_encode(value, encoded, size))
		writer->is_failed = true;
	else
		(void)fprintf(writer->file, "%c=%s", before, encoded);
}

static void put_line(struct writer *writer, const char *key, const char *value)
{
	(void)fputs(key, writer->file);
	put_value(writer, '\t', value ? value : "");
	(void)fputc('\n', writer->file);
}

char *journal_begin(const struct journal *journal)
{
	struct writer writer;

	if (!writer_open(&writer))
		return NULL;
	(void)fprintf(writer.file, "%s\n", first_line);
	put_line(&writer, "id", journal->id);
	(void)fprintf(writer.file, "time\t%" PRIi64 "\n", journal->time);
	(void)fprintf(writer.file, "uid\t%" PRIu64 "\n", journal->uid);
	(void)fprintf(writer.file, "pid\t%d\t%" PRIu64 "\n", journal->pid, journal->start_time);
	put_line(&writer, "boot", journal->boot);
	put_line(&writer, "mount", journal->mount);
	put_line(&writer, "command", journal->command);
	return writer_take(&writer);
}

static void put_step(struct writer *writer, size_t number, const struct step *step)
{
	(void)fprintf(writer->file, "step\t%zu\t%s\t%s%s%s\t%d\t%" PRIu64, number, op_rows[step->op].name,
		      step->is_optional ? "o" : "", step->is_thread ? "t" : "",
		      step->is_optional || step->is_thread ? "" : "-", step->pid, step->start_time);
	put_value(writer, '\t', step->cgroup);
	put_value(writer, '\t', step->file);
	put_value(writer, '\t', step->old_value);
	put_value(writer, '\t', step->new_value);
	put_value(writer, '\t', step->lost);
	(void)fputc('\n', writer->file);
}

char *journal_plan(const struct plan *plan, size_t first_number)
{
	struct writer writer;

	if (!writer_open(&writer))
		return NULL;
	for (size_t i = 0; i < plan->steps; i++)
		put_step(&writer, first_number + i, &plan->step[i]);
	return writer_take(&writer);
}

char *journal_old(size_t number, const char *old)
{
	struct writer writer;

	if (!writer_open(&writer))
		return NULL;
	(void)fprintf(writer.file, "old\t%zu", number);
	put_value(&writer, '\t', old);
	(void)fputc('\n', writer.file);
	return writer_take(&writer);
}

char *journal_result(size_t number, enum step_result result)
{
	char *line;

	return asprintf(&line, "result\t%zu\t%s\n", number, result_names[result]) < 0 ? NULL : line;
}

char *journal_end(enum journal_state state)
{
	char *line;

	return asprintf(&line, "end\t%s\n", state_names[state]) < 0 ? NULL : line;
}

/* ---- from text ---- */

enum { FIELDS_MAX = 11 };

struct line {
	struct span field[FIELDS_MAX];
	size_t fields;
};

enum head { HEAD_ID, HEAD_TIME, HEAD_UID, HEAD_PID, HEAD_BOOT, HEAD_MOUNT, HEAD_COMMAND, HEAD_LINES };

struct reader {
	struct journal journal;
	size_t size;   /* entries that there is room for */
	unsigned seen; /* bit by enum head */
};

void journal_clear(struct journal *journal)
{
	for (size_t i = 0; i < journal->entries; i++) {
		struct step *step = &journal->entry[i].step;

		free(step->cgroup);
		free(step->file);
		free(step->old_value);
		free(step->new_value);
		free((void *)(uintptr_t)step->lost);
	}
	free(journal->entry);
	free(journal->id);
	free(journal->command);
	free(journal->boot);
	free(journal->mount);
	*journal = (struct journal){0};
}

/* Cuts a line at its tabs. False when there are too many. */
static bool cut(struct span text, struct line *line)
{
	line->fields = 0;
	for (;;) {
		const char *tab = text.size ? memchr(text.at, '\t', text.size) : NULL;
		size_t size = tab ? (size_t)(tab - text.at) : text.size;

		if (line->fields == FIELDS_MAX)
			return false;
		line->field[line->fields++] = (struct span){text.at, size};
		if (!tab)
			return true;
		text.at += size + 1;
		text.size -= size + 1;
	}
}

/* "=" and an encoded text, or "-", which is NULL. */
static int take_value(struct span field, char **value)
{
	AUTO(free_p) char *encoded = NULL;
	char *text = NULL;
	int rc = 0;

	if (field.size == 0 || (*field.at != '=' && !span_is(field, "-")))
		return -EINVAL;
	if (*field.at == '=') {
		encoded = span_dup((struct span){field.at + 1, field.size - 1});
		rc = encoded ? text_decode(encoded, &text, NULL) : -ENOMEM;
	}
	if (rc == 0) {
		free(*value);
		*value = text;
	}
	return rc;
}

static int take_u64(struct span field, uint64_t *number)
{
	if (field.size == 0 || *field.at < '0' || *field.at > '9')
		return -EINVAL;
	return span_u64(field, number);
}

static int take_index(struct span field, const char *const *name, size_t names, size_t *index)
{
	for (size_t i = 0; i < names; i++) {
		if (span_is(field, name[i])) {
			*index = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int take_text(struct span field, char **text)
{
	int rc = take_value(field, text);

	return rc == 0 && !*text ? -EINVAL : rc;
}

static int take_pid(struct span field, pid_t *pid)
{
	uint64_t number;
	int rc = take_u64(field, &number);

	if (rc < 0 || number > INT_MAX)
		return -EINVAL;
	*pid = (pid_t)number;
	return 0;
}

static int take_time(struct span field, int64_t *time)
{
	AUTO(free_p) char *text = span_dup(field);

	return text ? text_i64(text, time) : -ENOMEM;
}

/* Lines of the head, each once and before the steps. */
static int take_head(struct reader *reader, const struct line *line, enum head head)
{
	struct journal *journal = &reader->journal;
	struct span value = line->field[1];
	int rc;

	if (line->fields != (head == HEAD_PID ? 3 : 2) || (reader->seen & 1U << head) || journal->entries)
		return -EINVAL;
	reader->seen |= 1U << head;
	switch (head) {
	case HEAD_ID:
		return take_text(value, &journal->id);
	case HEAD_TIME:
		return take_time(value, &journal->time);
	case HEAD_UID:
		return take_u64(value, &journal->uid);
	case HEAD_PID:
		rc = take_pid(value, &journal->pid);
		return rc == 0 ? take_u64(line->field[2], &journal->start_time) : rc;
	case HEAD_BOOT:
		return take_text(value, &journal->boot);
	case HEAD_MOUNT:
		return take_text(value, &journal->mount);
	default:
		return take_text(value, &journal->command);
	}
}

/* Is there no way out of where it is? */
static bool is_inside(const char *path)
{
	size_t size = strlen(path);

	return *path == '/' && !strstr(path, "/../") && !strchr(path, '\n') &&
	       (size < 3 || strcmp(path + size - 3, "/..") != 0);
}

static bool is_file(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Does it have what those who take it back will use? */
static bool is_complete(const struct step *step)
{
	unsigned needs = op_rows[step->op].needs;

	if (((needs & NEED_CGROUP) && !step->cgroup) || ((needs & NEED_FILE) && !step->file) ||
	    ((needs & NEED_NEW) && !step->new_value) || ((needs & NEED_PID) && step->pid == 0))
		return false;
	if (step->op == STEP_ENABLE && (!step->new_value || *step->new_value != '+'))
		return false;
	if (step->cgroup && !is_inside(step->cgroup))
		return false;
	return !step->file || (needs & NEED_PATH ? is_inside(step->file) : is_file(step->file));
}

static int take_op(struct span field, enum step_op *op)
{
	for (size_t i = 0; i < ARRAY_SIZE(op_rows); i++) {
		if (span_is(field, op_rows[i].name)) {
			*op = (enum step_op)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int take_flags(struct span field, struct step *step)
{
	step->is_optional = span_starts(field, "o");
	step->is_thread = span_is(field, "t") || span_is(field, "ot");
	return span_is(field, "-") || span_is(field, "o") || step->is_thread ? 0 : -EINVAL;
}

static int grow(struct reader *reader)
{
	struct journal *journal = &reader->journal;
	struct journal_entry *more;

	if (journal->entries < reader->size)
		return 0;
	reader->size = reader->size ? 2 * reader->size : 16;
	more = reallocarray(journal->entry, reader->size, sizeof(*more));
	if (!more)
		return -ENOMEM;
	journal->entry = more;
	return 0;
}

static int take_step(struct reader *reader, const struct line *line)
{
	struct journal *journal = &reader->journal;
	const struct span *field = line->field;
	char *lost = NULL;
	struct step *step;
	uint64_t number;
	int rc;

	if (line->fields != 11 || reader->seen != (1U << HEAD_LINES) - 1 || journal->state != JOURNAL_OPEN ||
	    take_u64(field[1], &number) < 0 || number != journal->entries)
		return -EINVAL;
	rc = grow(reader);
	if (rc < 0)
		return rc;
	journal->entry[journal->entries] = (struct journal_entry){.is_begun = true};
	step = &journal->entry[journal->entries++].step;
	if (take_op(field[2], &step->op) < 0 || take_flags(field[3], step) < 0 ||
	    take_pid(field[4], &step->pid) < 0 || take_u64(field[5], &step->start_time) < 0)
		return -EINVAL;
	rc = take_value(field[6], &step->cgroup);
	if (rc == 0)
		rc = take_value(field[7], &step->file);
	if (rc == 0)
		rc = take_value(field[8], &step->old_value);
	if (rc == 0)
		rc = take_value(field[9], &step->new_value);
	if (rc == 0)
		rc = take_value(field[10], &lost);
	step->lost = lost;
	return rc == 0 && !is_complete(step) ? -EINVAL : rc;
}

static struct journal_entry *entry_of(struct reader *reader, struct span field)
{
	uint64_t number;

	return take_u64(field, &number) == 0 && number < reader->journal.entries
		       ? &reader->journal.entry[number]
		       : NULL;
}

static int take_old(struct reader *reader, const struct line *line)
{
	struct journal_entry *entry = line->fields == 3 ? entry_of(reader, line->field[1]) : NULL;

	return entry ? take_value(line->field[2], &entry->step.old_value) : -EINVAL;
}

static int take_result(struct reader *reader, const struct line *line)
{
	struct journal_entry *entry = line->fields == 3 ? entry_of(reader, line->field[1]) : NULL;
	size_t index;

	if (!entry || take_index(line->field[2], result_names, ARRAY_SIZE(result_names), &index) < 0)
		return -EINVAL;
	entry->result = (enum step_result)index;
	entry->is_begun = entry->result != STEP_PENDING;
	return 0;
}

/* What an end says of steps without a result: done, or never reached. */
static void settle_results(struct journal *journal)
{
	for (size_t i = 0; i < journal->entries; i++) {
		struct journal_entry *entry = &journal->entry[i];

		if (entry->result != STEP_PENDING || !entry->is_begun)
			continue;
		if (journal->state == JOURNAL_DONE)
			entry->result = STEP_DONE;
		else if (journal->state == JOURNAL_FAILED || journal->state == JOURNAL_STUCK)
			entry->is_begun = false;
	}
}

static int take_end(struct reader *reader, const struct line *line)
{
	struct journal *journal = &reader->journal;
	size_t index;

	if (line->fields != 2 || reader->seen != (1U << HEAD_LINES) - 1 ||
	    take_index(line->field[1], state_names, ARRAY_SIZE(state_names), &index) < 0 ||
	    index == JOURNAL_OPEN)
		return -EINVAL;
	journal->state = (enum journal_state)index;
	settle_results(journal);
	return 0;
}

static int take_line(struct reader *reader, struct span text)
{
	static const char *const head[] = {
		[HEAD_ID] = "id",     [HEAD_TIME] = "time",   [HEAD_UID] = "uid",	  [HEAD_PID] = "pid",
		[HEAD_BOOT] = "boot", [HEAD_MOUNT] = "mount", [HEAD_COMMAND] = "command",
	};
	struct line line;
	size_t index;

	if (!cut(text, &line))
		return -EINVAL;
	if (span_is(line.field[0], "step"))
		return take_step(reader, &line);
	if (span_is(line.field[0], "old"))
		return take_old(reader, &line);
	if (span_is(line.field[0], "result"))
		return take_result(reader, &line);
	if (span_is(line.field[0], "end"))
		return take_end(reader, &line);
	if (take_index(line.field[0], head, ARRAY_SIZE(head), &index) < 0)
		return -EINVAL;
	return take_head(reader, &line, (enum head)index);
}

static int refuse_line(struct cgpol_error *err, size_t number, struct span line)
{
	char text[97] = "", shown[97];

	if (number > 1) {
		error_set(err, EINVAL, CGPOL_FAILED, "line %zu of the journal is none that cgpol writes",
			  number);
	} else {
		error_set(err, EINVAL, CGPOL_FAILED,
			  "this is no journal of cgpol's, or one of a later version: it does not begin with "
			  "\"%s\"",
			  first_line);
	}
	memcpy(text, line.at, line.size < sizeof(text) ? line.size : sizeof(text) - 1);
	error_detail(err, NULL, text_escape(text, shown, sizeof(shown)), NULL);
	return -EINVAL;
}

static void reader_clear(struct reader *reader)
{
	journal_clear(&reader->journal);
}

int journal_parse(const char *text, struct journal *journal, struct cgpol_error *err)
{
	AUTO(reader_clear) struct reader reader = {0};
	struct span line;
	size_t number = 0;

	while (text_line(&text, &line) && line.at[line.size] == '\n') {
		int rc;

		number++;
		if (number == 1)
			rc = span_is(line, first_line) ? 0 : -EINVAL;
		else
			rc = take_line(&reader, line);
		if (rc == -ENOMEM)
			return error_no_memory(err);
		if (rc < 0)
			return refuse_line(err, number, line);
	}
	if (reader.seen != (1U << HEAD_LINES) - 1) {
		return error_set(err, ENODATA, CGPOL_FAILED,
				 "the journal was cut off before its first step: nothing was done");
	}
	*journal = reader.journal;
	reader.journal = (struct journal){0};
	return 0;
}
