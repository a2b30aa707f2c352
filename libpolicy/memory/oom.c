/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The OOM killer's decision as a pure function: a snapshot and a question in, a forecast out. */
#include "memory/oom.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "memory/badness.h"
#include "memory/certainty.h"
#include "memory/domain.h"
#include "memory/killset.h"

/* Kills after the first that are looked at: enough to see the right one die. */
enum { CHAIN_MAX = 8 };

static const char *name_of(const char *const *names, size_t count, int at)
{
	return at >= 0 && (size_t)at < count ? names[at] : "?";
}

const char *oom_constraint_name(enum oom_constraint constraint)
{
	static const char *const names[] = {"none", "cpuset", "memory_policy", "memcg"};

	return name_of(names, ARRAY_SIZE(names), constraint);
}

const char *oom_outcome_name(enum oom_outcome outcome)
{
	static const char *const names[] = {"kill", "kill_allocating_task", "panic", "no_victim", "blocked"};

	return name_of(names, ARRAY_SIZE(names), (int)outcome);
}

const char *oom_certainty_name(enum oom_certainty certainty)
{
	static const char *const names[] = {"certain", "likely", "ambiguous"};

	return name_of(names, ARRAY_SIZE(names), (int)certainty);
}

const char *oom_why_name(enum oom_why why)
{
	static const char *const names[] = {"victim", "shares_mm", "oom_group"};

	return name_of(names, ARRAY_SIZE(names), (int)why);
}

const char *oom_skip_name(enum oom_skip_reason reason)
{
	static const char *const names[] = {
		"eligible", "init",   "kthread", "oom_score_adj", "cpuset", "mempolicy",  "outside_memcg",
		"vfork",    "victim", "reaped",	 "hidden",	  "no_mm",  "unreadable", "vanished",
	};

	return name_of(names, ARRAY_SIZE(names), (int)reason);
}

