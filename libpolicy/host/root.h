/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one door: everything that is read of a machine comes through here, from the kernel, a capture or a
 * test. */
#ifndef CGPOL_HOST_ROOT_H
#define CGPOL_HOST_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/nodeset.h"

enum {
	ROOT_FILE_MAX = 16 << 20, /* a larger file is -EFBIG: no kernel file that cgpol reads is larger */
	ROOT_HEAD_SIZE = 4096, /* what read_head takes: one seq_file buffer, so the kernel formats no more */
	ROOT_XATTR_MAX = 4096, /* bytes of an extended attribute's value */
	ROOT_LIST_MAX = 1 << 22, /* entries of a directory: PID_MAX_LIMIT */
};

/* What no file tells. A capture keeps it in manifest.json. */
struct root_facts {
	char release[65];    /* uname -r */
	uint64_t page_size;  /* bytes */
	uint64_t uid;	     /* effective */
	uint64_t caps;	     /* effective capabilities, as CapEff */
	pid_t self;	     /* the reader: not a candidate, it is gone when the OOM comes */
	bool initial_pidns;  /* pid 1 is the global init, and every process is visible */
	uint64_t pidns;	     /* inode of the reader's pid namespace; 0 in a capture, and when it is unknown */
	bool initial_userns; /* capabilities hold for the whole machine */
	int64_t time;	     /* seconds since the epoch */
};

struct root_info {
	uint64_t inode; /* of a cgroup directory: its id, which grows with its age (kernfs) */
	uint64_t nlink;
	uint32_t mode;
	uint32_t uid, gid; /* the owner */
};

struct root;

/* Paths are absolute ("/proc/stat") and are taken below the root. Each returns 0 or -errno. */
struct root_ops {
	int (*read)(struct root *root, const char *path, size_t most, char **text, size_t *size);
	int (*list)(struct root *root, const char *path, char ***names, size_t *count);
	int (*stat)(struct root *root, const char *path, struct root_info *info);
	int (*compare_mm)(struct root *root, pid_t a, pid_t b, int *order);
	int (*probe)(struct root *root, const char *name);
	int (*klog)(struct root *root, char **text, size_t *size);
	int (*get_xattr)(struct root *root, const char *path, const char *name, char **value);
	/* From here on: changes. NULL where nothing can be changed, which is -EROFS. */
	int (*write)(struct root *root, const char *path, const char *text);
	int (*save)(struct root *root, const char *path, const char *text);
	int (*discard)(struct root *root, const char *path);
	int (*mkdir)(struct root *root, const char *path);
	int (*rmdir)(struct root *root, const char *path);
	int (*set_xattr)(struct root *root, const char *path, const char *name, const char *value);
	int (*open_directory)(struct root *root, const char *path);
	int (*remove_xattr)(struct root *root, const char *path, const char *name);
	int (*chown)(struct root *root, const char *path, uid_t uid, gid_t gid);
	int (*set_affinity)(struct root *root, pid_t tid, const struct nodeset *cpus);
	int (*open_process)(struct root *root, pid_t pid);
	int (*signal)(struct root *root, int process, int signal);
	int (*watch)(struct root *root, const char *const *paths, size_t count);
	void (*free)(struct root *root);
};

/* Called for every access with its result, for -v. `op`: "read", "head", "list", "stat", "kcmp", "probe",
 * "klog", "write", "save", "discard", "mkdir", "rmdir", "getxattr", "setxattr", "rmxattr", "chown",
 * "affinity", "open", "signal", "watch". */
typedef void root_trace_fn(void *arg, const char *op, const char *path, int result);

struct root {
	const struct root_ops *ops;
	struct root_facts facts;
	bool is_live;
	root_trace_fn *trace;
	void *trace_arg;
};

/* Opens a directory as the root: "/" is the live machine; anything else must be a capture with its
 * manifest.json. Errors: CGPOL_USAGE when `dir` is no capture, CGPOL_FAILED when it cannot be opened or its
 * manifest is broken. */
int root_open(const char *dir, struct root **root, struct cgpol_error *err);
void root_free(struct root *root);

/* The whole file, NUL terminated, the caller frees it; one trailing newline is stripped. `size` may be NULL.
 */
