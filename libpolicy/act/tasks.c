/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of processes that run. */
#include "act/tasks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/affinity.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"

enum {
	SHOWN_SIZE = 128, /* of a name in a sentence */
	STEPS_MAX = 1024, /* of one plan: the rest is for the next */
};

static const char adj_key[] = "oom_score_adj", affinity_key[] = "affinity";

/* One call: what is wanted, and the round at work. */
struct setting_tasks {
	struct cgpol_host *host;
	const struct tasks_request *request;
	const struct setting *adj, *affinity; /* NULL: not wanted */
	struct plan *plan;
	struct tasks_told *told;
	struct cgpol_error *err;
	pid_t *denied; /* whose step was skipped in the round before, though they live */
	size_t denieds;
	size_t most; /* steps of one plan */
	bool is_first, is_cut;
	bool is_done; /* not only planned */
};

static int no_memory(struct setting_tasks *tasks)
{
	return error_no_memory(tasks->err);
}

/* ---- what is wanted ---- */

static int refuse_kind(const char *name, struct cgpol_error *err)
{
	(void)error_set(
		err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
		"%s of a process that runs can only be changed by itself: there is no system call for it",
		name);
	error_detail(
		err, NULL, name,
		"cpuset.mems of its cgroup narrows it, and moves its pages; cgpol run starts a command with "
		"a memory policy");
	return -EOPNOTSUPP;
}

static int take_policy(struct setting_tasks *tasks, const struct cgpol_policy *policy)
{
	for (size_t i = 0; i < policy->settings; i++) {
		const struct setting *setting = &policy->setting[i];

		if (strcmp(setting->name, adj_key) == 0) {
			tasks->adj = setting;
		} else if (strcmp(setting->name, affinity_key) == 0) {
			tasks->affinity = setting;
		} else if (key_scope_of(setting->name) == KEY_TASK) {
			return refuse_kind(setting->name, tasks->err);
		} else {
			(void)error_set(tasks->err, EINVAL, CGPOL_USAGE, "%.64s is no setting of a process",
					setting->name);
			error_detail(tasks->err, NULL, setting->name, NULL);
			return -EINVAL;
		}
	}
	return 0;
}

/* ---- the cpus that a cgroup has ---- */

/* Of the nearest one above that tells; where none does, all that are online. -errno. */
static int read_cpus(struct cgpol_host *host, const char *cgroup, struct nodeset *cpus)
{
	AUTO(free_p) char *name = cgroup ? strdup(cgroup) : NULL;
	AUTO(free_p) char *text = NULL;

	if (cgroup && !name)
		return -ENOMEM;
	while (name && host->cgroup2) {
		AUTO(free_p) char *path = cgroup_path(host, name, "cpuset.cpus.effective");
		int rc = path ? root_read(host->root, path, &text, NULL) : -ENOMEM;
		char *slash = strrchr(name, '/');

		if (rc == 0)
			return nodeset_parse(text, NODESET_CPUS_MAX, cpus, NULL);
		if (rc == -ENOMEM)
			return rc;
		if (name[1] == '\0' || !slash)
			break;
		slash[slash == name ? 1 : 0] = '\0';
	}
	if (root_read(host->root, "/sys/devices/system/cpu/online", &text, NULL) < 0)
		return -ENOENT;
	return nodeset_parse(text, NODESET_CPUS_MAX, cpus, NULL);
}

/* Strict, as everywhere: what the cgroup does not have is a mistake and not left out in silence. */
static int refuse_outside(struct setting_tasks *tasks, const char *cgroup, const struct nodeset *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset outside = {0};
	AUTO(free_p) char *lacking = NULL;
	AUTO(free_p) char *has = NULL;
	char shown[SHOWN_SIZE];

	if (nodeset_subtract(&outside, &tasks->affinity->set, cpus) < 0)
		return no_memory(tasks);
	lacking = nodeset_format(&outside);
	has = nodeset_format(cpus);
	if (!lacking || !has)
		return no_memory(tasks);
	text_escape(cgroup ? cgroup : "", shown, sizeof(shown));
	(void)error_set(tasks->err, EINVAL, CGPOL_REFUSED,
			"cannot set affinity to %.64s: cpu %.64s is not in %s%s, which has %.64s",
			tasks->affinity->value, lacking, cgroup ? "the cpuset of cgroup " : "this machine",
			shown, has);
	error_detail(tasks->err, "cpuset.cpus.effective", tasks->affinity->value,
		     "choose among those, or widen cpuset.cpus first");
	return -EINVAL;
}

