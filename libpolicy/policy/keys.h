/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what can be set on a cgroup, a process or the machine: file, controller, type, range, since
 * when, help. */
#ifndef CGPOL_POLICY_KEYS_H
#define CGPOL_POLICY_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/v1names.h"

enum key_type {
	KEY_SIZE,   /* bytes or "max": struct size; the kernel rounds down to pages */
	KEY_FLAG,   /* 0 or 1; "yes", "no", "on", "off", "true", "false" too */
	KEY_NUMBER, /* a whole number in [min, max], or one of `words` where there are some */
	KEY_LIMIT,  /* a whole number in [min, max], or "max" */
	KEY_CPUS,   /* a list of cpus */
	KEY_NODES,  /* a list of nodes */
	KEY_WORDS,  /* one of `words` */
	KEY_TEXT,   /* passed on: cpu.max, io.max, ... */
};

enum key_scope {
	KEY_CGROUP, /* a file of a cgroup */
	KEY_TASK,   /* of a process or thread: "oom_score_adj", "affinity", "mempolicy", "home_node" */
	KEY_HOST,   /* of the machine: "vm.swappiness", "weighted_interleave.node0" */
};

struct key {
	const char *name;	/* the file: "memory.max"; "*" stands for one word: "hugetlb.*.max" */
	const char *controller; /* "memory"; NULL: cgroup core ("cgroup.freeze") */
	enum key_type type;
	int64_t min, max;	  /* KEY_NUMBER, KEY_LIMIT */
	const char *const *words; /* KEY_WORDS: ends with NULL; KEY_NUMBER: other names of min, min + 1, ...,
				     or NULL */
	const char *since;	  /* kernel version: "5.19"; NULL: all that are supported (5.10) */
	const char *help;	  /* one line */
	enum key_scope scope;
	const char *units;   /* "bytes", "percent", "KiB", "microseconds"; NULL: none */
	const char *initial; /* what a new cgroup, process or machine has; NULL: it differs */
	bool is_on_root;     /* the root cgroup has the file too */
	bool is_root_only;   /* and no other */
};

extern const struct key key_table[]; /* ends with a NULL name */

/* The row of a file; "hugetlb.2MB.max" finds "hugetlb.*.max". NULL when the table does not know it. */
const struct key *key_find(const char *name);
/* Why a file of cgroup v2 is no setting: a command (memory.reclaim), membership (cgroup.procs), one-way
 * (cgroup.type), or only to be read (memory.current). NULL when nothing is known against it. */
const char *key_refusal(const char *name);
/* The controller a file belongs to by its name ("io.max" -> "io"), also for files the table does not know;
 * NULL for "cgroup.", for settings of the machine and for names without a dot. The caller frees it. */
char *key_controller(const char *name);
/* KEY_CGROUP also for names that the table does not know. */
enum key_scope key_scope_of(const char *name);
/* Did it come with a later kernel than this one? */
bool key_is_later(const struct key *key, unsigned major, unsigned minor);
bool key_is_controller(const char *name); /* the table has files of it */
/* The known name that differs from this one the least, when few enough letters differ; else NULL. *distance,
 * when given, is how many: inserted, dropped, changed, or exchanged with their neighbour. */
const char *key_nearest(const char *name, unsigned *distance);

#endif
