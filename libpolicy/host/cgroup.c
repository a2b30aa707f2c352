/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One cgroup as values: its name, its memory files, its children and members. */
#include "host/cgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { SHOWN_SIZE = 160 }; /* of a name in a sentence */

static int refuse_name(const char *argument, const char *reason, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(argument, shown, sizeof(shown));
	error_set(err, EINVAL, CGPOL_USAGE, "cgroup \"%s\": %s", shown, reason);
	error_detail(err, NULL, shown, "name it by its path below the cgroup2 mount, like /web/db");
	return -EINVAL;
}

/* Why the part [at, at + size) of a name is no directory of cgroupfs, or NULL. */
static const char *judge_part(const char *at, size_t size)
{
	if (size == 0)
		return "a part of the path is empty";
	if ((size == 1 && at[0] == '.') || (size == 2 && at[0] == '.' && at[1] == '.'))
		return "\".\" and \"..\" are not allowed";
	if (size > NAME_MAX)
		return "a part of the path is longer than 255 bytes";
	return NULL;
}

static const char *judge_name(const char *path)
{
	for (;;) {
		size_t size = strcspn(path, "/");
		const char *reason = judge_part(path, size);

		if (reason || path[size] == '\0')
			return reason;
		path += size + 1;
	}
}

int cgroup_name(const char *argument, char **name, struct cgpol_error *err)
{
	const char *path = argument[0] == '/' ? argument + 1 : argument;
	const char *reason = NULL;
	char *made;

	if (argument[0] == '\0')
		reason = "the name is empty";
	else if (argument[0] == '-')
		reason = "a name does not begin with \"-\"";
	else if (strchr(argument, '\n'))
		reason = "a name holds no newline"; /* kernel/cgroup/cgroup.c cgroup_mkdir refuses it */
	else if (strlen(argument) >= PATH_MAX)
		reason = "the name is too long";
	else if (*path != '\0')
		reason = judge_name(path);
	if (reason)
		return refuse_name(argument, reason, err);
	if (asprintf(&made, "/%s", path) < 0)
		return error_no_memory(err);
	*name = made;
	return 0;
}

char *cgroup_path(const struct cgpol_host *host, const char *name, const char *file)
{
	const char *mount = strcmp(host->cgroup2, "/") == 0 ? "" : host->cgroup2;
	const char *below = strcmp(name, "/") == 0 ? "" : name;
	char *path;

	if (asprintf(&path, "%s%s%s%s", mount, below, file ? "/" : "", file ? file : "") < 0)
		return NULL;
	return path;
}

/* Has the path a ".." in it? The kernel prints one for a cgroup outside the reader's cgroup namespace
 * (cgroup_namespaces(7)). */
static bool has_parent_part(const char *path)
{
	while (*path) {
		size_t size = strcspn(path, "/");

		if (size == 2 && path[0] == '.' && path[1] == '.')
			return true;
		path += size + (path[size] == '/');
	}
	return false;
}

/* The path of a process's cgroup minus the path of the mounted one. */
static int subtract_mount(const char *mounted, const char *path, char **name)
{
	size_t size = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
	char *made;

	if (strncmp(path, mounted, size) != 0 || (path[size] != '/' && path[size] != '\0'))
		return -EXDEV;
	path += size;
	if (has_parent_part(path))
		return -EXDEV;
	made = strdup(*path ? path : "/");
	if (!made)
		return -ENOMEM;
	*name = made;
	return 0;
}

