/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back a change by its journal: one that is done, or one whose cgpol was killed half-way. */
#ifndef CGPOL_POLICY_RECOVER_H
#define CGPOL_POLICY_RECOVER_H

#include "policy/journal.h"

enum recover_finding {
	RECOVER_PUT_BACK, /* to be taken back */
	RECOVER_NOTHING,  /* was not done, or is as before already */
	RECOVER_GONE,	  /* its cgroup, process or file is gone, and so is what was done */
	RECOVER_CHANGED,  /* somebody changed it since: neither what was there before nor what was written */
	RECOVER_LOST,	  /* cannot come back: reclaimed memory, ended processes */
	RECOVER_STAYS,	  /* others use it by now: a controller, a cgroup with processes or children */
};

/* Zero-initialised it is empty. */
struct recovery {
	enum recover_finding *finding; /* by entry of the journal */
	char **now;		       /* what is there; NULL: nothing, or it does not matter */
	size_t entries;
};

/* Looks at what is there of every step, and changes nothing. CGPOL_REFUSED when a cgroup2 mount, or the boot
 * (but of STEP_SAVE), is another than the change's. -EBUSY, CGPOL_FAILED: its cgpol is still at work. */
int recover_look(struct cgpol_host *host, const struct journal *journal, struct recovery *recovery,
		 struct cgpol_error *err);
/* Takes it back in reverse, all or nothing as far as that goes: a RECOVER_CHANGED is CGPOL_REFUSED (-ESTALE)
 * before anything is touched, unless forced. May be called again after it was killed itself: what is as
 * before counts. Reads back that every file holds, byte for byte, what it held before. recovery is updated.
 * -EBUSY (CGPOL_PARTIAL): something stays, which the sentence names. */
int recover_apply(struct cgpol_host *host, const struct journal *journal, bool is_forced,
		  struct recovery *recovery, struct cgpol_error *err);
void recovery_clear(struct recovery *recovery);
/* Is the cgpol that made the change still at work on it? */
bool recover_is_running(struct cgpol_host *host, const struct journal *journal);
/* Makes a removed cgroup again with what journal and STEP_RMDIR kept of it. Used by undo.c as well.
 * `saved`: the step's old_value. */
int recover_make_again(struct cgpol_host *host, const char *cgroup, const char *saved);
/* What that needs of a cgroup that is about to be removed: owner, mark, controllers, and every setting of the
 * table. The caller frees it. */
int recover_save(struct cgpol_host *host, const char *cgroup, char **saved);

#endif
