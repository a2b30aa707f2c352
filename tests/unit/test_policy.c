/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy: what it takes, what it makes of it, and why it refuses the rest. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/policy.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

static unsigned allocations_left = UINT32_MAX; /* until one fails */

static bool fails(void)
{
	return allocations_left != UINT32_MAX && allocations_left-- == 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t size)
{
	return fails() ? NULL : __real_strndup(text, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, count, size);
}

static struct cgpol_policy *make(void)
{
	struct cgpol_policy *policy = NULL;

	assert_int_equal(policy_new(&policy), 0);
	return policy;
}

static void keeps_values_as_they_go_into_the_file(void **state)
{
	static const struct {
		const char *name, *given, *value;
	} cases[] = {
		{"memory.max", "1.5G", "1610612736"},
		{"memory.high", "max", "max"},
		{"memory.low", "infinity", "max"},
		{"memory.min", "0", "0"},
		{"memory.swap.max", "50%", "50%"},
		{"memory.zswap.max", "50% of nodes:0-1", "50% of nodes:0-1"},
		{"hugetlb.2MB.max", "512M", "536870912"},
		{"memory.oom.group", "yes", "1"},
		{"cgroup.freeze", "OFF", "0"},
		{"cpu.idle", "true", "1"},
		{"memory.zswap.writeback", "0", "0"},
		{"cpu.weight", "100", "100"},
		{"cpu.weight.nice", "-20", "-20"},
		{"cpu.max.burst", "0", "0"},
		{"pids.max", "0", "0"},
		{"pids.max", "4194304", "4194304"},
		{"pids.max", "max", "max"},
		{"cgroup.max.depth", "2147483647", "2147483647"},
		{"cpuset.cpus", "3,2,1-1,0-31:2/8", "0-3,8-9,16-17,24-25"},
		{"cpuset.cpus", "", ""},
		{"cpuset.cpus", "65535", "65535"},
		{"cpuset.mems", "1,0", "0-1"},
		{"cpuset.mems", "4095", "4095"},
		{"cpuset.cpus.partition", "isolated", "isolated"},
		{"io.prio.class", "idle", "idle"},
		{"cpu.max", "50000 100000", "50000 100000"},
		{"io.max", "8:16 rbps=2097152 wiops=120", "8:16 rbps=2097152 wiops=120"},
		/* Of a kernel to come. */
		{"memory.future.max", "Any Thing", "Any Thing"},
		{"cpu.rt.max", "1 2", "1 2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};
		const struct setting *setting;

		if (policy_set(policy, cases[i].name, cases[i].given, &err) != 0)
			fail_msg("%s = %s: %s", cases[i].name, cases[i].given, err.text);
		setting = policy_get(policy, cases[i].name);
		assert_non_null(setting);
		assert_string_equal(setting->name, cases[i].name);
		assert_string_equal(setting->value, cases[i].value);
		assert_ptr_equal(setting->key, key_find(cases[i].name));
	}
}

static void keeps_sizes_and_sets_as_values_too(void **state)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = make();

	(void)state;
	assert_int_equal(policy_set(policy, "memory.max", "50%", NULL), 0);
	assert_int_equal(policy_get(policy, "memory.max")->size.kind, SIZE_PERCENT);
	assert_int_equal(policy_get(policy, "memory.max")->size.percent_ppm, 500000);
	assert_int_equal(policy_set(policy, "cpuset.mems", "0,8", NULL), 0);
	assert_true(nodeset_has(&policy_get(policy, "cpuset.mems")->set, 8));
	assert_int_equal(nodeset_count(&policy_get(policy, "cpuset.mems")->set), 2);
}

static void keeps_each_file_once_in_order(void **state)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = make();

	(void)state;
	assert_int_equal(policy->settings, 0);
	assert_null(policy_get(policy, "memory.max"));
	assert_int_equal(policy_set(policy, "memory.max", "50% of nodes:1", NULL), 0);
	assert_int_equal(policy_set(policy, "cpuset.cpus", "1", NULL), 0);
	assert_int_equal(policy_set(policy, "memory.max", "2K", NULL), 0);
	assert_int_equal(policy->settings, 2);
	assert_string_equal(policy->setting[0].name, "memory.max");
	assert_string_equal(policy->setting[0].value, "2048");
	assert_int_equal(policy->setting[0].size.kind, SIZE_FIXED);
	assert_string_equal(policy->setting[1].name, "cpuset.cpus");
}

