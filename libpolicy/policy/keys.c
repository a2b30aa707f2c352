/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what can be set on a cgroup: file, controller, type, range, since when, help. */
#include "policy/keys.h"

#include <limits.h>
#include <string.h>

#include "base/cleanup.h"

enum {
	PIDS_MAX = 4194304, /* kernel/cgroup/pids.c: PID_MAX_LIMIT; "max" is one more */
	NAME_MAX_SIZE = 64, /* of names that are compared by letters: longer ones resemble none */
	DISTANCE_MAX = 3,
};

static const char *const partitions[] = {"member", "root", "isolated", NULL};
/* block/blk-ioprio.c policy_name[] */
static const char *const priorities[] = {
	"no-change", "promote-to-rt", "restrict-to-be", "restrict-to-rt", "none-to-rt", "idle", NULL};

#define SIZE(name, controller, since, help)                                                        \
	{                                                                                          \
		name, controller, KEY_SIZE, 0, 0, NULL, since, help, KEY_CGROUP, NULL, NULL, false \
	}
#define FLAG(name, controller, since, help)                                                        \
	{                                                                                          \
		name, controller, KEY_FLAG, 0, 1, NULL, since, help, KEY_CGROUP, NULL, NULL, false \
	}
#define TEXT(name, controller, since, help)                                                        \
	{                                                                                          \
		name, controller, KEY_TEXT, 0, 0, NULL, since, help, KEY_CGROUP, NULL, NULL, false \
	}

