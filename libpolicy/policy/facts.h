/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What doctor needs to know of a machine, read once. */
#ifndef CGPOL_POLICY_FACTS_H
#define CGPOL_POLICY_FACTS_H

#include "host/host.h"

#endif
