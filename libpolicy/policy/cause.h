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
/* A sibling that is a partition, or claims cpus by cpuset.cpus.exclusive, and has one of these cpus ("1-3"),
 * or NULL; its list in *cpus. The caller frees both. */
char *cause_find_partition(struct cgpol_host *host, const char *cgroup, const char *list, char **cpus);
/* The nearest cgroup, from this one up, where `used` (a file with a number; NULL: do not look) has reached
 * `limit` (a number or max). -ENOENT when there is none; else *name (the caller frees it) and the limit. */
int cause_find_limit(struct cgpol_host *host, const char *cgroup, const char *limit, const char *used,
		     char **name, uint64_t *value);

/* What gives the users of systemd the controllers that they lack; fits behind 50 bytes into a hint. */
extern const char cause_delegate_users[];
/* The nearest cgroup that is both, or above both; the caller frees it. NULL when memory is short. */
char *cause_common(const char *a, const char *b);
/* Does a seccomp filter watch over this process? False when that cannot be read. */
bool cause_has_seccomp(struct cgpol_host *host);
/* A file of a cgroup and of all above it, from the root down: "/ 0-3, /a 0-1, /a/b none". */
void cause_list_chain(struct cgpol_host *host, const char *cgroup, const char *file, char *text, size_t size);
/* Which of a list of cpus (nodes: that have no memory) are not there now: "2-3"; "" when none, or it cannot
 * be told. */
void cause_list_offline(struct cgpol_host *host, bool is_cpus, const char *list, char *text, size_t size);

/* Why a cgroup has not the files of a controller. */
struct cause_gap {
	enum cgpol_kind kind;
	char why[432];	/* which cgroup is the first that lacks it, and why */
	char hint[216]; /* what gives it */
};
/* -ENOENT when it has it, or nothing can be read; else 0. */
int cause_find_gap(struct cgpol_host *host, const char *cgroup, const char *controller,
		   struct cause_gap *gap);

#endif
