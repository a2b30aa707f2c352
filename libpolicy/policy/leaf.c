/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving the processes of a cgroup into a child of it, so that it can hand on controllers. */
#include "policy/leaf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/need.h"

static int check_name(const struct plan_request *request, const struct current *current,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *name = NULL;
	char shown[160];

	text_escape(request->leaf, shown, sizeof(shown));
	if (strchr(request->leaf, '/') || cgroup_name(request->leaf, &name, NULL) < 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no name for a child of a cgroup", shown);
		error_detail(err, NULL, shown, "one word without a slash: --leaf main");
		return -EINVAL;
	}
	/* The last level may be the leaf: its processes are in nobody's way. */
	for (size_t i = 1; i + 1 < current->levels; i++) {
		if (strcmp(strrchr(current->level[i].name, '/') + 1, request->leaf) == 0) {
			(void)error_set(
				err, EINVAL, CGPOL_USAGE,
				"\"%s\" is on the way to the cgroup, and may have no processes either",
				shown);
			error_detail(err, NULL, shown, "choose another name for --leaf");
			return -EINVAL;
		}
	}
	return 0;
}

/* Does it need a controller handed on, which its processes are in the way of? */
static bool is_obstructed(const struct current *current, size_t at, const struct need *need)
{
	for (size_t i = 0; i < need->controllers; i++) {
		if (!need_list_has(current->level[at].subtree_control, need->controller[i]) &&
		    need_judge(current, at, need->controller[i]) == NEED_PROCESSES)
			return true;
	}
	return false;
}

static int add_move(struct cgpol_host *host, const struct current_level *level, char *child, pid_t pid,
		    struct plan *plan)
{
	struct proc_stat stat;
	int rc = proc_read_stat(host, pid, &stat);
	const struct step step = {.op = STEP_ATTACH,
				  .cgroup = child,
				  .old_value = level->name,
				  .is_optional = true,
				  .pid = pid,
				  .start_time = rc < 0 ? 0 : stat.start_time,
				  .why = "a cgroup has either processes or children with controllers"};

	if (rc < 0)
		return proc_is_gone(rc) ? 0 : rc;
	return plan_add(plan, &step);
}

static int empty_level(struct cgpol_host *host, const char *leaf, struct current_level *level,
		       struct plan *plan)
{
	AUTO(free_p) pid_t *pids = NULL;
	AUTO(free_p) char *child = NULL;
	const char *above = strcmp(level->name, "/") == 0 ? "" : level->name;
	size_t count = 0;
	uint64_t inode;
	int rc;

	if (asprintf(&child, "%s/%s", above, leaf) < 0) {
		child = NULL;
		return -ENOMEM;
	}
	rc = cgroup_procs(host, level->name, &pids, &count);
	if (rc == 0 && count > 0 && cgroup_inode(host, child, &inode) < 0)
		rc = plan_add(plan, &(struct step){.op = STEP_MKDIR, .cgroup = child});
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = add_move(host, level, child, pids[i], plan);
	level->has_processes = false;
	return rc;
}

int leaf_plan(struct cgpol_host *host, const struct plan_request *request, struct current *current,
	      struct plan *plan, struct cgpol_error *err)
{
	AUTO(need_clear_p) struct need need = {NULL, 0};
	char shown[160];
	int rc = check_name(request, current, err);

	if (rc < 0)
		return rc;
	if (need_of_policy(request->policy, &need) < 0)
		return error_no_memory(err);
	for (size_t i = 0; i + 1 < current->levels && current->level[i].exists; i++) {
		struct current_level *level = &current->level[i];

		if (!is_obstructed(current, i, &need))
			continue;
		rc = empty_level(host, request->leaf, level, plan);
		if (rc == -ENOMEM)
			return error_no_memory(err);
		text_escape(level->name, shown, sizeof(shown));
		if (rc < 0)
			return error_set(err, -rc, CGPOL_FAILED,
					 "cannot read which processes are in %.160s: %s", level->name,
					 strerror(-rc));
	}
	return 0;
}
