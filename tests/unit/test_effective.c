/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting comes to, and why a file is not there. */
#include "policy/effective.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "machine.h"
#include "test.h"

static struct root *root;
static struct cgpol_host *host;
static struct effective effective;
static struct cgpol_error err;

static void put(const char *cgroup, const char *file, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroup, file);
	fakeroot_put(root, path, text);
}

static int make_machine(void **state)
{
	(void)state;
	root = machine_new();
	put("", "cgroup.controllers", "cpuset cpu memory pids hugetlb\n");
	put("", "cpuset.cpus.effective", "0-3\n");
	machine_cgroup(root, "/a", 1 << 30, 4096, false);
	machine_cgroup(root, "/a/b", 0, 4096, false);
	put("/a", "cgroup.controllers", "cpuset memory\n");
	put("/a/b", "cgroup.controllers", "cpuset memory\n");
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	effective_clear(&effective);
	cgpol_host_free(host);
	return 0;
}

static int get(const char *cgroup, const char *file)
{
	effective_clear(&effective);
	err = (struct cgpol_error){0};
	return effective_read(host, cgroup, file, &effective, &err);
}

static void expect(const char *requested, const char *holds, enum effective_by by, const char *from)
{
	if (requested)
		assert_string_equal(effective.requested, requested);
	else
		assert_null(effective.requested);
	assert_string_equal(effective.holds, holds);
	assert_int_equal(effective.by, by);
	if (from)
		assert_string_equal(effective.from, from);
	else
		assert_null(effective.from);
}

static void refused(int rc, enum cgpol_kind kind, const char *text)
{
	assert_int_equal(err.code, -rc);
	assert_int_equal(err.kind, kind);
	assert_string_equal(err.text, text);
	assert_null(effective.holds);
}

static void the_lowest_limit_above_binds(void **state)
{
	(void)state;
	assert_int_equal(get("/a", "memory.max"), 0);
	expect("1073741824", "1073741824", EFFECTIVE_ITSELF, NULL);
	assert_null(effective.reason);
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("max", "1073741824", EFFECTIVE_ANCESTOR, "/a");
	assert_string_equal(effective.reason, "memory.max of cgroup /a is 1073741824");
	put("/a/b", "memory.max", "4096\n");
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("4096", "4096", EFFECTIVE_ITSELF, NULL);
}

static void a_limit_may_be_more_than_the_nodes_have(void **state)
{
	(void)state;
	fakeroot_put(root, "/sys/devices/system/node/node1/meminfo",
		     "Node 1 MemTotal:        1024 kB\nNode 1 MemFree:          24 kB\n");
	put("/a/b", "cpuset.mems.effective", "1\n");
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("max", "1048576", EFFECTIVE_MACHINE, NULL);
	assert_string_equal(effective.reason,
			    "node 1, which it may use, has 1048576 bytes of memory, 24576 of them free");
	put("/a/b", "memory.max", "1048576\n");
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("1048576", "1048576", EFFECTIVE_ITSELF, NULL);
	/* memory.high never waits for the machine. */
	put("/a/b", "memory.high", "max\n");
	assert_int_equal(get("/a/b", "memory.high"), 0);
	expect("max", "max", EFFECTIVE_ITSELF, NULL);
	fakeroot_put(root, "/sys/devices/system/node/node1/meminfo", "");
	put("/a/b", "memory.max", "1073741824\n");
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("1073741824", "1073741824", EFFECTIVE_ITSELF, NULL);
}

static void no_limit_of_swap_is_what_the_machine_has(void **state)
{
	(void)state;
	put("/a/b", "memory.swap.max", "max\n");
	assert_int_equal(get("/a/b", "memory.swap.max"), 0);
	expect("max", "0", EFFECTIVE_MACHINE, NULL);
	assert_string_equal(effective.reason, "the machine has no swap");
	fakeroot_put(root, "/proc/meminfo", "SwapTotal:  64 kB\n");
	assert_int_equal(get("/a/b", "memory.swap.max"), 0);
	expect("max", "65536", EFFECTIVE_MACHINE, NULL);
	put("/a", "memory.swap.max", "4096\n");
	assert_int_equal(get("/a/b", "memory.swap.max"), 0);
	expect("max", "4096", EFFECTIVE_ANCESTOR, "/a");
}

