/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a cgroup, and those beside a thread that is moved, which must stay where they are. */
#ifndef CGPOL_ACT_SIBLINGS_H
#define CGPOL_ACT_SIBLINGS_H

#include "host/host.h"
#include "policy/plan.h"

struct sibling {
	pid_t tid, moved; /* beside which moved thread it is */
	char *cgroup;	  /* owned */
};

/* Zero-initialised it is empty. Give it back with siblings_clear, also after a failure. */
struct siblings {
	struct sibling *sibling;
	size_t count;
};

/* Where the threads are that share a process with one of the plan's threads (STEP_ATTACH) and are not moved
 * themselves. What is gone or cannot be read is left out. 0 or -ENOMEM. */
int siblings_read(struct cgpol_host *host, const struct plan *plan, struct siblings *siblings);
/* Are they there still? -EXDEV, CGPOL_FAILED, names the first that is not; those that are gone do not count.
 */
int siblings_check(struct cgpol_host *host, const struct siblings *siblings, struct cgpol_error *err);
void siblings_clear(struct siblings *siblings);

/* cgroup.threads: the threads of one cgroup, in the kernel's order, without those of other pid namespaces. */
int siblings_list(struct cgpol_host *host, const char *cgroup, pid_t **tids, size_t *count);

#endif
