/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which limit ends first for an allocation: the constraint of the OOM, its nodes or cgroup, and the headroom.
 */
#include "memory/domain.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

/* An estimate of how many pages the trigger can still take, and how far it may be off. */
struct headroom {
	uint64_t low, likely, high;
};

/* The per-cpu stock of charged but unused pages: mm/memcontrol.c MEMCG_CHARGE_BATCH. */
enum { CHARGE_BATCH = 64 };

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

size_t domain_css(const struct oom_snapshot *snapshot, size_t memcg)
{
	while (memcg != OOM_NOBODY && !snapshot->memcg[memcg].has_memory &&
	       snapshot->memcg[memcg].parent != OOM_NOBODY)
		memcg = snapshot->memcg[memcg].parent;
	return memcg;
}

bool domain_is_below(const struct oom_snapshot *snapshot, size_t memcg, size_t ancestor)
{
	while (memcg != OOM_NOBODY) {
		if (memcg == ancestor)
			return true;
		memcg = snapshot->memcg[memcg].parent;
	}
	return false;
}

static const struct oom_thread *triggering_thread(const struct oom_snapshot *snapshot,
						  const struct oom_question *question)
{
	if (question->task == OOM_NOBODY)
		return NULL;
	const struct oom_task *task = &snapshot->task[question->task];

	return question->thread < task->threads ? &task->thread[question->thread] : NULL;
}

/* Zones above this index cannot serve the allocation: user pages may come from ZONE_MOVABLE, the kernel's own
 * may not (include/linux/gfp.h gfp_zone()). */
static unsigned highest_zone(const struct oom_snapshot *snapshot, const struct oom_question *question)
{
	return question->is_kernel ? snapshot->topology.normal : snapshot->topology.movable;
}

/* What one zone can give before its min watermark and the reserve it keeps from higher allocations end it
 * (mm/page_alloc.c __zone_watermark_ok()). */
static uint64_t zone_headroom(const struct topology_zone *zone, unsigned highest)
{
	uint64_t reserve = highest < zone->protections ? zone->protection[highest] : 0;

	if (zone->index > highest)
		return 0;
	return less(zone->free, add(zone->min, reserve));
}

/* Has the node a zone that the allocation may use? A node with nothing but ZONE_MOVABLE has none for the
 * kernel's own allocations: neither its free pages nor its page cache help them. */
static bool can_serve(const struct topology_node *node, unsigned highest)
{
	for (size_t i = 0; i < node->zones; i++)
		if (node->zone[i].index <= highest && node->zone[i].present > 0)
			return true;
	return false;
}

static uint64_t node_free(const struct topology_node *node, unsigned highest)
{
	uint64_t free = 0;

	for (size_t z = 0; z < node->zones; z++)
		free = add(free, zone_headroom(&node->zone[z], highest));
	return free;
}

uint64_t domain_node_room(const struct oom_domain *domain, const struct topology_node *node)
{
	if (!can_serve(node, domain->highest_zone))
		return 0;
	return add(node_free(node, domain->highest_zone), node->file);
}

/* The page allocator gives up only when every allowed node is exhausted, so the nodes add up. Page cache is
 * taken before that, and anonymous memory moves to swap. The sum is right to about 1 % of the nodes' memory:
 * per-cpu lists and the kernel's own needs make the interval. */
static struct headroom nodes_headroom(const struct oom_snapshot *snapshot, struct oom_domain *domain)
{
	struct headroom sum = {0};
	uint64_t free = 0, cache = 0, lists = 0, slab = 0, present = 0;

	for (size_t i = 0; i < snapshot->topology.nodes; i++) {
		const struct topology_node *node = &snapshot->topology.node[i];
		if (!nodeset_has(&domain->allowed, node->id) || !can_serve(node, domain->highest_zone))
			continue;
		free = add(free, node_free(node, domain->highest_zone));
		for (size_t z = 0; z < node->zones; z++)
			if (node->zone[z].index <= domain->highest_zone)
				lists = add(lists, node->zone[z].pcp);
		cache = add(cache, node->file);
		slab = add(slab, node->slab_reclaimable);
		present = add(present, node->present);
	}
	domain->lacks_headroom = present == 0;
	/* The per-cpu lists are drained before anything is killed (mm/page_alloc.c
	 * __alloc_pages_direct_reclaim()). */
	sum.likely = add(add(add(free, lists), cache), snapshot->swap_free);
	sum.low = less(free, present / 100);
	sum.high = add(add(sum.likely, slab), present / 100);
	return sum;
}

