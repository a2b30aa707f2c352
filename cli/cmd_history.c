/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol history: the changes that were made. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_history = {
	.name = "history",
	.summary = "List the changes that cgpol made",
	.usage = "[OPTION...] [ID]",
	.run = run,
};