int oom_warn(struct oom_forecast *forecast, const char *format, ...)
{
	AUTO(free_p) char *text = NULL;
	va_list args;

	va_start(args, format);
	int size = vasprintf(&text, format, args);
	va_end(args);
	if (size < 0) {
		text = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < forecast->warnings; i++)
		if (strcmp(forecast->warning[i], text) == 0)
			return 0;
	char **more = reallocarray(forecast->warning, forecast->warnings + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	forecast->warning = more;
	more[forecast->warnings++] = TAKE(text);
	return 0;
}

void oom_forecast_clear(struct oom_forecast *forecast)
{
	domain_clear(&forecast->domain);
	free(forecast->candidate);
	free(forecast->skipped);
	free(forecast->killed);
	free(forecast->freed);
	free(forecast->then);
	for (size_t i = 0; i < forecast->warnings; i++)
		free(forecast->warning[i]);
	free(forecast->warning);
	memset(forecast, 0, sizeof(*forecast));
}

/* mm/oom_kill.c check_panic_on_oom(): 1 panics only without a constraint, 2 always. */
static bool must_panic(const struct oom_snapshot *snapshot, const struct oom_domain *domain)
{
	return snapshot->panic_on_oom >= 2 || (snapshot->panic_on_oom == 1 && domain->constraint == OOM_NONE);
}

/* out_of_memory(): the allocating task is killed unscored when the sysctl says so; not in a memcg OOM. */
static bool kills_allocating(const struct oom_snapshot *snapshot, const struct oom_question *question,
			     const struct oom_domain *domain)
{
	if (!snapshot->kill_allocating || domain->constraint == OOM_MEMCG)
		return false;
	/* Whoever it is that allocates: an ordinary task is eligible. */
	if (question->task == OOM_NOBODY)
		return true;
	const struct oom_task *task = &snapshot->task[question->task];
	return task->has_mm && !task->is_init && !task->is_kthread && !badness_is_exempt(task) &&
	       badness_is_eligible(snapshot, domain, task);
}

/* mm/oom_kill.c task_will_free_mem(): a process that ends, with all who share its mm, is left to end by
 * itself. */
static bool will_free_memory(const struct oom_snapshot *snapshot, const struct oom_task *task)
{
	if (!task->is_dying || task->is_zombie_leader || !task->has_mm)
		return false;
	for (size_t i = 0; task->mm != 0 && i < snapshot->tasks; i++) {
		const struct oom_task *other = &snapshot->task[i];
		if (other->mm == task->mm && !other->has_vanished && !other->is_dying)
			return false;
	}
	return true;
}

/* The outcome, and the task that is killed first (OOM_NOBODY: none). */
static enum oom_outcome decide(const struct oom_snapshot *snapshot, const struct oom_question *question,
			       const struct oom_forecast *forecast, size_t *victim)
{
	const struct oom_domain *domain = &forecast->domain;

	*victim = OOM_NOBODY;
	if (question->task != OOM_NOBODY && will_free_memory(snapshot, &snapshot->task[question->task]))
		return OOM_BLOCKED;
	if (must_panic(snapshot, domain))
		return OOM_PANIC;
	if (kills_allocating(snapshot, question, domain)) {
		*victim = question->task;
		return OOM_KILL_ALLOCATING;
	}
	if (forecast->skipped_count[OOM_SKIP_VICTIM])
		return OOM_BLOCKED;
	if (forecast->candidates == 0)
		return domain->constraint == OOM_MEMCG ? OOM_NO_VICTIM : OOM_PANIC;
	*victim = forecast->candidate[0].task;
	return OOM_KILL;
}

static const struct oom_candidate *row_of(const struct oom_forecast *forecast, size_t task)
{
	for (size_t i = 0; i < forecast->candidates; i++)
		if (forecast->candidate[i].task == task)
			return &forecast->candidate[i];
	return NULL;
}

/* The distance to the best task with another mm: one that shares the victim's mm dies with it anyway. */
static void set_margin(const struct oom_snapshot *snapshot, struct oom_forecast *forecast)
{
	const struct oom_candidate *best = forecast->candidate;

	for (size_t i = 1; i < forecast->candidates; i++) {
		const struct oom_candidate *next = &forecast->candidate[i];
		unsigned mm = snapshot->task[next->task].mm;
		if (mm != 0 && mm == snapshot->task[best->task].mm)
			continue;
		forecast->has_margin = true;
		forecast->margin = best->points - next->points;
		return;
	}
}

/* What the trigger takes until the OOM comes, when it is among those who die. */
static uint64_t grown_by(const struct oom_snapshot *snapshot, const struct oom_question *question,
			 const struct oom_forecast *forecast, const struct oom_killed *killed, size_t kills)
{
	for (size_t i = 0; i < kills; i++)
		if (badness_grows(snapshot, question, killed[i].task))
			return forecast->domain.lacks_headroom ? 0 : forecast->domain.headroom;
	return 0;
}

static int first_kill(const struct oom_snapshot *snapshot, const struct oom_question *question, size_t victim,
		      struct oom_forecast *forecast, uint64_t *relief)
{
	const struct oom_candidate *row = row_of(forecast, victim);
	struct killset_freed freed;
	int rc;

	forecast->victim_points = row ? row->points : 0;
	if (forecast->outcome == OOM_KILL)
		set_margin(snapshot, forecast);
	rc = killset_make(snapshot, &forecast->domain, victim, &forecast->killed, &forecast->kills);
	if (rc == 0)
		rc = killset_free_estimate(
			snapshot, &forecast->domain, forecast->killed, forecast->kills,
			grown_by(snapshot, question, forecast, forecast->killed, forecast->kills), &freed);
	if (rc < 0)
		return rc;
	forecast->freed_bytes = freed.bytes;
	forecast->has_freed = freed.is_known;
	forecast->useful = freed.useful;
	*relief = freed.relief;
	if (freed.is_known) {
		forecast->freed = freed.share;
		forecast->frees = freed.shares;
	} else {
		free(freed.share);
	}
	return 0;
}

static void mark_gone(const struct oom_killed *killed, size_t kills, bool *gone)
{
	for (size_t i = 0; i < kills; i++)
		gone[killed[i].task] = true;
}

/* The kill that follows when those who are `gone` are dead. *next is OOM_NOBODY when there is none. */
static int next_kill(const struct oom_snapshot *snapshot, const struct oom_question *question,
		     struct oom_forecast *scratch, bool *gone, uint64_t *extra, struct oom_then *next)
{
	AUTO(free_p) struct oom_killed *killed = NULL;
	struct killset_freed freed;
	size_t kills = 0;
	int rc = badness_rank(snapshot, question, gone, *extra, scratch);

	next->task = OOM_NOBODY;
	if (rc < 0 || scratch->candidates == 0)
		return rc;
	next->task = scratch->candidate[0].task;
	next->points = scratch->candidate[0].points;
	rc = killset_make(snapshot, &scratch->domain, next->task, &killed, &kills);
	if (rc == 0)
		rc = killset_free_estimate(snapshot, &scratch->domain, killed, kills,
					   grown_by(snapshot, question, scratch, killed, kills), &freed);
	if (rc < 0)
		return rc;
	free(freed.share);
	next->useful = freed.useful;
	*extra += freed.relief;
	mark_gone(killed, kills, gone);
	return 0;
}

/* Follows the kills until one helps, or the trigger itself is dead. */
static int follow(const struct oom_snapshot *snapshot, const struct oom_question *question, uint64_t extra,
		  struct oom_forecast *forecast)
{
	AUTO(free_p) bool *gone = calloc(snapshot->tasks ? snapshot->tasks : 1, sizeof(*gone));
	struct oom_forecast scratch = {.domain = forecast->domain}; /* borrows the domain */
	enum oom_useful useful = forecast->useful;
	int rc = 0;

	if (!gone)
		return -ENOMEM;
	mark_gone(forecast->killed, forecast->kills, gone);
	forecast->then = calloc(CHAIN_MAX, sizeof(*forecast->then));
	if (!forecast->then)
		return -ENOMEM;
	while (useful != OOM_USEFUL && forecast->thens < CHAIN_MAX &&
	       (question->task == OOM_NOBODY || !gone[question->task])) {
		struct oom_then next;
		rc = next_kill(snapshot, question, &scratch, gone, &extra, &next);
		if (rc < 0 || next.task == OOM_NOBODY)
			break;
		forecast->then[forecast->thens++] = next;
		useful = next.useful;
	}
	free(scratch.candidate);
	free(scratch.skipped);
	return rc;
}

static int copy_warnings(const struct oom_snapshot *snapshot, struct oom_forecast *forecast)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < snapshot->warnings; i++)
		rc = oom_warn(forecast, "%s", snapshot->warning[i]);
	return rc;
}

