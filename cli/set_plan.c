/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol set is going to do: the plan for cgroups and the machine, and after it that for processes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/proc.h"
#include "memory/overcommit.h"
#include "policy/hostkeys.h"
#include "set.h"
#include "size.h"

enum { SHOWN_SIZE = 160 };

/* ---- cgroups ---- */

static int refuse_missing(const char *cgroup, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(cgroup, shown, sizeof(shown));
	(void)error_set(err, ENOENT, CGPOL_FAILED, "cgroup %s does not exist", shown);
	error_detail(err, NULL, shown, "cgpol create makes it");
	return -ENOENT;
}

static int make_policy(void *arg, struct cgpol_host *host, const char *cgroup, struct cgpol_policy **policy,
		       struct cgpol_error *err)
{
	const struct set *set = arg;

	return assignments_policy(host, &set->assignments, KEY_CGROUP, cgroup, policy, err);
}

static int check_plan(void *arg, struct cgpol_host *host, const char *cgroup, struct plan *plan,
		      struct cgpol_error *err)
{
	(void)arg;
	(void)host;
	for (size_t i = 0; i < plan->steps; i++)
		if (plan->step[i].op == STEP_MKDIR && strcmp(plan->step[i].cgroup, cgroup) == 0)
			return refuse_missing(cgroup, err);
	return 0;
}

static int plan_cgroups(struct set *set, struct cgpol_host *host, struct plan *plan, struct cgpol_error *err)
{
	const struct cgroups_request request = {
		.cgroups = &set->cgroups,
		.policy = make_policy,
		.finish = check_plan,
		.arg = set,
		.leaf = set->config->leaf,
		.only_tells = set_only_tells(set),
	};

	if (assignments_count(&set->assignments, KEY_CGROUP) == 0)
		return 0;
	return cgroups_plan(host, &request, plan, &set->goes_on, err);
}

/* ---- the machine ---- */

static int take_number(const struct cgpol_policy *policy, const char *key, int64_t *number)
{
	const struct setting *setting = policy_get(policy, key);

	return setting ? text_i64(setting->value, number) : -ENOENT;
}

/* What would make every allocation fail is refused, as cgpol overcommit set refuses it. */
static int check_overcommit(struct set *set, struct cgpol_host *host, const struct cgpol_policy *policy,
			    struct cgpol_error *err)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {
		.mode = -1, .ratio = -1, .kbytes = -1, .is_forced = set->config->force};
	char size[SIZE_TEXT];
	int64_t mode;
	int rc;

	if (take_number(policy, "vm.overcommit_memory", &mode) == 0)
		request.mode = (int)mode;
	(void)take_number(policy, "vm.overcommit_ratio", &request.ratio);
	(void)take_number(policy, "vm.overcommit_kbytes", &request.kbytes);
	if (request.mode < 0 && request.ratio < 0 && request.kbytes < 0)
		return 0;
	if (request.ratio >= 0 && request.kbytes >= 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE,
				"vm.overcommit_ratio and vm.overcommit_kbytes exclude each other");
		error_detail(err, NULL, NULL, "give one of them: setting one switches the other off");
		return -EINVAL;
	}
	if (request.kbytes == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE,
				"vm.overcommit_kbytes=0 would set the ratio to 0 too, and leave only swap");
		error_detail(err, NULL, "0", "vm.overcommit_ratio=PERCENT ends a limit by kbytes");
		return -EINVAL;
	}
	rc = overcommit_plan_read(host, &request, &plan, err);
	if (rc < 0 || plan.over == 0)
		return rc;
	rc = warnings_add(
		&set->warnings, set->cli,
		"%s more are committed than the limit allows: requests fail until that is given back",
		size_long(plan.over, size));
	return rc < 0 ? error_no_memory(err) : 0;
}

static int plan_machine(struct set *set, struct cgpol_host *host, struct plan *plan, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	int rc;

	if (assignments_count(&set->assignments, KEY_HOST) == 0)
		return 0;
	rc = assignments_policy(host, &set->assignments, KEY_HOST, NULL, &policy, err);
	if (rc == 0)
		rc = check_overcommit(set, host, policy, err);
	return rc < 0 ? rc : hostkeys_plan(host, policy, plan, err);
}

/* ---- processes ---- */

/* The cpus that a cgroup is going to have by cpuset.cpus. False: as it has now. */
static bool planned_cpus(const struct plan *plan, const char *cgroup, struct nodeset *cpus)
{
	for (size_t i = 0; plan && i < plan->steps; i++) {
		const struct step *step = &plan->step[i];

		if (step->op == STEP_SET && strcmp(step->cgroup, cgroup) == 0 &&
		    strcmp(step->file, "cpuset.cpus") == 0 && *step->new_value)
			return nodeset_parse(step->new_value, NODESET_CPUS_MAX, cpus, NULL) == 0;
	}
	return false;
}

