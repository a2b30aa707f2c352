/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of one process: what it has mapped on each node. */
#ifndef CGPOL_MEMORY_RESIDENT_H
#define CGPOL_MEMORY_RESIDENT_H

#include "memory/numamaps.h"
#include "memory/usage.h"

/* What numa_maps cannot tell by itself, read once for all processes. Zero-initialised it is not ready. */
struct resident_source {
	bool is_ready;
	char *mountinfo;
	struct numamaps_mounts mounts;
	struct numamaps_context context;
};

void resident_clear(struct resident_source *source);
/* 0 or -ENOMEM: meminfo and mountinfo only refine the answer, so they may be missing. */
int resident_prepare(struct cgpol_host *host, struct resident_source *source);

/* Reads a process into a row without name. *has_memory: it has an mm; else the row is zeros. -ENOENT or
 * -ESRCH when it is gone, -EACCES or -EPERM when its status may not be read. Where only its numa_maps may not
 * be (row->denied), or on a kernel without CONFIG_NUMA, which has none, the totals of its status are taken;
 * they stand on the one node where just one has memory. */
int resident_read(struct cgpol_host *host, const struct resident_source *source, const struct nodeset *memory,
		  pid_t pid, struct usage_row *row, bool *has_memory);

/* The sentence why a named process gives no row: it was `file` of /proc/PID that failed with `rc`. `comm` is
 * "" where it was not even read. Returns -ESRCH for a process that is gone, -EACCES for one that is
 * forbidden. */
int resident_explain(pid_t pid, const char *comm, const char *file, int rc, struct cgpol_error *err);

#endif
