/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes and their memory as a table, with the distances below. */
#include "nodes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "size.h"

static const char default_columns[] = "NODE,CPUS,TOTAL,FREE,AVAILABLE,FILE,ANON,SHMEM,SLAB,HUGE";

static const struct {
	enum nodemem_field field;
	enum nodes_column column;
} fields[] = {
	{NODEMEM_TOTAL, NODES_TOTAL},
	{NODEMEM_FREE, NODES_FREE},
	{NODEMEM_FILE, NODES_FILE},
	{NODEMEM_ANON, NODES_ANON},
	{NODEMEM_SHMEM, NODES_SHMEM},
	{NODEMEM_SLAB, NODES_SLAB},
	{NODEMEM_USED, NODES_USED},
	{NODEMEM_ACTIVE, NODES_ACTIVE},
	{NODEMEM_INACTIVE, NODES_INACTIVE},
	{NODEMEM_MAPPED, NODES_MAPPED},
	{NODEMEM_DIRTY, NODES_DIRTY},
	{NODEMEM_UNEVICTABLE, NODES_UNEVICTABLE},
	{NODEMEM_KERNEL_STACK, NODES_KERNEL_STACK},
	{NODEMEM_PAGE_TABLES, NODES_PAGE_TABLES},
	{NODEMEM_ANON_HUGE, NODES_THP},
};

int nodes_choose(struct nodes_view *view, struct cgpol_error *err)
{
	return table_choose(nodes_columns, default_columns, view->config->style.columns, &view->columns, err);
}

/* The columns that are sums of bytes, by their number; NODEMEM_ABSENT where they have no value. */
static uint64_t find_bytes(const struct nodemem_node *node, size_t column)
{
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (fields[i].column == column)
			return node->field[fields[i].field];
	switch (column) {
	case NODES_AVAILABLE:
		return node->available;
	case NODES_HUGE:
		return nodemem_huge_bytes(node, false);
	case NODES_HUGE_FREE:
		return nodemem_huge_bytes(node, true);
	case NODES_MIN:
		return node->min;
	case NODES_LOW:
		return node->low;
	case NODES_HIGH:
		return node->high;
	default:
		return NODEMEM_ABSENT;
	}
}

static void put_truth(struct table *table, size_t column, bool truth)
{
	table_put_text(table, column, truth ? "yes" : "no");
}

static int put_set(struct table *table, size_t column, const struct nodeset *set)
{
	AUTO(free_p) char *text = nodeset_format(set);

	if (!text)
		return -ENOMEM;
	table_put_text(table, column, text);
	return 0;
}

/* What the list columns are written into, while they are. */
struct list {
	FILE *file;
	char *text;
	size_t size;
	bool in_bytes;
};

static int list_open(struct list *list, const struct nodes_view *view)
{
	*list = (struct list){.in_bytes = view->config->style.bytes};
	list->file = open_memstream(&list->text, &list->size);
	return list->file ? 0 : -ENOMEM;
}

static void list_next(struct list *list)
{
	if (ftell(list->file) > 0)
		(void)fputc(',', list->file);
}

static void list_size(struct list *list, uint64_t bytes)
{
	char text[SIZE_TEXT];

	if (list->in_bytes)
		(void)fprintf(list->file, "%" PRIu64, bytes);
	else
		(void)fputs(size_short(bytes, text), list->file);
}

static void list_pages(struct list *list, uint64_t pages)
{
	if (pages == NODEMEM_ABSENT)
		(void)fputc('-', list->file);
	else
		(void)fprintf(list->file, "%" PRIu64, pages);
}

static int list_put(struct list *list, struct table *table, size_t column)
{
	bool failed = ferror(list->file) != 0;

	failed |= fclose(list->file) != 0;
	if (!failed)
		table_put_text(table, column, list->text);
	free(list->text);
	return failed ? -ENOMEM : 0;
}

static int put_huge_sizes(const struct nodes_view *view, struct table *table, const struct nodemem_node *node)
{
	struct list list;

	if (list_open(&list, view) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < node->huges; i++) {
		const struct nodemem_huge *huge = &node->huge[i];

		if (huge->total == 0)
			continue;
		list_next(&list);
		list_size(&list, huge->size);
		(void)fputc(':', list.file);
		list_pages(&list, huge->free);
		(void)fputc('/', list.file);
		list_pages(&list, huge->total);
	}
	return list_put(&list, table, NODES_HUGE_SIZES);
}

static int put_other(const struct nodes_view *view, struct table *table, const struct nodemem_node *node)
{
	struct list list;

	if (list_open(&list, view) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < node->others; i++) {
		list_next(&list);
		(void)fprintf(list.file, "%s:", node->other[i].name);
		list_size(&list, node->other[i].value);
	}
	return list_put(&list, table, NODES_OTHER);
}

