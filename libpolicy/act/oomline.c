/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Did the OOM killer strike a command, and why: by its cgroup's counters and the kernel's log. */
#include "act/oomline.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"

enum { COMM_LENGTH = 15 }; /* of a task's name (include/linux/sched.h TASK_COMM_LEN) */

/* The parts of one record. */
struct record {
	struct span constraint, nodemask, mems, oom_memcg, task_memcg, task;
	uint64_t pid, time_us;
	bool has_time;
};

static const struct constraint_word {
	const char *word;
	enum cgpol_constraint constraint;
} constraint_words[] = {
	{"CONSTRAINT_NONE", CGPOL_CONSTRAINT_NONE},
	{"CONSTRAINT_CPUSET", CGPOL_CONSTRAINT_CPUSET},
	{"CONSTRAINT_MEMORY_POLICY", CGPOL_CONSTRAINT_MEMORY_POLICY},
	{"CONSTRAINT_MEMCG", CGPOL_CONSTRAINT_MEMCG},
};

void oomline_clear(struct oomline *line)
{
	free(line->nodes);
	free(line->cgroup);
	*line = (struct oomline){.constraint = CGPOL_CONSTRAINT_DERIVED, .limit = UINT64_MAX};
}

static int read_field(struct cgpol_host *host, const char *cgroup, const char *file, const char *key,
		      uint64_t *value)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);
	AUTO(free_p) char *text = NULL;
	int rc = path ? root_read(host->root, path, &text, NULL) : -ENOMEM;

	if (rc < 0)
		return rc;
	return key ? text_field(text, key, value) : text_limit(text, value);
}

int oomline_count(struct cgpol_host *host, const char *cgroup, struct oom_kills *kills)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, "memory.events");
	AUTO(free_p) char *text = NULL;
	struct oom_kills found = {0};
	int rc = path ? root_read(host->root, path, &text, NULL) : -ENOMEM;

	if (rc == -ENOMEM)
		return rc;
	if (rc == 0 && text_field(text, "oom_kill", &found.processes) == 0) {
		found.is_known = true;
		if (text_field(text, "oom_group_kill", &found.groups) < 0)
			found.groups = 0;
	}
	*kills = found;
	return 0;
}

/* The last occurrence of `key` in `text`; cuts it and all behind it off into *value. */
static bool cut_last(struct span *text, const char *key, struct span *value)
{
	size_t size = strlen(key);

	for (size_t at = text->size; at-- > 0;) {
		struct span rest = {text->at + at, text->size - at};

		if (!span_starts(rest, key))
			continue;
		*value = (struct span){rest.at + size, rest.size - size};
		text->size = at;
		return true;
	}
	return false;
}

/* A value may have the key in it: moves the cut to the left, while what is cut off is no longer than
 * `longest` and, unless NULL, the beginning of `path`. */
static void widen(struct span *text, const char *key, size_t longest, const struct span *path,
		  struct span *value)
{
	const char *end = value->at + value->size;
	struct span rest = *text, more;

	while (cut_last(&rest, key, &more)) {
		size_t size = (size_t)(end - more.at);

		if (size > longest)
			return;
		if (path && memcmp(path->at, more.at, size) != 0)
			continue;
		*value = (struct span){more.at, size};
		*text = rest;
	}
}

/* "KEY" at the start, then all up to the next `end`. */
static bool cut_first(struct span *text, const char *key, const char *end, struct span *value)
{
	size_t skip = strlen(key), size = strlen(end);

	if (!span_starts(*text, key))
		return false;
	for (size_t at = skip; at + size <= text->size; at++) {
		if (memcmp(text->at + at, end, size) != 0)
			continue;
		*value = (struct span){text->at + skip, at - skip};
		*text = (struct span){text->at + at + size, text->size - at - size};
		return true;
	}
	return false;
}

