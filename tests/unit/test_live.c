/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The live machine's own: its facts, its log, and every change, tried in a directory of the test. */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/klog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/live.h"
#include "tree.h"

static char *scratch; /* an empty directory, one for each test */
static struct root *live;

static int make_scratch(void **state)
{
	(void)state;
	scratch = tree_make();
	return root_open("/", &live, NULL);
}

static int remove_scratch(void **state)
{
	(void)state;
	root_free(live);
	tree_remove(scratch);
	return 0;
}

/* The name of a file below the scratch directory; up to four live at a time. */
static const char *at(const char *path)
{
	static char name[4][4096];
	static unsigned next;
	char *full = name[next++ % 4];

	(void)snprintf(full, sizeof(name[0]), "%s%s", scratch, path);
	return full;
}

static void expect_file(const char *path, const char *expected)
{
	AUTO(free_p) char *text = NULL;

	assert_int_equal(root_read(live, at(path), &text, NULL), 0);
	assert_string_equal(text, expected);
}

static size_t count_entries(void)
{
	DIR *stream = opendir(scratch);
	size_t count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	(void)closedir(stream);
	return count - 2; /* "." and ".." */
}

static void knows_the_machine(void **state)
{
	struct stat st;

	(void)state;
	assert_true(live->is_live);
	assert_int_equal(live->facts.self, getpid());
	assert_int_equal(stat("/proc/self/ns/user", &st), 0);
	/* include/linux/proc_ns.h PROC_USER_INIT_INO */
	assert_int_equal(live->facts.initial_userns, st.st_ino == 0xEFFFFFFD);
	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	assert_true(st.st_ino != 0 && live->facts.pidns == st.st_ino);
}

static void writes_into_a_file_that_exists(void **state)
{
	(void)state;
	tree_put(scratch, "/value", "100\n200\n", 8);
	assert_int_equal(root_write(live, at("/value"), "7\n"), 0);
	/* As the kernel's files: from the start, and nothing is cut off. */
	expect_file("/value", "7\n0\n200");
	assert_int_equal(root_write(live, at("/value"), ""), 0);
	assert_int_equal(root_write(live, at("/absent"), "7"), -ENOENT);
	assert_int_equal(count_entries(), 1);
	assert_int_equal(root_write(live, scratch, "7"), -EISDIR);
	assert_int_equal(root_write(live, at("/value/below"), "7"), -ENOTDIR);
}

