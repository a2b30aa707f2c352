/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting comes to: what was asked for, what holds, and who makes the difference. */
#ifndef CGPOL_POLICY_EFFECTIVE_H
#define CGPOL_POLICY_EFFECTIVE_H

#include "host/host.h"
#include "policy/policy.h"

enum effective_by {
	EFFECTIVE_ITSELF,   /* it holds as it was asked for */
	EFFECTIVE_ANCESTOR, /* a cgroup above narrows it: `from` */
	EFFECTIVE_MACHINE,  /* offline cpus, nodes without memory, less RAM than the limit */
	EFFECTIVE_SIBLING,  /* a partition beside it, or below it, has the cpus: `from` */
	EFFECTIVE_INVALID,  /* a partition that the kernel calls invalid */
	EFFECTIVE_UNKNOWN,
};

/* Zero-initialised it is empty. Give it back with effective_clear. */
struct effective {
	char *requested; /* the file's text; NULL: nobody can ask for it (memory.current) */
	char *holds;	 /* in the same form */
	enum effective_by by;
	char *from;   /* the cgroup that is the reason, or NULL */
	char *reason; /* a sentence, or NULL where there is nothing to say */
};

/* Reads it for one file of a cgroup: cpuset lists (their .effective file, the ancestors, offline and
 * memory-less ids, partitions beside), memory.max, memory.high, memory.swap.max, pids.max, hugetlb limits and
 * the protections memory.min and memory.low (the lowest above; of memory.max also the memory of the nodes
 * that it may use, of memory.swap.max the machine's swap), memory.oom.group (the highest ancestor that has
 * it), cgroup.freeze (a frozen ancestor), cpuset.cpus.partition (the reason the kernel gives). For every
 * other file what it says holds. A missing file is CGPOL_UNSUPPORTED with the cause ("controller cpuset is
 * not enabled in /a"), a name that is none of the kernel's CGPOL_USAGE, a missing cgroup CGPOL_FAILED. */
int effective_read(struct cgpol_host *host, const char *cgroup, const char *file, struct effective *effective,
		   struct cgpol_error *err);
/* The same for a setting of the machine (KEY_HOST): it holds as it is. */
int effective_read_host(struct cgpol_host *host, const char *name, struct effective *effective,
			struct cgpol_error *err);
void effective_clear(struct effective *effective);
const char *effective_by_name(enum effective_by by); /* "itself", "ancestor", ... */

#endif
