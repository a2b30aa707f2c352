/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everyone who dies with a victim, what that gives back on each node, and whether it helps. */
#ifndef CGPOL_MEMORY_KILLSET_H
#define CGPOL_MEMORY_KILLSET_H

#include "memory/oom.h"

/* The kill set of one victim: [0] is the victim, then those who share its mm, then the group of
 * memory.oom.group and who shares an mm with its members. Each process once. The caller frees it.
 * mm/oom_kill.c oom_kill_process(), __oom_kill_process(), mm/memcontrol.c mem_cgroup_get_oom_group(). */
int killset_make(const struct oom_snapshot *snapshot, const struct oom_domain *domain, size_t victim,
		 struct oom_killed **killed, size_t *kills);
/* The memcg whose memory.oom.group takes the whole group with this victim, or OOM_NOBODY. */
size_t killset_group(const struct oom_snapshot *snapshot, const struct oom_domain *domain, size_t victim);

struct killset_freed {
	uint64_t bytes;		 /* of all nodes */
	struct oom_share *share; /* by node, ascending; NULL when not known; the caller frees it */
	size_t shares;
	uint64_t held;	 /* mapped by the set, also what others map and keep */
	bool is_known;	 /* numa_maps of every mm of the set was read */
	uint64_t relief; /* pages of it that count for the domain's headroom; 0 when not known */
	enum oom_useful useful;
};

/* `grown`: pages the trigger takes until the OOM comes, when it is in the set: they are given back as well.
 * On which nodes they lie is an estimate, by the room of the nodes it may use. */
int killset_free_estimate(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
			  const struct oom_killed *killed, size_t kills, uint64_t grown,
			  struct killset_freed *freed);

#endif
