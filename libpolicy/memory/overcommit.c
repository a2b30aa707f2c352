/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overcommit policy: limit, headroom and the error of the kernel's counter. Pure, but for
 * overcommit_read. */
#include "memory/overcommit.h"

#include <errno.h>
