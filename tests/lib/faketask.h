/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes and threads of the fake kernel: where they are, how they move, freeze and end. */
#ifndef CGPOL_TEST_FAKETASK_H
#define CGPOL_TEST_FAKETASK_H

#include "faketree.h"

struct process *faketask_process(const struct cgroup_tree *tree, pid_t pid);
/* A thread, the first ones (whose number is the process's) too; NULL. */
struct task *faketask_find(const struct cgroup_tree *tree, pid_t tid);
/* A process, or a thread of one, begins in a cgroup. */
int faketask_start(struct cgroup_tree *tree, struct cgroup *cgroup, pid_t pid, pid_t parent);
int faketask_thread(struct cgroup_tree *tree, pid_t pid, pid_t tid);
void faketask_end(struct cgroup_tree *tree, pid_t pid);
void faketask_zombify(struct process *process);
void faketask_free(struct cgroup_tree *tree);

/* A write into cgroup.procs (cgroup.threads: is_thread), cgroup.kill. */
int faketask_move(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text, bool is_thread);
int faketask_kill(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text);
/* A signal: 0, -ESRCH, -EPERM. */
int faketask_signal(struct cgroup_tree *tree, pid_t pid, int signal);
/* A write into oom_score_adj. `caps`: of the writer. */
int faketask_adjust(struct process *process, const char *text, uint64_t caps);
/* sched_setaffinity(2) */
int faketask_set_affinity(struct cgroup_tree *tree, struct task *task, const struct nodeset *cpus);
/* The cpus it may run on: what was asked for as far as its cpuset has it. */
void faketask_allowed(const struct cgroup_tree *tree, const struct task *task, struct nodeset *cpus);
/* After a change of cpusets: kernels before 6.2 forget what was asked for when the cpuset became another. */
void faketask_settle(struct cgroup_tree *tree);

/* What cgroup.procs, cgroup.threads and cgroup.events say; the caller frees it. */
char *faketask_show(struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_thread);
char *faketask_events(struct cgroup *cgroup);

#endif
