/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What only the live machine answers, and all that changes it: the operations of its root. */
#include "host/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/probe.h"

enum {
	SAVE_TRIES = 16,
	/* include/linux/syslog.h */
	SYSLOG_READ_ALL = 3,
	SYSLOG_SIZE_BUFFER = 10,
	WORD_BITS = CHAR_BIT * sizeof(unsigned long),
};

/* include/linux/proc_ns.h PROC_PID_INIT_INO */
static const ino_t initial_pidns_inode = 0xEFFFFFFCU;
/* include/linux/proc_ns.h PROC_USER_INIT_INO */
static const ino_t initial_userns_inode = 0xEFFFFFFDU;

static struct directory *directory_of(struct root *root)
{
	return (struct directory *)root;
}

/* What CapEff of /proc/self/status has, without the price of all its other lines. */
static uint64_t read_caps(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	return (uint64_t)data[1].effective << 32 | data[0].effective;
}

int live_facts(struct directory *dir)
{
	struct root_facts *facts = &dir->root.facts;
	struct utsname uts;
	struct stat st;

	if (uname(&uts) < 0)
		return -errno;
	(void)snprintf(facts->release, sizeof(facts->release), "%s", uts.release);
	facts->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	facts->uid = geteuid();
	facts->caps = read_caps();
	facts->self = getpid();
	facts->time = (int64_t)time(NULL);
	facts->pidns = fstatat(dir->fd, "proc/self/ns/pid", &st, 0) == 0 ? st.st_ino : 0;
	facts->initial_pidns = facts->pidns == initial_pidns_inode;
	facts->initial_userns = fstatat(dir->fd, "proc/self/ns/user", &st, 0) == 0 &&
				st.st_ino == initial_userns_inode;
	return 0;
}

int live_probe(struct root *root, const char *name)
{
	(void)root;
	return probe_run(name);
}

/* The buffer holds the records without their "<6>[    1.234567] ", which may double a log of short lines. */
int live_klog(struct root *root, char **text, size_t *size)
{
	AUTO(free_p) char *buffer = NULL;
	int room = klogctl(SYSLOG_SIZE_BUFFER, NULL, 0);
	int got;

	(void)root;
	if (room < 0)
		return -errno;
	room = room > ROOT_FILE_MAX / 2 ? ROOT_FILE_MAX : 2 * room;
	buffer = malloc((size_t)room + 1);
	if (!buffer)
		return -ENOMEM;
	got = klogctl(SYSLOG_READ_ALL, buffer, room);
	if (got < 0)
		return -errno;
	buffer[got] = '\0';
	*size = (size_t)got;
	*text = TAKE(buffer);
	return 0;
}

/* Files of cgroups take a value whole or not at all, and an interrupted write (memory.reclaim) may have done
 * a part: nothing is tried again here. */
int live_write(struct root *root, const char *path, const char *text)
{
	struct directory *dir = directory_of(root);
	size_t size = strlen(text);
	AUTO(close_p) int fd = -1;
	ssize_t put;
	int rc;

	fd = directory_open_below(dir, path, O_WRONLY);
	if (fd < 0)
		return fd;
	rc = directory_check_regular(dir, path, fd);
	if (rc < 0)
		return rc;
	/* It was opened so that no pipe holds us up; but lowered through such a descriptor memory.max neither
	 * reclaims nor kills (mm/memcontrol.c memory_max_write, later kernels). */
	if (fcntl(fd, F_SETFL, 0) < 0)
		return -errno;
	put = write(fd, text, size);
	if (put < 0)
		return -errno;
	return (size_t)put == size ? 0 : -EIO;
}

/* Opens the directory that holds the path; *base is the last part, which lies in `path`. */
static int open_parent(struct directory *dir, const char *path, int flags, const char **base)
{
	const char *slash = strrchr(path, '/');
	AUTO(free_p) char *parent = NULL;
	int fd;

	if (path[0] != '/' || slash[1] == '\0' || strcmp(slash, "/.") == 0 || strcmp(slash, "/..") == 0)
		return -EINVAL;
	parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!parent)
		return -ENOMEM;
	fd = directory_open_below(dir, parent, flags | O_DIRECTORY);
	if (fd >= 0)
		*base = slash + 1;
	return fd;
}

int live_mkdir(struct root *root, const char *path)
{
	AUTO(close_p) int parent = -1;
	const char *base;

	parent = open_parent(directory_of(root), path, O_PATH, &base);
	if (parent < 0)
		return parent;
	return mkdirat(parent, base, 0755) < 0 ? -errno : 0;
}

