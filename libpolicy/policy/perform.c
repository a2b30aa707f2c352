/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing one step of any operation: looking at what is there, then changing it. */
#include "policy/perform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroupfs.h"
#include "host/proc.h"
#include "policy/kill.h"
#include "policy/need.h"
#include "policy/recover.h"
#include "policy/step.h"

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

static int read_file(struct cgpol_host *host, const char *cgroup, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? root_read(host->root, path, text, NULL) : -ENOMEM;
}

static int write_file(struct cgpol_host *host, const char *cgroup, const char *file, const char *text)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? root_write(host->root, path, text) : -ENOMEM;
}

/* ---- processes ---- */

int perform_check_process(struct cgpol_host *host, const struct step *step)
{
	struct proc_stat stat;
	int rc = proc_read_stat(host, step->pid, &stat);

	if (rc < 0)
		return proc_is_gone(rc) ? -ESRCH : rc;
	return step->start_time == 0 || stat.start_time == step->start_time ? 0 : -ESRCH;
}

static char *task_path(const struct step *step, const char *file)
{
	char *path;

	return asprintf(&path, "/proc/%d/%s", (int)step->pid, file) < 0 ? NULL : path;
}

static int read_affinity(struct cgpol_host *host, const struct step *step, char **text)
{
	AUTO(free_p) char *path = task_path(step, "status");
	AUTO(free_p) char *status = NULL;
	struct span list;
	int rc = path ? root_read(host->root, path, &status, NULL) : -ENOMEM;

	if (rc < 0)
		return proc_is_gone(rc) ? -ESRCH : rc;
	list = text_field_span(status, "Cpus_allowed_list");
	if (!list.at)
		return -EINVAL;
	*text = span_dup(list);
	return *text ? 0 : -ENOMEM;
}

static int write_affinity(struct cgpol_host *host, const struct step *step, const char *list)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	int rc = nodeset_parse(list, NODESET_CPUS_MAX, &cpus, NULL);

	return rc < 0 ? rc : root_set_affinity(host->root, step->pid, &cpus);
}

int perform_attach(const struct performer *performer, const struct step *step, const char *cgroup)
{
	AUTO(free_p) char *now = NULL;
	char pid[16];
	int rc;

	if (performer->fs && !step->is_thread)
		return cgroupfs_hands(performer->fs)->attach(performer->fs, cgroup, step->pid, NULL);
	(void)snprintf(pid, sizeof(pid), "%d", (int)step->pid);
	rc = write_file(performer->host, cgroup, step->is_thread ? "cgroup.threads" : "cgroup.procs", pid);
	if (rc < 0)
		return rc;
	rc = proc_read_cgroup(performer->host, step->pid, &now);
	/* One that ended after it was moved, was moved. */
	if (proc_is_gone(rc))
		return 0;
	return rc < 0 ? rc : strcmp(now, cgroup) == 0 ? 0 : -EAGAIN;
}

/* ---- values that are of no cgroup ---- */

/* Every byte of it, the newline at its end too. */
static int read_exactly(struct cgpol_host *host, const char *path, char **text)
{
	AUTO(free_p) char *found = NULL;
	size_t size;
	int rc = root_read_head(host->root, path, &found);

	if (rc == 0 && strlen(found) == ROOT_HEAD_SIZE) {
		free(TAKE(found));
		rc = root_read(host->root, path, &found, &size);
		if (rc < 0)
			return rc;
		if (asprintf(text, "%s\n", found) < 0)
			return -ENOMEM;
		return 0;
	}
	if (rc == 0)
		*text = TAKE(found);
	return rc;
}

int perform_read(struct cgpol_host *host, const struct step *step, char **text)
{
	AUTO(free_p) char *path = NULL;
	int rc;

	switch (step->op) {
	case STEP_HOST:
		return root_read(host->root, step->file, text, NULL);
	case STEP_SAVE:
		return read_exactly(host, step->file, text);
	case STEP_AFFINITY:
		return read_affinity(host, step, text);
	default:
		break;
	}
	path = task_path(step, step->file);
	rc = path ? root_read(host->root, path, text, NULL) : -ENOMEM;
	return proc_is_gone(rc) ? -ESRCH : rc;
}

int perform_write(struct cgpol_host *host, const struct step *step, const char *text)
{
	AUTO(free_p) char *path = NULL;
	int rc;

	switch (step->op) {
	case STEP_HOST:
		return root_write(host->root, step->file, *text ? text : "\n");
	case STEP_SAVE:
		return root_save(host->root, step->file, text);
	case STEP_AFFINITY:
		return write_affinity(host, step, text);
	default:
		break;
	}
	path = task_path(step, step->file);
	rc = path ? root_write(host->root, path, text) : -ENOMEM;
	return proc_is_gone(rc) ? -ESRCH : rc;
}

