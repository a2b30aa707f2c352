/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol reap and cgpol clean share: removing through libcgroup, and telling what went. */
#ifndef CGPOL_CLI_REMOVED_H
#define CGPOL_CLI_REMOVED_H

#include "act/reap.h"
#include "cmd.h"
#include "host/cgroupfs.h"

/* With libcgroup, and without it where it is missing or sees another machine than we do. The caller closes
 * it. */
int removed_open(struct cli *cli, struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err);
/* A struct reaper's function; its argument is the cgroupfs. */
int removed_take(void *fs, const char *cgroup);
/* A line for each, or with --json the array "cgroups". `busy`: what is said of those that stay; in JSON with
 * an underscore for each blank. */
int removed_print(struct cli *cli, const struct reaped *reaped, const char *busy);

#endif
