/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process as values: parsers of its files in /proc, and the list of all processes. */
#include "host/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"

enum { KIB = 1024 };

/* The numbers of stat(5), counted from 1; 2 is the name. */
enum {
	STAT_STATE = 3,
	STAT_PPID = 4,
	STAT_FLAGS = 9,
	STAT_START_TIME = 22,
	STAT_START_STACK = 28,
	STAT_ARG_START = 48,
};

void proc_status_clear(struct proc_status *status)
{
	free(status->mems);
	memset(status, 0, sizeof(*status));
}

/* Bytes of a "  2704 kB" value. */
static int parse_kib(struct span value, uint64_t *bytes)
{
	struct span word;
	uint64_t kib;

	if (!text_word(&value, &word) || span_u64(word, &kib) < 0 || kib > UINT64_MAX / KIB)
		return -EINVAL;
	*bytes = kib * KIB;
	return 0;
}

static int parse_number(struct span value, uint64_t *number)
{
	struct span word;

	if (!text_word(&value, &word) || span_u64(word, number) < 0)
		return -EINVAL;
	return 0;
}

static int parse_pid(struct span value, pid_t *pid)
{
	uint64_t number;

	if (parse_number(value, &number) < 0 || number > INT_MAX)
		return -EINVAL;
	*pid = (pid_t)number;
	return 0;
}

/* Is SIGKILL in a mask of signals? fs/proc/array.c render_sigset_t prints it in hexadecimal, signal 1 as bit
 * 0, so signal 9 is the lowest bit of the third digit from the end. */
static int parse_sigkill(struct span value, bool *is_dying)
{
	enum { SIGKILL_DIGIT = 3 };
	struct span word;

	if (!text_word(&value, &word) || word.size < SIGKILL_DIGIT)
		return -EINVAL;
	for (size_t i = 0; i < word.size; i++)
		if (!memchr("0123456789abcdef", word.at[i], 16))
			return -EINVAL;
	if (memchr("13579bdf", word.at[word.size - SIGKILL_DIGIT], 8))
		*is_dying = true;
	return 0;
}

/* What the lines of one status file give beside the values themselves. */
struct status_lines {
	struct proc_status status;
	bool has_tgid, has_ppid, has_state, has_parts;
	uint64_t rss;
};

enum status_kind {
	LINE_KIB,
	LINE_NUMBER,
	LINE_TGID,
	LINE_PPID,
	LINE_STATE,
	LINE_SIGNALS,
	LINE_DUMP,
	LINE_MEMS
};

static const struct status_key {
	const char *key;
	enum status_kind kind;
	size_t offset;
} status_keys[] = {
	{"State", LINE_STATE, 0},
	{"Tgid", LINE_TGID, 0},
	{"PPid", LINE_PPID, 0},
	{"VmSize", LINE_KIB, offsetof(struct status_lines, status.vm_size)},
	{"VmLck", LINE_KIB, offsetof(struct status_lines, status.locked)},
	{"VmRSS", LINE_KIB, offsetof(struct status_lines, rss)},
	{"RssAnon", LINE_KIB, offsetof(struct status_lines, status.rss_anon)},
	{"RssFile", LINE_KIB, offsetof(struct status_lines, status.rss_file)},
	{"RssShmem", LINE_KIB, offsetof(struct status_lines, status.rss_shmem)},
	{"VmPTE", LINE_KIB, offsetof(struct status_lines, status.pgtables)},
	{"VmSwap", LINE_KIB, offsetof(struct status_lines, status.swap)},
	{"HugetlbPages", LINE_KIB, offsetof(struct status_lines, status.hugetlb)},
	{"CoreDumping", LINE_DUMP, 0},
	{"Threads", LINE_NUMBER, offsetof(struct status_lines, status.threads)},
	{"SigPnd", LINE_SIGNALS, 0},
	{"ShdPnd", LINE_SIGNALS, 0},
	{"Mems_allowed_list", LINE_MEMS, 0},
};

static int take_mems(struct span value, char **mems)
{
	struct span word = {NULL, 0};
	char *copy;

	/* The list is empty for a task of a cpuset without nodes (cgroup v1). */
	(void)text_word(&value, &word);
	copy = strndup(word.at ? word.at : "", word.size);
	if (!copy)
		return -ENOMEM;
	free(*mems);
	*mems = copy;
	return 0;
}

static int take_status_value(const struct status_key *key, struct span value, struct status_lines *lines)
{
	struct proc_status *status = &lines->status;
	uint64_t *number = (uint64_t *)(void *)((char *)lines + key->offset);
	uint64_t flag;
	struct span word;
	int rc = 0;

	switch (key->kind) {
	case LINE_KIB:
		status->has_mm |= number == &lines->rss;
		lines->has_parts |= number == &status->rss_anon;
		return parse_kib(value, number);
	case LINE_NUMBER:
		return parse_number(value, number);
	case LINE_TGID:
		lines->has_tgid = true;
		return parse_pid(value, &status->tgid);
	case LINE_PPID:
		lines->has_ppid = true;
		return parse_pid(value, &status->ppid);
	case LINE_STATE:
		if (!text_word(&value, &word))
			return -EINVAL;
		lines->has_state = true;
		status->state = word.at[0];
		return 0;
	case LINE_SIGNALS:
		return parse_sigkill(value, &status->is_dying);
	case LINE_DUMP:
		rc = parse_number(value, &flag);
		if (rc == 0)
			status->is_dumping = flag != 0;
		return rc;
	case LINE_MEMS:
		return take_mems(value, &status->mems);
	}
	return -EINVAL;
}

