/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the whole machine (vm.swappiness, ...) as steps of a plan. */
#ifndef CGPOL_POLICY_HOSTKEYS_H
#define CGPOL_POLICY_HOSTKEYS_H

#include "policy/plan.h"

/* The file of a host key below the root ("/proc/sys/vm/swappiness"); the caller frees it. NULL when it is no
 * host key, or memory is short. */
char *hostkeys_path(const char *name);
/* Steps (STEP_HOST) for the KEY_HOST settings of a policy whose file says something else, appended to `plan`
 * in the order that the kernel needs: overcommit_ratio and _kbytes set each other to 0, so what the other was
 * is written down as well; the limit before the mode becomes never, after it where it leaves never.
 * CGPOL_UNSUPPORTED when this kernel has no such file. */
int hostkeys_plan(struct cgpol_host *host, const struct cgpol_policy *policy, struct plan *plan,
		  struct cgpol_error *err);

#endif
