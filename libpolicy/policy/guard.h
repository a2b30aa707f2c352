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
	GUARD_PARTITION,    /* a partition takes cpus away on which the affinity of others insists */
};

struct guard_finding {
	enum guard_kind kind;
	size_t step;	/* of the plan */
	uint64_t bytes; /* that are above the limit, or would migrate; 0 where it does not apply */
	bool is_solved; /* the plan was changed so that it is safe: only to be told */
	char text[400]; /* a finished sentence */
	char hint[216]; /* the way round */
};

/* Zero-initialised it is empty. Give it back with guard_clear. */
struct guard {
	struct guard_finding *finding;
	size_t findings;
};

/* Reads what is needed of the cgroups that a plan changes, and judges each step. Lowering memory.max below
 * memory.current becomes: memory.high = the new max, memory.reclaim (5.19), a check that memory.current has
 * come down, memory.max, memory.high as it was or shall be; so nobody is killed, and the run fails (and is
 * undone) where reclaim does not get there. Every other finding that is not solved is CGPOL_REFUSED with the
 * first sentence, unless forced; then, memory.max is written as it is too. All findings are in `guard` also
 * on a refusal. */
int guard_plan(struct cgpol_host *host, struct plan *plan, bool is_forced, struct guard *guard,
	       struct cgpol_error *err);
void guard_clear(struct guard *guard);

#endif
