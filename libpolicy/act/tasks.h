/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of processes that run: oom_score_adj and affinity, of some or of all of a cgroup. */
#ifndef CGPOL_ACT_TASKS_H
#define CGPOL_ACT_TASKS_H

#include "policy/change.h"

enum { TASKS_ROUNDS = 64 }; /* a good number: each takes what was forked by others than those before */

struct tasks_request {
	const pid_t *pid; /* these; or */
	size_t pids;
	const char *cgroup; /* every process of this cgroup and below, until no new one appears */
	const struct cgpol_policy *policy; /* KEY_TASK settings only */
	unsigned rounds;		   /* at most so often; 0: TASKS_ROUNDS */
	/* Which cpus the cgroup will have, where that is only planned; NULL: those that it has. An affinity
	 * is cut down to them, and so it is to those of each cgroup below. */
	const struct nodeset *cpus;
	bool is_clipped; /* cut down an affinity to what the cgroup has, where else it is refused */
};

/* Zero-initialised it is empty. Give it back with tasks_told_clear, and that after change_close: the change
 * borrows the plans. */
struct tasks_told {
	size_t changed, unchanged; /* processes (oom_score_adj), threads (affinity) */
	size_t gone;		   /* that ended meanwhile */
	bool is_settled;	   /* no new task had appeared at the end */
	unsigned rounds;
	struct plan **plan; /* one a round that had something to do; owned */
	size_t plans;
};

/* Each round sets what differs; who was forked meanwhile by a process
 * that was set has the value already, and who was forked by another is found in the next one, so that a round
 * that finds nothing is the end. -EAGAIN (CGPOL_FAILED) when there is none. Kernel threads are left alone.
 * mempolicy and home_node of a running process cannot be changed by another (there is no such system call):
 * CGPOL_UNSUPPORTED, with what helps. `change` NULL: the steps of the first round are appended to `plan`,
 * which may be NULL otherwise. `told` adds up over several calls. A named pid that is gone is CGPOL_FAILED
 * (-ESRCH), an affinity outside of the cpuset CGPOL_REFUSED, and of a cgroup below it is cut down to what
 * that has. A task that is denied fails it all, and the change takes back what was done. */
int tasks_set(struct cgpol_host *host, struct change *change, const struct tasks_request *request,
	      struct plan *plan, struct tasks_told *told, struct cgpol_error *err);
void tasks_told_clear(struct tasks_told *told);
/* How many threads of a cgroup and below have an affinity that leaves out cpus which their cgroup has: a
 * later, wider cpuset is not for them (PAIN P26). 0 where nothing can be read. 0 or -errno. */
int tasks_pinned(struct cgpol_host *host, const char *cgroup, size_t *threads);

#endif
