/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel errno as one sentence: the table of which refusal has which answer, and what the sentence begins
 * with. */
#include "policy/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/reasonaccess.h"
#include "policy/reasontask.h"
#include "policy/reasontree.h"
#include "policy/reasonvalue.h"

/* The first row that fits answers. A file that ends in "." is a prefix; NULL is every file. */
static const struct row {
	enum step_op op;
	const char *file;
	int errnum;
	enum cgpol_kind kind;
	reason_fn *answer;
} rows[] = {
	{STEP_MKDIR, NULL, ENOENT, CGPOL_FAILED, reason_no_parent},
	{STEP_MKDIR, NULL, ENODEV, CGPOL_FAILED, reason_no_parent},
	{STEP_MKDIR, NULL, EAGAIN, CGPOL_REFUSED, reason_too_many},
	{STEP_MKDIR, NULL, ENOSPC, CGPOL_REFUSED, reason_no_id},
	{STEP_MKDIR, NULL, EINVAL, CGPOL_REFUSED, reason_bad_name},
	{STEP_ENABLE, NULL, ENOENT, CGPOL_UNSUPPORTED, reason_not_available},
	{STEP_ENABLE, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_ENABLE, NULL, EBUSY, CGPOL_REFUSED, reason_internal},
	{STEP_ENABLE, NULL, EOPNOTSUPP, CGPOL_REFUSED, reason_not_domain},
	{STEP_ENABLE, NULL, EINVAL, CGPOL_REFUSED, reason_realtime},
	{STEP_ENABLE, NULL, EIO, CGPOL_FAILED, reason_not_listed},
	{STEP_SET, NULL, ENOENT, CGPOL_UNSUPPORTED, reason_no_file},
	{STEP_SET, "io.", ENODEV, CGPOL_UNSUPPORTED, reason_no_device},
	{STEP_SET, "rdma.", ENODEV, CGPOL_UNSUPPORTED, reason_no_rdma},
	{STEP_SET, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_SET, "cpuset.cpus.partition", EINVAL, CGPOL_REFUSED, reason_not_partition},
	{STEP_SET, "cpuset.cpus.partition", EBUSY, CGPOL_REFUSED, reason_has_children},
	{STEP_SET, "cpuset.mems", EINVAL, CGPOL_REFUSED, reason_not_possible},
	{STEP_SET, "cpuset.cpus", EINVAL, CGPOL_REFUSED, reason_in_conflict},
	{STEP_SET, "cpuset.cpus.exclusive", EINVAL, CGPOL_REFUSED, reason_in_conflict},
	{STEP_SET, "cpuset.", ERANGE, CGPOL_REFUSED, reason_not_possible},
	{STEP_SET, "cpuset.", EBUSY, CGPOL_REFUSED, reason_deadline},
	{STEP_SET, "cpuset.", ENOSPC, CGPOL_REFUSED, reason_emptied},
	{STEP_SET, "cpu.max", EINVAL, CGPOL_REFUSED, reason_bad_cpu_max},
	{STEP_SET, NULL, ERANGE, CGPOL_REFUSED, reason_out_of_range},
	{STEP_SET, NULL, EINVAL, CGPOL_REFUSED, reason_not_taken},
	{STEP_SET, NULL, EOPNOTSUPP, CGPOL_REFUSED, reason_by_errno},
	{STEP_SET, NULL, EBUSY, CGPOL_REFUSED, reason_by_errno},
	{STEP_SET, NULL, ENOSPC, CGPOL_REFUSED, reason_by_errno},
	{STEP_THREADED, NULL, EOPNOTSUPP, CGPOL_REFUSED, reason_no_thread_domain},
	{STEP_THREADED, NULL, EINVAL, CGPOL_REFUSED, reason_no_thread_domain},
	{STEP_THREADED, NULL, ENOENT, CGPOL_FAILED, reason_no_file},
	{STEP_THREADED, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_OWNER, NULL, EACCES, CGPOL_FAILED, reason_no_owner},
	{STEP_OWNER, NULL, EPERM, CGPOL_FAILED, reason_no_owner},
	{STEP_OWNER, NULL, EROFS, CGPOL_FAILED, reason_no_owner},
	{STEP_OWNER, NULL, ENOENT, CGPOL_FAILED, reason_no_file},
	{STEP_OWNER, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_ATTACH, NULL, EACCES, CGPOL_FAILED, reason_no_move},
	{STEP_ATTACH, NULL, EPERM, CGPOL_FAILED, reason_no_move},
	{STEP_ATTACH, NULL, EBUSY, CGPOL_REFUSED, reason_has_controllers},
	{STEP_ATTACH, NULL, EOPNOTSUPP, CGPOL_REFUSED, reason_not_for_processes},
	{STEP_ATTACH, NULL, ENOSPC, CGPOL_REFUSED, reason_no_place},
	{STEP_ATTACH, NULL, ESRCH, CGPOL_FAILED, reason_ended},
	{STEP_ATTACH, NULL, ENOENT, CGPOL_FAILED, reason_not_visible},
	{STEP_ATTACH, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_ATTACH, NULL, EINVAL, CGPOL_REFUSED, reason_not_movable},
	{STEP_ATTACH, NULL, EAGAIN, CGPOL_FAILED, reason_moved_on},
	{STEP_ATTACH, NULL, ENOMEM, CGPOL_FAILED, reason_no_memory},
	{STEP_RECLAIM, NULL, ENOENT, CGPOL_UNSUPPORTED, reason_no_file},
	{STEP_RECLAIM, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_RECLAIM, NULL, EINVAL, CGPOL_REFUSED, reason_not_taken},
	{STEP_CHECK, NULL, EBUSY, CGPOL_REFUSED, reason_still_above},
	{STEP_CHECK, NULL, ENOENT, CGPOL_UNSUPPORTED, reason_no_file},
	{STEP_CHECK, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_KILL, NULL, EBUSY, CGPOL_REFUSED, reason_alive},
	{STEP_KILL, NULL, ETIMEDOUT, CGPOL_REFUSED, reason_alive},
	{STEP_KILL, NULL, EINVAL, CGPOL_REFUSED, reason_no_end},
	{STEP_KILL, NULL, EOPNOTSUPP, CGPOL_REFUSED, reason_no_kill},
	{STEP_KILL, NULL, ENOENT, CGPOL_FAILED, reason_gone},
	{STEP_KILL, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_RMDIR, NULL, EBUSY, CGPOL_REFUSED, reason_in_use},
	{STEP_RMDIR, NULL, ENOTEMPTY, CGPOL_REFUSED, reason_in_use},
	{STEP_RMDIR, NULL, ENOENT, CGPOL_FAILED, reason_gone},
	{STEP_RMDIR, NULL, ENODEV, CGPOL_FAILED, reason_gone},
	{STEP_HOST, NULL, ENOENT, CGPOL_UNSUPPORTED, reason_no_setting},
	{STEP_HOST, NULL, EINVAL, CGPOL_REFUSED, reason_bad_setting},
	{STEP_HOST, NULL, ERANGE, CGPOL_REFUSED, reason_bad_setting},
	{STEP_SAVE, NULL, ENOENT, CGPOL_FAILED, reason_no_directory},
	{STEP_TASK, NULL, EACCES, CGPOL_FAILED, reason_no_score},
	{STEP_TASK, NULL, EPERM, CGPOL_FAILED, reason_no_score},
	{STEP_TASK, NULL, EINVAL, CGPOL_REFUSED, reason_bad_score},
	{STEP_TASK, NULL, ERANGE, CGPOL_REFUSED, reason_bad_score},
	{STEP_TASK, NULL, ESRCH, CGPOL_FAILED, reason_ended},
	{STEP_TASK, NULL, ENOENT, CGPOL_FAILED, reason_ended},
	{STEP_AFFINITY, NULL, EACCES, CGPOL_FAILED, reason_no_affinity},
	{STEP_AFFINITY, NULL, EPERM, CGPOL_FAILED, reason_no_affinity},
	{STEP_AFFINITY, NULL, EINVAL, CGPOL_REFUSED, reason_bad_affinity},
	{STEP_AFFINITY, NULL, ESRCH, CGPOL_FAILED, reason_ended},
};

