/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol set: changes settings of cgroups, of processes and of the machine. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_set = {
	.name = "set",
	.summary = "Change settings of a cgroup, of processes or of the machine",
	.usage = "[OPTION...] [CGROUP...] KEY=VALUE...",
	.run = run,
};
