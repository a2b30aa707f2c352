/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forecast for a person: the sentence, the facts, the table of candidates, and the rest. */
#include "predict.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "size.h"

enum { LISTED_MAX = 20 }; /* processes of a kill set that are named without --all */

static void print_fact(FILE *out, const char *name)
{
	(void)fprintf(out, "%-12s ", name);
}

static const char *say_useful(enum oom_useful useful)
{
	return useful == OOM_USEFUL ? "useful" : useful == OOM_USELESS ? "not useful" : "use unknown";
}

static int print_domain(const struct predict *predict, FILE *out)
{
	const struct oom_domain *domain = &predict->oom->domain;
	const struct oom_snapshot *snapshot = predict->snapshot;
	AUTO(free_p) char *list = nodeset_format(&domain->nodes);
	bool has_policy = domain->policy && domain->policy->mode != MEMPOLICY_DEFAULT;
	AUTO(free_p) char *policy = has_policy ? mempolicy_format(domain->policy) : NULL;
	char size[SIZE_TEXT];

	if (!list || (has_policy && !policy))
		return -ENOMEM;
	print_fact(out, "constraint");
	(void)fputs(oom_constraint_name(domain->constraint), out);
	if (domain->constraint == OOM_MEMCG && domain->memcg < snapshot->memcgs) {
		const char *name = snapshot->memcg[domain->memcg].name;
		size_t room = 4 * strlen(name) + 1;
		AUTO(free_p) char *text = malloc(room);

		if (!text)
			return -ENOMEM;
		(void)fprintf(out, " of %s", text_escape(name, text, room));
	} else if (domain->constraint != OOM_NONE) {
		(void)fprintf(out, ", %s %s", nodeset_count(&domain->nodes) == 1 ? "node" : "nodes", list);
	}
	if (policy)
		(void)fprintf(out, " (policy %s)", policy);
	(void)fputc('\n', out);
	print_fact(out, "totalpages");
	(void)fprintf(out, "%" PRIu64 ", a page is %s; oom_score_adj 1 is %" PRIu64 " pages\n",
		      domain->totalpages, size_short(snapshot->page_size, size), domain->totalpages / 1000);
	print_fact(out, "headroom");
	(void)fprintf(out, "%s\n",
		      domain->lacks_headroom ? "unknown"
					     : size_short(domain->headroom * snapshot->page_size, size));
	return 0;
}

static void print_certainty(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	char size[SIZE_TEXT];

	print_fact(out, "certainty");
	(void)fprintf(out, "%s%s\n", oom_certainty_name(oom->certainty),
		      oom->is_complete ? "" : ", not everything could be read");
	if (oom->has_margin) {
		uint64_t pages = (uint64_t)(oom->margin < 0 ? -oom->margin : oom->margin);

		print_fact(out, "margin");
		(void)fprintf(out, "%" PRId64 " points (%s)\n", oom->margin,
			      size_short(pages * predict->snapshot->page_size, size));
	}
}

static void print_process(const struct predict *predict, size_t task, FILE *out)
{
	char name[PREDICT_NAME_SIZE];

	(void)fprintf(out, "%s (pid %d", predict_name(predict, task, name),
		      (int)predict->snapshot->task[task].pid);
}

static void print_kills(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	size_t listed = predict->config->all || oom->kills < LISTED_MAX ? oom->kills : LISTED_MAX;
	char size[SIZE_TEXT];

	if (oom->kills == 0)
		return;
	print_fact(out, "kill set");
	for (size_t i = 0; i < listed; i++) {
		(void)fputs(i ? ", " : "", out);
		print_process(predict, oom->killed[i].task, out);
		(void)fprintf(out, ", %s)", oom_why_name(oom->killed[i].why));
	}
	if (listed < oom->kills)
		(void)fprintf(out, ", and %zu more", oom->kills - listed);
	(void)fputc('\n', out);
	print_fact(out, "frees");
	(void)fprintf(out, "%s, %s\n", size_short(oom->freed_bytes, size), say_useful(oom->useful));
	if (oom->thens == 0)
		return;
	print_fact(out, "then");
	for (size_t i = 0; i < oom->thens; i++) {
		(void)fputs(i ? ", " : "", out);
		print_process(predict, oom->then[i].task, out);
		(void)fprintf(out, ", %" PRId64 " points, %s)", oom->then[i].points,
			      say_useful(oom->then[i].useful));
	}
	(void)fputc('\n', out);
}

