/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving processes, or threads, into a cgroup. */
#ifndef CGPOL_ACT_MOVE_H
#define CGPOL_ACT_MOVE_H

#include "host/proc.h"
#include "policy/change.h"

enum { MOVE_ROUNDS = 64 }; /* a good number: each round takes what was forked during the one before */

enum move_result { MOVE_PLANNED, MOVE_MOVED, MOVE_THERE, MOVE_GONE, MOVE_DENIED };

struct moved {
	pid_t pid;
	char comm[PROC_COMM_SIZE]; /* raw bytes */
	char *from;		   /* the cgroup it was in; owned; NULL: not known */
	enum move_result result;   /* MOVE_THERE: it was in the cgroup already */
	struct cgpol_error why;	   /* MOVE_DENIED */
	size_t pinned; /* threads that may use fewer cpus than the cgroup has: an affinity of their own */
};

struct move_request {
	const pid_t *pid; /* these; or */
	size_t pids;
	const char *from; /* all of this cgroup, again and again until it is empty, at most `rounds` times */
	const char
		*match; /* only whose command name matches (POSIX extended regular expression); NULL: all */
	const char *to;
	bool is_thread;
	unsigned rounds;
	const char *comm;      /* only with just this command name; NULL: all */
	unsigned milliseconds; /* no round begins later; 0: whenever */
	bool is_new;	       /* `to` will be made: only to tell what would be moved */
	bool is_forced;	       /* process 1 too */
	bool resets_affinity;  /* give threads with an affinity of their own all cpus of the cgroup */
};

/* Zero-initialised it is empty. Give it back with moves_clear, and that after change_close: the change
 * borrows the plans. */
struct moves {
	struct moved *moved;
	size_t count;
	size_t left; /* of `from`: that are in it still, and match */
	unsigned rounds;
	struct plan **plan; /* one a round, each step optional; owned. Also after a failure */
	size_t plans;
};

/* Moves; a process that goes or is denied does not stop the others, each is told. `change` NULL: only tells
 * what it would move, with one plan. Each is read back from /proc/PID/cgroup; of threads those beside it too,
 * which must stay where they are (PAIN P10): if one moved, that is CGPOL_FAILED. A named pid that is a thread
 * is denied without is_thread, since the kernel would move all of its process. Fails only where nothing can
 * be moved: a cgroup does not exist, takes no processes (why, policy/explain.h), a bad expression
 * (CGPOL_USAGE). The caller ends or aborts the change. */
int move(struct cgpol_host *host, struct change *change, const struct move_request *request,
	 struct moves *moves, struct cgpol_error *err);
void moves_clear(struct moves *moves);
const char *move_result_name(enum move_result result); /* "planned", "moved", "there", "gone", "denied" */

#endif