int root_read(struct root *root, const char *path, char **text, size_t *size);
/* At most the first ROOT_HEAD_SIZE bytes with one read: for files that are dear to format whole (numa_maps).
 */
int root_read_head(struct root *root, const char *path, char **text);
/* A file that holds one number. -EINVAL when it holds something else. */
int root_read_u64(struct root *root, const char *path, uint64_t *value);
/* Names of the sub-directories (not of files), sorted: numbers by value first, then the others bytewise. */
int root_list(struct root *root, const char *path, char ***names, size_t *count);
void root_list_free(char **names, size_t count);
int root_stat(struct root *root, const char *path, struct root_info *info);
/* Orders two processes by their mm (kcmp(2) KCMP_VM): *order is 0 when they share it, else < 0 or > 0, a
 * total order good for sorting. -EPERM without ptrace permission, -ESRCH when one is gone. */
int root_compare_mm(struct root *root, pid_t a, pid_t b, int *order);
/* Asks the kernel whether it can do something, without doing it: 0 or the -errno of the attempt. The names
 * and what their errnos mean: host/probe.h. -ENODATA: a capture that was made without asking. */
int root_probe(struct root *root, const char *name);
/* The kernel's log as syslog(2) SYSLOG_ACTION_READ_ALL gives it, its last ROOT_FILE_MAX bytes at most; the
 * caller frees it. -EPERM when it is kept from us. -ENODATA: a capture that was made without asking. */
int root_klog(struct root *root, char **text);
/* An extended attribute of a directory as text, the caller frees it. -ENODATA when there is none (of a
 * capture: or nobody asked), -EOPNOTSUPP where the file system has none (cgroup2 before 5.7), -EFBIG above
 * ROOT_XATTR_MAX, -EINVAL when it is no text. */
int root_get_xattr(struct root *root, const char *path, const char *name, char **value);

/* Changes. A capture, and a recorder, answer every one with -EROFS. The path's last part must be a name:
 * -EINVAL when it is empty, "." or "..". */

/* Writes the text with one write(2) into a file that exists. -EIO when the kernel took only a part. */
int root_write(struct root *root, const char *path, const char *text);
/* Makes or replaces a configuration file (never one of the kernel's), whole or not at all: mode 0644, by a
 * temporary file beside it, fsync and rename. Its directory must exist. A link of that name is replaced. */
int root_save(struct root *root, const char *path, const char *text);
/* Removes a configuration file (never one of the kernel's); its directory is synced. */
int root_discard(struct root *root, const char *path);
int root_mkdir(struct root *root, const char *path); /* mode 0755 less the umask */
int root_rmdir(struct root *root, const char *path);
/* Sets an extended attribute of a directory. -EFBIG above ROOT_XATTR_MAX. */
int root_set_xattr(struct root *root, const char *path, const char *name, const char *value);
/* A descriptor (O_PATH, close-on-exec) of a directory, for clone3(2) CLONE_INTO_CGROUP; the caller closes it.
 */
int root_open_directory(struct root *root, const char *path);
/* -ENODATA when there is none. */
int root_remove_xattr(struct root *root, const char *path, const char *name);
/* Gives a file or directory to others; (uid_t)-1 and (gid_t)-1 leave what is there. Links are not followed.
 */
int root_chown(struct root *root, const char *path, uid_t uid, gid_t gid);
/* sched_setaffinity(2) of one thread. The kernel takes what the thread's cpuset has of it (-EINVAL: nothing);
 * -ESRCH, -EPERM. */
int root_set_affinity(struct root *root, pid_t tid, const struct nodeset *cpus);
/* pidfd_open(2): a descriptor (close-on-exec) of a process, which no other can get the number of meanwhile;
 * the caller closes it. -ESRCH. */
int root_open_process(struct root *root, pid_t pid);
/* pidfd_send_signal(2) by such a descriptor; signal 0 asks whether it is there. -ESRCH, -EPERM. */
int root_signal(struct root *root, int process, int signal);
/* inotify(7) on files: a descriptor (non-blocking, close-on-exec) that polls readable once one of them was
 * modified since; the kernel tells so of cgroup.events and memory.events. Watch first, then read, then
 * poll(2), read(2) what is there, read again. The caller closes it. -EOPNOTSUPP where it cannot be done: look
 * again every few milliseconds. */
int root_watch(struct root *root, const char *const *paths, size_t count);

#endif
