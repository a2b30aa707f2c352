/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup's life on the live machine through libcgroup: discovery, creation, attaching, deletion. */
#ifndef CGPOL_HOST_CGROUPFS_H
#define CGPOL_HOST_CGROUPFS_H

#include "host/host.h"

struct cgroupfs_owner {
	uid_t uid; /* (uid_t)-1: do not change */
	gid_t gid;
};

/* Starts libcgroup (once a process; 623 us) and holds its view of the cgroup2 mount against ours.
 * CGPOL_UNSUPPORTED when there is no cgroup2 mount. Every function below calls it first. Only for the live
 * machine: a capture is CGPOL_REFUSED. */
int cgroupfs_open(struct cgpol_host *host, struct cgpol_error *err);
/* The mount point of a controller as libcgroup sees it, a witness for ours; the caller frees it. -ENOENT. */
int cgroupfs_mount_point(struct cgpol_host *host, const char *controller, char **path);
/* Makes a cgroup and what is missing above it, one level at a time (libcgroup 2.0.2 fails at "a/b" when the
 * root's cgroup.subtree_control is empty), with the controllers (a NULL-terminated list) enabled in every
 * level above the last. Owners change only where `owner` says so: of the directory and of the files in
 * /sys/kernel/cgroup/delegate. What was made is removed again when it fails. 0 also when it exists already.
 */
int cgroupfs_create(struct cgpol_host *host, const char *name, const char *const *controllers,
		    const struct cgroupfs_owner *owner, struct cgpol_error *err);
/* Moves a process. Read back from /proc/PID/cgroup. */
int cgroupfs_attach(struct cgpol_host *host, const char *name, pid_t pid, struct cgpol_error *err);
/* Removes a cgroup and those below it, deepest first. -EBUSY with the living processes named; never moves
 * any. */
int cgroupfs_delete(struct cgpol_host *host, const char *name, struct cgpol_error *err);

#endif
