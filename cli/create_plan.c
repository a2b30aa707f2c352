/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol create is going to do. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "create.h"
#include "policy/current.h"
#include "policy/delegate.h"
#include "policy/inventory.h"
#include "policy/need.h"
#include "policy/step.h"

enum { SHOWN_SIZE = 160 };

/* ---- the settings of another cgroup ---- */

/* Settings that two cgroups cannot both have, or that say what a cgroup does just now. cpu.weight.nice is
 * another view of cpu.weight. */
static bool is_copied(const struct inventory_item *item)
{
	static const char *const never[] = {"cpuset.cpus.exclusive", "cpuset.cpus.partition", "cgroup.freeze",
					    "cpu.weight.nice"};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (strcmp(item->name, never[i]) == 0)
			return false;
	/* A write sets one line. */
	return !strchr(item->text, '\n');
}

static int copy_one(struct create *create, const struct inventory_item *item, struct cgpol_policy *policy,
		    struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	if (is_copied(item))
		return policy_set(policy, item->name, item->text, err);
	if (create->is_told || strcmp(item->name, "cpu.weight.nice") == 0)
		return 0;
	text_escape(create->like, shown, sizeof(shown));
	return warnings_add(&create->warnings, create->cli, "%.64s of %s is not copied", item->name, shown) <
			       0
		       ? error_no_memory(err)
		       : 0;
}

static int copy_settings(struct create *create, struct cgpol_host *host, struct cgpol_policy *policy,
			 struct cgpol_error *err)
{
	AUTO(inventory_clear) struct inventory inventory = {0};
	int rc = create->like ? inventory_read(host, create->like, false, &inventory, err) : 0;

	for (size_t i = 0; rc == 0 && i < inventory.count; i++)
		rc = copy_one(create, &inventory.item[i], policy, err);
	create->is_told = true;
	return rc;
}

/* ---- controllers without a setting ---- */

/* A setting stands for its controller, so that it is enabled where that is needed; it is taken out of the
 * plan again. */
static const char *name_standin(const char *controller, char name[static CREATE_NAME])
{
	for (const struct key *key = key_table; key->name; key++) {
		const char *star = strchr(key->name, '*');

		if (!key->controller || strcmp(key->controller, controller) != 0 || key->is_root_only)
			continue;
		if (star)
			(void)snprintf(name, CREATE_NAME, "%.*s2MB%s", (int)(star - key->name), key->name,
				       star + 1);
		else
			(void)snprintf(name, CREATE_NAME, "%s", key->name);
		return key->initial ? key->initial : "max";
	}
	return NULL;
}

static bool needs(const struct cgpol_policy *policy, const char *controller)
{
	for (size_t i = 0; i < policy->settings; i++) {
		AUTO(free_p) char *own = key_controller(policy->setting[i].name);

		if (own && strcmp(own, controller) == 0)
			return true;
	}
	return false;
}

/* 1 when the cgroup has the controller. */
static int has_controller(struct cgpol_host *host, const char *cgroup, const char *controller,
			  struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *none = NULL;
	AUTO(current_clear) struct current current = {0};
	const struct current_level *last;
	int rc = policy_new(&none);

	if (rc < 0)
		return error_no_memory(err);
	rc = current_read(host, none, cgroup, controller, &current, err);
	if (rc < 0)
		return rc;
	last = &current.level[current.levels - 1];
	return last->exists && need_list_has(last->controllers, controller);
}

static int add_controllers(struct create *create, struct cgpol_host *host, const char *cgroup,
			   struct cgpol_policy *policy, struct cgpol_error *err)
{
	int rc = 0;

	create->standins = 0;
	for (size_t i = 0; rc == 0 && i < create->controllers; i++) {
		const char *value, *controller = create->controller[i];
		char *name = create->standin[create->standins];

		if (needs(policy, controller) || create->standins == CREATE_STANDINS)
			continue;
		rc = has_controller(host, cgroup, controller, err);
		if (rc < 0)
			return rc;
		value = rc == 0 ? name_standin(controller, name) : NULL;
		rc = value ? policy_set(policy, name, value, err) : 0;
		create->standins += value != NULL;
	}
	return rc;
}

/* ---- one cgroup ---- */

static int make_policy(void *arg, struct cgpol_host *host, const char *cgroup, struct cgpol_policy **policy,
		       struct cgpol_error *err)
{
	struct create *create = arg;
	AUTO(policy_free_p) struct cgpol_policy *made = NULL;
	int rc = policy_new(&made);

	if (rc < 0)
		return error_no_memory(err);
	rc = copy_settings(create, host, made, err);
	if (rc == 0)
		rc = assignments_fill(host, &create->assignments, KEY_CGROUP, cgroup, made, err);
	if (rc == 0)
		rc = add_controllers(create, host, cgroup, made, err);
	if (rc < 0)
		return rc;
	*policy = TAKE(made);
	return 0;
}

static bool is_standin(const struct create *create, const struct step *step, const char *cgroup)
{
	if (step->op != STEP_SET || strcmp(step->cgroup, cgroup) != 0)
		return false;
	for (size_t i = 0; i < create->standins; i++)
		if (strcmp(create->standin[i], step->file) == 0)
			return true;
	return false;
}

static int finish_plan(void *arg, struct cgpol_host *host, const char *cgroup, struct plan *plan,
		       struct cgpol_error *err)
{
	const struct create *create = arg;
	size_t kept = 0;

	for (size_t i = 0; i < plan->steps; i++) {
		if (is_standin(create, &plan->step[i], cgroup))
			step_clear(&plan->step[i]);
		else
			plan->step[kept++] = plan->step[i];
	}
	plan->steps = kept;
	return create->config->delegate ? delegate_plan(host, cgroup, create->uid, create->gid, plan, err)
					: 0;
}

int create_plan(void *arg, struct cgpol_host *host, struct plan **plan, const struct cgpol_policy **policy,
		struct cgpol_error *err)
{
	struct create *create = arg;
	const struct cgroups_request request = {
		.cgroups = &create->cgroups,
		.policy = make_policy,
		.finish = finish_plan,
		.arg = create,
		.leaf = create->config->leaf,
		.is_threaded = create->config->threaded,
		.only_tells = create->cli->dry_run || create->cli->root,
	};
	AUTO(plan_free_p) struct plan *made = NULL;
	int rc = plan_new(NULL, &made);

	if (rc < 0)
		return error_no_memory(err);
	made->is_lasting = true;
	rc = cgroups_plan(host, &request, made, &create->goes_on, err);
	if (rc < 0)
		return rc;
	*plan = TAKE(made);
	*policy = NULL;
	return 0;
}
