/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command was given and what it took, from its cgroup's files: for a report. */
#include "act/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"

/* NULL in *text when the file is not there. */
static int read_text(struct cgpol_host *host, const char *cgroup, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);
	int rc = path ? root_read(host->root, path, text, NULL) : -ENOMEM;

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		*text = NULL;
	return 0;
}

static int read_limit(struct cgpol_host *host, const char *cgroup, const char *file, uint64_t *value,
		      bool *is_there)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_text(host, cgroup, file, &text);

	*is_there = rc == 0 && text && text_limit(text, value) == 0;
	return rc;
}

void outcome_clear(struct outcome *outcome)
{
	free(outcome->cpus);
	free(outcome->mems);
	*outcome = (struct outcome){0};
}

int outcome_read(struct cgpol_host *host, const char *cgroup, struct outcome *outcome)
{
	struct outcome made = {.memory_max = UINT64_MAX};
	int rc = read_text(host, cgroup, "cpuset.cpus.effective", &made.cpus);

	rc = rc < 0 ? rc : read_text(host, cgroup, "cpuset.mems.effective", &made.mems);
	rc = rc < 0 ? rc : read_limit(host, cgroup, "memory.max", &made.memory_max, &made.has_max);
	rc = rc < 0 ? rc : read_limit(host, cgroup, "memory.peak", &made.peak, &made.has_peak);
	if (rc < 0) {
		outcome_clear(&made);
		return rc;
	}
	*outcome = made;
	return 0;
}

int outcome_is_frozen(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *events = NULL;
	uint64_t frozen = 0;
	int rc = read_text(host, cgroup, "cgroup.events", &events);

	if (rc < 0 || !events)
		return rc;
	return text_field(events, "frozen", &frozen) == 0 && frozen != 0;
}