static const struct {
	const char *name, *reason, *hint;
} bad_names[] = {
	{"", "is no name of a file", ""},
	{".", "is no name of a file", ""},
	{"..", "is no name of a file", ""},
	{"-memory.max", "is no name of a file", ""},
	{".memory.max", "is no name of a file", ""},
	{"memory max", "is no name of a file", ""},
	{"memory.max\n", "is no name of a file", ""},
	{"memory.\x1b[31m", "\"memory.\\x1b[31m\" is no name of a file", ""},
	{"hugetlb.*.max", "is no name of a file", ""},
	{"../memory.max", "has a \"/\"", ""},
	{"a/memory.max", "has a \"/\"", ""},
	{"/", "has a \"/\"", ""},
	{"memory.limit_in_bytes", "in cgroup v2 the file is memory.max", "use memory.max"},
	{"cpu.shares", "in cgroup v2 the file is cpu.weight", "1024 shares"},
	{"memory.oom_control", "not in cgroup v2; use memory.high", "memory.high"},
	{"tasks", "in cgroup v2 the file is cgroup.procs", ""},
	{"cgroup.procs", "is not a setting", ""},
	{"cgroup.threads", "is not a setting", ""},
	{"cgroup.subtree_control", "is not a setting", ""},
	{"cgroup.type", "is not a setting", ""},
	{"cgroup.kill", "is a command", ""},
	{"memory.reclaim", "is a command", ""},
	{"memory.current", "can only be read", ""},
	{"memory.pressure", "not a setting", ""},
	{"memory.mx", "is no setting", "did you mean memory.max?"},
	{"memory.hihg", "is no setting", "did you mean memory.high?"},
	{"cpuset.mem", "is no setting", "did you mean cpuset.mems?"},
	{"memroy.max", "is no setting", "did you mean memory.max?"},
	{"cgroup.freez", "is no setting", "did you mean cgroup.freeze?"},
	{"cgroup.future", "is no setting", ""},
	{"cgroup.", "is no setting", ""},
	{"future.max", "is no setting", ""},
	{"memory.", "is no setting", ""},
	{"memory..max", "is no setting", "did you mean memory.max?"},
	{"max", "is no setting", ""},
};

