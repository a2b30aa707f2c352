/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing the steps of a plan, all or none, and reading back what came of them. */
#include "policy/apply.h"

#include <errno.h>

int apply_plan(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
	       struct applied *applied, struct cgpol_error *err)
{
	(void)host;
	(void)plan;
	(void)policy;
	(void)applied;
	(void)err;
	return -ENOSYS;
}

int apply_undo(struct cgpol_host *host, const struct plan *plan, const struct applied *applied)
{
	(void)host;
	(void)plan;
	(void)applied;
	return -ENOSYS;
}
