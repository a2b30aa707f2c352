/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting a command inside a cgroup, with affinity, memory policy and oom_score_adj set before exec. */
#include "act/spawn.h"

#include <errno.h>

int spawn_start(const struct spawn *spawn, struct spawn_result *result, struct cgpol_error *err)
{
	(void)spawn;
	(void)result;
	(void)err;
	return -ENOSYS;
}
