/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol undo: takes a change back. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "cmd.h"
#include "journals.h"
#include "policy/step.h"

struct undo_config {
	bool is_last, is_forced;
};

static const struct opt options[] = {
	{"last", 0, OPT_FLAG, OPT_AT(undo_config, is_last), NULL, NULL,
	 "the newest change that can be taken back (the default)"},
	{"force", 0, OPT_FLAG, OPT_AT(undo_config, is_forced), NULL, NULL,
	 "also what somebody changed again since"},
	{0},
};

struct undoing {
	struct cli *cli;
	struct cgpol_host *host;
	bool is_forced;
	struct journals journals;
	size_t at; /* which of them */
	struct journal journal;
	struct recovery recovery; /* empty: nobody looked */
};

static void undoing_clear(struct undoing *undoing)
{
	recovery_clear(&undoing->recovery);
	journal_clear(&undoing->journal);
	journals_close(&undoing->journals);
}

/* ---- which one ---- */

/* Done, stuck, or with a cgpol that was killed. */
static bool can_be_undone(const struct journal *journal)
{
	return journal->state != JOURNAL_UNDONE && journal->state != JOURNAL_FAILED;
}

static int find_last(struct undoing *undoing, struct cgpol_error *err)
{
	for (size_t i = undoing->journals.count; i-- > 0;) {
		AUTO(journal_clear) struct journal read = {0};
		struct cgpol_error why = {0};
		int rc = journals_read(&undoing->journals, i, &read, &why);

		/* An older one is not what was asked for, when the last one cannot be read. */
		if (rc < 0 && rc != -ENODATA) {
			*err = why;
			return rc;
		}
		if (rc < 0 || !can_be_undone(&read))
			continue;
		undoing->at = i;
		undoing->journal = read;
		read = (struct journal){0};
		return 0;
	}
	(void)error_set(err, ENOENT, CGPOL_FAILED,
			"nothing to undo: there is no change that could be taken back");
	error_detail(err, NULL, NULL, "cgpol history lists what was changed");
	return -ENOENT;
}

static int find(struct undoing *undoing, bool is_last, struct cgpol_error *err)
{
	const struct words *words = &undoing->cli->words;
	int rc;

	if (words->count == 0)
		return find_last(undoing, err);
	if (is_last)
		return error_set(err, EINVAL, CGPOL_USAGE, "--last and an ID exclude each other");
	rc = journals_find(&undoing->journals, words->word[0], &undoing->at, err);
	return rc < 0 ? rc : journals_read(&undoing->journals, undoing->at, &undoing->journal, err);
}

/* ---- what is told ---- */

static const char *const finding_names[] = {
	[RECOVER_PUT_BACK] = "undone", [RECOVER_NOTHING] = "unchanged", [RECOVER_GONE] = "gone",
	[RECOVER_CHANGED] = "changed", [RECOVER_LOST] = "lost",		[RECOVER_STAYS] = "stays",
};

static const char *finding_name(const struct undoing *undoing, size_t i)
{
	const struct recovery *recovery = &undoing->recovery;
	enum recover_finding finding = i < recovery->entries ? recovery->finding[i] : RECOVER_NOTHING;

	if (undoing->cli->dry_run && finding == RECOVER_PUT_BACK)
		return "planned";
	return finding_names[finding];
}

static int print_json(const struct undoing *undoing)
{
	const struct journal *journal = &undoing->journal;
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_name(json, "id", journal->id);
	json_put_name(json, "command", journal->command);
	json_put_text(json, "state", journal_state_name(journal->state));
	json_open_array(json, "steps");
	for (size_t i = journal->entries; i-- > 0;) {
		json_open_object(json, NULL);
		journals_put_step(json, &journal->entry[i].step);
		if (i < undoing->recovery.entries && undoing->recovery.now[i])
			json_put_name(json, "now", undoing->recovery.now[i]);
		else
			json_put_null(json, "now");
		json_put_text(json, "result", finding_name(undoing, i));
		json_close(json);
	}
	json_close(json);
	return cli_print_json(undoing->cli, json);
}

/* What taking back comes to, for what is put back. */
static void put_way_back(FILE *out, const struct step *step, const char *old)
{
	switch (step->op) {
	case STEP_MKDIR:
		(void)fputs("removed", out);
		return;
	case STEP_RMDIR:
		(void)fputs("made again", out);
		return;
	case STEP_ENABLE:
		(void)fprintf(out, "%s disabled", step->new_value + 1);
		return;
	case STEP_ATTACH:
		(void)fprintf(out, "moved back to %s", old);
		return;
	case STEP_SAVE:
		(void)fputs(step->old_value ? "as before" : "emptied", out);
		return;
	default:
		break;
	}
	if (step->old_value)
		(void)fprintf(out, "back to \"%s\"", old);
	else
		(void)fputs("gone with its cgroup", out);
}

