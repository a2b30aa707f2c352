/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol undo: takes a change back. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_undo = {
	.name = "undo",
	.summary = "Take a change back",
	.usage = "[OPTION...] [ID]",
	.run = run,
};
