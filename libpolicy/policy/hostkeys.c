/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the whole machine as steps of a plan. */
#include "policy/hostkeys.h"

#include <errno.h>

char *hostkeys_path(const char *name)
{
	(void)name;
	return NULL;
}
int hostkeys_plan(struct cgpol_host *host, const struct cgpol_policy *policy, struct plan *plan,
		  struct cgpol_error *err)
{
	(void)host;
	(void)policy;
	(void)plan;
	(void)err;
	return -ENOSYS;
}
