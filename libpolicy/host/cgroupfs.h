/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup's life on the live machine through libcgroup: discovery, creation, attaching, deletion. */
#ifndef CGPOL_HOST_CGROUPFS_H
#define CGPOL_HOST_CGROUPFS_H

#include "host/host.h"

struct cgroupfs;

struct cgroupfs_owner {
	uid_t uid; /* (uid_t)-1: do not change */
	gid_t gid;
};

/* Loads libcgroup (no program pays for it that does not come here), starts it (623 us) and holds its view of
 * the cgroup2 mount against ours. The host must outlive the result, which goes back with cgroupfs_close.
 * CGPOL_UNSUPPORTED when there is no cgroup2 mount, or no libcgroup (-ELIBACC); CGPOL_FAILED when the two
 * views differ (-EXDEV) or libcgroup does not start. Only for the live machine: a capture, and a recording,
 * is CGPOL_REFUSED. */
int cgroupfs_open(struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err);
/* The same without libcgroup, everything by the door: where it is missing or cannot be used. */
int cgroupfs_open_bare(struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err);
void cgroupfs_close(struct cgroupfs *fs);
/* The mount point of a controller as libcgroup sees it, a witness for ours; the caller frees it. -ENOENT. */
int cgroupfs_mount_point(struct cgroupfs *fs, const char *controller, char **path);

/* Names below are full, with the leading slash (cgroup_name).
 *
 * libcgroup 2.0 does less than it says and drops errnos, so each of these looks at what came of it, and does
 * it through the door when nothing did: that gives the errno too. */

/* Makes a cgroup and what is missing above it, one level at a time (libcgroup 2.0.2 fails at "a/b" when the
 * root's cgroup.subtree_control is empty), with the controllers (a NULL-terminated list, or NULL) enabled in
 * every level above the last. Owners change only where `owner` says so: of the directory and of the files in
 * /sys/kernel/cgroup/delegate. What was made and enabled is undone when it fails. 0 also when it exists
 * already. CGPOL_UNSUPPORTED names the cgroup that does not have a controller to give. */
int cgroupfs_create(struct cgroupfs *fs, const char *name, const char *const *controllers,
		    const struct cgroupfs_owner *owner, struct cgpol_error *err);
/* Moves a process, with all its threads. Read back from /proc/PID/cgroup. */
int cgroupfs_attach(struct cgroupfs *fs, const char *name, pid_t pid, struct cgpol_error *err);
/* Removes a cgroup and those below it, deepest first. Waits up to a second for processes that are dead and
 * not yet gone. -EBUSY with the living processes named, and nothing removed; never moves any. -ENOENT. */
int cgroupfs_delete(struct cgroupfs *fs, const char *name, struct cgpol_error *err);
/* Removes this one cgroup and none below it. -EBUSY or -ENOTEMPTY, and nothing is removed, while it has
 * cgroups or processes, dying ones too; -EINVAL for the root; -ENOENT. */
int cgroupfs_remove(struct cgroupfs *fs, const char *name);

/* libcgroup's ECG number as an errno; `last` is its cgroup_get_last_errno(). 0 for 0. */
int cgroupfs_errno(int code, int last);

/* The three by pointer, for those who are given a cgroupfs or none: so a program that never opens one (cgpol
 * run, linked statically) is not linked with what opens it. */
struct cgroupfs_hands {
	int (*create)(struct cgroupfs *fs, const char *name, const char *const *controllers,
		      const struct cgroupfs_owner *owner, struct cgpol_error *err);
	int (*attach)(struct cgroupfs *fs, const char *name, pid_t pid, struct cgpol_error *err);
	int (*remove)(struct cgroupfs *fs, const char *name);
};

static inline const struct cgroupfs_hands *cgroupfs_hands(const struct cgroupfs *fs)
{
	return (const struct cgroupfs_hands *)fs;
}

static inline void cgroupfs_close_p(struct cgroupfs **fs)
{
	cgroupfs_close(*fs);
}

#endif
