/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading back what became of the values that were written. */
#include "policy/readback.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/agreement.h"
#include "policy/cause.h"
#include "policy/explain.h"
#include "policy/perform.h"
#include "policy/step.h"

enum { SHOWN_SIZE = 160 };

static int read_file(struct cgpol_host *host, const char *cgroup, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? root_read(host->root, path, text, NULL) : -ENOMEM;
}

/* "root invalid (Parent is not a partition root)" since 6.0; before it is only "root invalid". */
static int refuse_partition(const struct step *step, const char *found, struct cgpol_error *err)
{
	const char *reason = strchr(found, '(');
	size_t size = reason ? strcspn(reason + 1, ")") : 0;
	char shown[SHOWN_SIZE];

	text_escape(step->cgroup, shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_REFUSED, "cgroup %s cannot be a cpuset partition: %.*s", shown,
			reason ? (int)size : 40, reason ? reason + 1 : "the kernel says it is invalid");
	error_detail(
		err, step->file, step->new_value,
		"a partition needs cpuset.cpus of its own, no sibling with the same cpus, and a partition or "
		"the root above it");
	return -EINVAL;
}

static int refuse_value(const struct step *step, const char *found, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], there[96], value[96];

	text_escape(step->cgroup, shown, sizeof(shown));
	text_escape(found, there, sizeof(there));
	text_escape(step->new_value, value, sizeof(value));
	(void)error_set(err, EIO, CGPOL_REFUSED, "%s of cgroup %s is \"%s\" after \"%s\" was written",
			step->file, shown, there, value);
	error_detail(err, step->file, value, "the kernel, or somebody else, changed it: try again");
	return -EIO;
}

static int check_step(struct cgpol_host *host, const struct step *step, const struct setting *setting,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *found = NULL;
	int rc = read_file(host, step->cgroup, step->file, &found);

	if (rc < 0)
		return explain_step(host, step, rc, err);
	if (strstr(found, " invalid"))
		return strcmp(step->file, "cpuset.cpus.partition") == 0 ? refuse_partition(step, found, err)
									: refuse_value(step, found, err);
	return agreement_holds(setting, step->new_value, found) ? 0 : refuse_value(step, found, err);
}

/* The uppermost cgroup above this one whose effective set lacks a part of `set`; NULL when there is none. */
static char *find_narrowing(struct cgpol_host *host, const char *cgroup, const char *file, unsigned limit,
			    const struct nodeset *set)
{
	AUTO(free_p) char *at = cause_parent(cgroup);
	AUTO(free_p) char *found = NULL;

	while (at) {
		AUTO(nodeset_clear_p) struct nodeset have = {0, NULL};
		AUTO(free_p) char *text = cause_read(host, at, file);
		char *above = cause_parent(at);

		if (text && nodeset_parse(text, limit, &have, NULL) == 0 && !nodeset_contains(&have, set)) {
			free(found);
			found = TAKE(at);
		}
		free(at);
		at = above;
	}
	return TAKE(found);
}

static int refuse_effective(struct cgpol_host *host, const char *cgroup, const struct setting *setting,
			    const char *file, const char *found, struct cgpol_error *err)
{
	unsigned limit = setting->key->type == KEY_CPUS ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(free_p) char *narrowing = find_narrowing(host, cgroup, file, limit, &setting->set);
	AUTO(free_p) char *have = narrowing ? cause_read(host, narrowing, file) : NULL;
	char shown[SHOWN_SIZE], above[SHOWN_SIZE], tail[280] = "";

	text_escape(cgroup, shown, sizeof(shown));
	if (narrowing) {
		text_escape(narrowing, above, sizeof(above));
		(void)snprintf(tail, sizeof(tail), ": cgroup %s above it has only \"%.80s\"", above,
			       have ? have : "?");
	}
	(void)error_set(err, EINVAL, CGPOL_REFUSED, "%s of cgroup %s is \"%.80s\", not \"%.80s\"%s", file,
			shown, found, setting->value, tail);
	error_detail(err, file, setting->value,
		     narrowing ? "widen the cgroup above, or ask for less"
			       : "a part of it is offline, or belongs to a partition below");
	return -EINVAL;
}

