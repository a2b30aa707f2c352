/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol predict: whom the OOM killer takes, in order, and why. */
#include "predict.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

static const char *const kind_words[] = {"user", "kernel", NULL};
static const char *const constraint_words[] = {"none", "cpuset", "memory_policy", "memcg", NULL};

static const struct opt options[] = {
	{"pid", 0, OPT_PID, OPT_AT(predict_config, pid), "PID", NULL, "this process or thread allocates"},
	{"policy", 0, OPT_STRING, OPT_AT(predict_config, policy), "MODE:NODES", NULL,
	 "the page's mapping has its own policy: bind:1, prefer:1, ..."},
	{"kind", 0, OPT_ENUM, OPT_AT(predict_config, kind), "KIND", kind_words,
	 "user, or kernel: page tables and slab"},
	{"cgroup", 0, OPT_STRING, OPT_AT(predict_config, cgroup), "CGROUP", NULL,
	 "an ordinary task of this cgroup allocates"},
	{"system", 0, OPT_FLAG, OPT_AT(predict_config, system), NULL, NULL, "an unrestricted task allocates"},
	{"constraint", 0, OPT_ENUM, OPT_AT(predict_config, constraint), "NAME", constraint_words,
	 "none, cpuset, memory_policy or memcg, instead of the derived one"},
	{"nodes", 0, OPT_STRING, OPT_AT(predict_config, nodes), "LIST", NULL,
	 "the constraint's nodes, instead of the derived ones"},
	{"top", 0, OPT_U64, OPT_AT(predict_config, top), "N", NULL, "how many candidates; 20, 0 is all"},
	{"all", 0, OPT_FLAG, OPT_AT(predict_config, all), NULL, NULL,
	 "the skipped tasks too, with the reason"},
	TABLE_OPTIONS(predict_config, style),
	{0},
};

static const struct predict_config defaults = {.constraint = CGPOL_CONSTRAINT_DERIVED, .top = 20};

const struct column predict_columns[] = {
	[PREDICT_RANK] = {"RANK", COLUMN_RIGHT, "place in the kernel's order of preference"},
	[PREDICT_PID] = {"PID", COLUMN_RIGHT, "process id"},
	[PREDICT_NAME] = {"NAME", 0, "command name"},
	[PREDICT_POINTS] = {"POINTS", COLUMN_RIGHT, "the sum by which the kernel chooses, in pages"},
	[PREDICT_RSS] = {"RSS", COLUMN_RIGHT, "resident pages"},
	[PREDICT_SWAP] = {"SWAP", COLUMN_RIGHT, "pages in swap"},
	[PREDICT_PGTABLES] = {"PGTABLES", COLUMN_RIGHT, "pages of page tables"},
	[PREDICT_GROW] = {"GROW", COLUMN_RIGHT, "pages it takes before the memory ends"},
	[PREDICT_ADJ] = {"ADJ", COLUMN_RIGHT, "oom_score_adj"},
	[PREDICT_ADJ_PAGES] = {"ADJ_PAGES", COLUMN_RIGHT, "oom_score_adj in pages"},
	[PREDICT_CGROUP] = {"CGROUP", 0, "cgroup"},
	[PREDICT_NODES] = {"NODES", 0, "memory by node"},
	{0},
};

static const char default_columns[] =
	"RANK,PID,NAME,POINTS,RSS,SWAP,PGTABLES,GROW,ADJ,ADJ_PAGES,CGROUP,NODES";

size_t predict_shown(const struct predict *predict)
{
	uint64_t top = predict->config->top;

	return top && top < predict->oom->candidates ? (size_t)top : predict->oom->candidates;
}

bool predict_tells_skipped(const struct predict *predict, const struct oom_skipped *skipped)
{
	return predict->config->all ||
	       (skipped->reason != OOM_SKIP_KTHREAD && skipped->reason != OOM_SKIP_OUTSIDE_MEMCG);
}

const char *predict_cgroup(const struct predict *predict, size_t task)
{
	size_t memcg = predict->snapshot->task[task].memcg;

	return memcg < predict->snapshot->memcgs ? predict->snapshot->memcg[memcg].name : NULL;
}

