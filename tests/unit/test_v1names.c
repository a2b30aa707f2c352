/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of cgroup v1, and what does the same in cgroup v2. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/keys.h"
#include "policy/v1names.h"

/* Documentation/admin-guide/cgroup-v1/ */
static const struct {
	const char *name, *now, *advice;
} v1_files[] = {
	{"memory.limit_in_bytes", "memory.max", NULL},
	{"memory.memsw.limit_in_bytes", "memory.swap.max", "swap alone"},
	{"memory.soft_limit_in_bytes", "memory.low", "memory.high"},
	{"memory.usage_in_bytes", "memory.current", NULL},
	{"memory.max_usage_in_bytes", "memory.peak", NULL},
	{"memory.failcnt", "memory.events", NULL},
	{"memory.oom_control", "", "not in cgroup v2; use memory.high"},
	{"memory.swappiness", "", "not in cgroup v2"},
	{"memory.use_hierarchy", "", "hierarchical"},
	{"memory.force_empty", "", "memory.reclaim"},
	{"memory.pressure_level", "", "memory.pressure"},
	{"memory.move_charge_at_immigrate", "", "not in cgroup v2"},
	{"memory.kmem.limit_in_bytes", "memory.max", "kernel memory"},
	{"memory.kmem.tcp.limit_in_bytes", "memory.max", "socket memory"},
	{"cpu.shares", "cpu.weight", "1024 shares"},
	{"cpu.cfs_quota_us", "cpu.max", "-1 is max"},
	{"cpu.cfs_period_us", "cpu.max", "PERIOD"},
	{"cpu.cfs_burst_us", "cpu.max.burst", NULL},
	{"cpu.rt_runtime_us", "", "root cgroup"},
	{"cpu.rt_period_us", "", "root cgroup"},
	{"cpuacct.usage", "cpu.stat", "usage_usec"},
	{"cpuset.cpu_exclusive", "cpuset.cpus.partition", "root"},
	{"cpuset.mem_exclusive", "", "not in cgroup v2"},
	{"cpuset.mem_hardwall", "", "not in cgroup v2"},
	{"cpuset.memory_migrate", "", "moves the pages"},
	{"cpuset.memory_spread_page", "", "interleave"},
	{"cpuset.sched_load_balance", "cpuset.cpus.partition", "isolated"},
	{"blkio.weight", "io.weight", "100"},
	{"blkio.throttle.read_bps_device", "io.max", "rbps"},
	{"blkio.throttle.write_iops_device", "io.max", "wiops"},
	{"tasks", "cgroup.procs", NULL},
	{"notify_on_release", "", "cgroup.events"},
	{"release_agent", "", "cgroup.events"},
	{"cgroup.clone_children", "", "not in cgroup v2"},
	{"freezer.state", "cgroup.freeze", "FROZEN is 1"},
	{"devices.allow", "", "BPF"},
	{"devices.deny", "", "BPF"},
	{"net_cls.classid", "", "packet filter"},
	{"net_prio.ifpriomap", "", "packet filter"},
	{"hugetlb.2MB.limit_in_bytes", "hugetlb.SIZE.max", NULL},
	{"memory.memsw.usage_in_bytes", "memory.swap.current", "swap alone"},
	{"memory.memsw.max_usage_in_bytes", "memory.swap.peak", "swap alone"},
	{"memory.memsw.failcnt", "memory.swap.events", NULL},
	{"memory.kmem.usage_in_bytes", "memory.stat", NULL},
	{"memory.kmem.max_usage_in_bytes", "memory.peak", "kernel memory"},
	{"memory.kmem.failcnt", "memory.events", "kernel memory"},
	{"memory.kmem.slabinfo", "memory.stat", "slab_reclaimable"},
	{"memory.kmem.tcp.usage_in_bytes", "memory.stat", "sock"},
	{"memory.kmem.tcp.failcnt", "memory.events", "socket memory"},
	{"memory.kmem.tcp.max_usage_in_bytes", "memory.peak", "socket memory"},
	{"cpuacct.stat", "cpu.stat", "user_usec"},
	{"cpuacct.usage_percpu", "cpu.stat", "by cpu"},
	{"cpuacct.usage_all", "cpu.stat", "by cpu"},
	{"cpuset.memory_pressure", "", "memory.pressure"},
	{"cpuset.memory_pressure_enabled", "", "memory.pressure"},
	{"cpuset.mem_pressure_enabled", "", "memory.pressure"},
	{"cpuset.memory_spread_slab", "", "interleave"},
	{"cpuset.sched_relax_domain_level", "", "no substitute"},
	{"cpuset.effective_cpus", "cpuset.cpus.effective", NULL},
	{"cpuset.effective_mems", "cpuset.mems.effective", NULL},
	{"blkio.weight_device", "io.weight", "MAJOR:MINOR"},
	{"blkio.bfq.weight", "io.bfq.weight", NULL},
	{"blkio.bfq.weight_device", "io.bfq.weight", "MAJOR:MINOR"},
	{"blkio.leaf_weight", "", "without children"},
	{"blkio.reset_stats", "", "difference"},
	{"blkio.throttle.write_bps_device", "io.max", "wbps"},
	{"blkio.throttle.read_iops_device", "io.max", "riops"},
	{"blkio.throttle.io_service_bytes", "io.stat", NULL},
	{"blkio.throttle.io_serviced_recursive", "io.stat", NULL},
	{"blkio.bfq.io_wait_time", "io.stat", NULL},
	{"blkio.io_service_bytes_recursive", "io.stat", NULL},
	{"blkio.io_merged", "io.stat", NULL},
	{"blkio.time", "io.stat", NULL},
	{"blkio.time_recursive", "io.stat", NULL},
	{"blkio.sectors", "io.stat", NULL},
	{"cgroup.event_control", "", "poll(2)"},
	{"cgroup.sane_behavior", "", "always"},
	{"freezer.self_freezing", "cgroup.freeze", NULL},
	{"freezer.parent_freezing", "cgroup.events", "frozen"},
	{"devices.list", "", "BPF"},
	{"net_prio.prioidx", "", "packet filter"},
	{"hugetlb.2MB.rsvd.limit_in_bytes", "hugetlb.SIZE.rsvd.max", NULL},
	{"hugetlb.1GB.usage_in_bytes", "hugetlb.SIZE.current", NULL},
	{"hugetlb.1GB.rsvd.usage_in_bytes", "hugetlb.SIZE.rsvd.current", NULL},
	{"hugetlb.64KB.max_usage_in_bytes", "", "from time to time"},
	{"hugetlb.2MB.failcnt", "hugetlb.SIZE.events", NULL},
};

