/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step of a plan as a value: copied, freed, named, and found again by what it changes. */
#ifndef CGPOL_POLICY_STEP_H
#define CGPOL_POLICY_STEP_H

#include "policy/plan.h"

/* Copies all that it owns. 0 or -ENOMEM. */
int step_copy(const struct step *from, struct step *to);
void step_clear(struct step *step);
/* What it changes, for a sentence: "memory.max of cgroup /web", "cgroup /web", "process 12", safe to print.
 * Returns `text`. */
char *step_describe(const struct step *step, char *text, size_t size);
/* Is it an operation on a cgroup, so that `cgroup` is set? */
bool step_is_of_cgroup(const struct step *step);
/* Do both change the same: operation, cgroup, file and process, and of STEP_ENABLE the controller? */
bool step_is_same(const struct step *a, const struct step *b);
/* "UID:GID"; each may be empty, which leaves that one and gives (uid_t)-1. -EINVAL. */
int step_owner(const char *text, uid_t *uid, gid_t *gid);

/* The steps of one plan by what they change. Its steps must stay where they are (plan_add is fine). */
struct plan_index;
int step_index_new(size_t steps, struct plan_index **index); /* for about so many; 0 or -ENOMEM */
/* A later step replaces an earlier one of the same. 0 or -ENOMEM. */
int step_index_add(struct plan_index *index, const struct plan *plan, size_t at);
/* The step that changes the same as `like`, or plan->steps. */
size_t step_index_find(const struct plan_index *index, const struct plan *plan, const struct step *like);

#endif
