/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of a cgroup in the fake kernel: which controller has them, what they begin with, what they take.
 */
#include "fakevalue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nodeset.h"

const char *const fakevalue_controllers[] = {"cpuset", "cpu", "io", "memory", "hugetlb", "pids", NULL};

/* clang-format off */
const struct fakevalue fakevalue_table[] = {
	{"cgroup.controllers", NULL, true, FAKEVALUE_CONTROLLERS, "", 0, 0, 0},
	{"cgroup.subtree_control", NULL, true, FAKEVALUE_SUBTREE, "", 0, 0, 0},
	{"cgroup.procs", NULL, true, FAKEVALUE_PROCS, "", 0, 0, 0},
	{"cgroup.threads", NULL, true, FAKEVALUE_THREADS, "", 0, 0, 0},
	{"cgroup.type", NULL, false, FAKEVALUE_TYPE, "", 0, 0, 0},
	{"cgroup.events", NULL, false, FAKEVALUE_EVENTS, "", 0, 0, 0},
	{"cgroup.stat", NULL, true, FAKEVALUE_CGROUP_STAT, "", 0, 0, 0},
	{"cgroup.freeze", NULL, false, FAKEVALUE_NUMBER, "0", 0, 1, 0},
	{"cgroup.kill", NULL, false, FAKEVALUE_KILL, "", 0, 0, FAKEVALUE_SINCE(5, 14)},
	{"cgroup.max.descendants", NULL, true, FAKEVALUE_LIMIT, "max", 0, INT_MAX, 0},
	{"cgroup.max.depth", NULL, true, FAKEVALUE_LIMIT, "max", 0, INT_MAX, 0},
	{"cpu.stat", NULL, true, FAKEVALUE_READ_ONLY, "usage_usec 0", 0, 0, 0},
	{"cpuset.cpus", "cpuset", false, FAKEVALUE_LIST, "", 0, 0, 0},
	{"cpuset.mems", "cpuset", false, FAKEVALUE_LIST, "", 0, 0, 0},
	{"cpuset.cpus.effective", "cpuset", true, FAKEVALUE_EFFECTIVE_CPUS, "", 0, 0, 0},
	{"cpuset.mems.effective", "cpuset", true, FAKEVALUE_EFFECTIVE_MEMS, "", 0, 0, 0},
	{"cpuset.cpus.partition", "cpuset", false, FAKEVALUE_PARTITION, "member", 0, 0, 0},
	{"cpu.idle", "cpu", false, FAKEVALUE_FLAG, "0", 0, 1, FAKEVALUE_SINCE(5, 15)},
	{"cpu.weight", "cpu", false, FAKEVALUE_NUMBER, "100", 1, 10000, 0},
	{"cpu.max", "cpu", false, FAKEVALUE_CPU_MAX, "max 100000", 0, 0, 0},
	{"io.max", "io", false, FAKEVALUE_IO_MAX, "", 0, 0, 0},
	{"memory.current", "memory", false, FAKEVALUE_MEMORY_CURRENT, "0", 0, 0, 0},
	{"memory.min", "memory", false, FAKEVALUE_PAGES, "0", 0, 0, 0},
	{"memory.low", "memory", false, FAKEVALUE_PAGES, "0", 0, 0, 0},
	{"memory.high", "memory", false, FAKEVALUE_PAGES, "max", 0, 0, 0},
	{"memory.max", "memory", false, FAKEVALUE_PAGES, "max", 0, 0, 0},
	{"memory.swap.high", "memory", false, FAKEVALUE_PAGES, "max", 0, 0, 0},
	{"memory.swap.max", "memory", false, FAKEVALUE_PAGES, "max", 0, 0, 0},
	{"memory.swap.current", "memory", false, FAKEVALUE_SWAP_CURRENT, "0", 0, 0, 0},
	{"memory.oom.group", "memory", false, FAKEVALUE_FLAG, "0", 0, 1, 0},
	{"memory.events", "memory", false, FAKEVALUE_MEMORY_EVENTS, "", 0, 0, 0},
	{"memory.events.local", "memory", false, FAKEVALUE_MEMORY_EVENTS_LOCAL, "", 0, 0, 0},
	{"memory.stat", "memory", true, FAKEVALUE_MEMORY_STAT, "", 0, 0, 0},
	{"memory.numa_stat", "memory", true, FAKEVALUE_NUMA_STAT, "", 0, 0, 0},
	{"memory.reclaim", "memory", true, FAKEVALUE_RECLAIM, "", 0, 0, FAKEVALUE_SINCE(5, 19)},
	{"hugetlb.2MB.max", "hugetlb", false, FAKEVALUE_PAGES, "max", 0, 0, 0},
	{"pids.max", "pids", false, FAKEVALUE_LIMIT, "max", 0, 4194304, 0},
	{"pids.current", "pids", false, FAKEVALUE_TASK_COUNT, "0", 0, 0, 0},
	{NULL, NULL, false, FAKEVALUE_READ_ONLY, NULL, 0, 0, 0},
};
/* clang-format on */