/* "<6>[   12.345678] " or "<6>[   12.345678][ T1234] " (kernel/printk/printk.c info_print_prefix). */
static void cut_prefix(struct span *line, struct record *record)
{
	struct span part;
	uint64_t seconds, micros;
	const char *end;

	(void)cut_first(line, "<", ">", &part);
	if (!cut_first(line, "[", "]", &part))
		return;
	while (part.size > 0 && *part.at == ' ')
		part = (struct span){part.at + 1, part.size - 1};
	/* The span ends with "]", which ends both numbers. */
	if (text_u64_head(part.at, &end, &seconds) == 0 && *end == '.' && seconds < UINT32_MAX &&
	    text_u64_head(end + 1, &end, &micros) == 0 && micros < 1000000 && *end == ']') {
		record->time_us = seconds * 1000000 + micros;
		record->has_time = true;
	}
	(void)cut_first(line, "[", "]", &part);
	if (line->size > 0 && *line->at == ' ')
		*line = (struct span){line->at + 1, line->size - 1};
}

static bool parse_record(struct span line, struct record *record)
{
	struct span uid, pid;

	*record = (struct record){0};
	cut_prefix(&line, record);
	if (!cut_first(&line, "oom-kill:constraint=", ",", &record->constraint) ||
	    !cut_first(&line, "nodemask=", ",cpuset=", &record->nodemask))
		return false;
	if (!cut_last(&line, ",uid=", &uid) || !cut_last(&line, ",pid=", &pid) ||
	    !cut_last(&line, ",task=", &record->task))
		return false;
	widen(&line, ",task=", COMM_LENGTH, NULL, &record->task);
	if (!cut_last(&line, ",task_memcg=", &record->task_memcg))
		return false;
	if (!cut_last(&line, ",oom_memcg=", &record->oom_memcg))
		(void)cut_last(&line, ",global_oom", &uid);
	else
		widen(&line, ",oom_memcg=", record->task_memcg.size, &record->task_memcg, &record->oom_memcg);
	return cut_last(&line, ",mems_allowed=", &record->mems) && span_u64(pid, &record->pid) == 0 &&
	       record->pid <= INT_MAX;
}

static bool is_below(struct span path, const char *cgroup)
{
	size_t size = strlen(cgroup);

	return span_starts(path, cgroup) &&
	       (path.size == size || path.at[size] == '/' || strcmp(cgroup, "/") == 0);
}

static bool fits(const struct record *record, const struct oomline_search *search)
{
	if (search->since_us > 0 && (!record->has_time || record->time_us < search->since_us))
		return false;
	if (search->pid > 0 && record->pid == (uint64_t)search->pid)
		return true;
	return search->cgroup && is_below(record->task_memcg, search->cgroup);
}

static int take(const struct record *record, struct oomline *line)
{
	struct span nodes = {NULL, 0};
	struct oomline made = {
		.pid = (pid_t)record->pid, .constraint = CGPOL_CONSTRAINT_DERIVED, .limit = UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(constraint_words); i++)
		if (span_is(record->constraint, constraint_words[i].word))
			made.constraint = constraint_words[i].constraint;
	if (made.constraint == CGPOL_CONSTRAINT_CPUSET)
		nodes = record->mems;
	if (made.constraint == CGPOL_CONSTRAINT_MEMORY_POLICY)
		nodes = record->nodemask;
	(void)snprintf(made.comm, sizeof(made.comm), "%.*s", (int)record->task.size, record->task.at);
	if (nodes.at)
		made.nodes = span_dup(nodes);
	if (made.constraint == CGPOL_CONSTRAINT_MEMCG && record->oom_memcg.at)
		made.cgroup = span_dup(record->oom_memcg);
	if ((nodes.at && !made.nodes) ||
	    (made.constraint == CGPOL_CONSTRAINT_MEMCG && record->oom_memcg.at && !made.cgroup)) {
		oomline_clear(&made);
		return -ENOMEM;
	}
	*line = made;
	return 0;
}

int oomline_parse(const char *log, const struct oomline_search *search, struct oomline *line)
{
	struct record record, last = {0};
	bool is_found = false;
	struct span text;

	while (text_line(&log, &text)) {
		if (!parse_record(text, &record) || !fits(&record, search))
			continue;
		last = record;
		is_found = true;
	}
	return is_found ? take(&last, line) : -ENOENT;
}

