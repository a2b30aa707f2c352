/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol stat asked and read, and its two ways to tell it. */
#ifndef CGPOL_CLI_STAT_H
#define CGPOL_CLI_STAT_H

#include "cmd.h"
#include "memory/usage.h"

struct stat_config {
	struct pids pids;
	struct words cgroups;
	bool zeros;
	struct table_style style;
};

struct stat_view {
	const struct stat_config *config;
	struct cgpol_usage *usage;
	struct table_choice processes, cgroups; /* columns */
	size_t named;				/* from this row on: processes that were named by their id */
	bool failed;				/* a named process, or its nodes, are missing */
	const struct cgpol_error *err;		/* set when it failed */
};

enum stat_column {
	STAT_PID,
	STAT_NAME,
	STAT_CGROUP,
	STAT_NODE,
	STAT_TOTAL,
	STAT_ANON,
	STAT_FILE,
	STAT_SHMEM,
	STAT_HUGE,
	STAT_KERNEL,
	STAT_SWAP,
};

extern const struct column stat_columns[];

/* Settles the columns. CGPOL_USAGE when one is unknown. */
int stat_choose(struct stat_view *view, struct cgpol_error *err);
int stat_print_text(struct cli *cli, const struct stat_view *view);
int stat_print_json(struct cli *cli, const struct stat_view *view);

#endif
