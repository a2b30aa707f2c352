/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies in one line for tests. */
#ifndef CGPOL_TEST_POLICIES_H
#define CGPOL_TEST_POLICIES_H

#include "policy/policy.h"

/* policies_make("memory.max=1M", "cpuset.mems=0", NULL); a setting that is refused ends the test. */
struct cgpol_policy *policies_make(const char *setting, ...) __attribute__((sentinel));

#endif