int cgroup_of_text(const struct cgpol_host *host, const char *text, char **name)
{
	static const char deleted[] = " (deleted)"; /* kernel/cgroup/cgroup.c proc_cgroup_show */
	const size_t tail = sizeof(deleted) - 1;
	AUTO(free_p) char *path = NULL;
	struct span line;
	size_t size;

	/* "hierarchy:controllers:path": the path may hold colons, and the v2 line, whose number is 0 and
	 * whose controllers are empty, may stand anywhere. */
	do {
		if (!text_line(&text, &line))
			return -ENOENT;
	} while (!span_starts(line, "0::"));
	/* No path of the kernel's is longer (fs/kernfs/dir.c kernfs_path_from_node() into a PATH_MAX buffer).
	 */
	if (line.size - 3 >= PATH_MAX)
		return -ENAMETOOLONG;
	path = strndup(line.at + 3, line.size - 3);
	if (!path)
		return -ENOMEM;
	size = strlen(path);
	if (size > tail && strcmp(path + size - tail, deleted) == 0)
		path[size - tail] = '\0';
	if (path[0] != '/')
		return -EINVAL;
	return subtract_mount(host->cgroup2_root ? host->cgroup2_root : "/", path, name);
}

/* An interface file of a cgroup that went away: ENOENT when it is opened, ENODEV when it was open
 * (kernel/cgroup/cgroup.c cgroup_kn_lock_live, fs/kernfs/file.c kernfs_get_active). */
static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

static int read_file(struct cgpol_host *host, const char *name, const char *file, char **text)
{
	AUTO(free_p) char *path = NULL;

	if (!host->cgroup2)
		return -ENOENT;
	path = cgroup_path(host, name, file);
	return path ? root_read(host->root, path, text, NULL) : -ENOMEM;
}

int cgroup_inode(struct cgpol_host *host, const char *name, uint64_t *inode)
{
	AUTO(free_p) char *path = NULL;
	struct root_info info;
	int rc;

	if (!host->cgroup2)
		return -ENOENT;
	path = cgroup_path(host, name, NULL);
	if (!path)
		return -ENOMEM;
	rc = root_stat(host->root, path, &info);
	if (rc < 0)
		return rc;
	*inode = info.inode;
	return 0;
}

/* 0 when the cgroup's directory is there, -ENOENT when it is gone. */
static int check_exists(struct cgpol_host *host, const char *name)
{
	uint64_t inode;
	int rc = cgroup_inode(host, name, &inode);

	return is_absent(rc) ? -ENOENT : rc;
}

static const struct memory_file {
	const char *file;
	size_t offset;
} memory_files[] = {
	{"memory.max", offsetof(struct cgroup_memory, max)},
	{"memory.swap.max", offsetof(struct cgroup_memory, swap_max)},
	{"memory.swap.current", offsetof(struct cgroup_memory, swap_current)},
};

/* Reads one of them. Absent: the value stays and *missing is set. */
static int read_number(struct cgpol_host *host, const char *name, const char *file, uint64_t *value,
		       bool *missing)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, name, file, &text);

	if (is_absent(rc)) {
		*missing = true;
		return 0;
	}
	if (rc < 0)
		return rc;
	return text_limit(text, value) < 0 ? -EINVAL : 0;
}

static void take_stat_line(struct span line, struct cgroup_memory *memory)
{
	struct span key, word;
	uint64_t value;

	if (!text_word(&line, &key) || !text_word(&line, &word) || span_u64(word, &value) < 0)
		return;
	if (span_is(key, "anon"))
		memory->anon = value;
	else if (span_is(key, "shmem"))
		memory->shmem = value;
	else if (span_is(key, "slab_reclaimable"))
		memory->slab_reclaimable = value;
	else if ((span_is(key, "inactive_file") || span_is(key, "active_file")) &&
		 __builtin_add_overflow(memory->file, value, &memory->file))
		memory->file = UINT64_MAX;
}

static int read_stat(struct cgpol_host *host, const char *name, struct cgroup_memory *memory, bool *missing)
{
	AUTO(free_p) char *text = NULL;
	const char *rest;
	struct span line;
	int rc = read_file(host, name, "memory.stat", &text);

	if (is_absent(rc)) {
		*missing = true;
		return 0;
	}
	if (rc < 0)
		return rc;
	rest = text;
	while (text_line(&rest, &line))
		take_stat_line(line, memory);
	return 0;
}

