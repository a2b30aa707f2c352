/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit show: mode, limit with its parts, what is committed, and how exact the kernel counts. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "overcommit.h"
#include "size.h"

enum { PERCENT = 100, WARNING_SIZE = 256 };

struct view {
	const struct overcommit *overcommit;
	bool bytes;
	FILE *out;
};

static const char *size(const struct view *view, uint64_t bytes, char text[static SIZE_TEXT])
{
	if (!view->bytes)
		return size_short(bytes, text);
	(void)snprintf(text, SIZE_TEXT, "%" PRIu64, bytes);
	return text;
}

static void print_signed(const struct view *view, int64_t bytes)
{
	char text[SIZE_TEXT];

	(void)fprintf(view->out, "%s%s", bytes < 0 ? "-" : "",
		      size(view, bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes, text));
}

static void print_fact(const struct view *view, const char *name)
{
	(void)fprintf(view->out, "%-12s ", name);
}

/* Of a mode that the kernel knows and this program does not nothing is said. */
static const char *explain(int mode)
{
	static const char *const rules[OVERCOMMIT_MODES] = {
		"only a request larger than all RAM and swap fails",
		"no request fails",
		"a request fails that would go beyond the limit",
	};

	return mode < OVERCOMMIT_MODES ? rules[mode] : "not known to this program";
}

static void print_limit(const struct view *view)
{
	const struct overcommit *overcommit = view->overcommit;
	char base[SIZE_TEXT], ram[SIZE_TEXT], huge[SIZE_TEXT], swap[SIZE_TEXT];

	print_fact(view, "limit");
	(void)fprintf(view->out, "%s, base and swap%s\n", size(view, overcommit_limit(overcommit), base),
		      overcommit->mode == OVERCOMMIT_NEVER ? "" : "; not enforced in this mode");
	print_fact(view, "base");
	(void)fprintf(view->out, "%s: ", size(view, overcommit_base(overcommit), base));
	if (overcommit->kbytes)
		(void)fprintf(view->out, "kbytes %" PRIu64 "\n", overcommit->kbytes);
	else
		(void)fprintf(view->out, "ratio %" PRId64 "%% of %s RAM less %s huge pages\n",
			      overcommit->ratio, size(view, overcommit->ram, ram),
			      size(view, overcommit_huge(overcommit), huge));
	print_fact(view, "swap");
	(void)fprintf(view->out, "%s\n", size(view, overcommit->swap, swap));
}

static void print_pools(const struct view *view)
{
	const struct overcommit *overcommit = view->overcommit;
	char text[SIZE_TEXT];

	print_fact(view, "huge pages");
	(void)fprintf(view->out, "%s", size(view, overcommit_huge(overcommit), text));
	for (size_t i = 0; i < overcommit->pools; i++)
		if (overcommit->pool[i].count)
			(void)fprintf(view->out, ", %" PRIu64 " of %s", overcommit->pool[i].count,
				      size(view, overcommit->pool[i].size, text));
	(void)fputc('\n', view->out);
}

static void print_committed(const struct view *view)
{
	const struct overcommit *overcommit = view->overcommit;
	uint64_t limit = overcommit_limit(overcommit);
	char text[SIZE_TEXT];

	print_fact(view, "committed");
	(void)fprintf(view->out, "%s", size(view, overcommit->committed, text));
	if (limit)
		(void)fprintf(view->out, ", %.1f%% of the limit",
			      PERCENT * ((double)overcommit->committed / (double)limit));
	(void)fputc('\n', view->out);
	print_fact(view, "headroom");
	print_signed(view, overcommit_headroom(overcommit, true));
	(void)fputs("; without CAP_SYS_ADMIN ", view->out);
	print_signed(view, overcommit_headroom(overcommit, false));
	(void)fputc('\n', view->out);
	print_fact(view, "reserves");
	(void)fprintf(view->out, "%s for CAP_SYS_ADMIN; ", size(view, overcommit->admin_reserve, text));
	(void)fprintf(view->out, "each process leaves 1/32 of its own size, at most %s\n",
		      size(view, overcommit->user_reserve, text));
}

