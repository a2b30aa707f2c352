/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol get: what settings ask for, and what holds. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "get.h"
#include "host/cgroup.h"
#include "policy/inventory.h"

struct config {
	bool all, values;
	struct pids pids;
	struct table_style style;
};

static const struct opt options[] = {
	{"all", 'a', OPT_FLAG, OPT_AT(config, all), NULL, NULL,
	 "without a KEY: every setting, not only those that a new cgroup would not have"},
	{"values", 0, OPT_FLAG, OPT_AT(config, values), NULL, NULL,
	 "only what the files say, one after the other"},
	{"pid", 0, OPT_PIDS, OPT_AT(config, pids), "PID[,PID...]", NULL, "settings of these processes"},
	TABLE_OPTIONS(config, style),
	{0},
};

enum column_id { GET_PID, GET_KEY, GET_REQUESTED, GET_EFFECTIVE, GET_REASON, GET_BY, GET_FROM, GET_SOURCE };

static const struct column columns[] = {
	[GET_PID] = {"PID", COLUMN_RIGHT, "process id"},
	[GET_KEY] = {"KEY", 0, "the setting, or the file"},
	[GET_REQUESTED] = {"REQUESTED", 0, "what the file asks for"},
	[GET_EFFECTIVE] = {"EFFECTIVE", 0, "what holds"},
	[GET_REASON] = {"REASON", 0, "why they differ"},
	[GET_BY] = {"BY", 0,
		    "what makes the difference: itself, ancestor, machine, sibling, invalid, unknown"},
	[GET_FROM] = {"FROM", 0, "the cgroup that makes it"},
	[GET_SOURCE] = {"SOURCE", 0, "the file of a process that tells it"},
	{0},
};

/* What the words mean. */
struct question {
	struct cli *cli;
	const struct config *config;
	struct cgpol_host *host;
	char *cgroup;	   /* NULL: none */
	struct words keys; /* borrowed from cli->words */
	struct get_rows rows;
	struct cgpol_error *err;
	int failed; /* the first -errno of a key that could not be told */
};

void get_clear(struct get_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->row[i].key);
		effective_clear(&rows->row[i].effective);
	}
	free(rows->row);
	*rows = (struct get_rows){0};
}

static bool is_size(const char *key)
{
	const struct key *known = key_find(key);
	size_t size = strlen(key);

	if (known)
		return known->type == KEY_SIZE;
	return strncmp(key, "memory.", 7) == 0 && ((size > 8 && strcmp(key + size - 8, ".current") == 0) ||
						   (size > 5 && strcmp(key + size - 5, ".peak") == 0));
}

int get_add(struct get_rows *rows, pid_t pid, const char *key, const char *source,
	    struct effective *effective)
{
	struct get_row *more = reallocarray(rows->row, rows->count + 1, sizeof(*more));
	char *copy = more ? strdup(key) : NULL;

	if (more)
		rows->row = more;
	if (!copy) {
		effective_clear(effective);
		return -ENOMEM;
	}
	more[rows->count++] = (struct get_row){
		.pid = pid, .key = copy, .is_size = is_size(key), .effective = *effective, .source = source};
	*effective = (struct effective){0};
	return 0;
}

/* ---- asking ---- */

static int refuse_task_key(const char *key, struct cgpol_error *err)
{
	char hint[120];

	(void)error_set(err, EINVAL, CGPOL_USAGE, "%s is a setting of processes, not of a cgroup", key);
	(void)snprintf(hint, sizeof(hint), "cgpol get --pid PID %s", key);
	error_detail(err, NULL, key, hint);
	return -EINVAL;
}

static int ask_one(struct question *question, const char *key, struct cgpol_error *err)
{
	struct effective effective = {0};
	int rc;

	if (key_scope_of(key) == KEY_TASK)
		return refuse_task_key(key, err);
	rc = key_scope_of(key) == KEY_HOST
		     ? effective_read_host(question->host, key, &effective, err)
		     : effective_read(question->host, question->cgroup, key, &effective, err);
	if (rc == 0 && get_add(&question->rows, 0, key, NULL, &effective) < 0)
		rc = error_no_memory(err);
	effective_clear(&effective);
	return rc;
}

