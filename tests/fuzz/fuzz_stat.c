/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/stat. */
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
	struct proc_stat stat = {.ppid = -7};
	char *text = strndup((const char *)data, size);
	int rc = text ? proc_stat_parse(text, &stat) : -ENOMEM;

	if (rc == 0)
		require(stat.ppid >= 0 && memchr(stat.comm, '\0', sizeof(stat.comm)));
	else
		require(stat.ppid == -7);
	free(text);
	return 0;
}
