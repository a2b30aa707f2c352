/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Taking back what was done, in reverse, and what is said of it. */
#include "policy/rollback.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policy/undo.h"
#include "test.h"

#define CG "/sys/fs/cgroup"
#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	struct progress progress;
	struct cgpol_error err;
	size_t told;
	size_t order[8];
	int rc[8];
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	assert_int_equal(plan_new("/a", &scene->plan), 0);
	strcpy(scene->err.text, "it failed");
}

static void close_scene(struct scene *scene)
{
	progress_clear(&scene->progress);
	plan_free(scene->plan);
	cgpol_host_free(scene->host);
}

static void add(struct scene *scene, struct step step)
{
	assert_int_equal(plan_add(scene->plan, &step), 0);
}

/* As if all was done. */
static void begin(struct scene *scene)
{
	assert_int_equal(progress_begin(&scene->progress, scene->plan), 0);
	for (size_t i = 0; i < scene->plan->steps; i++) {
		scene->progress.result[i] = STEP_DONE;
		scene->progress.is_touched[i] = true;
	}
}

static void note(void *arg, size_t step, enum step_result result, int rc)
{
	struct scene *scene = arg;

	assert_int_equal(result, rc == 0 ? STEP_UNDONE : STEP_STAYS);
	scene->order[scene->told] = step;
	scene->rc[scene->told++] = rc;
}

static void it_goes_backwards_over_what_was_touched(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b", NULL);
	for (size_t i = 0; i < 3; i++)
		add(&scene, (struct step){.op = STEP_MKDIR, .cgroup = STR(i == 2 ? "/a/b" : "/a")});
	begin(&scene);
	scene.progress.is_touched[0] = false;
	scene.progress.result[0] = STEP_UNCHANGED;
	assert_int_equal(rollback(scene.host, &scene.progress, note, &scene), 0);
	assert_int_equal(scene.told, 2);
	assert_int_equal(scene.order[0], 2);
	assert_int_equal(scene.order[1], 1);
	assert_int_equal(scene.progress.result[0], STEP_UNCHANGED);
	assert_true(rollback_tell(&scene.progress, 1, &scene.err));
	assert_string_equal(scene.err.text, "it failed; all is as it was before");
	/* There is nothing left to take back. */
	assert_int_equal(rollback(scene.host, &scene.progress, note, &scene), 0);
	assert_int_equal(scene.told, 2);
}

static void the_first_that_is_stuck_is_named_and_the_rest_goes_on(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", "memory.max=4096", NULL);
	add(&scene, (struct step){.op = STEP_MKDIR, .cgroup = STR("/a")});
	add(&scene, (struct step){.op = STEP_SET,
				  .cgroup = STR("/a"),
				  .file = STR("memory.max"),
				  .new_value = STR("4096")});
	begin(&scene);
	scene.progress.old[1] = strdup("max");
	fakekernel_fail(scene.root, FAKEKERNEL_CHANGES, CG "/a/memory.max", EPERM);
	assert_int_equal(rollback(scene.host, &scene.progress, note, &scene), -EPERM);
	assert_int_equal(scene.progress.stuck, 1);
	assert_int_equal(scene.rc[0], -EPERM);
	assert_int_equal(scene.rc[1], 0);
	assert_false(rollback_tell(&scene.progress, 1, &scene.err));
	assert_string_equal(scene.err.text, "it failed; taking back what was done failed too: memory.max of "
					    "cgroup /a stays changed (Operation not permitted)");
}

static void what_stays_is_named_once_and_not_without_end(void **state)
{
	static const char *const controllers[] = {"+memory", "+pids"};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b", NULL);
	for (size_t i = 0; i < 2; i++)
		add(&scene,
		    (struct step){.op = STEP_ENABLE, .cgroup = STR("/a"), .new_value = STR(controllers[i])});
	for (size_t i = 0; i < 6; i++)
		add(&scene, (struct step){.op = STEP_KILL, .cgroup = STR("/a/b")});
	begin(&scene);
	assert_int_equal(rollback(scene.host, &scene.progress, note, &scene), 0);
	assert_int_equal(scene.rc[7], UNDO_STAYS);
	assert_false(rollback_tell(&scene.progress, 1, &scene.err));
	assert_string_equal(scene.err.text,
			    "it failed; controllers memory, pids stay enabled in /a, which has other cgroups"
			    "; the processes of cgroup /a/b that were ended do not come back"
			    "; the processes of cgroup /a/b that were ended do not come back"
			    "; the processes of cgroup /a/b that were ended do not come back");
}

static void one_that_failed_half_way_is_still_one_that_failed(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	add(&scene, (struct step){.op = STEP_MKDIR, .cgroup = STR("/gone")});
	begin(&scene);
	scene.progress.result[0] = STEP_FAILED;
	assert_int_equal(rollback(scene.host, &scene.progress, NULL, NULL), 0);
	assert_int_equal(scene.progress.result[0], STEP_FAILED);
	assert_true(rollback_tell(&scene.progress, 1, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_goes_backwards_over_what_was_touched),
		cmocka_unit_test(the_first_that_is_stuck_is_named_and_the_rest_goes_on),
		cmocka_unit_test(what_stays_is_named_once_and_not_without_end),
		cmocka_unit_test(one_that_failed_half_way_is_still_one_that_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
