/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving a cgroup to a user, as the kernel wants it to be delegated. */
#ifndef CGPOL_POLICY_DELEGATE_H
#define CGPOL_POLICY_DELEGATE_H

#include "policy/plan.h"

/* Appends the steps (STEP_OWNER) that give the directory of a cgroup and those of its files that
 * /sys/kernel/cgroup/delegate names (4.15; without it cgroup.procs, cgroup.threads and
 * cgroup.subtree_control) to an owner, and no other: the limits stay with who delegates (kernel
 * Documentation/admin-guide/cgroup-v2.rst, "Model of Delegation"). What is theirs already is no step. Of a
 * cgroup that the plan makes, files that come with a controller are optional. (uid_t)-1 and (gid_t)-1 leave
 * what is there. */
int delegate_plan(struct cgpol_host *host, const char *cgroup, uid_t uid, gid_t gid, struct plan *plan,
		  struct cgpol_error *err);

#endif
