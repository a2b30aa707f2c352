/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup's life, as far as it needs no kernel: what is refused, libcgroup's errors and its silence,
 * undoing. With libcgroup itself, on a kernel: tests/vm/scenarios/cgroupfs.sh. */
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "host/cgroupfs.h"
#include "populated.h"
#include "tree.h"

static struct root *root;
static struct cgpol_host *host;
static struct cgroupfs *fs; /* without libcgroup: that would act on the machine of the test */
static struct populated populated;
static struct cgpol_error err;
static const struct root_ops *plain;
static char *delegated; /* stands in for the directory of a cgroup */

/* libcgroup moves a process by what the kernel then shows in /proc; so does the fake. */
static int write_and_move(struct root *fake, const char *path, const char *text)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *end = strstr(path, "/cgroup.procs");
	char file[64], line[256];
	int rc = plain->write(fake, path, text);

	if (rc < 0 || !end)
		return rc;
	(void)snprintf(file, sizeof(file), "/proc/%s/cgroup", text);
	(void)snprintf(line, sizeof(line), "0::%.*s\n", (int)(end - path) - (int)sizeof(mount) + 1,
		       path + sizeof(mount) - 1);
	fakekernel_put(root, file, line);
	return 0;
}

static int open_delegated(struct root *fake, const char *path)
{
	int fd;

	(void)fake;
	(void)path;
	fd = open(delegated, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int make_machine(void **state)
{
	(void)state;
	err = (struct cgpol_error){0};
	root = fakekernel_new(NULL);
	root->is_live = true;
	populated_wrap(&populated, root);
	plain = populated.plain;
	populated.ops.open_directory = open_delegated;
	if (host_open_root(root, &host, &err) < 0)
		return -1;
	return cgroupfs_open_bare(host, &fs, &err);
}

static int remove_machine(void **state)
{
	(void)state;
	cgroupfs_close(fs);
	cgpol_host_free(host);
	return 0;
}

static const char *const memory_and_cpuset[] = {"memory", "cpuset", NULL};
static const char *const memory_only[] = {"memory", NULL};

static void expect_file(const char *path, const char *expected)
{
	AUTO(free_p) char *text = NULL;

	assert_int_equal(root_read(root, path, &text, NULL), 0);
	assert_string_equal(text, expected);
}

static bool is_there(const char *path)
{
	struct root_info info;

	return root_stat(root, path, &info) == 0;
}

/* ---- opening ---- */

static void a_capture_is_refused(void **state)
{
	struct cgroupfs *other = NULL;

	(void)state;
	root->is_live = false;
	assert_int_equal(cgroupfs_open(host, &other, &err), -EROFS);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_int_equal(cgroupfs_open_bare(host, &other, &err), -EROFS);
	assert_null(other);
}

static void a_recording_is_refused(void **state)
{
	struct cgroupfs *other = NULL;

	(void)state;
	populated.ops.rmdir = NULL;
	assert_int_equal(cgroupfs_open(host, &other, &err), -EROFS);
	assert_int_equal(err.kind, CGPOL_REFUSED);
}

static void a_machine_without_cgroup2_is_told(void **state)
{
	struct cgroupfs *other = NULL;

	(void)state;
	free(host->cgroup2);
	host->cgroup2 = NULL;
	assert_int_equal(cgroupfs_open(host, &other, &err), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_string_equal(err.text, "no cgroup2 file system is mounted");
	assert_int_equal(cgroupfs_open_bare(host, &other, &err), -EOPNOTSUPP);
}

/* Runs with standard output and error in a file; returns how much came. */
static off_t listen(int (*speak)(void))
{
	FILE *file = tmpfile();
	int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
	struct stat info;

	assert_non_null(file);
	(void)fflush(stdout);
	(void)dup2(fileno(file), STDOUT_FILENO);
	(void)dup2(fileno(file), STDERR_FILENO);
	(void)speak();
	(void)fflush(stdout);
	(void)dup2(out, STDOUT_FILENO);
	(void)dup2(error, STDERR_FILENO);
	(void)close(out);
	(void)close(error);
	assert_int_equal(fstat(fileno(file), &info), 0);
	(void)fclose(file);
	return info.st_size;
}

static int opened;

static int open_elsewhere(void)
{
	struct cgroupfs *other = NULL;

	opened = cgroupfs_open(host, &other, &err);
	cgroupfs_close(other);
	return opened;
}

/* cgroup2 of the fake is where the machine of the test has none. */
static void a_view_that_differs_from_libcgroups_is_refused(void **state)
{
	(void)state;
	free(host->cgroup2);
	host->cgroup2 = strdup("/sys/fs/cgroup/no/such\x1b");
	fakekernel_cgroup(root, "/no", NULL);
	assert_int_equal(setenv("CGROUP_LOGLEVEL", "DEBUG", 1), 0);
	assert_int_equal(listen(open_elsewhere), 0);
	assert_int_equal(unsetenv("CGROUP_LOGLEVEL"), 0);
	if (opened == -ELIBACC)
		skip();
	/* No list of controllers to compare by: everything goes by the door. */
	assert_int_equal(opened, 0);
	assert_int_equal(fakekernel_poke(root, "/no/such\x1b", NULL, NULL), 0);
	assert_int_equal(listen(open_elsewhere), 0);
	if (opened == 0)
		return; /* nothing of cgroups is mounted here, which libcgroup says first */
	assert_int_equal(opened, -EXDEV);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "but it is used at /sys/fs/cgroup/no/such\\x1b here"));
}

static void libcgroups_errors_become_errnos(void **state)
{
	static const struct {
		int code, last, number;
	} cases[] = {
		{0, EIO, 0},
		{50016, ENOSPC, ENOSPC}, /* ECGOTHER: the system's own */
		{50016, 0, EIO},
		{50002, 0, ENOENT},	 /* ECGROUPNOTEXIST */
		{50005, 0, EPERM},	 /* ECGROUPNOTOWNER */
		{50007, 0, EACCES},	 /* ECGROUPNOTALLOWED */
		{50030, 0, EBUSY},	 /* ECGNONEMPTY */
		{50001, ENOSPC, ENODEV}, /* ECGROUPNOTMOUNTED; an older errno does not count */
		{50013, 0, EIO},	 /* ECGFAIL */
		{49999, 0, EIO},
		{-1, 0, EIO},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(cgroupfs_errno(cases[i].code, cases[i].last), cases[i].number);
}

static void without_libcgroup_there_is_no_witness(void **state)
{
	char *path = NULL;

	(void)state;
	assert_int_equal(cgroupfs_mount_point(fs, "memory", &path), -ENOENT);
	assert_null(path);
}

/* ---- creation ---- */

static void controllers_are_enabled_in_every_level_above(void **state)
{
	(void)state;
	if (cgroupfs_create(fs, "/a/b/c", memory_and_cpuset, NULL, &err) < 0)
		fail_msg("%s", err.text);
	expect_file("/sys/fs/cgroup/cgroup.subtree_control", "cpuset memory");
	expect_file("/sys/fs/cgroup/a/cgroup.subtree_control", "cpuset memory");
	expect_file("/sys/fs/cgroup/a/b/cgroup.subtree_control", "cpuset memory");
	expect_file("/sys/fs/cgroup/a/b/c/cgroup.subtree_control", "");
}

static void a_second_time_changes_nothing(void **state)
{
	unsigned before;

	(void)state;
	assert_int_equal(cgroupfs_create(fs, "/a/b", memory_and_cpuset, NULL, &err), 0);
	before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);
	assert_int_equal(cgroupfs_create(fs, "/a/b", memory_and_cpuset, NULL, &err), 0);
	assert_int_equal(cgroupfs_create(fs, "/", NULL, NULL, &err), 0);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
}

static void a_controller_that_is_not_there_is_told_with_its_cgroup(void **state)
{
	static const char *const wanted[] = {"memory", "misc\x1b", NULL};
	AUTO(free_p) char *before = fakekernel_dump(root);
	AUTO(free_p) char *after = NULL;

	(void)state;
	assert_int_equal(cgroupfs_create(fs, "/foo/bar", wanted, NULL, &err), -EOPNOTSUPP);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_string_equal(err.text,
			    "controller misc\\x1b cannot be enabled in cgroup \"/\": it does not have "
			    "the controller, or is threaded");
	after = fakekernel_dump(root);
	assert_string_equal(before, after);
}

static void a_cgroup_with_processes_of_its_own_hands_nothing_down(void **state)
{
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	fakekernel_cgroup(root, "/busy", NULL);
	assert_int_equal(fakekernel_start(root, "/busy", 60), 0);
	before = fakekernel_dump(root);
	assert_int_equal(cgroupfs_create(fs, "/busy/b/c", memory_only, NULL, &err), -EBUSY);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(err.text, "cgroup \"/busy\": it has processes of its own"));
	after = fakekernel_dump(root);
	assert_string_equal(before, after);
	assert_int_equal(cgroupfs_create(fs, "/busy/b", NULL, NULL, &err), 0);
}