/* Documentation/admin-guide/cgroup-v2.rst: every file that is a setting. */
const struct key key_table[] = {
	SIZE("memory.min", "memory", NULL, "memory that is never reclaimed while others have some"),
	SIZE("memory.low", "memory", NULL, "memory that is reclaimed only when there is no other"),
	SIZE("memory.high", "memory", NULL,
	     "above this much the processes are slowed down and reclaimed from"),
	SIZE("memory.max", "memory", NULL, "hard limit: above it the OOM killer comes"),
	FLAG("memory.oom.group", "memory", NULL, "the OOM killer kills all processes of the cgroup, or none"),
	SIZE("memory.swap.high", "memory", NULL, "above this much swap the processes are slowed down"),
	SIZE("memory.swap.max", "memory", NULL, "hard limit of swap"),
	SIZE("memory.zswap.max", "memory", "5.19", "hard limit of compressed swap in memory"),
	FLAG("memory.zswap.writeback", "memory", "6.8", "compressed swap may be written to the swap device"),

	{"cpuset.cpus", "cpuset", KEY_CPUS, 0, 0, NULL, NULL,
	 "the cpus that may be used; empty: the parent's", KEY_CGROUP, NULL, NULL, false},
	{"cpuset.mems", "cpuset", KEY_NODES, 0, 0, NULL, NULL,
	 "the nodes that memory may come from; empty: the parent's", KEY_CGROUP, NULL, NULL, false},
	{"cpuset.cpus.exclusive", "cpuset", KEY_CPUS, 0, 0, NULL, "6.7",
	 "cpus kept for partitions of this cgroup or below it", KEY_CGROUP, NULL, NULL, false},
	{"cpuset.cpus.partition", "cpuset", KEY_WORDS, 0, 0, partitions, NULL,
	 "member, root: cpus of its own, isolated (6.1): without load balancing", KEY_CGROUP, NULL, NULL,
	 false},

	{"cpu.weight", "cpu", KEY_NUMBER, 1, 10000, NULL, NULL, "share of cpu time among siblings, 1-10000",
	 KEY_CGROUP, NULL, NULL, false},
	{"cpu.weight.nice", "cpu", KEY_NUMBER, -20, 19, NULL, NULL, "cpu.weight as a nice value", KEY_CGROUP,
	 NULL, NULL, false},
	TEXT("cpu.max", "cpu", NULL, "cpu time in microseconds for each period: \"50000 100000\", \"max\""),
	{"cpu.max.burst", "cpu", KEY_NUMBER, 0, INT64_MAX, NULL, "5.14",
	 "unused time that may be saved for later, in microseconds", KEY_CGROUP, NULL, NULL, false},
	FLAG("cpu.idle", "cpu", "5.15", "run only when nobody else wants the cpu (SCHED_IDLE)"),
	TEXT("cpu.uclamp.min", "cpu", NULL, "least utilization to assume, in percent, or \"max\""),
	TEXT("cpu.uclamp.max", "cpu", NULL, "highest utilization to assume, in percent, or \"max\""),

	TEXT("io.weight", "io", NULL, "share of a device's time: \"100\", \"8:16 200\""),
	TEXT("io.bfq.weight", "io", NULL, "the same for the scheduler bfq"),
	TEXT("io.max", "io", NULL, "limits of a device: \"8:16 rbps=2097152 wiops=120\""),
	TEXT("io.latency", "io", NULL, "latency to aim at: \"8:16 target=75\" (microseconds)"),
	{"io.prio.class", "io", KEY_WORDS, 0, 0, priorities, "5.14", "what becomes of the I/O priority class",
	 KEY_CGROUP, NULL, NULL, false},
	TEXT("io.cost.qos", "io", NULL, "quality of service of the cost model; of the root cgroup only"),
	TEXT("io.cost.model", "io", NULL, "the cost model of a device; of the root cgroup only"),

	{"pids.max", "pids", KEY_LIMIT, 0, PIDS_MAX, NULL, NULL,
	 "how many processes and threads there may be", KEY_CGROUP, NULL, NULL, false},
	SIZE("hugetlb.*.max", "hugetlb", NULL, "huge pages of one size in use, in bytes"),
	SIZE("hugetlb.*.rsvd.max", "hugetlb", NULL, "huge pages of one size reserved, in bytes"),
	TEXT("rdma.max", "rdma", NULL, "\"DEVICE hca_handle=2 hca_object=2000\""),
	TEXT("misc.max", "misc", "5.13", "\"RESOURCE NUMBER\""),
	TEXT("dmem.min", "dmem", "6.14", "\"REGION BYTES\": device memory that is not evicted"),
	TEXT("dmem.low", "dmem", "6.14", "\"REGION BYTES\": device memory that is evicted last"),
	TEXT("dmem.max", "dmem", "6.14", "\"REGION BYTES\": hard limit of device memory"),

	FLAG("cgroup.freeze", NULL, NULL, "stop all processes"),
	FLAG("cgroup.pressure", NULL, "6.1", "account stalls (PSI) of this cgroup"),
	{"cgroup.max.depth", NULL, KEY_LIMIT, 0, INT_MAX, NULL, NULL, "how deep cgroups below may be nested",
	 KEY_CGROUP, NULL, NULL, false},
	{"cgroup.max.descendants", NULL, KEY_LIMIT, 0, INT_MAX, NULL, NULL, "how many cgroups may be below",
	 KEY_CGROUP, NULL, NULL, false},
	{NULL, NULL, KEY_TEXT, 0, 0, NULL, NULL, NULL, KEY_CGROUP, NULL, NULL, false},
};

static const char membership[] =
	"names who is in the cgroup; it is not a setting: start the command in it with cgpol run";
static const char read_only[] = "can only be read";

static const struct refusal {
	const char *name;
	const char *reason;
} refusals[] = {
	{"cgroup.procs", membership},
	{"cgroup.threads", membership},
	{"cgroup.subtree_control", "is not a setting: controllers are enabled as the settings need them"},
	{"cgroup.type", "is not a setting: a threaded cgroup can never become a domain again"},
	{"cgroup.kill", "is a command that kills every process of the cgroup, not a setting"},
	{"memory.reclaim", "is a command that reclaims once, not a setting"},
	{"cgroup.controllers", read_only},
};

/* Endings of files that the kernel only lets read, or (pressure, peak) whose writes last as long as the file
 * is open. */
static const char *const read_only_ends[] = {
	".current",   ".stat", ".stat.local", ".events",   ".events.local",
	".effective", ".peak", ".numa_stat",  ".isolated", ".capacity",
};

#define NOT_IN_V2 "not in cgroup v2; "

