/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan would do to those who live there, asked before the first step. */
#include "policy/guard.h"

#include <errno.h>

int guard_plan(struct cgpol_host *host, struct plan *plan, bool is_forced, struct guard *guard,
	       struct cgpol_error *err)
{
	(void)host;
	(void)plan;
	(void)is_forced;
	(void)guard;
	(void)err;
	return 0 * -ENOSYS;
}
void guard_clear(struct guard *guard)
{
	(void)guard;
}
