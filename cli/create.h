/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of cgpol create share. */
#ifndef CGPOL_CLI_CREATE_H
#define CGPOL_CLI_CREATE_H

#include "cgroups.h"
#include "change.h"
#include "settings.h"
#include "warnings.h"

struct create_config {
	struct words set;
	const char *cpus, *mems, *like, *delegate, *controllers, *leaf;
	bool threaded, force;
};

enum { CREATE_STANDINS = 32, CREATE_NAME = 64 };

/* One cgpol create. */
struct create {
	struct cli *cli;
	const struct create_config *config;
	struct assignments assignments;
	struct cgroups cgroups;
	char *like;	   /* a cgroup, or NULL */
	char **controller; /* wanted besides those that the settings need */
	size_t controllers;
	/* Settings that stand for a controller in the policy of the cgroup at work. */
	char standin[CREATE_STANDINS][CREATE_NAME];
	size_t standins;
	uid_t uid; /* with config->delegate */
	gid_t gid;
	bool goes_on, is_told; /* change.h; what --like leaves out was told */
	struct warnings warnings;
};

/* change.h; arg is the struct create. */
int create_plan(void *arg, struct cgpol_host *host, struct plan **plan, const struct cgpol_policy **policy,
		struct cgpol_error *err);

#endif
