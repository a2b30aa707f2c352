/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One change of the machine: locked, written down before it is made, all or nothing. */
#include "policy/change.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/proc.h"
#include "host/state.h"
#include "policy/journal.h"
#include "policy/journalstore.h"
#include "policy/rollback.h"

enum { ID_SIZE = 80, ID_TRIES = 1000 };

/* What was appended to the first journal is kept, so that a second one can begin later. */
struct text {
	char *at;
	size_t size, room;
};

struct change {
	struct cgpol_host *host;
	struct cgroupfs *fs;
	struct state *state, *persistent;
	char *persistent_path;
	char *command;
	char id[ID_SIZE];   /* empty: nothing was written down yet */
	bool is_persistent; /* the second journal has begun */
	bool is_over;
	struct text written;
	struct progress *progress; /* one for each plan */
	size_t plans;
	size_t *first; /* the number of each plan's first step */
	size_t steps;  /* of all plans */
};

/* ---- the journal ---- */

static int explain_journal(const struct change *change, const struct state *state, int rc,
			   struct cgpol_error *err)
{
	char shown[192];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(state_path(state), shown, sizeof(shown));
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot write down in %s what is about to be changed: %s",
			shown, strerror(-rc));
	error_detail(err, shown, change->id,
		     rc == -ENOSPC ? "make room there, or use --state DIR" : "use --state DIR");
	return rc;
}

static int keep_text(struct text *text, const char *more)
{
	size_t size = strlen(more), wanted = text->size + size + 1, room = text->room ? text->room : 256;
	char *at;

	while (room < wanted)
		room *= 2;
	if (room > text->room || !text->at) {
		at = realloc(text->at, room);
		if (!at)
			return -ENOMEM;
		text->at = at;
		text->room = room;
	}
	memcpy(text->at + text->size, more, size + 1);
	text->size += size;
	return 0;
}

/* Takes the lines over, also when it fails. */
static int append(struct change *change, char *lines, struct cgpol_error *err)
{
	AUTO(free_p) char *text = lines;
	int rc = text && keep_text(&change->written, text) == 0 ? state_append(change->state, text) : -ENOMEM;

	if (rc < 0)
		return explain_journal(change, change->state, rc, err);
	rc = change->is_persistent ? state_append(change->persistent, text) : 0;
	return rc < 0 ? explain_journal(change, change->persistent, rc, err) : 0;
}

static void begin_id(struct change *change)
{
	const struct root_facts *facts = &change->host->root->facts;
	time_t now = (time_t)facts->time;
	struct tm tm = {0};

	(void)gmtime_r(&now, &tm);
	(void)snprintf(change->id, sizeof(change->id), "%04d%02d%02dT%02d%02d%02d-%d", tm.tm_year + 1900,
		       tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)facts->self);
}

/* Pids are given again, and one process may make more than one change in a second. */
static int create_file(struct change *change)
{
	size_t size;
	int rc;

	begin_id(change);
	size = strlen(change->id);
	rc = state_create(change->state, change->id);
	for (unsigned i = 2; rc == -EEXIST && i < ID_TRIES; i++) {
		(void)snprintf(change->id + size, sizeof(change->id) - size, "-%u", i);
		rc = state_create(change->state, change->id);
	}
	return rc;
}

static char *head(const struct change *change)
{
	struct cgpol_host *host = change->host;
	AUTO(free_p) char *boot = NULL;
	AUTO(free_p) char *mount = journal_mount(host);
	char id[ID_SIZE];
	struct journal journal = {.command = change->command, .mount = mount};
	struct proc_stat stat;

	(void)snprintf(id, sizeof(id), "%s", change->id);
	(void)root_read(host->root, "/proc/sys/kernel/random/boot_id", &boot, NULL);
	if (!boot)
		boot = strdup("");
	if (!boot || !mount)
		return NULL;
	journal.id = id;
	journal.boot = boot;
	journal.time = host->root->facts.time;
	journal.uid = host->root->facts.uid;
	journal.pid = host->root->facts.self;
	if (proc_read_stat(host, journal.pid, &stat) == 0)
		journal.start_time = stat.start_time;
	return journal_begin(&journal);
}

/* The first time the head goes before the steps, all in one append. */
static int write_plan(struct change *change, const struct plan *plan, struct cgpol_error *err)
{
	bool is_first = change->id[0] == '\0';
	AUTO(free_p) char *steps = journal_plan(plan, change->steps);
	AUTO(free_p) char *begin = NULL;
	char *lines;
	int rc = is_first ? create_file(change) : 0;

	if (rc < 0) {
		change->id[0] = '\0';
		return explain_journal(change, change->state, rc, err);
	}
	if (is_first)
		begin = head(change);
	if (!steps || (is_first && !begin))
		return error_no_memory(err);
	if (asprintf(&lines, "%s%s", begin ? begin : "", steps) < 0)
		return error_no_memory(err);
	return append(change, lines, err);
}

