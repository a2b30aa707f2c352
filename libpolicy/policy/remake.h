/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup as text that outlives it, and making it again from that. */
#ifndef CGPOL_POLICY_REMAKE_H
#define CGPOL_POLICY_REMAKE_H

#include "host/host.h"

/* What cgroups carry in the place of their mark (host/mark.h) while they are made again: who finds one knows
 * that it was not finished. */
#define REMAKE_MARK "again"

/* What making a cgroup again needs: the owners of what may be delegated, mark, type, controllers, and every
 * setting of the table that a new one would not have. The caller frees it. -ENOENT or -ENODEV when it is
 * gone. */
int remake_save(struct cgpol_host *host, const char *cgroup, char **saved);
/* Makes it, or finishes one that is there, and compares all of it. -EBADMSG when `saved` is none of
 * remake_save's; -EIO when something does not come out as it was. What was made stays when it fails: to be
 * called again. */
int remake_make(struct cgpol_host *host, const char *cgroup, const char *saved);
/* Is it one that was not finished: with REMAKE_MARK, or as bare as a new one (killed before it was marked)?
 * False when it is gone. */
bool remake_is_unfinished(struct cgpol_host *host, const char *cgroup);
/* Has it no mark, no cgroups below, no processes, and only settings that a new one has? False when it is
 * gone. */
bool remake_is_bare(struct cgpol_host *host, const char *cgroup);

#endif
