/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol run */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "Run a command in a cgroup under a policy",
	.usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
	.run = run,
};