static void writes_into_regular_files_only(void **state)
{
	int fd;

	(void)state;
	assert_int_equal(mkfifo(at("/fifo"), 0600), 0);
	assert_int_equal(root_write(live, at("/fifo"), "7"), -ENXIO); /* nobody reads it */
	fd = open(at("/fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(root_write(live, at("/fifo"), "7"), -EINVAL);
	(void)close(fd);
	assert_int_equal(root_write(live, "/dev/null", "7"), -EINVAL);
	assert_int_equal(root_write(live, "/proc/self/exe", "7"), -ELOOP);
}

static void tells_the_kernels_refusal_of_a_value(void **state)
{
	(void)state;
	/* fs/proc/base.c oom_score_adj_write: a number that is out of range */
	assert_int_equal(root_write(live, "/proc/self/oom_score_adj", "100000\n"), -EINVAL);
	assert_int_equal(root_write(live, "/proc/self/oom_score_adj", "x\n"), -EINVAL);
}

static void tells_that_only_a_part_was_written(void **state)
{
	struct rlimit old, small;

	(void)state;
	tree_put(scratch, "/value", "", 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 4;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(root_write(live, at("/value"), "123456"), -EIO);
	assert_int_equal(root_save(live, at("/saved"), "123456"), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	expect_file("/value", "1234");
	/* What was begun of a saved file is gone. */
	assert_int_equal(count_entries(), 1);
}

static void saves_whole_files(void **state)
{
	struct stat st;
	mode_t mask;

	(void)state;
	mask = umask(0077);
	assert_int_equal(root_save(live, at("/new"), "first line\nsecond\n"), 0);
	(void)umask(mask);
	expect_file("/new", "first line\nsecond");
	assert_int_equal(stat(at("/new"), &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0644);
	assert_int_equal(root_save(live, at("/new"), ""), 0);
	expect_file("/new", "");
	assert_int_equal(count_entries(), 1);
}

static void saving_replaces_a_link_and_spares_its_target(void **state)
{
	struct stat st;

	(void)state;
	tree_put(scratch, "/target", "keep", 4);
	tree_link(scratch, "/link", "target");
	assert_int_equal(root_save(live, at("/link"), "new"), 0);
	expect_file("/target", "keep");
	expect_file("/link", "new");
	assert_int_equal(lstat(at("/link"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
}

static void saves_nothing_where_it_cannot(void **state)
{
	(void)state;
	tree_mkdir(scratch, "/dir");
	assert_int_equal(root_save(live, at("/none/file"), "a"), -ENOENT);
	assert_int_equal(root_save(live, at("/dir"), "a"), -EISDIR);
	assert_true(root_save(live, "/proc/self/cgpol", "a") < 0);
	assert_true(root_save(live, "/proc/meminfo", "a") < 0);
	assert_int_equal(count_entries(), 1);
}

/* A cgpol of the same pid was killed while it saved. */
static void saves_beside_what_a_dead_one_left(void **state)
{
	char name[64];

	(void)state;
	(void)snprintf(name, sizeof(name), "/.cgpol-%d-0.new", getpid());
	tree_put(scratch, name, "left", 4);
	assert_int_equal(root_save(live, at("/file"), "a"), 0);
	expect_file("/file", "a");
	expect_file(name, "left");
	for (int i = 1; i < 16; i++) {
		(void)snprintf(name, sizeof(name), "/.cgpol-%d-%d.new", getpid(), i);
		tree_put(scratch, name, "left", 4);
	}
	assert_int_equal(root_save(live, at("/file"), "b"), -EEXIST);
	expect_file("/file", "a");
}

static void makes_and_removes_directories(void **state)
{
	struct stat st;
	mode_t mask = umask(0022);

	(void)state;
	assert_int_equal(root_mkdir(live, at("/a")), 0);
	(void)umask(mask);
	assert_int_equal(stat(at("/a"), &st), 0);
	assert_int_equal(st.st_mode, S_IFDIR | 0755);
	assert_int_equal(root_mkdir(live, at("/a")), -EEXIST);
	assert_int_equal(root_mkdir(live, at("/b/c")), -ENOENT);
	assert_int_equal(root_mkdir(live, at("/a/\n\xff b")), 0);
	assert_int_equal(root_rmdir(live, at("/a")), -ENOTEMPTY);
	assert_int_equal(root_rmdir(live, at("/a/\n\xff b")), 0);
	assert_int_equal(root_rmdir(live, at("/a")), 0);
	assert_int_equal(root_rmdir(live, at("/a")), -ENOENT);
	tree_put(scratch, "/file", "", 0);
	tree_mkdir(scratch, "/dir");
	tree_link(scratch, "/link", "dir");
	assert_int_equal(root_rmdir(live, at("/file")), -ENOTDIR);
	assert_int_equal(root_rmdir(live, at("/link")), -ENOTDIR);
	assert_int_equal(root_mkdir(live, at("/file/below")), -ENOTDIR);
}

static void takes_only_a_name_as_the_last_part(void **state)
{
	static const char *const bad[] = {"/a/", "/a/.", "/a/..", "/a/b/", "/a//"};

	(void)state;
	tree_mkdir(scratch, "/a/b");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(root_mkdir(live, at(bad[i])), -EINVAL);
		assert_int_equal(root_rmdir(live, at(bad[i])), -EINVAL);
		assert_int_equal(root_save(live, at(bad[i]), "a"), -EINVAL);
	}
	assert_int_equal(root_mkdir(live, ""), -EINVAL);
	assert_int_equal(root_rmdir(live, "/"), -EINVAL);
	assert_int_equal(root_mkdir(live, "relative"), -EINVAL);
	assert_int_equal(root_mkdir(live, "/tmp"), -EEXIST);
	/* Dots that only begin a name are one, and lookups on the way may go up. */
	assert_int_equal(root_mkdir(live, at("/a/...")), 0);
	assert_int_equal(root_rmdir(live, at("/a/b/../...")), 0);
}

static void keeps_attributes_of_directories(void **state)
{
	AUTO(free_p) char *value = NULL;
	char most[ROOT_XATTR_MAX + 2];
	int rc;

	(void)state;
	tree_mkdir(scratch, "/a");
	rc = root_set_xattr(live, at("/a"), "user.cgpol", "run 5 7");
	if (rc == -EOPNOTSUPP)
		skip(); /* a tmpfs before 6.6 */
	assert_int_equal(rc, 0);
	assert_int_equal(root_get_xattr(live, at("/a"), "user.cgpol", &value), 0);
	assert_string_equal(value, "run 5 7");
	assert_int_equal(root_set_xattr(live, at("/a"), "user.cgpol", "kept"), 0);
	free(TAKE(value));
	assert_int_equal(root_get_xattr(live, at("/a"), "user.cgpol", &value), 0);
	assert_string_equal(value, "kept");
	free(TAKE(value));
	assert_int_equal(root_remove_xattr(live, at("/a"), "user.cgpol"), 0);
	assert_int_equal(root_get_xattr(live, at("/a"), "user.cgpol", &value), -ENODATA);
	assert_int_equal(root_remove_xattr(live, at("/a"), "user.cgpol"), -ENODATA);
	assert_int_equal(root_remove_xattr(live, at("/b"), "user.cgpol"), -ENOENT);
	assert_int_equal(root_get_xattr(live, at("/a"), "user.other", &value), -ENODATA);
	assert_int_equal(root_get_xattr(live, at("/b"), "user.cgpol", &value), -ENOENT);
	assert_int_equal(root_set_xattr(live, at("/b"), "user.cgpol", "a"), -ENOENT);
	tree_put(scratch, "/file", "", 0);
	assert_int_equal(root_get_xattr(live, at("/file"), "user.cgpol", &value), -ENOTDIR);
	memset(most, 'a', sizeof(most));
	most[sizeof(most) - 1] = '\0';
	assert_int_equal(root_set_xattr(live, at("/a"), "user.cgpol", most), -EFBIG);
	assert_int_equal(setxattr(at("/a"), "user.nul", "a\0b", 3, 0), 0);
	assert_int_equal(root_get_xattr(live, at("/a"), "user.nul", &value), -EINVAL);
	assert_null(value);
}

/* Most file systems keep less than the kernel would take; a tmpfs since 6.6 does not. */
static void refuses_long_attributes(void **state)
{
	char place[] = "/dev/shm/cgpol-test-XXXXXX", most[ROOT_XATTR_MAX + 2];
	char *value = NULL;
	int rc;

	(void)state;
	memset(most, 'a', sizeof(most));
	most[sizeof(most) - 1] = '\0';
	if (!mkdtemp(place))
		skip();
	if (setxattr(place, "user.long", most, ROOT_XATTR_MAX + 1, 0) < 0) {
		(void)rmdir(place);
		skip();
	}
	rc = root_get_xattr(live, place, "user.long", &value);
	assert_int_equal(setxattr(place, "user.long", most, ROOT_XATTR_MAX, 0), 0);
	assert_int_equal(rc, -EFBIG);
	rc = root_get_xattr(live, place, "user.long", &value);
	(void)rmdir(place);
	assert_int_equal(rc, 0);
	assert_int_equal(strlen(value), ROOT_XATTR_MAX);
	free(value);
}

static void opens_directories_for_clone3(void **state)
{
	struct stat st, expected;
	int fd;

	(void)state;
	tree_put(scratch, "/file", "", 0);
	fd = root_open_directory(live, scratch);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_PATH, O_PATH);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(stat(scratch, &expected), 0);
	assert_true(st.st_ino == expected.st_ino);
	(void)close(fd);
	assert_int_equal(root_open_directory(live, at("/file")), -ENOTDIR);
	assert_int_equal(root_open_directory(live, at("/absent")), -ENOENT);
}

static void gives_files_to_others(void **state)
{
	struct stat st;

	(void)state;
	tree_put(scratch, "/file", "", 0);
	assert_int_equal(root_chown(live, at("/file"), (uid_t)-1, (gid_t)-1), 0);
	assert_int_equal(root_chown(live, at("/file"), geteuid(), getegid()), 0);
	assert_int_equal(root_chown(live, at("/absent"), geteuid(), (gid_t)-1), -ENOENT);
	assert_int_equal(root_chown(live, at("/file/"), geteuid(), (gid_t)-1), -EINVAL);
	assert_int_equal(root_chown(live, at("/."), geteuid(), (gid_t)-1), -EINVAL);
	if (geteuid() != 0) {
		assert_int_equal(root_chown(live, at("/file"), 0, (gid_t)-1), -EPERM);
		skip();
	}
	tree_link(scratch, "/link", "file");
	assert_int_equal(root_chown(live, at("/link"), 1234, 1235), 0);
	assert_int_equal(stat(at("/file"), &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(lstat(at("/link"), &st), 0);
	assert_int_equal(st.st_uid, 1234);
	assert_int_equal(st.st_gid, 1235);
	assert_int_equal(root_chown(live, scratch, (uid_t)-1, 77), 0);
	assert_int_equal(stat(scratch, &st), 0);
	assert_int_equal(st.st_uid, 0);
	assert_int_equal(st.st_gid, 77);
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	return pid;
}

static void end_child(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void binds_threads_to_cpus(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	pid_t pid = start_child();
	cpu_set_t now;
	int first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(pid, sizeof(now), &now), 0);
	while (!CPU_ISSET(first, &now))
		first++;
	/* No cpu at all, and one that no machine has (NR_CPUS is 8192 at most). */
	assert_int_equal(root_set_affinity(live, pid, &cpus), -EINVAL);
	assert_int_equal(nodeset_add(&cpus, 60000), 0);
	assert_int_equal(root_set_affinity(live, pid, &cpus), -EINVAL);
	assert_int_equal(nodeset_add(&cpus, (unsigned)first), 0);
	assert_int_equal(root_set_affinity(live, pid, &cpus), 0);
	assert_int_equal(sched_getaffinity(pid, sizeof(now), &now), 0);
	assert_int_equal(CPU_COUNT(&now), 1);
	assert_true(CPU_ISSET(first, &now));
	/* Never the caller instead. */
	assert_int_equal(root_set_affinity(live, 0, &cpus), -ESRCH);
	assert_int_equal(root_set_affinity(live, -1, &cpus), -ESRCH);
	end_child(pid);
	assert_int_equal(root_set_affinity(live, pid, &cpus), -ESRCH);
}

static void signals_processes_by_descriptors(void **state)
{
	pid_t pid = start_child();
	int process = root_open_process(live, pid);
	struct pollfd waiting = {.fd = process, .events = POLLIN};
	int file;

	(void)state;
	if (process == -EPERM || process == -ENOSYS) {
		end_child(pid);
		skip(); /* a sandbox */
	}
	assert_true(process >= 0);
	assert_int_equal(fcntl(process, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(root_signal(live, process, 0), 0);
	assert_int_equal(root_signal(live, process, 1000), -EINVAL);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(root_signal(live, process, SIGKILL), 0);
	assert_int_equal(poll(&waiting, 1, 10000), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(root_signal(live, process, 0), -ESRCH);
	assert_int_equal(root_open_process(live, pid), -ESRCH);
	assert_int_equal(root_open_process(live, 0), -ESRCH);
	(void)close(process);
	file = open("/", O_RDONLY | O_CLOEXEC);
	assert_true(file >= 0);
	assert_int_equal(root_signal(live, file, SIGKILL), -EBADF);
	(void)close(file);
}

static void watches_files(void **state)
{
	const char *paths[] = {at("/one"), at("/two")}, *absent[] = {at("/one"), at("/absent")};
	char event[4096];
	struct pollfd waiting = {.events = POLLIN};
	struct rlimit old, small;

	(void)state;
	tree_put(scratch, "/one", "1", 1);
	tree_put(scratch, "/two", "2", 1);
	waiting.fd = root_watch(live, paths, 2);
	if (waiting.fd == -EOPNOTSUPP)
		skip();
	assert_true(waiting.fd >= 0);
	assert_int_equal(fcntl(waiting.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	expect_file("/two", "2");
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(read(waiting.fd, event, sizeof(event)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(root_write(live, at("/two"), "3"), 0);
	assert_int_equal(poll(&waiting, 1, 10000), 1);
	assert_true(read(waiting.fd, event, sizeof(event)) >= (ssize_t)sizeof(struct inotify_event));
	assert_int_equal(poll(&waiting, 1, 0), 0);
	(void)close(waiting.fd);
	assert_int_equal(root_watch(live, absent, 2), -ENOENT);
	/* Without a descriptor left it cannot be done, which is no failure of the caller's. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	small = old;
	small.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
	assert_int_equal(root_watch(live, paths, 2), -EOPNOTSUPP);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

static void reads_the_kernels_log(void **state)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_klog(live, &text), size;

	(void)state;
	/* syslog(2) action 10, SIZE_BUFFER, is refused just as reading is. */
	size = klogctl(10, NULL, 0);
	if (size < 0) {
		assert_int_equal(rc, -errno);
		skip();
	}
	assert_int_equal(rc, 0);
	/* Each record begins with its level (kernel/printk/printk.c print_syslog). */
	assert_true(*text == '\0' || *text == '<');
	assert_true(strlen(text) <= ROOT_FILE_MAX);
}

static void probes_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(root_probe(live, "no such probe"), -EINVAL);
	/* Any kernel that runs the tests is later than 5.3; a sandbox may refuse it all the same. */
	if (root_probe(live, "seccomp") == 0)
		assert_int_equal(root_probe(live, "pidfd_open"), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(knows_the_machine),
		TEST(writes_into_a_file_that_exists),
		TEST(writes_into_regular_files_only),
		TEST(tells_the_kernels_refusal_of_a_value),
		TEST(tells_that_only_a_part_was_written),
		TEST(saves_whole_files),
		TEST(saving_replaces_a_link_and_spares_its_target),
		TEST(saves_nothing_where_it_cannot),
		TEST(saves_beside_what_a_dead_one_left),
		TEST(makes_and_removes_directories),
		TEST(takes_only_a_name_as_the_last_part),
		TEST(keeps_attributes_of_directories),
		TEST(refuses_long_attributes),
		TEST(opens_directories_for_clone3),
		TEST(gives_files_to_others),
		TEST(binds_threads_to_cpus),
		TEST(signals_processes_by_descriptors),
		TEST(watches_files),
		TEST(reads_the_kernels_log),
		TEST(probes_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
