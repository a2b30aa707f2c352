/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes and threads of the fake kernel: where they are, how they move, freeze and end. */
#include "faketask.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "fakecpuset.h"
#include "fakedomain.h"
#include "fakekernel.h"

enum { CAP_SYS_RESOURCE_BIT = 24, ADJ_MAX = 1000, TICKS_FIRST = 1000, TICKS_STEP = 10 };

struct process *faketask_process(const struct cgroup_tree *tree, pid_t pid)
{
	for (size_t i = 0; i < tree->processes; i++) {
		if (tree->process[i]->pid == pid)
			return tree->process[i];
	}
	return NULL;
}

struct task *faketask_find(const struct cgroup_tree *tree, pid_t tid)
{
	for (size_t i = 0; i < tree->processes; i++) {
		struct process *process = tree->process[i];

		for (size_t j = 0; j < process->tasks; j++) {
			if (process->task[j]->tid == tid)
				return process->task[j];
		}
	}
	return NULL;
}

static void task_leave(struct task *task)
{
	struct cgroup *cgroup = task->cgroup;
	size_t i = 0;

	if (!cgroup)
		return;
	while (i < cgroup->tasks && cgroup->task[i] != task)
		i++;
	if (i == cgroup->tasks) /* a zombie */
		return;
	cgroup->tasks--;
	memmove(&cgroup->task[i], &cgroup->task[i + 1], (cgroup->tasks - i) * sizeof(struct task *));
}

static void task_enter(struct task *task, struct cgroup *cgroup)
{
	cgroup->task = faketree_must(reallocarray(cgroup->task, cgroup->tasks + 1, sizeof(struct task *)));
	cgroup->task[cgroup->tasks++] = task;
	task->cgroup = cgroup;
}

static struct task *task_add(struct cgroup_tree *tree, struct process *process, pid_t tid)
{
	struct task *task = faketree_must(calloc(1, sizeof(*task)));

	faketree_check(process->tasks < THREADS_MAX);
	task->tid = tid;
	task->process = process;
	task->start_time = TICKS_FIRST + TICKS_STEP * tree->starts++;
	process->task[process->tasks++] = task;
	return task;
}

int faketask_start(struct cgroup_tree *tree, struct cgroup *cgroup, pid_t pid, pid_t parent)
{
	const struct process *above = faketask_process(tree, parent);
	int rc = fakedomain_vet_entry(cgroup);
	struct process *process;

	if (rc < 0)
		return rc;
	faketree_check(pid > 0 && !faketask_find(tree, pid));
	process = faketree_must(calloc(1, sizeof(*process)));
	process->pid = pid;
	process->parent = parent;
	(void)snprintf(process->comm, sizeof(process->comm), "%s", above ? above->comm : "load");
	process->oom_score_adj = above ? above->oom_score_adj : 0;
	process->oom_score_adj_min = above ? above->oom_score_adj_min : 0;
	tree->process =
		faketree_must(reallocarray(tree->process, tree->processes + 1, sizeof(struct process *)));
	tree->process[tree->processes++] = process;
	task_enter(task_add(tree, process, pid), cgroup);
	if (above)
		faketree_check(nodeset_copy(&process->task[0]->asked, &above->task[0]->asked) == 0 &&
			       nodeset_copy(&process->task[0]->asked_of, &above->task[0]->asked_of) == 0);
	return 0;
}

int faketask_thread(struct cgroup_tree *tree, pid_t pid, pid_t tid)
{
	struct process *process = faketask_process(tree, pid);

	if (!process)
		return -ESRCH;
	faketree_check(!faketask_find(tree, tid));
	task_enter(task_add(tree, process, tid), process->task[0]->cgroup);
	return 0;
}

static void task_free(struct task *task)
{
	task_leave(task);
	nodeset_clear(&task->asked);
	nodeset_clear(&task->asked_of);
	free(task);
}

static void process_free(struct process *process)
{
	for (size_t i = 0; i < process->tasks; i++)
		task_free(process->task[i]);
	free(process);
}

/* A number that is only a thread's ends that thread. */
void faketask_end(struct cgroup_tree *tree, pid_t pid)
{
	struct task *task = faketask_find(tree, pid);
	struct process *process = task ? task->process : NULL;
	size_t i = 0;

	if (!process)
		return;
	if (process->pid != pid) {
		while (process->task[i] != task)
			i++;
		process->tasks--;
		memmove(&process->task[i], &process->task[i + 1],
			(process->tasks - i) * sizeof(struct task *));
		task_free(task);
		return;
	}
	while (tree->process[i] != process)
		i++;
	tree->processes--;
	memmove(&tree->process[i], &tree->process[i + 1], (tree->processes - i) * sizeof(struct process *));
	process_free(process);
}

