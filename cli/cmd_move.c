/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol move: moves processes, or threads, into a cgroup. */
#include <errno.h>
#include <string.h>

#include "act/move.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "host/cgroup.h"
#include "host/cgroupfs.h"
#include "moves_json.h"
#include "period.h"
#include "pidlist.h"
#include "steps.h"

enum { TIMEOUT_MS = 10000, SHOWN_SIZE = 160 };

struct move_config {
	struct words pids;
	const char *from, *to, *match, *comm, *timeout;
	bool tid, create, reset_affinity, force;
	struct table_style style;
};

static const struct opt options[] = {
	{"pid", 'p', OPT_STRINGS, OPT_AT(move_config, pids), "PID[,PID...]", NULL,
	 "these processes; a range (600-700): those of it that are there"},
	{"from", 0, OPT_STRING, OPT_AT(move_config, from), "CGROUP", NULL,
	 "all processes of this cgroup, until it is empty"},
	{"to", 0, OPT_STRING, OPT_AT(move_config, to), "CGROUP", NULL, "where to"},
	{"tid", 0, OPT_FLAG, OPT_AT(move_config, tid), NULL, NULL,
	 "the numbers are threads, which are moved alone"},
	{"match", 'm', OPT_STRING, OPT_AT(move_config, match), "REGEX", NULL,
	 "only those whose command name matches"},
	{"comm", 0, OPT_STRING, OPT_AT(move_config, comm), "NAME", NULL, "only those with this command name"},
	{"timeout", 't', OPT_STRING, OPT_AT(move_config, timeout), "SECONDS", NULL,
	 "begin no new round later (default 10)"},
	{"create", 0, OPT_FLAG, OPT_AT(move_config, create), NULL, NULL,
	 "make the cgroup when it is missing"},
	{"reset-affinity", 0, OPT_FLAG, OPT_AT(move_config, reset_affinity), NULL, NULL,
	 "give each thread all cpus of the cgroup"},
	{"force", 'f', OPT_FLAG, OPT_AT(move_config, force), NULL, NULL, "process 1 too"},
	TABLE_OPTIONS(move_config, style),
	{0},
};

enum { MOVE_PID, MOVE_COMMAND, MOVE_FROM, MOVE_RESULT, MOVE_REASON, MOVE_PINNED };

static const struct column columns[] = {
	[MOVE_PID] = {"PID", COLUMN_RIGHT, "process or thread id"},
	[MOVE_COMMAND] = {"COMMAND", 0, "command name"},
	[MOVE_FROM] = {"FROM", 0, "the cgroup it was in"},
	[MOVE_RESULT] = {"RESULT", 0, "moved, there (already), gone, or denied"},
	[MOVE_REASON] = {"REASON", 0, "why it was denied"},
	[MOVE_PINNED] = {"PINNED", COLUMN_RIGHT, "threads whose affinity leaves cpus of the cgroup out"},
	{0},
};

struct moving {
	struct cli *cli;
	const struct move_config *config;
	struct cgpol_host *host;
	char *from, *to;
	struct pids pids;
	struct move_request request;
	struct table_choice choice;
	struct moves moves;
	struct plan *create; /* NULL: not asked for */
	struct change *change;
	struct cgroupfs *fs;
};

/* The change first: it borrows the plans and libcgroup. */
static void clear(struct moving *moving)
{
	change_close(moving->change);
	cgroupfs_close(moving->fs);
	moves_clear(&moving->moves);
	plan_free(moving->create);
	free(moving->pids.pid);
	free(moving->from);
	free(moving->to);
}

static int usage(const char *what, const char *hint, struct cgpol_error *err)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "%s", what);
	error_detail(err, NULL, NULL, hint);
	return -EINVAL;
}

static int check(const struct moving *moving, struct cgpol_error *err)
{
	const struct move_config *config = moving->config;
	int rc = cli_no_words(moving->cli, 0, err);

	if (rc < 0)
		return rc;
	if (!config->to)
		return usage("no cgroup to move to is named", "--to CGROUP", err);
	if (!config->from && config->pids.count == 0)
		return usage("nothing to move is named", "--pid PID, or --from CGROUP", err);
	if (config->from && config->pids.count)
		return usage("--pid and --from exclude each other",
			     "--match and --comm choose among the processes of a cgroup", err);
	return table_choose(columns, "PID,COMMAND,FROM,RESULT,REASON", config->style.columns,
			    (struct table_choice *)(uintptr_t)&moving->choice, err);
}