static int foretell(const struct oom_snapshot *snapshot, const struct oom_question *question,
		    struct oom_forecast *forecast)
{
	uint64_t relief = 0;
	size_t victim;
	int rc = badness_rank(snapshot, question, NULL, 0, forecast);

	if (rc < 0)
		return rc;
	forecast->is_complete = snapshot->is_complete && !snapshot->has_unknown_limits &&
				forecast->skipped_count[OOM_SKIP_UNREADABLE] == 0;
	forecast->useful = OOM_USEFUL_UNKNOWN;
	forecast->outcome = decide(snapshot, question, forecast, &victim);
	if (victim != OOM_NOBODY) {
		rc = first_kill(snapshot, question, victim, forecast, &relief);
		if (rc == 0)
			rc = follow(snapshot, question, relief, forecast);
	}
	if (rc == 0)
		rc = certainty_judge(snapshot, question, forecast);
	return rc == 0 ? copy_warnings(snapshot, forecast) : rc;
}

int oom_forecast_make(const struct oom_snapshot *snapshot, const struct oom_question *question,
		      struct oom_forecast *forecast, struct cgpol_error *err)
{
	AUTO(oom_forecast_clear) struct oom_forecast made = {0};
	int rc = domain_find(snapshot, question, &made.domain, err);

	if (rc < 0)
		return rc;
	rc = foretell(snapshot, question, &made);
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "out of memory");
	*forecast = made;
	memset(&made, 0, sizeof(made));
	return 0;
}