/* What is offline, or has no memory, becomes effective when it is there; until then the rest is all. */
static bool has_all_there_is(struct cgpol_host *host, const struct setting *setting,
			     const struct nodeset *have)
{
	bool is_cpus = setting->key->type == KEY_CPUS;
	AUTO(nodeset_clear_p) struct nodeset usable = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset there = {0, NULL};
	AUTO(free_p) char *text = NULL;

	return root_read(host->root,
			 is_cpus ? "/sys/devices/system/cpu/online" : "/sys/devices/system/node/has_memory",
			 &text, NULL) == 0 &&
	       nodeset_parse(text, is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX, &usable, NULL) == 0 &&
	       nodeset_and(&there, &setting->set, &usable) == 0 && !nodeset_is_empty(&there) &&
	       nodeset_is_equal(&there, have);
}

static int check_effective(struct cgpol_host *host, const char *cgroup, const struct setting *setting,
			   struct cgpol_error *err)
{
	bool is_cpus = strcmp(setting->name, "cpuset.cpus") == 0;
	const char *file = is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective";
	unsigned limit = is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(nodeset_clear_p) struct nodeset have = {0, NULL};
	AUTO(free_p) char *found = NULL;
	int rc;

	if ((!is_cpus && strcmp(setting->name, "cpuset.mems") != 0) || nodeset_is_empty(&setting->set))
		return 0;
	rc = read_file(host, cgroup, file, &found);
	if (rc < 0) {
		struct step step = {.op = STEP_SET,
				    .cgroup = (char *)(uintptr_t)cgroup,
				    .file = setting->name,
				    .new_value = setting->value};

		return explain_step(host, &step, rc, err);
	}
	rc = nodeset_parse(found, limit, &have, NULL);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc == 0 && (nodeset_is_equal(&have, &setting->set) || has_all_there_is(host, setting, &have)))
		return 0;
	return refuse_effective(host, cgroup, setting, file, found, err);
}

