/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol confines: by marks, and by the journals of its changes. */
#include "policy/confined.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/state.h"
#include "machine.h"
#include "policy/journal.h"
#include "test.h"
#include "tree.h"

#define BOOT "d2c6b7a1-0000-4000-8000-000000000001"
#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	char *tree; /* a directory for the journals */
	struct confined confined;
	struct cgpol_error err;
};

static void put(struct scene *scene, const char *cgroup, const char *file, const char *text)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroup, file);
	fakeroot_put(scene->root, path, text);
}

static void put_mark(struct scene *scene, const char *cgroup, const char *mark)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s", cgroup);
	fakeroot_set_xattr(scene->root, path, MARK_ATTRIBUTE, mark);
}

static void open_scene(struct scene *scene)
{
	static const char *const cgroups[] = {"/a", "/a/b", "/c", "/d"};

	scene->root = machine_new();
	scene->tree = tree_make();
	fakeroot_put(scene->root, "/proc/sys/kernel/random/boot_id", BOOT "\n");
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		machine_cgroup(scene->root, cgroups[i], i == 1 ? 1048576 : 0, 4096, false);
		put(scene, cgroups[i], "cgroup.controllers", "memory pids\n");
		put(scene, cgroups[i], "cgroup.type", "domain\n");
		put(scene, cgroups[i], "cgroup.procs", i == 1 ? "12\n" : "");
		put(scene, cgroups[i], "pids.max", i == 2 ? "7\n" : "max\n");
	}
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
}

static void close_scene(struct scene *scene)
{
	confined_clear(&scene->confined);
	cgpol_host_free(scene->host);
	tree_remove(scene->tree);
}

static const char *state_of(const struct scene *scene)
{
	return tree_path(scene->tree, "/state");
}

static void put_file(struct scene *scene, const char *name, const char *text)
{
	AUTO(state_close_p) struct state *state = NULL;

	assert_int_equal(state_open(state_of(scene), true, &state, &scene->err), 0);
	assert_int_equal(state_create(state, name), 0);
	assert_int_equal(state_append(state, text), 0);
}

/* A journal of one step on one cgroup. */
static void put_journal(struct scene *scene, const char *id, const char *boot, enum step_op op,
			const char *cgroup, enum journal_state end)
{
	AUTO(free_p) char *mount = journal_mount(scene->host);
	struct journal journal = {
		.id = STR(id), .command = STR("cgpol set"), .boot = STR(boot), .mount = mount, .pid = 1};
	struct step step = {.op = op,
			    .cgroup = STR(cgroup),
			    .file = op == STEP_SET ? STR("pids.max") : NULL,
			    .old_value = op == STEP_SET ? STR("max") : NULL,
			    .new_value = op == STEP_SET	     ? STR("7")
					 : op == STEP_ENABLE ? STR("pids")
							     : NULL};
	const struct plan plan = {.step = &step, .steps = 1};
	AUTO(free_p) char *head = journal_begin(&journal);
	AUTO(free_p) char *steps = journal_plan(&plan, 0);
	AUTO(free_p) char *result = journal_result(0, end == JOURNAL_UNDONE ? STEP_UNDONE : STEP_DONE);
	AUTO(free_p) char *last = end == JOURNAL_OPEN ? strdup("") : journal_end(end);
	AUTO(free_p) char *text = NULL;

	assert_true(asprintf(&text, "%s%s%s%s", head, steps, result, last) > 0);
	put_file(scene, id, text);
}

static int look(struct scene *scene)
{
	confined_clear(&scene->confined);
	return confined_read(scene->host, state_of(scene), &scene->confined, &scene->err);
}

/* "CGROUP CHANGE" for each row. */
static void expect_rows(const struct scene *scene, const char *expected)
{
	char text[512] = "";

	for (size_t i = 0; i < scene->confined.count; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s", i ? "; " : "",
			       scene->confined.row[i].cgroup,
			       scene->confined.row[i].change ? scene->confined.row[i].change : "-");
	assert_string_equal(text, expected);
}

