/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one door: every question and every change passes here, traced, and goes on to the root's own functions.
 */
#include "host/root.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/directory.h"

int root_open(const char *dir, struct root **root, struct cgpol_error *err)
{
	return directory_open(dir, root, err);
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

int root_discard(struct root *root, const char *path)
{
	return trace(root, "discard", path, root->ops->discard ? root->ops->discard(root, path) : -EROFS);
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

int root_remove_xattr(struct root *root, const char *path, const char *name)
{
	return trace(root, "rmxattr", path,
		     root->ops->remove_xattr ? root->ops->remove_xattr(root, path, name) : -EROFS);
}

int root_chown(struct root *root, const char *path, uid_t uid, gid_t gid)
{
	return trace(root, "chown", path, root->ops->chown ? root->ops->chown(root, path, uid, gid) : -EROFS);
}

static int trace_process(struct root *root, const char *op, int number, int result)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", number);
	return trace(root, op, text, result);
}

int root_set_affinity(struct root *root, pid_t tid, const struct nodeset *cpus)
{
	return trace_process(root, "affinity", tid,
			     root->ops->set_affinity ? root->ops->set_affinity(root, tid, cpus) : -EROFS);
}

int root_open_process(struct root *root, pid_t pid)
{
	return trace_process(root, "open", pid,
			     root->ops->open_process ? root->ops->open_process(root, pid) : -EROFS);
}

int root_signal(struct root *root, int process, int signal)
{
	return trace_process(root, "signal", signal,
			     root->ops->signal ? root->ops->signal(root, process, signal) : -EROFS);
}

int root_watch(struct root *root, const char *const *paths, size_t count)
{
	return trace(root, "watch", count ? paths[0] : "",
		     root->ops->watch ? root->ops->watch(root, paths, count) : -EOPNOTSUPP);
}
