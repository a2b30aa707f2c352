/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing the steps of a plan, all or none, and reading back what came of them. */
#include "policy/apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/mark.h"
#include "policy/cause.h"
#include "policy/explain.h"
#include "policy/need.h"
#include "policy/readback.h"
#include "policy/undo.h"

/* One run through a plan. */
struct doing {
	struct cgpol_host *host;
	const struct plan *plan;
	struct applied applied;
	char **old;	   /* by step: what the file held just before it was written */
	bool is_half_done; /* the step that failed has changed something */
};

bool apply_is_idle(const struct applied *applied, size_t step)
{
	return applied->idle[step / 64] >> step % 64 & 1;
}

static void set_idle(struct applied *applied, size_t step)
{
	applied->idle[step / 64] |= UINT64_C(1) << step % 64;
}

/* Did an earlier step of this run make the cgroup? Then nobody else had a hand in it. */
static bool is_fresh(const struct doing *doing, const char *cgroup)
{
	for (size_t i = 0; i < doing->applied.steps; i++) {
		const struct step *step = &doing->plan->step[i];

		if (step->op == STEP_MKDIR && strcmp(step->cgroup, cgroup) == 0)
			return !apply_is_idle(&doing->applied, i);
	}
	return false;
}

static int make_cgroup(struct doing *doing, size_t i)
{
	const struct step *step = &doing->plan->step[i];
	AUTO(free_p) char *path = cgroup_path(doing->host, step->cgroup, NULL);
	bool is_last = strcmp(step->cgroup, doing->plan->cgroup) == 0;
	int rc = path ? root_mkdir(doing->host->root, path) : -ENOMEM;

	/* Somebody else made it since the plan was: it serves, but it is theirs. */
	if (rc == -EEXIST) {
		set_idle(&doing->applied, i);
		return 0;
	}
	if (rc == 0 && !(doing->plan->is_kept && !is_last))
		(void)mark_set(doing->host, step->cgroup,
			       !is_last		      ? MARK_PARENT
			       : doing->plan->is_kept ? MARK_KEPT
						      : MARK_OWNED);
	return rc;
}

static int read_file(struct doing *doing, const char *path, char **text)
{
	return root_read(doing->host->root, path, text, NULL);
}

static int enable_controller(struct doing *doing, size_t i)
{
	const struct step *step = &doing->plan->step[i];
	const char *controller = step->new_value + 1;
	AUTO(free_p) char *path = cgroup_path(doing->host, step->cgroup, step->file);
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	int rc = 0;

	if (!path)
		return -ENOMEM;
	if (!is_fresh(doing, step->cgroup))
		rc = read_file(doing, path, &before);
	if (rc < 0)
		return rc;
	if (need_list_has(before, controller)) {
		set_idle(&doing->applied, i);
		return 0;
	}
	rc = root_write(doing->host->root, path, step->new_value);
	if (rc < 0)
		return rc;
	/* From here on there is something to undo, whatever the file says. */
	rc = read_file(doing, path, &after);
	if (rc == 0 && !need_list_has(after, controller))
		rc = -EIO;
	doing->is_half_done = rc < 0;
	return rc;
}

static int set_value(struct doing *doing, size_t i)
{
	const struct step *step = &doing->plan->step[i];
	AUTO(free_p) char *path = cgroup_path(doing->host, step->cgroup, step->file);
	int rc = 0;

	if (!path)
		return -ENOMEM;
	/* What is not there yet is for the write to explain. */
	if (!is_fresh(doing, step->cgroup))
		rc = read_file(doing, path, &doing->old[i]);
	if (rc < 0 && rc != -ENOENT && rc != -ENODEV)
		return rc;
	if (doing->old[i] && strcmp(doing->old[i], step->new_value) == 0) {
		set_idle(&doing->applied, i);
		return 0;
	}
	/* A write of no bytes would change nothing. */
	return root_write(doing->host->root, path, *step->new_value ? step->new_value : "\n");
}

static int do_step(struct doing *doing, size_t i)
{
	switch (doing->plan->step[i].op) {
	case STEP_MKDIR:
		return make_cgroup(doing, i);
	case STEP_ENABLE:
		return enable_controller(doing, i);
	default:
		break;
	}
	return set_value(doing, i);
}

/* How the undoing of a plan went. */
struct undone {
	int rc;				      /* 0, or the first -errno */
	size_t stuck;			      /* of that step */
	uint64_t stays[APPLY_STEPS_MAX / 64]; /* bit i: others may use what step i did, and it was left */
};

/* Undoes what was done; `old` by step, NULL: as the plan found it. */
static struct undone undo_steps(struct cgpol_host *host, const struct plan *plan,
				const struct applied *applied, char *const *old)
{
	struct undone undone = {0};

	for (size_t i = applied->steps; i-- > 0;) {
		const struct step *step = &plan->step[i];
		int rc;

		if (apply_is_idle(applied, i))
			continue;
		rc = undo_step(host, step, old ? old[i] : step->old_value);
		if (rc == UNDO_STAYS)
			undone.stays[i / 64] |= UINT64_C(1) << i % 64;
		if (rc < 0 && undone.rc == 0) {
			undone.rc = rc;
			undone.stuck = i;
		}
	}
	return undone;
}

