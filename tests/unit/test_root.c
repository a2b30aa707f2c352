/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one door: the live machine and captures, and that nothing leads out of a capture. */
#include "test.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/root.h"
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

static void expect_text(struct root *root, const char *path, const char *expected)
{
	AUTO(free_p) char *text = NULL;
	size_t size;

	assert_int_equal(root_read(root, path, &text, &size), 0);
	assert_string_equal(text, expected);
	assert_int_equal(size, strlen(expected));
}

static int read_error(struct root *root, const char *path)
{
	char *text = NULL;
	int rc = root_read(root, path, &text, NULL);

	if (rc == 0)
		free(text);
	else
		assert_null(text);
	return rc;
}

static void knows_the_live_machine(void **state)
{
	struct root *root = open_root("/");
	struct utsname uts;
	struct stat st;

	(void)state;
	assert_int_equal(uname(&uts), 0);
	assert_true(root->is_live);
	assert_string_equal(root->facts.release, uts.release);
	assert_int_equal(root->facts.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(root->facts.self, getpid());
	assert_int_equal(root->facts.uid, geteuid());
	/* include/linux/proc_ns.h PROC_PID_INIT_INO */
	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	assert_int_equal(root->facts.initial_pidns, st.st_ino == 0xEFFFFFFC);
	assert_true(root->facts.pidns == st.st_ino);
	assert_true(root->facts.time > 1600000000);
	root_free(root);
	root_free(NULL);
}

static void reads_the_capabilities_of_capget(void **state)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	struct root *root = open_root("/");

	(void)state;
	assert_int_equal(syscall(SYS_capget, &header, data), 0);
	assert_true(root->facts.caps == ((uint64_t)data[1].effective << 32 | data[0].effective));
	root_free(root);
}

static void follows_the_links_of_proc_and_sysfs(void **state)
{
	struct root *root = open_root("/");
	AUTO(free_p) char *own = NULL;
	AUTO(free_p) char *linked = NULL;
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", getpid());
	assert_int_equal(root_read(root, path, &own, NULL), 0);
	assert_int_equal(root_read(root, "/proc/self/comm", &linked, NULL), 0);
	assert_string_equal(own, linked);
	/* A magic link is no file of the machine. */
	assert_int_equal(read_error(root, "/proc/self/exe"), -ELOOP);
	root_free(root);
}

static void tells_the_kernels_errnos(void **state)
{
	struct root *root = open_root("/");
	uint64_t value;

	(void)state;
	assert_int_equal(read_error(root, "/proc/4194305/stat"), -ENOENT);
	assert_int_equal(read_error(root, "/proc"), -EISDIR);
	assert_int_equal(root_read_u64(root, "/proc/self/stat", &value), -EINVAL);
	assert_int_equal(root_read_u64(root, "/proc/sys/kernel/pid_max", &value), 0);
	assert_true(value >= 301 && value <= 4194304);
	root_free(root);
}

static void lists_only_directories_by_number(void **state)
{
	struct root *root = open_root("/");
	long last = -1;
	char **names;
	size_t count, numbers = 0;

	(void)state;
	assert_int_equal(root_list(root, "/proc", &names, &count), 0);
	for (size_t i = 0; i < count; i++) {
		char *end;
		long pid = strtol(names[i], &end, 10);

		/* /proc/self is a link, /proc/uptime a file */
		assert_string_not_equal(names[i], "self");
		assert_string_not_equal(names[i], "uptime");
		if (*end != '\0')
			continue;
		assert_int_equal(numbers++, i);
		assert_true(pid > last);
		last = pid;
	}
	assert_true(numbers > 0 && numbers < count);
	root_list_free(names, count);
	assert_int_equal(root_list(root, "/proc/uptime", &names, &count), -ENOTDIR);
	root_free(root);
}

/* Two processes share an mm after vfork(2) and CLONE_VM, not after fork. */
static int sleep_forever(void *arg)
{
	(void)arg;
	while (pause() < 0)
		;
	return 0;
}