static int print_step(const struct undoing *undoing, size_t i)
{
	const struct step *step = &undoing->journal.entry[i].step;
	AUTO(free_p) char *old = journals_escape(step->old_value ? step->old_value : "");
	AUTO(free_p) char *now = journals_escape(undoing->recovery.now[i] ? undoing->recovery.now[i] : "");
	FILE *out = undoing->cli->out;
	char what[256];

	if (!old || !now)
		return -ENOMEM;
	(void)fprintf(out, "%s: ", step_describe(step, what, sizeof(what)));
	switch (undoing->recovery.finding[i]) {
	case RECOVER_PUT_BACK:
		(void)fputs(undoing->cli->dry_run ? "would be " : "", out);
		put_way_back(out, step, old);
		break;
	case RECOVER_NOTHING:
		(void)fputs("as before", out);
		break;
	case RECOVER_GONE:
		(void)fputs("gone", out);
		break;
	case RECOVER_CHANGED:
		(void)fprintf(out, "changed since%s%s%s", *now ? ", is \"" : "", now, *now ? "\"" : "");
		break;
	case RECOVER_LOST:
		(void)fputs("cannot be brought back", out);
		break;
	case RECOVER_STAYS:
		(void)fputs("stays", out);
		break;
	}
	if (step->lost && undoing->recovery.finding[i] != RECOVER_NOTHING) {
		AUTO(free_p) char *lost = journals_escape(step->lost);

		(void)fprintf(out, " (lost: %s)", lost ? lost : "?");
	}
	(void)fputc('\n', out);
	return 0;
}

static int print_text(const struct undoing *undoing)
{
	AUTO(free_p) char *command = journals_escape(undoing->journal.command);
	int rc = command ? 0 : -ENOMEM;

	if (rc == 0)
		(void)fprintf(undoing->cli->out, "%s %s\n", undoing->journal.id, command);
	for (size_t i = undoing->journal.entries; rc == 0 && i-- > 0;)
		rc = print_step(undoing, i);
	return rc;
}

static int print(const struct undoing *undoing)
{
	if (undoing->cli->json)
		return print_json(undoing);
	return undoing->cli->quiet ? 0 : print_text(undoing);
}

static bool has(const struct recovery *recovery, enum recover_finding finding)
{
	for (size_t i = 0; i < recovery->entries; i++) {
		if (recovery->finding[i] == finding)
			return true;
	}
	return false;
}

/* ---- doing it ---- */

static int look(struct undoing *undoing, struct cgpol_error *err)
{
	struct cli *cli = undoing->cli;
	int rc = recover_look(undoing->host, &undoing->journal, &undoing->recovery, err);

	if (rc < 0)
		return rc;
	if (has(&undoing->recovery, RECOVER_CHANGED) && !undoing->is_forced) {
		cli_note(cli,
			 "it would be refused: somebody changed something since; --force takes it back too");
		cli->status = CGPOL_REFUSED;
	} else if (has(&undoing->recovery, RECOVER_PUT_BACK) || has(&undoing->recovery, RECOVER_CHANGED)) {
		cli->status = CGPOL_PARTIAL;
	}
	return print(undoing);
}

/* What others use by now stays for good: asking again would not help, so the change is over. */
static int undo(struct undoing *undoing, struct cgpol_error *err)
{
	int rc = recover_apply(undoing->host, &undoing->journal, undoing->is_forced, &undoing->recovery, err);

	/* Nothing was touched, or it is worth another try. */
	if (rc < 0 && err->kind != CGPOL_PARTIAL)
		return rc;
	if (rc < 0) {
		cli_print_error(undoing->cli, err);
		undoing->cli->status = CGPOL_PARTIAL;
		*err = (struct cgpol_error){0};
	}
	rc = journals_end(&undoing->journals, undoing->at, JOURNAL_UNDONE, err);
	undoing->journal.state = JOURNAL_UNDONE;
	return rc < 0 ? rc : print(undoing);
}

/* Nobody looks again at what is over. */
static int tell_over(const struct undoing *undoing)
{
	const struct journal *journal = &undoing->journal;
	AUTO(free_p) char *id = journals_escape(journal->id);

	if (!id)
		return -ENOMEM;
	cli_note(undoing->cli, "change %s %s", id,
		 journal->state == JOURNAL_UNDONE ? "is undone already"
						  : "failed, and was taken back at once");
	return undoing->cli->json ? print_json(undoing) : 0;
}

static bool is_capture(const struct cli *cli)
{
	return cli->record || (cli->root && strcmp(cli->root, "/") != 0);
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct undo_config *config = given;
	AUTO(undoing_clear) struct undoing undoing = {.cli = cli, .is_forced = config->is_forced};
	int rc = cli_no_words(cli, 1, err);

	if (rc == 0 && is_capture(cli))
		rc = error_set(err, EROFS, CGPOL_REFUSED, "a capture cannot be changed");
	rc = rc < 0 ? rc : cli_host(cli, &undoing.host, err);
	rc = rc < 0 ? rc : journals_open(cli, !cli->dry_run, &undoing.journals, err);
	rc = rc < 0 ? rc : find(&undoing, config->is_last, err);
	if (rc < 0)
		return rc;
	if (!can_be_undone(&undoing.journal))
		return tell_over(&undoing);
	return cli->dry_run ? look(&undoing, err) : undo(&undoing, err);
}

const struct cmd cmd_undo = {
	.name = "undo",
	.summary = "Take a change back",
	.usage = "[OPTION...] [ID]",
	.operands = "changes",
	.about = "ID is a change of cgpol history, or the beginning of its name; without one the last is "
		 "taken.\n"
		 "Also one whose cgpol was killed half-way.",
	.options = options,
	.config_size = sizeof(struct undo_config),
	.run = run,
};
