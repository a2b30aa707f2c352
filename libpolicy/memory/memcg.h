/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups a forecast needs: those that processes live in, with their ancestors, and the walk of an OOM
 * domain. */
#ifndef CGPOL_MEMORY_MEMCG_H
#define CGPOL_MEMORY_MEMCG_H

#include "host/host.h"
#include "memory/oom.h"

struct memcg_list {
	struct oom_memcg *group; /* [0] is the root; parents before children; names are owned */
	size_t groups;
	size_t name_bytes;
	bool is_incomplete; /* memory.oom.group of one could not be read */
	void *index;	    /* tsearch(3) tree by name */
};

/* Makes the list with the root in it. */
int memcg_list_init(struct memcg_list *list);
void memcg_list_clear(struct memcg_list *list);
/* The index of a cgroup, which is added with its ancestors when it is new. */
int memcg_list_add(struct memcg_list *list, const char *name, size_t *index);
/* Reads memory.oom.group of all, which also tells who has a memory css of its own. One that is gone has none.
 */
int memcg_read_groups(struct cgpol_host *host, struct memcg_list *list);
/* Reads the limits and usage of a cgroup and its ancestors. -ENOENT when the cgroup itself is gone. */
int memcg_read_path(struct cgpol_host *host, struct memcg_list *list, size_t index, struct cgpol_error *err);

/* One process of a walk. */
struct memcg_member {
	pid_t pid;
	uint64_t place;
};
/* The processes below a cgroup in the order in which a memcg OOM scans them: pre-order, children as they were
 * made, each cgroup in the order of cgroup.procs (kernel/cgroup/cgroup.c css_task_iter). Sorted by pid; the
 * caller frees it. A threaded cgroup has no such order: its processes are left out. */
int memcg_walk(struct cgpol_host *host, const char *name, struct memcg_member **member, size_t *members);

#endif
