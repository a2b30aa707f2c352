/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of time on the command line. */
#include "period.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

static const struct unit {
	const char *name;
	uint64_t milliseconds;
} units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"min", 60000}, {"h", 3600000}};

/* Digits behind the point, as a part of `whole`; what is less than a millisecond is cut. */
static uint64_t parse_fraction(const char *text, size_t digits, uint64_t whole)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < digits; i++) {
		whole /= 10;
		sum += (uint64_t)(text[i] - '0') * whole;
	}
	return sum;
}

static int parse(const char *text, uint64_t *milliseconds)
{
	size_t whole = strspn(text, "0123456789"), part = 0;
	const char *point = text + whole, *unit = point;
	uint64_t number;

	if (*point == '.') {
		part = strspn(point + 1, "0123456789");
		unit = point + 1 + part;
		if (part == 0)
			return -EINVAL;
	}
	if (whole == 0 || text_u64_head(text, NULL, &number) < 0 || number > INT_MAX)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].name, unit) != 0)
			continue;
		*milliseconds = number * units[i].milliseconds +
				parse_fraction(point + 1, part, units[i].milliseconds);
		return *milliseconds > INT_MAX ? -ERANGE : 0;
	}
	return -EINVAL;
}

int period_parse(const char *what, const char *text, unsigned *milliseconds, struct cgpol_error *err)
{
	uint64_t made = 0;

	if (!text)
		return 0;
	if (parse(text, &made) < 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is not a length of time", what, text);
		error_detail(err, NULL, text, "seconds, like 5 or 0.5, or 200ms, 2m, 1h; at most 24 days");
		return -EINVAL;
	}
	*milliseconds = (unsigned)made;
	return 0;
}
