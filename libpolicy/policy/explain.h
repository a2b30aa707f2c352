/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel errno on a cgroup file, as one sentence: which file, which value, what the kernel objects to,
 * which ancestor is the cause, what to do. */
#ifndef CGPOL_POLICY_EXPLAIN_H
#define CGPOL_POLICY_EXPLAIN_H

#include "policy/plan.h"

/* Explains why a step failed with -errno `rc`; reads what it needs to know (the ancestors' files, the
 * processes in the way). Returns rc. The kinds: EACCES, EPERM and EROFS are CGPOL_FAILED; EBUSY, EOPNOTSUPP,
 * EINVAL, ERANGE, ENOSPC are CGPOL_REFUSED; ENOENT of a file is CGPOL_UNSUPPORTED ("controller cpuset is
 * not enabled in cgroup /a, ..." or why the machine has none), as ENODEV of a block device is; of a cgroup or
 * a process that went away all are CGPOL_FAILED: plan again. A capture, which takes no change at all, is
 * CGPOL_REFUSED. A STEP_KILL whose processes do not end is -ETIMEDOUT or -EBUSY. err->file is the kernel's
 * file
 * ("cgroup.procs" of STEP_ATTACH), the path of one that is not a cgroup's, else the cgroup. */
int explain_step(struct cgpol_host *host, const struct step *step, int rc, struct cgpol_error *err);
/* The same for starting a process in a cgroup (clone3 with CLONE_INTO_CGROUP, or a write to cgroup.procs):
 * EACCES (which common ancestor's cgroup.procs is not writable), EBUSY (controllers enabled for its
 * children), EOPNOTSUPP (threaded, "domain invalid"), ENODEV and ENOENT (removed meanwhile), ENOSPC (no cpus
 * or nodes), EAGAIN (pids.max: of which ancestor, and its value), ENOMEM. */
int explain_start(struct cgpol_host *host, const char *cgroup, int rc, struct cgpol_error *err);

#endif
