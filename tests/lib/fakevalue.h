/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a cgroup in the fake kernel: which controller has them, what they begin with, what they take.
 */
#ifndef CGPOL_TEST_FAKEVALUE_H
#define CGPOL_TEST_FAKEVALUE_H

#include <stdbool.h>
#include <stdint.h>

enum fakevalue_kind {
	FAKEVALUE_CONTROLLERS, /* these the tree shows itself */
	FAKEVALUE_SUBTREE,
	FAKEVALUE_PROCS,
	FAKEVALUE_THREADS,
	FAKEVALUE_TYPE,
	FAKEVALUE_EVENTS,
	FAKEVALUE_KILL,
	FAKEVALUE_CGROUP_STAT,
	FAKEVALUE_TASK_COUNT,
	FAKEVALUE_MEMORY_CURRENT,
	FAKEVALUE_SWAP_CURRENT,
	FAKEVALUE_MEMORY_STAT,
	FAKEVALUE_NUMA_STAT,
	FAKEVALUE_MEMORY_EVENTS,
	FAKEVALUE_MEMORY_EVENTS_LOCAL,
	FAKEVALUE_RECLAIM,
	FAKEVALUE_EFFECTIVE_CPUS,
	FAKEVALUE_EFFECTIVE_MEMS,
	FAKEVALUE_PARTITION,
	FAKEVALUE_READ_ONLY,
	FAKEVALUE_LIST,	  /* cpuset.cpus, cpuset.mems */
	FAKEVALUE_PAGES,  /* bytes or max, kept in pages */
	FAKEVALUE_NUMBER, /* out of range: ERANGE */
	FAKEVALUE_FLAG,	  /* out of range: EINVAL */
	FAKEVALUE_LIMIT,  /* a number or max; out of range: EINVAL */
	FAKEVALUE_CPU_MAX,
	FAKEVALUE_IO_MAX,
};

struct fakevalue {
	const char *name, *controller; /* NULL: core */
	bool is_on_root;
	enum fakevalue_kind kind;
	const char *initial;
	int64_t min, max;
	unsigned since; /* FAKEVALUE_SINCE(); 0: all kernels */
};

#define FAKEVALUE_SINCE(major, minor) ((major)*100U + (minor))

enum { FAKEVALUE_FILES_MAX = 64, FAKEVALUE_THREADED = 1 | 2 | 32 }; /* cpuset, cpu and pids */

extern const char *const fakevalue_controllers[]; /* in the kernel's order, which is that of the bits */
extern const struct fakevalue fakevalue_table[];  /* ends with a NULL name */

unsigned fakevalue_controller(const char *name); /* its bit, 0 when unknown */
unsigned fakevalue_bit(const struct fakevalue *value);
/* What the file holds after `text` (without blanks around it) is written: 0 or the kernel's -errno. The
 * caller frees it. */
int fakevalue_check(const struct fakevalue *value, const char *old, const char *text, uint64_t page_size,
		    char **made);

#endif
