/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Node sets and policies that many threads have alike, kept once. */
#include "memory/pool.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"

static int append(void ***list, size_t *count, void *item)
{
	void **more = reallocarray(*list, *count + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	more[(*count)++] = item;
	*list = more;
	return 0;
}

int pool_nodes(struct pool *pool, const char *list, const struct nodeset **set)
{
	AUTO(nodeset_clear_p) struct nodeset parsed = {0};
	AUTO(free_p) struct nodeset *kept = NULL;
	int rc = nodeset_parse(list, NODESET_NODES_MAX, &parsed, NULL);

	if (rc < 0)
		return rc;
	for (size_t i = pool->sets; i-- > 0;) {
		if (nodeset_is_equal(pool->set[i], &parsed)) {
			*set = pool->set[i];
			return 0;
		}
	}
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	rc = append((void ***)&pool->set, &pool->sets, kept);
	if (rc < 0)
		return rc;
	*kept = parsed;
	memset(&parsed, 0, sizeof(parsed));
	*set = TAKE(kept);
	return 0;
}

int pool_policy(struct pool *pool, struct mempolicy *policy, const struct mempolicy **kept)
{
	AUTO(free_p) struct mempolicy *copy = NULL;
	int rc = -ENOMEM;

	for (size_t i = pool->policies; i-- > 0;) {
		if (mempolicy_is_equal(pool->policy[i], policy)) {
			mempolicy_clear(policy);
			*kept = pool->policy[i];
			return 0;
		}
	}
	copy = calloc(1, sizeof(*copy));
	if (copy)
		rc = append((void ***)&pool->policy, &pool->policies, copy);
	if (rc < 0) {
		mempolicy_clear(policy);
		return rc;
	}
	*copy = *policy;
	memset(policy, 0, sizeof(*policy));
	*kept = TAKE(copy);
	return 0;
}

void pool_clear(struct pool *pool)
{
	for (size_t i = 0; i < pool->sets; i++) {
		nodeset_clear(pool->set[i]);
		free(pool->set[i]);
	}
	for (size_t i = 0; i < pool->policies; i++) {
		mempolicy_clear(pool->policy[i]);
		free(pool->policy[i]);
	}
	free(pool->set);
	free(pool->policy);
	memset(pool, 0, sizeof(*pool));
}
