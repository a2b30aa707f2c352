/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filling in struct cgpol_error: the sentence, its class, and what a script needs beside it. */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies as much as fits and never cuts a UTF-8 character in two, so that the text stays valid JSON. */
static void copy_cut(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size);

	if (length == size) {
		length--;
		while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80)
			length--;
	}
	memmove(to, from, length);
	to[length] = '\0';
}

/* Formats into a buffer of its own first, since an argument may be the text that is replaced. */
__attribute__((format(printf, 3, 0))) static void format_cut(char *to, size_t size, const char *format,
							     va_list args)
{
	char text[2 * sizeof(((struct cgpol_error *)NULL)->text)];

	if (vsnprintf(text, sizeof(text), format, args) < 0)
		text[0] = '\0';
	copy_cut(to, size, text);
}

int error_set(struct cgpol_error *err, int errnum, enum cgpol_kind kind, const char *format, ...)
{
	va_list args;

	if (!err)
		return -errnum;
	va_start(args, format);
	format_cut(err->text, sizeof(err->text), format, args);
	va_end(args);
	err->code = errnum;
	err->kind = (int)kind;
	err->file[0] = '\0';
	err->value[0] = '\0';
	err->hint[0] = '\0';
	return -errnum;
}

int error_no_memory(struct cgpol_error *err)
{
	return error_set(err, ENOMEM, CGPOL_FAILED, "out of memory");
}

void error_detail(struct cgpol_error *err, const char *file, const char *value, const char *hint)
{
	if (!err)
		return;
	if (file)
		copy_cut(err->file, sizeof(err->file), file);
	if (value)
		copy_cut(err->value, sizeof(err->value), value);
	if (hint)
		copy_cut(err->hint, sizeof(err->hint), hint);
}

int error_wrap(struct cgpol_error *err, int rc, const char *format, ...)
{
	char context[sizeof(err->text)];
	char text[2 * sizeof(err->text) + sizeof(": ")];
	size_t length;
	va_list args;

	if (!err)
		return rc;
	va_start(args, format);
	format_cut(context, sizeof(context), format, args);
	va_end(args);
	length = strlen(context);
	if (strncmp(err->text, context, length) == 0 && strncmp(err->text + length, ": ", 2) == 0)
		return rc;
	(void)snprintf(text, sizeof(text), "%s: %s", context, err->text);
	copy_cut(err->text, sizeof(err->text), text);
	return rc;
}

const char *error_name(int errnum)
{
	return errnum > 0 ? strerrorname_np(errnum) : NULL;
}
