/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan: the ordered steps that make one cgroup obey one policy. Pure: what is there comes in as values. */
#ifndef CGPOL_POLICY_PLAN_H
#define CGPOL_POLICY_PLAN_H

#include "policy/current.h"

enum step_op {
	STEP_MKDIR,  /* makes the cgroup */
	STEP_ENABLE, /* writes "+CONTROLLER" into cgroup.subtree_control of `cgroup` */
	STEP_SET,    /* writes a value into a file of the cgroup */
};

struct step {
	enum step_op op;
	char *cgroup;	  /* which cgroup, with a leading slash */
	char *file;	  /* NULL for STEP_MKDIR */
	char *old_value;  /* what is there now; NULL when the file or the cgroup does not exist yet */
	char *new_value;  /* NULL for STEP_MKDIR */
	bool is_optional; /* a step that may fail without harm (a controller that is only good to have) */
};

struct plan {
	char *cgroup;
	struct step *step;
	size_t steps; /* 0: all is as wanted */
	bool is_kept; /* made cgroups are not marked for removal, the last one as kept; set by the caller */
};

/* Compares and lists what would change: levels from the root down (mkdir, and the controllers that the policy
 * needs enabled in each level above the last), then the values in the order the kernel needs (limits that
 * depend on each other so that no step is refused: cpuset.mems before cpuset.cpus.partition, memory.high
 * before memory.max when lowering, after it when raising, ...). A value that is there already is no step.
 * Fails with the cause and the ancestor named when it cannot work: a controller that is not available (from
 * which ancestor on), a cpu or node outside the parent's effective set (which ancestor narrows it), possible,
 * online, or without memory; a cgroup with processes that would get children with controllers (no internal
 * processes); a threaded one; a key this kernel does not have. Kinds: CGPOL_UNSUPPORTED, CGPOL_REFUSED,
 * CGPOL_USAGE. */
/* `also`: a controller that is enabled too where that is possible ("memory", to count OOM kills), in optional
 * steps; or NULL. */
int plan_make(const struct current *current, const struct cgpol_policy *policy, const char *also,
	      struct plan **plan, struct cgpol_error *err);
void plan_free(struct plan *plan);
/* current_read and plan_make in one. */
int plan_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
	      const char *also, struct plan **plan, struct cgpol_error *err);

static inline void plan_free_p(struct plan **plan)
{
	plan_free(*plan);
}

#endif
