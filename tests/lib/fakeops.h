/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fake kernel as a root: its operations, and what they share with the tests' own functions. */
#ifndef CGPOL_TEST_FAKEOPS_H
#define CGPOL_TEST_FAKEOPS_H

#include <stdlib.h>

#include "fakecgroup.h"
#include "fakekernel.h"
#include "fakesysctl.h"
#include "fakewatch.h"

#define MOUNT "/sys/fs/cgroup"

enum { FAULTS_MAX = 4 };

struct fault {
	char *path;
	unsigned accesses;
	int errnum;
};

struct fakekernel {
	struct root root;
	struct root *plain; /* all that is not cgroup2 */
	struct cgroup_tree *tree;
	struct fakesysctl *sysctl;
	struct fakewatch *watch;
	fakekernel_hook_fn *hook;
	void *hook_arg;
	bool is_hooked; /* it runs */
	char *where;	/* the last answer of fakekernel_where */
	bool is_crashed;
	unsigned crash_in;
	unsigned counts[FAKEKERNEL_READS + FAKEKERNEL_CHANGES];
	unsigned fail_accesses, fail_in;
	int fail_errnum;
	struct fault fault[FAULTS_MAX];
};

extern const struct root_ops fakeops;

static inline struct fakekernel *kernel_of(const struct root *root)
{
	return (struct fakekernel *)(uintptr_t)root;
}

static inline void kernel_must(bool is_true)
{
	if (!is_true)
		abort();
}

/* After what changed something: who waits for it is told. Returns rc. */
int fakeops_settled(struct fakekernel *fake, int rc);

#endif
