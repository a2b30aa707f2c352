/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading for overcommit: the machine's figures, and what processes and cgroups commit. */
#ifndef CGPOL_MEMORY_COMMIT_H
#define CGPOL_MEMORY_COMMIT_H

#include "host/host.h"
#include "host/proc.h"
#include "memory/commitmaps.h"
#include "memory/overcommit.h"

/* Reads the machine. CGPOL_FAILED with the file when one cannot be read or holds something else. Files that
 * older kernels lack count as 0. */
int overcommit_read(struct cgpol_host *host, struct overcommit *overcommit, struct cgpol_error *err);
/* Only mode, ratio and kbytes; the rest is left alone. */
int overcommit_read_settings(struct cgpol_host *host, struct overcommit *overcommit, struct cgpol_error *err);
/* "cannot read FILE: REASON", CGPOL_FAILED. Returns rc. */
int commit_blame(const char *file, int rc, struct cgpol_error *err);

struct commit_row {
	pid_t pid;		   /* of several that share an mm the lowest */
	char comm[PROC_COMM_SIZE]; /* raw bytes */
	char *cgroup;		   /* NULL: not known; owned */
	struct commit_maps maps;
	uint64_t shared_bytes; /* of maps.object */
	uint64_t commit;       /* private_bytes and shared_bytes */
	uint64_t anon;	       /* private anonymous memory that is resident */
	uint64_t swap;
	bool is_exact; /* by smaps; else the private part is VmData + VmStk, and the shared one unknown */
	uint64_t start_stack, arg_start; /* equal in processes that share an mm */
};

struct commit_group {
	const char *cgroup; /* a row's; NULL: of processes whose cgroup is not known */
	uint64_t commit;    /* of its own processes, not of cgroups below it; an object counts once */
	size_t processes;
};

/* Zero-initialised it is empty. Give it back with commit_clear. */
struct commit {
	struct commit_row *row; /* the largest first */
	size_t rows;
	struct commit_group *group; /* the largest first */
	size_t groups;
	uint64_t sum;	   /* of all rows; an object counts once */
	size_t estimated;  /* rows that are not exact */
	size_t vanished;   /* went away while they were read */
	size_t unreadable; /* may not be read, or not exactly */
	bool hides;	   /* not every process can be seen: hidepid, or a pid namespace */
};

/* Reads every process but the reader. `estimate`: by status alone, which costs little; else by smaps, for
 * which the kernel walks all page tables of a process. Only a /proc that cannot be listed or lists nobody is
 * CGPOL_FAILED; what cannot be read is counted. */
int commit_read(struct cgpol_host *host, bool estimate, struct commit *commit, struct cgpol_error *err);
void commit_clear(struct commit *commit);

#endif
