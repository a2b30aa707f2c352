/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol freeze: stops all processes of a cgroup. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_freeze = {
	.name = "freeze",
	.summary = "Stop all processes of a cgroup",
	.usage = "[OPTION...] CGROUP",
	.run = run,
};
