/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the running kernel what it can do: system calls that fail in a telling way and change nothing. */
#ifndef CGPOL_HOST_PROBE_H
#define CGPOL_HOST_PROBE_H

/* clang-format off */
/* Makes one attempt on the live machine: 0 when the kernel can do it, else -errno. The names:
 *
 *   clone3_into_cgroup        clone3(2) with CLONE_INTO_CGROUP and a descriptor that cannot be open, so that
 *                             no child is made. 0: EBADF came back. -EINVAL: before 5.7. -EOPNOTSUPP: no
 *                             CONFIG_CGROUPS. -EAGAIN: RLIMIT_NPROC or the kernel's own limit was met first
 *   pidfd_open                with a bad pid, and
 *   pidfd_send_signal,
 *   process_mrelease          with a bad descriptor. 0: the call exists (5.3, 5.1, 5.15)
 *   set_mempolicy_home_node   with flags, of which it has none. 0: the call exists (5.17)
 *   get_mempolicy             asks for MPOL_F_MEMS_ALLOWED
 *   mempolicy:MODE            set_mempolicy(2) for the calling thread over its own Mems_allowed; then its old
 *   mempolicy:MODE=FLAG       policy is set again. MODE: default, local, preferred, preferred_many, bind,
 *                             interleave, weighted_interleave. With flags: bind=static, bind=relative,
 *                             bind=balancing, preferred_many=balancing. -EINVAL: this kernel lacks it.
 *                             -EBUSY: the old policy could not be set again, so nothing was tried
 *   seccomp                   the filter in /proc/thread-self/status. 0: none, or a kernel without them.
 *                             -EPERM: there is one
 *
 * Of all but the last: -ENOSYS: the kernel lacks the call (of mempolicies: no CONFIG_NUMA), or a seccomp
 * filter says so. -EPERM or another errno that is not named here: a seccomp filter, as the kernel has no such
 * answer. -EINVAL also for a name that is none of these. */
/* clang-format on */
int probe_run(const char *name);
/* All names, ending with NULL. */
extern const char *const probe_names[];

#endif
