/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol stat: memory by process and node, and by cgroup and node. */
#include "stat.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static const struct opt options[] = {
	{"pid", 0, OPT_PIDS, OPT_AT(stat_config, pids), "PID[,PID...]", NULL, "these processes"},
	{"cgroup", 0, OPT_STRINGS, OPT_AT(stat_config, cgroups), "CGROUP", NULL,
	 "this cgroup and those below it"},
	{"zeros", 'z', OPT_FLAG, OPT_AT(stat_config, zeros), NULL, NULL, "nodes without memory too"},
	TABLE_OPTIONS(stat_config, style),
	{0},
};

const struct column stat_columns[] = {
	[STAT_PID] = {"PID", COLUMN_RIGHT, "process id"},
	[STAT_NAME] = {"NAME", 0, "command name"},
	[STAT_CGROUP] = {"CGROUP", 0, "cgroup"},
	[STAT_NODE] = {"NODE", COLUMN_RIGHT, "node, or \"all\""},
	[STAT_TOTAL] = {"TOTAL", COLUMN_RIGHT, "sum of the kinds that follow, without SWAP"},
	[STAT_ANON] = {"ANON", COLUMN_RIGHT, "anonymous memory"},
	[STAT_FILE] = {"FILE", COLUMN_RIGHT, "file pages: mapped ones, of a cgroup all page cache"},
	[STAT_SHMEM] = {"SHMEM", COLUMN_RIGHT, "shared memory and tmpfs"},
	[STAT_HUGE] = {"HUGE", COLUMN_RIGHT, "hugetlb pages of a process"},
	[STAT_KERNEL] = {"KERNEL", COLUMN_RIGHT, "slab, stacks and page tables of a cgroup"},
	[STAT_SWAP] = {"SWAP", COLUMN_RIGHT, "swapped out; on no node"},
	{0},
};

/* Something that was asked for by name is missing: the others are still shown. The first failure is the one
 * that counts. */
static int miss(struct cli *cli, const struct cgpol_error *failure, struct cgpol_error *err)
{
	cli_print_error(cli, failure);
	if (!cli->is_told)
		*err = *failure;
	cli->is_told = true;
	return failure->code ? -failure->code : -ESRCH;
}

static int add_pids(struct cli *cli, struct cgpol_host *host, const struct pids *pids,
		    struct cgpol_usage *usage, struct cgpol_error *err)
{
	int first = 0;

	for (size_t i = 0; i < pids->count; i++) {
		struct cgpol_error failure = {0};
		int rc = usage_add_process(host, usage, pids->pid[i], &failure);

		if (rc == -ENOMEM)
			return rc;
		if (rc < 0)
			rc = miss(cli, &failure, err);
		if (rc < 0 && first == 0)
			first = rc;
	}
	return first;
}

/* None of them is an error when there are patterns; that memory is unreadable is none. */
static int add_patterns(struct cli *cli, struct cgpol_host *host, const struct words *patterns,
			struct cgpol_usage *usage, struct cgpol_error *err)
{
	size_t before = usage->rows, unreadable = usage->unreadable;
	struct cgpol_error failure = {0};
	int rc = usage_add_matching(host, usage, patterns->word, patterns->count, err);

	if (rc < 0 || usage->rows > before || usage->unreadable > unreadable || patterns->count == 0)
		return rc;
	error_set(&failure, ESRCH, CGPOL_FAILED, "no process matches \"%s\"%s", patterns->word[0],
		  patterns->count > 1 ? " or the other patterns" : "");
	error_detail(&failure, NULL, patterns->word[0], "a pattern is looked for in the command name");
	return miss(cli, &failure, err);
}

/* Patterns of digits only are process ids, the others stay patterns. */
static int sort_words(const struct cli *cli, struct pids *pids, struct words *patterns,
		      struct cgpol_error *err)
{
	for (size_t i = 0; i < cli->words.count; i++) {
		char *word = cli->words.word[i];
		pid_t pid;
		int rc;

		if (opt_is_digits(word)) {
			rc = opt_pid("stat", word, &pid, err);
			if (rc == 0)
				rc = opt_pids_add(pids, pid);
		} else {
			rc = opt_words_add(patterns, word);
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_sorted(struct cli *cli, struct cgpol_host *host, const struct pids *pids,
		       const struct words *patterns, struct stat_view *view, struct cgpol_error *err)
{
	bool all = pids->count == 0 && view->config->cgroups.count == 0;
	int rc = 0, missed = 0;

	if (patterns->count || all)
		rc = add_patterns(cli, host, patterns, view->usage, err);
	if (rc < 0 && !cli->is_told)
		return rc;
	view->named = view->usage->rows;
	missed = add_pids(cli, host, pids, view->usage, err);
	return rc < 0 ? rc : missed;
}

static int read_processes(struct cli *cli, struct cgpol_host *host, struct stat_view *view,
			  struct cgpol_error *err)
{
	struct words patterns = {0};
	struct pids pids = {0};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < view->config->pids.count; i++)
		rc = opt_pids_add(&pids, view->config->pids.pid[i]);
	if (rc == 0)
		rc = sort_words(cli, &pids, &patterns, err);
	if (rc == 0)
		rc = read_sorted(cli, host, &pids, &patterns, view, err);
	free(pids.pid);
	free(patterns.word);
	return rc;
}

static int read_cgroups(struct cgpol_host *host, const struct words *cgroups, struct cgpol_usage *usage,
			struct cgpol_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < cgroups->count; i++)
		rc = usage_add_cgroup(host, usage, cgroups->word[i], err);
	return rc;
}

static void note_missing(const struct cli *cli, const struct cgpol_usage *usage)
{
	if (usage->vanished)
		cli_note(cli, "%zu process%s vanished while being read", usage->vanished,
			 usage->vanished == 1 ? "" : "es");
	if (usage->forbidden)
		cli_note(cli, "%zu process%s may not be read by node: that needs the right to trace %s",
			 usage->forbidden, usage->forbidden == 1 ? "" : "es",
			 usage->forbidden == 1 ? "it" : "them");
	if (usage->unreadable > usage->forbidden)
		cli_note(cli, "%zu process%s could not be read", usage->unreadable - usage->forbidden,
			 usage->unreadable - usage->forbidden == 1 ? "" : "es");
}

static void usage_free_p(struct cgpol_usage **usage)
{
	cgpol_usage_free(*usage);
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct stat_config *config = given;
	AUTO(usage_free_p) struct cgpol_usage *usage = NULL;
	struct stat_view view = {.config = config, .err = err};
	struct cgpol_host *host = NULL;
	int rc = stat_choose(&view, err), printed;

	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0)
		rc = usage_new(&usage);
	if (rc == 0)
		rc = read_cgroups(host, &config->cgroups, usage, err);
	if (rc != 0)
		return rc;
	view.usage = usage;
	rc = read_processes(cli, host, &view, err);
	/* What was missed leaves the others to show; anything else does not. */
	if (rc < 0 && !cli->is_told)
		return rc;
	view.failed = rc < 0;
	note_missing(cli, usage);
	printed = (cli->json ? stat_print_json : stat_print_text)(cli, &view);
	return rc < 0 ? rc : printed;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "Show memory by process and node, or by cgroup and node",
	.usage = "[OPTION...] [PATTERN...]",
	.about = "A PATTERN is an extended regular expression for the command name; one of digits is a "
		 "process "
		 "id.\nWithout any, every process is shown.",
	.operands = "pids",
	.options = options,
	.columns = stat_columns,
	.config_size = sizeof(struct stat_config),
	.run = run,
};
