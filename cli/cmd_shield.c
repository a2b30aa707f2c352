/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol shield: keeps cpus free of everything else. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_shield = {
	.name = "shield",
	.summary = "Keep cpus for one cgroup alone",
	.usage = "[OPTION...] CPUS",
	.run = run,
};
