/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One change of the machine: locked, written down before it is made, all or nothing. */
#ifndef CGPOL_POLICY_CHANGE_H
#define CGPOL_POLICY_CHANGE_H

#include "policy/apply.h"

struct change;
struct cgroupfs;

enum { CHANGE_LOCK_MS = 10000 };

struct change_setup {
	const char *state;	/* directory (host/state.h), made when missing: "/run/cgpol" */
	const char *persistent; /* the same for changes that outlive a boot: "/var/lib/cgpol"; NULL: none. A
				   change with a STEP_SAVE is written down there (from that plan on) too */
	const char *command;	/* as typed */
	struct cgroupfs *fs;	/* for making, moving and removing; NULL: by the door */
};

/* Takes the lock. Plans are to be made after it, so that no other cgpol comes between. Nothing is written
 * down until the first plan that has steps: a change without one leaves no journal. CGPOL_REFUSED with a
 * capture. */
int change_open(struct cgpol_host *host, const struct change_setup *setup, struct change **change,
		struct cgpol_error *err);
/* Writes the steps down, does them and reads back (apply_plan_with). May be called again with a next plan,
 * which counts as one with those before. When it fails everything of this change is taken back in reverse,
 * and the sentence says whether that worked; only change_close may follow. The plan is borrowed until then.
 */
int change_apply(struct change *change, const struct plan *plan, const struct cgpol_policy *policy,
		 struct cgpol_error *err);
/* How a step of one of its plans went. */
enum step_result change_result(const struct change *change, const struct plan *plan, size_t step);
/* Takes back what was done so far, for a caller who fails: the sentence in *err learns how that went. */
int change_abort(struct change *change, struct cgpol_error *err);
/* Ends it: all holds. */
int change_commit(struct change *change, struct cgpol_error *err);
/* NULL when nothing was written down. */
const char *change_id(const struct change *change);
/* Without change_commit before, takes everything back. */
void change_close(struct change *change);

static inline void change_close_p(struct change **change)
{
	change_close(*change);
}

#endif
