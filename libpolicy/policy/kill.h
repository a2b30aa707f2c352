/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ending every process of a cgroup and below it. */
#ifndef CGPOL_POLICY_KILL_H
#define CGPOL_POLICY_KILL_H

#include "host/host.h"

enum { KILL_WAIT_MS = 10000 };

/* Sends SIGKILL to all, by cgroup.kill (5.14) or one by one, and waits up to so long until the kernel counts
 * none any more. -EBUSY when some are left then, -EINVAL for the root, -EOPNOTSUPP for a threaded cgroup,
 * -ENOENT or -ENODEV when it is gone, -EPERM. */
int kill_cgroup(struct cgpol_host *host, const char *cgroup, unsigned milliseconds);

#endif
