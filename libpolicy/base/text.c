/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's text shapes: numbers, "Key:  value kB" lines, "key value" lines, octal escapes. */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the digits in [*at, end) and moves *at behind them. */
static int parse_digits(const char **at, const char *end, uint64_t *value)
{
	const char *p = *at;
	uint64_t number = 0;

	if (p == end || !is_digit(*p))
		return -EINVAL;
	for (; p != end && is_digit(*p); p++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
			return -ERANGE;
	}
	*at = p;
	*value = number;
	return 0;
}

int text_u64_head(const char *text, const char **end, uint64_t *value)
{
	uint64_t number;
	int rc;

	while (is_blank(*text))
		text++;
	rc = parse_digits(&text, NULL, &number);
	if (rc < 0)
		return rc;
	if (end)
		*end = text;
	*value = number;
	return 0;
}

int text_i64_head(const char *text, const char **end, int64_t *value)
{
	bool is_negative;
	uint64_t number;
	int rc;

	while (is_blank(*text))
		text++;
	is_negative = *text == '-';
	if (is_negative)
		text++;
	rc = parse_digits(&text, NULL, &number);
	if (rc < 0)
		return rc;
	if (number > (uint64_t)INT64_MAX + (is_negative ? 1 : 0))
		return -ERANGE;
	if (end)
		*end = text;
	*value = is_negative ? (int64_t)(0 - number) : (int64_t)number;
	return 0;
}

/* Is there nothing left but blanks and one newline? */
static bool is_rest_empty(const char *rest)
{
	while (is_blank(*rest))
		rest++;
	if (*rest == '\n')
		rest++;
	return *rest == '\0';
}

int text_u64(const char *text, uint64_t *value)
{
	uint64_t number;
	int rc = text_u64_head(text, &text, &number);

	if (rc < 0)
		return rc;
	if (!is_rest_empty(text))
		return -EINVAL;
	*value = number;
	return 0;
}

int text_i64(const char *text, int64_t *value)
{
	int64_t number;
	int rc = text_i64_head(text, &text, &number);

	if (rc < 0)
		return rc;
	if (!is_rest_empty(text))
		return -EINVAL;
	*value = number;
	return 0;
}

int text_limit(const char *text, uint64_t *value)
{
	const char *word = text;

	while (is_blank(*word))
		word++;
	if (strncmp(word, "max", 3) == 0 && is_rest_empty(word + 3)) {
		*value = UINT64_MAX;
		return 0;
	}
	return text_u64(text, value);
}

bool text_line(const char **rest, struct span *line)
{
	const char *newline;

	if (**rest == '\0')
		return false;
	newline = strchrnul(*rest, '\n');
	*line = (struct span){*rest, (size_t)(newline - *rest)};
	*rest = *newline == '\n' ? newline + 1 : newline;
	return true;
}

bool text_word(struct span *line, struct span *word)
{
	size_t start = 0, end;

	while (start < line->size && is_blank(line->at[start]))
		start++;
	if (start == line->size)
		return false;
	end = start;
	while (end < line->size && !is_blank(line->at[end]))
		end++;
	*word = (struct span){line->at + start, end - start};
	*line = (struct span){line->at + end, line->size - end};
	return true;
}

bool span_is(struct span span, const char *text)
{
	return strlen(text) == span.size && span_starts(span, text);
}

bool span_starts(struct span span, const char *prefix)
{
	size_t size = strlen(prefix);

	return size <= span.size && (size == 0 || memcmp(span.at, prefix, size) == 0);
}

char *span_dup(struct span span)
{
	char *copy = malloc(span.size + 1);

	if (!copy)
		return NULL;
	if (span.size > 0)
		memcpy(copy, span.at, span.size);
	copy[span.size] = '\0';
	return copy;
}

static struct span trim(struct span span)
{
	while (span.size > 0 && is_blank(*span.at)) {
		span.at++;
		span.size--;
	}
	while (span.size > 0 && is_blank(span.at[span.size - 1]))
		span.size--;
	return span;
}

int span_u64(struct span span, uint64_t *value)
{
	const char *at, *end;
	uint64_t number;
	int rc;

	span = trim(span);
	if (span.size == 0)
		return -EINVAL;
	at = span.at;
	end = at + span.size;
	rc = parse_digits(&at, end, &number);
	if (rc < 0)
		return rc;
	if (at != end)
		return -EINVAL;
	*value = number;
	return 0;
}

