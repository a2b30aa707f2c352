/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the fake kernel outside cgroup2 that can be written: the kernel's settings and configuration
 * files.
 */
#ifndef CGPOL_TEST_FAKESYSCTL_H
#define CGPOL_TEST_FAKESYSCTL_H

#include <stdio.h>

#include "host/root.h"

struct fakesysctl;

/* `plain`, a root of fakeroot.h, has the texts. Adds the settings as they are after a boot. */
struct fakesysctl *fakesysctl_new(struct root *plain);
void fakesysctl_free(struct fakesysctl *sysctl);
void fakesysctl_allow(struct fakesysctl *sysctl, const char *path);
/* 0 or the kernel's -errno; -EACCES for a file that may not be written. */
int fakesysctl_write(struct fakesysctl *sysctl, const char *path, const char *text);
int fakesysctl_save(struct fakesysctl *sysctl, const char *path, const char *text);
int fakesysctl_discard(struct fakesysctl *sysctl, const char *path);
/* Every file that may be written or was saved. */
void fakesysctl_dump(struct fakesysctl *sysctl, FILE *out);

#endif
