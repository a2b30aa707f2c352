/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes to a snapshot and a question, however absurd, and what every forecast of it must keep. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory/oom.h"

enum { NODES = 4, GROUPS = 5, TASKS = 12, THREADS = 3, SHARES = 3, ZONES = 2, SETS = 1 << NODES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a snapshot points to. Sets and policies are by number, so that nothing needs freeing. */
struct world {
	struct oom_snapshot snapshot;
	struct oom_question question;
	struct oom_task task[TASKS];
	struct oom_thread thread[TASKS][THREADS];
	struct oom_share share[TASKS][SHARES];
	struct oom_memcg memcg[GROUPS];
	struct topology_node node[NODES];
	struct topology_zone zone[NODES][ZONES];
	uint64_t word[SETS];
	struct nodeset set[SETS];
	struct mempolicy policy[MEMPOLICY_OTHER + 1][SETS];
};

struct bytes {
	const uint8_t *at;
	size_t left;
};

static void require(bool condition)
{
	if (!condition)
		abort();
}

static unsigned pick(struct bytes *in, unsigned limit)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++ % limit;
}

static bool flip(struct bytes *in, unsigned one_in)
{
	return pick(in, one_in) == 1;
}

static uint64_t raw(struct bytes *in)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | pick(in, 256);
	return value;
}