static int read_oom_group(struct cgpol_host *host, const char *name, bool *oom_group, bool *missing)
{
	uint64_t value = 0;
	int rc = read_number(host, name, "memory.oom.group", &value, missing);

	if (rc == 0)
		*oom_group = value == 1;
	return rc;
}

/* All files of one cgroup; *file names the one that failed. */
static int read_memory_files(struct cgpol_host *host, const char *name, struct cgroup_memory *memory,
			     const char **file)
{
	bool missing = false;
	int rc;

	*file = "memory.current";
	rc = read_number(host, name, *file, &memory->current, &missing);
	memory->has_controller = !missing;
	if (rc < 0 || missing)
		return rc < 0 ? rc : check_exists(host, name);
	for (size_t i = 0; i < ARRAY_SIZE(memory_files); i++) {
		*file = memory_files[i].file;
		rc = read_number(host, name, *file,
				 (uint64_t *)(void *)((char *)memory + memory_files[i].offset), &missing);
		if (rc < 0)
			return rc;
	}
	*file = "memory.stat";
	rc = read_stat(host, name, memory, &missing);
	if (rc < 0)
		return rc;
	*file = "memory.oom.group";
	rc = read_oom_group(host, name, &memory->oom_group, &missing);
	if (rc < 0)
		return rc;
	/* Without swap accounting some files are never there; but all are missing in a cgroup that was
	 * removed between two reads. */
	return missing ? check_exists(host, name) : 0;
}