static bool fits(const struct row *row, const struct reason *reason)
{
	const char *file = reason->step->file ? reason->step->file : "";
	size_t size = row->file ? strlen(row->file) : 0;

	if (row->op != reason->step->op || row->errnum != reason->errnum)
		return false;
	if (!row->file)
		return true;
	return row->file[size - 1] == '.' ? strncmp(row->file, file, size) == 0
					  : strcmp(row->file, file) == 0;
}

static void answer(struct reason *reason)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (fits(&rows[i], reason)) {
			reason->kind = rows[i].kind;
			rows[i].answer(reason);
			return;
		}
	}
	if (reason->errnum == EACCES || reason->errnum == EPERM || reason->errnum == EROFS)
		reason_not_permitted(reason);
	else
		reason_by_errno(reason);
}

/* " (sh)", or "" when it is gone. */
static void show_comm(struct cgpol_host *host, pid_t pid, char *text, size_t size)
{
	struct proc_stat stat;
	char shown[PROC_COMM_SIZE];

	text[0] = '\0';
	if (proc_read_stat(host, pid, &stat) == 0)
		(void)snprintf(text, size, " (%s)", text_escape(stat.comm, shown, sizeof(shown)));
}

/* What the sentence begins with, of a step of a cgroup: "set memory.max of cgroup /a to "1"". */
static void show_cgroup_step(const struct reason *reason, const char *value, char *text, size_t size)
{
	const struct step *step = reason->step;
	const char *shown = reason->shown;
	const char *file = step->file ? step->file : "?";

	switch (step->op) {
	case STEP_MKDIR:
		(void)snprintf(text, size, "make cgroup %s", shown);
		break;
	case STEP_ENABLE:
		(void)snprintf(text, size, "enable controller %.64s for the children of cgroup %s", value + 1,
			       shown);
		break;
	case STEP_THREADED:
		(void)snprintf(text, size, "make cgroup %s threaded", shown);
		break;
	case STEP_OWNER:
		(void)snprintf(text, size, "give %.64s%scgroup %s to %s", step->file ? file : "",
			       step->file ? " of " : "", shown, value);
		break;
	case STEP_RECLAIM:
		(void)snprintf(text, size, "reclaim %s bytes of cgroup %s", value, shown);
		break;
	case STEP_CHECK:
		(void)snprintf(text, size, "bring %.64s of cgroup %s down to %s", file, shown, value);
		break;
	case STEP_KILL:
		(void)snprintf(text, size, "end the processes of cgroup %s", shown);
		break;
	case STEP_RMDIR:
		(void)snprintf(text, size, "remove cgroup %s", shown);
		break;
	default:
		(void)snprintf(text, size, "set %.64s of cgroup %s to \"%s\"", file, shown, value);
		break;
	}
}

