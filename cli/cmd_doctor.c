/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol doctor */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	(void)cli;
	(void)config;
	(void)err;
	return -ENOSYS;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "Tell what this machine can do for a confinement, and what is missing",
	.usage = "[OPTION...]",
	.run = run,
};
