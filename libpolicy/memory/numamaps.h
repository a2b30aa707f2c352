/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/numa_maps: bytes by node and kind, what a death would free, and the thread's own policy. Pure. */
#ifndef CGPOL_MEMORY_NUMAMAPS_H
#define CGPOL_MEMORY_NUMAMAPS_H

#include <stddef.h>
#include <stdint.h>

#include "memory/mempolicy.h"

enum numa_kind { NUMA_ANON, NUMA_FILE, NUMA_SHMEM, NUMA_HUGE, NUMA_KINDS };

struct numamaps_node {
	unsigned id;
	/* Mapped here; shared pages count whole in each process that maps them. Where a private mapping of a
	 * file holds both its pages and anonymous copies, the copies are spread over the nodes like all its
	 * pages. */
	uint64_t bytes[NUMA_KINDS];
	/* What goes back to the page allocator when this process alone dies, a lower bound: anonymous memory,
	 * and shared memory that has no name any more, of mappings of which no page is mapped twice (mapmax
	 * absent or 1). Not hugetlb: its pages go back to their pool, where an allocation of base pages
	 * cannot use them. */
	uint64_t freed;
	/* Anonymous memory of the other mappings. mapmax is the greatest count of a mapping, so one page that
	 * a fork(2) still shares hides how many are not; see numamaps_settle. */
	uint64_t unsure;
};

struct numamaps {
	struct numamaps_node *node; /* ascending by id; only nodes that are named */
	size_t nodes;
	uint64_t malformed; /* lines that could not be used */
};

/* What the kernel's text cannot tell by itself. */
struct numamaps_context {
	uint64_t page_size;	 /* bytes of a base page */
	uint64_t huge_page_size; /* for huge lines without kernelpagesize_kB (before 3.15): Hugepagesize of
				    meminfo */
	const char *mountinfo;	 /* text of /proc/self/mountinfo, to know tmpfs files; may be NULL */
};

int numamaps_parse(const char *text, const struct numamaps_context *context, struct numamaps *maps);
void numamaps_clear(struct numamaps *maps);
/* Moves to `freed` what is surely not shared, when at most `shared` bytes of the anonymous memory are mapped
 * by others too (proc_read_shared_anon): all that is shared lies in mappings with a mapmax above 1, so that
 * the rest of `unsure` is private. It is taken from the nodes in proportion to their `unsure`, in whole
 * pages, rounded down: of all nodes together `freed` stays a lower bound, of one node it becomes an estimate.
 */
void numamaps_settle(struct numamaps *maps, uint64_t shared, uint64_t page_size);

/* The mount points of a mountinfo, for those who parse many numa_maps. They point into its text. */
struct numamaps_mount {
	struct span point;
	bool is_memory; /* tmpfs and its like: files there are shared memory, not page cache */
};
struct numamaps_mounts {
	struct numamaps_mount *mount; /* sorted; one for each mount point, the one that covers the others */
	size_t count, room, longest;
};
int numamaps_mounts_parse(const char *mountinfo, struct numamaps_mounts *mounts); /* 0 or -ENOMEM */
void numamaps_mounts_clear(struct numamaps_mounts *mounts);
/* numamaps_parse with the mounts prepared; context->mountinfo is not looked at. */
int numamaps_parse_mounted(const char *text, const struct numamaps_context *context,
			   const struct numamaps_mounts *mounts, struct numamaps *maps);

/* The task policy of the thread whose numa_maps this is the beginning of. The column shows a mapping's own
 * policy where it has one and the task's policy everywhere else (fs/proc/task_mmu.c show_numa_map), so
 * mappings that programs do not mbind(2) are asked first: the text of the program, then the stack. *mixed
 * tells that mappings disagree: then the answer is likely, not sure. -ENODATA when no line is usable. */
int numamaps_task_policy(const char *head, struct mempolicy *policy, bool *mixed);

#endif
