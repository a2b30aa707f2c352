/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol move: moves processes into a cgroup. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_move = {
	.name = "move",
	.summary = "Move processes or threads into a cgroup",
	.usage = "[OPTION...] --to CGROUP",
	.run = run,
};
