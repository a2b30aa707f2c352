/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cgroups cgpol made itself: an extended attribute on their directory. */
#include "host/mark.h"

#include <errno.h>

int mark_set(struct cgpol_host *host, const char *cgroup, enum mark_kind kind)
{
	(void)host;
	(void)cgroup;
	(void)kind;
	return -ENOSYS;
}

int mark_read(struct cgpol_host *host, const char *cgroup, struct mark *mark)
{
	(void)host;
	(void)cgroup;
	(void)mark;
	return -ENOSYS;
}

bool mark_is_stale(struct cgpol_host *host, const struct mark *mark)
{
	(void)host;
	(void)mark;
	return false;
}
