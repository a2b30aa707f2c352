/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step would do to those who live there, judged by what was read of them. Pure. */
#ifndef CGPOL_POLICY_GUARDRULES_H
#define CGPOL_POLICY_GUARDRULES_H

#include "policy/guard.h"
#include "policy/guardfacts.h"

/* Each tells whether there is something to say: then it fills in kind, bytes, is_solved, the hint, and in
 * `text` only the reason (guard.c puts the step in front of it). */

/* memory.max = limit. is_solved: reclaim may get there, and it is not forced. */
bool guardrules_max(const struct guardfacts_memory *memory, uint64_t limit, bool is_forced,
		    struct guard_finding *finding);
/* memory.high = limit. */
bool guardrules_high(const struct guardfacts_memory *memory, uint64_t limit, struct guard_finding *finding);
bool guardrules_mems(const struct guardfacts_nodes *nodes, struct guard_finding *finding);
/* A list that is set becomes empty under processes; `what` is "cpus" or "nodes". */
bool guardrules_empty(const char *what, bool is_populated, struct guard_finding *finding);
bool guardrules_threads(const struct guardfacts_threads *threads, const char *parent,
			struct guard_finding *finding);
bool guardrules_affinity(const struct guardfacts_affinity *affinity, struct guard_finding *finding);
bool guardrules_pids(uint64_t current, uint64_t limit, struct guard_finding *finding);

/* "100M", "200.4M"; returns `text`. */
char *guardrules_show_size(uint64_t bytes, char *text, size_t size);

#endif
