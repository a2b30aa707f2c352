/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "Did you mean": the known word that is nearest to a mistyped one. */
#include "guess.h"

#include <ctype.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int fold(char c)
{
	return tolower((unsigned char)c);
}

/* Optimal string alignment: insert, delete, replace and swap of neighbours cost 1 each. */
static size_t measure(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t row[3][GUESS_WORD_MAX + 1];

	for (size_t j = 0; j <= b_size; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *now = row[i % 3], *last = row[(i - 1) % 3], *older = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			int same = fold(a[i - 1]) == fold(b[j - 1]);

			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				now[j] = least(now[j], older[j - 2] + 1);
		}
	}
	return row[a_size % 3][b_size];
}

void guess_offer(struct guess *guess, const char *known)
{
	size_t size = strlen(guess->word), known_size = strlen(known);
	size_t distance, limit = 1 + known_size / 4;

	if (size < 2 || size > GUESS_WORD_MAX || known_size > GUESS_WORD_MAX)
		return;
	distance = measure(guess->word, size, known, known_size);
	if (size > 2 && size < known_size && strncasecmp(guess->word, known, size) == 0)
		distance = least(distance, limit); /* the beginning of a longer word */
	if (distance > limit || distance >= known_size || (guess->best && distance >= guess->distance))
		return;
	guess->best = known;
	guess->distance = distance;
}
