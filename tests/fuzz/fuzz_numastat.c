/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: memory.numa_stat of a cgroup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct usage_row row = {.pid = 0};
	char *text = strndup((const char *)data, size);
	int rc = text ? usage_parse_numa_stat(text, &row) : -ENOMEM;

	require(rc == 0 || row.nodes == 0);
	for (size_t i = 0; i < row.nodes; i++) {
		require(i == 0 || row.node[i - 1].id < row.node[i].id);
		require(row.total >= row.node[i].total);
		for (size_t kind = 0; kind < USAGE_KINDS; kind++)
			require(row.node[i].total >= row.node[i].bytes[kind]);
	}
	row_clear(&row);
	free(text);
	return 0;
}
