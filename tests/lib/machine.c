/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine in memory: nodes, cgroups and processes written as the kernel prints them. */
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fakeroot.h"

__attribute__((format(printf, 3, 4))) static void put(struct root *root, const char *path, const char *format,
						      ...)
{
	char text[8192];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fakeroot_put(root, path, text);
}

static void put_zoneinfo(struct root *root)
{
	static const char node[] = "Node %d, zone   Normal\n"
				   "  per-node stats\n"
				   "      nr_inactive_anon 0\n"
				   "      nr_inactive_file 0\n"
				   "      nr_active_file 0\n"
				   "      nr_slab_reclaimable 0\n"
				   "  pages free     26600\n"
				   "        min      1000\n"
				   "        low      1250\n"
				   "        high     1500\n"
				   "        spanned  262144\n"
				   "        present  262144\n"
				   "        managed  256000\n"
				   "        protection: (0, 0, 0, 0, 0)\n"
				   "Node %d, zone  Movable\n"
				   "  pages free     0\n"
				   "        min      0\n"
				   "        present  0\n"
				   "        managed  0\n"
				   "        protection: (0, 0, 0, 0, 0)\n";
	char text[4096];
	int used = snprintf(text, sizeof(text), node, 0, 0);

	(void)snprintf(text + used, sizeof(text) - (size_t)used, node, 1, 1);
	fakeroot_put(root, "/proc/zoneinfo", text);
}

struct root *machine_new(void)
{
	struct root *root = fakeroot_new();

	root->facts.caps = 0x1ffffffffff;
	root->facts.self = 9999;
	put_zoneinfo(root);
	fakeroot_put(root, "/proc/meminfo",
		     "MemTotal:        2048000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n"
		     "Hugepagesize:       2048 kB\n");
	fakeroot_put(root, "/proc/vmstat", "oom_kill 0\n");
	fakeroot_put(root, "/proc/self/mountinfo",
		     "24 2 0:21 / /proc rw,relatime - proc proc rw\n"
		     "30 25 0:26 / /sys/fs/cgroup rw,relatime - cgroup2 none rw\n");
	fakeroot_put(root, "/proc/cgroups",
		     "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t1\t1\nmemory\t0\t1\t1\n");
	fakeroot_put(root, "/proc/cmdline", "quiet\n");
	fakeroot_put(root, "/proc/sys/vm/swappiness", "60\n");
	fakeroot_put(root, "/proc/sys/vm/panic_on_oom", "0\n");
	fakeroot_put(root, "/proc/sys/vm/oom_kill_allocating_task", "0\n");
	fakeroot_put(root, "/sys/devices/system/node/online", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/has_memory", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/has_cpu", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/node0/cpulist", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/node1/cpulist", "2-3\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-3\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory pids\n");
	fakeroot_put(root, "/sys/fs/cgroup/cpuset.mems.effective", "0-1\n");
	return root;
}

static const char *or_else(const char *text, const char *missing)
{
	return text ? text : missing;
}