/* What a step was to bring about, where no policy says it. Only the list is owned. */
static int setting_of_step(const struct step *step, struct setting *setting)
{
	*setting =
		(struct setting){.key = key_find(step->file), .name = step->file, .value = step->new_value};
	if (!setting->key || (setting->key->type != KEY_CPUS && setting->key->type != KEY_NODES))
		return 0;
	/* A list that is none was for the kernel to refuse. */
	return nodeset_parse(step->new_value,
			     setting->key->type == KEY_CPUS ? NODESET_CPUS_MAX : NODESET_NODES_MAX,
			     &setting->set, NULL) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

static int check_by_itself(struct cgpol_host *host, const struct step *step, struct cgpol_error *err)
{
	struct setting setting;
	int rc = setting_of_step(step, &setting) < 0 ? error_no_memory(err) : 0;

	rc = rc < 0 ? rc : check_step(host, step, &setting, err);
	rc = rc < 0 ? rc : check_effective(host, step->cgroup, &setting, err);
	nodeset_clear(&setting.set);
	return rc;
}

static int refuse_other(const struct step *step, const char *found, struct cgpol_error *err)
{
	char name[SHOWN_SIZE], there[96], value[96];

	step_describe(step, name, sizeof(name));
	text_escape(found, there, sizeof(there));
	text_escape(step->new_value, value, sizeof(value));
	(void)error_set(err, EIO, CGPOL_REFUSED, "%s is \"%s\" after \"%s\" was written", name, there, value);
	error_detail(err, step->file ? step->file : name, value,
		     step->op == STEP_AFFINITY ? "the cpuset of the thread does not have all of it"
					       : "the kernel, or somebody else, changed it: try again");
	return -EIO;
}

static bool is_same_list(const char *a, const char *b)
{
	AUTO(nodeset_clear_p) struct nodeset left = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset right = {0, NULL};

	return nodeset_parse(a, NODESET_CPUS_MAX, &left, NULL) == 0 &&
	       nodeset_parse(b, NODESET_CPUS_MAX, &right, NULL) == 0 && nodeset_is_equal(&left, &right);
}

/* Of processes and of the machine. One that ended meanwhile keeps nothing. */
static int check_other(struct cgpol_host *host, const struct step *step, struct cgpol_error *err)
{
	AUTO(free_p) char *found = NULL;
	int rc = perform_read(host, step, &found);

	if (rc == -ESRCH && step->op != STEP_HOST && step->op != STEP_SAVE)
		return 0;
	if (rc < 0)
		return explain_step(host, step, rc, err);
	if (step->op == STEP_AFFINITY ? is_same_list(step->new_value, found)
				      : strcmp(step->new_value, found) == 0)
		return 0;
	return refuse_other(step, found, err);
}

static int check_owner(struct cgpol_host *host, const struct step *step, struct cgpol_error *err)
{
	AUTO(free_p) char *found = NULL;
	uid_t uid, want_uid;
	gid_t gid, want_gid;
	int rc = perform_read_owner(host, step, &found);

	if (rc < 0 && step->is_optional)
		return 0;
	if (rc < 0)
		return explain_step(host, step, rc, err);
	if (step_owner(found, &uid, &gid) == 0 && step_owner(step->new_value, &want_uid, &want_gid) == 0 &&
	    (want_uid == (uid_t)-1 || want_uid == uid) && (want_gid == (gid_t)-1 || want_gid == gid))
		return 0;
	return refuse_other(step, found, err);
}

static bool is_value(const struct step *step)
{
	switch (step->op) {
	case STEP_SET:
	case STEP_OWNER:
	case STEP_HOST:
	case STEP_SAVE:
	case STEP_TASK:
	case STEP_AFFINITY:
		return true;
	default:
		return false;
	}
}

static int check_any(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		     const struct step *step, struct cgpol_error *err)
{
	bool has_policy = policy && plan->cgroup && step->cgroup && strcmp(step->cgroup, plan->cgroup) == 0;
	const struct setting *setting = has_policy && step->op == STEP_SET ? policy_get(policy, step->file)
									   : NULL;

	if (setting)
		return check_step(host, step, setting, err);
	if (step->op == STEP_SET)
		return check_by_itself(host, step, err);
	return step->op == STEP_OWNER ? check_owner(host, step, err) : check_other(host, step, err);
}

static void free_index(struct plan_index **index)
{
	plan_index_free(*index);
}

static bool is_written(const struct plan *plan, const enum step_result *result, size_t i)
{
	return is_value(&plan->step[i]) && !(result && result[i] == STEP_SKIPPED);
}

/* A file may be written more than once on the way: the last value counts. */
static int check_steps(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		       const enum step_result *result, struct cgpol_error *err)
{
	AUTO(free_index) struct plan_index *last = NULL;
	int rc = step_index_new(plan->steps, &last);

	for (size_t i = 0; rc == 0 && i < plan->steps; i++)
		rc = is_written(plan, result, i) ? step_index_add(last, plan, i) : 0;
	if (rc < 0)
		return error_no_memory(err);
	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];

		if (!is_written(plan, result, i) || step_index_find(last, plan, step) != i)
			continue;
		rc = check_any(host, plan, policy, step, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int readback_check(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		   const enum step_result *result, struct cgpol_error *err)
{
	int rc = check_steps(host, plan, policy, result, err);

	for (size_t i = 0; rc == 0 && policy && i < policy->settings; i++)
		rc = check_effective(host, plan->cgroup, &policy->setting[i], err);
	return rc;
}
