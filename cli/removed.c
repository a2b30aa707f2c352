/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol reap and cgpol clean share: removing through libcgroup, and telling what went. */
#include "removed.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "journals.h"

int removed_take(void *fs, const char *cgroup)
{
	return cgroupfs_remove(fs, cgroup);
}

int removed_open(struct cli *cli, struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err)
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
	char word[32];

	(void)snprintf(word, sizeof(word), "%s", result);
	for (char *blank = strchr(word, ' '); blank; blank = strchr(blank, ' '))
		*blank = '_';
	for (size_t i = 0; i < count; i++) {
		json_open_object(json, NULL);
		json_put_name(json, "cgroup", name[i]);
		json_put_text(json, "result", word);
		json_close(json);
	}
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

int removed_print(struct cli *cli, const struct reaped *reaped, const char *busy)
{
	AUTO(json_free_p) struct json *json = cli->json ? json_new() : NULL;
	const char *gone = cli->dry_run ? "would remove" : "removed";
	int rc;

	if (!cli->json) {
		rc = print_lines(cli, reaped->name, reaped->count, gone);
		return rc < 0 ? rc : print_lines(cli, reaped->busy, reaped->busy_count, busy);
	}
	if (!json)
		return -ENOMEM;
	json_open_array(json, "cgroups");
	put_rows(json, reaped->name, reaped->count, gone);
	put_rows(json, reaped->busy, reaped->busy_count, busy);
	json_close(json);
	return cli_print_json(cli, json);
}
