/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroups as rows of a tree: limits, type, partition, nodes, mark, and how many live there. */
#include "policy/shape.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"
#include "policy/need.h"

enum { SHOWN_SIZE = 160, LEAF_LINKS = 2 };

/* One that is still to be read. */
struct pending {
	char *name;
	unsigned depth;
	bool has_memory, has_cpuset; /* the controllers that the one above gives it */
	const char *group_from;
};

struct walk {
	struct cgpol_host *host;
	unsigned depth, parts;
	struct pending *pending; /* a stack: the last one is the next */
	size_t count, room;
	struct shapes made;
	size_t made_room;
	bool is_missing; /* a file of the present one that ought to be there is not */
};

static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

static void clear_shape(struct shape *shape)
{
	free(shape->name);
	free(shape->type);
	free(shape->partition);
	free(shape->cpus);
	free(shape->mems);
}

void shapes_clear(struct shapes *shapes)
{
	for (size_t i = 0; i < shapes->count; i++)
		clear_shape(&shapes->shape[i]);
	free(shapes->shape);
	free(shapes->above);
	*shapes = (struct shapes){0};
}

const char *shape_mark_name(enum mark_kind kind)
{
	static const char *const names[] = {
		[MARK_KEPT] = "kept", [MARK_OWNED] = "run", [MARK_PARENT] = "parent"};

	return (size_t)kind < ARRAY_SIZE(names) ? names[kind] : NULL;
}

/* ---- one cgroup ---- */

/* *text stays NULL where there is none. -ENOMEM, or 0. */
static int take_text(struct walk *walk, const char *cgroup, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(walk->host, cgroup, file);
	int rc = path ? root_read(walk->host->root, path, text, NULL) : -ENOMEM;

	walk->is_missing |= is_gone(rc);
	return rc == -ENOMEM ? rc : 0;
}

static int take_limit(struct walk *walk, struct shape *shape, const char *file, enum shape_part part,
		      uint64_t *value)
{
	AUTO(free_p) char *text = NULL;
	int rc = walk->parts & part ? take_text(walk, shape->name, file, &text) : 0;

	if (text && text_limit(text, value) == 0)
		shape->has |= part;
	return rc;
}

static int take_memory(struct walk *walk, struct shape *shape)
{
	AUTO(free_p) char *group = NULL;
	int rc = take_limit(walk, shape, "memory.current", SHAPE_CURRENT, &shape->current);

	rc = rc < 0 ? rc : take_limit(walk, shape, "memory.max", SHAPE_MAX, &shape->max);
	rc = rc < 0 ? rc : take_limit(walk, shape, "memory.high", SHAPE_HIGH, &shape->high);
	if (rc < 0 || !(walk->parts & SHAPE_GROUP))
		return rc;
	rc = take_text(walk, shape->name, "memory.oom.group", &group);
	if (group) {
		shape->has |= SHAPE_GROUP;
		shape->oom_group = strcmp(group, "1") == 0;
	}
	return rc;
}

static int take_cpuset(struct walk *walk, struct shape *shape)
{
	int rc = 0;

	if ((walk->parts & SHAPE_PARTITION) && !shape->is_root)
		rc = take_text(walk, shape->name, "cpuset.cpus.partition", &shape->partition);
	if (rc == 0 && (walk->parts & SHAPE_CPUS))
		rc = take_text(walk, shape->name, "cpuset.cpus.effective", &shape->cpus);
	if (rc == 0 && (walk->parts & SHAPE_MEMS))
		rc = take_text(walk, shape->name, "cpuset.mems.effective", &shape->mems);
	return rc;
}

/* A threaded cgroup does not list its processes. */
static int take_procs(struct walk *walk, struct shape *shape)
{
	AUTO(free_p) char *text = NULL;
	int rc = take_text(walk, shape->name, "cgroup.procs", &text);

	if (!text)
		return rc;
	for (const char *at = text; *at; at++)
		shape->procs += *at == '\n';
	shape->procs += *text != '\0'; /* the door strips the last newline */
	shape->has |= SHAPE_PROCS;
	return 0;
}

static int take_parts(struct walk *walk, const struct pending *pending, struct shape *shape)
{
	int rc = 0;

	/* What a cgroup namespace shows as "/" has the file too. */
	if ((walk->parts & SHAPE_TYPE) || strcmp(shape->name, "/") == 0)
		rc = take_text(walk, shape->name, "cgroup.type", &shape->type);
	shape->is_root = strcmp(shape->name, "/") == 0 && !shape->type;
	if (shape->is_root)
		walk->is_missing = false;
	/* A threaded cgroup has the controllers that are for threads, which memory is not. */
	if (rc == 0 && pending->has_memory && !shape->is_root &&
	    !(shape->type && strcmp(shape->type, "threaded") == 0))
		rc = take_memory(walk, shape);
	if (rc == 0 && pending->has_cpuset)
		rc = take_cpuset(walk, shape);
	if (rc == 0 && (walk->parts & SHAPE_PROCS))
		rc = take_procs(walk, shape);
	if (rc == 0 && (walk->parts & SHAPE_MARK) &&
	    mark_read(walk->host, shape->name, &shape->mark) == -ENOMEM)
		rc = -ENOMEM;
	shape->oom_group_from = pending->group_from;
	return rc;
}

/* ---- the walk ---- */

static int push(struct walk *walk, const struct pending *pending)
{
	if (walk->count == walk->room) {
		size_t wanted = walk->room ? walk->room * 2 : 64;
		struct pending *more = reallocarray(walk->pending, wanted, sizeof(*more));

		if (!more)
			return -ENOMEM;
		walk->pending = more;
		walk->room = wanted;
	}
	walk->pending[walk->count++] = *pending;
	return 0;
}

