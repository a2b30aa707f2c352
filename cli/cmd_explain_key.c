/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol explain-key: what a setting means. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_explain_key = {
	.name = "explain-key",
	.summary = "Explain a setting",
	.usage = "[OPTION...] [KEY...]",
	.run = run,
};
