/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Did the OOM killer strike a command, and why: by its cgroup's counters and the kernel's log. */
#ifndef CGPOL_ACT_OOMLINE_H
#define CGPOL_ACT_OOMLINE_H

#include "host/host.h"

struct oom_kills {
	uint64_t processes; /* oom_kill of memory.events, with all descendants */
	uint64_t groups;    /* oom_group_kill; 0 before 5.17 */
	bool is_known;	    /* false: the cgroup has no memory controller */
};

enum { OOMLINE_COMM_SIZE = 16 }; /* TASK_COMM_LEN */

struct oomline {
	pid_t pid;			  /* the victim; 0: not known */
	char comm[OOMLINE_COMM_SIZE];	  /* raw bytes; "": not known */
	enum cgpol_constraint constraint; /* CGPOL_CONSTRAINT_DERIVED: not known */
	char *nodes;			  /* of the cpuset or the policy, where that is the constraint */
	char *cgroup;	/* whose limit it was, below the mount; NULL: not known, or outside */
	uint64_t limit; /* its memory.max, UINT64_MAX: not known */
	bool is_guess;	/* by counters only: an ancestor that was full at some time */
};

struct oomline_search {
	pid_t pid;	    /* this process, */
	const char *cgroup; /* or one of this cgroup and below, as the kernel writes it; or NULL */
	uint64_t since_us;  /* not before this time since boot; lines without a time count when it is 0 */
};

int oomline_count(struct cgpol_host *host, const char *cgroup, struct oom_kills *kills);
/* The last kill that fits in the text of the kernel's log ("oom-kill:constraint=..." of mm/oom_kill.c
 * dump_oom_summary, since 4.20). A process chooses its name, so what stands behind it is found from the
 * right, and only the start of a record counts. Pure. -ENOENT when there is none. */
int oomline_parse(const char *log, const struct oomline_search *search, struct oomline *line);
/* The same from this machine's log, or where that is kept from us by the counters of the cgroup and its
 * ancestors (memory.events.local). `cgroup` NULL: only the process, by the log. -ENOENT: nothing is known. */
int oomline_read(struct cgpol_host *host, const char *cgroup, pid_t pid, uint64_t since_us,
		 struct oomline *line);
void oomline_clear(struct oomline *line);

#endif
