/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* KEY=VALUE words of a command line: whose they are, and the policy that they make for one cgroup. */
#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "policy/choice.h"

static bool is_list(const struct assignment *item)
{
	return item->row && (item->row->type == KEY_CPUS || item->row->type == KEY_NODES);
}

/* A value that can only be right or wrong on a machine is looked at later: a list may be relative. */
static int check(const struct assignment *item, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;

	if (is_list(item))
		return 0;
	if (policy_new(&policy) < 0)
		return error_no_memory(err);
	return policy_set_any(policy, item->key, item->value, err);
}

int assignments_put(struct assignments *assignments, const char *key, const char *value,
		    struct cgpol_error *err)
{
	struct assignment item = {.value = value, .row = key_find(key), .scope = key_scope_of(key)};
	struct assignment *more;
	int rc;

	item.key = strdup(key);
	if (!item.key)
		return error_no_memory(err);
	rc = check(&item, err);
	more = rc < 0 ? NULL : reallocarray(assignments->item, assignments->count + 1, sizeof(*more));
	if (!more) {
		free(item.key);
		return rc < 0 ? rc : error_no_memory(err);
	}
	assignments->item = more;
	more[assignments->count++] = item;
	return 0;
}

int assignments_add(struct assignments *assignments, const char *word, struct cgpol_error *err)
{
	const char *equals = strchr(word, '=');
	AUTO(free_p) char *key = NULL;

	if (!equals) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%.80s\": KEY=VALUE is wanted", word);
		error_detail(err, NULL, word, "for example memory.max=1G");
		return -EINVAL;
	}
	key = strndup(word, (size_t)(equals - word));
	return key ? assignments_put(assignments, key, equals + 1, err) : error_no_memory(err);
}

void assignments_clear(struct assignments *assignments)
{
	for (size_t i = 0; i < assignments->count; i++)
		free(assignments->item[i].key);
	free(assignments->item);
	*assignments = (struct assignments){0};
}

size_t assignments_count(const struct assignments *assignments, enum key_scope scope)
{
	size_t count = 0;

	for (size_t i = 0; i < assignments->count; i++)
		count += assignments->item[i].scope == scope;
	return count;
}

bool assignments_has(const struct assignments *assignments, const char *key)
{
	for (size_t i = 0; i < assignments->count; i++)
		if (strcmp(assignments->item[i].key, key) == 0)
			return true;
	return false;
}

static bool is_cpus(const struct assignment *item)
{
	return item->row && item->row->type == KEY_CPUS;
}

static int put_one(struct cgpol_host *host, const struct assignment *item, const char *cgroup,
		   struct cgpol_policy *policy, struct cgpol_error *err)
{
	const struct setting *cpus = policy_get(policy, "cpuset.cpus");
	const struct choice choice = {.what = item->key,
				      .cgroup = cgroup ? cgroup : "/",
				      .is_cpus = is_cpus(item),
				      .cpus = cpus && *cpus->value ? &cpus->set : NULL};
	AUTO(free_p) char *list = NULL;
	int rc = 0;

	/* An empty list is one: as the parent has it. */
	if (is_list(item) && *item->value)
		rc = choice_make(host, &choice, item->value, &list, err);
	return rc < 0 ? rc : policy_set_any(policy, item->key, list ? list : item->value, err);
}

int assignments_fill(struct cgpol_host *host, const struct assignments *assignments, enum key_scope scope,
		     const char *cgroup, struct cgpol_policy *policy, struct cgpol_error *err)
{
	int rc = 0;

	/* Cpus first: nodes may be chosen by them. */
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; rc == 0 && i < assignments->count; i++) {
			const struct assignment *item = &assignments->item[i];

			if (item->scope == scope && is_cpus(item) == (pass == 0))
				rc = put_one(host, item, cgroup, policy, err);
		}
	return rc;
}

int assignments_policy(struct cgpol_host *host, const struct assignments *assignments, enum key_scope scope,
		       const char *cgroup, struct cgpol_policy **policy, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *made = NULL;
	int rc = policy_new(&made);

	if (rc < 0)
		return error_no_memory(err);
	rc = assignments_fill(host, assignments, scope, cgroup, made, err);
	if (rc < 0)
		return rc;
	*policy = TAKE(made);
	return 0;
}
