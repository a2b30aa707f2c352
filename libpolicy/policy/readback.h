/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading back what became of the values that were written. */
#ifndef CGPOL_POLICY_READBACK_H
#define CGPOL_POLICY_READBACK_H

#include "policy/apply.h"

/* Every value that the plan writes must be in its file, every list of the policy must be the effective one,
 * and a partition must be valid. CGPOL_REFUSED with what is there instead and, for lists, the ancestor that
 * narrows them. `result`: by step, those that are STEP_SKIPPED were not written; NULL: all were. */
int readback_check(struct cgpol_host *host, const struct plan *plan, const struct cgpol_policy *policy,
		   const enum step_result *result, struct cgpol_error *err);

#endif
