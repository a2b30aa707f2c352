/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libcgpol: who uses which NUMA node, and whom the OOM killer will pick. */
#ifndef CGPOL_CGPOL_H
#define CGPOL_CGPOL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* RESULTS   0 or a count on success, -errno on failure; a failure also fills in *err when one is given. No
 * other output changes on failure. OWNERSHIP what _open and _make and _read hand out is the caller's and goes
 * back with _free, which takes NULL. A const pointer got from an object lives as long as that object. UNITS
 * memory in bytes, unless the name says pages. Nodes and processes by the kernel's numbers. MANNERS   no
 * globals, no output, no exit, no environment, no signal handlers. One thread per object. */

/* The classes of failure. The numbers are cgpol(1)'s exit codes. */
enum cgpol_kind {
	CGPOL_FAILED = 1,      /* a named process or file is gone, or a system call failed */
	CGPOL_USAGE = 2,       /* the request itself is wrong: a list, a number, a name */
	CGPOL_PARTIAL = 3,     /* only a part was done or read */
	CGPOL_REFUSED = 4,     /* refused by a guard, or every write with a capture */
	CGPOL_UNSUPPORTED = 5, /* this machine lacks what the request needs */
	CGPOL_OWNED = 6,       /* belongs to systemd or to a container runtime */
};

/* What went wrong, in words. The caller's; never needs freeing. Zero it before use. Every field but `code`
 * and `kind` may be empty. */
struct cgpol_error {
	int code;	/* positive errno */
	int kind;	/* enum cgpol_kind */
	char file[192]; /* the file concerned, as the kernel names it */
	char value[96]; /* the offending value */
	char hint[216]; /* what to do */
	char text[512]; /* the finished sentence, without the hint */
};

struct cgpol_host;     /* one machine, live or captured */
struct cgpol_usage;    /* memory by process, cgroup and node at one instant */
struct cgpol_forecast; /* whom the OOM killer takes, in order, and why */

/* Opens a machine. `root`: NULL or "/" is this machine, else the directory of a capture (cgpol --record). */
int cgpol_host_open(const char *root, struct cgpol_host **host, struct cgpol_error *err);
void cgpol_host_free(struct cgpol_host *host);

/* Memory of one cgroup by node, read from memory.numa_stat. `cgroup` is a path below the cgroup2 mount; row 0
 * is the cgroup itself, the next rows are its descendants, parents first. -EOPNOTSUPP where cgroup v2 has no
 * memory controller. */
int cgpol_usage_read(struct cgpol_host *host, const char *cgroup, struct cgpol_usage **usage,
		     struct cgpol_error *err);
size_t cgpol_usage_rows(const struct cgpol_usage *usage);
const char *cgpol_usage_name(const struct cgpol_usage *usage, size_t row); /* NULL past the end */
/* Anonymous and file memory of a row on a node, in bytes; 0 for a row or node that is not there. */
uint64_t cgpol_usage_bytes(const struct cgpol_usage *usage, size_t row, int node);
void cgpol_usage_free(struct cgpol_usage *usage);

/* Which limit is hit: enum oom_constraint of include/linux/oom.h. */
enum cgpol_constraint {
	CGPOL_CONSTRAINT_DERIVED = -1, /* only in a question: find out which headroom ends first */
	CGPOL_CONSTRAINT_NONE = 0,
	CGPOL_CONSTRAINT_CPUSET = 1,
	CGPOL_CONSTRAINT_MEMORY_POLICY = 2,
	CGPOL_CONSTRAINT_MEMCG = 3,
};

/* Who allocates, and what is forced. Start from CGPOL_QUESTION_INIT. */
struct cgpol_question {
	pid_t tid;	    /* the allocating thread; 0: none */
	const char *cgroup; /* without tid: an ordinary task of this cgroup; NULL with tid 0: an unrestricted
			       one */
	const char *policy; /* policy of the mapping the page belongs to, as numa_maps writes it: "bind:1"; or
			       NULL */
	const char *nodes;  /* overrides the nodes of the constraint, a kernel list; or NULL */
	int constraint;	    /* enum cgpol_constraint */
	int kernel; /* not 0: the kernel allocates for the task (page tables, slab), not the task itself */
};
#define CGPOL_QUESTION_INIT                                      \
	{                                                        \
		0, NULL, NULL, NULL, CGPOL_CONSTRAINT_DERIVED, 0 \
	}

struct cgpol_victim {
	pid_t pid;
	uint64_t bytes;	    /* what its death frees: memory that nobody else maps */
	int64_t points;	    /* mm/oom_kill.c oom_badness(), in pages; may be negative */
	const char *comm;   /* raw bytes: not safe to print on a terminal */
	const char *reason; /* "victim", "shares_mm", "oom_group", or "then" for the victims of later kills */
};

/* Foretells. Reads the machine, then decides by the kernel's rules; nothing is changed. */
int cgpol_forecast_make(struct cgpol_host *host, const struct cgpol_question *question,
			struct cgpol_forecast **forecast, struct cgpol_error *err);
/* The processes that die, in order; NULL past the end. */
const struct cgpol_victim *cgpol_forecast_at(const struct cgpol_forecast *forecast, size_t rank);
void cgpol_forecast_free(struct cgpol_forecast *forecast);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
