/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what can be set on a cgroup. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/keys.h"

/* Documentation/admin-guide/cgroup-v2.rst, the read-write files. */
static const struct {
	const char *name, *controller;
	enum key_type type;
	const char *since;
} settings[] = {
	{"memory.min", "memory", KEY_SIZE, NULL},
	{"memory.low", "memory", KEY_SIZE, NULL},
	{"memory.high", "memory", KEY_SIZE, NULL},
	{"memory.max", "memory", KEY_SIZE, NULL},
	{"memory.oom.group", "memory", KEY_FLAG, NULL},
	{"memory.swap.high", "memory", KEY_SIZE, NULL},
	{"memory.swap.max", "memory", KEY_SIZE, NULL},
	{"memory.zswap.max", "memory", KEY_SIZE, "5.19"},
	{"memory.zswap.writeback", "memory", KEY_FLAG, "6.8"},
	{"cpuset.cpus", "cpuset", KEY_CPUS, NULL},
	{"cpuset.mems", "cpuset", KEY_NODES, NULL},
	{"cpuset.cpus.exclusive", "cpuset", KEY_CPUS, "6.7"},
	{"cpuset.cpus.partition", "cpuset", KEY_WORDS, NULL},
	{"cpu.weight", "cpu", KEY_NUMBER, NULL},
	{"cpu.weight.nice", "cpu", KEY_NUMBER, NULL},
	{"cpu.max", "cpu", KEY_TEXT, NULL},
	{"cpu.max.burst", "cpu", KEY_NUMBER, "5.14"},
	{"cpu.idle", "cpu", KEY_FLAG, "5.15"},
	{"cpu.uclamp.min", "cpu", KEY_TEXT, NULL},
	{"cpu.uclamp.max", "cpu", KEY_TEXT, NULL},
	{"io.weight", "io", KEY_TEXT, NULL},
	{"io.max", "io", KEY_TEXT, NULL},
	{"io.latency", "io", KEY_TEXT, NULL},
	{"io.bfq.weight", "io", KEY_TEXT, NULL},
	{"io.prio.class", "io", KEY_WORDS, "5.14"},
	{"io.cost.qos", "io", KEY_TEXT, NULL},
	{"io.cost.model", "io", KEY_TEXT, NULL},
	{"pids.max", "pids", KEY_LIMIT, NULL},
	{"hugetlb.2MB.max", "hugetlb", KEY_SIZE, NULL},
	{"hugetlb.1GB.max", "hugetlb", KEY_SIZE, NULL},
	{"hugetlb.64KB.rsvd.max", "hugetlb", KEY_SIZE, NULL},
	{"rdma.max", "rdma", KEY_TEXT, NULL},
	{"misc.max", "misc", KEY_TEXT, "5.13"},
	{"dmem.max", "dmem", KEY_TEXT, "6.14"},
	{"cgroup.freeze", NULL, KEY_FLAG, NULL},
	{"cgroup.pressure", NULL, KEY_FLAG, "6.1"},
	{"cgroup.max.depth", NULL, KEY_LIMIT, NULL},
	{"cgroup.max.descendants", NULL, KEY_LIMIT, NULL},
};

static void knows_the_kernels_settings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		const struct key *key = key_find(settings[i].name);

		if (!key)
			fail_msg("%s is not known", settings[i].name);
		assert_int_equal(key->type, settings[i].type);
		if (settings[i].controller)
			assert_string_equal(key->controller, settings[i].controller);
		else
			assert_null(key->controller);
		if (settings[i].since)
			assert_string_equal(key->since, settings[i].since);
		else
			assert_null(key->since);
		assert_null(key_refusal(settings[i].name));
		assert_null(key_of_v1(settings[i].name, NULL));
	}
}

static void has_a_page_size_where_the_pattern_has_a_star(void **state)
{
	static const char *const cases[] = {
		"hugetlb..max",	    "hugetlb.2MB", "hugetlb.2MB.maxi", "hugetlb.2MB.1.max",
		"hugetlb.2MB.rsvd", "hugetlb.max", "hugetlb.*x.max",   ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (key_find(cases[i]))
			fail_msg("\"%s\" is known", cases[i]);
	}
}