/* The kernel writes cgroups as seen from the hierarchy's root, users name them as seen from the mount. */
static char *full_name(const struct cgpol_host *host, const char *cgroup)
{
	const char *above = host->cgroup2_root && strcmp(host->cgroup2_root, "/") != 0 ? host->cgroup2_root
										       : "";
	char *full;

	return asprintf(&full, "%s%s", above, cgroup) < 0 ? NULL : full;
}

/* The kernel's name becomes that below the mount, where it has one: else none, as it would be taken for
 * another cgroup's. */
static void shorten(const struct cgpol_host *host, struct oomline *line)
{
	size_t skip = strlen(host->cgroup2_root);

	if (strcmp(host->cgroup2_root, "/") == 0)
		return;
	if (!is_below((struct span){line->cgroup, strlen(line->cgroup)}, host->cgroup2_root)) {
		free(line->cgroup);
		line->cgroup = NULL;
	} else if (line->cgroup[skip]) {
		memmove(line->cgroup, line->cgroup + skip, strlen(line->cgroup + skip) + 1);
	} else {
		line->cgroup[1] = '\0'; /* the mount itself: "/" */
	}
}

static int read_log(struct cgpol_host *host, const char *cgroup, const struct oomline_search *asked,
		    struct oomline *line)
{
	AUTO(free_p) char *full = NULL;
	AUTO(free_p) char *log = NULL;
	struct oomline_search search = *asked;
	int rc;

	/* The log has the pids of the initial namespace: ours mean something else elsewhere. */
	if (!host->root->facts.initial_pidns)
		search.pid = 0;
	rc = root_klog(host->root, &log);
	if (rc < 0)
		return rc;
	if (cgroup) {
		full = full_name(host, cgroup);
		if (!full)
			return -ENOMEM;
		search.cgroup = full;
	}
	rc = oomline_parse(log, &search, line);
	if (rc < 0 || !line->cgroup || !host->cgroup2)
		return rc;
	shorten(host, line);
	if (!line->cgroup || read_field(host, line->cgroup, "memory.max", NULL, &line->limit) < 0)
		line->limit = UINT64_MAX;
	return 0;
}

/* A cgroup that was full counts "oom" in its own events, and only there: the nearest is the likely one. */
static int read_counters(struct cgpol_host *host, const char *cgroup, struct oomline *line)
{
	AUTO(free_p) char *at = strdup(cgroup);

	for (bool is_own = true; at; is_own = false) {
		uint64_t ooms = 0, limit = UINT64_MAX;
		char *slash;

		if (read_field(host, at, "memory.events.local", "oom", &ooms) == 0 && ooms > 0 &&
		    read_field(host, at, "memory.max", NULL, &limit) == 0 && limit != UINT64_MAX) {
			*line = (struct oomline){.constraint = CGPOL_CONSTRAINT_MEMCG,
						 .cgroup = TAKE(at),
						 .limit = limit,
						 .is_guess = !is_own};
			return 0;
		}
		slash = strrchr(at, '/');
		if (!slash || slash == at)
			return -ENOENT;
		*slash = '\0';
	}
	return -ENOMEM;
}

/* In a cgroup namespace the kernel's names are not ours. What was full we may know by its counter. */
static void find_limit(struct cgpol_host *host, const char *cgroup, struct oomline *line)
{
	AUTO(oomline_clear) struct oomline counted = {.limit = UINT64_MAX};

	if (line->constraint != CGPOL_CONSTRAINT_MEMCG || line->limit != UINT64_MAX ||
	    read_counters(host, cgroup, &counted) < 0 || counted.is_guess)
		return;
	free(line->cgroup);
	line->cgroup = TAKE(counted.cgroup);
	line->limit = counted.limit;
}

int oomline_read(struct cgpol_host *host, const char *cgroup, pid_t pid, uint64_t since_us,
		 struct oomline *line)
{
	const struct oomline_search search = {.pid = pid, .since_us = since_us};
	int rc = read_log(host, cgroup, &search, line);

	if (rc == 0 && cgroup)
		find_limit(host, cgroup, line);
	if (rc == 0 || rc == -ENOMEM || !cgroup)
		return rc == 0 || rc == -ENOMEM ? rc : -ENOENT;
	return read_counters(host, cgroup, line);
}
