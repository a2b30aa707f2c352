/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process as values, and the list of all. */
#ifndef CGPOL_HOST_PROC_H
#define CGPOL_HOST_PROC_H

#include "host/host.h"

#define PROC_COMM_SIZE \
	65 /* kernel threads' names are up to 64 bytes in stat (fs/proc/array.c proc_task_name) */

/* /proc/PID/status, which is the same for a process and each of its threads. Sizes in bytes. */
struct proc_status {
	pid_t tgid, ppid;
	char state;				/* 'R', 'S', 'Z', ... */
	bool has_mm;				/* VmRSS is printed: not a kernel thread, not a zombie */
	uint64_t rss_anon, rss_file, rss_shmem; /* before 4.5 only the sum is known: in rss_anon */
	uint64_t swap;				/* VmSwap: anonymous swap entries */
	uint64_t pgtables;			/* VmPTE: PTE, PMD and PUD tables since 4.15 */
	uint64_t hugetlb;			/* HugetlbPages */
	uint64_t locked;			/* VmLck */
	uint64_t vm_size;			/* VmSize */
	uint64_t threads;
	bool is_dying;	 /* SIGKILL pending for the thread or the process */
	bool is_dumping; /* CoreDumping */
	char *mems;	 /* Mems_allowed_list, NULL without CONFIG_CPUSETS; owned */
};

/* /proc/PID/stat */
struct proc_stat {
	char comm[PROC_COMM_SIZE]; /* raw bytes */
	char state;
	pid_t ppid;
	uint64_t flags;	     /* PF_*, include/linux/sched.h */
	uint64_t start_time; /* clock ticks since boot */
	uint64_t start_stack,
		arg_start; /* of the mm, 0 without ptrace permission: equal in processes that share it */
};
enum { PROC_EXITING = 0x4, PROC_KTHREAD = 0x200000 };

void proc_status_clear(struct proc_status *status);

/* Pure parsers of the two files. -EINVAL when a needed part is missing, negative, out of range or malformed.
 */
int proc_status_parse(const char *text, struct proc_status *status);
int proc_stat_parse(const char *text, struct proc_stat *stat);

/* All process ids, ascending. */
int proc_list(struct cgpol_host *host, pid_t **pids, size_t *count);
/* The thread ids of a process, ascending, which is the kernel's thread list order but after a wrap of pids.
 */
int proc_threads(struct cgpol_host *host, pid_t pid, pid_t **tids, size_t *count);
int proc_read_status(struct cgpol_host *host, pid_t pid, struct proc_status *status);
int proc_read_thread_status(struct cgpol_host *host, pid_t pid, pid_t tid, struct proc_status *status);
int proc_read_stat(struct cgpol_host *host, pid_t pid, struct proc_stat *stat);
int proc_read_adj(struct cgpol_host *host, pid_t pid, int *oom_score_adj);
int proc_read_score(struct cgpol_host *host, pid_t pid, int *oom_score);
/* Resident pages by /proc/PID/statm. */
int proc_read_resident(struct cgpol_host *host, pid_t pid, uint64_t *pages);
/* The v2 cgroup; see cgroup_of_text. */
int proc_read_cgroup(struct cgpol_host *host, pid_t pid, char **name);
/* numa_maps of a thread: whole, or only its head. The caller frees the text. */
int proc_read_numa_maps(struct cgpol_host *host, pid_t pid, pid_t tid, bool head, char **text);

/* How much of a process's anonymous memory others map too, in bytes, at most: from the text of smaps_rollup,
 * or of any of its threads. -EINVAL when a line is missing; no kernel before 4.14 has the file. */
int proc_shared_anon_parse(const char *text, uint64_t *bytes);
int proc_read_shared_anon(struct cgpol_host *host, pid_t pid, pid_t tid, uint64_t *bytes);

/* Is this the errno of a process that went away meanwhile? */
bool proc_is_gone(int rc);

#endif
