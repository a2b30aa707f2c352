/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One cgroup as values: its limits and usage, its children, its members. */
#ifndef CGPOL_HOST_CGROUP_H
#define CGPOL_HOST_CGROUP_H

#include "base/nodeset.h"
#include "host/host.h"

/* Checks a cgroup argument (a path below the cgroup2 mount, "/web/db" and "web/db" alike) and
 * returns it with one leading slash; the caller frees it. "..", empty parts, newlines and a leading "-" are
 * CGPOL_USAGE. "/" is the root. */
int cgroup_name(const char *argument, char **name, struct cgpol_error *err);
/* The path of a file of a cgroup, below the root; file NULL gives the directory. NULL when memory is short.
 */
char *cgroup_path(const struct cgpol_host *host, const char *name, const char *file);
/* The v2 cgroup in the text of /proc/PID/cgroup, relative to the mount; the caller frees it. -ENOENT when
 * there is no "0::" line; -EXDEV when it lies outside the mounted part ("/.." or another subtree). */
int cgroup_of_text(const struct cgpol_host *host, const char *text, char **name);

struct cgroup_memory {
	bool has_controller; /* memory.current exists: this cgroup has a memory css of its own; for the root,
				which has no such file: the host has the controller */
	uint64_t max,
		swap_max; /* bytes, UINT64_MAX is no limit (and the answer where swap is not accounted) */
	uint64_t current, swap_current; /* bytes, with all descendants */
	uint64_t file; /* reclaimable page cache: inactive_file + active_file of memory.stat */
	uint64_t anon; /* anon of memory.stat */
	uint64_t shmem;
	uint64_t slab_reclaimable;
	bool oom_group;
};
/* Reads a cgroup's memory files. Missing optional ones count as unlimited or 0. -ENOENT when the cgroup is
 * gone. */
int cgroup_read_memory(struct cgpol_host *host, const char *name, struct cgroup_memory *memory,
		       struct cgpol_error *err);
/* Only what decides kill sets: has_controller and oom_group; the rest is 0. */
int cgroup_read_oom_group(struct cgpol_host *host, const char *name, struct cgroup_memory *memory);
/* cpuset.mems.effective of the cgroup, or of the nearest ancestor that has one. -ENOENT when none has. */
int cgroup_read_mems(struct cgpol_host *host, const char *name, struct nodeset *mems);
int cgroup_inode(struct cgpol_host *host, const char *name, uint64_t *inode);
/* Names of the children (full, with the leading slash), in the order of their creation (inode). */
int cgroup_children(struct cgpol_host *host, const char *name, char ***names, size_t *count);
/* 1 when there are cgroups below it, 0 when there is none, or -errno. */
int cgroup_has_children(struct cgpol_host *host, const char *name);
/* cgroup.procs in the kernel's order, without those outside the reader's pid namespace, which the kernel
 * prints as 0. -EOPNOTSUPP for a threaded cgroup. */
int cgroup_procs(struct cgpol_host *host, const char *name, pid_t **pids, size_t *count);

#endif
