/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of cgroup v2 in memory: a tree of cgroups with their files, controllers and processes. */
#include "fakecgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fakecpuset.h"
#include "fakedomain.h"
#include "fakememory.h"
#include "faketask.h"

static size_t find_value(const char *name)
{
	size_t i = 0;

	while (fakevalue_table[i].name && strcmp(fakevalue_table[i].name, name) != 0)
		i++;
	return i;
}

const char *faketree_value(const struct cgroup *cgroup, const char *name)
{
	size_t i = find_value(name);

	return cgroup->value[i] ? cgroup->value[i] : fakevalue_table[i].initial;
}

void faketree_set_value(struct cgroup *cgroup, const char *name, const char *text)
{
	size_t i = find_value(name);

	free(cgroup->value[i]);
	cgroup->value[i] = text ? faketree_must(strdup(text)) : NULL;
}

struct cgroup *faketree_next(const struct cgroup *top, struct cgroup *at)
{
	if (at->child)
		return at->child;
	while (at != top && !at->next)
		at = at->parent;
	return at == top ? NULL : at->next;
}

char *faketree_path(const struct cgroup *cgroup)
{
	AUTO(free_p) char *above = NULL;
	char *path;

	if (!cgroup->parent)
		return faketree_must(strdup("/"));
	above = faketree_path(cgroup->parent);
	faketree_check(asprintf(&path, "%s/%s", cgroup->parent->parent ? above : "", cgroup->name) >= 0);
	return path;
}

static char *show_count(const char *before, size_t count, const char *after)
{
	char *text;

	faketree_check(asprintf(&text, "%s%zu%s", before, count, after) >= 0);
	return text;
}

static size_t count_below(struct cgroup *cgroup, bool is_tasks)
{
	size_t count = 0;

	for (struct cgroup *at = cgroup; at; at = faketree_next(cgroup, at))
		count += is_tasks ? at->tasks : at != cgroup;
	return count;
}

/* Files whose text is made when they are read; NULL: what was written is kept. */
static char *make_text(struct cgroup_tree *tree, struct cgroup *cgroup, enum fakevalue_kind kind)
{
	switch (kind) {
	case FAKEVALUE_CONTROLLERS:
		return fakedomain_format(faketree_controllers(tree, cgroup));
	case FAKEVALUE_SUBTREE:
		return fakedomain_format(cgroup->subtree);
	case FAKEVALUE_PROCS:
	case FAKEVALUE_THREADS:
		return faketask_show(tree, cgroup, kind == FAKEVALUE_THREADS);
	case FAKEVALUE_TYPE:
		return faketree_must(strdup(fakedomain_type(cgroup)));
	case FAKEVALUE_EVENTS:
		return faketask_events(cgroup);
	case FAKEVALUE_CGROUP_STAT:
		return show_count("nr_descendants ", count_below(cgroup, false), "\nnr_dying_descendants 0");
	case FAKEVALUE_TASK_COUNT:
		return show_count("", count_below(cgroup, true), "");
	case FAKEVALUE_EFFECTIVE_CPUS:
	case FAKEVALUE_EFFECTIVE_MEMS:
		return fakecpuset_effective(tree, cgroup, kind == FAKEVALUE_EFFECTIVE_CPUS);
	case FAKEVALUE_PARTITION:
		return fakecpuset_partition(cgroup);
	case FAKEVALUE_MEMORY_CURRENT:
	case FAKEVALUE_SWAP_CURRENT:
	case FAKEVALUE_MEMORY_STAT:
	case FAKEVALUE_NUMA_STAT:
	case FAKEVALUE_MEMORY_EVENTS:
	case FAKEVALUE_MEMORY_EVENTS_LOCAL:
		return fakememory_show(tree, cgroup, kind);
	default:
		return NULL;
	}
}