static int take_status_line(struct span line, struct status_lines *lines)
{
	const char *colon = memchr(line.at, ':', line.size);
	size_t size;

	if (!colon)
		return 0;
	size = (size_t)(colon - line.at);
	for (size_t i = 0; i < ARRAY_SIZE(status_keys); i++) {
		const char *key = status_keys[i].key;

		if (key[0] == line.at[0] && strlen(key) == size && memcmp(key, line.at, size) == 0) {
			struct span value = {colon + 1, line.size - size - 1};

			return take_status_value(&status_keys[i], value, lines);
		}
	}
	return 0;
}

int proc_status_parse(const char *text, struct proc_status *status)
{
	AUTO(proc_status_clear) struct proc_status made = {0};
	struct status_lines lines = {0};
	struct span line;
	int rc = 0;

	while (rc == 0 && text_line(&text, &line))
		rc = take_status_line(line, &lines);
	made = lines.status;
	if (rc < 0)
		return rc;
	if (!lines.has_tgid || !lines.has_ppid || !lines.has_state)
		return -EINVAL;
	/* Before 4.5 the parts are not printed. The total is what counts for a kill; as anonymous memory it
	 * is the part that does not shrink under pressure. */
	if (made.has_mm && !lines.has_parts)
		made.rss_anon = lines.rss;
	*status = made;
	made.mems = NULL;
	return 0;
}

/* The name stands between the first '(' and the last ')': it may hold both, blanks, and newlines. Here it is
 * raw; only the Name: line of status is escaped (fs/proc/array.c do_task_stat(), proc_task_name()). */
static int parse_comm(const char *text, char comm[PROC_COMM_SIZE], const char **rest)
{
	const char *begin = strchr(text, '(');
	const char *end = strrchr(text, ')');
	size_t size;

	if (!begin || !end || end < begin)
		return -EINVAL;
	size = (size_t)(end - begin - 1);
	if (size >= PROC_COMM_SIZE)
		return -EINVAL;
	memset(comm, 0, PROC_COMM_SIZE);
	memcpy(comm, begin + 1, size);
	*rest = end + 1;
	return 0;
}

static int take_stat_field(unsigned field, struct span word, struct proc_stat *stat)
{
	switch (field) {
	case STAT_STATE:
		stat->state = word.at[0];
		return 0;
	case STAT_PPID:
		return parse_pid(word, &stat->ppid);
	case STAT_FLAGS:
		return parse_number(word, &stat->flags);
	case STAT_START_TIME:
		return parse_number(word, &stat->start_time);
	case STAT_START_STACK:
		return parse_number(word, &stat->start_stack);
	case STAT_ARG_START:
		return parse_number(word, &stat->arg_start);
	default: /* some are signed, none of them is wanted */
		return 0;
	}
}

int proc_stat_parse(const char *text, struct proc_stat *stat)
{
	struct proc_stat made = {0};
	struct span rest, word;
	unsigned field = STAT_STATE;
	const char *after;

	if (parse_comm(text, made.comm, &after) < 0)
		return -EINVAL;
	rest = (struct span){after, strcspn(after, "\n")};
	for (; field <= STAT_ARG_START && text_word(&rest, &word); field++)
		if (take_stat_field(field, word, &made) < 0)
			return -EINVAL;
	if (field <= STAT_START_TIME) /* cut before what is needed */
		return -EINVAL;
	*stat = made;
	return 0;
}

/* The numbers among the sub-directories, ascending as root_list sorts them. */
static int list_ids(struct cgpol_host *host, const char *path, pid_t **ids, size_t *count)
{
	char **names = NULL;
	size_t named = 0, found = 0;
	pid_t *made;
	int rc = root_list(host->root, path, &names, &named);

	if (rc < 0)
		return rc;
	made = calloc(named + 1, sizeof(*made));
	for (size_t i = 0; made && i < named; i++) {
		uint64_t id;

		if (names[i][0] >= '1' && names[i][0] <= '9' && text_u64(names[i], &id) == 0 && id <= INT_MAX)
			made[found++] = (pid_t)id;
	}
	root_list_free(names, named);
	if (!made)
		return -ENOMEM;
	*ids = made;
	*count = found;
	return 0;
}

int proc_list(struct cgpol_host *host, pid_t **pids, size_t *count)
{
	return list_ids(host, "/proc", pids, count);
}

enum { PATH_SIZE = 64 }; /* "/proc/N/task/N/" and the longest name below */

int proc_threads(struct cgpol_host *host, pid_t pid, pid_t **tids, size_t *count)
{
	char path[PATH_SIZE];

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return list_ids(host, path, tids, count);
}

