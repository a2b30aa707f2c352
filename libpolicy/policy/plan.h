/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan: the ordered steps that make one cgroup obey one policy. Pure: what is there comes in as values. */
#ifndef CGPOL_POLICY_PLAN_H
#define CGPOL_POLICY_PLAN_H

#include "policy/current.h"

enum step_op {
	STEP_MKDIR,    /* makes the cgroup */
	STEP_ENABLE,   /* writes "+CONTROLLER" into cgroup.subtree_control of `cgroup` */
	STEP_SET,      /* writes a value into a file of the cgroup */
	STEP_THREADED, /* writes "threaded" into cgroup.type: only a removal takes that back */
	STEP_OWNER,    /* gives a file of the cgroup (NULL: its directory) to new_value, "UID:GID" */
	STEP_ATTACH,   /* moves `pid` into the cgroup (is_thread: one thread); old_value: the one it is in */
	STEP_RECLAIM,  /* asks memory.reclaim for new_value bytes; less than all of it is no failure */
	STEP_CHECK,    /* fails (-EBUSY) unless the number in the file is at most new_value */
	STEP_KILL,     /* ends every process of the cgroup and below, and waits until they are gone */
	STEP_RMDIR,    /* removes the cgroup; old_value, found when it is done: what making it again needs */
	/* Of no cgroup: `cgroup` is NULL. */
	STEP_HOST,     /* writes a value into a file of the machine; `file` is its path */
	STEP_SAVE,     /* makes or replaces a configuration file; old_value NULL: there is none */
	STEP_TASK,     /* writes a value into /proc/PID/FILE ("oom_score_adj") */
	STEP_AFFINITY, /* sched_setaffinity(2) of thread `pid`: a list of cpus */
};

struct step {
	enum step_op op;
	char *cgroup;	     /* which cgroup, with a leading slash */
	char *file;	     /* NULL where the operation says which */
	char *old_value;     /* what is there now; NULL when the file or the cgroup does not exist yet */
	char *new_value;     /* NULL for STEP_MKDIR */
	char *absent;	     /* a list: why a part of it is not used now (policy/wanted.h), or NULL */
	bool is_optional;    /* a step that may fail without harm (a controller that is only good to have) */
	bool is_thread;	     /* STEP_ATTACH: cgroup.threads, not cgroup.procs */
	pid_t pid;	     /* STEP_ATTACH, STEP_TASK, STEP_AFFINITY */
	uint64_t start_time; /* of that process or thread (host/proc.h): tells it from a later one of its
				number */
	const char *lost; /* what undo cannot bring back: "pages that were migrated"; NULL: nothing. Static */
	const char *why;  /* why it is there, or there and not elsewhere in the order; NULL. Static */
};

struct plan {
	char *cgroup;
	struct step *step;
	size_t steps; /* 0: all is as wanted */
	bool is_kept; /* made cgroups are not marked for removal, the last one as kept; set by the caller */
	bool is_lasting; /* every made cgroup is marked as kept (cgpol create, set); set by the caller */
	/* Kept by plan_add and its like. */
	size_t room;	 /* steps for which there is memory */
	size_t inserted; /* how often steps moved to other places */
};

/* Compares and lists what would change: levels from the root down (mkdir, and the controllers that the policy
 * needs enabled in each level above the last), then the values in the order the kernel needs (limits that
 * depend on each other so that no step is refused: cpuset.mems before cpuset.cpus.partition, memory.high
 * before memory.max when lowering, after it when raising, ...). A value that is there already is no step.
 * Fails with the cause and the ancestor named when it cannot work: a controller that is not available (from
 * which ancestor on), a cpu or node outside the parent's effective set (which ancestor narrows it), possible,
 * online, or without memory; a cgroup with processes that would get children with controllers (no internal
 * processes); a threaded one; a key this kernel does not have. Kinds: CGPOL_UNSUPPORTED, CGPOL_REFUSED,
 * CGPOL_USAGE. */
/* `also`: a controller that is enabled too where that is possible ("memory", to count OOM kills), in optional
 * steps; or NULL. */
int plan_make(const struct current *current, const struct cgpol_policy *policy, const char *also,
	      struct plan **plan, struct cgpol_error *err);
/* What may be asked for besides. */
struct plan_request {
	const struct cgpol_policy *policy; /* may have no settings, but is not NULL */
	const char *cgroup;
	const char *also; /* as of plan_make */
	/* The processes of a cgroup that is to hand on a controller, and may have none then, are moved into
	 * its child of this name, which is made when it is missing; each in an optional step, since it may
	 * end before. NULL: that is refused. */
	const char *leaf;
	/* Only those moves, none when nobody is in the way: to be read and done again until there are none,
	 * since processes fork while they are moved. Then the rest can be planned. */
	bool is_leaf_only;
	/* The cgroup is to be "threaded", which turns the one above it into "domain threaded". Only
	 * controllers that manage threads will do. */
	bool is_threaded;
};
/* `current` was read for request->policy and also; of a threaded one with its own type. */
int plan_make_with(const struct current *current, const struct plan_request *request, struct plan **plan,
		   struct cgpol_error *err);
int plan_read_with(struct cgpol_host *host, const struct plan_request *request, struct plan **plan,
		   struct cgpol_error *err);
void plan_free(struct plan *plan);
/* An empty one. `cgroup` NULL: of no cgroup. 0 or -ENOMEM. */
int plan_new(const char *cgroup, struct plan **plan);
/* Adds a copy of a step at the end. 0 or -ENOMEM. */
int plan_add(struct plan *plan, const struct step *step);
/* Inserts a copy of a step before step `at`. 0 or -ENOMEM. */
int plan_insert(struct plan *plan, size_t at, const struct step *step);
/* Moves the steps of `more` to the end of `plan` and leaves it empty; a cgroup or controller that the plan
 * makes or enables already is left out. One that joins n plans needs time in proportion to all their steps:
 * it keeps `index` from call to call. 0 or -ENOMEM. */
struct plan_index;
int plan_join(struct plan *plan, struct plan *more, struct plan_index **index);
void plan_index_free(struct plan_index *index);
/* current_read and plan_make in one. */
int plan_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
	      const char *also, struct plan **plan, struct cgpol_error *err);

static inline void plan_free_p(struct plan **plan)
{
	plan_free(*plan);
}

#endif