static void tell_stuck(const struct step *step, int rc, struct cgpol_error *err)
{
	char name[128], text[320];

	text_escape(step->cgroup, name, sizeof(name));
	(void)snprintf(
		text, sizeof(text), "; taking back what was done failed too: %.60s%s%s stays changed (%.60s)",
		step->file ? step->file : "", step->file ? " of cgroup " : "cgroup ", name, strerror(-rc));
	cause_add(err, text);
}

static bool stays(const struct undone *undone, size_t step)
{
	return undone->stays[step / 64] >> step % 64 & 1;
}

/* "; controllers memory, pids stay enabled in /a, which has other cgroups": all of one cgroup, at its first.
 */
static void tell_controllers(const struct plan *plan, const struct undone *undone, size_t first,
			     struct cgpol_error *err)
{
	char name[128], list[160] = "", text[400];
	size_t count = 0;

	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		size_t used = strlen(list);

		if (!stays(undone, i) || step->op != STEP_ENABLE ||
		    strcmp(step->cgroup, plan->step[first].cgroup) != 0)
			continue;
		if (i < first)
			return;
		(void)snprintf(list + used, sizeof(list) - used, "%s%s", count++ ? ", " : "",
			       step->new_value + 1);
	}
	text_escape(plan->step[first].cgroup, name, sizeof(name));
	(void)snprintf(text, sizeof(text), "; controller%s %s %s enabled in %s, which has other cgroups",
		       count == 1 ? "" : "s", list, count == 1 ? "stays" : "stay", name);
	cause_add(err, text);
}

/* False when nothing stays. */
static bool tell_what_stays(const struct plan *plan, const struct undone *undone, struct cgpol_error *err)
{
	bool is_any = false;

	for (size_t i = 0; i < plan->steps; i++) {
		char name[128], text[200];

		if (!stays(undone, i))
			continue;
		is_any = true;
		if (plan->step[i].op == STEP_ENABLE) {
			tell_controllers(plan, undone, i, err);
			continue;
		}
		text_escape(plan->step[i].cgroup, name, sizeof(name));
		(void)snprintf(text, sizeof(text), "; cgroup %s stays, another cgpol uses it", name);
		cause_add(err, text);
	}
	return is_any;
}

/* Ends a run that failed: the sentence says so already, and learns how the undoing went. */
static int give_up(struct doing *doing, int rc, struct cgpol_error *err)
{
	struct undone undone = undo_steps(doing->host, doing->plan, &doing->applied, doing->old);

	if (doing->applied.steps == 0)
		return rc;
	if (undone.rc < 0)
		tell_stuck(&doing->plan->step[undone.stuck], undone.rc, err);
	else if (!tell_what_stays(doing->plan, &undone, err))
		cause_add(err, "; all is as it was before");
	return rc;
}

static int do_steps(struct doing *doing, struct cgpol_error *err)
{
	for (size_t i = 0; i < doing->plan->steps; i++) {
		const struct step *step = &doing->plan->step[i];
		int rc = do_step(doing, i);

		if (rc == 0 || doing->is_half_done || step->is_optional)
			doing->applied.steps++;
		if (rc < 0 && !step->is_optional)
			return explain_step(doing->host, step, rc, err);
		if (rc < 0) {
			doing->applied.skipped++;
			doing->applied.failed_optional |= i < 64 ? UINT64_C(1) << i : 0;
			if (!doing->is_half_done)
				set_idle(&doing->applied, i);
			doing->is_half_done = false;
		}
	}
	return 0;
}

static void free_old(struct doing *doing)
{
	for (size_t i = 0; doing->old && i < doing->plan->steps; i++)
		free(doing->old[i]);
	free(doing->old);
}

int apply_plan(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
	       struct applied *applied, struct cgpol_error *err)
{
	AUTO(free_old) struct doing doing = {.host = host, .plan = plan};
	int rc;

	if (plan->steps > APPLY_STEPS_MAX)
		return error_set(err, E2BIG, CGPOL_USAGE, "more than %d steps", APPLY_STEPS_MAX);
	doing.old = calloc(plan->steps + 1, sizeof(*doing.old));
	if (!doing.old)
		return error_no_memory(err);
	rc = do_steps(&doing, err);
	if (rc == 0)
		rc = readback_check(host, plan, policy, err);
	if (rc < 0)
		return give_up(&doing, rc, err);
	if (applied)
		*applied = doing.applied;
	return 0;
}

int apply_undo(struct cgpol_host *host, const struct plan *plan, const struct applied *applied)
{
	return undo_steps(host, plan, applied, NULL).rc;
}

int apply_plan_with(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		    struct cgroupfs *fs, const struct apply_watch *watch, struct cgpol_error *err)
{
	(void)fs;
	(void)watch;
	return apply_plan(host, plan, policy, NULL, err);
}
