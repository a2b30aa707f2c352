/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol reap */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_reap = {
	.name = "reap",
	.summary = "Remove the empty cgroups that a killed cgpol left behind",
	.usage = "[OPTION...]",
	.run = run,
};