/* The part of the wanted affinity that the cgroup has. */
static int aim(struct setting_tasks *tasks, const char *cgroup, bool is_strict, struct nodeset *aim)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0};
	const struct nodeset *has = tasks->request->cpus;
	int rc = 0;

	if (!has) {
		rc = read_cpus(tasks->host, cgroup, &cpus);
		/* What nothing tells objects to nothing: the kernel will. */
		has = rc < 0 && rc != -ENOMEM ? &tasks->affinity->set : &cpus;
	}
	if (rc == -ENOMEM)
		return no_memory(tasks);
	if (nodeset_is_empty(&tasks->affinity->set)) {
		(void)error_set(tasks->err, EINVAL, CGPOL_USAGE, "affinity: a thread needs a cpu");
		error_detail(tasks->err, NULL, tasks->affinity->value, NULL);
		return -EINVAL;
	}
	if ((is_strict && !tasks->request->is_clipped && !nodeset_contains(has, &tasks->affinity->set)) ||
	    !nodeset_intersects(has, &tasks->affinity->set))
		return refuse_outside(tasks, cgroup, has);
	return nodeset_and(aim, has, &tasks->affinity->set) < 0 ? no_memory(tasks) : 0;
}

/* ---- one round ---- */

static bool was_denied(const struct setting_tasks *tasks, pid_t pid)
{
	for (size_t i = 0; i < tasks->denieds; i++)
		if (tasks->denied[i] == pid)
			return true;
	return false;
}

/* A task that is gone is no failure but of a named one, at first; `step` has what is special. */
static int add_step(struct setting_tasks *tasks, struct step *step, const struct proc_stat *stat)
{
	if (tasks->plan->steps >= tasks->most) {
		tasks->is_cut = true;
		return 0;
	}
	step->start_time = stat->start_time;
	/* One may end at any time; only a plan that nobody carries out names whom it was asked for as a must.
	 */
	step->is_optional = !was_denied(tasks, step->pid) && (tasks->request->cgroup || tasks->is_done);
	return plan_add(tasks->plan, step) < 0 ? no_memory(tasks) : 0;
}

static int set_adj(struct setting_tasks *tasks, pid_t pid)
{
	struct proc_stat stat = {0};
	char old_value[16];
	struct step step = {.op = STEP_TASK,
			    .file = (char *)(uintptr_t)adj_key,
			    .old_value = old_value,
			    .new_value = tasks->adj->value,
			    .pid = pid};
	int now, rc = proc_read_adj(tasks->host, pid, &now);

	if (rc < 0)
		return rc;
	(void)snprintf(old_value, sizeof(old_value), "%d", now);
	if (strcmp(old_value, tasks->adj->value) == 0) {
		tasks->told->unchanged += tasks->is_first;
		return 0;
	}
	rc = proc_read_stat(tasks->host, pid, &stat);
	if (rc < 0 || stat.flags & PROC_KTHREAD)
		return rc < 0 ? rc : 0;
	return add_step(tasks, &step, &stat);
}

/* A leader is read by its process, so that a capture holds its files once. */
static int read_thread_stat(struct cgpol_host *host, pid_t pid, pid_t tid, struct proc_stat *stat)
{
	AUTO(free_p) char *text = NULL;
	char path[64];
	int rc;

	if (tid == pid)
		return proc_read_stat(host, pid, stat);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	rc = root_read(host->root, path, &text, NULL);
	return rc < 0 ? rc : proc_stat_parse(text, stat);
}

