/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How every command that changes something goes about it. */
#include "change.h"

#include <errno.h>

int change_state(struct cli *cli, char **path, struct cgpol_error *err)
{
	(void)cli;
	(void)path;
	(void)err;
	return -ENOSYS;
}
int change_persistent(struct cli *cli, char **path, struct cgpol_error *err)
{
	(void)cli;
	(void)path;
	(void)err;
	return -ENOSYS;
}
int change_begin(struct cli *cli, struct cgpol_host *host, struct change **change, struct cgroupfs **fs,
		 struct cgpol_error *err)
{
	(void)cli;
	(void)host;
	(void)change;
	(void)fs;
	(void)err;
	return -ENOSYS;
}
int change_run(struct cli *cli, const struct change_request *request, struct cgpol_error *err)
{
	(void)cli;
	(void)request;
	(void)err;
	return -ENOSYS;
}
