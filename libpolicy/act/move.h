/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving processes, or threads, into a cgroup. */
#ifndef CGPOL_ACT_MOVE_H
#define CGPOL_ACT_MOVE_H

#include "host/proc.h"
#include "policy/change.h"

enum move_result { MOVE_PLANNED, MOVE_MOVED, MOVE_THERE, MOVE_GONE, MOVE_DENIED };

struct moved {
	pid_t pid;
	char comm[PROC_COMM_SIZE]; /* raw bytes */
	char *from;		   /* the cgroup it was in; owned */
	enum move_result result;   /* MOVE_THERE: it was in the cgroup already */
	struct cgpol_error why;	   /* MOVE_DENIED */
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
};

/* Zero-initialised it is empty. Give it back with moves_clear. */
struct moves {
	struct moved *moved;
	size_t count;
	size_t left; /* of `from`: that are in it still, and match */
};

/* Moves; a process that goes or is denied does not stop the others, each is told. `change` NULL: only tells
 * what it would move. Each is read back from /proc/PID/cgroup; of threads those beside it too, which must
 * stay where they are (PAIN P10). Fails only where nothing can be moved: the cgroup does not exist, takes no
 * processes (why, policy/explain.h), a bad expression (CGPOL_USAGE). */
int move(struct cgpol_host *host, struct change *change, const struct move_request *request,
	 struct moves *moves, struct cgpol_error *err);
void moves_clear(struct moves *moves);

#endif
