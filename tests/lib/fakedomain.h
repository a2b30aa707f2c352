/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may have processes, threads and controllers in the fake kernel: domains and threaded cgroups. */
#ifndef CGPOL_TEST_FAKEDOMAIN_H
#define CGPOL_TEST_FAKEDOMAIN_H

#include "faketree.h"

/* "+a -b" or "a b" as bits; false for a word that is no controller. */
bool fakedomain_parse(const char *text, unsigned *plus, unsigned *minus);
char *fakedomain_format(unsigned controllers); /* the caller frees it */
const struct cgroup *fakedomain_of(const struct cgroup *cgroup);
const char *fakedomain_type(const struct cgroup *cgroup); /* what cgroup.type says */
/* May processes come in? 0 or the kernel's -errno. */
int fakedomain_vet_entry(const struct cgroup *cgroup);
/* A write into cgroup.subtree_control, into cgroup.type. */
int fakedomain_write_subtree(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text);
int fakedomain_write_type(struct cgroup *cgroup, const char *text);

#endif
