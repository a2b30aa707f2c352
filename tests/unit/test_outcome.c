/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a cgroup's files say of a command, and that what is missing is left out. */
#include "test.h"

#include "act/outcome.h"
#include "fakeroot.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;

static int make(void **state)
{
	(void)state;
	root = fakeroot_new();
	fakeroot_put(root, "/proc/self/mountinfo", "24 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
	fakeroot_mkdir(root, "/sys/fs/cgroup/a");
	return host_open_root(root, &host, NULL);
}

static int drop(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void reads_what_is_there(void **state)
{
	struct outcome outcome = {0};

	(void)state;
	fakeroot_put(root, "/sys/fs/cgroup/a/cpuset.cpus.effective", "0-2\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/cpuset.mems.effective", "1\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "1048576\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.peak", "4096\n");
	assert_int_equal(outcome_read(host, "/a", &outcome), 0);
	assert_string_equal(outcome.cpus, "0-2");
	assert_string_equal(outcome.mems, "1");
	assert_true(outcome.has_max);
	assert_int_equal(outcome.memory_max, 1048576);
	assert_true(outcome.has_peak);
	assert_int_equal(outcome.peak, 4096);
	outcome_clear(&outcome);
}

static void what_is_missing_is_left_out(void **state)
{
	struct outcome outcome = {0};

	(void)state;
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "max\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.peak", "nonsense\n");
	assert_int_equal(outcome_read(host, "/a", &outcome), 0);
	assert_null(outcome.cpus);
	assert_null(outcome.mems);
	assert_true(outcome.has_max);
	assert_true(outcome.memory_max == UINT64_MAX);
	assert_false(outcome.has_peak);
	outcome_clear(&outcome);
	assert_int_equal(outcome_read(host, "/gone", &outcome), 0);
	assert_false(outcome.has_max);
	outcome_clear(&outcome);
}

static void any_file_may_vanish_and_only_memory_counts(void **state)
{
	(void)state;
	reads_what_is_there(state);
	for (unsigned n = 1; n <= 4; n++) {
		struct outcome outcome = {.peak = 7};

		fakeroot_fail_nth(root, n, ENODEV);
		assert_int_equal(outcome_read(host, "/a", &outcome), 0);
		outcome_clear(&outcome);
		outcome.peak = 7;
		fakeroot_fail_nth(root, n, ENOMEM);
		assert_int_equal(outcome_read(host, "/a", &outcome), -ENOMEM);
		assert_int_equal(outcome.peak, 7);
	}
}

static void tells_a_frozen_cgroup(void **state)
{
	(void)state;
	assert_int_equal(outcome_is_frozen(host, "/a"), 0);
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.events", "populated 0\nfrozen 0\n");
	assert_int_equal(outcome_is_frozen(host, "/a"), 0);
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.events", "populated 0\nfrozen 1\n");
	assert_int_equal(outcome_is_frozen(host, "/a"), 1);
	fakeroot_fail_nth(root, 1, ENOMEM);
	assert_int_equal(outcome_is_frozen(host, "/a"), -ENOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_what_is_there),
		TEST(what_is_missing_is_left_out),
		TEST(tells_a_frozen_cgroup),
		TEST(any_file_may_vanish_and_only_memory_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
