/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree behind fakecgroup.h, for those files that hold its rules. */
#ifndef CGPOL_TEST_FAKETREE_H
#define CGPOL_TEST_FAKETREE_H

#include <stdlib.h>

#include "fakecgroup.h"
#include "fakevalue.h"

enum { XATTRS_MAX = 4, PROCESSES_MAX = 64 };

struct xattr {
	char *name, *value;
};

struct cgroup {
	char *name; /* of its directory; "" for the root */
	struct cgroup *parent, *child, *next;
	unsigned subtree; /* subtree_control: bits by fakevalue_controllers */
	bool is_threaded;
	char *value[FAKEVALUE_FILES_MAX]; /* by fakevalue_table; NULL: not written yet, or no such file here
					   */
	pid_t pid[PROCESSES_MAX];
	size_t pids;
	struct xattr xattr[XATTRS_MAX];
	uint64_t inode;
};

struct cgroup_tree {
	struct cgroup root;
	unsigned available;
	uint64_t inodes;
	struct fakecgroup_machine machine;
};

/* A test that runs out of memory has nothing to say. */
static inline void *faketree_must(void *p)
{
	if (!p)
		abort();
	return p;
}

static inline void faketree_check(bool is_true)
{
	if (!is_true)
		abort();
}

const char *faketree_value(const struct cgroup *cgroup, const char *name);
/* The controllers that it has, as bits. */
unsigned faketree_controllers(const struct cgroup_tree *tree, const struct cgroup *cgroup);
bool faketree_is_populated(const struct cgroup *cgroup);

#endif
