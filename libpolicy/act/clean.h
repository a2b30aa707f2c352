/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing the empty cgroups that cgpol made. */
#ifndef CGPOL_ACT_CLEAN_H
#define CGPOL_ACT_CLEAN_H

#include "act/reap.h"

/* Removes below `parent` every cgroup with a mark (host/mark.h) that has no processes and no children that
 * stay, deepest first, kept ones too; never one without a mark, and never one of a cgpol run that lives.
 * reaper NULL: only tells. */
int clean_with(struct cgpol_host *host, const char *parent, const struct reaper *reaper,
	       struct reaped *reaped, struct cgpol_error *err);

#endif
