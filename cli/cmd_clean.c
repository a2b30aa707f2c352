/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol clean: removes empty cgroups that cgpol made. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_clean = {
	.name = "clean",
	.summary = "Remove the empty cgroups that cgpol made",
	.usage = "[OPTION...] [CGROUP]",
	.run = run,
};
