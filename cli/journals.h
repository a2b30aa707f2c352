/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The changes that were written down, of this boot and those that outlive one, as one list. */
#ifndef CGPOL_CLI_JOURNALS_H
#define CGPOL_CLI_JOURNALS_H

#include "cmd.h"
#include "policy/journalstore.h"
#include "policy/recover.h"

struct journals_item {
	char *id;
	bool is_here, is_persistent; /* in which of the directories; one may be in both */
};

/* Zero-initialised it is empty. Give it back with journals_close. */
struct journals {
	struct state *state, *persistent; /* NULL: there is no such directory */
	struct journals_item *item;	  /* oldest first */
	size_t count;
};

/* With the locks (waits as a change does), or for reading only. No directory is no failure, and none is made.
 */
int journals_open(struct cli *cli, bool is_locked, struct journals *journals, struct cgpol_error *err);
void journals_close(struct journals *journals);
/* The one whose id begins with this. CGPOL_USAGE when there is none (-ENOENT), or more than one (-EEXIST). */
int journals_find(const struct journals *journals, const char *word, size_t *at, struct cgpol_error *err);
int journals_read(const struct journals *journals, size_t at, struct journal *journal,
		  struct cgpol_error *err);
/* Writes the end into each directory where it is. */
int journals_end(const struct journals *journals, size_t at, enum journal_state end, struct cgpol_error *err);

/* The members op target file old new irreversible, and pid and lost where they say something, of an object
 * that is open. */
void journals_put_step(struct json *json, const struct step *step);
/* Text for a terminal; the caller frees it. NULL when memory is short. */
char *journals_escape(const char *text);

#endif
