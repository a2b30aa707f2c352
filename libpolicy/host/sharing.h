/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes share an mm: groups of pids, merged where they overlap. */
#ifndef CGPOL_HOST_SHARING_H
#define CGPOL_HOST_SHARING_H

#include <stddef.h>
#include <sys/types.h>

struct sharing_member {
	pid_t pid;
	size_t up; /* index of a member of the same group with a lower pid, or of itself: union-find */
};

/* Zero-initialised nobody shares. Give it back with sharing_clear. */
struct sharing {
	struct sharing_member *member; /* ascending by pid */
	size_t members;
};

void sharing_clear(struct sharing *sharing);
/* Makes every pid of the list, which may name some twice, a group of its own. 0 or -ENOMEM. */
int sharing_init(struct sharing *sharing, const pid_t *pids, size_t count);
/* Both must be members. */
void sharing_join(struct sharing *sharing, pid_t a, pid_t b);
/* The lowest pid of the group; the pid itself when it is no member. An order by leaders is total, one by pids
 * that calls a group's members equal is not. */
pid_t sharing_leader(const struct sharing *sharing, pid_t pid);

#endif
