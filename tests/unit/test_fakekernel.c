/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fake kernel answers as tests/contract/rules.txt says. Called with "--kernel FILE" this program plays
 * the rules on the kernel that runs it instead, and changes its cgroups: only in the guest. */
#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "contract.h"
#include "fakekernel.h"
#include "test.h"

static char *read_rules(const char *path)
{
	AUTO(fclose_p) FILE *file = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0)
		abort();
	return text;
}

static int start_fake(struct root *root, const char *path, pid_t *pid)
{
	static pid_t last = 100;
	int rc = fakekernel_start(root, path + strlen("/sys/fs/cgroup"), last + 1);

	if (rc == 0)
		*pid = ++last;
	return rc;
}

static void end_fake(struct root *root, pid_t pid)
{
	fakekernel_end(root, pid);
}

static int start_real(struct root *root, const char *path, pid_t *pid)
{
	AUTO(close_p) int fd = root_open_directory(root, path);
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned long long)fd};
	long rc;

	if (fd < 0)
		return fd;
	rc = syscall(SYS_clone3, &args, sizeof(args));
	if (rc < 0)
		return -errno;
	if (rc == 0) {
		for (;;)
			(void)pause();
	}
	*pid = (pid_t)rc;
	return 0;
}

static void end_real(struct root *root, pid_t pid)
{
	(void)root;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static int play_on_kernel(const char *path)
{
	static const struct contract_processes processes = {start_real, end_real};
	AUTO(free_p) char *rules = read_rules(path);
	struct cgpol_error err = {0};
	unsigned played = 0;
	struct root *root;
	int wrong;

	if (root_open("/", &root, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	wrong = contract_play(root, &processes, rules, stdout, &played);
	(void)printf("%u answers, %d differ\n", played, wrong);
	root_free(root);
	return wrong == 0 ? 0 : 1;
}

static void the_rules_hold(void **state)
{
	static const struct contract_processes processes = {start_fake, end_fake};
	AUTO(free_p) char *rules = read_rules(TESTS_DIR "/contract/rules.txt");
	struct root *root = fakekernel_new(NULL);
	unsigned played = 0;

	(void)state;
	fakekernel_machine(root, "0-3", "0-3", "0-3", "0-3");
	assert_int_equal(contract_play(root, &processes, rules, stderr, &played), 0);
	assert_true(played > 150);
	root_free(root);
}

static void a_rule_that_does_not_hold_is_told(void **state)
{
	static const struct contract_processes processes = {start_fake, end_fake};
	struct root *root = fakekernel_new(NULL);
	unsigned played = 0;
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(
		contract_play(root, &processes, "mkdir /a = EBUSY\nmkdir /a = EEXIST\n", out, &played), 1);
	assert_int_equal(contract_play(root, &processes, "what /a = ok\n", out, &played), -1);
	(void)fclose(out);
	assert_string_equal(text, "line 1: mkdir /a : expected EBUSY, got ok\nline 1 is not understood\n");
	root_free(root);
}

static void the_nth_access_fails(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *text = NULL;

	(void)state;
	fakekernel_fail_nth(root, FAKEKERNEL_CHANGES, 2, EIO);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(root_read(root, "/sys/fs/cgroup/a/cgroup.procs", &text, NULL), 0);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/b"), -EIO);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/b"), 0);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), 3);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_READS), 1);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/b", EACCES);
	assert_int_equal(root_rmdir(root, "/sys/fs/cgroup/b"), -EACCES);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/b", 0);
	assert_int_equal(root_rmdir(root, "/sys/fs/cgroup/b"), 0);
	root_free(root);
}

static void attributes_and_directories_are_there(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *value = NULL;
	struct root_info info;
	int fd;

	(void)state;
	fakekernel_cgroup(root, "/a/b", "memory.max=8192", NULL);
	assert_int_equal(root_get_xattr(root, "/sys/fs/cgroup/a/b", "user.x", &value), -ENODATA);
	assert_int_equal(root_set_xattr(root, "/sys/fs/cgroup/a/b", "user.x", "1"), 0);
	assert_int_equal(root_set_xattr(root, "/sys/fs/cgroup/a/b", "user.x", "2"), 0);
	assert_int_equal(root_get_xattr(root, "/sys/fs/cgroup/a/b", "user.x", &value), 0);
	assert_string_equal(value, "2");
	assert_int_equal(root_stat(root, "/sys/fs/cgroup/a/b", &info), 0);
	assert_int_equal(info.inode, 3);
	fd = root_open_directory(root, "/sys/fs/cgroup/a/b");
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(root_open_directory(root, "/sys/fs/cgroup/x"), -ENOENT);
	root_free(root);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_hold),
		cmocka_unit_test(a_rule_that_does_not_hold_is_told),
		cmocka_unit_test(the_nth_access_fails),
		cmocka_unit_test(attributes_and_directories_are_there),
	};

	if (argc == 3 && strcmp(argv[1], "--kernel") == 0)
		return play_on_kernel(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