static void refuses_names_with_a_reason(void **state)
{
	char wide[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};

		if (policy_set(policy, bad_names[i].name, "1", &err) != -EINVAL)
			fail_msg("accepted: %s", bad_names[i].name);
		if (!strstr(err.text, bad_names[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", bad_names[i].name, err.text, bad_names[i].reason);
		if (!strstr(err.hint, bad_names[i].hint))
			fail_msg("%s: hint \"%s\" lacks \"%s\"", bad_names[i].name, err.hint,
				 bad_names[i].hint);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_int_equal(policy->settings, 0);
		assert_int_equal(policy_set(policy, bad_names[i].name, "1", NULL), -EINVAL);
	}
	memset(wide, 'a', sizeof(wide) - 1);
	memcpy(wide, "memory.", 7);
	wide[sizeof(wide) - 1] = '\0';
	{
		AUTO(policy_free_p) struct cgpol_policy *policy = make();

		assert_int_equal(policy_set(policy, wide, "1", NULL), -EINVAL);
	}
}

static const struct {
	const char *name, *value;
	int rc;
	const char *reason;
} bad_values[] = {
	{"memory.max", "1GB", -EINVAL, "memory.max: size \"1GB\": "},
	{"memory.max", "400m", -EINVAL, "milli"},
	{"memory.max", "-1", -EINVAL, "\"max\" means no limit"},
	{"memory.max", "9223372036854775808", -ERANGE, "2^63 - 1"},
	{"memory.max", "", -EINVAL, "not a number"},
	{"memory.max", "50% of nodes:x", -EINVAL, "memory.max: size: nodes: "},
	{"memory.oom.group", "2", -EINVAL, "neither yes nor no"},
	{"memory.oom.group", "", -EINVAL, "neither yes nor no"},
	{"cpu.weight", "0", -ERANGE, "out of range: 1 to 10000"},
	{"cpu.weight", "10001", -ERANGE, "out of range: 1 to 10000"},
	{"cpu.weight", "0755", -EINVAL, "octal"},
	{"cpu.weight", "1.5", -EINVAL, "not a whole number"},
	{"cpu.weight", "max", -EINVAL, "not a whole number"},
	{"cpu.weight", "", -EINVAL, "not a whole number"},
	{"cpu.weight", " 5", -EINVAL, "not a whole number"},
	{"cpu.weight", "0x10", -EINVAL, "not a whole number"},
	{"cpu.weight.nice", "-21", -ERANGE, "-20 to 19"},
	{"cpu.weight.nice", "-010", -EINVAL, "octal"},
	{"cpu.max.burst", "9223372036854775808", -ERANGE, "out of range"},
	{"pids.max", "4194305", -ERANGE, "0 to 4194304"},
	{"pids.max", "-1", -ERANGE, "0 to 4194304"},
	{"pids.max", "many", -EINVAL, "not a whole number or max"},
	{"cpuset.cpus", "3-0", -EINVAL, "cpuset.cpus: \"3-0\" is malformed"},
	{"cpuset.cpus", "0-", -EINVAL, "cpuset.cpus: \"0-\" is malformed"},
	{"cpuset.cpus", "1:59", -EINVAL, "malformed"},
	{"cpuset.cpus", "65536", -ERANGE, "out of range"},
	{"cpuset.cpus", "0-98765432123456789:10/1", -EOVERFLOW, "too large"},
	{"cpuset.cpus", "0-31:10/1", -EINVAL, "malformed"},
	{"cpuset.cpus", "0-31:1/0", -EINVAL, "malformed"},
	{"cpuset.mems", "all", -EINVAL, "leave it empty for all"},
	{"cpuset.mems", "0-N", -EINVAL, "leave it empty for all"},
	{"cpuset.mems", "4096", -ERANGE, "out of range"},
	{"cpuset.cpus.partition", "Root", -EINVAL, "none of member, root, isolated"},
	{"cpu.max", "", -EINVAL, "is empty"},
	{"io.max", " ", -EINVAL, "is empty"},
	{"memory.future", "", -EINVAL, "is empty"},
	{"io.max", "8:0 rbps=1\n8:16 rbps=1", -EINVAL, "control character"},
	{"cpuset.cpus", "0\n", -EINVAL, "control character"},
	{"io.max", "\x1b[31m", -EINVAL, "\"\\x1b[31m\" has a control character"},
};

static void refuses_values_with_a_reason(void **state)
{
	char wide[4097];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_values); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};
		int rc = policy_set(policy, bad_values[i].name, bad_values[i].value, &err);

		if (rc != bad_values[i].rc)
			fail_msg("%s = \"%s\" gives %d", bad_values[i].name, bad_values[i].value, rc);
		if (!strstr(err.text, bad_values[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", bad_values[i].name, err.text,
				 bad_values[i].reason);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_string_equal(err.file, bad_values[i].name);
		assert_int_equal(policy->settings, 0);
		assert_int_equal(policy_set(policy, bad_values[i].name, bad_values[i].value, NULL), rc);
	}
	memset(wide, 'a', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	{
		AUTO(policy_free_p) struct cgpol_policy *policy = make();

		assert_int_equal(policy_set(policy, "io.max", wide, NULL), -EINVAL);
		wide[4095] = '\0';
		assert_int_equal(policy_set(policy, "io.max", wide, NULL), 0);
	}
}

static void keeps_what_was_there_on_failure(void **state)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = make();

	(void)state;
	assert_int_equal(policy_set(policy, "cpu.weight", "7", NULL), 0);
	assert_int_equal(policy_set(policy, "cpu.weight", "0", NULL), -ERANGE);
	assert_string_equal(policy_get(policy, "cpu.weight")->value, "7");
}

static void has_a_limit_of_settings(void **state)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = make();
	struct cgpol_error err = {0};
	char name[32];

	(void)state;
	for (unsigned i = 0; i < 1024; i++) {
		(void)snprintf(name, sizeof(name), "hugetlb.%uMB.max", i);
		assert_int_equal(policy_set(policy, name, "0", NULL), 0);
	}
	assert_int_equal(policy_set(policy, "memory.max", "0", &err), -E2BIG);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(policy_set(policy, "hugetlb.7MB.max", "1", NULL), 0);
}

