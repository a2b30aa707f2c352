/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removing cgroups that cgpol made: its own at the end, and the empty ones that a killed cgpol left behind.
 */
#include "act/reap.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"

enum { SHOWN_SIZE = 160 }; /* of a name in a sentence */
/* Where cgpol run makes cgroups that nobody named: at the top, or in what was handed over to a user. */
static const char home[] = "/cgpol";

/* One of the cgroups that are looked at; the same index as in the tree. */
struct node {
	struct mark mark;
	size_t parent;
	size_t children; /* that are there, or will be when all is done */
	bool is_stale;
	bool is_inside; /* below a stale one */
};

struct walk {
	struct cgpol_host *host;
	struct subtree tree;
	struct node *node;
	const struct reaper *reaper; /* NULL: only tell */
	struct reaped reaped;
	struct cgpol_error *err;
};

static void walk_clear(struct walk *walk)
{
	subtree_clear(&walk->tree);
	free(walk->node);
	reaped_clear(&walk->reaped);
}

void reaped_clear(struct reaped *reaped)
{
	if (reaped->name)
		root_list_free(reaped->name, reaped->count);
	if (reaped->busy)
		root_list_free(reaped->busy, reaped->busy_count);
	*reaped = (struct reaped){0};
}

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

int reaped_add(const char *name, char ***list, size_t *count)
{
	char **more = reallocarray(*list, *count + 1, sizeof(*more));
	char *copy = more ? strdup(name) : NULL;

	if (more)
		*list = more;
	if (!copy)
		return -ENOMEM;
	more[(*count)++] = copy;
	return 0;
}

static bool is_home(const char *name, size_t size)
{
	const size_t tail = sizeof(home) - 1;

	return size >= tail && memcmp(name + size - tail, home, tail) == 0;
}

/* What is only guessed to be a cgpol's was made by this user, or this is root. */
static bool may_be_ours(struct cgpol_host *host, const char *name)
{
	AUTO(free_p) char *path = cgroup_path(host, name, NULL);
	struct root_info info;

	return (host->root->facts.uid == 0 && host->root->facts.initial_userns) ||
	       (path && root_stat(host->root, path, &info) == 0 && info.uid == host->root->facts.uid);
}

