/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What only the live machine answers, and all that changes it: the operations of its root. */
#ifndef CGPOL_HOST_LIVE_H
#define CGPOL_HOST_LIVE_H

#include "host/directory.h"

/* Fills in dir->root.facts. A capability or a namespace that cannot be asked only lowers what the answers
 * promise. */
int live_facts(struct directory *dir);

/* As struct root_ops has them; root.h says what each does. `root` is a struct directory without a manifest.
 */
int live_probe(struct root *root, const char *name);
int live_klog(struct root *root, char **text, size_t *size);
int live_get_xattr(struct root *root, const char *path, const char *name, char **value);
int live_write(struct root *root, const char *path, const char *text);
int live_save(struct root *root, const char *path, const char *text);
int live_discard(struct root *root, const char *path);
int live_mkdir(struct root *root, const char *path);
int live_rmdir(struct root *root, const char *path);
int live_set_xattr(struct root *root, const char *path, const char *name, const char *value);
int live_open_directory(struct root *root, const char *path);
int live_remove_xattr(struct root *root, const char *path, const char *name);
int live_chown(struct root *root, const char *path, uid_t uid, gid_t gid);
int live_set_affinity(struct root *root, pid_t tid, const struct nodeset *cpus);
int live_open_process(struct root *root, pid_t pid);
int live_signal(struct root *root, int process, int signal);
int live_watch(struct root *root, const char *const *paths, size_t count);

#endif
