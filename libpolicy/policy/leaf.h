/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving the processes of a cgroup into a child of it, so that it can hand on controllers. */
#ifndef CGPOL_POLICY_LEAF_H
#define CGPOL_POLICY_LEAF_H

#include "policy/plan.h"

/* Adds to `plan`, for each level whose processes are in the way of a controller that the policy needs, the
 * making of its child request->leaf and the move of each process; `current` then has them moved already.
 * CGPOL_USAGE when the name cannot be one, or is that of a level on the way, which would be in the way
 * itself. */
int leaf_plan(struct cgpol_host *host, const struct plan_request *request, struct current *current,
	      struct plan *plan, struct cgpol_error *err);

#endif