/* Mostly plausible, now and then at or beyond an edge. */
static uint64_t number(struct bytes *in)
{
	static const uint64_t edges[] = {
		0, 1, 999, 1000, INT64_MAX, UINT64_MAX - 1, INT32_MAX, (uint64_t)INT64_MAX + 1};

	switch (pick(in, 8)) {
	case 0:
		return edges[pick(in, sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return raw(in);
	case 2:
		return UINT64_MAX;
	case 3:
		return pick(in, 256);
	default:
		return (uint64_t)pick(in, 256) << 8 | pick(in, 256);
	}
}

static const struct nodeset *some_nodes(struct world *world, struct bytes *in)
{
	unsigned at = pick(in, SETS + 1);

	return at == SETS ? NULL : &world->set[at];
}

static const struct mempolicy *some_policy(struct world *world, struct bytes *in)
{
	if (flip(in, 3))
		return NULL;
	unsigned mode = pick(in, MEMPOLICY_OTHER + 1);

	return &world->policy[flip(in, 2) ? MEMPOLICY_BIND : mode][pick(in, SETS)];
}

static void make_sets(struct world *world)
{
	for (unsigned i = 0; i < SETS; i++) {
		world->word[i] = i;
		world->set[i] = (struct nodeset){1, &world->word[i]};
		for (unsigned mode = 0; mode <= MEMPOLICY_OTHER; mode++)
			world->policy[mode][i] = (struct mempolicy){mode, 0, world->set[i]};
	}
}

static void make_topology(struct world *world, struct bytes *in)
{
	struct topology *topology = &world->snapshot.topology;

	topology->nodes = 1 + pick(in, NODES);
	topology->node = world->node;
	topology->normal = pick(in, 4);
	topology->movable = topology->normal + pick(in, 2);
	topology->online = world->set[(1 << topology->nodes) - 1];
	topology->memory = world->set[pick(in, SETS)];
	for (unsigned i = 0; i < topology->nodes; i++) {
		struct topology_node *node = &world->node[i];
		*node = (struct topology_node){.id = i, .present = number(in), .file = number(in)};
		node->slab_reclaimable = number(in);
		node->zone = world->zone[i];
		node->zones = pick(in, ZONES + 1);
		for (size_t z = 0; z < node->zones; z++) {
			struct topology_zone *zone = &node->zone[z];
			*zone = (struct topology_zone){.index = pick(in, 5), .free = number(in)};
			zone->min = number(in);
			zone->present = number(in);
			zone->pcp = number(in);
			zone->protections = pick(in, 9);
			for (size_t p = 0; p < zone->protections; p++)
				zone->protection[p] = number(in);
		}
	}
}

static void make_groups(struct world *world, struct bytes *in)
{
	static const char *const names[] = {"/", "/a", "/a/b", "/c", "/d"};

	world->snapshot.memcg = world->memcg;
	world->snapshot.memcgs = 1 + pick(in, GROUPS);
	for (size_t i = 0; i < world->snapshot.memcgs; i++) {
		struct oom_memcg *group = &world->memcg[i];
		*group = (struct oom_memcg){.name = names[i], .max = OOM_UNLIMITED};
		group->parent = i ? pick(in, (unsigned)i) : OOM_NOBODY;
		group->has_memory = i == 0 || !flip(in, 4);
		group->swap_max = number(in);
		group->is_read = !flip(in, 3);
		if (i > 0 && flip(in, 2))
			group->max = number(in);
		group->current = number(in);
		group->swap_current = number(in);
		group->file = number(in);
		group->anon = number(in);
		group->slab = number(in);
		group->oom_group = flip(in, 3);
	}
}

static void make_threads(struct world *world, struct bytes *in, size_t at)
{
	struct oom_task *task = &world->task[at];

	task->thread = world->thread[at];
	task->threads = pick(in, THREADS + 1);
	for (size_t i = 0; i < task->threads; i++) {
		struct oom_thread *thread = &task->thread[i];
		*thread = (struct oom_thread){.tid = task->pid + 100 * (pid_t)i};
		thread->mems = some_nodes(world, in);
		thread->policy = some_policy(world, in);
		thread->has_policy = flip(in, 2);
		thread->is_mixed = flip(in, 8);
	}
	task->share = world->share[at];
	task->shares = pick(in, SHARES + 1);
	task->has_shares = flip(in, 2);
	for (size_t i = 0; i < task->shares; i++)
		task->share[i] = (struct oom_share){pick(in, NODES + 1), number(in), number(in)};
}

static void make_task(struct world *world, struct bytes *in, size_t at)
{
	static const char *const comms[] = {"a", "", "\033]0;x\007\n", "runc:[2:INIT]", NULL};
	static const int adjs[] = {0, 0, 0, 0, -1000, -999, 500, 1000, -1001, 1001, INT32_MIN, INT32_MAX};
	struct oom_task *task = &world->task[at];

	*task = (struct oom_task){.pid = 1 + (pid_t)at, .comm = comms[pick(in, 5)]};
	task->adj = adjs[pick(in, sizeof(adjs) / sizeof(adjs[0]))];
	task->score = (int)pick(in, 3) - 1;
	task->is_init = flip(in, 16);
	task->is_kthread = flip(in, 16);
	task->has_mm = !flip(in, 16);
	task->is_dying = flip(in, 16);
	task->is_unreadable = flip(in, 16);
	task->has_vanished = flip(in, 16);
	task->is_oom_victim = flip(in, 32);
	task->is_vfork_child = flip(in, 16);
	task->is_zombie_leader = flip(in, 16);
	task->anon = number(in);
	task->file = number(in);
	task->shmem = number(in);
	task->swap = number(in);
	task->pgtables = number(in);
	task->grew = (int64_t)number(in);
	task->memcg = flip(in, 8) ? OOM_NOBODY : pick(in, (unsigned)world->snapshot.memcgs);
	task->memcg_order = number(in);
	task->mm = pick(in, 4);
	make_threads(world, in, at);
}

static void make_question(struct world *world, struct bytes *in)
{
	struct oom_question *question = &world->question;

	question->task = OOM_NOBODY;
	if (world->snapshot.tasks && !flip(in, 4))
		question->task = pick(in, (unsigned)world->snapshot.tasks);
	question->thread = pick(in, THREADS);
	question->memcg = flip(in, 2) ? OOM_NOBODY : pick(in, (unsigned)world->snapshot.memcgs);
	question->mems = some_nodes(world, in);
	question->policy = flip(in, 3) ? some_policy(world, in) : NULL;
	question->nodes = flip(in, 3) ? some_nodes(world, in) : NULL;
	question->constraint = flip(in, 2) ? (int)pick(in, 5) - 1 : OOM_DERIVED;
	question->is_kernel = flip(in, 3);
}

static void make_world(struct world *world, struct bytes *in)
{
	static const uint64_t page_sizes[] = {4096, 16384, 65536, 4096, 4096, 1, UINT64_MAX, 0};
	struct oom_snapshot *snapshot = &world->snapshot;

	make_sets(world);
	snapshot->release = "fuzz";
	snapshot->major = 4 + pick(in, 5);
	snapshot->minor = pick(in, 20);
	snapshot->page_size = page_sizes[pick(in, 8)];
	snapshot->cpus = (unsigned)number(in);
	snapshot->ram = number(in);
	snapshot->swap_total = number(in);
	snapshot->swap_free = number(in);
	snapshot->swappiness = number(in);
	snapshot->panic_on_oom = flip(in, 4) ? number(in) : 0;
	snapshot->kill_allocating = flip(in, 4);
	snapshot->is_complete = !flip(in, 3);
	snapshot->memory_on_v1 = flip(in, 8);
	make_topology(world, in);
	make_groups(world, in);
	snapshot->task = world->task;
	snapshot->tasks = pick(in, TASKS + 1);
	for (size_t i = 0; i < snapshot->tasks; i++)
		make_task(world, in, i);
	make_question(world, in);
}

/* ---- what must hold ---- */

static bool is_killable(const struct oom_task *task)
{
	return task->adj > -1000 && !task->is_init && !task->is_kthread;
}

static void check_ranking(const struct oom_snapshot *snapshot, const struct oom_forecast *forecast)
{
	bool seen[TASKS] = {false};

	require(forecast->candidates + forecast->skips == snapshot->tasks);
	for (size_t i = 0; i < forecast->candidates; i++) {
		const struct oom_candidate *row = &forecast->candidate[i];
		require(!seen[row->task] && is_killable(&snapshot->task[row->task]));
		seen[row->task] = true;
		require(row->points ==
			(int64_t)(row->rss + row->swap + row->pgtables + row->grow) + row->adj);
		require(row->low <= row->high);
		require(i == 0 || row[-1].points >= row->points);
	}
	for (size_t i = 0; i < forecast->skips; i++) {
		require(!seen[forecast->skipped[i].task]);
		seen[forecast->skipped[i].task] = true;
		require(forecast->skipped_count[forecast->skipped[i].reason] > 0);
	}
}

static void check_kills(const struct oom_snapshot *snapshot, const struct oom_forecast *forecast)
{
	bool dies[TASKS] = {false};

	for (size_t i = 0; i < forecast->kills; i++) {
		const struct oom_killed *killed = &forecast->killed[i];
		const struct oom_task *task = &snapshot->task[killed->task];
		require(!dies[killed->task]);
		dies[killed->task] = true;
		require((killed->why == OOM_WHY_VICTIM) == (i == 0));
		require(!task->is_init && !task->is_kthread);
		require(killed->why == OOM_WHY_SHARES_MM || is_killable(task));
	}
	for (size_t i = 0; i < forecast->thens; i++) {
		require(!dies[forecast->then[i].task]);
		dies[forecast->then[i].task] = true;
		require(is_killable(&snapshot->task[forecast->then[i].task]));
	}
	for (size_t i = 1; i < forecast->frees; i++)
		require(forecast->freed[i - 1].node < forecast->freed[i].node);
}

static void check_outcome(const struct oom_snapshot *snapshot, const struct oom_question *question,
			  const struct oom_forecast *forecast)
{
	const struct oom_domain *domain = &forecast->domain;
	/* By vm.oom_kill_allocating_task somebody dies, but without a trigger it is not known who. */
	bool kills = forecast->outcome == OOM_KILL ||
		     (forecast->outcome == OOM_KILL_ALLOCATING && question->task != OOM_NOBODY);

	require((forecast->kills > 0) == kills);
	require(forecast->outcome != OOM_KILL || forecast->killed[0].task == forecast->candidate[0].task);
	require(forecast->outcome != OOM_KILL_ALLOCATING || forecast->kills == 0 ||
		forecast->killed[0].task == question->task);
	require(forecast->outcome != OOM_NO_VICTIM || domain->constraint == OOM_MEMCG);
	require(!forecast->has_margin || (forecast->outcome == OOM_KILL && forecast->margin >= 0));
	require(domain->headroom_low <= domain->headroom && domain->headroom <= domain->headroom_high);
	require(question->constraint == OOM_DERIVED || (int)domain->constraint == question->constraint);
	require(snapshot->is_complete || forecast->certainty != OOM_CERTAIN);
	require(domain->totalpages <= OOM_PAGES_MAX);
}

static void check_same(const struct oom_forecast *a, const struct oom_forecast *b)
{
	require(a->outcome == b->outcome && a->certainty == b->certainty && a->useful == b->useful);
	require(a->candidates == b->candidates && a->kills == b->kills && a->thens == b->thens);
	require(a->warnings == b->warnings && a->margin == b->margin && a->freed_bytes == b->freed_bytes);
	for (size_t i = 0; i < a->candidates; i++)
		require(a->candidate[i].task == b->candidate[i].task &&
			a->candidate[i].points == b->candidate[i].points);
	for (size_t i = 0; i < a->kills; i++)
		require(a->killed[i].task == b->killed[i].task && a->killed[i].why == b->killed[i].why);
	for (size_t i = 0; i < a->warnings; i++)
		require(strcmp(a->warning[i], b->warning[i]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world world = {0};
	struct oom_forecast forecast = {0}, again = {0};
	struct cgpol_error err = {0};
	struct bytes in = {data, size};

	make_world(&world, &in);
	int rc = oom_forecast_make(&world.snapshot, &world.question, &forecast, &err);
	require(oom_forecast_make(&world.snapshot, &world.question, &again, NULL) == rc);
	if (rc < 0) {
		require((rc == -EINVAL || rc == -ENODATA) && err.code == -rc && err.text[0] != '\0');
		return 0;
	}
	check_ranking(&world.snapshot, &forecast);
	check_kills(&world.snapshot, &forecast);
	check_outcome(&world.snapshot, &world.question, &forecast);
	check_same(&forecast, &again);
	oom_forecast_clear(&forecast);
	oom_forecast_clear(&again);
	return 0;
}
