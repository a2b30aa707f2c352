/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/PID/mountinfo, as spans. Pure. */
#include "host/mountinfo.h"

#include <stdlib.h>
#include <string.h>

static bool skip_words(struct span *line, unsigned count)
{
	struct span word;

	while (count > 0 && text_word(line, &word))
		count--;
	return count == 0;
}

bool mountinfo_parse(struct span line, struct mountinfo *mount)
{
	struct mountinfo made = {0};
	struct span word, last = {"", 0};
	size_t words = 0;

	if (!skip_words(&line, 2) || !text_word(&line, &made.device) || !text_word(&line, &made.root) ||
	    !text_word(&line, &made.point) || !text_word(&line, &made.options))
		return false;
	do {
		if (!text_word(&line, &word))
			return false;
	} while (!span_is(word, "-"));
	if (!text_word(&line, &made.type))
		return false;
	/* The last word, as the source before it may be empty. */
	made.source = (struct span){"", 0};
	for (; text_word(&line, &word); words++) {
		if (words == 0)
			made.source = word;
		last = word;
	}
	if (words == 1)
		made.source = (struct span){"", 0};
	made.super = last;
	*mount = made;
	return true;
}

char mountinfo_next(const char **at, const char *end)
{
	const char *p = *at;

	if (end - p >= 4 && p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
	    p[3] >= '0' && p[3] <= '7') {
		*at += 4;
		return (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
	}
	(*at)++;
	return *p;
}

char *mountinfo_unmangle(struct span mangled)
{
	const char *at = mangled.at, *end = mangled.at + mangled.size;
	char *path = malloc(mangled.size + 1);
	char *to = path;

	if (!path)
		return NULL;
	while (at < end)
		*to++ = mountinfo_next(&at, end);
	*to = '\0';
	return path;
}

bool mountinfo_has_option(struct span list, const char *option)
{
	while (list.size > 0) {
		const char *comma = memchr(list.at, ',', list.size);
		size_t size = comma ? (size_t)(comma - list.at) : list.size;

		if (span_is((struct span){list.at, size}, option))
			return true;
		size += comma ? 1 : 0;
		list = (struct span){list.at + size, list.size - size};
	}
	return false;
}
