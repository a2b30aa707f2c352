/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup of cgpol run: which one, making it, and taking it away. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "act/delegated.h"
#include "act/outcome.h"
#include "act/reap.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/mark.h"
#include "policy/policy.h"

enum {
	SHOWN_SIZE = 200, /* of a name in a sentence */
	APPLY_TRIES = 4,  /* another cgpol may remove a parent while we make a child in it */
	COMM_MAX = 32,
	TRIES = 10, /* of 10 ms, for processes that are about to end */
	OOM_TRIES = 100,
	LINGER_MS = 1000, /* how long the kernel may take to let go of what has been killed */
	REMOVE_MS = 2000, /* for all tries together: signals are blocked meanwhile */
};

static const char default_parent[] = "cgpol";
static const char hint_without[] = "--no-cgroup does without, and sets cpus, memory policy and score only";

/* What a cgroup may be called for a command: the last part of its path, made harmless. */
static void name_command(const char *command, char name[static COMM_MAX + 1])
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
	const char *slash = strrchr(command, '/'), *last = slash ? slash + 1 : command;
	size_t size = 0;

	for (; size < COMM_MAX && last[size]; size++) {
		name[size] = last[size];
		if (!strchr(good, last[size]))
			name[size] = '_';
	}
	if (size == 0 || name[0] == '-' || name[0] == '.')
		name[0] = '_';
	name[size > 0 ? size : 1] = '\0';
}

/* /cgpol/<comm>-<pid> for root; for others, root of a user namespace among them, below the nearest cgroup
 * that was handed over to them. */
static int name_own(struct run *run, struct cgpol_error *err)
{
	AUTO(free_p) char *above = NULL;
	char comm[COMM_MAX + 1];
	int rc = 0;

	if (!delegated_is_root(run->host))
		rc = delegated_find(run->host, &above, err);
	if (rc < 0)
		return rc;
	name_command(run->cli->words.word[0], comm);
	if (asprintf(&run->parent, "%s/%s", above && strcmp(above, "/") != 0 ? above : "", default_parent) <
	    0) {
		run->parent = NULL;
		return error_no_memory(err);
	}
	if (asprintf(&run->cgroup, "%s/%s-%d", run->parent, comm, getpid()) < 0) {
		run->cgroup = NULL;
		return error_no_memory(err);
	}
	return 0;
}

/* Failures harm nobody: the next one tries again. */
bool run_tidy(const struct run *run)
{
	struct reaped reaped = {0};
	char shown[SHOWN_SIZE];
	bool is_changed;

	if (!run->parent || reap(run->host, run->parent, false, false, &reaped, NULL) < 0)
		return false;
	for (size_t i = 0; run->cli->verbose && i < reaped.count; i++)
		cli_note(run->cli, "removed %s, which a killed cgpol left",
			 text_escape(reaped.name[i], shown, sizeof(shown)));
	is_changed = reaped.count > 0;
	reaped_clear(&reaped);
	return is_changed;
}

int run_find_cgroup(struct run *run, struct cgpol_error *err)
{
	if (run->config->no_cgroup)
		return 0;
	if (!run->host->cgroup2) {
		int rc = host_need_cgroup2(run->host, err);

		error_detail(err, err->file, err->value, hint_without);
		return rc;
	}
	return run->config->cgroup ? cgroup_name(run->config->cgroup, &run->cgroup, err) : name_own(run, err);
}

int run_plan(struct run *run, struct cgpol_error *err)
{
	struct plan *plan;
	int rc;

	if (!run->cgroup)
		return 0;
	rc = plan_read(run->host, run->policy, run->cgroup, "memory", &plan, err);
	if (rc < 0)
		return rc;
	plan_free(run->plan);
	run->plan = plan;
	plan->is_kept = run->config->keep;
	return 0;
}

/* Did this run make it? Another one may have been faster since the plan was made. */
static bool has_made(const struct run *run, const char *cgroup)
{
	for (size_t i = 0; i < run->plan->steps; i++)
		if (run->plan->step[i].op == STEP_MKDIR && strcmp(run->plan->step[i].cgroup, cgroup) == 0)
			return !apply_is_idle(&run->applied, i);
	return false;
}

static bool is_left_over(const struct run *run)
{
	struct mark mark = {0};

	return mark_read(run->host, run->cgroup, &mark) == 0 && mark.kind == MARK_OWNED &&
	       mark_is_stale(run->host, &mark);
}

/* One that is there already is left there, unless a killed cgpol made it: then it becomes ours. Not to be
 * kept yet: when the command cannot be started, it is again what was left behind. */
