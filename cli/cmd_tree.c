/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol tree: cgroups with their limits, as a tree. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "cmd.h"
#include "host/cgroup.h"
#include "policy/shape.h"

struct config {
	struct opt_int depth;
	struct table_style style;
};

static const struct opt options[] = {
	{"depth", 0, OPT_INT, OPT_AT(config, depth), "N", NULL, "only so many levels below the cgroup"},
	TABLE_OPTIONS(config, style),
	{0},
};

enum column_id {
	TREE_NAME,
	TREE_CGROUP,
	TREE_TYPE,
	TREE_PROCS,
	TREE_CURRENT,
	TREE_MAX,
	TREE_HIGH,
	TREE_GROUP,
	TREE_PARTITION,
	TREE_CPUS,
	TREE_MEMS,
	TREE_MARK
};

static const struct column columns[] = {
	[TREE_NAME] = {"NAME", 0, "the cgroup's name in its place in the tree; with --raw its whole path"},
	[TREE_CGROUP] = {"CGROUP", 0, "its whole path"},
	[TREE_TYPE] = {"TYPE", 0, "root, domain, threaded, \"domain threaded\", \"domain invalid\""},
	[TREE_PROCS] = {"PROCS", COLUMN_RIGHT, "how many processes are in it, without those below it"},
	[TREE_CURRENT] = {"CURRENT", COLUMN_RIGHT, "memory that it uses, with those below it"},
	[TREE_MAX] = {"MAX", COLUMN_RIGHT, "memory.max"},
	[TREE_HIGH] = {"HIGH", COLUMN_RIGHT, "memory.high"},
	[TREE_GROUP] = {"OOM.GROUP", 0, "memory.oom.group; a path: the highest cgroup above that has it"},
	[TREE_PARTITION] = {"PARTITION", 0, "cpuset.cpus.partition, with the reason where it is invalid"},
	[TREE_CPUS] = {"CPUS", 0, "cpus that it may use (cpuset.cpus.effective)"},
	[TREE_MEMS] = {"MEMS", 0, "nodes that it may use (cpuset.mems.effective)"},
	[TREE_MARK] = {"MARK", 0, "cgpol's: run, kept, parent"},
	{0},
};

static const char default_columns[] = "NAME,TYPE,PROCS,CURRENT,MAX,HIGH,OOM.GROUP,PARTITION,CPUS,MEMS,MARK";

static const unsigned parts[] = {
	[TREE_TYPE] = SHAPE_TYPE,	    [TREE_PROCS] = SHAPE_PROCS,
	[TREE_CURRENT] = SHAPE_CURRENT,	    [TREE_MAX] = SHAPE_MAX,
	[TREE_HIGH] = SHAPE_HIGH,	    [TREE_GROUP] = SHAPE_GROUP,
	[TREE_PARTITION] = SHAPE_PARTITION, [TREE_CPUS] = SHAPE_CPUS,
	[TREE_MEMS] = SHAPE_MEMS,	    [TREE_MARK] = SHAPE_MARK,
};

static unsigned parts_of(const struct cli *cli, const struct table_choice *choice)
{
	unsigned wanted = 0;

	for (size_t i = 0; i < choice->count; i++)
		wanted |= parts[choice->id[i]];
	return cli->json ? SHAPE_ALL : wanted;
}

/* ---- the lines of the tree ---- */

/* Which rows are the last of their siblings: nothing of their depth follows before something above it. */
static bool *find_last(const struct shapes *shapes)
{
	unsigned deepest = 0;
	bool *last, *seen;

	for (size_t i = 0; i < shapes->count; i++)
		deepest = shapes->shape[i].depth > deepest ? shapes->shape[i].depth : deepest;
	last = calloc(shapes->count + 1, sizeof(*last));
	seen = calloc((size_t)deepest + 2, sizeof(*seen));
	for (size_t i = shapes->count; last && seen && i-- > 0;) {
		unsigned depth = shapes->shape[i].depth;

		last[i] = !seen[depth];
		seen[depth] = true;
		memset(&seen[depth + 1], 0, (deepest - depth + 1) * sizeof(*seen));
	}
	if (!seen) {
		free(last);
		last = NULL;
	}
	free(seen);
	return last;
}

/* "| |-name"; `open` has for each depth whether more follows on that level. */
static int put_name(struct table *table, const struct shape *shape, const bool *open)
{
	const char *slash = strrchr(shape->name, '/');
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	for (unsigned depth = 1; depth < shape->depth; depth++)
		(void)fputs(open[depth] ? "| " : "  ", out);
	if (shape->depth > 0)
		(void)fprintf(out, "%s%s", open[shape->depth] ? "|-" : "`-", slash ? slash + 1 : shape->name);
	else
		(void)fputs(shape->name, out);
	if (fclose(out) != 0)
		return -ENOMEM;
	table_put_text(table, TREE_NAME, text);
	return 0;
}

/* ---- telling ---- */

static void put_limit(struct table *table, const struct shape *shape, enum column_id column, uint64_t limit)
{
	if (!(shape->has & parts[column]))
		return;
	if (limit == UINT64_MAX)
		table_put_text(table, column, "max");
	else
		table_put_bytes(table, column, limit);
}

static void put_texts(struct table *table, const struct shape *shape)
{
	const char *mark = shape_mark_name(shape->mark.kind);

	table_put_text(table, TREE_CGROUP, shape->name);
	table_put_text(table, TREE_TYPE, shape->is_root ? "root" : shape->type ? shape->type : "");
	if (shape->oom_group_from)
		table_put_text(table, TREE_GROUP, shape->oom_group_from);
	else if (shape->has & SHAPE_GROUP)
		table_put_text(table, TREE_GROUP, shape->oom_group ? "1" : "0");
	table_put_text(table, TREE_PARTITION, shape->partition ? shape->partition : "");
	table_put_text(table, TREE_CPUS, shape->cpus ? shape->cpus : "");
	table_put_text(table, TREE_MEMS, shape->mems ? shape->mems : "");
	table_put_text(table, TREE_MARK, mark ? mark : "");
}

