/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step has left: what its file, process or cgroup says now, and whether that is what the step wrote.
 */
#ifndef CGPOL_POLICY_TRACE_H
#define CGPOL_POLICY_TRACE_H

#include "policy/plan.h"

/* What is there of a step, as its old_value has it; the caller frees it. NULL: nothing is (any more), or the
 * operation has no value. 0 or -errno. */
int trace_read(struct cgpol_host *host, const struct step *step, char **now);
/* Do two values of a step's file say the same: byte for byte, but for the kernel's reason behind the word of
 * a partition that is invalid? Either may be NULL: it is not there. */
bool trace_is_same(const struct step *step, const char *a, const char *b);
/* Does the file say what the step wrote? The kernel does not print all as it was written. */
bool trace_is_written(const struct step *step, const char *now);
/* An empty cpuset.cpus or .mems, which means the parent's, does not come back while processes are below
 * (kernel/cgroup/cpuset.c validate_change(), ENOSPC). What has the same effect then: the parent's effective
 * list; the caller frees it. NULL when the step is no such one, or it cannot be read. */
char *trace_read_widest(struct cgpol_host *host, const struct step *step);
/* Is that what is there: has an undo done already all that can be done? */
bool trace_is_widest(struct cgpol_host *host, const struct step *step, const char *now);
/* A list of words (cgroup.subtree_control) without one of them; the caller frees it. NULL when memory is
 * short. */
char *trace_drop_word(const char *list, const char *drop);

#endif
