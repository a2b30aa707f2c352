/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of cgroups in the fake kernel: usage, reclaim, and killing when there is nothing left to reclaim.
 * The rules are those of mm/memcontrol.c. */
#include "fakememory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "faketask.h"

enum { ADJ_NEVER = -1000 };

static struct cgroup *cast_away(const struct cgroup *cgroup)
{
	return (struct cgroup *)(uintptr_t)cgroup;
}

/* Sums over a cgroup and all below it; node FAKEMEMORY_NODES is all nodes. */
static uint64_t sum_anon(const struct cgroup *top, size_t node)
{
	uint64_t sum = 0;

	for (struct cgroup *at = cast_away(top); at; at = faketree_next(top, at)) {
		for (size_t i = 0; i < FAKEMEMORY_NODES; i++)
			sum += node == i || node == FAKEMEMORY_NODES ? at->memory.anon[i] : 0;
	}
	return sum;
}

static uint64_t sum_file(const struct cgroup *top, size_t node)
{
	uint64_t sum = 0;

	for (struct cgroup *at = cast_away(top); at; at = faketree_next(top, at)) {
		for (size_t i = 0; i < FAKEMEMORY_NODES; i++)
			sum += node == i || node == FAKEMEMORY_NODES ? at->memory.file[i] : 0;
	}
	return sum;
}

static uint64_t sum_swap(const struct cgroup *top)
{
	uint64_t sum = 0;

	for (struct cgroup *at = cast_away(top); at; at = faketree_next(top, at))
		sum += at->memory.swap;
	return sum;
}

static uint64_t usage_of(const struct cgroup *top)
{
	return sum_anon(top, FAKEMEMORY_NODES) + sum_file(top, FAKEMEMORY_NODES);
}

static uint64_t limit_of(const struct cgroup *cgroup, const char *file)
{
	const char *text = faketree_value(cgroup, file);

	return strcmp(text, "max") == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
}

static void show_nodes(const struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_anon, FILE *out)
{
	(void)fputs(is_anon ? "anon" : "\nfile", out);
	for (unsigned i = 0; i < FAKEMEMORY_NODES; i++) {
		if (nodeset_has(&tree->machine.memory_nodes, i))
			(void)fprintf(
				out, " N%u=%llu", i,
				(unsigned long long)(is_anon ? sum_anon(cgroup, i) : sum_file(cgroup, i)));
	}
}

static void show_events(const unsigned long *events, FILE *out)
{
	static const char *const name[EVENTS] = {"low", "high", "max", "oom", "oom_kill"};

	for (size_t i = 0; i < EVENTS; i++)
		(void)fprintf(out, "%s%s %lu", i > 0 ? "\n" : "", name[i], events[i]);
}

char *fakememory_show(const struct cgroup_tree *tree, const struct cgroup *cgroup, enum fakevalue_kind kind)
{
	unsigned long long anon = sum_anon(cgroup, FAKEMEMORY_NODES);
	unsigned long long file = sum_file(cgroup, FAKEMEMORY_NODES);
	char *text = NULL;
	size_t size = 0;
	FILE *out = faketree_must(open_memstream(&text, &size));

	if (kind == FAKEVALUE_MEMORY_CURRENT) {
		(void)fprintf(out, "%llu", anon + file);
	} else if (kind == FAKEVALUE_SWAP_CURRENT) {
		(void)fprintf(out, "%llu", (unsigned long long)sum_swap(cgroup));
	} else if (kind == FAKEVALUE_MEMORY_STAT) {
		(void)fprintf(out,
			      "anon %llu\nfile %llu\nshmem 0\ninactive_anon %llu\nactive_anon 0\n"
			      "inactive_file %llu\nactive_file 0\nslab_reclaimable 0",
			      anon, file, anon, file);
	} else if (kind == FAKEVALUE_NUMA_STAT) {
		show_nodes(tree, cgroup, true, out);
		show_nodes(tree, cgroup, false, out);
	} else {
		show_events(kind == FAKEVALUE_MEMORY_EVENTS ? cgroup->memory.events : cgroup->memory.local,
			    out);
	}
	(void)fclose(out);
	return faketree_must(text);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t take_file(struct cgroup *cgroup, uint64_t want)
{
	uint64_t got = 0;

	for (size_t i = 0; i < FAKEMEMORY_NODES; i++) {
		uint64_t part = least(want - got, cgroup->memory.file[i]);

		cgroup->memory.file[i] -= part;
		got += part;
	}
	return got;
}

static uint64_t own_anon(const struct cgroup *cgroup)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < FAKEMEMORY_NODES; i++)
		sum += cgroup->memory.anon[i];
	return sum;
}

