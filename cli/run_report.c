/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol run tells: the plan, the start, an OOM kill, the report. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "act/outcome.h"
#include "act/report.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "size.h"
#include "steps.h"

enum { SHOWN_SIZE = 200 };

/* ---- memory policy ---- */

static void put_flags(struct json *json, unsigned flags)
{
	json_open_array(json, "flags");
	if (flags & MEMPOLICY_STATIC)
		json_put_text(json, NULL, "static");
	if (flags & MEMPOLICY_RELATIVE)
		json_put_text(json, NULL, "relative");
	if (flags & MEMPOLICY_BALANCING)
		json_put_text(json, NULL, "balancing");
	json_close(json);
}

/* As asked; `nodes` as the kernel makes them of it. */
static int put_policy(struct json *json, const struct run *run)
{
	const struct mempolicy bare = {.mode = run->memory.mode};
	AUTO(free_p) char *mode = NULL;
	AUTO(free_p) char *asked = NULL;
	AUTO(free_p) char *nodes = NULL;

	if (!run->has_memory) {
		json_put_null(json, "policy");
		return 0;
	}
	mode = mempolicy_format(&bare);
	asked = nodeset_format(&run->memory.nodes);
	nodes = nodeset_format(&run->effective.nodes);
	if (!mode || !asked || !nodes)
		return -ENOMEM;
	json_open_object(json, "policy");
	json_put_text(json, "mode", mode);
	put_flags(json, run->memory.flags);
	json_put_text(json, "asked", asked);
	json_put_text(json, "nodes", nodes);
	json_close(json);
	return 0;
}

static int put_cpus(struct json *json, const char *key, const struct run *run)
{
	AUTO(free_p) char *cpus = run->has_cpus ? nodeset_format(&run->cpus) : NULL;

	if (run->has_cpus && !cpus)
		return -ENOMEM;
	json_put_text(json, key, cpus);
	return 0;
}

static void put_command(struct json *json, const struct run *run)
{
	const struct words *words = &run->cli->words;

	json_open_array(json, "command");
	for (size_t i = 0; i < words->count; i++)
		json_put_name(json, NULL, words->word[i]);
	json_close(json);
}

static void put_cgroup(struct json *json, const struct run *run)
{
	if (run->cgroup)
		json_put_name(json, "cgroup", run->cgroup);
	else
		json_put_null(json, "cgroup");
}

/* ---- the plan ---- */

static void put_step(struct json *json, const struct step *step)
{
	json_open_object(json, NULL);
	json_put_text(json, "op", steps_op_name(step->op));
	json_put_name(json, "target", step->cgroup);
	json_put_text(json, "file", step->file);
	json_put_text(json, "old", step->old_value);
	json_put_text(json, "new", step->new_value);
	json_put_null(json, "result");
	json_put_bool(json, "irreversible", false);
	json_close(json);
}

static int put_process(struct json *json, const struct run *run)
{
	int rc = put_policy(json, run);

	if (rc == 0)
		rc = put_cpus(json, "affinity", run);
	if (run->has_adj)
		json_put_int(json, "oom_score_adj", run->adj);
	else
		json_put_null(json, "oom_score_adj");
	return rc;
}

static int print_plan_json(struct run *run)
{
	AUTO(json_free_p) struct json *json = json_new();
	int rc;

	if (!json)
		return -ENOMEM;
	put_cgroup(json, run);
	json_open_array(json, "steps");
	for (size_t i = 0; run->plan && i < run->plan->steps; i++)
		put_step(json, &run->plan->step[i]);
	json_close(json);
	put_command(json, run);
	rc = put_process(json, run);
	return rc < 0 ? rc : cli_print_json(run->cli, json);
}

/* What the command gets before exec; `before` begins each line. */
static int print_process(FILE *out, const char *before, const struct run *run)
{
	AUTO(free_p) char *cpus = NULL;
	AUTO(free_p) char *memory = NULL;
	AUTO(free_p) char *nodes = NULL;

	if (run->has_adj)
		(void)fprintf(out, "%soom_score_adj: %d\n", before, run->adj);
	if (run->has_cpus) {
		cpus = nodeset_format(&run->cpus);
		if (!cpus)
			return -ENOMEM;
		(void)fprintf(out, "%saffinity: %s\n", before, cpus);
	}
	if (run->has_memory) {
		memory = mempolicy_format(&run->memory);
		nodes = nodeset_format(&run->effective.nodes);
		if (!memory || !nodes)
			return -ENOMEM;
		(void)fprintf(out, "%smemory policy: %s%s%s\n", before, memory,
			      *nodes ? ", in effect on " : "", nodes);
	}
	return 0;
}

