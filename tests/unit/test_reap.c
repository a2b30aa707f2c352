/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a killed cgpol left goes, and nothing else does. */
#include "test.h"

#include "act/reap.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "populated.h"

static struct root *root;
static struct cgpol_host *host;
static struct populated populated;

static void put_stat(pid_t pid, unsigned long long start_time)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	(void)snprintf(text, sizeof(text),
		       "%d (cgpol) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 "
		       "%llu 1 1 1 1 1 140000 0 0 0 0 "
		       "0 0 0 0 0 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		       pid, start_time);
	fakekernel_put(root, path, text);
}

static int make_machine(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	populated_wrap(&populated, root);
	put_stat(1, 3);
	put_stat(50, 500); /* a cgpol that lives */
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

/* A cgroup with the attribute as cgpol writes it: NULL is none. */
static void put_cgroup(const char *name, const char *mark)
{
	char path[128];

	fakekernel_cgroup(root, name, NULL);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s", name);
	if (mark)
		assert_int_equal(root_set_xattr(root, path, "user.cgpol", mark), 0);
}

/* The last word is the inode of the initial pid namespace, include/linux/proc_ns.h PROC_PID_INIT_INO. */
static const char stale[] = "run 40 400 4026531836", fresh[] = "run 50 500 4026531836";

static bool is_there(const char *name)
{
	struct root_info info;
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s", name);
	return root_stat(root, path, &info) == 0;
}

static const char *join(char *const *name, size_t count)
{
	static char text[512];

	*text = '\0';
	for (size_t i = 0; i < count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			       name[i]);
	return text;
}

static void expect_reaped(const char *parent, bool is_deep, bool dry, const char *removed, const char *busy)
{
	AUTO(reaped_clear) struct reaped reaped = {0};
	struct cgpol_error err = {0};

	if (reap(host, parent, is_deep, dry, &reaped, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(join(reaped.name, reaped.count), removed);
	assert_string_equal(join(reaped.busy, reaped.busy_count), busy);
}

static void what_a_killed_cgpol_left_goes(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-40", stale);
	put_cgroup("/cgpol/b-50", fresh);
	expect_reaped("/cgpol", false, false, "/cgpol/a-40", "");
	assert_false(is_there("/cgpol/a-40"));
	assert_true(is_there("/cgpol/b-50"));
}

static void the_marked_parent_goes_when_it_is_empty(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-40", stale);
	put_cgroup("/cgpol/b-41", "run 41 410 4026531836");
	expect_reaped("/cgpol", false, false, "/cgpol/b-41 /cgpol/a-40 /cgpol", "");
	assert_false(is_there("/cgpol"));
}

/* cgpol was killed between making it and marking it. */
static void the_home_needs_no_mark(void **state)
{
	(void)state;
	put_cgroup("/cgpol", NULL);
	expect_reaped("/", true, false, "/cgpol", "");
	put_cgroup("/cgpol", NULL);
	put_cgroup("/cgpol/a-40", stale);
	put_cgroup("/cgpol/theirs", NULL);
	expect_reaped("/cgpol", false, false, "/cgpol/a-40", "");
	assert_true(is_there("/cgpol"));
}

static void a_guess_is_not_made_about_others(void **state)
{
	(void)state;
	put_cgroup("/cgpol", NULL);
	put_cgroup("/cgpol/sh-40", NULL);
	root->facts.uid = 1000; /* all here is root's */
	expect_reaped("/", true, false, "", "");
	root->facts.uid = 0;
	expect_reaped("/", true, false, "/cgpol/sh-40 /cgpol", "");
}

static void a_home_that_somebody_has_set_up_stays(void **state)
{
	(void)state;
	assert_int_equal(root_write(root, "/sys/fs/cgroup/cgroup.subtree_control", "+memory"), 0);
	put_cgroup("/cgpol", NULL);
	assert_int_equal(fakekernel_poke(root, "/cgpol", "memory.max", "1048576"), 0);
	expect_reaped("/", true, false, "", "");
	assert_int_equal(fakekernel_poke(root, "/cgpol", "memory.max", "max"), 0);
	expect_reaped("/", true, false, "/cgpol", "");
}

static void a_parent_that_is_not_marked_stays(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	expect_reaped("/jobs", false, false, "/jobs/a", "");
	assert_true(is_there("/jobs"));
}

static void what_others_made_or_was_kept_stays(void **state)
{
	(void)state;
	put_cgroup("/jobs", "parent");
	put_cgroup("/jobs/theirs", NULL);
	put_cgroup("/jobs/kept", "kept");
	put_cgroup("/jobs/forged", "run 40 400 4026531836 ");
	put_cgroup("/jobs/a-40", NULL); /* by its name only below /cgpol */
	expect_reaped("/jobs", true, false, "", "");
}

static void a_pid_that_was_given_again_is_another_process(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", "run 50 499 4026531836");
	expect_reaped("/jobs", false, false, "/jobs/a", "");
}

static void a_stale_one_in_which_somebody_lives_is_busy(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-40", stale);
	put_cgroup("/cgpol/b-40", stale);
	put_cgroup("/cgpol/b-40/inner", NULL);
	assert_int_equal(fakekernel_start(root, "/cgpol/a-40", 60), 0);
	assert_int_equal(fakekernel_start(root, "/cgpol/b-40/inner", 61), 0);
	expect_reaped("/cgpol", true, true, "", "/cgpol/b-40 /cgpol/a-40"); /* without trying */
	expect_reaped("/cgpol", true, false, "", "/cgpol/b-40 /cgpol/a-40");
	expect_reaped("/cgpol", false, false, "", "/cgpol/b-40 /cgpol/a-40");
	fakekernel_end(root, 60);
	fakekernel_end(root, 61);
	expect_reaped("/cgpol", false, false, "/cgpol/b-40/inner /cgpol/b-40 /cgpol/a-40 /cgpol", "");
}

static void what_lies_below_a_stale_one_goes_with_it(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	put_cgroup("/jobs/a/x/y", NULL);
	put_cgroup("/jobs/a/z", NULL);
	expect_reaped("/jobs", false, false, "/jobs/a/x/y /jobs/a/z /jobs/a/x /jobs/a", "");
}

static void a_living_cgpol_below_a_stale_one_is_left_alone(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	put_cgroup("/jobs/a/inner", fresh); /* made, and its process is still to come */
	expect_reaped("/jobs", false, true, "", "/jobs/a");
	expect_reaped("/jobs", false, false, "", "/jobs/a");
	assert_true(is_there("/jobs/a/inner"));
}

/* It belongs to a container, whose processes have other numbers here. */
static void what_another_pid_namespace_marked_stays(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", "run 40 400 4026532201");
	put_cgroup("/jobs/b", "run 40 400");
	expect_reaped("/", true, false, "", "");
	root->facts.pidns = 4026532201;
	expect_reaped("/", true, false, "/jobs/a", "");
}

static void a_kept_one_below_a_stale_one_stays_with_all_in_it(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	put_cgroup("/jobs/a/kept", "kept");
	put_cgroup("/jobs/a/kept/x", NULL);
	put_cgroup("/jobs/a/y", NULL);
	expect_reaped("/jobs", false, true, "/jobs/a/y", "/jobs/a");
	expect_reaped("/jobs", true, false, "/jobs/a/y", "/jobs/a");
	assert_true(is_there("/jobs/a/kept/x"));
	/* What cannot be read may be one. */
	assert_int_equal(fakekernel_rmdir(root, "/jobs/a/kept/x"), 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/jobs/a/kept", EACCES);
	expect_reaped("/jobs", false, false, "", "/jobs/a");
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/jobs/a/kept", 0);
	assert_true(is_there("/jobs/a/kept"));
}

static void what_a_living_cgpol_has_below_a_stale_one_stays(void **state)
{
	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	put_cgroup("/jobs/a/inner", fresh);
	put_cgroup("/jobs/a/inner/x", NULL); /* made by its command, which has not moved there yet */
	expect_reaped("/", true, false, "", "/jobs/a");
	assert_true(is_there("/jobs/a/inner/x"));
}

/* cgpol marks before it sets anything: this is somebody else's with such a name. */
static void a_name_says_nothing_of_what_is_in_use(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/set-40", NULL);
	assert_int_equal(root_write(root, "/sys/fs/cgroup/cgpol/cgroup.subtree_control", "+pids"), 0);
	assert_int_equal(fakekernel_poke(root, "/cgpol/set-40", "pids.max", "7"), 0);
	put_cgroup("/cgpol/full-40/x", NULL);
	expect_reaped("/", true, false, "", "");
	assert_int_equal(fakekernel_poke(root, "/cgpol/set-40", "pids.max", "max"), 0);
	assert_int_equal(fakekernel_rmdir(root, "/cgpol/full-40/x"), 0);
	expect_reaped("/", true, false, "/cgpol/full-40 /cgpol/set-40 /cgpol", "");
}

static void what_was_not_marked_yet_counts_by_its_name(void **state)
{
	static const char *const stay[] = {
		"/cgpol/sh-50", "/cgpol/sh",	 "/cgpol/-40",	   "/cgpol/sh-040",
		"/cgpol/sh-4x", "/cgpol/sh-0x7", "/cgpol/x/sh-40", "/cgpol/sh-99999999999999999999",
	};

	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/my-prog-40", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(stay); i++)
		put_cgroup(stay[i], NULL);
	put_cgroup("/user/cgpol/sh-40", NULL); /* what was handed over to a user */
	expect_reaped("/user/cgpol", false, false, "/user/cgpol/sh-40 /user/cgpol", "");
	expect_reaped("/cgpol", true, false, "/cgpol/my-prog-40", "");
	for (size_t i = 0; i < ARRAY_SIZE(stay); i++)
		if (!is_there(stay[i]))
			fail_msg("%s is gone", stay[i]);
}

static void a_name_says_nothing_where_not_all_processes_are_seen(void **state)
{
	(void)state;
	put_cgroup("/cgpol", NULL);
	put_cgroup("/cgpol/sh-40", NULL);
	root->facts.initial_pidns = false;
	expect_reaped("/cgpol", false, false, "", "");
	root->facts.initial_pidns = true;
	fakekernel_fail(root, FAKEKERNEL_READS, "/proc/1/stat", ENOENT); /* hidepid= */
	expect_reaped("/cgpol", false, false, "", "");
	fakekernel_fail(root, FAKEKERNEL_READS, "/proc/1/stat", 0);
	expect_reaped("/cgpol", false, false, "/cgpol/sh-40 /cgpol", "");
}

static void marked_parents_go_upwards_as_far_as_they_are_empty(void **state)
{
	(void)state;
	put_cgroup("/team", NULL);
	put_cgroup("/team/web", "parent");
	put_cgroup("/team/web/db", "parent");
	put_cgroup("/team/web/db/a", stale);
	put_cgroup("/team/other", "parent");
	put_cgroup("/team/other/theirs", NULL);
	expect_reaped("/", true, false, "/team/web/db/a /team/web/db /team/web", "");
	assert_true(is_there("/team/other"));
}

static void only_the_children_are_looked_at_when_it_is_not_deep(void **state)
{
	(void)state;
	put_cgroup("/team", NULL);
	put_cgroup("/team/web", NULL);
	put_cgroup("/team/web/a", stale);
	expect_reaped("/team", false, false, "", "");
	expect_reaped("/team", true, false, "/team/web/a", "");
}

static void a_dry_run_tells_the_same_and_changes_nothing(void **state)
{
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-40", stale);
	put_cgroup("/cgpol/a-40/x", NULL);
	before = fakekernel_dump(root);
	expect_reaped("/", true, true, "/cgpol/a-40/x /cgpol/a-40 /cgpol", "");
	after = fakekernel_dump(root);
	assert_string_equal(before, after);
	expect_reaped("/", true, false, "/cgpol/a-40/x /cgpol/a-40 /cgpol", "");
}

static void no_such_parent_is_nothing(void **state)
{
	(void)state;
	expect_reaped("/none", false, false, "", "");
	expect_reaped("/none", true, true, "", "");
}

static void another_cgpol_may_be_faster(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV, EBUSY, ENOTEMPTY};

	(void)state;
	put_cgroup("/jobs", NULL);
	put_cgroup("/jobs/a", stale);
	put_cgroup("/jobs/b", stale);
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		AUTO(reaped_clear) struct reaped reaped = {0};

		put_cgroup("/jobs/b", stale);
		fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/jobs/a", errnums[i]);
		assert_int_equal(reap(host, "/jobs", false, false, &reaped, NULL), 0);
		assert_string_equal(join(reaped.name, reaped.count), "/jobs/b");
	}
}

static void a_refusal_is_told(void **state)
{
	struct reaped reaped = {0};
	struct cgpol_error err = {0};

	(void)state;
	put_cgroup("/jobs/a\x1b", stale);
	put_cgroup("/jobs/0", stale);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/jobs/a\x1b", EPERM);
	assert_int_equal(reap(host, "/jobs", false, false, &reaped, &err), -EPERM);
	assert_string_equal(err.text, "cgroup \"/jobs/a\\x1b\" cannot be removed: Operation not permitted");
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_int_equal(reaped.count, 0);
	assert_false(is_there("/jobs/0")); /* the others go nevertheless */
}

static void a_capture_is_refused_and_a_machine_without_cgroup2_told(void **state)
{
	struct cgpol_host *other;
	struct reaped reaped = {0};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(host_open_root(fakeroot_new(), &other, NULL), 0);
	assert_int_equal(reap(other, "/", true, true, &reaped, &err), -EROFS);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	cgpol_host_free(other);
	free(host->cgroup2);
	host->cgroup2 = NULL;
	assert_int_equal(reap(host, "/", true, true, &reaped, &err), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_int_equal(reap_own(host, "/a", 0), 0);
}

/* Whatever one access fails with, nothing of others goes and what is left can
 * be reaped later. */
static void any_access_may_fail(void **state)
{
	unsigned n = 0;
	bool is_done = false;

	(void)state;
	put_cgroup("/theirs", NULL);
	while (!is_done) {
		AUTO(reaped_clear) struct reaped reaped = {0};
		unsigned before;

		put_cgroup("/cgpol", "parent");
		put_cgroup("/cgpol/a-40", stale);
		put_cgroup("/cgpol/a-40/x", NULL);
		put_cgroup("/cgpol/b-50", fresh);
		before = fakekernel_accesses(root, FAKEKERNEL_READS | FAKEKERNEL_CHANGES);
		fakekernel_fail_nth(root, FAKEKERNEL_READS | FAKEKERNEL_CHANGES, ++n, EIO);
		(void)reap(host, "/", true, false, &reaped, NULL);
		is_done = fakekernel_accesses(root, FAKEKERNEL_READS | FAKEKERNEL_CHANGES) - before < n;
		fakekernel_fail_nth(root, 0, 0, 0);
		assert_true(is_there("/cgpol/b-50") && is_there("/theirs"));
	}
	assert_true(n > 20);
	assert_false(is_there("/cgpol/a-40"));
}

static void ones_own_goes_with_all_below_it_and_its_empty_parents(void **state)
{
	(void)state;
	put_cgroup("/team", NULL);
	put_cgroup("/team/p/q", "parent");
	put_cgroup("/team/p", "parent");
	put_cgroup("/team/p/q/a", fresh);
	put_cgroup("/team/p/q/a/x/y", NULL);
	assert_int_equal(reap_own(host, "/team/p/q/a", 0), 0);
	assert_false(is_there("/team/p"));
	assert_true(is_there("/team"));
}

static void a_parent_that_others_use_stays(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-50", fresh);
	put_cgroup("/cgpol/b-51", "run 51 510 4026531836");
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), 0);
	assert_false(is_there("/cgpol/a-50"));
	assert_true(is_there("/cgpol/b-51"));
}

static void ones_own_in_which_somebody_lives_stays(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-50/x", NULL);
	assert_int_equal(fakekernel_start(root, "/cgpol/a-50/x", 60), 0);
	assert_int_equal(reap_own(host, "/cgpol/a-50", 100000), -EBUSY); /* at once */
	assert_true(is_there("/cgpol/a-50/x"));
	fakekernel_end(root, 60);
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), 0);
	assert_false(is_there("/cgpol"));
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), 0); /* gone already */
}

