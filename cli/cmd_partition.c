/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol partition: cpuset partitions, with the reason when one is invalid. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_partition = {
	.name = "partition",
	.summary = "Show or set the cpuset partition type of a cgroup",
	.usage = "[OPTION...] CGROUP [TYPE]",
	.run = run,
};
