/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory by process, cgroup and node as a table, and as the document of stat.schema.json. */
#include "stat.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

static const char process_columns[] = "PID,NAME,NODE,TOTAL,ANON,FILE,SHMEM,HUGE,SWAP";
static const char cgroup_columns[] = "CGROUP,NODE,TOTAL,ANON,FILE,SHMEM,KERNEL,SWAP";

/* Hugetlb pages are charged to no memory cgroup, and numa_maps has no kernel memory. */
static const struct kind {
	enum usage_kind kind;
	enum stat_column column;
	const char *key;
	bool of_processes, of_cgroups;
} kinds[] = {
	{USAGE_ANON, STAT_ANON, "anon", true, true},	    {USAGE_FILE, STAT_FILE, "file", true, true},
	{USAGE_SHMEM, STAT_SHMEM, "shmem", true, true},	    {USAGE_HUGE, STAT_HUGE, "huge", true, false},
	{USAGE_KERNEL, STAT_KERNEL, "kernel", false, true},
};

int stat_choose(struct stat_view *view, struct cgpol_error *err)
{
	const char *list = view->config->style.columns;
	int rc = table_choose(stat_columns, process_columns, list, &view->processes, err);

	return rc < 0 ? rc : table_choose(stat_columns, cgroup_columns, list, &view->cgroups, err);
}

static bool has_kind(const struct kind *kind, const struct usage_row *row)
{
	return row->pid ? kind->of_processes : kind->of_cgroups;
}

/* A process that was named and matched a pattern too counts once. */
static bool is_repeated(const struct stat_view *view, size_t row)
{
	for (size_t i = 0; row >= view->named && i < view->named; i++)
		if (view->usage->row[i].pid == view->usage->row[row].pid)
			return true;
	return false;
}

/* The next row of its sort that counts, from `row` on; usage->rows when there is none. */
static size_t next_row(const struct stat_view *view, bool processes, size_t row)
{
	for (; row < view->usage->rows; row++)
		if ((view->usage->row[row].pid != 0) == processes && !is_repeated(view, row))
			break;
	return row;
}

static void add_bytes(uint64_t *to, const uint64_t *from)
{
	for (size_t kind = 0; kind < USAGE_KINDS; kind++)
		to[kind] += from[kind];
}

static void add_row(struct usage_row *sum, const struct usage_row *row)
{
	size_t at = 0;

	for (size_t i = 0; i < row->nodes; i++) {
		while (at < sum->nodes && sum->node[at].id < row->node[i].id)
			at++;
		if (at == sum->nodes || sum->node[at].id != row->node[i].id)
			continue;
		add_bytes(sum->node[at].bytes, row->node[i].bytes);
		sum->node[at].total += row->node[i].total;
	}
	add_bytes(sum->bytes, row->bytes);
	sum->total += row->total;
	sum->swap += row->swap;
	sum->has_swap |= row->has_swap;
}

/* Sums the processes; sum->node is the caller's. pid -1 stands for all of them. */
static int sum_processes(const struct stat_view *view, struct usage_row *sum, size_t *count)
{
	const struct cgpol_usage *usage = view->usage;
	size_t nodes = nodeset_count(&usage->nodes);

	*sum = (struct usage_row){.pid = -1};
	*count = 0;
	sum->node = calloc(nodes + 1, sizeof(*sum->node));
	if (!sum->node)
		return -ENOMEM;
	for (int id = nodeset_next(&usage->nodes, 0); id >= 0; id = nodeset_next(&usage->nodes, id + 1))
		sum->node[sum->nodes++].id = (unsigned)id;
	for (size_t i = next_row(view, true, 0); i < usage->rows; i = next_row(view, true, i + 1)) {
		add_row(sum, &usage->row[i]);
		(*count)++;
	}
	return 0;
}

static void put_title(struct table *table, const struct usage_row *row)
{
	table_row(table);
	if (row->pid > 0)
		table_put_int(table, STAT_PID, row->pid);
	table_put_text(table, row->pid ? STAT_NAME : STAT_CGROUP, row->pid < 0 ? "total" : row->name);
}

static void put_bytes(struct table *table, const struct usage_row *row, uint64_t total, const uint64_t *bytes)
{
	table_put_bytes(table, STAT_TOTAL, total);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (has_kind(&kinds[i], row))
			table_put_bytes(table, kinds[i].column, bytes[kinds[i].kind]);
}

