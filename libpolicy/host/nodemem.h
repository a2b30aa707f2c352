/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each node in detail: meminfo, huge pages by size, watermarks, tier. */
#ifndef CGPOL_HOST_NODEMEM_H
#define CGPOL_HOST_NODEMEM_H

#include "host/host.h"

#endif
