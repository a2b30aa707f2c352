/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy: a checked set of key = value, what is wanted of a cgroup. */
#ifndef CGPOL_POLICY_POLICY_H
#define CGPOL_POLICY_POLICY_H

#include "policy/keys.h"
#include "policy/size.h"

struct setting {
	const struct key
		*key; /* NULL: a file that the table does not know; its value is passed on as it is */
	char *name;   /* the file */
	char *value; /* as it goes into the file, but for sizes in percent, where it is what the user wrote */
	struct size size;   /* KEY_SIZE */
	struct nodeset set; /* KEY_CPUS and KEY_NODES */
};

struct cgpol_policy {
	struct setting *setting; /* each file once, in the order in which they were set first */
	size_t settings;
};

int policy_new(struct cgpol_policy **policy);
void policy_free(struct cgpol_policy *policy);
/* Checks and keeps one setting; a second one for the same file replaces the first. `name` is a file of the
 * cgroup2 interface. CGPOL_USAGE with a sentence and a hint: unknown name (did you mean), a name of v1 (names
 * the v2 file), wrong type, out of range, cgroup.procs and the like (not settings), a "/" in the name. A file
 * that the table does not know is accepted when it looks like CONTROLLER.NAME of a controller the table
 * knows, unless only one letter differs from a known name. Lists may be empty: `value` is "" then, and a
 * newline has to be written, since the kernel does not see a write of no bytes. A number with a leading zero
 * is refused, since the kernel reads it as octal. Nothing changes on failure. */
int policy_set(struct cgpol_policy *policy, const char *name, const char *value, struct cgpol_error *err);
/* The same for settings of processes and of the machine too (key_scope), which policy_set refuses by name.
 * Words for numbers are taken ("never" is kept as "2"), and of a mempolicy the shape is checked. */
int policy_set_any(struct cgpol_policy *policy, const char *name, const char *value, struct cgpol_error *err);
/* NULL when it is not set. */
const struct setting *policy_get(const struct cgpol_policy *policy, const char *name);

static inline void policy_free_p(struct cgpol_policy **policy)
{
	policy_free(*policy);
}

#endif
