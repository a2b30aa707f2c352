/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overcommit policy: limit, headroom, the error of the kernel's counter, and changing it. What decides is
 * pure; overcommit_plan_read is not. */
#ifndef CGPOL_MEMORY_OVERCOMMIT_H
#define CGPOL_MEMORY_OVERCOMMIT_H

#include "host/host.h"

/* The numbers are vm.overcommit_memory's (include/uapi/linux/mman.h OVERCOMMIT_GUESS and so on). */
enum overcommit_mode { OVERCOMMIT_HEURISTIC, OVERCOMMIT_ALWAYS, OVERCOMMIT_NEVER, OVERCOMMIT_MODES };

enum { OVERCOMMIT_POOLS_MAX = 16 }; /* sizes of huge pages; no architecture has more than six */

/* The file that keeps the settings over a boot (sysctl.d(5)). */
#define OVERCOMMIT_FILE "/etc/sysctl.d/60-cgpol.conf"

struct overcommit_pool {
	uint64_t size;	/* bytes of a huge page */
	uint64_t count; /* how many there are, surplus ones too, used or not */
};

/* Sizes in bytes. */
struct overcommit {
	int mode;	 /* enum overcommit_mode; a number beyond it is one that this program does not know */
	int64_t ratio;	 /* percent; a negative one is taken as the kernel takes it */
	uint64_t kbytes; /* KiB; 0: the ratio counts */
	uint64_t page_size;
	uint64_t ram, swap; /* MemTotal, SwapTotal */
	struct overcommit_pool pool[OVERCOMMIT_POOLS_MAX];
	size_t pools;
	uint64_t admin_reserve; /* kept for processes with CAP_SYS_ADMIN */
	uint64_t user_reserve;	/* a process must leave this, or 1/32 of its own size when that is less */
	unsigned cpus;		/* present ones */
	bool has_exact_sum;	/* since 5.9 Committed_AS is exact, and the batch depends on the mode */
	uint64_t committed;	/* Committed_AS */
	uint64_t told_limit;	/* CommitLimit */
};

/* "heuristic", "always", "never"; "unknown" for other numbers. */
const char *overcommit_mode_name(int mode);
/* What all huge pages take away from a limit by ratio. */
uint64_t overcommit_huge(const struct overcommit *overcommit);
/* The limit without swap, and with it: mm/util.c vm_commit_limit(), to the page. UINT64_MAX when it is
 * larger. Only in the mode never does the kernel keep to it. */
uint64_t overcommit_base(const struct overcommit *overcommit);
uint64_t overcommit_limit(const struct overcommit *overcommit);
/* What may still be committed: limit less Committed_AS, and for processes without CAP_SYS_ADMIN less
 * admin_reserve. Negative when more is committed already. */
int64_t overcommit_headroom(const struct overcommit *overcommit, bool is_admin);
/* vm_committed_as_batch in pages, as the kernel sets it at boot or with the mode: mm/mm_init.c
 * mm_compute_batch(). */
uint64_t overcommit_batch(const struct overcommit *overcommit);
/* How far the counter that the kernel compares with the limit may be from the exact sum, in bytes: each cpu
 * keeps at most batch - 1 pages to itself (lib/percpu_counter.c). */
uint64_t overcommit_error(const struct overcommit *overcommit);

/* Pure: what /proc/meminfo tells: sizes of memory and swap, limit and sum, and the pools as far as it knows
 * them. CGPOL_FAILED when a line is missing. */
int overcommit_parse_meminfo(const char *meminfo, struct overcommit *overcommit, struct cgpol_error *err);

/* What is wanted. */
struct overcommit_request {
	int mode;	   /* -1: leave it */
	int64_t ratio;	   /* percent, -1: leave it */
	int64_t kbytes;	   /* KiB, -1: leave it; never together with ratio, and never 0 */
	bool is_forced;	   /* though more is committed than the limit would allow */
	bool is_permanent; /* write OVERCOMMIT_FILE too */
};

enum overcommit_op { OVERCOMMIT_WRITE, OVERCOMMIT_SAVE };

struct overcommit_step {
	enum overcommit_op op;
	const char *key;  /* "vm.overcommit_ratio"; NULL for OVERCOMMIT_SAVE */
	const char *file; /* static */
	char *old_text;	  /* NULL: there is no such file */
	char *new_text;
};

enum { OVERCOMMIT_STEPS_MAX = 3 };

/* Zero-initialised it is empty. Give it back with overcommit_plan_clear. */
struct overcommit_plan {
	struct overcommit before, after; /* after: with the new settings, and Committed_AS as it was before */
	struct overcommit_step step[OVERCOMMIT_STEPS_MAX];
	size_t steps;	  /* 0: all is as wanted */
	uint64_t over;	  /* bytes that are committed beyond the new limit, when the mode will be never */
	bool is_risky;	  /* so it will be, and the request makes it so: done only when forced */
	bool is_shadowed; /* /etc/sysctl.conf sets one of the keys too, and is read after OVERCOMMIT_FILE */
};

/* Pure: the writes in the order in which no moment has a stricter rule than both the old and the new one: the
 * limit before the mode becomes never, the mode first when it leaves never. Values that are there already are
 * no step. CGPOL_REFUSED when the mode never would begin, or its limit be lowered, with more committed than
 * the limit allows, unless forced. -ENOMEM. */
int overcommit_plan_make(const struct overcommit *now, const struct overcommit_request *request,
			 struct overcommit_plan *plan, struct cgpol_error *err);
/* Pure: the text of OVERCOMMIT_FILE after the request, from the present one (NULL: none), the caller frees
 * it. A key that the new one makes ineffective is dropped. CGPOL_REFUSED for a file that cgpol did not write.
 */
int overcommit_file_text(const char *present, const struct overcommit_request *request, char **text,
			 struct cgpol_error *err);
/* Pure: does a sysctl.conf(5) set this key ("vm.overcommit_ratio")? */
bool overcommit_conf_has(const char *text, const char *key);
/* Reads the machine and makes the plan, with the step that saves OVERCOMMIT_FILE. */
int overcommit_plan_read(struct cgpol_host *host, const struct overcommit_request *request,
			 struct overcommit_plan *plan, struct cgpol_error *err);
void overcommit_plan_clear(struct overcommit_plan *plan);

#endif
