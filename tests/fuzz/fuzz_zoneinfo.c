/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/zoneinfo. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/topology.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_node(const struct topology_node *node)
{
	uint64_t present = 0;

	require(node->zones <= 8);
	for (size_t i = 0; i < node->zones; i++) {
		require(node->zone[i].index < 8 && node->zone[i].protections <= 8);
		present += node->zone[i].present;
	}
	/* Not equal only where one zone says it twice. */
	require(node->present >= present);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology topology = {.node = NULL};
	char *text = strndup((const char *)data, size);
	int rc = text ? topology_parse_zoneinfo(text, &topology) : -ENOMEM;

	require(rc == 0 || topology.nodes == 0);
	for (size_t i = 0; i < topology.nodes; i++) {
		require(i == 0 || topology.node[i - 1].id < topology.node[i].id);
		require(topology_find(&topology, topology.node[i].id) == &topology.node[i]);
		check_node(&topology.node[i]);
	}
	topology_clear(&topology);
	free(text);
	return 0;
}
