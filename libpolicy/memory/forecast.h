/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forecast of a machine: snapshot, decision, and the memory by node of those who matter. */
#ifndef CGPOL_MEMORY_FORECAST_H
#define CGPOL_MEMORY_FORECAST_H

#include "memory/oom.h"
#include "memory/snapshot.h"

struct cgpol_forecast {
	struct snapshot *snapshot;
	struct oom_forecast oom;
	struct cgpol_victim *victim;
	size_t victims;
};

/* As cgpol_forecast_make, but reads the memory by node of the first `top` candidates (0: of all) instead of
 * only of those who die. */
int forecast_make(struct cgpol_host *host, const struct cgpol_question *question, size_t top,
		  struct cgpol_forecast **forecast, struct cgpol_error *err);

#endif