static int set_thread(struct setting_tasks *tasks, pid_t pid, pid_t tid, const struct nodeset *aim)
{
	AUTO(nodeset_clear_p) struct nodeset now = {0};
	AUTO(free_p) char *old_value = NULL;
	AUTO(free_p) char *new_value = NULL;
	struct proc_stat stat = {0};
	struct step step = {.op = STEP_AFFINITY, .pid = tid};
	int rc = affinity_read(tasks->host, pid, tid, &now);

	if (rc == 0 && nodeset_is_equal(&now, aim)) {
		tasks->told->unchanged += tasks->is_first;
		return 0;
	}
	if (rc == 0)
		rc = read_thread_stat(tasks->host, pid, tid, &stat);
	if (rc < 0)
		return rc;
	/* Of these some are bound to their cpu, and the others are the kernel's to place. */
	if (stat.flags & PROC_KTHREAD)
		return 0;
	old_value = nodeset_format(&now);
	new_value = nodeset_format(aim);
	if (!old_value || !new_value)
		return no_memory(tasks);
	step.old_value = old_value;
	step.new_value = new_value;
	return add_step(tasks, &step, &stat);
}

static int set_threads(struct setting_tasks *tasks, pid_t pid, const struct nodeset *aim)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc = proc_threads(tasks->host, pid, &tids, &count);

	for (size_t i = 0; rc >= 0 && i < count; i++) {
		rc = set_thread(tasks, pid, tids[i], aim);
		if (proc_is_gone(rc))
			rc = 0;
	}
	return rc;
}

static int fail_on_process(struct setting_tasks *tasks, pid_t pid, int rc)
{
	char file[64];

	if (rc == -ENOMEM || (tasks->err && tasks->err->code))
		return rc == -ENOMEM ? no_memory(tasks) : rc;
	if (proc_is_gone(rc)) {
		(void)error_set(tasks->err, ESRCH, CGPOL_FAILED, "process %d does not exist", pid);
		rc = -ESRCH;
	} else {
		(void)error_set(tasks->err, -rc, CGPOL_FAILED, "process %d cannot be read: %s", pid,
				strerror(-rc));
	}
	(void)snprintf(file, sizeof(file), "/proc/%d", pid);
	error_detail(tasks->err, file, NULL, NULL);
	return rc;
}

static int set_process(struct setting_tasks *tasks, pid_t pid, const struct nodeset *aim)
{
	int rc = tasks->adj ? set_adj(tasks, pid) : 0;

	return rc == 0 && tasks->affinity ? set_threads(tasks, pid, aim) : rc;
}

static int set_named(struct setting_tasks *tasks, pid_t pid)
{
	AUTO(nodeset_clear_p) struct nodeset wanted = {0};
	AUTO(free_p) char *cgroup = NULL;
	int rc = 0;

	if (tasks->affinity) {
		(void)proc_read_cgroup(tasks->host, pid, &cgroup);
		rc = aim(tasks, cgroup, true, &wanted);
	}
	if (rc < 0)
		return rc;
	rc = set_process(tasks, pid, &wanted);
	if (rc < 0 && !tasks->is_first && proc_is_gone(rc))
		rc = 0;
	return rc < 0 ? fail_on_process(tasks, pid, rc) : 0;
}

static int set_members(struct setting_tasks *tasks, const char *cgroup, bool is_top)
{
	AUTO(nodeset_clear_p) struct nodeset wanted = {0};
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = cgroup_procs(tasks->host, cgroup, &pids, &count);

	/* A threaded cgroup's processes are in the list of its domain, above. */
	if (rc < 0)
		return !is_top && (rc == -EOPNOTSUPP || rc == -ENOENT || rc == -ENODEV) ? 0 : rc;
	if (tasks->affinity && (count > 0 || is_top))
		rc = aim(tasks, cgroup, is_top, &wanted);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = set_process(tasks, pids[i], &wanted);
		if (proc_is_gone(rc))
			rc = 0;
		else if (rc < 0)
			rc = fail_on_process(tasks, pids[i], rc);
	}
	return rc;
}

