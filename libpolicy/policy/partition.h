/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cpuset partitions: what one is, and the plan that makes a cgroup one. */
#ifndef CGPOL_POLICY_PARTITION_H
#define CGPOL_POLICY_PARTITION_H

#include "policy/plan.h"

/* Zero-initialised it is empty. Give it back with partition_clear. Texts are NULL where there is no such
 * file: cpuset.cpus.exclusive came with 6.7. */
struct partition {
	char *type; /* "member", "root", "isolated" */
	bool is_invalid;
	char *reason;	 /* why, in the kernel's words; before 6.0 it tells none */
	char *cpus;	 /* cpuset.cpus */
	char *exclusive; /* cpuset.cpus.exclusive */
	char *exclusive_effective;
	char *effective; /* cpuset.cpus.effective: as a partition its own cpus, less those of partitions below
			  */
};

/* CGPOL_FAILED when there is no such cgroup, CGPOL_UNSUPPORTED when it has no cpuset (whose controller is
 * off is named). */
int partition_read(struct cgpol_host *host, const char *cgroup, struct partition *partition,
		   struct cgpol_error *err);
void partition_clear(struct partition *partition);
/* Can a local partition be below this cgroup: is it the root, or a valid partition? */
bool partition_is_parent(struct cgpol_host *host, const char *cgroup);

/* What is NULL stays as it is. Lists in every form of policy/choice.h. */
struct partition_request {
	const char *cgroup;
	const char *type;
	const char *cpus, *exclusive, *mems;
};

/* Plans it: the lists, then the type. With `exclusive`, where the cgroup above is no partition (a remote
 * partition, 6.7), each cgroup on the way gets these cpus in its cpuset.cpus.exclusive first. *policy is what
 * is to be read back, or NULL: the steps themselves. The caller frees both. Fails as choice_resolve and
 * plan_read do. */
int partition_plan(struct cgpol_host *host, const struct partition_request *request, struct plan **plan,
		   struct cgpol_policy **policy, struct cgpol_error *err);
/* Adds to a failure of the change what it is: an isolated partition on a kernel without them, which says only
 * EINVAL, becomes CGPOL_UNSUPPORTED; an invalid one gets a hint that fits its reason. */
void partition_explain(struct cgpol_host *host, const struct partition_request *request,
		       struct cgpol_error *err);

#endif