void faketask_zombify(struct process *process)
{
	for (size_t i = 0; i < process->tasks; i++)
		task_leave(process->task[i]);
	process->behaviour |= FAKEKERNEL_ZOMBIE;
}

void faketask_free(struct cgroup_tree *tree)
{
	for (size_t i = 0; i < tree->processes; i++)
		process_free(tree->process[i]);
	free(tree->process);
}

static bool has_own_cpuset(const struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	return faketree_controllers(tree, cgroup) & fakevalue_controller("cpuset");
}

/* The cgroup whose cpuset holds for a cgroup. */
static const struct cgroup *cpuset_of(const struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	while (cgroup->parent && !has_own_cpuset(tree, cgroup))
		cgroup = cgroup->parent;
	return cgroup;
}

static void cpus_of(const struct cgroup_tree *tree, const struct cgroup *cgroup, struct nodeset *cpus)
{
	AUTO(free_p) char *text = fakecpuset_effective(tree, cgroup, true);

	faketree_check(nodeset_parse(text, NODESET_CPUS_MAX, cpus, NULL) == 0);
}

static void forget_affinity(struct task *task)
{
	nodeset_clear(&task->asked);
	nodeset_clear(&task->asked_of);
}

/* cpuset_attach() is called where the cpuset becomes another one only; before 6.2 (8f9ea86fdf99) the mask
 * that it sets takes the place of the user's. */
static void carry(const struct cgroup_tree *tree, struct task *task, struct cgroup *cgroup)
{
	bool is_other = cpuset_of(tree, task->cgroup) != cpuset_of(tree, cgroup);

	task_leave(task);
	task_enter(task, cgroup);
	if (is_other && tree->machine.version < FAKEVALUE_SINCE(6, 2))
		forget_affinity(task);
}

static int task_number(const char *text, pid_t *pid)
{
	char *end;
	long number = strtol(text, &end, 0);

	if (end == text || *end || number < 0 || number > INT_MAX)
		return -EINVAL;
	*pid = (pid_t)number;
	return 0;
}

/* __cgroup_procs_write() */
int faketask_move(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text, bool is_thread)
{
	struct process *process;
	struct task *task;
	pid_t pid = 0;
	int rc = task_number(text, &pid);

	if (rc < 0)
		return rc;
	task = faketask_find(tree, pid);
	if (!task || !task->cgroup)
		return -ESRCH;
	process = task->process;
	if (process->behaviour & FAKEKERNEL_KTHREAD)
		return -EINVAL;
	if (process->behaviour & FAKEKERNEL_FOREIGN)
		return -EACCES;
	rc = fakedomain_vet_entry(cgroup);
	if (rc < 0)
		return rc;
	if (is_thread && fakedomain_of(task->cgroup) != fakedomain_of(cgroup))
		return -EOPNOTSUPP;
	/* cgroup_migrate_add_task() passes over those that exit. */
	if (process->behaviour & FAKEKERNEL_ZOMBIE)
		return 0;
	for (size_t i = 0; i < process->tasks; i++) {
		if ((!is_thread || process->task[i] == task) && process->task[i]->cgroup != cgroup)
			carry(tree, process->task[i], cgroup);
	}
	return 0;
}

/* cgroup_kill_write() */
int faketask_kill(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text)
{
	const struct cgroup *top = cgroup;
	pid_t number = 0;

	if (task_number(text, &number) < 0)
		return -EINVAL;
	if (number != 1)
		return -ERANGE;
	if (cgroup->is_threaded)
		return -EOPNOTSUPP;
	for (struct cgroup *at = cgroup; at; at = faketree_next(top, at)) {
		for (size_t i = at->tasks; i-- > 0;) {
			/* Where one goes, others of its process may. */
			if (i < at->tasks)
				(void)faketask_signal(tree, at->task[i]->process->pid, SIGKILL);
		}
	}
	return 0;
}

int faketask_signal(struct cgroup_tree *tree, pid_t pid, int signal)
{
	const struct process *process = faketask_process(tree, pid);

	if (!process)
		return -ESRCH;
	if (process->behaviour & FAKEKERNEL_FOREIGN)
		return -EPERM;
	if (signal == 0 || signal == SIGCONT || signal == SIGSTOP || signal == SIGCHLD ||
	    process->behaviour & (FAKEKERNEL_STUCK | FAKEKERNEL_KTHREAD | FAKEKERNEL_ZOMBIE) ||
	    (signal != SIGKILL && process->behaviour & FAKEKERNEL_IGNORES))
		return 0;
	faketask_end(tree, pid);
	return 0;
}

