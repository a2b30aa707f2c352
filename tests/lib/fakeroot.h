/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A root in memory for unit tests: files by path, and faults on request. */
#ifndef CGPOL_TEST_FAKEROOT_H
#define CGPOL_TEST_FAKEROOT_H

#include "host/root.h"

struct root *fakeroot_new(void); /* empty; page size 4096, root, initial pid namespace, kernel 6.1.0 */
/* Adds or replaces a file; its directories come into being with inode numbers in order of creation. */
void fakeroot_put(struct root *root, const char *path, const char *text);
void fakeroot_remove(struct root *root, const char *path); /* a file */
void fakeroot_mkdir(struct root *root, const char *path);
void fakeroot_own(struct root *root, const char *path, uint32_t uid, uint32_t gid);
/* What a probe gives: 0 or -errno. One that was not set gives -ENODATA, and so do the log and an attribute.
 */
void fakeroot_set_probe(struct root *root, const char *name, int rc);
void fakeroot_put_klog(struct root *root, const char *text);
void fakeroot_set_xattr(struct root *root, const char *path, const char *name, const char *value);
/* Makes every access to a path fail with -errnum. "kcmp:A:B" (A < B) is the comparison of two processes;
 * "klog", "probe:NAME" and "xattr:NAME:PATH" are those. */
void fakeroot_fail(struct root *root, const char *path, int errnum);
/* Makes the n-th access from now on (1 is the next) fail with -errnum; 0 switches it off. */
void fakeroot_fail_nth(struct root *root, unsigned n, int errnum);
unsigned fakeroot_accesses(const struct root *root); /* since it was made */
void fakeroot_share_mm(struct root *root, pid_t a, pid_t b);

#endif