static int show_file(struct cgroup_tree *tree, struct cgroup *cgroup, size_t i, char **text)
{
	enum fakevalue_kind kind = fakevalue_table[i].kind;

	if (kind == FAKEVALUE_PROCS && cgroup->is_threaded)
		return -EOPNOTSUPP;
	/* Files without a function to show them (cgroup_seqfile_show). */
	if (kind == FAKEVALUE_KILL || kind == FAKEVALUE_RECLAIM)
		return -EINVAL;
	*text = make_text(tree, cgroup, kind);
	if (!*text)
		*text = faketree_must(strdup(faketree_value(cgroup, fakevalue_table[i].name)));
	return 0;
}

static struct cgroup *find_child(struct cgroup *cgroup, const char *name, size_t size)
{
	for (struct cgroup *child = cgroup->child; child; child = child->next) {
		if (strlen(child->name) == size && memcmp(child->name, name, size) == 0)
			return child;
	}
	return NULL;
}

/* The cgroup of a path, and in *rest what follows it: "", or the last part that is no cgroup. */
static struct cgroup *find_cgroup(struct cgroup_tree *tree, const char *path, const char **rest)
{
	struct cgroup *cgroup = &tree->root;

	for (;;) {
		struct cgroup *child;
		size_t size;

		while (*path == '/')
			path++;
		size = strcspn(path, "/");
		*rest = path;
		if (size == 0)
			return cgroup;
		child = find_child(cgroup, path, size);
		if (!child)
			return path[size] == '\0' ? cgroup : NULL;
		cgroup = child;
		path += size;
	}
}

struct cgroup *faketree_find(struct cgroup_tree *tree, const char *path)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest);

	return cgroup && !*rest ? cgroup : NULL;
}

/* A file of a cgroup that exists, as an index of the table. */
static int find_file(struct cgroup_tree *tree, const char *path, struct cgroup **cgroup, size_t *index)
{
	const struct fakevalue *value;
	const char *rest = "";

	*cgroup = find_cgroup(tree, path, &rest);
	if (!*cgroup)
		return -ENOENT;
	if (!*rest)
		return -EISDIR;
	*index = find_value(rest);
	value = &fakevalue_table[*index];
	if (!value->name || value->since > tree->machine.version ||
	    (!(*cgroup)->parent && !value->is_on_root))
		return -ENOENT;
	return value->controller && !(faketree_controllers(tree, *cgroup) & fakevalue_bit(value)) ? -ENOENT
												  : 0;
}

int fakecgroup_read(struct cgroup_tree *tree, const char *path, char **text)
{
	struct cgroup *cgroup;
	size_t index;
	int rc = find_file(tree, path, &cgroup, &index);

	return rc < 0 ? rc : show_file(tree, cgroup, index, text);
}

static int reclaim_text(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text)
{
	static const struct fakevalue bytes = {.kind = FAKEVALUE_PAGES};
	AUTO(free_p) char *made = NULL;
	int rc = fakevalue_check(&bytes, "", text, tree->machine.page_size, &made);

	if (rc < 0)
		return rc;
	return fakememory_reclaim(tree, cgroup,
				  strcmp(made, "max") == 0 ? UINT64_MAX : strtoull(made, NULL, 10));
}

/* Files that do something instead of keeping a value; 1: it is none of them. */
static int do_file(struct cgroup_tree *tree, struct cgroup *cgroup, enum fakevalue_kind kind,
		   const char *text)
{
	switch (kind) {
	case FAKEVALUE_SUBTREE:
		return fakedomain_write_subtree(tree, cgroup, text);
	case FAKEVALUE_PROCS:
	case FAKEVALUE_THREADS:
		return faketask_move(tree, cgroup, text, kind == FAKEVALUE_THREADS);
	case FAKEVALUE_TYPE:
		return fakedomain_write_type(cgroup, text);
	case FAKEVALUE_KILL:
		return faketask_kill(tree, cgroup, text);
	case FAKEVALUE_RECLAIM:
		return reclaim_text(tree, cgroup, text);
	case FAKEVALUE_LIST:
	case FAKEVALUE_PAGES:
	case FAKEVALUE_NUMBER:
	case FAKEVALUE_FLAG:
	case FAKEVALUE_LIMIT:
	case FAKEVALUE_CPU_MAX:
	case FAKEVALUE_IO_MAX:
	case FAKEVALUE_PARTITION:
		return 1;
	default:
		return -EINVAL;
	}
}

