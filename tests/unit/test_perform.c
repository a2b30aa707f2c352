/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each operation by itself: what it finds, does, and makes of a machine that changed meanwhile. */
#include "policy/perform.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/cgroupfs.h"
#include "host/proc.h"
#include "test.h"

#define CG "/sys/fs/cgroup"
#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct performer performer;
	char *old;
	bool is_half;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/a", "memory.max=1M", NULL);
	fakekernel_cgroup(scene->root, "/b", NULL);
	assert_int_equal(fakekernel_start(scene->root, "/a", 100), 0);
	assert_int_equal(fakekernel_thread(scene->root, 100, 101), 0);
	scene->performer = (struct performer){.host = scene->host, .mark = MARK_KEPT};
}

static void close_scene(struct scene *scene)
{
	free(scene->old);
	cgpol_host_free(scene->host);
}

static int look(struct scene *scene, const struct step *step)
{
	free(TAKE(scene->old));
	return perform_look(&scene->performer, step, &scene->old);
}

static int perform(struct scene *scene, const struct step *step)
{
	scene->is_half = false;
	return perform_step(&scene->performer, step, &scene->is_half);
}

static uint64_t start_time_of(struct scene *scene, pid_t pid)
{
	struct proc_stat stat;

	assert_int_equal(proc_read_stat(scene->host, pid, &stat), 0);
	return stat.start_time;
}

/* Finds `old`, does it, and then there is nothing to do any more. */
static void expect_done(struct scene *scene, const struct step *step, const char *old)
{
	assert_int_equal(look(scene, step), 0);
	assert_string_equal(scene->old, old);
	assert_int_equal(perform(scene, step), 0);
	assert_int_equal(look(scene, step), PERFORM_NOTHING);
}

static void what_is_as_wanted_is_nothing_to_do(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	uint64_t start;

	(void)state;
	open_scene(&scene);
	start = start_time_of(&scene, 100);
	fakekernel_cgroup(scene.root, "/c", NULL);
	fakekernel_put(scene.root, "/etc/x", "old\n\n");
	fakekernel_writable(scene.root, "/etc/x");
	expect_done(&scene,
		    &(struct step){.op = STEP_ENABLE, .cgroup = STR("/c"), .new_value = STR("+memory")}, "");
	expect_done(&scene,
		    &(struct step){.op = STEP_SET,
				   .cgroup = STR("/a"),
				   .file = STR("memory.max"),
				   .new_value = STR("max")},
		    "1048576");
	expect_done(&scene, &(struct step){.op = STEP_OWNER, .cgroup = STR("/a"), .new_value = STR(":7")},
		    "0:0");
	expect_done(&scene,
		    &(struct step){.op = STEP_OWNER,
				   .cgroup = STR("/a"),
				   .file = STR("cgroup.procs"),
				   .new_value = STR("5:7")},
		    "0:0");
	expect_done(&scene,
		    &(struct step){.op = STEP_TASK,
				   .file = STR("oom_score_adj"),
				   .pid = 100,
				   .start_time = start,
				   .new_value = STR("-500")},
		    "0");
	expect_done(&scene,
		    &(struct step){
			    .op = STEP_AFFINITY, .pid = 100, .start_time = start, .new_value = STR("0-1,2")},
		    "0-3");
	expect_done(&scene,
		    &(struct step){
			    .op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("1")},
		    "60");
	expect_done(&scene, &(struct step){.op = STEP_SAVE, .file = STR("/etc/x"), .new_value = STR("new\n")},
		    "old\n\n");
	/* Both move: of a process all threads, of a thread only itself, within one domain. */
	expect_done(&scene,
		    &(struct step){.op = STEP_ATTACH, .cgroup = STR("/b"), .pid = 100, .start_time = start},
		    "/a");
	assert_string_equal(fakekernel_where(scene.root, 101), "/b");
}

static void a_thread_moves_alone(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct step threaded = {.op = STEP_THREADED, .cgroup = STR("/b/t")};
	const struct step attach = {.op = STEP_ATTACH, .cgroup = STR("/b/t"), .pid = 101, .is_thread = true};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/b/t", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/b", "cgroup.procs", "100"), 0);
	expect_done(&scene, &threaded, "domain");
	expect_done(&scene, &attach, "/b");
	assert_string_equal(fakekernel_where(scene.root, 100), "/b");
	assert_string_equal(fakekernel_where(scene.root, 101), "/b/t");
}

static void another_process_of_the_number_is_left_alone(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct step steps[] = {
		{.op = STEP_ATTACH, .cgroup = STR("/b")},
		{.op = STEP_TASK, .file = STR("oom_score_adj"), .new_value = STR("1")},
		{.op = STEP_AFFINITY, .new_value = STR("1")},
	};

	(void)state;
	open_scene(&scene);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		steps[i].pid = 100;
		steps[i].start_time = start_time_of(&scene, 100) + 1;
		assert_int_equal(look(&scene, &steps[i]), -ESRCH);
		steps[i].start_time = 0;
		assert_int_equal(look(&scene, &steps[i]), 0);
		steps[i].pid = 999;
		assert_int_equal(look(&scene, &steps[i]), -ESRCH);
		assert_true(perform(&scene, &steps[i]) < 0);
	}
}

