/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing the steps of a plan, all or none, and reading back what came of them. */
#ifndef CGPOL_POLICY_APPLY_H
#define CGPOL_POLICY_APPLY_H

#include "policy/plan.h"

enum {
	APPLY_STEPS_MAX = 2048,	  /* of one cgroup: far more than there are files and levels */
	APPLY_LONG_MAX = 1 << 22, /* of a plan for many */
};

/* What was done, for undoing it. Zero-initialised it is nothing. */
struct applied {
	size_t steps;		  /* the first so many of the plan */
	size_t skipped;		  /* optional ones that failed */
	uint64_t failed_optional; /* bit i: step i (below 64) is one of them */
	/* Bit i: step i left nothing to undo: it is a skipped one, or somebody else was faster. */
	uint64_t idle[APPLY_STEPS_MAX / 64];
};

enum step_result {
	STEP_PENDING, /* not reached */
	STEP_DONE,
	STEP_UNCHANGED, /* somebody else was faster: nothing to do, nothing to undo */
	STEP_SKIPPED,	/* an optional one that failed */
	STEP_FAILED,
	STEP_UNDONE, /* done, and taken back since */
	STEP_STAYS,  /* done, and could not be taken back, or is used by others */
};

/* Told of every step: what a journal needs. */
struct apply_watch {
	/* Before it is done: `old` is what is there now (as step->old_value). A failure, -errno with its
	 * sentence, stops the run before the step. */
	int (*before)(void *arg, size_t step, const char *old, struct cgpol_error *err);
	void (*after)(void *arg, size_t step, enum step_result result, int rc); /* rc: of a failure */
	void *arg;
};

/* Does the steps in order. When one fails those before it are undone in reverse (values written back,
 * controllers disabled again where the cgroup has no others below it, made cgroups removed), and the sentence
 * (policy/explain.h) names the step, and what stays or could not be undone. Unless plan->is_kept each cgroup
 * that it makes is marked at once (host/mark.h): the last as MARK_OWNED, those above as MARK_PARENT (with it
 * only the last, as MARK_KEPT); a mark that cannot be set is no failure. After the last step every value is
 * read back: a file that says something else than what was asked (after the kernel's rounding to pages), or a
 * cpuset whose effective set differs, is a failure too. `applied` may be NULL. What somebody else did since
 * the plan was made is kept: a cgroup that exists now is neither marked nor removed, a controller that is
 * enabled now is not disabled, a value is put back to what it was just before. -ENOENT or -ENODEV with kind
 * CGPOL_FAILED: a cgroup of the plan went away; plan again. */
int apply_plan(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
	       struct applied *applied, struct cgpol_error *err);
/* The same, with a watcher and, for making, moving and removing, libcgroup (host/cgroupfs.h); each may be
 * NULL. `policy` may be NULL: then what the steps wrote is read back, each file against its last value, and
 * no effective set is asked for that no step wrote. */
struct cgroupfs;
int apply_plan_with(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		    struct cgroupfs *fs, const struct apply_watch *watch, struct cgpol_error *err);

/* For those who do several plans that count as one (policy/change.h). */
struct apply_run {
	struct cgpol_host *host;
	struct cgroupfs *fs;
	const struct apply_watch *watch;
};
/* Does the steps of progress->plan (policy/rollback.h, after progress_begin) and reads back; takes nothing
 * back when it fails, but the progress tells what was done. */
struct progress;
int apply_on(const struct apply_run *run, const struct cgpol_policy *policy, struct progress *progress,
	     struct cgpol_error *err);

/* Did that step change nothing? */
bool apply_is_idle(const struct applied *applied, size_t step);
/* Takes it back, for a caller who fails later: values as the plan found them. What is gone already counts as
 * undone, and so does what others may use (policy/undo.h). 0, or the first -errno; the other steps are undone
 * nevertheless. */
int apply_undo(struct cgpol_host *host, const struct plan *plan, const struct applied *applied);

#endif
