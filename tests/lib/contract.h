/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of calls and what the kernel answers, played on any root: the fake kernel or a real one. */
#ifndef CGPOL_TEST_CONTRACT_H
#define CGPOL_TEST_CONTRACT_H

#include <stdio.h>
#include <sys/types.h>

#include "host/root.h"

/* What a process is to be when it begins. */
struct contract_task {
	bool has_thread; /* a second one */
	uint64_t bytes;	 /* anonymous memory that it touches */
	pid_t pid, tid;	 /* comes back: its own, and the second thread's */
};

/* How processes come and go: in the real kernel they are real. Each returns 0 or -errno. */
struct contract_processes {
	int (*start)(struct root *root, const char *cgroup,
		     struct contract_task *task); /* clone3(2) into the cgroup */
	void (*end)(struct root *root, pid_t pid);
};

/* Plays the rules (tests/contract/rules.txt tells how they are written); cgroup2 is at /sys/fs/cgroup. Prints
 * "line N: ..." to `out` for each answer that differs. Returns how many do; -1 for a line that is not
 * understood. *played: how many were played. */
int contract_play(struct root *root, const struct contract_processes *processes, const char *rules, FILE *out,
		  unsigned *played);

#endif
