/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol run: a command in a cgroup, under a policy, from its first instruction. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "act/report.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "policy/explain.h"
#include "run.h"

enum {
	STATUS_FAILED = 125,  /* env(1)'s */
	STATUS_NOT_RUN = 126, /* found, but it could not be started */
	STATUS_NOT_FOUND = 127,
	STATUS_SIGNAL = 128, /* and the signal's number */
	BEGIN_TRIES = 8,
};

static void run_clear(struct run *run)
{
	policy_free(run->policy);
	plan_free(run->plan);
	places_clear(&run->places);
	mempolicy_clear(&run->memory);
	mempolicy_clear(&run->effective);
	mempolicy_clear(&run->started.effective);
	nodeset_clear(&run->cpus);
	oomline_clear(&run->oom);
	close_p(&run->started.pidfd);
	free(run->cgroup);
	free(run->parent);
	free(run->report);
}

static uint64_t now_us(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* A relative name is kept as it is now: a folder that is renamed or removed meanwhile changes nothing. */
static int find_report(struct run *run, struct cgpol_error *err)
{
	const char *path = run->config->report;
	AUTO(free_p) char *directory = *path == '/' ? strdup("/") : getcwd(NULL, 0);
	int rc = directory ? 0 : errno;

	if (rc == 0)
		return report_check(run->host, directory, path, &run->report, err);
	(void)error_set(err, rc, CGPOL_FAILED,
			"cannot write the report: the current folder cannot be found: %s", strerror(rc));
	error_detail(err, NULL, path, "name the report with its whole path, from /");
	return -rc;
}

/* Nothing is changed yet: all that can be found wrong before is found here. */
static int prepare(struct run *run, struct cgpol_error *err)
{
	int rc = run_check(run, err);

	if (rc == 0)
		rc = policy_new(&run->policy);
	if (rc == 0)
		rc = run_settings(run->config, run->policy, err);
	if (rc == 0)
		rc = cli_host(run->cli, &run->host, err);
	if (rc < 0)
		return rc;
	if (!run->cli->dry_run && (run->cli->root || run->cli->record)) {
		(void)error_set(err, EROFS, CGPOL_REFUSED, "nothing can be run with --%s",
				run->cli->root ? "root" : "record");
		error_detail(err, NULL, run->cli->root ? run->cli->root : run->cli->record,
			     "with --dry-run too it tells what would be done");
		return -EROFS;
	}
	if (run->config->report)
		rc = find_report(run, err);
	if (rc == 0)
		rc = run_find_cgroup(run, err);
	if (rc == 0)
		rc = run_plan(run, err);
	return rc < 0 ? rc : run_place(run, err);
}

/* The exit status of a failure to start, as env(1) has them. */
static void set_failure(const struct run *run, enum spawn_stage stage, int rc)
{
	if (stage == SPAWN_EXEC)
		run->cli->status = rc == -ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

static int start(struct run *run, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset mems = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(close_p) int cgroup = -1;
	struct spawn spawn = {
		.argv = run->cli->words.word,
		.cpus = run->has_cpus ? &run->cpus : NULL,
		.policy = run->has_memory ? &run->memory : NULL,
		.effective = run->has_memory ? &run->effective : NULL,
		.oom_score_adj = run->has_adj ? &run->adj : NULL,
		.mask = &run->signals.before,
		.ignored = &run->signals.ignored,
		.defaults = &run->signals.defaults,
	};
	int rc = run->cgroup ? spawn_open_cgroup(run->host, run->cgroup, &cgroup) : 0;

	if (rc < 0)
		return explain_start(run->host, run->cgroup, rc, err);
	spawn.cgroup = cgroup;
	rc = run->cgroup ? places_read_effective(run->host, run->cgroup, &mems, &cpus) : -ENOENT;
	if (rc < 0 && rc != -ENOENT)
		return error_set(err, -rc, CGPOL_FAILED, "cannot read the cpuset of %s: %s", run->cgroup,
				 strerror(-rc));
	if (rc == 0) {
		spawn.cgroup_mems = &mems;
		spawn.cgroup_cpus = &cpus;
	}
	run->start_us = now_us();
	rc = spawn_start(&spawn, &run->started, err);
	if (rc < 0 && run->started.stage == SPAWN_CLONE && run->cgroup)
		rc = explain_start(run->host, run->cgroup, rc, err);
	if (rc < 0)
		set_failure(run, run->started.stage, rc);
	return rc;
}

/* From the first change to the running command; a failure leaves nothing behind. */
static int begin_once(struct run *run, struct cgpol_error *err)
{
	int rc = run_apply(run, err), sig;

	sig = rc == 0 ? run_pending(&run->signals) : 0;
	if (sig != 0) {
		run->cli->status = STATUS_SIGNAL + sig;
		rc = error_set(err, EINTR, CGPOL_FAILED, "ended by a signal before the command was started");
	}
	if (rc == 0)
		rc = start(run, err);
	if (rc < 0)
		run_undo(run);
	return rc;
}

/* Another run in the same cgroup, which made it, removes it at its end: perhaps just before we are in it. */
static int begin(struct run *run, struct cgpol_error *err)
{
	int rc = run_take_signals(&run->signals);
	struct cgpol_error first = *err;

	if (rc < 0)
		return rc;
	for (int i = 0; i < BEGIN_TRIES; i++) {
		*err = first;
		rc = i > 0 || run_tidy(run) ? run_plan(run, err) : 0;
		if (rc == 0)
			rc = begin_once(run, err);
		if (!run->cgroup || run->started.stage != SPAWN_CLONE || (rc != -ENOENT && rc != -ENODEV))
			break;
	}
	return rc;
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? STATUS_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* After the command: what goes wrong here is told, and leaves its status alone. */
static void finish(struct run *run)
{
	struct cgpol_error failure = {0};

	run->cli->status = status_of(run->status);
	run_tell_oom(run);
	if (run->report && run_save_report(run, &failure) < 0)
		cli_print_error(run->cli, &failure);
	run_remove(run);
}

static int run_command(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(run_clear)
	struct run run = {.cli = cli, .config = config, .started.pidfd = -1, .oom.limit = UINT64_MAX};
	int rc;

	/* argv ends with NULL. */
	rc = opt_words_add(&cli->words, NULL);
	if (rc < 0)
		return rc;
	cli->words.count--;
	rc = prepare(&run, err);
	if (rc < 0)
		return rc;
	if (cli->dry_run)
		return run_print_plan(&run, err);
	rc = begin(&run, err);
	if (rc < 0)
		return rc;
	run_keep(&run);
	run_tell_start(&run);
	rc = run_wait(&run);
	if (rc < 0) {
		/* It may run on: then a note names the cgroup that it is left in. */
		run_remove(&run);
		return error_set(err, -rc, CGPOL_FAILED, "cannot wait for the command: %s", strerror(-rc));
	}
	finish(&run);
	return 0;
}

const struct cmd cmd_run = {
	.name = "run",
	.summary = "Run a command in a cgroup, under a memory policy",
	.usage = "[OPTION...] [--] COMMAND [ARGUMENT...]",
	.about = "The letters are numactl's: its command lines work here, too. Without --cgroup the command "
		 "gets a\n"
		 "cgroup of its own, which is removed at the end.",
	.stops_at_word = true,
	.operands = "COMMAND",
	.failure = STATUS_FAILED,
	.options = run_options,
	.config_size = sizeof(struct run_config),
	.run = run_command,
};