/* How many pages of a cgroup's memory can still go to swap: the tightest swap limit on the path, and what the
 * machine has left. With vm.swappiness 0 a memcg does not swap (mm/vmscan.c get_scan_count()). */
static uint64_t swap_headroom(const struct oom_snapshot *snapshot, size_t memcg)
{
	uint64_t left = snapshot->swap_free;

	if (snapshot->swappiness == 0)
		return 0;
	for (; memcg != OOM_NOBODY; memcg = snapshot->memcg[memcg].parent) {
		const struct oom_memcg *group = &snapshot->memcg[memcg];
		if (group->is_read && group->swap_max != OOM_UNLIMITED)
			left = min_u64(left, less(group->swap_max, group->swap_current));
	}
	return left;
}

static struct headroom memcg_headroom(const struct oom_snapshot *snapshot, size_t memcg)
{
	const struct oom_memcg *group = &snapshot->memcg[memcg];
	uint64_t stock = (uint64_t)CHARGE_BATCH * snapshot->cpus;
	uint64_t free = less(group->max, group->current);
	struct headroom room;

	room.likely = add(add(free, group->file), swap_headroom(snapshot, memcg));
	room.low = less(free, add(stock, free / 100));
	room.high = add(add(add(room.likely, group->slab), stock), room.likely / 100);
	return room;
}

static bool has_limit(const struct oom_memcg *group)
{
	return group->is_read && group->max != OOM_UNLIMITED;
}

/* The limit on the trigger's path that is reached first, the leaf-most when two are equal: try_charge() looks
 * from the leaf upward and stops at the first that is full (mm/page_counter.c page_counter_try_charge()). */
static size_t tightest_memcg(const struct oom_snapshot *snapshot, size_t leaf, struct headroom *room)
{
	size_t best = OOM_NOBODY;

	for (size_t at = domain_css(snapshot, leaf); at != OOM_NOBODY; at = snapshot->memcg[at].parent) {
		if (!has_limit(&snapshot->memcg[at]))
			continue;
		struct headroom here = memcg_headroom(snapshot, at);
		if (best == OOM_NOBODY || here.likely < room->likely) {
			best = at;
			*room = here;
		}
	}
	return best;
}

static bool may_swap_places(const struct headroom *a, const struct headroom *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/* Could another limit of the path be reached before the tightest one? */
static bool is_another_close(const struct oom_snapshot *snapshot, size_t leaf, size_t tightest,
			     const struct headroom *room)
{
	for (size_t at = domain_css(snapshot, leaf); at != OOM_NOBODY; at = snapshot->memcg[at].parent) {
		if (at == tightest || !has_limit(&snapshot->memcg[at]))
			continue;
		struct headroom here = memcg_headroom(snapshot, at);
		if (may_swap_places(&here, room))
			return true;
	}
	return false;
}

static uint64_t present_pages(const struct oom_snapshot *snapshot, const struct nodeset *nodes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->topology.nodes; i++)
		if (nodeset_has(nodes, snapshot->topology.node[i].id))
			sum = add(sum, snapshot->topology.node[i].present);
	return sum;
}

/* mm/oom_kill.c constrained_alloc() and mm/memcontrol.c mem_cgroup_get_max(): the limit and the swap
 * allowance of the domain itself, never of its ancestors. */
static uint64_t total_pages(const struct oom_snapshot *snapshot, const struct oom_domain *domain)
{
	if (domain->constraint == OOM_MEMCG) {
		const struct oom_memcg *group = &snapshot->memcg[domain->memcg];
		uint64_t most = (uint64_t)INT64_MAX / snapshot->page_size;
		uint64_t swap = snapshot->swappiness ? min_u64(group->swap_max, snapshot->swap_total) : 0;
		uint64_t total = min_u64(add(min_u64(group->max, most), swap), OOM_PAGES_MAX);
		return total ? total : 1;
	}
	uint64_t ram = domain->constraint == OOM_NONE ? snapshot->ram
						      : present_pages(snapshot, &domain->nodes);

	return min_u64(add(ram, snapshot->swap_total), OOM_PAGES_MAX);
}

