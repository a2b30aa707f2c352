/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A refusal that is being explained: what was tried, and the reason in the making. */
#include "policy/reason.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/cause.h"

void reason_begin(struct reason *reason, struct cgpol_host *host, const struct step *step, const char *cgroup,
		  int errnum)
{
	AUTO(free_p) char *parent = cgroup ? cause_parent(cgroup) : NULL;

	*reason = (struct reason){.host = host, .step = step, .cgroup = cgroup, .errnum = errnum};
	reason->kind = CGPOL_FAILED;
	text_escape(cgroup ? cgroup : "", reason->shown, sizeof(reason->shown));
	text_escape(parent ? parent : "/", reason->parent, sizeof(reason->parent));
}

void reason_say(struct reason *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason->why, sizeof(reason->why), format, args);
	va_end(args);
}

void reason_advise(struct reason *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason->hint, sizeof(reason->hint), format, args);
	va_end(args);
}

char *reason_read(const struct reason *reason, const char *file)
{
	return reason->cgroup ? cause_read(reason->host, reason->cgroup, file) : NULL;
}

char *reason_read_above(const struct reason *reason, const char *file)
{
	AUTO(free_p) char *parent = reason->cgroup ? cause_parent(reason->cgroup) : NULL;

	return parent ? cause_read(reason->host, parent, file) : NULL;
}
