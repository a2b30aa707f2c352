/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a cpuset has other cpus or nodes than it asks for. What holds where is the kernel's:
 * Documentation/admin-guide/cgroup-v2.rst, "Cpuset Interface Files". */
#include "policy/narrowing.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "machine.h"
#include "test.h"

static struct root *root;
static struct cgpol_host *host;
static struct effective effective;

static void put(const char *cgroup, const char *file, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroup, file);
	fakeroot_put(root, path, text);
}

/* A cgroup with a cpuset: what it asks for, and what it has. */
static void put_cpuset(const char *cgroup, const char *state, const char *cpus, const char *have)
{
	put(cgroup, "cpuset.cpus", cpus);
	put(cgroup, "cpuset.cpus.effective", have);
	put(cgroup, "cpuset.cpus.partition", state);
}

static int make_machine(void **state)
{
	(void)state;
	root = machine_new();
	put("", "cpuset.cpus.effective", "0-3\n");
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	effective_clear(&effective);
	cgpol_host_free(host);
	return 0;
}

static int find(const char *cgroup, bool is_cpus, const char *asked, const char *have)
{
	AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset got = {0, NULL};

	assert_int_equal(nodeset_parse(asked, 4096, &wanted, NULL), 0);
	assert_int_equal(nodeset_parse(have, 4096, &got, NULL), 0);
	effective_clear(&effective);
	return narrowing_find(host, cgroup, is_cpus, &wanted, &got, &effective);
}

static void expect(enum effective_by by, const char *from, const char *reason)
{
	assert_int_equal(effective.by, by);
	if (from)
		assert_string_equal(effective.from, from);
	else
		assert_null(effective.from);
	if (reason)
		assert_string_equal(effective.reason, reason);
	else
		assert_null(effective.reason);
}

static void what_is_there_needs_no_reason(void **state)
{
	(void)state;
	assert_int_equal(find("/a", true, "1-2", "1-2"), 0);
	expect(EFFECTIVE_ITSELF, NULL, NULL);
	assert_int_equal(find("/a", false, "0", "0"), 0);
	expect(EFFECTIVE_ITSELF, NULL, NULL);
}

static void offline_cpus_are_named(void **state)
{
	(void)state;
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-1\n");
	put("", "cpuset.cpus.effective", "0-1\n");
	assert_int_equal(find("/a", true, "1-3", "1"), 0);
	expect(EFFECTIVE_MACHINE, NULL, "cpus 2-3 are offline");
	assert_int_equal(find("/a", true, "1,3", "1"), 0);
	expect(EFFECTIVE_MACHINE, NULL, "cpu 3 is offline");
}

static void nodes_that_are_offline_and_without_memory_are_told_apart(void **state)
{
	(void)state;
	fakeroot_put(root, "/sys/devices/system/node/online", "0-2\n");
	assert_int_equal(find("/a", false, "1-2", "1"), 0);
	expect(EFFECTIVE_MACHINE, NULL, "node 2 has no memory");
	assert_int_equal(find("/a", false, "1-4", "1"), 0);
	expect(EFFECTIVE_MACHINE, NULL, "nodes 3-4 are offline; node 2 has no memory");
}

