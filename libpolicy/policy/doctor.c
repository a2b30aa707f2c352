/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine can do for a confinement, why not, and what helps. Pure. */
#include "policy/doctor.h"
