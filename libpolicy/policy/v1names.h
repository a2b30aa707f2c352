/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of cgroup v1, and what does the same in cgroup v2. */
#ifndef CGPOL_POLICY_V1NAMES_H
#define CGPOL_POLICY_V1NAMES_H

/* The v2 file for a file of cgroup v1 ("memory.limit_in_bytes" -> "memory.max"), or "" where none does the
 * same. *advice, when given, becomes a sentence where there is something to know ("not in cgroup v2; use
 * memory.high"), else NULL. NULL when the name is not of v1. Both strings are static. */
const char *key_of_v1(const char *name, const char **advice);

#endif
