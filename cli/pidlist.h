/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes or threads on the command line: "12,600-700". */
#ifndef CGPOL_CLI_PIDLIST_H
#define CGPOL_CLI_PIDLIST_H

#include "host/host.h"
#include "opt.h"

/* Each number once, in the order given. One that stands alone is taken whether it exists or not; a range is
 * those of it that exist. With is_thread a range has at most 65536 numbers, since no list has all threads.
 * CGPOL_USAGE. The caller frees pids->pid, also after a failure. */
int pidlist_parse(struct cgpol_host *host, const struct words *lists, bool is_thread, struct pids *pids,
		  struct cgpol_error *err);

#endif
