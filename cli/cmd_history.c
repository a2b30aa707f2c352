/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol history: the changes that were made. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "cmd.h"
#include "journals.h"
#include "policy/step.h"

struct history_config {
	struct table_style style;
};

enum { HISTORY_ID, HISTORY_TIME, HISTORY_STATE, HISTORY_STEPS, HISTORY_COMMAND, HISTORY_USER, HISTORY_PID };

static const char default_columns[] = "ID,TIME,STATE,STEPS,COMMAND";

/* TABLE_OPTIONS without --bytes: there are no sizes here. */
static const struct opt options[] = {
	{"output", 'o', OPT_STRING, OPT_AT(history_config, style.columns), "COLUMNS", NULL,
	 "columns to show; +COLUMNS: more than the default ones"},
	{"raw", 'r', OPT_FLAG, OPT_AT(history_config, style.raw), NULL, NULL, "one blank between columns"},
	{"noheadings", 'n', OPT_FLAG, OPT_AT(history_config, style.noheadings), NULL, NULL,
	 "no line of headings"},
	{0},
};

static const struct column columns[] = {
	[HISTORY_ID] = {"ID", 0, "what cgpol undo takes"},
	[HISTORY_TIME] = {"TIME", 0, "when it began, in local time"},
	[HISTORY_STATE] = {"STATE", 0, "done, undone, failed, stuck, running, open (killed) or unreadable"},
	[HISTORY_STEPS] = {"STEPS", COLUMN_RIGHT, "how many things it was to change"},
	[HISTORY_COMMAND] = {"COMMAND", 0, "what was typed"},
	[HISTORY_USER] = {"USER", COLUMN_RIGHT, "user id of who made it"},
	[HISTORY_PID] = {"PID", COLUMN_RIGHT, "process that made it"},
	{0},
};

static const char *state_of(struct cgpol_host *host, const struct journal *journal)
{
	return recover_is_running(host, journal) ? "running" : journal_state_name(journal->state);
}

/* ---- the list ---- */

struct listing {
	struct cli *cli;
	struct cgpol_host *host;
	const struct journals *journals;
	struct table *table; /* or */
	struct json *json;
	size_t unreadable;
};

static void put_time(struct table *table, int64_t seconds)
{
	time_t time = (time_t)seconds;
	char text[40];
	struct tm tm;

	if (localtime_r(&time, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm) > 0)
		table_put_text(table, HISTORY_TIME, text);
}

static void put_row(const struct listing *listing, const struct journal *journal)
{
	struct table *table = listing->table;

	table_row(table);
	table_put_text(table, HISTORY_ID, journal->id);
	put_time(table, journal->time);
	table_put_text(table, HISTORY_STATE, state_of(listing->host, journal));
	table_put_int(table, HISTORY_STEPS, (int64_t)journal->entries);
	table_put_text(table, HISTORY_COMMAND, journal->command);
	table_put_int(table, HISTORY_USER, (int64_t)journal->uid);
	table_put_int(table, HISTORY_PID, journal->pid);
}

static void put_change(struct json *json, struct cgpol_host *host, const struct journal *journal)
{
	json_put_name(json, "id", journal->id);
	json_put_int(json, "time", journal->time);
	json_put_text(json, "state", state_of(host, journal));
	json_put_u64(json, "count", journal->entries);
	json_put_name(json, "command", journal->command);
	json_put_u64(json, "uid", journal->uid);
	json_put_int(json, "pid", journal->pid);
}

static void put_unreadable(struct listing *listing, const char *id, const struct cgpol_error *why)
{
	char text[4 * sizeof(why->text)];

	listing->unreadable++;
	cli_note(listing->cli, "%s", text_escape(why->text, text, sizeof(text)));
	if (listing->table) {
		table_row(listing->table);
		table_put_text(listing->table, HISTORY_ID, id);
		table_put_text(listing->table, HISTORY_STATE, "unreadable");
		return;
	}
	json_open_object(listing->json, NULL);
	json_put_name(listing->json, "id", id);
	json_put_text(listing->json, "state", "unreadable");
	json_close(listing->json);
}

static int list_one(struct listing *listing, size_t at)
{
	AUTO(journal_clear) struct journal journal = {0};
	struct cgpol_error why = {0};
	int rc = journals_read(listing->journals, at, &journal, &why);

	/* Cut off before its first step it is no change, and a pruned one is gone. */
	if (rc == -ENOMEM || rc == -ENODATA || rc == -ENOENT)
		return rc == -ENOMEM ? rc : 0;
	if (rc < 0) {
		put_unreadable(listing, listing->journals->item[at].id, &why);
	} else if (listing->table) {
		put_row(listing, &journal);
	} else {
		json_open_object(listing->json, NULL);
		put_change(listing->json, listing->host, &journal);
		json_close(listing->json);
	}
	return 0;
}

static int list(struct listing *listing)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < listing->journals->count; i++)
		rc = list_one(listing, i);
	if (listing->unreadable)
		listing->cli->status = CGPOL_PARTIAL;
	return rc;
}