int run_print_plan(struct run *run, struct cgpol_error *err)
{
	char command[SHOWN_SIZE];
	int rc = 0;

	(void)err;
	if (run->plan && run->plan->steps > 0)
		run->cli->status = CGPOL_PARTIAL;
	if (run->cli->json)
		return print_plan_json(run);
	if (run->plan)
		rc = steps_print_shell(run->host, run->plan, run->cli->out);
	if (rc == 0)
		rc = print_process(run->cli->out, "# ", run);
	(void)fprintf(run->cli->out, "# run %s%s%s\n",
		      text_escape(run->cli->words.word[0], command, sizeof(command)),
		      run->cli->words.count > 1 ? " ..." : "",
		      run->cgroup ? "" : ", without a cgroup of its own");
	return rc;
}

/* ---- the start, for -v ---- */

void run_tell_start(const struct run *run)
{
	char cgroup[SHOWN_SIZE];

	if (!run->cli->verbose)
		return;
	cli_note(run->cli, "started process %d%s%s", run->started.pid, run->cgroup ? " in " : "",
		 run->cgroup ? text_escape(run->cgroup, cgroup, sizeof(cgroup)) : "");
	if (run->started.was_moved && run->cgroup)
		cli_note(run->cli, "the process moved itself into its cgroup, before exec: clone3(2) is "
				   "blocked here, or forgets the cpuset");
	(void)print_process(stderr, "", run);
}

/* ---- an OOM kill ---- */

/* "/x reached its memory.max of 100M" */
static void format_reason(const struct oomline *oom, char *text, size_t size)
{
	char cgroup[SHOWN_SIZE] = "a cgroup above it", nodes[SHOWN_SIZE], limit[SIZE_TEXT];

	if (oom->cgroup)
		text_escape(oom->cgroup, cgroup, sizeof(cgroup));
	text_escape(oom->nodes ? oom->nodes : "?", nodes, sizeof(nodes));
	switch (oom->constraint) {
	case CGPOL_CONSTRAINT_MEMCG:
		if (oom->limit == UINT64_MAX)
			(void)snprintf(text, size, "%s reached its limit", cgroup);
		else
			(void)snprintf(text, size, "%s%s reached its memory.max of %s",
				       oom->is_guess ? "probably " : "", cgroup,
				       size_short(oom->limit, limit));
		return;
	case CGPOL_CONSTRAINT_CPUSET:
		(void)snprintf(text, size, "no memory is left on the nodes of its cpuset (%s)", nodes);
		return;
	case CGPOL_CONSTRAINT_MEMORY_POLICY:
		(void)snprintf(text, size, "no memory is left on the nodes of its memory policy (%s)", nodes);
		return;
	case CGPOL_CONSTRAINT_NONE:
		(void)snprintf(text, size, "no memory is left on this machine");
		return;
	case CGPOL_CONSTRAINT_DERIVED:
		break;
	}
	(void)snprintf(text, size, "the reason is in the kernel's log");
}

static void tell(const struct run *run, uint64_t killed)
{
	const struct oomline *oom = &run->oom;
	const char *command = strrchr(run->cli->words.word[0], '/');
	char reason[2 * SHOWN_SIZE], comm[SHOWN_SIZE], others[64] = "";
	pid_t pid = oom->pid;

	command = command ? command + 1 : run->cli->words.word[0];
	format_reason(oom, reason, sizeof(reason));
	if (killed > 1)
		(void)snprintf(others, sizeof(others), " and %llu more", (unsigned long long)killed - 1);
	if (pid == 0 && WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGKILL)
		pid = run->started.pid;
	if (pid == 0)
		cli_note(run->cli, "the OOM killer killed %s of %s: %s",
			 killed > 1 ? "processes" : "a process",
			 text_escape(run->cgroup ? run->cgroup : command, comm, sizeof(comm)), reason);
	else
		cli_note(run->cli, "the OOM killer killed %s (pid %d)%s: %s",
			 text_escape(*oom->comm ? oom->comm : command, comm, sizeof(comm)), pid, others,
			 reason);
}

/* The counters tell that there was a kill, the log tells why. Without counters (no memory controller) only a
 * record about the command itself counts, and only one from its lifetime. */
