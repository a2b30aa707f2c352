/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol reap: removes what killed cgpols have left. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/cgroup.h"
#include "removed.h"

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
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
	reaper.arg = fs;
	if (rc == 0)
		rc = reap_with(host, name, true, cli->dry_run ? NULL : &reaper, &reaped, err);
	if (rc < 0)
		return rc;
	if (reaped.busy_count || (cli->dry_run && reaped.count))
		cli->status = CGPOL_PARTIAL;
	return removed_print(cli, &reaped, "busy");
}

const struct cmd cmd_reap = {
	.name = "reap",
	.summary = "Remove the empty cgroups that a killed cgpol left behind",
	.usage = "[OPTION...] [CGROUP]",
	.about =
		"Looks at CGROUP and all below it, or at the whole hierarchy. Removes only what a cgpol made "
		"that\nis gone, and nothing in which processes live.",
	.run = run,
};
