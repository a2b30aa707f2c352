/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol list: what cgpol confines now. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_confined = {
	.name = "list",
	.summary = "List what cgpol confines now",
	.usage = "[OPTION...]",
	.run = run,
};
