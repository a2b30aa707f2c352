/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to the making, removing, emptying and threading of cgroups, and to the enabling of controllers. */
#ifndef CGPOL_POLICY_REASONTREE_H
#define CGPOL_POLICY_REASONTREE_H

#include "policy/reason.h"

void reason_gone(struct reason *reason);      /* the cgroup went away */
void reason_no_parent(struct reason *reason); /* mkdir: the one above did */
void reason_too_many(struct reason *reason);  /* mkdir: cgroup.max.descendants, cgroup.max.depth */
void reason_no_id(struct reason *reason);     /* mkdir: no memory cgroup id is left */
void reason_bad_name(struct reason *reason);  /* mkdir */
/* Writing to cgroup.subtree_control. */
void reason_not_available(struct reason *reason);
void reason_internal(struct reason *reason);
void reason_not_domain(struct reason *reason);
void reason_realtime(struct reason *reason);
void reason_not_listed(struct reason *reason); /* accepted, and not there afterwards */
/* Writing "threaded" to cgroup.type. */
void reason_no_thread_domain(struct reason *reason);
/* rmdir: processes, cgroups below, or processes that have not quite ended. */
void reason_in_use(struct reason *reason);
/* Those that were to end, in it and below, are there still. */
void reason_alive(struct reason *reason);
void reason_no_end(struct reason *reason);  /* the root */
void reason_no_kill(struct reason *reason); /* cgroup.kill of a threaded cgroup */

#endif