static void put_status(struct root *root, const struct machine_process *p)
{
	char path[96], memory[512] = "";
	bool has_mm = !p->is_kthread && !p->is_zombie;

	if (has_mm)
		(void)snprintf(memory, sizeof(memory),
			       "VmSize:\t  999999 kB\nVmLck:\t 0 kB\nVmRSS:\t%lu kB\nRssAnon:\t%lu kB\n"
			       "RssFile:\t%lu kB\nRssShmem:\t%lu kB\nVmPTE:\t%lu kB\nVmSwap:\t%lu kB\n"
			       "HugetlbPages:\t 0 kB\nCoreDumping:\t0\n",
			       p->anon_kib + p->file_kib + p->shmem_kib, p->anon_kib, p->file_kib,
			       p->shmem_kib, p->pgtables_kib, p->swap_kib);
	for (int i = 0; i < 2; i++) {
		pid_t tgid = p->tgid ? p->tgid : p->pid;
		if (i == 0)
			(void)snprintf(path, sizeof(path), "/proc/%d/status", p->pid);
		else
			(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", tgid, p->pid);
		put(root, path,
		    "Name:\t%s\nState:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nUid:\t0\t0\t0\t0\n%sThreads:\t%"
		    "u\n"
		    "SigPnd:\t0000000000000000\nShdPnd:\t%s\nMems_allowed_list:\t%s\n",
		    or_else(p->comm, "x"), p->is_zombie ? "Z (zombie)" : "S (sleeping)", tgid, p->pid,
		    p->ppid, memory, p->threads ? p->threads : 1,
		    p->is_dying ? "0000000000000100" : "0000000000000000", or_else(p->mems, "0-1"));
	}
}

static void put_maps(struct root *root, const struct machine_process *p)
{
	char path[96];
	pid_t tgid = p->tgid ? p->tgid : p->pid;
	const char *policy = or_else(p->policy, "default");

	for (int i = 0; i < 2; i++) {
		if (i == 0)
			(void)snprintf(path, sizeof(path), "/proc/%d/numa_maps", p->pid);
		else
			(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/numa_maps", tgid, p->pid);
		put(root, path,
		    "00400000 %s file=/bin/x mapped=%lu mapmax=9 N0=%lu kernelpagesize_kB=4\n"
		    "01000000 %s heap anon=%lu dirty=%lu N%u=%lu kernelpagesize_kB=4\n",
		    policy, p->file_kib / 4, p->file_kib / 4, policy, p->anon_kib / 4, p->anon_kib / 4,
		    p->node, p->anon_kib / 4);
	}
}

void machine_add(struct root *root, const struct machine_process *p)
{
	char path[96];
	unsigned long long stack = p->stack ? p->stack
					    : 0x7ff000000000ULL + (unsigned long long)p->pid * 4096;

	put_status(root, p);
	if (!p->is_kthread && !p->is_zombie)
		put_maps(root, p);
	else
		(void)snprintf(path, sizeof(path), "/proc/%d/numa_maps", p->pid), put(root, path, "%s", "");
	if (p->tgid)
		return;
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", p->pid);
	put(root, path,
	    "%d (%s) %c %d 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 %u 0 %llu 17788928 0 18446744073709551615 1 1 "
	    "%llu 0 0 0 0 0 "
	    "0 0 0 0 17 1 0 0 0 0 0 0 0 0 %llu %llu 0 0 0\n",
	    p->pid, or_else(p->comm, "x"), p->is_zombie ? 'Z' : 'S', p->ppid,
	    p->is_kthread  ? 0x208040U
	    : p->is_zombie ? 0x400004U
			   : 0x400000U,
	    p->threads ? p->threads : 1, p->start ? p->start : (unsigned long long)p->pid,
	    p->is_kthread || p->is_zombie ? 0 : stack, p->is_kthread || p->is_zombie ? 0 : stack + 512,
	    p->is_kthread || p->is_zombie ? 0 : stack + 600);
	(void)snprintf(path, sizeof(path), "/proc/%d/statm", p->pid);
	put(root, path, "4343 %lu 1 1 0 1 0\n", (p->anon_kib + p->file_kib + p->shmem_kib) / 4);
	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", p->pid);
	put(root, path, "%d\n", p->adj);
	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score", p->pid);
	put(root, path, "%d\n", p->score == -1 ? 0 : p->score ? p->score : 700);
	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", p->pid);
	put(root, path, "0::%s\n", or_else(p->cgroup, "/"));
}

void machine_cgroup(struct root *root, const char *name, unsigned long long max, unsigned long long current,
		    bool oom_group)
{
	char path[256], limit[32] = "max";

	if (max)
		(void)snprintf(limit, sizeof(limit), "%llu", max);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.current", name);
	put(root, path, "%llu\n", current);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", name);
	put(root, path, "%s\n", limit);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.swap.max", name);
	put(root, path, "max\n");
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.swap.current", name);
	put(root, path, "0\n");
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.oom.group", name);
	put(root, path, "%d\n", oom_group);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.stat", name);
	put(root, path, "anon %llu\nfile 0\ninactive_file 0\nactive_file 0\nslab_reclaimable 0\n", current);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpuset.mems.effective", name);
	put(root, path, "0-1\n");
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", name);
	put(root, path, "%s", "");
}

void machine_procs(struct root *root, const char *name, const char *procs)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", name);
	put(root, path, "%s", procs);
}
