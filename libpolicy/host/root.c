/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one door: the kernel's files or a capture's, looked up below one directory and nowhere else. */
#include "host/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/record.h"

enum {
	READ_FIRST = 4096, /* most kernel files fit, and a seq_file gives no more at once */
	LIST_FIRST = 64,
	OPEN_TRIES = 16, /* RESOLVE_IN_ROOT gives EAGAIN when a rename races with ".." */
};

/* include/linux/proc_ns.h PROC_PID_INIT_INO */
static const ino_t initial_pidns_inode = 0xEFFFFFFCU;
/* include/linux/proc_ns.h PROC_USER_INIT_INO */
static const ino_t initial_userns_inode = 0xEFFFFFFDU;

/* A root in the file system: "/" or a capture. */
struct directory {
	struct root root;
	int fd;
	bool lacks_openat2;
	struct manifest *manifest; /* NULL: the live machine */
};

static struct directory *directory_of(struct root *root)
{
	return (struct directory *)root;
}

/* Old container seccomp profiles refuse openat2. Without it a link of a capture could lead out of it, so only
 * the live machine may do without. */
static int open_below(struct directory *dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	if ((flags & O_PATH) != 0)
		how.flags = (uint64_t)(flags | O_CLOEXEC);
	if (!dir->lacks_openat2) {
		for (int i = 0; i < OPEN_TRIES; i++) {
			fd = syscall(SYS_openat2, dir->fd, path, &how, sizeof(how));
			if (fd >= 0 || errno != EAGAIN)
				break;
		}
		if (fd >= 0)
			return (int)fd;
		if ((errno != ENOSYS && errno != EPERM) || !dir->root.is_live)
			return -errno;
		dir->lacks_openat2 = true;
	}
	fd = openat(dir->fd, path, (int)how.flags);
	return fd >= 0 ? (int)fd : -errno;
}

/* Only regular files are read: no pipe that never ends, no device that does something. What is below /proc is
 * the kernel's own; there the question is spared, since ten thousand processes have five files each. */
static int check_regular(const struct directory *dir, const char *path, int fd)
{
	struct stat st;

	if (dir->root.is_live && strncmp(path, "/proc/", 6) == 0)
		return 0;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return st.st_size > ROOT_FILE_MAX ? -EFBIG : 0;
}

