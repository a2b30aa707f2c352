/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there now, as far as a plan needs it: the levels from the root to one cgroup, and the values to be
 * changed. */
#include "policy/current.h"

#include <errno.h>

int current_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
		 struct current *current, struct cgpol_error *err)
{
	(void)host;
	(void)policy;
	(void)cgroup;
	(void)current;
	(void)err;
	return -ENOSYS;
}

void current_clear(struct current *current)
{
	(void)current;
}
