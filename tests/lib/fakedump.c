/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of the fake kernel's cgroups and processes as text, to compare before and after. */
#include "fakedump.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "faketask.h"

struct dump {
	struct cgroup_tree *tree;
	bool is_settings;
	FILE *out;
};

static int compare_numbers(const void *a, const void *b)
{
	const int *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Who came first does not matter, and a process that left and came back is the last. */
static void dump_sorted(const char *text, FILE *out)
{
	int *number = faketree_must(calloc(strlen(text) + 1, sizeof(*number)));
	size_t count = 0;
	char *end;

	for (; *text; text = end + strspn(end, "\n"))
		number[count++] = (int)strtol(text, &end, 10);
	qsort(number, count, sizeof(*number), compare_numbers);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s%d", i > 0 ? " " : "", number[i]);
	free(number);
}

/* What is no setting, and changes by itself. */
static bool is_state(enum fakevalue_kind kind)
{
	switch (kind) {
	case FAKEVALUE_MEMORY_CURRENT:
	case FAKEVALUE_SWAP_CURRENT:
	case FAKEVALUE_MEMORY_STAT:
	case FAKEVALUE_NUMA_STAT:
	case FAKEVALUE_MEMORY_EVENTS:
	case FAKEVALUE_MEMORY_EVENTS_LOCAL:
		return true;
	default:
		return false;
	}
}

static void dump_value(const struct dump *dump, const struct cgroup *cgroup, const char *path, size_t i)
{
	const struct fakevalue *value = &fakevalue_table[i];
	const struct owner *owner = &cgroup->file_owner[i];
	AUTO(free_p) char *file = NULL;
	AUTO(free_p) char *text = NULL;

	faketree_check(asprintf(&file, "%s/%s", path, value->name) >= 0);
	if ((dump->is_settings && is_state(value->kind)) || fakecgroup_read(dump->tree, file, &text) < 0)
		return;
	(void)fprintf(dump->out, "%s: ", file);
	if (value->kind == FAKEVALUE_PROCS || value->kind == FAKEVALUE_THREADS)
		dump_sorted(text, dump->out);
	else
		(void)fputs(text, dump->out);
	if (owner->uid != 0 || owner->gid != 0)
		(void)fprintf(dump->out, " owner=%u:%u", owner->uid, owner->gid);
	(void)fputc('\n', dump->out);
}

static int compare_cgroups(const void *a, const void *b)
{
	const struct cgroup *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

static int compare_xattrs(const void *a, const void *b)
{
	const struct xattr *left = a, *right = b;

	return strcmp(left->name, right->name);
}

static void dump_xattrs(const struct cgroup *cgroup, const char *path, FILE *out)
{
	struct xattr xattr[XATTRS_MAX];
	size_t count = 0;

	for (; count < XATTRS_MAX && cgroup->xattr[count].name; count++)
		xattr[count] = cgroup->xattr[count];
	qsort(xattr, count, sizeof(*xattr), compare_xattrs);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s/ %s=%s\n", path, xattr[i].name, xattr[i].value);
}

/* NOLINTNEXTLINE(misc-no-recursion): a tree */
static void dump_cgroup(const struct dump *dump, const struct cgroup *cgroup, const char *path)
{
	const struct cgroup **child = NULL;
	size_t children = 0;

	(void)fprintf(dump->out, "%s/", path);
	if (!dump->is_settings)
		(void)fprintf(dump->out, " inode=%llu", (unsigned long long)cgroup->inode);
	(void)fprintf(dump->out, " owner=%u:%u\n", cgroup->owner.uid, cgroup->owner.gid);
	for (size_t i = 0; fakevalue_table[i].name; i++)
		dump_value(dump, cgroup, path, i);
	dump_xattrs(cgroup, path, dump->out);
	for (const struct cgroup *at = cgroup->child; at; at = at->next) {
		child = faketree_must(reallocarray(child, children + 1, sizeof(struct cgroup *)));
		child[children++] = at;
	}
	if (dump->is_settings && children > 0)
		qsort(child, children, sizeof(struct cgroup *), compare_cgroups);
	for (size_t i = 0; i < children; i++) {
		AUTO(free_p) char *below = NULL;

		faketree_check(asprintf(&below, "%s/%s", path, child[i]->name) >= 0);
		dump_cgroup(dump, child[i], below);
	}
	free(child);
}

static void dump_task(const struct cgroup_tree *tree, const struct task *task, FILE *out)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(free_p) char *list = NULL;
	AUTO(free_p) char *path = task->cgroup ? faketree_path(task->cgroup) : NULL;

	faketask_allowed(tree, task, &cpus);
	list = faketree_must(nodeset_format(&cpus));
	(void)fprintf(out, "task %d of %d (%s) start=%llu cgroup=%s cpus=%s oom_score_adj=%d\n",
		      (int)task->tid, (int)task->process->pid, task->process->comm,
		      (unsigned long long)task->start_time, path ? path : "(deleted)", list,
		      task->process->oom_score_adj);
}

void fakedump(struct cgroup_tree *tree, bool is_settings, FILE *out)
{
	const struct dump dump = {tree, is_settings, out};

	dump_cgroup(&dump, &tree->root, "");
	for (size_t i = 0; i < tree->processes; i++) {
		for (size_t j = 0; j < tree->process[i]->tasks; j++)
			dump_task(tree, tree->process[i]->task[j], out);
	}
}
