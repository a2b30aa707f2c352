/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving processes, or threads, into a cgroup: round by round, each told apart. */
#include "act/move.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "act/await.h"
#include "act/denied.h"
#include "act/pinned.h"
#include "act/siblings.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"

enum { SHOWN_SIZE = 160, INIT = 1, STEPS_MAX = 1024 /* of one plan, well below APPLY_STEPS_MAX */ };

/* One run of move. */
struct mover {
	struct cgpol_host *host;
	struct change *change;
	const struct move_request *request;
	struct moves *moves;
	regex_t *regex; /* NULL: all */
	uint64_t end;	/* in milliseconds of the monotonic clock; 0: none */
	size_t first;	/* of this round, in moves->moved */
};

const char *move_result_name(enum move_result result)
{
	static const char *const names[] = {"planned", "moved", "there", "gone", "denied"};

	return names[result];
}

void moves_clear(struct moves *moves)
{
	for (size_t i = 0; i < moves->count; i++)
		free(moves->moved[i].from);
	for (size_t i = 0; i < moves->plans; i++)
		plan_free(moves->plan[i]);
	free(moves->moved);
	free(moves->plan);
	*moves = (struct moves){0};
}

/* Grown by doubling: a cgroup may have many thousands. */
static struct moved *add_moved(struct moves *moves)
{
	if ((moves->count & (moves->count - 1)) == 0) {
		size_t room = moves->count ? 2 * moves->count : 1;
		struct moved *more = reallocarray(moves->moved, room, sizeof(*more));

		if (!more)
			return NULL;
		moves->moved = more;
	}
	moves->moved[moves->count] = (struct moved){0};
	return &moves->moved[moves->count++];
}

static int add_plan(struct mover *mover, struct plan **plan)
{
	struct moves *moves = mover->moves;
	struct plan **more = reallocarray(moves->plan, moves->plans + 1, sizeof(struct plan *));

	if (!more)
		return -ENOMEM;
	moves->plan = more;
	if (plan_new(mover->request->to, &more[moves->plans]) < 0)
		return -ENOMEM;
	*plan = more[moves->plans++];
	return 0;
}

static bool is_wanted(const struct mover *mover, const char *comm)
{
	const struct move_request *request = mover->request;

	if (request->comm && strcmp(request->comm, comm) != 0)
		return false;
	return !mover->regex || regexec(mover->regex, comm, 0, NULL, 0) == 0;
}

/* A named number without is_thread must be a process: the kernel moves a whole process by any of its threads
 * (PAIN P10). */
static int deny_thread(struct mover *mover, pid_t pid, struct cgpol_error *why)
{
	struct proc_status status = {0};
	pid_t tgid;
	char hint[160];
	int rc;

	if (mover->request->is_thread || !mover->request->pid ||
	    proc_read_status(mover->host, pid, &status) < 0)
		return 0;
	tgid = status.tgid;
	proc_status_clear(&status);
	if (tgid == pid)
		return 0;
	rc = error_set(why, EINVAL, CGPOL_REFUSED, "%d is a thread of process %d", (int)pid, (int)tgid);
	(void)snprintf(hint, sizeof(hint), "--tid moves the thread alone, --pid %d all of the process",
		       (int)tgid);
	error_detail(why, "cgroup.procs", NULL, hint);
	return rc;
}

static int deny_init(const struct mover *mover, pid_t pid, struct cgpol_error *why)
{
	int rc;

	if (pid != INIT || mover->request->is_forced)
		return 0;
	rc = error_set(why, EBUSY, CGPOL_REFUSED,
		       "process 1 is the init of this machine, and counts on being where it is");
	error_detail(why, "cgroup.procs", NULL, "--force moves it nevertheless");
	return rc;
}

/* What is known of one before it is moved. 0, or -ENOMEM. */
static int look_at(struct mover *mover, pid_t pid, struct moved *moved, struct step *step)
{
	struct proc_stat stat;
	int rc = proc_read_stat(mover->host, pid, &stat);

	moved->pid = pid;
	if (rc == 0)
		(void)strcpy(moved->comm, stat.comm);
	/* A zombie cannot be moved any more, and is no user of memory. */
	if (rc < 0 || stat.state == 'Z' || stat.state == 'X') {
		moved->result = MOVE_GONE;
		return rc == -ENOMEM ? rc : 0;
	}
	rc = proc_read_cgroup(mover->host, pid, &moved->from);
	if (rc == -ENOMEM)
		return rc;
	moved->result = proc_is_gone(rc) ? MOVE_GONE : MOVE_PLANNED;
	if (rc < 0 && moved->result == MOVE_GONE)
		return 0;
	if (rc == 0 && strcmp(moved->from, mover->request->to) == 0) {
		moved->result = MOVE_THERE;
		return 0;
	}
	if (deny_init(mover, pid, &moved->why) < 0 || deny_thread(mover, pid, &moved->why) < 0 ||
	    denied_by_kind(pid, &stat, &moved->why) < 0)
		moved->result = MOVE_DENIED;
	*step = (struct step){
		.op = STEP_ATTACH,
		.cgroup = (char *)(uintptr_t)mover->request->to,
		.old_value = moved->from,
		.is_optional = true,
		.is_thread = mover->request->is_thread,
		.pid = pid,
		.start_time = stat.start_time,
	};
	return 0;
}