/* What else happens where a value was written. */
static void follow_up(struct cgroup_tree *tree, struct cgroup *cgroup, const char *name, const char *text)
{
	if (strcmp(name, "memory.high") == 0 || strcmp(name, "memory.max") == 0)
		fakememory_obey(tree, cgroup, strcmp(name, "memory.max") == 0);
	/* kernel/sched/fair.c sched_group_set_idle(): the shares of an idle group are WEIGHT_IDLEPRIO, 3 of
	 * 1024, and those of one that is no longer idle are NICE_0_LOAD. */
	if (strcmp(name, "cpu.idle") == 0)
		faketree_set_value(cgroup, "cpu.weight", strcmp(text, "1") == 0 ? "0" : NULL);
}

static int write_file(struct cgroup_tree *tree, struct cgroup *cgroup, size_t index, const char *text)
{
	const struct fakevalue *value = &fakevalue_table[index];
	AUTO(free_p) char *made = NULL;
	int rc = do_file(tree, cgroup, value->kind, text);

	if (rc <= 0)
		return rc;
	rc = value->kind == FAKEVALUE_LIST ? fakecpuset_check(tree, cgroup, value->name, text) : 0;
	if (rc == 0)
		rc = fakevalue_check(value, faketree_value(cgroup, value->name), text,
				     tree->machine.page_size, &made);
	if (rc == 0 && strcmp(value->name, "cpu.weight") == 0 &&
	    strcmp(faketree_value(cgroup, "cpu.idle"), "1") == 0)
		rc = -EINVAL;
	if (rc < 0)
		return rc;
	/* Only a change does anything: an idle group that is written idle again stays as it is. */
	if (strcmp(value->name, "cpu.idle") == 0 && strcmp(faketree_value(cgroup, "cpu.idle"), made) == 0)
		return 0;
	faketree_set_value(cgroup, value->name, made);
	follow_up(tree, cgroup, value->name, made);
	return 0;
}

int fakecgroup_write(struct cgroup_tree *tree, const char *path, const char *text)
{
	AUTO(free_p) char *stripped = NULL;
	struct cgroup *cgroup;
	size_t index, size;
	int rc = find_file(tree, path, &cgroup, &index);

	/* A write of no bytes does not get to the file's own function. */
	if (rc < 0 || *text == '\0')
		return rc;
	text += strspn(text, " \t\n");
	size = strlen(text);
	while (size > 0 && strchr(" \t\n", text[size - 1]))
		size--;
	stripped = faketree_must(strndup(text, size));
	rc = write_file(tree, cgroup, index, stripped);
	faketask_settle(tree);
	return rc;
}

/* cgroup_check_hierarchy_limits() */
static bool is_too_many(struct cgroup *parent)
{
	long depth = 1;

	for (struct cgroup *at = parent; at; at = at->parent, depth++) {
		const char *most = faketree_value(at, "cgroup.max.descendants");
		const char *deepest = faketree_value(at, "cgroup.max.depth");

		if ((strcmp(most, "max") != 0 && count_below(at, false) >= strtoull(most, NULL, 10)) ||
		    (strcmp(deepest, "max") != 0 && depth > strtol(deepest, NULL, 10)))
			return true;
	}
	return false;
}