unsigned fakevalue_controller(const char *name)
{
	for (size_t i = 0; fakevalue_controllers[i]; i++) {
		if (strcmp(fakevalue_controllers[i], name) == 0)
			return 1U << i;
	}
	return 0;
}

unsigned fakevalue_bit(const struct fakevalue *value)
{
	return value->controller ? fakevalue_controller(value->controller) : 0;
}

static int keep(const char *text, char **made)
{
	*made = strdup(text);
	return *made ? 0 : -ENOMEM;
}

static int keep_number(unsigned long long number, char **made)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", number);
	return keep(text, made);
}

/* lib/cmdline.c memparse() as page_counter_memparse() uses it: a number with K, M, G, nothing behind it. */
static int take_pages(const char *text, uint64_t page_size, char **made)
{
	unsigned long long bytes;
	char *end;

	if (strcmp(text, "max") == 0)
		return keep(text, made);
	/* simple_strtoull() takes no sign, and nothing at all is 0. */
	if (*text && (*text < '0' || *text > '9'))
		return -EINVAL;
	bytes = strtoull(text, &end, 0);
	switch (*end) {
	case 'G':
	case 'g':
		bytes <<= 10; /* fall through */
	case 'M':
	case 'm':
		bytes <<= 10; /* fall through */
	case 'K':
	case 'k':
		bytes <<= 10;
		end++;
		break;
	default:
		break;
	}
	if (*end)
		return -EINVAL;
	if (bytes / page_size >= LONG_MAX / page_size) /* PAGE_COUNTER_MAX */
		return keep("max", made);
	return keep_number(bytes / page_size * page_size, made);
}

/* kstrtoll() */
static int take_number(const struct fakevalue *value, const char *text, char **made)
{
	long long number;
	char *end;

	if (value->kind == FAKEVALUE_LIMIT && strcmp(text, "max") == 0)
		return keep(text, made);
	errno = 0;
	number = strtoll(text, &end, 0);
	if (end == text || *end)
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	if (number < value->min || number > value->max)
		return value->kind == FAKEVALUE_NUMBER || !value->controller ? -ERANGE : -EINVAL;
	return keep_number((unsigned long long)number, made);
}

/* kernel/sched/core.c cpu_max_write(): "QUOTA [PERIOD]"; the period stays when it is not given. */
static int take_cpu_max(const char *old, const char *text, char **made)
{
	char word[21] = "", shown[64];
	unsigned long long quota = 0, period = 100000;

	if (strchr(old, ' '))
		period = strtoull(strchr(old, ' ') + 1, NULL, 10);
	if (sscanf(text, "%20s %llu", word, &period) < 1) /* NOLINT(cert-err34-c): as the kernel parses it */
		return -EINVAL;
	if (strcmp(word, "max") != 0) {
		char *end;

		quota = strtoull(word, &end, 10);
		if (end == word || *end || quota < 1000)
			return -EINVAL;
	}
	if (period < 1000 || period > 1000000)
		return -EINVAL;
	if (quota)
		(void)snprintf(shown, sizeof(shown), "%llu %llu", quota, period);
	else
		(void)snprintf(shown, sizeof(shown), "max %llu", period);
	return keep(shown, made);
}

/* block/blk-cgroup.c blkcg_conf_open_bdev(); the machine has the device 252:0 only. */
static int take_io_max(const char *text, char **made)
{
	unsigned major, minor;

	if (sscanf(text, "%u:%u", &major, &minor) != 2) /* NOLINT(cert-err34-c): as the kernel parses it */
		return -EINVAL;
	if (major != 252 || minor != 0)
		return -ENODEV;
	/* A device without limits has no line (block/blk-throttle.c tg_prfill_limit). */
	return keep(strcmp(text, "252:0 rbps=max wbps=max riops=max wiops=max") == 0 ? "" : text, made);
}

static int take_list(const char *text, char **made)
{
	struct nodeset set = {0, NULL};
	int rc = nodeset_parse(text, NODESET_CPUS_MAX, &set, NULL);

	if (rc < 0)
		return rc;
	*made = nodeset_format(&set);
	nodeset_clear(&set);
	return *made ? 0 : -ENOMEM;
}

static int take_partition(const char *text, char **made)
{
	if (strcmp(text, "root") != 0 && strcmp(text, "member") != 0 && strcmp(text, "isolated") != 0)
		return -EINVAL;
	return keep(text, made);
}

int fakevalue_check(const struct fakevalue *value, const char *old, const char *text, uint64_t page_size,
		    char **made)
{
	switch (value->kind) {
	case FAKEVALUE_LIST:
		return take_list(text, made);
	case FAKEVALUE_PAGES:
		return take_pages(text, page_size, made);
	case FAKEVALUE_PARTITION:
		return take_partition(text, made);
	case FAKEVALUE_CPU_MAX:
		return take_cpu_max(old, text, made);
	case FAKEVALUE_IO_MAX:
		return take_io_max(text, made);
	default:
		return take_number(value, text, made);
	}
}
