/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies in the words of numa_maps (mm/mempolicy.c mpol_to_str). */
#ifndef CGPOL_MEMORY_MEMPOLICY_H
#define CGPOL_MEMORY_MEMPOLICY_H

#include "base/nodeset.h"
#include "base/text.h"

/* The numbers are the kernel's (include/uapi/linux/mempolicy.h). */
enum mempolicy_mode {
	MEMPOLICY_DEFAULT,
	MEMPOLICY_PREFERRED,
	MEMPOLICY_BIND,
	MEMPOLICY_INTERLEAVE,
	MEMPOLICY_LOCAL,
	MEMPOLICY_PREFERRED_MANY,
	MEMPOLICY_WEIGHTED_INTERLEAVE,
	MEMPOLICY_OTHER, /* a word this version does not know: never a constraint, never certain */
};
enum { MEMPOLICY_STATIC = 1, MEMPOLICY_RELATIVE = 2, MEMPOLICY_BALANCING = 4 };

struct mempolicy {
	enum mempolicy_mode mode;
	unsigned flags;
	struct nodeset nodes; /* the effective set: numa_maps prints it after the cpuset's remapping */
};

void mempolicy_clear(struct mempolicy *policy);
/* Parses "bind:0-1", "bind=static:1", "prefer (many):0-1", "weighted interleave:0-3", "default". Whole text.
 * Modes that take nodes must have some, the others must not: -EINVAL with the reason. Unknown words are
 * -EINVAL too. */
int mempolicy_parse(const char *text, struct mempolicy *policy, struct cgpol_error *err);
/* The same for the policy column of a numa_maps line, where unknown words give MEMPOLICY_OTHER. */
int mempolicy_parse_span(struct span text, struct mempolicy *policy);
/* As numa_maps prints it; the caller frees it. */
char *mempolicy_format(const struct mempolicy *policy);
bool mempolicy_is_equal(const struct mempolicy *a, const struct mempolicy *b);

#endif
