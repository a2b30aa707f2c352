/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading for overcommit: the machine's figures, and what processes and cgroups commit. */
#include "memory/commit.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nodeset.h"
#include "base/text.h"

enum { KIB = 1024 };

#define MODE_FILE "/proc/sys/vm/overcommit_memory"
#define RATIO_FILE "/proc/sys/vm/overcommit_ratio"
#define KBYTES_FILE "/proc/sys/vm/overcommit_kbytes"
#define POOLS_DIR "/sys/kernel/mm/hugepages"

static uint64_t bytes_of(uint64_t kib)
{
	return kib > UINT64_MAX / KIB ? UINT64_MAX : kib * KIB;
}

/* ---- the machine ---- */

int commit_blame(const char *file, int rc, struct cgpol_error *err)
{
	const char *reason = rc == -EINVAL ? "it holds no number" : strerrordesc_np(-rc);

	(void)error_set(err, -rc, CGPOL_FAILED, "cannot read %s: %s", file,
			reason ? reason : "unknown error");
	error_detail(err, file, NULL, NULL);
	return rc;
}

static int read_i64(struct root *root, const char *path, int64_t *value)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(root, path, &text, NULL);

	return rc < 0 ? rc : text_i64(text, value) < 0 ? -EINVAL : 0;
}

/* A file of KiB that came with 3.10 or 3.14: 0 where it does not exist. */
static int read_kib(struct root *root, const char *path, uint64_t *kib, struct cgpol_error *err)
{
	int rc = root_read_u64(root, path, kib);

	if (rc == -ENOENT)
		*kib = rc = 0;
	return rc < 0 ? commit_blame(path, rc, err) : 0;
}

int overcommit_read_settings(struct cgpol_host *host, struct overcommit *overcommit, struct cgpol_error *err)
{
	struct overcommit made = *overcommit;
	int64_t mode;
	int rc = read_i64(host->root, MODE_FILE, &mode);

	if (rc == 0 && (mode < 0 || mode > INT_MAX))
		rc = -EINVAL;
	if (rc < 0)
		return commit_blame(MODE_FILE, rc, err);
	made.mode = (int)mode;
	rc = read_i64(host->root, RATIO_FILE, &made.ratio);
	if (rc < 0)
		return commit_blame(RATIO_FILE, rc, err);
	rc = read_kib(host->root, KBYTES_FILE, &made.kbytes, err);
	if (rc == 0)
		*overcommit = made;
	return rc;
}

/* "hugepages-2048kB" */
static int take_pool(struct root *root, const char *name, struct overcommit *made, struct cgpol_error *err)
{
	static const char prefix[] = "hugepages-";
	struct overcommit_pool *pool = &made->pool[made->pools];
	char path[128];
	const char *end;
	uint64_t kib;
	int rc;

	if (made->pools == OVERCOMMIT_POOLS_MAX || strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    text_u64_head(name + sizeof(prefix) - 1, &end, &kib) < 0 || strcmp(end, "kB") != 0)
		return 0;
	(void)snprintf(path, sizeof(path), POOLS_DIR "/%s/nr_hugepages", name);
	rc = root_read_u64(root, path, &pool->count);
	if (rc < 0)
		return commit_blame(path, rc, err);
	pool->size = bytes_of(kib);
	made->pools++;
	return 0;
}

/* Without the directory the pools are those that meminfo tells. */
static int read_pools(struct root *root, struct overcommit *made, struct cgpol_error *err)
{
	char **names;
	size_t count;
	int rc = root_list(root, POOLS_DIR, &names, &count);

	if (rc < 0)
		return rc == -ENOMEM ? commit_blame(POOLS_DIR, rc, err) : 0;
	made->pools = 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = take_pool(root, names[i], made, err);
	root_list_free(names, count);
	return rc;
}

static int count_cpus(struct cgpol_host *host, unsigned *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset present = {0};
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, "/sys/devices/system/cpu/present", &text, NULL);

	if (rc == 0)
		rc = nodeset_parse(text, NODESET_CPUS_MAX, &present, NULL);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		return host_read_cpus(host, cpus);
	*cpus = (unsigned)nodeset_count(&present);
	return 0;
}

int overcommit_read(struct cgpol_host *host, struct overcommit *overcommit, struct cgpol_error *err)
{
	struct overcommit made = {.page_size = host->root->facts.page_size};
	struct root *root = host->root;
	AUTO(free_p) char *meminfo = NULL;
	uint64_t admin = 0, user = 0;
	int rc = overcommit_read_settings(host, &made, err);

	if (rc == 0)
		rc = read_kib(root, "/proc/sys/vm/admin_reserve_kbytes", &admin, err);
	if (rc == 0)
		rc = read_kib(root, "/proc/sys/vm/user_reserve_kbytes", &user, err);
	if (rc < 0)
		return rc;
	if (count_cpus(host, &made.cpus) < 0)
		return error_no_memory(err);
	rc = root_read(root, "/proc/meminfo", &meminfo, NULL);
	if (rc < 0)
		return commit_blame("/proc/meminfo", rc, err);
	rc = overcommit_parse_meminfo(meminfo, &made, err);
	if (rc == 0)
		rc = read_pools(root, &made, err);
	if (rc < 0)
		return rc;
	made.admin_reserve = bytes_of(admin);
	made.user_reserve = bytes_of(user);
	made.has_exact_sum = host_compare_kernel(host, 5, 9, 0) >= 0;
	*overcommit = made;
	return 0;
}

