/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why the kernel does not let a process, or a thread, into a cgroup. */
#include "act/denied.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"
#include "policy/explain.h"
#include "policy/facts.h"
#include "policy/need.h"

enum {
	SHOWN_SIZE = 160,
	PROC_NO_SETAFFINITY = 0x04000000, /* PF_NO_SETAFFINITY of include/linux/sched.h */
	KTHREADD = 2,
};

static int explain(struct cgpol_host *host, const struct step *step, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	if (!err)
		return rc;
	*err = (struct cgpol_error){0};
	(void)explain_step(host, step, rc, err);
	if (!*err->text) {
		text_escape(step->cgroup, shown, sizeof(shown));
		(void)error_set(err, -rc, CGPOL_REFUSED, "cannot move process %d into cgroup %s: %s",
				(int)step->pid, shown, strerror(-rc));
		error_detail(err, step->is_thread ? "cgroup.threads" : "cgroup.procs", NULL, NULL);
	}
	return rc;
}

/* Is a controller enabled for the children that threads cannot be apart in? */
static bool has_domain_controller(const char *list)
{
	struct span rest = {list, strlen(list)}, word;

	while (text_word(&rest, &word)) {
		AUTO(free_p) char *name = span_dup(word);

		if (name && !need_is_threaded(name))
			return true;
	}
	return false;
}

static int judge_cgroup(struct cgpol_host *host, const char *cgroup, bool is_thread)
{
	AUTO(free_p) char *type = cause_read(host, cgroup, "cgroup.type");
	AUTO(free_p) char *enabled = cause_read(host, cgroup, "cgroup.subtree_control");
	AUTO(free_p) char *cpus = cause_read(host, cgroup, "cpuset.cpus.effective");

	if (type && strcmp(type, "domain invalid") == 0)
		return -EOPNOTSUPP;
	/* Only a threaded cgroup, or the root of a threaded tree, takes threads from beside it. */
	if (is_thread && type && strcmp(type, "domain") == 0)
		return -EOPNOTSUPP;
	/* The root has no type, and may have processes whatever is enabled. */
	if (strcmp(cgroup, "/") != 0 && enabled && has_domain_controller(enabled))
		return -EBUSY;
	if (cpus && !*cpus)
		return -ENOSPC;
	return 0;
}

/* The sentence is of a process; here it is of all. */
static void name_nobody(struct cgpol_error *err)
{
	const char *tail = strstr(err->text, " into cgroup ");
	char text[sizeof(err->text)];

	if (!tail)
		return;
	(void)snprintf(text, sizeof(text), "nothing can be moved%.400s", tail);
	memcpy(err->text, text, sizeof(text));
}

int denied_by_cgroup(struct cgpol_host *host, const char *cgroup, bool is_thread, struct cgpol_error *err)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	AUTO(free_p) char *name = strdup(cgroup);
	struct step step = {.op = STEP_ATTACH, .cgroup = name, .is_thread = is_thread};
	struct root_info info;
	char shown[SHOWN_SIZE];
	int rc;

	if (!path || !name)
		return error_no_memory(err);
	rc = root_stat(host->root, path, &info);
	if (rc < 0) {
		text_escape(cgroup, shown, sizeof(shown));
		rc = error_set(err, -rc, CGPOL_FAILED, "cgroup %s: %s", shown,
			       rc == -ENOENT ? "there is no such cgroup" : strerror(-rc));
		error_detail(err, path, shown, rc == -ENOENT ? "\"cgpol create\" makes one" : NULL);
		return rc;
	}
	rc = judge_cgroup(host, cgroup, is_thread);
	if (rc == -EOPNOTSUPP && is_thread) {
		AUTO(free_p) char *type = cause_read(host, cgroup, "cgroup.type");

		text_escape(cgroup, shown, sizeof(shown));
		rc = error_set(err, EOPNOTSUPP, CGPOL_REFUSED,
			       "cannot move single threads into cgroup %s: its cgroup.type is \"%.32s\"",
			       shown, type ? type : "?");
		error_detail(err, "cgroup.type", type,
			     "make it with cgpol create --threaded, below the cgroup of the process");
		return rc;
	}
	if (rc < 0 && explain(host, &step, rc, err) < 0 && err)
		name_nobody(err);
	return rc;
}