/* By the door, and by what stands for libcgroup. */
static void a_cgroup_is_made_marked_and_removed(void **state)
{
	(void)state;
	for (int has_fs = 0; has_fs < 2; has_fs++) {
		AUTO(close_scene) struct scene scene = {0};
		AUTO(cgroupfs_close_p) struct cgroupfs *fs = NULL;
		const struct step make = {.op = STEP_MKDIR, .cgroup = STR("/new")};
		const struct step move = {.op = STEP_ATTACH, .cgroup = STR("/new"), .pid = 100};
		const struct step back = {.op = STEP_ATTACH, .cgroup = STR("/a"), .pid = 100};
		const struct step remove = {.op = STEP_RMDIR, .cgroup = STR("/new")};
		struct mark mark = {.kind = MARK_NONE};

		open_scene(&scene);
		scene.root->is_live = true;
		if (has_fs && cgroupfs_open_bare(scene.host, &fs, NULL) < 0)
			skip();
		scene.performer.fs = fs;
		assert_int_equal(perform(&scene, &make), 0);
		assert_int_equal(mark_read(scene.host, "/new", &mark), 0);
		assert_int_equal(mark.kind, MARK_KEPT);
		assert_int_equal(perform(&scene, &make), PERFORM_NOTHING);
		assert_int_equal(perform(&scene, &move), 0);
		assert_string_equal(fakekernel_where(scene.root, 100), "/new");
		assert_int_equal(perform(&scene, &remove), -EBUSY);
		assert_int_equal(perform(&scene, &back), 0);
		assert_int_equal(look(&scene, &remove), 0);
		assert_non_null(scene.old);
		assert_int_equal(perform(&scene, &remove), 0);
		assert_int_equal(perform(&scene, &remove), PERFORM_NOTHING);
	}
}

static void of_a_fresh_cgroup_nothing_is_read(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct step step = {
		.op = STEP_SET, .cgroup = STR("/a"), .file = STR("memory.max"), .new_value = STR("4096")};
	unsigned reads;

	(void)state;
	open_scene(&scene);
	scene.performer.is_fresh = true;
	reads = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	assert_int_equal(look(&scene, &step), 0);
	assert_null(scene.old);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_READS), reads);
}

static void reclaim_takes_what_it_gets(void **state)
{
	static const char *const releases[] = {"6.1.0", "5.10.0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		AUTO(close_scene) struct scene scene = {0};
		struct step step = {.op = STEP_RECLAIM, .cgroup = STR("/a"), .new_value = STR("1073741824")};
		struct step check = {.op = STEP_CHECK,
				     .cgroup = STR("/a"),
				     .file = STR("memory.current"),
				     .new_value = STR("262144")};

		open_scene(&scene);
		fakekernel_release(scene.root, releases[i]);
		fakekernel_use(scene.root, "/a", 0, 262144, 262144);
		assert_int_equal(perform(&scene, &check), -EBUSY);
		/* Not all of that is there (-EAGAIN), and 5.10 has no such file. */
		assert_int_equal(perform(&scene, &step), 0);
		assert_int_equal(perform(&scene, &check), i == 0 ? 0 : -EBUSY);
		check.new_value = STR("max");
		assert_int_equal(perform(&scene, &check), 0);
		check.file = STR("memory.stat");
		assert_int_equal(perform(&scene, &check), -EINVAL);
		step.cgroup = check.cgroup = STR("/gone");
		assert_int_equal(perform(&scene, &step), -ENOENT);
		assert_int_equal(perform(&scene, &check), -ENOENT);
	}
}

static void killing_is_bounded(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct step step = {.op = STEP_KILL, .cgroup = STR("/a"), .new_value = STR("4")};

	(void)state;
	open_scene(&scene);
	fakekernel_behave(scene.root, 100, FAKEKERNEL_STUCK);
	assert_int_equal(perform(&scene, &step), -EBUSY);
	assert_true(scene.is_half);
	step.new_value = STR("soon");
	assert_int_equal(perform(&scene, &step), -EINVAL);
	fakekernel_behave(scene.root, 100, 0);
	step.new_value = NULL;
	assert_int_equal(perform(&scene, &step), 0);
	assert_null(fakekernel_where(scene.root, 100));
	step.cgroup = STR("/gone");
	assert_int_equal(perform(&scene, &step), PERFORM_NOTHING);
}

/* A file of the size of a page or more is read whole. */
static void a_long_file_comes_back_byte_for_byte(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct step step = {.op = STEP_SAVE, .file = STR("/etc/x"), .new_value = STR("new\n")};
	char text[ROOT_HEAD_SIZE + 2];

	(void)state;
	open_scene(&scene);
	for (size_t size = ROOT_HEAD_SIZE - 1; size <= ROOT_HEAD_SIZE + 1; size++) {
		memset(text, 'x', size - 1);
		text[size - 1] = '\n';
		text[size] = '\0';
		fakekernel_put(scene.root, "/etc/x", text);
		assert_int_equal(look(&scene, &step), 0);
		assert_string_equal(scene.old, text);
	}
	assert_int_equal(
		look(&scene, &(struct step){.op = STEP_SAVE, .file = STR("/etc/y"), .new_value = STR("")}),
		0);
	assert_null(scene.old);
}

static void a_controller_that_is_not_listed_afterwards_is_half(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct step step = {.op = STEP_ENABLE, .cgroup = STR("/b"), .new_value = STR("+memory")};

	(void)state;
	open_scene(&scene);
	fakekernel_fail(scene.root, FAKEKERNEL_READS, CG "/b/cgroup.subtree_control", EIO);
	assert_int_equal(perform(&scene, &step), -EIO);
	assert_true(scene.is_half);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_as_wanted_is_nothing_to_do),
		cmocka_unit_test(a_thread_moves_alone),
		cmocka_unit_test(another_process_of_the_number_is_left_alone),
		cmocka_unit_test(a_cgroup_is_made_marked_and_removed),
		cmocka_unit_test(of_a_fresh_cgroup_nothing_is_read),
		cmocka_unit_test(reclaim_takes_what_it_gets),
		cmocka_unit_test(killing_is_bounded),
		cmocka_unit_test(a_long_file_comes_back_byte_for_byte),
		cmocka_unit_test(a_controller_that_is_not_listed_afterwards_is_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
