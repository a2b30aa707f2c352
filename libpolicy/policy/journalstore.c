/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journals in a state directory: which there are, in order, and how many are kept. */
#include "policy/journalstore.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/root.h"

enum { SHOWN_SIZE = 96, STAMP_SIZE = 15, WANTING = 4 };

/* "20261130T221721" as text, then the pid, then which one of that process and second. */
struct id {
	const char *stamp;
	uint64_t pid, number;
};

static bool take_id(const char *name, struct id *id)
{
	const char *at = name;

	for (size_t i = 0; i < STAMP_SIZE; i++, at++) {
		if (i == 8 ? *at != 'T' : *at < '0' || *at > '9')
			return false;
	}
	*id = (struct id){.stamp = name};
	if (at[0] != '-' || at[1] < '0' || at[1] > '9' || text_u64_head(at + 1, &at, &id->pid) < 0)
		return false;
	if (*at == '\0')
		return true;
	return at[0] == '-' && at[1] >= '0' && at[1] <= '9' && text_u64_head(at + 1, &at, &id->number) == 0 &&
	       *at == '\0';
}

bool journalstore_is_id(const char *name)
{
	struct id id;

	return take_id(name, &id);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

int journalstore_compare(const char *a, const char *b)
{
	struct id left, right;
	int rc;

	if (!take_id(a, &left) || !take_id(b, &right))
		return strcmp(a, b);
	rc = memcmp(left.stamp, right.stamp, STAMP_SIZE);
	if (rc == 0)
		rc = compare_numbers(left.pid, right.pid);
	return rc == 0 ? compare_numbers(left.number, right.number) : rc;
}

static int compare_ids(const void *a, const void *b)
{
	return journalstore_compare(*(char *const *)a, *(char *const *)b);
}

int journalstore_read(struct state *state, const char *id, struct journal *journal, struct cgpol_error *err)
{
	AUTO(journal_clear) struct journal read = {0};
	AUTO(free_p) char *text = NULL;
	char shown[SHOWN_SIZE];
	int rc = state_read(state, id, &text);

	text_escape(id, shown, sizeof(shown));
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc < 0) {
		error_set(err, -rc, CGPOL_FAILED, "cannot read journal %s: %s", shown, strerror(-rc));
		error_detail(err, shown, NULL, NULL);
		return rc;
	}
	rc = journal_parse(text, &read, err);
	if (rc == 0 && strcmp(read.id, id) != 0)
		rc = error_set(err, EINVAL, CGPOL_FAILED, "it was written for another change");
	if (rc < 0)
		return error_wrap(err, rc, "journal %s", shown);
	*journal = read;
	read = (struct journal){0};
	return 0;
}

int journalstore_list(struct state *state, char ***ids, size_t *count, struct cgpol_error *err)
{
	char **names = NULL, shown[SHOWN_SIZE];
	size_t number = 0, kept = 0;
	int rc = state_list(state, &names, &number);

	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc < 0) {
		text_escape(state_path(state), shown, sizeof(shown));
		error_set(err, -rc, CGPOL_FAILED, "cannot list the journals in %s: %s", shown, strerror(-rc));
		error_detail(err, shown, NULL, NULL);
		return rc;
	}
	for (size_t i = 0; i < number; i++) {
		if (journalstore_is_id(names[i]))
			names[kept++] = names[i];
		else
			free(names[i]);
	}
	if (kept > 0)
		qsort(names, kept, sizeof(*names), compare_ids);
	*ids = names;
	*count = kept;
	return 0;
}

int journalstore_end(struct state *state, const char *id, enum journal_state end, struct cgpol_error *err)
{
	AUTO(free_p) char *line = journal_end(end);
	char shown[SHOWN_SIZE];
	int rc;

	if (!line)
		return error_no_memory(err);
	rc = state_resume(state, id);
	if (rc == 0)
		rc = state_append(state, line);
	if (rc < 0) {
		text_escape(id, shown, sizeof(shown));
		error_set(err, -rc, CGPOL_FAILED, "cannot write into journal %s that it is %s: %s", shown,
			  journal_state_name(end), strerror(-rc));
		error_detail(err, shown, NULL, NULL);
	}
	return rc;
}

/* Would an undo still have something to do? What cannot be read may have. */
static bool is_wanted(struct state *state, const char *id)
{
	AUTO(journal_clear) struct journal journal = {0};
	int rc = journalstore_read(state, id, &journal, NULL);

	if (rc < 0)
		return rc != -ENODATA;
	return journal.state == JOURNAL_OPEN || journal.state == JOURNAL_STUCK;
}

int journal_prune(struct state *state, size_t keep)
{
	char **ids = NULL;
	size_t count = 0;
	int removed = 0, rc = journalstore_list(state, &ids, &count, NULL);

	if (rc < 0 || !ids)
		return rc;
	for (size_t i = 0; i + keep < count; i++) {
		if (i + WANTING * keep >= count && is_wanted(state, ids[i]))
			continue;
		removed += state_remove(state, ids[i]) == 0;
	}
	root_list_free(ids, count);
	return removed;
}