static void names_what_v1_files_became(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v1_files); i++) {
		const char *advice = "untouched";
		const char *now = key_of_v1(v1_files[i].name, &advice);

		if (!now)
			fail_msg("%s is not known", v1_files[i].name);
		assert_string_equal(now, v1_files[i].now);
		if (!v1_files[i].advice)
			assert_null(advice);
		else if (!strstr(advice, v1_files[i].advice))
			fail_msg("%s: \"%s\" lacks \"%s\"", v1_files[i].name, advice, v1_files[i].advice);
		assert_null(key_find(v1_files[i].name));
		/* What replaces it is a file of v2. */
		if (now[0])
			assert_true(key_find(now) || key_refusal(now));
	}
}

/* The names that are files of both, and those of neither. */
static void leaves_the_others_alone(void **state)
{
	static const char *const names[] = {"",
					    "memory.nothing",
					    "memory.stat",
					    "memory.numa_stat",
					    "cpu.stat",
					    "cpuset.cpus",
					    "cpuset.mems",
					    "pids.max",
					    "rdma.max",
					    "misc.max",
					    "cgroup.procs",
					    "hugetlb.2MB.numa_stat",
					    "hugetlb..failcnt",
					    "hugetlb.a.b.limit_in_bytes",
					    "blkio.throttle.io.x",
					    "blkio.timeout.x",
					    "hugetlb.limit_in_bytes"};
	const char *advice = "untouched";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (key_of_v1(names[i], &advice))
			fail_msg("%s is taken for a file of v1", names[i]);
		assert_string_equal(advice, "untouched");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_v1_files_became),
		cmocka_unit_test(leaves_the_others_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
