/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A root in the file system, the live machine or a capture: looked up below one directory and nowhere else.
 */
#ifndef CGPOL_HOST_DIRECTORY_H
#define CGPOL_HOST_DIRECTORY_H

#include "host/manifest.h"
#include "host/root.h"

#define DIRECTORY_KLOG "/klog" /* where a capture keeps the kernel's log */

struct directory {
	struct root root; /* first: a struct root of this kind is one of these */
	int fd;
	bool lacks_openat2;
	struct manifest *manifest; /* NULL: the live machine */
};

/* root_open of root.h. */
int directory_open(const char *name, struct root **root, struct cgpol_error *err);
/* openat(2) confined to the directory: links that lead out of it start again at it, and magic links (as
 * /proc/PID/exe) are -ELOOP. The descriptor is close-on-exec and the caller's. */
int directory_open_below(struct directory *dir, const char *path, int flags);
/* 0 for a regular file of at most ROOT_FILE_MAX bytes; -EISDIR, -EINVAL (pipes, devices), -EFBIG. */
int directory_check_regular(const struct directory *dir, const char *path, int fd);

#endif
