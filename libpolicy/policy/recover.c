/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back a change by its journal. */
#include "policy/recover.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"
#include "policy/aftermath.h"
#include "policy/explain.h"
#include "policy/perform.h"
#include "policy/remake.h"
#include "policy/step.h"
#include "policy/trace.h"
#include "policy/undo.h"

/* Processes that were moved out or ended are gone from cgroup.procs before the kernel lets go of the cgroup.
 */
enum { SHOWN_SIZE = 160, BUSY_MS = 1000 };

void recovery_clear(struct recovery *recovery)
{
	for (size_t i = 0; recovery->now && i < recovery->entries; i++)
		free(recovery->now[i]);
	free(recovery->now);
	free(recovery->finding);
	*recovery = (struct recovery){0};
}

int recover_make_again(struct cgpol_host *host, const char *cgroup, const char *saved)
{
	return remake_make(host, cgroup, saved);
}

int recover_save(struct cgpol_host *host, const char *cgroup, char **saved)
{
	return remake_save(host, cgroup, saved);
}

/* ---- is it this machine's, and over? ---- */

bool recover_is_running(struct cgpol_host *host, const struct journal *journal)
{
	struct proc_stat stat;

	return journal->state == JOURNAL_OPEN && journal->pid != host->root->facts.self &&
	       proc_read_stat(host, journal->pid, &stat) == 0 && stat.start_time == journal->start_time &&
	       stat.state != 'Z' && stat.state != 'X';
}

static int check_running(struct cgpol_host *host, const struct journal *journal, struct cgpol_error *err)
{
	char id[SHOWN_SIZE];

	if (!recover_is_running(host, journal))
		return 0;
	text_escape(journal->id, id, sizeof(id));
	error_set(err, EBUSY, CGPOL_FAILED, "cgpol (process %d) is still at work on change %s", journal->pid,
		  id);
	error_detail(err, NULL, id, "wait until it is done");
	return -EBUSY;
}

static int refuse(const struct journal *journal, const char *why, const char *hint, struct cgpol_error *err)
{
	char id[SHOWN_SIZE];

	text_escape(journal->id, id, sizeof(id));
	error_set(err, EXDEV, CGPOL_REFUSED, "change %s cannot be taken back: %s", id, why);
	error_detail(err, NULL, id, hint);
	return -EXDEV;
}

static bool has_steps(const struct journal *journal, bool (*is_it)(const struct step *step))
{
	for (size_t i = 0; i < journal->entries; i++) {
		if (is_it(&journal->entry[i].step))
			return true;
	}
	return false;
}

static bool is_save(const struct step *step)
{
	return step->op == STEP_SAVE;
}

/* 1 when the machine was booted since: only files that outlive that are there to be taken back. */
static int check_boot(struct cgpol_host *host, const struct journal *journal, struct cgpol_error *err)
{
	AUTO(free_p) char *boot = NULL;
	int rc = root_read(host->root, "/proc/sys/kernel/random/boot_id", &boot, NULL);

	if (rc < 0 || !*journal->boot || strcmp(boot, journal->boot) == 0)
		return rc == -ENOMEM ? error_no_memory(err) : 0;
	if (has_steps(journal, is_save))
		return 1;
	return refuse(journal, "the machine was booted since, and nothing of it is left",
		      "there is nothing to take back", err);
}

static int check_mount(struct cgpol_host *host, const struct journal *journal, struct cgpol_error *err)
{
	AUTO(free_p) char *mount = journal_mount(host);

	if (!mount)
		return error_no_memory(err);
	if (strcmp(mount, journal->mount) == 0 || !has_steps(journal, step_is_of_cgroup))
		return 0;
	return refuse(journal, "cgroup2 is mounted elsewhere than then, or another part of it",
		      "run it where the change was made: the same mount and cgroup namespace", err);
}

/* After a boot all but files have begun anew. */
static void forget_all_but_files(const struct journal *journal, struct recovery *recovery)
{
	for (size_t i = 0; i < recovery->entries; i++) {
		if (journal->entry[i].step.op != STEP_SAVE && recovery->finding[i] != RECOVER_NOTHING)
			recovery->finding[i] = RECOVER_GONE;
	}
}

int recover_look(struct cgpol_host *host, const struct journal *journal, struct recovery *recovery,
		 struct cgpol_error *err)
{
	int rc = check_running(host, journal, err), is_booted;

	is_booted = rc < 0 ? rc : check_boot(host, journal, err);
	if (is_booted < 0)
		return is_booted;
	rc = is_booted ? 0 : check_mount(host, journal, err);
	if (rc == 0 && aftermath_look(host, journal, recovery) < 0)
		rc = error_no_memory(err);
	if (rc == 0 && is_booted)
		forget_all_but_files(journal, recovery);
	return rc;
}

