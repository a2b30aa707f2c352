/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory: nodes, cgroups and processes written as the kernel prints them. */
#ifndef CGPOL_TEST_MACHINE_H
#define CGPOL_TEST_MACHINE_H

#include "host/host.h"

/* Zeros are sensible defaults: a sleeping process of the root cgroup with default policy, free to use nodes
 * 0-1. */
struct machine_process {
	pid_t pid, ppid, tgid; /* tgid: a thread of this process, when not 0 */
	const char *comm;
	unsigned long long start; /* clock ticks since boot; 0: the pid */
	unsigned long anon_kib, file_kib, shmem_kib, swap_kib, pgtables_kib;
	int adj;
	int score;		  /* oom_score; 0: 700, which means nothing special; -1: really 0 */
	const char *cgroup;	  /* "/" */
	const char *mems;	  /* "0-1" */
	const char *policy;	  /* "default" */
	unsigned node;		  /* where anon lives */
	unsigned long long stack; /* start_stack; 0: unique */
	unsigned threads;	  /* 0: 1 */
	bool is_kthread, is_zombie, is_dying;
};

/* Nodes 0 and 1: each 262144 pages present, of which 25600 (100 MiB) above the watermarks are free; no page
 * cache, no swap; cgroup2 at /sys/fs/cgroup with memory and cpuset. Kernel 6.1.0, 4 cpus. */
struct root *machine_new(void);
void machine_add(struct root *root, const struct machine_process *process);
/* A cgroup with memory files; `max` in bytes, 0 for "max". */
void machine_cgroup(struct root *root, const char *name, unsigned long long max, unsigned long long current,
		    bool oom_group);
/* Lists the processes of a cgroup in cgroup.procs ("12\n11\n"). */
void machine_procs(struct root *root, const char *name, const char *procs);

#endif