static void adopt(struct run *run)
{
	bool is_made = has_made(run, run->cgroup);

	run->is_adopted = !is_made && is_left_over(run) && mark_set(run->host, run->cgroup, MARK_OWNED) == 0;
	run->is_own = is_made || run->is_adopted;
}

void run_keep(const struct run *run)
{
	if (run->is_adopted && run->config->keep)
		(void)mark_set(run->host, run->cgroup, MARK_KEPT);
}

/* The start would not end, and no signal but SIGKILL would end the waiting for it. */
static int check_frozen(const struct run *run, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];
	int rc;

	/* A new child of the root, or of a new child of where we live ourselves, can only be frozen by what
	 * was set. */
	if (has_made(run, run->cgroup) &&
	    (run->parent ? has_made(run, run->parent) : !strchr(run->cgroup + 1, '/')) &&
	    !policy_get(run->policy, "cgroup.freeze"))
		return 0;
	rc = outcome_is_frozen(run->host, run->cgroup);
	if (rc <= 0)
		return rc < 0 ? error_no_memory(err) : 0;
	text_escape(run->cgroup, shown, sizeof(shown));
	(void)error_set(err, EBUSY, CGPOL_REFUSED, "%s is frozen: nothing starts in it", shown);
	error_detail(err, "cgroup.freeze", shown,
		     "write 0 into cgroup.freeze of it or of the one above that is frozen");
	return -EBUSY;
}

int run_apply(struct run *run, struct cgpol_error *err)
{
	int rc = 0;

	if (!run->cgroup)
		return 0;
	run->before = (struct oom_kills){0};
	for (int i = 0; i < APPLY_TRIES; i++) {
		struct cgpol_error failure = {0};

		if (i > 0)
			rc = run_plan(run, err);
		if (i > 0 && rc < 0)
			return rc;
		rc = apply_plan(run->host, run->plan, run->policy, &run->applied, &failure);
		if (rc < 0 && err)
			*err = failure;
		if (rc != -ENOENT && rc != -ENODEV)
			break;
	}
	if (rc == -EROFS && err)
		error_detail(err, err->file, err->value, hint_without);
	if (rc < 0)
		return rc;
	run->is_applied = true;
	adopt(run);
	rc = check_frozen(run, err);
	if (rc < 0 || has_made(run, run->cgroup))
		return rc;
	return oomline_count(run->host, run->cgroup, &run->before) < 0 ? error_no_memory(err) : 0;
}

/* For a failure after the cgroup was made, but before there is a command. */
void run_undo(struct run *run)
{
	char shown[SHOWN_SIZE];
	int rc = 0;

	if (run->is_applied)
		rc = apply_undo(run->host, run->plan, &run->applied);
	if (rc < 0 && run->is_own && !run->config->keep)
		rc = reap_own(run->host, run->cgroup, LINGER_MS);
	/* Who made them may have found our cgroup in them, and gone. */
	if (run->cgroup && !run->config->keep)
		reap_parents(run->host, run->cgroup);
	if (rc < 0 && rc != -ENOENT)
		cli_note(run->cli, "%s could not be put back to how it was: %s",
			 text_escape(run->cgroup, shown, sizeof(shown)), strerror(-rc));
	run->is_applied = false;
}

static unsigned now_ms(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned)now.tv_sec * 1000 + (unsigned)(now.tv_nsec / 1000000);
}

void run_remove(struct run *run)
{
	const struct timespec tick = {.tv_nsec = 10000000};
	unsigned start = now_ms(), spent = 0;
	char shown[SHOWN_SIZE];
	int rc;

	/* The cgpol that made it may have ended while ours went on in it. */
	if (!run->cgroup || run->config->keep || (!run->is_own && !is_left_over(run)))
		return;
	rc = reap_own(run->host, run->cgroup, LINGER_MS);
	/* What was killed together with the command (Ctrl-C, an OOM kill) may need a moment longer. */
	for (int left = run->has_oom ? OOM_TRIES : TRIES; rc == -EBUSY && left > 0; left--) {
		(void)nanosleep(&tick, NULL);
		spent = now_ms() - start;
		if (spent >= REMOVE_MS)
			break;
		rc = reap_own(run->host, run->cgroup,
			      REMOVE_MS - spent < LINGER_MS ? REMOVE_MS - spent : LINGER_MS);
	}
	text_escape(run->cgroup, shown, sizeof(shown));
	if (rc == -EBUSY)
		cli_note(run->cli, "processes are left in %s: \"cgpol reap\" removes it when they have ended",
			 shown);
	else if (rc < 0 && rc != -ENOENT && rc != -ENODEV)
		cli_note(run->cli, "%s could not be removed: %s", shown, strerror(-rc));
}