int perform_read_owner(struct cgpol_host *host, const struct step *step, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
	struct root_info info;
	int rc = path ? root_stat(host->root, path, &info) : -ENOMEM;

	if (rc < 0)
		return rc;
	return asprintf(text, "%u:%u", info.uid, info.gid) < 0 ? -ENOMEM : 0;
}

int perform_write_owner(struct cgpol_host *host, const struct step *step, const char *owner)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
	uid_t uid;
	gid_t gid;

	if (!path)
		return -ENOMEM;
	return step_owner(owner, &uid, &gid) < 0 ? -EINVAL : root_chown(host->root, path, uid, gid);
}

/* ---- looking ---- */

static int look_enable(const struct step *step, const char *found)
{
	return need_list_has(found, step->new_value + 1) ? PERFORM_NOTHING : 0;
}

static int look_same(const struct step *step, const char *found)
{
	return found && strcmp(found, step->new_value) == 0 ? PERFORM_NOTHING : 0;
}

static int look_cpus(const struct step *step, const char *found)
{
	AUTO(nodeset_clear_p) struct nodeset have = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset want = {0, NULL};
	bool is_same = nodeset_parse(found, NODESET_CPUS_MAX, &have, NULL) == 0 &&
		       nodeset_parse(step->new_value, NODESET_CPUS_MAX, &want, NULL) == 0 &&
		       nodeset_is_equal(&have, &want);

	return is_same ? PERFORM_NOTHING : 0;
}

static int look_owner(const struct step *step, const char *found)
{
	uid_t uid, want_uid;
	gid_t gid, want_gid;

	if (step_owner(step->new_value, &want_uid, &want_gid) < 0 || step_owner(found, &uid, &gid) < 0)
		return -EINVAL;
	return (want_uid == (uid_t)-1 || want_uid == uid) && (want_gid == (gid_t)-1 || want_gid == gid)
		       ? PERFORM_NOTHING
		       : 0;
}

/* A file of the cgroup; *found stays NULL where it is not there yet, which is for the change to explain. */
static int read_of_cgroup(struct cgpol_host *host, const struct step *step, char **found)
{
	const char *file = step->op == STEP_THREADED ? "cgroup.type"
			   : step->op == STEP_ENABLE ? "cgroup.subtree_control"
						     : step->file;
	int rc = step->op == STEP_OWNER ? perform_read_owner(host, step, found)
					: read_file(host, step->cgroup, file, found);

	if (step->op == STEP_ENABLE)
		return rc;
	return is_absent(rc) ? 0 : rc;
}

static int judge_of_cgroup(const struct step *step, const char *found)
{
	switch (step->op) {
	case STEP_ENABLE:
		return look_enable(step, found);
	case STEP_OWNER:
		return look_owner(step, found);
	case STEP_THREADED:
		return strcmp(found, "threaded") == 0 ? PERFORM_NOTHING : 0;
	default:
		return look_same(step, found);
	}
}

static int look_process(struct cgpol_host *host, const struct step *step, char **found)
{
	int rc = perform_check_process(host, step);

	if (rc < 0)
		return rc;
	if (step->op == STEP_ATTACH) {
		rc = proc_read_cgroup(host, step->pid, found);
		if (rc < 0)
			return proc_is_gone(rc) ? -ESRCH : rc;
		return strcmp(*found, step->cgroup) == 0 ? PERFORM_NOTHING : 0;
	}
	rc = perform_read(host, step, found);
	if (rc < 0)
		return rc;
	return step->op == STEP_AFFINITY ? look_cpus(step, *found) : look_same(step, *found);
}

static int look_of_machine(struct cgpol_host *host, const struct step *step, char **found)
{
	int rc = perform_read(host, step, found);

	if (rc < 0)
		return rc == -ENOENT && step->op == STEP_SAVE ? 0 : rc;
	return look_same(step, *found);
}

static int look(const struct performer *performer, const struct step *step, char **found)
{
	struct cgpol_host *host = performer->host;
	int rc;

	switch (step->op) {
	case STEP_MKDIR:
	case STEP_RECLAIM:
	case STEP_CHECK:
	case STEP_KILL:
		return 0;
	case STEP_RMDIR:
		return recover_save(host, step->cgroup, found);
	case STEP_ATTACH:
	case STEP_TASK:
	case STEP_AFFINITY:
		return look_process(host, step, found);
	case STEP_HOST:
	case STEP_SAVE:
		return look_of_machine(host, step, found);
	default:
		break;
	}
	rc = performer->is_fresh ? 0 : read_of_cgroup(host, step, found);
	return rc < 0 || !*found ? rc : judge_of_cgroup(step, *found);
}

int perform_look(const struct performer *performer, const struct step *step, char **old)
{
	AUTO(free_p) char *found = NULL;
	int rc = look(performer, step, &found);

	if (rc >= 0)
		*old = TAKE(found);
	return rc;
}

/* ---- doing ---- */

