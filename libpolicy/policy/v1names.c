/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of cgroup v1, and what does the same in cgroup v2. */
#include "policy/v1names.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

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
	{"memory.memsw.usage_in_bytes", "memory.swap.current", "it counts swap alone"},
	{"memory.memsw.max_usage_in_bytes", "memory.swap.peak", "it counts swap alone, since 6.6"},
	{"memory.memsw.failcnt", "memory.swap.events", NULL},
	{"memory.kmem.max_usage_in_bytes", "memory.peak", "kernel memory is part of it"},
	{"memory.kmem.failcnt", "memory.events", "kernel memory is part of memory.max"},
	{"memory.kmem.slabinfo", "memory.stat", "its lines slab_reclaimable and slab_unreclaimable"},
	{"memory.kmem.tcp.usage_in_bytes", "memory.stat", "its line sock"},
	{"memory.kmem.tcp.max_usage_in_bytes", "memory.peak", "socket memory is part of it"},
	{"memory.kmem.tcp.failcnt", "memory.events", "socket memory is part of memory.max"},
	{"cpu.shares", "cpu.weight", "1024 shares are weight 100: weight is shares * 100 / 1024"},
	{"cpu.cfs_quota_us", "cpu.max", "write cpu.max as \"QUOTA PERIOD\"; -1 is max"},
	{"cpu.cfs_period_us", "cpu.max", "write cpu.max as \"QUOTA PERIOD\""},
	{"cpu.cfs_burst_us", "cpu.max.burst", NULL},
	{"cpu.rt_runtime_us", "", NOT_IN_V2 "realtime processes belong into the root cgroup"},
	{"cpu.rt_period_us", "", NOT_IN_V2 "realtime processes belong into the root cgroup"},
	{"cpuacct.usage", "cpu.stat", "its line usage_usec, in microseconds"},
	{"cpuacct.stat", "cpu.stat", "its lines user_usec and system_usec, in microseconds"},
	{"cpuacct.usage_user", "cpu.stat", "its line user_usec, in microseconds"},
	{"cpuacct.usage_sys", "cpu.stat", "its line system_usec, in microseconds"},
	{"cpuacct.usage_all", "cpu.stat", "no file of cgroup v2 counts by cpu"},
	{"cpuacct.usage_percpu", "cpu.stat", "no file of cgroup v2 counts by cpu"},
	{"cpuacct.usage_percpu_user", "cpu.stat", "no file of cgroup v2 counts by cpu"},
	{"cpuacct.usage_percpu_sys", "cpu.stat", "no file of cgroup v2 counts by cpu"},
	{"cpuset.cpu_exclusive", "cpuset.cpus.partition", "a partition \"root\" has its cpus alone"},
	{"cpuset.mem_exclusive", "", NOT_IN_V2 "give the siblings other nodes"},
	{"cpuset.mem_hardwall", "", NOT_IN_V2 "kernel memory follows cpuset.mems"},
	{"cpuset.memory_migrate", "", NOT_IN_V2 "a change of cpuset.mems always moves the pages"},
	{"cpuset.memory_pressure", "", NOT_IN_V2 "watch memory.pressure"},
	{"cpuset.memory_pressure_enabled", "", NOT_IN_V2 "watch memory.pressure"},
	{"cpuset.mem_pressure_enabled", "", NOT_IN_V2 "watch memory.pressure"},
	{"cpuset.memory_spread_page", "", NOT_IN_V2 "use the memory policy interleave"},
	{"cpuset.memory_spread_slab", "", NOT_IN_V2 "use the memory policy interleave"},
	{"cpuset.sched_load_balance", "cpuset.cpus.partition", "a partition \"isolated\" is not balanced"},
	{"cpuset.sched_relax_domain_level", "", NOT_IN_V2 "there is no substitute"},
	{"cpuset.effective_cpus", "cpuset.cpus.effective", NULL},
	{"cpuset.effective_mems", "cpuset.mems.effective", NULL},
	{"blkio.weight", "io.weight", "weights are 1-10000 and 100 is the middle"},
	{"blkio.weight_device", "io.weight", "write \"MAJOR:MINOR WEIGHT\""},
	{"blkio.bfq.weight", "io.bfq.weight", NULL},
	{"blkio.bfq.weight_device", "io.bfq.weight", "write \"MAJOR:MINOR WEIGHT\""},
	{"blkio.leaf_weight", "", NOT_IN_V2 "processes are in cgroups without children"},
	{"blkio.leaf_weight_device", "", NOT_IN_V2 "processes are in cgroups without children"},
	{"blkio.latency", "io.latency", NULL},
	{"blkio.prio.class", "io.prio.class", NULL},
	{"blkio.reset_stats", "", NOT_IN_V2 "take the difference of two readings of io.stat"},
	{"blkio.throttle.read_bps_device", "io.max", "write \"MAJOR:MINOR rbps=N\""},
	{"blkio.throttle.write_bps_device", "io.max", "write \"MAJOR:MINOR wbps=N\""},
	{"blkio.throttle.read_iops_device", "io.max", "write \"MAJOR:MINOR riops=N\""},
	{"blkio.throttle.write_iops_device", "io.max", "write \"MAJOR:MINOR wiops=N\""},
	{"tasks", "cgroup.procs", NULL},
	{"notify_on_release", "", NOT_IN_V2 "watch \"populated\" in cgroup.events"},
	{"release_agent", "", NOT_IN_V2 "watch \"populated\" in cgroup.events"},
	{"cgroup.clone_children", "", NOT_IN_V2 "an empty cpuset follows its parent"},
	{"cgroup.event_control", "", NOT_IN_V2 "poll(2) memory.events or memory.pressure"},
	{"cgroup.sane_behavior", "", NOT_IN_V2 "it always behaves so"},
	{"freezer.state", "cgroup.freeze", "FROZEN is 1, THAWED is 0"},
	{"freezer.self_freezing", "cgroup.freeze", NULL},
	{"freezer.parent_freezing", "cgroup.events", "its line frozen"},
	{"devices.allow", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"devices.deny", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"devices.list", "", NOT_IN_V2 "devices are controlled by a BPF program"},
	{"net_cls.classid", "", NOT_IN_V2 "match the cgroup's path in the packet filter"},
	{"net_prio.prioidx", "", NOT_IN_V2 "match the cgroup's path in the packet filter"},
	{"net_prio.ifpriomap", "", NOT_IN_V2 "match the cgroup's path in the packet filter"},
};

