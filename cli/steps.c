/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a change as people, shells and scripts read them. */
#include "steps.h"

#include <errno.h>

const char *steps_op_name(enum step_op op)
{
	(void)op;
	return "";
}
int steps_print_shell(const struct cgpol_host *host, const struct plan *plan, FILE *out)
{
	(void)host;
	(void)plan;
	(void)out;
	return -ENOSYS;
}
int steps_print_text(const struct plan *plan, const struct change *change, FILE *out)
{
	(void)plan;
	(void)change;
	(void)out;
	return -ENOSYS;
}
void steps_put_json(struct json *json, const struct plan *plan, const struct change *change)
{
	(void)json;
	(void)plan;
	(void)change;
}
void steps_put_guard(struct json *json, const struct guard *guard)
{
	(void)json;
	(void)guard;
}
