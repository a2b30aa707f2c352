/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of cpus and nodes as numactl(8) and taskset(1) users write them. */
#ifndef CGPOL_POLICY_PLACEMENT_H
#define CGPOL_POLICY_PLACEMENT_H

#include "base/nodeset.h"
#include "host/host.h"

/* What such a list is relative to. */
struct placement {
	const char *what;	/* "--membind": for the sentences */
	struct nodeset allowed; /* what "all", "!LIST" and "+LIST" mean: the caller's own set; borrowed */
	unsigned limit;		/* numbers are 0..limit-1: what the machine may ever have */
	bool is_cpus;		/* cpus; else nodes */
};

/* "0-3,8", "0-31:2/4" (nodeset_parse), "all", "none" (the empty set), "!LIST" (the allowed ones without
 * these), "+LIST" (the n-th of the allowed ones), "0xff" (a hexadecimal mask, as taskset has). Pure.
 * CGPOL_USAGE with the offending part otherwise; "same" and device forms are -EOPNOTSUPP, without a sentence.
 */
int placement_parse(const struct placement *placement, const char *text, struct nodeset *set,
		    struct cgpol_error *err);
/* numactl's "netdev:eth0", "block:sda", "file:/path", "pci:0000:00:02.0": the node a device is at. "ip:" is
 * refused by name. A file's device is that of the mount its path lies on: links in the path are not followed
 * to other mounts. CGPOL_USAGE for a name with "/" or "..", CGPOL_FAILED when there is no such device,
 * CGPOL_UNSUPPORTED when its numa_node is -1 or nothing tells it. */
int placement_of_device(struct cgpol_host *host, const char *text, struct nodeset *set,
			struct cgpol_error *err);

#endif
