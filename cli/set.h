/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of cgpol set share. */
#ifndef CGPOL_CLI_SET_H
#define CGPOL_CLI_SET_H

#include "act/tasks.h"
#include "cgroups.h"
#include "change.h"
#include "settings.h"
#include "warnings.h"

struct set_config {
	struct pids pids;
	bool tasks, reset_affinity, force;
	const char *leaf;
};

/* One cgpol set from its words to what is told. */
struct set {
	struct cli *cli;
	const struct set_config *config;
	struct assignments assignments;
	struct cgroups cgroups;
	bool goes_on; /* change.h */
	struct tasks_told told;
	bool has_tasks; /* processes were looked at */
	struct warnings warnings;
};

/* Is nothing to be changed, so that what comes after the plan has to be planned too? */
static inline bool set_only_tells(const struct set *set)
{
	return set->cli->dry_run || set->cli->root;
}

/* The two parts of a change (change.h); arg is the struct set. */
int set_plan(void *arg, struct cgpol_host *host, struct plan **plan, const struct cgpol_policy **policy,
	     struct cgpol_error *err);
int set_then(void *arg, struct cgpol_host *host, struct change *change, struct change_more *more,
	     struct cgpol_error *err);

#endif
