/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A root in the file system, the live machine or a capture: looked up below one directory and nowhere else.
 */
#include "host/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/live.h"

enum {
	READ_FIRST = 4096, /* most kernel files fit, and a seq_file gives no more at once */
	LIST_FIRST = 64,
	OPEN_TRIES = 16, /* RESOLVE_IN_ROOT gives EAGAIN when a rename races with ".." */
};

static struct directory *directory_of(struct root *root)
{
	return (struct directory *)root;
}

static int try_openat2(const struct directory *dir, const char *path, const struct open_how *how)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		long fd = syscall(SYS_openat2, dir->fd, path, how, sizeof(*how));

		if (fd >= 0)
			return (int)fd;
		if (errno != EAGAIN)
			return -errno;
	}
	return -EAGAIN;
}

/* Old kernels lack openat2 (before 5.6), old containers' seccomp profiles refuse it. EPERM may also be what
 * the file itself answers (an immutable one), so the root is asked. */
static bool refuses_openat2(const struct directory *dir, int rc)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC};
	int fd;

	if (rc != -ENOSYS && rc != -EPERM)
		return false;
	fd = try_openat2(dir, ".", &how);
	if (fd < 0)
		return true;
	(void)close(fd);
	return false;
}

/* Without openat2 a link of a capture could lead out of it, so only the live machine may do without. */
int directory_open_below(struct directory *dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd;

	if ((flags & O_PATH) != 0)
		how.flags = (uint64_t)(flags | O_CLOEXEC);
	if (!dir->lacks_openat2) {
		fd = try_openat2(dir, path, &how);
		if (fd >= 0 || !dir->root.is_live || !refuses_openat2(dir, fd))
			return fd;
		dir->lacks_openat2 = true;
	}
	fd = openat(dir->fd, path, (int)how.flags);
	return fd >= 0 ? fd : -errno;
}

/* Only regular files are read: no pipe that never ends, no device that does something. What is below /proc is
 * the kernel's own; there the question is spared, since ten thousand processes have five files each. */
int directory_check_regular(const struct directory *dir, const char *path, int fd)
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
	fd = directory_open_below(dir, path, O_RDONLY);
	if (fd < 0)
		return fd;
	rc = directory_check_regular(dir, path, fd);
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
	fd = directory_open_below(dir, path, O_RDONLY | O_DIRECTORY);
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
		fd = directory_open_below(dir, path, O_PATH);
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

static int capture_probe(struct root *root, const char *name)
{
	int result;

	return manifest_probe(directory_of(root)->manifest, name, &result) ? result : -ENODATA;
}

static int capture_klog(struct root *root, char **text, size_t *size)
{
	int rc = directory_read(root, DIRECTORY_KLOG, ROOT_FILE_MAX, text, size);

	return rc == -ENOENT ? -ENODATA : rc;
}

static int capture_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	int rc = manifest_xattr(directory_of(root)->manifest, path, name, value);

	return rc == 0 ? -ENODATA : rc < 0 ? rc : 0;
}

static const struct root_ops live_ops = {
	.read = directory_read,
	.list = directory_list,
	.stat = directory_stat,
	.compare_mm = directory_compare_mm,
	.probe = live_probe,
	.klog = live_klog,
	.write = live_write,
	.save = live_save,
	.discard = live_discard,
	.mkdir = live_mkdir,
	.rmdir = live_rmdir,
	.get_xattr = live_get_xattr,
	.set_xattr = live_set_xattr,
	.open_directory = live_open_directory,
	.remove_xattr = live_remove_xattr,
	.chown = live_chown,
	.set_affinity = live_set_affinity,
	.open_process = live_open_process,
	.signal = live_signal,
	.watch = live_watch,
	.free = directory_free,
};

static const struct root_ops capture_ops = {
	.read = directory_read,
	.list = directory_list,
	.stat = directory_stat,
	.compare_mm = directory_compare_mm,
	.probe = capture_probe,
	.klog = capture_klog,
	.get_xattr = capture_get_xattr,
	.free = directory_free,
};

static int open_live(struct directory *dir, struct cgpol_error *err)
{
	int rc;

	dir->root.is_live = true;
	rc = live_facts(dir);
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

int directory_open(const char *name, struct root **root, struct cgpol_error *err)
{
	struct directory *dir = calloc(1, sizeof(*dir));
	char shown[192];
	int rc;

	if (!dir)
		return error_no_memory(err);
	text_escape(name, shown, sizeof(shown));
	dir->root.ops = is_live_root(name) ? &live_ops : &capture_ops;
	dir->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		rc = -errno;
		(void)error_set(err, errno, errno == ENOTDIR ? CGPOL_USAGE : CGPOL_FAILED,
				rc == -ENOTDIR ? "%s is no capture: it is not a directory"
					       : "cannot open the root %s: %m",
				shown);
		error_detail(err, NULL, shown, NULL);
	} else {
		rc = dir->root.ops == &live_ops ? open_live(dir, err) : open_capture(dir, shown, err);
	}
	if (rc < 0) {
		directory_free(&dir->root);
		return rc;
	}
	*root = &dir->root;
	return 0;
}
