/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup part of doctor: the mounts, each controller and who lacks it, delegation. Pure. */
#ifndef CGPOL_POLICY_CONTROLLERS_H
#define CGPOL_POLICY_CONTROLLERS_H

#include "policy/doctor.h"

/* Adds the rows "controller.*", "cgroup2.*" and "delegation". */
void controllers_judge(const struct facts *facts, struct doctor *doctor);
/* Index in facts->level of the cgroup below which the reader may make its own: the root for one who may write
 * it, else the nearest ancestor that may be written, else its own cgroup. -1 when there is none. */
int controllers_place(const struct facts *facts);

#endif
