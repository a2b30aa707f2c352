/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command was given and what it took, from its cgroup's files: for a report. */
#ifndef CGPOL_ACT_OUTCOME_H
#define CGPOL_ACT_OUTCOME_H

#include "host/host.h"

struct outcome {
	char *cpus, *mems;   /* effective lists of the cpuset; NULL where it has none */
	uint64_t memory_max; /* bytes, UINT64_MAX: no limit, or no controller */
	uint64_t peak;	     /* memory.peak, bytes */
	bool has_max;
	bool has_peak; /* since 5.19 */
};

/* What is not there is left out. -ENOMEM only. */
int outcome_read(struct cgpol_host *host, const char *cgroup, struct outcome *outcome);
/* Does nothing run in it, by cgroup.freeze of it or above it? A process that is started there never gets to
 * exec. 1, 0 (also where it cannot be read), or -ENOMEM. */
int outcome_is_frozen(struct cgpol_host *host, const char *cgroup);
void outcome_clear(struct outcome *outcome);

#endif
