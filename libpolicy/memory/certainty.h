/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How sure a forecast is: the counters' error, the reclaimable part, and what cannot be seen. */
#ifndef CGPOL_MEMORY_CERTAINTY_H
#define CGPOL_MEMORY_CERTAINTY_H

#include "memory/oom.h"

/* By how many pages the sum the OOM killer reads may differ from what /proc prints for the same process. */
uint64_t certainty_counter_error(const struct oom_snapshot *snapshot);
/* Sets forecast->certainty and adds the warnings that explain it. Everything else of the forecast must be
 * final. */
int certainty_judge(const struct oom_snapshot *snapshot, const struct oom_question *question,
		    struct oom_forecast *forecast);

#endif
