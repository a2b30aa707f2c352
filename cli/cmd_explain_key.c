/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol explain-key: what a setting means. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "cmd.h"
#include "policy/presence.h"

struct explain_config {
	struct table_style style;
};

enum {
	EXPLAIN_KEY,
	EXPLAIN_CONTROLLER,
	EXPLAIN_TYPE,
	EXPLAIN_SINCE,
	EXPLAIN_HELP,
	EXPLAIN_SCOPE,
	EXPLAIN_RANGE,
	EXPLAIN_UNITS,
	EXPLAIN_INITIAL,
	EXPLAIN_ROOT,
};

static const char default_columns[] = "KEY,CONTROLLER,TYPE,SINCE,HELP";

/* TABLE_OPTIONS without --bytes: there are no sizes here. */
static const struct opt options[] = {
	{"output", 'o', OPT_STRING, OPT_AT(explain_config, style.columns), "COLUMNS", NULL,
	 "columns to show; +COLUMNS: more than the default ones"},
	{"raw", 'r', OPT_FLAG, OPT_AT(explain_config, style.raw), NULL, NULL, "one blank between columns"},
	{"noheadings", 'n', OPT_FLAG, OPT_AT(explain_config, style.noheadings), NULL, NULL,
	 "no line of headings"},
	{0},
};

static const struct column columns[] = {
	[EXPLAIN_KEY] = {"KEY", 0, "name of the setting; a star stands for one word"},
	[EXPLAIN_CONTROLLER] = {"CONTROLLER", 0, "controller that has to be enabled"},
	[EXPLAIN_TYPE] = {"TYPE", 0, "what values look like"},
	[EXPLAIN_SINCE] = {"SINCE", 0, "first kernel that has it"},
	[EXPLAIN_HELP] = {"HELP", 0, "what it does"},
	[EXPLAIN_SCOPE] = {"SCOPE", 0, "cgroup, task or host"},
	[EXPLAIN_RANGE] = {"RANGE", 0, "smallest and largest number, or the words"},
	[EXPLAIN_UNITS] = {"UNITS", 0, "unit of a number"},
	[EXPLAIN_INITIAL] = {"INITIAL", 0, "what a new cgroup or machine has"},
	[EXPLAIN_ROOT] = {"ROOT", 0, "yes, no or only: does the root cgroup have the file"},
	{0},
};

/* ---- a row in words ---- */

static const char *const type_names[] = {
	[KEY_SIZE] = "size", [KEY_FLAG] = "flag",   [KEY_NUMBER] = "number", [KEY_LIMIT] = "limit",
	[KEY_CPUS] = "cpus", [KEY_NODES] = "nodes", [KEY_WORDS] = "words",   [KEY_TEXT] = "text",
};

static const char *const type_meanings[] = {
	[KEY_SIZE] = "bytes, with K, M, G or T for powers of 1024; a part like 50%; or max",
	[KEY_FLAG] = "1 or 0; yes, no, on, off, true and false too",
	[KEY_NUMBER] = "a whole number",
	[KEY_LIMIT] = "a whole number, or max",
	[KEY_CPUS] = "a list of cpus like 0-3,8",
	[KEY_NODES] = "a list of nodes like 0-1",
	[KEY_WORDS] = "a word",
	[KEY_TEXT] = "a text that is passed on",
};

static const char *const scope_names[] = {[KEY_CGROUP] = "cgroup", [KEY_TASK] = "task", [KEY_HOST] = "host"};

static const char *name_root(const struct key *key)
{
	if (key->scope != KEY_CGROUP)
		return NULL;
	return key->is_root_only ? "only" : key->is_on_root ? "yes" : "no";
}

/* "0 to 200, member, root, isolated", or for the table without blanks; empty where there is no range. */
static void format_range(const struct key *key, bool is_dense, char *text, size_t size)
{
	const char *comma = is_dense ? "," : ", ";
	size_t used = 0;

	text[0] = '\0';
	if (key->type == KEY_NUMBER || key->type == KEY_LIMIT)
		used = (size_t)snprintf(text, size, "%" PRId64 "%s%" PRId64, key->min,
					is_dense ? ".." : " to ", key->max);
	for (const char *const *word = key->words; word && *word && used < size; word++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? comma : "", *word);
}

static const char *initial_of(const struct key *key)
{
	return key->initial && !*key->initial ? "empty" : key->initial;
}

/* ---- all of them ---- */

