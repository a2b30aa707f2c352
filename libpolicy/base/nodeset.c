/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of node or cpu numbers: the kernel's lists and masks to bits and back. */
#include "base/nodeset.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { WORD_BITS = 64 };

void nodeset_clear(struct nodeset *set)
{
	free(set->word);
	set->word = NULL;
	set->words = 0;
}

static int grow(struct nodeset *set, size_t words)
{
	uint64_t *word;

	if (words <= set->words)
		return 0;
	word = reallocarray(set->word, words, sizeof(*word));
	if (!word)
		return -ENOMEM;
	memset(word + set->words, 0, (words - set->words) * sizeof(*word));
	set->word = word;
	set->words = words;
	return 0;
}

int nodeset_add(struct nodeset *set, unsigned bit)
{
	int rc;

	if (bit >= NODESET_CPUS_MAX)
		return -ERANGE;
	rc = grow(set, bit / WORD_BITS + 1);
	if (rc < 0)
		return rc;
	set->word[bit / WORD_BITS] |= UINT64_C(1) << bit % WORD_BITS;
	return 0;
}

int nodeset_copy(struct nodeset *to, const struct nodeset *from)
{
	struct nodeset copy = {0, NULL};
	int rc = nodeset_merge(&copy, from);

	if (rc < 0)
		return rc;
	nodeset_clear(to);
	*to = copy;
	return 0;
}

int nodeset_and(struct nodeset *to, const struct nodeset *a, const struct nodeset *b)
{
	size_t words = a->words < b->words ? a->words : b->words;
	struct nodeset both = {0, NULL};
	int rc = grow(&both, words);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < words; i++)
		both.word[i] = a->word[i] & b->word[i];
	nodeset_clear(to);
	*to = both;
	return 0;
}

int nodeset_subtract(struct nodeset *to, const struct nodeset *a, const struct nodeset *b)
{
	struct nodeset rest = {0, NULL};
	int rc = nodeset_copy(&rest, a);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < rest.words && i < b->words; i++)
		rest.word[i] &= ~b->word[i];
	nodeset_clear(to);
	*to = rest;
	return 0;
}

int nodeset_merge(struct nodeset *to, const struct nodeset *from)
{
	int rc = grow(to, from->words);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < from->words; i++)
		to->word[i] |= from->word[i];
	return 0;
}

bool nodeset_has(const struct nodeset *set, unsigned bit)
{
	return bit / WORD_BITS < set->words && (set->word[bit / WORD_BITS] >> bit % WORD_BITS & 1) != 0;
}

bool nodeset_is_empty(const struct nodeset *set)
{
	for (size_t i = 0; i < set->words; i++) {
		if (set->word[i] != 0)
			return false;
	}
	return true;
}

bool nodeset_is_equal(const struct nodeset *a, const struct nodeset *b)
{
	return nodeset_contains(a, b) && nodeset_contains(b, a);
}

bool nodeset_intersects(const struct nodeset *a, const struct nodeset *b)
{
	for (size_t i = 0; i < a->words && i < b->words; i++) {
		if ((a->word[i] & b->word[i]) != 0)
			return true;
	}
	return false;
}

bool nodeset_contains(const struct nodeset *set, const struct nodeset *part)
{
	for (size_t i = 0; i < part->words; i++) {
		uint64_t have = i < set->words ? set->word[i] : 0;

		if ((part->word[i] & ~have) != 0)
			return false;
	}
	return true;
}

size_t nodeset_count(const struct nodeset *set)
{
	size_t count = 0;

	for (size_t i = 0; i < set->words; i++)
		count += (size_t)__builtin_popcountll(set->word[i]);
	return count;
}

int nodeset_next(const struct nodeset *set, int from)
{
	size_t bit = from < 0 ? 0 : (size_t)from;

	for (size_t i = bit / WORD_BITS; i < set->words; i++) {
		uint64_t word = set->word[i];

		if (i == bit / WORD_BITS)
			word &= UINT64_MAX << bit % WORD_BITS;
		if (word != 0)
			return (int)(i * WORD_BITS + (size_t)__builtin_ctzll(word));
	}
	return -1;
}

