/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cgroups cgpol made itself: an extended attribute on their directory. */
#ifndef CGPOL_HOST_MARK_H
#define CGPOL_HOST_MARK_H

#include "host/host.h"

/* The kernel has user.* attributes on cgroup2 since 5.7; they go with the cgroup. */
#define MARK_ATTRIBUTE "user.cgpol"

enum mark_kind {
	MARK_NONE,   /* not ours */
	MARK_KEPT,   /* "kept": made by cgpol run --keep: nobody removes it */
	MARK_OWNED,  /* "run PID STARTTIME NSINODE": made by a cgpol run that removes it at its end */
	MARK_PARENT, /* "parent": made on the way to one; goes when it is empty */
};

struct mark {
	enum mark_kind kind;
	pid_t pid;	     /* MARK_OWNED */
	uint64_t start_time; /* of the owner: /proc/PID/stat, clock ticks since boot */
	uint64_t pidns;	     /* inode of the pid namespace in which `pid` is counted; 0: unknown */
};

/* Marks a cgroup; MARK_OWNED with this process as the owner. */
int mark_set(struct cgpol_host *host, const char *cgroup, enum mark_kind kind);
/* kind is MARK_NONE when there is no attribute, or one that cgpol did not write. Without NSINODE, as marks
 * were first written, pidns is 0. */
int mark_read(struct cgpol_host *host, const char *cgroup, struct mark *mark);
/* Is it a MARK_OWNED one whose owner is gone (no such pid, or another start time)? Only who reads in the pid
 * namespace in which it was written can say so: false in any other, and while either is unknown. An inode
 * number is given again only when all processes of its namespace are gone. */
bool mark_is_stale(struct cgpol_host *host, const struct mark *mark);

#endif
