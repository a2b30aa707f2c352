/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A root in memory for unit tests: files by path, and faults on request. */
#include "fakeroot.h"

#include <assert.h>
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "host/sharing.h"

struct item {
	char *path;
	char *text; /* NULL: a directory */
	int errnum; /* what every access gives; an entry that does not exist is only that */
	bool exists;
	uint64_t inode;
	uint32_t uid, gid;
	struct item **child; /* those that exist, in order of creation */
	size_t children;
};

struct fakeroot {
	struct root root;
	void *tree; /* of entries by path: tsearch(3) */
	uint64_t inodes;
	unsigned accesses, fail_at;
	int fail_errnum;
	pid_t *pair; /* two by two */
	size_t pairs;
};

static struct fakeroot *fake_of(const struct root *root)
{
	return (struct fakeroot *)(uintptr_t)root;
}

/* A test that runs out of memory has nothing to say. */
static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	return strcmp(left->path, right->path);
}

static struct item *find(const struct fakeroot *fake, const char *path)
{
	struct item wanted = {.path = (char *)(uintptr_t)path};
	struct item *const *found = tfind(&wanted, &fake->tree, compare_items);

	return found ? *found : NULL;
}

static struct item *make(struct fakeroot *fake, const char *path)
{
	struct item *entry = find(fake, path);

	if (entry)
		return entry;
	entry = must(calloc(1, sizeof(*entry)));
	entry->path = must(strdup(path));
	must(tsearch(entry, &fake->tree, compare_items));
	return entry;
}

static const char *name_of(const struct item *entry)
{
	return strrchr(entry->path, '/') + 1;
}

/* Counts the access, and says whether it shall fail. */
static int access_path(struct fakeroot *fake, const char *path)
{
	const struct item *entry = find(fake, path);

	fake->accesses++;
	if (fake->fail_at != 0 && fake->accesses == fake->fail_at) {
		fake->fail_at = 0;
		return -fake->fail_errnum;
	}
	return entry ? -entry->errnum : 0;
}

static int fake_read(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	struct fakeroot *fake = fake_of(root);
	const struct item *entry = find(fake, path);
	int rc = access_path(fake, path);

	if (rc < 0)
		return rc;
	if (!entry || !entry->exists)
		return -ENOENT;
	if (!entry->text)
		return -EISDIR;
	*size = strlen(entry->text) < most ? strlen(entry->text) : most;
	*text = must(strndup(entry->text, *size));
	return 0;
}

static int fake_list(struct root *root, const char *path, char ***names, size_t *count)
{
	struct fakeroot *fake = fake_of(root);
	const struct item *entry = find(fake, path);
	int rc = access_path(fake, path);
	size_t found = 0;

	if (rc < 0)
		return rc;
	if (!entry || !entry->exists)
		return -ENOENT;
	if (entry->text)
		return -ENOTDIR;
	*names = must(calloc(entry->children + 1, sizeof(**names)));
	for (size_t i = 0; i < entry->children; i++) {
		if (!entry->child[i]->text)
			(*names)[found++] = must(strdup(name_of(entry->child[i])));
	}
	*count = found;
	return 0;
}

static int fake_stat(struct root *root, const char *path, struct root_info *info)
{
	struct fakeroot *fake = fake_of(root);
	const struct item *entry = find(fake, path);
	int rc = access_path(fake, path);

	if (rc < 0)
		return rc;
	if (!entry || !entry->exists)
		return -ENOENT;
	info->inode = entry->inode;
	info->nlink = entry->text ? 1 : 2;
	info->mode = entry->text ? S_IFREG | 0644 : S_IFDIR | 0755;
	info->uid = entry->uid;
	info->gid = entry->gid;
	for (size_t i = 0; i < entry->children; i++)
		info->nlink += !entry->child[i]->text;
	return 0;
}

static int fake_compare_mm(struct root *root, pid_t a, pid_t b, int *order)
{
	struct fakeroot *fake = fake_of(root);
	struct sharing sharing = {NULL, 0};
	char pair[64];
	int rc;

	(void)snprintf(pair, sizeof(pair), "kcmp:%d:%d", a < b ? a : b, a < b ? b : a);
	rc = access_path(fake, pair);
	if (rc < 0)
		return rc;
	must(sharing_init(&sharing, fake->pair, fake->pairs) == 0 ? fake : NULL);
	for (size_t i = 0; i < fake->pairs; i += 2)
		sharing_join(&sharing, fake->pair[i], fake->pair[i + 1]);
	a = sharing_leader(&sharing, a);
	b = sharing_leader(&sharing, b);
	*order = (a > b) - (a < b);
	sharing_clear(&sharing);
	return 0;
}

/* What is no file is kept beside the files, by a name without a slash in front. */
static int read_answer(struct fakeroot *fake, const char *name, char **text)
{
	const struct item *entry = find(fake, name);
	int rc = access_path(fake, name);

	if (rc < 0)
		return rc;
	if (!entry || !entry->exists)
		return -ENODATA;
	if (text)
		*text = must(strdup(entry->text));
	return 0;
}

static int fake_probe(struct root *root, const char *name)
{
	char key[256];

	(void)snprintf(key, sizeof(key), "probe:%s", name);
	return read_answer(fake_of(root), key, NULL);
}