int denied_by_kind(pid_t pid, const struct proc_stat *stat, struct cgpol_error *err)
{
	int rc;

	if (!(stat->flags & PROC_KTHREAD))
		return 0;
	if (pid != KTHREADD && !(stat->flags & PROC_NO_SETAFFINITY))
		return 0;
	rc = error_set(err, EINVAL, CGPOL_REFUSED, "process %d is %s: the kernel leaves it in its cgroup",
		       (int)pid,
		       pid == KTHREADD ? "kthreadd, of which all kernel threads are made"
				       : "a kernel thread that is bound to its cpus");
	error_detail(err, "cgroup.procs", NULL,
		     "leave it out: kernel threads with bound cpus cannot be moved");
	return rc;
}

static bool is_writable(struct cgpol_host *host, const struct facts_groups *groups, const char *cgroup,
			const char *file)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);
	struct root_info info;

	if (!path || root_stat(host->root, path, &info) < 0)
		return true;
	return facts_may_write(&host->root->facts, groups, &info);
}

/* kernel/cgroup/cgroup.c cgroup_attach_permissions() */
static bool is_permitted(struct cgpol_host *host, const struct step *step)
{
	AUTO(facts_clear_groups) struct facts_groups groups = {NULL, 0};
	AUTO(free_p) char *above = step->old_value ? cause_common(step->old_value, step->cgroup) : NULL;
	const char *file = step->is_thread ? "cgroup.threads" : "cgroup.procs";

	if (facts_read_groups(host, &groups) < 0)
		return true;
	return is_writable(host, &groups, step->cgroup, file) &&
	       (!above || is_writable(host, &groups, above, "cgroup.procs"));
}

/* kernel/sched/core.c cpu_cgroup_can_attach(): with CONFIG_RT_GROUP_SCHED a realtime task goes only where the
 * group has realtime bandwidth, which cgroup v2 has no file for. */
static bool is_realtime(struct cgpol_host *host, const struct step *step)
{
	enum { STAT_POLICY = 41, SCHED_RR_POLICY = 2 };
	AUTO(free_p) char *text = NULL;
	char path[64];
	struct span rest, word;
	const char *paren;
	uint64_t policy = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)step->pid);
	if (root_read(host->root, path, &text, NULL) < 0)
		return false;
	paren = strrchr(text, ')');
	rest = (struct span){paren ? paren + 1 : "", paren ? strlen(paren + 1) : 0};
	for (int i = 3; i <= STAT_POLICY; i++)
		if (!text_word(&rest, &word) || (i == STAT_POLICY && span_u64(word, &policy) < 0))
			return false;
	return policy >= 1 && policy <= SCHED_RR_POLICY;
}

int denied_find(struct cgpol_host *host, const struct step *step, const struct proc_stat *stat,
		struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];
	int rc = denied_by_kind(step->pid, stat, err);

	if (rc == 0)
		rc = denied_by_cgroup(host, step->cgroup, step->is_thread, err);
	if (rc < 0)
		return rc;
	if (!is_permitted(host, step))
		return explain(host, step, -EACCES, err);
	if (step->is_thread)
		return explain(host, step, -EOPNOTSUPP, err);
	if ((stat->flags & PROC_KTHREAD) || is_realtime(host, step))
		return explain(host, step, -EINVAL, err);
	if (!err)
		return -EPERM;
	text_escape(step->cgroup, shown, sizeof(shown));
	(void)error_set(err, EPERM, CGPOL_REFUSED,
			"cannot move process %d into cgroup %s: the kernel refused it", (int)step->pid,
			shown);
	error_detail(err, "cgroup.procs", NULL, "-v shows with which error");
	return -EPERM;
}