/* fs/proc/base.c oom_score_adj_write(), __set_oom_adj() */
int faketask_adjust(struct process *process, const char *text, uint64_t caps)
{
	bool is_capable = caps >> CAP_SYS_RESOURCE_BIT & 1;
	char *end;
	long number = strtol(text, &end, 0);

	if (end == text || *end || number < -ADJ_MAX || number > ADJ_MAX)
		return -EINVAL;
	if (process->behaviour & FAKEKERNEL_FOREIGN || (number < process->oom_score_adj_min && !is_capable))
		return -EACCES;
	process->oom_score_adj = (int)number;
	if (is_capable)
		process->oom_score_adj_min = (int)number;
	return 0;
}

/* kernel/sched/core.c __sched_setaffinity() */
int faketask_set_affinity(struct cgroup_tree *tree, struct task *task, const struct nodeset *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset both = {0, NULL};
	bool is_kept = tree->machine.version >= FAKEVALUE_SINCE(6, 2);

	if (task->process->behaviour & FAKEKERNEL_FOREIGN)
		return -EPERM;
	if (task->process->behaviour & FAKEKERNEL_KTHREAD || !task->cgroup)
		return task->cgroup ? -EINVAL : -ESRCH;
	cpus_of(tree, task->cgroup, &own);
	faketree_check(nodeset_and(&both, cpus, &own) == 0);
	if (nodeset_is_empty(&both))
		return -EINVAL;
	faketree_check(nodeset_copy(&task->asked, is_kept ? cpus : &both) == 0 &&
		       nodeset_copy(&task->asked_of, &own) == 0);
	return 0;
}

void faketask_allowed(const struct cgroup_tree *tree, const struct task *task, struct nodeset *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};

	cpus_of(tree, task->cgroup ? task->cgroup : &tree->root, &own);
	faketree_check(nodeset_and(cpus, &task->asked, &own) == 0);
	if (nodeset_is_empty(cpus))
		faketree_check(nodeset_copy(cpus, &own) == 0);
}

void faketask_settle(struct cgroup_tree *tree)
{
	if (tree->machine.version >= FAKEVALUE_SINCE(6, 2))
		return;
	for (size_t i = 0; i < tree->processes; i++) {
		for (size_t j = 0; j < tree->process[i]->tasks; j++) {
			struct task *task = tree->process[i]->task[j];
			AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};

			if (nodeset_is_empty(&task->asked) || !task->cgroup)
				continue;
			cpus_of(tree, task->cgroup, &own);
			if (!nodeset_is_equal(&own, &task->asked_of))
				forget_affinity(task);
		}
	}
}

static void show_tasks(const struct cgroup *cgroup, bool is_thread, FILE *out)
{
	for (size_t i = 0; i < cgroup->tasks; i++) {
		const struct task *task = cgroup->task[i];

		if (is_thread || task->tid == task->process->pid)
			(void)fprintf(out, "%s%d", ftell(out) > 0 ? "\n" : "", (int)task->tid);
	}
}

/* CSS_TASK_ITER_THREADED: cgroup.procs of a thread root has those of all its threaded cgroups. */
char *faketask_show(struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_thread)
{
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = faketree_must(open_memstream(&text, &size));

	(void)tree;
	show_tasks(cgroup, is_thread, out);
	for (struct cgroup *at = faketree_next(cgroup, (struct cgroup *)(uintptr_t)cgroup); at && !is_thread;
	     at = faketree_next(cgroup, at)) {
		if (fakedomain_of(at) == cgroup)
			show_tasks(at, false, out);
	}
	(void)fclose(out);
	return faketree_must(TAKE(text));
}

static bool is_to_freeze(const struct cgroup *cgroup)
{
	for (; cgroup->parent; cgroup = cgroup->parent) {
		if (strcmp(faketree_value(cgroup, "cgroup.freeze"), "1") == 0)
			return true;
	}
	return false;
}

/* cgroup_propagate_frozen(): with all its tasks and all cgroups below it. */
static bool is_frozen(struct cgroup *cgroup)
{
	if (!is_to_freeze(cgroup))
		return false;
	for (struct cgroup *at = cgroup; at; at = faketree_next(cgroup, at)) {
		for (size_t i = 0; i < at->tasks; i++) {
			if (at->task[i]->process->behaviour & (FAKEKERNEL_STUCK | FAKEKERNEL_KTHREAD))
				return false;
		}
	}
	return true;
}

char *faketask_events(struct cgroup *cgroup)
{
	char *text;

	faketree_check(asprintf(&text, "populated %d\nfrozen %d", faketree_is_populated(cgroup),
				is_frozen(cgroup)) >= 0);
	return text;
}
