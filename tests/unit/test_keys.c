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
	/* Of processes; set_mempolicy_home_node(2) came with 5.17. */
	{"mempolicy", NULL, KEY_TEXT, NULL},
	{"home_node", NULL, KEY_NUMBER, "5.17"},
	{"oom_score_adj", NULL, KEY_NUMBER, NULL},
	{"affinity", NULL, KEY_CPUS, NULL},
	/* Documentation/admin-guide/sysctl/vm.rst, kernel.rst, and ABI/testing/sysfs-kernel-mm-mempolicy-*.
	 */
	{"vm.overcommit_memory", NULL, KEY_NUMBER, NULL},
	{"vm.overcommit_ratio", NULL, KEY_NUMBER, NULL},
	{"vm.overcommit_kbytes", NULL, KEY_NUMBER, NULL},
	{"vm.user_reserve_kbytes", NULL, KEY_NUMBER, NULL},
	{"vm.admin_reserve_kbytes", NULL, KEY_NUMBER, NULL},
	{"vm.panic_on_oom", NULL, KEY_NUMBER, NULL},
	{"vm.oom_kill_allocating_task", NULL, KEY_FLAG, NULL},
	{"vm.swappiness", NULL, KEY_NUMBER, NULL},
	{"vm.zone_reclaim_mode", NULL, KEY_NUMBER, NULL},
	{"kernel.numa_balancing", NULL, KEY_NUMBER, NULL},
	{"weighted_interleave.node0", NULL, KEY_NUMBER, "6.9"},
	{"weighted_interleave.node1023", NULL, KEY_NUMBER, "6.9"},
	{"weighted_interleave.auto", NULL, KEY_FLAG, "6.16"},
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
	static const char *const cases[] = {"hugetlb..max",
					    "hugetlb.2MB",
					    "hugetlb.2MB.maxi",
					    "hugetlb.2MB.1.max",
					    "hugetlb.2MB.rsvd",
					    "hugetlb.max",
					    "hugetlb.*x.max",
					    "",
					    "weighted_interleave.node",
					    "weighted_interleave.nodex1",
					    "weighted_interleave.node01",
					    "weighted_interleave.node1x",
					    "weighted_interleave.node12345",
					    "weighted_interleave.node*",
					    "weighted_interleave.node1.2"};

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
		if (key->type == KEY_WORDS)
			assert_non_null(key->words);
		else if (key->words)
			assert_int_equal(key->type, KEY_NUMBER);
		if (key->type == KEY_NUMBER || key->type == KEY_LIMIT)
			assert_true(key->min < key->max);
		if (key->controller)
			assert_string_equal(controller, key->controller);
		else if (!strchr(key->name, '*'))
			assert_null(controller);
		if (key->scope != KEY_CGROUP) {
			assert_null(key->controller);
			assert_false(key->is_on_root);
		}
		if (key->is_root_only)
			assert_true(key->is_on_root);
		assert_true(key->scope != KEY_TASK || !key->initial);
		/* Once only. */
		assert_ptr_equal(key_find(key->name), strchr(key->name, '*') ? NULL : key);
	}
}

/* As seen at the root cgroup of Debian's kernels 5.10, 6.1 and 7.3; io.prio.class by block/blk-ioprio.c. */
static void knows_what_the_root_cgroup_has(void **state)
{
	static const char *const on_root[] = {
		"cgroup.max.depth", "cgroup.max.descendants", "cgroup.pressure",       "io.cost.model",
		"io.cost.qos",	    "io.prio.class",	      "memory.zswap.writeback"};
	size_t count = 0;

	(void)state;
	for (const struct key *key = key_table; key->name; key++)
		count += key->is_on_root;
	assert_int_equal(count, ARRAY_SIZE(on_root));
	for (size_t i = 0; i < ARRAY_SIZE(on_root); i++)
		assert_true(key_find(on_root[i])->is_on_root);
	assert_true(key_find("io.cost.qos")->is_root_only);
	assert_false(key_find("cgroup.pressure")->is_root_only);
}

static void tells_which_kernels_are_too_old(void **state)
{
	(void)state;
	assert_true(key_is_later(key_find("memory.zswap.max"), 5, 18));
	assert_false(key_is_later(key_find("memory.zswap.max"), 5, 19));
	assert_false(key_is_later(key_find("memory.zswap.max"), 6, 0));
	assert_true(key_is_later(key_find("weighted_interleave.auto"), 6, 15));
	assert_true(key_is_later(key_find("weighted_interleave.auto"), 5, 17));
	assert_false(key_is_later(key_find("weighted_interleave.auto"), 6, 16));
	assert_false(key_is_later(key_find("memory.max"), 5, 10));
}

static void tells_whose_setting_it_is(void **state)
{
	(void)state;
	assert_int_equal(key_scope_of("memory.max"), KEY_CGROUP);
	assert_int_equal(key_scope_of("memory.future"), KEY_CGROUP);
	assert_int_equal(key_scope_of("oom_score_adj"), KEY_TASK);
	assert_int_equal(key_scope_of("affinity"), KEY_TASK);
	assert_int_equal(key_scope_of("vm.swappiness"), KEY_HOST);
	assert_int_equal(key_scope_of("weighted_interleave.node7"), KEY_HOST);
	assert_int_equal(key_scope_of("weighted_interleave.node"), KEY_CGROUP);
	assert_false(key_is_controller("vm"));
	assert_false(key_is_controller("weighted_interleave"));
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
		{"vm.swappiness", NULL},
		{"weighted_interleave.auto", NULL},
		{"vm.unknown", "vm"},
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
		{"vm.swapiness", "vm.swappiness", 1},
		{"oom_score_adjust", "oom_score_adj", 3},
		{"weighted_interleave.node", "weighted_interleave.node*", 1},
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
		cmocka_unit_test(knows_what_the_root_cgroup_has),
		cmocka_unit_test(tells_which_kernels_are_too_old),
		cmocka_unit_test(tells_whose_setting_it_is),
		cmocka_unit_test(says_why_a_file_is_no_setting),
		cmocka_unit_test(tells_the_controller_by_the_name),
		cmocka_unit_test(finds_the_nearest_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
