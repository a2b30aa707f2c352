/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One row of a usage: its nodes and sums. */
#include "memory/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void row_clear(struct usage_row *row)
{
	free(row->name);
	free(row->node);
	memset(row, 0, sizeof(*row));
}

uint64_t row_add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

int row_get_node(struct usage_row *row, unsigned id, struct usage_node **found)
{
	size_t low = 0, high = row->nodes;
	struct usage_node *node;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row->node[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == row->nodes || row->node[low].id != id) {
		node = reallocarray(row->node, row->nodes + 1, sizeof(*node));
		if (!node)
			return -ENOMEM;
		row->node = node;
		memmove(node + low + 1, node + low, (row->nodes - low) * sizeof(*node));
		node[low] = (struct usage_node){.id = id};
		row->nodes++;
	}
	*found = &row->node[low];
	return 0;
}

int row_cover(struct usage_row *row, const struct nodeset *memory)
{
	for (int id = nodeset_next(memory, 0); id >= 0; id = nodeset_next(memory, id + 1)) {
		struct usage_node *node;

		if (row_get_node(row, (unsigned)id, &node) < 0)
			return -ENOMEM;
	}
	return 0;
}

void row_sum(struct usage_row *row)
{
	row->total = 0;
	for (size_t kind = 0; row->nodes == 0 && kind < USAGE_KINDS; kind++)
		row->total = row_add_capped(row->total, row->bytes[kind]);
	if (row->nodes > 0)
		memset(row->bytes, 0, sizeof(row->bytes));
	for (size_t i = 0; i < row->nodes; i++) {
		struct usage_node *node = &row->node[i];

		node->total = 0;
		for (size_t kind = 0; kind < USAGE_KINDS; kind++) {
			node->total = row_add_capped(node->total, node->bytes[kind]);
			row->bytes[kind] = row_add_capped(row->bytes[kind], node->bytes[kind]);
		}
		row->total = row_add_capped(row->total, node->total);
	}
}
