/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a change as people, shells and scripts read them. */
#ifndef CGPOL_CLI_STEPS_H
#define CGPOL_CLI_STEPS_H

#include "cmd.h"
#include "policy/change.h"
#include "policy/guard.h"

/* "mkdir", "enable", "write", ... as CONTRACT's steps[].op has it. */
const char *steps_op_name(enum step_op op);
/* One line of shell that does the same ("echo 1073741824 > /sys/fs/cgroup/web/memory.max"), with `# why`
 * where there is a reason; what no shell can do is a comment. Names are quoted so that sh reads them back. */
int steps_print_shell(const struct cgpol_host *host, const struct plan *plan, FILE *out);
/* One line for each step: what it was and is. `change` NULL: planned only. */
int steps_print_text(const struct plan *plan, const struct change *change, FILE *out);
/* The members of the array "steps", which is open: op target file old new result irreversible, and `lost` and
 * `why` where they say something. */
void steps_put_json(struct json *json, const struct plan *plan, const struct change *change);
void steps_put_guard(struct json *json, const struct guard *guard); /* the array "warnings" */

#endif
