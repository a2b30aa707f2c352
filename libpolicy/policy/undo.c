/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back one step of a plan. */
#include "policy/undo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/mark.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/perform.h"
#include "policy/recover.h"

static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

/* A write of no bytes changes nothing; a newline empties a list. */
static int write_value(struct cgpol_host *host, const char *path, const char *value)
{
	return root_write(host->root, path, *value ? value : "\n");
}

/* What makes the kernel forget a device's values: block/blk-throttle.c, blk-iocost.c, blk-iolatency.c. */
static const struct reset {
	const char *file, *value;
} resets[] = {
	{"io.max", "rbps=max wbps=max riops=max wiops=max"},
	{"io.weight", "default"},
	{"io.bfq.weight", "default"},
	{"io.latency", "target=0"},
};

static bool has_line_of(const char *text, struct span key)
{
	struct span line, word;

	while (text_line(&text, &line)) {
		if (text_word(&line, &word) && word.size == key.size &&
		    memcmp(word.at, key.at, key.size) == 0)
			return true;
	}
	return false;
}

/* A device that the step gave a line of its own. */
static int reset_device(struct cgpol_host *host, const struct step *step, const char *path, const char *old)
{
	struct span line = {step->new_value, strlen(step->new_value)}, device;
	char text[128];

	if (!text_word(&line, &device) || !memchr(device.at, ':', device.size) || has_line_of(old, device))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(resets); i++) {
		if (strcmp(step->file, resets[i].file) != 0)
			continue;
		(void)snprintf(text, sizeof(text), "%.*s %s", (int)device.size, device.at, resets[i].value);
		return root_write(host->root, path, text);
	}
	return 0;
}

/* A file of several lines takes one with each write. */
static int write_lines(struct cgpol_host *host, const struct step *step, const char *path, const char *old)
{
	int rc = reset_device(host, step, path, old);
	struct span line;

	for (const char *rest = old; rc == 0 && text_line(&rest, &line);) {
		AUTO(free_p) char *text = span_dup(line);

		if (!text)
			return -ENOMEM;
		rc = *text ? root_write(host->root, path, text) : 0;
	}
	return rc;
}

/* A list that was empty has the effect of the parent's list, and up to 6.18 cannot be emptied again while
 * processes live there: kernel/cgroup/cpuset.c validate_change(). */
static int write_parents(struct cgpol_host *host, const struct step *step, const char *path)
{
	AUTO(free_p) char *parent = cause_parent(step->cgroup);
	AUTO(free_p) char *file = NULL;
	AUTO(free_p) char *list = NULL;
	int rc;

	if (!parent || asprintf(&file, "%s.effective", step->file) < 0) {
		file = NULL;
		return -ENOMEM;
	}
	list = cause_read(host, parent, file);
	rc = list && *list ? root_write(host->root, path, list) : -ENOSPC;
	return rc < 0 ? rc : UNDO_STAYS;
}

static int put_back(struct cgpol_host *host, const struct step *step, const char *old)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
	const char *reason;
	int rc;

	if (!path)
		return -ENOMEM;
	/* "root invalid (cpuset.cpus is empty)" was written as "root". */
	reason = strstr(old, " invalid (");
	if (reason) {
		AUTO(free_p) char *word = strndup(old, (size_t)(reason - old));

		return word ? root_write(host->root, path, word) : -ENOMEM;
	}
	if (strchr(old, '\n') || strncmp(step->file, "io.", 3) == 0)
		return write_lines(host, step, path, old);
	rc = write_value(host, path, old);
	return rc == -ENOSPC && !*old && strncmp(step->file, "cpuset.", 7) == 0
		       ? write_parents(host, step, path)
		       : rc;
}

/* Is a cgroup of another cgpol below? */
static bool is_shared(struct cgpol_host *host, const char *cgroup)
{
	char **name = NULL;
	size_t count = 0;
	bool is_found = false;

	if (cgroup_children(host, cgroup, &name, &count) < 0)
		return false;
	for (size_t i = 0; i < count && !is_found; i++) {
		struct mark mark = {.kind = MARK_NONE};

		is_found = mark_read(host, name[i], &mark) == 0 && mark.kind != MARK_NONE;
	}
	root_list_free(name, count);
	return is_found;
}

/* With the controller every cgroup below would lose its limits, in silence, whoever made it: cgroup v2 keeps
 * nothing of them. One that is enabled and not needed harms nobody. */
static int disable(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, "cgroup.subtree_control");
	AUTO(free_p) char *minus = NULL;
	int rc = cgroup_has_children(host, step->cgroup);

	if (rc != 0)
		return rc < 0 ? rc : UNDO_STAYS;
	if (!path || asprintf(&minus, "-%s", step->new_value + 1) < 0) {
		minus = NULL;
		return -ENOMEM;
	}
	return root_write(host->root, path, minus);
}

static int remove_cgroup(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, NULL);
	int rc = path ? root_rmdir(host->root, path) : -ENOMEM;

	/* The last of those who share it removes it. */
	return (rc == -EBUSY || rc == -ENOTEMPTY) && is_shared(host, step->cgroup) ? UNDO_STAYS : rc;
}

/* Only while it is where the step put it, and is the same process still. */
static int move_back(struct cgpol_host *host, const struct step *step, const char *old)
{
	const struct performer performer = {.host = host};
	AUTO(free_p) char *now = NULL;
	int rc = perform_check_process(host, step);

	rc = rc < 0 ? rc : proc_read_cgroup(host, step->pid, &now);
	if (proc_is_gone(rc))
		return 0;
	if (rc < 0 || strcmp(now, old) == 0)
		return rc < 0 ? rc : 0;
	if (strcmp(now, step->cgroup) != 0)
		return UNDO_STAYS;
	rc = perform_attach(&performer, step, old);
	return is_gone(rc) ? UNDO_STAYS : rc == -ESRCH ? 0 : rc;
}

static int reset_process(struct cgpol_host *host, const struct step *step, const char *old)
{
	int rc = perform_check_process(host, step);

	rc = rc < 0 ? rc : perform_write(host, step, old);
	return rc == -ESRCH ? 0 : rc;
}

static int put_file_back(struct cgpol_host *host, const struct step *step, const char *old)
{
	return old ? perform_write(host, step, old) : root_discard(host->root, step->file);
}

static int undo_value(struct cgpol_host *host, const struct step *step, const char *old)
{
	/* What was not there goes with its cgroup or its controller. */
	if (!old)
		return 0;
	switch (step->op) {
	case STEP_SET:
		return put_back(host, step, old);
	case STEP_OWNER:
		return perform_write_owner(host, step, old);
	case STEP_ATTACH:
		return move_back(host, step, old);
	case STEP_HOST:
		return perform_write(host, step, old);
	case STEP_TASK:
	case STEP_AFFINITY:
		return reset_process(host, step, old);
	case STEP_RMDIR:
		return recover_make_again(host, step->cgroup, old);
	/* kernel/cgroup/cgroup.c cgroup_type_write(): there is no way back but the removal. */
	case STEP_THREADED:
		return UNDO_STAYS;
	default:
		return 0;
	}
}

int undo_step(struct cgpol_host *host, const struct step *step, const char *old)
{
	int rc;

	switch (step->op) {
	case STEP_MKDIR:
		rc = remove_cgroup(host, step);
		break;
	case STEP_ENABLE:
		rc = disable(host, step);
		break;
	case STEP_KILL:
		return UNDO_STAYS;
	case STEP_SAVE:
		return put_file_back(host, step, old);
	default:
		rc = undo_value(host, step, old);
		break;
	}
	return is_gone(rc) ? 0 : rc;
}
