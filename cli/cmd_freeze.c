/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol freeze: stops all processes of a cgroup until they are thawed. */
#include "freeze.h"

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	return freeze_run(cli, config, true, err);
}

const struct cmd cmd_freeze = {
	.name = "freeze",
	.summary = "Stop all processes of a cgroup until it is thawed",
	.usage = "[OPTION...] CGROUP",
	.about = "Waits until all of them stand still. When one does not in time, it is taken back.",
	.operands = "cgroups",
	.options = freeze_options,
	.config_size = sizeof(struct freeze_config),
	.run = run,
};
