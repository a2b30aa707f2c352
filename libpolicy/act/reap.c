/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing cgroups that cgpol made: its own at the end, and the empty ones that a killed cgpol left behind.
 */
#include "act/reap.h"

#include <errno.h>

int reap(struct cgpol_host *host, const char *parent, bool is_deep, bool dry, struct reaped *reaped,
	 struct cgpol_error *err)
{
	(void)host;
	(void)parent;
	(void)is_deep;
	(void)dry;
	(void)reaped;
	(void)err;
	return -ENOSYS;
}

void reaped_clear(struct reaped *reaped)
{
	(void)reaped;
}

int reap_own(struct cgpol_host *host, const char *cgroup, unsigned milliseconds)
{
	(void)host;
	(void)cgroup;
	(void)milliseconds;
	return -ENOSYS;
}
