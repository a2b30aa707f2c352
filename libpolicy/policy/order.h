/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which the values of a cgroup are written. */
#ifndef CGPOL_POLICY_ORDER_H
#define CGPOL_POLICY_ORDER_H

#include <stddef.h>

#include "policy/plan.h"

/* Sorts STEP_SETs of one cgroup, and says why (step->why) where it matters; steps between which there is no
 * rule stay in the order given. */
void order_steps(struct step *step, size_t steps);
/* For a plan that was joined of those of several cgroups: their cpusets are widened from the root down, then
 * narrowed from the bottom up, so that none is left without cpus or nodes on the way, and takes its parent's
 * instead; partitions end from the bottom up and begin from the root down. Up to the first step that moves or
 * ends processes, or reclaims: the order from there on means something already. 0 or -ENOMEM. */
int order_plan(struct plan *plan);

#endif
