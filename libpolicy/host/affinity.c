/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which cpus a thread may run. */
#include "host/affinity.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"

int affinity_parse(const char *text, struct nodeset *cpus)
{
	struct span span = text_field_span(text, "Cpus_allowed_list");
	AUTO(free_p) char *list = NULL;
	int rc;

	if (!span.at)
		return -ENODATA;
	list = span_dup(span);
	if (!list)
		return -ENOMEM;
	rc = nodeset_parse(list, NODESET_CPUS_MAX, cpus, NULL);
	return rc == 0 || rc == -ENOMEM ? rc : -EINVAL;
}

int affinity_read(struct cgpol_host *host, pid_t pid, pid_t tid, struct nodeset *cpus)
{
	AUTO(free_p) char *text = NULL;
	char path[64];
	int rc;

	if (tid)
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	else
		(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	rc = root_read(host->root, path, &text, NULL);
	return rc < 0 ? rc : affinity_parse(text, cpus);
}
