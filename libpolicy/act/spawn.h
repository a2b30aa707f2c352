/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting a command inside a cgroup, with affinity, memory policy and oom_score_adj set before exec. */
#ifndef CGPOL_ACT_SPAWN_H
#define CGPOL_ACT_SPAWN_H

#include <signal.h>

#include "host/host.h"
#include "memory/mempolicy.h"

struct spawn {
	char *const *argv;
	int cgroup;		    /* descriptor of the cgroup's directory; -1: stay where the caller is */
	const struct nodeset *cpus; /* sched_setaffinity(2); NULL: leave */
	const struct mempolicy *policy; /* set_mempolicy(2); NULL: leave */
	const int *oom_score_adj;	/* NULL: leave */
	const sigset_t *mask;		/* the signal mask of the command */
};

/* Which part failed, for the exit code and the sentence. */
enum spawn_stage { SPAWN_CLONE, SPAWN_ADJ, SPAWN_AFFINITY, SPAWN_POLICY, SPAWN_EXEC };

struct spawn_result {
	pid_t pid;
	int pidfd;		    /* the caller closes it */
	enum spawn_stage stage;	    /* of a failure */
	bool has_policy;	    /* `effective` was read back */
	struct mempolicy effective; /* what get_mempolicy(2) says after the kernel's remapping */
};

/* clone3(CLONE_INTO_CGROUP | CLONE_PIDFD | CLONE_VM | CLONE_VFORK), then in the child, in the order the
 * kernel needs: oom_score_adj, affinity, memory policy, each read back and compared, exec by PATH. Returns
 * when the command runs. A failure of any part is returned as -errno with its stage, and the child is gone.
 * -EXDEV: what was read back differs from what was asked. */
int spawn_start(const struct spawn *spawn, struct spawn_result *result, struct cgpol_error *err);

#endif
