/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads every process into the rows of a snapshot. */
#include "memory/census.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/proc.h"
#include "memory/numamaps.h"

/* What identifies an mm without permission to ask about it: equal addresses are necessary for sharing. */
struct mm_key {
	uint64_t stack, arguments;
	size_t task; /* index */
	pid_t pid;
};

struct reader {
	struct cgpol_host *host;
	struct pool *pool;
	struct memcg_list *memcgs;
	uint64_t kills;
	struct census *census;
	struct mm_key *key; /* in the order of reading: by pid, like census.place */
};

static int set_leader(struct pool *pool, const char *mems, struct oom_task *task)
{
	task->thread = calloc(1, sizeof(*task->thread));
	if (!task->thread)
		return -ENOMEM;
	task->threads = 1;
	task->thread[0].tid = task->pid;
	int rc = mems ? pool_nodes(pool, mems, &task->thread[0].mems) : 0;
	return rc == -ENOMEM ? rc : 0;
}

static void set_sizes(struct oom_task *task, const struct proc_status *status, uint64_t page)
{
	task->has_mm = status->has_mm;
	task->anon = status->rss_anon / page;
	task->file = status->rss_file / page;
	task->shmem = status->rss_shmem / page;
	task->swap = status->swap / page;
	task->pgtables = status->pgtables / page;
	task->is_dying |= status->is_dying;
}

/* The leader has exited but other threads live: the mm is that of the first thread that has one
 * (mm/oom_kill.c find_lock_task_mm()). */
static int read_zombie_leader(struct reader *reader, struct oom_task *task)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc = proc_threads(reader->host, task->pid, &tids, &count);

	for (size_t i = 0; rc == 0 && i < count && !task->has_mm; i++) {
		AUTO(proc_status_clear) struct proc_status status = {0};
		size_t index;
		if (tids[i] == task->pid)
			continue;
		rc = proc_read_thread_status(reader->host, task->pid, tids[i], &status);
		if (rc == 0 && status.has_mm) {
			set_sizes(task, &status, reader->host->root->facts.page_size);
			task->is_zombie_leader = true;
			/* A dead leader has dropped its policy, and no policy excludes nothing. */
			task->thread[0].has_policy = true;
			/* Kept in the row: its files show the memory, the leader's are empty. */
			rc = census_add_thread(reader->host, reader->pool, task, tids[i], &index);
		}
		if (proc_is_gone(rc))
			rc = 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

static bool is_gone(const struct reader *reader, pid_t pid)
{
	struct root_info info;
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/%d", pid);
	return proc_is_gone(root_stat(reader->host->root, path, &info));
}

static int read_cgroup(struct reader *reader, struct oom_task *task)
{
	AUTO(free_p) char *name = NULL;
	int rc;

	task->memcg = OOM_NOBODY;
	if (!reader->host->cgroup2)
		return 0;
	rc = proc_read_cgroup(reader->host, task->pid, &name);
	if (rc == 0)
		rc = memcg_list_add(reader->memcgs, name, &task->memcg);
	if (rc == 0 || rc == -ENOMEM)
		return rc;
	/* Gone meanwhile, or is only the file not there? */
	if (proc_is_gone(rc) && is_gone(reader, task->pid))
		task->has_vanished = true;
	else
		reader->census->has_unknown_cgroup = true;
	return 0;
}

/* What an error of a read means for the row. Only -ENOMEM stops the census. */
static int mark(struct oom_task *task, int rc)
{
	if (rc == -ENOMEM)
		return rc;
	if (proc_is_gone(rc))
		task->has_vanished = true;
	else if (rc < 0)
		task->is_unreadable = true;
	return 0;
}

static int read_memory(struct reader *reader, struct oom_task *task)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	int rc = proc_read_status(reader->host, task->pid, &status);

	if (rc < 0)
		return mark(task, rc);
	set_sizes(task, &status, reader->host->root->facts.page_size);
	rc = set_leader(reader->pool, status.mems, task);
	if (rc == 0 && !status.has_mm && status.threads > 1)
		rc = read_zombie_leader(reader, task);
	if (rc < 0)
		return rc;
	rc = proc_read_adj(reader->host, task->pid, &task->adj);
	if (rc < 0)
		return mark(task, rc);
	if (task->has_mm && proc_read_score(reader->host, task->pid, &task->score) < 0)
		task->score = -1;
	return read_cgroup(reader, task);
}

