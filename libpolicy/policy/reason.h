/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A refusal that is being explained: what was tried, and the reason in the making ("cannot WHAT: WHY", and
 * what to do). The answers by area are in reasonaccess.h, reasontree.h, reasonvalue.h and reasontask.h. */
#ifndef CGPOL_POLICY_REASON_H
#define CGPOL_POLICY_REASON_H

#include "policy/plan.h"

enum { REASON_NAME = 160 }; /* of a name in a sentence */

struct reason {
	struct cgpol_host *host;
	const struct step *step; /* NULL: a process is started in `cgroup` */
	const char *cgroup;	 /* NULL: of no cgroup */
	int errnum;
	char shown[REASON_NAME];  /* the cgroup, safe to print; "" without one */
	char parent[REASON_NAME]; /* its parent, safe to print; "/" of the root */
	char why[360];
	char hint[sizeof(((struct cgpol_error *)NULL)->hint)];
	enum cgpol_kind kind;
};

/* Answers: fills in `why`, `hint` where there is a remedy, and `kind` where it differs from what the caller
 * set. */
typedef void reason_fn(struct reason *reason);

/* `step` NULL: a process is started. */
void reason_begin(struct reason *reason, struct cgpol_host *host, const struct step *step, const char *cgroup,
		  int errnum);
__attribute__((format(printf, 2, 3))) void reason_say(struct reason *reason, const char *format, ...);
__attribute__((format(printf, 2, 3))) void reason_advise(struct reason *reason, const char *format, ...);
/* A file of the cgroup, or of its parent, as text; NULL when it cannot be read. The caller frees it. */
char *reason_read(const struct reason *reason, const char *file);
char *reason_read_above(const struct reason *reason, const char *file);

#endif
