/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of cpus or nodes for one cgroup, from any form that people write it in. */
#include "policy/choice.h"

#include <errno.h>

int choice_resolve(struct cgpol_host *host, const char *cgroup, bool is_cpus, const char *what,
		   const char *text, char **list, struct cgpol_error *err)
{
	(void)host;
	(void)cgroup;
	(void)is_cpus;
	(void)what;
	(void)text;
	(void)list;
	(void)err;
	return -ENOSYS;
}
