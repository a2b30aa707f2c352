/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what a file of a cgroup says is what was asked for: the kernel does not always print what was
 * written.
 */
#ifndef CGPOL_POLICY_AGREEMENT_H
#define CGPOL_POLICY_AGREEMENT_H

#include "policy/policy.h"

/* `wanted` as it would be written, `found` as it was read. Lists are compared as sets. A text (KEY_TEXT, or a
 * file the table does not know) agrees when every word of it is found: "50000" in "50000 100000" (cpu.max),
 * "8:16 rbps=1048576" in one of the lines of io.max, "100" in "default 100" (io.weight), "50" in "50.00"
 * (cpu.uclamp.min, where 100 is found as "max"), and a device line that only asks for "max" where there is no
 * line of the device. A flag may be found as "true" or "false", the largest limit as "max". */
bool agreement_holds(const struct setting *setting, const char *wanted, const char *found);

#endif
