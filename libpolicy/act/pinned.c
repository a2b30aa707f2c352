/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads whose own affinity leaves them fewer cpus than the cgroup that they were moved to has. */
#include "act/pinned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/cause.h"

enum {
	STEPS_MAX = 1024,
	NO_SETAFFINITY = 0x04000000, /* PF_NO_SETAFFINITY of include/linux/sched.h */
};

struct pinned {
	struct cgpol_host *host;
	const struct move_request *request;
	char *list; /* cpuset.cpus.effective of the target */
	struct nodeset cpus;
	struct plan *plan; /* of the affinities, NULL: only counted */
};

static void clear(struct pinned *pinned)
{
	free(pinned->list);
	nodeset_clear(&pinned->cpus);
	plan_free(pinned->plan);
}

/* 1: it has fewer cpus than the cgroup; *own is its list then. 0: no, or it cannot be read. */
static int is_pinned(const struct pinned *pinned, pid_t pid, pid_t tid, char **own)
{
	AUTO(nodeset_clear_p) struct nodeset allowed = {0};
	AUTO(free_p) char *text = NULL;
	char path[64];
	struct span list;
	char *copy;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (root_read(pinned->host->root, path, &text, NULL) < 0)
		return 0;
	list = text_field_span(text, "Cpus_allowed_list");
	copy = list.at ? span_dup(list) : NULL;
	if (!copy || nodeset_parse(copy, NODESET_CPUS_MAX, &allowed, NULL) < 0 ||
	    nodeset_contains(&allowed, &pinned->cpus)) {
		free(copy);
		return 0;
	}
	*own = copy;
	return 1;
}

static int add_step(struct pinned *pinned, pid_t tid, char *own)
{
	struct proc_stat stat;
	struct step step = {
		.op = STEP_AFFINITY,
		.pid = tid,
		.old_value = own,
		.new_value = pinned->list,
		.is_optional = true,
		.why = "the thread may use all cpus of the cgroup",
	};

	/* The kernel refuses it for its threads that are bound, and a plan that cannot work is not made. */
	if (proc_read_stat(pinned->host, tid, &stat) < 0 || (stat.flags & NO_SETAFFINITY))
		return 0;
	step.start_time = stat.start_time;
	return plan_add(pinned->plan, &step);
}

static int look_at(struct pinned *pinned, struct moved *moved)
{
	AUTO(free_p) pid_t *tids = NULL;
	pid_t alone = moved->pid;
	size_t count = 1;
	int rc = 0;

	moved->pinned = 0;
	if (!pinned->request->is_thread && proc_threads(pinned->host, moved->pid, &tids, &count) < 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		pid_t tid = tids ? tids[i] : alone;
		AUTO(free_p) char *own = NULL;

		if (!is_pinned(pinned, moved->pid, tid, &own))
			continue;
		moved->pinned++;
		if (pinned->plan)
			rc = add_step(pinned, tid, own);
	}
	return rc;
}

static bool is_there(const struct moved *moved, bool is_done)
{
	return moved->result == MOVE_MOVED || moved->result == MOVE_THERE ||
	       (!is_done && moved->result == MOVE_PLANNED);
}

static int count(struct pinned *pinned, struct moves *moves, bool is_done)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < moves->count; i++)
		if (is_there(&moves->moved[i], is_done))
			rc = look_at(pinned, &moves->moved[i]);
	return rc;
}

static int keep_plan(struct moves *moves, struct plan *plan)
{
	struct plan **more = reallocarray(moves->plan, moves->plans + 1, sizeof(struct plan *));

	if (!more) {
		plan_free(plan);
		return -ENOMEM;
	}
	moves->plan = more;
	more[moves->plans++] = plan;
	return 0;
}

/* Hands the steps over to plans that are not too long for a run, and does them. */
static int run_plan(struct pinned *pinned, struct change *change, struct moves *moves,
		    struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *all = TAKE(pinned->plan);
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < all->steps;) {
		struct plan *part = NULL;

		if (plan_new(NULL, &part) < 0)
			return error_no_memory(err);
		for (; rc == 0 && at < all->steps && part->steps < STEPS_MAX; at++)
			rc = plan_add(part, &all->step[at]);
		if (rc < 0)
			plan_free(part);
		else
			rc = keep_plan(moves, part);
		if (rc < 0)
			return error_no_memory(err);
		if (change)
			rc = change_apply(change, part, NULL, err);
	}
	return rc;
}

int pinned_settle(struct cgpol_host *host, struct change *change, const struct move_request *request,
		  struct moves *moves, struct cgpol_error *err)
{
	AUTO(clear) struct pinned pinned = {.host = host, .request = request};
	int rc;

	pinned.list = cause_read(host, request->to, "cpuset.cpus.effective");
	if (!pinned.list || nodeset_parse(pinned.list, NODESET_CPUS_MAX, &pinned.cpus, NULL) < 0)
		return 0;
	if (request->resets_affinity && plan_new(NULL, &pinned.plan) < 0)
		return error_no_memory(err);
	if (count(&pinned, moves, change != NULL) < 0)
		return error_no_memory(err);
	if (!pinned.plan)
		return 0;
	rc = run_plan(&pinned, change, moves, err);
	if (rc == 0 && change && count(&pinned, moves, true) < 0)
		return error_no_memory(err);
	return rc;
}
