/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol nodes asked and read, and its two ways to tell it. */
#ifndef CGPOL_CLI_NODES_H
#define CGPOL_CLI_NODES_H

#include "cmd.h"
#include "host/nodemem.h"

struct nodes_config {
	bool all;
	struct table_style style;
};

struct nodes_view {
	const struct nodes_config *config;
	struct nodemem nodemem;
	struct nodeset shown; /* the online nodes; with --all the possible ones too */
	struct table_choice columns;
};

enum nodes_column {
	NODES_NODE,
	NODES_CPUS,
	NODES_TOTAL,
	NODES_FREE,
	NODES_AVAILABLE,
	NODES_FILE,
	NODES_ANON,
	NODES_SHMEM,
	NODES_SLAB,
	NODES_HUGE,
	NODES_ONLINE,
	NODES_HAS_CPU,
	NODES_HAS_MEMORY,
	NODES_USED,
	NODES_ACTIVE,
	NODES_INACTIVE,
	NODES_MAPPED,
	NODES_DIRTY,
	NODES_UNEVICTABLE,
	NODES_KERNEL_STACK,
	NODES_PAGE_TABLES,
	NODES_THP,
	NODES_HUGE_FREE,
	NODES_HUGE_SIZES,
	NODES_MIN,
	NODES_LOW,
	NODES_HIGH,
	NODES_TIER,
	NODES_DISTANCES,
	NODES_OTHER,
};

extern const struct column nodes_columns[];

/* Settles the columns. CGPOL_USAGE when one is unknown. */
int nodes_choose(struct nodes_view *view, struct cgpol_error *err);
/* What was read of a node; NULL for one that is offline. */
const struct nodemem_node *nodes_find(const struct nodes_view *view, unsigned id);
int nodes_print_text(struct cli *cli, const struct nodes_view *view);
int nodes_print_json(struct cli *cli, const struct nodes_view *view);

#endif
