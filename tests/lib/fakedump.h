/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of the fake kernel's cgroups and processes as text, to compare before and after. */
#ifndef CGPOL_TEST_FAKEDUMP_H
#define CGPOL_TEST_FAKEDUMP_H

#include "faketree.h"

/* is_settings: without inodes, usage and events, cgroups and processes sorted. */
void fakedump(struct cgroup_tree *tree, bool is_settings, FILE *out);

#endif
