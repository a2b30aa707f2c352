/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit top: who commits how much, and what is left of Committed_AS. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "overcommit.h"
#include "size.h"

enum { TOP_DEFAULT = 20, PERCENT = 100 };

struct view {
	const struct overcommit_config *config;
	const struct commit *commit;
	struct table_choice choice;
	uint64_t committed; /* Committed_AS */
};

static size_t shown(const struct view *view, size_t count)
{
	uint64_t top = view->config->top.is_set ? (uint64_t)view->config->top.number : TOP_DEFAULT;

	return top && top < count ? (size_t)top : count;
}

/* Shared memory by the page, objects that nobody maps, the reader itself; negative when processes grew while
 * they were read. */
static int64_t rest(const struct view *view)
{
	uint64_t all = view->committed, sum = view->commit->sum, distance = all > sum ? all - sum : sum - all;

	if (distance > INT64_MAX)
		distance = INT64_MAX;
	return all > sum ? (int64_t)distance : -(int64_t)distance;
}

/* May be more than 100: figures of different moments, or of a process that was written to by ptrace. */
static bool find_ratio(const struct commit_row *row, unsigned *percent)
{
	enum { RATIO_MAX = 1000000 };
	double used = (double)row->anon + (double)row->swap, all = (double)row->maps.private_bytes;

	if (row->maps.private_bytes == 0)
		return false;
	used = PERCENT * (used / all);
	*percent = used < RATIO_MAX ? (unsigned)used : RATIO_MAX;
	return true;
}

static void put_row(struct table *table, const struct commit_row *row)
{
	char text[24];
	unsigned percent;

	table_row(table);
	table_put_int(table, COMMIT_PID, row->pid);
	table_put_text(table, COMMIT_NAME, row->comm);
	table_put_bytes(table, COMMIT_COMMIT, row->commit);
	table_put_bytes(table, COMMIT_PRIVATE, row->maps.private_bytes);
	if (row->is_exact)
		table_put_bytes(table, COMMIT_SHARED, row->shared_bytes);
	table_put_bytes(table, COMMIT_ANON, row->anon);
	table_put_bytes(table, COMMIT_SWAP, row->swap);
	if (find_ratio(row, &percent)) {
		(void)snprintf(text, sizeof(text), "%u%%", percent);
		table_put_text(table, COMMIT_RATIO, text);
	}
	table_put_text(table, COMMIT_EXACT, row->is_exact ? "yes" : "no");
	if (row->cgroup)
		table_put_text(table, COMMIT_CGROUP, row->cgroup);
}

static void put_group(struct table *table, const struct commit_group *group)
{
	table_row(table);
	table_put_int(table, COMMIT_PROCESSES, (int64_t)group->processes);
	table_put_bytes(table, COMMIT_COMMIT, group->commit);
	if (group->cgroup)
		table_put_text(table, COMMIT_CGROUP, group->cgroup);
}

static void print_sum(const struct view *view, FILE *out)
{
	char sum[SIZE_TEXT], all[SIZE_TEXT], other[SIZE_TEXT];
	int64_t left = rest(view);

	(void)fprintf(out, "\nprocesses    %s%s\n", view->commit->estimated ? "about " : "",
		      size_short(view->commit->sum, sum));
	(void)fprintf(out, "other        %s%s: shared memory by the page, and what nobody maps\n",
		      left < 0 ? "-" : "", size_short(left < 0 ? -(uint64_t)left : (uint64_t)left, other));
	(void)fprintf(out, "committed    %s\n", size_short(view->committed, all));
}

static int print_text(struct cli *cli, const struct view *view)
{
	const struct table_style *style = &view->config->style;
	const struct commit *commit = view->commit;
	AUTO(table_free_p) struct table *table = table_new(overcommit_columns, &view->choice, style);
	size_t count = view->config->cgroups ? commit->groups : commit->rows;
	int rc;

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < shown(view, count); i++) {
		if (view->config->cgroups)
			put_group(table, &commit->group[i]);
		else
			put_row(table, &commit->row[i]);
	}
	rc = table_print(table, cli->out);
	/* What scripts read is only the table. */
	if (rc == 0 && !style->raw && !style->noheadings)
		print_sum(view, cli->out);
	return rc;
}