/* ---- processes ---- */

static void clear_row(struct commit_row *row)
{
	commit_maps_clear(&row->maps);
	free(row->cgroup);
}

void commit_clear(struct commit *commit)
{
	for (size_t i = 0; i < commit->rows; i++)
		clear_row(&commit->row[i]);
	free(commit->row);
	free(commit->group);
	memset(commit, 0, sizeof(*commit));
}

static int read_thread_file(struct cgpol_host *host, pid_t pid, pid_t tid, const char *file, char **text)
{
	char path[64];

	if (pid == tid)
		(void)snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	else
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	return root_read(host->root, path, text, NULL);
}

/* The status of one thread as values, and the private writable part of it: data and stacks. */
static int read_status(struct cgpol_host *host, pid_t pid, pid_t tid, struct proc_status *status,
		       uint64_t *estimate)
{
	AUTO(free_p) char *text = NULL;
	uint64_t data = 0, stack = 0;
	int rc = read_thread_file(host, pid, tid, "status", &text);

	if (rc == 0)
		rc = proc_status_parse(text, status);
	if (rc < 0)
		return rc;
	(void)text_field(text, "VmData", &data);
	(void)text_field(text, "VmStk", &stack);
	if (__builtin_add_overflow(bytes_of(data), bytes_of(stack), estimate))
		*estimate = UINT64_MAX;
	return 0;
}

/* Where the leader has exited one of the other threads shows the memory. */
static int find_status(struct cgpol_host *host, pid_t pid, pid_t *tid, struct proc_status *status,
		       uint64_t *estimate)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc;

	*tid = pid;
	rc = read_status(host, pid, pid, status, estimate);
	if (rc < 0 || status->has_mm || status->threads < 2)
		return rc;
	rc = proc_threads(host, pid, &tids, &count);
	for (size_t i = 0; rc == 0 && i < count && !status->has_mm; i++) {
		proc_status_clear(status);
		*tid = tids[i];
		rc = read_status(host, pid, tids[i], status, estimate);
		if (proc_is_gone(rc))
			rc = 0;
	}
	return rc;
}

static int read_maps(struct cgpol_host *host, pid_t pid, pid_t tid, struct commit_row *row)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_thread_file(host, pid, tid, "smaps", &text);

	if (rc == 0)
		rc = commit_maps_parse(text, &row->maps);
	row->is_exact = rc == 0;
	return rc;
}

/* 1 and the row, or 0 for a process without memory. `*rough`: why the row is not exact. */
static int read_row(struct cgpol_host *host, pid_t pid, bool estimate, struct commit_row *row, int *rough)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	uint64_t private_bytes = 0;
	struct proc_stat stat;
	pid_t tid;
	int rc = proc_read_stat(host, pid, &stat);

	*rough = 0;
	if (rc < 0 || stat.flags & PROC_KTHREAD)
		return rc;
	rc = find_status(host, pid, &tid, &status, &private_bytes);
	if (rc < 0 || !status.has_mm)
		return rc;
	*rough = estimate ? 0 : read_maps(host, pid, tid, row);
	if (*rough == -ENOMEM || proc_is_gone(*rough))
		return *rough;
	if (!row->is_exact)
		row->maps.private_bytes = private_bytes;
	if (proc_read_cgroup(host, pid, &row->cgroup) == -ENOMEM)
		return -ENOMEM;
	row->pid = pid;
	memcpy(row->comm, stat.comm, sizeof(row->comm));
	row->shared_bytes = commit_maps_merge(&row->maps);
	if (__builtin_add_overflow(row->maps.private_bytes, row->shared_bytes, &row->commit))
		row->commit = UINT64_MAX;
	row->anon = status.rss_anon;
	row->swap = status.swap;
	row->start_stack = stat.start_stack;
	row->arg_start = stat.arg_start;
	return 1;
}

static int add_process(struct cgpol_host *host, pid_t pid, bool estimate, struct commit *commit)
{
	AUTO(clear_row) struct commit_row row = {.pid = 0};
	int rough, rc = read_row(host, pid, estimate, &row, &rough);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 && proc_is_gone(rc))
		commit->vanished++;
	else if (rc < 0 || rough < 0)
		commit->unreadable++;
	if (rc <= 0)
		return 0;
	commit->row[commit->rows++] = row;
	memset(&row, 0, sizeof(row));
	return 0;
}

