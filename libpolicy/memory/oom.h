/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The OOM killer's decision as a pure function: a snapshot and a question in, a forecast out. */
#ifndef CGPOL_MEMORY_OOM_H
#define CGPOL_MEMORY_OOM_H

#include "host/topology.h"
#include "memory/mempolicy.h"

/* All quantities are base pages unless the name says otherwise. */

#define OOM_NOBODY SIZE_MAX /* no index */
#define OOM_NEVER INT64_MIN /* points of a task that oom_badness() never picks */
#define OOM_UNLIMITED UINT64_MAX
/* More pages than any machine has. Only a forged file says more; it is cut to this, so that no sum overflows.
 */
#define OOM_PAGES_MAX (UINT64_C(1) << 54)

struct oom_thread {
	pid_t tid;
	const struct nodeset *mems;	/* Mems_allowed_list; NULL: could not be read */
	const struct mempolicy *policy; /* task policy; NULL: not read or not readable, see has_policy */
	bool has_policy; /* read: a NULL policy then means none (an exiting thread has dropped it) */
	bool is_mixed;	 /* its mappings disagree: the policy is likely, not sure */
};

/* What a task holds on one node, in bytes. */
struct oom_share {
	unsigned node;
	uint64_t bytes, freed; /* mapped there; what its death gives back there */
};

struct oom_task {
	pid_t pid, ppid;
	const char *comm;    /* raw bytes */
	uint64_t start_time; /* clock ticks since boot */
	int adj;	     /* oom_score_adj */
	int score;	     /* /proc/PID/oom_score, -1 unknown */
	bool is_init, is_kthread, has_mm, is_dying, is_unreadable, has_vanished;
	bool is_oom_victim;    /* dying by the OOM killer; from /proc that is only inferred */
	bool is_vfork_child;   /* shares the mm of its parent and the kernel scores it 0 */
	bool is_zombie_leader; /* the leader has exited, other threads live */
	uint64_t anon, file, shmem, swap, pgtables;
	size_t memcg;		   /* index in oom_snapshot.memcg of its own cgroup; OOM_NOBODY unknown */
	uint64_t memcg_order;	   /* place in the walk of an OOM domain's cgroups; UINT64_MAX unknown */
	unsigned mm;		   /* tasks with the same number share an mm; 0: nobody shares it */
	struct oom_thread *thread; /* the leader first; more only where one thread can decide */
	size_t threads;
	struct oom_share *share; /* by node; NULL: not read (yet) or not readable */
	size_t shares;
	bool has_shares;
	bool shares_tried; /* reading was tried: do not ask again */
	bool growth_tried; /* it was looked for */
	int64_t grew;	   /* by how much it grew while the snapshot was made */
};

struct oom_memcg {
	const char *name;	/* cgroup, "/" for the root */
	size_t parent;		/* OOM_NOBODY for the root */
	bool has_memory;	/* has a memory css of its own; the root counts as having one */
	bool is_read;		/* the numbers below were read: only on the paths the question names */
	uint64_t max, swap_max; /* OOM_UNLIMITED: none */
	uint64_t current, swap_current, file, anon, slab;
	bool oom_group;
};

struct oom_snapshot {
	const char *release;
	unsigned major, minor, patch;
	uint64_t page_size;
	unsigned cpus;
	uint64_t ram, swap_total, swap_free;
	uint64_t ram_free; /* MemFree */
	uint64_t swappiness, panic_on_oom;
	bool kill_allocating; /* vm.oom_kill_allocating_task */
	struct topology topology;
	struct oom_task *task; /* in the kernel's order: creation, then pid */
	size_t tasks;
	struct oom_memcg *memcg; /* [0] is the root; parents before children */
	size_t memcgs;
	bool is_complete;	 /* every process was seen, and read with the right to read all of it */
	bool has_unknown_limits; /* limits or groups of cgroups, or cgroups of processes, could not be read */
	bool memory_on_v1;	 /* memcg limits exist on cgroup v1 and are not modelled */
	char **warning;		 /* from reading: other OOM killers, unreadable parts */
	size_t warnings;
};

enum oom_constraint { OOM_NONE, OOM_CPUSET, OOM_MEMORY_POLICY, OOM_MEMCG, OOM_DERIVED = -1 };

struct oom_question {
	size_t task;   /* the allocating task, or OOM_NOBODY */
	size_t thread; /* index of the allocating thread in it */
	size_t memcg;  /* without task: where an ordinary task is assumed; OOM_NOBODY: --system */
	const struct nodeset *mems;	/* without task: its mems_allowed; NULL: every node */
	const struct mempolicy *policy; /* policy of the mapping, or NULL */
	const struct nodeset *nodes;	/* overrides the constraint's nodes, or NULL */
	int constraint;			/* enum oom_constraint */
	bool is_kernel;			/* page tables and slab, allocated for the task */
};

