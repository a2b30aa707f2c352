/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol reap: removes what killed cgpols have left. */
#include <errno.h>
#include <string.h>

#include "act/reap.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "cmd.h"
#include "host/cgroup.h"
#include "host/cgroupfs.h"

static int remove_one(void *arg, const char *cgroup)
{
	return cgroupfs_remove(arg, cgroup);
}

/* With libcgroup, and without it where it is missing or sees another machine than we do. */
static int open_cgroups(struct cli *cli, struct cgpol_host *host, struct cgroupfs **fs,
			struct cgpol_error *err)
{
	int rc = cgroupfs_open(host, fs, err);

	if (rc == 0 || rc == -ENOMEM || err->kind == CGPOL_REFUSED || (rc != -ELIBACC && !host->cgroup2))
		return rc;
	if (cli->verbose)
		cli_note(cli, "done without libcgroup: %s", err->text);
	*err = (struct cgpol_error){0};
	return cgroupfs_open_bare(host, fs, err);
}

static void put_rows(struct json *json, char *const *name, size_t count, const char *result)
{
	for (size_t i = 0; i < count; i++) {
		json_open_object(json, NULL);
		json_put_name(json, "cgroup", name[i]);
		json_put_text(json, "result", result);
		json_close(json);
	}
}

static int print_json(struct cli *cli, const struct reaped *reaped)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_open_array(json, "cgroups");
	put_rows(json, reaped->name, reaped->count, cli->dry_run ? "would_remove" : "removed");
	put_rows(json, reaped->busy, reaped->busy_count, "busy");
	json_close(json);
	return cli_print_json(cli, json);
}

static int print_lines(struct cli *cli, char *const *name, size_t count, const char *what)
{
	for (size_t i = 0; i < count; i++) {
		size_t size = 4 * strlen(name[i]) + 1;
		AUTO(free_p) char *text = malloc(size);

		if (!text)
			return -ENOMEM;
		(void)fprintf(cli->out, "%s %s\n", what, text_escape(name[i], text, size));
	}
	return 0;
}

static int print_text(struct cli *cli, const struct reaped *reaped)
{
	int rc = print_lines(cli, reaped->name, reaped->count, cli->dry_run ? "would remove" : "removed");

	return rc < 0 ? rc : print_lines(cli, reaped->busy, reaped->busy_count, "busy");
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
	AUTO(reaped_clear) struct reaped reaped = {0};
	AUTO(free_p) char *name = NULL;
	struct cgpol_host *host = NULL;
	struct reaper reaper = {.remove = remove_one};
	int rc = cli_no_words(cli, 1, err);

	(void)config;
	if (rc == 0)
		rc = cgroup_name(cli->words.count ? cli->words.word[0] : "/", &name, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0 && !cli->dry_run)
		rc = open_cgroups(cli, host, &fs, err);
	reaper.arg = fs;
	if (rc == 0)
		rc = reap_with(host, name, true, cli->dry_run ? NULL : &reaper, &reaped, err);
	if (rc < 0)
		return rc;
	if (reaped.busy_count || (cli->dry_run && reaped.count))
		cli->status = CGPOL_PARTIAL;
	return cli->json ? print_json(cli, &reaped) : print_text(cli, &reaped);
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
