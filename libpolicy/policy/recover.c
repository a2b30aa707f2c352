/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back a change by its journal. */
#include "policy/recover.h"

#include <errno.h>

int recover_look(struct cgpol_host *host, const struct journal *journal, struct recovery *recovery,
		 struct cgpol_error *err)
{
	(void)host;
	(void)journal;
	(void)recovery;
	(void)err;
	return -ENOSYS;
}
int recover_apply(struct cgpol_host *host, const struct journal *journal, bool is_forced,
		  struct recovery *recovery, struct cgpol_error *err)
{
	(void)host;
	(void)journal;
	(void)is_forced;
	(void)recovery;
	(void)err;
	return -ENOSYS;
}
void recovery_clear(struct recovery *recovery)
{
	(void)recovery;
}
int recover_make_again(struct cgpol_host *host, const char *cgroup, const char *saved)
{
	(void)host;
	(void)cgroup;
	(void)saved;
	return -ENOSYS;
}
int recover_save(struct cgpol_host *host, const char *cgroup, char **saved)
{
	(void)host;
	(void)cgroup;
	(void)saved;
	return -ENOSYS;
}
