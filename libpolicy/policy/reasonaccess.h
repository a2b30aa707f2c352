/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to EACCES, EPERM and EROFS: whose it is, and who could. */
#ifndef CGPOL_POLICY_REASONACCESS_H
#define CGPOL_POLICY_REASONACCESS_H

#include "policy/reason.h"

/* Writing, making or removing anything: a read-only file system, the owner, the root of a cgroup namespace, a
 * capture. */
void reason_not_permitted(struct reason *reason);
/* Moving a process, or starting one: which common ancestor's cgroup.procs must be writable too, whose it is.
 */
void reason_no_move(struct reason *reason);
/* Giving something to another owner. */
void reason_no_owner(struct reason *reason);
/* oom_score_adj of a process. */
void reason_no_score(struct reason *reason);
/* sched_setaffinity(2). */
void reason_no_affinity(struct reason *reason);

#endif
