/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which limit ends first for an allocation: the constraint of the OOM, its nodes or cgroup, and the headroom.
 */
#ifndef CGPOL_MEMORY_DOMAIN_H
#define CGPOL_MEMORY_DOMAIN_H

#include "memory/oom.h"

/* Fills in the domain (give it back with domain_clear). The order of the rules is mm/oom_kill.c
 * constrained_alloc(); which limit ends first is an estimate from free pages, watermarks and memory.max.
 * -EINVAL with a sentence when a constraint is forced that needs nodes or a limit the trigger does not have.
 */
int domain_find(const struct oom_snapshot *snapshot, const struct oom_question *question,
		struct oom_domain *domain, struct cgpol_error *err);
void domain_clear(struct oom_domain *domain);

/* What the allocation can still take from one node: free pages above the watermarks, and page cache. */
uint64_t domain_node_room(const struct oom_domain *domain, const struct topology_node *node);

/* The memory css a cgroup's tasks belong to: itself or the nearest ancestor with the memory controller. */
size_t domain_css(const struct oom_snapshot *snapshot, size_t memcg);
bool domain_is_below(const struct oom_snapshot *snapshot, size_t memcg, size_t ancestor);
/* Does a mapping's own policy govern the page, and not the task's? */
bool domain_has_own_policy(const struct oom_question *question);

#endif
