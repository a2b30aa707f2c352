/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for a shell to read back. */
#ifndef CGPOL_CLI_QUOTE_H
#define CGPOL_CLI_QUOTE_H

#include <stdio.h>

/* Writes one word as sh(1) wants it: as it is where nothing in it is special, else in single quotes. What may
 * not go to a terminal becomes "$(printf '\NNN')", which keeps all bytes but newlines at the end. */
void quote_put(const char *text, FILE *out);
/* The words of a command line with blanks between them; the caller frees it. NULL when memory is short. */
char *quote_line(char *const argv[]);

#endif
