/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of cgpol get: rows of settings, of cgroups, of the machine and of processes. */
#ifndef CGPOL_CLI_GET_H
#define CGPOL_CLI_GET_H

#include "cmd.h"
#include "policy/effective.h"

struct get_row {
	pid_t pid; /* 0: of a cgroup or of the machine */
	char *key;
	bool is_size;
	struct effective effective;
	const char *source; /* of a process: the file that tells. Static */
};

/* Zero-initialised it is empty. Give it back with get_clear. */
struct get_rows {
	struct get_row *row;
	size_t count;
};

void get_clear(struct get_rows *rows);
/* Adds a row; takes over what is in *effective, also when it fails. 0 or -ENOMEM. */
int get_add(struct get_rows *rows, pid_t pid, const char *key, const char *source,
	    struct effective *effective);
/* The settings of a process: these, or without any all but home_node. CGPOL_FAILED (-ESRCH) when it is gone,
 * CGPOL_USAGE for a name that is none of a process. */
int get_process(struct cgpol_host *host, pid_t pid, const struct words *keys, struct get_rows *rows,
		struct cgpol_error *err);

#endif