static int print_table(struct cli *cli, const struct explain_config *config, struct cgpol_error *err)
{
	AUTO(table_free_p) struct table *table = NULL;
	struct table_choice choice;
	char range[160];
	int rc = table_choose(columns, default_columns, config->style.columns, &choice, err);

	if (rc < 0)
		return rc;
	table = table_new(columns, &choice, &config->style);
	if (!table)
		return error_no_memory(err);
	for (const struct key *key = key_table; key->name; key++) {
		format_range(key, true, range, sizeof(range));
		table_row(table);
		table_put_text(table, EXPLAIN_KEY, key->name);
		table_put_text(table, EXPLAIN_TYPE, type_names[key->type]);
		table_put_text(table, EXPLAIN_HELP, key->help);
		table_put_text(table, EXPLAIN_SCOPE, scope_names[key->scope]);
		if (key->controller)
			table_put_text(table, EXPLAIN_CONTROLLER, key->controller);
		if (key->since)
			table_put_text(table, EXPLAIN_SINCE, key->since);
		if (*range)
			table_put_text(table, EXPLAIN_RANGE, range);
		if (key->units)
			table_put_text(table, EXPLAIN_UNITS, key->units);
		if (key->initial)
			table_put_text(table, EXPLAIN_INITIAL, initial_of(key));
		if (name_root(key))
			table_put_text(table, EXPLAIN_ROOT, name_root(key));
	}
	return table_print(table, cli->out) < 0 ? error_no_memory(err) : 0;
}

static void put_words(struct json *json, const struct key *key)
{
	if (!key->words) {
		json_put_null(json, "words");
		return;
	}
	json_open_array(json, "words");
	for (const char *const *word = key->words; *word; word++)
		json_put_text(json, NULL, *word);
	json_close(json);
}

/* The members of a key; `presence` NULL: nobody looked. */
static void put_key(struct json *json, const struct key *key, const char *name,
		    const struct presence *presence)
{
	bool is_number = key->type == KEY_NUMBER || key->type == KEY_LIMIT;

	json_put_text(json, "key", name);
	json_put_text(json, "scope", scope_names[key->scope]);
	json_put_text(json, "controller", key->controller);
	json_put_text(json, "type", type_names[key->type]);
	if (is_number) {
		json_put_int(json, "min", key->min);
		json_put_int(json, "max", key->max);
	} else {
		json_put_null(json, "min");
		json_put_null(json, "max");
	}
	put_words(json, key);
	json_put_text(json, "units", key->units);
	json_put_text(json, "initial", key->initial);
	json_put_text(json, "since", key->since);
	json_put_text(json, "root", name_root(key));
	json_put_text(json, "help", key->help);
	if (!presence || presence->state == PRESENCE_UNKNOWN)
		json_put_null(json, "available");
	else
		json_put_bool(json, "available", presence->state == PRESENCE_YES);
	json_put_text(json, "reason", presence && presence->state != PRESENCE_YES ? presence->text : NULL);
}

static int print_all_json(struct cli *cli)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_open_array(json, "keys");
	for (const struct key *key = key_table; key->name; key++) {
		json_open_object(json, NULL);
		put_key(json, key, key->name, NULL);
		json_close(json);
	}
	json_close(json);
	return cli_print_json(cli, json);
}

/* ---- the ones that were asked for ---- */

/* What a word of the command line turned out to be. */
struct meaning {
	const char *name;
	const struct key *key; /* NULL: none */
	const char *v1_now;    /* a file of v1: what it is now, or "" */
	const char *v1_advice;
	const char *refusal; /* why it is no setting */
};

