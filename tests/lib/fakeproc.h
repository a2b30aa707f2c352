/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc says of the fake kernel's processes, and what may be written there. */
#ifndef CGPOL_TEST_FAKEPROC_H
#define CGPOL_TEST_FAKEPROC_H

#include "faketree.h"

/* Paths are whole: "/proc/7/stat", "/proc/7/task/8/status". -ENOENT for all that is not of a process. */
int fakeproc_read(const struct cgroup_tree *tree, const char *path, char **text);
/* `caps`: of the writer. */
int fakeproc_write(struct cgroup_tree *tree, const char *path, const char *text, uint64_t caps);
int fakeproc_stat(const struct cgroup_tree *tree, const char *path, struct root_info *info);
/* Sub-directories of a process's directory and of its task/. */
int fakeproc_list(const struct cgroup_tree *tree, const char *path, char ***names, size_t *count);

#endif
