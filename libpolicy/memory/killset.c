/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everyone who dies with a victim, what that gives back on each node, and whether it helps. */
#include "memory/killset.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "memory/badness.h"
#include "memory/domain.h"

/* A kill is useful when at least this much, or 1 % of what the set holds, lies where memory is
 * short. */
enum { USEFUL_BYTES = 1 << 20, USEFUL_PERCENT = 1 };

size_t killset_group(const struct oom_snapshot *snapshot, const struct oom_domain *domain, size_t victim)
{
	size_t top = domain->constraint == OOM_MEMCG ? domain->memcg : 0;
	size_t at = domain_css(snapshot, snapshot->task[victim].memcg);
	size_t group = OOM_NOBODY;

	if (at == OOM_NOBODY || !domain_is_below(snapshot, at, top))
		return OOM_NOBODY;
	/* The highest one with the flag wins, up to and including the domain. The real root has no such file.
	 */
	for (; at != OOM_NOBODY; at = snapshot->memcg[at].parent) {
		if (snapshot->memcg[at].has_memory && snapshot->memcg[at].oom_group)
			group = at;
		if (at == top)
			break;
	}
	return group;
}

struct killset {
	const struct oom_snapshot *snapshot;
	bool *dies;
	struct oom_killed *killed;
	size_t kills;
};

static void take(struct killset *set, size_t task, enum oom_why why)
{
	if (set->dies[task])
		return;
	set->dies[task] = true;
	set->killed[set->kills++] = (struct oom_killed){task, why};
}

static int by_number(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return a < b ? -1 : a > b;
}

/* Whoever shares an mm with a member of the set is killed with it, even with oom_score_adj -1000; not kernel
 * threads and not the global init. */
static int take_sharers(struct killset *set)
{
	const struct oom_snapshot *snapshot = set->snapshot;
	AUTO(free_p) unsigned *mm = calloc(set->kills, sizeof(*mm));
	size_t count = 0;

	if (!mm)
		return -ENOMEM;
	for (size_t i = 0; i < set->kills; i++)
		if (snapshot->task[set->killed[i].task].mm != 0)
			mm[count++] = snapshot->task[set->killed[i].task].mm;
	qsort(mm, count, sizeof(*mm), by_number);
	for (size_t i = 0; count > 0 && i < snapshot->tasks; i++) {
		const struct oom_task *task = &snapshot->task[i];
		if (task->mm == 0 || task->has_vanished || task->is_kthread || task->is_init)
			continue;
		if (bsearch(&task->mm, mm, count, sizeof(*mm), by_number))
			take(set, i, OOM_WHY_SHARES_MM);
	}
	return 0;
}

/* mm/oom_kill.c oom_kill_memcg_member(): all but oom_score_adj -1000 and init, whatever their cpuset or
 * policy. */
static bool is_group_victim(const struct oom_snapshot *snapshot, const struct oom_task *task, size_t group)
{
	return task->has_mm && !task->has_vanished && !task->is_init && !task->is_kthread &&
	       !badness_is_exempt(task) && domain_is_below(snapshot, task->memcg, group);
}

int killset_make(const struct oom_snapshot *snapshot, const struct oom_domain *domain, size_t victim,
		 struct oom_killed **killed, size_t *kills)
{
	AUTO(free_p) bool *dies = calloc(snapshot->tasks, sizeof(*dies));
	AUTO(free_p) struct oom_killed *list = calloc(snapshot->tasks, sizeof(*list));
	struct killset set = {snapshot, dies, list, 0};
	size_t group = killset_group(snapshot, domain, victim);
	int rc;

	if (!dies || !list)
		return -ENOMEM;
	take(&set, victim, OOM_WHY_VICTIM);
	rc = take_sharers(&set);
	for (size_t i = 0; rc == 0 && group != OOM_NOBODY && i < snapshot->tasks; i++)
		if (is_group_victim(snapshot, &snapshot->task[i], group))
			take(&set, i, OOM_WHY_GROUP);
	if (rc == 0 && group != OOM_NOBODY)
		rc = take_sharers(&set);
	if (rc < 0)
		return rc;
	*killed = TAKE(list);
	*kills = set.kills;
	return 0;
}

