/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of cgroups in the fake kernel: usage, reclaim, and killing when there is nothing left to reclaim. */
#ifndef CGPOL_TEST_FAKEMEMORY_H
#define CGPOL_TEST_FAKEMEMORY_H

#include "faketree.h"

/* What the file of this kind says; the caller frees it. */
char *fakememory_show(const struct cgroup_tree *tree, const struct cgroup *cgroup, enum fakevalue_kind kind);
/* A write of so many bytes into memory.reclaim: -EAGAIN when there was less. */
int fakememory_reclaim(struct cgroup_tree *tree, struct cgroup *cgroup, uint64_t bytes);
/* After a write into memory.high, or memory.max (is_hard: kills then). */
void fakememory_obey(struct cgroup_tree *tree, struct cgroup *cgroup, bool is_hard);

#endif
