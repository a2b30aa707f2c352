/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a user may make cgroups: the nearest ancestor that was handed over, by owner, group and mode. */
#include "test.h"

#include "act/delegated.h"
#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;

static void put_self(const char *file, const char *text)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", root->facts.self, file);
	fakeroot_put(root, path, text);
}

static void make_cgroup(const char *name, uint32_t uid, uint32_t gid)
{
	char path[160];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s", name);
	fakeroot_mkdir(root, path);
	fakeroot_own(root, path, uid, gid);
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.procs", name);
	fakeroot_put(root, path, "");
	fakeroot_own(root, path, uid, gid);
}

/* As systemd has it: the session's scope is root's, user@1000.service was handed over. */
static int make(void **state)
{
	(void)state;
	root = fakeroot_new();
	fakeroot_put(root, "/proc/self/mountinfo", "24 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/proc/self/status",
		     "Name:\tx\nUid:\t1000\t1000\t1000\t1000\nGid:\t100\t101\t100\t100\n"
		     "Groups:\t4 24 \n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
	root->facts.uid = 1000;
	root->facts.caps = 0;
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.procs", "");
	make_cgroup("/user", 0, 0);
	make_cgroup("/user/1000", 1000, 100);
	make_cgroup("/user/1000/app", 1000, 100);
	make_cgroup("/user/session", 0, 0);
	put_self("cgroup", "0::/user/1000/app\n");
	return host_open_root(root, &host, NULL);
}

static int drop(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void expect(const char *name)
{
	AUTO(free_p) char *found = NULL;
	struct cgpol_error err = {0};

	if (delegated_find(host, &found, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(found, name);
}

static void expect_failure(int rc, int kind, const char *text)
{
	char *found = NULL;
	struct cgpol_error err = {0};

	assert_int_equal(delegated_find(host, &found, &err), rc);
	assert_null(found);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
}

static void the_own_cgroup_comes_first(void **state)
{
	(void)state;
	expect("/user/1000/app");
}

static void then_the_nearest_above(void **state)
{
	(void)state;
	make_cgroup("/user/1000/app", 0, 0);
	expect("/user/1000");
}

static void both_the_directory_and_its_procs_count(void **state)
{
	(void)state;
	fakeroot_own(root, "/sys/fs/cgroup/user/1000/app/cgroup.procs", 0, 0);
	expect("/user/1000");
	fakeroot_own(root, "/sys/fs/cgroup/user/1000/app/cgroup.procs", 1000, 100);
	fakeroot_own(root, "/sys/fs/cgroup/user/1000/app", 0, 0);
	expect("/user/1000");
}

static void a_session_of_root_has_none(void **state)
{
	struct cgpol_error err = {0};
	char *found = NULL;

	(void)state;
	put_self("cgroup", "0::/user/session\n");
	expect_failure(-EACCES, CGPOL_FAILED, "neither /user/session, which belongs to user 0");
	assert_int_equal(delegated_find(host, &found, &err), -EACCES);
	assert_non_null(strstr(err.hint, "systemd-run --user --scope -p Delegate=yes"));
	assert_non_null(strstr(err.hint, "--no-cgroup"));
}

/* Files have 0644 and directories 0755 here: the group gets nothing by them. */
static void a_group_without_the_right_to_write_is_none(void **state)
{
	(void)state;
	make_cgroup("/user/1000/app", 0, 24);
	expect("/user/1000");
}

/* The owners that are outside of a user namespace are shown as 65534, and no capability reaches what is
 * theirs (kernel/capability.c capable_wrt_inode_uidgid). */
static void root_of_a_user_namespace_is_a_user(void **state)
{
	(void)state;
	root->facts.uid = 0;
	root->facts.caps = 0x1ffffffffff;
	assert_true(delegated_is_root(host));
	root->facts.initial_userns = false;
	assert_false(delegated_is_root(host));
	make_cgroup("/user/session", 65534, 65534);
	make_cgroup("/user", 65534, 65534);
	make_cgroup("", 65534, 65534);
	put_self("cgroup", "0::/user/session\n");
	expect_failure(-EACCES, CGPOL_FAILED, "no cgroup is delegated to user 0");
	make_cgroup("/user/1000", 0, 0);
	make_cgroup("/user/1000/app", 65534, 65534);
	put_self("cgroup", "0::/user/1000/app\n");
	expect("/user/1000");
	root->facts.uid = 1000;
	root->facts.initial_userns = true;
	assert_false(delegated_is_root(host));
}

static void root_may_everywhere(void **state)
{
	(void)state;
	root->facts.uid = 0;
	root->facts.caps = 0x1ffffffffff;
	put_self("cgroup", "0::/user/session\n");
	expect("/user/session");
	put_self("cgroup", "0::/\n");
	expect("/");
}

static void a_cgroup_that_vanished_is_passed_over(void **state)
{
	(void)state;
	put_self("cgroup", "0::/user/1000/gone\n");
	expect("/user/1000");
}

static void hostile_names_are_escaped(void **state)
{
	(void)state;
	put_self("cgroup", "0::/user/\033[31m\n");
	expect_failure(-EACCES, CGPOL_FAILED, "\\x1b[31m");
}

static void what_is_outside_the_mount_is_told(void **state)
{
	(void)state;
	put_self("cgroup", "0::/../elsewhere\n");
	expect_failure(-EXDEV, CGPOL_UNSUPPORTED, "outside the mounted part");
	put_self("cgroup", "4:memory:/x\n");
	expect_failure(-ENOENT, CGPOL_UNSUPPORTED, "cannot be found");
}

static void a_malformed_status_is_told(void **state)
{
	(void)state;
	fakeroot_put(root, "/proc/self/status", "Name:\tx\n");
	expect_failure(-EINVAL, CGPOL_FAILED, "cannot find out who this is");
	fakeroot_put(root, "/proc/self/status", "Gid:\t1\t2\t3\t4\nGroups:\t4 x\n");
	expect_failure(-EINVAL, CGPOL_FAILED, "cannot find out who this is");
}

static void memory_may_be_short(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 4; n++) {
		char *found = NULL;

		fakeroot_fail_nth(root, n, ENOMEM);
		assert_int_equal(delegated_find(host, &found, NULL), -ENOMEM);
		assert_null(found);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_own_cgroup_comes_first),
		TEST(then_the_nearest_above),
		TEST(both_the_directory_and_its_procs_count),
		TEST(a_session_of_root_has_none),
		TEST(a_group_without_the_right_to_write_is_none),
		TEST(root_of_a_user_namespace_is_a_user),
		TEST(root_may_everywhere),
		TEST(a_cgroup_that_vanished_is_passed_over),
		TEST(hostile_names_are_escaped),
		TEST(what_is_outside_the_mount_is_told),
		TEST(a_malformed_status_is_told),
		TEST(memory_may_be_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
