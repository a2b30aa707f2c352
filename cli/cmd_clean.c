/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol clean: removes empty cgroups that cgpol made. */
#include <errno.h>
#include <string.h>

#include "act/clean.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "change.h"
#include "cmd.h"
#include "host/cgroup.h"
#include "host/cgroupfs.h"
#include "journals.h"

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
	put_rows(json, reaped->busy, reaped->busy_count, "in_use");
	json_close(json);
	return cli_print_json(cli, json);
}

static int print_lines(struct cli *cli, char *const *name, size_t count, const char *what)
{
	for (size_t i = 0; i < count; i++) {
		AUTO(free_p) char *text = journals_escape(name[i]);

		if (!text)
			return -ENOMEM;
		(void)fprintf(cli->out, "%s %s\n", what, text);
	}
	return 0;
}

static int print_text(struct cli *cli, const struct reaped *reaped)
{
	int rc = print_lines(cli, reaped->name, reaped->count, cli->dry_run ? "would remove" : "removed");

	return rc < 0 ? rc : print_lines(cli, reaped->busy, reaped->busy_count, "in use");
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
	AUTO(state_close_p) struct state *state = NULL;
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
	if (rc == 0 && !cli->dry_run)
		rc = lock(cli, &state, err);
	reaper.arg = fs;
	if (rc == 0)
		rc = clean_with(host, name, cli->dry_run ? NULL : &reaper, &reaped, err);
	if (rc < 0)
		return rc;
	if (cli->dry_run && reaped.count)
		cli->status = CGPOL_PARTIAL;
	if (cli->json)
		return print_json(cli, &reaped);
	return cli->quiet ? 0 : print_text(cli, &reaped);
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