/* mm/page_counter.c: a child is protected no more than its parent. */
static void a_protection_is_bounded_from_above(void **state)
{
	(void)state;
	put("/a", "memory.low", "0\n");
	put("/a/b", "memory.low", "4096\n");
	assert_int_equal(get("/a/b", "memory.low"), 0);
	expect("4096", "0", EFFECTIVE_ANCESTOR, "/a");
}

static void other_limits_are_looked_for_above_too(void **state)
{
	static const char *const files[] = {"pids.max", "memory.high", "memory.swap.high", "hugetlb.2MB.max",
					    "hugetlb.1GB.rsvd.max"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		put("/a", files[i], "7\n");
		put("/a/b", files[i], "9\n");
		assert_int_equal(get("/a/b", files[i]), 0);
		expect("9", "7", EFFECTIVE_ANCESTOR, "/a");
		put("/a", files[i], "junk\n");
		assert_int_equal(get("/a/b", files[i]), 0);
		expect("9", "9", EFFECTIVE_ITSELF, NULL);
	}
}

static void the_highest_oom_group_is_the_one_that_counts(void **state)
{
	(void)state;
	put("/a/b", "memory.oom.group", "1\n");
	assert_int_equal(get("/a/b", "memory.oom.group"), 0);
	expect("1", "1", EFFECTIVE_ITSELF, NULL);
	put("/a", "memory.oom.group", "1\n");
	machine_cgroup(root, "/a/b/c", 0, 0, false);
	assert_int_equal(get("/a/b/c", "memory.oom.group"), 0);
	expect("0", "1", EFFECTIVE_ANCESTOR, "/a");
	assert_string_equal(effective.reason,
			    "cgroup /a has it: a kill for a limit of /a or above takes all of /a");
}

static void a_frozen_ancestor_freezes(void **state)
{
	(void)state;
	put("/a", "cgroup.freeze", "1\n");
	put("/a/b", "cgroup.freeze", "0\n");
	assert_int_equal(get("/a/b", "cgroup.freeze"), 0);
	expect("0", "1", EFFECTIVE_ANCESTOR, "/a");
	assert_string_equal(effective.reason, "cgroup /a is frozen");
}

static void an_invalid_partition_tells_its_reason(void **state)
{
	(void)state;
	put("/a", "cpuset.cpus.partition", "isolated invalid (cpuset.cpus is empty)\n");
	assert_int_equal(get("/a", "cpuset.cpus.partition"), 0);
	expect("isolated", "isolated invalid", EFFECTIVE_INVALID, NULL);
	assert_string_equal(effective.reason, "cpuset.cpus is empty");
	put("/a", "cpuset.cpus.partition", "root invalid\n"); /* before 6.0 */
	assert_int_equal(get("/a", "cpuset.cpus.partition"), 0);
	expect("root", "root invalid", EFFECTIVE_INVALID, NULL);
	assert_string_equal(effective.reason, "the kernel says it is invalid");
	put("/a", "cpuset.cpus.partition", "member\n");
	assert_int_equal(get("/a", "cpuset.cpus.partition"), 0);
	expect("member", "member", EFFECTIVE_ITSELF, NULL);
}

