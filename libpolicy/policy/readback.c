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
	if (rc == 0 && nodeset_is_equal(&have, &setting->set))
		return 0;
	return refuse_effective(host, cgroup, setting, file, found, err);
}

static size_t find_step(const struct plan *plan, const char *file)
{
	size_t i = 0;

	while (i < plan->steps && (plan->step[i].op != STEP_SET || strcmp(plan->step[i].file, file) != 0))
		i++;
	return i;
}

int readback_check(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		   struct cgpol_error *err)
{
	for (size_t i = 0; i < policy->settings; i++) {
		const struct setting *setting = &policy->setting[i];
		size_t at = find_step(plan, setting->name);
		int rc = at < plan->steps ? check_step(host, &plan->step[at], setting, err) : 0;

		rc = rc < 0 ? rc : check_effective(host, plan->cgroup, setting, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