static int fake_klog(struct root *root, char **text, size_t *size)
{
	int rc = read_answer(fake_of(root), "klog", text);

	if (rc == 0)
		*size = strlen(*text);
	return rc;
}

static int fake_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	struct fakeroot *fake = fake_of(root);
	const struct item *entry = find(fake, path);
	char key[4096];

	if (!entry || !entry->exists)
		return -ENOENT;
	(void)snprintf(key, sizeof(key), "xattr:%s:%s", name, path);
	return read_answer(fake, key, value);
}

static void free_item(void *p)
{
	struct item *entry = p;

	free(entry->path);
	free(entry->text);
	free(entry->child);
	free(entry);
}

static void fake_free(struct root *root)
{
	struct fakeroot *fake = fake_of(root);

	tdestroy(fake->tree, free_item);
	free(fake->pair);
	free(fake);
}

static const struct root_ops fake_ops = {
	.read = fake_read,
	.list = fake_list,
	.stat = fake_stat,
	.compare_mm = fake_compare_mm,
	.probe = fake_probe,
	.klog = fake_klog,
	.get_xattr = fake_get_xattr,
	.free = fake_free,
};

struct root *fakeroot_new(void)
{
	struct fakeroot *fake = must(calloc(1, sizeof(*fake)));

	fake->root.ops = &fake_ops;
	fake->root.facts = (struct root_facts){
		.release = "6.1.0",
		.page_size = 4096,
		.caps = (UINT64_C(1) << 41) - 1, /* CAP_LAST_CAP is 40 since 5.9 */
		.self = 4194303,
		.initial_pidns = true,
		.pidns = 0xEFFFFFFC, /* include/linux/proc_ns.h PROC_PID_INIT_INO */
		.initial_userns = true,
		.time = 1700000000,
	};
	fakeroot_mkdir(&fake->root, "/");
	return &fake->root;
}

static struct item *create(struct fakeroot *fake, const char *path)
{
	struct item *entry = make(fake, path), *parent;
	char *name;

	assert(path[0] == '/');
	if (entry->exists)
		return entry;
	entry->exists = true;
	if (path[1] != '\0') {
		size_t size = (size_t)(strrchr(path, '/') - path);

		name = must(strndup(path, size > 0 ? size : 1));
		parent = create(fake, name);
		free(name);
		parent->child = must(reallocarray(parent->child, parent->children + 1, sizeof(entry)));
		parent->child[parent->children++] = entry;
	}
	entry->inode = ++fake->inodes;
	return entry;
}

void fakeroot_put(struct root *root, const char *path, const char *text)
{
	struct item *entry = create(fake_of(root), path);

	free(entry->text);
	entry->text = must(strdup(text));
}

void fakeroot_remove(struct root *root, const char *path)
{
	struct fakeroot *fake = fake_of(root);
	struct item *entry = find(fake, path), *parent;
	AUTO(free_p) char *above = must(strndup(path, (size_t)(strrchr(path, '/') - path)));

	parent = find(fake, *above ? above : "/");
	assert(entry && entry->text && parent);
	for (size_t i = 0; i < parent->children; i++) {
		if (parent->child[i] != entry)
			continue;
		memmove(&parent->child[i], &parent->child[i + 1],
			(parent->children - i - 1) * sizeof(struct item *));
		parent->children--;
		break;
	}
	entry->exists = false;
	free(entry->text);
	entry->text = NULL;
}

void fakeroot_mkdir(struct root *root, const char *path)
{
	(void)create(fake_of(root), path);
}

void fakeroot_own(struct root *root, const char *path, uint32_t uid, uint32_t gid)
{
	struct item *entry = find(fake_of(root), path);

	assert(entry);
	entry->uid = uid;
	entry->gid = gid;
}

static void put_answer(struct root *root, const char *name, const char *text)
{
	struct item *entry = make(fake_of(root), name);

	entry->exists = true;
	free(entry->text);
	entry->text = must(strdup(text));
}

void fakeroot_set_probe(struct root *root, const char *name, int rc)
{
	char key[256];

	(void)snprintf(key, sizeof(key), "probe:%s", name);
	put_answer(root, key, "");
	fakeroot_fail(root, key, -rc);
}

void fakeroot_put_klog(struct root *root, const char *text)
{
	put_answer(root, "klog", text);
}

void fakeroot_set_xattr(struct root *root, const char *path, const char *name, const char *value)
{
	char key[4096];

	(void)snprintf(key, sizeof(key), "xattr:%s:%s", name, path);
	put_answer(root, key, value);
}

void fakeroot_fail(struct root *root, const char *path, int errnum)
{
	make(fake_of(root), path)->errnum = errnum;
}

void fakeroot_fail_nth(struct root *root, unsigned n, int errnum)
{
	struct fakeroot *fake = fake_of(root);

	fake->fail_at = n == 0 ? 0 : fake->accesses + n;
	fake->fail_errnum = errnum;
}

unsigned fakeroot_accesses(const struct root *root)
{
	return fake_of(root)->accesses;
}

void fakeroot_share_mm(struct root *root, pid_t a, pid_t b)
{
	struct fakeroot *fake = fake_of(root);

	fake->pair = must(reallocarray(fake->pair, fake->pairs + 2, sizeof(*fake->pair)));
	fake->pair[fake->pairs++] = a;
	fake->pair[fake->pairs++] = b;
}