static void put_numbers(struct table *table, const struct shape *shape)
{
	if (shape->has & SHAPE_PROCS)
		table_put_int(table, TREE_PROCS, (int64_t)shape->procs);
	if (shape->has & SHAPE_CURRENT)
		table_put_bytes(table, TREE_CURRENT, shape->current);
	put_limit(table, shape, TREE_MAX, shape->max);
	put_limit(table, shape, TREE_HIGH, shape->high);
}

static int print_text(struct cli *cli, const struct config *config, const struct table_choice *choice,
		      const struct shapes *shapes)
{
	AUTO(table_free_p) struct table *table = table_new(columns, choice, &config->style);
	AUTO(free_p) bool *last = find_last(shapes);
	AUTO(free_p) bool *open = calloc(shapes->count + 2, sizeof(*open)); /* no row is deeper than that */
	int rc = table && last && open ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < shapes->count; i++) {
		const struct shape *shape = &shapes->shape[i];

		open[shape->depth] = !last[i];
		table_row(table);
		put_texts(table, shape);
		put_numbers(table, shape);
		if (config->style.raw)
			table_put_text(table, TREE_NAME, shape->name);
		else
			rc = put_name(table, shape, open);
	}
	return rc < 0 ? rc : table_print(table, cli->out);
}

/* A number, "max", or null where there is no such file. */
static void put_json_limit(struct json *json, const char *key, bool has, uint64_t limit)
{
	if (!has)
		json_put_null(json, key);
	else if (limit == UINT64_MAX)
		json_put_text(json, key, "max");
	else
		json_put_u64(json, key, limit);
}

static void put_json_row(struct json *json, const struct shape *shape)
{
	json_open_object(json, NULL);
	json_put_name(json, "cgroup", shape->name);
	json_put_u64(json, "depth", shape->depth);
	json_put_text(json, "type", shape->is_root ? "root" : shape->type);
	if (shape->has & SHAPE_PROCS)
		json_put_u64(json, "procs", shape->procs);
	else
		json_put_null(json, "procs");
	put_json_limit(json, "current", shape->has & SHAPE_CURRENT, shape->current);
	put_json_limit(json, "max", shape->has & SHAPE_MAX, shape->max);
	put_json_limit(json, "high", shape->has & SHAPE_HIGH, shape->high);
	if (shape->has & SHAPE_GROUP)
		json_put_bool(json, "oom_group", shape->oom_group);
	else
		json_put_null(json, "oom_group");
	if (shape->oom_group_from)
		json_put_name(json, "oom_group_from", shape->oom_group_from);
	else
		json_put_null(json, "oom_group_from");
	json_put_text(json, "partition", shape->partition);
	json_put_text(json, "cpus", shape->cpus);
	json_put_text(json, "mems", shape->mems);
	json_put_text(json, "mark", shape_mark_name(shape->mark.kind));
	if (shape->mark.kind == MARK_OWNED)
		json_put_int(json, "mark_pid", shape->mark.pid);
	else
		json_put_null(json, "mark_pid");
	json_close(json);
}

static int print_json(struct cli *cli, const struct shapes *shapes)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_open_array(json, "cgroups");
	for (size_t i = 0; i < shapes->count; i++)
		put_json_row(json, &shapes->shape[i]);
	json_close(json);
	json_put_u64(json, "vanished", shapes->vanished);
	return cli_print_json(cli, json);
}

static int find_depth(const struct config *config, unsigned *depth, struct cgpol_error *err)
{
	char shown[24];

	*depth = UINT_MAX;
	if (!config->depth.is_set)
		return 0;
	if (config->depth.number >= 0 && config->depth.number < UINT_MAX) {
		*depth = (unsigned)config->depth.number;
		return 0;
	}
	(void)snprintf(shown, sizeof(shown), "%lld", (long long)config->depth.number);
	(void)error_set(err, EINVAL, CGPOL_USAGE, "--depth: %s is no number of levels", shown);
	error_detail(err, NULL, shown, "0 is the cgroup alone");
	return -EINVAL;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct config *config = given;
	AUTO(shapes_clear) struct shapes shapes = {0};
	AUTO(free_p) char *name = NULL;
	struct table_choice choice = {0};
	struct cgpol_host *host = NULL;
	unsigned depth;
	int rc = cli_no_words(cli, 1, err);

	rc = rc < 0 ? rc : find_depth(config, &depth, err);
	rc = rc < 0 ? rc : table_choose(columns, default_columns, config->style.columns, &choice, err);
	rc = rc < 0 ? rc : cgroup_name(cli->words.count ? cli->words.word[0] : "/", &name, err);
	rc = rc < 0 ? rc : cli_host(cli, &host, err);
	rc = rc < 0 ? rc : shapes_read(host, name, depth, parts_of(cli, &choice), &shapes, err);
	if (rc < 0)
		return rc;
	if (shapes.vanished && cli->verbose)
		cli_note(cli, "%zu cgroup%s went away meanwhile", shapes.vanished,
			 shapes.vanished == 1 ? "" : "s");
	return cli->json ? print_json(cli, &shapes) : print_text(cli, config, &choice, &shapes);
}

const struct cmd cmd_tree = {
	.name = "tree",
	.summary = "Show cgroups as a tree, with limits, type and nodes",
	.usage = "[OPTION...] [CGROUP]",
	.about = "Of the whole hierarchy, or of CGROUP and what is below it.",
	.operands = "cgroups",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct config),
	.run = run,
};
