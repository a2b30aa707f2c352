/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory that can be changed: cgroup2 at /sys/fs/cgroup with the kernel's rules, the processes
 * in it, the kernel's settings, and plain files for the rest. */
#ifndef CGPOL_TEST_FAKEKERNEL_H
#define CGPOL_TEST_FAKEKERNEL_H

#include "host/root.h"

/* Kernel 6.1.0, 4 cpus (of 8 possible), nodes 0-1 with memory, 1 GiB each (of 4 possible), pages of 4 KiB, no
 * swap; /proc/sys/vm and kernel.numa_balancing as they are after a boot; folders /etc and /etc/sysctl.d. The
 * root's controllers: "cpuset cpu io memory hugetlb pids" when NULL; none is enabled. */
struct root *fakekernel_new(const char *controllers);
/* Replaces the machine's sets; each may be NULL. */
void fakekernel_machine(struct root *root, const char *possible_cpus, const char *online_cpus,
			const char *possible_nodes, const char *memory_nodes);
/* Another kernel ("5.10.0"): without the files that came later (cgroup.kill 5.14, cpu.idle 5.15,
 * memory.reclaim 5.19), and with what it does to an affinity when a cpuset changes (lost before 6.2, kept
 * since). */
void fakekernel_release(struct root *root, const char *release);
/* Adds or replaces a file outside cgroup2; so also one of /proc/PID, instead of what the fake would say. */
void fakekernel_put(struct root *root, const char *path, const char *text);
/* root_write may replace the text of this file from now on; what is written gets a newline behind it. */
void fakekernel_writable(struct root *root, const char *path);
/* Makes cgroups with all their parents, every controller enabled above the last; "knob=value" settings
 * follow, up to a NULL. Nothing of it counts as an access. */
void fakekernel_cgroup(struct root *root, const char *name, ...) __attribute__((sentinel));
/* One write, mkdir (file NULL) or rmdir by somebody else, which does not count: 0 or -errno. */
int fakekernel_poke(struct root *root, const char *cgroup, const char *file, const char *text);
int fakekernel_rmdir(struct root *root, const char *cgroup);
/* The owner of a file of a cgroup, or (NULL) of its directory. */
void fakekernel_own(struct root *root, const char *cgroup, const char *file, uint32_t uid, uint32_t gid);

/* A process comes into being in a cgroup (0 or -errno), and ends. It has one thread, of its own number, and
 * files in /proc/PID and /proc/PID/task/TID: cgroup, stat, status, comm, cmdline, oom_score_adj. */
int fakekernel_start(struct root *root, const char *cgroup, pid_t pid);
void fakekernel_end(struct root *root, pid_t pid);
/* A process starts another one (fork) or a thread: in the cgroup of its first thread. */
int fakekernel_fork(struct root *root, pid_t parent, pid_t pid);
int fakekernel_thread(struct root *root, pid_t pid, pid_t tid);
void fakekernel_comm(struct root *root, pid_t pid, const char *comm);

enum fakekernel_behaviour {
	FAKEKERNEL_IGNORES = 1, /* signals but SIGKILL */
	FAKEKERNEL_STUCK = 2,	/* uninterruptible: neither dies nor freezes */
	FAKEKERNEL_KTHREAD = 4, /* of the kernel, bound to its cgroup: EINVAL */
	FAKEKERNEL_FOREIGN = 8, /* somebody else's: every change of it is denied (EACCES, EPERM) */
	FAKEKERNEL_ZOMBIE = 16, /* has ended, and nobody waited for it: in no cgroup.procs */
};
void fakekernel_behave(struct root *root, pid_t pid, unsigned behaviour);
/* The cgroup ("/a") of a process or thread, NULL when there is none; valid until the next call. */
const char *fakekernel_where(struct root *root, pid_t tid);

/* What a cgroup itself has on a node (0-3), in bytes; it is in memory.current of those above too. The kernel
 * can reclaim what is file, and anon as far as there is swap (fakekernel_swap) and memory.swap.max allows;
 * never what is pinned. */
void fakekernel_use(struct root *root, const char *cgroup, unsigned node, uint64_t anon, uint64_t file);
void fakekernel_pin(struct root *root, const char *cgroup, uint64_t bytes);
void fakekernel_swap(struct root *root, uint64_t free_bytes);
/* How many processes were killed because their cgroup had no memory left. */
unsigned fakekernel_oom_kills(const struct root *root);

enum fakekernel_access {
	FAKEKERNEL_READS = 1,	/* read, list, stat, kcmp, getxattr, open, watch, signal 0 */
	FAKEKERNEL_CHANGES = 2, /* write, save, mkdir, rmdir, setxattr, rmxattr, chown, affinity, signal */
};
/* Paths of what has none: "affinity:TID", "process:PID", "signal:PID". */

/* Makes the n-th access of these kinds from now on (1 is the next) fail with -errnum, without doing it; 0
 * switches it off. */
void fakekernel_fail_nth(struct root *root, unsigned accesses, unsigned n, int errnum);
/* From the n-th change on (1 is the next) every change fails with -EIO and does nothing, as if cgpol had been
 * killed before it; 0 lifts that. */
void fakekernel_crash_after(struct root *root, unsigned n);
/* Makes each access of these kinds to a path fail; 0 lifts it again. At most four paths at a time. */
void fakekernel_fail(struct root *root, unsigned accesses, const char *path, int errnum);
unsigned fakekernel_accesses(const struct root *root, unsigned accesses); /* since it was made */
/* Called before each access, which it may prepare with the functions above: what others do meanwhile. NULL
 * ends it. Not called again while it runs. */
typedef void fakekernel_hook_fn(void *arg, unsigned access, const char *path);
void fakekernel_hook(struct root *root, fakekernel_hook_fn *hook, void *arg);

/* Everything as text, the caller frees it: every file (process ids sorted), owner and attribute of every
 * cgroup, then processes and threads with their cgroup, affinity and oom_score_adj, then the files that were
 * writable or saved. */
char *fakekernel_dump(struct root *root);
/* The same without what no undo can bring back: inodes, order of making, usage, events. */
char *fakekernel_dump_settings(struct root *root);

#endif
