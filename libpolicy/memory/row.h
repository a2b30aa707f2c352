/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One row of a usage: its nodes and sums. */
#ifndef CGPOL_MEMORY_ROW_H
#define CGPOL_MEMORY_ROW_H

#include "memory/usage.h"

void row_clear(struct usage_row *row);
/* The row's entry for a node, made when it is new; good until the next call. 0 or -ENOMEM. */
int row_get_node(struct usage_row *row, unsigned id, struct usage_node **found);
/* Sees that every node with memory is in the row, so that rows can be compared. 0 or -ENOMEM. */
int row_cover(struct usage_row *row, const struct nodeset *memory);
/* Makes the totals from the nodes' bytes[]; of a row without nodes the sums stay, and give the total. */
void row_sum(struct usage_row *row);
/* a + b, or UINT64_MAX: figures of a hostile capture may be anything. */
uint64_t row_add_capped(uint64_t a, uint64_t b);

#endif
