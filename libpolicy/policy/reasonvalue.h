/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to values that the kernel does not take: of cgroups, and of the machine. */
#ifndef CGPOL_POLICY_REASONVALUE_H
#define CGPOL_POLICY_REASONVALUE_H

#include "policy/reason.h"

void reason_no_file(
	struct reason *reason); /* the controller is not enabled above, or the kernel is too old */
void reason_no_device(struct reason *reason);
void reason_no_rdma(struct reason *reason);
void reason_not_possible(struct reason *reason); /* cpus or nodes that can never be, or are not there now */
void reason_in_conflict(struct reason *reason);	 /* cpus that a partition has */
void reason_deadline(struct reason *reason);
void reason_emptied(struct reason *reason); /* processes would be left without cpus or nodes */
void reason_not_partition(struct reason *reason);
void reason_has_children(struct reason *reason); /* a partition, before 5.16 */
void reason_bad_cpu_max(struct reason *reason);
void reason_not_taken(struct reason *reason);
void reason_out_of_range(struct reason *reason);
void reason_by_errno(struct reason *reason);
void reason_still_above(struct reason *reason); /* STEP_CHECK */
/* Of the machine: /proc/sys and the like; and configuration files. */
void reason_no_setting(struct reason *reason);
void reason_bad_setting(struct reason *reason);
void reason_no_directory(struct reason *reason);

#endif
