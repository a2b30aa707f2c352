/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filling in struct cgpol_error: the sentence, its class, and what a script needs beside it. */
#ifndef CGPOL_BASE_ERROR_H
#define CGPOL_BASE_ERROR_H

#include <cgpol/cgpol.h>

/* Sets the whole error and clears its file, value and hint. Takes a positive errno; returns it negated, so
 * that `return error_set(...)` reads well. `err` may be NULL. Text that does not fit is cut. */
__attribute__((format(printf, 4, 5))) int error_set(struct cgpol_error *err, int errnum, enum cgpol_kind kind,
						    const char *format, ...);
/* The sentence of every allocation that fails. Returns -ENOMEM. */
int error_no_memory(struct cgpol_error *err);
/* Adds the file, the offending value and the remedy to an error that was just set; each may be NULL. */
void error_detail(struct cgpol_error *err, const char *file, const char *value, const char *hint);
/* Puts "context: " in front of the sentence, once. Returns `rc`. */
__attribute__((format(printf, 3, 4))) int error_wrap(struct cgpol_error *err, int rc, const char *format,
						     ...);
/* The name of an errno ("EINVAL"), or NULL when it has none. */
const char *error_name(int errnum);

#endif
