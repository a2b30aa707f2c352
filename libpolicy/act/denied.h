/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why the kernel does not let a process, or a thread, into a cgroup. */
#ifndef CGPOL_ACT_DENIED_H
#define CGPOL_ACT_DENIED_H

#include "host/proc.h"
#include "policy/plan.h"

/* Takes the cgroup any process at all? 0, or -errno with the sentence: it does not exist (-ENOENT,
 * CGPOL_FAILED), has controllers enabled for its children (-EBUSY), is "domain invalid" (-EOPNOTSUPP), has no
 * cpus (-ENOSPC). The rules are those of kernel/cgroup/cgroup.c cgroup_migrate_vet_dst() and cpuset.c
 * cpuset_can_attach(). What cannot be read objects to nothing. */
int denied_by_cgroup(struct cgpol_host *host, const char *cgroup, bool is_thread, struct cgpol_error *err);
/* Is it a process that no cgroup takes, by what its /proc/PID/stat says: a kernel thread that is bound to its
 * cpus, or kthreadd (cgroup.c cgroup_procs_write_start())? -EINVAL with the sentence, else 0. */
int denied_by_kind(pid_t pid, const struct proc_stat *stat, struct cgpol_error *err);
/* Finds out why a step that moves one (STEP_ATTACH) was skipped, when its process lives still: returns -errno
 * with its sentence, always. By the rules above, the files' owners, the thread domains (-EOPNOTSUPP), the
 * realtime class (-EINVAL). */
int denied_find(struct cgpol_host *host, const struct step *step, const struct proc_stat *stat,
		struct cgpol_error *err);

#endif
