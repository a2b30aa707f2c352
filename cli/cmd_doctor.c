/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol doctor: what this machine can do for a confinement, why not, and what helps. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cmd.h"
#include "policy/doctor.h"

struct doctor_config {
	struct table_style style;
};

enum { NAME, STATE, REQUIRED, REASON, REMEDY };

static const struct opt options[] = {
	TABLE_OPTIONS(doctor_config, style),
	{0},
};

static const struct column columns[] = {
	[NAME] = {"NAME", 0, "the capability"},
	[STATE] = {"STATE", 0, "ok, missing, limited, unknown or info"},
	[REQUIRED] = {"REQUIRED", 0, "yes: nothing can be confined without it"},
	[REASON] = {"REASON", 0, "why it is so"},
	[REMEDY] = {"REMEDY", 0, "what helps"},
	{0},
};

static int print_json(struct cli *cli, const struct doctor *doctor)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_open_array(json, "capabilities");
	for (size_t i = 0; i < doctor->rows; i++) {
		const struct doctor_row *row = &doctor->row[i];

		json_open_object(json, NULL);
		json_put_text(json, "name", row->name);
		json_put_text(json, "state", doctor_state_name(row->state));
		json_put_bool(json, "required", row->is_required);
		json_put_name(json, "reason", row->reason);
		if (row->remedy)
			json_put_name(json, "remedy", row->remedy);
		else
			json_put_null(json, "remedy");
		json_close(json);
	}
	json_close(json);
	return cli_print_json(cli, json);
}

static bool shows(const struct table_choice *choice, size_t column)
{
	for (size_t i = 0; i < choice->count; i++)
		if (choice->id[i] == column)
			return true;
	return false;
}

/* A remedy is a sentence of its own: below the table it has the whole width of the terminal. */
static int print_remedies(FILE *out, const struct doctor *doctor)
{
	bool is_first = true;

	for (size_t i = 0; i < doctor->rows; i++) {
		const struct doctor_row *row = &doctor->row[i];
		AUTO(free_p) char *text = NULL;
		size_t size;

		if (!row->remedy)
			continue;
		size = 4 * strlen(row->remedy) + 1;
		text = malloc(size);
		if (!text)
			return -ENOMEM;
		(void)fprintf(out, "%s  %s: %s\n", is_first ? "\nRemedies:\n" : "", row->name,
			      text_escape(row->remedy, text, size));
		is_first = false;
	}
	return 0;
}

static void print_names(FILE *out, const struct doctor *doctor, enum doctor_state state)
{
	const char *separator = ": ";

	for (size_t i = 0; i < doctor->rows; i++) {
		if (!doctor->row[i].is_required || doctor->row[i].state != state)
			continue;
		(void)fprintf(out, "%s%s", separator, doctor->row[i].name);
		separator = ", ";
	}
	(void)fputc('\n', out);
}

static void print_summary(FILE *out, const struct doctor *doctor)
{
	size_t missing = doctor_required(doctor, DOCTOR_MISSING);
	size_t unknown = doctor_required(doctor, DOCTOR_UNKNOWN);

	(void)fputc('\n', out);
	if (missing) {
		(void)fprintf(out, "%zu required %s missing", missing,
			      missing == 1 ? "capability is" : "capabilities are");
		print_names(out, doctor, DOCTOR_MISSING);
	} else if (unknown) {
		(void)fprintf(out,
			      "nothing that is required is known to be missing; %zu could not be examined",
			      unknown);
		print_names(out, doctor, DOCTOR_UNKNOWN);
	} else {
		(void)fputs("all that cgpol requires is here\n", out);
	}
}

static void put_row(struct table *table, const struct doctor_row *row)
{
	table_row(table);
	table_put_text(table, NAME, row->name);
	table_put_text(table, STATE, doctor_state_name(row->state));
	table_put_text(table, REQUIRED, row->is_required ? "yes" : "no");
	table_put_text(table, REASON, row->reason);
	if (row->remedy)
		table_put_text(table, REMEDY, row->remedy);
}

static int print_text(struct cli *cli, const struct doctor *doctor, const struct table_style *style,
		      const struct table_choice *choice)
{
	AUTO(table_free_p) struct table *table = table_new(columns, choice, style);
	bool is_for_people = !style->raw && !style->noheadings;
	int rc;

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < doctor->rows; i++)
		put_row(table, &doctor->row[i]);
	rc = table_print(table, cli->out);
	if (rc == 0 && is_for_people && !shows(choice, REMEDY))
		rc = print_remedies(cli->out, doctor);
	if (rc == 0 && is_for_people)
		print_summary(cli->out, doctor);
	return rc;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct doctor_config *config = given;
	AUTO(facts_clear_p) struct facts facts = {0};
	AUTO(doctor_clear_p) struct doctor doctor = {0};
	struct table_choice choice = {0};
	struct cgpol_host *host;
	int rc = cli_no_words(cli, 0, err);

	if (rc == 0)
		rc = table_choose(columns, "NAME,STATE,REASON", config->style.columns, &choice, err);
	if (rc == 0)
		rc = cli_host(cli, &host, err);
	if (rc == 0)
		rc = facts_read(host, &facts);
	if (rc == 0)
		rc = doctor_examine(&facts, &doctor);
	if (rc == 0)
		rc = cli->json ? print_json(cli, &doctor) : print_text(cli, &doctor, &config->style, &choice);
	if (rc == 0 && doctor_required(&doctor, DOCTOR_MISSING) > 0)
		cli->status = CGPOL_UNSUPPORTED;
	return rc;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "Tell what this machine can do for a confinement, and what is missing",
	.usage = "[OPTION...]",
	.about = "The exit status is 5 when something is missing that every confinement needs.",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct doctor_config),
	.run = run,
};