/* "0:510M,1:2M": no blanks, so that it is one word in raw output too. */
static char *format_shares(const struct predict *predict, const struct oom_task *task)
{
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < task->shares; i++) {
		char bytes[SIZE_TEXT];

		if (predict->config->style.bytes)
			(void)snprintf(bytes, sizeof(bytes), "%" PRIu64, task->share[i].bytes);
		else
			size_short(task->share[i].bytes, bytes);
		(void)fprintf(out, "%s%u:%s", i ? "," : "", task->share[i].node, bytes);
	}
	if (fclose(out) != 0)
		return NULL;
	return TAKE(text);
}

static int put_candidate(const struct predict *predict, size_t rank, struct table *table)
{
	const struct oom_candidate *row = &predict->oom->candidate[rank];
	const struct oom_task *task = &predict->snapshot->task[row->task];
	const char *cgroup = predict_cgroup(predict, row->task);

	table_row(table);
	table_put_int(table, PREDICT_RANK, (int64_t)rank + 1);
	table_put_int(table, PREDICT_PID, task->pid);
	table_put_text(table, PREDICT_NAME, predict_comm(predict, row->task));
	table_put_int(table, PREDICT_POINTS, row->points);
	table_put_int(table, PREDICT_RSS, (int64_t)row->rss);
	table_put_int(table, PREDICT_SWAP, (int64_t)row->swap);
	table_put_int(table, PREDICT_PGTABLES, (int64_t)row->pgtables);
	table_put_int(table, PREDICT_GROW, (int64_t)row->grow);
	table_put_int(table, PREDICT_ADJ, task->adj);
	table_put_int(table, PREDICT_ADJ_PAGES, row->adj);
	if (cgroup)
		table_put_text(table, PREDICT_CGROUP, cgroup);
	if (task->has_shares && table_shows(table, PREDICT_NODES)) {
		AUTO(free_p) char *shares = format_shares(predict, task);

		if (!shares)
			return -ENOMEM;
		table_put_text(table, PREDICT_NODES, shares);
	}
	return 0;
}

static int print_candidates(const struct predict *predict, FILE *out)
{
	AUTO(table_free_p)
	struct table *table = table_new(predict_columns, predict->choice, &predict->config->style);
	int rc = table ? 0 : -ENOMEM;

	for (size_t i = 0; rc == 0 && i < predict_shown(predict); i++)
		rc = put_candidate(predict, i, table);
	return rc < 0 ? rc : table_print(table, out);
}

static void print_skipped(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	const char *between = "";

	if (predict_shown(predict) < oom->candidates)
		(void)fprintf(out, "%zu of %zu candidates; --top 0 shows all\n", predict_shown(predict),
			      oom->candidates);
	print_fact(out, "skipped");
	for (int reason = OOM_ELIGIBLE + 1; reason < OOM_SKIP_REASONS; reason++) {
		if (!oom->skipped_count[reason])
			continue;
		(void)fprintf(out, "%s%zu %s", between, oom->skipped_count[reason], oom_skip_name(reason));
		between = ", ";
	}
	(void)fprintf(out, "%s\n", *between ? "" : "nobody");
	for (size_t i = 0; predict->config->all && i < oom->skips; i++) {
		(void)fputs("  ", out);
		print_process(predict, oom->skipped[i].task, out);
		(void)fprintf(out, ") %s\n", oom_skip_name(oom->skipped[i].reason));
	}
}

static void print_warnings(const struct predict *predict, bool color, FILE *out)
{
	for (size_t i = 0; i < predict->oom->warnings; i++) {
		const char *warning = predict->oom->warning[i];
		size_t size = 4 * strlen(warning) + 1;
		AUTO(free_p) char *text = malloc(size);

		(void)fprintf(out, "%swarning:%s %s\n", color ? "\033[33m" : "", color ? "\033[m" : "",
			      text ? text_escape(warning, text, size) : "?");
	}
}

int predict_print_text(struct cli *cli, const struct predict *predict)
{
	bool color = cli_has_color(cli, stdout);
	FILE *out = cli->out;
	int rc;

	if (predict->config->style.raw)
		return print_candidates(predict, out);
	(void)fputs(color ? "\033[1m" : "", out);
	predict_print_sentence(predict, out);
	(void)fputs(color ? "\033[m\n\n" : "\n\n", out);
	rc = print_domain(predict, out);
	if (rc < 0)
		return rc;
	print_certainty(predict, out);
	print_kills(predict, out);
	(void)fputc('\n', out);
	rc = print_candidates(predict, out);
	if (rc < 0)
		return rc;
	(void)fputc('\n', out);
	print_skipped(predict, out);
	print_warnings(predict, color, out);
	return 0;
}
