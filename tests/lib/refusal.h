/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine of plain files, and what explain_step makes of a step that failed there. */
#ifndef CGPOL_TEST_REFUSAL_H
#define CGPOL_TEST_REFUSAL_H

#include "policy/explain.h"

struct refusal {
	struct root *root;
	struct root_ops ops;
	struct cgpol_host *host;
	struct cgpol_error err;
};

#define STR(text) ((char *)(uintptr_t)(text))
#define SET_OF(cgroup_, file_, value)                                                               \
	{                                                                                           \
		.op = STEP_SET, .cgroup = STR(cgroup_), .file = STR(file_), .new_value = STR(value) \
	}

/* One refusal: the step, what the kernel said, and what has to be in the sentence and the hint (NULL:
 * anything). */
struct refusal_case {
	struct step step;
	int errnum;
	enum cgpol_kind kind;
	const char *text, *hint;
};

/* cgroup2 at /sys/fs/cgroup with a root that has all controllers; kernel 6.1.0, cpus 0-3 (of 8), nodes 0-1
 * (of 4). */
void refusal_open(struct refusal *refusal);
void refusal_close(struct refusal *refusal);
/* "/a/cgroup.type" or "/a": a file of a cgroup, or a cgroup with `text` as its cgroup.controllers. */
void refusal_put(struct refusal *refusal, const char *name, const char *text);
/* A process in a cgroup: its stat (flags as in PF_*) and cgroup. */
void refusal_process(struct refusal *refusal, pid_t pid, const char *comm, unsigned flags,
		     const char *cgroup);
/* The sentence of one; and of many. */
void refusal_expect(struct refusal *refusal, const struct refusal_case *wanted);
void refusal_expect_all(struct refusal *refusal, const struct refusal_case *wanted, size_t count);

#endif