void run_tell_oom(struct run *run)
{
	/* The log's clock (sched_clock) is not slewed, the monotonic one is: by up to 500 ppm
	 * (include/linux/timex.h MAXFREQ), and twice that is allowed for. */
	uint64_t slack = 1000000 + run->start_us / 1000;
	bool is_killed = WIFSIGNALED(run->status) && WTERMSIG(run->status) == SIGKILL;
	struct oom_kills after = {0};
	uint64_t killed, since = run->start_us > slack ? run->start_us - slack : 1;
	int rc;

	if (run->cgroup)
		(void)oomline_count(run->host, run->cgroup, &after);
	killed = after.is_known ? after.processes - run->before.processes : 0;
	if (after.is_known ? killed == 0 : !is_killed)
		return;
	rc = oomline_read(run->host, after.is_known ? run->cgroup : NULL, run->started.pid, since, &run->oom);
	if (rc < 0 && !after.is_known)
		return;
	if (rc < 0)
		run->oom = (struct oomline){.constraint = CGPOL_CONSTRAINT_DERIVED, .limit = UINT64_MAX};
	run->has_oom = true;
	tell(run, killed);
}

/* ---- the report ---- */

static const char *const constraint_words[] = {
	[CGPOL_CONSTRAINT_NONE] = "none",
	[CGPOL_CONSTRAINT_CPUSET] = "cpuset",
	[CGPOL_CONSTRAINT_MEMORY_POLICY] = "memory_policy",
	[CGPOL_CONSTRAINT_MEMCG] = "memcg",
};

static void put_oom(struct json *json, const struct run *run)
{
	const struct oomline *oom = &run->oom;

	if (!run->has_oom) {
		json_put_null(json, "oom");
		return;
	}
	json_open_object(json, "oom");
	if (oom->pid)
		json_put_int(json, "pid", oom->pid);
	else
		json_put_null(json, "pid");
	if (*oom->comm)
		json_put_name(json, "comm", oom->comm);
	else
		json_put_null(json, "comm");
	json_put_text(json, "constraint",
		      oom->constraint == CGPOL_CONSTRAINT_DERIVED ? NULL : constraint_words[oom->constraint]);
	json_put_text(json, "nodes", oom->nodes);
	if (oom->cgroup)
		json_put_name(json, "oom_memcg", oom->cgroup);
	else
		json_put_null(json, "oom_memcg");
	if (oom->limit == UINT64_MAX)
		json_put_null(json, "limit");
	else
		json_put_u64(json, "limit", oom->limit);
	json_close(json);
}

static uint64_t micros(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

static int put_outcome(struct json *json, const struct run *run)
{
	AUTO(outcome_clear) struct outcome outcome = {.memory_max = UINT64_MAX};
	int rc = run->cgroup ? outcome_read(run->host, run->cgroup, &outcome) : 0;

	if (rc < 0)
		return rc;
	json_open_object(json, "effective");
	json_put_text(json, "cpus", outcome.cpus);
	json_put_text(json, "mems", outcome.mems);
	if (outcome.has_max && outcome.memory_max != UINT64_MAX)
		json_put_u64(json, "memory_max", outcome.memory_max);
	else
		json_put_null(json, "memory_max");
	rc = put_cpus(json, "affinity", run);
	if (run->has_adj)
		json_put_int(json, "oom_score_adj", run->adj);
	else
		json_put_null(json, "oom_score_adj");
	json_close(json);
	json_open_object(json, "usage");
	json_put_u64(json, "user_us", micros(&run->usage.ru_utime));
	json_put_u64(json, "system_us", micros(&run->usage.ru_stime));
	/* getrusage(2): in KiB */
	json_put_u64(json, "max_rss", (uint64_t)run->usage.ru_maxrss * 1024);
	if (outcome.has_peak)
		json_put_u64(json, "memory_peak", outcome.peak);
	else
		json_put_null(json, "memory_peak");
	json_close(json);
	return rc;
}

static int fill_report(struct json *json, const struct run *run)
{
	int rc;

	put_command(json, run);
	put_cgroup(json, run);
	json_put_int(json, "pid", run->started.pid);
	json_put_int(json, "status", run->cli->status);
	if (WIFSIGNALED(run->status))
		json_put_int(json, "signal", WTERMSIG(run->status));
	else
		json_put_null(json, "signal");
	put_oom(json, run);
	rc = put_policy(json, run);
	return rc < 0 ? rc : put_outcome(json, run);
}

int run_save_report(struct run *run, struct cgpol_error *err)
{
	AUTO(json_free_p) struct json *json = json_new();
	AUTO(free_p) char *text = NULL;
	AUTO(fclose_p) FILE *out = NULL;
	size_t size = 0;
	int rc;

	out = json ? open_memstream(&text, &size) : NULL;
	rc = out ? fill_report(json, run) : -ENOMEM;
	if (rc == 0)
		rc = json_print(json, out);
	if (rc == 0 && fflush(out) != 0)
		rc = -ENOMEM;
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "the report cannot be made: %s", strerror(-rc));
	return report_save(run->host, run->report, text, err);
}
