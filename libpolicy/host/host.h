/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One machine seen through one root: where cgroup v2 is, and which controllers it has there. */
#ifndef CGPOL_HOST_HOST_H
#define CGPOL_HOST_HOST_H

#include "host/root.h"

struct cgpol_host {
	struct root *root;
	char *cgroup2;	    /* mount point of the cgroup2 file system as seen below the root, or NULL */
	char *cgroup2_root; /* which cgroup is mounted there ("/" but in a bind mount or a cgroup namespace)
			     */
	char *memory_v1;    /* mount point of the v1 memory controller, or NULL */
	char *cpuset_v1;    /* the same for cpuset */
	bool has_memory;    /* the cgroup2 root lists the controller in cgroup.controllers */
	bool has_cpuset;
	unsigned major, minor, patch; /* of the kernel's release */
};

/* `dir`: NULL or "/" is the live machine. `record`: a directory to copy all that is read into, or NULL. */
int host_open(const char *dir, const char *record, struct cgpol_host **host, struct cgpol_error *err);
/* The same over a root that exists already (tests); owns it, also on failure. */
int host_open_root(struct root *root, struct cgpol_host **host, struct cgpol_error *err);
/* Ends a recording: writes its manifest. 0 when none was running. */
int host_finish(struct cgpol_host *host, struct cgpol_error *err);
void host_trace(struct cgpol_host *host, root_trace_fn *trace, void *arg);
/* How many cpus are online; 1 when nothing tells. 0 or -ENOMEM. */
int host_read_cpus(struct cgpol_host *host, unsigned *cpus);
/* Compares the kernel's version: < 0, 0, > 0. */
int host_compare_kernel(const struct cgpol_host *host, unsigned major, unsigned minor, unsigned patch);

/* CGPOL_UNSUPPORTED (-EOPNOTSUPP) when no cgroup2 file system is mounted, else 0. */
int host_need_cgroup2(const struct cgpol_host *host, struct cgpol_error *err);
/* Fails with CGPOL_UNSUPPORTED and the reason when cgroup v2 has no memory controller here: bound to v1
 * (names the mount), no cgroup2 mount, switched off on the kernel's command line, or not built. */
int host_need_memory(struct cgpol_host *host, struct cgpol_error *err);

#endif