static void a_list_has_its_effective_file(void **state)
{
	(void)state;
	put("/a", "cpuset.cpus", "0-1\n");
	put("/a", "cpuset.cpus.effective", "0-1\n");
	put("/a/b", "cpuset.cpus", "1-2\n");
	put("/a/b", "cpuset.cpus.effective", "1\n");
	assert_int_equal(get("/a/b", "cpuset.cpus"), 0);
	expect("1-2", "1", EFFECTIVE_ANCESTOR, "/a");
	put("/a/b", "cpuset.cpus.effective", "junk\n");
	assert_int_equal(get("/a/b", "cpuset.cpus"), 0);
	expect("1-2", "1-2", EFFECTIVE_UNKNOWN, NULL);
	put("/a/b", "cpuset.cpus.exclusive", "2-3\n");
	assert_int_equal(get("/a/b", "cpuset.cpus.exclusive"), 0);
	expect("2-3", "2-3", EFFECTIVE_ITSELF, NULL);
	put("/a/b", "cpuset.cpus.exclusive.effective", "2\n");
	assert_int_equal(get("/a/b", "cpuset.cpus.exclusive"), 0);
	expect("2-3", "2", EFFECTIVE_UNKNOWN, NULL);
}

static void a_file_that_nobody_sets_has_no_request(void **state)
{
	(void)state;
	put("/a", "memory.stat", "anon 4096\nfile 0\n");
	assert_int_equal(get("/a", "memory.stat"), 0);
	expect(NULL, "anon 4096\nfile 0", EFFECTIVE_ITSELF, NULL);
	put("/a", "cpu.max", "max 100000\n");
	assert_int_equal(get("/a", "cpu.max"), 0);
	expect("max 100000", "max 100000", EFFECTIVE_ITSELF, NULL);
}

