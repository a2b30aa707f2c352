/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of time on the command line. */
#ifndef CGPOL_CLI_PERIOD_H
#define CGPOL_CLI_PERIOD_H

#include <cgpol/cgpol.h>

/* "5", "0.25", "5s", "200ms", "2m", "1h": seconds where nothing else is said, down to a millisecond, up to
 * 24 days. NULL leaves *milliseconds. CGPOL_USAGE; `what` is the option's name. "0" is 0. */
int period_parse(const char *what, const char *text, unsigned *milliseconds, struct cgpol_error *err);

#endif
