/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cpuset partitions: what one is, and the plan that makes a cgroup one. */
#include "policy/partition.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/cause.h"
#include "policy/choice.h"
#include "policy/effective.h"

static const char partition_file[] = "cpuset.cpus.partition";
static const char exclusive_file[] = "cpuset.cpus.exclusive";

void partition_clear(struct partition *partition)
{
	free(partition->type);
	free(partition->reason);
	free(partition->cpus);
	free(partition->exclusive);
	free(partition->exclusive_effective);
	free(partition->effective);
	*partition = (struct partition){0};
}

int partition_read(struct cgpol_host *host, const char *cgroup, struct partition *partition,
		   struct cgpol_error *err)
{
	AUTO(effective_clear) struct effective state = {0};
	int rc = effective_read(host, cgroup, partition_file, &state, err);

	if (rc < 0)
		return rc;
	*partition = (struct partition){
		.type = TAKE(state.requested),
		.is_invalid = state.by == EFFECTIVE_INVALID,
		.reason = TAKE(state.reason),
		.cpus = cause_read(host, cgroup, "cpuset.cpus"),
		.exclusive = cause_read(host, cgroup, exclusive_file),
		.exclusive_effective = cause_read(host, cgroup, "cpuset.cpus.exclusive.effective"),
		.effective = cause_read(host, cgroup, "cpuset.cpus.effective"),
	};
	return 0;
}

bool partition_is_parent(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *state = NULL;

	if (strcmp(cgroup, "/") == 0)
		return true;
	state = cause_read(host, cgroup, partition_file);
	return state && (strcmp(state, "root") == 0 || strcmp(state, "isolated") == 0);
}

/* ---- the plan ---- */

static int set_list(struct cgpol_host *host, const char *cgroup, const char *file, const char *text,
		    struct cgpol_policy *policy, struct cgpol_error *err)
{
	AUTO(free_p) char *list = NULL;
	int rc;

	if (!text)
		return 0;
	rc = choice_resolve(host, cgroup, strcmp(file, "cpuset.mems") != 0, file, text, &list, err);
	return rc < 0 ? rc : policy_set(policy, file, list, err);
}

static int make_policy(struct cgpol_host *host, const struct partition_request *request,
		       struct cgpol_policy *policy, struct cgpol_error *err)
{
	int rc = set_list(host, request->cgroup, "cpuset.mems", request->mems, policy, err);

	rc = rc < 0 ? rc : set_list(host, request->cgroup, "cpuset.cpus", request->cpus, policy, err);
	rc = rc < 0 ? rc : set_list(host, request->cgroup, exclusive_file, request->exclusive, policy, err);
	if (rc < 0 || !request->type)
		return rc;
	return policy_set(policy, partition_file, request->type, err);
}

/* Adds to the plan that one cgroup on the way keeps these cpus, beside those that it keeps already. */
static int plan_level(struct cgpol_host *host, const char *cgroup, const struct nodeset *cpus,
		      struct plan *plan, struct plan_index **index, struct cgpol_error *err)
{
	AUTO(free_p) char *text = cause_read(host, cgroup, exclusive_file);
	AUTO(nodeset_clear_p) struct nodeset all = {0, NULL};
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	AUTO(plan_free_p) struct plan *level = NULL;
	AUTO(free_p) char *list = NULL;
	int rc;

	if (text && nodeset_parse(text, NODESET_CPUS_MAX, &all, NULL) == 0 && nodeset_contains(&all, cpus))
		return 0;
	list = nodeset_merge(&all, cpus) == 0 ? nodeset_format(&all) : NULL;
	if (!list || policy_new(&policy) < 0)
		return error_no_memory(err);
	rc = policy_set(policy, exclusive_file, list, err);
	rc = rc < 0 ? rc : plan_read(host, policy, cgroup, NULL, &level, err);
	if (rc < 0)
		return rc;
	return plan_join(plan, level, index) < 0 ? error_no_memory(err) : 0;
}

/* From the top down, since each has only what the one above keeps. */
static int plan_way(struct cgpol_host *host, const char *cgroup, const struct nodeset *cpus,
		    struct plan *plan, struct plan_index **index, struct cgpol_error *err)
{
	int rc = 0;

