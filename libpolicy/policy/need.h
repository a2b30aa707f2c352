/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which controllers a policy needs, and what stands in the way of enabling them. Pure. */
#ifndef CGPOL_POLICY_NEED_H
#define CGPOL_POLICY_NEED_H

#include "policy/current.h"

struct need {
	char **controller; /* each once, in the order in which the policy needs them first */
	size_t controllers;
};

/* 0 or -ENOMEM. */
int need_of_policy(const struct cgpol_policy *policy, struct need *need);
bool need_has(const struct need *need, const char *controller);
void need_clear(struct need *need);

/* Is a word in a list separated by blanks (cgroup.controllers)? NULL is the empty list. */
bool need_list_has(const char *list, const char *word);
/* Does a controller manage processes only, so that threads of one process may be in different cgroups?
 * (threaded = true in its struct cgroup_subsys) */
bool need_is_threaded(const char *controller);

enum need_obstacle {
	NEED_FINE,
	NEED_LACKING,	/* not in cgroup.controllers of the level */
	NEED_PROCESSES, /* the level has processes of its own */
	NEED_THREADED,	/* the level is not of type "domain" */
};
/* What stands in the way of enabling a controller for the children of a level. Levels below one that exists
 * have the controllers that will be enabled for them, so that NEED_LACKING is of the root, or of a threaded
 * level. */
enum need_obstacle need_judge(const struct current *current, size_t level, const char *controller);

static inline void need_clear_p(struct need *need)
{
	need_clear(need);
}

#endif
