/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_overcommit = {
	.name = "overcommit",
	.summary = "Show or set the overcommit policy, or rank who commits",
	.usage = "show|set|top [OPTION...]",
	.run = run,
};