/* lib/bitmap.c struct region: "start-end:off/group", where off bits of each group are meant. */
struct region {
	unsigned start, end, off, group;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_region(char c)
{
	return is_blank(c) || c == ',' || c == '\0';
}

/* lib/bitmap.c bitmap_getnum(): "N" is the last bit; what exceeds an unsigned int is an overflow. */
static int parse_number(const char **at, unsigned last, unsigned *number)
{
	uint64_t value;
	int rc;

	if (**at == 'N') {
		(*at)++;
		*number = last;
		return 0;
	}
	if (**at < '0' || **at > '9')
		return -EINVAL;
	rc = text_u64_head(*at, at, &value);
	if (rc == -ERANGE || (rc == 0 && value > UINT_MAX))
		return -EOVERFLOW;
	if (rc < 0)
		return rc;
	*number = (unsigned)value;
	return 0;
}

static int parse_pattern(const char **at, unsigned last, struct region *region)
{
	int rc;

	if (**at != ':')
		return -EINVAL;
	(*at)++;
	rc = parse_number(at, last, &region->off);
	if (rc < 0)
		return rc;
	if (**at != '/')
		return -EINVAL;
	(*at)++;
	return parse_number(at, last, &region->group);
}

/* lib/bitmap.c bitmap_parse_region() */
static int parse_region(const char **at, unsigned last, struct region *region)
{
	int rc;

	if (strncasecmp(*at, "all", 3) == 0) {
		*at += 3;
		region->start = 0;
		region->end = last;
	} else {
		rc = parse_number(at, last, &region->start);
		if (rc < 0)
			return rc;
		region->end = region->start;
		if (!ends_region(**at)) {
			if (**at != '-')
				return -EINVAL;
			(*at)++;
			rc = parse_number(at, last, &region->end);
			if (rc < 0)
				return rc;
		}
	}
	region->off = 1;
	region->group = 1;
	if (ends_region(**at))
		return 0;
	return parse_pattern(at, last, region);
}

/* lib/bitmap.c bitmap_check_region() and bitmap_set_region() */
static int add_region(struct nodeset *set, const struct region *region, unsigned limit)
{
	if (region->start > region->end || region->group == 0 || region->off > region->group)
		return -EINVAL;
	if (region->end >= limit)
		return -ERANGE;
	for (uint64_t start = region->start; start <= region->end; start += region->group) {
		for (uint64_t bit = start; bit <= region->end && bit - start < region->off; bit++) {
			int rc = nodeset_add(set, (unsigned)bit);

			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* The sentence for one bad part of a list or mask. */
static int refuse(int rc, const char *part, size_t size, unsigned limit, struct cgpol_error *err)
{
	struct span span = {part, size < 64 ? size : 64};
	AUTO(free_p) char *copy = span_dup(span);
	char shown[4 * 64 + 1];

	if (rc == -ENOMEM || !copy)
		return error_no_memory(err);
	text_escape(copy, shown, sizeof(shown));
	if (rc == -ERANGE)
		(void)error_set(err, ERANGE, CGPOL_USAGE, "\"%s\" is out of range: the highest number is %u",
				shown, limit - 1);
	else if (rc == -EOVERFLOW)
		(void)error_set(err, EOVERFLOW, CGPOL_USAGE, "\"%s\" holds a number that is too large",
				shown);
	else
		(void)error_set(err, -rc, CGPOL_USAGE, "\"%s\" is malformed", shown);
	error_detail(err, NULL, shown, NULL);
	return rc;
}

static size_t part_size(const char *part)
{
	size_t size = 0;

	while (!ends_region(part[size]))
		size++;
	return size;
}

/* Is there more than blanks behind a newline? The kernel stops reading there; a list that loses its second
 * half in silence is worse than a refusal. */
static bool has_second_line(const char *text)
{
	const char *newline = strchr(text, '\n');

	while (newline && is_blank(*newline))
		newline++;
	return newline && *newline != '\0';
}

int nodeset_parse(const char *text, unsigned limit, struct nodeset *set, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset parsed = {0, NULL};
	const char *at = text + strspn(text, " \t\n");

	if (limit > NODESET_CPUS_MAX)
		limit = NODESET_CPUS_MAX;
	if (has_second_line(at))
		return refuse(-EINVAL, text, strlen(text), limit, err);
	for (;;) {
		struct region region;
		const char *part;
		int rc;

		while (is_blank(*at) || *at == ',')
			at++;
		if (*at == '\0')
			break;
		part = at;
		rc = limit > 0 ? parse_region(&at, limit - 1, &region) : -ERANGE;
		if (rc == 0)
			rc = add_region(&parsed, &region, limit);
		if (rc < 0)
			return refuse(rc, part, part_size(part), limit, err);
	}
	nodeset_clear(set);
	*set = parsed;
	parsed = (struct nodeset){0, NULL};
	return 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Sets the bits of one hexadecimal digit whose lowest bit is `base`. */
static int add_digit(struct nodeset *set, int digit, size_t base, unsigned limit)
{
	for (unsigned i = 0; i < 4; i++) {
		int rc;

		if ((digit >> i & 1) == 0)
			continue;
		if (base + i >= limit)
			return -ERANGE;
		rc = nodeset_add(set, (unsigned)(base + i));
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Reads a mask from its end, as lib/bitmap.c bitmap_parse() does: groups of at most eight digits. */
static int parse_mask(const char *text, size_t size, unsigned limit, struct nodeset *set)
{
	size_t chunk = 0;
	unsigned digits = 0;

	for (size_t i = size; i-- > 0;) {
		int digit = hex_digit(text[i]);
		int rc;

		if (text[i] == ',' && digits > 0) {
			chunk++;
			digits = 0;
			continue;
		}
		if (digit < 0)
			return -EINVAL;
		if (digits == 8)
			return -EOVERFLOW;
		rc = add_digit(set, digit, chunk * 32 + digits++ * 4, limit);
		if (rc < 0)
			return rc;
	}
	return size > 0 && digits == 0 ? -EINVAL : 0;
}

int nodeset_parse_mask(const char *text, unsigned limit, struct nodeset *set, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset parsed = {0, NULL};
	size_t size;
	int rc;

	while (is_blank(*text))
		text++;
	size = strlen(text);
	while (size > 0 && is_blank(text[size - 1]))
		size--;
	if (limit > NODESET_CPUS_MAX)
		limit = NODESET_CPUS_MAX;
	rc = parse_mask(text, size, limit, &parsed);
	if (rc < 0)
		return refuse(rc, text, size, limit, err);
	nodeset_clear(set);
	*set = parsed;
	parsed = (struct nodeset){0, NULL};
	return 0;
}

/* The last member of the run that starts at `first`. */
static int run_end(const struct nodeset *set, int first)
{
	int last = first;

	while (nodeset_has(set, (unsigned)last + 1))
		last++;
	return last;
}

char *nodeset_format(const struct nodeset *set)
{
	enum { REGION_SIZE = sizeof(",65535-65535") };
	size_t regions = 0, used = 0;
	char *text;

	for (int bit = nodeset_next(set, 0); bit >= 0; bit = nodeset_next(set, run_end(set, bit) + 1))
		regions++;
	text = malloc(regions * REGION_SIZE + 1);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (int bit = nodeset_next(set, 0); bit >= 0;) {
		int last = run_end(set, bit);

		used += (size_t)sprintf(text + used, "%s%d", used > 0 ? "," : "", bit);
		if (last > bit)
			used += (size_t)sprintf(text + used, "-%d", last);
		bit = nodeset_next(set, last + 1);
	}
	return text;
}