static void put_row(const struct stat_view *view, struct table *table, const struct usage_row *row)
{
	for (size_t i = 0; i < row->nodes; i++) {
		if (row->node[i].total == 0 && !view->config->zeros)
			continue;
		put_title(table, row);
		table_put_int(table, STAT_NODE, row->node[i].id);
		put_bytes(table, row, row->node[i].total, row->node[i].bytes);
	}
	put_title(table, row);
	table_put_text(table, STAT_NODE, "all");
	put_bytes(table, row, row->total, row->bytes);
	if (row->has_swap)
		table_put_bytes(table, STAT_SWAP, row->swap);
}

static int print_sort(const struct stat_view *view, bool processes, FILE *out)
{
	AUTO(table_free_p)
	struct table *table = table_new(stat_columns, processes ? &view->processes : &view->cgroups,
					&view->config->style);
	AUTO(free_p) struct usage_node *nodes = NULL;
	const struct cgpol_usage *usage = view->usage;
	struct usage_row sum;
	size_t count;

	if (!table)
		return -ENOMEM;
	for (size_t i = next_row(view, processes, 0); i < usage->rows; i = next_row(view, processes, i + 1))
		put_row(view, table, &usage->row[i]);
	if (processes) {
		if (sum_processes(view, &sum, &count) < 0)
			return -ENOMEM;
		nodes = sum.node;
		if (count > 1)
			put_row(view, table, &sum);
	}
	return table_print(table, out);
}

int stat_print_text(struct cli *cli, const struct stat_view *view)
{
	size_t rows = view->usage->rows;
	bool has_processes = next_row(view, true, 0) < rows, has_cgroups = next_row(view, false, 0) < rows;
	int rc = 0;

	if (has_cgroups)
		rc = print_sort(view, false, cli->out);
	if (rc == 0 && has_cgroups && has_processes)
		(void)fputc('\n', cli->out);
	if (rc == 0 && has_processes)
		rc = print_sort(view, true, cli->out);
	return rc;
}

static void put_json_bytes(struct json *json, const struct usage_row *row, uint64_t total,
			   const uint64_t *bytes)
{
	json_put_u64(json, "total", total);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (has_kind(&kinds[i], row))
			json_put_u64(json, kinds[i].key, bytes[kinds[i].kind]);
}

static void put_json_row(struct json *json, const struct usage_row *row)
{
	json_open_object(json, NULL);
	if (row->pid) {
		json_put_int(json, "pid", row->pid);
		json_put_name(json, "comm", row->name);
	} else {
		json_put_name(json, "cgroup", row->name);
	}
	put_json_bytes(json, row, row->total, row->bytes);
	if (row->has_swap)
		json_put_u64(json, "swap", row->swap);
	else
		json_put_null(json, "swap");
	if (row->denied && row->nodes == 0) {
		json_put_null(json, "nodes");
		json_close(json);
		return;
	}
	json_open_object(json, "nodes");
	for (size_t i = 0; i < row->nodes; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "%u", row->node[i].id);
		json_open_object(json, id);
		put_json_bytes(json, row, row->node[i].total, row->node[i].bytes);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void put_json_sort(struct json *json, const struct stat_view *view, bool processes)
{
	const struct cgpol_usage *usage = view->usage;

	json_open_array(json, processes ? "processes" : "cgroups");
	for (size_t i = next_row(view, processes, 0); i < usage->rows; i = next_row(view, processes, i + 1))
		put_json_row(json, &usage->row[i]);
	json_close(json);
}

/* The sums over all processes by node, without those whose nodes may not be read. */
static int put_json_nodes(struct json *json, const struct stat_view *view)
{
	AUTO(free_p) struct usage_node *nodes = NULL;
	struct usage_row sum;
	size_t count;

	if (sum_processes(view, &sum, &count) < 0)
		return -ENOMEM;
	nodes = sum.node;
	json_open_array(json, "nodes");
	for (size_t i = 0; count && i < sum.nodes; i++) {
		json_open_object(json, NULL);
		json_put_int(json, "node", nodes[i].id);
		put_json_bytes(json, &sum, nodes[i].total, nodes[i].bytes);
		json_close(json);
	}
	json_close(json);
	return 0;
}

int stat_print_json(struct cli *cli, const struct stat_view *view)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	put_json_sort(json, view, true);
	put_json_sort(json, view, false);
	if (put_json_nodes(json, view) < 0)
		return -ENOMEM;
	json_put_u64(json, "vanished", view->usage->vanished);
	json_put_u64(json, "unreadable", view->usage->unreadable);
	json_put_bool(json, "complete", !view->usage->hides && !view->failed && view->usage->unreadable == 0);
	if (view->failed)
		json_put_error(json, view->err);
	return cli_print_json(cli, json);
}