static int parse(struct moving *moving, struct cgpol_error *err)
{
	const struct move_config *config = moving->config;
	unsigned milliseconds = TIMEOUT_MS;
	int rc = check(moving, err);

	if (rc == 0)
		rc = cgroup_name(config->to, &moving->to, err);
	if (rc == 0 && config->from)
		rc = cgroup_name(config->from, &moving->from, err);
	if (rc == 0 && moving->from && strcmp(moving->from, moving->to) == 0)
		return usage("--from and --to are the same cgroup", NULL, err);
	if (rc == 0)
		rc = period_parse("--timeout", config->timeout, &milliseconds, err);
	if (rc == 0)
		rc = cli_host(moving->cli, &moving->host, err);
	if (rc == 0)
		rc = pidlist_parse(moving->host, &config->pids, config->tid, &moving->pids, err);
	if (rc == 0 && !moving->host->cgroup2)
		return host_need_cgroup2(moving->host, err);
	moving->request = (struct move_request){
		.pid = moving->pids.pid,
		.pids = moving->pids.count,
		.from = moving->from,
		.match = config->match,
		.comm = config->comm,
		.to = moving->to,
		.is_thread = config->tid,
		.rounds = MOVE_ROUNDS,
		.milliseconds = milliseconds ? milliseconds : 1,
		.is_forced = config->force,
		.resets_affinity = config->reset_affinity,
	};
	return rc;
}

static int plan_create(struct moving *moving, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *nothing = NULL;
	int rc;

	if (!moving->config->create)
		return 0;
	rc = policy_new(&nothing);
	if (rc == 0)
		rc = plan_read(moving->host, nothing, moving->to, NULL, &moving->create, err);
	if (rc == 0)
		moving->create->is_lasting = true;
	return rc;
}

static bool has_steps(const struct moving *moving)
{
	bool has = moving->create && moving->create->steps > 0;

	for (size_t i = 0; i < moving->moves.plans; i++)
		has = has || moving->moves.plan[i]->steps > 0;
	return has;
}

static int only_tell(struct moving *moving, struct cgpol_error *err)
{
	int rc = plan_create(moving, err);

	if (rc == 0) {
		moving->request.is_new = moving->create && moving->create->steps > 0;
		rc = move(moving->host, NULL, &moving->request, &moving->moves, err);
	}
	if (rc < 0)
		return rc;
	if (!moving->cli->dry_run && has_steps(moving)) {
		(void)error_set(err, EROFS, CGPOL_REFUSED, "a capture cannot be changed");
		error_detail(err, NULL, moving->cli->root, "--dry-run tells what would be done");
		return -EROFS;
	}
	return 0;
}

static int apply(struct moving *moving, struct cgpol_error *err)
{
	int rc = change_begin(moving->cli, moving->host, &moving->change, &moving->fs, err);

	if (rc == 0)
		rc = plan_create(moving, err);
	if (rc == 0 && moving->create && moving->create->steps > 0)
		rc = change_apply(moving->change, moving->create, NULL, err);
	if (rc == 0)
		rc = move(moving->host, moving->change, &moving->request, &moving->moves, err);
	return rc < 0 ? rc : change_commit(moving->change, err);
}

static size_t count(const struct moves *moves, enum move_result result)
{
	size_t found = 0;

	for (size_t i = 0; i < moves->count; i++)
		found += moves->moved[i].result == result;
	return found;
}

static bool has_changed(const struct moving *moving)
{
	if (!moving->change)
		return false;
	for (size_t i = 0; moving->create && i < moving->create->steps; i++)
		if (change_result(moving->change, moving->create, i) == STEP_DONE)
			return true;
	for (size_t i = 0; i < moving->moves.plans; i++)
		for (size_t j = 0; j < moving->moves.plan[i]->steps; j++)
			if (change_result(moving->change, moving->moves.plan[i], j) == STEP_DONE)
				return true;
	return false;
}

static int print_json(struct moving *moving)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_bool(json, "changed", has_changed(moving));
	json_put_text(json, "id", moving->change ? change_id(moving->change) : NULL);
	json_put_name(json, "to", moving->to);
	json_open_array(json, "processes");
	moves_put_json(json, &moving->moves);
	json_close(json);
	json_put_u64(json, "left", moving->moves.left);
	json_open_array(json, "steps");
	if (moving->create)
		steps_put_json(json, moving->create, moving->change);
	for (size_t i = 0; i < moving->moves.plans; i++)
		steps_put_json(json, moving->moves.plan[i], moving->change);
	json_close(json);
	return cli_print_json(moving->cli, json);
}

