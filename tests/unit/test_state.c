/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state directory: nobody else's, locked by one, and what was appended is whole and on disk. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/root.h"
#include "host/state.h"
#include "tree.h"

static char *dir; /* empty, one for each test */

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
int __real_ftruncate(int fd, off_t size);
int __wrap_ftruncate(int fd, off_t size);

static struct {
	int datasync, sync, truncate; /* the errno that they fail with */
	unsigned datasyncs, syncs;    /* calls */
	size_t room;		      /* bytes until the disk is full */
	size_t most;		      /* that one write takes; 0: all */
} disk;

int __wrap_fdatasync(int fd)
{
	disk.datasyncs++;
	errno = disk.datasync;
	return disk.datasync ? -1 : __real_fdatasync(fd);
}

int __wrap_fsync(int fd)
{
	disk.syncs++;
	errno = disk.sync;
	return disk.sync ? -1 : __real_fsync(fd);
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (disk.room == 0) {
		errno = ENOSPC;
		return -1;
	}
	if (disk.most && size > disk.most)
		size = disk.most;
	if (size > disk.room)
		size = disk.room;
	if (disk.room != SIZE_MAX)
		disk.room -= size;
	return __real_write(fd, data, size);
}

int __wrap_ftruncate(int fd, off_t size)
{
	errno = disk.truncate;
	return disk.truncate ? -1 : __real_ftruncate(fd, size);
}

static int make_dir(void **unused)
{
	(void)unused;
	memset(&disk, 0, sizeof(disk));
	disk.room = SIZE_MAX;
	dir = tree_make();
	return 0;
}

static int remove_dir(void **unused)
{
	(void)unused;
	tree_remove(dir);
	return 0;
}

static struct state *open_state(const char *name)
{
	struct cgpol_error err = {0};
	struct state *state = NULL;

	if (state_open(tree_path(dir, name), true, &state, &err) < 0)
		fail_msg("%s", err.text);
	return state;
}

static void assert_holds(struct state *state, const char *name, const char *should)
{
	AUTO(free_p) char *text = NULL;

	assert_int_equal(state_read(state, name, &text), 0);
	assert_string_equal(text, should);
}

