/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A removed cgroup is made again as it was: owners, mark, controllers, settings. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "policy/remake.h"

#define CG "/sys/fs/cgroup"

static struct root *kernel;
static struct cgpol_host *host;

static int open_host(void **state)
{
	(void)state;
	kernel = fakekernel_new(NULL);
	return host_open_root(kernel, &host, NULL);
}

static int close_host(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

/* Removes /a, makes it again, and compares the whole machine. */
static void goes_and_comes(void)
{
	AUTO(free_p) char *before = fakekernel_dump_settings(kernel);
	AUTO(free_p) char *after = NULL;
	AUTO(free_p) char *saved = NULL;

	assert_int_equal(remake_save(host, "/a", &saved), 0);
	assert_int_equal(fakekernel_rmdir(kernel, "/a"), 0);
	assert_int_equal(remake_make(host, "/a", saved), 0);
	after = fakekernel_dump_settings(kernel);
	assert_string_equal(after, before);
	/* A second time nothing is left to do. */
	assert_int_equal(remake_make(host, "/a", saved), 0);
}

static void a_bare_one_comes_back_bare(void **state)
{
	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	goes_and_comes();
}

static void settings_controllers_owners_and_mark_come_back(void **state)
{
	(void)state;
	fakekernel_put(kernel, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
	fakekernel_cgroup(kernel, "/a", "cpuset.cpus=1-2", "cpuset.mems=1", "memory.high=8192",
			  "memory.max=16384", "io.max=252:0 rbps=7", "cpu.max=5000 20000", "pids.max=5",
			  "hugetlb.2MB.max=4194304", NULL);
	assert_int_equal(fakekernel_poke(kernel, "/a", "cgroup.subtree_control", "+memory +pids"), 0);
	fakekernel_own(kernel, "/a", NULL, 1000, 1001);
	fakekernel_own(kernel, "/a", "cgroup.procs", 1000, 1002);
	assert_int_equal(mark_set(host, "/a", MARK_KEPT), 0);
	goes_and_comes();
}

static void a_setting_that_waits_for_another_comes_back(void **state)
{
	(void)state;
	/* cpu.weight says 0 while cpu.idle is 1, and takes no 0. */
	fakekernel_cgroup(kernel, "/a", "cpu.idle=1", NULL);
	goes_and_comes();
}

static void a_partition_comes_back(void **state)
{
	(void)state;
	fakekernel_cgroup(kernel, "/a", "cpuset.cpus=2-3", "cpuset.cpus.partition=root", NULL);
	goes_and_comes();
}

static void a_threaded_one_comes_back(void **state)
{
	(void)state;
	assert_int_equal(fakekernel_poke(kernel, "/a", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(kernel, "/a", "cgroup.type", "threaded"), 0);
	goes_and_comes();
}

static void killed_anywhere_it_is_unfinished_and_finished_by_the_next(void **state)
{
	AUTO(free_p) char *saved = NULL;
	AUTO(free_p) char *before = NULL;

	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.high=8192", "memory.max=16384", "pids.max=5", NULL);
	fakekernel_own(kernel, "/a", NULL, 1000, 1001);
	before = fakekernel_dump_settings(kernel);
	assert_int_equal(remake_save(host, "/a", &saved), 0);
	for (unsigned n = 2;; n++) {
		AUTO(free_p) char *after = NULL;
		int rc;

		assert_int_equal(fakekernel_rmdir(kernel, "/a"), 0);
		fakekernel_crash_after(kernel, n);
		rc = remake_make(host, "/a", saved);
		fakekernel_crash_after(kernel, 0);
		if (rc == 0)
			break;
		assert_true(remake_is_unfinished(host, "/a"));
		assert_int_equal(remake_make(host, "/a", saved), 0);
		after = fakekernel_dump_settings(kernel);
		assert_string_equal(after, before);
		assert_true(n < 20);
	}
	assert_false(remake_is_unfinished(host, "/a"));
}

static void what_does_not_come_out_as_it_was_is_told(void **state)
{
	AUTO(free_p) char *saved = NULL;

	(void)state;
	fakekernel_cgroup(kernel, "/a", "memory.max=16384", NULL);
	assert_int_equal(remake_save(host, "/a", &saved), 0);
	assert_int_equal(fakekernel_rmdir(kernel, "/a"), 0);
	fakekernel_fail(kernel, FAKEKERNEL_CHANGES, CG "/a/memory.max", EACCES);
	assert_int_equal(remake_make(host, "/a", saved), -EIO);
	assert_true(remake_is_unfinished(host, "/a") || !remake_is_bare(host, "/a"));
}

static void what_nobody_saved_is_refused(void **state)
{
	static const char *const bad[] = {"rubbish\n", "set\n",		  "set a/b 1\n",
					  "owner x\n", "owner 1:1 a/b\n", "set memory.max %\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(remake_make(host, "/b", bad[i]), -EBADMSG);
}

static void one_that_is_gone_cannot_be_saved(void **state)
{
	char *saved = NULL;

	(void)state;
	assert_int_equal(remake_save(host, "/a", &saved), -ENOENT);
	assert_null(saved);
	assert_false(remake_is_bare(host, "/a"));
	assert_false(remake_is_unfinished(host, "/a"));
}

static void only_one_that_nobody_touched_is_bare(void **state)
{
	(void)state;
	fakekernel_cgroup(kernel, "/a", NULL);
	assert_true(remake_is_bare(host, "/a"));
	assert_int_equal(fakekernel_poke(kernel, "/a", "pids.max", "7"), 0);
	assert_false(remake_is_bare(host, "/a"));
	fakekernel_cgroup(kernel, "/b", NULL);
	assert_int_equal(fakekernel_start(kernel, "/b", 101), 0);
	assert_false(remake_is_bare(host, "/b"));
	fakekernel_cgroup(kernel, "/c/d", NULL);
	assert_false(remake_is_bare(host, "/c"));
	assert_int_equal(mark_set(host, "/c/d", MARK_PARENT), 0);
	assert_false(remake_is_bare(host, "/c/d"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_host, close_host)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bare_one_comes_back_bare),
		TEST(settings_controllers_owners_and_mark_come_back),
		TEST(a_setting_that_waits_for_another_comes_back),
		TEST(a_partition_comes_back),
		TEST(a_threaded_one_comes_back),
		TEST(killed_anywhere_it_is_unfinished_and_finished_by_the_next),
		TEST(what_does_not_come_out_as_it_was_is_told),
		TEST(what_nobody_saved_is_refused),
		TEST(one_that_is_gone_cannot_be_saved),
		TEST(only_one_that_nobody_touched_is_bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
