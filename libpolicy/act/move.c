/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moving processes, or threads, into a cgroup. */
#include "act/move.h"

#include <errno.h>

int move(struct cgpol_host *host, struct change *change, const struct move_request *request,
	 struct moves *moves, struct cgpol_error *err)
{
	(void)host;
	(void)change;
	(void)request;
	(void)moves;
	(void)err;
	return -ENOSYS;
}
void moves_clear(struct moves *moves)
{
	(void)moves;
}
