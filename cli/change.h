/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How every command that changes something goes about it. */
#ifndef CGPOL_CLI_CHANGE_H
#define CGPOL_CLI_CHANGE_H

#include "cmd.h"
#include "policy/change.h"
#include "policy/guard.h"

/* --state DIR; else /run/cgpol for root of the machine, $XDG_RUNTIME_DIR/cgpol for others: the caller frees
 * it. CGPOL_USAGE when there is none. */
int change_state(struct cli *cli, char **path, struct cgpol_error *err);
/* "/var/lib/cgpol" for root; with --state DIR, DIR/persistent; NULL for others. The caller frees it. */
int change_persistent(struct cli *cli, char **path, struct cgpol_error *err);
/* Takes the lock, with libcgroup where it is there. The command line is what was typed. */
int change_begin(struct cli *cli, struct cgpol_host *host, struct change **change, struct cgroupfs **fs,
		 struct cgpol_error *err);

/* Plans that came after the first, in their order. */
struct change_more {
	struct plan *const *plan;
	size_t plans;
};

/* One change by one plan, and what only shows when that is done. */
struct change_request {
	/* Makes the plan; with a policy to be read back, or NULL. Called when the lock is held. When it sets
	 * *goes_on it is called again once that plan is done, and so on: each plan sees what the one before
	 * came to. Not with --dry-run, where one plan has to tell it all. */
	int (*plan)(void *arg, struct cgpol_host *host, struct plan **plan,
		    const struct cgpol_policy **policy, struct cgpol_error *err);
	/* Adds to the JSON document after "steps", or to the text; each may be NULL. */
	void (*put_json)(void *arg, struct json *json);
	int (*print)(void *arg, FILE *out);
	void *arg;
	bool is_forced;
	const bool *goes_on; /* NULL: one plan is all */
	/* Goes on with change_apply after that plan, as often as it likes, and lends its plans to be told:
	 * they must live until change_run returns. Not called for --dry-run. NULL: there is nothing more. */
	int (*then)(void *arg, struct cgpol_host *host, struct change *change, struct change_more *more,
		    struct cgpol_error *err);
	/* Adds sentences to the array "warnings", which is open; NULL: none. For people the command tells
	 * them itself (cli_note). */
	void (*put_warnings)(void *arg, struct json *json);
};

/* The whole way: lock, plan, guards, apply, commit, and what is told: with --dry-run the shell commands (exit
 * 3 when there are any), with --json {"changed", "id", "steps", "warnings"}, else one line a step, and with
 * -q none. "nothing to change" when there is no step. Findings of the guards are told on stderr. With a
 * capture (--root) any step is CGPOL_REFUSED but for --dry-run. */
int change_run(struct cli *cli, const struct change_request *request, struct cgpol_error *err);

#endif