static void finds_processes_that_share_memory(void **state)
{
	struct root *root = open_root("/");
	static char stack[65536] __attribute__((aligned(16)));
	pid_t other = fork(), twin;
	int order = 7, back = 7;
	int rc;

	(void)state;
	if (other == 0)
		(void)sleep_forever(NULL);
	twin = clone(sleep_forever, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	assert_true(other > 0 && twin > 0);
	rc = root_compare_mm(root, getpid(), twin, &order);
	if (rc == -ENOSYS || rc == -EPERM) {
		(void)kill(other, SIGKILL);
		(void)kill(twin, SIGKILL);
		root_free(root);
		skip(); /* no CONFIG_KCMP, or a sandbox */
	}
	assert_int_equal(rc, 0);
	assert_int_equal(order, 0);
	assert_int_equal(root_compare_mm(root, getpid(), other, &order), 0);
	assert_int_not_equal(order, 0);
	assert_int_equal(root_compare_mm(root, other, getpid(), &back), 0);
	assert_int_equal(order, -back);
	(void)kill(other, SIGKILL);
	(void)kill(twin, SIGKILL);
	assert_int_equal(waitpid(other, NULL, 0), other);
	assert_int_equal(waitpid(twin, NULL, 0), twin);
	assert_int_equal(root_compare_mm(root, getpid(), other, &order), -ESRCH);
	root_free(root);
}

static void takes_the_facts_of_a_capture_from_its_manifest(void **state)
{
	struct root *root = open_root(capture);

	(void)state;
	assert_false(root->is_live);
	assert_string_equal(root->facts.release, "6.1.0");
	assert_true(root->facts.caps == 0x1ff);
	assert_int_equal(root->facts.self, 5);
	root_free(root);
}

static void strips_one_newline_and_keeps_the_rest(void **state)
{
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *head = NULL;
	struct root *root;
	size_t size;

	(void)state;
	put("/one", "4096\n");
	put("/two", "a\n\n");
	put("/none", "a");
	put("/empty", "");
	tree_put(capture, "/nul", "a\0b\n", 4);
	root = open_root(capture);
	expect_text(root, "/one", "4096");
	expect_text(root, "/two", "a\n");
	expect_text(root, "/none", "a");
	expect_text(root, "/empty", "");
	assert_int_equal(root_read(root, "/nul", &text, &size), 0);
	assert_int_equal(size, 3);
	assert_memory_equal(text, "a\0b", 4);
	/* A head is what one read gave: whether its last line is whole shows in the newline. */
	assert_int_equal(root_read_head(root, "/one", &head), 0);
	assert_string_equal(head, "4096\n");
	root_free(root);
}

static void reads_large_files_whole_and_heads_in_part(void **state)
{
	enum { SIZE = 300000 };
	AUTO(free_p) char *data = malloc(SIZE + 1);
	AUTO(free_p) char *head = NULL;
	struct root *root;

	(void)state;
	for (int i = 0; i < SIZE; i++)
		data[i] = (char)('a' + i % 26);
	data[SIZE] = '\0';
	tree_put(capture, "/large", data, SIZE);
	root = open_root(capture);
	expect_text(root, "/large", data);
	assert_int_equal(root_read_head(root, "/large", &head), 0);
	assert_int_equal(strlen(head), ROOT_HEAD_SIZE);
	assert_memory_equal(head, data, ROOT_HEAD_SIZE);
	root_free(root);
}

static void refuses_files_above_its_limit(void **state)
{
	AUTO(free_p) char *text = NULL;
	struct root *root;
	size_t size;

	(void)state;
	put("/most", "");
	put("/more", "");
	put("/huge", "");
	assert_int_equal(truncate(tree_path(capture, "/most"), ROOT_FILE_MAX), 0);
	assert_int_equal(truncate(tree_path(capture, "/more"), ROOT_FILE_MAX + 1), 0);
	assert_int_equal(truncate(tree_path(capture, "/huge"), 100 << 20), 0);
	root = open_root(capture);
	assert_int_equal(root_read(root, "/most", &text, &size), 0);
	assert_int_equal(size, ROOT_FILE_MAX);
	assert_int_equal(read_error(root, "/more"), -EFBIG);
	assert_int_equal(read_error(root, "/huge"), -EFBIG);
	root_free(root);
}

static void reads_regular_files_only(void **state)
{
	struct root *root;
	char *text = NULL;

	(void)state;
	assert_int_equal(mkfifo(tree_path(capture, "/fifo"), 0600), 0);
	tree_mkdir(capture, "/dir");
	root = open_root(capture);
	assert_int_equal(read_error(root, "/fifo"), -EINVAL);
	assert_int_equal(read_error(root, "/dir"), -EISDIR);
	assert_int_equal(root_read_head(root, "/fifo", &text), -EINVAL);
	root_free(root);
	root = open_root("/");
	assert_int_equal(read_error(root, tree_path(capture, "/fifo")), -EINVAL);
	assert_int_equal(read_error(root, "/dev/zero"), -EINVAL);
	root_free(root);
}

static void never_leaves_the_root(void **state)
{
	struct root_info info;
	struct root *root;
	char **names;
	size_t count;

	(void)state;
	put("/inside", "inside");
	tree_link(capture, "/absolute", "/etc/passwd");
	tree_link(capture, "/upwards", "../../../../../../../../etc/passwd");
	tree_link(capture, "/etcdir", "/etc");
	tree_link(capture, "/sub/home", "/inside");
	tree_link(capture, "/sub/up", "../../../inside");
	tree_link(capture, "/loop", "loop");
	tree_link(capture, "/magic", "/proc/self/root/etc/passwd");
	root = open_root(capture);
	assert_int_equal(read_error(root, "/absolute"), -ENOENT);
	assert_int_equal(read_error(root, "/upwards"), -ENOENT);
	assert_int_equal(read_error(root, "/etcdir/passwd"), -ENOENT);
	assert_int_equal(read_error(root, "/../../../../../../etc/passwd"), -ENOENT);
	assert_int_equal(read_error(root, "/magic"), -ENOENT);
	assert_int_equal(read_error(root, "/loop"), -ELOOP);
	assert_int_equal(root_list(root, "/etcdir", &names, &count), -ENOENT);
	assert_int_equal(root_stat(root, "/etcdir", &info), -ENOENT);
	/* What stays inside is followed. */
	expect_text(root, "/sub/home", "inside");
	expect_text(root, "/sub/up", "inside");
	expect_text(root, "/../inside", "inside");
	root_free(root);
}

static void sorts_numbers_before_names(void **state)
{
	static const char *const expected[] = {"0", "00",    "2", "10", "18446744073709551616",
					       "",  "node1", "z"};
	struct root *root;
	char **names;
	size_t count, at = 0;

	(void)state;
	for (size_t i = ARRAY_SIZE(expected); i-- > 0;) {
		char path[64];

		(void)snprintf(path, sizeof(path), "/list/%s", expected[i]);
		tree_mkdir(capture, path);
	}
	put("/list/file", "");
	tree_link(capture, "/list/link", "z");
	root = open_root(capture);
	assert_int_equal(root_list(root, "/list", &names, &count), 0);
	assert_int_equal(count, ARRAY_SIZE(expected) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		if (*expected[i] != '\0')
			assert_string_equal(names[at++], expected[i]);
	}
	root_list_free(names, count);
	tree_mkdir(capture, "/none");
	assert_int_equal(root_list(root, "/none", &names, &count), 0);
	assert_int_equal(count, 0);
	root_list_free(names, count);
	root_free(root);
}

static void answers_from_the_manifest_first(void **state)
{
	static const char manifest[] =
		"{\"schema\": 1, \"kernel\": \"6.1.0\", \"page_size\": 4096, \"uid\": 0, \"capabilities\": "
		"\"0\","
		" \"self\": 5, \"initial_pid_namespace\": false, \"time\": 0,"
		" \"errors\": {\"/a\": \"ESRCH\", \"list:/d\": \"EACCES\", \"stat:/d\": \"EPERM\","
		" \"kcmp:3:4\": \"EPERM\"},"
		" \"cgroups\": {\"/cg\": 41, \"/cg/gone\": 43}, \"lists\": {\"/cg\": [\"y\", \"10\", \"9\"]},"
		" \"heads\": {\"/b\": \"head%0A\"}, \"shared_mm\": [[7, 9]]}";
	AUTO(free_p) char *head = NULL;
	struct root_info info;
	struct root *root;
	char **names;
	size_t count;
	int order;

	(void)state;
	put("/manifest.json", manifest);
	put("/a", "never seen");
	put("/b", "whole");
	tree_mkdir(capture, "/d/e");
	tree_mkdir(capture, "/cg/real");
	root = open_root(capture);
	assert_int_equal(read_error(root, "/a"), -ESRCH);
	expect_text(root, "/b", "whole");
	assert_int_equal(root_read_head(root, "/b", &head), 0);
	assert_string_equal(head, "head\n");
	assert_int_equal(root_list(root, "/d", &names, &count), -EACCES);
	assert_int_equal(root_stat(root, "/d", &info), -EPERM);
	assert_int_equal(root_list(root, "/cg", &names, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(names[0], "9");
	assert_string_equal(names[2], "y");
	root_list_free(names, count);
	assert_int_equal(root_stat(root, "/cg", &info), 0);
	assert_int_equal(info.inode, 41);
	assert_int_equal(info.nlink, 5);
	assert_true(S_ISDIR(info.mode));
	assert_int_equal(root_stat(root, "/cg/gone", &info), 0);
	assert_int_equal(info.inode, 43);
	assert_int_equal(info.nlink, 2);
	assert_int_equal(root_stat(root, "/d/e", &info), 0);
	assert_int_equal(info.inode, 0);
	assert_int_equal(root_stat(root, "/absent", &info), -ENOENT);
	assert_int_equal(root_compare_mm(root, 4, 3, &order), -EPERM);
	assert_int_equal(root_compare_mm(root, 9, 7, &order), 0);
	assert_int_equal(order, 0);
	assert_int_equal(root_compare_mm(root, 8, 9, &order), 0);
	assert_int_equal(order, 1);
	root_free(root);
}

static void refuses_what_is_no_capture(void **state)
{
	struct cgpol_error err = {0};
	struct root *root = NULL;
	char expected[256];

	(void)state;
	assert_int_equal(unlink(tree_path(capture, "/manifest.json")), 0);
	assert_int_equal(root_open(capture, &root, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_USAGE);
	(void)snprintf(expected, sizeof(expected), "%s is no capture: it has no manifest.json", capture);
	assert_string_equal(err.text, expected);
	tree_link(capture, "/manifest.json", "/etc/hostname");
	assert_int_equal(root_open(capture, &root, &err), -ENOENT);
	put("/file", "");
	assert_int_equal(root_open(tree_path(capture, "/file"), &root, &err), -ENOTDIR);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(root_open(tree_path(capture, "/a\033b"), &root, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_null(strchr(err.text, '\033'));
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_null(root);
}

static void refuses_a_broken_manifest(void **state)
{
	struct cgpol_error err = {0};
	struct root *root = NULL;

	(void)state;
	put("/manifest.json", "{\"schema\": 1, ");
	assert_int_equal(root_open(capture, &root, &err), -EBADMSG);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, capture));
	assert_non_null(strstr(err.text, "manifest.json is broken"));
	assert_int_equal(truncate(tree_path(capture, "/manifest.json"), 100 << 20), 0);
	assert_int_equal(root_open(capture, &root, &err), -EFBIG);
	assert_int_equal(unlink(tree_path(capture, "/manifest.json")), 0);
	tree_mkdir(capture, "/manifest.json");
	assert_int_equal(root_open(capture, &root, &err), -EISDIR);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_null(root);
}

struct access {
	char op[16], path[32];
	int result;
};

static void note_access(void *arg, const char *op, const char *path, int result)
{
	struct access *access = arg;

	(void)snprintf(access->op, sizeof(access->op), "%s", op);
	(void)snprintf(access->path, sizeof(access->path), "%s", path);
	access->result = result;
}

static void traces_each_access(void **state)
{
	struct access seen = {"", "", 1};
	struct root_info info;
	struct root *root;
	char *text;
	int order;

	(void)state;
	root = open_root(capture);
	root->trace = note_access;
	root->trace_arg = &seen;
	assert_int_equal(read_error(root, "/absent"), -ENOENT);
	assert_string_equal(seen.op, "read");
	assert_string_equal(seen.path, "/absent");
	assert_int_equal(seen.result, -ENOENT);
	assert_int_equal(root_read_head(root, "/manifest.json", &text), 0);
	free(text);
	assert_string_equal(seen.op, "head");
	assert_int_equal(seen.result, 0);
	assert_int_equal(root_stat(root, "/", &info), 0);
	assert_string_equal(seen.op, "stat");
	assert_int_equal(root_compare_mm(root, 1, 2, &order), 0);
	assert_string_equal(seen.op, "kcmp");
	assert_string_equal(seen.path, "1 2");
	assert_int_equal(root_probe(root, "pidfd_open"), -ENODATA);
	assert_string_equal(seen.op, "probe");
	assert_string_equal(seen.path, "pidfd_open");
	assert_int_equal(root_klog(root, &text), -ENODATA);
	assert_string_equal(seen.op, "klog");
	assert_int_equal(seen.result, -ENODATA);
	assert_int_equal(root_get_xattr(root, "/", "user.a", &text), -ENODATA);
	assert_string_equal(seen.op, "getxattr");
	root_free(root);
}

static void refuses_the_rest(struct root *root, const struct access *seen)
{
	const struct nodeset none = {0, NULL};
	const char *path = "/file";

	assert_int_equal(root_remove_xattr(root, "/dir", "user.a"), -EROFS);
	assert_string_equal(seen->op, "rmxattr");
	assert_int_equal(root_chown(root, path, 1, 1), -EROFS);
	assert_string_equal(seen->op, "chown");
	assert_int_equal(root_set_affinity(root, 1, &none), -EROFS);
	assert_string_equal(seen->op, "affinity");
	assert_int_equal(root_open_process(root, 1), -EROFS);
	assert_int_equal(root_signal(root, 0, 9), -EROFS);
	assert_string_equal(seen->op, "signal");
	assert_int_equal(root_watch(root, &path, 1), -EOPNOTSUPP);
	assert_string_equal(seen->op, "watch");
}

static void a_capture_is_never_changed(void **state)
{
	struct access seen = {"", "", 1};
	struct root *root = open_root(capture);
	struct stat st;

	(void)state;
	put("/file", "old");
	tree_mkdir(capture, "/dir");
	root->trace = note_access;
	root->trace_arg = &seen;
	assert_int_equal(root_write(root, "/file", "new"), -EROFS);
	assert_string_equal(seen.op, "write");
	assert_string_equal(seen.path, "/file");
	assert_int_equal(seen.result, -EROFS);
	assert_int_equal(root_save(root, "/saved", "new"), -EROFS);
	assert_string_equal(seen.op, "save");
	assert_int_equal(root_mkdir(root, "/made"), -EROFS);
	assert_string_equal(seen.op, "mkdir");
	assert_int_equal(root_rmdir(root, "/dir"), -EROFS);
	assert_string_equal(seen.op, "rmdir");
	assert_int_equal(root_set_xattr(root, "/dir", "user.a", "b"), -EROFS);
	assert_string_equal(seen.op, "setxattr");
	assert_int_equal(root_open_directory(root, "/dir"), -EROFS);
	assert_string_equal(seen.op, "open");
	refuses_the_rest(root, &seen);
	expect_text(root, "/file", "old");
	assert_int_equal(stat(tree_path(capture, "/dir"), &st), 0);
	assert_int_equal(stat(tree_path(capture, "/saved"), &st), -1);
	assert_int_equal(stat(tree_path(capture, "/made"), &st), -1);
	root_free(root);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_capture, remove_capture)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_live_machine),
		cmocka_unit_test(reads_the_capabilities_of_capget),
		cmocka_unit_test(follows_the_links_of_proc_and_sysfs),
		cmocka_unit_test(tells_the_kernels_errnos),
		cmocka_unit_test(lists_only_directories_by_number),
		cmocka_unit_test(finds_processes_that_share_memory),
		TEST(takes_the_facts_of_a_capture_from_its_manifest),
		TEST(strips_one_newline_and_keeps_the_rest),
		TEST(reads_large_files_whole_and_heads_in_part),
		TEST(refuses_files_above_its_limit),
		TEST(reads_regular_files_only),
		TEST(never_leaves_the_root),
		TEST(sorts_numbers_before_names),
		TEST(answers_from_the_manifest_first),
		TEST(refuses_what_is_no_capture),
		TEST(refuses_a_broken_manifest),
		TEST(traces_each_access),
		TEST(a_capture_is_never_changed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
