/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How every command that changes something goes about it. */
#include "change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "act/delegated.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroupfs.h"
#include "quote.h"
#include "steps.h"

static int format_path(char **path, const char *above, const char *name, struct cgpol_error *err)
{
	char *text;

	if (asprintf(&text, "%s%s%s", above, *name ? "/" : "", name) < 0)
		return error_no_memory(err);
	*path = text;
	return 0;
}

/* Root of a user namespace cannot write to /run of the machine, and is as any other user. */
static int is_root(struct cli *cli, struct cgpol_error *err)
{
	struct cgpol_host *host = NULL;
	int rc = cli_host(cli, &host, err);

	return rc < 0 ? rc : delegated_is_root(host);
}

int change_state(struct cli *cli, char **path, struct cgpol_error *err)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int rc;

	if (cli->state && *cli->state)
		return format_path(path, cli->state, "", err);
	if (cli->state) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "--state: a directory is wanted");
		return -EINVAL;
	}
	rc = is_root(cli, err);
	if (rc < 0)
		return rc;
	if (rc > 0)
		return format_path(path, "/run/cgpol", "", err);
	/* The XDG base directory specification: a relative one is to be ignored. */
	if (runtime && *runtime == '/')
		return format_path(path, runtime, "cgpol", err);
	(void)error_set(err, ENOENT, CGPOL_USAGE,
			"there is no place to write the change down, so that it can be undone: "
			"XDG_RUNTIME_DIR is not set");
	error_detail(err, NULL, NULL, "--state DIR names one");
	return -ENOENT;
}

int change_persistent(struct cli *cli, char **path, struct cgpol_error *err)
{
	int rc;

	if (cli->state && *cli->state)
		return format_path(path, cli->state, "persistent", err);
	rc = is_root(cli, err);
	if (rc < 0)
		return rc;
	if (rc > 0)
		return format_path(path, "/var/lib/cgpol", "", err);
	*path = NULL;
	return 0;
}

/* Without libcgroup the door does it all; without cgroup2 there is still the machine to be set. */
static void open_cgroupfs(struct cli *cli, struct cgpol_host *host, struct cgroupfs **fs)
{
	struct cgpol_error why = {0};
	char text[4 * sizeof(why.text)];

	if (cgroupfs_open(host, fs, &why) == 0)
		return;
	if (cli->verbose)
		cli_note(cli, "does without libcgroup: %s", text_escape(why.text, text, sizeof(text)));
	if (cgroupfs_open_bare(host, fs, NULL) < 0)
		*fs = NULL;
}

int change_begin(struct cli *cli, struct cgpol_host *host, struct change **change, struct cgroupfs **fs,
		 struct cgpol_error *err)
{
	AUTO(free_p) char *state = NULL;
	AUTO(free_p) char *persistent = NULL;
	AUTO(free_p) char *command = quote_line(cli->argv);
	AUTO(cgroupfs_close_p) struct cgroupfs *opened = NULL;
	struct change_setup setup = {.command = command};
	int rc = command ? change_state(cli, &state, err) : error_no_memory(err);

	if (rc == 0)
		rc = change_persistent(cli, &persistent, err);
	if (rc < 0)
		return rc;
	open_cgroupfs(cli, host, &opened);
	setup.state = state;
	setup.persistent = persistent;
	setup.fs = opened;
	rc = change_open(host, &setup, change, err);
	if (rc < 0)
		return rc;
	*fs = TAKE(opened);
	return 0;
}

/* ---- one change ---- */

enum { PLANS_MAX = 80 }; /* of one change, before what only shows when they are done */

struct changing {
	struct cli *cli;
	const struct change_request *request;
	struct cgpol_host *host;
	struct plan *plan[PLANS_MAX];
	struct guard guard[PLANS_MAX]; /* by plan */
	size_t plans;
	struct change_more more;
	struct change *change;
	struct cgroupfs *fs;
};

/* The change first: it borrows the plans and libcgroup. */
static void changing_clear(struct changing *changing)
{
	change_close(changing->change);
	cgroupfs_close(changing->fs);
	for (size_t i = 0; i < changing->plans; i++) {
		guard_clear(&changing->guard[i]);
		plan_free(changing->plan[i]);
	}
}

/* What a refusal says itself is not told twice. */
static void tell_findings(const struct changing *changing, const struct guard *guard,
			  const struct cgpol_error *refusal)
{
	for (size_t i = 0; i < guard->findings; i++) {
		const struct guard_finding *finding = &guard->finding[i];
		char text[4 * sizeof(finding->text)], hint[4 * sizeof(finding->hint)];

		if (refusal && strcmp(refusal->text, finding->text) == 0)
			continue;
		text_escape(finding->text, text, sizeof(text));
		text_escape(finding->hint, hint, sizeof(hint));
		cli_note(changing->cli, "%s%s%s", text, *hint ? "\n" : "", hint);
	}
}

