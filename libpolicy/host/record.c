/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder: a root that copies into a directory all that another root answers. */
#include "host/record.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/directory.h"

/* A path that is asked twice gets its first answer, or the replay, which has one only, would differ. What
 * became of a file's first reading is noted in the manifest by its path; an errno is noted as itself. */
enum note { NOTE_WHOLE = 0, NOTE_HEAD = 1 };

struct recorder {
	struct root root;
	struct root *below;
	int dir;
	char *name; /* of the directory, safe to print */
	struct manifest *manifest;
	int failed; /* the first -errno of writing; from then on nothing is kept */
	char failed_path[sizeof(((struct cgpol_error *)NULL)->file)];
	bool is_finished;
};

static const struct root_ops recorder_ops;

static struct recorder *recorder_of(struct root *root)
{
	return (struct recorder *)root;
}

static void check(struct recorder *recorder, const char *path, int rc)
{
	if (rc >= 0 || recorder->failed < 0)
		return;
	recorder->failed = rc;
	(void)text_escape(path, recorder->failed_path, sizeof(recorder->failed_path));
}

/* Steps into one directory without following a link, and makes it when it is missing. */
static int step(int fd, const char *name, bool make)
{
	int next;

	if (strcmp(name, "..") == 0)
		return -EINVAL;
	if (make && mkdirat(fd, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return next < 0 ? -errno : next;
}

static int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Opens the directory that holds `path` in the recording; *base is the last part, which lies in `path`. */
static int open_parent(const struct recorder *recorder, const char *path, bool make, const char **base)
{
	AUTO(free_p) char *copy = strdup(path);
	AUTO(close_p) int fd = -1;
	char *save = NULL, *part, *next;

	if (!copy)
		return -ENOMEM;
	fd = openat(recorder->dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	part = strtok_r(copy, "/", &save);
	if (!part)
		return -EISDIR;
	for (; (next = strtok_r(NULL, "/", &save)); part = next) {
		int inner = step(fd, part, make);

		if (inner < 0)
			return inner;
		(void)close(fd);
		fd = inner;
	}
	if (strcmp(part, "..") == 0)
		return -EINVAL;
	*base = path + (part - copy);
	return take_fd(&fd);
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t put = write(fd, text, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		text += put;
		size -= (size_t)put;
	}
	return 0;
}

static int store(const struct recorder *recorder, const char *path, const char *text, size_t size)
{
	AUTO(close_p) int parent = -1;
	AUTO(close_p) int fd = -1;
	const char *base;

	parent = open_parent(recorder, path, true, &base);
	if (parent < 0)
		return parent;
	fd = openat(parent, base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : write_all(fd, text, size);
}

/* Reads back what was stored. */
static int load(const struct recorder *recorder, const char *path, char **text, size_t *size)
{
	AUTO(close_p) int parent = -1;
	AUTO(close_p) int fd = -1;
	AUTO(free_p) char *buffer = NULL;
	const char *base;
	struct stat st;
	size_t used = 0;

	parent = open_parent(recorder, path, false, &base);
	if (parent < 0)
		return parent;
	fd = openat(parent, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || st.st_size > ROOT_FILE_MAX)
		return -EINVAL;
	buffer = malloc((size_t)st.st_size + 1);
	if (!buffer)
		return -ENOMEM;
	while (used < (size_t)st.st_size) {
		ssize_t got = read(fd, buffer + used, (size_t)st.st_size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		used += (size_t)got;
	}
	buffer[used] = '\0';
	*size = used;
	*text = TAKE(buffer);
	return 0;
}

/* A whole reading is about to follow a reading of the head: the head moves into the manifest. */
static int keep_head(struct recorder *recorder, const char *path)
{
	AUTO(close_p) int parent = -1;
	AUTO(free_p) char *text = NULL;
	const char *base;
	size_t size;
	int rc = load(recorder, path, &text, &size);

	if (rc < 0)
		return rc;
	rc = manifest_put_head(recorder->manifest, path, text);
	if (rc < 0)
		return rc;
	parent = open_parent(recorder, path, false, &base);
	if (parent < 0)
		return parent;
	return unlinkat(parent, base, 0) < 0 ? -errno : 0;
}

/* Keeps what a reading gave. An absent file needs no entry: it is absent from the capture too. */
static int keep_reading(struct recorder *recorder, const char *path, int rc, bool is_head, const char *text,
			size_t size)
{
	int kept = 0;

	if (rc < 0)
		kept = rc == -ENOENT ? 0 : manifest_put_errno(recorder->manifest, path, rc);
	else
		kept = store(recorder, path, text, size);
	if (kept < 0)
		return kept;
	return manifest_put_note(recorder->manifest, path, rc < 0 ? rc : is_head ? NOTE_HEAD : NOTE_WHOLE);
}

/* Answers from an earlier reading: 1, or its -errno, or 0 when the path has to be read. A copy that cannot be
 * read back spoils the recording, not the answer. */
static int recall(struct recorder *recorder, const char *path, size_t most, char **text, size_t *size)
{
	bool is_head = most < ROOT_FILE_MAX;
	int note, rc;

	if (!manifest_note(recorder->manifest, path, &note))
		return 0;
	rc = is_head ? manifest_head(recorder->manifest, path, text, size) : 0;
	if (rc != 0)
		return rc;
	if (note < 0)
		return note;
	if (note == NOTE_HEAD && !is_head)
		return 0;
	rc = load(recorder, path, text, size);
	check(recorder, path, rc);
	if (rc < 0)
		return 0;
	if (is_head && *size > most) {
		*size = most;
		(*text)[most] = '\0';
	}
	return 1;
}

/* Reads a file of the root below, or, by its name in the recording, the kernel's log. */
static int read_below(struct root *below, const char *path, size_t most, char **text, size_t *size)
{
	if (strcmp(path, DIRECTORY_KLOG) != 0)
		return below->ops->read(below, path, most, text, size);
	return below->ops->klog ? below->ops->klog(below, text, size) : -ENODATA;
}

static int recorder_read(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	struct recorder *recorder = recorder_of(root);
	struct root *below = recorder->below;
	int rc, note;

	if (recorder->failed < 0)
		return read_below(below, path, most, text, size);
	rc = recall(recorder, path, most, text, size);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = read_below(below, path, most, text, size);
	if (rc == -ENOMEM)
		return rc;
	if (manifest_note(recorder->manifest, path, &note) && note == NOTE_HEAD)
		check(recorder, path, keep_head(recorder, path));
	if (recorder->failed == 0)
		check(recorder, path,
		      keep_reading(recorder, path, rc, most < ROOT_FILE_MAX, rc < 0 ? NULL : *text,
				   rc < 0 ? 0 : *size));
	return rc;
}

static int recorder_klog(struct root *root, char **text, size_t *size)
{
	return recorder_read(root, DIRECTORY_KLOG, ROOT_FILE_MAX, text, size);
}

static int recorder_list(struct root *root, const char *path, char ***names, size_t *count)
{
	struct recorder *recorder = recorder_of(root);
	int rc = manifest_list(recorder->manifest, path, names, count);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = recorder->below->ops->list(recorder->below, path, names, count);
	if (rc != -ENOMEM)
		check(recorder, path,
		      manifest_put_list(recorder->manifest, path, rc, rc < 0 ? NULL : *names,
					rc < 0 ? 0 : *count));
	return rc;
}

static int recorder_stat(struct root *root, const char *path, struct root_info *info)
{
	struct recorder *recorder = recorder_of(root);
	int rc = manifest_stat(recorder->manifest, path, info);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = recorder->below->ops->stat(recorder->below, path, info);
	if (rc != -ENOMEM)
		check(recorder, path, manifest_put_stat(recorder->manifest, path, rc, info));
	return rc;
}

static int recorder_compare_mm(struct root *root, pid_t a, pid_t b, int *order)
{
	struct recorder *recorder = recorder_of(root);
	int rc = manifest_order(recorder->manifest, a, b, order);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = recorder->below->ops->compare_mm(recorder->below, a, b, order);
	if (rc != -ENOMEM)
		check(recorder, "kcmp",
		      manifest_put_order(recorder->manifest, a, b, rc, rc < 0 ? 0 : *order));
	return rc;
}

static int recorder_probe(struct root *root, const char *name)
{
	struct recorder *recorder = recorder_of(root);
	struct root *below = recorder->below;
	int result;

	if (manifest_probe(recorder->manifest, name, &result))
		return result;
	result = below->ops->probe ? below->ops->probe(below, name) : -ENODATA;
	if (result != -ENOMEM)
		check(recorder, name, manifest_put_probe(recorder->manifest, name, result));
	return result;
}

static int recorder_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	struct recorder *recorder = recorder_of(root);
	struct root *below = recorder->below;
	int rc = manifest_xattr(recorder->manifest, path, name, value);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = below->ops->get_xattr ? below->ops->get_xattr(below, path, name, value) : -ENODATA;
	if (rc != -ENOMEM)
		check(recorder, path,
		      manifest_put_xattr(recorder->manifest, path, name, rc, rc < 0 ? NULL : *value));
	return rc;
}

/* Under a temporary name first: a manifest that is there is whole. */
static int write_manifest(struct recorder *recorder)
{
	static const char temporary[] = "manifest.json.new";
	AUTO(free_p) char *text = NULL;
	AUTO(close_p) int fd = -1;
	size_t size;
	int rc = manifest_format(recorder->manifest, &recorder->root.facts, &text);

	if (rc < 0)
		return rc;
	size = strlen(text);
	if (size > ROOT_FILE_MAX)
		return -EFBIG;
	fd = openat(recorder->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, text, size);
	if (rc < 0)
		return rc;
	return renameat(recorder->dir, temporary, recorder->dir, "manifest.json") < 0 ? -errno : 0;
}

int record_finish(struct root *root, struct cgpol_error *err)
{
	struct recorder *recorder = recorder_of(root);

	if (root->ops != &recorder_ops)
		return 0;
	if (!recorder->is_finished && recorder->failed == 0)
		check(recorder, "/manifest.json", write_manifest(recorder));
	recorder->is_finished = true;
	if (recorder->failed == 0)
		return 0;
	(void)error_set(err, -recorder->failed, CGPOL_FAILED,
			"the recording in %s is not complete: cannot keep %s: %s", recorder->name,
			recorder->failed_path, strerror(-recorder->failed));
	error_detail(err, recorder->failed_path, recorder->name, NULL);
	return recorder->failed;
}

static void recorder_free(struct root *root)
{
	struct recorder *recorder = recorder_of(root);

	if (recorder->dir >= 0 && recorder->below)
		(void)record_finish(root, NULL);
	root_free(recorder->below);
	manifest_free(recorder->manifest);
	free(recorder->name);
	if (recorder->dir >= 0)
		(void)close(recorder->dir);
	free(recorder);
}

static const struct root_ops recorder_ops = {
	.read = recorder_read,
	.list = recorder_list,
	.stat = recorder_stat,
	.compare_mm = recorder_compare_mm,
	.probe = recorder_probe,
	.klog = recorder_klog,
	.get_xattr = recorder_get_xattr,
	.free = recorder_free,
};

/* 1 when the directory holds nothing, 0 when it does. */
static int is_empty(int dir)
{
	AUTO(closedir_p) DIR *stream = NULL;
	const struct dirent *entry;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	stream = fdopendir(fd);
	if (!stream) {
		(void)close(fd);
		return -ENOMEM;
	}
	do {
		errno = 0;
		entry = readdir(stream);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry ? 0 : errno != 0 ? -errno : 1;
}

/* Makes or takes the directory; the descriptor is the recorder's from then on. */
static int open_directory(struct recorder *recorder, const char *dir, struct cgpol_error *err)
{
	int rc = 0;

	if (mkdir(dir, 0755) < 0 && errno != EEXIST)
		rc = -errno;
	else
		recorder->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (rc == 0 && recorder->dir < 0)
		rc = -errno;
	if (rc == 0)
		rc = is_empty(recorder->dir);
	if (rc > 0)
		return 0;
	if (rc == 0)
		rc = error_set(err, ENOTEMPTY, CGPOL_USAGE,
			       "cannot record into %s: it exists and is not empty", recorder->name);
	else if (rc == -ENOTDIR)
		(void)error_set(err, ENOTDIR, CGPOL_USAGE, "cannot record into %s: it is not a directory",
				recorder->name);
	else
		(void)error_set(err, -rc, CGPOL_FAILED, "cannot record into %s: %s", recorder->name,
				strerror(-rc));
	error_detail(err, NULL, recorder->name, "give a new or an empty directory");
	return rc;
}

/* The name made safe to print. */
static char *print_name(const char *name)
{
	size_t size = 4 * strlen(name) + 1;
	char *shown = malloc(size);

	return shown ? text_escape(name, shown, size) : NULL;
}

int record_open(struct root *below, const char *dir, struct root **root, struct cgpol_error *err)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));
	int rc;

	if (!recorder) {
		root_free(below);
		return error_no_memory(err);
	}
	recorder->root =
		(struct root){.ops = &recorder_ops, .facts = below->facts, .is_live = below->is_live};
	recorder->dir = -1;
	recorder->name = print_name(dir);
	rc = recorder->name ? manifest_new(&recorder->manifest) : -ENOMEM;
	if (rc < 0)
		(void)error_no_memory(err);
	else
		rc = open_directory(recorder, dir, err);
	if (rc < 0) {
		recorder_free(&recorder->root);
		root_free(below);
		return rc;
	}
	recorder->below = below;
	*root = &recorder->root;
	return 0;
}