	for (size_t end = 1 + strcspn(cgroup + 1, "/"); rc == 0 && cgroup[end] != '\0';
	     end += 1 + strcspn(cgroup + end + 1, "/")) {
		AUTO(free_p) char *level = strndup(cgroup, end);

		rc = level ? plan_level(host, level, cpus, plan, index, err) : error_no_memory(err);
	}
	return rc;
}

static bool is_remote(struct cgpol_host *host, const struct partition_request *request)
{
	AUTO(free_p) char *parent = cause_parent(request->cgroup);

	return request->exclusive && parent && !partition_is_parent(host, parent);
}

static int plan_remote(struct cgpol_host *host, const char *cgroup, const struct cgpol_policy *policy,
		       struct plan **plan, struct cgpol_error *err)
{
	const struct setting *exclusive = policy_get(policy, exclusive_file);
	AUTO(plan_free_p) struct plan *made = NULL;
	AUTO(plan_free_p) struct plan *last = NULL;
	struct plan_index *index = NULL;
	int rc = plan_new(cgroup, &made);

	if (rc < 0)
		return error_no_memory(err);
	rc = plan_way(host, cgroup, &exclusive->set, made, &index, err);
	rc = rc < 0 ? rc : plan_read(host, policy, cgroup, NULL, &last, err);
	if (rc == 0 && plan_join(made, last, &index) < 0)
		rc = error_no_memory(err);
	plan_index_free(index);
	if (rc == 0)
		*plan = TAKE(made);
	return rc;
}

int partition_plan(struct cgpol_host *host, const struct partition_request *request, struct plan **plan,
		   struct cgpol_policy **policy, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *wanted = NULL;
	int rc = policy_new(&wanted);

	if (rc < 0)
		return error_no_memory(err);
	rc = make_policy(host, request, wanted, err);
	if (rc < 0)
		return rc;
	if (is_remote(host, request)) {
		rc = plan_remote(host, request->cgroup, wanted, plan, err);
		if (rc == 0)
			*policy = NULL;
		return rc;
	}
	rc = plan_read(host, wanted, request->cgroup, NULL, plan, err);
	if (rc == 0)
		*policy = TAKE(wanted);
	return rc;
}

/* ---- failures ---- */

/* kernel/cgroup/cpuset.c perr_strings[], by a part of each, and what helps. */
static const struct remedy {
	const char *reason, *hint;
} remedies[] = {
	{"unable to distribute",
	 "choose cpus that the cgroup above has, and leave it one for its own processes"},
	/* 7.3 says this where the cgroup above keeps no cpus for it. */
	{"Invalid cpu list in cpuset.cpus.exclusive",
	 "make the cgroup above a partition first, or give --exclusive LIST, which makes a remote one"},
	{"Parent",
	 "make the cgroup above a partition first; or, from 6.7 on, give --exclusive LIST, which makes a "
	 "remote one"},
	{"not exclusive", "take these cpus out of cpuset.cpus of the cgroups beside it, or choose others"},
	{"is empty", "name the cpus: --cpus LIST"},
	{"Invalid cpu list", "choose cpus that the cgroup above has"},
	{"hotplug", "choose cpus that are online"},
	{"housekeeping", "cpus that are isolated at boot (isolcpus=) can only be in an isolated partition"},
	{"not permitted", "a remote partition needs CAP_SYS_ADMIN"},
	{"underneath", "end the remote partitions below it first"},
};

void partition_explain(struct cgpol_host *host, const struct partition_request *request,
		       struct cgpol_error *err)
{
	if (!err || err->kind != CGPOL_REFUSED || !strstr(err->file, partition_file))
		return;
	if (request->type && strcmp(request->type, "isolated") == 0 &&
	    host_compare_kernel(host, 6, 1, 0) < 0 && err->code == EINVAL && !strstr(err->text, "invalid")) {
		(void)error_set(err, EINVAL, CGPOL_UNSUPPORTED,
				"this kernel (%u.%u) has no isolated partitions: they came with 6.1",
				host->major, host->minor);
		error_detail(err, partition_file, request->type,
			     "\"root\" has its cpus alone too, with load balancing among them");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++) {
		if (!strstr(err->text, remedies[i].reason))
			continue;
		(void)snprintf(err->hint, sizeof(err->hint), "%s", remedies[i].hint);
		return;
	}
}
