/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a finished document where a user wants it, whole or not at all. */
#ifndef CGPOL_ACT_REPORT_H
#define CGPOL_ACT_REPORT_H

#include "host/host.h"

/* May `path` become a report? Makes it absolute with `directory`, the current one; the caller frees *full.
 * Only a regular file is replaced, and its folder must be there: CGPOL_USAGE for "-" and what is no file,
 * CGPOL_FAILED when it cannot be looked at. To be asked before the work is done that is reported. */
int report_check(struct cgpol_host *host, const char *directory, const char *path, char **full,
		 struct cgpol_error *err);
/* Writes it (root_save). CGPOL_FAILED with the file named. */
int report_save(struct cgpol_host *host, const char *full, const char *text, struct cgpol_error *err);

#endif