static void show_step(const struct reason *reason, const char *value, char *text, size_t size)
{
	const struct step *step = reason->step;
	const char *kind = step->is_thread ? "thread" : "process";
	char comm[PROC_COMM_SIZE + 4], file[160];

	show_comm(reason->host, step->pid, comm, sizeof(comm));
	text_escape(step->file ? step->file : "?", file, sizeof(file));
	switch (step->op) {
	case STEP_ATTACH:
		(void)snprintf(text, size, "move %s %d%s into cgroup %s", kind, (int)step->pid, comm,
			       reason->shown);
		break;
	case STEP_HOST:
		(void)snprintf(text, size, "set %s to \"%s\"", file, value);
		break;
	case STEP_SAVE:
		(void)snprintf(text, size, "write %s", file);
		break;
	case STEP_TASK:
		(void)snprintf(text, size, "set %s of process %d%s to \"%s\"", file, (int)step->pid, comm,
			       value);
		break;
	case STEP_AFFINITY:
		(void)snprintf(text, size, "set the affinity of thread %d%s to \"%s\"", (int)step->pid, comm,
			       value);
		break;
	default:
		show_cgroup_step(reason, value, text, size);
		break;
	}
}

/* The file of the error: as the kernel names it, or the cgroup. */
static void show_file(const struct reason *reason, char *text, size_t size)
{
	const struct step *step = reason->step;

	if (step->op == STEP_ATTACH)
		(void)snprintf(text, size, "%s", step->is_thread ? "cgroup.threads" : "cgroup.procs");
	else if (step->op == STEP_TASK)
		(void)snprintf(text, size, "/proc/%d/%.64s", (int)step->pid, step->file ? step->file : "");
	else if (step->op == STEP_THREADED)
		(void)snprintf(text, size, "cgroup.type");
	else if (step->op == STEP_RECLAIM)
		(void)snprintf(text, size, "memory.reclaim");
	else if (step->file)
		text_escape(step->file, text, size);
	else
		(void)snprintf(text, size, "%s", step->op == STEP_AFFINITY ? "affinity" : reason->shown);
}

