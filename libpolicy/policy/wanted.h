/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting means for one cgroup now: percentages in bytes, and lists that can come true. Pure. */
#ifndef CGPOL_POLICY_WANTED_H
#define CGPOL_POLICY_WANTED_H

#include "policy/current.h"

/* The text to write, as the kernel will print it (sizes in whole pages, or whole huge pages); the caller
 * frees it. CGPOL_FAILED when that of which a percentage is asked is not known; of nodes CGPOL_USAGE (ERANGE)
 * for one that this machine can never have, CGPOL_UNSUPPORTED (ENODEV) for one without memory. */
int wanted_value(const struct current *current, const struct setting *setting, char **text,
		 struct cgpol_error *err);
/* Whether a list of cpus or nodes can be effective in the cgroup: CGPOL_USAGE (ERANGE) for one that this
 * machine can never have, CGPOL_UNSUPPORTED for one of which everything is offline or has no memory,
 * CGPOL_REFUSED for one that an ancestor, which is named, does not have. 0 for every other setting, and for a
 * list of which a part is there: the kernel keeps the whole. */
int wanted_check_list(const struct current *current, const struct setting *setting, struct cgpol_error *err);
/* Why, of the part of such a list that is offline or has no memory now: 1, or 0 when there is none.
 * -ENOMEM. */
int wanted_absent(const struct current *current, const struct setting *setting, char *text, size_t size);

#endif
