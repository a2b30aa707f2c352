/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Snapshots by hand: a machine, its cgroups and processes in a few lines a scenario, and forecasts as text.
 */
#ifndef CGPOL_TEST_SNAPSHOTS_H
#define CGPOL_TEST_SNAPSHOTS_H

#include "memory/oom.h"

enum { SNAP_PAGE = 4096, SNAP_NORMAL = 2, SNAP_MOVABLE = 3 };

/* A machine, a question (at first: an unrestricted task, everything derived), and the last forecast. The
 * values may be changed at will; indices stay valid when more is added, pointers into arrays do not. */
struct snap {
	struct oom_snapshot snapshot;
	struct oom_question question;
	struct oom_forecast forecast;
	struct cgpol_error err;
	void *kept[512]; /* struct nodeset and struct mempolicy that the snapshot points to */
	size_t kepts;
	char text[4096];
};

/* Kernel 6.1.0, 4 cpus, `nodes` nodes of one Normal zone with `present` pages each, nothing free, no swap,
 * swappiness 60; a root cgroup, no processes. `ram` is 100 pages a node below the sum of present. */
struct snap *snap_new(size_t nodes, uint64_t present);
void snap_free(struct snap *snap);

const struct nodeset *snap_nodes(struct snap *snap, const char *list);
const struct mempolicy *snap_policy(struct snap *snap, enum mempolicy_mode mode, const char *nodes);

/* A cgroup with a memory css, read, using nothing, swap.max unlimited. Returns its index; 0 is the root. */
size_t snap_cgroup(struct snap *snap, const char *name, size_t parent, uint64_t max);
/* A process of `anon` pages in the root cgroup: pid 100 + index, every node with memory allowed, no policy.
 * Its place in a walk of cgroups is its index too. */
size_t snap_task(struct snap *snap, const char *comm, uint64_t anon);
/* The process; the pointer is good until the next snap_task. */
struct oom_task *snap_at(struct snap *snap, size_t task);
/* One more thread; returns its index in the process. mems NULL: every node with memory. */
size_t snap_thread(struct snap *snap, size_t task, const char *mems, const struct mempolicy *policy);
/* mems_allowed of the process's first thread. */
void snap_confine(struct snap *snap, size_t task, const char *mems);
/* Task policy of the process's first thread. */
void snap_bind(struct snap *snap, size_t task, enum mempolicy_mode mode, const char *nodes);
/* What a process holds on a node, all of it freed by its death. */
void snap_hold(struct snap *snap, size_t task, unsigned node, uint64_t pages);
/* Free pages of a node's first zone. */
void snap_free_pages(struct snap *snap, unsigned node, uint64_t pages);

/* The first thread of `task` allocates. */
void snap_ask(struct snap *snap, size_t task);
/* oom_forecast_make; -errno as it comes, the sentence in snap->err. */
int snap_forecast(struct snap *snap);

/* Parts of the last forecast as text, in snap->text. */
const char *snap_kills(struct snap *snap);    /* "a b:shares_mm c:oom_group": the victim is first */
const char *snap_ranking(struct snap *snap);  /* candidates in order: "a b c" */
const char *snap_skipped(struct snap *snap);  /* "init:init k:kthread" */
const char *snap_then(struct snap *snap);     /* "b- c+": later kills; + useful, - useless, ? unknown */
const char *snap_warnings(struct snap *snap); /* one a line */
/* The row of a candidate, or NULL. */
const struct oom_candidate *snap_row(const struct snap *snap, size_t task);

static inline void snap_free_p(struct snap **snap)
{
	snap_free(*snap);
}

#endif
