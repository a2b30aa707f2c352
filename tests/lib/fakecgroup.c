/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of cgroup v2 in memory: a tree of cgroups with their files, controllers and processes. */
#include "fakecgroup.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fakecpuset.h"

/* Parses "+a -b" or "a b"; false for a word that is no controller. */
static bool parse_controllers(const char *text, unsigned *plus, unsigned *minus)
{
	char *copy = faketree_must(strdup(text)), *save = NULL;
	bool is_good = true;

	for (char *word = strtok_r(copy, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		bool is_minus = *word == '-';
		unsigned bit = fakevalue_controller(*word == '+' || is_minus ? word + 1 : word);

		is_good = is_good && bit != 0;
		*(is_minus ? minus : plus) |= bit;
		*(is_minus ? plus : minus) &= ~bit;
	}
	free(copy);
	return is_good;
}

static char *format_controllers(unsigned mask)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = faketree_must(open_memstream(&text, &size));
	const char *blank = "";

	for (size_t i = 0; fakevalue_controllers[i]; i++) {
		if (mask & 1U << i) {
			(void)fprintf(out, "%s%s", blank, fakevalue_controllers[i]);
			blank = " ";
		}
	}
	(void)fclose(out);
	return faketree_must(text);
}

/* cgroup_control(): threaded cgroups have threaded controllers only. */
unsigned faketree_controllers(const struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	if (!cgroup->parent)
		return tree->available;
	return cgroup->is_threaded ? cgroup->parent->subtree & FAKEVALUE_THREADED : cgroup->parent->subtree;
}

bool faketree_is_populated(const struct cgroup *cgroup)
{
	if (cgroup->pids > 0)
		return true;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (faketree_is_populated(child))
			return true;
	}
	return false;
}

static bool is_thread_root(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return false;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (child->is_threaded)
			return true;
	}
	return cgroup->pids > 0 && (cgroup->subtree & FAKEVALUE_THREADED);
}

static bool can_be_thread_root(const struct cgroup *cgroup)
{
	if (!cgroup->parent)
		return true;
	if (cgroup->is_threaded)
		return false;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (!child->is_threaded && faketree_is_populated(child))
			return false;
	}
	return !(cgroup->subtree & ~(unsigned)FAKEVALUE_THREADED);
}

static bool is_valid_domain(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return false;
	for (cgroup = cgroup->parent; cgroup; cgroup = cgroup->parent) {
		if (cgroup->is_threaded || (cgroup->parent && is_thread_root(cgroup)))
			return false;
	}
	return true;
}

static const struct cgroup *domain_of(const struct cgroup *cgroup)
{
	while (cgroup->is_threaded)
		cgroup = cgroup->parent;
	return cgroup;
}

static const char *type_of(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return "threaded";
	if (!is_valid_domain(cgroup))
		return "domain invalid";
	return is_thread_root(cgroup) ? "domain threaded" : "domain";
}

/* cgroup_migrate_vet_dst() */
static int vet_entry(const struct cgroup *cgroup)
{
	if (!is_valid_domain(domain_of(cgroup)))
		return -EOPNOTSUPP;
	if (can_be_thread_root(cgroup) || cgroup->is_threaded)
		return 0;
	return cgroup->subtree ? -EBUSY : 0;
}

/* cgroup_vet_subtree_control_enable() */
static int vet_enable(const struct cgroup *cgroup, unsigned enable)
{
	if (!enable)
		return 0;
	if (!is_valid_domain(domain_of(cgroup)))
		return -EOPNOTSUPP;
	if (!cgroup->parent)
		return 0;
	if (enable & ~(unsigned)FAKEVALUE_THREADED) {
		if (is_thread_root(cgroup) || cgroup->is_threaded)
			return -EOPNOTSUPP;
	} else if (can_be_thread_root(cgroup) || cgroup->is_threaded) {
		return 0;
	}
	return cgroup->pids > 0 ? -EBUSY : 0;
}

/* The state of a controller that is switched off is lost. */
static void forget_values(struct cgroup *cgroup, unsigned controllers)
{
	for (size_t i = 0; fakevalue_table[i].name; i++) {
		if (fakevalue_bit(&fakevalue_table[i]) & controllers) {
			free(cgroup->value[i]);
			cgroup->value[i] = NULL;
		}
	}
}

