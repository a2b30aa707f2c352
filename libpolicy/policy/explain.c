/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel errno on a cgroup file, as one sentence: which file, which value, what the kernel objects to,
 * which ancestor is the cause, what to do. */
#include "policy/explain.h"

#include <errno.h>

int explain_step(struct cgpol_host *host, const struct step *step, int rc, struct cgpol_error *err)
{
	(void)host;
	(void)step;
	(void)rc;
	(void)err;
	return -ENOSYS;
}

int explain_start(struct cgpol_host *host, const char *cgroup, int rc, struct cgpol_error *err)
{
	(void)host;
	(void)cgroup;
	(void)rc;
	(void)err;
	return -ENOSYS;
}
