/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory that can be changed: what tests make of it, and do beside the code that they test. */
#include "fakekernel.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fakedump.h"
#include "fakeops.h"
#include "fakeroot.h"
#include "faketask.h"

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
	fake->sysctl = fakesysctl_new(fake->plain);
	fake->watch = fakewatch_new(fake->tree);
	fake->root.ops = &fakeops;
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

void fakekernel_writable(struct root *root, const char *path)
{
	fakesysctl_allow(kernel_of(root)->sysctl, path);
}

void fakekernel_release(struct root *root, const char *release)
{
	unsigned major = 0, minor = 0;

	(void)snprintf(root->facts.release, sizeof(root->facts.release), "%s", release);
	kernel_must(sscanf(release, "%u.%u", &major, &minor) == 2); /* NOLINT(cert-err34-c) */
	fakecgroup_machine(kernel_of(root)->tree)->version = FAKEVALUE_SINCE(major, minor);
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
		rc = fakecgroup_mkdir(tree, here, 0);
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
	struct fakekernel *fake = kernel_of(root);
	AUTO(free_p) char *path = NULL;

	kernel_must(asprintf(&path, "%s%s%s", cgroup, file ? "/" : "", file ? file : "") >= 0);
	return fakeops_settled(fake, file ? fakecgroup_write(fake->tree, path, text)
					  : fakecgroup_mkdir(fake->tree, path, 0));
}

int fakekernel_rmdir(struct root *root, const char *cgroup)
{
	return fakeops_settled(kernel_of(root), fakecgroup_rmdir(kernel_of(root)->tree, cgroup));
}

void fakekernel_own(struct root *root, const char *cgroup, const char *file, uint32_t uid, uint32_t gid)
{
	AUTO(free_p) char *path = NULL;

	kernel_must(asprintf(&path, "%s%s%s", cgroup, file ? "/" : "", file ? file : "") >= 0);
	kernel_must(fakecgroup_chown(kernel_of(root)->tree, path, uid, gid) == 0);
}

static struct cgroup *cgroup_of_name(struct root *root, const char *name)
{
	struct cgroup *cgroup = faketree_find(kernel_of(root)->tree, name);

	kernel_must(cgroup != NULL);
	return cgroup;
}

int fakekernel_start(struct root *root, const char *cgroup, pid_t pid)
{
	struct fakekernel *fake = kernel_of(root);
	struct cgroup *found = faketree_find(fake->tree, cgroup);

	return found ? fakeops_settled(fake, faketask_start(fake->tree, found, pid, 1)) : -ENOENT;
}

void fakekernel_end(struct root *root, pid_t pid)
{
	faketask_end(kernel_of(root)->tree, pid);
	(void)fakeops_settled(kernel_of(root), 0);
}

int fakekernel_fork(struct root *root, pid_t parent, pid_t pid)
{
	struct fakekernel *fake = kernel_of(root);
	const struct task *task = faketask_find(fake->tree, parent);

	if (!task || !task->cgroup)
		return -ESRCH;
	return fakeops_settled(fake, faketask_start(fake->tree, task->cgroup, pid, parent));
}

int fakekernel_thread(struct root *root, pid_t pid, pid_t tid)
{
	return faketask_thread(kernel_of(root)->tree, pid, tid);
}

static struct process *process_of(struct root *root, pid_t pid)
{
	struct process *process = faketask_process(kernel_of(root)->tree, pid);

	kernel_must(process != NULL);
	return process;
}

void fakekernel_comm(struct root *root, pid_t pid, const char *comm)
{
	struct process *process = process_of(root, pid);

	(void)snprintf(process->comm, sizeof(process->comm), "%s", comm);
}

void fakekernel_behave(struct root *root, pid_t pid, unsigned behaviour)
{
	struct process *process = process_of(root, pid);

	process->behaviour = behaviour;
	if (behaviour & FAKEKERNEL_ZOMBIE)
		faketask_zombify(process);
	(void)fakeops_settled(kernel_of(root), 0);
}

const char *fakekernel_where(struct root *root, pid_t tid)
{
	struct fakekernel *fake = kernel_of(root);
	const struct task *task = faketask_find(fake->tree, tid);

	free(TAKE(fake->where));
	if (task && task->cgroup)
		fake->where = faketree_path(task->cgroup);
	return fake->where;
}

void fakekernel_use(struct root *root, const char *cgroup, unsigned node, uint64_t anon, uint64_t file)
{
	struct memory *memory = &cgroup_of_name(root, cgroup)->memory;

	kernel_must(node < FAKEMEMORY_NODES);
	memory->anon[node] = anon;
	memory->file[node] = file;
}

void fakekernel_pin(struct root *root, const char *cgroup, uint64_t bytes)
{
	cgroup_of_name(root, cgroup)->memory.pinned = bytes;
}

void fakekernel_swap(struct root *root, uint64_t free_bytes)
{
	kernel_of(root)->tree->swap_free = free_bytes;
}

unsigned fakekernel_oom_kills(const struct root *root)
{
	return kernel_of(root)->tree->oom_kills;
}

void fakekernel_crash_after(struct root *root, unsigned n)
{
	kernel_of(root)->is_crashed = false;
	kernel_of(root)->crash_in = n;
}

void fakekernel_hook(struct root *root, fakekernel_hook_fn *hook, void *arg)
{
	kernel_of(root)->hook = hook;
	kernel_of(root)->hook_arg = arg;
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

static char *dump(struct root *root, bool is_settings)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	kernel_must(out != NULL);
	fakedump(kernel_of(root)->tree, is_settings, out);
	fakesysctl_dump(kernel_of(root)->sysctl, out);
	(void)fclose(out);
	kernel_must(text != NULL);
	return text;
}

char *fakekernel_dump(struct root *root)
{
	return dump(root, false);
}

char *fakekernel_dump_settings(struct root *root)
{
	return dump(root, true);
}
