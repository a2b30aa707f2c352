/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for a shell to read back. */
#include "quote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static bool is_plain(const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";

	return *text && text[strspn(text, plain)] == '\0';
}

/* Is there nothing in it that text_escape would change? */
static bool is_harmless(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	AUTO(free_p) char *shown = malloc(size);

	return shown && strcmp(text_escape(text, shown, size), text) == 0;
}

static void put_single(const char *text, FILE *out)
{
	(void)fputc('\'', out);
	for (; *text; text++)
		if (*text == '\'')
			(void)fputs("'\\''", out);
		else
			(void)fputc(*text, out);
	(void)fputc('\'', out);
}

static void put_bytes(const char *text, FILE *out)
{
	(void)fputs("\"$(printf '", out);
	for (; *text; text++) {
		char one[] = {*text, '\0'};

		if (is_plain(one) && *text != '%')
			(void)fputc(*text, out);
		else
			(void)fprintf(out, "\\%03o", (unsigned)(unsigned char)*text);
	}
	(void)fputs("')\"", out);
}

void quote_put(const char *text, FILE *out)
{
	if (is_plain(text))
		(void)fputs(text, out);
	else if (is_harmless(text))
		put_single(text, out);
	else
		put_bytes(text, out);
}

char *quote_line(char *const argv[])
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool failed;

	if (!out)
		return NULL;
	for (size_t i = 0; argv[i]; i++) {
		if (i > 0)
			(void)fputc(' ', out);
		quote_put(argv[i], out);
	}
	failed = ferror(out) != 0;
	if (fclose(out) != 0 || failed) {
		free(text);
		return NULL;
	}
	return text;
}
