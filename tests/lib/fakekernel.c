/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory that can be changed: cgroup2 at /sys/fs/cgroup with the kernel's rules, and plain files
 * for the rest. */
#include "fakekernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fakecgroup.h"
#include "fakeroot.h"

#define MOUNT "/sys/fs/cgroup"

enum { FAULTS_MAX = 4 };

struct fault {
	char *path;
	unsigned accesses;
	int errnum;
};

struct fakekernel {
	struct root root;
	struct root *plain; /* all that is not cgroup2 */
	struct cgroup_tree *tree;
	unsigned counts[FAKEKERNEL_READS + FAKEKERNEL_CHANGES];
	unsigned fail_accesses, fail_in;
	int fail_errnum;
	struct fault fault[FAULTS_MAX];
};

static struct fakekernel *kernel_of(const struct root *root)
{
	return (struct fakekernel *)(uintptr_t)root;
}

static void kernel_must(bool is_true)
{
	if (!is_true)
		abort();
}

/* The part below the mount, or NULL. */
static const char *below_mount(const char *path)
{
	size_t size = sizeof(MOUNT) - 1;

	if (strncmp(path, MOUNT, size) != 0 || (path[size] != '/' && path[size] != '\0'))
		return NULL;
	return path[size] ? path + size : "/";
}

/* Counts the access, and says whether it shall fail. */
static int visit(struct fakekernel *fake, unsigned kind, const char *path)
{
	fake->counts[kind]++;
	if (fake->fail_in > 0 && (fake->fail_accesses & kind) && --fake->fail_in == 0)
		return -fake->fail_errnum;
	for (size_t i = 0; i < FAULTS_MAX; i++) {
		const struct fault *fault = &fake->fault[i];

		if (fault->path && (fault->accesses & kind) && strcmp(fault->path, path) == 0)
			return -fault->errnum;
	}
	return 0;
}

static int kernel_read(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	if (!below)
		return fake->plain->ops->read(fake->plain, path, most, text, size);
	rc = fakecgroup_read(fake->tree, below, text);
	if (rc == 0)
		*size = strlen(*text);
	return rc;
}

static int kernel_list(struct root *root, const char *path, char ***names, size_t *count)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	if (!below)
		return fake->plain->ops->list(fake->plain, path, names, count);
	return fakecgroup_list(fake->tree, below, names, count);
}

static int kernel_stat(struct root *root, const char *path, struct root_info *info)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	bool is_directory = false;
	uint64_t inode = 0;
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	if (!below)
		return fake->plain->ops->stat(fake->plain, path, info);
	rc = fakecgroup_stat(fake->tree, below, &inode, &is_directory);
	if (rc == 0)
		*info = (struct root_info){
			.inode = inode, .nlink = 2, .mode = is_directory ? S_IFDIR | 0755 : S_IFREG | 0644};
	return rc;
}

static int kernel_write(struct root *root, const char *path, const char *text)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_write(fake->tree, below, text) : -EACCES;
}

static int kernel_mkdir(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_mkdir(fake->tree, below) : -EACCES;
}

static int kernel_rmdir(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_rmdir(fake->tree, below) : -EACCES;
}

static int kernel_get_xattr(struct root *root, const char *path, const char *name, char **value)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_get_xattr(fake->tree, below, name, value) : -ENODATA;
}

static int kernel_set_xattr(struct root *root, const char *path, const char *name, const char *value)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	int rc = visit(fake, FAKEKERNEL_CHANGES, path);

	if (rc < 0)
		return rc;
	return below ? fakecgroup_set_xattr(fake->tree, below, name, value) : -EOPNOTSUPP;
}

