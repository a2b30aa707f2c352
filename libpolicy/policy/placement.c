/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of cpus and nodes as numactl(8) and taskset(1) users write them. */
#include "policy/placement.h"

#include <errno.h>

int placement_parse(const struct placement *placement, const char *text, struct nodeset *set,
		    struct cgpol_error *err)
{
	(void)placement;
	(void)text;
	(void)set;
	(void)err;
	return -ENOSYS;
}

int placement_of_device(struct cgpol_host *host, const char *text, struct nodeset *set,
			struct cgpol_error *err)
{
	(void)host;
	(void)text;
	(void)set;
	(void)err;
	return -ENOSYS;
}
