/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as users give them: bytes, units, max, and percentages of something. */
#include "policy/size.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { PPM_DECIMALS = 4 }; /* of a percentage: 1 ppm is 0.0001% */

/* "12.5GiB" taken apart: the whole number, the digits behind the point, the unit. */
struct amount {
	uint64_t whole;
	struct span fraction;
	bool has_point;
	const char *unit;
};

void size_clear(struct size *size)
{
	nodeset_clear(&size->nodes);
	memset(size, 0, sizeof(*size));
}

static int refuse(struct cgpol_error *err, int errnum, const char *text, const char *reason, const char *hint)
{
	char shown[sizeof(err->value)];

	text_escape(text, shown, sizeof(shown));
	(void)error_set(err, errnum, CGPOL_USAGE, "size \"%s\": %s", shown, reason);
	error_detail(err, NULL, shown, hint);
	return -errnum;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Why this does not begin with a decimal number; NULL when it does. */
static const char *judge_start(const char *text)
{
	if (text[0] == '-')
		return "a size is not negative; \"max\" means no limit";
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return "hexadecimal is not accepted";
	/* The kernel's memparse() takes a leading zero for octal, people do not. */
	if (text[0] == '0' && is_digit(text[1]))
		return "a leading zero could mean octal; leave it out";
	if (!is_digit(text[0]))
		return "not a number, \"max\" or a percentage";
	return NULL;
}

static int cut_amount(const char *text, struct amount *amount)
{
	const char *at;
	int rc = text_u64_head(text, &at, &amount->whole);

	if (rc < 0)
		return rc;
	amount->has_point = *at == '.';
	if (amount->has_point)
		at++;
	amount->fraction.at = at;
	while (amount->has_point && is_digit(*at))
		at++;
	amount->fraction.size = (size_t)(at - amount->fraction.at);
	amount->unit = at;
	return amount->has_point && amount->fraction.size == 0 ? -EINVAL : 0;
}

/* The power of two of a unit, or -1. One case only is left out: a lone "m". */
static int unit_shift(const char *unit)
{
	static const char letters[] = "KMGT";
	const char *found;

	if (unit[0] == '\0')
		return 0;
	found = strchr(letters, unit[0] & ~0x20);
	if (!found || *found == '\0' || strcmp(unit, "m") == 0)
		return -1;
	if (unit[1] != '\0' && strcmp(unit + 1, "i") != 0 && strcmp(unit + 1, "iB") != 0)
		return -1;
	return 10 * (int)(found - letters + 1);
}

static const char *judge_unit(const char *unit)
{
	if (strcmp(unit, "m") == 0)
		return "\"m\" means milli to some and mebi to others; write M for 1024 times 1024 bytes";
	if (strchr("kmgtKMGT", unit[0]) && strcasecmp(unit + 1, "b") == 0)
		return "a unit in B is 1000-based to some and 1024-based to others; K, M, G and T, with or "
		       "without iB, are powers of 1024";
	if (strcasecmp(unit, "b") == 0)
		return "bare numbers are bytes; leave the B out";
	if (strchr("eE", unit[0]) && (is_digit(unit[1]) || strchr("+-", unit[1])))
		return "exponents are not accepted";
	return "the units are K, M, G and T, with or without iB, right behind the number";
}

/* Bytes of an amount, rounded down; -ERANGE above INT64_MAX, which no limit of the kernel reaches. */
static int to_bytes(const struct amount *amount, int shift, uint64_t *bytes)
{
	uint64_t rest = 0;

	/* From the last digit to the first: floor((floor(x) + n) / 10) is floor((x + n) / 10), so it is
	 * exact.
	 */
	for (size_t i = amount->fraction.size; i-- > 0;)
		rest = (rest + ((uint64_t)(amount->fraction.at[i] - '0') << shift)) / 10;
	if (amount->whole > (uint64_t)INT64_MAX >> shift)
		return -ERANGE;
	/* The rest is less than one unit, so the sum does not pass INT64_MAX. */
	*bytes = (amount->whole << shift) + rest;
	return 0;
}

static const char *to_ppm(const struct amount *amount, uint32_t *ppm)
{
	uint64_t value;

	if (amount->whole > 100)
		return "more than 100%";
	value = amount->whole;
	for (size_t i = 0; i < PPM_DECIMALS || i < amount->fraction.size; i++) {
		unsigned digit = i < amount->fraction.size ? (unsigned)(amount->fraction.at[i] - '0') : 0;

		if (i >= PPM_DECIMALS && digit != 0)
			return "a percentage has at most four decimals";
		if (i < PPM_DECIMALS)
			value = value * 10 + digit;
	}
	if (value > 1000000)
		return "more than 100%";
	*ppm = (uint32_t)value;
	return NULL;
}

/* What stands behind the percent sign: nothing, or " of nodes:LIST". */
static int parse_nodes(const char *text, const char *rest, struct size *size, struct cgpol_error *err)
{
	static const char of[] = " of nodes:";
	int rc;

	size->kind = SIZE_PERCENT;
	if (*rest == '\0')
		return 0;
	if (strncmp(rest, of, sizeof(of) - 1) != 0)
		return refuse(err, EINVAL, text, "behind % comes nothing or \" of nodes:LIST\"", NULL);
	rest += sizeof(of) - 1;
	/* How many nodes those are depends on the machine, which is not known here. */
	if (strpbrk(rest, "aAN"))
		return refuse(err, EINVAL, text, "write the numbers of the nodes", NULL);
	rc = nodeset_parse(rest, NODESET_NODES_MAX, &size->nodes, err);
	if (rc < 0)
		return rc == -ENOMEM ? rc : error_wrap(err, rc, "size: nodes");
	if (nodeset_is_empty(&size->nodes))
		return refuse(err, EINVAL, text, "the list of nodes is empty", NULL);
	size->kind = SIZE_PERCENT_NODES;
	return 0;
}

static int parse_number(const char *text, struct size *size, struct cgpol_error *err)
{
	struct amount amount;
	const char *reason = judge_start(text);
	int rc, shift;

	if (reason)
		return refuse(err, EINVAL, text, reason, NULL);
	rc = cut_amount(text, &amount);
	if (rc == -EINVAL)
		return refuse(err, EINVAL, text, "there is no digit behind the point", NULL);
	if (rc == 0 && amount.unit[0] == '%') {
		reason = to_ppm(&amount, &size->percent_ppm);
		return reason ? refuse(err, EINVAL, text, reason, NULL)
			      : parse_nodes(text, amount.unit + 1, size, err);
	}
	if (rc == 0) {
		shift = unit_shift(amount.unit);
		if (shift < 0)
			return refuse(err, EINVAL, text, judge_unit(amount.unit), NULL);
		if (shift == 0 && amount.has_point)
			return refuse(err, EINVAL, text, "a byte has no parts", NULL);
		rc = to_bytes(&amount, shift, &size->bytes);
	}
	size->kind = SIZE_FIXED;
	if (rc < 0)
		return refuse(err, -rc, text, "more than 2^63 - 1 bytes", "\"max\" means no limit");
	return 0;
}

int size_parse(const char *text, struct size *size, struct cgpol_error *err)
{
	AUTO(size_clear) struct size made = {.kind = SIZE_FIXED};
	int rc = 0;

	if (strcmp(text, "max") == 0 || strcmp(text, "infinity") == 0)
		made.kind = SIZE_UNLIMITED;
	else
		rc = parse_number(text, &made, err);
	if (rc < 0)
		return rc;
	size_clear(size);
	*size = made;
	made.nodes = (struct nodeset){0, NULL};
	return 0;
}
