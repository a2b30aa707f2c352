/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/numa_maps and, behind the first NUL, /proc/self/mountinfo. */
#include <stdlib.h>
#include <string.h>

#include "memory/numamaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_maps(const struct numamaps *maps)
{
	for (size_t i = 0; i < maps->nodes; i++) {
		const struct numamaps_node *node = &maps->node[i];
		unsigned __int128 mapped = 0;

		require(i == 0 || maps->node[i - 1].id < node->id);
		require(node->id < NODESET_NODES_MAX);
		for (size_t kind = 0; kind < NUMA_KINDS; kind++)
			mapped += node->bytes[kind];
		require(node->freed <= mapped);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first = strnlen((const char *)data, size);
	char *text = strndup((const char *)data, first);
	char *mounts = first < size ? strndup((const char *)data + first + 1, size - first - 1) : NULL;
	struct numamaps_context context = {4096, 2 << 20, mounts};
	struct mempolicy policy = {.mode = MEMPOLICY_DEFAULT};
	struct numamaps maps = {.node = NULL};
	bool mixed;

	if (text) {
		if (numamaps_parse(text, &context, &maps) == 0)
			check_maps(&maps);
		(void)numamaps_task_policy(text, &policy, &mixed);
	}
	mempolicy_clear(&policy);
	numamaps_clear(&maps);
	free(mounts);
	free(text);
	return 0;
}