int fakecgroup_mkdir(struct cgroup_tree *tree, const char *path, uid_t maker)
{
	const char *rest = "";
	struct cgroup *parent = find_cgroup(tree, path, &rest), *made, **last;

	if (!parent)
		return -ENOENT;
	if (!*rest || find_value(rest)[fakevalue_table].name)
		return -EEXIST;
	if (strchr(rest, '\n'))
		return -EINVAL;
	if (is_too_many(parent))
		return -EAGAIN;
	made = faketree_must(calloc(1, sizeof(*made)));
	made->name = faketree_must(strdup(rest));
	made->parent = parent;
	made->inode = ++tree->inodes;
	made->made_by = made->owner = (struct owner){maker, maker};
	for (size_t i = 0; i < FAKEVALUE_FILES_MAX; i++)
		made->file_owner[i] = made->owner;
	for (last = &parent->child; *last; last = &(*last)->next)
		;
	*last = made;
	return 0;
}

static void free_cgroup(struct cgroup *cgroup)
{
	for (struct cgroup *child = cgroup->child; child;) {
		struct cgroup *next = child->next;

		free_cgroup(child);
		free(child);
		child = next;
	}
	for (size_t i = 0; i < FAKEVALUE_FILES_MAX; i++)
		free(cgroup->value[i]);
	for (size_t i = 0; i < XATTRS_MAX; i++) {
		free(cgroup->xattr[i].name);
		free(cgroup->xattr[i].value);
	}
	free(cgroup->task);
	free(cgroup->name);
}

/* Zombies keep no cgroup from going. */
static void forget_cgroup(struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	for (size_t i = 0; i < tree->processes; i++) {
		for (size_t j = 0; j < tree->process[i]->tasks; j++) {
			if (tree->process[i]->task[j]->cgroup == cgroup)
				tree->process[i]->task[j]->cgroup = NULL;
		}
	}
}

/* The memory of one that goes is its parent's from then on (memcg_offline_kmem, reparenting of its LRU lists
 * leaves charged what lies there). */
static void inherit(struct cgroup *cgroup)
{
	for (size_t i = 0; i < FAKEMEMORY_NODES; i++) {
		cgroup->parent->memory.anon[i] += cgroup->memory.anon[i];
		cgroup->parent->memory.file[i] += cgroup->memory.file[i];
	}
	cgroup->parent->memory.swap += cgroup->memory.swap;
}

int fakecgroup_rmdir(struct cgroup_tree *tree, const char *path)
{
	struct cgroup *cgroup = faketree_find(tree, path), **at;

	if (!cgroup)
		return -ENOENT;
	if (!cgroup->parent || cgroup->child || cgroup->tasks > 0)
		return -EBUSY;
	for (at = &cgroup->parent->child; *at != cgroup; at = &(*at)->next)
		;
	*at = cgroup->next;
	inherit(cgroup);
	forget_cgroup(tree, cgroup);
	free_cgroup(cgroup);
	free(cgroup);
	faketask_settle(tree);
	return 0;
}

int fakecgroup_list(struct cgroup_tree *tree, const char *path, char ***names, size_t *count)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest);

	if (!cgroup || *rest)
		return -ENOENT;
	*count = 0;
	for (const struct cgroup *child = cgroup->child; child; child = child->next)
		++*count;
	*names = faketree_must(calloc(*count + 1, sizeof(**names)));
	*count = 0;
	for (const struct cgroup *child = cgroup->child; child; child = child->next)
		(*names)[(*count)++] = faketree_must(strdup(child->name));
	return 0;
}

/* The owner of a cgroup's directory or file, and whether it is a file. */
static int find_owner(struct cgroup_tree *tree, const char *path, struct owner **owner, uint64_t *inode)
{
	struct cgroup *cgroup = faketree_find(tree, path);
	size_t index = 0;
	int rc = cgroup ? 0 : find_file(tree, path, &cgroup, &index);

	if (rc < 0)
		return rc;
	*inode = faketree_find(tree, path) ? cgroup->inode : 0;
	*owner = *inode ? &cgroup->owner : &cgroup->file_owner[index];
	return 0;
}

