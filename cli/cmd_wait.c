/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol wait: waits until something happens in a cgroup. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "act/await.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "cmd.h"
#include "guess.h"
#include "host/cgroup.h"
#include "period.h"

struct wait_config {
	struct words events;
	const char *timeout;
	uint64_t count;
};

static const struct opt options[] = {
	{"event", 'e', OPT_STRINGS, OPT_AT(wait_config, events), "EVENT[,EVENT...]", await_event_names,
	 "wait for the first of these"},
	{"timeout", 't', OPT_STRING, OPT_AT(wait_config, timeout), "SECONDS", NULL, "wait no longer"},
	{"count", 0, OPT_U64, OPT_AT(wait_config, count), "N", NULL,
	 "until a counter has grown by so many (default 1)"},
	{0},
};

static int refuse_event(const char *name, struct cgpol_error *err)
{
	struct guess guess = {.word = name};
	char hint[sizeof(err->hint)] = "";

	for (int i = 0; i < AWAIT_EVENTS; i++)
		guess_offer(&guess, await_event_name((enum await_event)i));
	if (guess.best)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", guess.best);
	for (int i = 0; !guess.best && i < AWAIT_EVENTS; i++)
		(void)snprintf(hint + strlen(hint), sizeof(hint) - strlen(hint), "%s%s", i ? ", " : "",
			       await_event_name((enum await_event)i));
	(void)error_set(err, EINVAL, CGPOL_USAGE, "--event: unknown event \"%s\"", name);
	error_detail(err, NULL, name, hint);
	return -EINVAL;
}

static int parse_list(const char *list, unsigned *events, struct cgpol_error *err)
{
	for (const char *at = list;; at++) {
		size_t size = strcspn(at, ",");
		AUTO(free_p) char *name = strndup(at, size);
		enum await_event event;

		if (!name)
			return -ENOMEM;
		if (await_event_of_name(name, &event) < 0)
			return refuse_event(name, err);
		*events |= AWAIT_BIT(event);
		at += size;
		if (!*at)
			return 0;
	}
}

static int parse_events(const struct words *lists, unsigned *events, struct cgpol_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < lists->count; i++)
		rc = parse_list(lists->word[i], events, err);
	if (rc < 0 || *events)
		return rc;
	(void)error_set(err, EINVAL, CGPOL_USAGE, "no event is named");
	error_detail(err, NULL, NULL, "--event oom_kill, or empty, removed, ...: see --help");
	return -EINVAL;
}

static int print_json(struct cli *cli, const char *cgroup, const struct await_result *result)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_name(json, "cgroup", cgroup);
	json_put_text(json, "event", await_event_name(result->event));
	json_put_u64(json, "count", result->count);
	json_put_u64(json, "before", result->before);
	return cli_print_json(cli, json);
}

static int print_text(struct cli *cli, const char *cgroup, const struct await_result *result)
{
	size_t size = 4 * strlen(cgroup) + 1;
	AUTO(free_p) char *shown = malloc(size);

	if (!shown)
		return -ENOMEM;
	text_escape(cgroup, shown, size);
	(void)fprintf(cli->out, "%s %s", shown, await_event_name(result->event));
	if (result->event <= AWAIT_LOW)
		(void)fprintf(cli->out, " %" PRIu64 " (was %" PRIu64 ")", result->count, result->before);
	(void)fputc('\n', cli->out);
	return 0;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct wait_config *config = given;
	struct await_request request = {.times = config->count};
	struct await_result result;
	AUTO(free_p) char *name = NULL;
	struct cgpol_host *host = NULL;
	int rc = cli_no_words(cli, 1, err);

	if (rc == 0 && cli->words.count == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "no cgroup is named");
		error_detail(err, NULL, NULL, "usage: cgpol wait --event EVENT CGROUP");
		return -EINVAL;
	}
	if (rc == 0)
		rc = cgroup_name(cli->words.word[0], &name, err);
	if (rc == 0)
		rc = parse_events(&config->events, &request.events, err);
	if (rc == 0)
		rc = period_parse("--timeout", config->timeout, &request.milliseconds, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc != 0)
		return rc;
	/* 0 is without end for the library; a user who types it wants one look. */
	if (config->timeout && request.milliseconds == 0)
		request.milliseconds = 1;
	request.cgroup = name;
	rc = await_event(host, &request, &result, err);
	if (rc < 0)
		return rc;
	return cli->json ? print_json(cli, name, &result) : print_text(cli, name, &result);
}

const struct cmd cmd_wait = {
	.name = "wait",
	.summary = "Wait until something happens in a cgroup",
	.usage = "--event EVENT[,EVENT...] [OPTION...] CGROUP",
	.about = "Events that are counted (memory.events): oom_kill, oom, oom_group_kill, high, max, low.\n"
		 "States, which may hold already: empty, populated, frozen, thawed, removed.",
	.operands = "cgroups",
	.options = options,
	.config_size = sizeof(struct wait_config),
	.run = run,
};