static void put_name(struct json *json, const char *key, const char *name)
{
	if (name)
		json_put_name(json, key, name);
	else
		json_put_null(json, key);
}

static void put_json_row(struct json *json, const struct commit_row *row)
{
	unsigned percent;

	json_open_object(json, NULL);
	json_put_int(json, "pid", row->pid);
	json_put_name(json, "comm", row->comm);
	json_put_u64(json, "commit", row->commit);
	json_put_u64(json, "private", row->maps.private_bytes);
	if (row->is_exact)
		json_put_u64(json, "shared", row->shared_bytes);
	else
		json_put_null(json, "shared");
	json_put_u64(json, "anon", row->anon);
	json_put_u64(json, "swap", row->swap);
	if (find_ratio(row, &percent))
		json_put_int(json, "ratio", percent);
	else
		json_put_null(json, "ratio");
	json_put_bool(json, "exact", row->is_exact);
	put_name(json, "cgroup", row->cgroup);
	json_close(json);
}

static int print_json(struct cli *cli, const struct view *view)
{
	AUTO(json_free_p) struct json *json = json_new();
	const struct commit *commit = view->commit;

	if (!json)
		return -ENOMEM;
	json_open_array(json, "processes");
	for (size_t i = 0; i < shown(view, commit->rows); i++)
		put_json_row(json, &commit->row[i]);
	json_close(json);
	json_open_array(json, "cgroups");
	for (size_t i = 0; i < shown(view, commit->groups); i++) {
		json_open_object(json, NULL);
		put_name(json, "cgroup", commit->group[i].cgroup);
		json_put_u64(json, "commit", commit->group[i].commit);
		json_put_u64(json, "processes", commit->group[i].processes);
		json_close(json);
	}
	json_close(json);
	json_put_u64(json, "processes_total", commit->rows);
	json_put_u64(json, "cgroups_total", commit->groups);
	json_put_u64(json, "sum", commit->sum);
	json_put_u64(json, "committed", view->committed);
	json_put_int(json, "other", rest(view));
	json_put_u64(json, "estimated", commit->estimated);
	json_put_u64(json, "vanished", commit->vanished);
	json_put_u64(json, "unreadable", commit->unreadable);
	json_put_bool(json, "complete", !commit->hides && commit->unreadable == 0);
	return cli_print_json(cli, json);
}

static void note(const struct cli *cli, const struct view *view)
{
	const struct commit *commit = view->commit;

	if (commit->vanished)
		cli_note(cli, "%zu process%s vanished while being read", commit->vanished,
			 commit->vanished == 1 ? "" : "es");
	if (commit->unreadable)
		cli_note(cli,
			 "%zu process%s may not be read exactly: that needs the right to trace %s; what is "
			 "known of %s is an estimate",
			 commit->unreadable, commit->unreadable == 1 ? "" : "es",
			 commit->unreadable == 1 ? "it" : "them", commit->unreadable == 1 ? "it" : "them");
}

int overcommit_top(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err)
{
	static const char of_processes[] = "PID,NAME,COMMIT,ANON,RATIO,CGROUP";
	static const char of_cgroups[] = "CGROUP,PROCESSES,COMMIT";
	AUTO(commit_clear) struct commit commit = {.rows = 0};
	struct view view = {.config = config, .commit = &commit};
	struct overcommit overcommit = {.mode = -1};
	struct cgpol_host *host = NULL;
	int rc = table_choose(overcommit_columns, config->cgroups ? of_cgroups : of_processes,
			      config->style.columns, &view.choice, err);

	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0)
		rc = commit_read(host, config->estimate, &commit, err);
	if (rc == 0)
		rc = overcommit_read(host, &overcommit, err);
	if (rc < 0)
		return rc;
	view.committed = overcommit.committed;
	note(cli, &view);
	return cli->json ? print_json(cli, &view) : print_text(cli, &view);
}