static int fail_on_cgroup(struct setting_tasks *tasks, int rc)
{
	char shown[SHOWN_SIZE];

	if (tasks->err && tasks->err->code)
		return rc;
	text_escape(tasks->request->cgroup, shown, sizeof(shown));
	if (rc == -ENOENT || rc == -ENODEV)
		(void)error_set(tasks->err, ENOENT, CGPOL_FAILED, "cgroup %s does not exist", shown);
	else if (rc == -EOPNOTSUPP)
		(void)error_set(tasks->err, EOPNOTSUPP, CGPOL_REFUSED,
				"cgroup %s is threaded: its processes belong to the cgroup above it", shown);
	else
		(void)error_set(tasks->err, -rc, CGPOL_FAILED, "cgroup %s cannot be read: %s", shown,
				strerror(-rc));
	error_detail(tasks->err, "cgroup.procs", shown, NULL);
	return rc;
}

static int collect(struct setting_tasks *tasks)
{
	const struct tasks_request *request = tasks->request;
	AUTO(subtree_clear) struct subtree tree = {0};
	int rc = 0;

	tasks->is_cut = false;
	for (size_t i = 0; rc == 0 && i < request->pids; i++)
		rc = set_named(tasks, request->pid[i]);
	if (rc < 0 || !request->cgroup)
		return rc;
	rc = subtree_list(tasks->host, request->cgroup, &tree);
	for (size_t i = 0; rc == 0 && i < tree.count; i++)
		rc = set_members(tasks, tree.name[i], i == 0);
	return rc < 0 ? fail_on_cgroup(tasks, rc) : 0;
}

/* ---- all rounds ---- */

/* A step that was skipped though its task is there: in the next round it has to be done, and the kernel's no
 * has its sentence then. */
static int look_after(struct setting_tasks *tasks, const struct change *change, const struct plan *plan)
{
	free(tasks->denied);
	tasks->denieds = 0;
	tasks->denied = calloc(plan->steps + 1, sizeof(*tasks->denied));
	if (!tasks->denied)
		return no_memory(tasks);
	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		enum step_result result = change_result(change, plan, i);
		struct proc_stat stat = {0};

		tasks->told->changed += result == STEP_DONE;
		tasks->told->unchanged += result == STEP_UNCHANGED;
		if (result != STEP_SKIPPED)
			continue;
		if (proc_read_stat(tasks->host, step->pid, &stat) == 0 && stat.start_time == step->start_time)
			tasks->denied[tasks->denieds++] = step->pid;
		else
			tasks->told->gone++;
	}
	return 0;
}

static int keep_plan(struct setting_tasks *tasks, struct plan **plan)
{
	struct plan **more = reallocarray(tasks->told->plan, tasks->told->plans + 1, sizeof(struct plan *));

	if (!more)
		return no_memory(tasks);
	tasks->told->plan = more;
	more[tasks->told->plans++] = TAKE(*plan);
	return 0;
}

/* fs/proc/base.c __set_oom_adj(): EACCES below the lowest value that anyone with the right has set. EIO: a
 * step that may fail did, and the reading back saw it. */
static void add_hint(const struct setting_tasks *tasks, int rc)
{
	struct cgpol_error *err = tasks->err;
	char file[sizeof(err->file)], value[sizeof(err->value)];

	if (!err || !tasks->adj || (rc != -EACCES && rc != -EPERM && rc != -EIO))
		return;
	(void)snprintf(file, sizeof(file), "%s", *err->file ? err->file : adj_key);
	(void)snprintf(value, sizeof(value), "%s", tasks->adj->value);
	error_detail(err, file, value,
		     "lowering oom_score_adj below what it was started with needs CAP_SYS_RESOURCE, and the "
		     "process must be yours");
}

