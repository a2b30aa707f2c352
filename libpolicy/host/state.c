/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory in which cgpol keeps what it needs to take its changes back. */
#include "host/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/root.h"

static const char lock_name[] = "lock";

struct state {
	char *path;
	int dir;
	int lock; /* -1: not taken */
	int file; /* the one that is open for appending, or -1 */
	off_t size;
	bool is_torn; /* the last line of `file` could not be cut off: nothing may follow it */
};

void state_close(struct state *state)
{
	if (!state)
		return;
	close_p(&state->file);
	close_p(&state->lock);
	close_p(&state->dir);
	free(state->path);
	free(state);
}

const char *state_path(const struct state *state)
{
	return state->path;
}

/* ---- the directory ---- */

/* A name in a sentence, and in a remedy that is to be pasted into a shell. */
enum { SHOWN_SIZE = 160 };

static int refuse(struct cgpol_error *err, const char *path, int errnum, const char *why)
{
	char shown[SHOWN_SIZE];

	text_escape(path, shown, sizeof(shown));
	error_set(err, errnum, CGPOL_FAILED, "cannot keep journals in %s: %s", shown, why);
	error_detail(err, shown, NULL, NULL);
	return -errnum;
}

static int check_directory(int fd, const char *path, struct cgpol_error *err)
{
	char why[64], hint[SHOWN_SIZE + 32], shown[SHOWN_SIZE];
	struct stat info;

	if (fstat(fd, &info) < 0)
		return refuse(err, path, errno, strerror(errno));
	text_escape(path, shown, sizeof(shown));
	if (info.st_uid != geteuid()) {
		(void)snprintf(why, sizeof(why), "it belongs to user %u", info.st_uid);
		(void)snprintf(hint, sizeof(hint), "chown %u %s, or --state DIR", geteuid(), shown);
	} else if (info.st_mode & (S_IWGRP | S_IWOTH)) {
		(void)snprintf(why, sizeof(why), "others may write to it (mode %04o)", info.st_mode & 07777U);
		(void)snprintf(hint, sizeof(hint), "chmod go-w %s", shown);
	} else {
		return 0;
	}
	refuse(err, path, EPERM, why);
	error_detail(err, shown, NULL, hint);
	return -EPERM;
}

static int open_directory(const char *path, bool make, struct cgpol_error *err)
{
	AUTO(free_p) char *bare = strdup(path);
	size_t size = strlen(path);
	int fd;

	if (!bare)
		return error_no_memory(err);
	/* With a slash behind it a link would be followed. */
	while (size > 1 && bare[size - 1] == '/')
		bare[--size] = '\0';
	if (make && mkdir(bare, 0700) < 0 && errno != EEXIST)
		return refuse(err, path, errno, strerror(errno));
	fd = open(bare, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP))
		return refuse(err, path, errno, "it is not a directory, but a file or a link");
	return fd < 0 ? refuse(err, path, errno, strerror(errno)) : fd;
}

int state_open(const char *path, bool make, struct state **state, struct cgpol_error *err)
{
	AUTO(close_p) int fd = open_directory(path, make, err);
	struct state *opened;
	int rc = fd;

	if (rc >= 0)
		rc = check_directory(fd, path, err);
	if (rc < 0)
		return rc;
	opened = calloc(1, sizeof(*opened));
	if (opened)
		opened->path = strdup(path);
	if (!opened || !opened->path) {
		free(opened);
		return error_no_memory(err);
	}
	opened->dir = fd;
	fd = -1;
	opened->lock = opened->file = -1;
	*state = opened;
	return 0;
}

/* ---- the lock ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* flock(2) cannot wait for a time; who waits looks again this often. */
static void pause_ms(unsigned milliseconds)
{
	const struct timespec pause = {0, (long)milliseconds * 1000000};

	(void)nanosleep(&pause, NULL);
}