bool domain_has_own_policy(const struct oom_question *question)
{
	/* mbind(2) with MPOL_DEFAULT takes the mapping's policy away: the task's counts again. */
	return question->policy && question->policy->mode != MEMPOLICY_DEFAULT && !question->is_kernel;
}

/* The policy that governs the page. A mapping's own policy never counts for the kernel's own allocations. */
static const struct mempolicy *governing_policy(const struct oom_question *question,
						const struct oom_thread *thread)
{
	if (domain_has_own_policy(question))
		return question->policy;
	return thread ? thread->policy : NULL;
}

/* mm/mempolicy.c apply_policy_zone(): a policy of nodes that have nothing but ZONE_MOVABLE does not bind
 * allocations that cannot come from there. User pages always can. */
static bool applies_to_zone(const struct oom_snapshot *snapshot, const struct oom_question *question,
			    const struct nodeset *nodes)
{
	if (!question->is_kernel)
		return true;
	for (size_t i = 0; i < snapshot->topology.nodes; i++) {
		const struct topology_node *node = &snapshot->topology.node[i];
		if (nodeset_has(nodes, node->id) && can_serve(node, highest_zone(snapshot, question)))
			return true;
	}
	return false;
}

/* Only MPOL_BIND hands a nodemask to the page allocator, and only while it meets the cpuset (mm/mempolicy.c
 * policy_nodemask()). */
static bool is_binding(const struct oom_snapshot *snapshot, const struct oom_question *question,
		       const struct oom_domain *domain)
{
	const struct mempolicy *policy = domain->policy;

	return policy && policy->mode == MEMPOLICY_BIND &&
	       nodeset_intersects(&policy->nodes, &domain->mems) &&
	       applies_to_zone(snapshot, question, &policy->nodes);
}

/* The nodemask that the page allocator gets: the policy's nodes, or the question's in their place. NULL
 * without one. */
static int find_mask(const struct oom_snapshot *snapshot, const struct oom_question *question,
		     const struct oom_domain *domain, const struct nodeset **mask, struct cgpol_error *err)
{
	bool binds = is_binding(snapshot, question, domain);

	*mask = NULL;
	if (question->constraint == OOM_CPUSET || question->constraint == OOM_NONE)
		return 0;
	if (binds)
		*mask = &domain->policy->nodes;
	if (question->nodes && (binds || question->constraint == OOM_MEMORY_POLICY))
		*mask = question->nodes;
	if (question->constraint == OOM_MEMORY_POLICY && !*mask)
		return error_set(err, EINVAL, CGPOL_USAGE,
				 "a memory policy OOM needs nodes: the task has no bind policy");
	return 0;
}

/* The constraint of a page-allocator OOM. */
static enum oom_constraint find_constraint(const struct oom_snapshot *snapshot,
					   const struct oom_question *question,
					   const struct oom_domain *domain, const struct nodeset *mask)
{
	const struct nodeset *memory = &snapshot->topology.memory;

	if (question->constraint != OOM_DERIVED && question->constraint != OOM_MEMCG)
		return (enum oom_constraint)question->constraint;
	if (mask && !nodeset_contains(mask, memory))
		return OOM_MEMORY_POLICY;
	/* The kernel's own allocations lack __GFP_HARDWALL: on the slow path they leave the cpuset. */
	if (!question->is_kernel && !nodeset_contains(&domain->mems, memory))
		return OOM_CPUSET;
	return OOM_NONE;
}

/* The nodes that the page may come from. */
static int find_allowed(const struct oom_snapshot *snapshot, const struct oom_question *question,
			const struct nodeset *mask, struct oom_domain *domain)
{
	const struct nodeset *memory = &snapshot->topology.memory;
	bool leaves_cpuset = question->constraint == OOM_NONE ||
			     (question->is_kernel && question->constraint != OOM_CPUSET);
	int rc;

	if (!mask)
		mask = memory;
	rc = nodeset_and(&domain->allowed, mask, leaves_cpuset ? memory : &domain->mems);
	/* A forced mask may lie outside of the cpuset; then the mask alone says where memory is short. */
	if (rc == 0 && nodeset_is_empty(&domain->allowed))
		rc = nodeset_copy(&domain->allowed, mask == memory ? &domain->mems : mask);
	return rc;
}

