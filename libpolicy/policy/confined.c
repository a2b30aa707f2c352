/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups that cgpol made or changed, as far as they are there. */
#include "policy/confined.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/state.h"
#include "policy/journal.h"
#include "policy/shape.h"

/* A cgroup that a change set something of. */
struct touched {
	char *cgroup, *change;
	size_t order; /* later journals have higher ones */
};

struct reading {
	struct cgpol_host *host;
	struct touched *touched; /* sorted by name and order once all are there */
	size_t count, room;
	char *boot, *mount;
	struct confined *made;
};

void confined_clear(struct confined *confined)
{
	for (size_t i = 0; i < confined->count; i++) {
		free(confined->row[i].cgroup);
		free(confined->row[i].change);
		inventory_clear(&confined->row[i].settings);
	}
	free(confined->row);
	*confined = (struct confined){0};
}

/* ---- journals ---- */

static int add_touched(struct reading *reading, const char *cgroup, const char *change)
{
	struct touched one = {.order = reading->count};

	if (reading->count == reading->room) {
		size_t wanted = reading->room ? reading->room * 2 : 64;
		struct touched *more = reallocarray(reading->touched, wanted, sizeof(*more));

		if (!more)
			return -ENOMEM;
		reading->touched = more;
		reading->room = wanted;
	}
	one.cgroup = strdup(cgroup);
	one.change = strdup(change);
	if (!one.cgroup || !one.change) {
		free(one.cgroup);
		free(one.change);
		return -ENOMEM;
	}
	reading->touched[reading->count++] = one;
	return 0;
}

/* Enabling a controller gives the cgroups below something, not the one above. */
static bool confines(const struct journal_entry *entry)
{
	enum step_op op = entry->step.op;

	if (!entry->step.cgroup || entry->result == STEP_UNDONE || entry->result == STEP_FAILED ||
	    entry->result == STEP_SKIPPED)
		return false;
	return op == STEP_MKDIR || op == STEP_SET || op == STEP_THREADED || op == STEP_OWNER ||
	       op == STEP_ATTACH;
}

static int take_journal(struct reading *reading, const struct journal *journal)
{
	int rc = 0;

	if (journal->state == JOURNAL_UNDONE || journal->state == JOURNAL_FAILED || !journal->id)
		return 0;
	/* Cgroups do not outlive a boot, and names are of one mount. */
	if (!journal->boot || !reading->boot || strcmp(journal->boot, reading->boot) != 0 ||
	    !journal->mount || !reading->mount || strcmp(journal->mount, reading->mount) != 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < journal->entries; i++)
		if (confines(&journal->entry[i]))
			rc = add_touched(reading, journal->entry[i].step.cgroup, journal->id);
	return rc;
}

static int read_journal(struct reading *reading, struct state *state, const char *name)
{
	AUTO(free_p) char *text = NULL;
	AUTO(journal_clear) struct journal journal = {0};
	int rc = state_read(state, name, &text);

	rc = rc < 0 ? rc : journal_parse(text, &journal, NULL);
	if (rc == 0)
		return take_journal(reading, &journal);
	/* -ENOENT: it was removed meanwhile; -ENODATA: nothing was done yet. */
	reading->made->unreadable += rc != -ENOENT && rc != -ENODATA && rc != -ENOMEM;
	return rc == -ENOMEM ? rc : 0;
}

static int compare_touched(const void *left, const void *right)
{
	const struct touched *a = left, *b = right;
	int order = strcmp(a->cgroup, b->cgroup);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static int read_journals(struct reading *reading, const char *path)
{
	AUTO(state_close_p) struct state *state = NULL;
	char **names = NULL;
	size_t count = 0;
	int rc;

	if (!path || state_open(path, false, &state, NULL) < 0)
		return 0;
	(void)root_read(reading->host->root, "/proc/sys/kernel/random/boot_id", &reading->boot, NULL);
	reading->mount = journal_mount(reading->host);
	if (!reading->mount)
		return -ENOMEM;
	rc = state_list(state, &names, &count);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = read_journal(reading, state, names[i]);
	root_list_free(names, count);
	if (reading->count)
		qsort(reading->touched, reading->count, sizeof(*reading->touched), compare_touched);
	return rc;
}

/* The newest change of a cgroup, or NULL. */
static const char *find_change(const struct reading *reading, const char *cgroup)
{
	size_t from = 0, to = reading->count;

	while (from < to) { /* the first behind all of this name */
		size_t middle = from + (to - from) / 2;

		if (strcmp(reading->touched[middle].cgroup, cgroup) <= 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from > 0 && strcmp(reading->touched[from - 1].cgroup, cgroup) == 0
		       ? reading->touched[from - 1].change
		       : NULL;
}

/* ---- rows ---- */

static int fill_row(struct cgpol_host *host, struct confined_row *row, struct cgpol_error *err)
{
	AUTO(shapes_clear) struct shapes one = {0};
	int rc = shapes_read(host, row->cgroup, 0, SHAPE_PROCS | SHAPE_CURRENT, &one, err);

	if (rc < 0)
		return rc;
	row->has_procs = one.shape->has & SHAPE_PROCS;
	row->procs = one.shape->procs;
	row->has_current = one.shape->has & SHAPE_CURRENT;
	row->current = one.shape->current;
	return inventory_read(host, row->cgroup, false, &row->settings, err);
}

static int add_row(struct reading *reading, const struct shape *shape, const char *change,
		   struct cgpol_error *err)
{
	struct confined *made = reading->made;
	struct confined_row *more = reallocarray(made->row, made->count + 1, sizeof(*more)), *row;
	int rc;

	if (!more)
		return error_no_memory(err);
	made->row = more;
	row = &more[made->count++];
	*row = (struct confined_row){
		.cgroup = strdup(shape->name), .mark = shape->mark, .change = change ? strdup(change) : NULL};
	if (!row->cgroup || (change && !row->change))
		return error_no_memory(err);
	rc = fill_row(reading->host, row, err);
	if (rc != -ENOENT)
		return rc;
	free(row->cgroup); /* went away meanwhile */
	free(row->change);
	inventory_clear(&row->settings);
	made->count--;
	return 0;
}

static int add_rows(struct reading *reading, const struct shapes *all, struct cgpol_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < all->count; i++) {
		const struct shape *shape = &all->shape[i];
		const char *change = find_change(reading, shape->name);

		if (shape->mark.kind != MARK_NONE || change)
			rc = add_row(reading, shape, change, err);
	}
	return rc;
}

int confined_read(struct cgpol_host *host, const char *state, struct confined *confined,
		  struct cgpol_error *err)
{
	AUTO(shapes_clear) struct shapes all = {0};
	AUTO(confined_clear) struct confined made = {0};
	struct reading reading = {.host = host, .made = &made};
	struct cgpol_error failure = {0};
	int rc = shapes_read(host, "/", UINT_MAX, SHAPE_MARK, &all, &failure);

	if (rc == 0 && read_journals(&reading, state) < 0)
		rc = error_no_memory(&failure);
	rc = rc < 0 ? rc : add_rows(&reading, &all, &failure);
	for (size_t i = 0; i < reading.count; i++) {
		free(reading.touched[i].cgroup);
		free(reading.touched[i].change);
	}
	free(reading.touched);
	free(reading.boot);
	free(reading.mount);
	if (rc < 0) {
		if (err)
			*err = failure;
		return rc;
	}
	*confined = made;
	made = (struct confined){0};
	return 0;
}