/* Where memory is short, and what the points are scaled by. See domain.h for how it is found. */
struct oom_domain {
	enum oom_constraint constraint;
	struct nodeset nodes;	/* M for memory_policy, the trigger's mems_allowed for cpuset; else empty */
	struct nodeset mems;	/* mems_allowed of the trigger: decides who is eligible for none and cpuset */
	struct nodeset allowed; /* nodes the page may come from */
	size_t memcg;		/* for memcg: D */
	uint64_t totalpages;
	unsigned highest_zone; /* zone index: the allocation may not use those above */
	bool lacks_headroom;   /* the zones of the nodes could not be read: there is none to name */
	uint64_t headroom, headroom_low, headroom_high;
	bool is_close;			/* another limit ends within the error of the estimate */
	const struct mempolicy *policy; /* the one that governs the page; NULL: default */
};

enum oom_outcome { OOM_KILL, OOM_KILL_ALLOCATING, OOM_PANIC, OOM_NO_VICTIM, OOM_BLOCKED };
enum oom_certainty { OOM_CERTAIN, OOM_LIKELY, OOM_AMBIGUOUS };
enum oom_why { OOM_WHY_VICTIM, OOM_WHY_SHARES_MM, OOM_WHY_GROUP };
enum oom_useful { OOM_USEFUL_UNKNOWN = -1, OOM_USELESS, OOM_USEFUL };

enum oom_skip_reason {
	OOM_ELIGIBLE, /* not skipped */
	OOM_SKIP_INIT,
	OOM_SKIP_KTHREAD,
	OOM_SKIP_ADJ,
	OOM_SKIP_CPUSET,
	OOM_SKIP_MEMPOLICY,
	OOM_SKIP_OUTSIDE_MEMCG,
	OOM_SKIP_VFORK,
	OOM_SKIP_VICTIM,
	OOM_SKIP_REAPED,
	OOM_SKIP_HIDDEN,
	OOM_SKIP_NO_MM,
	OOM_SKIP_UNREADABLE,
	OOM_SKIP_VANISHED,
	OOM_SKIP_REASONS,
};

/* One eligible task with its points term by term: points = rss + swap + pgtables + grow + adj, always. */
struct oom_candidate {
	size_t task;
	int64_t points;
	uint64_t rss, swap, pgtables, grow;
	int64_t adj;
	int64_t low, high; /* the interval of the points at the time of the OOM */
};

struct oom_skipped {
	size_t task;
	enum oom_skip_reason reason;
};

struct oom_killed {
	size_t task;
	enum oom_why why;
};

struct oom_then {
	size_t task;
	int64_t points;
	enum oom_useful useful;
};

struct oom_forecast {
	struct oom_domain domain;
	enum oom_outcome outcome;
	enum oom_certainty certainty;
	struct oom_candidate *candidate; /* in the kernel's order of preference */
	size_t candidates;
	struct oom_skipped *skipped;
	size_t skips;
	size_t skipped_count[OOM_SKIP_REASONS];
	struct oom_killed *killed; /* [0] is the victim; each process once */
	size_t kills;
	int64_t victim_points;
	bool has_margin;
	int64_t margin;		 /* to the runner-up, which has another mm */
	uint64_t freed_bytes;	 /* by the kill set */
	struct oom_share *freed; /* by node; NULL with has_freed false: not known */
	size_t frees;
	bool has_freed;
	enum oom_useful useful;
	struct oom_then *then;
	size_t thens;
	bool is_complete;
	char **warning;
	size_t warnings;
};

/* Decides. Pure: no I/O, the same answer for the same values. 0 or -ENOMEM, or -ENODATA with a sentence when
 * the question cannot be asked of this snapshot (a memcg OOM where nothing limits the trigger). */
int oom_forecast_make(const struct oom_snapshot *snapshot, const struct oom_question *question,
		      struct oom_forecast *forecast, struct cgpol_error *err);
void oom_forecast_clear(struct oom_forecast *forecast);
/* Adds a warning once. 0 or -ENOMEM. */
__attribute__((format(printf, 2, 3))) int oom_warn(struct oom_forecast *forecast, const char *format, ...);

/* The words of cgpol-predict(1) and the kernel's. */
const char *oom_constraint_name(enum oom_constraint constraint);
const char *oom_outcome_name(enum oom_outcome outcome);
const char *oom_certainty_name(enum oom_certainty certainty);
const char *oom_why_name(enum oom_why why);
const char *oom_skip_name(enum oom_skip_reason reason);

#endif
