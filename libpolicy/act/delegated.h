/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a user without rights may make cgroups: the nearest ancestor of the own one that was handed over. */
#ifndef CGPOL_ACT_DELEGATED_H
#define CGPOL_ACT_DELEGATED_H

#include "host/host.h"

/* Root of the machine, who may make cgroups everywhere. Root of a user namespace is a user without rights. */
bool delegated_is_root(const struct cgpol_host *host);
/* Walks up from the cgroup of this process to the nearest whose directory and cgroup.procs this user may
 * write, which is what delegation means (Documentation/admin-guide/cgroup-v2.rst, Model of Delegation). The
 * caller frees *name. A group counts when it is this process's group or one of its supplementary ones.
 * CGPOL_FAILED (-EACCES) when there is none: the sentence names the own cgroup and who owns it, the hint what
 * to do. CGPOL_UNSUPPORTED when the own cgroup is not below the mount that is visible here. */
int delegated_find(struct cgpol_host *host, char **name, struct cgpol_error *err);

#endif
