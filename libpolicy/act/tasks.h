/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of processes that run: oom_score_adj and affinity, of some or of all of a cgroup. */
#ifndef CGPOL_ACT_TASKS_H
#define CGPOL_ACT_TASKS_H

#include "policy/change.h"

struct tasks_request {
	const pid_t *pid; /* these; or */
	size_t pids;
	const char *cgroup; /* every process of this cgroup and below, until no new one appears */
	unsigned rounds;    /* at most so often */
};

struct tasks_told {
	size_t changed, unchanged; /* processes (oom_score_adj), threads (affinity) */
	size_t gone, denied;
	struct cgpol_error why; /* the first that was denied */
	bool is_settled;	/* no new task had appeared at the end */
};

/* `policy` has KEY_TASK settings only. mempolicy and home_node of a running process cannot be changed by
 * another (there is no such system call): CGPOL_UNSUPPORTED, with what helps (cpuset.mems, which also
 * migrates). `change` NULL: the steps of the first round are appended to `plan`, which may be NULL otherwise.
 * A named pid that is gone is CGPOL_FAILED (-ESRCH). */
int tasks_set(struct cgpol_host *host, struct change *change, const struct tasks_request *request,
	      const struct cgpol_policy *policy, struct plan *plan, struct tasks_told *told,
	      struct cgpol_error *err);

#endif