static void what_was_made_is_undone_wherever_it_fails(void **state)
{
	AUTO(free_p) char *before = NULL;
	unsigned n = 0;
	int rc;

	(void)state;
	before = fakekernel_dump(root);
	do {
		AUTO(free_p) char *after = NULL;

		fakekernel_fail_nth(root, FAKEKERNEL_CHANGES, ++n, EIO);
		rc = cgroupfs_create(fs, "/a/b/c", memory_and_cpuset, NULL, &err);
		fakekernel_fail_nth(root, 0, 0, 0);
		after = fakekernel_dump(root);
		if (rc == 0)
			break;
		assert_int_equal(rc, -EIO);
		assert_string_equal(before, after);
	} while (n < 100);
	assert_int_equal(
		n, 10); /* three levels, two controllers each, and three directories; the tenth is none */
}

/* What others set on theirs would go with the controller. */
static void a_controller_stays_enabled_where_others_live(void **state)
{
	(void)state;
	assert_int_equal(cgroupfs_create(fs, "/other", NULL, NULL, &err), 0);
	fakekernel_fail_nth(root, FAKEKERNEL_CHANGES, 2, EIO);
	assert_int_equal(cgroupfs_create(fs, "/a", memory_only, NULL, &err), -EIO);
	fakekernel_fail_nth(root, 0, 0, 0);
	assert_false(is_there("/sys/fs/cgroup/a"));
	assert_true(is_there("/sys/fs/cgroup/other/memory.max"));
}

