/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freezing and thawing a cgroup: whether it may be, what else keeps it frozen, and who does not freeze. */
#ifndef CGPOL_ACT_FREEZE_H
#define CGPOL_ACT_FREEZE_H

#include "host/host.h"
#include "policy/plan.h"

/* The step that freezes or thaws (cgroup.freeze), none when it is so already. Refused: the root, which has no
 * such file, and to freeze what holds this process itself, which nobody would thaw (CGPOL_REFUSED). A cgroup
 * that is not there is CGPOL_FAILED (-ENOENT); a kernel before 5.2 CGPOL_UNSUPPORTED. */
int freeze_plan(struct cgpol_host *host, const char *cgroup, bool is_freezing, struct plan **plan,
		struct cgpol_error *err);
/* The nearest cgroup above that is to be frozen (cgroup.freeze is 1) and so keeps all below it frozen; the
 * caller frees it. NULL when there is none, or memory is short. */
char *freeze_holder(struct cgpol_host *host, const char *cgroup);
/* Who is in the way of "frozen 1", of a cgroup and all below it: "12 (dd, state D)"; those in uninterruptible
 * sleep when there are any, else those that run. "" when none is seen; the caller frees it. NULL when memory
 * is short. A frozen process is in state S. */
char *freeze_stuck(struct cgpol_host *host, const char *cgroup);

#endif
