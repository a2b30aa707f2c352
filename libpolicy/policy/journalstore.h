/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journals in a state directory: which there are, in order, and how many are kept. */
#ifndef CGPOL_POLICY_JOURNALSTORE_H
#define CGPOL_POLICY_JOURNALSTORE_H

#include "host/state.h"
#include "policy/journal.h"

enum { JOURNAL_KEEP = 200 }; /* changes that can be looked up and taken back */

/* Is it the name of a journal: "20261130T221721-1234", and "-2" and so on behind it for others of the same
 * process and second? */
bool journalstore_is_id(const char *name);
/* The older one is less; those of one second by pid and number. */
int journalstore_compare(const char *a, const char *b);
/* Reads one. Errors as journal_parse's and state_read's, with the journal named in the sentence; also when
 * its id is another than its name. */
int journalstore_read(struct state *state, const char *id, struct journal *journal, struct cgpol_error *err);
/* The ids, oldest first; free with root_list_free (host/root.h). What else lies there is left out. */
int journalstore_list(struct state *state, char ***ids, size_t *count, struct cgpol_error *err);
/* Writes "end undone" behind one. */
int journalstore_end(struct state *state, const char *id, enum journal_state end, struct cgpol_error *err);
/* Removes the oldest above `keep` that are done, failed or undone, or were cut off before their first step.
 * Those that still want an undo (open, stuck) stay, but for the oldest of more than four times as many. Only
 * with the lock held. The number removed, or -errno of the list. */
int journal_prune(struct state *state, size_t keep);

#endif
