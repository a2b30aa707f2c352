/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory that can be changed: cgroup2 at /sys/fs/cgroup with the kernel's rules, and plain files
 * for the rest. */
#ifndef CGPOL_TEST_FAKEKERNEL_H
#define CGPOL_TEST_FAKEKERNEL_H

#include "host/root.h"

/* Kernel 6.1.0, 4 cpus (of 8 possible), nodes 0-1 with memory, 1 GiB each (of 4 possible), pages of 4 KiB.
 * The root's controllers: "cpuset cpu io memory hugetlb pids" when NULL; none is enabled. */
struct root *fakekernel_new(const char *controllers);
/* Replaces the machine's sets; each may be NULL. */
void fakekernel_machine(struct root *root, const char *possible_cpus, const char *online_cpus,
			const char *possible_nodes, const char *memory_nodes);
/* Adds or replaces a file outside cgroup2. */
void fakekernel_put(struct root *root, const char *path, const char *text);
/* Makes cgroups with all their parents, every controller enabled above the last; "knob=value" settings
 * follow, up to a NULL. Nothing of it counts as an access. */
void fakekernel_cgroup(struct root *root, const char *name, ...) __attribute__((sentinel));
/* One write, mkdir or rmdir by somebody else, which does not count: 0 or -errno. */
int fakekernel_poke(struct root *root, const char *cgroup, const char *file, const char *text);
int fakekernel_rmdir(struct root *root, const char *cgroup);
/* A process comes into being in a cgroup (0 or -errno), and ends. */
int fakekernel_start(struct root *root, const char *cgroup, pid_t pid);
void fakekernel_end(struct root *root, pid_t pid);

enum fakekernel_access {
	FAKEKERNEL_READS = 1,	/* read, list, stat, getxattr, open */
	FAKEKERNEL_CHANGES = 2, /* write, mkdir, rmdir, setxattr */
};
/* Makes the n-th access of these kinds from now on (1 is the next) fail with -errnum, without doing it; 0
 * switches it off. */
void fakekernel_fail_nth(struct root *root, unsigned accesses, unsigned n, int errnum);
/* Makes each access of these kinds to a path fail; 0 lifts it again. At most four paths at a time. */
void fakekernel_fail(struct root *root, unsigned accesses, const char *path, int errnum);
unsigned fakekernel_accesses(const struct root *root, unsigned accesses); /* since it was made */
/* Every file and attribute of every cgroup as text, the caller frees it. */
char *fakekernel_dump(struct root *root);

#endif