static int write_pid(int fd)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%d\n", getpid());

	if (pwrite(fd, text, (size_t)size, 0) != size)
		return errno ? -errno : -EIO;
	return ftruncate(fd, size) < 0 ? -errno : 0;
}

/* 0 when nobody knows: the holder has it for less than a moment. */
static uint64_t read_pid(int fd)
{
	char text[16] = "";
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
	uint64_t pid;

	return size > 0 && text_u64(text, &pid) == 0 ? pid : 0;
}

/* -EAGAIN while another has it. */
static int try_lock(const struct state *state, uint64_t *holder)
{
	AUTO(close_p)
	int fd = openat(state->dir, lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat info;
	int rc;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		rc = -errno;
		*holder = read_pid(fd);
		return rc;
	}
	/* Somebody removed the directory's files meanwhile: the next one to come locks another file. */
	if (fstat(fd, &info) < 0)
		return -errno;
	if (info.st_nlink == 0)
		return -EAGAIN;
	rc = write_pid(fd);
	if (rc < 0)
		return rc;
	rc = fd;
	fd = -1;
	return rc;
}

static int fail_lock(const struct state *state, int rc, uint64_t holder, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], file[SHOWN_SIZE + sizeof("/lock")], who[32] = "";

	text_escape(state->path, shown, sizeof(shown));
	(void)snprintf(file, sizeof(file), "%s/%s", shown, lock_name);
	if (rc != -EAGAIN) {
		error_set(err, -rc, CGPOL_FAILED, "cannot lock %s: %s", shown, strerror(-rc));
		error_detail(err, file, NULL, NULL);
		return rc;
	}
	if (holder)
		(void)snprintf(who, sizeof(who), " (process %" PRIu64 ")", holder);
	error_set(err, EBUSY, CGPOL_FAILED, "another cgpol%s is changing this machine", who);
	error_detail(err, file, NULL, "wait until it is done");
	return -EBUSY;
}

int state_lock(struct state *state, unsigned milliseconds, struct cgpol_error *err)
{
	int64_t end = now_ms() + milliseconds;
	uint64_t holder = 0;
	unsigned pause = 1;
	int rc;

	if (state->lock >= 0)
		return 0;
	while ((rc = try_lock(state, &holder)) == -EAGAIN || rc == -EINTR) {
		if (now_ms() >= end)
			break;
		pause_ms(pause);
		pause = pause < 20 ? 2 * pause : pause;
	}
	if (rc < 0)
		return fail_lock(state, rc == -EINTR ? -EAGAIN : rc, holder, err);
	state->lock = rc;
	return 0;
}

/* ---- the files ---- */

static bool is_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strcmp(name, lock_name) != 0;
}

/* A file in a directory of ours, that nobody else could have written. */
static int check_file(int fd, off_t *size)
{
	struct stat info;

	if (fstat(fd, &info) < 0)
		return -errno;
	if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)))
		return -EPERM;
	if (info.st_size > STATE_FILE_MAX)
		return -EFBIG;
	*size = info.st_size;
	return 0;
}

static void keep_file(struct state *state, int fd, off_t size)
{
	close_p(&state->file);
	state->file = fd;
	state->size = size;
	state->is_torn = false;
}

int state_create(struct state *state, const char *name)
{
	int fd, rc;

	if (!is_name(name))
		return -EINVAL;
	fd = openat(state->dir, name, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fsync(state->dir) < 0) {
		rc = -errno;
		(void)close(fd);
		(void)unlinkat(state->dir, name, 0);
		return rc;
	}
	keep_file(state, fd, 0);
	return 0;
}

/* Where the last whole line ends. */
static int find_end(int fd, off_t size, off_t *end)
{
	char block[4096];

	while (size > 0) {
		size_t part = size < (off_t)sizeof(block) ? (size_t)size : sizeof(block);
		ssize_t got = pread(fd, block, part, size - (off_t)part);
		const char *newline;

		if (got != (ssize_t)part)
			return got < 0 ? -errno : -EIO;
		newline = memrchr(block, '\n', part);
		size -= (off_t)part;
		if (newline) {
			*end = size + (newline - block) + 1;
			return 0;
		}
	}
	*end = 0;
	return 0;
}

