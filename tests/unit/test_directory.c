/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Roots in the file system: the confined lookup with and without openat2, and what a capture answers by
 * itself. */
#include "test.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/directory.h"
#include "tree.h"

static char *capture; /* a tree with a manifest, one for each test */

static int make_capture(void **state)
{
	(void)state;
	capture = tree_make();
	tree_put(capture, "/manifest.json", tree_manifest, strlen(tree_manifest));
	return 0;
}

static int remove_capture(void **state)
{
	(void)state;
	tree_remove(capture);
	return 0;
}

static struct root *open_root(const char *dir)
{
	struct cgpol_error err = {0};
	struct root *root;

	if (root_open(dir, &root, &err) < 0)
		fail_msg("%s", err.text);
	return root;
}

static void put(const char *path, const char *text)
{
	tree_put(capture, path, text, strlen(text));
}

static void opens_below_its_directory_only(void **state)
{
	struct root *root = open_root(capture);
	struct directory *dir = (struct directory *)root;
	struct stat inside, found;
	int fd;

	(void)state;
	put("/etc/passwd", "inside");
	tree_link(capture, "/link", "/etc/passwd");
	assert_int_equal(stat(tree_path(capture, "/etc/passwd"), &inside), 0);
	fd = directory_open_below(dir, "/../../link", O_RDONLY);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &found), 0);
	assert_true(found.st_ino == inside.st_ino && found.st_dev == inside.st_dev);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(directory_check_regular(dir, "/link", fd), 0);
	(void)close(fd);
	fd = directory_open_below(dir, "/etc", O_PATH | O_DIRECTORY);
	assert_true(fd >= 0);
	assert_int_equal(directory_check_regular(dir, "/etc", fd), -EISDIR);
	(void)close(fd);
	assert_int_equal(directory_open_below(dir, "/etc/hostname", O_RDONLY), -ENOENT);
	root_free(root);
}

static void a_capture_answers_what_was_asked(void **state)
{
	static const char manifest[] =
		"{\"schema\": 1, \"kernel\": \"6.1.0\", \"page_size\": 4096, \"uid\": 0, \"capabilities\": "
		"\"0\", \"self\": 5, \"initial_pid_namespace\": false, \"time\": 0,"
		" \"cgroups\": {\"/cg\": [7, 3, 16877, 1000, 100], \"/old\": [8, 2, 16877], \"/older\": 9},"
		" \"errors\": {\"xattr:user.cgpol:/cg/gone\": \"ENOENT\"},"
		" \"probes\": {\"mempolicy:bind\": \"OK\", \"clone3_into_cgroup\": \"EPERM\"},"
		" \"xattrs\": {\"user.cgpol:/cg\": \"run 5%0A\"}}";
	AUTO(free_p) char *value = NULL;
	AUTO(free_p) char *log = NULL;
	struct root_info info;
	struct root *root;

	(void)state;
	put("/manifest.json", manifest);
	put("/klog", "<6>[    0.000000] Linux\n");
	root = open_root(capture);
	assert_int_equal(root_klog(root, &log), 0);
	free(TAKE(log));
	assert_int_equal(unlink(tree_path(capture, "/klog")), 0);
	assert_int_equal(root_klog(root, &log), -ENODATA);
	put("/klog", "<6>[    0.000000] Linux\n");
	assert_int_equal(root_probe(root, "mempolicy:bind"), 0);
	assert_int_equal(root_probe(root, "clone3_into_cgroup"), -EPERM);
	assert_int_equal(root_probe(root, "pidfd_open"), -ENODATA);
	assert_int_equal(root_klog(root, &log), 0);
	assert_string_equal(log, "<6>[    0.000000] Linux\n");
	assert_int_equal(root_get_xattr(root, "/cg", "user.cgpol", &value), 0);
	assert_string_equal(value, "run 5\n");
	assert_int_equal(root_get_xattr(root, "/cg", "user.other", &value), -ENODATA);
	assert_int_equal(root_get_xattr(root, "/cg/gone", "user.cgpol", &value), -ENOENT);
	assert_int_equal(root_stat(root, "/cg", &info), 0);
	assert_true(info.inode == 7 && info.nlink == 3 && info.uid == 1000 && info.gid == 100);
	assert_int_equal(root_stat(root, "/old", &info), 0);
	assert_true(info.inode == 8 && info.nlink == 2 && S_ISDIR(info.mode) && info.uid == 0 &&
		    info.gid == 0);
	assert_int_equal(root_stat(root, "/older", &info), 0);
	assert_true(info.inode == 9 && info.nlink == 2 && info.uid == 0 && info.gid == 0);
	root_free(root);
}