static bool outlives_boot(const struct plan *plan)
{
	for (size_t i = 0; i < plan->steps; i++) {
		if (plan->step[i].op == STEP_SAVE)
			return true;
	}
	return false;
}

/* All that was written so far goes into the second journal too, of the same name. */
static int begin_persistent(struct change *change, struct cgpol_error *err)
{
	int rc = state_open(change->persistent_path, true, &change->persistent, err);

	rc = rc < 0 ? rc : state_lock(change->persistent, CHANGE_LOCK_MS, err);
	if (rc < 0)
		return rc;
	(void)journal_prune(change->persistent, JOURNAL_KEEP);
	rc = state_create(change->persistent, change->id);
	rc = rc < 0 ? rc : state_append(change->persistent, change->written.at);
	if (rc < 0)
		return explain_journal(change, change->persistent, rc, err);
	change->is_persistent = true;
	return 0;
}

/* ---- what apply tells ---- */

struct watcher {
	struct change *change;
	size_t plan;
};

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static int write_old(void *arg, size_t step, const char *old, struct cgpol_error *err)
{
	const struct watcher *watcher = arg;
	struct change *change = watcher->change;
	const struct step *planned = &change->progress[watcher->plan].plan->step[step];

	if (is_same_text(old, planned->old_value))
		return 0;
	return append(change, journal_old(change->first[watcher->plan] + step, old), err);
}

/* A cgroup that somebody else made is not to be removed, whatever happens next. */
static void write_foreign(void *arg, size_t step, enum step_result result, int rc)
{
	const struct watcher *watcher = arg;
	struct change *change = watcher->change;
	const struct plan *plan = change->progress[watcher->plan].plan;

	(void)rc;
	if (result == STEP_UNCHANGED && plan->step[step].op == STEP_MKDIR)
		(void)append(change, journal_result(change->first[watcher->plan] + step, result), NULL);
}