/* Documentation/admin-guide/cgroup-v1/. An empty `now`: nothing does the same. */
static const struct v1_name {
	const char *name, *now, *advice;
} v1_names[] = {
	{"memory.limit_in_bytes", "memory.max", NULL},
	{"memory.soft_limit_in_bytes", "memory.low",
	 "memory.low protects up to its value, memory.high holds memory down: choose by what was meant"},
	{"memory.memsw.limit_in_bytes", "memory.swap.max",
	 "memory.swap.max limits swap alone, not memory and swap together"},
	{"memory.usage_in_bytes", "memory.current", NULL},
	{"memory.max_usage_in_bytes", "memory.peak", NULL},
	{"memory.failcnt", "memory.events", NULL},
	{"memory.oom_control", "",
	 NOT_IN_V2 "use memory.high, which slows down instead of killing, and oom_score_adj -1000 or "
		   "memory.oom.group"},
	{"memory.swappiness", "", NOT_IN_V2 "use memory.swap.max, or vm.swappiness for the machine"},
	{"memory.use_hierarchy", "", NOT_IN_V2 "all cgroups are hierarchical"},
	{"memory.force_empty", "", NOT_IN_V2 "memory.reclaim (kernel 5.19) reclaims on command"},
	{"memory.pressure_level", "", NOT_IN_V2 "watch memory.pressure"},
	{"memory.move_charge_at_immigrate", "", NOT_IN_V2 "memory stays with the cgroup that used it first"},
	{"memory.kmem.limit_in_bytes", "memory.max", "kernel memory is part of memory.max"},
	{"memory.kmem.tcp.limit_in_bytes", "memory.max", "socket memory is part of memory.max"},
	{"memory.kmem.usage_in_bytes", "memory.stat", NULL},
	{"cpu.shares", "cpu.weight", "1024 shares are weight 100: weight is shares * 100 / 1024"},
	{"cpu.cfs_quota_us", "cpu.max", "write cpu.max as \"QUOTA PERIOD\"; -1 is max"},
	{"cpu.cfs_period_us", "cpu.max", "write cpu.max as \"QUOTA PERIOD\""},
	{"cpu.cfs_burst_us", "cpu.max.burst", NULL},
	{"cpu.rt_runtime_us", "", NOT_IN_V2 "realtime processes belong into the root cgroup"},
	{"cpu.rt_period_us", "", NOT_IN_V2 "realtime processes belong into the root cgroup"},
	{"cpuacct.usage", "cpu.stat", NULL},
	{"cpuset.cpu_exclusive", "cpuset.cpus.partition", "a partition \"root\" has its cpus alone"},
	{"cpuset.mem_exclusive", "", NOT_IN_V2 "give the siblings other nodes"},
	{"cpuset.mem_hardwall", "", NOT_IN_V2 "kernel memory follows cpuset.mems"},
	{"cpuset.memory_migrate", "", NOT_IN_V2 "a change of cpuset.mems always moves the pages"},
	{"cpuset.memory_pressure", "", NOT_IN_V2 "watch memory.pressure"},
	{"cpuset.memory_pressure_enabled", "", NOT_IN_V2 "watch memory.pressure"},
	{"cpuset.memory_spread_page", "", NOT_IN_V2 "use the memory policy interleave"},
	{"cpuset.memory_spread_slab", "", NOT_IN_V2 "use the memory policy interleave"},
	{"cpuset.sched_load_balance", "cpuset.cpus.partition", "a partition \"isolated\" is not balanced"},
	{"cpuset.sched_relax_domain_level", "", NOT_IN_V2 "there is no substitute"},
	{"cpuset.effective_cpus", "cpuset.cpus.effective", NULL},
	{"cpuset.effective_mems", "cpuset.mems.effective", NULL},
	{"blkio.weight", "io.weight", "weights are 1-10000 and 100 is the middle"},
	{"blkio.weight_device", "io.weight", "write \"MAJOR:MINOR WEIGHT\""},
	{"blkio.bfq.weight", "io.bfq.weight", NULL},
	{"blkio.throttle.read_bps_device", "io.max", "write \"MAJOR:MINOR rbps=N\""},
	{"blkio.throttle.write_bps_device", "io.max", "write \"MAJOR:MINOR wbps=N\""},
	{"blkio.throttle.read_iops_device", "io.max", "write \"MAJOR:MINOR riops=N\""},
	{"blkio.throttle.write_iops_device", "io.max", "write \"MAJOR:MINOR wiops=N\""},
	{"tasks", "cgroup.procs", NULL},
	{"notify_on_release", "", NOT_IN_V2 "watch \"populated\" in cgroup.events"},
	{"release_agent", "", NOT_IN_V2 "watch \"populated\" in cgroup.events"},
	{"cgroup.clone_children", "", NOT_IN_V2 "an empty cpuset follows its parent"},
	{"cgroup.event_control", "", NOT_IN_V2 "poll(2) memory.events or memory.pressure"},
	{"freezer.state", "cgroup.freeze", "FROZEN is 1, THAWED is 0"},
	{"devices.allow", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"devices.deny", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"devices.list", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"net_cls.classid", "", NOT_IN_V2 "match the cgroup's path in the packet filter"},
	{"net_prio.ifpriomap", "", NOT_IN_V2 "match the cgroup's path in the packet filter"},
};

