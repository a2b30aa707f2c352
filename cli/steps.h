/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a change as people, shells and scripts read them. */
#ifndef CGPOL_CLI_STEPS_H
#define CGPOL_CLI_STEPS_H

#include "cmd.h"
#include "policy/change.h"
#include "policy/guard.h"

/* "mkdir", "enable", "set", ... as steps[].op of a document has it. A value of the machine is "write", and a
 * configuration file "save". */
const char *steps_op_name(enum step_op op);
/* One line of shell that does the same ("echo 1073741824 > /sys/fs/cgroup/web/memory.max"), with `# why`
 * where there is a reason; what no shell can do is a comment. Names are quoted so that sh reads them back. 0
 * or -ENOMEM. */
int steps_print_shell(const struct cgpol_host *host, const struct plan *plan, FILE *out);
/* One line for each step: what it was and is. `change` NULL: planned only. 0 or -ENOMEM. */
int steps_print_text(const struct plan *plan, const struct change *change, FILE *out);
/* The members of the array "steps", which is open: op target file old new result irreversible, and `pid`,
 * `lost` and `why` where they say something. result is "planned" without a change, else "done", "unchanged",
 * "skipped", "failed", "undone", "stays" or "not reached". */
void steps_put_json(struct json *json, const struct plan *plan, const struct change *change);
/* Members of the array "warnings", which is open: a sentence for each finding. */
void steps_put_guard(struct json *json, const struct guard *guard);

#endif
