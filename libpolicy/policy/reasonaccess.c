/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to EACCES, EPERM and EROFS: whose it is, and who could. */
#include "policy/reasonaccess.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/cause.h"

enum { SYS_NICE = 23, SYS_RESOURCE = 24 }; /* include/uapi/linux/capability.h */

static const char remedies[] =
	"run it as root; or in a scope of your own: systemd-run --user --scope -p Delegate=yes "
	"COMMAND; or have systemd move it (AttachProcessesToUnit)";

static bool has_capability(const struct reason *reason, unsigned capability)
{
	return reason->host->root->facts.caps >> capability & 1;
}

/* "uid 0"; "somebody else" when it cannot be seen. */
static void show_owner(const struct reason *reason, const char *path, char *text, size_t size)
{
	struct root_info info;

	if (path && root_stat(reason->host->root, path, &info) == 0)
		(void)snprintf(text, size, "uid %" PRIu32, info.uid);
	else
		(void)snprintf(text, size, "somebody else");
}

/* What the kernel wants to be writable: the file, or for making and removing the directory above. */
static char *path_of(const struct reason *reason)
{
	const struct step *step = reason->step;
	AUTO(free_p) char *parent = NULL;

	if (!reason->cgroup)
		return step && step->file ? strdup(step->file) : NULL;
	if (step && (step->op == STEP_MKDIR || step->op == STEP_RMDIR)) {
		parent = cause_parent(reason->cgroup);
		return parent ? cgroup_path(reason->host, parent, NULL) : NULL;
	}
	if (!step || step->op == STEP_ATTACH)
		return cgroup_path(reason->host, reason->cgroup, "cgroup.procs");
	return cgroup_path(reason->host, reason->cgroup, step->file);
}

static void on_read_only(struct reason *reason)
{
	if (!reason->host->root->ops->write) {
		reason->kind = CGPOL_REFUSED;
		reason_say(reason, "this is a capture of another machine, which cannot be changed");
		reason_advise(reason, "leave --root and --record out");
		return;
	}
	reason_say(reason, "the file system is mounted read-only");
	if (reason->cgroup) {
		reason_advise(reason, "in a container: start it with a writable cgroup mount");
	} else if (reason->step &&
		   strncmp(reason->step->file ? reason->step->file : "", "/proc/sys/", 10) == 0) {
		reason_say(reason, "/proc/sys is mounted read-only, as it is in a container");
		reason_advise(reason, "set it on the machine itself, outside the container");
	}
}

/* kernel/cgroup/cgroup.c cgroup_file_write(): with nsdelegate the files of the namespace's root are its
 * owner's. The real root has no cgroup.type. */
static bool is_namespace_root(const struct reason *reason)
{
	AUTO(free_p) char *type = NULL;

	if (reason->errnum != EPERM || !reason->cgroup || strcmp(reason->cgroup, "/") != 0)
		return false;
	type = reason_read(reason, "cgroup.type");
	return type != NULL;
}

static void advise_delegation(struct reason *reason)
{
	if (reason->step && reason->step->op == STEP_ENABLE)
		reason_advise(reason, "run it as root, or have the controller delegated: %s",
			      cause_delegate_users);
	else
		reason_advise(reason, "run it as root, or below a cgroup that is delegated to you: "
				      "systemd-run --user --scope "
				      "-p Delegate=yes COMMAND");
}

void reason_not_permitted(struct reason *reason)
{
	AUTO(free_p) char *path = NULL;
	char owner[32];

	if (reason->errnum == EROFS) {
		on_read_only(reason);
		return;
	}
	if (is_namespace_root(reason)) {
		reason_say(reason,
			   "it is the root of this cgroup namespace, whose files are owned by the host "
			   "(nsdelegate)");
		reason_advise(reason, "use a cgroup below it: cgpol create /NAME makes one");
		return;
	}
	path = path_of(reason);
	show_owner(reason, path, owner, sizeof(owner));
	if (reason->errnum == EPERM && cause_has_seccomp(reason->host))
		reason_say(reason,
			   "not permitted, by a seccomp filter or a security module (it belongs to %s)",
			   owner);
	else
		reason_say(reason, "permission denied: it belongs to %s", owner);
	if (reason->cgroup)
		advise_delegation(reason);
	else
		reason_advise(reason, "run it as root%s",
			      reason->host->root->facts.uid == 0 ? " of the machine, outside the container"
								 : "");
}

