/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One change of the machine: locked, written down before it is made, all or nothing. */
#include "policy/change.h"

#include <errno.h>

int change_open(struct cgpol_host *host, const struct change_setup *setup, struct change **change,
		struct cgpol_error *err)
{
	(void)host;
	(void)setup;
	(void)change;
	(void)err;
	return -ENOSYS;
}
int change_apply(struct change *change, const struct plan *plan, const struct cgpol_policy *policy,
		 struct cgpol_error *err)
{
	(void)change;
	(void)plan;
	(void)policy;
	(void)err;
	return -ENOSYS;
}
enum step_result change_result(const struct change *change, const struct plan *plan, size_t step)
{
	(void)change;
	(void)plan;
	(void)step;
	return STEP_PENDING;
}
int change_abort(struct change *change, struct cgpol_error *err)
{
	(void)change;
	(void)err;
	return -ENOSYS;
}
int change_commit(struct change *change, struct cgpol_error *err)
{
	(void)change;
	(void)err;
	return -ENOSYS;
}
const char *change_id(const struct change *change)
{
	(void)change;
	return NULL;
}
void change_close(struct change *change)
{
	(void)change;
}
