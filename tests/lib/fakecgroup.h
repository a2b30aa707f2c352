/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of cgroup v2 in memory: a tree of cgroups with their files, controllers and processes. What the
 * kernel refuses is refused with the kernel's errno (kernel/cgroup/cgroup.c, cpuset.c, mm/memcontrol.c of
 * 6.1); tests/contract/rules.txt holds this tree and a real kernel to the same answers. */
#ifndef CGPOL_TEST_FAKECGROUP_H
#define CGPOL_TEST_FAKECGROUP_H

#include <stdio.h>
#include <sys/types.h>

#include "base/nodeset.h"
#include "host/root.h"

struct fakecgroup_machine {
	struct nodeset possible_cpus, online_cpus, possible_nodes, memory_nodes; /* owned by the tree */
	uint64_t page_size;
	unsigned version; /* FAKEVALUE_SINCE() of the kernel */
};

struct cgroup_tree;

/* `controllers`: those of the root, a list separated by blanks. */
struct cgroup_tree *fakecgroup_new(const char *controllers);
void fakecgroup_free(struct cgroup_tree *tree);
struct fakecgroup_machine *fakecgroup_machine(struct cgroup_tree *tree);

/* Paths are relative to the mount: "/", "/a", "/a/memory.max". Each returns 0 or -errno. */
int fakecgroup_read(struct cgroup_tree *tree, const char *path, char **text);
int fakecgroup_write(struct cgroup_tree *tree, const char *path, const char *text);
/* The owner of what is made is `maker`. */
int fakecgroup_mkdir(struct cgroup_tree *tree, const char *path, uid_t maker);
int fakecgroup_rmdir(struct cgroup_tree *tree, const char *path);
int fakecgroup_list(struct cgroup_tree *tree, const char *path, char ***names, size_t *count);
/* The inode of a cgroup, 1 for one of its files. */
int fakecgroup_stat(struct cgroup_tree *tree, const char *path, struct root_info *info);
int fakecgroup_chown(struct cgroup_tree *tree, const char *path, uid_t uid, gid_t gid);
int fakecgroup_get_xattr(struct cgroup_tree *tree, const char *path, const char *name, char **value);
int fakecgroup_set_xattr(struct cgroup_tree *tree, const char *path, const char *name, const char *value);
int fakecgroup_remove_xattr(struct cgroup_tree *tree, const char *path, const char *name);

#endif
