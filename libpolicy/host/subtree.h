/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup with all below it, and who lives there. */
#ifndef CGPOL_HOST_SUBTREE_H
#define CGPOL_HOST_SUBTREE_H

#include "host/host.h"

struct subtree {
	char **name; /* full, parents before their children; [0] is the cgroup itself */
	size_t count;
};

/* Lists a cgroup and all below it. Those that go away meanwhile are left out. -ENOENT when the cgroup itself
 * is gone. Starts from {0}, and needs subtree_clear also when it failed. */
int subtree_list(struct cgpol_host *host, const char *name, struct subtree *tree);
void subtree_clear(struct subtree *tree);
/* Adds the children of one of its cgroups at the end: for a walk that decides by itself where to go. */
int subtree_add_children(struct cgpol_host *host, const char *name, struct subtree *tree);
int subtree_add(struct subtree *tree, const char *name);

/* Does the kernel count processes in the cgroup or below it (cgroup.events)? Those that have exited and are
 * not yet gone too, which are in no list any more. False for one that is gone, and for the root. */
bool subtree_is_populated(struct cgpol_host *host, const char *name);
/* "12 (sh), 15 (db) and 3 more", escaped; "" when none is seen; the caller frees it. NULL when memory is
 * short. */
char *subtree_living(struct cgpol_host *host, const struct subtree *tree);
/* Waits until no process is counted in the tree's cgroups: up to `milliseconds`, for those that are dead and
 * not yet gone. -EBUSY at once when living ones are seen, and when the time is over; `living`, when given, is
 * then set to their names (subtree_living). */
int subtree_wait(struct cgpol_host *host, const struct subtree *tree, unsigned milliseconds, char **living);

#endif
