/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads whose own affinity leaves them fewer cpus than the cgroup that they were moved to has. */
#ifndef CGPOL_ACT_PINNED_H
#define CGPOL_ACT_PINNED_H

#include "act/move.h"

/* Counts them for each one that is in request->to now (or, without a change, would be):
 * moves->moved[].pinned. With request->resets_affinity each is given all cpus of the cgroup (STEP_AFFINITY,
 * optional steps of plans at the end of moves->plan), and those that keep less are counted. Before 6.2 a move
 * itself takes an affinity away, since then it stays (kernel/sched/core.c, user_cpus_ptr; PAIN P26). Where
 * the cgroup has no cpuset of its own, or nothing can be read, nothing is counted. Fails as change_apply
 * does. */
int pinned_settle(struct cgpol_host *host, struct change *change, const struct move_request *request,
		  struct moves *moves, struct cgpol_error *err);

#endif
