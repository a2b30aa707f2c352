/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back one step of a plan. */
#ifndef CGPOL_POLICY_UNDO_H
#define CGPOL_POLICY_UNDO_H

#include "policy/plan.h"

/* `old`: what the file held before a STEP_SET; NULL when it was not there, and goes with its cgroup or its
 * controller. 0 or -errno; what went away meanwhile is 0. What another cgpol uses by now stays, which is 0
 * too: a controller of a cgroup with a marked child (host/mark.h), and that cgroup itself. */
int undo_step(struct cgpol_host *host, const struct step *step, const char *old);

#endif
