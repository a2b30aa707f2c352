/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* USER[:GROUP] of a command line. */
#ifndef CGPOL_CLI_OWNER_H
#define CGPOL_CLI_OWNER_H

#include <sys/types.h>

#include <cgpol/cgpol.h>

/* Names or numbers. Without a group it is the user's own one; (gid_t)-1, which leaves what is there, for a
 * number that is nobody's. CGPOL_USAGE. */
int owner_parse(const char *text, uid_t *uid, gid_t *gid, struct cgpol_error *err);

#endif