/* For the tasks of one cgroup; `plan`: where only a plan is made. */
static int set_members(struct set *set, struct cgpol_host *host, struct change *change, const char *cgroup,
		       struct plan *plan, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0};
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	AUTO(free_p) char *inside = NULL;
	struct tasks_request request = {.cgroup = cgroup};
	int rc;

	/* Seen from a child of it, a list is relative to what the cgroup itself has. */
	if (asprintf(&inside, "%s/tasks", strcmp(cgroup, "/") == 0 ? "" : cgroup) < 0) {
		inside = NULL;
		return error_no_memory(err);
	}
	rc = policy_new(&policy);
	if (rc == 0 && set->config->tasks) {
		policy_free(TAKE(policy));
		rc = assignments_policy(host, &set->assignments, KEY_TASK, inside, &policy, err);
	}
	if (rc == 0 && set->config->reset_affinity)
		rc = policy_set_any(policy, "affinity", "0-65535", err);
	if (rc < 0)
		return rc == -ENOMEM ? error_no_memory(err) : rc;
	request.is_clipped = set->config->reset_affinity;
	if (planned_cpus(plan, cgroup, &cpus))
		request.cpus = &cpus;
	request.policy = policy;
	set->has_tasks = true;
	return tasks_set(host, change, &request, plan, &set->told, err);
}

static int set_named(struct set *set, struct cgpol_host *host, struct change *change, struct plan *plan,
		     struct cgpol_error *err)
{
	const struct pids *pids = &set->config->pids;
	int rc = 0;

	/* One by one: a list is relative to the cgroup of each. */
	for (size_t i = 0; rc == 0 && i < pids->count; i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
		AUTO(free_p) char *cgroup = NULL;
		AUTO(free_p) char *inside = NULL;
		struct tasks_request request = {.pid = &pids->pid[i], .pids = 1};

		(void)proc_read_cgroup(host, pids->pid[i], &cgroup);
		if (asprintf(&inside, "%s/tasks", cgroup && strcmp(cgroup, "/") != 0 ? cgroup : "") < 0) {
			inside = NULL;
			return error_no_memory(err);
		}
		rc = assignments_policy(host, &set->assignments, KEY_TASK, inside, &policy, err);
		request.policy = policy;
		if (rc == 0)
			rc = tasks_set(host, change, &request, plan, &set->told, err);
		set->has_tasks = true;
	}
	return rc;
}

static int set_tasks(struct set *set, struct cgpol_host *host, struct change *change, struct plan *plan,
		     struct cgpol_error *err)
{
	int rc = set_named(set, host, change, plan, err);

	if (!set->config->tasks && !set->config->reset_affinity)
		return rc;
	for (size_t i = 0; rc == 0 && i < set->cgroups.count; i++)
		rc = set_members(set, host, change, set->cgroups.name[i], plan, err);
	return rc;
}

/* A thread with an affinity of its own does not follow a wider cpuset (since 6.2; before, a change of the
 * cpuset makes it forget that affinity: kernel/sched/core.c, user_cpus_ptr). */
static int warn_of_pinned(struct set *set, struct cgpol_host *host, struct cgpol_error *err)
{
	if (!assignments_has(&set->assignments, "cpuset.cpus") || set->config->reset_affinity ||
	    assignments_has(&set->assignments, "affinity"))
		return 0;
	for (size_t i = 0; i < set->cgroups.count; i++) {
		char shown[SHOWN_SIZE];
		size_t threads = 0;

		if (tasks_pinned(host, set->cgroups.name[i], &threads) < 0)
			return error_no_memory(err);
		if (threads > 0 &&
		    warnings_add(&set->warnings, set->cli,
				 "%zu thread%s of %s %s an affinity that leaves out cpus of the cpuset: "
				 "--reset-affinity gives all of them",
				 threads, threads == 1 ? "" : "s",
				 text_escape(set->cgroups.name[i], shown, sizeof(shown)),
				 threads == 1 ? "has" : "have") < 0)
			return error_no_memory(err);
	}
	return 0;
}

/* ---- both parts ---- */

int set_plan(void *arg, struct cgpol_host *host, struct plan **plan, const struct cgpol_policy **policy,
	     struct cgpol_error *err)
{
	struct set *set = arg;
	AUTO(plan_free_p) struct plan *made = NULL;
	int rc = plan_new(NULL, &made);

	if (rc < 0)
		return error_no_memory(err);
	made->is_lasting = true;
	rc = plan_cgroups(set, host, made, err);
	if (rc == 0 && !set->goes_on)
		rc = plan_machine(set, host, made, err);
	if (rc == 0 && set_only_tells(set))
		rc = set_tasks(set, host, NULL, made, err);
	if (rc == 0 && set_only_tells(set))
		rc = warn_of_pinned(set, host, err);
	if (rc < 0)
		return rc;
	*plan = TAKE(made);
	*policy = NULL;
	return 0;
}

int set_then(void *arg, struct cgpol_host *host, struct change *change, struct change_more *more,
	     struct cgpol_error *err)
{
	struct set *set = arg;
	int rc = set_tasks(set, host, change, NULL, err);

	more->plan = set->told.plan;
	more->plans = set->told.plans;
	return rc < 0 ? rc : warn_of_pinned(set, host, err);
}
