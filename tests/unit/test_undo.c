/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back single steps, and what can be in the way of it. */
#include "policy/undo.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "test.h"

#define CG "/sys/fs/cgroup"
#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/a", NULL);
}

static void close_scene(struct scene *scene)
{
	cgpol_host_free(scene->host);
}

static void expect_back(struct scene *scene, const char *file, const char *set, const char *old)
{
	struct step step = {.op = STEP_SET, .cgroup = STR("/a"), .file = STR(file), .new_value = STR(set)};
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *found = NULL;

	assert_int_equal(fakekernel_poke(scene->root, "/a", file, set), 0);
	assert_int_equal(undo_step(scene->host, &step, old), 0);
	assert_true(asprintf(&path, CG "/a/%s", file) > 0);
	assert_int_equal(root_read(scene->root, path, &found, NULL), 0);
	assert_string_equal(found, old);
}

static void values_come_back_in_the_form_the_kernel_takes(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	expect_back(&scene, "cpuset.mems", "1", "");
	expect_back(&scene, "cpu.max", "5000 20000", "max 100000");
	expect_back(&scene, "io.max", "252:0 rbps=1", "");
	expect_back(&scene, "io.max", "252:0 rbps=1", "252:0 rbps=7 wbps=max riops=max wiops=max");
	expect_back(&scene, "cpuset.cpus.partition", "member", "root invalid (cpuset.cpus is empty)");
}

static void what_is_gone_counts_as_undone(void **state)
{
	struct step set = {
		.op = STEP_SET, .cgroup = STR("/x"), .file = STR("memory.max"), .new_value = STR("1")};
	struct step make = {.op = STEP_MKDIR, .cgroup = STR("/x")};
	struct step enable = {.op = STEP_ENABLE,
			      .cgroup = STR("/x"),
			      .file = STR("cgroup.subtree_control"),
			      .new_value = STR("+memory")};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(undo_step(scene.host, &set, "2"), 0);
	assert_int_equal(undo_step(scene.host, &make, NULL), 0);
	assert_int_equal(undo_step(scene.host, &enable, NULL), 0);
}

static void what_is_in_use_stays(void **state)
{
	struct step make = {.op = STEP_MKDIR, .cgroup = STR("/a")};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_start(scene.root, "/a", 5), 0);
	assert_int_equal(undo_step(scene.host, &make, NULL), -EBUSY);
	fakekernel_end(scene.root, 5);
	assert_int_equal(undo_step(scene.host, &make, NULL), 0);
}

static void expect_enabled(struct scene *scene, const char *controllers)
{
	AUTO(free_p) char *found = NULL;

	assert_int_equal(root_read(scene->root, CG "/a/cgroup.subtree_control", &found, NULL), 0);
	assert_string_equal(found, controllers);
}

/* A leaf loses its limits without a word when its parent's controller goes, whoever made it. */
static void a_controller_stays_while_there_are_other_cgroups(void **state)
{
	static const char *const marks[] = {NULL, "run 5 7 4026531836", "parent", "kept"};
	struct step enable = {.op = STEP_ENABLE,
			      .cgroup = STR("/a"),
			      .file = STR("cgroup.subtree_control"),
			      .new_value = STR("+memory")};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		AUTO(free_p) char *limit = NULL;

		fakekernel_cgroup(scene.root, "/a/b", "memory.max=4096", NULL);
		if (marks[i])
			assert_int_equal(root_set_xattr(scene.root, CG "/a/b", MARK_ATTRIBUTE, marks[i]), 0);
		assert_int_equal(undo_step(scene.host, &enable, NULL), UNDO_STAYS);
		expect_enabled(&scene, "cpuset cpu io memory hugetlb pids");
		assert_int_equal(root_read(scene.root, CG "/a/b/memory.max", &limit, NULL), 0);
		assert_string_equal(limit, "4096");
		assert_int_equal(root_rmdir(scene.root, CG "/a/b"), 0);
	}
	fakekernel_fail(scene.root, FAKEKERNEL_READS, CG "/a", EACCES); /* who knows */
	assert_int_equal(undo_step(scene.host, &enable, NULL), -EACCES);
	fakekernel_fail(scene.root, FAKEKERNEL_READS, CG "/a", 0);
	expect_enabled(&scene, "cpuset cpu io memory hugetlb pids");
	assert_int_equal(undo_step(scene.host, &enable, NULL), 0);
	expect_enabled(&scene, "cpuset cpu io hugetlb pids");
}

/* Two runs use a cgroup; the first one fails. */
static void what_another_cgpol_uses_stays(void **state)
{
	struct step make = {.op = STEP_MKDIR, .cgroup = STR("/a")};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b", NULL);
	assert_int_equal(root_set_xattr(scene.root, CG "/a/b", MARK_ATTRIBUTE, "run 5 7 4026531836"), 0);
	assert_int_equal(undo_step(scene.host, &make, NULL), UNDO_STAYS);
	assert_int_equal(root_rmdir(scene.root, CG "/a/b"), 0);
	fakekernel_cgroup(scene.root, "/a/c", NULL); /* somebody else's */
	assert_true(undo_step(scene.host, &make, NULL) < 0);
}

