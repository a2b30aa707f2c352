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

static int put_back(struct cgpol_host *host, const struct step *step, const char *old)
{
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
	const char *reason;

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
	return write_value(host, path, old);
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
	AUTO(free_p) char *path = cgroup_path(host, step->cgroup, step->file);
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

int undo_step(struct cgpol_host *host, const struct step *step, const char *old)
{
	int rc = 0;

	switch (step->op) {
	case STEP_MKDIR:
		rc = remove_cgroup(host, step);
		break;
	case STEP_ENABLE:
		rc = disable(host, step);
		break;
	case STEP_SET:
		rc = old ? put_back(host, step, old) : 0;
		break;
	default:
		break;
	}
	return is_gone(rc) ? 0 : rc;
}
