/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fake kernel as a root: its operations. */
#include "fakeops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fakeproc.h"
#include "faketask.h"

/* The part below the mount, or NULL. */
static const char *below_mount(const char *path)
{
	size_t size = sizeof(MOUNT) - 1;

	if (strncmp(path, MOUNT, size) != 0 || (path[size] != '/' && path[size] != '\0'))
		return NULL;
	return path[size] ? path + size : "/";
}

static void call_hook(struct fakekernel *fake, unsigned kind, const char *path)
{
	if (!fake->hook || fake->is_hooked)
		return;
	fake->is_hooked = true;
	fake->hook(fake->hook_arg, kind, path);
	fake->is_hooked = false;
}

/* Counts the access, and says whether it shall fail. */
static int visit(struct fakekernel *fake, unsigned kind, const char *path)
{
	call_hook(fake, kind, path);
	fake->counts[kind]++;
	if (kind == FAKEKERNEL_CHANGES && fake->crash_in > 0 && --fake->crash_in == 0)
		fake->is_crashed = true;
	if (kind == FAKEKERNEL_CHANGES && fake->is_crashed)
		return -EIO;
	if (fake->fail_in > 0 && (fake->fail_accesses & kind) && --fake->fail_in == 0)
		return -fake->fail_errnum;
	for (size_t i = 0; i < FAULTS_MAX; i++) {
		const struct fault *fault = &fake->fault[i];

		if (fault->path && (fault->accesses & kind) && strcmp(fault->path, path) == 0)
			return -fault->errnum;
	}
	return 0;
}

/* What was put there by hand comes first, then what the processes say. */
static int read_plain(struct fakekernel *fake, const char *path, size_t most, char **text, size_t *size)
{
	int rc = fake->plain->ops->read(fake->plain, path, most, text, size);

	if (rc != -ENOENT)
		return rc;
	rc = fakeproc_read(fake->tree, path, text);
	if (rc < 0)
		return rc;
	*size = strlen(*text);
	if (*size > most)
		(*text)[ *size = most] = '\0';
	return 0;
}

static int kernel_read(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	if (!below)
		return read_plain(fake, path, most, text, size);
	rc = fakecgroup_read(fake->tree, below, text);
	if (rc == 0)
		*size = strlen(*text);
	return rc;
}

static bool has_name(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/* Both lists in one. */
static int list_plain(struct fakekernel *fake, const char *path, char ***names, size_t *count)
{
	char **more = NULL, **joined;
	size_t mores = 0;
	int rc = fake->plain->ops->list(fake->plain, path, names, count);

	if (rc < 0 && rc != -ENOENT)
		return rc;
	if (fakeproc_list(fake->tree, path, &more, &mores) < 0)
		return rc;
	if (rc < 0) {
		*names = more;
		*count = mores;
		return 0;
	}
	joined = reallocarray(*names, *count + mores + 1, sizeof(*joined));
	kernel_must(joined != NULL);
	*names = joined;
	for (size_t i = 0; i < mores; i++) {
		if (has_name(joined, *count, more[i]))
			free(more[i]);
		else
			joined[(*count)++] = more[i];
	}
	free(more);
	return 0;
}

static int kernel_list(struct root *root, const char *path, char ***names, size_t *count)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_list(fake->tree, below, names, count)
		     : list_plain(fake, path, names, count);
}

static int kernel_stat(struct root *root, const char *path, struct root_info *info)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	if (below)
		return fakecgroup_stat(fake->tree, below, info);
	rc = fake->plain->ops->stat(fake->plain, path, info);
	return rc == -ENOENT ? fakeproc_stat(fake->tree, path, info) : rc;
}

static int kernel_compare_mm(struct root *root, pid_t a, pid_t b, int *order)
{
	struct fakekernel *fake = kernel_of(root);
	int rc = visit(fake, FAKEKERNEL_READS, "kcmp");

	return rc < 0 ? rc : fake->plain->ops->compare_mm(fake->plain, a, b, order);
}

int fakeops_settled(struct fakekernel *fake, int rc)
{
	fakewatch_settle(fake->watch);
	return rc;
}

static int write_plain(struct fakekernel *fake, const char *path, const char *text)
{
	int rc = fakesysctl_write(fake->sysctl, path, text);

	return rc == -ENOENT ? fakeproc_write(fake->tree, path, text, fake->root.facts.caps) : rc;
}

static int kernel_write(struct root *root, const char *path, const char *text)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return fakeops_settled(fake, below ? fakecgroup_write(fake->tree, below, text)
					   : write_plain(fake, path, text));
}

static int kernel_save(struct root *root, const char *path, const char *text)
{
	struct fakekernel *fake = kernel_of(root);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	return rc < 0 ? rc : fakesysctl_save(fake->sysctl, path, text);
}

static int kernel_discard(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	return rc < 0 ? rc : fakesysctl_discard(fake->sysctl, path);
}