static void a_read_that_fails_leaves_nothing_behind(void **state)
{
	AUTO(free_p) char *before = fakekernel_dump(root);
	unsigned n = 0, failures = 0;

	(void)state;
	for (bool is_done = false; !is_done && n < 200;) {
		unsigned count = fakekernel_accesses(root, FAKEKERNEL_READS);

		fakekernel_fail_nth(root, FAKEKERNEL_READS, ++n, EIO);
		int rc = cgroupfs_create(fs, "/a/b", memory_only, NULL, &err);
		is_done = fakekernel_accesses(root, FAKEKERNEL_READS) - count < n;
		fakekernel_fail_nth(root, 0, 0, 0);
		failures += rc < 0;
		if (rc == 0 && !is_done) { /* it was not needed */
			assert_true(is_there("/sys/fs/cgroup/a/b"));
			assert_int_equal(cgroupfs_delete(fs, "/a", &err), 0);
			(void)fakekernel_poke(root, "", "cgroup.subtree_control", "-memory");
		}
		if (!is_done) {
			AUTO(free_p) char *after = fakekernel_dump(root);
			assert_string_equal(before, after);
		}
	}
	assert_in_range(failures, 4, 100);
}

/* ---- owners ---- */

static uid_t owner_of(const char *file)
{
	struct stat info;

	assert_int_equal(stat(tree_path(delegated, file), &info), 0);
	return info.st_uid;
}