/* A file with several lines, as io.weight has them, takes one a write. */
static void lines_are_written_one_by_one(void **state)
{
	struct step step = {
		.op = STEP_SET, .cgroup = STR("/a"), .file = STR("io.max"), .new_value = STR("252:0 rbps=1")};
	AUTO(close_scene) struct scene scene = {0};
	unsigned before;

	(void)state;
	open_scene(&scene);
	before = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	assert_int_equal(undo_step(scene.host, &step, "252:0 rbps=3\n252:0 rbps=4"), 0);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES) - before, 2);
	assert_int_equal(undo_step(scene.host, &step, "8:0 rbps=3\n252:0 rbps=4"),
			 0); /* that device is gone */
}

static void a_process_goes_back_unless_somebody_moved_it(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct step step = {.op = STEP_ATTACH, .cgroup = STR("/b"), .pid = 100};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/b", NULL);
	fakekernel_cgroup(scene.root, "/c", NULL);
	assert_int_equal(fakekernel_start(scene.root, "/b", 100), 0);
	assert_int_equal(undo_step(scene.host, &step, "/a"), 0);
	assert_string_equal(fakekernel_where(scene.root, 100), "/a");
	/* It was never moved, or is back already. */
	assert_int_equal(undo_step(scene.host, &step, "/a"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/c", "cgroup.procs", "100"), 0);
	assert_int_equal(undo_step(scene.host, &step, "/a"), UNDO_STAYS);
	assert_int_equal(fakekernel_poke(scene.root, "/b", "cgroup.procs", "100"), 0);
	/* Its cgroup is gone meanwhile. */
	assert_int_equal(undo_step(scene.host, &step, "/gone"), UNDO_STAYS);
	/* Another process of that number. */
	step.start_time = 1;
	assert_int_equal(undo_step(scene.host, &step, "/a"), 0);
	assert_string_equal(fakekernel_where(scene.root, 100), "/b");
	fakekernel_end(scene.root, 100);
	assert_int_equal(undo_step(scene.host, &step, "/a"), 0);
}

static void what_is_of_no_cgroup_comes_back(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *text = NULL;
	struct step host = {.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness")};
	struct step save = {.op = STEP_SAVE, .file = STR("/etc/x")};
	struct step task = {.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 100};
	struct step owner = {.op = STEP_OWNER, .cgroup = STR("/a")};
	struct root_info info = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_start(scene.root, "/a", 100), 0);
	assert_int_equal(undo_step(scene.host, &host, "7"), 0);
	assert_int_equal(undo_step(scene.host, &task, "-7"), 0);
	assert_int_equal(undo_step(scene.host, &owner, "5:6"), 0);
	assert_int_equal(undo_step(scene.host, &save, "b\n\n"), 0);
	assert_int_equal(root_read_head(scene.root, "/etc/x", &text), 0);
	assert_string_equal(text, "b\n\n");
	assert_int_equal(undo_step(scene.host, &save, NULL), 0);
	assert_int_equal(root_stat(scene.root, "/etc/x", &info), -ENOENT);
	assert_int_equal(root_stat(scene.root, CG "/a", &info), 0);
	assert_int_equal(info.uid, 5);
	assert_int_equal(info.gid, 6);
	task.pid = 999;
	assert_int_equal(undo_step(scene.host, &task, "-7"), 0);
}

static void some_things_do_not_come_back(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(undo_step(scene.host, &(struct step){.op = STEP_KILL, .cgroup = STR("/a")}, NULL),
			 UNDO_STAYS);
	assert_int_equal(
		undo_step(scene.host, &(struct step){.op = STEP_THREADED, .cgroup = STR("/a")}, "domain"),
		UNDO_STAYS);
	/* One that was made goes as a whole. */
	assert_int_equal(
		undo_step(scene.host, &(struct step){.op = STEP_THREADED, .cgroup = STR("/a")}, NULL), 0);
	assert_int_equal(undo_step(scene.host, &(struct step){.op = STEP_RECLAIM, .cgroup = STR("/a")}, NULL),
			 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_come_back_in_the_form_the_kernel_takes),
		cmocka_unit_test(what_is_gone_counts_as_undone),
		cmocka_unit_test(what_is_in_use_stays),
		cmocka_unit_test(a_controller_stays_while_there_are_other_cgroups),
		cmocka_unit_test(what_another_cgpol_uses_stays),
		cmocka_unit_test(a_process_goes_back_unless_somebody_moved_it),
		cmocka_unit_test(what_is_of_no_cgroup_comes_back),
		cmocka_unit_test(some_things_do_not_come_back),
		cmocka_unit_test(lines_are_written_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
