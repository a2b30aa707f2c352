/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each node in detail: meminfo, huge pages by size, watermarks, tier. */
#ifndef CGPOL_HOST_NODEMEM_H
#define CGPOL_HOST_NODEMEM_H

#include "host/host.h"
#include "host/topology.h"

/* What a figure is that the kernel does not give; no real one is that large. */
#define NODEMEM_ABSENT UINT64_MAX

/* The lines of a node's meminfo (drivers/base/node.c node_read_meminfo) that have a name of ours. */
enum nodemem_field {
	NODEMEM_TOTAL,
	NODEMEM_FREE,
	NODEMEM_USED, /* total - free, as the kernel has it: page cache is used */
	NODEMEM_SWAP_CACHED,
	NODEMEM_ACTIVE,
	NODEMEM_INACTIVE,
	NODEMEM_ACTIVE_ANON,
	NODEMEM_INACTIVE_ANON,
	NODEMEM_ACTIVE_FILE,
	NODEMEM_INACTIVE_FILE,
	NODEMEM_UNEVICTABLE,
	NODEMEM_MLOCKED,
	NODEMEM_DIRTY,
	NODEMEM_WRITEBACK,
	NODEMEM_FILE, /* FilePages: the page cache, with shmem and the swap cache */
	NODEMEM_MAPPED,
	NODEMEM_ANON,
	NODEMEM_SHMEM,
	NODEMEM_KERNEL_STACK,
	NODEMEM_PAGE_TABLES,
	NODEMEM_KERNEL_RECLAIMABLE, /* since 4.20: slab_reclaimable and more */
	NODEMEM_SLAB,
	NODEMEM_SLAB_RECLAIMABLE,
	NODEMEM_SLAB_UNRECLAIMABLE,
	NODEMEM_ANON_HUGE, /* transparent huge pages */
	NODEMEM_SHMEM_HUGE,
	NODEMEM_FILE_HUGE,
	NODEMEM_FIELDS
};

/* A line that no member stands for, by the kernel's name: visible ASCII, shorter than the array. */
struct nodemem_other {
	char name[64];
	uint64_t value; /* bytes where the line says kB, else the number as it is */
};

/* hugetlb pages of one size. The counts are pages of that size, or NODEMEM_ABSENT. */
struct nodemem_huge {
	uint64_t size; /* bytes */
	uint64_t total, free, surplus;
};

/* How fast the fastest initiator reaches the node's memory (access0/initiators, from the firmware's HMAT,
 * since 5.2): MB/s and nanoseconds. */
enum nodemem_speed {
	NODEMEM_READ_BANDWIDTH,
	NODEMEM_WRITE_BANDWIDTH,
	NODEMEM_READ_LATENCY,
	NODEMEM_WRITE_LATENCY,
	NODEMEM_SPEEDS
};

struct nodemem_node {
	unsigned id;
	uint64_t field[NODEMEM_FIELDS]; /* bytes, each maybe NODEMEM_ABSENT, like all that follow */
	struct nodemem_other *other;
	size_t others;
	uint64_t available;	   /* bytes: see nodemem_available() */
	uint64_t min, low, high;   /* bytes, watermarks of all its zones together */
	struct nodemem_huge *huge; /* ascending by size */
	size_t huges;
	bool has_huge; /* the kernel tells huge pages of this node, if only that there is no size */
	int tier;      /* memory tier (since 6.1), the lower the faster; -1: none is told */
	uint64_t speed[NODEMEM_SPEEDS];
};

/* A file that is there but could not be read, or not wholly understood. */
struct nodemem_trouble {
	char *path;
	int code; /* positive errno; EINVAL: not understood */
};

struct nodemem {
	struct topology topology;  /* of the online nodes */
	struct nodeset possible;   /* all that may come, the online ones included */
	struct nodemem_node *node; /* as topology.node: the same nodes, in the same order */
	size_t nodes;
	struct nodemem_trouble *trouble;
	size_t troubles;
};

/* Reads everything. Where node/ is missing, the machine is one node 0 with the figures of /proc/meminfo and
 * /sys/kernel/mm/hugepages. Files that are missing leave their figures absent. When nodes came or went
 * meanwhile it reads again, a few times. -ENOMEM; CGPOL_FAILED as topology_read(). nodemem_clear() gives
 * back. */
int nodemem_read(struct cgpol_host *host, struct nodemem *nodemem, struct cgpol_error *err);
void nodemem_clear(struct nodemem *nodemem);

/* Makes all figures of a node absent. */
void nodemem_init(struct nodemem_node *node);
/* Takes the lines of node<id>/meminfo ("Node 0 MemTotal: 8064400 kB") or, without the first two words, of
 * /proc/meminfo. HugePages_ lines are left out: they are of the default size only. *odd counts the lines that
 * are nothing of the kind. Pure. 0 or -ENOMEM; nodemem_clear_node() gives back. */
int nodemem_parse(const char *text, struct nodemem_node *node, size_t *odd);
void nodemem_clear_node(struct nodemem_node *node);

/* What could be allocated on the node without swapping, in bytes, by the kernel's rule for MemAvailable
 * (mm/show_mem.c si_mem_available()) with the node's own figures: free pages, less those kept from user space
 * (nodemem_reserve()), and of the page cache and of what is reclaimable in the kernel the part that is not
 * needed: of each at least half, and all but the low watermark. Not below 0. The sum over nodes is therefore
 * MemAvailable or somewhat more. Absent without zones or without the figures. */
uint64_t nodemem_available(const struct nodemem_node *node, const struct topology_node *zones,
			   uint64_t page_size);
/* Pages that the kernel keeps from user space (mm/page_alloc.c calculate_totalreserve_pages(), a sum over
 * nodes): of each zone its high watermark and the largest reserve against allocations meant for higher zones,
 * at most all. */
uint64_t nodemem_reserve(const struct topology_node *zones);
/* Bytes of all huge pages of a node, or of the free ones; NODEMEM_ABSENT when that is not known. */
uint64_t nodemem_huge_bytes(const struct nodemem_node *node, bool only_free);

#endif