/* ---- taking it back ---- */

struct recovering {
	struct cgpol_host *host;
	const struct journal *journal;
	struct recovery *recovery;
	struct cgpol_error *err;
	int first; /* -errno of the first failure, whose sentence is in *err */
	size_t failures;
};

static int refuse_changed(struct recovering *run)
{
	char what[SHOWN_SIZE], value[97];

	for (size_t i = run->recovery->entries; i-- > 0;) {
		if (run->recovery->finding[i] != RECOVER_CHANGED)
			continue;
		step_describe(&run->journal->entry[i].step, what, sizeof(what));
		text_escape(run->recovery->now[i] ? run->recovery->now[i] : "", value, sizeof(value));
		if (run->recovery->now[i])
			error_set(run->err, ESTALE, CGPOL_REFUSED,
				  "%s is \"%s\": neither what the change wrote nor what was there before",
				  what, value);
		else
			error_set(run->err, ESTALE, CGPOL_REFUSED,
				  "%s is not what the change made: somebody changed it since", what);
		error_detail(run->err, what, value, "--force puts back what was there before the change");
		return -ESTALE;
	}
	return 0;
}

/* Nobody below uses it (undo.c leaves it on for any cgroup below, used or not, for what it takes back was on
 * for a moment only; here files are to be as they were). */
static int disable(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, "cgroup.subtree_control");
	AUTO(free_p) char *minus = NULL;

	if (aftermath_is_used(host, step->cgroup, step->new_value + 1))
		return UNDO_STAYS;
	if (!path || asprintf(&minus, "-%s", step->new_value + 1) < 0) {
		minus = NULL; /* asprintf(3) leaves it undefined */
		return -ENOMEM;
	}
	return root_write(host->root, path, minus);
}

static void wait_empty(struct cgpol_host *host, const char *cgroup)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	if (subtree_list(host, cgroup, &tree) == 0)
		(void)subtree_wait(host, &tree, BUSY_MS, NULL);
}

static int remove_cgroup(struct cgpol_host *host, const struct step *step)
{
	int rc = undo_step(host, step, NULL);

	if (rc == -EBUSY) {
		wait_empty(host, step->cgroup);
		rc = undo_step(host, step, NULL);
	}
	return rc == -EBUSY || rc == -ENOTEMPTY ? UNDO_STAYS : rc;
}

/* undo.c leaves a process where somebody moved it on to; who forces wants it back from there too. */
static int move_back(struct cgpol_host *host, const struct step *step)
{
	const struct performer performer = {.host = host};
	int rc = perform_check_process(host, step);

	rc = rc < 0 ? rc : perform_attach(&performer, step, step->old_value);
	return rc == -ESRCH ? 0 : rc;
}

/* What has the same effect as the empty list that does not come back. */
static int widen(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *widest = trace_read_widest(host, step);
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
	int rc = widest && path ? root_write(host->root, path, widest) : -ENOSPC;

	return rc < 0 ? rc : UNDO_STAYS;
}

static int put_back(struct cgpol_host *host, const struct step *step)
{
	int rc = undo_step(host, step, step->old_value);

	return rc == -ENOSPC && step->op == STEP_SET ? widen(host, step) : rc;
}

static int take_back(struct recovering *run, size_t i)
{
	const struct step *step = &run->journal->entry[i].step;

	switch (step->op) {
	case STEP_ATTACH:
		return run->recovery->finding[i] == RECOVER_CHANGED
			       ? move_back(run->host, step)
			       : undo_step(run->host, step, step->old_value);
	case STEP_MKDIR:
		return remove_cgroup(run->host, step);
	case STEP_ENABLE:
		return disable(run->host, step);
	/* Goes with its cgroup. */
	case STEP_THREADED:
		return 0;
	default:
		return put_back(run->host, step);
	}
}

/* The sentence of the first failure is the one that is told. */
static void fail(struct recovering *run, size_t i, int rc, const char *now)
{
	const struct step *step = &run->journal->entry[i].step;
	struct step back = *step;
	char what[SHOWN_SIZE], value[97];

	run->recovery->finding[i] = RECOVER_STAYS;
	if (run->first < 0)
		return;
	run->first = rc;
	back.new_value = step->old_value;
	if (step->op == STEP_SET && !now) {
		(void)explain_step(run->host, &back, rc, run->err);
		return;
	}
	step_describe(step, what, sizeof(what));
	text_escape(now ? now : "", value, sizeof(value));
	if (now)
		error_set(run->err, -rc, CGPOL_FAILED, "%s is \"%s\" after it was put back", what, value);
	else
		error_set(run->err, -rc, CGPOL_FAILED, "%s cannot be put back: %s", what, strerror(-rc));
	error_detail(run->err, what, now ? value : NULL, NULL);
}

