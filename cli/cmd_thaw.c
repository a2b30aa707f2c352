/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol thaw: lets the processes of a frozen cgroup go on. */
#include "freeze.h"

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	return freeze_run(cli, config, false, err);
}

const struct cmd cmd_thaw = {
	.name = "thaw",
	.summary = "Let the processes of a frozen cgroup go on",
	.usage = "[OPTION...] CGROUP",
	.about = "A cgroup below one that is frozen stays so, which is told.",
	.operands = "cgroups",
	.options = freeze_options,
	.config_size = sizeof(struct freeze_config),
	.run = run,
};