static int explain_read(const char *name, const char *file, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(name, shown, sizeof(shown));
	if (is_absent(rc))
		return error_set(err, ENOENT, CGPOL_FAILED, "cgroup \"%s\" does not exist", shown);
	if (rc == -EINVAL)
		error_set(err, EINVAL, CGPOL_FAILED, "%s of cgroup \"%s\" holds no number", file, shown);
	else
		error_set(err, -rc, CGPOL_FAILED, "%s of cgroup \"%s\" cannot be read: %s", file, shown,
			  strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown error");
	error_detail(err, file, NULL, NULL);
	return rc;
}

int cgroup_read_memory(struct cgpol_host *host, const char *name, struct cgroup_memory *memory,
		       struct cgpol_error *err)
{
	struct cgroup_memory made = {.max = UINT64_MAX, .swap_max = UINT64_MAX};
	const char *file = "memory.stat";
	bool missing = false;
	int rc;

	rc = read_memory_files(host, name, &made, &file);
	/* The root has the controller but neither limits nor a usage (mm/memcontrol.c memory_files,
	 * CFTYPE_NOT_ON_ROOT); what a cgroup namespace shows as the root has both. */
	if (rc == 0 && strcmp(name, "/") == 0 && !made.has_controller) {
		made.has_controller = host->has_memory;
		file = "memory.stat";
		rc = host->has_memory ? read_stat(host, name, &made, &missing) : 0;
	}
	if (rc < 0)
		return explain_read(name, file, rc, err);
	*memory = made;
	return 0;
}

int cgroup_read_oom_group(struct cgpol_host *host, const char *name, struct cgroup_memory *memory)
{
	struct cgroup_memory made = {0};
	bool missing = false;
	int rc;

	/* The file is there exactly where the cgroup has a memory css of its own, but for the real root. */
	rc = read_oom_group(host, name, &made.oom_group, &missing);
	if (rc == 0 && missing)
		rc = check_exists(host, name);
	if (rc < 0)
		return rc;
	made.has_controller = !missing || (strcmp(name, "/") == 0 && host->has_memory);
	*memory = made;
	return 0;
}

int cgroup_read_mems(struct cgpol_host *host, const char *name, struct nodeset *mems)
{
	AUTO(free_p) char *at = strdup(name);

	if (!at)
		return -ENOMEM;
	for (;;) {
		AUTO(free_p) char *text = NULL;
		char *slash;
		int rc = read_file(host, at, "cpuset.mems.effective", &text);

		if (rc == 0) {
			rc = nodeset_parse(text, NODESET_NODES_MAX, mems, NULL);
			return rc == -ENOMEM || rc == 0 ? rc : -EINVAL;
		}
		slash = strrchr(at, '/');
		if (!is_absent(rc) || !slash || at[1] == '\0')
			return is_absent(rc) ? -ENOENT : rc;
		slash[slash == at] = '\0'; /* the parent of "/a" is "/" */
	}
}

struct child {
	char *name;
	uint64_t inode;
};

static int compare_children(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	return (a->inode > b->inode) - (a->inode < b->inode);
}

/* Fills in one child; 1 when it went away meanwhile. */
static int make_child(struct cgpol_host *host, const char *parent, const char *entry, struct child *child)
{
	AUTO(free_p) char *name = NULL;
	int rc;

	if (asprintf(&name, "%s/%s", strcmp(parent, "/") == 0 ? "" : parent, entry) < 0) {
		name = NULL; /* asprintf(3) leaves it undefined */
		return -ENOMEM;
	}
	rc = cgroup_inode(host, name, &child->inode);
	if (rc < 0)
		return is_absent(rc) ? 1 : rc;
	child->name = TAKE(name);
	return 0;
}

static int list_children(struct cgpol_host *host, const char *name, char ***entries, size_t *count)
{
	AUTO(free_p) char *path = NULL;
	int rc;

	if (!host->cgroup2)
		return -ENOENT;
	path = cgroup_path(host, name, NULL);
	if (!path)
		return -ENOMEM;
	rc = root_list(host->root, path, entries, count);
	return is_absent(rc) ? -ENOENT : rc;
}

int cgroup_children(struct cgpol_host *host, const char *name, char ***names, size_t *count)
{
	AUTO(free_p) struct child *child = NULL;
	char **entries = NULL, **made = NULL;
	size_t listed = 0, found = 0;
	int rc = list_children(host, name, &entries, &listed);

	if (rc < 0)
		return rc;
	child = calloc(listed + 1, sizeof(*child));
	made = calloc(listed + 1, sizeof(*made));
	rc = child && made ? 0 : -ENOMEM;
	for (size_t i = 0; rc >= 0 && i < listed; i++) {
		rc = make_child(host, name, entries[i], &child[found]);
		found += rc == 0;
	}
	root_list_free(entries, listed);
	if (child)
		qsort(child, found, sizeof(*child), compare_children);
	for (size_t i = 0; made && i < found; i++)
		made[i] = child[i].name;
	if (rc < 0) {
		root_list_free(made, found);
		return rc;
	}
	*names = made;
	*count = found;
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int cgroup_procs(struct cgpol_host *host, const char *name, pid_t **pids, size_t *count)
{
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) pid_t *made = NULL;
	const char *rest;
	struct span line;
	size_t found = 0;
	int rc = read_file(host, name, "cgroup.procs", &text);

	if (rc < 0)
		return is_absent(rc) ? -ENOENT : rc;
	made = calloc(count_lines(text), sizeof(*made));
	if (!made)
		return -ENOMEM;
	rest = text;
	while (text_line(&rest, &line)) {
		uint64_t pid;

		if (line.size == 0)
			continue;
		if (span_u64(line, &pid) < 0 || pid > INT_MAX)
			return -EINVAL;
		if (pid != 0) /* 0 is a process outside the reader's pid namespace: it has no number here */
			made[found++] = (pid_t)pid;
	}
	*pids = TAKE(made);
	*count = found;
	return 0;
}

int cgroup_has_children(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	char **name = NULL;
	size_t count = 0;
	int rc = path ? root_list(host->root, path, &name, &count) : -ENOMEM;

	if (rc < 0)
		return rc;
	root_list_free(name, count);
	return count > 0;
}
