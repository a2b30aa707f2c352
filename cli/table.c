/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people and scripts: one column table feeds -o, the help text and the output. */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <libsmartcols.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "guess.h"
#include "size.h"

struct table {
	struct libscols_table *scols;
	struct libscols_line *line;
	struct table_choice choice;
	bool is_raw, in_bytes;
	int rc;
};

static int choose_one(const struct column *columns, const char *name, struct table_choice *choice,
		      struct cgpol_error *err)
{
	struct guess guess = {.word = name};
	char hint[96] = "the names are in --help";

	for (size_t id = 0; columns[id].name; id++) {
		if (strcasecmp(columns[id].name, name) != 0) {
			guess_offer(&guess, columns[id].name);
			continue;
		}
		if (choice->count == TABLE_COLUMNS_MAX) {
			error_set(err, EINVAL, CGPOL_USAGE, "--output: more than %d columns",
				  TABLE_COLUMNS_MAX);
			return -EINVAL;
		}
		choice->id[choice->count++] = id;
		return 0;
	}
	if (guess.best)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", guess.best);
	error_set(err, EINVAL, CGPOL_USAGE, "--output: unknown column \"%s\"", name);
	error_detail(err, NULL, name, hint);
	return -EINVAL;
}

static int choose_list(const struct column *columns, const char *list, struct table_choice *choice,
		       struct cgpol_error *err)
{
	for (const char *at = list;; at++) {
		size_t size = strcspn(at, ",");
		AUTO(free_p) char *name = strndup(at, size);
		int rc = name ? choose_one(columns, name, choice, err) : -ENOMEM;

		if (rc < 0)
			return rc;
		at += size;
		if (!*at)
			return 0;
	}
}

int table_choose(const struct column *columns, const char *defaults, const char *list,
		 struct table_choice *choice, struct cgpol_error *err)
{
	struct table_choice chosen = {0};
	int rc = 0;

	if (!list || *list == '+')
		rc = choose_list(columns, defaults, &chosen, err);
	if (rc == 0 && list)
		rc = choose_list(columns, list + (*list == '+'), &chosen, err);
	if (rc < 0)
		return rc;
	*choice = chosen;
	return 0;
}

static int add_columns(struct table *table, const struct column *columns)
{
	for (size_t i = 0; i < table->choice.count; i++) {
		const struct column *column = &columns[table->choice.id[i]];
		int flags = column->flags & COLUMN_RIGHT ? SCOLS_FL_RIGHT : 0;

		if (!scols_table_new_column(table->scols, column->name, 0, flags))
			return -ENOMEM;
	}
	return 0;
}

struct table *table_new(const struct column *columns, const struct table_choice *choice,
			const struct table_style *style)
{
	AUTO(table_free_p) struct table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	table->choice = *choice;
	table->is_raw = style->raw;
	table->in_bytes = style->bytes;
	table->scols = scols_new_table();
	if (!table->scols)
		return NULL;
	/* A row that is wider than the terminal goes on in its next line: a part of a size or of a cgroup's
	 * name would be another one. */
	if (scols_table_set_termforce(table->scols, SCOLS_TERMFORCE_NEVER) < 0)
		return NULL;
	/* table_put_text() has escaped already, and libsmartcols would escape the escapes. */
	if (scols_table_enable_noencoding(table->scols, 1) < 0 ||
	    scols_table_enable_noheadings(table->scols, style->noheadings) < 0 ||
	    (style->raw && scols_table_enable_raw(table->scols, 1) < 0) || add_columns(table, columns) < 0)
		return NULL;
	return TAKE(table);
}

void table_free(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	free(table);
}

void table_row(struct table *table)
{
	if (table->rc < 0)
		return;
	table->line = scols_table_new_line(table->scols, NULL);
	if (!table->line)
		table->rc = -ENOMEM;
	for (size_t i = 0; table->rc == 0 && i < table->choice.count; i++)
		if (scols_line_set_data(table->line, i, "-") < 0)
			table->rc = -ENOMEM;
}

bool table_shows(const struct table *table, size_t column)
{
	for (size_t i = 0; i < table->choice.count; i++)
		if (table->choice.id[i] == column)
			return true;
	return false;
}

static void put(struct table *table, size_t column, const char *text)
{
	for (size_t i = 0; table->rc == 0 && i < table->choice.count; i++)
		if (table->choice.id[i] == column && scols_line_set_data(table->line, i, text) < 0)
			table->rc = -ENOMEM;
}

void table_put_text(struct table *table, size_t column, const char *text)
{
	size_t size = 4 * strlen(text) + 1; /* each byte may become \xNN */
	AUTO(free_p) char *escaped = NULL;

	if (!*text || !table_shows(table, column))
		return;
	if (table->is_raw) {
		put(table, column, text); /* raw output escapes blanks and backslashes too, by itself */
		return;
	}
	escaped = malloc(size);
	if (!escaped)
		table->rc = -ENOMEM;
	else
		put(table, column, text_escape(text, escaped, size));
}

void table_put_int(struct table *table, size_t column, int64_t number)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%" PRId64, number);
	put(table, column, text);
}

void table_put_bytes(struct table *table, size_t column, uint64_t bytes)
{
	char text[SIZE_TEXT];

	if (table->in_bytes)
		(void)snprintf(text, sizeof(text), "%" PRIu64, bytes);
	else
		size_short(bytes, text);
	put(table, column, text);
}

int table_print(struct table *table, FILE *out)
{
	if (table->rc < 0)
		return table->rc;
	scols_table_set_stream(table->scols, out);
	return scols_print_table(table->scols) < 0 ? -ENOMEM : 0;
}
