/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol create: makes cgroups with their settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "create.h"
#include "host/cgroup.h"
#include "owner.h"

static const struct opt options[] = {
	{"set", 0, OPT_STRINGS, OPT_AT(create_config, set), "KEY=VALUE", NULL, "a setting of the cgroup"},
	{"cpus", 0, OPT_STRING, OPT_AT(create_config, cpus), "LIST", NULL, "cpuset.cpus"},
	{"mems", 0, OPT_STRING, OPT_AT(create_config, mems), "NODES", NULL, "cpuset.mems"},
	{"like", 0, OPT_STRING, OPT_AT(create_config, like), "CGROUP", NULL,
	 "with the settings that this one has"},
	{"controllers", 0, OPT_STRING, OPT_AT(create_config, controllers), "LIST", NULL,
	 "with these controllers: memory,cpuset"},
	{"delegate", 0, OPT_STRING, OPT_AT(create_config, delegate), "USER[:GROUP]", NULL,
	 "hand it over: they may make cgroups in it, and move processes there"},
	{"threaded", 0, OPT_FLAG, OPT_AT(create_config, threaded), NULL, NULL,
	 "for threads of processes that live in the cgroup above"},
	{"leaf", 0, OPT_STRING, OPT_AT(create_config, leaf), "NAME", NULL,
	 "move processes that are in the way into this child of their cgroup"},
	{"force", 0, OPT_FLAG, OPT_AT(create_config, force), NULL, NULL, "though a guard finds it harmful"},
	{0},
};

static void create_clear(struct create *create)
{
	assignments_clear(&create->assignments);
	cgroups_clear(&create->cgroups);
	warnings_clear(&create->warnings);
	free(create->like);
	for (size_t i = 0; i < create->controllers; i++)
		free(create->controller[i]);
	free(create->controller);
}

static int add_controller(struct create *create, const char *name, size_t size, struct cgpol_error *err)
{
	char **more = reallocarray(create->controller, create->controllers + 1, sizeof(*more));

	if (!more)
		return error_no_memory(err);
	create->controller = more;
	more[create->controllers] = strndup(name, size);
	if (!more[create->controllers])
		return error_no_memory(err);
	if (key_is_controller(more[create->controllers++]))
		return 0;
	(void)error_set(err, EINVAL, CGPOL_USAGE,
			"--controllers: \"%.*s\" is no controller that has settings",
			(int)(size > 64 ? 64 : size), name);
	error_detail(err, NULL, more[create->controllers - 1], "for example memory,cpuset,pids");
	return -EINVAL;
}

static int take_controllers(struct create *create, struct cgpol_error *err)
{
	const char *list = create->config->controllers;
	int rc = 0;

	while (rc == 0 && list && *list) {
		size_t size = strcspn(list, ", ");

		if (size > 0)
			rc = add_controller(create, list, size, err);
		list += size + (list[size] != '\0');
	}
	return rc;
}

static int take_settings(struct create *create, struct cgpol_error *err)
{
	const struct create_config *config = create->config;
	int rc = 0;

	if (config->cpus)
		rc = assignments_put(&create->assignments, "cpuset.cpus", config->cpus, err);
	if (rc == 0 && config->mems)
		rc = assignments_put(&create->assignments, "cpuset.mems", config->mems, err);
	for (size_t i = 0; rc == 0 && i < config->set.count; i++)
		rc = assignments_add(&create->assignments, config->set.word[i], err);
	if (rc < 0 || assignments_count(&create->assignments, KEY_CGROUP) == create->assignments.count)
		return rc;
	(void)error_set(err, EINVAL, CGPOL_USAGE,
			"--set: a cgroup that is to be made has settings of its own only");
	error_detail(err, NULL, NULL, "\"cgpol set\" changes processes and the machine");
	return -EINVAL;
}

static int take_words(struct create *create, struct cgpol_error *err)
{
	const struct words *words = &create->cli->words;
	int rc = 0;

	if (words->count == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "no cgroup to make is given");
		error_detail(err, NULL, NULL, "usage: cgpol create [OPTION...] CGROUP...");
		return -EINVAL;
	}
	for (size_t i = 0; rc == 0 && i < words->count; i++)
		rc = cgroups_add(&create->cgroups, words->word[i], err);
	if (rc == 0 && create->config->like)
		rc = cgroup_name(create->config->like, &create->like, err);
	if (rc == 0 && create->config->delegate)
		rc = owner_parse(create->config->delegate, &create->uid, &create->gid, err);
	return rc;
}

static void put_json(void *arg, struct json *json)
{
	const struct create *create = arg;

	json_open_array(json, "cgroups");
	for (size_t i = 0; i < create->cgroups.count; i++)
		json_put_name(json, NULL, create->cgroups.name[i]);
	json_close(json);
}

static void put_warnings(void *arg, struct json *json)
{
	const struct create *create = arg;

	warnings_put(&create->warnings, json);
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(create_clear) struct create create = {.cli = cli, .config = config};
	struct change_request request = {
		.plan = create_plan,
		.put_json = put_json,
		.put_warnings = put_warnings,
		.arg = &create,
		.goes_on = &create.goes_on,
	};
	int rc = take_words(&create, err);

	request.is_forced = create.config->force;
	if (rc == 0)
		rc = take_settings(&create, err);
	if (rc == 0)
		rc = take_controllers(&create, err);
	return rc < 0 ? rc : change_run(cli, &request, err);
}

const struct cmd cmd_create = {
	.name = "create",
	.summary = "Make a cgroup, with what it needs above it",
	.usage = "[OPTION...] CGROUP...",
	.about = "Makes each level that is missing, and enables in those above only the controllers\n"
		 "that are needed. What is there already stays: a second call changes nothing.\n"
		 "All of it is done, or nothing.",
	.operands = "cgroups",
	.options = options,
	.config_size = sizeof(struct create_config),
	.run = run,
};