static uint64_t take_anon(struct cgroup *cgroup, uint64_t want)
{
	uint64_t got = 0;

	for (size_t i = 0; i < FAKEMEMORY_NODES; i++) {
		uint64_t part = least(want - got, cgroup->memory.anon[i]);

		cgroup->memory.anon[i] -= part;
		got += part;
	}
	return got;
}

static uint64_t swap_out(struct cgroup_tree *tree, struct cgroup *cgroup, uint64_t want)
{
	uint64_t anon = own_anon(cgroup), got;
	uint64_t room = least(tree->swap_free,
			      anon > cgroup->memory.pinned ? anon - cgroup->memory.pinned : 0);

	for (const struct cgroup *at = cgroup; at->parent; at = at->parent) {
		uint64_t limit = limit_of(at, "memory.swap.max"), used = sum_swap(at);

		room = least(room, limit > used ? limit - used : 0);
	}
	got = take_anon(cgroup, least(want, room));
	cgroup->memory.swap += got;
	tree->swap_free -= got;
	return got;
}

static uint64_t reclaim(struct cgroup_tree *tree, struct cgroup *top, uint64_t want)
{
	uint64_t got = 0;

	for (struct cgroup *at = top; at; at = faketree_next(top, at))
		got += take_file(at, want - got);
	for (struct cgroup *at = top; at; at = faketree_next(top, at))
		got += swap_out(tree, at, want - got);
	return got;
}

int fakememory_reclaim(struct cgroup_tree *tree, struct cgroup *cgroup, uint64_t bytes)
{
	return reclaim(tree, cgroup, bytes) < bytes ? -EAGAIN : 0;
}

/* memcg_memory_event() */
static void count_event(struct cgroup *cgroup, enum memory_event event)
{
	cgroup->memory.local[event]++;
	for (; cgroup; cgroup = cgroup->parent)
		cgroup->memory.events[event]++;
}

/* The cgroup below `top` with the most anonymous memory, and there the first process that may be killed. */
static struct process *find_victim(const struct cgroup *top, struct cgroup **cgroup)
{
	struct process *victim = NULL;

	for (struct cgroup *at = cast_away(top); at; at = faketree_next(top, at)) {
		if (victim && own_anon(at) <= own_anon(*cgroup))
			continue;
		for (size_t i = at->tasks; i-- > 0;) {
			struct process *process = at->task[i]->process;

			if (process->oom_score_adj == ADJ_NEVER)
				continue;
			victim = process;
			*cgroup = at;
		}
	}
	return victim;
}

static size_t count_processes(const struct cgroup *cgroup)
{
	size_t count = 0;

	for (size_t i = 0; i < cgroup->tasks; i++)
		count += cgroup->task[i]->tid == cgroup->task[i]->process->pid;
	return count;
}

static bool kill_one(struct cgroup_tree *tree, struct cgroup *top)
{
	struct cgroup *cgroup = NULL;
	const struct process *victim;

	count_event(top, EVENT_OOM);
	victim = find_victim(top, &cgroup);
	if (!victim)
		return false;
	(void)take_anon(cgroup,
			own_anon(cgroup) / (count_processes(cgroup) > 0 ? count_processes(cgroup) : 1));
	count_event(cgroup, EVENT_OOM_KILL);
	tree->oom_kills++;
	faketask_end(tree, victim->pid);
	return true;
}

/* memory_high_write(), memory_max_write() */
void fakememory_obey(struct cgroup_tree *tree, struct cgroup *cgroup, bool is_hard)
{
	uint64_t limit = limit_of(cgroup, is_hard ? "memory.max" : "memory.high");

	while (usage_of(cgroup) > limit) {
		(void)reclaim(tree, cgroup, usage_of(cgroup) - limit);
		if (usage_of(cgroup) <= limit || !is_hard || !kill_one(tree, cgroup))
			return;
	}
}