int state_resume(struct state *state, const char *name)
{
	AUTO(close_p) int fd = -1;
	off_t size = 0, end = 0;
	int rc;

	if (!is_name(name))
		return -EINVAL;
	fd = openat(state->dir, name, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = check_file(fd, &size);
	if (rc == 0)
		rc = find_end(fd, size, &end);
	if (rc == 0 && end < size && ftruncate(fd, end) < 0)
		rc = -errno;
	if (rc < 0)
		return rc;
	keep_file(state, fd, end);
	fd = -1;
	return 0;
}

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

int state_append(struct state *state, const char *text)
{
	size_t size = strlen(text);
	int rc;

	if (state->file < 0)
		return -EBADF;
	if (state->is_torn)
		return -EIO;
	if (size > (size_t)(STATE_FILE_MAX - state->size))
		return -EFBIG;
	rc = write_all(state->file, text, size);
	if (rc == 0 && fdatasync(state->file) < 0)
		rc = -errno;
	if (rc < 0) {
		state->is_torn = ftruncate(state->file, state->size) < 0;
		return rc;
	}
	state->size += (off_t)size;
	return 0;
}

int state_read(struct state *state, const char *name, char **text)
{
	AUTO(close_p) int fd = -1;
	AUTO(free_p) char *all = NULL;
	size_t used = 0;
	off_t size = 0;
	ssize_t got;
	int rc;

	if (!is_name(name))
		return -EINVAL;
	fd = openat(state->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = check_file(fd, &size);
	if (rc < 0)
		return rc;
	all = malloc((size_t)size + 1);
	if (!all)
		return -ENOMEM;
	/* What is appended meanwhile is left for the next reader. */
	while (used < (size_t)size && (got = read(fd, all + used, (size_t)size - used)) != 0) {
		if (got < 0)
			return -errno;
		used += (size_t)got;
	}
	if (memchr(all, '\0', used))
		return -EINVAL;
	all[used] = '\0';
	*text = TAKE(all);
	return 0;
}

/* ---- the list ---- */

static bool is_listed(const struct state *state, const struct dirent *entry)
{
	struct stat info;

	if (!is_name(entry->d_name))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_REG;
	return fstatat(state->dir, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Grows by doubling. */
static int add_name(const char *name, char ***names, size_t *count)
{
	if (*count >= STATE_FILES_MAX)
		return -E2BIG;
	if ((*count & (*count - 1)) == 0) {
		char **more = reallocarray(*names, *count ? 2 * *count : 1, sizeof(*more));

		if (!more)
			return -ENOMEM;
		*names = more;
	}
	(*names)[*count] = strdup(name);
	if (!(*names)[*count])
		return -ENOMEM;
	(*count)++;
	return 0;
}

static int list_into(const struct state *state, DIR *dir, char ***names, size_t *count)
{
	const struct dirent *entry;
	int rc = 0;

	while (rc == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			return -errno;
		if (is_listed(state, entry))
			rc = add_name(entry->d_name, names, count);
	}
	return rc;
}

int state_list(struct state *state, char ***names, size_t *count)
{
	AUTO(closedir_p) DIR *dir = NULL;
	char **found = NULL;
	size_t number = 0;
	int rc, fd = openat(state->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		rc = -errno;
		(void)close(fd);
		return rc;
	}
	rc = list_into(state, dir, &found, &number);
	if (rc < 0) {
		root_list_free(found, number);
		return rc;
	}
	if (number > 0)
		qsort(found, number, sizeof(*found), compare_names);
	*names = found;
	*count = number;
	return 0;
}

int state_remove(struct state *state, const char *name)
{
	if (!is_name(name))
		return -EINVAL;
	return unlinkat(state->dir, name, 0) < 0 ? -errno : 0;
}
