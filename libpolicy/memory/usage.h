/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory by process, cgroup and node at one instant. */
#ifndef CGPOL_MEMORY_USAGE_H
#define CGPOL_MEMORY_USAGE_H

#include "base/nodeset.h"
#include "host/host.h"
#include "host/proc.h"

enum usage_kind { USAGE_ANON, USAGE_FILE, USAGE_SHMEM, USAGE_HUGE, USAGE_KERNEL, USAGE_KINDS };

struct usage_node {
	unsigned id;
	uint64_t bytes[USAGE_KINDS];
	uint64_t total;
};

struct usage_row {
	pid_t pid;		 /* 0: the row is a cgroup */
	char *name;		 /* comm (raw bytes) or cgroup path */
	struct usage_node *node; /* ascending by id; every online node with memory is there, or none */
	size_t nodes;
	int denied; /* 0, or why numa_maps may not be read, -EACCES or -EPERM: the sums are those of status,
		       and no node is there unless just one has memory */
	uint64_t bytes[USAGE_KINDS]; /* sums over the nodes */
	uint64_t total;		     /* sum of bytes[] */
	uint64_t swap;		     /* bytes; not part of total */
	bool has_swap;		     /* false where swap is not accounted */
};

struct usage_source; /* what every row needs of the machine, read once */

struct cgpol_usage {
	struct usage_row *row;
	size_t rows;
	struct nodeset nodes; /* all nodes that any row names */
	size_t vanished;      /* processes and cgroups that went away while they were read */
	size_t unreadable;    /* processes of scans that cannot be read, or not by node */
	size_t forbidden;     /* those of them that lack permission: numa_maps needs that of ptrace */
	bool hides;	      /* a scan did not see every process: hidepid, or a pid namespace */
	size_t others;	      /* processes without memory of their own: kernel threads, zombies */
	struct usage_source *source;
};

int usage_new(struct cgpol_usage **usage);
/* Adds one named process. Gone, or not readable: -ESRCH or -EACCES with the sentence (CGPOL_FAILED); where
 * only the nodes cannot be read, its row of totals is added all the same. A process without memory (kernel
 * thread, zombie) gives a row of zeros. */
int usage_add_process(struct cgpol_host *host, struct cgpol_usage *usage, pid_t pid, struct cgpol_error *err);
/* Adds every process but the reader whose comm matches one of the extended regular expressions (all when
 * there is none), largest total first; what cannot be read is counted. A malformed expression is CGPOL_USAGE,
 * a /proc without any process CGPOL_FAILED.
 */
int usage_add_matching(struct cgpol_host *host, struct cgpol_usage *usage, char *const *patterns,
		       size_t count, struct cgpol_error *err);
/* Adds a cgroup and its descendants, parents first, siblings in the order of their creation, from
 * memory.numa_stat (bytes on v2). `name` is an argument for cgroup_name. Descendants without the memory
 * controller have no row: their memory is their ancestor's. Gone: CGPOL_FAILED; without the controller:
 * CGPOL_UNSUPPORTED. */
int usage_add_cgroup(struct cgpol_host *host, struct cgpol_usage *usage, const char *name,
		     struct cgpol_error *err);

/* Pure: memory.numa_stat text to nodes; unknown keys are not counted and never an error. HUGE is hugetlb and
 * not in this file; anon_thp and the like are parts of anon and not added again; shmem is a part of file and
 * taken out of it. */
int usage_parse_numa_stat(const char *text, struct usage_row *row);

#endif
