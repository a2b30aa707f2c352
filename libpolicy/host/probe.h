/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the running kernel what it can do: system calls that fail in a telling way and change nothing. */
#ifndef CGPOL_HOST_PROBE_H
#define CGPOL_HOST_PROBE_H

/* Makes one attempt on the live machine: 0 when the kernel can do it, else -errno. The names:
 *   clone3_into_cgroup   clone3(2) with CLONE_INTO_CGROUP and a bad descriptor. 0: EBADF came back. -ENOSYS:
 * no clone3, or a seccomp filter that says so; -EPERM: a seccomp filter; -EINVAL: before 5.7 pidfd_open,
 * pidfd_send_signal, process_mrelease   with a bad descriptor or pid. 0: the call exists
 *   set_mempolicy_home_node                           0: the call exists
 *   MODE, MODE=FLAG of set_mempolicy(2): "mempolicy:default", "mempolicy:bind", "mempolicy:preferred",
 *                        "mempolicy:preferred_many", "mempolicy:interleave", "mempolicy:weighted_interleave",
 *                        "mempolicy:local", "mempolicy:bind=static", "mempolicy:bind=relative",
 *                        "mempolicy:bind=balancing", "mempolicy:preferred_many=balancing": set for the
 * calling thread over its own Mems_allowed, then its old policy is set again. -EINVAL: this kernel lacks it;
 *                        -EPERM: seccomp (the kernel itself has no such answer); -ENOSYS: no CONFIG_NUMA
 *   get_mempolicy        MPOL_F_MEMS_ALLOWED
 *   seccomp              prctl(PR_GET_SECCOMP) by way of /proc/self/status: 0 none, -EPERM a filter is
 * installed -EINVAL for a name that is none of these. */
int probe_run(const char *name);
/* All names, ending with NULL. */
extern const char *const probe_names[];

#endif
