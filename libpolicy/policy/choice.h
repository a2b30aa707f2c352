/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of cpus or nodes for one cgroup, from any form that people write it in. */
#ifndef CGPOL_POLICY_CHOICE_H
#define CGPOL_POLICY_CHOICE_H

#include "policy/placement.h"

/* Turns the value of a list setting ("cpuset.mems") into the kernel's list; the caller frees it. Plain lists
 * pass as they are. All forms of placement.h: "all", "none", "!LIST", "+LIST", masks, devices; for nodes also
 * "has-cpu", "has-mem", "cpu-less", "local" (the node of the calling cpu), "max-dist:N" (no farther than N
 * from a node of the cgroup's cpus), "tier:N" (memory tiers), "of-cpus" (the nodes of the cgroup's cpus),
 * joined by "&" where several are to hold; for cpus "nodes:0,1" (those of the nodes). Relative to what the
 * cgroup's parent (the nearest that exists) has in effect. "same": what the cgroup has now. CGPOL_USAGE,
 * CGPOL_UNSUPPORTED (an empty result, tiers unknown to the kernel). */
int choice_resolve(struct cgpol_host *host, const char *cgroup, bool is_cpus, const char *what,
		   const char *text, char **list, struct cgpol_error *err);

#endif
