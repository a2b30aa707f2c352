/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorder: a replay answers every question as the recording did. */
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/record.h"
#include "tree.h"

static char *dir; /* empty, one for each test */

static int make_dir(void **state)
{
	(void)state;
	dir = tree_make();
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	tree_remove(dir);
	return 0;
}

static struct root *record(struct root *below)
{
	struct cgpol_error err = {0};
	struct root *root;

	if (record_open(below, tree_path(dir, "/capture"), &root, &err) < 0)
		fail_msg("%s", err.text);
	return root;
}

static struct root *replay(void)
{
	struct cgpol_error err = {0};
	struct root *root;

	if (root_open(tree_path(dir, "/capture"), &root, &err) < 0)
		fail_msg("%s", err.text);
	return root;
}

static void finish(struct root *root)
{
	struct cgpol_error err = {0};

	if (record_finish(root, &err) < 0)
		fail_msg("%s", err.text);
	root_free(root);
}

/* Everything a root can be asked, as one line of text for each question. */
static void ask(struct root *root, const char *question, char *answer, size_t size)
{
	const char *path = question + 2;
	struct root_info info;
	AUTO(free_p) char *text = NULL;
	char **names;
	size_t count = 0, used;
	int rc, order = 0;

	switch (question[0]) {
	case 'r':
		rc = root_read(root, path, &text, &count);
		(void)snprintf(answer, size, "%d %zu %s", rc, count, text ? text : "");
		break;
	case 'h':
		rc = root_read_head(root, path, &text);
		(void)snprintf(answer, size, "%d %s", rc, text ? text : "");
		break;
	case 's':
		rc = root_stat(root, path, &info);
		if (rc == 0)
			(void)snprintf(answer, size, "0 %ju %ju %o %u:%u", (uintmax_t)info.inode,
				       (uintmax_t)info.nlink, info.mode, info.uid, info.gid);
		else
			(void)snprintf(answer, size, "%d", rc);
		break;
	case 'l':
		rc = root_list(root, path, &names, &count);
		used = (size_t)snprintf(answer, size, "%d", rc);
		for (size_t i = 0; rc == 0 && i < count; i++)
			used += (size_t)snprintf(answer + used, size - used, " %s", names[i]);
		if (rc == 0)
			root_list_free(names, count);
		break;
	case 'p':
		(void)snprintf(answer, size, "%d", root_probe(root, path));
		break;
	case 'x':
		rc = root_get_xattr(root, path, "user.cgpol", &text);
		(void)snprintf(answer, size, "%d %s", rc, text ? text : "");
		break;
	case 'm':
		rc = root_klog(root, &text);
		(void)snprintf(answer, size, "%d %s", rc, text ? text : "");
		break;
	default:
		/* Of the order only equality is a fact: the kernel hides the rest, and it differs at each
		 * boot. */
		rc = root_compare_mm(root, (pid_t)strtol(path, NULL, 10),
				     (pid_t)strtol(strchr(path, ' '), NULL, 10), &order);
		(void)snprintf(answer, size, "%d %s", rc, rc == 0 && order == 0 ? "same" : "other");
	}
}

enum { ANSWER_SIZE = 20000 };

static void expect(struct root *root, const char *question, const char *expected)
{
	static char answer[ANSWER_SIZE];

	ask(root, question, answer, sizeof(answer));
	if (strcmp(answer, expected) != 0)
		fail_msg("%s: \"%.300s\" instead of \"%.300s\"", question, answer, expected);
}

static struct root *make_machine(void)
{
	struct root *root = fakeroot_new();
	char large[10000];