static int make_cgroup(const struct performer *performer, const struct step *step)
{
	struct cgpol_host *host = performer->host;
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, NULL);
	struct root_info info;
	int rc;

	if (!path)
		return -ENOMEM;
	if (performer->fs) {
		/* It does not tell whether the cgroup was there before. */
		if (root_stat(host->root, path, &info) == 0)
			return PERFORM_NOTHING;
		rc = cgroupfs_hands(performer->fs)->create(performer->fs, step->cgroup, NULL, NULL, NULL);
	} else {
		rc = root_mkdir(host->root, path);
	}
	/* Somebody else made it since the plan was: it serves, but it is theirs. */
	if (rc == -EEXIST)
		return PERFORM_NOTHING;
	if (rc == 0 && performer->mark != MARK_NONE)
		(void)mark_set(host, step->cgroup, performer->mark);
	return rc;
}

static int remove_cgroup(const struct performer *performer, const struct step *step)
{
	AUTO(free_p) char *path = cgroup_path(performer->host, step->cgroup, NULL);
	int rc;

	if (!path)
		return -ENOMEM;
	rc = performer->fs ? cgroupfs_hands(performer->fs)->remove(performer->fs, step->cgroup)
			   : root_rmdir(performer->host->root, path);
	return is_absent(rc) ? PERFORM_NOTHING : rc;
}

static int enable_controller(struct cgpol_host *host, const struct step *step, bool *is_half)
{
	AUTO(free_p) char *after = NULL;
	int rc = write_file(host, step->cgroup, "cgroup.subtree_control", step->new_value);

	if (rc < 0)
		return rc;
	/* From here on there is something to undo, whatever the file says. */
	rc = read_file(host, step->cgroup, "cgroup.subtree_control", &after);
	if (rc == 0 && !need_list_has(after, step->new_value + 1))
		rc = -EIO;
	*is_half = rc < 0;
	return rc;
}

static int make_threaded(struct cgpol_host *host, const struct step *step, bool *is_half)
{
	AUTO(free_p) char *after = NULL;
	int rc = write_file(host, step->cgroup, "cgroup.type", "threaded");

	if (rc < 0)
		return rc;
	rc = read_file(host, step->cgroup, "cgroup.type", &after);
	if (rc == 0 && strcmp(after, "threaded") != 0)
		rc = -EIO;
	*is_half = rc < 0;
	return rc;
}

/* Without the file (before 5.19) memory.high, lowered before, has done it already. */
static int reclaim(struct cgpol_host *host, const struct step *step)
{
	int rc = write_file(host, step->cgroup, "memory.reclaim", step->new_value);
	uint64_t inode;

	if (rc == -ENOENT)
		return cgroup_inode(host, step->cgroup, &inode);
	/* Less than all was there to be reclaimed. */
	return rc == -EAGAIN ? 0 : rc;
}

static int check(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *text = NULL;
	uint64_t have, most;
	int rc = read_file(host, step->cgroup, step->file, &text);

	if (rc < 0)
		return rc;
	if (text_limit(text, &have) < 0 || text_limit(step->new_value, &most) < 0)
		return -EINVAL;
	return have <= most ? 0 : -EBUSY;
}

static int kill_all(struct cgpol_host *host, const struct step *step, bool *is_half)
{
	uint64_t milliseconds = KILL_WAIT_MS;
	int rc;

	if (step->new_value && (text_u64(step->new_value, &milliseconds) < 0 || milliseconds > 86400000))
		return -EINVAL;
	rc = kill_cgroup(host, step->cgroup, (unsigned)milliseconds);
	*is_half = rc == -EBUSY;
	return is_absent(rc) ? PERFORM_NOTHING : rc;
}

int perform_step(const struct performer *performer, const struct step *step, bool *is_half)
{
	struct cgpol_host *host = performer->host;
	int rc;

	switch (step->op) {
	case STEP_MKDIR:
		return make_cgroup(performer, step);
	case STEP_ENABLE:
		return enable_controller(host, step, is_half);
	case STEP_SET:
		/* A write of no bytes would change nothing. */
		return write_file(host, step->cgroup, step->file, *step->new_value ? step->new_value : "\n");
	case STEP_THREADED:
		return make_threaded(host, step, is_half);
	case STEP_OWNER:
		return perform_write_owner(host, step, step->new_value);
	case STEP_ATTACH:
		rc = perform_attach(performer, step, step->cgroup);
		/* Where it is now, its undoing finds out. */
		*is_half = rc < 0;
		return rc;
	case STEP_RECLAIM:
		return reclaim(host, step);
	case STEP_CHECK:
		return check(host, step);
	case STEP_KILL:
		return kill_all(host, step, is_half);
	case STEP_RMDIR:
		return remove_cgroup(performer, step);
	case STEP_HOST:
	case STEP_SAVE:
	case STEP_TASK:
	case STEP_AFFINITY:
		return perform_write(host, step, step->new_value);
	}
	return -EINVAL;
}
