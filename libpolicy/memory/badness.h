/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is eligible for an OOM kill, how many points each has, and in which order the kernel prefers them. */
#ifndef CGPOL_MEMORY_BADNESS_H
#define CGPOL_MEMORY_BADNESS_H

#include "memory/oom.h"

/* Why the kernel passes a task over in this domain, or OOM_ELIGIBLE. mm/oom_kill.c oom_evaluate_task() and
 * oom_badness(), in their order. */
enum oom_skip_reason badness_skip(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
				  const struct oom_task *task);
/* May the task be taken by cpuset and policy alone (mm/oom_kill.c oom_cpuset_eligible())? */
bool badness_is_eligible(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
			 const struct oom_task *task);
/* oom_score_adj says never (OOM_SCORE_ADJ_MIN). */
bool badness_is_exempt(const struct oom_task *task);
/* Does the allocating task's growth count for this one: is it the trigger, or does it share its mm? */
bool badness_grows(const struct oom_snapshot *snapshot, const struct oom_question *question, size_t task);

/* Ranks all tasks but those that are `gone` (NULL: nobody is). Fills in candidate[], skipped[] and
 * skipped_count[] of the forecast from its domain. `extra`: pages the trigger can take beyond the domain's
 * headroom, because a kill freed them. 0 or -ENOMEM. */
int badness_rank(const struct oom_snapshot *snapshot, const struct oom_question *question, const bool *gone,
		 uint64_t extra, struct oom_forecast *forecast);

#endif