	memset(large, 'm', sizeof(large));
	large[sizeof(large) - 1] = '\0';
	fakeroot_put(root, "/proc/1/stat", "1 (init) S 0\n");
	fakeroot_put(root, "/proc/1/numa_maps", large);
	fakeroot_put(root, "/proc/1/empty", "");
	fakeroot_put(root, "/proc/1/two", "a\n\n");
	fakeroot_put(root, "/proc/77/stat", "77 (a) S 1\n");
	fakeroot_put(root, "/proc/77/numa_maps", "7f00 default file=/tmp/\xff%\n");
	fakeroot_fail(root, "/proc/77/stat", ESRCH);
	fakeroot_fail(root, "/proc/77/status", EACCES);
	fakeroot_fail(root, "/proc/77/task", ESRCH);
	fakeroot_mkdir(root, "/proc/9");
	fakeroot_put(root, "/sys/fs/cgroup/web/memory.max", "max\n");
	fakeroot_put(root, "/sys/fs/cgroup/odd\n\xff name/memory.max", "4096\n");
	fakeroot_mkdir(root, "/sys/fs/cgroup/dev\\x2ddisk.swap");
	fakeroot_fail(root, "/sys/fs/cgroup/gone", ENODEV);
	fakeroot_share_mm(root, 398, 405);
	fakeroot_share_mm(root, 405, 410);
	fakeroot_fail(root, "kcmp:77:398", EPERM);
	fakeroot_own(root, "/sys/fs/cgroup/web", 1000, 100);
	fakeroot_set_probe(root, "pidfd_open", 0);
	fakeroot_set_probe(root, "mempolicy:bind", -EPERM);
	fakeroot_put_klog(root, "<6>[    0.000000] Linux\n<4>[    1.000000] \xff\n\n");
	fakeroot_set_xattr(root, "/sys/fs/cgroup/web", "user.cgpol", "run 5\n\xff%");
	fakeroot_fail(root, "xattr:user.cgpol:/proc/9", EACCES);
	return root;
}

static const char *const questions[] = {
	"r /proc/1/stat",
	"r /proc/1/numa_maps",
	"h /proc/1/numa_maps",
	"h /proc/1/stat",
	"r /proc/1/empty",
	"h /proc/1/empty",
	"r /proc/1/two",
	"r /proc/77/stat",
	"h /proc/77/stat",
	"r /proc/77/status",
	"r /proc/77/numa_maps",
	"h /proc/77/numa_maps",
	"r /proc/77/comm",
	"h /proc/77/comm",
	"r /proc/4/stat",
	"r /proc/self/stat",
	"r /proc",
	"l /proc",
	"l /proc/9",
	"l /proc/77/task",
	"l /proc/5",
	"l /sys/fs/cgroup",
	"l /sys/fs/cgroup/web",
	"s /sys/fs/cgroup",
	"s /sys/fs/cgroup/web",
	"s /sys/fs/cgroup/web/memory.max",
	"s /sys/fs/cgroup/gone",
	"s /sys/fs/cgroup/absent",
	"s /proc/9",
	"r /sys/fs/cgroup/odd\n\xff name/memory.max",
	"s /sys/fs/cgroup/odd\n\xff name",
	"r /sys/fs/cgroup/gone",
	"l /sys/fs/cgroup/gone",
	"k 398 405",
	"k 410 405",
	"k 398 410",
	"k 398 399",
	"k 399 398",
	"k 77 398",
	"k 398 77",
	"k 77 77",
	"p pidfd_open",
	"p mempolicy:bind",
	"p process_mrelease",
	"x /sys/fs/cgroup/web",
	"x /sys/fs/cgroup",
	"x /sys/fs/cgroup/absent",
	"x /proc/9",
	"m ",
};

static void a_replay_equals_the_recording(void **state)
{
	static char answers[ARRAY_SIZE(questions)][ANSWER_SIZE];
	struct root *root = record(make_machine());

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		ask(root, questions[i], answers[i], ANSWER_SIZE);
	finish(root);
	root = replay();
	for (size_t i = 0; i < ARRAY_SIZE(questions); i++)
		expect(root, questions[i], answers[i]);
	root_free(root);
}

