/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there now of the steps of a change that is to be taken back. */
#ifndef CGPOL_POLICY_AFTERMATH_H
#define CGPOL_POLICY_AFTERMATH_H

#include "policy/recover.h"

/* recover_look without its questions about the machine: in reverse, each step as it will be found when those
 * after it are taken back. 0 or -ENOMEM; *recovery is replaced. */
int aftermath_look(struct cgpol_host *host, const struct journal *journal, struct recovery *recovery);
/* Is somebody below a cgroup using one of its controllers: with a setting of it, handing it on, or a cgpol
 * run, which counts OOM kills? */
bool aftermath_is_used(struct cgpol_host *host, const char *cgroup, const char *controller);

#endif