/* The row's own name is understood too, though it has a star. */
static const struct key *find_key(const char *name)
{
	for (const struct key *key = key_table; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return key;
	return key_find(name);
}

static int refuse_unknown(const char *name, struct cgpol_error *err)
{
	const char *nearest = key_nearest(name, NULL);
	char shown[sizeof(err->value)], hint[128];

	text_escape(name, shown, sizeof(shown));
	if (nearest)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", nearest);
	(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no setting that cgpol knows", shown);
	error_detail(err, NULL, shown, nearest ? hint : "\"cgpol explain-key\" lists them");
	return -EINVAL;
}

static int find_meaning(const char *name, struct meaning *meaning, struct cgpol_error *err)
{
	/* A star of the table would take any bytes. */
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-*")])
		return refuse_unknown(name, err);
	*meaning = (struct meaning){.name = name, .key = find_key(name)};
	if (meaning->key)
		return 0;
	meaning->v1_now = key_of_v1(name, &meaning->v1_advice);
	if (meaning->v1_now) {
		meaning->key = *meaning->v1_now ? find_key(meaning->v1_now) : NULL;
		return 0;
	}
	meaning->refusal = key_refusal(name);
	return meaning->refusal ? 0 : refuse_unknown(name, err);
}

static void print_line(struct cli *cli, const char *label, const char *text)
{
	(void)fprintf(cli->out, "  %-11s %s\n", label, text);
}

static void print_value(struct cli *cli, const struct key *key)
{
	char range[160];

	(void)fprintf(cli->out, "  %-11s %s", "value",
		      key->type == KEY_TEXT && key->scope == KEY_TASK
			      ? "default, local, or a policy and its nodes"
			      : type_meanings[key->type]);
	format_range(key, false, range, sizeof(range));
	if (*range)
		(void)fprintf(cli->out, ": %s", range);
	if (key->units && key->type != KEY_SIZE)
		(void)fprintf(cli->out, "; in %s", key->units);
	(void)fputc('\n', cli->out);
}

static const char *describe_root(const struct key *key)
{
	if (key->is_root_only)
		return "has the file, and no other cgroup has";
	return key->is_on_root ? "has the file too" : "does not have the file";
}

static void print_presence(struct cli *cli, const struct presence *presence)
{
	static const char *const words[] = {
		[PRESENCE_YES] = "yes", [PRESENCE_NO] = "no", [PRESENCE_UNKNOWN] = "not known"};

	(void)fprintf(cli->out, "  %-11s %s: %s\n", "here", words[presence->state], presence->text);
	if (*presence->hint)
		(void)fprintf(cli->out, "  %-11s %s\n", "", presence->hint);
}

static void print_key(struct cli *cli, const struct key *key, const char *name,
		      const struct presence *presence)
{
	(void)fprintf(cli->out, "%s: %s\n", name, key->help);
	if (key->scope != KEY_CGROUP)
		print_line(cli, "of", key->scope == KEY_HOST ? "the whole machine" : "a process or thread");
	if (key->controller)
		print_line(cli, "controller", key->controller);
	print_value(cli, key);
	if (key->initial)
		print_line(cli, "at first", initial_of(key));
	else if (key->scope == KEY_TASK)
		print_line(cli, "at first", "as its parent's");
	if (key->since)
		print_line(cli, "since", key->since);
	if (key->scope == KEY_CGROUP)
		print_line(cli, "root cgroup", describe_root(key));
	print_presence(cli, presence);
}

static void print_meaning(struct cli *cli, const struct meaning *meaning, const struct presence *presence)
{
	if (meaning->v1_now)
		(void)fprintf(cli->out, "%s: of cgroup v1%s%s%s%s\n", meaning->name,
			      *meaning->v1_now ? "; in cgroup v2 the file is " : "", meaning->v1_now,
			      meaning->v1_advice ? "; " : "", meaning->v1_advice ? meaning->v1_advice : "");
	if (meaning->refusal)
		(void)fprintf(cli->out, "%s %s\n", meaning->name, meaning->refusal);
	if (meaning->key)
		print_key(cli, meaning->key, meaning->v1_now ? meaning->key->name : meaning->name, presence);
}

static void put_meaning(struct json *json, const struct meaning *meaning, const struct presence *presence)
{
	json_open_object(json, NULL);
	if (meaning->key && !meaning->v1_now) {
		put_key(json, meaning->key, meaning->name, presence);
	} else {
		json_put_text(json, "key", meaning->name);
		json_put_text(json, "scope", NULL);
		json_put_text(json, "reason", meaning->refusal ? meaning->refusal : meaning->v1_advice);
		json_put_text(json, "v2", meaning->v1_now && *meaning->v1_now ? meaning->v1_now : NULL);
	}
	json_close(json);
}

/* The words were all understood before the first one is told. */
static int explain(struct cli *cli, struct cgpol_host *host, struct json *json, struct cgpol_error *err)
{
	for (size_t i = 0; i < cli->words.count; i++) {
		struct presence presence = {.state = PRESENCE_UNKNOWN};
		struct meaning meaning;
		int rc = find_meaning(cli->words.word[i], &meaning, err);

		if (rc == 0 && meaning.key &&
		    presence_read(host, meaning.key, meaning.v1_now ? meaning.key->name : meaning.name,
				  &presence) < 0)
			rc = error_no_memory(err);
		if (rc < 0)
			return rc;
		if (json) {
			put_meaning(json, &meaning, &presence);
			continue;
		}
		if (i)
			(void)fputc('\n', cli->out);
		print_meaning(cli, &meaning, &presence);
	}
	return 0;
}

static int explain_words(struct cli *cli, struct cgpol_error *err)
{
	AUTO(json_free_p) struct json *json = cli->json ? json_new() : NULL;
	struct cgpol_host *host = NULL;
	struct meaning meaning;
	int rc = 0;

	if (cli->json && !json)
		return error_no_memory(err);
	for (size_t i = 0; rc == 0 && i < cli->words.count; i++)
		rc = find_meaning(cli->words.word[i], &meaning, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (json)
		json_open_array(json, "keys");
	if (rc == 0)
		rc = explain(cli, host, json, err);
	if (rc < 0 || !json)
		return rc;
	json_close(json);
	return cli_print_json(cli, json);
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct explain_config *config = given;
	struct table_choice choice;
	int rc;

	if (cli->words.count == 0)
		return cli->json ? print_all_json(cli) : print_table(cli, config, err);
	rc = table_choose(columns, default_columns, config->style.columns, &choice, err);
	return rc < 0 ? rc : explain_words(cli, err);
}

const struct cmd cmd_explain_key = {
	.name = "explain-key",
	.summary = "Explain a setting",
	.usage = "[OPTION...] [KEY...]",
	.about = "Without KEY a table of all settings of cgroups, processes and the machine. With KEY what\n"
		 "it means, which values it takes, and whether this machine has it. Names of cgroup v1 are\n"
		 "answered with what does the same in cgroup v2.",
	.operands = "names",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct explain_config),
	.run = run,
};
