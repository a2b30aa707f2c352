/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy: a checked set of key = value, what is wanted of a cgroup. */
#include "policy/policy.h"

#include <errno.h>

int policy_new(struct cgpol_policy **policy)
{
	(void)policy;
	return -ENOSYS;
}

void policy_free(struct cgpol_policy *policy)
{
	(void)policy;
}

int policy_set(struct cgpol_policy *policy, const char *name, const char *value, struct cgpol_error *err)
{
	(void)policy;
	(void)name;
	(void)value;
	(void)err;
	return -ENOSYS;
}

const struct setting *policy_get(const struct cgpol_policy *policy, const char *name)
{
	(void)policy;
	(void)name;
	return NULL;
}
