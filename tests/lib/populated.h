/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives a root whose cgroups have no cgroup.events that file, made from the cgroup.procs at and below it. */
#ifndef CGPOL_TEST_POPULATED_H
#define CGPOL_TEST_POPULATED_H

#include "host/root.h"

struct populated {
	struct root_ops ops;
	const struct root_ops *plain;
	unsigned dead_for; /* so many reads still count processes that are in no list any more */
};

/* `populated` must live as long as the root. */
void populated_wrap(struct populated *populated, struct root *root);

#endif
