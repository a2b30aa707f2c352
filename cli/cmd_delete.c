/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol delete: removes cgroups. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_delete = {
	.name = "delete",
	.summary = "Remove a cgroup",
	.usage = "[OPTION...] CGROUP",
	.run = run,
};
