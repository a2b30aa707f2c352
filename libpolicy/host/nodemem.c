/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each node in detail: meminfo, huge pages by size, watermarks, tier. */
#include "host/nodemem.h"
