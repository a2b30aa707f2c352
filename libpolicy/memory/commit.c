/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes and cgroups commit: reading for overcommit. */
#include "memory/commit.h"