const char *predict_comm(const struct predict *predict, size_t task)
{
	const char *comm = predict->snapshot->task[task].comm;

	return comm ? comm : "";
}

const char *predict_name(const struct predict *predict, size_t task, char name[static PREDICT_NAME_SIZE])
{
	return text_escape(predict_comm(predict, task), name, PREDICT_NAME_SIZE);
}

static int reject(struct cgpol_error *err, const char *value, const char *hint, const char *sentence)
{
	error_set(err, EINVAL, CGPOL_USAGE, "%s", sentence);
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

/* Which options go together. */
static int check(const struct predict_config *config, struct cgpol_error *err)
{
	int questions = (config->pid != 0) + (config->cgroup != NULL) + config->system;

	if (questions == 0)
		return reject(err, NULL, "give one of --pid PID, --cgroup CGROUP and --system",
			      "predict needs to know who allocates");
	if (questions > 1)
		return reject(err, NULL, "give one of them",
			      "--pid, --cgroup and --system exclude each other");
	if (!config->pid && config->policy)
		return reject(err, config->policy, "for others, --constraint memory_policy --nodes LIST",
			      "--policy tells of a mapping of a process: it needs --pid");
	if (!config->pid && config->kind)
		return reject(err, kind_words[config->kind], NULL,
			      "--kind tells what a process allocates: it needs --pid");
	if (config->kind && config->policy)
		return reject(
			err, config->policy, NULL,
			"--policy does not go with --kind kernel: the kernel's own memory belongs to no "
			"mapping");
	if (config->nodes &&
	    (config->constraint == CGPOL_CONSTRAINT_NONE || config->constraint == CGPOL_CONSTRAINT_MEMCG))
		return reject(err, config->nodes, "nodes belong to --constraint cpuset and memory_policy",
			      "--nodes does not go with --constraint none or memcg");
	return 0;
}

static int take_word(const struct cli *cli, struct predict_config *config, struct cgpol_error *err)
{
	int rc = cli_no_words(cli, 1, err);

	if (rc < 0 || cli->words.count == 0)
		return rc;
	if (config->pid)
		return reject(err, cli->words.word[0], NULL, "one process is asked for, and two are named");
	return opt_pid("predict", cli->words.word[0], &config->pid, err);
}

static int print(struct cli *cli, const struct predict_config *config, const struct table_choice *choice,
		 const struct cgpol_forecast *forecast)
{
	const struct predict predict = {
		.config = config,
		.choice = choice,
		.snapshot = snapshot_values(forecast->snapshot),
		.question = snapshot_question(forecast->snapshot),
		.oom = &forecast->oom,
	};

	return cli->json ? predict_print_json(cli, &predict) : predict_print_text(cli, &predict);
}

static void forecast_free_p(struct cgpol_forecast **forecast)
{
	cgpol_forecast_free(*forecast);
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	struct predict_config config = *(const struct predict_config *)given;
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	AUTO(forecast_free_p) struct cgpol_forecast *forecast = NULL;
	struct table_choice choice;
	struct cgpol_host *host = NULL;
	int rc = take_word(cli, &config, err);

	if (rc == 0)
		rc = check(&config, err);
	if (rc == 0)
		rc = table_choose(predict_columns, default_columns, config.style.columns, &choice, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc != 0)
		return rc;
	question.tid = config.pid;
	question.cgroup = config.cgroup;
	question.policy = config.policy;
	question.nodes = config.nodes;
	question.constraint = config.constraint;
	question.kernel = config.kind;
	rc = forecast_make(host, &question, (size_t)config.top, &forecast, err);
	return rc < 0 ? rc : print(cli, &config, &choice, forecast);
}

const struct cmd cmd_predict = {
	.name = "predict",
	.summary = "Foretell whom the OOM killer takes, in order, and why",
	.usage = "[OPTION...] --pid PID | --cgroup CGROUP | --system",
	.about = "Nothing is changed. The exit code is 0 whatever is foretold.",
	.operands = "pids",
	.options = options,
	.columns = predict_columns,
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.run = run,
};
