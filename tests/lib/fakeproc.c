/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says of the fake kernel's processes, and what may be written there. */
#include "fakeproc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fakecpuset.h"
#include "fakekernel.h"
#include "faketask.h"

static const char *const proc_files[] = {"cgroup",  "stat",	     "status", "comm",
					 "cmdline", "oom_score_adj", NULL};

/* One number of a path, with the slash or the end behind it. */
static bool take_pid(const char **path, pid_t *pid)
{
	char *end;
	long number;

	if (**path < '1' || **path > '9')
		return false;
	number = strtol(*path, &end, 10);
	if (number > INT_MAX || (*end != '/' && *end != '\0'))
		return false;
	*pid = (pid_t)number;
	*path = *end ? end + 1 : end;
	return true;
}

/* The thread of a path, and in *rest what follows: a file, "task" or "". NULL when it is of no process. */
static struct task *find_place(const struct cgroup_tree *tree, const char *path, const char **rest)
{
	struct task *task;
	pid_t pid, tid;

	if (strncmp(path, "/proc/", 6) != 0)
		return NULL;
	*rest = path + 6;
	if (!take_pid(rest, &pid))
		return NULL;
	/* A thread's number has a directory as well, but the list does not show it. */
	task = faketask_find(tree, pid);
	if (!task || strncmp(*rest, "task/", 5) != 0)
		return task;
	*rest += 5;
	if (!take_pid(rest, &tid))
		return NULL;
	for (size_t i = 0; i < task->process->tasks; i++) {
		if (task->process->task[i]->tid == tid)
			return task->process->task[i];
	}
	return NULL;
}

static char state_of(const struct process *process)
{
	if (process->behaviour & FAKEKERNEL_ZOMBIE)
		return 'Z';
	return "SD"[(process->behaviour & FAKEKERNEL_STUCK) != 0];
}

/* proc(5); no more is told than what a reader without ptrace permission is. */
static void show_stat(const struct task *task, FILE *out)
{
	const struct process *process = task->process;
	unsigned flags = process->behaviour & FAKEKERNEL_KTHREAD ? 0x200040 : 0x400000;

	(void)fprintf(out,
		      "%d (%s) %c %d %d %d 0 -1 %u 0 0 0 0 0 0 0 0 20 0 %zu 0 %llu 0 0 18446744073709551615 "
		      "0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		      (int)task->tid, process->comm, state_of(process), (int)process->parent,
		      (int)process->pid, (int)process->pid, flags, process->tasks,
		      (unsigned long long)task->start_time);
}

static void show_status(const struct cgroup_tree *tree, const struct task *task, FILE *out)
{
	const struct process *process = task->process;
	const struct cgroup *cgroup = task->cgroup ? task->cgroup : &tree->root;
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(free_p) char *list = NULL;
	AUTO(free_p) char *mems = fakecpuset_effective(tree, cgroup, false);

	faketask_allowed(tree, task, &cpus);
	list = faketree_must(nodeset_format(&cpus));
	(void)fprintf(out, "Name:\t%s\nUmask:\t0022\nState:\t%c\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\n",
		      process->comm, state_of(process), (int)process->pid, (int)task->tid,
		      (int)process->parent);
	if (!(process->behaviour & (FAKEKERNEL_ZOMBIE | FAKEKERNEL_KTHREAD)))
		(void)fprintf(out, "VmSize:\t    8192 kB\nVmLck:\t       0 kB\nVmRSS:\t    4096 kB\n"
				   "RssAnon:\t    2048 kB\nRssFile:\t    2048 kB\nRssShmem:\t       0 kB\n"
				   "VmPTE:\t      40 kB\nVmSwap:\t       0 kB\nCoreDumping:\t0\n");
	(void)fprintf(out,
		      "Threads:\t%zu\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n"
		      "Cpus_allowed_list:\t%s\nMems_allowed_list:\t%s\n",
		      process->tasks, list, mems);
}

static void show_cgroup(const struct task *task, FILE *out)
{
	AUTO(free_p) char *path = task->cgroup ? faketree_path(task->cgroup) : NULL;

	(void)fprintf(out, "0::%s\n", path ? path : "/ (deleted)");
}

int fakeproc_read(const struct cgroup_tree *tree, const char *path, char **text)
{
	const char *rest;
	const struct task *task = find_place(tree, path, &rest);
	char *made = NULL;
	size_t size = 0, i = 0;
	FILE *out;

	while (task && proc_files[i] && strcmp(proc_files[i], rest) != 0)
		i++;
	if (!task || !proc_files[i])
		return -ENOENT;
	out = faketree_must(open_memstream(&made, &size));
	if (strcmp(rest, "cgroup") == 0)
		show_cgroup(task, out);
	else if (strcmp(rest, "stat") == 0)
		show_stat(task, out);
	else if (strcmp(rest, "status") == 0)
		show_status(tree, task, out);
	else if (strcmp(rest, "oom_score_adj") == 0)
		(void)fprintf(out, "%d\n", task->process->oom_score_adj);
	else if (strcmp(rest, "comm") == 0)
		(void)fprintf(out, "%s\n", task->process->comm);
	(void)fclose(out);
	*text = faketree_must(made);
	return 0;
}

int fakeproc_write(struct cgroup_tree *tree, const char *path, const char *text, uint64_t caps)
{
	AUTO(free_p) char *line = strndup(text, strcspn(text, "\n"));
	const char *rest;
	const struct task *task = find_place(tree, path, &rest);

	if (!task)
		return -ENOENT;
	if (strcmp(rest, "oom_score_adj") != 0)
		return -EACCES;
	return faketask_adjust(task->process, faketree_must(line), caps);
}

int fakeproc_stat(const struct cgroup_tree *tree, const char *path, struct root_info *info)
{
	const char *rest;
	const struct task *task = find_place(tree, path, &rest);
	size_t i = 0;

	if (!task)
		return -ENOENT;
	if (*rest == '\0' || strcmp(rest, "task") == 0) {
		*info = (struct root_info){.inode = (uint64_t)task->tid, .nlink = 2, .mode = S_IFDIR | 0555};
		return 0;
	}
	while (proc_files[i] && strcmp(proc_files[i], rest) != 0)
		i++;
	if (!proc_files[i])
		return -ENOENT;
	*info = (struct root_info){.inode = (uint64_t)task->tid, .nlink = 1, .mode = S_IFREG | 0444};
	return 0;
}

static char *name_number(pid_t number)
{
	char *text;

	faketree_check(asprintf(&text, "%d", (int)number) >= 0);
	return text;
}

static int list_processes(const struct cgroup_tree *tree, char ***names, size_t *count)
{
	*names = faketree_must(calloc(tree->processes + 1, sizeof(**names)));
	for (*count = 0; *count < tree->processes; ++*count)
		(*names)[*count] = name_number(tree->process[*count]->pid);
	return 0;
}

int fakeproc_list(const struct cgroup_tree *tree, const char *path, char ***names, size_t *count)
{
	const char *rest;
	const struct task *task;

	if (strcmp(path, "/proc") == 0)
		return list_processes(tree, names, count);
	task = find_place(tree, path, &rest);
	if (!task || (*rest && strcmp(rest, "task") != 0))
		return -ENOENT;
	*names = faketree_must(calloc(task->process->tasks + 1, sizeof(**names)));
	*count = 0;
	if (!*rest) {
		(*names)[(*count)++] = faketree_must(strdup("task"));
		return 0;
	}
	for (; *count < task->process->tasks; ++*count)
		(*names)[*count] = name_number(task->process->task[*count]->tid);
	return 0;
}