int fakecgroup_stat(struct cgroup_tree *tree, const char *path, struct root_info *info)
{
	struct owner *owner;
	uint64_t inode;
	int rc = find_owner(tree, path, &owner, &inode);

	if (rc < 0)
		return rc;
	*info = (struct root_info){.inode = inode ? inode : 1,
				   .nlink = 2,
				   .mode = inode ? S_IFDIR | 0755 : S_IFREG | 0644,
				   .uid = owner->uid,
				   .gid = owner->gid};
	return 0;
}

int fakecgroup_chown(struct cgroup_tree *tree, const char *path, uid_t uid, gid_t gid)
{
	struct owner *owner;
	uint64_t inode;
	int rc = find_owner(tree, path, &owner, &inode);

	if (rc < 0)
		return rc;
	if (uid != (uid_t)-1)
		owner->uid = uid;
	if (gid != (gid_t)-1)
		owner->gid = gid;
	return 0;
}

int fakecgroup_get_xattr(struct cgroup_tree *tree, const char *path, const char *name, char **value)
{
	const char *rest = "";
	const struct cgroup *cgroup = find_cgroup(tree, path, &rest);

	if (!cgroup || *rest)
		return -ENOENT;
	for (size_t i = 0; i < XATTRS_MAX && cgroup->xattr[i].name; i++) {
		if (strcmp(cgroup->xattr[i].name, name) == 0) {
			*value = faketree_must(strdup(cgroup->xattr[i].value));
			return 0;
		}
	}
	return -ENODATA;
}

int fakecgroup_set_xattr(struct cgroup_tree *tree, const char *path, const char *name, const char *value)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest);
	size_t i = 0;

	if (!cgroup || *rest)
		return -ENOENT;
	while (i < XATTRS_MAX && cgroup->xattr[i].name && strcmp(cgroup->xattr[i].name, name) != 0)
		i++;
	if (i == XATTRS_MAX)
		return -ENOSPC;
	if (!cgroup->xattr[i].name)
		cgroup->xattr[i].name = faketree_must(strdup(name));
	free(cgroup->xattr[i].value);
	cgroup->xattr[i].value = faketree_must(strdup(value));
	return 0;
}

int fakecgroup_remove_xattr(struct cgroup_tree *tree, const char *path, const char *name)
{
	struct cgroup *cgroup = faketree_find(tree, path);
	size_t i = 0;

	if (!cgroup)
		return -ENOENT;
	while (i < XATTRS_MAX && cgroup->xattr[i].name && strcmp(cgroup->xattr[i].name, name) != 0)
		i++;
	if (i == XATTRS_MAX || !cgroup->xattr[i].name)
		return -ENODATA;
	free(cgroup->xattr[i].name);
	free(cgroup->xattr[i].value);
	for (; i + 1 < XATTRS_MAX; i++)
		cgroup->xattr[i] = cgroup->xattr[i + 1];
	cgroup->xattr[i] = (struct xattr){NULL, NULL};
	return 0;
}

struct cgroup_tree *fakecgroup_new(const char *controllers)
{
	struct cgroup_tree *tree = faketree_must(calloc(1, sizeof(*tree)));
	unsigned none = 0;

	tree->root.name = faketree_must(strdup(""));
	tree->root.inode = ++tree->inodes;
	faketree_check(fakedomain_parse(controllers, &tree->available, &none));
	tree->machine.page_size = 4096;
	tree->machine.version = FAKEVALUE_SINCE(6, 1);
	return tree;
}

void fakecgroup_free(struct cgroup_tree *tree)
{
	faketask_free(tree);
	free_cgroup(&tree->root);
	nodeset_clear(&tree->machine.possible_cpus);
	nodeset_clear(&tree->machine.online_cpus);
	nodeset_clear(&tree->machine.possible_nodes);
	nodeset_clear(&tree->machine.memory_nodes);
	free(tree);
}

struct fakecgroup_machine *fakecgroup_machine(struct cgroup_tree *tree)
{
	return &tree->machine;
}