static void the_uppermost_cgroup_that_lacks_them_is_named(void **state)
{
	(void)state;
	put_cpuset("/a", "member\n", "0-1\n", "0-1\n");
	put_cpuset("/a/b", "member\n", "\n", "0-1\n");
	assert_int_equal(find("/a/b/c", true, "1-2", "1"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a", "cgroup /a has only cpus 0-1");
	put("/a", "cpuset.mems.effective", "0-1\n");
	put("/a/b", "cpuset.mems.effective", "0\n");
	assert_int_equal(find("/a/b/c", false, "0-1", "0"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a/b", "cgroup /a/b has only node 0");
}

static void the_machine_and_a_cgroup_are_both_told(void **state)
{
	(void)state;
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-2\n");
	put("", "cpuset.cpus.effective", "0-2\n");
	put_cpuset("/a", "member\n", "0-1\n", "0-1\n");
	assert_int_equal(find("/a/b", true, "1-3", "1"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a", "cpu 3 is offline; cgroup /a has only cpus 0-1");
}

static void with_nothing_left_it_has_what_is_above(void **state)
{
	(void)state;
	put_cpuset("/a", "member\n", "0-1\n", "0-1\n");
	assert_int_equal(find("/a/b", true, "2-3", "0-1"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a",
	       "cgroup /a has only cpus 0-1; none of its own is left, so it has what the cgroup above has");
}

static void asking_for_nothing_is_following_the_one_above(void **state)
{
	(void)state;
	assert_int_equal(find("/a/b", true, "", "0-3"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a", "it asks for none, and has what cgroup /a has");
}

static void a_partition_beside_it_has_them(void **state)
{
	(void)state;
	put("", "cpuset.cpus.effective", "0-1\n");
	put_cpuset("/p", "isolated\n", "2-3\n", "2-3\n");
	put_cpuset("/q", "root invalid (Cpu list in cpuset.cpus not exclusive)\n", "1-2\n", "1\n");
	assert_int_equal(find("/a", true, "1-2", "1"), 0);
	expect(EFFECTIVE_SIBLING, "/p", "cgroup /p is a partition and has cpu 2");
}

static void a_partition_beside_one_above_has_them(void **state)
{
	(void)state;
	put("", "cpuset.cpus.effective", "0-1\n");
	put_cpuset("/a", "member\n", "\n", "0-1\n");
	put_cpuset("/p", "root\n", "2-3\n", "2-3\n");
	assert_int_equal(find("/a/b", true, "1-3", "1"), 0);
	expect(EFFECTIVE_SIBLING, "/p", "cgroup /p is a partition and has cpus 2-3");
}

static void a_partition_below_it_has_them(void **state)
{
	(void)state;
	put_cpuset("/a", "root\n", "1-3\n", "1-2\n");
	put_cpuset("/a/p", "root\n", "3\n", "3\n");
	assert_int_equal(find("/a", true, "1-3", "1-2"), 0);
	expect(EFFECTIVE_SIBLING, "/a/p", "cgroup /a/p is a partition and has cpu 3");
}

/* From 6.7 on: cpuset.cpus.exclusive of each cgroup on the way names the cpus of a remote partition. */
static void a_remote_partition_is_found_through_those_that_keep_its_cpus(void **state)
{
	(void)state;
	put("", "cpuset.cpus.effective", "0-1\n");
	put_cpuset("/k", "member\n", "\n", "0-1\n");
	put("/k", "cpuset.cpus.exclusive.effective", "2-3\n");
	assert_int_equal(find("/a", true, "0-2", "0-1"), 0);
	expect(EFFECTIVE_SIBLING, "/k", "cgroup /k keeps cpu 2");
	/* Below the same cgroup as the one that is asked about. */
	put_cpuset("/k/r", "isolated\n", "\n", "2-3\n");
	put("/k/r", "cpuset.cpus.exclusive.effective", "2-3\n");
	assert_int_equal(find("/k/a", true, "0-2", "0-1"), 0);
	expect(EFFECTIVE_SIBLING, "/k/r", "cgroup /k/r is a partition and has cpu 2");
}

static void a_partition_has_the_exclusive_cpus_only(void **state)
{
	(void)state;
	put_cpuset("/a", "root\n", "1-3\n", "3\n");
	put("/a", "cpuset.cpus.exclusive", "3\n");
	assert_int_equal(find("/a", true, "1-3", "3"), 0);
	expect(EFFECTIVE_ITSELF, NULL, "a partition has the cpus of its cpuset.cpus.exclusive only");
}

static void what_nothing_explains_is_unknown(void **state)
{
	(void)state;
	assert_int_equal(find("/a", true, "1-3", "3"), 0);
	expect(EFFECTIVE_UNKNOWN, NULL, "nothing that can be read tells why");
}

static void hostile_names_are_escaped(void **state)
{
	(void)state;
	put_cpuset("/a\033[1m", "member\n", "0-1\n", "0-1\n");
	assert_int_equal(find("/a\033[1m/b", true, "1-2", "1"), 0);
	expect(EFFECTIVE_ANCESTOR, "/a\033[1m", "cgroup /a\\x1b[1m has only cpus 0-1");
}

static void what_cannot_be_read_is_passed_over(void **state)
{
	(void)state;
	put("", "cpuset.cpus.effective", "0-1\n");
	put_cpuset("/a", "member\n", "\n", "0-1\n");
	put_cpuset("/p", "root\n", "2-3\n", "2-3\n");
	for (unsigned n = 1;; n++) {
		unsigned before = fakeroot_accesses(root);

		fakeroot_fail_nth(root, n, EIO);
		assert_int_equal(find("/a/b", true, "1-3", "1"), 0);
		assert_non_null(effective.reason);
		fakeroot_fail_nth(root, 0, 0);
		if (fakeroot_accesses(root) - before < n)
			break;
		fakeroot_fail_nth(root, n, ENOMEM);
		(void)find("/a/b", true, "1-3", "1");
		fakeroot_fail_nth(root, 0, 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_there_needs_no_reason),
		TEST(offline_cpus_are_named),
		TEST(nodes_that_are_offline_and_without_memory_are_told_apart),
		TEST(the_uppermost_cgroup_that_lacks_them_is_named),
		TEST(the_machine_and_a_cgroup_are_both_told),
		TEST(with_nothing_left_it_has_what_is_above),
		TEST(asking_for_nothing_is_following_the_one_above),
		TEST(a_partition_beside_it_has_them),
		TEST(a_partition_beside_one_above_has_them),
		TEST(a_partition_below_it_has_them),
		TEST(a_remote_partition_is_found_through_those_that_keep_its_cpus),
		TEST(a_partition_has_the_exclusive_cpus_only),
		TEST(what_nothing_explains_is_unknown),
		TEST(hostile_names_are_escaped),
		TEST(what_cannot_be_read_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