static ssize_t read_some(int fd, char *buffer, size_t size)
{
	ssize_t got;

	do {
		got = read(fd, buffer, size);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static int read_once(int fd, size_t most, char **text, size_t *size)
{
	AUTO(free_p) char *buffer = malloc(most + 1);
	ssize_t got;

	if (!buffer)
		return -ENOMEM;
	got = read_some(fd, buffer, most);
	if (got < 0)
		return (int)got;
	buffer[got] = '\0';
	*size = (size_t)got;
	*text = TAKE(buffer);
	return 0;
}

/* Reads until the kernel says 0: a short read says nothing, as a seq_file stops where the next record does
 * not fit (fs/seq_file.c seq_read_iter). */
static int read_whole(int fd, char **text, size_t *size)
{
	size_t room = READ_FIRST, used = 0;
	AUTO(free_p) char *buffer = malloc(room + 1);

	if (!buffer)
		return -ENOMEM;
	for (;;) {
		ssize_t got = read_some(fd, buffer + used, room - used);
		char *larger;

		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		used += (size_t)got;
		if (used > ROOT_FILE_MAX)
			return -EFBIG;
		if (used < room)
			continue;
		larger = realloc(buffer, 2 * room + 1);
		if (!larger)
			return -ENOMEM;
		buffer = larger;
		room *= 2;
	}
	buffer[used] = '\0';
	*size = used;
	*text = TAKE(buffer);
	return 0;
}

static int directory_read(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	struct directory *dir = directory_of(root);
	bool is_head = most < ROOT_FILE_MAX;
	AUTO(close_p) int fd = -1;
	int rc;

	if (dir->manifest) {
		rc = is_head ? manifest_head(dir->manifest, path, text, size) : 0;
		if (rc != 0)
			return rc < 0 ? rc : 0;
		rc = manifest_errno(dir->manifest, path);
		if (rc < 0)
			return rc;
	}
	fd = open_below(dir, path, O_RDONLY);
	if (fd < 0)
		return fd;
	rc = check_regular(dir, path, fd);
	if (rc < 0)
		return rc;
	return is_head ? read_once(fd, most, text, size) : read_whole(fd, text, size);
}

static bool is_directory(DIR *stream, const struct dirent *entry)
{
	struct stat st;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return fstatat(dirfd(stream), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

struct names {
	char **name;
	size_t count, room;
};

static void names_clear(struct names *names)
{
	root_list_free(names->name, names->count);
}

static int add_name(struct names *names, const char *name)
{
	if (names->count == ROOT_LIST_MAX)
		return -EFBIG;
	if (names->count == names->room) {
		size_t room = names->room > 0 ? 2 * names->room : LIST_FIRST;
		char **larger = reallocarray(names->name, room, sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		names->name = larger;
		names->room = room;
	}
	names->name[names->count] = strdup(name);
	if (!names->name[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static int list_stream(DIR *stream, struct names *names)
{
	for (;;) {
		const struct dirent *entry;
		int rc;

		errno = 0;
		entry = readdir(stream);
		if (!entry)
			return -errno;
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    !is_directory(stream, entry))
			continue;
		rc = add_name(names, entry->d_name);
		if (rc < 0)
			return rc;
	}
}

static int directory_list(struct root *root, const char *path, char ***list, size_t *count)
{
	struct directory *dir = directory_of(root);
	AUTO(names_clear) struct names names = {NULL, 0, 0};
	AUTO(closedir_p) DIR *stream = NULL;
	int fd, rc;

	rc = dir->manifest ? manifest_list(dir->manifest, path, list, count) : 0;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	fd = open_below(dir, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	stream = fdopendir(fd);
	if (!stream) {
		rc = -errno;
		(void)close(fd);
		return rc;
	}
	rc = list_stream(stream, &names);
	if (rc < 0)
		return rc;
	*list = TAKE(names.name);
	*count = names.count;
	names.count = 0;
	return 0;
}

/* The links of a capture's directory are counted, since not every file system counts them (btrfs). */
static int count_links(struct root *root, const char *path, struct root_info *info)
{
	char **names;
	size_t count;
	int rc;

	if (!S_ISDIR(info->mode)) {
		info->nlink = 1;
		return 0;
	}
	rc = directory_list(root, path, &names, &count);
	if (rc == -ENOMEM)
		return rc;
	info->nlink = 2;
	if (rc == 0) {
		info->nlink += count;
		root_list_free(names, count);
	}
	return 0;
}

static int directory_stat(struct root *root, const char *path, struct root_info *info)
{
	struct directory *dir = directory_of(root);
	struct root_info found = {0};
	AUTO(close_p) int fd = -1;
	struct stat st;
	int known, rc;

	known = dir->manifest ? manifest_stat(dir->manifest, path, &found) : 0;
	if (known < 0)
		return known;
	if (known == 0 || found.mode == 0) {
		fd = open_below(dir, path, O_PATH);
		if (fd >= 0 && fstat(fd, &st) < 0)
			return -errno;
		if (fd < 0 && known == 0)
			return fd;
		found.mode = fd >= 0 ? st.st_mode : S_IFDIR | 0755;
		rc = 0;
		if (dir->manifest) {
			rc = count_links(root, path, &found);
		} else {
			found.inode = st.st_ino;
			found.nlink = st.st_nlink;
			found.uid = st.st_uid;
			found.gid = st.st_gid;
		}
		if (rc < 0)
			return rc;
	}
	*info = found;
	return 0;
}

static int directory_compare_mm(struct root *root, pid_t a, pid_t b, int *order)
{
	struct directory *dir = directory_of(root);
	long rc;

	if (dir->manifest)
		return manifest_compare_mm(dir->manifest, a, b, order);
	rc = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
	if (rc < 0)
		return -errno;
	/* kcmp(2): 1 is less, 2 is greater, 3 is unequal where the kernel hides the order. */
	if (rc == 3)
		*order = a < b ? -1 : 1;
	else
		*order = rc == 1 ? -1 : rc == 2;
	return 0;
}

static void directory_free(struct root *root)
{
	struct directory *dir = directory_of(root);

	manifest_free(dir->manifest);
	if (dir->fd >= 0)
		(void)close(dir->fd);
	free(dir);
}

static const struct root_ops directory_ops = {
	.read = directory_read,
	.list = directory_list,
	.stat = directory_stat,
	.compare_mm = directory_compare_mm,
	.free = directory_free,
};

static uint64_t parse_hex(struct span span)
{
	uint64_t value = 0;

	for (size_t i = 0; i < span.size && i < 16; i++) {
		char c = span.at[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
	}
	return value;
}

/* What can be known without /proc is known without it; a missing capability or namespace only lowers what the
 * answers promise. */
static int read_facts(struct directory *dir)
{
	struct root_facts *facts = &dir->root.facts;
	AUTO(free_p) char *status = NULL;
	struct utsname uts;
	struct stat st;
	int rc;

	if (uname(&uts) < 0)
		return -errno;
	(void)snprintf(facts->release, sizeof(facts->release), "%s", uts.release);
	facts->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	facts->uid = geteuid();
	facts->self = getpid();
	facts->time = (int64_t)time(NULL);
	facts->initial_pidns = fstatat(dir->fd, "proc/self/ns/pid", &st, 0) == 0 &&
			       st.st_ino == initial_pidns_inode;
	facts->initial_userns = fstatat(dir->fd, "proc/self/ns/user", &st, 0) == 0 &&
				st.st_ino == initial_userns_inode;
	rc = root_read(&dir->root, "/proc/self/status", &status, NULL);
	if (rc == -ENOMEM)
		return rc;
	if (rc == 0)
		facts->caps = parse_hex(text_field_span(status, "CapEff"));
	return 0;
}

static int open_live(struct directory *dir, struct cgpol_error *err)
{
	int rc;

	dir->root.is_live = true;
	rc = read_facts(dir);
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "cannot read this machine: %s", strerror(-rc));
	return 0;
}

static int open_capture(struct directory *dir, const char *name, struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	size_t size;
	int rc = directory_read(&dir->root, "/manifest.json", ROOT_FILE_MAX, &text, &size);

	if (rc == -ENOENT) {
		(void)error_set(err, ENOENT, CGPOL_USAGE, "%s is no capture: it has no manifest.json", name);
		error_detail(err, "manifest.json", name, "make one with: cgpol --record DIR COMMAND");
		return rc;
	}
	if (rc == -ENOSYS || rc == -EPERM) {
		(void)error_set(
			err, -rc, CGPOL_FAILED,
			"cannot open the capture %s: openat2(2) is refused here, and only it keeps the "
			"links of a capture inside",
			name);
		error_detail(err, "manifest.json", name, "run outside the sandbox that filters openat2");
		return rc;
	}
	if (rc < 0) {
		(void)error_set(err, -rc, CGPOL_FAILED, "cannot read manifest.json of the capture %s: %s",
				name, strerror(-rc));
		error_detail(err, "manifest.json", name, NULL);
		return rc;
	}
	rc = manifest_parse(text, size, &dir->manifest, &dir->root.facts, err);
	return rc < 0 ? error_wrap(err, rc, "%s", name) : 0;
}

/* Is it "/", however it is spelled: "//", "/./"? */
static bool is_live_root(const char *name)
{
	const char *at = name;

	while (*at == '/') {
		at += strspn(at, "/");
		if (*at == '.' && (at[1] == '/' || at[1] == '\0'))
			at++;
	}
	return *name == '/' && *at == '\0';
}

int root_open(const char *name, struct root **root, struct cgpol_error *err)
{
	struct directory *dir = calloc(1, sizeof(*dir));
	char shown[192];
	int rc;

	if (!dir)
		return error_set(err, ENOMEM, CGPOL_FAILED, "out of memory");
	text_escape(name, shown, sizeof(shown));
	dir->root.ops = &directory_ops;
	dir->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		rc = -errno;
		(void)error_set(err, errno, errno == ENOTDIR ? CGPOL_USAGE : CGPOL_FAILED,
				rc == -ENOTDIR ? "%s is no capture: it is not a directory"
					       : "cannot open the root %s: %m",
				shown);
		error_detail(err, NULL, shown, NULL);
	} else {
		rc = is_live_root(name) ? open_live(dir, err) : open_capture(dir, shown, err);
	}
	if (rc < 0) {
		root_free(&dir->root);
		return rc;
	}
	*root = &dir->root;
	return 0;
}

void root_free(struct root *root)
{
	if (root)
		root->ops->free(root);
}

static int trace(const struct root *root, const char *op, const char *path, int rc)
{
	if (root->trace)
		root->trace(root->trace_arg, op, path, rc);
	return rc;
}

int root_read(struct root *root, const char *path, char **text, size_t *size)
{
	size_t length;
	char *found;
	int rc = root->ops->read(root, path, ROOT_FILE_MAX, &found, &length);

	(void)trace(root, "read", path, rc);
	if (rc < 0)
		return rc;
	if (length > 0 && found[length - 1] == '\n')
		found[--length] = '\0';
	*text = found;
	if (size)
		*size = length;
	return 0;
}

int root_read_head(struct root *root, const char *path, char **text)
{
	size_t size;

	return trace(root, "head", path, root->ops->read(root, path, ROOT_HEAD_SIZE, text, &size));
}

int root_read_u64(struct root *root, const char *path, uint64_t *value)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(root, path, &text, NULL);

	return rc < 0 ? rc : text_u64(text, value) < 0 ? -EINVAL : 0;
}

static bool is_number(const char *name)
{
	return *name != '\0' && name[strspn(name, "0123456789")] == '\0';
}

static int compare_names(const void *a, const void *b)
{
	const char *const *pa = a, *const *pb = b;
	const char *left = *pa, *right = *pb;
	size_t left_size, right_size;

	if (is_number(left) != is_number(right))
		return is_number(left) ? -1 : 1;
	if (!is_number(left))
		return strcmp(left, right);
	left += strspn(left, "0");
	right += strspn(right, "0");
	left_size = strlen(left);
	right_size = strlen(right);
	if (left_size != right_size)
		return left_size < right_size ? -1 : 1;
	return strcmp(left, right) != 0 ? strcmp(left, right) : strcmp(*pa, *pb);
}

int root_list(struct root *root, const char *path, char ***names, size_t *count)
{
	char **found;
	size_t length;
	int rc = trace(root, "list", path, root->ops->list(root, path, &found, &length));

	if (rc < 0)
		return rc;
	if (length > 1)
		qsort(found, length, sizeof(*found), compare_names);
	*names = found;
	*count = length;
	return 0;
}

void root_list_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

int root_stat(struct root *root, const char *path, struct root_info *info)
{
	return trace(root, "stat", path, root->ops->stat(root, path, info));
}

int root_compare_mm(struct root *root, pid_t a, pid_t b, int *order)
{
	char pair[sizeof("-2147483648 -2147483648")];

	(void)snprintf(pair, sizeof(pair), "%d %d", a, b);
	return trace(root, "kcmp", pair, root->ops->compare_mm(root, a, b, order));
}

int root_probe(struct root *root, const char *name)
{
	return trace(root, "probe", name, root->ops->probe ? root->ops->probe(root, name) : -ENODATA);
}

int root_klog(struct root *root, char **text)
{
	size_t size;

	return trace(root, "klog", "", root->ops->klog ? root->ops->klog(root, text, &size) : -ENODATA);
}

int root_write(struct root *root, const char *path, const char *text)
{
	return trace(root, "write", path, root->ops->write ? root->ops->write(root, path, text) : -EROFS);
}

int root_save(struct root *root, const char *path, const char *text)
{
	return trace(root, "save", path, root->ops->save ? root->ops->save(root, path, text) : -EROFS);
}

int root_mkdir(struct root *root, const char *path)
{
	return trace(root, "mkdir", path, root->ops->mkdir ? root->ops->mkdir(root, path) : -EROFS);
}

int root_rmdir(struct root *root, const char *path)
{
	return trace(root, "rmdir", path, root->ops->rmdir ? root->ops->rmdir(root, path) : -EROFS);
}

int root_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	return trace(root, "getxattr", path,
		     root->ops->get_xattr ? root->ops->get_xattr(root, path, name, value) : -ENODATA);
}

int root_set_xattr(struct root *root, const char *path, const char *name, const char *value)
{
	return trace(root, "setxattr", path,
		     root->ops->set_xattr ? root->ops->set_xattr(root, path, name, value) : -EROFS);
}

int root_open_directory(struct root *root, const char *path)
{
	return trace(root, "open", path,
		     root->ops->open_directory ? root->ops->open_directory(root, path) : -EROFS);
}
