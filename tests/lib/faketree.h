/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree behind fakecgroup.h, for those files that hold its rules. */
#ifndef CGPOL_TEST_FAKETREE_H
#define CGPOL_TEST_FAKETREE_H

#include <stdlib.h>

#include "fakecgroup.h"
#include "fakevalue.h"

enum { XATTRS_MAX = 4, THREADS_MAX = 32, FAKEMEMORY_NODES = 4 };

struct xattr {
	char *name, *value;
};

struct owner {
	uint32_t uid, gid;
};

enum memory_event { EVENT_LOW, EVENT_HIGH, EVENT_MAX, EVENT_OOM, EVENT_OOM_KILL, EVENTS };

/* Of one cgroup alone, without those below, but for what is said. */
struct memory {
	uint64_t anon[FAKEMEMORY_NODES], file[FAKEMEMORY_NODES]; /* bytes */
	uint64_t swap, pinned;
	unsigned long events[EVENTS], local[EVENTS]; /* events: with those below */
};

struct process;

struct task {
	pid_t tid;
	struct process *process;
	struct cgroup *cgroup;	 /* of a zombie NULL when it was removed */
	uint64_t start_time;	 /* clock ticks since boot */
	struct nodeset asked;	 /* by sched_setaffinity(2); empty: never, or forgotten */
	struct nodeset asked_of; /* the cpus of its cpuset then */
};

struct process {
	pid_t pid, parent;
	char comm[16];
	int oom_score_adj, oom_score_adj_min;
	unsigned behaviour;		/* enum fakekernel_behaviour */
	struct task *task[THREADS_MAX]; /* the first is the leader */
	size_t tasks;
};

struct cgroup {
	char *name; /* of its directory; "" for the root */
	struct cgroup *parent, *child, *next;
	unsigned subtree; /* subtree_control: bits by fakevalue_controllers */
	bool is_threaded;
	char *value[FAKEVALUE_FILES_MAX]; /* by fakevalue_table; NULL: not written yet, or no such file here
					   */
	struct owner made_by, owner, file_owner[FAKEVALUE_FILES_MAX];
	struct task **task; /* that live, in order of arrival */
	size_t tasks;
	struct memory memory;
	struct xattr xattr[XATTRS_MAX];
	uint64_t inode;
};

struct cgroup_tree {
	struct cgroup root;
	unsigned available;
	uint64_t inodes, starts;
	struct fakecgroup_machine machine;
	struct process **process; /* in order of their start */
	size_t processes;
	uint64_t swap_free; /* bytes */
	unsigned oom_kills;
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
/* Sets a value past all rules; NULL: as in the beginning. */
void faketree_set_value(struct cgroup *cgroup, const char *name, const char *text);
/* The cgroup of a path, or NULL. */
struct cgroup *faketree_find(struct cgroup_tree *tree, const char *path);
/* "/a/b", "/" for the root; the caller frees it. */
char *faketree_path(const struct cgroup *cgroup);
/* The next of all cgroups at and below `top`, parents first; NULL after the last. */
struct cgroup *faketree_next(const struct cgroup *top, struct cgroup *at);
/* The controllers that it has, as bits. */
unsigned faketree_controllers(const struct cgroup_tree *tree, const struct cgroup *cgroup);
bool faketree_is_populated(const struct cgroup *cgroup);

#endif