static int add_share(struct killset_freed *freed, const struct oom_share *share)
{
	size_t at = 0;

	while (at < freed->shares && freed->share[at].node < share->node)
		at++;
	if (at == freed->shares || freed->share[at].node != share->node) {
		struct oom_share *more = reallocarray(freed->share, freed->shares + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		freed->share = more;
		for (size_t i = freed->shares++; i > at; i--)
			more[i] = more[i - 1];
		more[at] = (struct oom_share){share->node, 0, 0};
	}
	freed->share[at].bytes += share->bytes;
	freed->share[at].freed += share->freed;
	return 0;
}

struct place {
	unsigned mm;
	size_t at;
};

static int by_mm(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->mm != b->mm)
		return a->mm < b->mm ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Marks the members whose mm an earlier one has: their memory is counted already. The caller frees it. */
static bool *find_repeats(const struct oom_snapshot *snapshot, const struct oom_killed *killed, size_t kills)
{
	AUTO(free_p) struct place *place = calloc(kills ? kills : 1, sizeof(*place));
	bool *repeats = calloc(kills ? kills : 1, sizeof(*repeats));

	if (!place || !repeats) {
		free(repeats);
		return NULL;
	}
	for (size_t i = 0; i < kills; i++)
		place[i] = (struct place){snapshot->task[killed[i].task].mm, i};
	qsort(place, kills, sizeof(*place), by_mm);
	for (size_t i = 1; i < kills; i++)
		repeats[place[i].at] = place[i].mm != 0 && place[i].mm == place[i - 1].mm;
	return repeats;
}

static uint64_t freed_by(const struct oom_snapshot *snapshot, const struct oom_task *task)
{
	uint64_t sum = 0;

	if (!task->has_shares)
		return task->anon * snapshot->page_size;
	for (size_t i = 0; i < task->shares; i++)
		sum += task->share[i].freed;
	return sum;
}

static uint64_t held_by(const struct oom_snapshot *snapshot, const struct oom_task *task)
{
	uint64_t sum = 0;

	if (!task->has_shares)
		return (task->anon + task->file + task->shmem) * snapshot->page_size;
	for (size_t i = 0; i < task->shares; i++)
		sum += task->share[i].bytes;
	return sum;
}

/* Bytes of the set that lie where memory is short. For a memcg it is an estimate: what its members hold, but
 * no more than the domain is charged for; pages charged elsewhere before a task was moved in do not come back
 * to it. */
static uint64_t freed_where_short(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
				  const struct killset_freed *freed, uint64_t inside, uint64_t grown)
{
	uint64_t sum = 0;

	if (domain->constraint == OOM_NONE)
		return freed->bytes;
	if (domain->constraint == OOM_MEMCG) {
		const struct oom_memcg *group = &snapshot->memcg[domain->memcg];
		uint64_t charged = group->anon * snapshot->page_size;
		return (inside < charged ? inside : charged) + grown * snapshot->page_size;
	}
	for (size_t i = 0; i < freed->shares; i++)
		if (nodeset_has(&domain->allowed, freed->share[i].node))
			sum += freed->share[i].freed;
	return sum;
}

static enum oom_useful judge(const struct killset_freed *freed, uint64_t relief)
{
	uint64_t percent = freed->held / 100 * USEFUL_PERCENT;
	uint64_t needed = percent > USEFUL_BYTES ? percent : USEFUL_BYTES;

	return relief >= needed ? OOM_USEFUL : OOM_USELESS;
}

static uint64_t room_of(const struct oom_domain *domain, const struct topology_node *node)
{
	return nodeset_has(&domain->allowed, node->id) ? domain_node_room(domain, node) : 0;
}

/* Spreads what the trigger will have taken over the nodes it may use, by their room. What exceeds it went to
 * swap. */
static int add_growth(const struct oom_snapshot *snapshot, const struct oom_domain *domain, uint64_t grown,
		      struct killset_freed *freed)
{
	const struct topology *topology = &snapshot->topology;
	uint64_t room = 0;

	for (size_t i = 0; i < topology->nodes; i++)
		if (__builtin_add_overflow(room, room_of(domain, &topology->node[i]), &room))
			room = UINT64_MAX;
	if (room == 0 || grown == 0)
		return 0;
	for (size_t i = 0; i < topology->nodes; i++) {
		unsigned __int128 part = room_of(domain, &topology->node[i]);
		uint64_t pages = (uint64_t)(part * (grown < room ? grown : room) / room);
		struct oom_share share = {.node = topology->node[i].id, .freed = pages * snapshot->page_size};
		if (pages == 0)
			continue;
		share.bytes = share.freed;
		if (add_share(freed, &share) < 0)
			return -ENOMEM;
		freed->bytes += share.freed;
		freed->held += share.freed;
	}
	return 0;
}

int killset_free_estimate(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
			  const struct oom_killed *killed, size_t kills, uint64_t grown,
			  struct killset_freed *freed)
{
	AUTO(free_p) bool *repeats = find_repeats(snapshot, killed, kills);
	struct killset_freed sum = {.is_known = true};
	uint64_t inside = 0, relief;

	if (!repeats)
		return -ENOMEM;
	for (size_t i = 0; i < kills; i++) {
		const struct oom_task *task = &snapshot->task[killed[i].task];
		if (repeats[i])
			continue;
		uint64_t bytes = freed_by(snapshot, task);
		sum.bytes += bytes;
		sum.held += held_by(snapshot, task);
		sum.is_known &= task->has_shares;
		if (domain->constraint == OOM_MEMCG && domain_is_below(snapshot, task->memcg, domain->memcg))
			inside += bytes + task->swap * snapshot->page_size;
		for (size_t k = 0; k < task->shares; k++) {
			if (add_share(&sum, &task->share[k]) < 0) {
				free(sum.share);
				return -ENOMEM;
			}
		}
	}
	if (add_growth(snapshot, domain, grown, &sum) < 0) {
		free(sum.share);
		return -ENOMEM;
	}
	relief = freed_where_short(snapshot, domain, &sum, inside, grown);
	sum.relief = relief / snapshot->page_size;
	if (sum.is_known || domain->constraint == OOM_NONE || domain->constraint == OOM_MEMCG)
		sum.useful = judge(&sum, relief);
	else
		sum.useful = OOM_USEFUL_UNKNOWN;
	*freed = sum;
	return 0;
}
