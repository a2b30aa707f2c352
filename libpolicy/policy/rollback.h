/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back all that was done of a plan, and saying how that went. */
#ifndef CGPOL_POLICY_ROLLBACK_H
#define CGPOL_POLICY_ROLLBACK_H

#include "policy/apply.h"

/* What was done of one plan. Zero-initialised it is nothing; give it back with progress_clear. */
struct progress {
	const struct plan *plan; /* borrowed; not looked at by progress_clear */
	size_t steps;
	enum step_result *result; /* by step */
	char **old;	  /* by step: what was there just before it; NULL: nothing, or it goes with its
			     cgroup */
	bool *is_touched; /* by step: there is something to take back */
	size_t stuck;	  /* the first step that could not be taken back, when stuck_rc is < 0 */
	int stuck_rc;
};

int progress_begin(struct progress *progress, const struct plan *plan); /* 0 or -ENOMEM */
void progress_clear(struct progress *progress);

/* Takes back every touched step in reverse; the results become STEP_UNDONE, or STEP_STAYS (of one that
 * failed half-way, and left nothing, they stay). `told`: called for
 * each with 0, UNDO_STAYS (policy/undo.h) or -errno; may be NULL. 0, or the first -errno; the other steps are
 * undone nevertheless. */
int rollback(struct cgpol_host *host, struct progress *progress,
	     void (*told)(void *arg, size_t step, enum step_result result, int rc), void *arg);
/* Adds to a sentence how that went for plans that count as one: "; all is as it was before", what stays, or
 * what could not be taken back. True when all is as it was. */
bool rollback_tell(const struct progress *progress, size_t count, struct cgpol_error *err);

#endif