/* Families of files that differ in one part of the name, here a star. */
static const struct v1_name families[] = {
	{"hugetlb.*.rsvd.limit_in_bytes", "hugetlb.SIZE.rsvd.max", NULL},
	{"hugetlb.*.rsvd.usage_in_bytes", "hugetlb.SIZE.rsvd.current", NULL},
	{"hugetlb.*.rsvd.max_usage_in_bytes", "",
	 NOT_IN_V2 "read hugetlb.SIZE.rsvd.current from time to time"},
	{"hugetlb.*.rsvd.failcnt", "hugetlb.SIZE.events", NULL},
	{"hugetlb.*.limit_in_bytes", "hugetlb.SIZE.max", NULL},
	{"hugetlb.*.usage_in_bytes", "hugetlb.SIZE.current", NULL},
	{"hugetlb.*.max_usage_in_bytes", "", NOT_IN_V2 "read hugetlb.SIZE.current from time to time"},
	{"hugetlb.*.failcnt", "hugetlb.SIZE.events", NULL},
	/* blkio.io_service_bytes_recursive, blkio.bfq.io_wait_time, blkio.throttle.io_serviced, ... */
	{"blkio.io_*", "io.stat", NULL},
	{"blkio.bfq.io_*", "io.stat", NULL},
	{"blkio.throttle.io_*", "io.stat", NULL},
	{"blkio.time*", "io.stat", NULL},
	{"blkio.sectors*", "io.stat", NULL},
	{"blkio.bfq.time*", "io.stat", NULL},
	{"blkio.bfq.sectors*", "io.stat", NULL},
};

/* The star stands for any number of characters but dots. */
static bool is_of_family(const char *pattern, const char *name)
{
	size_t before = strcspn(pattern, "*"), word;

	if (strncmp(pattern, name, before) != 0)
		return false;
	word = strcspn(name + before, ".*");
	return strcmp(pattern + before + 1, name + before + word) == 0 &&
	       (word > 0 || pattern[before + 1] == '\0');
}

const char *key_of_v1(const char *name, const char **advice)
{
	const struct v1_name *found = NULL;

	for (size_t i = 0; !found && i < ARRAY_SIZE(v1_names); i++)
		found = strcmp(v1_names[i].name, name) == 0 ? &v1_names[i] : NULL;
	for (size_t i = 0; !found && i < ARRAY_SIZE(families); i++)
		found = is_of_family(families[i].name, name) ? &families[i] : NULL;
	if (found && advice)
		*advice = found->advice;
	return found ? found->now : NULL;
}
