/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol freeze and cgpol thaw share. */
#ifndef CGPOL_CLI_FREEZE_H
#define CGPOL_CLI_FREEZE_H

#include "cmd.h"

struct freeze_config {
	const char *timeout;
};

extern const struct opt freeze_options[];

/* Sets cgroup.freeze of the one cgroup that is named, and waits until the kernel says that it is so. */
int freeze_run(struct cli *cli, const struct freeze_config *config, bool is_freezing,
	       struct cgpol_error *err);

#endif
