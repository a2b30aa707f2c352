/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The marks: what is written, what is taken for one of ours, and when its owner is gone. */
#include "test.h"

#include "fakeroot.h"
#include "host/mark.h"

static struct root_ops ops; /* the fake root's, and one that sets attributes */
static struct root *root;
static struct cgpol_host *host;

static int set_attribute(struct root *fake, const char *path, const char *name, const char *value)
{
	fakeroot_set_xattr(fake, path, name, value);
	return 0;
}

static void put_stat(pid_t pid, char state, unsigned long long start_time)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	/* proc(5): the state is the third field, the start time the 22nd. */
	(void)snprintf(text, sizeof(text),
		       "%d (a) b) %c 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 %llu 1 1 1 1 1 140000 0 0 0 "
		       "0 0 0 0 0 0"
		       " 17 0 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		       pid, state, start_time);
	fakeroot_put(root, path, text);
}

static int make_machine(void **state)
{
	(void)state;
	root = fakeroot_new();
	fakeroot_put(root, "/proc/self/mountinfo", "24 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
	fakeroot_mkdir(root, "/sys/fs/cgroup/a/b");
	put_stat(1, 'S', 3);
	put_stat(root->facts.self, 'R', 18446744073709551615ULL);
	if (host_open_root(root, &host, NULL) < 0)
		return -1;
	ops = *root->ops;
	ops.set_xattr = set_attribute;
	root->ops = &ops;
	return 0;
}

static int remove_machine(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void expect_attribute(const char *expected)
{
	char *value = NULL;

	assert_int_equal(root_get_xattr(root, "/sys/fs/cgroup/a/b", "user.cgpol", &value), 0);
	assert_string_equal(value, expected);
	free(value);
}

static void what_is_set_is_read(void **state)
{
	struct mark mark;

	(void)state;
	assert_int_equal(mark_set(host, "/a/b", MARK_OWNED), 0);
	/* The inode of the initial pid namespace: include/linux/proc_ns.h PROC_PID_INIT_INO. */
	expect_attribute("run 4194303 18446744073709551615 4026531836");
	assert_int_equal(mark_read(host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_OWNED);
	assert_int_equal(mark.pid, 4194303);
	assert_true(mark.start_time == UINT64_MAX);
	assert_true(mark.pidns == 4026531836);
	assert_false(mark_is_stale(host, &mark));
	assert_int_equal(mark_set(host, "/a/b", MARK_PARENT), 0);
	expect_attribute("parent");
	assert_int_equal(mark_read(host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_PARENT);
	assert_false(mark_is_stale(host, &mark));
	assert_int_equal(mark_set(host, "/a/b", MARK_KEPT), 0);
	assert_int_equal(mark_read(host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_KEPT);
	assert_false(mark_is_stale(host, &mark));
}

static void takes_only_its_own_words(void **state)
{
	static const char *const foreign[] = {
		"",
		"run",
		"run ",
		"run 5",
		"run 5 ",
		"run  5 7",
		"run 5  7",
		"run -5 7",
		"run 0 7",
		"run 5 -7",
		"run 5 7 ",
		"run 5 7\n",
		"run 5 7x",
		"run 5 7 8 ",
		"run 5 7  8",
		"run 5 7 -8",
		"run 5 7 8x",
		"run 5 7 8 9",
		"run 5 7 18446744073709551616",
		"run 4194305 7",
		"run 5 18446744073709551616",
		"run +5 7",
		"run 99999999999999999999 7",
		"Run 5 7",
		" run 5 7",
		"parent ",
		"Parent",
		"parents",
		"kept ",
		"\xff",
	};
	struct mark mark;

	(void)state;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		fakeroot_set_xattr(root, "/sys/fs/cgroup/a", MARK_ATTRIBUTE, foreign[i]);
		mark = (struct mark){MARK_PARENT, 77, 77, 77};
		assert_int_equal(mark_read(host, "/a", &mark), 0);
		if (mark.kind != MARK_NONE || mark.pid != 0)
			fail_msg("\"%s\" was taken for a mark", foreign[i]);
	}
	fakeroot_set_xattr(root, "/sys/fs/cgroup/a", MARK_ATTRIBUTE, "run 4194304 0");
	assert_int_equal(mark_read(host, "/a", &mark), 0);
	assert_int_equal(mark.kind, MARK_OWNED);
}

static void tells_what_it_cannot_read(void **state)
{
	static const int none[] = {ENODATA, EOPNOTSUPP, EFBIG, EINVAL}, errors[] = {EACCES, ENODEV, ENOMEM};
	struct mark mark = {.kind = MARK_PARENT};

	(void)state;
	assert_int_equal(mark_read(host, "/gone", &mark), -ENOENT);
	assert_int_equal(mark.kind, MARK_PARENT);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		fakeroot_fail(root, "xattr:user.cgpol:/sys/fs/cgroup/a", errors[i]);
		assert_int_equal(mark_read(host, "/a", &mark), -errors[i]);
		assert_int_equal(mark.kind, MARK_PARENT);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		fakeroot_fail(root, "xattr:user.cgpol:/sys/fs/cgroup/a", none[i]);
		mark.kind = MARK_PARENT;
		assert_int_equal(mark_read(host, "/a", &mark), 0);
		assert_int_equal(mark.kind, MARK_NONE);
	}
}

static void sets_no_mark_without_knowing_itself(void **state)
{
	(void)state;
	fakeroot_fail(root, "/proc/4194303/stat", EACCES);
	assert_int_equal(mark_set(host, "/a/b", MARK_OWNED), -EACCES);
	ops.set_xattr = NULL;
	assert_int_equal(mark_set(host, "/a/b", MARK_PARENT), -EROFS);
}

static void an_owner_that_is_gone_makes_it_stale(void **state)
{
	struct mark mark = {MARK_OWNED, 50, 1000, 4026531836};

	(void)state;
	assert_true(mark_is_stale(host, &mark)); /* no such pid */
	put_stat(50, 'S', 1000);
	assert_false(mark_is_stale(host, &mark));
	put_stat(50, 'S', 1001); /* the pid was given again */
	assert_true(mark_is_stale(host, &mark));
	put_stat(50, 'Z', 1000); /* dead, but its parent has not noticed */
	assert_true(mark_is_stale(host, &mark));
	put_stat(50, 'D', 1000);
	assert_false(mark_is_stale(host, &mark));
	fakeroot_fail(root, "/proc/50/stat", ESRCH);
	assert_true(mark_is_stale(host, &mark));
	fakeroot_fail(root, "/proc/50/stat", EACCES);
	assert_false(mark_is_stale(host, &mark));
	fakeroot_fail(root, "/proc/50/stat", 0);
	fakeroot_put(root, "/proc/50/stat", "nonsense\n");
	assert_false(mark_is_stale(host, &mark));
}

/* proc(5) hidepid=2: the processes of other users are not there. */
static void who_does_not_see_all_calls_nothing_stale(void **state)
{
	const struct mark mark = {MARK_OWNED, 50, 1000, 4026531836};

	(void)state;
	assert_true(mark_is_stale(host, &mark));
	fakeroot_fail(root, "/proc/1/stat", ENOENT);
	assert_false(mark_is_stale(host, &mark));
}

/* pid_namespaces(7): in another one the number is of another process, or of none. */
static void a_mark_is_stale_in_its_own_pid_namespace_only(void **state)
{
	static const char *const marks[] = {
		"run 50 1000 4026532201", /* of a container */
		"run 50 1000 0",	  /* of a machine without the file */
		"run 50 1000",		  /* as marks were written once */
	};
	struct mark mark;

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		fakeroot_set_xattr(root, "/sys/fs/cgroup/a", MARK_ATTRIBUTE, marks[i]);
		assert_int_equal(mark_read(host, "/a", &mark), 0);
		assert_int_equal(mark.kind, MARK_OWNED);
		root->facts.pidns = 4026531836;
		assert_false(mark_is_stale(host, &mark));
		root->facts.pidns = 0;
		assert_false(mark_is_stale(host, &mark));
		root->facts.pidns = 4026532201;
		assert_int_equal(mark_is_stale(host, &mark), i == 0);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_set_is_read),
		TEST(takes_only_its_own_words),
		TEST(tells_what_it_cannot_read),
		TEST(sets_no_mark_without_knowing_itself),
		TEST(an_owner_that_is_gone_makes_it_stale),
		TEST(who_does_not_see_all_calls_nothing_stale),
		TEST(a_mark_is_stale_in_its_own_pid_namespace_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
