/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to the moving and starting of processes in a cgroup, and to changes of processes. */
#include "policy/reasontask.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/reasontree.h"

enum { NO_SETAFFINITY = 0x04000000 }; /* PF_NO_SETAFFINITY, include/linux/sched.h */

void reason_has_controllers(struct reason *reason)
{
	AUTO(free_p) char *list = reason_read(reason, "cgroup.subtree_control");

	reason_say(
		reason,
		"controllers are enabled for its children (%.100s), and the kernel lets a cgroup have either "
		"processes or such children",
		list && *list ? list : "?");
	reason_advise(reason, "name a cgroup below it");
}

void reason_not_for_processes(struct reason *reason)
{
	AUTO(free_p) char *type = reason_read(reason, "cgroup.type");

	if (reason->step && reason->step->is_thread && type && strcmp(type, "domain invalid") != 0) {
		AUTO(free_p) char *from = NULL;
		char shown[REASON_NAME] = "?";

		if (proc_read_cgroup(reason->host, reason->step->pid, &from) == 0)
			text_escape(from, shown, sizeof(shown));
		reason_say(reason,
			   "its cgroup.type is \"%.32s\", and a thread can only go to the cgroups that its "
			   "process is "
			   "spread over: it is in %s",
			   type, shown);
		reason_advise(reason,
			      "move the whole process, or make threaded cgroups below its own: cgpol create "
			      "--threaded");
		return;
	}
	reason_say(
		reason,
		"its cgroup.type is \"%.32s\", which takes threads of a process that is there already, not "
		"processes",
		type ? type : "?");
	reason_advise(reason, "choose a cgroup whose cgroup.type is \"domain\"");
}

void reason_removed(struct reason *reason)
{
	reason_say(reason, "it was removed meanwhile");
	reason_advise(reason, "try again");
}

void reason_no_place(struct reason *reason)
{
	AUTO(free_p) char *mems = reason_read(reason, "cpuset.mems.effective");
	bool is_mems = mems && *mems == '\0';
	const char *file = is_mems ? "cpuset.mems.effective" : "cpuset.cpus.effective";
	AUTO(free_p) char *own = reason_read(reason, file);
	char chain[220];

	cause_list_chain(reason->host, reason->cgroup, file, chain, sizeof(chain));
	reason_say(reason, "its cpuset has no %s (%s \"%.60s\"); the chain of it: %s",
		   is_mems ? "nodes" : "cpus", file, own ? own : "?", chain[0] ? chain : "unknown");
	reason_advise(
		reason,
		"give it, or those above it, %s that exist; a partition beside or below may have taken them",
		is_mems ? "cpuset.mems" : "cpuset.cpus");
}

void reason_too_many_tasks(struct reason *reason)
{
	AUTO(free_p) char *name = NULL;
	char shown[REASON_NAME];
	uint64_t limit;

	if (cause_find_limit(reason->host, reason->cgroup, "pids.max", "pids.current", &name, &limit) < 0) {
		reason_say(reason, "there are as many processes as this user or this machine may have");
		reason_advise(reason, "see ulimit -u, and kernel.pid_max and kernel.threads-max of sysctl");
		return;
	}
	text_escape(name, shown, sizeof(shown));
	reason_say(reason, "pids.max of cgroup %s allows no more than %" PRIu64 " processes and threads",
		   shown, limit);
	reason_advise(reason, "raise it, or end some");
}

void reason_no_memory(struct reason *reason)
{
	reason_say(
		reason,
		"the kernel is out of memory, or a memory limit of the cgroup leaves none for a new process");
}

void reason_moved_on(struct reason *reason)
{
	reason_say(reason, "somebody else moved it on meanwhile");
	reason_advise(reason, "try again, when those who manage it are done");
}

/* kernel/cgroup/cgroup.c cgroup_attach_permissions(): with nsdelegate both cgroups must lie in the namespace
 * of the writer, which for a process outside prints "/..". */
void reason_not_visible(struct reason *reason)
{
	AUTO(free_p) char *list = reason_read(reason, "cgroup.controllers");
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *text = NULL;

	if (!list) {
		reason_gone(reason);
		return;
	}
	if (asprintf(&path, "/proc/%d/cgroup", (int)reason->step->pid) < 0)
		path = NULL;
	if (path && root_read(reason->host->root, path, &text, NULL) < 0) {
		reason_ended(reason);
		return;
	}
	reason->kind = CGPOL_REFUSED;
	reason_say(reason, "one of the two cgroups lies outside this cgroup namespace (nsdelegate)");
	reason_advise(reason, "move it from outside of the container, or start it inside");
}

void reason_not_movable(struct reason *reason)
{
	struct proc_stat stat;
	char text[160];

	if (proc_read_stat(reason->host, reason->step->pid, &stat) < 0) {
		reason_ended(reason);
		return;
	}
	if (stat.flags & PROC_KTHREAD) {
		/* kernel/cgroup/cgroup.c cgroup_procs_write_start(): kthreadd, and those bound to a cpu */
		reason_say(reason, "it is a kernel thread that stays where it is");
		reason_advise(reason, "leave it out: kernel threads that may move are few");
		return;
	}
	cause_list_realtime(reason->host, text, sizeof(text));
	/* kernel/sched/core.c cpu_cgroup_can_attach(), with CONFIG_RT_GROUP_SCHED */
	reason_say(reason,
		   "the kernel does not take it: with CONFIG_RT_GROUP_SCHED a realtime process needs a "
		   "cgroup with a "
		   "realtime budget%s%s",
		   text[0] ? "; realtime are " : "", text);
	reason_advise(reason,
		      "make it an ordinary process first (chrt -o -p 0 %d), or leave it in the root cgroup",
		      (int)reason->step->pid);
}

void reason_ended(struct reason *reason)
{
	reason->kind = CGPOL_FAILED;
	reason_say(reason, "it does not exist, or has ended");
}

void reason_bad_score(struct reason *reason)
{
	reason_say(reason, "the kernel takes -1000 to 1000");
}

void reason_bad_affinity(struct reason *reason)
{
	const struct step *step = reason->step;
	AUTO(free_p) char *name = NULL;
	struct proc_stat stat;
	char chain[200] = "", off[60];

	if (proc_read_stat(reason->host, step->pid, &stat) == 0 && (stat.flags & NO_SETAFFINITY)) {
		reason_say(reason, "it is a kernel thread that is bound to its cpus");
		return;
	}
	cause_list_offline(reason->host, true, step->new_value, off, sizeof(off));
	if (proc_read_cgroup(reason->host, step->pid, &name) == 0)
		cause_list_chain(reason->host, name, "cpuset.cpus.effective", chain, sizeof(chain));
	/* kernel/sched/core.c __sched_setaffinity(): what the cpuset of the thread has of it, and is online,
	 * is empty */
	reason_say(reason, "none of these cpus is left%s%s%s%s%s%s", off[0] ? "; offline or not there: " : "",
		   off, chain[0] ? "; its cpuset (cpuset.cpus.effective): " : "", chain, "", "");
	reason_advise(reason, "choose cpus that its cgroup has, or widen cpuset.cpus of that");
}