static int do_round(struct setting_tasks *tasks, struct change *change)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	struct plan *kept;
	int rc = plan_new(NULL, &plan);

	if (rc < 0)
		return no_memory(tasks);
	tasks->plan = plan;
	rc = collect(tasks);
	if (rc < 0)
		return rc;
	if (plan->steps == 0) {
		tasks->told->is_settled = true;
		return 0;
	}
	kept = plan;
	rc = keep_plan(tasks, &plan);
	if (rc < 0)
		return rc;
	rc = change_apply(change, kept, NULL, tasks->err);
	if (rc < 0) {
		add_hint(tasks, rc);
		return rc;
	}
	return look_after(tasks, change, kept);
}

static int do_rounds(struct setting_tasks *tasks, struct change *change)
{
	unsigned rounds = tasks->request->rounds ? tasks->request->rounds : TASKS_ROUNDS;
	int rc = 0;

	tasks->is_first = true;
	/* One more, to see that nothing is left. */
	for (unsigned i = 0; rc == 0 && i <= rounds && !tasks->told->is_settled; i += !tasks->is_cut) {
		rc = do_round(tasks, change);
		tasks->told->rounds++;
		tasks->is_first = false;
	}
	if (rc < 0 || tasks->told->is_settled)
		return rc;
	(void)error_set(
		tasks->err, EAGAIN, CGPOL_FAILED,
		"after %u rounds there are still new tasks: they are made faster than they can be set",
		rounds);
	error_detail(tasks->err, NULL, NULL, "freeze the cgroup meanwhile");
	return -EAGAIN;
}

int tasks_set(struct cgpol_host *host, struct change *change, const struct tasks_request *request,
	      struct plan *plan, struct tasks_told *told, struct cgpol_error *err)
{
	struct setting_tasks tasks = {.host = host,
				      .request = request,
				      .plan = plan,
				      .told = told,
				      .err = err,
				      .most = change ? STEPS_MAX : SIZE_MAX,
				      .is_done = change != NULL};
	struct cgpol_error own = {0};
	int rc;

	if (!err)
		tasks.err = &own;
	rc = take_policy(&tasks, request->policy);
	if (rc < 0)
		return rc;
	told->is_settled = false;
	if (change) {
		rc = do_rounds(&tasks, change);
	} else {
		size_t before = plan->steps;

		tasks.is_first = true;
		rc = collect(&tasks);
		told->changed += plan->steps - before;
		told->is_settled = rc == 0;
	}
	free(tasks.denied);
	return rc;
}

void tasks_told_clear(struct tasks_told *told)
{
	for (size_t i = 0; i < told->plans; i++)
		plan_free(told->plan[i]);
	free(told->plan);
	*told = (struct tasks_told){0};
}

/* ---- threads with an affinity of their own ---- */

static int count_pinned(struct cgpol_host *host, pid_t pid, const struct nodeset *cpus, size_t *threads)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc = proc_threads(host, pid, &tids, &count);

	for (size_t i = 0; rc >= 0 && i < count; i++) {
		AUTO(nodeset_clear_p) struct nodeset own = {0};
		struct proc_stat stat = {0};

		rc = affinity_read(host, pid, tids[i], &own);
		if (rc == 0 && !nodeset_contains(&own, cpus))
			rc = read_thread_stat(host, pid, tids[i], &stat);
		else if (rc == 0)
			continue;
		if (rc == -ENOMEM)
			return rc;
		*threads += rc == 0 && !(stat.flags & PROC_KTHREAD);
		rc = 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

int tasks_pinned(struct cgpol_host *host, const char *cgroup, size_t *threads)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	size_t pinned = 0;
	int rc = subtree_list(host, cgroup, &tree);

	for (size_t i = 0; rc >= 0 && i < tree.count; i++) {
		AUTO(nodeset_clear_p) struct nodeset cpus = {0};
		AUTO(free_p) pid_t *pids = NULL;
		size_t count = 0;

		if (cgroup_procs(host, tree.name[i], &pids, &count) < 0 || count == 0)
			continue;
		if (read_cpus(host, tree.name[i], &cpus) < 0)
			continue;
		for (size_t j = 0; rc >= 0 && j < count; j++)
			rc = count_pinned(host, pids[j], &cpus, &pinned);
	}
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	*threads = pinned;
	return 0;
}
