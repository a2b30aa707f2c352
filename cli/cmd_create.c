/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol create: makes cgroups with their settings. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_create = {
	.name = "create",
	.summary = "Make a cgroup, with what it needs above it",
	.usage = "[OPTION...] CGROUP...",
	.run = run,
};
