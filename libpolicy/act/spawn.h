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
	const struct mempolicy
		*effective; /* what the kernel is to make of it (preflight_policy); NULL: just that */
	/* The cgroup's effective sets, on a kernel whose clone3 may not apply them (places_read_effective):
	 * a child that does not have them is replaced by one that moves itself. NULL: trust the kernel. */
	const struct nodeset *cgroup_mems, *cgroup_cpus;
	const int *oom_score_adj; /* NULL: leave */
	const sigset_t *mask;	  /* the signal mask of the command; NULL: the caller's */
	const sigset_t *ignored;  /* signals that the command ignores; NULL: as the caller does */
	const sigset_t *defaults; /* signals that it does not ignore, though the caller does; NULL: none */
};

/* Which part failed, for the exit code and the sentence. Clone: into the cgroup; fork: anywhere at all. */
enum spawn_stage { SPAWN_CLONE, SPAWN_FORK, SPAWN_ADJ, SPAWN_AFFINITY, SPAWN_POLICY, SPAWN_EXEC };

struct spawn_result {
	pid_t pid;
	int pidfd;		/* the caller closes it; -1 where the kernel gave none */
	enum spawn_stage stage; /* of a failure */
	bool was_moved; /* the child moved itself, before exec: clone3(2) is refused, or forgets the cpuset */
	bool has_policy;	    /* `effective` was read back */
	struct mempolicy effective; /* what get_mempolicy(2) says after the kernel's remapping */
};

/* A descriptor of a cgroup's directory for struct spawn; the caller closes it. */
int spawn_open_cgroup(struct cgpol_host *host, const char *cgroup, int *fd);
/* clone3(CLONE_INTO_CGROUP | CLONE_PIDFD | CLONE_VFORK | CLONE_CLEAR_SIGHAND), then in the child, in the
 * order the kernel needs: oom_score_adj, affinity, memory policy, each read back and compared, exec by PATH.
 * Returns when the command runs. Where a seccomp filter refuses clone3 (ENOSYS, EPERM) the child is forked
 * and writes itself into cgroup.procs first. A failure of any part is returned as -errno with its stage and
 * its sentence, and the child is gone. -EXDEV: what was read back differs from what was asked. A child that
 * is killed before exec counts as started: waiting for it tells. */
int spawn_start(const struct spawn *spawn, struct spawn_result *result, struct cgpol_error *err);

#endif