static void a_log_that_was_refused_stays_refused(void **state)
{
	static const char manifest[] =
		"{\"schema\": 1, \"kernel\": \"6.1.0\", \"page_size\": 4096, \"uid\": 0, \"capabilities\": "
		"\"0\", \"self\": 5, \"initial_pid_namespace\": false, \"time\": 0,"
		" \"errors\": {\"/klog\": \"EPERM\"}}";
	struct root *root;
	char *log = NULL;

	(void)state;
	put("/manifest.json", manifest);
	root = open_root(capture);
	assert_int_equal(root_klog(root, &log), -EPERM);
	assert_null(log);
	root_free(root);
}

static void tells_the_owner_of_a_live_file(void **state)
{
	struct root *root = open_root("/");
	struct root_info info;
	struct stat st;

	(void)state;
	put("/file", "");
	if (geteuid() == 0)
		assert_int_equal(chown(tree_path(capture, "/file"), 1000, 100), 0);
	assert_int_equal(stat(tree_path(capture, "/file"), &st), 0);
	assert_int_equal(root_stat(root, tree_path(capture, "/file"), &info), 0);
	assert_true(info.uid == st.st_uid && info.gid == st.st_gid && info.inode == st.st_ino);
	root_free(root);
}

/* Makes openat2 fail in this process, as an old container runtime's seccomp profile does. */
static bool filter_openat2(int errnum)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum { CHILD_OK, CHILD_NO_FILTER, CHILD_NO_LIVE, CHILD_NO_READ, CHILD_NO_LIST, CHILD_CAPTURE_OPEN };

static int read_without_openat2(int errnum)
{
	struct cgpol_error err = {0};
	struct root_info info;
	struct root *root;
	char **names, *text;
	size_t count;

	if (!filter_openat2(errnum))
		return CHILD_NO_FILTER;
	if (root_open("/", &root, &err) < 0 || root->facts.self != getpid())
		return CHILD_NO_LIVE;
	if (root_read(root, "/proc/self/stat", &text, NULL) < 0)
		return CHILD_NO_READ;
	free(text);
	if (root_list(root, "/proc", &names, &count) < 0 || root_stat(root, "/proc", &info) < 0)
		return CHILD_NO_LIST;
	root_list_free(names, count);
	if (!((struct directory *)root)->lacks_openat2)
		return CHILD_NO_FILTER;
	root_free(root);
	root = NULL;
	if (root_open(capture, &root, &err) != -errnum || root || err.kind != CGPOL_FAILED ||
	    !strstr(err.text, "openat2"))
		return CHILD_CAPTURE_OPEN;
	return CHILD_OK;
}

static void works_live_without_openat2_but_opens_no_capture(void **state)
{
	static const int errnums[] = {ENOSYS, EPERM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(read_without_openat2(errnums[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), CHILD_OK);
	}
}

/* A file's own EPERM is not the system call's: the lookup stays confined. */
static int meet_eperm(void)
{
	struct cgpol_error err = {0};
	struct root *root;
	int fd;

	if (root_open("/", &root, &err) < 0)
		return CHILD_NO_LIVE;
	/* O_NOATIME of another's file is EPERM without CAP_FOWNER (fs/namei.c may_open). */
	if (chown(tree_path(capture, "/file"), 1, 1) < 0 || setresuid(2, 2, 2) < 0)
		return CHILD_NO_FILTER;
	fd = directory_open_below((struct directory *)root, tree_path(capture, "/file"),
				  O_RDONLY | O_NOATIME);
	if (fd != -EPERM)
		return CHILD_NO_READ;
	return ((struct directory *)root)->lacks_openat2 ? CHILD_NO_LIST : CHILD_OK;
}

static void a_files_eperm_is_not_taken_for_a_filter(void **state)
{
	pid_t child;
	int status;

	(void)state;
	if (geteuid() != 0)
		skip();
	put("/file", "");
	assert_int_equal(chmod(capture, 0755), 0);
	child = fork();
	if (child == 0)
		_exit(meet_eperm());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), CHILD_OK);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_capture, remove_capture)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens_below_its_directory_only),
		TEST(a_capture_answers_what_was_asked),
		TEST(a_log_that_was_refused_stays_refused),
		TEST(tells_the_owner_of_a_live_file),
		TEST(works_live_without_openat2_but_opens_no_capture),
		TEST(a_files_eperm_is_not_taken_for_a_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
