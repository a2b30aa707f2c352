/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol wait: waits for something to happen in a cgroup. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_wait = {
	.name = "wait",
	.summary = "Wait for an event of a cgroup",
	.usage = "[OPTION...] CGROUP",
	.run = run,
};
