/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overcommit policy: limit, headroom and the error of the kernel's counter. Pure, but for
 * overcommit_read. */
#ifndef CGPOL_MEMORY_OVERCOMMIT_H
#define CGPOL_MEMORY_OVERCOMMIT_H

#include "host/host.h"

#endif
