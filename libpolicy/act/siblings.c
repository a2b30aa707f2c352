/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a cgroup, and those beside a thread that is moved, which must stay where they are. */
#include "act/siblings.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"

enum { SHOWN_SIZE = 120 };

void siblings_clear(struct siblings *siblings)
{
	for (size_t i = 0; i < siblings->count; i++)
		free(siblings->sibling[i].cgroup);
	free(siblings->sibling);
	*siblings = (struct siblings){0};
}

int siblings_list(struct cgpol_host *host, const char *cgroup, pid_t **tids, size_t *count)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, "cgroup.threads");
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) pid_t *made = NULL;
	size_t found = 0, size = 0;
	struct span line;
	const char *rest;
	int rc = path ? root_read(host->root, path, &text, &size) : -ENOMEM;

	if (rc < 0)
		return rc == -ENODEV ? -ENOENT : rc;
	/* A number and its newline take two bytes at least. */
	made = calloc(size / 2 + 2, sizeof(*made));
	if (!made)
		return -ENOMEM;
	rest = text;
	while (text_line(&rest, &line)) {
		uint64_t tid;

		if (line.size == 0)
			continue;
		if (span_u64(line, &tid) < 0 || tid > INT_MAX)
			return -EINVAL;
		if (tid != 0)
			made[found++] = (pid_t)tid;
	}
	*tids = TAKE(made);
	*count = found;
	return 0;
}

static bool is_moved(const struct plan *plan, pid_t tid)
{
	for (size_t i = 0; i < plan->steps; i++)
		if (plan->step[i].pid == tid)
			return true;
	return false;
}

static int add(struct siblings *siblings, pid_t tid, pid_t moved, char *cgroup)
{
	struct sibling *more = reallocarray(siblings->sibling, siblings->count + 1, sizeof(*more));

	if (!more) {
		free(cgroup);
		return -ENOMEM;
	}
	siblings->sibling = more;
	more[siblings->count++] = (struct sibling){.tid = tid, .moved = moved, .cgroup = cgroup};
	return 0;
}

static bool is_known(const struct siblings *siblings, pid_t tid)
{
	for (size_t i = 0; i < siblings->count; i++)
		if (siblings->sibling[i].tid == tid)
			return true;
	return false;
}

static int read_beside(struct cgpol_host *host, const struct plan *plan, pid_t moved,
		       struct siblings *siblings)
{
	struct proc_status status = {0};
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc = proc_read_status(host, moved, &status);

	if (rc == 0)
		rc = proc_threads(host, status.tgid, &tids, &count);
	proc_status_clear(&status);
	/* All of its process is looked at with the first of its threads. */
	for (size_t i = 0; rc == 0 && i < count; i++) {
		char *cgroup = NULL;

		if (is_moved(plan, tids[i]) || is_known(siblings, tids[i]))
			continue;
		rc = proc_read_cgroup(host, tids[i], &cgroup);
		if (rc == 0)
			rc = add(siblings, tids[i], moved, cgroup);
		else if (rc != -ENOMEM)
			rc = 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

int siblings_read(struct cgpol_host *host, const struct plan *plan, struct siblings *siblings)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->steps; i++)
		if (plan->step[i].op == STEP_ATTACH)
			rc = read_beside(host, plan, plan->step[i].pid, siblings);
	return rc;
}

int siblings_check(struct cgpol_host *host, const struct siblings *siblings, struct cgpol_error *err)
{
	for (size_t i = 0; i < siblings->count; i++) {
		const struct sibling *sibling = &siblings->sibling[i];
		AUTO(free_p) char *now = NULL;
		char was[SHOWN_SIZE], is[SHOWN_SIZE];
		int rc = proc_read_cgroup(host, sibling->tid, &now);

		if (rc == -ENOMEM)
			return error_no_memory(err);
		if (rc < 0 || strcmp(now, sibling->cgroup) == 0)
			continue;
		rc = error_set(err, EXDEV, CGPOL_FAILED,
			       "thread %d was to be moved alone, but thread %d of its process has moved from "
			       "cgroup %s to %s",
			       (int)sibling->moved, (int)sibling->tid,
			       text_escape(sibling->cgroup, was, sizeof(was)),
			       text_escape(now, is, sizeof(is)));
		error_detail(err, "cgroup.threads", NULL, "somebody else moves it too");
		return rc;
	}
	return 0;
}
