/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors of the fake kernel: of processes (pidfd_open(2)), and of files that change (inotify(7)). They
 * are real ones, so that poll(2) works on them. */
#ifndef CGPOL_TEST_FAKEWATCH_H
#define CGPOL_TEST_FAKEWATCH_H

#include "faketree.h"

struct fakewatch;

struct fakewatch *fakewatch_new(struct cgroup_tree *tree);
void fakewatch_free(struct fakewatch *watch);
/* A descriptor, the caller's, or -ESRCH. */
int fakewatch_process(struct fakewatch *watch, pid_t pid);
/* The process of such a descriptor: its pid, -ESRCH when it ended, -EBADF. */
int fakewatch_pid(const struct fakewatch *watch, int fd);
/* Files of cgroups, by their paths below the mount. */
int fakewatch_files(struct fakewatch *watch, char *const *path, size_t paths);
/* After anything changed: tells those who wait. */
void fakewatch_settle(struct fakewatch *watch);

#endif
