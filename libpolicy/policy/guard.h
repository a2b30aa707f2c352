/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan would do to those who live there, asked before the first step. */
#ifndef CGPOL_POLICY_GUARD_H
#define CGPOL_POLICY_GUARD_H

#include "policy/plan.h"

enum guard_kind {
	GUARD_MEMORY_MAX,   /* memory.max below what is used: the kernel reclaims, then kills (PAIN P40) */
	GUARD_MEMORY_STALL, /* memory.high below anonymous memory without swap: stalls without end */
	GUARD_MEMS,	    /* cpuset.mems takes nodes away on which memory lies: it migrates */
	GUARD_EMPTY,	    /* cpuset.cpus or .mems of processes is emptied */
	GUARD_THREADED,	    /* a cgroup's type, or its siblings', changes for good */
	GUARD_PARTITION, /* a partition takes cpus away on which the affinity of others insists: a warning */
	GUARD_PIDS,	 /* pids.max below what there is: nothing new can start; a warning */
	GUARD_ABSENT,	 /* a part of a list is offline or has no memory now (PAIN P52): a warning */
};

struct guard_finding {
	enum guard_kind kind;
	size_t step;	/* of the plan */
	uint64_t bytes; /* that are above the limit, or would migrate; 0 where it does not apply */
	bool is_solved; /* the plan was changed so that it is safe, or it is no more than a warning: only to
			   be told */
	char text[512]; /* a finished sentence */
	char hint[216]; /* the way round */
};

/* Zero-initialised it is empty. Give it back with guard_clear. */
struct guard {
	struct guard_finding *finding;
	size_t findings;
};

/* Reads what is needed of the cgroups that a plan changes, and judges each step; a plan without a step that
 * could do harm (a new cgroup, a limit that is raised) costs no read. Lowering memory.max below
 * memory.current becomes: memory.reclaim (5.19) of what is too much, memory.high = the new max, which
 * reclaims too and holds growth back, a check that memory.current has come down, memory.max, memory.high as
 * it was or shall be; so nobody is killed, and the run fails (and is undone) where reclaim does not get
 * there. Where it cannot (memory that is anonymous, and no swap), and for every other finding that is not
 * solved, it is CGPOL_REFUSED (-EBUSY) with the first sentence, unless forced; then memory.max is written as
 * it is too. Reclaim comes before memory.high, since the kernel would take the same amount again after it,
 * and throttles the processes meanwhile. What a step cannot give back is marked in step->lost. All findings
 * are in `guard` also on a refusal. A plan is judged once. */
int guard_plan(struct cgpol_host *host, struct plan *plan, bool is_forced, struct guard *guard,
	       struct cgpol_error *err);
void guard_clear(struct guard *guard);

#endif
