/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of cgpol run share. */
#ifndef CGPOL_CLI_RUN_H
#define CGPOL_CLI_RUN_H

#include <signal.h>
#include <sys/resource.h>

#include "act/oomline.h"
#include "act/places.h"
#include "act/spawn.h"
#include "cmd.h"
#include "policy/apply.h"

enum run_mode {
	RUN_MEMBIND,
	RUN_INTERLEAVE,
	RUN_PREFERRED,
	RUN_PREFERRED_MANY,
	RUN_WEIGHTED,
	RUN_MODES /* that take nodes */
};

/* Options of numactl that are refused by name. */
enum {
	RUN_OTHER_SHOW,
	RUN_OTHER_HARDWARE,
	RUN_OTHER_STRICT,
	RUN_OTHER_TOUCH,
	RUN_OTHER_DUMP,
	RUN_OTHER_DUMP_NODES,
	RUN_OTHER_HUGE,
	RUN_OTHER_FLAGS
};
enum {
	RUN_OTHER_SHM,
	RUN_OTHER_SHMID,
	RUN_OTHER_FILE,
	RUN_OTHER_OFFSET,
	RUN_OTHER_LENGTH,
	RUN_OTHER_SHMMODE,
	RUN_OTHER_CPUBIND,
	RUN_OTHER_VALUES
};

struct run_config {
	const char *cgroup, *cpus, *mems, *memory_max, *memory_high, *swap_max, *report;
	bool keep, no_cgroup, oom_group;
	struct opt_int oom_score_adj;
	struct words set;
	const char *nodes[RUN_MODES]; /* of each memory policy */
	const char *cpunodebind, *physcpubind, *home_node;
	bool localalloc, balancing, all, static_nodes, relative_nodes, intersect;
	bool other_flag[RUN_OTHER_FLAGS];
	const char *other_value[RUN_OTHER_VALUES];
};

extern const struct opt run_options[];

/* Signals as they are to be: for this process while it waits, and for the command. */
struct run_signals {
	sigset_t taken;		    /* blocked here, and waited for */
	sigset_t before;	    /* the mask to start with, which the command gets */
	sigset_t ignored, defaults; /* that the command ignores though we do not, and the other way round */
};

/* One run from its options to its end. Zero-initialised but for the signals. */
struct run {
	struct cli *cli;
	const struct run_config *config;
	struct cgpol_host *host;
	/* What is wanted. */
	struct cgpol_policy *policy;
	char *cgroup; /* NULL with --no-cgroup */
	char *parent; /* of a cgroup that we name ourselves; else NULL */
	char *report; /* absolute name; NULL: none */
	struct places places;
	bool has_memory, has_cpus, has_adj;
	struct mempolicy memory, effective; /* as asked, and as the kernel will make it */
	struct nodeset cpus;
	int adj;
	/* What was done. */
	struct plan *plan;
	bool is_applied, is_own; /* own: to be removed at the end */
	bool is_adopted;	 /* own, but made by a cgpol that was killed */
	struct applied applied;
	struct run_signals signals;
	uint64_t start_us; /* since boot */
	struct spawn_result started;
	struct oom_kills before;
	/* What came of it. */
	int status; /* as wait(2) has it */
	struct rusage usage;
	bool has_oom;
	struct oomline oom;
};

/* run_options.c: what is wrong by itself, without looking at the machine. */
int run_check(const struct run *run, struct cgpol_error *err);
/* The settings of the cgroup. */
int run_settings(const struct run_config *config, struct cgpol_policy *policy, struct cgpol_error *err);

/* run_place.c: affinity, memory policy and score, checked against the machine. */
int run_place(struct run *run, struct cgpol_error *err);

/* run_cgroup.c: which cgroup, making it, and taking it away. */
int run_find_cgroup(struct run *run, struct cgpol_error *err);
int run_plan(struct run *run, struct cgpol_error *err);
/* Removes what a killed cgpol left beside it. True: something is gone, so that the plan has to be made again.
 */
bool run_tidy(const struct run *run);
int run_apply(struct run *run, struct cgpol_error *err);
/* --keep, once there is a command: one that was adopted stays, too. */
void run_keep(const struct run *run);
void run_undo(struct run *run);
void run_remove(struct run *run);

/* run_wait.c: signals and job control. */
int run_take_signals(struct run_signals *signals);
/* A signal that arrived before there was a command to have it; 0: none. */
int run_pending(const struct run_signals *signals);
int run_wait(struct run *run);

/* run_report.c: what is told. */
int run_print_plan(struct run *run, struct cgpol_error *err);
void run_tell_start(const struct run *run);
void run_tell_oom(struct run *run);
int run_save_report(struct run *run, struct cgpol_error *err);

#endif