/* Those that share an mm side by side, by pid; who cannot be asked shares none. */
static int compare_mm(struct root *root, const struct commit_row *a, const struct commit_row *b)
{
	int order = 0;

	if (a->start_stack != b->start_stack)
		return a->start_stack < b->start_stack ? -1 : 1;
	if (a->arg_start != b->arg_start)
		return a->arg_start < b->arg_start ? -1 : 1;
	/* 0: it may not be seen. */
	if (a->start_stack == 0 || root_compare_mm(root, a->pid, b->pid, &order) < 0)
		order = a->pid < b->pid ? -1 : 1;
	return order;
}

static int compare_sharers(const void *left, const void *right, void *root)
{
	const struct commit_row *a = left, *b = right;
	int order = compare_mm(root, a, b);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

/* One mm is charged once. */
static void drop_sharers(struct root *root, struct commit *commit)
{
	size_t kept = 0;

	qsort_r(commit->row, commit->rows, sizeof(*commit->row), compare_sharers, root);
	for (size_t i = 0; i < commit->rows; i++) {
		if (kept && compare_mm(root, &commit->row[kept - 1], &commit->row[i]) == 0)
			clear_row(&commit->row[i]);
		else
			commit->row[kept++] = commit->row[i];
	}
	commit->rows = kept;
}

/* What these rows commit together. */
static int sum_rows(const struct commit_row *row, size_t rows, uint64_t *sum)
{
	AUTO(commit_maps_clear) struct commit_maps all = {.private_bytes = 0};
	uint64_t shared;

	for (size_t i = 0; i < rows; i++) {
		if (__builtin_add_overflow(all.private_bytes, row[i].maps.private_bytes, &all.private_bytes))
			all.private_bytes = UINT64_MAX;
		for (size_t k = 0; k < row[i].maps.objects; k++)
			if (commit_maps_add(&all, &row[i].maps.object[k]) < 0)
				return -ENOMEM;
	}
	shared = commit_maps_merge(&all);
	if (__builtin_add_overflow(all.private_bytes, shared, sum))
		*sum = UINT64_MAX;
	return 0;
}

static int compare_cgroups(const void *left, const void *right)
{
	const struct commit_row *a = left, *b = right;

	if (!a->cgroup || !b->cgroup)
		return (a->cgroup == NULL) - (b->cgroup == NULL);
	return strcmp(a->cgroup, b->cgroup);
}

static int compare_groups(const void *left, const void *right)
{
	const struct commit_group *a = left, *b = right;

	if (a->commit != b->commit)
		return a->commit < b->commit ? 1 : -1;
	if (!a->cgroup || !b->cgroup)
		return (a->cgroup == NULL) - (b->cgroup == NULL);
	return strcmp(a->cgroup, b->cgroup);
}

static int compare_rows(const void *left, const void *right)
{
	const struct commit_row *a = left, *b = right;

	if (a->commit != b->commit)
		return a->commit < b->commit ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static int make_groups(struct commit *commit)
{
	int rc = 0;

	commit->group = calloc(commit->rows + 1, sizeof(*commit->group));
	if (!commit->group)
		return -ENOMEM;
	qsort(commit->row, commit->rows, sizeof(*commit->row), compare_cgroups);
	for (size_t from = 0, to; rc == 0 && from < commit->rows; from = to) {
		struct commit_group *group = &commit->group[commit->groups++];

		for (to = from + 1; to < commit->rows; to++)
			if (compare_cgroups(&commit->row[from], &commit->row[to]) != 0)
				break;
		group->cgroup = commit->row[from].cgroup;
		group->processes = to - from;
		rc = sum_rows(&commit->row[from], to - from, &group->commit);
	}
	return rc;
}

int commit_read(struct cgpol_host *host, bool estimate, struct commit *commit, struct cgpol_error *err)
{
	AUTO(commit_clear) struct commit made = {.rows = 0};
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = proc_list(host, &pids, &count);

	if (rc < 0)
		return commit_blame("/proc", rc, err);
	if (count == 0) {
		error_set(err, ESRCH, CGPOL_FAILED, "/proc lists no process");
		error_detail(err, "/proc", NULL, "is a proc file system mounted there?");
		return -ESRCH;
	}
	/* hidepid hides pid 1 from all but those who may see everything. */
	made.hides = !host->root->facts.initial_pidns || pids[0] != 1;
	made.row = calloc(count, sizeof(*made.row));
	rc = made.row ? 0 : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count; i++)
		if (pids[i] != host->root->facts.self)
			rc = add_process(host, pids[i], estimate, &made);
	if (rc == 0) {
		drop_sharers(host->root, &made);
		rc = sum_rows(made.row, made.rows, &made.sum);
	}
	if (rc == 0)
		rc = make_groups(&made);
	if (rc < 0)
		return error_no_memory(err);
	qsort(made.row, made.rows, sizeof(*made.row), compare_rows);
	qsort(made.group, made.groups, sizeof(*made.group), compare_groups);
	for (size_t i = 0; i < made.rows; i++)
		made.estimated += !made.row[i].is_exact;
	*commit = made;
	memset(&made, 0, sizeof(made));
	return 0;
}