static int print_list(struct listing *listing, const struct history_config *config,
		      const struct table_choice *choice)
{
	AUTO(table_free_p) struct table *table = NULL;
	AUTO(json_free_p) struct json *json = NULL;
	int rc;

	if (listing->cli->json) {
		json = json_new();
		if (json)
			json_open_array(json, "changes");
		listing->json = json;
	} else {
		table = table_new(columns, choice, &config->style);
		listing->table = table;
	}
	if (!json && !table)
		return -ENOMEM;
	rc = list(listing);
	if (rc < 0)
		return rc;
	if (table)
		return table_print(table, listing->cli->out);
	json_close(json);
	return cli_print_json(listing->cli, json);
}

/* ---- one of them ---- */

static int print_step(struct cli *cli, const struct journal_entry *entry)
{
	const struct step *step = &entry->step;
	AUTO(free_p) char *old = journals_escape(step->old_value ? step->old_value : "");
	AUTO(free_p) char *new = journals_escape(step->new_value ? step->new_value : "");
	bool is_saved = step->op == STEP_RMDIR || step->op == STEP_SAVE;
	char what[256];

	if (!old || !new)
		return -ENOMEM;
	(void)fprintf(cli->out, "%s %s", journal_op_name(step->op), step_describe(step, what, sizeof(what)));
	if (step->op == STEP_ATTACH) {
		AUTO(free_p) char *cgroup = journals_escape(step->cgroup);

		(void)fprintf(cli->out, ": %s -> %s", step->old_value ? old : "?", cgroup ? cgroup : "?");
	} else if (!is_saved && step->new_value) {
		(void)fprintf(cli->out, ": %s%s%s\"%s\"", step->old_value ? "\"" : "",
			      step->old_value ? old : "", step->old_value ? "\" -> " : "", new);
	}
	(void)fprintf(cli->out, " (%s)\n",
		      entry->is_begun ? journal_result_name(entry->result) : "not reached");
	return 0;
}

static int print_change(struct cli *cli, struct cgpol_host *host, const struct journal *journal)
{
	AUTO(json_free_p) struct json *json = cli->json ? json_new() : NULL;
	int rc = 0;

	if (cli->json && !json)
		return -ENOMEM;
	for (size_t i = 0; rc == 0 && !json && i < journal->entries; i++)
		rc = print_step(cli, &journal->entry[i]);
	if (!json)
		return rc;
	json_open_array(json, "changes");
	json_open_object(json, NULL);
	put_change(json, host, journal);
	json_open_array(json, "steps");
	for (size_t i = 0; i < journal->entries; i++) {
		const struct journal_entry *entry = &journal->entry[i];

		json_open_object(json, NULL);
		journals_put_step(json, &entry->step);
		json_put_text(json, "result",
			      entry->is_begun ? journal_result_name(entry->result) : "not reached");
		json_close(json);
	}
	for (int open = 0; open < 3; open++)
		json_close(json);
	return cli_print_json(cli, json);
}

static int show(struct cli *cli, struct cgpol_host *host, const struct journals *journals,
		struct cgpol_error *err)
{
	AUTO(journal_clear) struct journal journal = {0};
	size_t at;
	int rc = journals_find(journals, cli->words.word[0], &at, err);

	rc = rc < 0 ? rc : journals_read(journals, at, &journal, err);
	return rc < 0 ? rc : print_change(cli, host, &journal);
}

/* Journals are this machine's, and no part of a capture. */
static int refuse_capture(const struct cli *cli, struct cgpol_error *err)
{
	if (!cli->record && (!cli->root || strcmp(cli->root, "/") == 0))
		return 0;
	error_set(err, EINVAL, CGPOL_USAGE,
		  "a capture has no history: journals are kept on the machine itself");
	error_detail(err, NULL, NULL, "leave out --root and --record");
	return -EINVAL;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct history_config *config = given;
	AUTO(journals_close) struct journals journals = {0};
	struct table_choice choice = {0};
	struct listing listing = {.cli = cli, .journals = &journals};
	int rc = cli_no_words(cli, 1, err);

	rc = rc < 0 ? rc : refuse_capture(cli, err);
	rc = rc < 0 ? rc : table_choose(columns, default_columns, config->style.columns, &choice, err);
	rc = rc < 0 ? rc : cli_host(cli, &listing.host, err);
	rc = rc < 0 ? rc : journals_open(cli, false, &journals, err);
	if (rc < 0)
		return rc;
	if (cli->words.count)
		return show(cli, listing.host, &journals, err);
	return print_list(&listing, config, &choice);
}

const struct cmd cmd_history = {
	.name = "history",
	.summary = "List the changes that cgpol made",
	.usage = "[OPTION...] [ID]",
	.operands = "changes",
	.about = "Oldest first. With an ID, or the beginning of one, the steps of that change.",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct history_config),
	.run = run,
};
