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
#include "host/subtree.h"
#include "policy/agreement.h"
#include "policy/cause.h"
#include "policy/leaf.h"
#include "policy/need.h"
#include "policy/order.h"
#include "policy/wanted.h"

enum {
	SHOWN_SIZE = 160, /* of a name in a sentence */
	READ_TRIES = 3,
};

/* kernel/cgroup/cpuset.c validate_change(); 6.18 still does, 7.3 does not: undo puts the parent's list there.
 */
static const char lost_list[] = "an empty list, which this kernel refuses while processes live there";

/* What the making of a plan works with. */
struct making {
	const struct current *current;
	const struct cgpol_policy *policy;
	const char *also;
	bool is_threaded;
	struct need need;
	struct plan *plan;
	struct cgpol_error *err;
};

/* Adds a copy of a step, and frees new_value. */
static int add_step(struct making *making, const struct step *like, char *new_value)
{
	AUTO(free_p) char *value = new_value;
	struct step step = *like;

	step.new_value = value;
	if (like->op != STEP_MKDIR && !value)
		return error_no_memory(making->err);
	return plan_add(making->plan, &step) < 0 ? error_no_memory(making->err) : 0;
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
		     "move its processes into a child of it first (create and set do that with --leaf NAME), "
		     "or choose another place");
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

/* What is in the way of a controller in the children of a level. The cgroup above a threaded one may have
 * processes, and a threaded one takes such controllers too (kernel/cgroup/cgroup.c
 * cgroup_vet_subtree_control_enable). */
static enum need_obstacle judge(const struct making *making, size_t at, const char *controller)
{
	const struct current_level *level = &making->current->level[at];
	enum need_obstacle obstacle = need_judge(making->current, at, controller);
	bool is_above;

	/* With either of these obstacles the level exists, and has a type. */
	if ((obstacle != NEED_PROCESSES && obstacle != NEED_THREADED) || !making->is_threaded ||
	    !need_is_threaded(controller))
		return obstacle;
	is_above = at + 2 == making->current->levels || strcmp(level->type, "domain") != 0;
	return is_above && strcmp(level->type, "domain invalid") != 0 ? NEED_FINE : obstacle;
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
	obstacle = judge(making, at, controller);
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
		    judge(making, i, making->also) != NEED_FINE)
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
	if (above->exists && strcmp(above->type, "domain") != 0 &&
	    (!making->is_threaded || strcmp(above->type, "domain invalid") == 0))
		return refuse_threaded(making, above);
	return add_step(making, &(struct step){.op = STEP_MKDIR, .cgroup = level[at].name}, NULL);
}

/* Below one that has threads every cgroup must be threaded before it can be used. */
static bool must_be_threaded(const struct making *making, size_t at)
{
	const struct current_level *level = making->current->level;

	if (!making->is_threaded)
		return false;
	if (at + 1 == making->current->levels)
		return !level[at].exists || !level[at].type || strcmp(level[at].type, "threaded") != 0;
	for (size_t i = 0; i < at; i++) {
		if (level[i].exists && strcmp(level[i].type, "domain") != 0)
			return !level[at].exists;
	}
	return false;
}

static int add_threaded(struct making *making, size_t at)
{
	const struct current_level *level = &making->current->level[at];
	struct step like = {.op = STEP_THREADED,
			    .cgroup = level->name,
			    .old_value = level->exists ? level->type : NULL,
			    .lost = level->exists ? "its type, which only a removal takes back" : NULL,
			    .why = "before anything else, while it is empty"};
	char *word = strdup("threaded");

	return word ? add_step(making, &like, word) : error_no_memory(making->err);
}

static int refuse_domain_controller(const struct making *making, const char *controller)
{
	(void)error_set(making->err, EINVAL, CGPOL_USAGE,
			"a threaded cgroup cannot have controller %.64s, which manages whole processes",
			controller);
	error_detail(making->err, "cgroup.type", controller,
		     "only cpu, cpuset, pids and perf_event manage threads");
	return -EINVAL;
}

