/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol overcommit was asked, and its parts. */
#ifndef CGPOL_CLI_OVERCOMMIT_H
#define CGPOL_CLI_OVERCOMMIT_H

#include "cmd.h"
#include "memory/commit.h"

struct overcommit_config {
	int mode; /* index of its words, -1: not given */
	struct opt_int ratio, kbytes;
	bool force, persist;
	struct opt_int top;
	bool cgroups, estimate;
	struct table_style style;
};

enum overcommit_column {
	COMMIT_PID,
	COMMIT_NAME,
	COMMIT_PROCESSES,
	COMMIT_COMMIT,
	COMMIT_PRIVATE,
	COMMIT_SHARED,
	COMMIT_ANON,
	COMMIT_SWAP,
	COMMIT_RATIO,
	COMMIT_EXACT,
	COMMIT_CGROUP,
};

extern const struct column overcommit_columns[];

/* The three of them. Options that do not belong to one were refused before. */
int overcommit_show(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err);
int overcommit_set(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err);
int overcommit_top(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err);

/* mode, mode_number, ratio, kbytes, limit, committed, headroom: for show, and twice for set. */
void overcommit_put_settings(struct json *json, const struct overcommit *overcommit);

#endif
