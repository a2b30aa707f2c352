/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing the steps of a plan, all or none, and reading back what came of them. */
#include "policy/apply.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "policy/explain.h"
#include "policy/perform.h"
#include "policy/readback.h"
#include "policy/rollback.h"
#include "policy/step.h"

bool apply_is_idle(const struct applied *applied, size_t step)
{
	return applied->idle[step / 64] >> step % 64 & 1;
}

static void set_idle(struct applied *applied, size_t step)
{
	applied->idle[step / 64] |= UINT64_C(1) << step % 64;
}

/* One run through a plan. */
struct doing {
	const struct apply_run *run;
	const struct plan *plan;
	struct progress *progress;
	struct plan_index *made; /* the cgroups that this plan makes */
};

static void free_made(struct doing *doing)
{
	plan_index_free(doing->made);
}

static int index_made(struct doing *doing)
{
	if (step_index_new(0, &doing->made) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < doing->plan->steps; i++) {
		if (doing->plan->step[i].op == STEP_MKDIR && step_index_add(doing->made, doing->plan, i) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Did an earlier step of this run make the cgroup? Then nobody else had a hand in it. */
static bool is_fresh(const struct doing *doing, size_t step)
{
	const struct step like = {.op = STEP_MKDIR, .cgroup = doing->plan->step[step].cgroup};
	size_t found = like.cgroup ? step_index_find(doing->made, doing->plan, &like) : step;

	return found < step && doing->progress->result[found] == STEP_DONE;
}

static enum mark_kind mark_of(const struct plan *plan, const struct step *step)
{
	bool is_last = step->cgroup && plan->cgroup && strcmp(step->cgroup, plan->cgroup) == 0;

	if (plan->is_lasting)
		return MARK_KEPT;
	if (plan->is_kept)
		return is_last ? MARK_KEPT : MARK_NONE;
	return is_last ? MARK_OWNED : MARK_PARENT;
}

static int tell_before(const struct doing *doing, size_t i, struct cgpol_error *err)
{
	const struct apply_watch *watch = doing->run->watch;

	return watch && watch->before ? watch->before(watch->arg, i, doing->progress->old[i], err) : 0;
}

static void tell_after(const struct doing *doing, size_t i, int rc)
{
	const struct apply_watch *watch = doing->run->watch;

	if (watch && watch->after)
		watch->after(watch->arg, i, doing->progress->result[i], rc);
}

static int end_step(struct doing *doing, size_t i, int rc, struct cgpol_error *err)
{
	const struct step *step = &doing->plan->step[i];

	doing->progress->result[i] = step->is_optional ? STEP_SKIPPED : STEP_FAILED;
	tell_after(doing, i, rc);
	return step->is_optional ? 0 : explain_step(doing->run->host, step, rc, err);
}

static int do_step(struct doing *doing, size_t i, struct cgpol_error *err)
{
	const struct step *step = &doing->plan->step[i];
	struct progress *progress = doing->progress;
	const struct performer performer = {.host = doing->run->host,
					    .fs = doing->run->fs,
					    .mark = mark_of(doing->plan, step),
					    .is_fresh = is_fresh(doing, i)};
	bool is_half = false;
	int rc = perform_look(&performer, step, &progress->old[i]);

	if (rc < 0)
		return end_step(doing, i, rc, err);
	if (rc != PERFORM_NOTHING) {
		rc = tell_before(doing, i, err);
		if (rc < 0)
			return rc;
		rc = perform_step(&performer, step, &is_half);
	}
	progress->is_touched[i] = rc == 0 || is_half;
	if (rc < 0)
		return end_step(doing, i, rc, err);
	progress->result[i] = rc == PERFORM_NOTHING ? STEP_UNCHANGED : STEP_DONE;
	tell_after(doing, i, 0);
	return 0;
}

int apply_on(const struct apply_run *run, const struct cgpol_policy *policy, struct progress *progress,
	     struct cgpol_error *err)
{
	const struct plan *plan = progress->plan;
	AUTO(free_made) struct doing doing = {.run = run, .plan = plan, .progress = progress};

	if (index_made(&doing) < 0)
		return error_no_memory(err);
	for (size_t i = 0; i < plan->steps; i++) {
		int rc = do_step(&doing, i, err);

		if (rc < 0)
			return rc;
	}
	return readback_check(run->host, plan, policy, progress->result, err);
}

/* Anything that was done, or tried and left a trace? */
static bool is_any_done(const struct progress *progress)
{
	for (size_t i = 0; i < progress->steps; i++) {
		if (progress->is_touched[i] || progress->result[i] == STEP_UNCHANGED)
			return true;
	}
	return false;
}

static int apply_whole(const struct apply_run *run, const struct plan *plan,
		       const struct cgpol_policy *policy, struct progress *progress, struct cgpol_error *err)
{
	bool is_any;
	int rc = progress_begin(progress, plan) < 0 ? error_no_memory(err)
						    : apply_on(run, policy, progress, err);

	if (rc >= 0 || !progress->plan)
		return rc;
	is_any = is_any_done(progress);
	(void)rollback(run->host, progress, run->watch ? run->watch->after : NULL,
		       run->watch ? run->watch->arg : NULL);
	/* Ends a run that failed: the sentence says so already, and learns how the undoing went. */
	if (is_any)
		(void)rollback_tell(progress, 1, err);
	return rc;
}

static void tell_applied(const struct progress *progress, struct applied *applied)
{
	*applied = (struct applied){.steps = progress->steps};
	for (size_t i = 0; i < applied->steps; i++) {
		if (progress->result[i] == STEP_SKIPPED) {
			applied->skipped++;
			applied->failed_optional |= i < 64 ? UINT64_C(1) << i : 0;
		}
		if (!progress->is_touched[i])
			set_idle(applied, i);
	}
}

static int refuse_length(size_t most, struct cgpol_error *err)
{
	return error_set(err, E2BIG, CGPOL_USAGE, "more than %zu steps", most);
}

int apply_plan(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
	       struct applied *applied, struct cgpol_error *err)
{
	const struct apply_run run = {.host = host};
	AUTO(progress_clear) struct progress progress = {0};
	int rc;

	if (plan->steps > APPLY_STEPS_MAX)
		return refuse_length(APPLY_STEPS_MAX, err);
	rc = apply_whole(&run, plan, policy, &progress, err);
	if (rc == 0 && applied)
		tell_applied(&progress, applied);
	return rc;
}

int apply_plan_with(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		    struct cgroupfs *fs, const struct apply_watch *watch, struct cgpol_error *err)
{
	const struct apply_run run = {host, fs, watch};
	AUTO(progress_clear) struct progress progress = {0};

	if (plan->steps > APPLY_LONG_MAX)
		return refuse_length(APPLY_LONG_MAX, err);
	return apply_whole(&run, plan, policy, &progress, err);
}

int apply_undo(struct cgpol_host *host, const struct plan *plan, const struct applied *applied)
{
	AUTO(progress_clear) struct progress progress = {0};

	if (progress_begin(&progress, plan) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < applied->steps && i < plan->steps; i++) {
		const char *old = plan->step[i].old_value;

		progress.is_touched[i] = !apply_is_idle(applied, i);
		progress.result[i] = STEP_DONE;
		progress.old[i] = old ? strdup(old) : NULL;
		if (old && !progress.old[i])
			return -ENOMEM;
	}
	return rollback(host, &progress, NULL, NULL);
}
