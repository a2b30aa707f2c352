/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remarks of a command: on stderr at once, and for the array "warnings" of its document. */
#include "warnings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

int warnings_add(struct warnings *warnings, const struct cli *cli, const char *format, ...)
{
	char **more = reallocarray(warnings->text, warnings->count + 1, sizeof(*more));
	va_list arguments;
	int rc;

	if (!more)
		return -ENOMEM;
	warnings->text = more;
	va_start(arguments, format);
	rc = vasprintf(&more[warnings->count], format, arguments);
	va_end(arguments);
	if (rc < 0)
		return -ENOMEM;
	cli_note(cli, "%s", more[warnings->count++]);
	return 0;
}

void warnings_put(const struct warnings *warnings, struct json *json)
{
	for (size_t i = 0; i < warnings->count; i++)
		json_put_name(json, NULL, warnings->text[i]);
}

void warnings_clear(struct warnings *warnings)
{
	for (size_t i = 0; i < warnings->count; i++)
		free(warnings->text[i]);
	free(warnings->text);
	*warnings = (struct warnings){0};
}