static void a_controller_that_is_off_is_named_with_its_cgroup(void **state)
{
	(void)state;
	put("/a/b", "cgroup.controllers", "memory\n");
	assert_int_equal(get("/a/b", "cpuset.cpus"), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_non_null(strstr(err.text, "controller cpuset is not enabled in"));
	assert_non_null(strstr(err.text, "/a"));
	put("/a", "cgroup.controllers", "memory\n");
	assert_int_equal(get("/a/b", "cpuset.cpus"), -EOPNOTSUPP);
	assert_non_null(strstr(err.text, "controller cpuset is not enabled in"));
	put("", "cgroup.controllers", "memory\n");
	assert_int_equal(get("/a/b", "cpuset.cpus"), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_non_null(strstr(err.text, "root cgroup"));
}

static void what_is_not_there_is_told_apart(void **state)
{
	(void)state;
	assert_int_equal(get("/none", "memory.max"), -ENOENT);
	refused(-ENOENT, CGPOL_FAILED, "cgroup \"/none\" does not exist");
	assert_int_equal(get("/a", "memory.zswap.max"), -EOPNOTSUPP);
	refused(-EOPNOTSUPP, CGPOL_UNSUPPORTED,
		"cgroup /a has no memory.zswap.max: this kernel is 6.1, and it came with 5.19");
	assert_string_equal(err.hint, "use a kernel with CONFIG_ZSWAP");
	assert_int_equal(get("/", "memory.max"), -EOPNOTSUPP);
	refused(-EOPNOTSUPP, CGPOL_UNSUPPORTED, "the root cgroup has no memory.max");
	assert_int_equal(get("/a", "memory.mx"), -EOPNOTSUPP);
	refused(-EOPNOTSUPP, CGPOL_UNSUPPORTED, "cgroup /a has no memory.mx");
	assert_string_equal(err.hint, "did you mean memory.max?");
}

static void names_that_are_none_are_the_callers_mistake(void **state)
{
	static const char *const bad[] = {"", ".", "..", "../x", "a/b", ".hidden"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(get("/a", bad[i]), -EINVAL);
		assert_int_equal(err.kind, CGPOL_USAGE);
	}
	assert_int_equal(get("/a", "memory.limit_in_bytes"), -EINVAL);
	refused(-EINVAL, CGPOL_USAGE, "memory.limit_in_bytes is a file of cgroup v1: in v2 it is memory.max");
	assert_int_equal(get("/a", "memory.oom_control"), -EINVAL);
	refused(-EINVAL, CGPOL_USAGE, "memory.oom_control is a file of cgroup v1");
	assert_non_null(strstr(err.hint, "memory.oom.group"));
	assert_int_equal(get("/a", "frob\033"), -EINVAL);
	refused(-EINVAL, CGPOL_USAGE, "\"frob\\x1b\" is no file of a cgroup");
}

static void a_file_that_cannot_be_read_is_a_failure(void **state)
{
	(void)state;
	fakeroot_fail(root, "/sys/fs/cgroup/a/memory.max", EACCES);
	assert_int_equal(get("/a", "memory.max"), -EACCES);
	refused(-EACCES, CGPOL_FAILED, "cannot read memory.max of cgroup /a: Permission denied");
	/* One above that cannot be read does not count. */
	assert_int_equal(get("/a/b", "memory.max"), 0);
	expect("max", "max", EFFECTIVE_ITSELF, NULL);
}

static void without_cgroup2_nothing_is_there(void **state)
{
	struct cgpol_host bare = *host;

	(void)state;
	bare.cgroup2 = NULL;
	assert_int_equal(effective_read(&bare, "/a", "memory.max", &effective, &err), -EOPNOTSUPP);
	refused(-EOPNOTSUPP, CGPOL_UNSUPPORTED, "no cgroup2 file system is mounted");
}

static void a_setting_of_the_machine_holds_as_it_is(void **state)
{
	(void)state;
	assert_int_equal(effective_read_host(host, "vm.swappiness", &effective, &err), 0);
	expect("60", "60", EFFECTIVE_ITSELF, NULL);
	effective_clear(&effective);
	assert_int_equal(effective_read_host(host, "vm.frob", &effective, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(effective_read_host(host, "vm.zone_reclaim_mode", &effective, &err), -ENOENT);
	refused(-ENOENT, CGPOL_UNSUPPORTED,
		"this kernel has no vm.zone_reclaim_mode (/proc/sys/vm/zone_reclaim_mode)");
	fakeroot_fail(root, "/proc/sys/vm/swappiness", EACCES);
	assert_int_equal(effective_read_host(host, "vm.swappiness", &effective, &err), -EACCES);
	assert_int_equal(err.kind, CGPOL_FAILED);
}

static void each_maker_of_a_difference_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(effective_by_name(EFFECTIVE_ITSELF), "itself");
	assert_string_equal(effective_by_name(EFFECTIVE_ANCESTOR), "ancestor");
	assert_string_equal(effective_by_name(EFFECTIVE_MACHINE), "machine");
	assert_string_equal(effective_by_name(EFFECTIVE_SIBLING), "sibling");
	assert_string_equal(effective_by_name(EFFECTIVE_INVALID), "invalid");
	assert_string_equal(effective_by_name(EFFECTIVE_UNKNOWN), "unknown");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_lowest_limit_above_binds),
		TEST(a_limit_may_be_more_than_the_nodes_have),
		TEST(no_limit_of_swap_is_what_the_machine_has),
		TEST(a_protection_is_bounded_from_above),
		TEST(other_limits_are_looked_for_above_too),
		TEST(the_highest_oom_group_is_the_one_that_counts),
		TEST(a_frozen_ancestor_freezes),
		TEST(an_invalid_partition_tells_its_reason),
		TEST(a_list_has_its_effective_file),
		TEST(a_file_that_nobody_sets_has_no_request),
		TEST(a_controller_that_is_off_is_named_with_its_cgroup),
		TEST(what_is_not_there_is_told_apart),
		TEST(names_that_are_none_are_the_callers_mistake),
		TEST(a_file_that_cannot_be_read_is_a_failure),
		TEST(without_cgroup2_nothing_is_there),
		TEST(a_setting_of_the_machine_holds_as_it_is),
		TEST(each_maker_of_a_difference_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
