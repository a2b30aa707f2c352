/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies: in the words of numa_maps (mm/mempolicy.c mpol_to_str), and as the system calls take them.
 */
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

/* The arguments of set_mempolicy(2): `mode` with the kernel's flag bits in it, and a mask of maxnode - 1
 * bits, since that is how many of them the kernel looks at (mm/mempolicy.c get_nodes). Owns `word`; NULL and
 * 0 for the modes without nodes. */
struct mempolicy_call {
	int mode;
	unsigned long *word;
	unsigned long maxnode;
};

/* Pure. Preferred without nodes and flags is the mode local, as for the kernel. -EINVAL for MEMPOLICY_OTHER
 * and for nodes where the mode takes none or none where it needs some; -ENOMEM. */
int mempolicy_prepare(const struct mempolicy *policy, struct mempolicy_call *call);
void mempolicy_call_clear(struct mempolicy_call *call);
/* Sets the policy of the calling thread: 0 or -errno. Only a system call: may be called where malloc may not
 * (a child of vfork). -EPERM is what seccomp filters of containers answer. */
int mempolicy_call(const struct mempolicy_call *call);
/* The raw policy of the calling thread, for the same places. `word` has room for maxnode - 1 bits; -EINVAL
 * when the kernel has more possible nodes than maxnode. */
int mempolicy_read(int *mode, unsigned long *word, unsigned long maxnode);
/* What was read, as a policy. A mode or flag this version does not know gives MEMPOLICY_OTHER; preferred
 * without nodes (5.10's answer for local) gives local. Replaces `policy` on success. */
int mempolicy_decode(int mode, const unsigned long *word, unsigned long maxnode, struct mempolicy *policy);

enum { MEMPOLICY_READ_BITS = 1024 }; /* MAX_NUMNODES of the largest configuration (NODES_SHIFT 10) */

/* mempolicy_prepare and mempolicy_call in one. */
int mempolicy_set(const struct mempolicy *policy);
/* What get_mempolicy(2) says now of the calling thread. With static or relative the nodes are those that the
 * caller asked for, not the effective ones; with balancing either, by kernel version. */
int mempolicy_get(struct mempolicy *policy);
/* Mems_allowed of the calling thread: the nodes of its cpuset that are online with memory. */
int mempolicy_get_allowed(struct nodeset *nodes);
/* Does what was read back show that `wanted` is in force? `effective`: what the kernel makes of it. */
bool mempolicy_is_confirmed(const struct mempolicy *read, const struct mempolicy *wanted,
			    const struct mempolicy *effective);

#endif
