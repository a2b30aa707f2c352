/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine can do for a confinement, why not, and what helps. Pure. */
#ifndef CGPOL_POLICY_DOCTOR_H
#define CGPOL_POLICY_DOCTOR_H

#include "host/host.h"

#endif