/* One that fails is told, and leaves the others to show. */
static int miss(struct question *question, const struct cgpol_error *failure, int rc)
{
	if (rc == -ENOMEM || failure->kind == CGPOL_USAGE) {
		*question->err = *failure;
		return rc;
	}
	cli_print_error(question->cli, failure);
	if (!question->cli->is_told) {
		*question->err = *failure;
		question->failed = rc;
	}
	question->cli->is_told = true;
	return 0;
}

static int ask_keys(struct question *question)
{
	for (size_t i = 0; i < question->keys.count; i++) {
		struct cgpol_error failure = {0};
		int rc = ask_one(question, question->keys.word[i], &failure);

		rc = rc < 0 ? miss(question, &failure, rc) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int ask_processes(struct question *question)
{
	const struct pids *pids = &question->config->pids;

	for (size_t i = 0; i < pids->count; i++) {
		struct cgpol_error failure = {0};
		size_t before = question->rows.count;
		int rc = get_process(question->host, pids->pid[i], &question->keys, &question->rows,
				     &failure);

		/* Of one that went away nothing is told, not a half. */
		while (rc < 0 && question->rows.count > before) {
			struct get_row *row = &question->rows.row[--question->rows.count];

			free(row->key);
			effective_clear(&row->effective);
		}
		rc = rc < 0 ? miss(question, &failure, rc) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int ask_all(struct question *question)
{
	AUTO(inventory_clear) struct inventory inventory = {0};
	int rc = inventory_read(question->host, question->cgroup, question->config->all, &inventory,
				question->err);

	for (size_t i = 0; rc == 0 && i < inventory.count; i++) {
		struct cgpol_error failure = {0};

		rc = ask_one(question, inventory.item[i].name, &failure);
		if (rc == -ENOMEM)
			*question->err = failure;
		else
			rc = 0; /* went away since */
	}
	return rc;
}

/* "CGROUP KEY...", "KEY..." of the machine, or with --pid "KEY...". */
static int take_words(struct question *question)
{
	const struct words *words = &question->cli->words;
	size_t first = 0;
	int rc;

	if (question->config->pids.count == 0 && words->count == 0) {
		(void)error_set(question->err, EINVAL, CGPOL_USAGE, "get: no cgroup is given");
		error_detail(question->err, NULL, NULL,
			     "cgpol get CGROUP, cgpol get vm.swappiness, or --pid PID");
		return -EINVAL;
	}
	if (question->config->pids.count == 0 && key_scope_of(words->word[0]) != KEY_HOST) {
		rc = cgroup_name(words->word[0], &question->cgroup, question->err);
		if (rc < 0)
			return rc;
		first = 1;
	}
	question->keys = (struct words){words->word + first, words->count - first};
	for (size_t i = 0; !question->cgroup && question->config->pids.count == 0 && i < question->keys.count;
	     i++) {
		if (key_scope_of(question->keys.word[i]) == KEY_HOST)
			continue;
		(void)error_set(question->err, EINVAL, CGPOL_USAGE,
				"get: \"%s\" is no setting of the machine", question->keys.word[i]);
		error_detail(question->err, NULL, question->keys.word[i], "the cgroup comes first");
		return -EINVAL;
	}
	return 0;
}

/* ---- telling ---- */

static void put_value(struct table *table, const struct get_row *row, enum column_id column, const char *text)
{
	uint64_t bytes;

	if (row->is_size && text_u64(text, &bytes) == 0)
		table_put_bytes(table, column, bytes);
	else
		table_put_text(table, column, text);
}

static void put_facts(struct table *table, const struct get_row *row)
{
	const struct effective *effective = &row->effective;

	table_row(table);
	if (row->pid)
		table_put_int(table, GET_PID, row->pid);
	table_put_text(table, GET_KEY, row->key);
	table_put_text(table, GET_REASON, effective->reason ? effective->reason : "");
	table_put_text(table, GET_BY, effective_by_name(effective->by));
	table_put_text(table, GET_FROM, effective->from ? effective->from : "");
	table_put_text(table, GET_SOURCE, row->source ? row->source : "");
}

/* A file of several lines is as many rows. */
static int put_rows(struct table *table, const struct get_row *row)
{
	const char *asked = row->effective.requested ? row->effective.requested : "";
	const char *holds = row->effective.holds ? row->effective.holds : "";
	struct span one, other;

	if (!strchr(asked, '\n') && !strchr(holds, '\n')) {
		put_facts(table, row);
		put_value(table, row, GET_REQUESTED, asked);
		put_value(table, row, GET_EFFECTIVE, holds);
		return 0;
	}
	for (;;) {
		bool has_one = text_line(&asked, &one), has_other = text_line(&holds, &other);
		AUTO(free_p) char *left = has_one ? span_dup(one) : NULL;
		AUTO(free_p) char *right = has_other ? span_dup(other) : NULL;

		if ((has_one && !left) || (has_other && !right))
			return -ENOMEM;
		if (!has_one && !has_other)
			return 0;
		put_facts(table, row);
		put_value(table, row, GET_REQUESTED, left ? left : "");
		put_value(table, row, GET_EFFECTIVE, right ? right : "");
	}
}

static const char *default_columns(const struct question *question)
{
	return question->config->pids.count ? "PID,KEY,EFFECTIVE,SOURCE,REASON"
					    : "KEY,REQUESTED,EFFECTIVE,REASON";
}

static int print_table(const struct question *question, const struct table_choice *choice)
{
	AUTO(table_free_p) struct table *table = table_new(columns, choice, &question->config->style);
	int rc = table ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < question->rows.count; i++)
		rc = put_rows(table, &question->rows.row[i]);
	return rc < 0 ? rc : table_print(table, question->cli->out);
}

/* For scripts: the bytes as they are. */
static void print_values(const struct question *question)
{
	for (size_t i = 0; i < question->rows.count; i++) {
		const struct effective *effective = &question->rows.row[i].effective;
		const char *text = effective->requested ? effective->requested : effective->holds;

		(void)fprintf(question->cli->out, "%s\n", text ? text : "");
	}
}

static void put_name(struct json *json, const char *key, const char *name)
{
	if (name)
		json_put_name(json, key, name);
	else
		json_put_null(json, key);
}

static int print_json(struct question *question)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	put_name(json, "cgroup", question->cgroup);
	json_open_array(json, "settings");
	for (size_t i = 0; i < question->rows.count; i++) {
		const struct get_row *row = &question->rows.row[i];

		json_open_object(json, NULL);
		if (row->pid) {
			json_put_int(json, "pid", row->pid);
			json_put_text(json, "source", row->source);
		}
		json_put_name(json, "key", row->key);
		put_name(json, "requested", row->effective.requested);
		put_name(json, "effective", row->effective.holds);
		json_put_text(json, "by", effective_by_name(row->effective.by));
		put_name(json, "from", row->effective.from);
		json_put_text(json, "reason", row->effective.reason);
		json_close(json);
	}
	json_close(json);
	if (question->failed < 0)
		json_put_error(json, question->err);
	return cli_print_json(question->cli, json);
}

static int ask(struct question *question)
{
	int rc = take_words(question);

	if (rc == 0)
		rc = cli_host(question->cli, &question->host, question->err);
	if (rc < 0)
		return rc;
	if (question->config->pids.count)
		return ask_processes(question);
	return question->keys.count ? ask_keys(question) : ask_all(question);
}

static int print(struct question *question, const struct table_choice *choice)
{
	if (question->cli->json)
		return print_json(question);
	if (question->failed < 0 && question->rows.count == 0)
		return 0;
	if (!question->config->values)
		return print_table(question, choice);
	print_values(question);
	return 0;
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	struct question question = {.cli = cli, .config = config, .err = err};
	struct table_choice choice = {0};
	int rc = table_choose(columns, default_columns(&question), question.config->style.columns, &choice,
			      err);

	if (rc == 0)
		rc = ask(&question);
	if (rc == 0)
		rc = print(&question, &choice);
	if (rc == 0)
		rc = question.failed;
	free(question.cgroup);
	get_clear(&question.rows);
	return rc;
}

const struct cmd cmd_get = {
	.name = "get",
	.summary = "Show settings of a cgroup: asked for, in effect, and why they differ",
	.usage = "[OPTION...] CGROUP|KEY|--pid PID [KEY...]",
	.about = "Without a KEY: the settings of CGROUP that a new cgroup would not have. A KEY is any file "
		 "of\n"
		 "the cgroup, or a setting of the machine (vm.swappiness).",
	.operands = "cgroups names",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct config),
	.run = run,
};
