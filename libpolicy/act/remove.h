/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deleting cgroups: what goes, what stands in the way, and the steps. */
#ifndef CGPOL_ACT_REMOVE_H
#define CGPOL_ACT_REMOVE_H

#include "host/subtree.h"
#include "policy/plan.h"

struct remove_request {
	char *const *cgroup; /* full names */
	size_t cgroups;
	bool is_recursive; /* those below them too */
	bool is_cleared;   /* their processes will be ended or moved: they do not stand in the way */
	bool is_forced;	   /* a unit of systemd too */
};

/* Zero-initialised it is empty. Give it back with removal_clear. */
struct removal {
	struct subtree all; /* what goes, each once, children before their parents */
	struct subtree top; /* those of them above which none goes */
};

/* Finds what goes and asks whether it may. Refused are: the root (CGPOL_REFUSED); one that is not there
 * (CGPOL_FAILED, -ENOENT); one that has children which do not go too (CGPOL_REFUSED, -ENOTEMPTY, named); one
 * with living processes (CGPOL_REFUSED, -EBUSY, named), unless they are dealt with; and what systemd made and
 * still keeps, a .service, .scope or .slice (CGPOL_OWNED). Processes that are dead and not yet gone are no
 * obstacle. `removal` is set on success only. */
int remove_look(struct cgpol_host *host, const struct remove_request *request, struct removal *removal,
		struct cgpol_error *err);
void removal_clear(struct removal *removal);
/* STEP_KILL of the uppermost ones, whose processes are not to be had back; each waits up to `milliseconds`
 * until they are gone. 0 or -ENOMEM. */
int remove_plan_kill(const struct removal *removal, unsigned milliseconds, struct plan *plan);
/* STEP_RMDIR of all. 0 or -ENOMEM. */
int remove_plan_rmdir(const struct removal *removal, struct plan *plan);
/* Waits until the kernel counts no process in them any more (cgroup.events, PAIN P61): those that are dead
 * stay until their last memory is given back. Up to `milliseconds`; then -EBUSY (CGPOL_FAILED), which names
 * those that live, or says that none is seen. One that is gone by then counts as empty. */
int remove_wait(struct cgpol_host *host, const struct removal *removal, unsigned milliseconds,
		struct cgpol_error *err);

#endif
