/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/smaps_rollup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t bytes = 7;
	char *text = strndup((const char *)data, size);
	int rc = text ? proc_shared_anon_parse(text, &bytes) : -ENOMEM;

	require(rc == 0 ? bytes % 1024 == 0 : bytes == 7);
	free(text);
	return 0;
}
