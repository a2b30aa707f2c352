/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "Did you mean": the known word that is nearest to a mistyped one. */
#ifndef CGPOL_CLI_GUESS_H
#define CGPOL_CLI_GUESS_H

#include <stddef.h>

enum { GUESS_WORD_MAX = 40 }; /* longer words are no typing errors of ours */

/* Start with the mistyped word and the rest zero, offer each known word, then read `best`. */
struct guess {
	const char *word;
	const char *best; /* NULL: nothing is near enough */
	size_t distance;
};

void guess_offer(struct guess *guess, const char *known);

#endif
