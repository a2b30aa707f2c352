/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing the empty cgroups that cgpol made. */
#include "act/clean.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/subtree.h"

enum { SHOWN_SIZE = 160 }; /* of a name in a sentence */

struct walk {
	struct cgpol_host *host;
	const struct reaper *reaper; /* NULL: only tell */
	struct subtree tree;
	size_t *parent;	  /* by cgroup of the tree: its parent there */
	size_t *children; /* that are there, or will be when all is done */
	struct reaped reaped;
	struct cgpol_error *err;
};

static void walk_clear(struct walk *walk)
{
	subtree_clear(&walk->tree);
	free(walk->parent);
	free(walk->children);
	reaped_clear(&walk->reaped);
}

/* Is it one that goes when nobody is in it? Not what cannot be asked, and not what a cgpol run made that
 * lives, or that is counted in another pid namespace. */
static bool is_ours(struct cgpol_host *host, const char *name)
{
	struct mark mark = {.kind = MARK_NONE};

	if (mark_read(host, name, &mark) < 0)
		return false;
	return mark.kind == MARK_OWNED ? mark_is_stale(host, &mark) : mark.kind != MARK_NONE;
}

static int take(struct walk *walk, size_t at)
{
	const char *name = walk->tree.name[at];
	struct reaped *reaped = &walk->reaped;
	bool is_held = walk->children[at] > 0 || subtree_is_populated(walk->host, name);
	int rc = is_held ? -EBUSY : walk->reaper ? walk->reaper->remove(walk->reaper->arg, name) : 0;

	if (rc == -EBUSY || rc == -ENOTEMPTY)
		return reaped_add(name, &reaped->busy, &reaped->busy_count);
	if (rc == 0)
		rc = reaped_add(name, &reaped->name, &reaped->count);
	if (rc < 0 && rc != -ENOENT && rc != -ENODEV)
		return rc == -ENOMEM ? rc : reaped_blame(name, rc, walk->err);
	walk->children[walk->parent[at]]--;
	return 0;
}

static bool is_child(const char *name, const char *parent)
{
	size_t size = (size_t)(strrchr(name, '/') - name);

	return size == 0 ? strcmp(parent, "/") == 0
			 : strlen(parent) == size && memcmp(parent, name, size) == 0;
}

static int look(struct walk *walk, const char *parent)
{
	int rc = subtree_list(walk->host, parent, &walk->tree);

	if (rc < 0)
		return rc == -ENODEV ? -ENOENT : rc;
	walk->parent = calloc(walk->tree.count, sizeof(*walk->parent));
	walk->children = calloc(walk->tree.count, sizeof(*walk->children));
	if (!walk->parent || !walk->children)
		return -ENOMEM;
	/* Level by level, all children of one before those of the next. */
	for (size_t i = 1, above = 0; i < walk->tree.count; i++) {
		while (!is_child(walk->tree.name[i], walk->tree.name[above]))
			above++;
		walk->parent[i] = above;
		walk->children[above]++;
	}
	return 0;
}

/* One that may not be removed is no reason to leave the others: the first failure is told. */
static int take_all(struct walk *walk)
{
	struct cgpol_error *err = walk->err, ignored = {0};
	int first = 0;

	for (size_t i = walk->tree.count; i-- > 1;) {
		int rc = is_ours(walk->host, walk->tree.name[i]) ? take(walk, i) : 0;

		if (rc == -ENOMEM)
			return rc;
		if (rc < 0 && first == 0) {
			first = rc;
			walk->err = &ignored;
		}
	}
	walk->err = err;
	return first;
}

static int check_machine(const struct cgpol_host *host, struct cgpol_error *err)
{
	if (!host->root->ops->rmdir)
		return error_set(err, EROFS, CGPOL_REFUSED, "a capture cannot be changed");
	return host_need_cgroup2(host, err);
}

int clean_with(struct cgpol_host *host, const char *parent, const struct reaper *reaper,
	       struct reaped *reaped, struct cgpol_error *err)
{
	AUTO(walk_clear) struct walk walk = {.host = host, .reaper = reaper, .err = err};
	char shown[SHOWN_SIZE];
	int rc = check_machine(host, err);

	if (rc < 0)
		return rc;
	rc = look(&walk, parent);
	if (rc == -ENOENT) {
		text_escape(parent, shown, sizeof(shown));
		error_set(err, ENOENT, CGPOL_FAILED, "there is no cgroup %s", shown);
		error_detail(err, NULL, shown, NULL);
		return rc;
	}
	if (rc == 0)
		rc = take_all(&walk);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc == 0) {
		*reaped = walk.reaped;
		walk.reaped = (struct reaped){0};
	}
	return rc;
}
