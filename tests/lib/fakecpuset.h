/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of cpusets in the fake kernel: effective sets and partitions. */
#ifndef CGPOL_TEST_FAKECPUSET_H
#define CGPOL_TEST_FAKECPUSET_H

#include "faketree.h"

/* May the list be written into cpuset.cpus or cpuset.mems? 0 or the kernel's -errno. */
int fakecpuset_check(struct cgroup_tree *tree, const struct cgroup *cgroup, const char *name,
		     const char *text);
/* What cpuset.cpus.partition and the effective files say; the caller frees it. */
char *fakecpuset_partition(const struct cgroup *cgroup);
char *fakecpuset_effective(const struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_cpus);

#endif
