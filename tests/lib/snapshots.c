/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snapshots by hand: a machine, its cgroups and processes in a few lines a scenario, and forecasts as text.
 */
#include "snapshots.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A test that has no memory has nothing to say. */
static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static void *keep(struct snap *snap, size_t size)
{
	if (snap->kepts == ARRAY_SIZE(snap->kept))
		abort();
	return snap->kept[snap->kepts++] = must(calloc(1, size));
}

static void parse_nodes(const char *list, struct nodeset *set)
{
	if (nodeset_parse(list, NODESET_NODES_MAX, set, NULL) < 0)
		abort();
}

/* A set of nodes alone is kept as those of a policy, so that there is one way to free. */
static struct mempolicy *keep_policy(struct snap *snap, enum mempolicy_mode mode, const char *nodes)
{
	struct mempolicy *policy = keep(snap, sizeof(*policy));

	policy->mode = mode;
	if (nodes)
		parse_nodes(nodes, &policy->nodes);
	return policy;
}

const struct mempolicy *snap_policy(struct snap *snap, enum mempolicy_mode mode, const char *nodes)
{
	return keep_policy(snap, mode, nodes);
}

const struct nodeset *snap_nodes(struct snap *snap, const char *list)
{
	return &keep_policy(snap, MEMPOLICY_DEFAULT, list)->nodes;
}

static void add_node(struct topology *topology, unsigned id, uint64_t present)
{
	struct topology_node *node = &topology->node[id];

	node->id = id;
	node->present = present;
	node->zones = 1;
	node->zone = must(calloc(1, sizeof(*node->zone)));
	node->zone[0] = (struct topology_zone){.name = "Normal", .index = SNAP_NORMAL, .present = present};
	if (nodeset_add(&topology->online, id) < 0 || nodeset_add(&topology->memory, id) < 0)
		abort();
}

struct snap *snap_new(size_t nodes, uint64_t present)
{
	struct snap *snap = must(calloc(1, sizeof(*snap)));
	struct oom_snapshot *values = &snap->snapshot;

	*values = (struct oom_snapshot){.release = "6.1.0-test",
					.major = 6,
					.minor = 1,
					.page_size = SNAP_PAGE,
					.cpus = 4,
					.ram = nodes * (present - 100),
					.swappiness = 60,
					.is_complete = true};
	values->topology.normal = SNAP_NORMAL;
	values->topology.movable = SNAP_MOVABLE;
	values->topology.node = must(calloc(nodes, sizeof(*values->topology.node)));
	values->topology.nodes = nodes;
	for (size_t i = 0; i < nodes; i++)
		add_node(&values->topology, (unsigned)i, present);
	(void)snap_cgroup(snap, "/", OOM_NOBODY, OOM_UNLIMITED);
	snap->question =
		(struct oom_question){.task = OOM_NOBODY, .memcg = OOM_NOBODY, .constraint = OOM_DERIVED};
	return snap;
}

static void free_topology(struct topology *topology)
{
	for (size_t i = 0; i < topology->nodes; i++)
		free(topology->node[i].zone);
	free(topology->node);
	nodeset_clear(&topology->online);
	nodeset_clear(&topology->memory);
}

void snap_free(struct snap *snap)
{
	if (!snap)
		return;
	oom_forecast_clear(&snap->forecast);
	free_topology(&snap->snapshot.topology);
	for (size_t i = 0; i < snap->snapshot.tasks; i++) {
		free(snap->snapshot.task[i].thread);
		free(snap->snapshot.task[i].share);
	}
	free(snap->snapshot.task);
	free(snap->snapshot.memcg);
	for (size_t i = 0; i < snap->kepts; i++) {
		nodeset_clear(&((struct mempolicy *)snap->kept[i])->nodes);
		free(snap->kept[i]);
	}
	free(snap);
}

size_t snap_cgroup(struct snap *snap, const char *name, size_t parent, uint64_t max)
{
	struct oom_snapshot *values = &snap->snapshot;
	size_t count = values->memcgs + 1;

	values->memcg = must(reallocarray(values->memcg, count, sizeof(*values->memcg)));
	values->memcg[values->memcgs] = (struct oom_memcg){.name = name,
							   .parent = parent,
							   .has_memory = true,
							   .is_read = true,
							   .max = max,
							   .swap_max = OOM_UNLIMITED};
	return values->memcgs++;
}

size_t snap_thread(struct snap *snap, size_t task, const char *mems, const struct mempolicy *policy)
{
	struct oom_task *of = &snap->snapshot.task[task];

	of->thread = must(reallocarray(of->thread, of->threads + 1, sizeof(*of->thread)));
	of->thread[of->threads] = (struct oom_thread){
		.tid = of->pid + 1000 * (pid_t)of->threads,
		.mems = mems ? snap_nodes(snap, mems) : &snap->snapshot.topology.memory,
		.policy = policy,
		.has_policy = true,
	};
	return of->threads++;
}

