/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing the steps of a plan, all or none, and reading back what came of them. */
#ifndef CGPOL_POLICY_APPLY_H
#define CGPOL_POLICY_APPLY_H

#include "policy/plan.h"

/* What was done, for undoing it. Zero-initialised it is nothing. */
struct applied {
	size_t steps;		  /* the first so many of the plan */
	size_t skipped;		  /* optional ones that failed */
	uint64_t failed_optional; /* bit i: step i (below 64) is one of them: there is nothing to undo */
};

/* Does the steps in order. When one fails those before it are undone in reverse (values written back,
 * controllers disabled again, made cgroups removed), and the sentence (policy/explain.h) names the step, and
 * what could not be undone. Unless plan->is_kept each cgroup that it makes is marked at once (host/mark.h):
 * the last as MARK_OWNED, those above as MARK_PARENT; a mark that cannot be set is no failure. After the last
 * step every value is read back: a file that says something else than what was asked (after the kernel's
 * rounding to pages), or a cpuset whose effective set differs, is a failure too. `applied` may be NULL. */
int apply_plan(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
	       struct applied *applied, struct cgpol_error *err);
/* Takes it back, for a caller who fails later. 0, or the first -errno. */
int apply_undo(struct cgpol_host *host, const struct plan *plan, const struct applied *applied);

#endif