/* One machine may change its answers between two questions. */
static void disturb(struct root *machine, unsigned round)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%u\nline %u\n", round, round * 7);
	fakeroot_put(machine, "/proc/1/stat", text);
	fakeroot_put(machine, round % 2 == 0 ? "/proc/77/comm" : "/proc/4/stat", text);
	fakeroot_put(machine, "/proc/77/numa_maps", text);
	fakeroot_put(machine, "/proc/1/two", text);
	fakeroot_fail(machine, "/proc/1/numa_maps", round % 3 == 0 ? ESRCH : 0);
	fakeroot_fail(machine, "/proc/77/stat", round % 5 == 0 ? 0 : ESRCH);
	fakeroot_fail(machine, "/proc/77/task", round % 4 == 0 ? 0 : ENOENT);
	fakeroot_fail(machine, "/proc/1/two", round % 4 == 1 ? ENOENT : 0);
	fakeroot_fail(machine, "/sys/fs/cgroup/web", round % 7 == 3 ? ENODEV : 0);
	fakeroot_fail(machine, "kcmp:398:399", round % 3 == 1 ? ESRCH : 0);
	fakeroot_fail(machine, "klog", round % 3 == 2 ? EPERM : 0);
	fakeroot_set_probe(machine, "pidfd_open", round % 2 == 0 ? -ENOSYS : 0);
	fakeroot_set_probe(machine, "process_mrelease", round % 2 == 0 ? -ENOSYS : 0);
	fakeroot_set_xattr(machine, "/sys/fs/cgroup/web", "user.cgpol", text);
	fakeroot_fail(machine, "xattr:user.cgpol:/sys/fs/cgroup", round % 3 == 0 ? EACCES : 0);
	fakeroot_own(machine, "/sys/fs/cgroup/web", round, round);
	(void)snprintf(text, sizeof(text), "/proc/%u", 1000 + round);
	fakeroot_mkdir(machine, text);
	(void)snprintf(text, sizeof(text), "/sys/fs/cgroup/web/%u", round);
	fakeroot_mkdir(machine, text);
}

/* The property that captures are for: any questions in any order, some of them twice, to a machine that
 * changes. */
static void a_replay_equals_the_recording_of_a_changing_machine(void **state)
{
	enum { ASKED = 120, RUNS = 40 };
	static char answers[ASKED][ANSWER_SIZE];
	size_t asked[ASKED];

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		struct root *machine = make_machine(), *root = record(machine);
		unsigned seed = run;

		for (unsigned i = 0; i < ASKED; i++) {
			asked[i] = (size_t)rand_r(&seed) % ARRAY_SIZE(questions);
			ask(root, questions[asked[i]], answers[i], ANSWER_SIZE);
			disturb(machine, (unsigned)rand_r(&seed) % 60);
		}
		finish(root);
		root = replay();
		for (unsigned i = 0; i < ASKED; i++)
			expect(root, questions[asked[i]], answers[i]);
		root_free(root);
		(void)remove_dir(NULL);
		(void)make_dir(NULL);
	}
}

static void keeps_the_facts(void **state)
{
	struct root *machine = fakeroot_new(), *root;

	(void)state;
	(void)snprintf(machine->facts.release, sizeof(machine->facts.release), "5.10.0-46-cloud-amd64");
	machine->facts.uid = 1000;
	machine->facts.caps = 0;
	machine->facts.initial_pidns = false;
	machine->facts.page_size = 65536;
	root = record(machine);
	assert_string_equal(root->facts.release, "5.10.0-46-cloud-amd64");
	assert_false(root->is_live);
	finish(root);
	root = replay();
	assert_string_equal(root->facts.release, "5.10.0-46-cloud-amd64");
	assert_true(root->facts.uid == 1000 && root->facts.caps == 0 && root->facts.page_size == 65536);
	assert_int_equal(root->facts.self, 4194303);
	assert_int_equal(root->facts.time, 1700000000);
	assert_false(root->facts.initial_pidns);
	root_free(root);
}

static void copies_files_as_they_are(void **state)
{
	struct root *root = record(make_machine());
	char text[64] = "";
	struct stat st;
	FILE *file;

	(void)state;
	expect(root, "r /sys/fs/cgroup/odd\n\xff name/memory.max", "0 4 4096");
	finish(root);
	file = fopen(tree_path(dir, "/capture/sys/fs/cgroup/odd\n\xff name/memory.max"), "r");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 5);
	(void)fclose(file);
	assert_string_equal(text, "4096\n");
	assert_int_equal(stat(tree_path(dir, "/capture/manifest.json"), &st), 0);
	assert_int_equal(stat(tree_path(dir, "/capture/manifest.json.new"), &st), -1);
}