static int kernel_mkdir(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_mkdir(fake->tree, below, (uid_t)root->facts.uid) : -EACCES;
}

static int kernel_rmdir(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return fakeops_settled(fake, below ? fakecgroup_rmdir(fake->tree, below) : -EACCES);
}

static int kernel_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_get_xattr(fake->tree, below, name, value) : -ENODATA;
}

static int kernel_set_xattr(struct root *root, const char *path, const char *name, const char *value)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_set_xattr(fake->tree, below, name, value) : -EOPNOTSUPP;
}

static int kernel_remove_xattr(struct root *root, const char *path, const char *name)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_remove_xattr(fake->tree, below, name) : -ENODATA;
}

/* A descriptor of something, so that callers have one to close. */
static int kernel_open_directory(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	struct root_info info = {0};
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc == 0)
		rc = below ? fakecgroup_stat(fake->tree, below, &info) : -ENOENT;
	if (rc < 0)
		return rc;
	rc = S_ISDIR(info.mode) ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -ENOTDIR;
	return rc == -1 ? -errno : rc;
}

/* fs/attr.c setattr_prepare(): without CAP_CHOWN nothing is given away. */
static int kernel_chown(struct root *root, const char *path, uid_t uid, gid_t gid)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	struct root_info info;
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	if (!below)
		return -EROFS;
	rc = fakecgroup_stat(fake->tree, below, &info);
	if (rc == 0 && !(root->facts.caps & 1) &&
	    ((uid != (uid_t)-1 && uid != info.uid) || (gid != (gid_t)-1 && gid != info.gid)))
		rc = -EPERM;
	return rc < 0 ? rc : fakecgroup_chown(fake->tree, below, uid, gid);
}

static int visit_number(struct fakekernel *fake, unsigned kind, const char *what, int number)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "%s:%d", what, number);
	return visit(fake, kind, path);
}

static int kernel_set_affinity(struct root *root, pid_t tid, const struct nodeset *cpus)
{
	struct fakekernel *fake = kernel_of(root);
	struct task *task;
	int rc = visit_number(fake, FAKEKERNEL_CHANGES, "affinity", tid);

	if (rc < 0)
		return rc;
	/* The hook may have ended it. */
	task = faketask_find(fake->tree, tid);
	return task ? faketask_set_affinity(fake->tree, task, cpus) : -ESRCH;
}

static int kernel_open_process(struct root *root, pid_t pid)
{
	struct fakekernel *fake = kernel_of(root);
	int rc = visit_number(fake, FAKEKERNEL_READS, "process", pid);

	return rc < 0 ? rc : fakewatch_process(fake->watch, pid);
}

static int kernel_signal(struct root *root, int process, int signal)
{
	struct fakekernel *fake = kernel_of(root);
	int pid = fakewatch_pid(fake->watch, process);
	int rc = visit_number(fake, signal ? FAKEKERNEL_CHANGES : FAKEKERNEL_READS, "signal", pid);

	if (rc < 0)
		return rc;
	pid = fakewatch_pid(fake->watch, process);
	return pid < 0 ? pid : fakeops_settled(fake, faketask_signal(fake->tree, pid, signal));
}

static int kernel_watch(struct root *root, const char *const *paths, size_t count)
{
	struct fakekernel *fake = kernel_of(root);
	char **below = calloc(count + 1, sizeof(*below));
	int rc = visit(fake, FAKEKERNEL_READS, count ? paths[0] : "");

	kernel_must(below != NULL);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct root_info info;

		below[i] = (char *)(uintptr_t)below_mount(paths[i]);
		rc = below[i] ? fakecgroup_stat(fake->tree, below[i], &info) : -ENOENT;
	}
	if (rc == 0)
		rc = fakewatch_files(fake->watch, below, count);
	free(below);
	return rc;
}

static void kernel_free(struct root *root)
{
	struct fakekernel *fake = kernel_of(root);

	for (size_t i = 0; i < FAULTS_MAX; i++)
		free(fake->fault[i].path);
	fakewatch_free(fake->watch);
	fakesysctl_free(fake->sysctl);
	free(fake->where);
	fakecgroup_free(fake->tree);
	root_free(fake->plain);
	free(fake);
}

const struct root_ops fakeops = {
	.read = kernel_read,
	.list = kernel_list,
	.stat = kernel_stat,
	.compare_mm = kernel_compare_mm,
	.write = kernel_write,
	.save = kernel_save,
	.discard = kernel_discard,
	.mkdir = kernel_mkdir,
	.rmdir = kernel_rmdir,
	.get_xattr = kernel_get_xattr,
	.set_xattr = kernel_set_xattr,
	.open_directory = kernel_open_directory,
	.remove_xattr = kernel_remove_xattr,
	.chown = kernel_chown,
	.set_affinity = kernel_set_affinity,
	.open_process = kernel_open_process,
	.signal = kernel_signal,
	.watch = kernel_watch,
	.free = kernel_free,
};