/* "*" stands for one word without dots. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before, word;

	if (!star)
		return strcmp(pattern, name) == 0;
	before = (size_t)(star - pattern);
	if (strncmp(pattern, name, before) != 0)
		return false;
	word = strcspn(name + before, ".*");
	return word > 0 && strcmp(star + 1, name + before + word) == 0;
}

const struct key *key_find(const char *name)
{
	for (const struct key *key = key_table; key->name; key++) {
		if (matches(key->name, name))
			return key;
	}
	return NULL;
}

const char *key_of_v1(const char *name, const char **advice)
{
	for (size_t i = 0; i < ARRAY_SIZE(v1_names); i++) {
		if (strcmp(v1_names[i].name, name) != 0)
			continue;
		if (advice)
			*advice = v1_names[i].advice;
		return v1_names[i].now;
	}
	/* hugetlb.2MB.limit_in_bytes */
	if (matches("hugetlb.*.limit_in_bytes", name)) {
		if (advice)
			*advice = NULL;
		return "hugetlb.SIZE.max";
	}
	return NULL;
}

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), tail = strlen(end);

	return size > tail && strcmp(name + size - tail, end) == 0;
}

const char *key_refusal(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (strcmp(refusals[i].name, name) == 0)
			return refusals[i].reason;
	}
	if (key_find(name))
		return NULL;
	if (ends_with(name, ".pressure"))
		return "takes triggers for poll(2), which live as long as the file is open: not a setting";
	for (size_t i = 0; i < ARRAY_SIZE(read_only_ends); i++) {
		if (ends_with(name, read_only_ends[i]))
			return read_only;
	}
	return NULL;
}

char *key_controller(const char *name)
{
	const char *dot = strchr(name, '.');

	if (!dot || dot == name || strncmp(name, "cgroup.", 7) == 0)
		return NULL;
	return strndup(name, (size_t)(dot - name));
}

enum key_scope key_scope_of(const char *name)
{
	const struct key *key = key_find(name);
	return key ? key->scope : KEY_CGROUP;
}

bool key_is_controller(const char *name)
{
	for (const struct key *key = key_table; key->name; key++) {
		if (key->controller && strcmp(key->controller, name) == 0)
			return true;
	}
	return false;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: what key_nearest counts. Both are shorter than NAME_MAX_SIZE. */
static unsigned measure(const char *a, const char *b)
{
	unsigned row[3][NAME_MAX_SIZE];
	size_t width = strlen(b);

	for (size_t j = 0; j <= width; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= width; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[strlen(a) % 3][width];
}

const char *key_nearest(const char *name, unsigned *distance)
{
	unsigned shortest = DISTANCE_MAX + 1;
	const char *nearest = NULL;

	if (strlen(name) >= NAME_MAX_SIZE)
		return NULL;
	for (const struct key *key = key_table; key->name; key++) {
		unsigned far = measure(name, key->name);

		if (far < shortest) {
			shortest = far;
			nearest = key->name;
		}
	}
	if (nearest && distance)
		*distance = shortest;
	return nearest;
}