/* The next plan, at the end of the list. */
static int make_plan(struct changing *changing, const struct cgpol_policy **policy, struct cgpol_error *err)
{
	const struct change_request *request = changing->request;
	struct guard *guard = &changing->guard[changing->plans];
	struct plan *plan = NULL;
	int rc;

	if (changing->plans == PLANS_MAX) {
		(void)error_set(err, EAGAIN, CGPOL_FAILED, "after %d plans there is still something to do",
				PLANS_MAX);
		return -EAGAIN;
	}
	rc = request->plan(request->arg, changing->host, &plan, policy, err);
	if (rc < 0)
		return rc;
	changing->plan[changing->plans++] = plan;
	rc = guard_plan(changing->host, plan, request->is_forced, guard, err);
	tell_findings(changing, guard, rc < 0 ? err : NULL);
	return rc;
}

/* ---- what is told ---- */

/* Those of the command itself, then those that came after. */
static const struct plan *plan_at(const struct changing *changing, size_t at)
{
	return at < changing->plans ? changing->plan[at] : changing->more.plan[at - changing->plans];
}

static size_t count_plans(const struct changing *changing)
{
	return changing->plans + changing->more.plans;
}

static size_t count_steps(const struct changing *changing)
{
	size_t steps = 0;

	for (size_t i = 0; i < count_plans(changing); i++)
		steps += plan_at(changing, i)->steps;
	return steps;
}

static bool has_changed(const struct changing *changing)
{
	for (size_t i = 0; changing->change && i < count_plans(changing); i++) {
		const struct plan *plan = plan_at(changing, i);

		for (size_t step = 0; step < plan->steps; step++)
			if (change_result(changing->change, plan, step) == STEP_DONE)
				return true;
	}
	return false;
}

static int print_json(const struct changing *changing)
{
	const struct change_request *request = changing->request;
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_bool(json, "changed", has_changed(changing));
	json_put_text(json, "id", changing->change ? change_id(changing->change) : NULL);
	json_open_array(json, "steps");
	for (size_t i = 0; i < count_plans(changing); i++)
		steps_put_json(json, plan_at(changing, i), changing->change);
	json_close(json);
	if (request->put_json)
		request->put_json(request->arg, json);
	json_open_array(json, "warnings");
	for (size_t i = 0; i < changing->plans; i++)
		steps_put_guard(json, &changing->guard[i]);
	if (request->put_warnings)
		request->put_warnings(request->arg, json);
	json_close(json);
	return cli_print_json(changing->cli, json);
}

static int print_text(const struct changing *changing)
{
	const struct cli *cli = changing->cli;
	int rc = 0;

	if (cli->quiet && !cli->dry_run)
		return 0;
	for (size_t i = 0; rc == 0 && i < count_plans(changing); i++)
		rc = cli->dry_run ? steps_print_shell(changing->host, plan_at(changing, i), cli->out)
				  : steps_print_text(plan_at(changing, i), changing->change, cli->out);
	if (rc == 0 && !cli->dry_run && count_steps(changing) == 0)
		(void)fputs("nothing to change\n", cli->out);
	return rc;
}

static int print(const struct changing *changing)
{
	const struct change_request *request = changing->request;
	int rc;

	if (changing->cli->json)
		return print_json(changing);
	rc = print_text(changing);
	return rc == 0 && request->print ? request->print(request->arg, changing->cli->out) : rc;
}

/* ---- the way ---- */

static int only_tell(struct changing *changing, struct cgpol_error *err)
{
	const struct cgpol_policy *policy = NULL;
	int rc = make_plan(changing, &policy, err);

	if (rc < 0)
		return rc;
	if (!changing->cli->dry_run && count_steps(changing) > 0) {
		(void)error_set(err, EROFS, CGPOL_REFUSED, "a capture cannot be changed");
		error_detail(err, NULL, changing->cli->root, "--dry-run tells what would be done");
		return -EROFS;
	}
	if (count_steps(changing) > 0)
		changing->cli->status = CGPOL_PARTIAL;
	return print(changing);
}

static int apply(struct changing *changing, struct cgpol_error *err)
{
	const struct change_request *request = changing->request;
	int rc = change_begin(changing->cli, changing->host, &changing->change, &changing->fs, err);

	do {
		const struct cgpol_policy *policy = NULL;
		const struct plan *plan;

		if (rc == 0)
			rc = make_plan(changing, &policy, err);
		if (rc < 0)
			return rc;
		plan = changing->plan[changing->plans - 1];
		if (plan->steps > 0)
			rc = change_apply(changing->change, plan, policy, err);
	} while (rc == 0 && request->goes_on && *request->goes_on);
	if (rc == 0 && request->then)
		rc = request->then(request->arg, changing->host, changing->change, &changing->more, err);
	return rc == 0 ? change_commit(changing->change, err) : rc;
}

int change_run(struct cli *cli, const struct change_request *request, struct cgpol_error *err)
{
	AUTO(changing_clear) struct changing changing = {.cli = cli, .request = request};
	int rc = cli_host(cli, &changing.host, err);

	if (rc < 0)
		return rc;
	if (cli->dry_run || cli->root)
		return only_tell(&changing, err);
	rc = apply(&changing, err);
	return rc < 0 ? rc : print(&changing);
}