static void it_is_made_for_its_owner_alone(void **unused)
{
	AUTO(state_close_p) struct state *state = NULL;
	struct cgpol_error err = {0};
	struct stat info;

	(void)unused;
	assert_int_equal(state_open(tree_path(dir, "/s"), false, &state, &err), -ENOENT);
	assert_null(state);
	assert_int_equal(err.kind, CGPOL_FAILED);
	state = open_state("/s");
	assert_int_equal(stat(tree_path(dir, "/s"), &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	assert_string_equal(state_path(state), tree_path(dir, "/s"));
}

static void only_its_last_part_is_made(void **unused)
{
	struct state *state = NULL;
	struct cgpol_error err = {0};

	(void)unused;
	assert_int_equal(state_open(tree_path(dir, "/no/s"), true, &state, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/s: No such file or directory"));
}

static void one_that_others_may_write_to_is_refused(void **unused)
{
	struct state *state = NULL;
	struct cgpol_error err = {0};

	(void)unused;
	tree_mkdir(dir, "/s");
	assert_int_equal(chmod(tree_path(dir, "/s"), 0720), 0);
	assert_int_equal(state_open(tree_path(dir, "/s"), true, &state, &err), -EPERM);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "others may write to it (mode 0720)"));
	assert_non_null(strstr(err.hint, "chmod go-w "));
	assert_null(state);
	assert_int_equal(chmod(tree_path(dir, "/s"), 01777), 0);
	assert_int_equal(state_open(tree_path(dir, "/s"), true, &state, &err), -EPERM);
	assert_int_equal(chmod(tree_path(dir, "/s"), 0755), 0);
	assert_int_equal(state_open(tree_path(dir, "/s"), true, &state, &err), 0);
	state_close(state);
}

static void one_of_another_user_is_refused(void **unused)
{
	struct state *state = NULL;
	struct cgpol_error err = {0};
	struct stat info;

	(void)unused;
	/* Root's, or as root somebody's. */
	if (geteuid() == 0) {
		tree_mkdir(dir, "/s");
		assert_int_equal(chown(tree_path(dir, "/s"), 12345, (gid_t)-1), 0);
		assert_int_equal(state_open(tree_path(dir, "/s"), true, &state, &err), -EPERM);
		assert_non_null(strstr(err.text, "it belongs to user 12345"));
		assert_non_null(strstr(err.hint, "chown 0 "));
		return;
	}
	assert_int_equal(stat("/usr", &info), 0);
	assert_int_equal(state_open("/usr", true, &state, &err), -EPERM);
	assert_non_null(strstr(err.text, "it belongs to user "));
}

static void a_link_or_a_file_is_no_directory(void **unused)
{
	struct state *state = NULL;
	struct cgpol_error err = {0};

	(void)unused;
	tree_mkdir(dir, "/real");
	tree_link(dir, "/link", "real");
	tree_put(dir, "/file", "", 0);
	assert_int_not_equal(state_open(tree_path(dir, "/link"), true, &state, &err), 0);
	assert_non_null(strstr(err.text, "it is not a directory, but a file or a link"));
	assert_true(state_open(tree_path(dir, "/link//"), true, &state, &err) < 0);
	assert_true(state_open(tree_path(dir, "/file"), true, &state, &err) < 0);
	assert_int_equal(state_open(tree_path(dir, "/real//"), true, &state, &err), 0);
	state_close(state);
}

static void the_second_to_lock_it_learns_who_has_it(void **unused)
{
	AUTO(state_close_p) struct state *first = open_state("/s"), *second = open_state("/s");
	struct cgpol_error err = {0};
	char who[40];

	(void)unused;
	assert_int_equal(state_lock(first, 0, &err), 0);
	assert_int_equal(state_lock(first, 0, &err), 0);
	assert_int_equal(state_lock(second, 0, &err), -EBUSY);
	assert_int_equal(err.kind, CGPOL_FAILED);
	(void)snprintf(who, sizeof(who), "another cgpol (process %d)", getpid());
	assert_non_null(strstr(err.text, who));
	assert_non_null(strstr(err.file, "/s/lock"));
	state_close(first);
	first = NULL;
	assert_int_equal(state_lock(second, 0, &err), 0);
}

static void it_waits_for_the_lock(void **unused)
{
	AUTO(state_close_p) struct state *state = NULL;
	struct cgpol_error err = {0};
	int ready[2], status;
	char byte = 0;
	pid_t child;

	(void)unused;
	assert_int_equal(pipe(ready), 0);
	state = open_state("/s");
	child = fork();
	if (child == 0) {
		struct state *own = open_state("/s");

		if (state_lock(own, 0, NULL) < 0 || __real_write(ready[1], &byte, 1) != 1)
			_exit(1);
		usleep(50000);
		/* No state_close: the kernel lets go. */
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(state_lock(state, 0, &err), -EBUSY);
	assert_int_equal(state_lock(state, 20000, &err), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(ready[0]);
	close(ready[1]);
}

static void a_lock_that_is_a_link_is_refused(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	struct cgpol_error err = {0};

	(void)unused;
	tree_put(dir, "/other", "text\n", 5);
	tree_link(dir, "/s/lock", "../other");
	assert_int_equal(state_lock(state, 0, &err), -ELOOP);
	assert_non_null(strstr(err.text, "cannot lock"));
}

static void names_that_lead_elsewhere_are_refused(void **unused)
{
	static const char *const bad[] = {"", ".", "..", ".hidden", "a/b", "/etc/passwd", "lock"};
	AUTO(state_close_p) struct state *state = open_state("/s");
	char *text = NULL;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(state_create(state, bad[i]), -EINVAL);
		assert_int_equal(state_resume(state, bad[i]), -EINVAL);
		assert_int_equal(state_read(state, bad[i], &text), -EINVAL);
		assert_int_equal(state_remove(state, bad[i]), -EINVAL);
	}
}

static void what_is_appended_is_read_and_on_disk(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	struct stat info;

	(void)unused;
	assert_int_equal(state_append(state, "x"), -EBADF);
	assert_int_equal(state_create(state, "a"), 0);
	assert_int_equal(disk.syncs, 1); /* its name, in the directory */
	assert_int_equal(state_append(state, "one\n"), 0);
	assert_int_equal(state_append(state, "two\n"), 0);
	assert_int_equal(disk.datasyncs, 2);
	assert_holds(state, "a", "one\ntwo\n");
	assert_int_equal(state_create(state, "a"), -EEXIST);
	assert_int_equal(state_append(state, "three\n"), 0);
	assert_holds(state, "a", "one\ntwo\nthree\n");
	assert_int_equal(stat(tree_path(dir, "/s/a"), &info), 0);
	assert_int_equal(info.st_mode & 07777, 0600);
}

static void one_file_is_open_at_a_time(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");

	(void)unused;
	assert_int_equal(state_create(state, "a"), 0);
	assert_int_equal(state_append(state, "a1\n"), 0);
	assert_int_equal(state_create(state, "b"), 0);
	assert_int_equal(state_append(state, "b1\n"), 0);
	assert_int_equal(state_resume(state, "a"), 0);
	assert_int_equal(state_append(state, "a2\n"), 0);
	assert_int_equal(state_resume(state, "c"), -ENOENT);
	assert_int_equal(state_append(state, "a3\n"), 0);
	assert_holds(state, "a", "a1\na2\na3\n");
	assert_holds(state, "b", "b1\n");
}

static void a_torn_last_line_is_cut_off_before_more_is_appended(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	char torn[9001];

	(void)unused;
	tree_put(dir, "/s/a", "whole\ntor", 9);
	assert_int_equal(state_resume(state, "a"), 0);
	assert_int_equal(state_append(state, "next\n"), 0);
	assert_holds(state, "a", "whole\nnext\n");
	/* Longer than what is looked at in one go. */
	memset(torn, 't', sizeof(torn));
	memcpy(torn, "whole\n", 6);
	tree_put(dir, "/s/b", torn, sizeof(torn));
	assert_int_equal(state_resume(state, "b"), 0);
	assert_holds(state, "b", "whole\n");
	torn[5] = 't';
	tree_put(dir, "/s/c", torn, sizeof(torn));
	assert_int_equal(state_resume(state, "c"), 0);
	assert_holds(state, "c", "");
}

static void a_full_disk_leaves_the_file_as_it_was(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");

	(void)unused;
	assert_int_equal(state_create(state, "a"), 0);
	assert_int_equal(state_append(state, "one\n"), 0);
	disk.room = 3;
	assert_int_equal(state_append(state, "two\n"), -ENOSPC);
	assert_holds(state, "a", "one\n");
	disk.room = SIZE_MAX;
	disk.most = 2;
	assert_int_equal(state_append(state, "three\n"), 0);
	assert_holds(state, "a", "one\nthree\n");
}

static void what_is_not_on_disk_was_not_appended(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");

	(void)unused;
	assert_int_equal(state_create(state, "a"), 0);
	disk.datasync = EIO;
	assert_int_equal(state_append(state, "one\n"), -EIO);
	disk.datasync = 0;
	assert_holds(state, "a", "");
}

static void nothing_follows_a_torn_line_that_cannot_be_cut_off(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");

	(void)unused;
	assert_int_equal(state_create(state, "a"), 0);
	disk.room = 3;
	disk.truncate = EIO;
	assert_int_equal(state_append(state, "one\n"), -ENOSPC);
	disk.room = SIZE_MAX;
	assert_int_equal(state_append(state, "two\n"), -EIO);
	assert_holds(state, "a", "one");
	disk.truncate = 0;
	assert_int_equal(state_resume(state, "a"), 0);
	assert_int_equal(state_append(state, "two\n"), 0);
	assert_holds(state, "a", "two\n");
}

static void a_file_whose_name_is_not_on_disk_is_not_there(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	char *text = NULL;

	(void)unused;
	disk.sync = EIO;
	assert_int_equal(state_create(state, "a"), -EIO);
	assert_int_equal(state_read(state, "a", &text), -ENOENT);
	assert_int_equal(state_append(state, "x"), -EBADF);
}

static void files_that_another_could_have_written_are_refused(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	char *text = NULL;

	(void)unused;
	tree_put(dir, "/s/a", "x\n", 2);
	assert_int_equal(chmod(tree_path(dir, "/s/a"), 0620), 0);
	assert_int_equal(state_read(state, "a", &text), -EPERM);
	assert_int_equal(state_resume(state, "a"), -EPERM);
	tree_link(dir, "/s/b", "a");
	assert_int_equal(state_read(state, "b", &text), -ELOOP);
	assert_int_equal(state_resume(state, "b"), -ELOOP);
	tree_mkdir(dir, "/s/c");
	assert_int_equal(state_read(state, "c", &text), -EPERM);
	/* Nobody waits for the other end of a pipe. */
	assert_int_equal(mkfifo(tree_path(dir, "/s/d"), 0600), 0);
	assert_int_equal(state_read(state, "d", &text), -EPERM);
	tree_put(dir, "/s/e", "a\0b", 3);
	assert_int_equal(state_read(state, "e", &text), -EINVAL);
	tree_put(dir, "/s/f", "", 0);
	assert_int_equal(truncate(tree_path(dir, "/s/f"), (off_t)STATE_FILE_MAX + 1), 0);
	assert_int_equal(state_read(state, "f", &text), -EFBIG);
	assert_int_equal(state_resume(state, "f"), -EFBIG);
	assert_null(text);
}

static void no_file_grows_above_what_is_read(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");

	(void)unused;
	tree_put(dir, "/s/a", "", 0);
	assert_int_equal(truncate(tree_path(dir, "/s/a"), (off_t)STATE_FILE_MAX - 1), 0);
	/* It must end with a whole line, or all of it is cut off. */
	int fd = open(tree_path(dir, "/s/a"), O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0 && __real_write(fd, "\n", 1) == 1);
	close(fd);
	assert_int_equal(state_resume(state, "a"), 0);
	assert_int_equal(state_append(state, "x"), -EFBIG);
}

static void the_list_is_sorted_and_has_only_files(void **unused)
{
	AUTO(state_close_p) struct state *state = open_state("/s");
	char **names = NULL;
	size_t count = 9;

	(void)unused;
	assert_int_equal(state_list(state, &names, &count), 0);
	assert_int_equal(count, 0);
	root_list_free(names, count);
	assert_int_equal(state_lock(state, 0, NULL), 0);
	tree_mkdir(dir, "/s/persistent");
	tree_put(dir, "/s/.hidden", "", 0);
	tree_put(dir, "/s/b", "", 0);
	tree_put(dir, "/s/a", "", 0);
	tree_put(dir, "/s/B", "", 0);
	tree_link(dir, "/s/l", "a");
	assert_int_equal(state_list(state, &names, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(names[0], "B");
	assert_string_equal(names[1], "a");
	assert_string_equal(names[2], "b");
	root_list_free(names, count);
	assert_int_equal(state_remove(state, "a"), 0);
	assert_int_equal(state_remove(state, "a"), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_made_for_its_owner_alone),
		TEST(only_its_last_part_is_made),
		TEST(one_that_others_may_write_to_is_refused),
		TEST(one_of_another_user_is_refused),
		TEST(a_link_or_a_file_is_no_directory),
		TEST(the_second_to_lock_it_learns_who_has_it),
		TEST(it_waits_for_the_lock),
		TEST(a_lock_that_is_a_link_is_refused),
		TEST(names_that_lead_elsewhere_are_refused),
		TEST(what_is_appended_is_read_and_on_disk),
		TEST(one_file_is_open_at_a_time),
		TEST(a_torn_last_line_is_cut_off_before_more_is_appended),
		TEST(a_full_disk_leaves_the_file_as_it_was),
		TEST(what_is_not_on_disk_was_not_appended),
		TEST(nothing_follows_a_torn_line_that_cannot_be_cut_off),
		TEST(a_file_whose_name_is_not_on_disk_is_not_there),
		TEST(files_that_another_could_have_written_are_refused),
		TEST(no_file_grows_above_what_is_read),
		TEST(the_list_is_sorted_and_has_only_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