/* A descriptor of something, so that callers have one to close. */
static int kernel_open_directory(struct root *root, const char *path)
{
	struct fakekernel *fake = kernel_of(root);
	const char *below = below_mount(path);
	bool is_directory = false;
	uint64_t inode;
	int rc = visit(fake, FAKEKERNEL_READS, path);

	if (rc == 0)
		rc = below ? fakecgroup_stat(fake->tree, below, &inode, &is_directory) : -ENOENT;
	if (rc < 0)
		return rc;
	rc = is_directory ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -ENOTDIR;
	return rc == -1 ? -errno : rc;
}

static void kernel_free(struct root *root)
{
	struct fakekernel *fake = kernel_of(root);

	for (size_t i = 0; i < FAULTS_MAX; i++)
		free(fake->fault[i].path);
	fakecgroup_free(fake->tree);
	root_free(fake->plain);
	free(fake);
}

static const struct root_ops kernel_ops = {
	.read = kernel_read,
	.list = kernel_list,
	.stat = kernel_stat,
	.write = kernel_write,
	.mkdir = kernel_mkdir,
	.rmdir = kernel_rmdir,
	.get_xattr = kernel_get_xattr,
	.set_xattr = kernel_set_xattr,
	.open_directory = kernel_open_directory,
	.free = kernel_free,
};

static void replace_set(struct nodeset *set, const char *text)
{
	kernel_must(nodeset_parse(text, NODESET_CPUS_MAX, set, NULL) == 0);
}

static void put_line(struct root *root, const char *path, const char *text)
{
	char line[512];

	(void)snprintf(line, sizeof(line), "%s\n", text);
	fakekernel_put(root, path, line);
}

void fakekernel_machine(struct root *root, const char *possible_cpus, const char *online_cpus,
			const char *possible_nodes, const char *memory_nodes)
{
	struct fakecgroup_machine *machine = fakecgroup_machine(kernel_of(root)->tree);

	if (possible_cpus) {
		replace_set(&machine->possible_cpus, possible_cpus);
		put_line(root, "/sys/devices/system/cpu/possible", possible_cpus);
	}
	if (online_cpus) {
		replace_set(&machine->online_cpus, online_cpus);
		put_line(root, "/sys/devices/system/cpu/online", online_cpus);
	}
	if (possible_nodes) {
		replace_set(&machine->possible_nodes, possible_nodes);
		put_line(root, "/sys/devices/system/node/possible", possible_nodes);
	}
	if (memory_nodes) {
		replace_set(&machine->memory_nodes, memory_nodes);
		put_line(root, "/sys/devices/system/node/online", memory_nodes);
		put_line(root, "/sys/devices/system/node/has_memory", memory_nodes);
	}
}

struct root *fakekernel_new(const char *controllers)
{
	struct fakekernel *fake = calloc(1, sizeof(*fake));

	kernel_must(fake != NULL);
	fake->plain = fakeroot_new();
	fake->tree = fakecgroup_new(controllers ? controllers : "cpuset cpu io memory hugetlb pids");
	fake->root.ops = &kernel_ops;
	fake->root.facts = fake->plain->facts;
	fakekernel_machine(&fake->root, "0-7", "0-3", "0-3", "0-1");
	fakekernel_put(&fake->root, "/proc/self/mountinfo",
		       "24 1 0:22 / " MOUNT
		       " rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw\n");
	fakekernel_put(&fake->root, "/proc/meminfo",
		       "MemTotal:        2097152 kB\nMemFree:         1048576 kB\n");
	for (int node = 0; node < 2; node++) {
		char path[64], text[128];

		(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
		(void)snprintf(text, sizeof(text), "Node %d MemTotal:        1048576 kB\n", node);
		fakekernel_put(&fake->root, path, text);
	}
	fakekernel_put(&fake->root, "/proc/cmdline", "quiet\n");
	return &fake->root;
}

void fakekernel_put(struct root *root, const char *path, const char *text)
{
	fakeroot_put(kernel_of(root)->plain, path, text);
}

/* Enables what a cgroup has for its children. */
static void enable_all(struct cgroup_tree *tree, const char *name)
{
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *text = NULL;
	char *save = NULL;

	kernel_must(asprintf(&path, "%s/cgroup.controllers", name) >= 0);
	kernel_must(fakecgroup_read(tree, path, &text) == 0);
	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		AUTO(free_p) char *file = NULL;
		char plus[32];

		kernel_must(asprintf(&file, "%s/cgroup.subtree_control", name) >= 0);
		(void)snprintf(plus, sizeof(plus), "+%s", word);
		kernel_must(fakecgroup_write(tree, file, plus) == 0);
	}
}

