/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit set: the steps that change the policy, done or only told. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "overcommit.h"
#include "size.h"

static void print_steps(struct cli *cli, const struct overcommit_plan *plan)
{
	const struct overcommit *after = &plan->after;
	char limit[SIZE_TEXT], committed[SIZE_TEXT];

	for (size_t i = 0; i < plan->steps; i++) {
		const struct overcommit_step *step = &plan->step[i];

		if (step->op == OVERCOMMIT_WRITE)
			(void)fprintf(cli->out, "%s: %s -> %s\n", step->key, step->old_text, step->new_text);
		else
			(void)fprintf(cli->out, "%s: %s%s\n", step->file, cli->dry_run ? "to be " : "",
				      step->old_text ? "rewritten" : "made");
	}
	if (plan->steps == 0)
		(void)fputs("nothing to change\n", cli->out);
	(void)fprintf(cli->out, "mode %s (%d), limit %s, of which %s are committed\n",
		      overcommit_mode_name(after->mode), after->mode,
		      size_short(overcommit_limit(after), limit), size_short(after->committed, committed));
}

static void put_step(struct json *json, const struct overcommit_step *step, const char *result)
{
	json_open_object(json, NULL);
	json_put_text(json, "op", step->op == OVERCOMMIT_WRITE ? "write" : "save");
	json_put_text(json, "target", step->op == OVERCOMMIT_WRITE ? step->key : "sysctl.d");
	json_put_text(json, "file", step->file);
	json_put_text(json, "old", step->old_text);
	json_put_text(json, "new", step->new_text);
	json_put_text(json, "result", result);
	json_put_bool(json, "irreversible", false);
	json_close(json);
}

static int print_json(struct cli *cli, const struct overcommit_plan *plan)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_bool(json, "changed", plan->steps && !cli->dry_run);
	json_open_array(json, "steps");
	for (size_t i = 0; i < plan->steps; i++)
		put_step(json, &plan->step[i], cli->dry_run ? "planned" : "done");
	json_close(json);
	json_open_object(json, "before");
	overcommit_put_settings(json, &plan->before);
	json_close(json);
	json_open_object(json, "after");
	overcommit_put_settings(json, &plan->after);
	json_close(json);
	json_open_array(json, "warnings");
	if (plan->over)
		json_put_text(json, NULL, "more is committed than the limit allows");
	if (plan->is_shadowed)
		json_put_text(json, NULL, "/etc/sysctl.conf sets one of the keys too, and is read later");
	json_close(json);
	return cli_print_json(cli, json);
}

static void warn(struct cli *cli, const struct overcommit_plan *plan)
{
	char size[SIZE_TEXT];

	if (plan->over)
		cli_note(
			cli,
			"%s more are committed than the limit allows: requests fail until that is given back",
			size_long(plan->over, size));
	if (plan->is_shadowed)
		cli_note(cli, "/etc/sysctl.conf sets one of the keys too, and is read after %s",
			 OVERCOMMIT_FILE);
}

int overcommit_set(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err)
{
	const struct overcommit_request request = {
		.mode = config->mode,
		.ratio = config->ratio.is_set ? config->ratio.number : -1,
		.kbytes = config->kbytes.is_set ? config->kbytes.number : -1,
		.is_forced = config->force,
		.is_permanent = config->persist,
	};
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct cgpol_host *host = NULL;
	int rc = cli_host(cli, &host, err);

	if (rc == 0)
		rc = overcommit_plan_read(host, &request, &plan, err);
	if (rc == 0 && !cli->dry_run)
		rc = overcommit_apply(host, &plan, err);
	if (rc < 0)
		return rc;
	if (cli->dry_run && plan.steps)
		cli->status = CGPOL_PARTIAL;
	warn(cli, &plan);
	if (cli->json)
		return print_json(cli, &plan);
	print_steps(cli, &plan);
	return 0;
}
