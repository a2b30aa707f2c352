/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol set: changes settings of cgroups, of processes and of the machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "set.h"

static const struct opt options[] = {
	{"pid", 0, OPT_PIDS, OPT_AT(set_config, pids), "PID[,PID...]", NULL,
	 "settings of processes are for these"},
	{"tasks", 0, OPT_FLAG, OPT_AT(set_config, tasks), NULL, NULL,
	 "and for all processes of the cgroups, until no new one appears"},
	{"reset-affinity", 0, OPT_FLAG, OPT_AT(set_config, reset_affinity), NULL, NULL,
	 "give all threads of the cgroups all cpus that these have"},
	{"leaf", 0, OPT_STRING, OPT_AT(set_config, leaf), "NAME", NULL,
	 "move processes that are in the way into this child of their cgroup"},
	{"force", 0, OPT_FLAG, OPT_AT(set_config, force), NULL, NULL, "though a guard finds it harmful"},
	{0},
};

static int usage(struct cgpol_error *err, const char *value, const char *hint, const char *sentence)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "%s", sentence);
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

/* A path that begins with a slash may have "=" in its names. */
static bool is_setting(const char *word)
{
	return word[0] != '/' && strchr(word, '=') != NULL;
}

static int take_words(struct set *set, struct cgpol_error *err)
{
	const struct words *words = &set->cli->words;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < words->count; i++)
		rc = is_setting(words->word[i]) ? assignments_add(&set->assignments, words->word[i], err)
						: cgroups_add(&set->cgroups, words->word[i], err);
	return rc;
}

/* Which settings go with what was named. */
static int check(const struct set *set, struct cgpol_error *err)
{
	const struct set_config *config = set->config;
	size_t tasks = assignments_count(&set->assignments, KEY_TASK);
	size_t cgroup = assignments_count(&set->assignments, KEY_CGROUP);

	if (set->assignments.count == 0 && !config->reset_affinity)
		return usage(err, NULL, "usage: cgpol set [OPTION...] [CGROUP...] KEY=VALUE...",
			     "there is nothing to set");
	if (cgroup > 0 && set->cgroups.count == 0)
		return usage(err, NULL, "cgpol set /web memory.max=1G",
			     "a setting of a cgroup is given, and no cgroup");
	if ((config->tasks || config->reset_affinity) && set->cgroups.count == 0)
		return usage(err, NULL, NULL, "--tasks and --reset-affinity want a cgroup");
	if (tasks > 0 && config->pids.count == 0 && !config->tasks)
		return usage(err, NULL, "--pid PID names some, --tasks takes all of the cgroup",
			     "a setting of processes is given, and no process");
	if (tasks == 0 && (config->pids.count > 0 || config->tasks))
		return usage(err, NULL, "cgpol set --pid 123 oom_score_adj=500",
			     "processes are named, and no setting of processes is given");
	if (config->reset_affinity && assignments_has(&set->assignments, "affinity"))
		return usage(err, NULL, NULL, "--reset-affinity and affinity=LIST exclude each other");
	if (set->cgroups.count > 0 && cgroup == 0 && !config->tasks && !config->reset_affinity)
		return usage(err, set->cgroups.name[0], "cgpol help set",
			     "a cgroup is named, and nothing to set on it");
	return 0;
}

static void set_clear(struct set *set)
{
	cgroups_clear(&set->cgroups);
	warnings_clear(&set->warnings);
	assignments_clear(&set->assignments);
	tasks_told_clear(&set->told);
}

/* ---- what is told ---- */

static void put_setting(struct json *json, const char *target, const struct assignment *item,
			const char *result)
{
	json_open_object(json, NULL);
	json_put_name(json, "target", target);
	json_put_name(json, "key", item->key);
	json_put_name(json, "value", item->value);
	json_put_text(json, "result", result);
	json_close(json);
}

/* Of each setting one result for each thing that it was for. */
static void put_settings(const struct set *set, struct json *json)
{
	const char *result = set_only_tells(set) ? "planned" : "ok";

	json_open_array(json, "settings");
	for (size_t i = 0; i < set->assignments.count; i++) {
		const struct assignment *item = &set->assignments.item[i];
		bool is_of_cgroups = item->scope == KEY_CGROUP ||
				     (item->scope == KEY_TASK && set->config->tasks);

		if (item->scope == KEY_HOST)
			put_setting(json, "machine", item, result);
		for (size_t j = 0; is_of_cgroups && j < set->cgroups.count; j++)
			put_setting(json, set->cgroups.name[j], item, result);
		for (size_t j = 0; item->scope == KEY_TASK && j < set->config->pids.count; j++) {
			char target[32];

			(void)snprintf(target, sizeof(target), "pid %d", set->config->pids.pid[j]);
			put_setting(json, target, item, result);
		}
	}
	json_close(json);
}

static void put_json(void *arg, struct json *json)
{
	const struct set *set = arg;

	put_settings(set, json);
	if (!set->has_tasks) {
		json_put_null(json, "tasks");
		return;
	}
	json_open_object(json, "tasks");
	json_put_u64(json, "changed", set->told.changed);
	json_put_u64(json, "unchanged", set->told.unchanged);
	json_put_u64(json, "gone", set->told.gone);
	json_put_u64(json, "rounds", set->told.rounds);
	json_close(json);
}

static void put_warnings(void *arg, struct json *json)
{
	const struct set *set = arg;

	warnings_put(&set->warnings, json);
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(set_clear) struct set set = {.cli = cli, .config = config};
	struct change_request request = {
		.plan = set_plan,
		.then = set_then,
		.put_json = put_json,
		.put_warnings = put_warnings,
		.arg = &set,
		.is_forced = set.config->force,
		.goes_on = &set.goes_on,
	};
	int rc = take_words(&set, err);

	if (rc == 0)
		rc = check(&set, err);
	return rc < 0 ? rc : change_run(cli, &request, err);
}

const struct cmd cmd_set = {
	.name = "set",
	.summary = "Change settings of a cgroup, of processes or of the machine",
	.usage = "[OPTION...] [CGROUP...] KEY=VALUE...",
	.about = "KEY is a file of the cgroup (memory.max), a setting of processes (oom_score_adj,\n"
		 "affinity) or of the machine (vm.swappiness); cgpol explain-key tells what each is.\n"
		 "All of it is done, or nothing. Only what differs is written.",
	.operands = "cgroups settings",
	.options = options,
	.config_size = sizeof(struct set_config),
	.run = run,
};