static void take_back_entry(struct recovering *run, size_t i)
{
	int rc = take_back(run, i);

	if (rc == UNDO_STAYS)
		run->recovery->finding[i] = RECOVER_STAYS;
	else if (rc < 0 && rc != -ENOENT && rc != -ENODEV)
		fail(run, i, rc, NULL);
	else
		run->recovery->finding[i] = RECOVER_PUT_BACK;
}

/* In reverse, all of one finding, or of two. */
static void take_back_all(struct recovering *run, const struct recovery *by, bool is_forced)
{
	for (size_t i = by->entries; i-- > 0;) {
		if (by->finding[i] == RECOVER_PUT_BACK || (by->finding[i] == RECOVER_CHANGED && is_forced))
			take_back_entry(run, i);
	}
}

/* What is there now replaces what was there before; of what was put back nothing may be left. True when it is
 * as it was. */
static bool compare(struct recovering *run, const struct recovery *after, bool is_told)
{
	bool is_same = true;

	for (size_t i = after->entries; i-- > 0;) {
		bool is_left = after->finding[i] == RECOVER_PUT_BACK || after->finding[i] == RECOVER_CHANGED;

		if (run->recovery->finding[i] != RECOVER_PUT_BACK)
			continue;
		if (is_left && is_told)
			fail(run, i, -EIO, after->now[i] ? after->now[i] : "");
		is_same = is_same && !is_left;
	}
	return is_same;
}

/* One file may change another (overcommit_ratio and _kbytes, an affinity within a cpuset): what differs when
 * all is done gets a second try. */
static int check_all(struct recovering *run)
{
	AUTO(recovery_clear) struct recovery after = {0};
	int rc = aftermath_look(run->host, run->journal, &after);

	if (rc == 0 && !compare(run, &after, false)) {
		for (size_t i = 0; i < after.entries; i++) {
			if (run->recovery->finding[i] != RECOVER_PUT_BACK)
				after.finding[i] = RECOVER_NOTHING;
		}
		take_back_all(run, &after, true);
		rc = aftermath_look(run->host, run->journal, &after);
	}
	if (rc < 0)
		return error_no_memory(run->err);
	(void)compare(run, &after, true);
	for (size_t i = 0; i < after.entries; i++) {
		free(run->recovery->now[i]);
		run->recovery->now[i] = TAKE(after.now[i]);
	}
	return 0;
}

/* An empty list of a cpuset with processes is all of a value that may stay. */
static void describe_staying(const struct step *step, char *what, size_t size)
{
	size_t used;

	step_describe(step, what, size);
	used = strlen(what);
	if (step->op == STEP_SET && step->old_value && !*step->old_value)
		(void)snprintf(what + used, size - used,
			       ", which cannot be emptied while processes are in it,");
}

static int tell_what_stays(struct recovering *run)
{
	char what[SHOWN_SIZE + 64] = "", more[64] = "", id[SHOWN_SIZE];
	size_t stays = 0;

	for (size_t i = run->recovery->entries; i-- > 0;) {
		const struct step *step = &run->journal->entry[i].step;

		if (run->recovery->finding[i] != RECOVER_STAYS || stays++ > 0)
			continue;
		if (step->op == STEP_ENABLE)
			(void)snprintf(what, sizeof(what), "controller %.60s, which others use by now,",
				       step->new_value + 1);
		else
			describe_staying(step, what, sizeof(what));
	}
	if (stays == 0)
		return 0;
	if (stays > 1)
		(void)snprintf(more, sizeof(more), " and %zu more", stays - 1);
	text_escape(run->journal->id, id, sizeof(id));
	error_set(run->err, EBUSY, CGPOL_PARTIAL, "change %s is taken back, but %s%s stays", id, what, more);
	error_detail(run->err, what, id, NULL);
	return -EBUSY;
}

int recover_apply(struct cgpol_host *host, const struct journal *journal, bool is_forced,
		  struct recovery *recovery, struct cgpol_error *err)
{
	struct recovering run = {.host = host, .journal = journal, .recovery = recovery, .err = err};
	int rc;

	if (!host->root->ops->write)
		return error_set(err, EROFS, CGPOL_REFUSED, "a capture cannot be changed");
	rc = recover_look(host, journal, recovery, err);
	if (rc == 0 && !is_forced)
		rc = refuse_changed(&run);
	if (rc < 0)
		return rc;
	take_back_all(&run, recovery, is_forced);
	rc = check_all(&run);
	if (rc < 0)
		return rc;
	if (run.first < 0)
		return error_wrap(err, run.first, "taking change %s back", journal->id);
	return tell_what_stays(&run);
}
