/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups that cgpol made or changed, as far as they are there. */
#ifndef CGPOL_POLICY_CONFINED_H
#define CGPOL_POLICY_CONFINED_H

#include "host/mark.h"
#include "policy/inventory.h"

struct confined_row {
	char *cgroup;
	struct mark mark;
	bool has_procs, has_current;
	size_t procs;
	uint64_t current;	   /* bytes */
	struct inventory settings; /* those that a new cgroup would not have */
	char *change; /* the newest change of it that is not undone, by its journal's id; NULL: none */
};

/* Zero-initialised it is empty. Give it back with confined_clear. */
struct confined {
	struct confined_row *row; /* in the order of the tree (policy/shape.h) */
	size_t count;
	size_t unreadable; /* journals that cannot be read, or are none of ours */
};

/* Looks for marks (host/mark.h) in the whole hierarchy and, where `state` names a directory of journals, for
 * the cgroups whose changes since boot are not taken back. A directory that is not there, or may not be
 * looked into, holds none. */
int confined_read(struct cgpol_host *host, const char *state, struct confined *confined,
		  struct cgpol_error *err);
void confined_clear(struct confined *confined);

#endif