static void only_what_may_be_delegated_changes_its_owner(void **state)
{
	static const char *const files[] = {"/cgroup.procs", "/cgroup.subtree_control", "/memory.max"};
	const struct cgroupfs_owner owner = {12345, (gid_t)-1};

	(void)state;
	if (geteuid() != 0)
		skip();
	delegated = tree_make();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		tree_put(delegated, files[i], "", 0);
	tree_put(delegated, "/sub/target", "", 0);
	tree_link(delegated, "/cgroup.threads", "sub/target");
	fakekernel_put(root, "/sys/kernel/cgroup/delegate",
		       "cgroup.procs\ncgroup.threads\ncgroup.subtree_control\nio.latency\nsub/target\n");
	if (cgroupfs_create(fs, "/a", NULL, &owner, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(owner_of("/"), 12345);
	assert_int_equal(owner_of("/cgroup.procs"), 12345);
	assert_int_equal(owner_of("/cgroup.subtree_control"), 12345);
	assert_int_equal(owner_of("/memory.max"), 0);
	assert_int_equal(owner_of("/sub/target"), 0); /* neither by its name nor through the link */
	tree_remove(delegated);
}

static void without_the_list_three_files_are_delegated(void **state)
{
	const struct cgroupfs_owner owner = {12345, 12345};

	(void)state;
	if (geteuid() != 0)
		skip();
	delegated = tree_make();
	tree_put(delegated, "/cgroup.procs", "", 0);
	tree_put(delegated, "/memory.max", "", 0);
	assert_int_equal(cgroupfs_create(fs, "/a", NULL, &owner, &err), 0);
	assert_int_equal(owner_of("/cgroup.procs"), 12345);
	assert_int_equal(owner_of("/memory.max"), 0);
	tree_remove(delegated);
}

static void an_owner_that_cannot_be_given_undoes_the_cgroup(void **state)
{
	const struct cgroupfs_owner owner = {12345, 12345}, none = {(uid_t)-1, (gid_t)-1};

	(void)state;
	delegated = tree_make();
	assert_int_equal(cgroupfs_create(fs, "/a", NULL, &none, &err),
			 0); /* nothing to give: nothing is opened */
	tree_remove(delegated);
	delegated = strdup("/no/such/directory");
	assert_int_equal(cgroupfs_create(fs, "/b/c", NULL, &owner, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot be given to another owner"));
	assert_false(is_there("/sys/fs/cgroup/b"));
	free(delegated);
}

/* ---- attaching ---- */

static void a_process_is_moved_and_looked_for(void **state)
{
	unsigned before;

	(void)state;
	populated.ops.write = write_and_move;
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/", 60), 0);
	fakekernel_put(root, "/proc/60/cgroup", "0::/\n");
	assert_int_equal(cgroupfs_attach(fs, "/a", 60, &err), 0);
	expect_file("/sys/fs/cgroup/a/cgroup.procs", "60");
	before = fakekernel_accesses(root, FAKEKERNEL_CHANGES);
	assert_int_equal(cgroupfs_attach(fs, "/a", 60, &err), 0); /* is there already */
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), before);
}

static void a_process_that_does_not_arrive_is_a_failure(void **state)
{
	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/", 60), 0);
	fakekernel_put(root, "/proc/60/cgroup", "0::/elsewhere\n"); /* and the fake does not change it */
	assert_int_equal(cgroupfs_attach(fs, "/a", 60, &err), -EAGAIN);
	assert_non_null(strstr(err.text, "cgroup \"/a\" does not take process 60"));
}

static void a_cgroup_that_is_gone_takes_nobody(void **state)
{
	(void)state;
	assert_int_equal(fakekernel_start(root, "/", 60), 0);
	fakekernel_put(root, "/proc/60/cgroup", "0::/\n");
	assert_int_equal(cgroupfs_attach(fs, "/none", 60, &err), -ENOENT);
	assert_string_equal(err.text, "cgroup \"/none\" does not take process 60: No such file or directory");
}

/* ---- deletion ---- */

static void all_below_goes_too(void **state)
{
	(void)state;
	fakekernel_cgroup(root, "/a/b/c", NULL);
	fakekernel_cgroup(root, "/a/d", NULL);
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), 0);
	assert_false(is_there("/sys/fs/cgroup/a"));
}

static void the_living_keep_all_of_it(void **state)
{
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	fakekernel_cgroup(root, "/a/b/c", NULL);
	fakekernel_cgroup(root, "/a/d", NULL);
	assert_int_equal(fakekernel_start(root, "/a/b/c", 60), 0);
	fakekernel_put(root, "/proc/60/stat",
		       "60 (db) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 7 1 1 1 1 1 140000 0 0 0 0 0 0 "
		       "0 0 0 17 "
		       "0 0 0 0 0 0 1 1 1 1 1 1 1 0\n");
	before = fakekernel_dump(root);
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), -EBUSY);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_string_equal(err.text, "cgroup \"/a\" has living processes: 60 (db)");
	after = fakekernel_dump(root);
	assert_string_equal(before, after);
}

