/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol get: what settings ask for, and what holds. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_get = {
	.name = "get",
	.summary = "Show settings of a cgroup: asked for, in effect, and why they differ",
	.usage = "[OPTION...] CGROUP [KEY...]",
	.run = run,
};
