/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The changes that were written down, of this boot and those that outlive one, as one list. */
#include "journals.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "steps.h"

enum { SHOWN_SIZE = 96 };

void journals_close(struct journals *journals)
{
	for (size_t i = 0; i < journals->count; i++)
		free(journals->item[i].id);
	free(journals->item);
	state_close(journals->persistent);
	state_close(journals->state);
	*journals = (struct journals){0};
}

/* ---- the directories ---- */

static int open_one(const char *path, bool is_locked, struct state **state, struct cgpol_error *err)
{
	AUTO(state_close_p) struct state *opened = NULL;
	int rc = state_open(path, false, &opened, err);

	if (rc == -ENOENT) {
		*err = (struct cgpol_error){0};
		return 0;
	}
	if (rc == 0 && is_locked)
		rc = state_lock(opened, CHANGE_LOCK_MS, err);
	if (rc == 0)
		*state = TAKE(opened);
	return rc;
}

static int open_both(struct cli *cli, bool is_locked, struct journals *journals, struct cgpol_error *err)
{
	AUTO(free_p) char *here = NULL, *lasting = NULL;
	int rc = change_state(cli, &here, err);

	if (rc == 0)
		rc = change_persistent(cli, &lasting, err);
	if (rc == 0)
		rc = open_one(here, is_locked, &journals->state, err);
	/* In this order, as a change takes them. */
	if (rc == 0 && lasting)
		rc = open_one(lasting, is_locked, &journals->persistent, err);
	return rc;
}

static int compare_items(const void *a, const void *b)
{
	return journalstore_compare(((const struct journals_item *)a)->id,
				    ((const struct journals_item *)b)->id);
}

static struct journals_item *find_item(const struct journals *journals, size_t count, const char *id)
{
	const struct journals_item like = {.id = (char *)(uintptr_t)id};

	return count ? bsearch(&like, journals->item, count, sizeof(like), compare_items) : NULL;
}

/* The names become the items' own. */
static int add_all(struct journals *journals, struct state *state, bool is_persistent,
		   struct cgpol_error *err)
{
	char **ids = NULL;
	size_t count = 0, before = journals->count;
	struct journals_item *more;
	int rc = state ? journalstore_list(state, &ids, &count, err) : 0;

	if (rc < 0)
		return rc;
	more = reallocarray(journals->item, before + count + 1, sizeof(*more));
	if (!more) {
		root_list_free(ids, count);
		return error_no_memory(err);
	}
	journals->item = more;
	for (size_t i = 0; i < count; i++) {
		struct journals_item *same = find_item(journals, before, ids[i]);

		if (same) {
			same->is_persistent = true;
			free(ids[i]);
			continue;
		}
		more[journals->count++] = (struct journals_item){ids[i], !is_persistent, is_persistent};
	}
	free(ids);
	qsort(journals->item, journals->count, sizeof(*journals->item), compare_items);
	return 0;
}

int journals_open(struct cli *cli, bool is_locked, struct journals *journals, struct cgpol_error *err)
{
	AUTO(journals_close) struct journals opened = {0};
	int rc = open_both(cli, is_locked, &opened, err);

	if (rc == 0)
		rc = add_all(&opened, opened.state, false, err);
	if (rc == 0)
		rc = add_all(&opened, opened.persistent, true, err);
	if (rc < 0)
		return rc;
	*journals = opened;
	opened = (struct journals){0};
	return 0;
}

int journals_find(const struct journals *journals, const char *word, size_t *at, struct cgpol_error *err)
{
	size_t size = strlen(word), found = 0, count = 0;
	char shown[SHOWN_SIZE];

	for (size_t i = 0; i < journals->count; i++) {
		if (strncmp(journals->item[i].id, word, size) != 0)
			continue;
		/* A whole id is meant, though others begin with it. */
		if (journals->item[i].id[size] == '\0') {
			*at = i;
			return 0;
		}
		found = i;
		count++;
	}
	if (count == 1) {
		*at = found;
		return 0;
	}
	text_escape(word, shown, sizeof(shown));
	if (count == 0)
		(void)error_set(err, ENOENT, CGPOL_USAGE, "there is no change \"%s\"", shown);
	else
		(void)error_set(err, EEXIST, CGPOL_USAGE, "%zu changes begin with \"%s\"", count, shown);
	error_detail(err, NULL, shown, "cgpol history lists them");
	return count == 0 ? -ENOENT : -EEXIST;
}

int journals_read(const struct journals *journals, size_t at, struct journal *journal,
		  struct cgpol_error *err)
{
	const struct journals_item *item = &journals->item[at];

	return journalstore_read(item->is_here ? journals->state : journals->persistent, item->id, journal,
				 err);
}

int journals_end(const struct journals *journals, size_t at, enum journal_state end, struct cgpol_error *err)
{
	const struct journals_item *item = &journals->item[at];
	int rc = item->is_here ? journalstore_end(journals->state, item->id, end, err) : 0;

	if (rc == 0 && item->is_persistent)
		rc = journalstore_end(journals->persistent, item->id, end, err);
	return rc;
}

/* ---- what is told of them ---- */

char *journals_escape(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *escaped = malloc(size);

	return escaped ? text_escape(text, escaped, size) : NULL;
}

static void put_bytes(struct json *json, const char *key, const char *text)
{
	if (text)
		json_put_name(json, key, text);
	else
		json_put_null(json, key);
}

/* "vm.swappiness" of /proc/sys/vm/swappiness. */
static void put_file_target(struct json *json, const struct step *step)
{
	static const char sysctl[] = "/proc/sys/";
	const char *file = step->file ? step->file : "";
	bool is_sysctl = step->op == STEP_HOST && strncmp(file, sysctl, sizeof(sysctl) - 1) == 0;
	AUTO(free_p) char *name = strdup(is_sysctl ? file + sizeof(sysctl) - 1 : file);

	for (char *at = name; is_sysctl && at && *at; at++)
		*at = (char)(*at == '/' ? '.' : *at);
	json_put_name(json, "target", name ? name : "");
}

void journals_put_step(struct json *json, const struct step *step)
{
	char process[24];

	json_put_text(json, "op", steps_op_name(step->op));
	if (step->cgroup) {
		json_put_name(json, "target", step->cgroup);
	} else if (step->op == STEP_TASK || step->op == STEP_AFFINITY) {
		(void)snprintf(process, sizeof(process), "pid %d", step->pid);
		json_put_text(json, "target", process);
	} else {
		put_file_target(json, step);
	}
	put_bytes(json, "file", step->file);
	put_bytes(json, "old", step->old_value);
	put_bytes(json, "new", step->new_value);
	json_put_bool(json, "irreversible", step->lost != NULL);
	if (step->pid)
		json_put_int(json, "pid", step->pid);
	if (step->lost)
		json_put_name(json, "lost", step->lost);
}