size_t snap_task(struct snap *snap, const char *comm, uint64_t anon)
{
	struct oom_snapshot *values = &snap->snapshot;
	size_t at = values->tasks;

	if ((at & (at - 1)) == 0) /* full: double it */
		values->task = must(reallocarray(values->task, at ? 2 * at : 1, sizeof(*values->task)));
	values->task[at] = (struct oom_task){.pid = 100 + (pid_t)at,
					     .ppid = 1,
					     .comm = comm,
					     .start_time = at,
					     .score = -1,
					     .has_mm = true,
					     .anon = anon,
					     .memcg_order = at};
	values->tasks++;
	(void)snap_thread(snap, at, NULL, NULL);
	return at;
}

struct oom_task *snap_at(struct snap *snap, size_t task)
{
	return &snap->snapshot.task[task];
}

void snap_confine(struct snap *snap, size_t task, const char *mems)
{
	snap->snapshot.task[task].thread[0].mems = snap_nodes(snap, mems);
}

void snap_bind(struct snap *snap, size_t task, enum mempolicy_mode mode, const char *nodes)
{
	snap->snapshot.task[task].thread[0].policy = snap_policy(snap, mode, nodes);
}

void snap_hold(struct snap *snap, size_t task, unsigned node, uint64_t pages)
{
	struct oom_task *of = &snap->snapshot.task[task];

	of->share = must(reallocarray(of->share, of->shares + 1, sizeof(*of->share)));
	of->share[of->shares++] = (struct oom_share){node, pages * SNAP_PAGE, pages * SNAP_PAGE};
	of->has_shares = true;
}

void snap_free_pages(struct snap *snap, unsigned node, uint64_t pages)
{
	snap->snapshot.topology.node[node].zone[0].free = pages;
}

void snap_ask(struct snap *snap, size_t task)
{
	snap->question.task = task;
	snap->question.thread = 0;
}

int snap_forecast(struct snap *snap)
{
	oom_forecast_clear(&snap->forecast);
	memset(&snap->err, 0, sizeof(snap->err));
	return oom_forecast_make(&snap->snapshot, &snap->question, &snap->forecast, &snap->err);
}

__attribute__((format(printf, 2, 3))) static void append(struct snap *snap, const char *format, ...)
{
	size_t used = strlen(snap->text);
	va_list args;

	va_start(args, format);
	(void)vsnprintf(snap->text + used, sizeof(snap->text) - used, format, args);
	va_end(args);
}

static const char *comm_of(const struct snap *snap, size_t task)
{
	return snap->snapshot.task[task].comm;
}

static const char *gap(const struct snap *snap)
{
	return snap->text[0] ? " " : "";
}

const char *snap_kills(struct snap *snap)
{
	snap->text[0] = '\0';
	for (size_t i = 0; i < snap->forecast.kills; i++) {
		const struct oom_killed *killed = &snap->forecast.killed[i];
		append(snap, "%s%s", gap(snap), comm_of(snap, killed->task));
		if (killed->why != OOM_WHY_VICTIM)
			append(snap, ":%s", oom_why_name(killed->why));
	}
	return snap->text;
}

const char *snap_ranking(struct snap *snap)
{
	snap->text[0] = '\0';
	for (size_t i = 0; i < snap->forecast.candidates; i++)
		append(snap, "%s%s", gap(snap), comm_of(snap, snap->forecast.candidate[i].task));
	return snap->text;
}

const char *snap_skipped(struct snap *snap)
{
	snap->text[0] = '\0';
	for (size_t i = 0; i < snap->forecast.skips; i++)
		append(snap, "%s%s:%s", gap(snap), comm_of(snap, snap->forecast.skipped[i].task),
		       oom_skip_name(snap->forecast.skipped[i].reason));
	return snap->text;
}

const char *snap_then(struct snap *snap)
{
	snap->text[0] = '\0';
	for (size_t i = 0; i < snap->forecast.thens; i++) {
		const struct oom_then *then = &snap->forecast.then[i];
		const char *useful = then->useful == OOM_USEFUL	   ? "+"
				     : then->useful == OOM_USELESS ? "-"
								   : "?";
		append(snap, "%s%s%s", gap(snap), comm_of(snap, then->task), useful);
	}
	return snap->text;
}

const char *snap_warnings(struct snap *snap)
{
	snap->text[0] = '\0';
	for (size_t i = 0; i < snap->forecast.warnings; i++)
		append(snap, "%s%s", i ? "\n" : "", snap->forecast.warning[i]);
	return snap->text;
}

const struct oom_candidate *snap_row(const struct snap *snap, size_t task)
{
	for (size_t i = 0; i < snap->forecast.candidates; i++)
		if (snap->forecast.candidate[i].task == task)
			return &snap->forecast.candidate[i];
	return NULL;
}
