/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/status. */
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
	struct proc_status status = {.tgid = -7};
	char *text = strndup((const char *)data, size);
	int rc = text ? proc_status_parse(text, &status) : -ENOMEM;

	if (rc == 0) {
		require(status.tgid >= 0 && status.ppid >= 0 && status.state != '\0');
		require(status.rss_anon % 1024 == 0 && status.swap % 1024 == 0);
	} else {
		require(status.tgid == -7 && !status.mems);
	}
	proc_status_clear(&status);
	free(text);
	return 0;
}