int explain_step(struct cgpol_host *host, const struct step *step, int rc, struct cgpol_error *err)
{
	struct reason reason;
	char value[80], what[384], file[192];

	if (!err)
		return rc;
	if (rc == -ENOMEM && step->op != STEP_ATTACH)
		return error_no_memory(err);
	reason_begin(&reason, host, step, step->cgroup, -rc);
	answer(&reason);
	/* Of a configuration file the value is the whole text. */
	text_escape(step->new_value && step->op != STEP_SAVE ? step->new_value : "", value, sizeof(value));
	show_step(&reason, value, what, sizeof(what));
	show_file(&reason, file, sizeof(file));
	(void)error_set(err, -rc, reason.kind, "cannot %s: %s", what, reason.why);
	error_detail(err, file, step->new_value && step->op != STEP_SAVE ? value : NULL,
		     reason.hint[0] ? reason.hint : NULL);
	if (step->op == STEP_ENABLE && rc == -EBUSY)
		cause_add_processes(host, step->cgroup, err);
	return rc;
}

static const struct start_row {
	int errnum;
	enum cgpol_kind kind;
	reason_fn *answer;
} start_rows[] = {
	{EACCES, CGPOL_FAILED, reason_no_move},
	{EPERM, CGPOL_FAILED, reason_no_move},
	{EROFS, CGPOL_FAILED, reason_not_permitted},
	{EBUSY, CGPOL_REFUSED, reason_has_controllers},
	{EOPNOTSUPP, CGPOL_REFUSED, reason_not_for_processes},
	{ENODEV, CGPOL_FAILED, reason_removed},
	{ENOENT, CGPOL_FAILED, reason_removed},
	{ENOSPC, CGPOL_REFUSED, reason_no_place},
	{EAGAIN, CGPOL_REFUSED, reason_too_many_tasks},
	{ENOMEM, CGPOL_FAILED, reason_no_memory},
	{0, CGPOL_FAILED, reason_by_errno},
};

int explain_start(struct cgpol_host *host, const char *cgroup, int rc, struct cgpol_error *err)
{
	const struct start_row *row = start_rows;
	struct reason reason;

	if (!err)
		return rc;
	reason_begin(&reason, host, NULL, cgroup, -rc);
	while (row->errnum != 0 && row->errnum != -rc)
		row++;
	reason.kind = row->kind;
	row->answer(&reason);
	(void)error_set(err, -rc, reason.kind, "cannot start a process in cgroup %s: %s", reason.shown,
			reason.why);
	error_detail(err, reason.shown, NULL, reason.hint[0] ? reason.hint : NULL);
	return rc;
}
