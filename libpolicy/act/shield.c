/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shield: cpus for one cgroup alone, and what still runs on them. */
#include "act/shield.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/affinity.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/choice.h"

enum {
	SHOWN_SIZE = 160,
	NO_SETAFFINITY = 0x4000000, /* PF_NO_SETAFFINITY, include/linux/sched.h: bound for good */
};

static void clear_threads(struct shield_thread *thread, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(thread[i].comm);
		free(thread[i].cpus);
	}
	free(thread);
}

void shield_clear(struct shield *shield)
{
	clear_threads(shield->kthread, shield->kthreads);
	clear_threads(shield->task, shield->tasks);
	for (size_t i = 0; i < shield->notes; i++)
		free(shield->note[i]);
	free(shield->note);
	free(shield->cpus);
	free(shield->left);
	free(shield->isolated);
	free(shield->nohz_full);
	*shield = (struct shield){0};
}

/* ---- who is on the cpus ---- */

struct look {
	struct cgpol_host *host;
	const char *cgroup;
	const struct nodeset *cpus;
	struct shield *shield;
};

static int add_thread(struct shield_thread **list, size_t *count, const struct shield_thread *like,
		      const struct nodeset *cpus)
{
	AUTO(free_p) char *comm = strdup(like->comm);
	AUTO(free_p) char *text = nodeset_format(cpus);
	struct shield_thread *more = reallocarray(*list, *count + 1, sizeof(*more));

	if (more)
		*list = more;
	if (!more || !comm || !text)
		return -ENOMEM;
	more[(*count)++] = (struct shield_thread){like->pid, like->tid, TAKE(comm), TAKE(text)};
	return 0;
}

/* One thread, when all that it may run on is in the shield. Those that are gone are passed over. */
static int look_at_thread(struct look *look, pid_t pid, pid_t tid, const struct proc_stat *stat)
{
	const struct shield_thread like = {.pid = pid, .tid = tid, .comm = (char *)(uintptr_t)stat->comm};
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct shield *shield = look->shield;
	int rc = affinity_read(look->host, pid, tid == pid ? 0 : tid, &cpus);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (nodeset_is_empty(&cpus) || !nodeset_contains(look->cpus, &cpus))
		return 0;
	return stat->flags & PROC_KTHREAD ? add_thread(&shield->kthread, &shield->kthreads, &like, &cpus)
					  : add_thread(&shield->task, &shield->tasks, &like, &cpus);
}

static bool is_inside(const struct look *look, pid_t pid)
{
	AUTO(free_p) char *name = NULL;
	size_t size = strlen(look->cgroup);

	return proc_read_cgroup(look->host, pid, &name) == 0 && strncmp(name, look->cgroup, size) == 0 &&
	       (name[size] == '/' || name[size] == '\0');
}

static int look_at_process(struct look *look, pid_t pid)
{
	AUTO(free_p) pid_t *tids = NULL;
	struct proc_stat stat;
	size_t count = 0;
	int rc = 0;

	if (proc_read_stat(look->host, pid, &stat) < 0 || stat.state == 'Z')
		return 0;
	/* Others that have an affinity (kswapd) are given another one, as tasks are. */
	if (stat.flags & PROC_KTHREAD)
		return stat.flags & NO_SETAFFINITY ? look_at_thread(look, pid, pid, &stat) : 0;
	if (is_inside(look, pid))
		return 0;
	rc = proc_threads(look->host, pid, &tids, &count);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = look_at_thread(look, pid, tids[i], &stat);
	return rc;
}

static int look_at_all(struct look *look)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = proc_list(look->host, &pids, &count);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = look_at_process(look, pids[i]);
	return rc;
}

/* ---- what else there is to know ---- */

__attribute__((format(printf, 2, 3))) static int add_note(struct shield *shield, const char *format, ...)
{
	char **more = reallocarray(shield->note, shield->notes + 1, sizeof(*more));
	char *text;
	va_list args;
	int size;

	if (!more)
		return -ENOMEM;
	shield->note = more;
	va_start(args, format);
	size = vasprintf(&text, format, args);
	va_end(args);
	if (size < 0)
		return -ENOMEM;
	more[shield->notes++] = text;
	return 0;
}

/* A list of cpus that the command line set aside; *text stays NULL where there is none. The kernel prints
 * "(null)" for an empty nohz_full. */
