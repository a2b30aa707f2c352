/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freezing and thawing a cgroup: whether it may be, what else keeps it frozen, and who does not freeze. */
#include "act/freeze.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"
#include "policy/cause.h"

enum { SHOWN_SIZE = 160, NAMED_MAX = 6 };

/* Is one the other, or below it? */
static bool is_within(const char *name, const char *above)
{
	size_t size = strlen(above);

	return strncmp(name, above, size) == 0 && (name[size] == '\0' || name[size] == '/');
}

static int check_own(struct cgpol_host *host, const char *cgroup, const char *shown, struct cgpol_error *err)
{
	AUTO(free_p) char *own = NULL;
	int rc = proc_read_cgroup(host, host->root->facts.self, &own);

	if (rc == -ENOMEM)
		return error_no_memory(err);
	/* One that is outside of what is mounted here is not in it. */
	if (rc < 0 || !is_within(own, cgroup))
		return 0;
	rc = error_set(err, EBUSY, CGPOL_REFUSED,
		       "cgroup %s holds this cgpol itself: frozen, it could not thaw it again", shown);
	error_detail(err, "cgroup.freeze", shown, "start it from another cgroup");
	return rc;
}

static int refuse_root(struct cgpol_error *err)
{
	int rc = error_set(err, EBUSY, CGPOL_REFUSED, "the root cgroup cannot be frozen");

	error_detail(err, "cgroup.freeze", "/", "name one below it");
	return rc;
}

static int fail_read(struct cgpol_host *host, const char *cgroup, const char *shown, int rc,
		     struct cgpol_error *err)
{
	uint64_t inode;

	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc != -ENOENT && rc != -ENODEV) {
		rc = error_set(err, -rc, CGPOL_FAILED, "cannot read cgroup.freeze of cgroup %s: %s", shown,
			       strerror(-rc));
	} else if (cgroup_inode(host, cgroup, &inode) < 0) {
		rc = error_set(err, ENOENT, CGPOL_FAILED, "cgroup %s: there is no such cgroup", shown);
	} else {
		rc = error_set(err, ENOENT, CGPOL_UNSUPPORTED,
			       "this kernel (%u.%u) cannot freeze cgroups: it came with 5.2", host->major,
			       host->minor);
	}
	error_detail(err, "cgroup.freeze", shown, NULL);
	return rc;
}

int freeze_plan(struct cgpol_host *host, const char *cgroup, bool is_freezing, struct plan **plan,
		struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *made = NULL;
	AUTO(free_p) char *name = strdup(cgroup);
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *old = NULL;
	char wanted[] = {is_freezing ? '1' : '0', '\0'}, file[] = "cgroup.freeze", shown[SHOWN_SIZE];
	int rc = 0;

	text_escape(cgroup, shown, sizeof(shown));
	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	if (strcmp(cgroup, "/") == 0)
		return refuse_root(err);
	path = cgroup_path(host, cgroup, file);
	if (!path || !name || plan_new(cgroup, &made) < 0)
		return error_no_memory(err);
	rc = root_read(host->root, path, &old, NULL);
	if (rc < 0)
		return fail_read(host, cgroup, shown, rc, err);
	if (is_freezing)
		rc = check_own(host, cgroup, shown, err);
	if (rc == 0 && strcmp(old, wanted) != 0) {
		const struct step step = {
			.op = STEP_SET, .cgroup = name, .file = file, .old_value = old, .new_value = wanted};

		rc = plan_add(made, &step) < 0 ? error_no_memory(err) : 0;
	}
	if (rc == 0)
		*plan = TAKE(made);
	return rc;
}

char *freeze_holder(struct cgpol_host *host, const char *cgroup)
{
	char *at = cause_parent(cgroup);

	while (at && strcmp(at, "/") != 0) {
		AUTO(free_p) char *text = cause_read(host, at, "cgroup.freeze");
		char *parent;

		if (text && strcmp(text, "1") == 0)
			return at;
		parent = cause_parent(at);
		free(at);
		at = parent;
	}
	free(at);
	return NULL;
}

static size_t name_stuck(struct cgpol_host *host, const struct subtree *tree, const char *states, FILE *out)
{
	size_t seen = 0;

	for (size_t i = 0; i < tree->count; i++) {
		AUTO(free_p) pid_t *pids = NULL;
		size_t count = 0;

		if (cgroup_procs(host, tree->name[i], &pids, &count) < 0)
			continue;
		for (size_t j = 0; j < count; j++) {
			struct proc_stat stat;
			char comm[4 * PROC_COMM_SIZE];

			if (proc_read_stat(host, pids[j], &stat) < 0 || !strchr(states, stat.state))
				continue;
			if (seen++ < NAMED_MAX)
				(void)fprintf(out, "%s%d (%s, state %c)", seen > 1 ? ", " : "", (int)pids[j],
					      text_escape(stat.comm, comm, sizeof(comm)), stat.state);
		}
	}
	if (seen > NAMED_MAX)
		(void)fprintf(out, " and %zu more", seen - NAMED_MAX);
	return seen;
}

char *freeze_stuck(struct cgpol_host *host, const char *cgroup)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (subtree_list(host, cgroup, &tree) == -ENOMEM)
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (name_stuck(host, &tree, "D", out) == 0)
		(void)name_stuck(host, &tree, "RTt", out);
	return fclose(out) == 0 ? TAKE(text) : NULL;
}