/* Where the process is now. */
static char *find_source(const struct reason *reason)
{
	const struct step *step = reason->step;
	char *name = NULL;

	if (step && step->old_value)
		return strdup(step->old_value);
	(void)proc_read_cgroup(reason->host, step ? step->pid : reason->host->root->facts.self, &name);
	return name;
}

void reason_no_move(struct reason *reason)
{
	const char *file = reason->step && reason->step->is_thread ? "cgroup.threads" : "cgroup.procs";
	AUTO(free_p) char *from = find_source(reason);
	AUTO(free_p) char *above = from ? cause_common(from, reason->cgroup) : NULL;
	AUTO(free_p) char *path = above ? cgroup_path(reason->host, above, file) : NULL;
	AUTO(free_p) char *target = cgroup_path(reason->host, reason->cgroup, file);
	char shown[REASON_NAME], owner[32], own[32];

	if (!above || reason->errnum == EROFS) {
		reason_not_permitted(reason);
		return;
	}
	text_escape(above, shown, sizeof(shown));
	show_owner(reason, path, owner, sizeof(owner));
	show_owner(reason, target, own, sizeof(own));
	/* kernel/cgroup/cgroup.c cgroup_procs_write_permission(): also cgroup.procs of the common ancestor
	 * must be writable. */
	reason_say(reason,
		   "permission denied: it needs write access to %s of cgroup %s, the nearest one above both, "
		   "too, which "
		   "belongs to %s (its own to %s)",
		   file, shown, owner, own);
	reason_advise(reason, "%s", remedies);
}

void reason_no_owner(struct reason *reason)
{
	if (reason->errnum == EROFS) {
		reason_not_permitted(reason);
		return;
	}
	reason_say(reason, "only root may give away what it has (CAP_CHOWN)");
	reason_advise(reason, "run it as root");
}

static void show_score(const struct reason *reason, char *text, size_t size)
{
	int adj;

	if (proc_read_adj(reason->host, reason->step->pid, &adj) == 0)
		(void)snprintf(text, size, ", and it is %d", adj);
	else
		text[0] = '\0';
}

void reason_no_score(struct reason *reason)
{
	char path[64], now[32];
	struct root_info info;

	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)reason->step->pid);
	if (reason->errnum == EROFS) {
		reason_not_permitted(reason);
		return;
	}
	if (reason->host->root->facts.uid != 0 && root_stat(reason->host->root, path, &info) == 0 &&
	    info.uid != reason->host->root->facts.uid) {
		reason_say(reason, "permission denied: the process belongs to uid %" PRIu32, info.uid);
		reason_advise(reason, "run it as root, or as the user of the process");
		return;
	}
	/* fs/proc/base.c __set_oom_adj(): oom_score_adj_min is the lowest that one with CAP_SYS_RESOURCE has
	 * set. */
	show_score(reason, now, sizeof(now));
	reason_say(reason, "a score below the lowest that root has given it needs CAP_SYS_RESOURCE%s%s", now,
		   has_capability(reason, SYS_RESOURCE) ? ", in the machine's user namespace" : "");
	reason_advise(reason, "run it as root, or choose a higher score");
}

void reason_no_affinity(struct reason *reason)
{
	if (has_capability(reason, SYS_NICE) || cause_has_seccomp(reason->host)) {
		reason_say(reason,
			   "sched_setaffinity(2) is blocked, by a seccomp filter or a security module");
		reason_advise(reason, "give the container CAP_SYS_NICE, or a seccomp profile that allows "
				      "sched_setaffinity");
		return;
	}
	reason_say(reason, "permission denied: the thread belongs to another user, which needs CAP_SYS_NICE");
	reason_advise(reason, "run it as root, or as the user of the process");
}
