/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan: the ordered steps that make one cgroup obey one policy. Pure: what is there comes in as values. */
#include "policy/plan.h"

#include <errno.h>

int plan_make(const struct current *current, const struct cgpol_policy *policy, const char *also,
	      struct plan **plan, struct cgpol_error *err)
{
	(void)current;
	(void)policy;
	(void)also;
	(void)plan;
	(void)err;
	return -ENOSYS;
}

void plan_free(struct plan *plan)
{
	(void)plan;
}

int plan_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
	      const char *also, struct plan **plan, struct cgpol_error *err)
{
	(void)host;
	(void)policy;
	(void)cgroup;
	(void)also;
	(void)plan;
	(void)err;
	return -ENOSYS;
}
