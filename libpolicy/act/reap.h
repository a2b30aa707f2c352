/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing cgroups that cgpol made: its own at the end, and the empty ones that a killed cgpol left behind.
 */
#ifndef CGPOL_ACT_REAP_H
#define CGPOL_ACT_REAP_H

#include "host/mark.h"

struct reaped {
	char **name; /* removed ones; with `dry` those that would be; children before their parents */
	size_t count;
	char **busy; /* stale, but processes live in them, or something that stays is below */
	size_t busy_count;
};

/* Who does the removing. */
struct reaper {
	int (*remove)(void *arg, const char *cgroup); /* one without children and processes: 0 or -errno */
	void *arg;
};

/* Looks at the children of `parent`, or at all cgroups below it (is_deep), and removes those whose mark is
 * stale, or MARK_PARENT without children, and that have no processes; deepest first. What lies below a stale
 * one goes with it, but for the cgroups of a cgpol that lives, and kept ones, and what is below those. Below
 * a cgroup "cgpol" one without a mark counts by its name too: "COMM-PID" with a dead PID, no cgroups below
 * and nothing set on it (cgpol was killed between two system calls); "cgpol" itself, while nothing is set on
 * it, counts as marked. Then `parent` itself when it is marked and empty. Races with other cgpols (ENOENT,
 * EBUSY, ENOTEMPTY, ENODEV) are no errors. The first that cannot be removed is told when the others are gone.
 * No such parent: nothing. `dry`: only tells. CGPOL_REFUSED with a capture, CGPOL_UNSUPPORTED without
 * cgroup2. */
int reap(struct cgpol_host *host, const char *parent, bool is_deep, bool dry, struct reaped *reaped,
	 struct cgpol_error *err);
/* The same with a reaper; NULL: only tell. */
int reap_with(struct cgpol_host *host, const char *parent, bool is_deep, const struct reaper *reaper,
	      struct reaped *reaped, struct cgpol_error *err);
void reaped_clear(struct reaped *reaped);
/* For those who fill one in: adds a copy of the name to one of its lists, 0 or -ENOMEM; and the sentence when
 * a cgroup cannot be removed, which returns rc. */
int reaped_add(const char *name, char ***list, size_t *count);
int reaped_blame(const char *name, int rc, struct cgpol_error *err);
/* Removes one cgroup that this process made and everything below it; waits up to `milliseconds` for the
 * kernel to let go of its last, dying processes (cgroup.events populated). -EBUSY when some live, and when a
 * MARK_KEPT one is below, which stays with all above it. Then its
 * MARK_PARENT ancestors, as far as they are empty. 0 also when it is gone already. */
int reap_own(struct cgpol_host *host, const char *cgroup, unsigned milliseconds);
/* Only the MARK_PARENT ancestors, as far as they are empty. */
void reap_parents(struct cgpol_host *host, const char *cgroup);

#endif