static void the_dead_are_waited_for(void **state)
{
	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	populated.dead_for = 5;
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), 0);
	fakekernel_cgroup(root, "/a", NULL);
	populated.dead_for = 1000000;
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), -EBUSY);
	assert_string_equal(err.text, "cgroup \"/a\" has living processes");
}

static void the_root_and_what_is_gone_cannot_be_removed(void **state)
{
	(void)state;
	assert_int_equal(cgroupfs_delete(fs, "/", &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(cgroupfs_delete(fs, "/none", &err), -ENOENT);
	assert_string_equal(err.text, "cgroup \"/none\" cannot be removed: No such file or directory");
	fakekernel_cgroup(root, "/a", NULL);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/a", EPERM);
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), -EPERM);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/a", ENOENT); /* another was faster */
	assert_int_equal(cgroupfs_delete(fs, "/a", &err), 0);
}

static void one_cgroup_is_removed_and_none_below_it(void **state)
{
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	fakekernel_cgroup(root, "/a/b", NULL);
	before = fakekernel_dump(root);
	assert_int_equal(cgroupfs_remove(fs, "/a"), -EBUSY);
	after = fakekernel_dump(root);
	assert_string_equal(before, after);
	assert_int_equal(fakekernel_start(root, "/a/b", 60), 0);
	assert_int_equal(cgroupfs_remove(fs, "/a/b"), -EBUSY);
	fakekernel_end(root, 60);
	assert_int_equal(cgroupfs_remove(fs, "/a/b"), 0);
	assert_int_equal(cgroupfs_remove(fs, "/a/b"), -ENOENT);
	assert_int_equal(cgroupfs_remove(fs, "/"), -EINVAL);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/a", ENOTEMPTY);
	assert_int_equal(cgroupfs_remove(fs, "/a"), -ENOTEMPTY);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/a", 0);
	assert_int_equal(cgroupfs_remove(fs, "/a"), 0);
	assert_false(is_there("/sys/fs/cgroup/a"));
}

/* A new cgroup at each look. */
static int stat_another(struct root *fake, const char *path, struct root_info *info)
{
	static uint64_t looks;
	int rc = plain->stat(fake, path, info);

	info->inode = ++looks;
	return rc;
}

static void what_has_got_the_name_since_is_not_removed(void **state)
{
	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	populated.ops.stat = stat_another;
	assert_int_equal(cgroupfs_remove(fs, "/a"), 0);
	populated.ops.stat = plain->stat;
	assert_true(is_there("/sys/fs/cgroup/a"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_capture_is_refused),
		TEST(a_recording_is_refused),
		TEST(a_machine_without_cgroup2_is_told),
		TEST(a_view_that_differs_from_libcgroups_is_refused),
		TEST(libcgroups_errors_become_errnos),
		TEST(without_libcgroup_there_is_no_witness),
		TEST(controllers_are_enabled_in_every_level_above),
		TEST(a_second_time_changes_nothing),
		TEST(a_controller_that_is_not_there_is_told_with_its_cgroup),
		TEST(a_cgroup_with_processes_of_its_own_hands_nothing_down),
		TEST(what_was_made_is_undone_wherever_it_fails),
		TEST(a_controller_stays_enabled_where_others_live),
		TEST(a_read_that_fails_leaves_nothing_behind),
		TEST(only_what_may_be_delegated_changes_its_owner),
		TEST(without_the_list_three_files_are_delegated),
		TEST(an_owner_that_cannot_be_given_undoes_the_cgroup),
		TEST(a_process_is_moved_and_looked_for),
		TEST(a_process_that_does_not_arrive_is_a_failure),
		TEST(a_cgroup_that_is_gone_takes_nobody),
		TEST(all_below_goes_too),
		TEST(the_living_keep_all_of_it),
		TEST(the_dead_are_waited_for),
		TEST(the_root_and_what_is_gone_cannot_be_removed),
		TEST(one_cgroup_is_removed_and_none_below_it),
		TEST(what_has_got_the_name_since_is_not_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