/* A leader is read by its process, so that a capture holds its files once. */
static void format_path(char path[PATH_SIZE], pid_t pid, pid_t tid, const char *file)
{
	if (tid == pid)
		(void)snprintf(path, PATH_SIZE, "/proc/%d/%s", (int)pid, file);
	else
		(void)snprintf(path, PATH_SIZE, "/proc/%d/task/%d/%s", (int)pid, (int)tid, file);
}

static int read_file(struct cgpol_host *host, pid_t pid, pid_t tid, const char *file, char **text)
{
	char path[PATH_SIZE];

	format_path(path, pid, tid, file);
	return root_read(host->root, path, text, NULL);
}

int proc_read_status(struct cgpol_host *host, pid_t pid, struct proc_status *status)
{
	return proc_read_thread_status(host, pid, pid, status);
}

int proc_read_thread_status(struct cgpol_host *host, pid_t pid, pid_t tid, struct proc_status *status)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, pid, tid, "status", &text);

	return rc < 0 ? rc : proc_status_parse(text, status);
}

int proc_read_stat(struct cgpol_host *host, pid_t pid, struct proc_stat *stat)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, pid, pid, "stat", &text);

	return rc < 0 ? rc : proc_stat_parse(text, stat);
}

static int read_int(struct cgpol_host *host, pid_t pid, const char *file, int low, int high, int *value)
{
	AUTO(free_p) char *text = NULL;
	int64_t number;
	int rc = read_file(host, pid, pid, file, &text);

	if (rc < 0)
		return rc;
	if (text_i64(text, &number) < 0 || number < low || number > high)
		return -EINVAL;
	*value = (int)number;
	return 0;
}

int proc_read_adj(struct cgpol_host *host, pid_t pid, int *oom_score_adj)
{
	enum { ADJ_MAX = 1000 }; /* include/uapi/linux/oom.h OOM_SCORE_ADJ_MAX */

	return read_int(host, pid, "oom_score_adj", -ADJ_MAX, ADJ_MAX, oom_score_adj);
}

int proc_read_score(struct cgpol_host *host, pid_t pid, int *oom_score)
{
	return read_int(host, pid, "oom_score", 0, INT_MAX, oom_score);
}

int proc_read_resident(struct cgpol_host *host, pid_t pid, uint64_t *pages)
{
	AUTO(free_p) char *text = NULL;
	struct span rest, total, word;
	uint64_t resident;
	int rc = read_file(host, pid, pid, "statm", &text);

	if (rc < 0)
		return rc;
	rest = (struct span){text, strcspn(text, "\n")};
	if (!text_word(&rest, &total) || !text_word(&rest, &word) || span_u64(word, &resident) < 0)
		return -EINVAL;
	*pages = resident;
	return 0;
}

int proc_read_cgroup(struct cgpol_host *host, pid_t pid, char **name)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, pid, pid, "cgroup", &text);

	return rc < 0 ? rc : cgroup_of_text(host, text, name);
}

int proc_read_numa_maps(struct cgpol_host *host, pid_t pid, pid_t tid, bool head, char **text)
{
	char path[PATH_SIZE];

	format_path(path, pid, tid, "numa_maps");
	return head ? root_read_head(host->root, path, text) : root_read(host->root, path, text, NULL);
}

/* fs/proc/task_mmu.c smaps_account() puts each resident page into Shared_ or Private_ by its count of
 * mappings, and an anonymous one into Anonymous too. So shared anonymous memory is part of Shared_Clean +
 * Shared_Dirty, where shared file pages are as well; Private_ cannot be used, as it has file pages that only
 * this process maps. Pss_Anon, which came with 5.4, counts a private page whole and one of n mappings as a
 * part of 1/n, which is a half at most: Anonymous - Pss_Anon has at least the half of what is shared, and
 * after one fork just the half. Both are upper bounds, so the smaller one is. */
int proc_shared_anon_parse(const char *text, uint64_t *bytes)
{
	uint64_t anon, pss, shared, clean, dirty;

	if (text_field(text, "Anonymous", &anon) < 0 || text_field(text, "Shared_Clean", &clean) < 0 ||
	    text_field(text, "Shared_Dirty", &dirty) < 0 || __builtin_add_overflow(clean, dirty, &shared))
		return -EINVAL;
	if (shared > anon)
		shared = anon;
	if (text_field(text, "Pss_Anon", &pss) == 0) {
		/* It is rounded down to KiB, which makes the bound larger only. */
		uint64_t half = pss < anon ? anon - pss : 0;

		if (half < shared / 2)
			shared = 2 * half;
	}
	if (shared > UINT64_MAX / KIB)
		return -EINVAL;
	*bytes = shared * KIB;
	return 0;
}

int proc_read_shared_anon(struct cgpol_host *host, pid_t pid, pid_t tid, uint64_t *bytes)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, pid, tid, "smaps_rollup", &text);

	return rc < 0 ? rc : proc_shared_anon_parse(text, bytes);
}

bool proc_is_gone(int rc)
{
	return rc == -ENOENT || rc == -ESRCH;
}
