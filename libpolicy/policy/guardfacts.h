/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a guard needs to know of those who live in a cgroup, read when a step of a plan asks for it. */
#ifndef CGPOL_POLICY_GUARDFACTS_H
#define CGPOL_POLICY_GUARDFACTS_H

#include "base/nodeset.h"
#include "host/host.h"

/* Zero-initialised but for the host. */
struct guardfacts {
	struct cgpol_host *host;
	bool has_swap; /* swap_free was read */
	uint64_t swap_free;
};

/* Bytes. */
struct guardfacts_memory {
	uint64_t current, high; /* memory.current, memory.high (UINT64_MAX: max) */
	uint64_t cache;	    /* goes without swap: page cache that is not locked, slab that can be reclaimed */
	uint64_t anon;	    /* goes to swap only: anonymous and shared memory that is not locked */
	uint64_t swap_room; /* what of the machine's free swap it, and all above it, may use */
	bool has_reclaim;   /* memory.reclaim (5.19) */
};

/* Give it back with guardfacts_nodes_clear. */
struct guardfacts_nodes {
	bool is_populated, migrates; /* pages follow cpuset.mems: since 5.16 */
	bool has_bytes;		     /* the memory controller is enabled, so that they can be told */
	struct nodeset dropped;	     /* nodes that it has now and would lose */
	uint64_t bytes;		     /* anonymous and mapped memory on those, with all below */
};

enum { GUARDFACTS_SHOWN = 3 }; /* names that a sentence has */

struct guardfacts_threads {
	char type[32];	      /* cgroup.type of the parent; "" for the real root, where nothing changes */
	size_t others;	      /* its other children, which are no threads' */
	size_t busy;	      /* of them: with processes, or with controllers for whole processes */
	char names[160];      /* some of the busy ones, else some of the others, safe to print */
	bool has_controllers; /* the parent has controllers for whole processes enabled */
};

struct guardfacts_affinity {
	size_t threads;
	char names[160]; /* "12 (sh), 14 (make)": some of them, safe to print */
};

/* Each returns 0; -ENODATA when it cannot be told: the cgroup went away, or a file is missing or kept from
 * the reader; or -ENOMEM. */
int guardfacts_read_number(struct guardfacts *facts, const char *cgroup, const char *file, uint64_t *value);
int guardfacts_read_memory(struct guardfacts *facts, const char *cgroup, struct guardfacts_memory *memory);
/* Has the cgroup, or one below it, processes? */
int guardfacts_read_populated(struct guardfacts *facts, const char *cgroup, bool *is_populated);
/* `kept`: the nodes that it would have. What lies on nodes is read only where one is dropped under processes.
 */
int guardfacts_read_nodes(struct guardfacts *facts, const char *cgroup, const struct nodeset *kept,
			  struct guardfacts_nodes *nodes);
void guardfacts_nodes_clear(struct guardfacts_nodes *nodes);
/* Of the cgroups beside one that turns threaded. */
int guardfacts_read_threads(struct guardfacts *facts, const char *cgroup, struct guardfacts_threads *threads);
/* Threads outside the cgroup that may run on these cpus only. Reads every process. */
int guardfacts_read_affinity(struct guardfacts *facts, const char *cgroup, const struct nodeset *cpus,
			     struct guardfacts_affinity *affinity);

/* Pure: the sum of anon and file_mapped of a memory.numa_stat on these nodes. -EINVAL when a line is
 * malformed. */
int guardfacts_parse_numa_stat(const char *text, const struct nodeset *nodes, uint64_t *bytes);

#endif
