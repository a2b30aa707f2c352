/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of doctor that is about system calls, privileges and who else manages this machine. Pure. */
#ifndef CGPOL_POLICY_ABILITIES_H
#define CGPOL_POLICY_ABILITIES_H

#include "policy/doctor.h"

/* Adds the rows from "clone3.into_cgroup" to "systemd". */
void abilities_judge(const struct facts *facts, struct doctor *doctor);

#endif
