/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The NUMA nodes of a machine: which exist, what they have, how their zones stand. */
#ifndef CGPOL_HOST_TOPOLOGY_H
#define CGPOL_HOST_TOPOLOGY_H

#include "base/nodeset.h"
#include "host/host.h"

struct topology_zone {
	char name[16];	/* "DMA32", "Normal", "Movable" */
	unsigned index; /* position of the zone type: protection[] is indexed by it */
	uint64_t free, min, present, managed, pcp; /* pages; pcp: on the per-cpu lists, not part of free */
	uint64_t low, high;	/* watermarks in pages as zoneinfo has them, the boost included, like min */
	uint64_t boost;		/* pages that fragmentation adds to all three for a while; 0 before 5.14 */
	uint64_t protection[8]; /* lowmem_reserve by the allocation's zone index */
	unsigned protections;
};

struct topology_node {
	unsigned id;
	struct nodeset cpus;	   /* online ones: cpulist, or cpumap of kernels without it */
	uint64_t present;	   /* pages, all zones */
	uint64_t file;		   /* reclaimable page cache in pages: nr_inactive_file + nr_active_file */
	uint64_t slab_reclaimable; /* pages */
	struct topology_zone *zone;
	size_t zones;
	unsigned *distance; /* by index of `node`, online nodes in ascending order; NULL when absent or
			       malformed */
	size_t distances;
	bool is_distance_bad; /* there is a text, but not of one number for each online node */
};

struct topology {
	struct nodeset online, memory, cpu; /* nodes; memory: N_MEMORY */
	struct topology_node *node;	    /* online nodes, ascending by id */
	size_t nodes;
	unsigned movable; /* zone index of ZONE_MOVABLE, normal: of ZONE_NORMAL; 0 without zones */
	unsigned normal;
};

/* A machine without /sys/devices/system/node (no CONFIG_NUMA) is one node 0. Without /proc/zoneinfo the nodes
 * have no zones. A malformed list or zoneinfo: CGPOL_FAILED. */
int topology_read(struct cgpol_host *host, struct topology *topology, struct cgpol_error *err);
/* Only the online nodes with memory, for callers who need no more: two small files on most machines. */
int topology_read_memory(struct cgpol_host *host, struct nodeset *memory, struct cgpol_error *err);
/* The online nodes alone, by the file or, on kernels without it, the directories; {0} without either. Adds to
 * the set; -errno with a sentence for a malformed list, without one for the rest. */
int topology_read_online(struct cgpol_host *host, struct nodeset *online, struct cgpol_error *err);
/* The nodes that may ever come (node/possible). Without the file the set stays as it is. */
int topology_read_possible(struct cgpol_host *host, struct nodeset *possible, struct cgpol_error *err);
/* /proc/zoneinfo into nodes that are there already, whose zones it replaces; adds those that are missing.
 * Pure. -EINVAL and no change when it is malformed. */
int topology_parse_zoneinfo(const char *text, struct topology *topology);
struct topology_node *topology_find(const struct topology *topology, unsigned id);
void topology_clear(struct topology *topology);

#endif
