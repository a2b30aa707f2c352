/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cpus and nodes that a command will be able to use, read for act/preflight.h. */
#ifndef CGPOL_ACT_PLACES_H
#define CGPOL_ACT_PLACES_H

#include "act/preflight.h"
#include "host/host.h"

/* Zero-initialised it is nothing. Sets that were not read are empty. */
struct places {
	struct nodeset possible_nodes, online_nodes, memory_nodes, mems_allowed;
	struct nodeset possible_cpus, online_cpus, isolated_cpus, cpus_allowed;
	char *mems_from, *cpus_from; /* the cgroup that narrows; NULL: none does, or it is not known */
	bool has_sys_resource;
	int adj_min;
};

/* Where the command will run: a cgroup, which need not exist yet, with its future cpuset; or NULL for the
 * caller's own one. A set that is not requested is NULL. */
struct place {
	const char *cgroup;
	const struct nodeset *mems, *cpus;
};

/* Only the nodes, only the cpus, only the score: what is not asked for costs nothing. Where cgroup v2 has no
 * cpuset, Mems_allowed of the caller holds, and all online cpus: the kernel then says what it refuses. */
int places_read_nodes(struct cgpol_host *host, const struct place *place, struct places *places,
		      struct cgpol_error *err);
int places_read_cpus(struct cgpol_host *host, const struct place *place, struct places *places,
		     struct cgpol_error *err);
int places_read_adj(struct cgpol_host *host, struct places *places, struct cgpol_error *err);
/* The effective sets of a cgroup that exists, for struct spawn. -ENOENT where cgroup v2 has no cpuset, and
 * where it can be left to the kernel: since 6.4 a child that is cloned into a cgroup has its cpuset. */
int places_read_effective(struct cgpol_host *host, const char *cgroup, struct nodeset *mems,
			  struct nodeset *cpus);
/* Has the kernel been asked for this mode and its balancing (host/probe.h), and does it have them?
 * Distributions carry them back to older versions. */
bool places_prove(struct cgpol_host *host, const struct mempolicy *policy);
/* Lends the sets to a preflight. */
void places_lend(const struct places *places, struct preflight *preflight);
void places_clear(struct places *places);

#endif
