/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing the empty cgroups that cgpol made. */
#ifndef CGPOL_ACT_CLEAN_H
#define CGPOL_ACT_CLEAN_H

#include "act/reap.h"

/* Removes below `parent` every cgroup with a mark (host/mark.h) that has no processes and no children that
 * stay, deepest first, kept ones too; never one without a mark, and never one of a cgpol run that lives.
 * reaped->busy are marked ones that somebody uses. reaper NULL: only tells. The first that cannot be removed
 * is told when the others are gone. CGPOL_FAILED (-ENOENT) without the parent, CGPOL_REFUSED with a capture,
 * CGPOL_UNSUPPORTED without cgroup2. */
int clean_with(struct cgpol_host *host, const char *parent, const struct reaper *reaper,
	       struct reaped *reaped, struct cgpol_error *err);

#endif