static bool was_seen(const struct moves *moves, pid_t pid)
{
	for (size_t i = 0; i < moves->count; i++)
		if (moves->moved[i].pid == pid && moves->moved[i].result != MOVE_MOVED)
			return true;
	return false;
}

/* One process of a round: told at once, or a step of the plan. -ENOMEM. */
static int take(struct mover *mover, pid_t pid, struct plan *plan)
{
	struct moved *moved;
	struct step step = {0};
	char number[16];
	int rc;

	if (mover->request->from && mover->first && was_seen(mover->moves, pid))
		return 0;
	moved = add_moved(mover->moves);
	if (!moved)
		return -ENOMEM;
	rc = look_at(mover, pid, moved, &step);
	if (rc < 0)
		return rc;
	/* Of a cgroup that is emptied, those that went by themselves are what was wanted; of one that nobody
	 * has seen alive the name is not known. */
	if ((moved->result == MOVE_GONE && mover->request->from) ||
	    (moved->result != MOVE_GONE && !is_wanted(mover, moved->comm))) {
		free(moved->from);
		mover->moves->count--;
		return 0;
	}
	if (moved->result != MOVE_PLANNED)
		return 0;
	(void)snprintf(number, sizeof(number), "%d", (int)pid);
	step.new_value = number;
	return plan_add(plan, &step);
}

static struct moved *find_planned(struct mover *mover, pid_t pid)
{
	for (size_t i = mover->first; i < mover->moves->count; i++)
		if (mover->moves->moved[i].pid == pid && mover->moves->moved[i].result == MOVE_PLANNED)
			return &mover->moves->moved[i];
	return NULL;
}

/* One that is on its way out, which the kernel moves no more (kernel/cgroup/cgroup.c
 * cgroup_migrate_add_task()). */
static bool is_ending(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X' || (stat->flags & PROC_EXITING);
}

/* What came of a step: by where the process is now, and not by what was done. */
static int judge(struct mover *mover, const struct step *step, struct moved *moved)
{
	AUTO(free_p) char *now = NULL;
	struct proc_stat stat;
	int rc = proc_read_stat(mover->host, step->pid, &stat);

	if (rc == 0)
		rc = proc_read_cgroup(mover->host, step->pid, &now);
	if (rc == -ENOMEM)
		return rc;
	if (proc_is_gone(rc) || (rc == 0 && stat.start_time != step->start_time)) {
		moved->result = MOVE_GONE;
		return 0;
	}
	if (rc == 0 && strcmp(now, step->cgroup) == 0) {
		moved->result = MOVE_MOVED;
		return 0;
	}
	if (rc == 0 && is_ending(&stat)) {
		moved->result = MOVE_GONE;
		return 0;
	}
	moved->result = MOVE_DENIED;
	if (rc < 0)
		(void)error_set(&moved->why, -rc, CGPOL_FAILED, "where process %d is now cannot be read: %s",
				(int)step->pid, strerror(-rc));
	else
		(void)denied_find(mover->host, step, &stat, &moved->why);
	return 0;
}

