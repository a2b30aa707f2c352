/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a cpuset has other cpus or nodes than it asks for. */
#ifndef CGPOL_POLICY_NARROWING_H
#define CGPOL_POLICY_NARROWING_H

#include "policy/effective.h"

/* `asked`: what cpuset.cpus (is_cpus) or cpuset.mems of the cgroup says; `have`: its effective set. Looks for
 * what is missing among the offline and the memory-less, then from the root down: the first cgroup that lacks
 * it, and a partition that has it. Sets by, from and reason of *effective and leaves the rest of it; what
 * cannot be read is passed over. 0 or -ENOMEM. */
int narrowing_find(struct cgpol_host *host, const char *cgroup, bool is_cpus, const struct nodeset *asked,
		   const struct nodeset *have, struct effective *effective);

#endif
