/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol list: what cgpol confines now. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "change.h"
#include "cmd.h"
#include "policy/confined.h"
#include "policy/shape.h"
#include "size.h"

struct config {
	struct table_style style;
};

static const struct opt options[] = {
	TABLE_OPTIONS(config, style),
	{0},
};

enum column_id { LIST_CGROUP, LIST_KIND, LIST_PID, LIST_PROCS, LIST_CURRENT, LIST_SETTINGS, LIST_CHANGE };

static const struct column columns[] = {
	[LIST_CGROUP] = {"CGROUP", 0, "the cgroup"},
	[LIST_KIND] = {"KIND", 0,
		       "run: of a cgpol run; kept; parent: made on the way to one; -: only changed"},
	[LIST_PID] = {"PID", COLUMN_RIGHT, "the cgpol run that removes it at its end"},
	[LIST_PROCS] = {"PROCS", COLUMN_RIGHT, "how many processes are in it"},
	[LIST_CURRENT] = {"CURRENT", COLUMN_RIGHT, "memory that it uses, with those below it"},
	[LIST_SETTINGS] = {"SETTINGS", 0, "what a new cgroup would not have"},
	[LIST_CHANGE] = {"CHANGE", 0, "the newest change of it that can be undone (cgpol history)"},
	{0},
};

static const char default_columns[] = "CGROUP,KIND,PID,PROCS,CURRENT,SETTINGS,CHANGE";

/* A newline in a file (io.max) becomes a comma. */
static void print_value(const struct inventory_item *item, bool in_bytes, FILE *out)
{
	char text[SIZE_TEXT];
	uint64_t bytes;

	if (item->key->type == KEY_SIZE && !in_bytes && text_u64(item->text, &bytes) == 0) {
		(void)fputs(size_short(bytes, text), out);
		return;
	}
	for (const char *at = item->text; *at; at++)
		(void)fputc(*at == '\n' ? ',' : *at, out);
}

static int put_settings(struct table *table, const struct inventory *settings, bool in_bytes)
{
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < settings->count; i++) {
		(void)fprintf(out, "%s%s=", i ? " " : "", settings->item[i].name);
		print_value(&settings->item[i], in_bytes, out);
	}
	if (fclose(out) != 0)
		return -ENOMEM;
	table_put_text(table, LIST_SETTINGS, text);
	return 0;
}

static int put_row(struct table *table, const struct confined_row *row, bool in_bytes)
{
	const char *kind = shape_mark_name(row->mark.kind);

	table_row(table);
	table_put_text(table, LIST_CGROUP, row->cgroup);
	table_put_text(table, LIST_KIND, kind ? kind : "");
	if (row->mark.kind == MARK_OWNED)
		table_put_int(table, LIST_PID, row->mark.pid);
	if (row->has_procs)
		table_put_int(table, LIST_PROCS, (int64_t)row->procs);
	if (row->has_current)
		table_put_bytes(table, LIST_CURRENT, row->current);
	table_put_text(table, LIST_CHANGE, row->change ? row->change : "");
	return put_settings(table, &row->settings, in_bytes);
}

static int print_text(struct cli *cli, const struct config *config, const struct table_choice *choice,
		      const struct confined *confined)
{
	AUTO(table_free_p) struct table *table = table_new(columns, choice, &config->style);
	int rc = table ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < confined->count; i++)
		rc = put_row(table, &confined->row[i], config->style.bytes);
	return rc < 0 ? rc : table_print(table, cli->out);
}

static void put_json_row(struct json *json, const struct confined_row *row)
{
	json_open_object(json, NULL);
	json_put_name(json, "cgroup", row->cgroup);
	json_put_text(json, "kind", shape_mark_name(row->mark.kind));
	if (row->mark.kind == MARK_OWNED)
		json_put_int(json, "pid", row->mark.pid);
	else
		json_put_null(json, "pid");
	if (row->has_procs)
		json_put_u64(json, "procs", row->procs);
	else
		json_put_null(json, "procs");
	if (row->has_current)
		json_put_u64(json, "current", row->current);
	else
		json_put_null(json, "current");
	json_put_text(json, "change", row->change);
	json_open_array(json, "settings");
	for (size_t i = 0; i < row->settings.count; i++) {
		json_open_object(json, NULL);
		json_put_text(json, "key", row->settings.item[i].name);
		json_put_name(json, "requested", row->settings.item[i].text);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static int print_json(struct cli *cli, const struct confined *confined)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_open_array(json, "cgroups");
	for (size_t i = 0; i < confined->count; i++)
		put_json_row(json, &confined->row[i]);
	json_close(json);
	json_put_u64(json, "unreadable", confined->unreadable);
	return cli_print_json(cli, json);
}

/* Journals are no part of a machine: neither of a capture, nor of one that is being made, which is to print
 * the same again. */
static char *find_state(struct cli *cli)
{
	struct cgpol_error why = {0};
	char *path = NULL;

	if (cli->record || (cli->root && strcmp(cli->root, "/") != 0))
		return NULL;
	return change_state(cli, &path, &why) == 0 ? path : NULL;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct config *config = given;
	AUTO(confined_clear) struct confined confined = {0};
	AUTO(free_p) char *state = NULL;
	struct table_choice choice = {0};
	struct cgpol_host *host = NULL;
	int rc = cli_no_words(cli, 0, err);

	rc = rc < 0 ? rc : table_choose(columns, default_columns, config->style.columns, &choice, err);
	rc = rc < 0 ? rc : cli_host(cli, &host, err);
	if (rc < 0)
		return rc;
	state = find_state(cli);
	rc = confined_read(host, state, &confined, err);
	if (rc < 0)
		return rc;
	if (confined.unreadable)
		cli_note(cli, "%zu journal%s of changes cannot be read: cgpol history names %s",
			 confined.unreadable, confined.unreadable == 1 ? "" : "s",
			 confined.unreadable == 1 ? "it" : "them");
	return cli->json ? print_json(cli, &confined) : print_text(cli, config, &choice, &confined);
}

const struct cmd cmd_confined = {
	.name = "list",
	.summary = "List what cgpol confines now",
	.usage = "[OPTION...]",
	.about = "The cgroups that cgpol made, by their marks, and those whose changes can still be undone.",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct config),
	.run = run,
};