static void a_recording_that_was_killed_is_no_capture(void **state)
{
	struct root *machine = make_machine(), *root = record(machine), *again = NULL;
	struct cgpol_error err = {0};

	(void)state;
	expect(root, "r /proc/77/stat", "-3 0 ");
	assert_int_equal(root_open(tree_path(dir, "/capture"), &again, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_USAGE);
	/* root_free finishes it */
	root_free(root);
	root = replay();
	expect(root, "r /proc/77/stat", "-3 0 ");
	root_free(root);
}

static void takes_only_a_new_or_an_empty_directory(void **state)
{
	struct cgpol_error err = {0};
	struct root *root = NULL;

	(void)state;
	tree_mkdir(dir, "/empty");
	tree_put(dir, "/full/.hidden", "", 0);
	tree_put(dir, "/file", "", 0);
	assert_int_equal(record_open(fakeroot_new(), tree_path(dir, "/full"), &root, &err), -ENOTEMPTY);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_non_null(strstr(err.text, "exists and is not empty"));
	assert_int_equal(record_open(fakeroot_new(), tree_path(dir, "/file"), &root, &err), -ENOTDIR);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(record_open(fakeroot_new(), tree_path(dir, "/no/where"), &root, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_null(root);
	assert_int_equal(record_open(fakeroot_new(), tree_path(dir, "/empty"), &root, &err), 0);
	root_free(root);
}

static void never_follows_a_link_in_its_own_directory(void **state)
{
	struct root *root = record(make_machine());
	struct cgpol_error err = {0};
	struct stat st;

	(void)state;
	tree_mkdir(dir, "/outside");
	tree_link(dir, "/capture/proc", tree_path(dir, "/outside"));
	expect(root, "r /proc/1/stat", "0 12 1 (init) S 0");
	assert_int_equal(record_finish(root, &err), -ENOTDIR);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.file, "/proc/1/stat");
	assert_int_equal(stat(tree_path(dir, "/outside/1"), &st), -1);
	root_free(root);
	assert_int_equal(stat(tree_path(dir, "/capture/manifest.json"), &st), -1);
}

static void never_writes_through_a_link_or_over_a_file(void **state)
{
	struct root *root = record(make_machine());
	struct stat st;

	(void)state;
	tree_put(dir, "/target", "keep", 4);
	tree_link(dir, "/capture/proc/1/stat", tree_path(dir, "/target"));
	expect(root, "r /proc/1/stat", "0 12 1 (init) S 0");
	assert_int_equal(record_finish(root, NULL), -EEXIST);
	root_free(root);
	assert_int_equal(stat(tree_path(dir, "/target"), &st), 0);
	assert_int_equal(st.st_size, 4);
}

static void refuses_to_step_upwards(void **state)
{
	struct root *machine = make_machine(), *root;
	struct stat st;

	(void)state;
	fakeroot_put(machine, "/../stolen", "text");
	root = record(machine);
	expect(root, "r /../stolen", "0 4 text");
	assert_int_equal(record_finish(root, NULL), -EINVAL);
	root_free(root);
	assert_int_equal(stat(tree_path(dir, "/stolen"), &st), -1);
}

/* A full disk is played by a limit on the size of files. */
static void tells_that_the_disk_is_full(void **state)
{
	struct root *root = record(make_machine());
	struct cgpol_error err = {0};
	struct rlimit old, none;
	struct stat st;

	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = old;
	none.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	expect(root, "r /proc/1/stat", "0 12 1 (init) S 0");
	expect(root, "h /proc/77/numa_maps", "0 7f00 default file=/tmp/\xff%\n");
	assert_int_equal(record_finish(root, NULL), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	/* What failed stays failed. */
	assert_int_equal(record_finish(root, &err), -EFBIG);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "File too large"));
	assert_non_null(strstr(err.text, dir));
	root_free(root);
	assert_int_equal(stat(tree_path(dir, "/capture/manifest.json"), &st), -1);
}

static void still_answers_when_it_cannot_write(void **state)
{
	struct root *root = record(make_machine());

	(void)state;
	tree_put(dir, "/capture/proc", "", 0);
	for (int i = 0; i < 2; i++) {
		expect(root, "r /proc/1/stat", "0 12 1 (init) S 0");
		expect(root, "r /proc/77/stat", "-3 0 ");
		expect(root, "l /proc", "0 1 9 77");
		expect(root, "k 398 405", "0 same");
	}
	assert_int_equal(record_finish(root, NULL), -ENOTDIR);
	root_free(root);
}

static void a_root_that_records_nothing_is_finished(void **state)
{
	struct root *root = fakeroot_new();

	(void)state;
	assert_int_equal(record_finish(root, NULL), 0);
	root_free(root);
}

static void a_recorder_changes_nothing(void **state)
{
	struct root *live, *root;
	struct stat st;

	(void)state;
	tree_put(dir, "/file", "old", 3);
	assert_int_equal(root_open("/", &live, NULL), 0);
	root = record(live);
	assert_int_equal(root_write(root, tree_path(dir, "/file"), "new"), -EROFS);
	assert_int_equal(root_save(root, tree_path(dir, "/saved"), "new"), -EROFS);
	assert_int_equal(root_mkdir(root, tree_path(dir, "/made")), -EROFS);
	assert_int_equal(root_rmdir(root, tree_path(dir, "/capture")), -EROFS);
	assert_int_equal(root_set_xattr(root, dir, "user.cgpol", "a"), -EROFS);
	assert_int_equal(root_open_directory(root, dir), -EROFS);
	assert_int_equal(stat(tree_path(dir, "/saved"), &st), -1);
	assert_int_equal(stat(tree_path(dir, "/made"), &st), -1);
	finish(root);
}

static void a_capture_of_a_capture_knows_no_more(void **state)
{
	struct root *root = record(make_machine()), *again;

	(void)state;
	expect(root, "p pidfd_open", "0");
	finish(root);
	root = replay();
	assert_int_equal(record_open(root, tree_path(dir, "/again"), &again, NULL), 0);
	expect(again, "p pidfd_open", "0");
	expect(again, "p mempolicy:bind", "-61");
	expect(again, "m ", "-61 ");
	finish(again);
	assert_int_equal(root_open(tree_path(dir, "/again"), &again, NULL), 0);
	expect(again, "p pidfd_open", "0");
	expect(again, "p mempolicy:bind", "-61");
	expect(again, "m ", "-61 ");
	root_free(again);
}

static void keeps_the_log_in_a_file_of_its_own(void **state)
{
	struct root *root = record(make_machine());
	struct stat st;

	(void)state;
	expect(root, "m ", "0 <6>[    0.000000] Linux\n<4>[    1.000000] \xff\n\n");
	finish(root);
	assert_int_equal(stat(tree_path(dir, "/capture/klog"), &st), 0);
	assert_int_equal(st.st_size, strlen("<6>[    0.000000] Linux\n<4>[    1.000000] \xff\n\n"));
}

static void records_the_live_machine(void **state)
{
	static char answers[8][ANSWER_SIZE];
	static const char *const asked[] = {
		"r /proc/self/mountinfo", "l /proc",
		"h /proc/self/numa_maps", "r /proc/self/numa_maps",
		"h /proc/self/numa_maps", "r /proc/meminfo",
		"p pidfd_open",		  "s /proc/self",
	};
	struct root *root;

	(void)state;
	assert_int_equal(root_open("/", &root, NULL), 0);
	root = record(root);
	assert_true(root->is_live);
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		ask(root, asked[i], answers[i], ANSWER_SIZE);
	finish(root);
	root = replay();
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		expect(root, asked[i], answers[i]);
	assert_int_equal(root->facts.self, getpid());
	root_free(root);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_replay_equals_the_recording),
		TEST(a_replay_equals_the_recording_of_a_changing_machine),
		TEST(keeps_the_facts),
		TEST(copies_files_as_they_are),
		TEST(a_recording_that_was_killed_is_no_capture),
		TEST(takes_only_a_new_or_an_empty_directory),
		TEST(never_follows_a_link_in_its_own_directory),
		TEST(never_writes_through_a_link_or_over_a_file),
		TEST(refuses_to_step_upwards),
		TEST(tells_that_the_disk_is_full),
		TEST(still_answers_when_it_cannot_write),
		cmocka_unit_test(a_root_that_records_nothing_is_finished),
		TEST(a_recorder_changes_nothing),
		TEST(a_capture_of_a_capture_knows_no_more),
		TEST(keeps_the_log_in_a_file_of_its_own),
		TEST(records_the_live_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