static int check_threaded(const struct making *making)
{
	if (!making->is_threaded)
		return 0;
	if (making->current->levels == 1)
		return error_set(making->err, EINVAL, CGPOL_USAGE, "the root cgroup cannot be threaded");
	for (size_t i = 0; i < making->need.controllers; i++) {
		if (!need_is_threaded(making->need.controller[i]))
			return refuse_domain_controller(making, making->need.controller[i]);
	}
	return 0;
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

		if (rc == 0 && must_be_threaded(making, i))
			rc = add_threaded(making, i);
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

/* What undo cannot bring back. (What becomes of memory is for policy/guard.c to see.) */
static const char *lost_by(const struct making *making, const struct setting *setting, const char *old)
{
	bool is_list = strcmp(setting->name, "cpuset.cpus") == 0 || strcmp(setting->name, "cpuset.mems") == 0;

	return is_list && old && !*old && is_older(making->current, "6.19") ? lost_list : NULL;
}

static int add_value(struct making *making, const struct setting *setting, const struct current_value *value)
{
	struct step like = {.op = STEP_SET,
			    .cgroup = making->plan->cgroup,
			    .file = setting->name,
			    .old_value = value->text};
	AUTO(free_p) char *wanted = NULL;
	char absent[256];
	int rc = check_setting(making, setting, value);

	rc = rc < 0 ? rc : wanted_value(making->current, setting, &wanted, making->err);
	if (rc < 0 || (value->text && agreement_holds(setting, wanted, value->text)))
		return rc;
	rc = wanted_check_list(making->current, setting, making->err);
	if (rc == 0 && wanted_absent(making->current, setting, absent, sizeof(absent)) > 0)
		like.absent = absent;
	like.lost = rc < 0 ? NULL : lost_by(making, setting, value->text);
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

int plan_make_with(const struct current *current, const struct plan_request *request, struct plan **plan,
		   struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *made = NULL;
	struct making making = {.current = current,
				.policy = request->policy,
				.also = request->also,
				.is_threaded = request->is_threaded,
				.err = err};
	int rc = plan_new(current->level[current->levels - 1].name, &made);

	rc = rc < 0 ? rc : need_of_policy(request->policy, &making.need);
	if (rc < 0)
		return error_no_memory(err);
	making.plan = made;
	rc = check_threaded(&making);
	rc = rc < 0 ? rc : add_levels(&making);
	rc = rc < 0 ? rc : add_values(&making);
	need_clear(&making.need);
	if (rc < 0)
		return rc;
	*plan = TAKE(made);
	return 0;
}

int plan_make(const struct current *current, const struct cgpol_policy *policy, const char *also,
	      struct plan **plan, struct cgpol_error *err)
{
	return plan_make_with(current, &(struct plan_request){.policy = policy, .also = also}, plan, err);
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

/* While nobody lives there any list is taken. */
static void forget_lists(struct cgpol_host *host, struct plan *plan)
{
	for (size_t i = 0; i < plan->steps; i++) {
		if (plan->step[i].lost == lost_list && !subtree_is_populated(host, plan->step[i].cgroup))
			plan->step[i].lost = NULL;
	}
}

/* Moves first: they free the way for what comes behind them. */
static int join_moves(struct plan *moves, struct plan *rest, struct cgpol_error *err)
{
	struct plan_index *index = NULL;
	int rc = plan_join(moves, rest, &index);

	plan_index_free(index);
	return rc < 0 ? error_no_memory(err) : 0;
}

static int make_with_leaf(struct cgpol_host *host, const struct plan_request *request,
			  struct current *current, struct plan **plan, struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *moves = NULL;
	AUTO(plan_free_p) struct plan *rest = NULL;
	int rc = plan_new(request->cgroup, &moves) < 0 ? error_no_memory(err) : 0;

	rc = rc < 0 ? rc : leaf_plan(host, request, current, moves, err);
	if (rc == 0 && !request->is_leaf_only) {
		rc = plan_make_with(current, request, &rest, err);
		rc = rc < 0 ? rc : join_moves(moves, rest, err);
	}
	if (rc == 0)
		*plan = TAKE(moves);
	return rc;
}

static int read_own_type(struct cgpol_host *host, const char *cgroup, struct current *current)
{
	struct current_level *last = &current->level[current->levels - 1];

	if (!last->exists || last->type)
		return 0;
	last->type = cause_read(host, cgroup, "cgroup.type");
	return last->type ? 0 : -ENOENT;
}

static int read_once(struct cgpol_host *host, const struct plan_request *request, struct plan **plan,
		     struct cgpol_error *err)
{
	AUTO(current_clear_p) struct current current = {0};
	int rc = current_read(host, request->policy, request->cgroup, request->also, &current, err);

	if (rc == 0 && request->is_threaded && read_own_type(host, request->cgroup, &current) < 0)
		rc = error_set(err, ENOENT, CGPOL_FAILED, "cgroup.type of the cgroup cannot be read");
	if (rc < 0)
		return rc;
	rc = request->leaf ? make_with_leaf(host, request, &current, plan, err)
			   : plan_make_with(&current, request, plan, err);
	if (rc == -EBUSY || rc == -EOPNOTSUPP)
		return explain_obstacle(host, request->policy, &current, rc, err);
	if (rc == 0)
		forget_lists(host, *plan);
	return rc;
}

/* A cgroup that goes while it is read looks as if the kernel had no such files. */
static bool may_be_torn(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -EOPNOTSUPP;
}

int plan_read_with(struct cgpol_host *host, const struct plan_request *request, struct plan **plan,
		   struct cgpol_error *err)
{
	struct cgpol_error failure;
	int rc = -ENOENT;

	for (int i = 0; i < READ_TRIES && may_be_torn(rc); i++) {
		failure = (struct cgpol_error){0};
		rc = read_once(host, request, plan, &failure);
	}
	if (rc < 0 && err)
		*err = failure;
	return rc;
}

int plan_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
	      const char *also, struct plan **plan, struct cgpol_error *err)
{
	const struct plan_request request = {.policy = policy, .cgroup = cgroup, .also = also};

	return plan_read_with(host, &request, plan, err);
}