static int read_boot_list(struct cgpol_host *host, const char *path, struct nodeset *set, char **text)
{
	AUTO(free_p) char *read = NULL;
	int rc = root_read(host->root, path, &read, NULL);

	if (rc == 0)
		rc = nodeset_parse(read, NODESET_CPUS_MAX, set, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (!nodeset_is_empty(set))
		*text = TAKE(read);
	return 0;
}

static int note_isolated(struct look *look)
{
	AUTO(nodeset_clear_p) struct nodeset isolated = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset both = {0, NULL};
	AUTO(free_p) char *list = NULL;
	int rc = read_boot_list(look->host, "/sys/devices/system/cpu/isolated", &isolated,
				&look->shield->isolated);

	if (rc < 0 || !look->shield->isolated)
		return rc;
	if (nodeset_and(&both, &isolated, look->cpus) < 0)
		return -ENOMEM;
	if (nodeset_is_empty(&both))
		return 0;
	list = nodeset_format(&both);
	return list ? add_note(look->shield,
			       "isolcpus= of the kernel's command line isolates cpus %.200s already, until "
			       "the "
			       "next boot without it",
			       list)
		    : -ENOMEM;
}

static int note_ticks(struct look *look)
{
	AUTO(nodeset_clear_p) struct nodeset quiet = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset ticking = {0, NULL};
	AUTO(free_p) char *list = NULL;
	int rc = read_boot_list(look->host, "/sys/devices/system/cpu/nohz_full", &quiet,
				&look->shield->nohz_full);

	if (rc < 0 || nodeset_subtract(&ticking, look->cpus, &quiet) < 0)
		return -ENOMEM;
	if (nodeset_is_empty(&ticking))
		return 0;
	list = nodeset_format(&ticking);
	return list ? add_note(look->shield,
			       "the timer tick goes on on cpus %.200s: only booting with nohz_full= ends it",
			       list)
		    : -ENOMEM;
}

static int fill(struct cgpol_host *host, const char *cgroup, const struct nodeset *cpus, struct shield *made)
{
	struct look look = {host, cgroup, cpus, made};
	int rc;

	made->cpus = nodeset_format(cpus);
	if (!made->cpus)
		return -ENOMEM;
	rc = look_at_all(&look);
	rc = rc < 0 ? rc : note_isolated(&look);
	return rc < 0 ? rc : note_ticks(&look);
}

/* ---- what is left ---- */

/* The nearest cgroup above that has a cpuset: what of it the shield does not have. */
static int find_left(struct cgpol_host *host, const char *cgroup, const struct nodeset *cpus, char **left)
{
	AUTO(nodeset_clear_p) struct nodeset have = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset rest = {0, NULL};
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *at = cause_parent(cgroup);

	while (at && !text) {
		char *above = cause_parent(at);

		text = cause_read(host, at, "cpuset.cpus.effective");
		free(at);
		at = above;
	}
	if (!text && root_read(host->root, "/sys/devices/system/cpu/online", &text, NULL) == -ENOMEM)
		return -ENOMEM;
	if (!text || nodeset_parse(text, NODESET_CPUS_MAX, &have, NULL) < 0)
		return 0; /* the kernel will tell */
	if (nodeset_subtract(&rest, &have, cpus) < 0)
		return -ENOMEM;
	*left = nodeset_format(&rest);
	return *left ? 0 : -ENOMEM;
}

static int refuse_all(const char *cgroup, const char *cpus, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], list[96];

	text_escape(cgroup, shown, sizeof(shown));
	text_escape(cpus, list, sizeof(list));
	(void)error_set(err, EINVAL, CGPOL_REFUSED,
			"cgroup %s cannot have cpus %s alone: no cpu would be left for everybody else", shown,
			list);
	error_detail(err, "cpuset.cpus", list, "leave at least one");
	return -EINVAL;
}

static int resolve(struct cgpol_host *host, const struct shield_request *request, struct nodeset *cpus,
		   char **list, struct cgpol_error *err)
{
	int rc = choice_resolve(host, request->cgroup, true, "CPUS", request->cpus, list, err);

	if (rc < 0)
		return rc;
	rc = nodeset_parse(*list, NODESET_CPUS_MAX, cpus, err);
	if (rc < 0)
		return rc;
	if (!nodeset_is_empty(cpus))
		return 0;
	(void)error_set(err, EINVAL, CGPOL_USAGE, "a shield needs at least one cpu");
	error_detail(err, NULL, request->cpus, NULL);
	return -EINVAL;
}

int shield_plan(struct cgpol_host *host, const struct shield_request *request, struct plan **plan,
		struct cgpol_policy **policy, struct shield *shield, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(shield_clear) struct shield made = {0};
	AUTO(free_p) char *parent = cause_parent(request->cgroup);
	AUTO(free_p) char *list = NULL;
	struct partition_request partition = {
		.cgroup = request->cgroup, .type = request->type, .mems = request->mems};
	int rc;

	if (!parent) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "the root cgroup cannot be a shield");
		return -EINVAL;
	}
	rc = resolve(host, request, &cpus, &list, err);
	if (rc < 0)
		return rc;
	if (find_left(host, request->cgroup, &cpus, &made.left) < 0 ||
	    fill(host, request->cgroup, &cpus, &made) < 0)
		return error_no_memory(err);
	if (made.left && !*made.left)
		return refuse_all(request->cgroup, list, err);
	partition.cpus = list;
	partition.exclusive = partition_is_parent(host, parent) ? NULL : list;
	rc = partition_plan(host, &partition, plan, policy, err);
	if (rc < 0)
		return rc;
	*shield = made;
	made = (struct shield){0};
	return 0;
}

int shield_read(struct cgpol_host *host, const char *cgroup, struct shield *shield, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(partition_clear) struct partition partition = {0};
	AUTO(shield_clear) struct shield made = {0};
	int rc = partition_read(host, cgroup, &partition, err);

	if (rc < 0)
		return rc;
	if (!partition.effective || nodeset_parse(partition.effective, NODESET_CPUS_MAX, &cpus, NULL) < 0) {
		char shown[SHOWN_SIZE];

		text_escape(cgroup, shown, sizeof(shown));
		return error_set(err, EINVAL, CGPOL_FAILED, "cannot read the cpus of cgroup %s", shown);
	}
	if (find_left(host, cgroup, &cpus, &made.left) < 0 || fill(host, cgroup, &cpus, &made) < 0)
		return error_no_memory(err);
	*shield = made;
	made = (struct shield){0};
	return 0;
}
