/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which settings a cgroup has, and which of them a new one would not have. */
#ifndef CGPOL_POLICY_INVENTORY_H
#define CGPOL_POLICY_INVENTORY_H

#include "host/host.h"
#include "policy/keys.h"

struct inventory_item {
	const struct key *key;
	char *name; /* the file: "hugetlb.2MB.max" for the key "hugetlb.*.max" */
	char *text; /* what it says */
};

/* Zero-initialised it is empty. Give it back with inventory_clear. */
struct inventory {
	struct inventory_item *item; /* in the order of key_table */
	size_t count;
};

/* Reads the settings (KEY_CGROUP) of a cgroup that its controllers give it: all, or only those that differ
 * from what a new cgroup has, where the table knows that, and are not empty, where it does not. Files that
 * this kernel does not have, or that may not be read, are left out. CGPOL_FAILED (-ENOENT) when there is no
 * such cgroup. */
int inventory_read(struct cgpol_host *host, const char *cgroup, bool all, struct inventory *inventory,
		   struct cgpol_error *err);
void inventory_clear(struct inventory *inventory);
/* "2MB" for a folder "hugepages-2048kB" of /sys/kernel/mm/hugepages, as hugetlb's files have it; the caller
 * frees it. NULL when it is no such folder, or memory is short. */
char *inventory_huge_size(const char *folder);

#endif