static int read_task(struct reader *reader, pid_t pid, struct oom_task *task, struct mm_key *key)
{
	const struct root_facts *facts = &reader->host->root->facts;
	struct proc_stat stat;
	int rc = proc_read_stat(reader->host, pid, &stat);

	*task = (struct oom_task){.pid = pid, .score = -1, .memcg = OOM_NOBODY, .memcg_order = UINT64_MAX};
	if (rc < 0)
		return mark(task, rc);
	task->comm = strdup(stat.comm);
	if (!task->comm)
		return -ENOMEM;
	task->ppid = stat.ppid;
	task->start_time = stat.start_time;
	task->is_kthread = stat.flags & PROC_KTHREAD;
	task->is_init = pid == 1 && facts->initial_pidns;
	task->is_dying = stat.flags & PROC_EXITING;
	if (task->is_kthread)
		return 0;
	rc = read_memory(reader, task);
	/* A leader that has exited says nothing about the process while other threads live. */
	task->is_dying &= task->has_mm && !task->is_zombie_leader;
	task->is_oom_victim = task->is_dying && reader->kills > 0;
	*key = (struct mm_key){stat.start_stack, stat.arg_start, 0, pid};
	return rc;
}

static int by_creation(const void *a, const void *b)
{
	const struct oom_task *left = a, *right = b;

	if (left->start_time != right->start_time)
		return left->start_time < right->start_time ? -1 : 1;
	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

static int by_key(const void *a, const void *b)
{
	const struct mm_key *left = a, *right = b;

	if (left->stack != right->stack)
		return left->stack < right->stack ? -1 : 1;
	if (left->arguments != right->arguments)
		return left->arguments < right->arguments ? -1 : 1;
	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

static int by_mm(const void *a, const void *b, void *root)
{
	const struct mm_key *left = a, *right = b;
	int order = 0;

	if (left->pid == right->pid || root_compare_mm(root, left->pid, right->pid, &order) < 0)
		return left->pid < right->pid ? -1 : left->pid > right->pid;
	return order;
}

/* Leaves out those that are gone: an order needs every comparison to have an answer. Which others cannot be
 * compared shows in the comparison itself. */
static size_t drop_gone(struct root *root, struct mm_key *run, size_t count)
{
	size_t kept = 0;
	int order;

	for (size_t i = 0; i < count; i++)
		if (!proc_is_gone(root_compare_mm(root, run[i].pid, run[i].pid, &order)))
			run[kept++] = run[i];
	return kept;
}

/* Numbers the mms that a run of equal keys shares. kcmp(2) gives an order, so n processes forked from one
 * need n * log(n) calls and not n * n. */
static void number_run(struct reader *reader, struct mm_key *run, size_t count, unsigned *number)
{
	struct root *root = reader->host->root;

	count = drop_gone(root, run, count);
	if (count > 1)
		qsort_r(run, count, sizeof(*run), by_mm, root);
	for (size_t i = 1; i < count; i++) {
		int order = 1;
		int rc = root_compare_mm(root, run[i - 1].pid, run[i].pid, &order);
		reader->census->has_unknown_mm |= rc < 0;
		if (rc < 0 || order != 0)
			continue;
		struct oom_task *first = &reader->census->task[run[i - 1].task];
		if (first->mm == 0)
			first->mm = ++*number;
		reader->census->task[run[i].task].mm = first->mm;
	}
}

static void find_shared_mms(struct reader *reader)
{
	struct mm_key *key = reader->key;
	size_t count = 0;
	unsigned number = 0;

	for (size_t i = 0; i < reader->census->tasks; i++) {
		size_t at = reader->census->place[i].at;
		if (key[i].stack == 0 || !reader->census->task[at].has_mm)
			continue;
		key[count] = key[i];
		key[count++].task = at;
	}
	qsort(key, count, sizeof(*key), by_key);
	for (size_t from = 0, to; from < count; from = to) {
		for (to = from + 1; to < count && key[to].stack == key[from].stack &&
				    key[to].arguments == key[from].arguments;)
			to++;
		if (to - from > 1)
			number_run(reader, key + from, to - from, &number);
	}
}

/* A child that still runs on its parent's mm and that the kernel scores 0 is between vfork() and exec
 * (mm/oom_kill.c in_vfork(), include/linux/sched/mm.h). */
static void find_vfork_children(struct census *census)
{
	for (size_t i = 0; i < census->tasks; i++) {
		struct oom_task *task = &census->task[i];
		if (task->mm == 0 || task->score != 0 || task->adj <= -900)
			continue;
		size_t parent = census_find(census, task->ppid);
		task->is_vfork_child = parent != OOM_NOBODY && census->task[parent].mm == task->mm;
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct census_place *left = a, *right = b;

	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

size_t census_find(const struct census *census, pid_t pid)
{
	struct census_place key = {.pid = pid};
	const struct census_place *found =
		census->tasks ? bsearch(&key, census->place, census->tasks, sizeof(key), by_pid) : NULL;

	return found ? found->at : OOM_NOBODY;
}

static int read_all(struct reader *reader, const pid_t *pids, size_t count)
{
	struct census *census = reader->census;
	pid_t self = reader->host->root->facts.self;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (pids[i] == self)
			continue;
		rc = read_task(reader, pids[i], &census->task[census->tasks], &reader->key[census->tasks]);
		census->tasks++;
	}
	return rc;
}

int census_take(struct cgpol_host *host, struct pool *pool, struct memcg_list *memcgs, uint64_t kills,
		struct census *census)
{
	AUTO(free_p) pid_t *pids = NULL;
	AUTO(census_clear) struct census taken = {0};
	size_t count = 0;
	int rc = proc_list(host, &pids, &count);

	if (rc < 0)
		return rc;
	taken.task = calloc(count + 1, sizeof(*taken.task));
	taken.place = calloc(count + 1, sizeof(*taken.place));
	AUTO(free_p) struct mm_key *key = calloc(count + 1, sizeof(*key));
	if (!taken.task || !taken.place || !key)
		return -ENOMEM;
	struct reader reader = {host, pool, memcgs, kills, &taken, key};
	rc = read_all(&reader, pids, count);
	if (rc < 0)
		return rc;
	qsort(taken.task, taken.tasks, sizeof(*taken.task), by_creation);
	for (size_t i = 0; i < taken.tasks; i++)
		taken.place[i] = (struct census_place){taken.task[i].pid, i};
	qsort(taken.place, taken.tasks, sizeof(*taken.place), by_pid);
	find_shared_mms(&reader);
	find_vfork_children(&taken);
	*census = taken;
	memset(&taken, 0, sizeof(taken));
	return 0;
}

void census_clear(struct census *census)
{
	for (size_t i = 0; i < census->tasks; i++) {
		free((void *)(uintptr_t)census->task[i].comm);
		free(census->task[i].thread);
		free(census->task[i].share);
	}
	free(census->task);
	free(census->place);
	memset(census, 0, sizeof(*census));
}

int census_add_thread(struct cgpol_host *host, struct pool *pool, struct oom_task *task, pid_t tid,
		      size_t *index)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	const struct nodeset *mems = NULL;
	int rc;

	for (size_t i = 0; i < task->threads; i++) {
		if (task->thread[i].tid == tid) {
			*index = i;
			return 0;
		}
	}
	rc = proc_read_thread_status(host, task->pid, tid, &status);
	if (rc == 0 && status.mems)
		rc = pool_nodes(pool, status.mems, &mems);
	if (rc < 0)
		return rc;
	struct oom_thread *more = realloc(task->thread, (task->threads + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	task->thread = more;
	more[task->threads] = (struct oom_thread){.tid = tid, .mems = mems};
	/* A dead thread has dropped its policy (kernel/exit.c do_exit(), mpol_put_task_policy()). */
	more[task->threads].has_policy = !status.has_mm;
	*index = task->threads++;
	return 0;
}

int census_add_threads(struct cgpol_host *host, struct pool *pool, struct oom_task *task)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0, index;
	int rc = proc_threads(host, task->pid, &tids, &count);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = census_add_thread(host, pool, task, tids[i], &index);
		if (rc != -ENOMEM) /* a thread that ended meanwhile */
			rc = 0;
	}
	return rc == -ENOMEM ? rc : 0;
}

int census_read_policy(struct cgpol_host *host, struct pool *pool, const struct oom_task *task,
		       struct oom_thread *thread)
{
	AUTO(free_p) char *text = NULL;
	struct mempolicy policy = {0};
	bool is_mixed = false;
	int rc;

	if (thread->has_policy)
		return 0;
	rc = proc_read_numa_maps(host, task->pid, thread->tid, true, &text);
	if (rc == 0)
		rc = numamaps_task_policy(text, &policy, &is_mixed);
	if (rc == 0) {
		rc = pool_policy(pool, &policy, &thread->policy);
		if (rc == 0) {
			thread->has_policy = true;
			thread->is_mixed = is_mixed;
		}
	}
	return rc == -ENOMEM ? rc : 0;
}