static void a_kept_one_below_ones_own_stays(void **state)
{
	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-50", fresh);
	put_cgroup("/cgpol/a-50/x/kept", "kept");
	put_cgroup("/cgpol/a-50/x/kept/y", NULL);
	put_cgroup("/cgpol/a-50/x/kept-not", NULL);
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), -EBUSY);
	assert_true(is_there("/cgpol/a-50/x/kept/y"));
	assert_false(is_there("/cgpol/a-50/x/kept-not"));
	assert_int_equal(fakekernel_rmdir(root, "/cgpol/a-50/x/kept/y"), 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/cgpol/a-50/x/kept", EACCES);
	assert_true(reap_own(host, "/cgpol/a-50", 0) < 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/cgpol/a-50/x/kept", 0);
	assert_true(is_there("/cgpol/a-50/x/kept"));
	assert_int_equal(fakekernel_rmdir(root, "/cgpol/a-50/x/kept"), 0);
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), 0);
	assert_false(is_there("/cgpol"));
}

/* A confined start pays for it: an rmdir, and the look at one parent. */
static void ones_own_costs_next_to_nothing(void **state)
{
	unsigned before;

	(void)state;
	put_cgroup("/cgpol", "parent");
	put_cgroup("/cgpol/a-50", fresh);
	before = fakekernel_accesses(root, FAKEKERNEL_READS | FAKEKERNEL_CHANGES);
	assert_int_equal(reap_own(host, "/cgpol/a-50", 0), 0);
	assert_false(is_there("/cgpol"));
	assert_in_range(fakekernel_accesses(root, FAKEKERNEL_READS | FAKEKERNEL_CHANGES) - before, 3, 4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_a_killed_cgpol_left_goes),
		TEST(the_marked_parent_goes_when_it_is_empty),
		TEST(the_home_needs_no_mark),
		TEST(a_guess_is_not_made_about_others),
		TEST(a_home_that_somebody_has_set_up_stays),
		TEST(a_parent_that_is_not_marked_stays),
		TEST(what_others_made_or_was_kept_stays),
		TEST(a_pid_that_was_given_again_is_another_process),
		TEST(a_stale_one_in_which_somebody_lives_is_busy),
		TEST(what_lies_below_a_stale_one_goes_with_it),
		TEST(a_living_cgpol_below_a_stale_one_is_left_alone),
		TEST(what_another_pid_namespace_marked_stays),
		TEST(a_kept_one_below_a_stale_one_stays_with_all_in_it),
		TEST(what_a_living_cgpol_has_below_a_stale_one_stays),
		TEST(a_name_says_nothing_of_what_is_in_use),
		TEST(what_was_not_marked_yet_counts_by_its_name),
		TEST(a_name_says_nothing_where_not_all_processes_are_seen),
		TEST(marked_parents_go_upwards_as_far_as_they_are_empty),
		TEST(only_the_children_are_looked_at_when_it_is_not_deep),
		TEST(a_dry_run_tells_the_same_and_changes_nothing),
		TEST(no_such_parent_is_nothing),
		TEST(another_cgpol_may_be_faster),
		TEST(a_refusal_is_told),
		TEST(a_capture_is_refused_and_a_machine_without_cgroup2_told),
		TEST(any_access_may_fail),
		TEST(ones_own_goes_with_all_below_it_and_its_empty_parents),
		TEST(a_parent_that_others_use_stays),
		TEST(ones_own_in_which_somebody_lives_stays),
		TEST(a_kept_one_below_ones_own_stays),
		TEST(ones_own_costs_next_to_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
