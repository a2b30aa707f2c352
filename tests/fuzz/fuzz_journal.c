/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a journal. What is read is written again and read as the same; of what is refused nothing is
 * kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static int is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_step(const struct step *is, const struct step *was)
{
	require(is->op == was->op && is->pid == was->pid && is->start_time == was->start_time);
	require(is->is_optional == was->is_optional && is->is_thread == was->is_thread);
	require(is_same(is->cgroup, was->cgroup) && is_same(is->file, was->file));
	require(is_same(is->old_value, was->old_value) && is_same(is->new_value, was->new_value));
	require(is_same(is->lost, was->lost));
	/* Nobody who takes it back leaves where cgroups are. */
	require(!was->cgroup || (*was->cgroup == '/' && !strstr(was->cgroup, "/../")));
}

static char *write_again(const struct journal *journal)
{
	struct plan plan = {.steps = journal->entries};
	char *head = journal_begin(journal), *steps, *text;

	plan.step = calloc(journal->entries + 1, sizeof(*plan.step));
	require(head && plan.step);
	for (size_t i = 0; i < journal->entries; i++)
		plan.step[i] = journal->entry[i].step;
	steps = journal_plan(&plan, 0);
	require(steps != NULL);
	require(asprintf(&text, "%s%s", head, steps) > 0);
	free(plan.step);
	free(steps);
	free(head);
	return text;
}

static void check_round_trip(const struct journal *journal)
{
	struct journal again = {0};
	char *text = write_again(journal);

	require(journal_parse(text, &again, NULL) == 0);
	require(again.entries == journal->entries && is_same(again.id, journal->id));
	require(is_same(again.command, journal->command) && is_same(again.boot, journal->boot));
	require(is_same(again.mount, journal->mount) && again.time == journal->time);
	require(again.uid == journal->uid && again.pid == journal->pid);
	require(again.start_time == journal->start_time);
	for (size_t i = 0; i < again.entries; i++)
		check_step(&again.entry[i].step, &journal->entry[i].step);
	journal_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct journal journal = {0};
	struct cgpol_error err = {0};
	int rc;

	if (!text)
		return 0;
	rc = journal_parse(text, &journal, &err);
	if (rc == 0)
		check_round_trip(&journal);
	else
		require(err.text[0] != '\0' && err.code == -rc && !journal.entry && !journal.id);
	journal_clear(&journal);
	free(text);
	return 0;
}
