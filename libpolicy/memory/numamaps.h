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
	uint64_t bytes[NUMA_KINDS]; /* mapped here; shared pages count whole in each process that maps them */
	uint64_t freed; /* what goes back when this process alone dies: anonymous memory and huge pages, and
			   shared memory that has no name any more and that nobody else maps (mapmax=1) */
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

/* The task policy of the thread whose numa_maps this is the beginning of. The column shows a mapping's own
 * policy where it has one and the task's policy everywhere else (fs/proc/task_mmu.c show_numa_map), so
 * mappings that programs do not mbind(2) are asked first: the text of the program, the stack. *mixed tells
 * that mappings disagree: then the answer is likely, not sure. -ENODATA when no line is usable. */
int numamaps_task_policy(const char *head, struct mempolicy *policy, bool *mixed);

#endif
