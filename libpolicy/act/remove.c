/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deleting cgroups: what goes, what stands in the way, and the steps. */
#include "act/remove.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "act/await.h"
#include "act/siblings.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"

enum { SHOWN_SIZE = 160, NAMED_MAX = 4 };

void removal_clear(struct removal *removal)
{
	subtree_clear(&removal->all);
	subtree_clear(&removal->top);
}

/* A parent's name is the beginning of its children's, and shorter: backwards, the children come first. */
static int compare_backwards(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a);
}

static bool is_in(const struct subtree *tree, const char *name)
{
	return tree->count && bsearch(&name, tree->name, tree->count, sizeof(name), compare_backwards);
}

/* Sorted, children first, each once. */
static void sort(struct subtree *tree)
{
	size_t kept = 0;

	if (tree->count == 0)
		return;
	qsort(tree->name, tree->count, sizeof(*tree->name), compare_backwards);
	for (size_t i = 1; i < tree->count; i++) {
		if (strcmp(tree->name[i], tree->name[kept]) == 0)
			free(tree->name[i]);
		else
			tree->name[++kept] = tree->name[i];
	}
	tree->count = kept + 1;
}

static int fail_missing(const char *name, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(name, shown, sizeof(shown));
	rc = error_set(err, -rc, CGPOL_FAILED, "cgroup %s: %s", shown,
		       rc == -ENOENT ? "there is no such cgroup" : strerror(-rc));
	error_detail(err, NULL, shown, NULL);
	return rc;
}

static int add_named(struct cgpol_host *host, const struct remove_request *request, const char *name,
		     struct removal *removal, struct cgpol_error *err)
{
	uint64_t inode;
	int rc;

	if (strcmp(name, "/") == 0) {
		rc = error_set(err, EBUSY, CGPOL_REFUSED, "the root cgroup cannot be deleted");
		error_detail(err, host->cgroup2, "/", "name those below it");
		return rc;
	}
	rc = cgroup_inode(host, name, &inode);
	if (rc == 0)
		rc = request->is_recursive ? subtree_list(host, name, &removal->all)
					   : subtree_add(&removal->all, name);
	return rc < 0 ? fail_missing(name, rc, err) : 0;
}

/* systemd.unit(5): the kinds of units that have a cgroup. */
static bool is_unit(const char *name)
{
	static const char *const kinds[] = {".service", ".scope", ".slice"};
	size_t size = strlen(name);

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t tail = strlen(kinds[i]);

		if (size > tail && strcmp(name + size - tail, kinds[i]) == 0)
			return true;
	}
	return false;
}

static int check_owner(struct cgpol_host *host, const struct removal *removal, struct cgpol_error *err)
{
	struct root_info info;
	char shown[SHOWN_SIZE], hint[200];

	/* sd_booted(3) */
	if (root_stat(host->root, "/run/systemd/system", &info) < 0)
		return 0;
	for (size_t i = 0; i < removal->all.count; i++) {
		const char *name = removal->all.name[i];
		int rc;

		if (!is_unit(name))
			continue;
		text_escape(name, shown, sizeof(shown));
		rc = error_set(err, EBUSY, CGPOL_OWNED, "cgroup %s is a unit of systemd", shown);
		text_escape(strrchr(name, '/') + 1, shown, 120);
		(void)snprintf(hint, sizeof(hint), "systemctl stop %.120s; --force deletes it nevertheless",
			       shown);
		error_detail(err, NULL, name, hint);
		return rc;
	}
	return 0;
}

static int refuse_children(const char *name, char *const *children, size_t count, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], list[200] = "", part[80];

	for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
		text_escape(strrchr(children[i], '/') + 1, part, 40);
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "", part);
	}
	if (count > NAMED_MAX)
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), " and %zu more",
			       count - NAMED_MAX);
	text_escape(name, shown, sizeof(shown));
	(void)error_set(err, ENOTEMPTY, CGPOL_REFUSED, "cgroup %s has cgroups below it: %s", shown, list);
	error_detail(err, NULL, shown, "--recursive deletes them too");
	return -ENOTEMPTY;
}

