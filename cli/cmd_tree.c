/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol tree: cgroups with their limits, as a tree. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_tree = {
	.name = "tree",
	.summary = "Show cgroups as a tree, with limits, type and nodes",
	.usage = "[OPTION...] [CGROUP]",
	.run = run,
};
