/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of processes that run. */
#include "act/tasks.h"

#include <errno.h>

int tasks_set(struct cgpol_host *host, struct change *change, const struct tasks_request *request,
	      const struct cgpol_policy *policy, struct plan *plan, struct tasks_told *told,
	      struct cgpol_error *err)
{
	(void)host;
	(void)change;
	(void)request;
	(void)policy;
	(void)plan;
	(void)told;
	(void)err;
	return -ENOSYS;
}
