/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* On which cpus a thread may run. */
#ifndef CGPOL_HOST_AFFINITY_H
#define CGPOL_HOST_AFFINITY_H

#include "base/nodeset.h"
#include "host/host.h"

/* Cpus_allowed_list in the text of /proc/PID/status: what the thread asked for (sched_setaffinity(2)) as far
 * as its cpuset has it. Replaces the set. -ENODATA when there is no such line, -EINVAL when it is malformed.
 */
int affinity_parse(const char *text, struct nodeset *cpus);
/* The same of a thread; tid 0: the process's first. -ENOENT or -ESRCH when it is gone. */
int affinity_read(struct cgpol_host *host, pid_t pid, pid_t tid, struct nodeset *cpus);

#endif
