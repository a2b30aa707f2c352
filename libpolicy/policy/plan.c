/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan: the ordered steps that make one cgroup obey one policy. Pure: what is there comes in as values. */
#include "policy/plan.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/agreement.h"
#include "policy/cause.h"
#include "policy/need.h"
#include "policy/order.h"
#include "policy/wanted.h"

enum {
	SHOWN_SIZE = 160, /* of a name in a sentence */
	READ_TRIES = 3,
};

/* What the making of a plan works with. */
struct making {
	const struct current *current;
	const struct cgpol_policy *policy;
	const char *also;
	struct need need;
	struct plan *plan;
	struct cgpol_error *err;
};

static void clear_step(struct step *step)
{
	free(step->cgroup);
	free(step->file);
	free(step->old_value);
	free(step->new_value);
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->steps; i++)
		clear_step(&plan->step[i]);
	free(plan->step);
	free(plan->cgroup);
	free(plan);
}

/* Adds a step; the strings are copied, but for new_value, which is taken over also on failure. */
static int add_step(struct making *making, const struct step *like, char *new_value)
{
	AUTO(clear_step)
	struct step step = {.op = like->op, .new_value = new_value, .is_optional = like->is_optional};
	struct plan *plan = making->plan;
	struct step *more;

	step.cgroup = strdup(like->cgroup);
	step.file = like->file ? strdup(like->file) : NULL;
	step.old_value = like->old_value ? strdup(like->old_value) : NULL;
	if (!step.cgroup || (like->file && !step.file) || (like->old_value && !step.old_value) ||
	    (like->op != STEP_MKDIR && !new_value))
		return error_no_memory(making->err);
	more = reallocarray(plan->step, plan->steps + 1, sizeof(*more));
	if (!more)
		return error_no_memory(making->err);
	plan->step = more;
	plan->step[plan->steps++] = step;
	step = (struct step){0};
	return 0;
}

static int refuse_lacking(const struct making *making, const char *controller)
{
	(void)error_set(
		making->err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
		"controller %.64s is not available: cgroup.controllers of the root cgroup / does not list it",
		controller);
	error_detail(making->err, "cgroup.controllers", controller, NULL);
	return -EOPNOTSUPP;
}

static int refuse_processes(const struct making *making, const struct current_level *level,
			    const char *controller)
{
	char shown[SHOWN_SIZE];

	text_escape(level->name, shown, sizeof(shown));
	(void)error_set(
		making->err, EBUSY, CGPOL_REFUSED,
		"cannot enable controller %.64s for the children of cgroup %s: it has processes of its own%s",
		controller, shown,
		need_is_threaded(controller)
			? ", and would become threaded, so that no process could be started below it"
			: ", and the kernel lets a cgroup have either processes or children with "
			  "controllers");
	error_detail(making->err, "cgroup.subtree_control", controller,
		     "move its processes into a child of it first, or choose another place");
	return -EBUSY;
}

static int refuse_threaded(const struct making *making, const struct current_level *level)
{
	char shown[SHOWN_SIZE];

	text_escape(level->name, shown, sizeof(shown));
	(void)error_set(making->err, EOPNOTSUPP, CGPOL_REFUSED,
			"cgroup %s is \"%.32s\": no process can be started in a cgroup below it", shown,
			level->type);
	error_detail(making->err, "cgroup.type", level->type,
		     "choose a place whose cgroup.type is \"domain\"");
	return -EOPNOTSUPP;
}

static int refuse_obstacle(const struct making *making, size_t level, const char *controller,
			   enum need_obstacle obstacle)
{
	if (obstacle == NEED_LACKING)
		return refuse_lacking(making, controller);
	if (obstacle == NEED_THREADED)
		return refuse_threaded(making, &making->current->level[level]);
	return refuse_processes(making, &making->current->level[level], controller);
}

static int enable(struct making *making, size_t at, const char *controller, bool is_optional)
{
	const struct current_level *level = &making->current->level[at];
	struct step like = {.op = STEP_ENABLE,
			    .cgroup = level->name,
			    .file = (char *)(uintptr_t) "cgroup.subtree_control",
			    .old_value = level->subtree_control,
			    .is_optional = is_optional};
	enum need_obstacle obstacle;
	char *plus;

	if (level->exists && need_list_has(level->subtree_control, controller))
		return 0;
	obstacle = need_judge(making->current, at, controller);
	if (obstacle != NEED_FINE)
		return is_optional ? 0 : refuse_obstacle(making, at, controller, obstacle);
	if (asprintf(&plus, "+%s", controller) < 0)
		return error_no_memory(making->err);
	return add_step(making, &like, plus);
}

