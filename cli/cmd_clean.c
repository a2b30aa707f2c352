/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol clean: removes empty cgroups that cgpol made. */
#include <errno.h>
#include <string.h>

#include "act/clean.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "change.h"
#include "host/cgroup.h"
#include "host/state.h"
#include "removed.h"

/* A change at work may have made a cgroup that nobody is in yet. Who has no place for journals makes no
 * changes either. */
static int lock(struct cli *cli, struct state **state, struct cgpol_error *err)
{
	AUTO(free_p) char *path = NULL;
	struct cgpol_error why = {0};
	int rc;

	if (change_state(cli, &path, &why) < 0)
		return 0;
	rc = state_open(path, false, state, &why);
	if (rc == -ENOENT)
		return 0;
	if (rc < 0) {
		*err = why;
		return rc;
	}
	return state_lock(*state, CHANGE_LOCK_MS, err);
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
	AUTO(state_close_p) struct state *state = NULL;
	AUTO(reaped_clear) struct reaped reaped = {0};
	AUTO(free_p) char *name = NULL;
	struct cgpol_host *host = NULL;
	struct reaper reaper = {.remove = removed_take};
	int rc = cli_no_words(cli, 1, err);

	(void)config;
	if (rc == 0)
		rc = cgroup_name(cli->words.count ? cli->words.word[0] : "/", &name, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0 && !cli->dry_run)
		rc = removed_open(cli, host, &fs, err);
	if (rc == 0 && !cli->dry_run)
		rc = lock(cli, &state, err);
	reaper.arg = fs;
	if (rc == 0)
		rc = clean_with(host, name, cli->dry_run ? NULL : &reaper, &reaped, err);
	if (rc < 0)
		return rc;
	if (cli->dry_run && reaped.count)
		cli->status = CGPOL_PARTIAL;
	return cli->quiet && !cli->json ? 0 : removed_print(cli, &reaped, "in use");
}

const struct cmd cmd_clean = {
	.name = "clean",
	.summary = "Remove the empty cgroups that cgpol made",
	.usage = "[OPTION...] [CGROUP]",
	.about = "Looks at all below CGROUP, or at the whole hierarchy. Removes only what carries cgpol's "
		 "mark and is\n"
		 "empty; kept ones too. It leaves no journal: what is removed was empty, but its settings "
		 "are gone.",
	.operands = "cgroups",
	.run = run,
};
