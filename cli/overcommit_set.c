/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit set: the steps that change the policy, done or only told. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "change.h"
#include "host/cgroupfs.h"
#include "overcommit.h"
#include "policy/hostkeys.h"
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

static int print_json(struct cli *cli, const struct overcommit_plan *plan, const char *id)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_bool(json, "changed", plan->steps && !cli->dry_run);
	json_put_text(json, "id", id);
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

/* The file's text with the newline at its end, which was cut off when it was read. */
static int add_save(struct plan *plan, const struct overcommit_step *save, struct cgpol_error *err)
{
	AUTO(free_p) char *old = NULL;
	struct step step = {
		.op = STEP_SAVE,
		.file = (char *)(uintptr_t)save->file,
		.new_value = save->new_text,
	};

	if (save->old_text && asprintf(&old, "%s\n", save->old_text) < 0) {
		old = NULL;
		return error_no_memory(err);
	}
	step.old_value = old;
	return plan_add(plan, &step) < 0 ? error_no_memory(err) : 0;
}

/* The steps as a plan that can be undone. There are more of them than are told: what the kernel sets to 0 by
 * itself is written down too. */
static int make_plan(struct cgpol_host *host, const struct overcommit_plan *steps, struct plan **plan,
		     struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	AUTO(plan_free_p) struct plan *made = NULL;
	int rc = policy_new(&policy) < 0 || plan_new(NULL, &made) < 0 ? error_no_memory(err) : 0;

	for (size_t i = 0; rc == 0 && i < steps->steps; i++) {
		const struct overcommit_step *step = &steps->step[i];

		if (step->op == OVERCOMMIT_WRITE)
			rc = policy_set_any(policy, step->key, step->new_text, err);
	}
	if (rc == 0)
		rc = hostkeys_plan(host, policy, made, err);
	for (size_t i = 0; rc == 0 && i < steps->steps; i++) {
		if (steps->step[i].op == OVERCOMMIT_SAVE)
			rc = add_save(made, &steps->step[i], err);
	}
	if (rc == 0)
		*plan = TAKE(made);
	return rc;
}

/* With the lock held the plan is made once more: another may have been faster. */
static int apply(struct cli *cli, struct cgpol_host *host, const struct overcommit_request *request,
		 struct overcommit_plan *steps, char **id, struct cgpol_error *err)
{
	/* In this order they are given back last to first: the change before what it borrows. */
	AUTO(plan_free_p) struct plan *plan = NULL;
	AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
	AUTO(change_close_p) struct change *change = NULL;
	int rc = change_begin(cli, host, &change, &fs, err);

	if (rc == 0) {
		overcommit_plan_clear(steps);
		*steps = (struct overcommit_plan){.steps = 0};
		rc = overcommit_plan_read(host, request, steps, err);
	}
	if (rc == 0)
		rc = make_plan(host, steps, &plan, err);
	for (size_t i = 0; rc == 0 && i < plan->steps; i++) {
		if (plan->step[i].op == STEP_SAVE)
			rc = hostkeys_make_folder(host, plan->step[i].file, err);
	}
	if (rc == 0 && plan->steps)
		rc = change_apply(change, plan, NULL, err);
	if (rc == 0 && plan->steps)
		rc = change_commit(change, err);
	if (rc < 0 || !change_id(change))
		return rc;
	*id = strdup(change_id(change));
	return *id ? 0 : error_no_memory(err);
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
	AUTO(free_p) char *id = NULL;
	struct cgpol_host *host = NULL;
	int rc = cli_host(cli, &host, err);

	if (rc == 0)
		rc = overcommit_plan_read(host, &request, &plan, err);
	if (rc == 0 && plan.steps && !cli->dry_run)
		rc = apply(cli, host, &request, &plan, &id, err);
	if (rc < 0)
		return rc;
	if (cli->dry_run && plan.steps)
		cli->status = CGPOL_PARTIAL;
	warn(cli, &plan);
	if (cli->json)
		return print_json(cli, &plan, id);
	print_steps(cli, &plan);
	return 0;
}
