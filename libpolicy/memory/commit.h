/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes and cgroups commit: reading for overcommit. */
#ifndef CGPOL_MEMORY_COMMIT_H
#define CGPOL_MEMORY_COMMIT_H

#include "host/host.h"

#endif
