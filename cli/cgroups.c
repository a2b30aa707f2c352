/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups of a command line, and one plan for all of them. */
#include "cgroups.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/cgroup.h"
#include "policy/order.h"

int cgroups_add(struct cgroups *cgroups, const char *word, struct cgpol_error *err)
{
	AUTO(free_p) char *name = NULL;
	char **more;
	int rc = cgroup_name(word, &name, err);

	if (rc < 0)
		return rc;
	more = reallocarray(cgroups->name, cgroups->count + 1, sizeof(*more));
	if (!more)
		return error_no_memory(err);
	cgroups->name = more;
	more[cgroups->count++] = TAKE(name);
	return 0;
}

void cgroups_clear(struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->count; i++)
		free(cgroups->name[i]);
	free(cgroups->name);
	*cgroups = (struct cgroups){0};
}

static void index_free(struct plan_index **index)
{
	plan_index_free(*index);
}

static int plan_one(struct cgpol_host *host, const struct cgroups_request *request, const char *cgroup,
		    bool is_leaf_only, struct plan **plan, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	AUTO(plan_free_p) struct plan *made = NULL;
	struct plan_request wanted = {.cgroup = cgroup,
				      .leaf = request->leaf,
				      .is_leaf_only = is_leaf_only,
				      .is_threaded = request->is_threaded};
	int rc = request->policy(request->arg, host, cgroup, &policy, err);

	wanted.policy = policy;
	if (rc == 0)
		rc = plan_read_with(host, &wanted, &made, err);
	if (rc == 0 && request->finish && !is_leaf_only)
		rc = request->finish(request->arg, host, cgroup, made, err);
	if (rc < 0)
		return rc;
	*plan = TAKE(made);
	return 0;
}

static int plan_all(struct cgpol_host *host, const struct cgroups_request *request, bool is_leaf_only,
		    struct plan *plan, struct cgpol_error *err)
{
	AUTO(index_free) struct plan_index *index = NULL;

	for (size_t i = 0; i < request->cgroups->count; i++) {
		AUTO(plan_free_p) struct plan *more = NULL;
		int rc = plan_one(host, request, request->cgroups->name[i], is_leaf_only, &more, err);

		if (rc < 0)
			return rc;
		if (plan_join(plan, more, &index) < 0)
			return error_no_memory(err);
	}
	return 0;
}

int cgroups_plan(struct cgpol_host *host, const struct cgroups_request *request, struct plan *plan,
		 bool *goes_on, struct cgpol_error *err)
{
	size_t before = plan->steps;
	int rc = 0;

	*goes_on = false;
	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	if (request->leaf && !request->only_tells)
		rc = plan_all(host, request, true, plan, err);
	if (rc < 0)
		return rc;
	*goes_on = plan->steps > before;
	if (*goes_on)
		return 0;
	rc = plan_all(host, request, false, plan, err);
	/* Each was planned by itself: among several the cpusets have an order, too. */
	if (rc == 0 && request->cgroups->count > 1 && order_plan(plan) < 0)
		return error_no_memory(err);
	return rc;
}
