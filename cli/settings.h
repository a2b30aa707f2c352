/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* KEY=VALUE words of a command line: whose they are, and the policy that they make for one cgroup. */
#ifndef CGPOL_CLI_SETTINGS_H
#define CGPOL_CLI_SETTINGS_H

#include "cmd.h"
#include "policy/policy.h"

struct assignment {
	char *key;
	const char *value;     /* borrowed */
	const struct key *row; /* NULL: the table does not know it */
	enum key_scope scope;
};

/* Zero-initialised it is empty. Give it back with assignments_clear. */
struct assignments {
	struct assignment *item;
	size_t count;
};

/* Adds one. The key must be known, or look like a cgroup's file; a value is checked as far as that does not
 * need the machine. CGPOL_USAGE. */
int assignments_add(struct assignments *assignments, const char *word, struct cgpol_error *err);
/* The same from an option: key and value apart. */
int assignments_put(struct assignments *assignments, const char *key, const char *value,
		    struct cgpol_error *err);
void assignments_clear(struct assignments *assignments);
size_t assignments_count(const struct assignments *assignments, enum key_scope scope);
bool assignments_has(const struct assignments *assignments, const char *key);

/* The policy of those of one scope. Lists of cpus and nodes become plain ones, seen from `cgroup`
 * (policy/choice.h); NULL where there is none. */
int assignments_policy(struct cgpol_host *host, const struct assignments *assignments, enum key_scope scope,
		       const char *cgroup, struct cgpol_policy **policy, struct cgpol_error *err);
/* Adds them to one that is there. */
int assignments_fill(struct cgpol_host *host, const struct assignments *assignments, enum key_scope scope,
		     const char *cgroup, struct cgpol_policy *policy, struct cgpol_error *err);

#endif
