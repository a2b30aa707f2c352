/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back one step of a plan. */
#ifndef CGPOL_POLICY_UNDO_H
#define CGPOL_POLICY_UNDO_H

#include "policy/plan.h"

enum { UNDO_STAYS = 1 };

/* `old`: what was there before (as step->old_value); NULL when it was not there, and goes with its cgroup or
 * its controller. 0 or -errno; what went away meanwhile is 0. What others may use by now stays, and that is
 * UNDO_STAYS: a controller of a cgroup that has any child, and a cgroup with a marked one (host/mark.h). So
 * is what cannot come back: processes that were ended, the type of a cgroup that was there before, a process
 * that somebody moved on or whose former cgroup is gone, and a file that was made (its text goes). */
int undo_step(struct cgpol_host *host, const struct step *step, const char *old);

#endif
