/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shield: cpus for one cgroup alone, and what still runs on them. */
#ifndef CGPOL_ACT_SHIELD_H
#define CGPOL_ACT_SHIELD_H

#include "policy/partition.h"

#define SHIELD_CGROUP "/shield"

/* A thread that may run on the shield's cpus only. */
struct shield_thread {
	pid_t pid, tid;
	char *comm; /* raw bytes */
	char *cpus;
};

/* Zero-initialised it is empty. Give it back with shield_clear. */
struct shield {
	char *cpus; /* of the shield, as a list */
	char *left; /* what the cgroup above keeps for everybody else */
	/* Kernel threads that are bound to these cpus: no cpuset moves them (PF_NO_SETAFFINITY,
	 * kthread_bind). */
	struct shield_thread *kthread;
	size_t kthreads;
	/* Threads outside of the shield whose affinity is for these cpus alone: the kernel gives them others.
	 */
	struct shield_thread *task;
	size_t tasks;
	char *isolated, *nohz_full; /* of the kernel's command line, as lists; NULL: none */
	char **note;		    /* finished sentences */
	size_t notes;
};

struct shield_request {
	const char *cgroup;
	const char *cpus, *mems; /* lists; mems NULL: as it is */
	const char *type;	 /* "isolated" or "root" */
};

/* Plans the partition (policy/partition.h), and looks at who is on its cpus before it is made. Where the
 * cgroup above is no partition it becomes a remote one. CGPOL_REFUSED when no cpu would be left. */
int shield_plan(struct cgpol_host *host, const struct shield_request *request, struct plan **plan,
		struct cgpol_policy **policy, struct shield *shield, struct cgpol_error *err);
/* Looks at one that is there. CGPOL_FAILED when there is no such cgroup. */
int shield_read(struct cgpol_host *host, const char *cgroup, struct shield *shield, struct cgpol_error *err);
void shield_clear(struct shield *shield);

#endif
