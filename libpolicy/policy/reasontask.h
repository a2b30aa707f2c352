/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to the moving and starting of processes in a cgroup, and to changes of processes. */
#ifndef CGPOL_POLICY_REASONTASK_H
#define CGPOL_POLICY_REASONTASK_H

#include "policy/reason.h"

/* Of a cgroup that is to take a process, STEP_ATTACH or a start. */
void reason_has_controllers(struct reason *reason);   /* EBUSY */
void reason_not_for_processes(struct reason *reason); /* EOPNOTSUPP */
void reason_no_place(struct reason *reason);	      /* ENOSPC: a cpuset without cpus or nodes */
void reason_removed(struct reason *reason);
void reason_too_many_tasks(struct reason *reason); /* EAGAIN: pids.max */
void reason_no_memory(struct reason *reason);
/* STEP_ATTACH only. */
void reason_moved_on(struct reason *reason);	/* EAGAIN: read back, it is elsewhere */
void reason_not_visible(struct reason *reason); /* ENOENT: nsdelegate, or the cgroup went away */
void reason_not_movable(struct reason *reason); /* EINVAL: kernel threads, realtime without a budget */

void reason_ended(struct reason *reason); /* ESRCH: the process went away */
void reason_bad_score(struct reason *reason);
void reason_bad_affinity(struct reason *reason);

#endif
