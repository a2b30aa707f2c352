/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of doctor that is about nodes, pressure, swap, other killers, and the settings of vm.*. Pure. */
#ifndef CGPOL_POLICY_SETTINGS_H
#define CGPOL_POLICY_SETTINGS_H

#include "policy/doctor.h"

/* Adds the rows from "numa.nodes" to "isolated_cpus". */
void settings_judge(const struct facts *facts, struct doctor *doctor);

#endif