/* Has nobody set anything on it? */
static bool is_bare(struct cgpol_host *host, const char *name)
{
	static const char *const rows[][2] = {
		{"memory.max", "max"}, {"memory.high", "max"},	   {"memory.low", "0"}, {"memory.min", "0"},
		{"pids.max", "max"},   {"memory.swap.max", "max"}, {"cpuset.cpus", ""}, {"cpuset.mems", ""},
		{"cpu.weight", "100"}, {"cpu.max", "max 100000"},  {"io.max", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO(free_p) char *path = cgroup_path(host, name, rows[i][0]);
		AUTO(free_p) char *text = NULL;

		if (!path || (root_read(host->root, path, &text, NULL) == 0 && strcmp(text, rows[i][1]) != 0))
			return false;
	}
	return true;
}

static bool has_no_children(struct cgpol_host *host, const char *name)
{
	AUTO(free_p) char *path = cgroup_path(host, name, NULL);
	char **children = NULL;
	size_t count = 0;

	if (!path || root_list(host->root, path, &children, &count) < 0)
		return false;
	root_list_free(children, count);
	return count == 0;
}

/* cgpol was killed before it could mark what it had made, so before it could set or make anything in it. In
 * another pid namespace the number says nothing. */
static bool has_dead_name(struct cgpol_host *host, const char *name)
{
	const char *slash = strrchr(name, '/'), *dash = strrchr(name, '-');
	struct proc_stat stat;
	uint64_t pid;

	if (!slash || !is_home(name, (size_t)(slash - name)) || !dash || dash <= slash + 1 || dash[1] < '1' ||
	    dash[1] > '9' || text_u64(dash + 1, &pid) < 0 || pid > INT32_MAX ||
	    !host->root->facts.initial_pidns || !may_be_ours(host, name))
		return false;
	/* With hidepid= of proc every process of others looks as if it were gone, and so does pid 1. */
	return proc_is_gone(proc_read_stat(host, (pid_t)pid, &stat)) && proc_read_stat(host, 1, &stat) == 0 &&
	       has_no_children(host, name) && is_bare(host, name);
}

/* The home itself, made by a cgpol that was killed before it could mark it. */
static bool is_bare_home(struct cgpol_host *host, const char *name)
{
	return is_home(name, strlen(name)) && may_be_ours(host, name) && is_bare(host, name);
}

/* What nobody knows may be a kept one. */
static enum mark_kind kind_unknown(int rc)
{
	return is_absent(rc) ? MARK_NONE : MARK_KEPT;
}

/* What a cgpol that lives made, or was told to keep, is not part of the stale one above it, nor is what lies
 * below. */
static bool hands_down_staleness(const struct node *node)
{
	return node->is_stale ||
	       (node->is_inside && node->mark.kind != MARK_OWNED && node->mark.kind != MARK_KEPT);
}

/* Only -ENOMEM: what cannot be read, or is gone, is none of ours. */
static int read_node(struct walk *walk, size_t at, size_t parent)
{
	struct node *node = &walk->node[at];
	int rc = mark_read(walk->host, walk->tree.name[at], &node->mark);

	if (rc < 0)
		node->mark = (struct mark){.kind = kind_unknown(rc)};
	node->parent = parent;
	node->is_stale = node->mark.kind == MARK_OWNED && mark_is_stale(walk->host, &node->mark);
	if (rc == 0 && node->mark.kind == MARK_NONE && is_bare_home(walk->host, walk->tree.name[at]))
		node->mark.kind = MARK_PARENT;
	else if (rc == 0 && node->mark.kind == MARK_NONE)
		node->is_stale = has_dead_name(walk->host, walk->tree.name[at]);
	if (at > 0) {
		node->is_inside = hands_down_staleness(&walk->node[parent]);
		walk->node[parent].children++;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Adds the children of one cgroup, and reads what they are. */
static int look_below(struct walk *walk, size_t at)
{
	size_t before = walk->tree.count;
	int rc = subtree_add_children(walk->host, walk->tree.name[at], &walk->tree);
	struct node *more;

	/* What was added before the failure has no node. */
	if (rc < 0)
		return rc;
	more = reallocarray(walk->node, walk->tree.count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	walk->node = more;
	memset(more + before, 0, (walk->tree.count - before) * sizeof(*more));
	for (size_t i = before; rc == 0 && i < walk->tree.count; i++)
		rc = read_node(walk, i, at);
	return rc;
}

/* All that is looked at, parents first. */
static int look(struct walk *walk, const char *parent, bool is_deep)
{
	int rc = subtree_add(&walk->tree, parent);

	walk->node = calloc(1, sizeof(*walk->node));
	if (rc == 0)
		rc = walk->node ? read_node(walk, 0, 0) : -ENOMEM;
	for (size_t i = 0; rc == 0 && i < walk->tree.count; i++) {
		const struct node *node = &walk->node[i];
		/* Whether a marked parent among the children is empty shows a level deeper. */
		bool is_asked = is_deep || i == 0 || node->is_stale || node->is_inside ||
				(node->parent == 0 && node->mark.kind == MARK_PARENT);

		if (is_asked)
			rc = look_below(walk, i);
		if (rc < 0 && rc != -ENOMEM)
			rc = 0;
	}
	return rc;
}

/* Is it one that goes when nobody is in it? */
static bool is_ours(const struct walk *walk, size_t at, bool is_deep)
{
	const struct node *node = &walk->node[at];

	if (node->is_stale)
		return true;
	if (node->mark.kind == MARK_OWNED || node->mark.kind == MARK_KEPT)
		return false;
	if (node->is_inside)
		return true;
	return node->mark.kind == MARK_PARENT && (is_deep || node->parent == 0);
}

int reaped_blame(const char *name, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(name, shown, sizeof(shown));
	error_set(err, -rc, CGPOL_FAILED, "cgroup \"%s\" cannot be removed: %s", shown, strerror(-rc));
	error_detail(err, NULL, shown, NULL);
	return rc;
}

static int take(struct walk *walk, size_t at)
{
	const char *name = walk->tree.name[at];
	const struct node *node = &walk->node[at];
	struct reaped *reaped = &walk->reaped;
	bool is_held = node->children > 0 || subtree_is_populated(walk->host, name);
	int rc = is_held ? -EBUSY : walk->reaper ? walk->reaper->remove(walk->reaper->arg, name) : 0;

	if (rc == 0)
		rc = reaped_add(name, &reaped->name, &reaped->count);
	else if (rc == -EBUSY || rc == -ENOTEMPTY)
		return node->is_stale ? reaped_add(name, &reaped->busy, &reaped->busy_count) : 0;
	if (rc < 0 && !is_absent(rc))
		return rc == -ENOMEM ? rc : reaped_blame(name, rc, walk->err);
	if (at > 0)
		walk->node[node->parent].children--;
	return 0;
}

/* One that may not be removed, of another user, is no reason to leave the others: the first failure is told.
 */
static int take_all(struct walk *walk, bool is_deep)
{
	struct cgpol_error *err = walk->err, ignored = {0};
	int first = 0;

	for (size_t i = walk->tree.count; i-- > 0;) {
		int rc = 0;

		if (is_ours(walk, i, is_deep) && strcmp(walk->tree.name[i], "/") != 0)
			rc = take(walk, i);
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

int reap_with(struct cgpol_host *host, const char *parent, bool is_deep, const struct reaper *reaper,
	      struct reaped *reaped, struct cgpol_error *err)
{
	AUTO(walk_clear) struct walk walk = {.host = host, .reaper = reaper, .err = err};
	int rc = check_machine(host, err);

	if (rc < 0)
		return rc;
	rc = look(&walk, parent, is_deep);
	if (rc == 0)
		rc = take_all(&walk, is_deep);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc == 0) {
		*reaped = walk.reaped;
		walk.reaped = (struct reaped){0};
	}
	return rc;
}

static int remove_directory(void *arg, const char *cgroup)
{
	struct cgpol_host *host = arg;
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);

	return path ? root_rmdir(host->root, path) : -ENOMEM;
}

int reap(struct cgpol_host *host, const char *parent, bool is_deep, bool dry, struct reaped *reaped,
	 struct cgpol_error *err)
{
	const struct reaper reaper = {remove_directory, host};

	return reap_with(host, parent, is_deep, dry ? NULL : &reaper, reaped, err);
}

/* ---- one's own ---- */

static bool is_kept(struct cgpol_host *host, const char *cgroup)
{
	struct mark mark;
	int rc = mark_read(host, cgroup, &mark);

	return (rc < 0 ? kind_unknown(rc) : mark.kind) == MARK_KEPT;
}

static bool is_below(const char *name, const char *above)
{
	size_t size = strlen(above);

	return strncmp(name, above, size) == 0 && name[size] == '/';
}

/* The kept ones below the cgroup itself, and all below those. */
static void find_kept(struct cgpol_host *host, const struct subtree *tree, bool *kept)
{
	for (size_t i = 1; i < tree->count; i++) {
		for (size_t j = 1; j < i && !kept[i]; j++)
			kept[i] = kept[j] && is_below(tree->name[i], tree->name[j]);
		if (!kept[i])
			kept[i] = is_kept(host, tree->name[i]);
	}
}

/* Everything in the list but what is kept, deepest first; the result is that of the cgroup itself. */
static int remove_listed(struct cgpol_host *host, const struct subtree *tree)
{
	AUTO(free_p) bool *kept = calloc(tree->count, sizeof(*kept));
	int rc = kept ? 0 : -ENOMEM;

	if (rc == 0)
		find_kept(host, tree, kept);
	for (size_t i = rc == 0 ? tree->count : 0; i-- > 0;)
		if (!kept[i])
			rc = remove_directory(host, tree->name[i]);
	return rc;
}

static int remove_slowly(struct cgpol_host *host, const char *cgroup, unsigned milliseconds)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	int rc = subtree_list(host, cgroup, &tree);

	if (rc == 0)
		rc = subtree_wait(host, &tree, milliseconds, NULL);
	return rc == 0 ? remove_listed(host, &tree) : rc;
}

void reap_parents(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *name = strdup(cgroup);
	struct mark mark;

	for (char *slash; name && (slash = strrchr(name, '/')) && slash != name;) {
		*slash = '\0';
		if (mark_read(host, name, &mark) < 0 || mark.kind != MARK_PARENT ||
		    remove_directory(host, name) < 0)
			return;
	}
}

int reap_own(struct cgpol_host *host, const char *cgroup, unsigned milliseconds)
{
	/* Nearly always this is all: kernfs refuses while there are children or processes. */
	int rc = host->cgroup2 ? remove_directory(host, cgroup) : -ENOENT;

	if (rc == -EBUSY || rc == -ENOTEMPTY)
		rc = remove_slowly(host, cgroup, milliseconds);
	if (rc < 0 && !is_absent(rc))
		return rc;
	reap_parents(host, cgroup);
	return 0;
}