/* Can the optional controller get down to the last level at all? */
static bool can_have_also(const struct making *making)
{
	const struct current *current = making->current;

	if (!making->also || need_has(&making->need, making->also))
		return false;
	for (size_t i = 0; i + 1 < current->levels; i++) {
		if (!need_list_has(current->level[i].subtree_control, making->also) &&
		    need_judge(current, i, making->also) != NEED_FINE)
			return false;
	}
	return true;
}

static int add_cgroup(struct making *making, size_t at)
{
	const struct current_level *level = making->current->level;
	const struct current_level *above;

	if (at == 0)
		return error_set(making->err, ENOENT, CGPOL_FAILED, "the root cgroup cannot be read");
	above = &level[at - 1];
	if (above->exists && strcmp(above->type, "domain") != 0)
		return refuse_threaded(making, above);
	return add_step(making, &(struct step){.op = STEP_MKDIR, .cgroup = level[at].name}, NULL);
}

static int add_controllers(struct making *making, size_t at, bool has_also)
{
	for (size_t i = 0; i < making->need.controllers; i++) {
		int rc = enable(making, at, making->need.controller[i], false);

		if (rc < 0)
			return rc;
	}
	return has_also ? enable(making, at, making->also, true) : 0;
}

static int add_levels(struct making *making)
{
	const struct current *current = making->current;
	bool has_also = can_have_also(making);

	for (size_t i = 0; i < current->levels; i++) {
		int rc = current->level[i].exists ? 0 : add_cgroup(making, i);

		if (rc == 0 && i + 1 < current->levels)
			rc = add_controllers(making, i, has_also);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Is the kernel older than "5.19"? */
static bool is_older(const struct current *current, const char *since)
{
	const char *at;
	uint64_t major, minor;

	if (!since || text_u64_head(since, &at, &major) < 0 || *at != '.' ||
	    text_u64_head(at + 1, &at, &minor) < 0)
		return false;
	return current->major < major || (current->major == major && current->minor < minor);
}

/* Are the files of the setting's controller there now, so that one which is missing does not exist at all? */
static bool shows_files(const struct making *making, const struct setting *setting)
{
	const struct current *current = making->current;
	const struct current_level *last = &current->level[current->levels - 1];
	AUTO(free_p) char *controller = last->exists ? key_controller(setting->name) : NULL;

	if (!controller)
		return last->exists && strncmp(setting->name, "cgroup.", 7) == 0;
	return current->levels > 1 && need_list_has(last->controllers, controller);
}

static int refuse_missing(const struct making *making, const struct setting *setting)
{
	const struct current *current = making->current;
	const char *since = setting->key ? setting->key->since : NULL;
	const char *hint = NULL;

	if (is_older(current, since)) {
		(void)error_set(making->err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
				"this kernel (%u.%u) has no %s: it came with %s", current->major,
				current->minor, setting->name, since);
	} else if (current->levels == 1) {
		(void)error_set(making->err, EOPNOTSUPP, CGPOL_UNSUPPORTED, "the root cgroup has no %s",
				setting->name);
		hint = "name a cgroup below it";
	} else {
		(void)error_set(making->err, EOPNOTSUPP, CGPOL_UNSUPPORTED, "this kernel (%u.%u) has no %s",
				current->major, current->minor, setting->name);
		hint = cause_of_missing(setting->name);
	}
	error_detail(making->err, setting->name, setting->value, hint);
	return -EOPNOTSUPP;
}

static int check_setting(const struct making *making, const struct setting *setting,
			 const struct current_value *value)
{
	/* A file that cannot be seen yet is believed to come, unless the kernel is too old for it. */
	if (!value->text && value->error == 0 &&
	    (making->current->levels == 1 || shows_files(making, setting) ||
	     is_older(making->current, setting->key ? setting->key->since : NULL)))
		return refuse_missing(making, setting);
	return 0;
}

static int add_value(struct making *making, const struct setting *setting, const struct current_value *value)
{
	struct step like = {.op = STEP_SET,
			    .cgroup = making->plan->cgroup,
			    .file = setting->name,
			    .old_value = value->text};
	AUTO(free_p) char *wanted = NULL;
	int rc = check_setting(making, setting, value);

	rc = rc < 0 ? rc : wanted_value(making->current, setting, &wanted, making->err);
	if (rc < 0 || (value->text && agreement_holds(setting, wanted, value->text)))
		return rc;
	rc = wanted_check_list(making->current, setting, making->err);
	return rc < 0 ? rc : add_step(making, &like, TAKE(wanted));
}

static int add_values(struct making *making)
{
	size_t first = making->plan->steps;

	for (size_t i = 0; i < making->policy->settings; i++) {
		int rc = add_value(making, &making->policy->setting[i], &making->current->value[i]);

		if (rc < 0)
			return rc;
	}
	if (making->plan->steps > first)
		order_steps(making->plan->step + first, making->plan->steps - first);
	return 0;
}

int plan_make(const struct current *current, const struct cgpol_policy *policy, const char *also,
	      struct plan **plan, struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *made = calloc(1, sizeof(*made));
	struct making making = {.current = current, .policy = policy, .also = also, .plan = made, .err = err};
	int rc = made ? need_of_policy(policy, &making.need) : -ENOMEM;

	if (rc < 0)
		return error_no_memory(err);
	made->cgroup = strdup(current->level[current->levels - 1].name);
	rc = made->cgroup ? 0 : error_no_memory(err);
	rc = rc < 0 ? rc : add_levels(&making);
	rc = rc < 0 ? rc : add_values(&making);
	need_clear(&making.need);
	if (rc < 0)
		return rc;
	*plan = TAKE(made);
	return 0;
}

/* Says more of an obstacle than the values tell: why the machine lacks a controller, which processes are in
 * the way. */
static int explain_obstacle(struct cgpol_host *host, const struct cgpol_policy *policy,
			    const struct current *current, int rc, struct cgpol_error *err)
{
	AUTO(need_clear_p) struct need need = {NULL, 0};

	if (need_of_policy(policy, &need) < 0)
		return rc;
	for (size_t i = 0; i + 1 < current->levels && current->level[i].exists; i++) {
		for (size_t j = 0; j < need.controllers; j++) {
			const struct current_level *level = &current->level[i];
			enum need_obstacle obstacle = need_judge(current, i, need.controller[j]);

			if (obstacle == NEED_FINE ||
			    need_list_has(level->subtree_control, need.controller[j]))
				continue;
			if (obstacle == NEED_LACKING)
				return cause_of_lack(host, need.controller[j], err);
			if (obstacle == NEED_PROCESSES)
				cause_add_processes(host, level->name, err);
			return rc;
		}
	}
	return rc;
}

static void current_clear_p(struct current *current)
{
	current_clear(current);
}

static int read_once(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
		     const char *also, struct plan **plan, struct cgpol_error *err)
{
	AUTO(current_clear_p) struct current current = {0};
	int rc = current_read(host, policy, cgroup, also, &current, err);

	if (rc < 0)
		return rc;
	rc = plan_make(&current, policy, also, plan, err);
	if (rc == -EBUSY || rc == -EOPNOTSUPP)
		return explain_obstacle(host, policy, &current, rc, err);
	return rc;
}

/* A cgroup that goes while it is read looks as if the kernel had no such files. */
static bool may_be_torn(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -EOPNOTSUPP;
}

int plan_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
	      const char *also, struct plan **plan, struct cgpol_error *err)
{
	struct cgpol_error failure;
	int rc = -ENOENT;

	for (int i = 0; i < READ_TRIES && may_be_torn(rc); i++) {
		failure = (struct cgpol_error){0};
		rc = read_once(host, policy, cgroup, also, plan, &failure);
	}
	if (rc < 0 && err)
		*err = failure;
	return rc;
}

int plan_new(const char *cgroup, struct plan **plan)
{
	(void)cgroup;
	(void)plan;
	return -ENOSYS;
}
int plan_add(struct plan *plan, const struct step *step)
{
	(void)plan;
	(void)step;
	return -ENOSYS;
}
int plan_insert(struct plan *plan, size_t at, const struct step *step)
{
	(void)plan;
	(void)at;
	(void)step;
	return -ENOSYS;
}
int plan_join(struct plan *plan, struct plan *more, struct plan_index **index)
{
	(void)plan;
	(void)more;
	(void)index;
	return -ENOSYS;
}
void plan_index_free(struct plan_index *index)
{
	(void)index;
}