static void print_counter(const struct view *view)
{
	const struct overcommit *overcommit = view->overcommit;
	char text[SIZE_TEXT];

	print_fact(view, "counter");
	(void)fprintf(view->out, "%s, off by at most %s: batch of %" PRIu64 " pages, cpus %u%s\n",
		      overcommit->mode == OVERCOMMIT_NEVER ? "compared with the limit"
							   : "decides nothing here",
		      size(view, overcommit_error(overcommit), text), overcommit_batch(overcommit),
		      overcommit->cpus, overcommit->has_exact_sum ? "; committed above is exact" : "");
}

/* The kernel's own figure, against ours. */
static bool warn(const struct overcommit *overcommit, char text[static WARNING_SIZE])
{
	uint64_t limit = overcommit_limit(overcommit);

	if (limit == overcommit->told_limit)
		return false;
	(void)snprintf(text, WARNING_SIZE,
		       "/proc/meminfo tells a CommitLimit of %" PRIu64 " KiB, and its parts make %" PRIu64
		       " KiB: they changed meanwhile, or it is not the kernel's own",
		       overcommit->told_limit / 1024, limit / 1024);
	return true;
}

static void print_text(struct cli *cli, const struct overcommit_config *config,
		       const struct overcommit *overcommit)
{
	const struct view view = {overcommit, config->style.bytes, cli->out};
	char warning[WARNING_SIZE];

	print_fact(&view, "mode");
	(void)fprintf(cli->out, "%s (%d): %s\n", overcommit_mode_name(overcommit->mode), overcommit->mode,
		      explain(overcommit->mode));
	print_limit(&view);
	print_pools(&view);
	print_committed(&view);
	print_counter(&view);
	if (warn(overcommit, warning))
		cli_note(cli, "%s", warning);
}

void overcommit_put_settings(struct json *json, const struct overcommit *overcommit)
{
	json_put_text(json, "mode", overcommit_mode_name(overcommit->mode));
	json_put_int(json, "mode_number", overcommit->mode);
	json_put_int(json, "ratio", overcommit->ratio);
	json_put_u64(json, "kbytes", overcommit->kbytes);
	json_put_u64(json, "limit", overcommit_limit(overcommit));
	json_put_u64(json, "committed", overcommit->committed);
	json_put_int(json, "headroom", overcommit_headroom(overcommit, true));
}

static void put_parts(struct json *json, const struct overcommit *overcommit)
{
	json_put_int(json, "headroom_unprivileged", overcommit_headroom(overcommit, false));
	json_put_bool(json, "enforced", overcommit->mode == OVERCOMMIT_NEVER);
	json_put_u64(json, "commit_limit", overcommit->told_limit);
	json_put_u64(json, "base", overcommit_base(overcommit));
	json_put_u64(json, "ram", overcommit->ram);
	json_put_u64(json, "swap", overcommit->swap);
	json_put_u64(json, "hugetlb", overcommit_huge(overcommit));
	json_open_array(json, "hugepages");
	for (size_t i = 0; i < overcommit->pools; i++) {
		json_open_object(json, NULL);
		json_put_u64(json, "size", overcommit->pool[i].size);
		json_put_u64(json, "count", overcommit->pool[i].count);
		json_close(json);
	}
	json_close(json);
	json_put_u64(json, "admin_reserve", overcommit->admin_reserve);
	json_put_u64(json, "user_reserve", overcommit->user_reserve);
	json_open_object(json, "counter");
	json_put_int(json, "cpus", overcommit->cpus);
	json_put_u64(json, "batch_pages", overcommit_batch(overcommit));
	json_put_u64(json, "error", overcommit_error(overcommit));
	json_put_bool(json, "committed_is_exact", overcommit->has_exact_sum);
	json_close(json);
}

static int print_json(struct cli *cli, const struct overcommit *overcommit)
{
	AUTO(json_free_p) struct json *json = json_new();
	char warning[WARNING_SIZE];

	if (!json)
		return -ENOMEM;
	overcommit_put_settings(json, overcommit);
	put_parts(json, overcommit);
	json_open_array(json, "warnings");
	if (warn(overcommit, warning))
		json_put_text(json, NULL, warning);
	json_close(json);
	return cli_print_json(cli, json);
}

int overcommit_show(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err)
{
	struct overcommit overcommit = {.mode = -1};
	struct cgpol_host *host = NULL;
	int rc = cli_host(cli, &host, err);

	if (rc == 0)
		rc = overcommit_read(host, &overcommit, err);
	if (rc < 0)
		return rc;
	if (cli->json)
		return print_json(cli, &overcommit);
	print_text(cli, config, &overcommit);
	return 0;
}
