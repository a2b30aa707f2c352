/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which the values of a cgroup are written. */
#ifndef CGPOL_POLICY_ORDER_H
#define CGPOL_POLICY_ORDER_H

#include <stddef.h>

#include "policy/plan.h"

/* Sorts STEP_SETs; steps between which there is no rule stay in the order given. */
void order_steps(struct step *step, size_t steps);

#endif