/* Finds the line that starts with the key, and gives what follows the key. */
static bool find_field(const char *text, const char *key, struct span *rest)
{
	size_t size = strlen(key);
	struct span line;

	while (text_line(&text, &line)) {
		if (span_starts(line, key) && line.size > size &&
		    (line.at[size] == ':' || is_blank(line.at[size]))) {
			*rest = (struct span){line.at + size, line.size - size};
			return true;
		}
	}
	return false;
}

int text_field(const char *text, const char *key, uint64_t *value)
{
	struct span rest, word;

	if (!find_field(text, key, &rest))
		return -ENOENT;
	if (*rest.at == ':')
		rest = (struct span){rest.at + 1, rest.size - 1};
	if (!text_word(&rest, &word))
		return -EINVAL;
	return span_u64(word, value);
}

struct span text_field_span(const char *text, const char *key)
{
	size_t size = strlen(key);
	struct span line;

	while (text_line(&text, &line)) {
		if (span_starts(line, key) && line.size > size && line.at[size] == ':')
			return trim((struct span){line.at + size + 1, line.size - size - 1});
	}
	return (struct span){NULL, 0};
}

/* Decodes one character of valid UTF-8 (RFC 3629: shortest form, no surrogates). Returns its length, or 0. */
static size_t decode_utf8(const char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)text[0];
	size_t size;

	if (first < 0x80) {
		*code = first;
		return 1;
	}
	if (first < 0xc2 || first > 0xf4)
		return 0;
	size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	*code = first & (0x7fU >> size);
	for (size_t i = 1; i < size; i++) {
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)text[i] & 0x3f);
	}
	if (*code < least[size] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return size;
}

/* No control character (C0, DEL, C1), no line or paragraph separator, and nothing that turns the direction of
 * the text that follows (Unicode Bidi_Control) or is invisible. */
static bool is_printable(uint32_t code)
{
	if (code < 0x20 || (code >= 0x7f && code < 0xa0))
		return false;
	if (code == 0x061c || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e))
		return false;
	return !((code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code & 0xfffe) == 0xfffe);
}

char *text_escape(const char *text, char *buffer, size_t size)
{
	size_t used = 0;

	if (size == 0)
		return buffer;
	while (*text != '\0') {
		char escaped[sizeof("\\xNN\\xNN\\xNN\\xNN")];
		const char *piece = text;
		uint32_t code;
		size_t taken = decode_utf8(text, &code), length = taken;

		if (taken == 0 || !is_printable(code)) {
			length = 0;
			for (size_t i = 0; i == 0 || i < taken; i++)
				length += (size_t)sprintf(escaped + length, "\\x%02x",
							  (unsigned)(unsigned char)text[i]);
			piece = escaped;
		}
		if (length >= size - used)
			break;
		memcpy(buffer + used, piece, length);
		used += length;
		text += taken > 0 ? taken : 1;
	}
	buffer[used] = '\0';
	return buffer;
}

bool text_is_utf8(const char *text)
{
	uint32_t code;

	while (*text != '\0') {
		size_t size = decode_utf8(text, &code);

		if (size == 0)
			return false;
		text += size;
	}
	return true;
}

static bool is_plain(char c)
{
	return c >= 0x20 && c <= 0x7e && c != '%';
}

bool text_encode(const char *text, char *buffer, size_t size)
{
	size_t used = 0;

	for (; *text != '\0'; text++) {
		size_t length = is_plain(*text) ? 1 : 3;

		if (length >= size - used)
			return false;
		if (length == 1)
			buffer[used] = *text;
		else
			(void)sprintf(buffer + used, "%%%02X", (unsigned)(unsigned char)*text);
		used += length;
	}
	if (used == size)
		return false;
	buffer[used] = '\0';
	return true;
}

int text_decode(const char *encoded, char **text, size_t *size)
{
	AUTO(free_p) char *buffer = malloc(strlen(encoded) + 1);
	char *to = buffer;

	if (!buffer)
		return -ENOMEM;
	for (; *encoded != '\0'; encoded++, to++) {
		char digits[3] = {0};

		*to = *encoded;
		if (is_plain(*encoded))
			continue;
		if (*encoded != '%' || strspn(encoded + 1, "0123456789ABCDEF") < 2)
			return -EINVAL;
		memcpy(digits, encoded + 1, 2);
		*to = (char)strtoul(digits, NULL, 16);
		if (*to == '\0' || is_plain(*to))
			return -EINVAL;
		encoded += 2;
	}
	*to = '\0';
	if (size)
		*size = (size_t)(to - buffer);
	*text = TAKE(buffer);
	return 0;
}