static int print_shell(struct moving *moving)
{
	int rc = 0;

	if (moving->create)
		rc = steps_print_shell(moving->host, moving->create, moving->cli->out);
	for (size_t i = 0; rc == 0 && i < moving->moves.plans; i++)
		rc = steps_print_shell(moving->host, moving->moves.plan[i], moving->cli->out);
	return rc;
}

static int print_table(struct moving *moving)
{
	AUTO(table_free_p) struct table *table = table_new(columns, &moving->choice, &moving->config->style);

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < moving->moves.count; i++) {
		const struct moved *moved = &moving->moves.moved[i];

		table_row(table);
		table_put_int(table, MOVE_PID, moved->pid);
		if (*moved->comm)
			table_put_text(table, MOVE_COMMAND, moved->comm);
		if (moved->from)
			table_put_text(table, MOVE_FROM, moved->from);
		table_put_text(table, MOVE_RESULT, move_result_name(moved->result));
		if (moved->result == MOVE_DENIED)
			table_put_text(table, MOVE_REASON, moved->why.text);
		table_put_int(table, MOVE_PINNED, (int64_t)moved->pinned);
	}
	return table_print(table, moving->cli->out);
}

static void tell_denied(const struct moving *moving)
{
	/* The table has the others' reasons. */
	for (size_t i = 0; i < moving->moves.count; i++) {
		const struct moved *moved = &moving->moves.moved[i];
		char text[4 * sizeof(moved->why.text)], hint[4 * sizeof(moved->why.hint)];

		if (moved->result != MOVE_DENIED)
			continue;
		text_escape(moved->why.text, text, sizeof(text));
		text_escape(moved->why.hint, hint, sizeof(hint));
		cli_note(moving->cli, "%s%s%s", text, *hint ? "\n" : "", hint);
		return;
	}
}

static void tell(const struct moving *moving)
{
	const struct moves *moves = &moving->moves;
	size_t denied = count(moves, MOVE_DENIED), gone = count(moves, MOVE_GONE), pinned = 0;
	char shown[SHOWN_SIZE];

	for (size_t i = 0; i < moves->count; i++)
		pinned += moves->moved[i].pinned;
	if (denied) {
		cli_note(moving->cli, "%zu of %zu not moved", denied, moves->count);
		tell_denied(moving);
	}
	if (moves->left > denied)
		cli_note(moving->cli, "%zu are in cgroup %s still: new ones come as fast as they are moved",
			 moves->left, text_escape(moving->from, shown, sizeof(shown)));
	if (gone && !moving->from)
		cli_note(moving->cli, "%zu of those that were named %s gone", gone, gone == 1 ? "is" : "are");
	if (pinned && !moving->cli->dry_run)
		cli_note(moving->cli,
			 "%zu thread%s keep%s an affinity that leaves out cpus of cgroup %s: "
			 "--reset-affinity gives %s all",
			 pinned, pinned == 1 ? "" : "s", pinned == 1 ? "s" : "",
			 text_escape(moving->to, shown, sizeof(shown)), pinned == 1 ? "it" : "them");
}

static int status(const struct moving *moving)
{
	const struct moves *moves = &moving->moves;

	if (moving->cli->dry_run && has_steps(moving))
		return CGPOL_PARTIAL;
	if (moves->left || count(moves, MOVE_DENIED))
		return CGPOL_PARTIAL;
	/* That a cgroup's process ended meanwhile empties it as well. */
	return moving->from || count(moves, MOVE_GONE) == 0 ? 0 : CGPOL_FAILED;
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(clear) struct moving moving = {.cli = cli, .config = config};
	int rc = parse(&moving, err);

	if (rc == 0)
		rc = cli->dry_run || cli->root ? only_tell(&moving, err) : apply(&moving, err);
	if (rc < 0)
		return rc;
	cli->status = status(&moving);
	tell(&moving);
	if (cli->json)
		return print_json(&moving);
	if (cli->dry_run)
		return print_shell(&moving);
	return cli->quiet || moving.moves.count == 0 ? 0 : print_table(&moving);
}

const struct cmd cmd_move = {
	.name = "move",
	.summary = "Move processes or threads into a cgroup",
	.usage = "(--pid PID[,PID...]... | --from CGROUP) --to CGROUP [OPTION...]",
	.about =
		"Tells of each whether it was moved, and if not, why. A denied one does not stop the others.",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct move_config),
	.run = run,
};
