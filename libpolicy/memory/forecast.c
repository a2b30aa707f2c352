/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The forecast of a machine: snapshot, decision, and the memory by node of those who matter. */
#include "memory/forecast.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "host/host.h"

/* Each round reads the memory of those whom the decision names, and decides again; a round that reads nothing
 * new is the last. The chain of kills is short, so a few rounds always do. */
enum { ROUNDS_MAX = 16 };

static int read_task(struct cgpol_host *host, struct snapshot *snapshot, size_t task, bool *is_new)
{
	*is_new |= !snapshot_values(snapshot)->task[task].shares_tried;
	return snapshot_read_shares(host, snapshot, task);
}

/* Memory by node of the first candidates, of all who die, and of those who die next. */
static int read_named(struct cgpol_host *host, struct cgpol_forecast *forecast, size_t top, bool *is_new)
{
	const struct oom_forecast *oom = &forecast->oom;
	int rc = 0;

	for (size_t i = 0; i < oom->candidates; i++)
		snapshot_read_growth(host, forecast->snapshot, oom->candidate[i].task);
	for (size_t i = 0; rc == 0 && i < oom->candidates && (top == 0 || i < top); i++)
		rc = read_task(host, forecast->snapshot, oom->candidate[i].task, is_new);
	for (size_t i = 0; rc == 0 && i < oom->kills; i++)
		rc = read_task(host, forecast->snapshot, oom->killed[i].task, is_new);
	for (size_t i = 0; rc == 0 && i < oom->thens; i++)
		rc = read_task(host, forecast->snapshot, oom->then[i].task, is_new);
	return rc;
}

static int decide(struct cgpol_host *host, struct cgpol_forecast *forecast, size_t top,
		  struct cgpol_error *err)
{
	bool is_new = true;

	for (int round = 0; is_new && round < ROUNDS_MAX; round++) {
		oom_forecast_clear(&forecast->oom);
		int rc = oom_forecast_make(snapshot_values(forecast->snapshot),
					   snapshot_question(forecast->snapshot), &forecast->oom, err);
		is_new = false;
		if (rc == 0)
			rc = read_named(host, forecast, top, &is_new);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static struct cgpol_victim make_victim(const struct cgpol_forecast *forecast, size_t task, const char *reason)
{
	const struct oom_snapshot *values = snapshot_values(forecast->snapshot);
	const struct oom_task *row = &values->task[task];
	struct cgpol_victim victim = {.pid = row->pid, .comm = row->comm ? row->comm : "", .reason = reason};

	victim.bytes = row->has_shares ? 0 : row->anon * values->page_size;
	for (size_t i = 0; i < row->shares; i++)
		victim.bytes += row->share[i].freed;
	for (size_t i = 0; i < forecast->oom.candidates; i++)
		if (forecast->oom.candidate[i].task == task)
			victim.points = forecast->oom.candidate[i].points;
	return victim;
}

static int list_victims(struct cgpol_forecast *forecast)
{
	const struct oom_forecast *oom = &forecast->oom;

	forecast->victim = calloc(oom->kills + oom->thens + 1, sizeof(*forecast->victim));
	if (!forecast->victim)
		return -ENOMEM;
	for (size_t i = 0; i < oom->kills; i++)
		forecast->victim[forecast->victims++] = make_victim(forecast, oom->killed[i].task,
								    oom_why_name(oom->killed[i].why));
	for (size_t i = 0; i < oom->thens; i++) {
		struct cgpol_victim victim = make_victim(forecast, oom->then[i].task, "then");
		victim.points = oom->then[i].points;
		forecast->victim[forecast->victims++] = victim;
	}
	return 0;
}

int forecast_make(struct cgpol_host *host, const struct cgpol_question *question, size_t top,
		  struct cgpol_forecast **forecast, struct cgpol_error *err)
{
	struct cgpol_forecast *made = calloc(1, sizeof(*made));
	int rc = made ? snapshot_read(host, question, &made->snapshot, err) : -ENOMEM;

	if (rc == 0)
		rc = decide(host, made, top, err);
	if (rc == 0)
		rc = list_victims(made);
	if (rc < 0) {
		cgpol_forecast_free(made);
		return rc;
	}
	*forecast = made;
	return 0;
}

int cgpol_forecast_make(struct cgpol_host *host, const struct cgpol_question *question,
			struct cgpol_forecast **forecast, struct cgpol_error *err)
{
	return forecast_make(host, question, 1, forecast, err);
}

const struct cgpol_victim *cgpol_forecast_at(const struct cgpol_forecast *forecast, size_t rank)
{
	return rank < forecast->victims ? &forecast->victim[rank] : NULL;
}

void cgpol_forecast_free(struct cgpol_forecast *forecast)
{
	if (!forecast)
		return;
	oom_forecast_clear(&forecast->oom);
	snapshot_free(forecast->snapshot);
	free(forecast->victim);
	free(forecast);
}
