/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the whole machine (vm.swappiness, ...) as steps of a plan. */
#ifndef CGPOL_POLICY_HOSTKEYS_H
#define CGPOL_POLICY_HOSTKEYS_H

#include "policy/plan.h"

/* The file of a host key below the root ("/proc/sys/vm/swappiness"); the caller frees it. NULL when it is no
 * host key, or memory is short. */
char *hostkeys_path(const char *name);
/* Steps (STEP_HOST) for the KEY_HOST settings of a policy whose file says something else, appended to `plan`
 * in the order that the kernel needs, and so that undoing them in reverse brings every file back:
 * overcommit_ratio and _kbytes set each other to 0, so the other one that is not 0 is a step of its own
 * before it; the limit before the mode becomes never, after it where it leaves never; a weight after the
 * automatic choice that it ends. Of what cannot come back step->lost tells. A failure adds no step, but for
 * -ENOMEM. CGPOL_UNSUPPORTED when this kernel has no such file, CGPOL_USAGE for settings that exclude each
 * other. */
int hostkeys_plan(struct cgpol_host *host, const struct cgpol_policy *policy, struct plan *plan,
		  struct cgpol_error *err);
/* Makes the folder of a configuration file that a STEP_SAVE is to write ("/etc/sysctl.d"), when it is
 * missing: minimal systems have none. It stays when the change is undone, empty. */
int hostkeys_make_folder(struct cgpol_host *host, const char *file, struct cgpol_error *err);

#endif
