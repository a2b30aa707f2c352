/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol thaw: lets the processes of a cgroup go on. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_thaw = {
	.name = "thaw",
	.summary = "Let the processes of a frozen cgroup go on",
	.usage = "[OPTION...] CGROUP",
	.run = run,
};
