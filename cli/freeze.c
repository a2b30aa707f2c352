/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Freezing and thawing: the change, the waiting, and what is told of it. */
#include "freeze.h"

#include <errno.h>
#include <string.h>

#include "act/await.h"
#include "act/freeze.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "host/cgroup.h"
#include "period.h"

enum { TIMEOUT_MS = 5000, SHOWN_SIZE = 160 };

const struct opt freeze_options[] = {
	{"timeout", 't', OPT_STRING, OPT_AT(freeze_config, timeout), "SECONDS", NULL,
	 "wait no longer, and take it back then (default 5)"},
	{0},
};

struct freezing {
	struct cli *cli;
	char *cgroup;
	bool is_freezing;
	unsigned milliseconds;
	char *holder; /* a frozen cgroup above one that is thawed */
	bool is_so;   /* the kernel says that it is */
};

static int plan(void *arg, struct cgpol_host *host, struct plan **made, const struct cgpol_policy **policy,
		struct cgpol_error *err)
{
	struct freezing *freezing = arg;
	int rc = freeze_plan(host, freezing->cgroup, freezing->is_freezing, made, err);

	*policy = NULL;
	if (rc == 0 && !freezing->is_freezing)
		freezing->holder = freeze_holder(host, freezing->cgroup);
	return rc;
}

static int fail_late(struct cgpol_host *host, const struct freezing *freezing, struct cgpol_error *err)
{
	AUTO(free_p) char *stuck = freezing->is_freezing ? freeze_stuck(host, freezing->cgroup) : NULL;
	char shown[SHOWN_SIZE];
	int rc;

	text_escape(freezing->cgroup, shown, sizeof(shown));
	rc = error_set(err, ETIMEDOUT, CGPOL_FAILED, "cgroup %s is not %s after %u.%u s%s%.200s", shown,
		       freezing->is_freezing ? "frozen" : "thawed", freezing->milliseconds / 1000,
		       freezing->milliseconds % 1000 / 100, stuck && *stuck ? ": " : "", stuck ? stuck : "");
	error_detail(err, "cgroup.events", shown,
		     freezing->is_freezing ? "a process in state D freezes when its device answers: "
					     "--timeout waits longer"
					   : NULL);
	return rc;
}

static int then(void *arg, struct cgpol_host *host, struct change *change, struct change_more *more,
		struct cgpol_error *err)
{
	struct freezing *freezing = arg;
	const struct await_request request = {
		.cgroup = freezing->cgroup,
		.events = AWAIT_BIT(freezing->is_freezing ? AWAIT_FROZEN : AWAIT_THAWED),
		.milliseconds = freezing->milliseconds,
	};
	struct await_result result;
	int rc;

	(void)more;
	if (freezing->holder)
		return 0;
	rc = await_event(host, &request, &result, err);
	freezing->is_so = rc == 0;
	if (rc == -ETIMEDOUT)
		rc = fail_late(host, freezing, err);
	/* Half frozen is neither: those that are would wait for the others without end. */
	if (rc < 0)
		(void)change_abort(change, err);
	return rc;
}

static const char *state_of(const struct freezing *freezing)
{
	if (freezing->holder)
		return "held";
	if (!freezing->is_so)
		return NULL;
	return freezing->is_freezing ? "frozen" : "thawed";
}

static void put_json(void *arg, struct json *json)
{
	const struct freezing *freezing = arg;

	json_put_name(json, "cgroup", freezing->cgroup);
	json_put_text(json, "state", state_of(freezing));
	if (freezing->holder)
		json_put_name(json, "held_by", freezing->holder);
	else
		json_put_null(json, "held_by");
}

static int print(void *arg, FILE *out)
{
	const struct freezing *freezing = arg;
	size_t size = 4 * strlen(freezing->cgroup) + 1;
	AUTO(free_p) char *shown = NULL;

	if (freezing->cli->quiet || !freezing->is_so)
		return 0;
	shown = malloc(size);
	if (!shown)
		return -ENOMEM;
	(void)fprintf(out, "%s is %s\n", text_escape(freezing->cgroup, shown, size), state_of(freezing));
	return 0;
}

static void tell_held(const struct freezing *freezing)
{
	char shown[SHOWN_SIZE], holder[SHOWN_SIZE];

	text_escape(freezing->cgroup, shown, sizeof(shown));
	text_escape(freezing->holder, holder, sizeof(holder));
	cli_note(freezing->cli, "cgroup %s stays frozen: cgroup %s above it is frozen\ncgpol thaw %s", shown,
		 holder, holder);
	freezing->cli->status = CGPOL_PARTIAL;
}

static void clear(struct freezing *freezing)
{
	free(freezing->cgroup);
	free(freezing->holder);
}

int freeze_run(struct cli *cli, const struct freeze_config *config, bool is_freezing, struct cgpol_error *err)
{
	AUTO(clear)
	struct freezing freezing = {.cli = cli, .is_freezing = is_freezing, .milliseconds = TIMEOUT_MS};
	const struct change_request request = {
		.plan = plan, .put_json = put_json, .print = print, .arg = &freezing, .then = then};
	int rc = cli_no_words(cli, 1, err);

	if (rc == 0 && cli->words.count == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "no cgroup is named");
		error_detail(err, NULL, NULL,
			     is_freezing ? "usage: cgpol freeze CGROUP" : "usage: cgpol thaw CGROUP");
		return -EINVAL;
	}
	if (rc == 0)
		rc = cgroup_name(cli->words.word[0], &freezing.cgroup, err);
	if (rc == 0)
		rc = period_parse("--timeout", config->timeout, &freezing.milliseconds, err);
	if (rc < 0)
		return rc;
	/* 0 is without end for the library. */
	if (freezing.milliseconds == 0)
		freezing.milliseconds = 1;
	rc = change_run(cli, &request, err);
	if (rc == 0 && freezing.holder)
		tell_held(&freezing);
	return rc;
}
