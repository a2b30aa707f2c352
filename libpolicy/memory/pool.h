/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Node sets and policies that many threads have alike, kept once. */
#ifndef CGPOL_MEMORY_POOL_H
#define CGPOL_MEMORY_POOL_H

#include "memory/mempolicy.h"

/* Zero-initialised it is empty. What it hands out lives until pool_clear. */
struct pool {
	struct nodeset **set;
	size_t sets;
	struct mempolicy **policy;
	size_t policies;
};

/* The set of a kernel list ("0-3,8"). -EINVAL, -ERANGE as nodeset_parse. */
int pool_nodes(struct pool *pool, const char *list, const struct nodeset **set);
/* The policy; takes what `policy` owns, also on failure, and leaves it empty. */
int pool_policy(struct pool *pool, struct mempolicy *policy, const struct mempolicy **kept);
void pool_clear(struct pool *pool);

#endif
