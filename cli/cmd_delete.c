/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol delete: removes cgroups, and what is in them where that is asked for. */
#include <errno.h>
#include <string.h>

#include "act/move.h"
#include "act/remove.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "host/cgroup.h"
#include "moves_json.h"
#include "period.h"

enum { TIMEOUT_MS = 5000, SHOWN_SIZE = 160 };

struct delete_config {
	bool recursive, kill, force;
	const char *move_to, *timeout;
};

static const struct opt options[] = {
	{"recursive", 'R', OPT_FLAG, OPT_AT(delete_config, recursive), NULL, NULL, "with all cgroups below"},
	{"kill", 0, OPT_FLAG, OPT_AT(delete_config, kill), NULL, NULL,
	 "end all processes in them first; nothing brings these back"},
	{"move-to", 0, OPT_STRING, OPT_AT(delete_config, move_to), "CGROUP", NULL,
	 "move all processes there first"},
	{"timeout", 't', OPT_STRING, OPT_AT(delete_config, timeout), "SECONDS", NULL,
	 "wait so long for processes to be gone (default 5)"},
	{"force", 'f', OPT_FLAG, OPT_AT(delete_config, force), NULL, NULL, "a unit of systemd too"},
	{0},
};

struct deleting {
	struct cli *cli;
	const struct delete_config *config;
	char **name;
	size_t names;
	char *move_to;
	unsigned milliseconds;
	struct removal removal;
	struct moves *moves; /* by cgroup of removal.all, from the last to the first */
	size_t moved;
	struct plan *rmdir;
	struct plan **plan; /* all that came after the first; borrowed */
	size_t plans;
};

static int check_target(const struct deleting *deleting, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	for (size_t i = 0; i < deleting->removal.all.count; i++) {
		if (strcmp(deleting->removal.all.name[i], deleting->move_to) != 0)
			continue;
		text_escape(deleting->move_to, shown, sizeof(shown));
		(void)error_set(err, EINVAL, CGPOL_USAGE, "--move-to: cgroup %s is deleted itself", shown);
		error_detail(err, NULL, shown, "name one that stays");
		return -EINVAL;
	}
	return 0;
}

static int fail_left(const struct moves *moves, const char *from, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(from, shown, sizeof(shown));
	for (size_t i = 0; i < moves->count; i++) {
		if (moves->moved[i].result != MOVE_DENIED)
			continue;
		*err = moves->moved[i].why;
		return error_wrap(err, err->code ? -err->code : -EBUSY, "cgroup %s cannot be emptied", shown);
	}
	if (moves->left == 0)
		return 0;
	(void)error_set(
		err, EBUSY, CGPOL_FAILED,
		"cgroup %s cannot be emptied: %zu processes are in it still, new ones come as fast as "
		"they "
		"are moved",
		shown, moves->left);
	error_detail(err, "cgroup.procs", shown, "cgpol freeze stops them, and frozen ones can be moved");
	return -EBUSY;
}

/* Parents first: the processes of a threaded tree are those of its uppermost cgroup. */
static int move_all(struct deleting *deleting, struct cgpol_host *host, struct change *change,
		    struct cgpol_error *err)
{
	size_t count = deleting->removal.all.count;
	int rc = 0;

	deleting->moves = calloc(count + 1, sizeof(*deleting->moves));
	if (!deleting->moves)
		return -ENOMEM;
	for (size_t i = count; rc == 0 && i-- > 0;) {
		struct moves *moves = &deleting->moves[deleting->moved++];
		const struct move_request request = {
			.from = deleting->removal.all.name[i],
			.to = deleting->move_to,
			.rounds = MOVE_ROUNDS,
			.milliseconds = deleting->milliseconds,
		};

		rc = move(host, change, &request, moves, err);
		if (rc < 0 || !change)
			continue;
		rc = fail_left(moves, request.from, err);
		if (rc < 0)
			(void)change_abort(change, err);
	}
	return rc;
}

/* All that would be done, for --dry-run. */
static int plan_rest(struct deleting *deleting, struct cgpol_host *host, struct plan *plan,
		     struct cgpol_error *err)
{
	int rc = 0;

	if (deleting->move_to)
		rc = move_all(deleting, host, NULL, err);
	for (size_t i = 0; rc == 0 && i < deleting->moved; i++)
		for (size_t j = 0; rc == 0 && j < deleting->moves[i].plans; j++)
			for (size_t k = 0; rc == 0 && k < deleting->moves[i].plan[j]->steps; k++)
				rc = plan_add(plan, &deleting->moves[i].plan[j]->step[k]);
	return rc < 0 ? rc : remove_plan_rmdir(&deleting->removal, plan);
}

static int plan(void *arg, struct cgpol_host *host, struct plan **made, const struct cgpol_policy **policy,
		struct cgpol_error *err)
{
	struct deleting *deleting = arg;
	const struct delete_config *config = deleting->config;
	const struct remove_request request = {
		.cgroup = deleting->name,
		.cgroups = deleting->names,
		.is_recursive = config->recursive,
		.is_cleared = config->kill || config->move_to,
		.is_forced = config->force,
	};
	AUTO(plan_free_p) struct plan *first = NULL;
	int rc = remove_look(host, &request, &deleting->removal, err);