/* Who allocates and from where: mems, policy, allowed nodes, and the page allocator's constraint. */
static int find_nodes(const struct oom_snapshot *snapshot, const struct oom_question *question,
		      struct oom_domain *domain, struct cgpol_error *err)
{
	const struct oom_thread *thread = triggering_thread(snapshot, question);
	const struct nodeset *mems = thread ? thread->mems : question->mems;
	const struct nodeset *mask = NULL;
	int rc;

	domain->policy = governing_policy(question, thread);
	rc = nodeset_copy(&domain->mems, mems ? mems : &snapshot->topology.memory);
	if (rc == 0)
		rc = find_mask(snapshot, question, domain, &mask, err);
	if (rc == 0 && question->nodes && !mask)
		rc = nodeset_copy(&domain->mems, question->nodes);
	if (rc < 0)
		return rc;
	domain->constraint = find_constraint(snapshot, question, domain, mask);
	if (domain->constraint == OOM_MEMORY_POLICY)
		rc = nodeset_copy(&domain->nodes, mask);
	else if (domain->constraint == OOM_CPUSET)
		rc = nodeset_copy(&domain->nodes, &domain->mems);
	return rc < 0 ? rc : find_allowed(snapshot, question, mask, domain);
}

/* Anonymous memory is charged to the memcg of mm->owner: of processes that share an mm, the one that made it.
 * The kernel's own allocations are charged to the allocating task's (mm/memcontrol.c
 * get_obj_cgroup_from_current()). */
static size_t charged_memcg(const struct oom_snapshot *snapshot, const struct oom_question *question)
{
	if (question->task == OOM_NOBODY)
		return question->memcg;
	const struct oom_task *task = &snapshot->task[question->task];
	if (task->mm == 0 || question->is_kernel)
		return task->memcg;
	for (size_t i = 0; i < snapshot->tasks; i++) /* in order of creation: the first is the owner */
		if (snapshot->task[i].mm == task->mm && !snapshot->task[i].has_vanished)
			return snapshot->task[i].memcg;
	return task->memcg;
}

static void become_memcg(struct oom_domain *domain, size_t memcg)
{
	domain->constraint = OOM_MEMCG;
	domain->memcg = memcg;
	nodeset_clear(&domain->nodes);
}

static int find_limit(const struct oom_snapshot *snapshot, const struct oom_question *question,
		      struct oom_domain *domain, struct cgpol_error *err)
{
	domain->highest_zone = highest_zone(snapshot, question);
	struct headroom nodes = nodes_headroom(snapshot, domain);
	size_t leaf = charged_memcg(snapshot, question);
	struct headroom memcg = {0}, room = nodes;
	size_t limit = tightest_memcg(snapshot, leaf, &memcg);

	if (question->constraint == OOM_MEMCG && limit == OOM_NOBODY)
		return error_set(err, ENODATA, CGPOL_FAILED,
				 "no memcg OOM can happen here: no cgroup on the path has a memory.max");
	domain->is_close = question->constraint == OOM_DERIVED && limit != OOM_NOBODY &&
			   may_swap_places(&memcg, &nodes);
	if (question->constraint == OOM_MEMCG ||
	    (question->constraint == OOM_DERIVED && limit != OOM_NOBODY &&
	     (domain->lacks_headroom || memcg.likely <= nodes.likely))) {
		become_memcg(domain, limit);
		domain->lacks_headroom = false;
		domain->is_close |= is_another_close(snapshot, leaf, limit, &memcg);
		room = memcg;
	}
	domain->headroom = room.likely;
	domain->headroom_low = room.low;
	domain->headroom_high = room.high;
	return 0;
}

int domain_find(const struct oom_snapshot *snapshot, const struct oom_question *question,
		struct oom_domain *domain, struct cgpol_error *err)
{
	AUTO(domain_clear) struct oom_domain found = {.memcg = OOM_NOBODY};
	int rc;

	if (snapshot->page_size == 0)
		return error_set(err, EINVAL, CGPOL_FAILED, "the page size of this machine is not known");
	rc = find_nodes(snapshot, question, &found, err);
	if (rc == 0)
		rc = find_limit(snapshot, question, &found, err);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc < 0)
		return rc;
	found.totalpages = total_pages(snapshot, &found);
	*domain = found;
	memset(&found, 0, sizeof(found));
	return 0;
}

void domain_clear(struct oom_domain *domain)
{
	nodeset_clear(&domain->nodes);
	nodeset_clear(&domain->mems);
	nodeset_clear(&domain->allowed);
}