static int judge_plan(struct mover *mover, const struct plan *plan)
{
	size_t at = mover->first;

	/* The steps are in the order of the entries, some of which have none. */
	for (size_t i = 0; i < plan->steps; i++) {
		struct moved *moved = NULL;
		int rc;

		while (at < mover->moves->count && !moved) {
			moved = &mover->moves->moved[at++];
			if (moved->pid != plan->step[i].pid || moved->result != MOVE_PLANNED)
				moved = NULL;
		}
		if (!moved)
			moved = find_planned(mover, plan->step[i].pid);
		rc = moved ? judge(mover, &plan->step[i], moved) : 0;
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Does one plan, and tells what came of each of its steps. */
static int run_plan(struct mover *mover, const struct plan *plan, struct cgpol_error *err)
{
	AUTO(siblings_clear) struct siblings siblings = {0};
	int rc;

	if (plan->steps == 0 || !mover->change)
		return 0;
	if (mover->request->is_thread && siblings_read(mover->host, plan, &siblings) < 0)
		return error_no_memory(err);
	rc = change_apply(mover->change, plan, NULL, err);
	if (rc < 0)
		return rc;
	rc = siblings_check(mover->host, &siblings, err);
	if (rc == 0)
		rc = judge_plan(mover, plan) < 0 ? error_no_memory(err) : 0;
	if (rc < 0)
		(void)change_abort(mover->change, err);
	return rc;
}

static int take_all(struct mover *mover, const pid_t *pid, size_t pids, struct cgpol_error *err)
{
	struct plan *plan = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < pids; i++) {
		if (!plan && add_plan(mover, &plan) < 0)
			return error_no_memory(err);
		if (take(mover, pid[i], plan) < 0)
			return error_no_memory(err);
		if (plan->steps == STEPS_MAX || i + 1 == pids) {
			rc = run_plan(mover, plan, err);
			plan = NULL;
		}
	}
	return rc;
}

static int fail_source(const struct mover *mover, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(mover->request->from, shown, sizeof(shown));
	if (rc == -EOPNOTSUPP) {
		rc = error_set(err, -rc, CGPOL_REFUSED,
			       "cgroup %s is threaded: its threads belong to processes of a cgroup above it",
			       shown);
		error_detail(err, "cgroup.procs", shown,
			     "--tid moves the threads; or empty the cgroup above, whose type is \"domain "
			     "threaded\"");
		return rc;
	}
	rc = error_set(err, -rc, CGPOL_FAILED, "cgroup %s: %s", shown,
		       rc == -ENOENT ? "there is no such cgroup" : strerror(-rc));
	error_detail(err, mover->request->is_thread ? "cgroup.threads" : "cgroup.procs", shown, NULL);
	return rc;
}

static int read_source(const struct mover *mover, pid_t **pid, size_t *pids)
{
	const char *from = mover->request->from;
	size_t threads = 0;
	int rc;

	if (mover->request->is_thread)
		return siblings_list(mover->host, from, pid, pids);
	rc = cgroup_procs(mover->host, from, pid, pids);
	if (rc != -EOPNOTSUPP)
		return rc;
	/* One without threads has nothing to move. */
	if (siblings_list(mover->host, from, pid, &threads) < 0)
		return rc;
	if (threads > 0) {
		free(*pid);
		*pid = NULL;
		return rc;
	}
	*pids = 0;
	return 0;
}

static size_t count_moved(const struct mover *mover)
{
	size_t count = 0;

	for (size_t i = mover->first; i < mover->moves->count; i++)
		count += mover->moves->moved[i].result != MOVE_DENIED;
	return count;
}

/* Those that are in the source still: of the last round, and what came since. */
static int count_left(struct mover *mover, struct cgpol_error *err)
{
	AUTO(free_p) pid_t *pid = NULL;
	size_t pids = 0;
	int rc = read_source(mover, &pid, &pids);

	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return fail_source(mover, rc, err);
	mover->moves->left = 0;
	for (size_t i = 0; i < pids; i++) {
		struct proc_stat stat;

		if (proc_read_stat(mover->host, pid[i], &stat) == 0 && !is_ending(&stat) &&
		    is_wanted(mover, stat.comm))
			mover->moves->left++;
	}
	return 0;
}

static int empty_source(struct mover *mover, struct cgpol_error *err)
{
	const struct move_request *request = mover->request;

	for (unsigned round = 0; round < request->rounds || round == 0; round++) {
		AUTO(free_p) pid_t *pid = NULL;
		size_t pids = 0;
		int rc = read_source(mover, &pid, &pids);

		if (rc == -ENOENT && round > 0)
			return 0;
		if (rc < 0)
			return fail_source(mover, rc, err);
		mover->first = mover->moves->count;
		rc = take_all(mover, pid, pids, err);
		if (rc < 0)
			return rc;
		mover->moves->rounds = round + 1;
		/* Nobody is new, or all that are were denied: another round would find the same. */
		if (!mover->change || count_moved(mover) == 0 || (mover->end && await_clock() >= mover->end))
			break;
	}
	return mover->change ? count_left(mover, err) : 0;
}

static int compile(const char *text, regex_t *regex, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], reason[SHOWN_SIZE];
	int rc = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);

	if (rc == 0)
		return 0;
	if (rc == REG_ESPACE)
		return error_no_memory(err);
	(void)regerror(rc, regex, reason, sizeof(reason));
	text_escape(text, shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_USAGE, "pattern \"%s\": %s", shown, reason);
	error_detail(err, NULL, shown, "patterns are extended regular expressions");
	return -EINVAL;
}

static int run(struct mover *mover, struct cgpol_error *err)
{
	const struct move_request *request = mover->request;
	int rc = 0;

	if (!request->is_new)
		rc = denied_by_cgroup(mover->host, request->to, request->is_thread, err);
	if (rc < 0)
		return rc;
	rc = request->from ? empty_source(mover, err) : take_all(mover, request->pid, request->pids, err);
	if (rc == 0)
		rc = pinned_settle(mover->host, mover->change, request, mover->moves, err);
	return rc;
}

int move(struct cgpol_host *host, struct change *change, const struct move_request *request,
	 struct moves *moves, struct cgpol_error *err)
{
	struct mover mover = {.host = host, .change = change, .request = request, .moves = moves};
	regex_t regex;
	int rc;

	if (request->milliseconds)
		mover.end = await_clock() + request->milliseconds;
	if (!request->match)
		return run(&mover, err);
	rc = compile(request->match, &regex, err);
	if (rc < 0)
		return rc;
	mover.regex = &regex;
	rc = run(&mover, err);
	regfree(&regex);
	return rc;
}
