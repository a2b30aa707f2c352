/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol nodes */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_nodes = {
	.name = "nodes",
	.summary = "Show the NUMA nodes and their memory",
	.usage = "[OPTION...]",
	.run = run,
};
