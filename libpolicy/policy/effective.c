/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting comes to: what was asked for, what holds, and who makes the difference. */
#include "policy/effective.h"

#include <errno.h>

int effective_read(struct cgpol_host *host, const char *cgroup, const char *file, struct effective *effective,
		   struct cgpol_error *err)
{
	(void)host;
	(void)cgroup;
	(void)file;
	(void)effective;
	(void)err;
	return -ENOSYS;
}
void effective_clear(struct effective *effective)
{
	(void)effective;
}