/* The results of one plan that are worth a line; DONE is what a step is taken for. */
static int add_results(const struct change *change, size_t plan, struct text *lines)
{
	const struct progress *progress = &change->progress[plan];

	for (size_t i = 0; i < progress->steps; i++) {
		AUTO(free_p) char *line = NULL;

		if (progress->result[i] == STEP_DONE || progress->result[i] == STEP_PENDING)
			continue;
		line = journal_result(change->first[plan] + i, progress->result[i]);
		if (!line || keep_text(lines, line) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* ---- the way back ---- */

static int write_end(struct change *change, enum journal_state state, struct cgpol_error *err)
{
	AUTO(free_p) char *end = NULL;
	struct text lines = {0};
	int rc = 0;

	if (change->id[0] == '\0')
		return 0;
	end = journal_end(state);
	for (size_t i = 0; rc == 0 && state != JOURNAL_DONE && i < change->plans; i++)
		rc = add_results(change, i, &lines);
	if (rc < 0 || !end || keep_text(&lines, end) < 0) {
		free(lines.at);
		return error_no_memory(err);
	}
	return append(change, lines.at, err);
}

static bool is_any_touched(const struct change *change)
{
	for (size_t i = 0; i < change->plans; i++) {
		for (size_t j = 0; j < change->progress[i].steps; j++) {
			if (change->progress[i].is_touched[j] ||
			    change->progress[i].result[j] == STEP_UNCHANGED)
				return true;
		}
	}
	return false;
}

/* Takes back all plans in reverse. `err`, which says already what failed, learns how that went. */
static void take_back(struct change *change, struct cgpol_error *err)
{
	struct cgpol_error told = {0};
	bool is_any = is_any_touched(change);
	bool is_whole;

	change->is_over = true;
	for (size_t i = change->plans; i-- > 0;)
		(void)rollback(change->host, &change->progress[i], NULL, NULL);
	is_whole = rollback_tell(change->progress, change->plans, is_any && err ? err : &told);
	/* What cannot be written down now, recovery finds out by itself. */
	(void)write_end(change, is_whole ? JOURNAL_FAILED : JOURNAL_STUCK, NULL);
}

/* ---- a change ---- */

static int refuse_capture(struct cgpol_error *err)
{
	(void)error_set(err, EROFS, CGPOL_REFUSED, "a capture of another machine cannot be changed");
	error_detail(err, NULL, NULL, "leave --root and --record out, or ask with --dry-run");
	return -EROFS;
}

int change_open(struct cgpol_host *host, const struct change_setup *setup, struct change **change,
		struct cgpol_error *err)
{
	AUTO(change_close_p) struct change *made = NULL;
	int rc;

	if (!host->root->ops->write)
		return refuse_capture(err);
	made = calloc(1, sizeof(*made));
	if (!made)
		return error_no_memory(err);
	made->host = host;
	made->fs = setup->fs;
	made->command = strdup(setup->command ? setup->command : "");
	made->persistent_path = setup->persistent ? strdup(setup->persistent) : NULL;
	if (!made->command || (setup->persistent && !made->persistent_path))
		return error_no_memory(err);
	rc = state_open(setup->state, true, &made->state, err);
	rc = rc < 0 ? rc : state_lock(made->state, CHANGE_LOCK_MS, err);
	if (rc < 0)
		return rc;
	(void)journal_prune(made->state, JOURNAL_KEEP);
	*change = TAKE(made);
	return 0;
}

static int add_plan(struct change *change, const struct plan *plan)
{
	struct progress *progress = reallocarray(change->progress, change->plans + 1, sizeof(*progress));
	size_t *first;

	if (!progress)
		return -ENOMEM;
	change->progress = progress;
	first = reallocarray(change->first, change->plans + 1, sizeof(*first));
	if (!first)
		return -ENOMEM;
	change->first = first;
	if (progress_begin(&progress[change->plans], plan) < 0)
		return -ENOMEM;
	first[change->plans++] = change->steps;
	change->steps += plan->steps;
	return 0;
}

/* What did not go as it was planned, in one append. */
static int write_results(struct change *change, size_t plan, struct cgpol_error *err)
{
	struct text lines = {0};

	if (add_results(change, plan, &lines) < 0) {
		free(lines.at);
		return error_no_memory(err);
	}
	return lines.at ? append(change, lines.at, err) : 0;
}

int change_apply(struct change *change, const struct plan *plan, const struct cgpol_policy *policy,
		 struct cgpol_error *err)
{
	struct watcher watcher = {change, change->plans};
	const struct apply_watch watch = {write_old, write_foreign, &watcher};
	const struct apply_run run = {change->host, change->fs, &watch};
	int rc;

	if (change->is_over)
		return error_set(err, EINVAL, CGPOL_FAILED, "the change is over already");
	if (plan->steps > APPLY_LONG_MAX)
		return error_set(err, E2BIG, CGPOL_USAGE, "more than %d steps", APPLY_LONG_MAX);
	rc = plan->steps > 0 ? write_plan(change, plan, err) : 0;
	if (rc == 0 && !change->is_persistent && change->persistent_path && outlives_boot(plan))
		rc = begin_persistent(change, err);
	if (rc == 0 && add_plan(change, plan) < 0)
		rc = error_no_memory(err);
	rc = rc < 0 ? rc : apply_on(&run, policy, &change->progress[watcher.plan], err);
	rc = rc < 0 ? rc : write_results(change, watcher.plan, err);
	if (rc < 0)
		take_back(change, err);
	return rc;
}

enum step_result change_result(const struct change *change, const struct plan *plan, size_t step)
{
	for (size_t i = 0; i < change->plans; i++) {
		if (change->progress[i].plan == plan && step < plan->steps)
			return change->progress[i].result[step];
	}
	return STEP_PENDING;
}

int change_abort(struct change *change, struct cgpol_error *err)
{
	if (change->is_over)
		return 0;
	take_back(change, err);
	for (size_t i = change->plans; i-- > 0;) {
		if (change->progress[i].stuck_rc < 0)
			return change->progress[i].stuck_rc;
	}
	return 0;
}

int change_commit(struct change *change, struct cgpol_error *err)
{
	int rc;

	if (change->is_over)
		return error_set(err, EINVAL, CGPOL_FAILED, "the change is over already");
	rc = write_end(change, JOURNAL_DONE, err);
	if (rc < 0)
		take_back(change, err);
	change->is_over = true;
	return rc;
}

const char *change_id(const struct change *change)
{
	return change->id[0] ? change->id : NULL;
}

void change_close(struct change *change)
{
	if (!change)
		return;
	if (!change->is_over)
		take_back(change, NULL);
	for (size_t i = 0; i < change->plans; i++)
		progress_clear(&change->progress[i]);
	free(change->progress);
	free(change->first);
	free(change->written.at);
	free(change->persistent_path);
	free(change->command);
	state_close(change->persistent);
	state_close(change->state);
	free(change);
}
