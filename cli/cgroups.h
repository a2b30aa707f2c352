/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of a command line, and one plan for all of them. */
#ifndef CGPOL_CLI_CGROUPS_H
#define CGPOL_CLI_CGROUPS_H

#include "cmd.h"
#include "policy/plan.h"

/* Zero-initialised it is none. Give it back with cgroups_clear. */
struct cgroups {
	char **name; /* with the leading slash */
	size_t count;
};

/* CGPOL_USAGE for what is no name. */
int cgroups_add(struct cgroups *cgroups, const char *word, struct cgpol_error *err);
void cgroups_clear(struct cgroups *cgroups);

/* What is wanted of each. */
struct cgroups_request {
	const struct cgroups *cgroups;
	/* The policy of one. */
	int (*policy)(void *arg, struct cgpol_host *host, const char *cgroup, struct cgpol_policy **policy,
		      struct cgpol_error *err);
	/* Looks at the plan of one, and may change it; NULL: all is fine. */
	int (*finish)(void *arg, struct cgpol_host *host, const char *cgroup, struct plan *plan,
		      struct cgpol_error *err);
	void *arg;
	const char *leaf; /* for processes that are in the way (policy/plan.h); or NULL */
	bool is_threaded;
	bool only_tells; /* one plan has to have it all */
};

/* Appends the steps for all of them. With a leaf, those that move processes come alone, as long as there are
 * any: *goes_on tells that it has to be called again when they are done (change.h). */
int cgroups_plan(struct cgpol_host *host, const struct cgroups_request *request, struct plan *plan,
		 bool *goes_on, struct cgpol_error *err);

#endif