/* cgroup_subtree_control_write() */
static int write_subtree(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text)
{
	unsigned enable = 0, disable = 0;
	int rc;

	if (!parse_controllers(text, &enable, &disable) || (*text && *text != '+' && *text != '-'))
		return -EINVAL;
	enable &= ~cgroup->subtree;
	disable &= cgroup->subtree;
	if (enable & ~faketree_controllers(tree, cgroup))
		return -ENOENT;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (child->subtree & disable)
			return -EBUSY;
	}
	rc = vet_enable(cgroup, enable);
	if (rc < 0)
		return rc;
	cgroup->subtree = (cgroup->subtree | enable) & ~disable;
	for (struct cgroup *child = cgroup->child; child; child = child->next)
		forget_values(child, disable);
	return 0;
}

/* cgroup_enable_threaded() */
static int write_type(struct cgroup *cgroup, const char *text)
{
	const struct cgroup *domain = domain_of(cgroup->parent);

	if (strcmp(text, "threaded") != 0)
		return -EINVAL;
	if (cgroup->is_threaded)
		return 0;
	if (faketree_is_populated(cgroup) || cgroup->subtree & ~(unsigned)FAKEVALUE_THREADED ||
	    !is_valid_domain(domain) || !can_be_thread_root(domain))
		return -EOPNOTSUPP;
	cgroup->is_threaded = true;
	return 0;
}

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

static char *show_pids(const struct cgroup *cgroup)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = faketree_must(open_memstream(&text, &size));

	for (size_t i = 0; i < cgroup->pids; i++)
		(void)fprintf(out, "%s%d", i > 0 ? "\n" : "", (int)cgroup->pid[i]);
	(void)fclose(out);
	return faketree_must(text);
}

static int show_file(const struct cgroup_tree *tree, const struct cgroup *cgroup, size_t i, char **text)
{
	switch (fakevalue_table[i].kind) {
	case FAKEVALUE_CONTROLLERS:
		*text = format_controllers(faketree_controllers(tree, cgroup));
		return 0;
	case FAKEVALUE_SUBTREE:
		*text = format_controllers(cgroup->subtree);
		return 0;
	case FAKEVALUE_PROCS:
		if (cgroup->is_threaded)
			return -EOPNOTSUPP;
		*text = show_pids(cgroup);
		return 0;
	case FAKEVALUE_TYPE:
		*text = faketree_must(strdup(type_of(cgroup)));
		return 0;
	case FAKEVALUE_EFFECTIVE_CPUS:
	case FAKEVALUE_EFFECTIVE_MEMS:
		*text = fakecpuset_effective(tree, cgroup,
					     fakevalue_table[i].kind == FAKEVALUE_EFFECTIVE_CPUS);
		return 0;
	case FAKEVALUE_PARTITION:
		*text = fakecpuset_partition(cgroup);
		return 0;
	default:
		*text = faketree_must(strdup(faketree_value(cgroup, fakevalue_table[i].name)));
		return 0;
	}
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
	if (!value->name || (!(*cgroup)->parent && !value->is_on_root))
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

static int move_here(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);
	int rc = vet_entry(cgroup);

	if (end == text || *end || pid <= 0 || pid > INT_MAX)
		return -EINVAL;
	if (rc < 0)
		return rc;
	faketree_check(cgroup->pids < PROCESSES_MAX);
	fakecgroup_end(tree, (pid_t)pid);
	cgroup->pid[cgroup->pids++] = (pid_t)pid;
	return 0;
}

static int write_file(struct cgroup_tree *tree, struct cgroup *cgroup, size_t index, const char *text)
{
	const struct fakevalue *value = &fakevalue_table[index];
	AUTO(free_p) char *made = NULL;
	int rc;

	switch (value->kind) {
	case FAKEVALUE_CONTROLLERS:
	case FAKEVALUE_EFFECTIVE_CPUS:
	case FAKEVALUE_EFFECTIVE_MEMS:
	case FAKEVALUE_READ_ONLY:
		return -EINVAL;
	case FAKEVALUE_SUBTREE:
		return write_subtree(tree, cgroup, text);
	case FAKEVALUE_PROCS:
		return move_here(tree, cgroup, text);
	case FAKEVALUE_TYPE:
		return write_type(cgroup, text);
	case FAKEVALUE_LIST:
		rc = fakecpuset_check(tree, cgroup, value->name, text);
		break;
	default:
		rc = 0;
		break;
	}
	if (rc == 0)
		rc = fakevalue_check(value, faketree_value(cgroup, value->name), text,
				     tree->machine.page_size, &made);
	if (rc < 0)
		return rc;
	free(cgroup->value[index]);
	cgroup->value[index] = TAKE(made);
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
	return write_file(tree, cgroup, index, stripped);
}

