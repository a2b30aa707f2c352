/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is behind a refusal: read from the ancestors, the processes in the way, and the machine. */
#ifndef CGPOL_POLICY_CAUSE_H
#define CGPOL_POLICY_CAUSE_H

#include "host/host.h"

/* Fails with CGPOL_UNSUPPORTED and why cgroup v2 has no such controller here: bound to v1 (names the mount),
 * switched off on the kernel's command line, not built, not handed down to what is mounted here. Returns
 * -EOPNOTSUPP. */
int cause_of_lack(struct cgpol_host *host, const char *controller, struct cgpol_error *err);
/* What may bring an interface file that is missing although its controller is there; or NULL. */
const char *cause_of_missing(const char *file);
/* Adds to the end of the sentence and keeps all else. */
void cause_add(struct cgpol_error *err, const char *more);
/* Adds the processes of a cgroup to the sentence: ": 12, 13 and 5 more". What cannot be read adds nothing. */
void cause_add_processes(struct cgpol_host *host, const char *cgroup, struct cgpol_error *err);
/* Up to a few realtime processes outside the root cgroup, for which +cpu is refused where the kernel has
 * CONFIG_RT_GROUP_SCHED: "12 (FIFO, /a)"; empty when there is none. */
void cause_list_realtime(struct cgpol_host *host, char *text, size_t size);

/* The parent of a cgroup ("/" of "/a"); the caller frees it. NULL for the root, and when memory is short. */
char *cause_parent(const char *cgroup);
/* A file of a cgroup as text; NULL when it cannot be read. The caller frees it. */
char *cause_read(struct cgpol_host *host, const char *cgroup, const char *file);
/* The first cgroup from the root down to this one whose cgroup.controllers lacks the controller; NULL when
 * there is none. The caller frees it. */
char *cause_first_without(struct cgpol_host *host, const char *cgroup, const char *controller);
/* A sibling that is a partition and has one of these cpus ("1-3"), or NULL; its cpuset.cpus in *cpus. The
 * caller frees both. */
char *cause_find_partition(struct cgpol_host *host, const char *cgroup, const char *list, char **cpus);
/* The nearest cgroup, from this one up, where `used` (a file with a number; NULL: do not look) has reached
 * `limit` (a number or max). -ENOENT when there is none; else *name (the caller frees it) and the limit. */
int cause_find_limit(struct cgpol_host *host, const char *cgroup, const char *limit, const char *used,
		     char **name, uint64_t *value);

#endif
