/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Will the kernel take this memory policy, these cpus and this score? Asked before anything is started. Pure.
 */
#ifndef CGPOL_ACT_PREFLIGHT_H
#define CGPOL_ACT_PREFLIGHT_H

#include "memory/mempolicy.h"

/* Everything is borrowed. */
struct preflight {
	/* What is wanted. */
	const struct mempolicy *policy;	 /* NULL: leave it */
	const struct nodeset *cpus;	 /* affinity; NULL: leave it */
	const struct nodeset *cpu_nodes; /* the nodes whose cpus those are, for the sentences; or NULL */
	const int *oom_score_adj;	 /* NULL: leave it */
	bool intersect;			 /* clip to what is there instead of refusing */

	/* What is there. */
	struct nodeset possible_nodes, online_nodes;
	struct nodeset memory_nodes; /* N_MEMORY: /sys/devices/system/node/has_memory */
	struct nodeset mems_allowed; /* effective nodes of the cgroup the command will run in */
	struct nodeset possible_cpus, online_cpus;
	struct nodeset isolated_cpus; /* isolcpus=: the scheduler does not balance there */
	struct nodeset cpus_allowed;  /* effective cpus of that cgroup */
	const char *mems_from;	      /* the cgroup whose cpuset.mems narrows mems_allowed; NULL: none does */
	const char *cpus_from;
	unsigned major, minor; /* of the kernel */
	bool is_proven; /* the kernel was asked and has the policy's mode: its version does not matter */
	bool has_sys_resource; /* CAP_SYS_RESOURCE in the initial user namespace */
	/* The lowest score that may be set without that capability. The kernel keeps it (oom_score_adj_min of
	 * fs/proc/base.c __set_oom_adj) and shows it nowhere: it is what a capable process set last, and
	 * never above the present score. A good guess is the present score where that is negative, else 0. */
	int adj_min;
};

/* What the kernel will make of the policy: its nodes after the cpuset and the flags (mm/mempolicy.c
 * mpol_set_nodemask, mpol_relative_nodemask), the first of them for preferred. Strict: every node must be
 * allowed and have memory, unless `intersect`, or static or relative, whose rules are the kernel's own. The
 * kinds: CGPOL_USAGE for what no kernel takes (flags that exclude each other, a node that does not exist),
 * CGPOL_UNSUPPORTED for what this one does not (a later mode or flag, nodes without memory or outside the
 * cpuset, an empty rest). `effective` is replaced on success; no policy gives the default one. */
int preflight_policy(const struct preflight *preflight, struct mempolicy *effective, struct cgpol_error *err);
/* The cpus that the affinity will have. Refused are, each with its own reason, cpus that do not exist, are
 * offline, or lie outside the cpuset; with `intersect` they are left out. `effective` is replaced on success
 * (the empty set when no affinity is wanted); `warning` ("" for none) tells of isolated cpus. */
int preflight_cpus(const struct preflight *preflight, struct nodeset *effective, char *warning, size_t size,
		   struct cgpol_error *err);
/* -1000..1000 (CGPOL_USAGE); less than adj_min needs CAP_SYS_RESOURCE (CGPOL_FAILED, -EACCES). */
int preflight_adj(const struct preflight *preflight, struct cgpol_error *err);

#endif
