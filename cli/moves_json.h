/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moved processes as JSON. */
#ifndef CGPOL_CLI_MOVES_JSON_H
#define CGPOL_CLI_MOVES_JSON_H

#include "act/move.h"
#include "json.h"

/* Members of the array "processes", which is open: pid, comm, from, result, reason, hint, pinned. */
void moves_put_json(struct json *json, const struct moves *moves);

#endif