static int put_distances(const struct nodes_view *view, struct table *table, const struct topology_node *node)
{
	struct list list;

	if (list_open(&list, view) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < node->distances; i++) {
		list_next(&list);
		(void)fprintf(list.file, "%u:%u", view->nodemem.topology.node[i].id, node->distance[i]);
	}
	return list_put(&list, table, NODES_DISTANCES);
}

static int put_lists(const struct nodes_view *view, struct table *table, const struct nodemem_node *node,
		     const struct topology_node *topology)
{
	int rc = put_set(table, NODES_CPUS, &topology->cpus);

	if (rc == 0 && table_shows(table, NODES_HUGE_SIZES))
		rc = put_huge_sizes(view, table, node);
	if (rc == 0 && table_shows(table, NODES_OTHER))
		rc = put_other(view, table, node);
	if (rc == 0 && table_shows(table, NODES_DISTANCES))
		rc = put_distances(view, table, topology);
	return rc;
}

static int put_node(const struct nodes_view *view, struct table *table, unsigned id)
{
	const struct topology *topology = &view->nodemem.topology;
	const struct nodemem_node *node = nodes_find(view, id);

	table_row(table);
	table_put_int(table, NODES_NODE, id);
	put_truth(table, NODES_ONLINE, node);
	put_truth(table, NODES_HAS_CPU, nodeset_has(&topology->cpu, id));
	put_truth(table, NODES_HAS_MEMORY, nodeset_has(&topology->memory, id));
	if (!node)
		return 0;
	for (size_t i = 0; i < view->columns.count; i++) {
		uint64_t bytes = find_bytes(node, view->columns.id[i]);

		if (bytes != NODEMEM_ABSENT)
			table_put_bytes(table, view->columns.id[i], bytes);
	}
	if (node->tier >= 0)
		table_put_int(table, NODES_TIER, node->tier);
	return put_lists(view, table, node, topology_find(topology, id));
}

/* A sum that lacks a node's part would be taken for the whole: it has no value then. */
static uint64_t sum_bytes(const struct nodes_view *view, size_t column)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < view->nodemem.nodes; i++) {
		uint64_t bytes = find_bytes(&view->nodemem.node[i], column);

		if (bytes == NODEMEM_ABSENT || __builtin_add_overflow(sum, bytes, &sum))
			return NODEMEM_ABSENT;
	}
	return sum;
}

static int put_total(const struct nodes_view *view, struct table *table)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	int rc = 0;

	table_row(table);
	table_put_text(table, NODES_NODE, "total");
	for (size_t i = 0; i < view->columns.count; i++) {
		uint64_t bytes = sum_bytes(view, view->columns.id[i]);

		if (bytes != NODEMEM_ABSENT)
			table_put_bytes(table, view->columns.id[i], bytes);
	}
	for (size_t i = 0; rc == 0 && i < view->nodemem.nodes; i++)
		rc = nodeset_merge(&cpus, &view->nodemem.topology.node[i].cpus);
	return rc < 0 ? rc : put_set(table, NODES_CPUS, &cpus);
}

static bool has_distances(const struct topology *topology)
{
	for (size_t i = 0; i < topology->nodes; i++)
		if (topology->node[i].distance)
			return true;
	return false;
}

/* As numactl -H has them: from the row's cpus to the column's memory. */
static void print_distances(const struct topology *topology, FILE *out)
{
	(void)fputs("\nnode distances:\nnode ", out);
	for (size_t i = 0; i < topology->nodes; i++)
		(void)fprintf(out, " %4u", topology->node[i].id);
	(void)fputc('\n', out);
	for (size_t i = 0; i < topology->nodes; i++) {
		const struct topology_node *node = &topology->node[i];

		(void)fprintf(out, "%4u:", node->id);
		for (size_t j = 0; j < topology->nodes; j++) {
			if (node->distance)
				(void)fprintf(out, " %4u", node->distance[j]);
			else
				(void)fputs("    -", out);
		}
		(void)fputc('\n', out);
	}
}

int nodes_print_text(struct cli *cli, const struct nodes_view *view)
{
	const struct table_style *style = &view->config->style;
	const struct topology *topology = &view->nodemem.topology;
	AUTO(table_free_p) struct table *table = table_new(nodes_columns, &view->columns, style);
	int rc = table ? 0 : -ENOMEM;

	for (int id = nodeset_next(&view->shown, 0); rc == 0 && id >= 0;
	     id = nodeset_next(&view->shown, id + 1))
		rc = put_node(view, table, (unsigned)id);
	if (rc == 0 && view->nodemem.nodes > 1)
		rc = put_total(view, table);
	if (rc == 0)
		rc = table_print(table, cli->out);
	if (rc == 0 && topology->nodes > 1 && has_distances(topology) && !style->columns && !style->raw &&
	    !style->noheadings)
		print_distances(topology, cli->out);
	return rc;
}