static int check_children(struct cgpol_host *host, const struct removal *removal, struct cgpol_error *err)
{
	for (size_t i = 0; i < removal->all.count; i++) {
		const char *name = removal->all.name[i];
		char **children = NULL;
		size_t count = 0, staying = 0;
		int rc = cgroup_children(host, name, &children, &count);

		if (rc == -ENOENT || rc == -ENODEV)
			continue;
		if (rc < 0)
			return fail_missing(name, rc, err);
		for (size_t j = 0; j < count; j++)
			staying += !is_in(&removal->all, children[j]);
		if (staying > 0)
			rc = refuse_children(name, children, count, err);
		root_list_free(children, count);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Threads whose process belongs to a cgroup above: no list of processes has them. */
static void name_threads(struct cgpol_host *host, const struct subtree *tree, char *text, size_t size)
{
	for (size_t i = 0; i < tree->count && !*text; i++) {
		AUTO(free_p) pid_t *tids = NULL;
		size_t count = 0;

		if (siblings_list(host, tree->name[i], &tids, &count) < 0 || count == 0)
			continue;
		(void)snprintf(text, size, "thread %d%s", (int)tids[0], count > 1 ? " and others" : "");
	}
}

/* "" when nobody is seen; the caller frees it. NULL when memory is short. */
static char *name_living(struct cgpol_host *host, const struct subtree *tree)
{
	char *living = subtree_living(host, tree);
	char threads[64] = "";

	if (!living || *living)
		return living;
	name_threads(host, tree, threads, sizeof(threads));
	free(living);
	return strdup(threads);
}

static int check_living(struct cgpol_host *host, const struct removal *removal, struct cgpol_error *err)
{
	AUTO(free_p) char *living = NULL;
	bool is_populated = false;
	char shown[SHOWN_SIZE];
	int rc;

	for (size_t i = 0; i < removal->top.count && !is_populated; i++) {
		is_populated = subtree_is_populated(host, removal->top.name[i]);
		text_escape(removal->top.name[i], shown, sizeof(shown));
	}
	if (!is_populated)
		return 0;
	living = name_living(host, &removal->all);
	if (!living)
		return error_no_memory(err);
	if (!*living)
		return 0;
	rc = error_set(err, EBUSY, CGPOL_REFUSED, "processes live in cgroup %s: %.200s", shown, living);
	error_detail(err, "cgroup.procs", shown,
		     "--kill ends them, --move-to CGROUP moves them away before it is deleted");
	return rc;
}

static int find_tops(struct removal *removal)
{
	for (size_t i = 0; i < removal->all.count; i++) {
		AUTO(free_p) char *parent = cause_parent(removal->all.name[i]);

		if (!parent)
			return -ENOMEM;
		if (!is_in(&removal->all, parent) && subtree_add(&removal->top, removal->all.name[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int look(struct cgpol_host *host, const struct remove_request *request, struct removal *removal,
		struct cgpol_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < request->cgroups; i++)
		rc = add_named(host, request, request->cgroup[i], removal, err);
	if (rc < 0)
		return rc;
	sort(&removal->all);
	if (find_tops(removal) < 0)
		return error_no_memory(err);
	if (!request->is_forced)
		rc = check_owner(host, removal, err);
	if (rc == 0)
		rc = check_children(host, removal, err);
	if (rc == 0 && !request->is_cleared)
		rc = check_living(host, removal, err);
	return rc;
}

int remove_look(struct cgpol_host *host, const struct remove_request *request, struct removal *removal,
		struct cgpol_error *err)
{
	AUTO(removal_clear) struct removal found = {0};
	int rc;

	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	rc = look(host, request, &found, err);
	if (rc < 0)
		return rc;
	*removal = found;
	found = (struct removal){0};
	return 0;
}

int remove_plan_kill(const struct removal *removal, unsigned milliseconds, struct plan *plan)
{
	char most[16];
	int rc = 0;

	(void)snprintf(most, sizeof(most), "%u", milliseconds);
	for (size_t i = 0; rc == 0 && i < removal->top.count; i++) {
		const struct step step = {
			.op = STEP_KILL,
			.cgroup = removal->top.name[i],
			.new_value = most,
			.lost = "processes that were ended",
			.why = "only an empty cgroup can be removed",
		};

		rc = plan_add(plan, &step);
	}
	return rc;
}

int remove_plan_rmdir(const struct removal *removal, struct plan *plan)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < removal->all.count; i++) {
		const struct step step = {.op = STEP_RMDIR, .cgroup = removal->all.name[i]};

		rc = plan_add(plan, &step);
	}
	return rc;
}

static int fail_living(struct cgpol_host *host, const struct removal *removal, const char *name,
		       unsigned milliseconds, struct cgpol_error *err)
{
	AUTO(free_p) char *living = name_living(host, &removal->all);
	char shown[SHOWN_SIZE];
	int rc;

	if (!living)
		return error_no_memory(err);
	text_escape(name, shown, sizeof(shown));
	rc = error_set(err, EBUSY, CGPOL_FAILED, "cgroup %s is not empty after %u.%u s: %.240s", shown,
		       milliseconds / 1000, milliseconds % 1000 / 100,
		       *living ? living : "processes that have exited and are not gone yet");
	error_detail(err, "cgroup.events", shown,
		     *living ? "--kill ends them; a process in state D ends when its device answers"
			     : "--timeout waits longer; a process in state D ends when its device answers");
	return rc;
}

int remove_wait(struct cgpol_host *host, const struct removal *removal, unsigned milliseconds,
		struct cgpol_error *err)
{
	uint64_t end = await_clock() + milliseconds;

	for (size_t i = 0; i < removal->top.count; i++) {
		uint64_t now = await_clock();
		const struct await_request request = {
			.cgroup = removal->top.name[i],
			.events = AWAIT_BIT(AWAIT_EMPTY) | AWAIT_BIT(AWAIT_REMOVED),
			.milliseconds = now < end ? (unsigned)(end - now) : 1,
		};
		struct await_result result;
		int rc;

		/* The common case costs one read. */
		if (!subtree_is_populated(host, request.cgroup))
			continue;
		rc = await_event(host, &request, &result, err);
		if (rc == -ETIMEDOUT)
			return fail_living(host, removal, request.cgroup, milliseconds, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
