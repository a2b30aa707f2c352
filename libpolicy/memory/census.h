/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads every process into the rows of a snapshot. */
#ifndef CGPOL_MEMORY_CENSUS_H
#define CGPOL_MEMORY_CENSUS_H

#include "host/host.h"
#include "memory/memcg.h"
#include "memory/oom.h"
#include "memory/pool.h"

/* Where the row of a process is. */
struct census_place {
	pid_t pid;
	size_t at;
};

struct census {
	struct oom_task *task; /* in order of creation: start time, then pid */
	size_t tasks;
	struct census_place *place; /* sorted by pid */
	bool has_unknown_mm;	    /* who shares an mm could not be found out of all */
	bool has_unknown_cgroup;    /* a process lives in a cgroup that cannot be seen from here */
};

/* Reads all processes but the reader itself, and finds out who shares an mm. Each gets one thread: its
 * leader. `kills`: OOM kills since boot (/proc/vmstat oom_kill): without any, a dying process is no OOM
 * victim. Processes that vanish meanwhile stay as rows that say so. */
int census_take(struct cgpol_host *host, struct pool *pool, struct memcg_list *memcgs, uint64_t kills,
		struct census *census);
void census_clear(struct census *census);
/* The row of a process, or OOM_NOBODY. */
size_t census_find(const struct census *census, pid_t pid);
/* Adds a thread to a row, if it is not there, and tells its index. Gone: -ESRCH. */
int census_add_thread(struct cgpol_host *host, struct pool *pool, struct oom_task *task, pid_t tid,
		      size_t *index);
/* Adds all threads of a process: for one that its leader alone would exclude. */
int census_add_threads(struct cgpol_host *host, struct pool *pool, struct oom_task *task);
/* Reads the task policy of a thread. Only -ENOMEM is an error: a policy that cannot be read stays unknown. */
int census_read_policy(struct cgpol_host *host, struct pool *pool, const struct oom_task *task,
		       struct oom_thread *thread);

#endif
