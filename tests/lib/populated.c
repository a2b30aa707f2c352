/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gives a root whose cgroups have no cgroup.events that file, made from the cgroup.procs at and below it. */
#include "populated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static struct populated *of(const struct root *root)
{
	return (struct populated *)(uintptr_t)root->ops;
}

/* 1, 0, or -errno. */
static int has_processes(struct root *root, const char *directory)
{
	const struct root_ops *plain = of(root)->plain;
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *procs = NULL;
	char **names = NULL;
	size_t size, count = 0;
	int rc = asprintf(&path, "%s/cgroup.procs", directory) < 0 ? -1 : 0;

	if (rc == 0)
		rc = plain->read(root, path, ROOT_FILE_MAX, &procs, &size);
	if (rc == 0)
		rc = strpbrk(procs, "123456789") ? 1 : 0;
	if (rc == 0)
		rc = plain->list(root, directory, &names, &count);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		AUTO(free_p) char *child = NULL;
		rc = asprintf(&child, "%s/%s", directory, names[i]) < 0 ? -1 : has_processes(root, child);
	}
	if (names)
		root_list_free(names, count);
	return rc;
}

static int read_with_events(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	static const char file[] = "/cgroup.events";
	struct populated *populated = of(root);
	size_t length = strlen(path), tail = sizeof(file) - 1;
	bool is_events = length > tail && strcmp(path + length - tail, file) == 0;
	AUTO(free_p) char *directory = is_events ? strndup(path, length - tail) : NULL;
	int rc;

	/* The root has none. */
	if (!directory || strcmp(directory, "/sys/fs/cgroup") == 0)
		return populated->plain->read(root, path, most, text, size);
	rc = has_processes(root, directory);
	if (rc == 0 && populated->dead_for > 0) {
		populated->dead_for--;
		rc = 1;
	}
	if (rc < 0)
		return rc;
	*text = strdup(rc ? "populated 1\nfrozen 0" : "populated 0\nfrozen 0");
	if (!*text)
		abort();
	*size = strlen(*text);
	return 0;
}

void populated_wrap(struct populated *populated, struct root *root)
{
	populated->plain = root->ops;
	populated->ops = *root->ops;
	populated->ops.read = read_with_events;
	populated->dead_for = 0;
	root->ops = &populated->ops;
}