static void marked_cgroups_are_told_with_what_was_set(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct confined_row *row;

	(void)state;
	open_scene(&scene);
	put_mark(&scene, "/a/b", "kept");
	put_mark(&scene, "/a", "parent");
	assert_int_equal(confined_read(scene.host, NULL, &scene.confined, NULL), 0);
	expect_rows(&scene, "/a -; /a/b -");
	row = &scene.confined.row[1];
	assert_int_equal(row->mark.kind, MARK_KEPT);
	assert_true(row->has_procs);
	assert_int_equal(row->procs, 1);
	assert_true(row->has_current);
	assert_int_equal(row->settings.count, 1);
	assert_string_equal(row->settings.item[0].name, "memory.max");
	assert_string_equal(row->settings.item[0].text, "1048576");
	assert_int_equal(scene.confined.row[0].settings.count, 0);
}

static void without_marks_and_journals_there_is_nothing(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(look(&scene), 0); /* the directory is not there */
	assert_int_equal(scene.confined.count, 0);
	tree_mkdir(scene.tree, "/state");
	assert_int_equal(look(&scene), 0);
	assert_int_equal(scene.confined.count, 0);
}

static void the_newest_change_that_is_not_undone_is_told(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	put_journal(&scene, "20260101T000001-1", BOOT, STEP_SET, "/c", JOURNAL_DONE);
	put_journal(&scene, "20260101T000002-1", BOOT, STEP_SET, "/c", JOURNAL_DONE);
	put_journal(&scene, "20260101T000003-1", BOOT, STEP_SET, "/c", JOURNAL_UNDONE);
	put_journal(&scene, "20260101T000004-1", BOOT, STEP_SET, "/c", JOURNAL_FAILED);
	put_journal(&scene, "20260101T000005-1", BOOT, STEP_MKDIR, "/d", JOURNAL_OPEN);
	assert_int_equal(look(&scene), 0);
	expect_rows(&scene, "/c 20260101T000002-1; /d 20260101T000005-1");
	assert_int_equal(scene.confined.row[0].mark.kind, MARK_NONE);
	assert_int_equal(scene.confined.unreadable, 0);
	/* A mark and a change are one row. */
	put_mark(&scene, "/c", "kept");
	assert_int_equal(look(&scene), 0);
	expect_rows(&scene, "/c 20260101T000002-1; /d 20260101T000005-1");
	assert_int_equal(scene.confined.row[0].mark.kind, MARK_KEPT);
}

static void what_is_gone_or_of_another_boot_is_left_out(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	put_journal(&scene, "20260101T000001-1", BOOT, STEP_SET, "/gone", JOURNAL_DONE);
	put_journal(&scene, "20260101T000002-1", "another", STEP_SET, "/c", JOURNAL_DONE);
	put_journal(&scene, "20260101T000003-1", BOOT, STEP_ENABLE, "/d", JOURNAL_DONE);
	assert_int_equal(look(&scene), 0);
	assert_int_equal(scene.confined.count, 0);
}

static void a_file_that_is_no_journal_is_counted(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	put_file(&scene, "20260101T000001-1", "junk\n");
	put_journal(&scene, "20260101T000002-1", BOOT, STEP_SET, "/c", JOURNAL_DONE);
	assert_int_equal(look(&scene), 0);
	expect_rows(&scene, "/c 20260101T000002-1");
	assert_int_equal(scene.confined.unreadable, 1);
}

static void a_failed_read_leaves_the_output_alone(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	put_mark(&scene, "/a/b", "kept");
	for (unsigned n = 1; n < 60; n++) {
		int rc;

		fakeroot_fail_nth(scene.root, n, ENOMEM);
		rc = look(&scene);
		fakeroot_fail_nth(scene.root, 0, 0);
		assert_true(rc == 0 || (rc == -ENOMEM && scene.confined.count == 0));
		fakeroot_fail_nth(scene.root, n, ENOENT);
		rc = look(&scene);
		fakeroot_fail_nth(scene.root, 0, 0);
		assert_true(rc == 0 || scene.confined.count == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_cgroups_are_told_with_what_was_set),
		cmocka_unit_test(without_marks_and_journals_there_is_nothing),
		cmocka_unit_test(the_newest_change_that_is_not_undone_is_told),
		cmocka_unit_test(what_is_gone_or_of_another_boot_is_left_out),
		cmocka_unit_test(a_file_that_is_no_journal_is_counted),
		cmocka_unit_test(a_failed_read_leaves_the_output_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