	if (rc == 0 && deleting->move_to)
		rc = check_target(deleting, err);
	if (rc == 0)
		rc = plan_new(NULL, &first);
	if (rc == 0 && config->kill)
		rc = remove_plan_kill(&deleting->removal, deleting->milliseconds, first);
	if (rc == 0 && (deleting->cli->dry_run || deleting->cli->root))
		rc = plan_rest(deleting, host, first, err);
	if (rc < 0)
		return rc;
	*policy = NULL;
	*made = TAKE(first);
	return 0;
}

static int lend(struct deleting *deleting, struct change_more *more)
{
	size_t count = 1;

	for (size_t i = 0; i < deleting->moved; i++)
		count += deleting->moves[i].plans;
	deleting->plan = calloc(count, sizeof(struct plan *));
	if (!deleting->plan)
		return -ENOMEM;
	for (size_t i = 0; i < deleting->moved; i++)
		for (size_t j = 0; j < deleting->moves[i].plans; j++)
			deleting->plan[deleting->plans++] = deleting->moves[i].plan[j];
	deleting->plan[deleting->plans++] = deleting->rmdir;
	*more = (struct change_more){deleting->plan, deleting->plans};
	return 0;
}

static int then(void *arg, struct cgpol_host *host, struct change *change, struct change_more *more,
		struct cgpol_error *err)
{
	struct deleting *deleting = arg;
	int rc = 0;

	if (deleting->move_to)
		rc = move_all(deleting, host, change, err);
	if (rc < 0)
		return rc;
	rc = remove_wait(host, &deleting->removal, deleting->milliseconds, err);
	if (rc < 0) {
		(void)change_abort(change, err);
		return rc;
	}
	rc = plan_new(NULL, &deleting->rmdir);
	if (rc == 0)
		rc = remove_plan_rmdir(&deleting->removal, deleting->rmdir);
	if (rc == 0)
		rc = lend(deleting, more);
	return rc < 0 ? rc : change_apply(change, deleting->rmdir, NULL, err);
}

static void put_json(void *arg, struct json *json)
{
	const struct deleting *deleting = arg;

	json_open_array(json, "cgroups");
	for (size_t i = 0; i < deleting->removal.all.count; i++) {
		json_open_object(json, NULL);
		json_put_name(json, "cgroup", deleting->removal.all.name[i]);
		json_put_text(json, "result", deleting->rmdir ? "removed" : "would_remove");
		json_close(json);
	}
	json_close(json);
	json_open_array(json, "processes");
	for (size_t i = 0; i < deleting->moved; i++)
		moves_put_json(json, &deleting->moves[i]);
	json_close(json);
}

/* After change_run: the change borrows the plans. */
static void clear(struct deleting *deleting)
{
	for (size_t i = 0; i < deleting->names; i++)
		free(deleting->name[i]);
	for (size_t i = 0; i < deleting->moved; i++)
		moves_clear(&deleting->moves[i]);
	free((void *)deleting->name);
	free(deleting->moves);
	free((void *)deleting->plan);
	free(deleting->move_to);
	plan_free(deleting->rmdir);
	removal_clear(&deleting->removal);
}

static int parse(struct deleting *deleting, struct cgpol_error *err)
{
	const struct words *words = &deleting->cli->words;
	const struct delete_config *config = deleting->config;
	int rc = 0;

	if (words->count == 0 || (config->kill && config->move_to)) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s",
				words->count ? "--kill and --move-to exclude each other"
					     : "no cgroup is named");
		error_detail(err, NULL, NULL, "usage: cgpol delete [OPTION...] CGROUP...");
		return -EINVAL;
	}
	deleting->name = calloc(words->count, sizeof(*deleting->name));
	if (!deleting->name)
		return -ENOMEM;
	for (; rc == 0 && deleting->names < words->count; deleting->names += rc == 0)
		rc = cgroup_name(words->word[deleting->names], &deleting->name[deleting->names], err);
	if (rc == 0 && config->move_to)
		rc = cgroup_name(config->move_to, &deleting->move_to, err);
	return rc < 0 ? rc : period_parse("--timeout", config->timeout, &deleting->milliseconds, err);
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(clear) struct deleting deleting = {.cli = cli, .config = config, .milliseconds = TIMEOUT_MS};
	const struct change_request request = {
		.plan = plan, .put_json = put_json, .arg = &deleting, .then = then};
	int rc = parse(&deleting, err);

	return rc < 0 ? rc : change_run(cli, &request, err);
}

const struct cmd cmd_delete = {
	.name = "delete",
	.summary = "Remove cgroups",
	.usage = "[OPTION...] CGROUP...",
	.about = "Refuses while a cgroup has processes or cgroups below it, unless an option says what "
		 "becomes\nof them. Undone, the cgroups are made again with what was set on them.",
	.operands = "cgroups",
	.options = options,
	.config_size = sizeof(struct delete_config),
	.run = run,
};
