/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's text shapes: numbers, "Key:  value kB" lines, "key value" lines, octal escapes. */
#ifndef CGPOL_BASE_TEXT_H
#define CGPOL_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a larger text; not NUL terminated. */
struct span {
	const char *at;
	size_t size;
};

/* A whole decimal number, nothing around it but blanks and one newline. -EINVAL, or -ERANGE when it does not
 * fit. */
int text_u64(const char *text, uint64_t *value);
int text_i64(const char *text, int64_t *value);
/* The same at the start of a longer text; *end, when given, is set behind the number. */
int text_u64_head(const char *text, const char **end, uint64_t *value);
int text_i64_head(const char *text, const char **end, int64_t *value);
/* A cgroup limit: a number, or "max" which gives UINT64_MAX. */
int text_limit(const char *text, uint64_t *value);

/* Cuts the next line off `rest`. False at the end. The newline is not part of the line. */
bool text_line(const char **rest, struct span *line);
/* Cuts the next word (no blanks, no tabs) off `line`. False at the end. */
bool text_word(struct span *line, struct span *word);
bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *prefix);
char *span_dup(struct span span);
int span_u64(struct span span, uint64_t *value);

/* The value of a line "key value" or "key: value kB". The key must stand at the start of a line and end there
 * (a colon or a blank follows). -ENOENT when there is none, -EINVAL when no number follows. Units are the
 * caller's. */
int text_field(const char *text, const char *key, uint64_t *value);
/* The rest of the line after "key:" without the blanks around it; {NULL, 0} when there is none. */
struct span text_field_span(const char *text, const char *key);

/* Copies `text` so that it is safe on a terminal and in a log: bytes that are not printable UTF-8 become
 * \xNN. Always NUL terminated. Returns `buffer`. */
char *text_escape(const char *text, char *buffer, size_t size);
bool text_is_utf8(const char *text);
/* Writes "%XX" for every byte outside 0x20..0x7e and for "%" itself, so that any bytes survive in JSON. False
 * when it does not fit. */
bool text_encode(const char *text, char *buffer, size_t size);
/* Undoes it; the caller frees the text. -EINVAL for a NUL, a stray "%" or a byte that text_encode would have
 * written otherwise. `size` may be NULL. */
int text_decode(const char *encoded, char **text, size_t *size);

#endif