void fakekernel_cgroup(struct root *root, const char *name, ...)
{
	struct cgroup_tree *tree = kernel_of(root)->tree;
	const char *setting;
	va_list args;

	for (const char *slash = name; slash; slash = strchr(slash + 1, '/')) {
		const char *end = strchr(slash + 1, '/');
		AUTO(free_p) char *above = strndup(name, (size_t)(slash - name));
		AUTO(free_p) char *here = end ? strndup(name, (size_t)(end - name)) : strdup(name);
		int rc;

		kernel_must(above && here);
		enable_all(tree, above);
		rc = fakecgroup_mkdir(tree, here);
		kernel_must(rc == 0 || rc == -EEXIST);
	}
	va_start(args, name);
	while ((setting = va_arg(args, const char *))) {
		const char *equals = strchr(setting, '=');
		AUTO(free_p) char *file = strndup(setting, (size_t)(equals - setting));

		kernel_must(file && fakekernel_poke(root, name, file, equals + 1) == 0);
	}
	va_end(args);
}

int fakekernel_poke(struct root *root, const char *cgroup, const char *file, const char *text)
{
	AUTO(free_p) char *path = NULL;

	kernel_must(asprintf(&path, "%s%s%s", cgroup, file ? "/" : "", file ? file : "") >= 0);
	return file ? fakecgroup_write(kernel_of(root)->tree, path, text)
		    : fakecgroup_mkdir(kernel_of(root)->tree, path);
}

int fakekernel_rmdir(struct root *root, const char *cgroup)
{
	return fakecgroup_rmdir(kernel_of(root)->tree, cgroup);
}

int fakekernel_start(struct root *root, const char *cgroup, pid_t pid)
{
	return fakecgroup_start(kernel_of(root)->tree, cgroup, pid);
}

void fakekernel_end(struct root *root, pid_t pid)
{
	fakecgroup_end(kernel_of(root)->tree, pid);
}

void fakekernel_fail_nth(struct root *root, unsigned accesses, unsigned n, int errnum)
{
	struct fakekernel *fake = kernel_of(root);

	fake->fail_accesses = accesses;
	fake->fail_in = n;
	fake->fail_errnum = errnum;
}

void fakekernel_fail(struct root *root, unsigned accesses, const char *path, int errnum)
{
	struct fakekernel *fake = kernel_of(root);
	struct fault *fault = fake->fault;

	while (fault->path && strcmp(fault->path, path) != 0) {
		fault++;
		kernel_must(fault < fake->fault + FAULTS_MAX);
	}
	if (!fault->path)
		fault->path = strdup(path);
	kernel_must(fault->path != NULL);
	fault->accesses = errnum == 0 ? 0 : accesses;
	fault->errnum = errnum;
}

unsigned fakekernel_accesses(const struct root *root, unsigned accesses)
{
	const struct fakekernel *fake = kernel_of(root);
	unsigned sum = 0;

	for (unsigned kind = 1; kind < FAKEKERNEL_READS + FAKEKERNEL_CHANGES; kind++)
		sum += kind & accesses ? fake->counts[kind] : 0;
	return sum;
}

char *fakekernel_dump(struct root *root)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	kernel_must(out != NULL);
	fakecgroup_dump(kernel_of(root)->tree, out);
	(void)fclose(out);
	kernel_must(text != NULL);
	return text;
}
