/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroups as rows of a tree: limits, type, partition, nodes, mark, and how many live there. */
#ifndef CGPOL_POLICY_SHAPE_H
#define CGPOL_POLICY_SHAPE_H

#include "host/host.h"
#include "host/mark.h"

/* What is read of each: a file or two for each part. */
enum shape_part {
	SHAPE_TYPE = 1,
	SHAPE_PROCS = 2,
	SHAPE_CURRENT = 4,
	SHAPE_MAX = 8,
	SHAPE_HIGH = 16,
	SHAPE_GROUP = 32,
	SHAPE_PARTITION = 64,
	SHAPE_CPUS = 128,
	SHAPE_MEMS = 256,
	SHAPE_MARK = 512,
	SHAPE_ALL = 1023,
};

/* NULL, and false in `has`, is what was not asked for, cannot be read, or is not there: the controller is not
 * enabled, or it is the root. */
struct shape {
	char *name; /* full, with the leading slash */
	unsigned depth;
	bool is_root;		     /* of the hierarchy: it has no cgroup.type */
	unsigned has;		     /* enum shape_part, for the members that are no pointers */
	char *type;		     /* cgroup.type */
	size_t procs;		     /* of its own */
	uint64_t current, max, high; /* bytes; UINT64_MAX: no limit */
	bool oom_group;
	const char *
		oom_group_from; /* the highest cgroup above that has it, or NULL; lives as long as the rest */
	char *partition;	/* cpuset.cpus.partition, with the kernel's reason where it is invalid */
	char *cpus, *mems;	/* effective lists */
	struct mark mark;
};

/* Zero-initialised it is empty. Give it back with shapes_clear. */
struct shapes {
	struct shape *shape; /* each right before all that is below it; siblings by name */
	size_t count;
	size_t vanished; /* cgroups that went away while they were read: they are left out */
	char *above;	 /* the highest cgroup above the first that has memory.oom.group */
};

/* Reads a cgroup and all below it down to `depth` levels (UINT_MAX: all). A directory without children is
 * known by its link count and not listed, and files of controllers that a cgroup does not have are not tried.
 * CGPOL_FAILED (-ENOENT) when the cgroup itself is gone. */
int shapes_read(struct cgpol_host *host, const char *cgroup, unsigned depth, unsigned parts,
		struct shapes *shapes, struct cgpol_error *err);
void shapes_clear(struct shapes *shapes);
/* "run", "kept", "parent", or NULL for none. */
const char *shape_mark_name(enum mark_kind kind);

#endif
