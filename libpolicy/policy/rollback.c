/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back all that was done of a plan, and saying how that went. */
#include "policy/rollback.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/cause.h"
#include "policy/step.h"
#include "policy/undo.h"

enum { TOLD_MAX = 4, NAME_SIZE = 128 };

void progress_clear(struct progress *progress)
{
	for (size_t i = 0; progress->old && i < progress->steps; i++)
		free(progress->old[i]);
	free(progress->old);
	free(progress->result);
	free(progress->is_touched);
	*progress = (struct progress){0};
}

int progress_begin(struct progress *progress, const struct plan *plan)
{
	AUTO(progress_clear) struct progress made = {.plan = plan, .steps = plan->steps};
	size_t steps = plan->steps + 1;

	made.result = calloc(steps, sizeof(*made.result));
	made.old = calloc(steps, sizeof(*made.old));
	made.is_touched = calloc(steps, sizeof(*made.is_touched));
	if (!made.result || !made.old || !made.is_touched)
		return -ENOMEM;
	*progress = made;
	made = (struct progress){0};
	return 0;
}

int rollback(struct cgpol_host *host, struct progress *progress,
	     void (*told)(void *arg, size_t step, enum step_result result, int rc), void *arg)
{
	progress->stuck_rc = 0;
	for (size_t i = progress->steps; i-- > 0;) {
		int rc;

		if (!progress->is_touched[i])
			continue;
		rc = undo_step(host, &progress->plan->step[i], progress->old[i]);
		if (rc != 0)
			progress->result[i] = STEP_STAYS;
		else if (progress->result[i] == STEP_DONE)
			progress->result[i] = STEP_UNDONE;
		progress->is_touched[i] = rc != 0;
		if (rc < 0 && progress->stuck_rc == 0) {
			progress->stuck_rc = rc;
			progress->stuck = i;
		}
		if (told)
			told(arg, i, progress->result[i], rc);
	}
	return progress->stuck_rc;
}

/* "; controllers memory, pids stay enabled in /a, which has other cgroups": all of one cgroup, at its first.
 */
static bool tell_controllers(const struct progress *progress, size_t first, struct cgpol_error *err)
{
	const struct plan *plan = progress->plan;
	char name[NAME_SIZE], list[160] = "", text[400];
	size_t count = 0;

	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		size_t used = strlen(list);

		if (progress->result[i] != STEP_STAYS || step->op != STEP_ENABLE ||
		    strcmp(step->cgroup, plan->step[first].cgroup) != 0)
			continue;
		if (i < first)
			return false;
		(void)snprintf(list + used, sizeof(list) - used, "%s%s", count++ ? ", " : "",
			       step->new_value + 1);
	}
	text_escape(plan->step[first].cgroup, name, sizeof(name));
	(void)snprintf(text, sizeof(text), "; controller%s %s %s enabled in %s, which has other cgroups",
		       count == 1 ? "" : "s", list, count == 1 ? "stays" : "stay", name);
	cause_add(err, text);
	return true;
}

static bool tell_step(const struct progress *progress, size_t i, struct cgpol_error *err)
{
	const struct step *step = &progress->plan->step[i];
	char name[NAME_SIZE], text[320];

	step_describe(step, name, sizeof(name));
	switch (step->op) {
	case STEP_ENABLE:
		return tell_controllers(progress, i, err);
	case STEP_MKDIR:
		(void)snprintf(text, sizeof(text), "; %s stays, another cgpol uses it", name);
		break;
	case STEP_KILL:
		(void)snprintf(text, sizeof(text), "; the processes of %s that were ended do not come back",
			       name);
		break;
	case STEP_ATTACH:
		(void)snprintf(text, sizeof(text), "; %s stays where it is, its former cgroup is gone", name);
		break;
	case STEP_SET:
		/* policy/undo.c */
		(void)snprintf(text, sizeof(text),
			       "; %s says now what the cgroup above has: this kernel does not take an empty "
			       "list while processes live there",
			       name);
		break;
	default:
		(void)snprintf(text, sizeof(text), "; %s stays changed", name);
	}
	cause_add(err, text);
	return true;
}

static void tell_stuck(const struct progress *progress, struct cgpol_error *err)
{
	char name[NAME_SIZE], text[320];

	step_describe(&progress->plan->step[progress->stuck], name, sizeof(name));
	(void)snprintf(text, sizeof(text), "; taking back what was done failed too: %s stays changed (%.60s)",
		       name, strerror(-progress->stuck_rc));
	cause_add(err, text);
}

bool rollback_tell(const struct progress *progress, size_t count, struct cgpol_error *err)
{
	size_t told = 0;

	for (size_t i = count; i-- > 0;) {
		if (progress[i].stuck_rc < 0) {
			tell_stuck(&progress[i], err);
			return false;
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < progress[i].steps && told < TOLD_MAX; j++) {
			if (progress[i].result[j] == STEP_STAYS)
				told += tell_step(&progress[i], j, err);
		}
	}
	if (told == 0)
		cause_add(err, "; all is as it was before");
	return told == 0;
}