static void survives_a_lack_of_memory_anywhere(void **state)
{
	static const char *const cases[][2] = {
		{"memory.max", "50% of nodes:0-1"},
		{"memory.max", "1G"},
		{"cpuset.cpus", "0-1"},
		{"cpuset.cpus.partition", "root"},
		{"memory.oom.group", "1"},
		{"io.max", "8:0 rbps=1"},
		{"memory.future", "1"},
		{"memory.low", "max"},
		{"pids.max", "max"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned n = 0;; n++) {
			AUTO(policy_free_p) struct cgpol_policy *policy = make();
			struct cgpol_error err = {0};
			bool failed;
			int rc;

			assert_in_range(n, 0, 50);
			allocations_left = n;
			rc = policy_set(policy, cases[i][0], cases[i][1], &err);
			failed = allocations_left == UINT32_MAX;
			allocations_left = UINT32_MAX;
			if (!failed) {
				assert_int_equal(rc, 0);
				assert_true(n > 0);
				break;
			}
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(err.kind, CGPOL_FAILED);
			assert_int_equal(policy->settings, 0);
		}
	}
}

static void is_freed_when_it_is_none(void **state)
{
	struct cgpol_policy *policy = NULL;

	(void)state;
	policy_free(NULL);
	allocations_left = 0;
	assert_int_equal(policy_new(&policy), -ENOMEM);
	allocations_left = UINT32_MAX;
	assert_null(policy);
}