static void has_complete_rows(void **state)
{
	(void)state;
	for (const struct key *key = key_table; key->name; key++) {
		AUTO(free_p) char *controller = key_controller(key->name);

		assert_non_null(key->help);
		assert_true(strlen(key->help) > 5 && strlen(key->help) < 80);
		assert_int_equal(key->words != NULL, key->type == KEY_WORDS);
		if (key->type == KEY_NUMBER || key->type == KEY_LIMIT)
			assert_true(key->min < key->max);
		if (key->controller)
			assert_string_equal(controller, key->controller);
		else
			assert_null(controller);
		/* Once only. */
		assert_ptr_equal(key_find(key->name), strchr(key->name, '*') ? NULL : key);
	}
}

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
	{"cpuacct.usage", "cpu.stat", NULL},
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
		if (now[0] && strcmp(now, "hugetlb.SIZE.max") != 0)
			assert_true(key_find(now) || key_refusal(now) || strcmp(now, "cgroup.procs") == 0);
	}
	assert_null(key_of_v1("memory.nothing", NULL));
	assert_null(key_of_v1("", NULL));
}

static void says_why_a_file_is_no_setting(void **state)
{
	static const struct {
		const char *name, *reason;
	} cases[] = {
		{"cgroup.procs", "who is in the cgroup"},
		{"cgroup.threads", "who is in the cgroup"},
		{"cgroup.type", "never become a domain again"},
		{"cgroup.subtree_control", "enabled as the settings need them"},
		{"cgroup.kill", "command"},
		{"memory.reclaim", "command"},
		{"cgroup.controllers", "only be read"},
		{"cgroup.events", "only be read"},
		{"cgroup.stat", "only be read"},
		{"memory.current", "only be read"},
		{"memory.peak", "only be read"},
		{"memory.stat", "only be read"},
		{"memory.numa_stat", "only be read"},
		{"memory.events.local", "only be read"},
		{"memory.swap.events", "only be read"},
		{"cpu.stat.local", "only be read"},
		{"cpuset.mems.effective", "only be read"},
		{"cpuset.cpus.exclusive.effective", "only be read"},
		{"cpuset.cpus.isolated", "only be read"},
		{"hugetlb.2MB.current", "only be read"},
		{"misc.capacity", "only be read"},
		{"memory.pressure", "triggers"},
		{"cpu.pressure", "triggers"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *reason = key_refusal(cases[i].name);

		if (!reason || !strstr(reason, cases[i].reason))
			fail_msg("%s: %s", cases[i].name, reason ? reason : "no reason");
		assert_null(key_find(cases[i].name));
	}
	assert_null(key_refusal("memory.future"));
	assert_null(key_refusal(".stat"));
}

static void tells_the_controller_by_the_name(void **state)
{
	static const struct {
		const char *name, *controller;
	} cases[] = {
		{"io.max", "io"},
		{"memory.swap.max", "memory"},
		{"future.file", "future"},
		{"cgroup.freeze", NULL},
		{"cgroup.", NULL},
		{"tasks", NULL},
		{"", NULL},
		{".max", NULL},
		{"cgroups.x", "cgroups"},
		{"net_cls.classid", "net_cls"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_p) char *controller = key_controller(cases[i].name);

		if (cases[i].controller)
			assert_string_equal(controller, cases[i].controller);
		else
			assert_null(controller);
	}
	assert_true(key_is_controller("memory"));
	assert_true(key_is_controller("cpuset"));
	assert_false(key_is_controller("cgroup"));
	assert_false(key_is_controller("blkio"));
}

static void finds_the_nearest_name(void **state)
{
	static const struct {
		const char *name, *nearest;
		unsigned distance;
	} cases[] = {
		{"memory.mx", "memory.max", 1},
		{"memory.maxx", "memory.max", 1},
		{"memory.hihg", "memory.high", 1},
		{"memroy.max", "memory.max", 1},
		{"cpuset.mem", "cpuset.mems", 1},
		{"memory_max", "memory.max", 1},
		{"memory.oomgroup", "memory.oom.group", 1},
		{"Memory.Max", "memory.max", 2},
		{"pids.max", "pids.max", 0},
		{"cpu.wieghts", "cpu.weight", 2},
	};
	char wide[70];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned distance = 99;
		const char *nearest = key_nearest(cases[i].name, &distance);

		if (!nearest || strcmp(nearest, cases[i].nearest) != 0)
			fail_msg("%s: %s", cases[i].name, nearest ? nearest : "none");
		assert_int_equal(distance, cases[i].distance);
	}
	assert_null(key_nearest("something.else", NULL));
	assert_null(key_nearest("", NULL));
	memset(wide, 'm', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	assert_null(key_nearest(wide, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_kernels_settings),
		cmocka_unit_test(has_a_page_size_where_the_pattern_has_a_star),
		cmocka_unit_test(has_complete_rows),
		cmocka_unit_test(names_what_v1_files_became),
		cmocka_unit_test(says_why_a_file_is_no_setting),
		cmocka_unit_test(tells_the_controller_by_the_name),
		cmocka_unit_test(finds_the_nearest_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
