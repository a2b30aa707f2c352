/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of cpus or nodes for one cgroup, from any form that people write it in. */
#ifndef CGPOL_POLICY_CHOICE_H
#define CGPOL_POLICY_CHOICE_H

#include "policy/placement.h"

/* What is chosen, and for whom. Everything is borrowed. */
struct choice {
	const char *what;   /* "cpuset.mems": for the sentences */
	const char *cgroup; /* need not exist yet */
	bool is_cpus;	    /* cpus; else nodes */
	/* The cpus that the cgroup is to have ("of-cpus", "max-dist:"); NULL: those that it has now, or will
	   get from its parent. */
	const struct nodeset *cpus;
};

/* Turns the value of a list setting into the kernel's list; the caller frees it. Plain lists pass as they
 * are: whether they can hold is another's question (policy/wanted.h). All forms of placement.h: "all",
 * "none", "!LIST", "+LIST", masks, devices; for nodes also "has-cpu", "has-mem", "cpu-less", "local" (the
 * node of the calling cpu), "max-dist:N" (no farther than N from a node of the cgroup's cpus), "tier:N"
 * (memory tiers), "of-cpus" (the nodes of the cgroup's cpus); for cpus "nodes:0,1" (those of the nodes, which
 * may be any of these forms). "&" joins forms that are all to hold. Relative to what the cgroup's parent (the
 * nearest that exists) has in effect. "same": what the cgroup has now. CGPOL_USAGE, CGPOL_FAILED (no such
 * device), CGPOL_UNSUPPORTED (an empty result, tiers unknown to the kernel). */
int choice_make(struct cgpol_host *host, const struct choice *choice, const char *text, char **list,
		struct cgpol_error *err);
/* The same without cpus that are still to come. */
int choice_resolve(struct cgpol_host *host, const char *cgroup, bool is_cpus, const char *what,
		   const char *text, char **list, struct cgpol_error *err);

#endif