/* Settings of processes and of the machine. */
static void any_policy_takes_all_scopes(void **state)
{
	static const struct {
		const char *name, *given, *value;
	} cases[] = {
		{"memory.max", "1K", "1024"},
		{"memory.future", "x", "x"},
		{"oom_score_adj", "-1000", "-1000"},
		{"oom_score_adj", "1000", "1000"},
		{"home_node", "3", "3"},
		{"affinity", "3,0-1", "0-1,3"},
		{"mempolicy", "default", "default"},
		{"mempolicy", "local", "local"},
		{"mempolicy", "bind:1", "bind:1"},
		{"mempolicy", "bind=static:0-1", "bind=static:0-1"},
		{"mempolicy", "prefer (many):0,2", "prefer (many):0,2"},
		{"mempolicy", "weighted interleave:0-3", "weighted interleave:0-3"},
		{"vm.overcommit_memory", "never", "2"},
		{"vm.overcommit_memory", "Heuristic", "0"},
		{"vm.overcommit_memory", "1", "1"},
		{"vm.overcommit_ratio", "2147483647", "2147483647"},
		{"vm.overcommit_kbytes", "9223372036854775807", "9223372036854775807"},
		{"vm.user_reserve_kbytes", "0", "0"},
		{"vm.admin_reserve_kbytes", "8192", "8192"},
		{"vm.panic_on_oom", "2", "2"},
		{"vm.oom_kill_allocating_task", "yes", "1"},
		{"vm.swappiness", "200", "200"},
		{"vm.zone_reclaim_mode", "7", "7"},
		{"kernel.numa_balancing", "3", "3"},
		{"weighted_interleave.node12", "255", "255"},
		{"weighted_interleave.auto", "on", "1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};

		if (policy_set_any(policy, cases[i].name, cases[i].given, &err) != 0)
			fail_msg("%s = %s: %s", cases[i].name, cases[i].given, err.text);
		assert_string_equal(policy_get(policy, cases[i].name)->value, cases[i].value);
	}
}

static void any_policy_refuses_with_a_reason_too(void **state)
{
	static const struct {
		const char *name, *value, *reason, *hint;
	} cases[] = {
		{"oom_score_adj", "1001", "out of range: -1000 to 1000", ""},
		{"oom_score_adj", "-1001", "out of range", ""},
		{"oom_score_adj", "max", "not a whole number", ""},
		{"home_node", "4096", "out of range", ""},
		{"affinity", "0-", "affinity: ", "list"},
		{"affinity", "all", "is not a list of numbers", ""},
		{"mempolicy", "", "is empty", ""},
		{"mempolicy", "bind", "has no list of nodes", ""},
		{"mempolicy", "bind:", "has no list of nodes", ""},
		{"mempolicy", "bind:x", "has no list of nodes", ""},
		{"mempolicy", "bind:all", "has no list of nodes", ""},
		{"mempolicy", "bind:4096", "has no list of nodes", ""},
		{"mempolicy", "bound:1", "is no memory policy", ""},
		{"mempolicy", "default:1", "is no memory policy", ""},
		{"mempolicy", "prefer(many):1", "is no memory policy", ""},
		{"vm.overcommit_memory", "3", "out of range: 0 to 2", ""},
		{"vm.overcommit_memory", "nver", "is none of heuristic, always, never", ""},
		{"vm.overcommit_memory", "-1", "out of range", ""},
		{"vm.overcommit_ratio", "2147483648", "out of range", ""},
		{"vm.overcommit_ratio", "050", "leading zero", ""},
		{"vm.overcommit_kbytes", "9223372036854775808", "out of range", ""},
		{"vm.overcommit_kbytes", "512M", "not a whole number", ""},
		{"vm.panic_on_oom", "3", "out of range: 0 to 2", ""},
		{"vm.swappiness", "201", "out of range: 0 to 200", ""},
		{"vm.zone_reclaim_mode", "8", "out of range: 0 to 7", ""},
		{"kernel.numa_balancing", "4", "out of range: 0 to 3", ""},
		{"weighted_interleave.node0", "0", "out of range: 1 to 255", ""},
		{"weighted_interleave.node0", "256", "out of range: 1 to 255", ""},
		{"weighted_interleave.node", "1", "is no setting that cgpol knows", "node*"},
		{"vm.swapiness", "1", "is no setting that cgpol knows", "did you mean vm.swappiness?"},
		{"vm.dirty_ratio", "1", "is no setting that cgpol knows", ""},
		{"/proc/sys/vm/swappiness", "1", "name a setting, not a path", ""},
		{"vm swappiness", "1", "is no name of a setting", ""},
		{"memory.limit_in_bytes", "1", "cgroup v1", "memory.max"},
		{"cgroup.procs", "1", "who is in the cgroup", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};

		if (policy_set_any(policy, cases[i].name, cases[i].value, &err) >= 0)
			fail_msg("%s = %s is taken", cases[i].name, cases[i].value);
		assert_int_equal(err.kind, CGPOL_USAGE);
		if (!strstr(err.text, cases[i].reason) || !strstr(err.hint, cases[i].hint))
			fail_msg("%s = %s: %s (%s)", cases[i].name, cases[i].value, err.text, err.hint);
		assert_int_equal(policy->settings, 0);
	}
}

static void a_cgroup_has_only_its_own_settings(void **state)
{
	static const struct {
		const char *name, *value, *reason, *hint;
	} cases[] = {
		{"vm.swappiness", "10", "\"vm.swappiness\" is a setting of the machine, not of a cgroup",
		 "cgpol set vm.swappiness=10"},
		{"kernel.numa_balancing", "0", "of the machine", "cgpol set kernel.numa_balancing=0"},
		{"weighted_interleave.node1", "3", "of the machine", "cgpol set weighted_interleave.node1=3"},
		{"oom_score_adj", "500", "\"oom_score_adj\" is a setting of a process, not of a cgroup",
		 "cgpol set --pid PID oom_score_adj=500"},
		{"affinity", "0\x1b", "of a process", "affinity=0\\x1b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = make();
		struct cgpol_error err = {0};

		assert_int_equal(policy_set(policy, cases[i].name, cases[i].value, &err), -EINVAL);
		assert_int_equal(err.kind, CGPOL_USAGE);
		if (!strstr(err.text, cases[i].reason) || !strstr(err.hint, cases[i].hint))
			fail_msg("%s: %s (%s)", cases[i].name, err.text, err.hint);
		assert_int_equal(policy->settings, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_policy_takes_all_scopes),
		cmocka_unit_test(any_policy_refuses_with_a_reason_too),
		cmocka_unit_test(a_cgroup_has_only_its_own_settings),
		cmocka_unit_test(keeps_values_as_they_go_into_the_file),
		cmocka_unit_test(keeps_sizes_and_sets_as_values_too),
		cmocka_unit_test(keeps_each_file_once_in_order),
		cmocka_unit_test(refuses_names_with_a_reason),
		cmocka_unit_test(refuses_values_with_a_reason),
		cmocka_unit_test(keeps_what_was_there_on_failure),
		cmocka_unit_test(has_a_limit_of_settings),
		cmocka_unit_test(survives_a_lack_of_memory_anywhere),
		cmocka_unit_test(is_freed_when_it_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