int live_rmdir(struct root *root, const char *path)
{
	AUTO(close_p) int parent = -1;
	const char *base;

	parent = open_parent(directory_of(root), path, O_PATH, &base);
	if (parent < 0)
		return parent;
	return unlinkat(parent, base, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* Makes a file of a name that is not in use yet: one may be left of a cgpol that was killed. */
static int make_temporary(int parent, char *name, size_t size)
{
	for (int i = 0; i < SAVE_TRIES; i++) {
		int fd;

		(void)snprintf(name, size, ".cgpol-%d-%d.new", getpid(), i);
		fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

static int fill(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t put = write(fd, text, left);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		text += put;
		left -= (size_t)put;
	}
	return fchmod(fd, 0644) < 0 || fsync(fd) < 0 ? -errno : 0;
}

int live_save(struct root *root, const char *path, const char *text)
{
	AUTO(close_p) int parent = -1;
	AUTO(close_p) int fd = -1;
	const char *base;
	char name[64];
	int rc;

	parent = open_parent(directory_of(root), path, O_RDONLY, &base);
	if (parent < 0)
		return parent;
	fd = make_temporary(parent, name, sizeof(name));
	if (fd < 0)
		return fd;
	rc = fill(fd, text);
	if (rc == 0 && renameat(parent, name, parent, base) < 0)
		rc = -errno;
	if (rc < 0) {
		(void)unlinkat(parent, name, 0);
		return rc;
	}
	/* The new name is in the directory now; that it stays there over a power cut is wished, not promised.
	 */
	(void)fsync(parent);
	return 0;
}

int live_discard(struct root *root, const char *path)
{
	AUTO(close_p) int parent = -1;
	const char *base;

	parent = open_parent(directory_of(root), path, O_RDONLY, &base);
	if (parent < 0)
		return parent;
	if (unlinkat(parent, base, 0) < 0)
		return -errno;
	(void)fsync(parent);
	return 0;
}

/* Attributes need a descriptor that is open for reading: fgetxattr(2) refuses O_PATH. */
static int open_attributes(struct root *root, const char *path)
{
	return directory_open_below(directory_of(root), path, O_RDONLY | O_DIRECTORY);
}

int live_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	AUTO(free_p) char *buffer = malloc(ROOT_XATTR_MAX + 1);
	AUTO(close_p) int fd = -1;
	ssize_t got;

	if (!buffer)
		return -ENOMEM;
	fd = open_attributes(root, path);
	if (fd < 0)
		return fd;
	got = fgetxattr(fd, name, buffer, ROOT_XATTR_MAX);
	if (got < 0)
		return errno == ERANGE ? -EFBIG : -errno;
	if (memchr(buffer, '\0', (size_t)got))
		return -EINVAL;
	buffer[got] = '\0';
	*value = TAKE(buffer);
	return 0;
}

int live_set_xattr(struct root *root, const char *path, const char *name, const char *value)
{
	AUTO(close_p) int fd = -1;

	if (strlen(value) > ROOT_XATTR_MAX)
		return -EFBIG;
	fd = open_attributes(root, path);
	if (fd < 0)
		return fd;
	return fsetxattr(fd, name, value, strlen(value), 0) < 0 ? -errno : 0;
}

int live_open_directory(struct root *root, const char *path)
{
	return directory_open_below(directory_of(root), path, O_PATH | O_DIRECTORY);
}

int live_remove_xattr(struct root *root, const char *path, const char *name)
{
	AUTO(close_p) int fd = open_attributes(root, path);

	if (fd < 0)
		return fd;
	return fremovexattr(fd, name) < 0 ? -errno : 0;
}

int live_chown(struct root *root, const char *path, uid_t uid, gid_t gid)
{
	AUTO(close_p) int parent = -1;
	const char *base;

	parent = open_parent(directory_of(root), path, O_PATH, &base);
	if (parent < 0)
		return parent;
	return fchownat(parent, base, uid, gid, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/* By the system call itself: cpu_set_t ends at 1024 cpus. What the kernel has no cpu for it does not look at
 * (kernel/sched/core.c get_user_cpu_mask). */
int live_set_affinity(struct root *root, pid_t tid, const struct nodeset *cpus)
{
	size_t words = cpus->words * sizeof(*cpus->word) / sizeof(unsigned long) + 1;
	AUTO(free_p) unsigned long *mask = calloc(words, sizeof(*mask));

	(void)root;
	if (!mask)
		return -ENOMEM;
	/* 0 would be the caller. */
	if (tid <= 0)
		return -ESRCH;
	for (int cpu = nodeset_next(cpus, 0); cpu >= 0; cpu = nodeset_next(cpus, cpu + 1))
		mask[(unsigned)cpu / WORD_BITS] |= 1UL << (unsigned)cpu % WORD_BITS;
	return syscall(SYS_sched_setaffinity, tid, words * sizeof(*mask), mask) < 0 ? -errno : 0;
}

int live_open_process(struct root *root, pid_t pid)
{
	long fd;

	(void)root;
	if (pid <= 0)
		return -ESRCH;
	fd = syscall(SYS_pidfd_open, pid, 0);
	return fd < 0 ? -errno : (int)fd;
}

int live_signal(struct root *root, int process, int signal)
{
	(void)root;
	return syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) < 0 ? -errno : 0;
}

/* By the descriptor, so that it is the file which was found below the root; a name would be looked up anew.
 */
static int add_watch(struct directory *dir, int watch, const char *path)
{
	AUTO(close_p) int fd = directory_open_below(dir, path, O_PATH);
	char name[32];

	if (fd < 0)
		return fd;
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (inotify_add_watch(watch, name, IN_MODIFY) >= 0)
		return 0;
	return errno == ENOMEM ? -ENOMEM : -EOPNOTSUPP;
}

/* A user has 128 instances and some thousand watches (fs.inotify), and a kernel may be without inotify or
 * /proc: none of that is the caller's, who then looks again and again. */
int live_watch(struct root *root, const char *const *paths, size_t count)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (watch < 0)
		return errno == ENOMEM ? -ENOMEM : -EOPNOTSUPP;
	for (size_t i = 0; i < count; i++) {
		int rc = add_watch(directory_of(root), watch, paths[i]);

		if (rc < 0) {
			(void)close(watch);
			return rc;
		}
	}
	return watch;
}
