/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for people and scripts: one column table feeds -o, the help text and the output. */
#ifndef CGPOL_CLI_TABLE_H
#define CGPOL_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "opt.h"

enum { COLUMN_RIGHT = 1 };

struct column {
	const char *name; /* NULL ends a table; the index is the column's id */
	unsigned flags;
	const char *help;
};

/* util-linux's options of table commands; part of a command's config. */
struct table_style {
	const char *columns; /* -o LIST; NULL: the default ones */
	bool raw, noheadings, bytes;
};

#define TABLE_OPTIONS(config, style)                                                                        \
	{"output",                                                                                          \
	 'o',                                                                                               \
	 OPT_STRING,                                                                                        \
	 OPT_AT(config, style.columns),                                                                     \
	 "COLUMNS",                                                                                         \
	 NULL,                                                                                              \
	 "columns to show; +COLUMNS: more than the default ones"},                                          \
		{"bytes",                                                                                   \
		 'b',                                                                                       \
		 OPT_FLAG,                                                                                  \
		 OPT_AT(config, style.bytes),                                                               \
		 NULL,                                                                                      \
		 NULL,                                                                                      \
		 "sizes in bytes, not rounded"},                                                            \
		{"raw", 'r', OPT_FLAG, OPT_AT(config, style.raw), NULL, NULL, "one blank between columns"}, \
	{                                                                                                   \
		"noheadings", 'n', OPT_FLAG, OPT_AT(config, style.noheadings), NULL, NULL,                  \
			"no line of headings"                                                               \
	}

enum { TABLE_COLUMNS_MAX = 32 };

struct table_choice {
	size_t id[TABLE_COLUMNS_MAX];
	size_t count;
};

/* Which columns, in which order. `list` is the user's, or NULL for `defaults`; names in any case, commas
 * between them. CGPOL_USAGE with a guess when one is unknown. */
int table_choose(const struct column *columns, const char *defaults, const char *list,
		 struct table_choice *choice, struct cgpol_error *err);

struct table;

/* NULL when memory is short. Later failures are kept and returned by table_print. */
struct table *table_new(const struct column *columns, const struct table_choice *choice,
			const struct table_style *style);
void table_free(struct table *table);
void table_row(struct table *table); /* the table_put_ functions fill the newest row; "-" where they do not */
/* Raw bytes of a name: what is not printable is escaped. Columns that are not shown cost nothing. */
void table_put_text(struct table *table, size_t column, const char *text);
void table_put_int(struct table *table, size_t column, int64_t number);
void table_put_bytes(struct table *table, size_t column, uint64_t bytes);
bool table_shows(const struct table *table, size_t column);
int table_print(struct table *table, FILE *out); /* 0 or -ENOMEM */

static inline void table_free_p(struct table **table)
{
	table_free(*table);
}

#endif
