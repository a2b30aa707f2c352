/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Remarks of a command: on stderr at once, and for the array "warnings" of its document. */
#ifndef CGPOL_CLI_WARNINGS_H
#define CGPOL_CLI_WARNINGS_H

#include "cmd.h"

/* Zero-initialised it is empty. Give it back with warnings_clear. */
struct warnings {
	char **text;
	size_t count;
};

/* 0 or -ENOMEM. */
__attribute__((format(printf, 3, 4))) int warnings_add(struct warnings *warnings, const struct cli *cli,
						       const char *format, ...);
void warnings_put(const struct warnings *warnings,
		  struct json *json); /* members of the array, which is open */
void warnings_clear(struct warnings *warnings);

#endif