static int push_child(struct walk *walk, const struct shape *parent, const char *entry,
		      const struct pending *like)
{
	struct pending child = *like;
	int rc;

	if (asprintf(&child.name, "%s/%s", strcmp(parent->name, "/") == 0 ? "" : parent->name, entry) < 0)
		return -ENOMEM;
	rc = push(walk, &child);
	if (rc < 0)
		free(child.name);
	return rc;
}

/* Backwards, since the last on the stack is read first. */
static int push_children(struct walk *walk, const struct shape *parent)
{
	AUTO(free_p) char *path = cgroup_path(walk->host, parent->name, NULL);
	AUTO(free_p) char *control = cause_read(walk->host, parent->name, "cgroup.subtree_control");
	/* Where it cannot be read (a capture that was made for something else) every file is tried. */
	struct pending like = {.depth = parent->depth + 1,
			       .has_memory = !control || need_list_has(control, "memory"),
			       .has_cpuset = !control || need_list_has(control, "cpuset"),
			       .group_from = parent->oom_group_from};
	char **entries = NULL;
	size_t count = 0;
	int rc = path ? root_list(walk->host->root, path, &entries, &count) : -ENOMEM;

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (!like.group_from && parent->oom_group)
		like.group_from = parent->name;
	for (size_t i = count; rc == 0 && i-- > 0;)
		rc = push_child(walk, parent, entries[i], &like);
	root_list_free(entries, count);
	return rc;
}

static int add_shape(struct walk *walk, const struct shape *shape)
{
	if (walk->made.count == walk->made_room) {
		size_t wanted = walk->made_room ? walk->made_room * 2 : 64;
		struct shape *more = reallocarray(walk->made.shape, wanted, sizeof(*more));

		if (!more)
			return -ENOMEM;
		walk->made.shape = more;
		walk->made_room = wanted;
	}
	walk->made.shape[walk->made.count++] = *shape;
	return 0;
}

static int look(struct walk *walk, const char *name, struct root_info *info)
{
	AUTO(free_p) char *path = cgroup_path(walk->host, name, NULL);

	return path ? root_stat(walk->host->root, path, info) : -ENOMEM;
}

/* Takes the name over. -ENOENT when the cgroup is gone. */
static int visit(struct walk *walk, const struct pending *pending)
{
	struct shape shape = {.name = pending->name, .depth = pending->depth};
	struct root_info info, again;
	int rc = look(walk, shape.name, &info);

	walk->is_missing = false;
	if (rc == 0)
		rc = take_parts(walk, pending, &shape);
	if (rc == 0 && walk->is_missing)
		rc = look(walk, shape.name, &again);
	if (rc == 0)
		rc = add_shape(walk, &shape);
	if (rc < 0) {
		clear_shape(&shape);
		return is_gone(rc) ? -ENOENT : rc;
	}
	/* kernfs counts a directory's children in its links (fs/kernfs/dir.c kernfs_link_sibling). */
	if (info.nlink == LEAF_LINKS || shape.depth >= walk->depth)
		return 0;
	return push_children(walk, &shape); /* its name belongs to the row */
}

static int walk_all(struct walk *walk)
{
	int rc = 0;

	while (rc == 0 && walk->count > 0) {
		struct pending next = walk->pending[--walk->count];

		rc = visit(walk, &next);
		if (rc == -ENOENT && next.depth > 0) {
			walk->made.vanished++;
			rc = 0;
		} else if (rc < 0 && rc != -ENOENT && rc != -ENOMEM && next.depth > 0) {
			rc = 0; /* one that may not be looked at */
		}
	}
	return rc;
}

/* The highest cgroup above the first one that has memory.oom.group; *from stays NULL without one. */
static int find_group_above(struct cgpol_host *host, const char *cgroup, char **from)
{
	AUTO(free_p) char *at = cause_parent(cgroup);

	while (at) {
		AUTO(free_p) char *text = cause_read(host, at, "memory.oom.group");
		char *above = cause_parent(at);

		if (text && strcmp(text, "1") == 0) {
			free(*from);
			*from = TAKE(at);
		}
		free(at);
		at = above;
	}
	return 0;
}

static int push_first(struct walk *walk, const char *cgroup)
{
	AUTO(free_p) char *list = cause_read(walk->host, cgroup, "cgroup.controllers");
	struct pending first = {.name = strdup(cgroup),
				.has_memory = !list || need_list_has(list, "memory"),
				.has_cpuset = !list || need_list_has(list, "cpuset")};
	int rc = first.name ? 0 : -ENOMEM;

	if (rc == 0 && (walk->parts & SHAPE_GROUP))
		rc = find_group_above(walk->host, cgroup, &walk->made.above);
	first.group_from = walk->made.above;
	rc = rc < 0 ? rc : push(walk, &first);
	if (rc < 0)
		free(first.name);
	return rc;
}

int shapes_read(struct cgpol_host *host, const char *cgroup, unsigned depth, unsigned parts,
		struct shapes *shapes, struct cgpol_error *err)
{
	struct walk walk = {.host = host, .depth = depth, .parts = parts};
	char shown[SHOWN_SIZE];
	int rc;

	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	rc = push_first(&walk, cgroup);
	rc = rc < 0 ? rc : walk_all(&walk);
	for (size_t i = 0; i < walk.count; i++)
		free(walk.pending[i].name);
	free(walk.pending);
	if (rc == 0) {
		*shapes = walk.made;
		return 0;
	}
	shapes_clear(&walk.made);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(cgroup, shown, sizeof(shown));
	if (rc == -ENOENT)
		return error_set(err, ENOENT, CGPOL_FAILED, "cgroup \"%s\" does not exist", shown);
	return error_set(err, -rc, CGPOL_FAILED, "cannot look at cgroup \"%s\": %s", shown, strerror(-rc));
}
