/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as people read them, powers of 1024. */
#include "size.h"

#include <inttypes.h>
#include <stdio.h>

static const char letters[] = "BKMGTPE";

/* Tenths of the largest unit that gives at least 1, rounded to the nearest. */
static uint64_t scale(uint64_t bytes, unsigned *unit)
{
	uint64_t tenths;

	for (*unit = 0; *unit < sizeof(letters) - 2 && bytes >> (10 * (*unit + 1)); (*unit)++)
		;
	if (*unit == 0)
		return bytes * 10;
	/* Two steps, so that neither the product nor the half of the last digit overflows. */
	bytes >>= 10 * (*unit - 1);
	tenths = (bytes * 10 + 512) / 1024;
	if (tenths >= 10240 && *unit < sizeof(letters) - 2) {
		tenths = 10;
		(*unit)++;
	}
	return tenths;
}

const char *size_short(uint64_t bytes, char text[static SIZE_TEXT])
{
	unsigned unit;
	uint64_t tenths = scale(bytes, &unit);

	if (tenths % 10)
		(void)snprintf(text, SIZE_TEXT, "%" PRIu64 ".%u%c", tenths / 10, (unsigned)(tenths % 10),
			       letters[unit]);
	else
		(void)snprintf(text, SIZE_TEXT, "%" PRIu64 "%c", tenths / 10, letters[unit]);
	return text;
}

const char *size_long(uint64_t bytes, char text[static SIZE_TEXT])
{
	unsigned unit;
	uint64_t tenths = scale(bytes, &unit);

	if (unit == 0)
		(void)snprintf(text, SIZE_TEXT, "%" PRIu64 " bytes", bytes);
	else if (tenths < 100 && tenths % 10)
		(void)snprintf(text, SIZE_TEXT, "%u.%u %ciB", (unsigned)(tenths / 10),
			       (unsigned)(tenths % 10), letters[unit]);
	else
		(void)snprintf(text, SIZE_TEXT, "%" PRIu64 " %ciB", (tenths + 5) / 10, letters[unit]);
	return text;
}