int fakecgroup_mkdir(struct cgroup_tree *tree, const char *path)
{
	const char *rest = "";
	struct cgroup *parent = find_cgroup(tree, path, &rest), *made, **last;

	if (!parent)
		return -ENOENT;
	if (!*rest || find_value(rest)[fakevalue_table].name)
		return -EEXIST;
	if (strchr(rest, '\n'))
		return -EINVAL;
	made = faketree_must(calloc(1, sizeof(*made)));
	made->name = faketree_must(strdup(rest));
	made->parent = parent;
	made->inode = ++tree->inodes;
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
	free(cgroup->name);
}

int fakecgroup_rmdir(struct cgroup_tree *tree, const char *path)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest), **at;

	if (!cgroup || *rest)
		return -ENOENT;
	if (!cgroup->parent || cgroup->child || cgroup->pids > 0)
		return -EBUSY;
	for (at = &cgroup->parent->child; *at != cgroup; at = &(*at)->next)
		;
	*at = cgroup->next;
	free_cgroup(cgroup);
	free(cgroup);
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

int fakecgroup_stat(struct cgroup_tree *tree, const char *path, uint64_t *inode, bool *is_directory)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest);
	size_t index;
	int rc = !cgroup ? -ENOENT : *rest ? find_file(tree, path, &cgroup, &index) : 0;

	if (rc < 0)
		return rc;
	*is_directory = !*rest;
	*inode = *rest ? 1 : cgroup->inode;
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

int fakecgroup_start(struct cgroup_tree *tree, const char *path, pid_t pid)
{
	const char *rest = "";
	struct cgroup *cgroup = find_cgroup(tree, path, &rest);
	char text[16];

	if (!cgroup || *rest)
		return -ENOENT;
	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	return move_here(tree, cgroup, text);
}

static void end_below(struct cgroup *cgroup, pid_t pid)
{
	for (size_t i = 0; i < cgroup->pids; i++) {
		if (cgroup->pid[i] == pid) {
			cgroup->pids--;
			memmove(&cgroup->pid[i], &cgroup->pid[i + 1], (cgroup->pids - i) * sizeof(pid));
			return;
		}
	}
	for (struct cgroup *child = cgroup->child; child; child = child->next)
		end_below(child, pid);
}

void fakecgroup_end(struct cgroup_tree *tree, pid_t pid)
{
	end_below(&tree->root, pid);
}

static void dump_cgroup(struct cgroup_tree *tree, const struct cgroup *cgroup, const char *path, FILE *out)
{
	(void)fprintf(out, "%s/ inode=%llu\n", path, (unsigned long long)cgroup->inode);
	for (size_t i = 0; fakevalue_table[i].name; i++) {
		AUTO(free_p) char *file = NULL;
		AUTO(free_p) char *text = NULL;

		faketree_check(asprintf(&file, "%s/%s", path, fakevalue_table[i].name) >= 0);
		if (fakecgroup_read(tree, file, &text) == 0)
			(void)fprintf(out, "%s: %s\n", file, text);
	}
	for (size_t i = 0; i < XATTRS_MAX && cgroup->xattr[i].name; i++)
		(void)fprintf(out, "%s/ %s=%s\n", path, cgroup->xattr[i].name, cgroup->xattr[i].value);
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		AUTO(free_p) char *below = NULL;

		faketree_check(asprintf(&below, "%s/%s", path, child->name) >= 0);
		dump_cgroup(tree, child, below, out);
	}
}

void fakecgroup_dump(struct cgroup_tree *tree, FILE *out)
{
	dump_cgroup(tree, &tree->root, "", out);
}

struct cgroup_tree *fakecgroup_new(const char *controllers)
{
	struct cgroup_tree *tree = faketree_must(calloc(1, sizeof(*tree)));
	unsigned none = 0;

	tree->root.name = faketree_must(strdup(""));
	tree->root.inode = ++tree->inodes;
	faketree_check(parse_controllers(controllers, &tree->available, &none));
	tree->machine.page_size = 4096;
	return tree;
}

void fakecgroup_free(struct cgroup_tree *tree)
{
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
