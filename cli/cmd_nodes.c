/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol nodes: which nodes there are, and how the memory of each is used. */
#include "nodes.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static const struct opt options[] = {
	{"all", 'a', OPT_FLAG, OPT_AT(nodes_config, all), NULL, NULL,
	 "nodes that may come but are offline too"},
	TABLE_OPTIONS(nodes_config, style),
	{0},
};

const struct column nodes_columns[] = {
	[NODES_NODE] = {"NODE", COLUMN_RIGHT, "node, or \"total\""},
	[NODES_CPUS] = {"CPUS", 0, "its online cpus"},
	[NODES_TOTAL] = {"TOTAL", COLUMN_RIGHT, "memory that the kernel manages there"},
	[NODES_FREE] = {"FREE", COLUMN_RIGHT, "unused memory"},
	[NODES_AVAILABLE] = {"AVAILABLE", COLUMN_RIGHT, "what could be allocated without swapping"},
	[NODES_FILE] = {"FILE", COLUMN_RIGHT, "page cache, with SHMEM and the swap cache"},
	[NODES_ANON] = {"ANON", COLUMN_RIGHT, "anonymous memory"},
	[NODES_SHMEM] = {"SHMEM", COLUMN_RIGHT, "shared memory and tmpfs"},
	[NODES_SLAB] = {"SLAB", COLUMN_RIGHT, "the kernel's objects"},
	[NODES_HUGE] = {"HUGE", COLUMN_RIGHT, "hugetlb pages of all sizes, used or not"},
	[NODES_ONLINE] = {"ONLINE", 0, "yes or no"},
	[NODES_HAS_CPU] = {"HAS_CPU", 0, "yes or no"},
	[NODES_HAS_MEMORY] = {"HAS_MEMORY", 0, "yes or no"},
	[NODES_USED] = {"USED", COLUMN_RIGHT, "TOTAL less FREE"},
	[NODES_ACTIVE] = {"ACTIVE", COLUMN_RIGHT, "used not long ago, anonymous and file pages"},
	[NODES_INACTIVE] = {"INACTIVE", COLUMN_RIGHT, "first to be reclaimed"},
	[NODES_MAPPED] = {"MAPPED", COLUMN_RIGHT, "page cache that processes map"},
	[NODES_DIRTY] = {"DIRTY", COLUMN_RIGHT, "page cache to be written back"},
	[NODES_UNEVICTABLE] = {"UNEVICTABLE", COLUMN_RIGHT, "locked memory and the like"},
	[NODES_KERNEL_STACK] = {"KERNEL_STACK", COLUMN_RIGHT, "kernel stacks of threads"},
	[NODES_PAGE_TABLES] = {"PAGE_TABLES", COLUMN_RIGHT, "page tables"},
	[NODES_THP] = {"THP", COLUMN_RIGHT, "anonymous memory in transparent huge pages"},
	[NODES_HUGE_FREE] = {"HUGE_FREE", COLUMN_RIGHT, "hugetlb pages of all sizes that are free"},
	[NODES_HUGE_SIZES] = {"HUGE_SIZES", 0, "SIZE:FREE/TOTAL in pages, for each size there is"},
	[NODES_MIN] = {"MIN", COLUMN_RIGHT, "watermark that only urgent allocations may go below"},
	[NODES_LOW] = {"LOW", COLUMN_RIGHT, "watermark below which the kernel begins to reclaim"},
	[NODES_HIGH] = {"HIGH", COLUMN_RIGHT, "watermark at which it stops"},
	[NODES_TIER] = {"TIER", COLUMN_RIGHT, "memory tier, the lowest is the fastest"},
	[NODES_DISTANCES] = {"DISTANCES", 0, "NODE:DISTANCE for each online node"},
	[NODES_OTHER] = {"OTHER", 0, "NAME:SIZE for what the kernel tells besides"},
	{0},
};

/* One sentence for all: the files are many, and what is wrong with one is wrong with most. */
static void note_troubles(const struct cli *cli, const struct nodemem *nodemem)
{
	const struct nodemem_trouble *trouble = nodemem->trouble;
	char path[192], more[48] = "";
	const char *reason;

	if (nodemem->troubles == 0)
		return;
	reason = trouble->code == EINVAL ? "is not understood" : strerrordesc_np(trouble->code);
	if (nodemem->troubles > 1)
		(void)snprintf(more, sizeof(more), " (and so for %zu more)", nodemem->troubles - 1);
	(void)text_escape(trouble->path, path, sizeof(path));
	cli_note(cli, "%s%s %s%s", path, trouble->code == EINVAL ? "" : ":",
		 reason ? reason : "unknown error", more);
}

static void clear_view(struct nodes_view *view)
{
	nodemem_clear(&view->nodemem);
	nodeset_clear(&view->shown);
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(clear_view) struct nodes_view view = {.config = config};
	struct cgpol_host *host = NULL;
	int rc = cli_no_words(cli, 0, err);

	if (rc == 0)
		rc = nodes_choose(&view, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0)
		rc = nodemem_read(host, &view.nodemem, err);
	if (rc == 0)
		rc = nodeset_copy(&view.shown,
				  view.config->all ? &view.nodemem.possible : &view.nodemem.topology.online);
	if (rc < 0)
		return rc;
	note_troubles(cli, &view.nodemem);
	return (cli->json ? nodes_print_json : nodes_print_text)(cli, &view);
}

const struct nodemem_node *nodes_find(const struct nodes_view *view, unsigned id)
{
	const struct topology *topology = &view->nodemem.topology;
	const struct topology_node *node = topology_find(topology, id);

	return node ? &view->nodemem.node[node - topology->node] : NULL;
}

const struct cmd cmd_nodes = {
	.name = "nodes",
	.summary = "Show the NUMA nodes and their memory",
	.usage = "[OPTION...]",
	.about = "Below the table of more than one node stand their distances, but not with -o, -r\n"
		 "and -n.",
	.options = options,
	.columns = nodes_columns,
	.config_size = sizeof(struct nodes_config),
	.run = run,
};
