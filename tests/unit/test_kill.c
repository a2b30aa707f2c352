/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ending all of a cgroup, with cgroup.kill and without. */
#include "policy/kill.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "test.h"

#define CG "/sys/fs/cgroup"

struct scene {
	struct root *root;
	struct cgpol_host *host;
};

static void open_scene(struct scene *scene, const char *release)
{
	scene->root = fakekernel_new(NULL);
	fakekernel_release(scene->root, release);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/web/db", NULL);
	fakekernel_cgroup(scene->root, "/other", NULL);
	for (pid_t pid = 10; pid < 15; pid++)
		assert_int_equal(fakekernel_start(scene->root, "/web/db", pid), 0);
	assert_int_equal(fakekernel_start(scene->root, "/other", 20), 0);
}

static void close_scene(struct scene *scene)
{
	cgpol_host_free(scene->host);
}

static void expect_file(struct scene *scene, const char *path, const char *text)
{
	AUTO(free_p) char *found = NULL;

	assert_int_equal(root_read(scene->root, path, &found, NULL), 0);
	assert_string_equal(found, text);
}

static void all_below_end_and_nobody_else(void **state)
{
	static const char *const releases[] = {"6.1.0", "5.10.0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, releases[i]);
		assert_int_equal(kill_cgroup(scene.host, "/web", 100), 0);
		for (pid_t pid = 10; pid < 15; pid++)
			assert_null(fakekernel_where(scene.root, pid));
		assert_non_null(fakekernel_where(scene.root, 20));
		expect_file(&scene, CG "/web/cgroup.freeze", "0");
		/* Nobody is left: nothing to do. */
		assert_int_equal(kill_cgroup(scene.host, "/web", 0), 0);
	}
}

/* Forks as long as it is not frozen. */
static void fork_on(void *arg, unsigned access, const char *path)
{
	struct scene *scene = arg;
	AUTO(free_p) char *frozen = NULL;
	static pid_t next;

	(void)access;
	if (!strstr(path, "process:"))
		return;
	(void)root_read(scene->root, CG "/web/cgroup.events", &frozen, NULL);
	next = next < 1000 ? 1000 : next + 1;
	if (frozen && !strstr(frozen, "frozen 1") && fakekernel_where(scene->root, 14))
		(void)fakekernel_fork(scene->root, 14, next);
}

static void who_forks_meanwhile_ends_too(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *procs = NULL;

	(void)state;
	open_scene(&scene, "5.10.0");
	fakekernel_hook(scene.root, fork_on, &scene);
	assert_int_equal(kill_cgroup(scene.host, "/web", 100), 0);
	fakekernel_hook(scene.root, NULL, NULL);
	assert_int_equal(root_read(scene.root, CG "/web/db/cgroup.procs", &procs, NULL), 0);
	assert_string_equal(procs, "");
}

static void one_that_does_not_end_is_not_waited_for_without_end(void **state)
{
	static const char *const releases[] = {"6.1.0", "5.10.0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, releases[i]);
		fakekernel_behave(scene.root, 12, FAKEKERNEL_STUCK);
		assert_int_equal(kill_cgroup(scene.host, "/web", 10), -EBUSY);
		assert_null(fakekernel_where(scene.root, 11));
		expect_file(&scene, CG "/web/cgroup.freeze", "0");
	}
}

static void one_of_others_is_told(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "5.10.0");
	fakekernel_behave(scene.root, 12, FAKEKERNEL_FOREIGN);
	assert_int_equal(kill_cgroup(scene.host, "/web", 10), -EPERM);
	assert_null(fakekernel_where(scene.root, 13));
}

static void the_machine_and_what_is_gone_are_refused(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "6.1.0");
	assert_int_equal(kill_cgroup(scene.host, "/", 10), -EINVAL);
	assert_int_equal(kill_cgroup(scene.host, "/gone", 10), -ENOENT);
	assert_non_null(fakekernel_where(scene.root, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_below_end_and_nobody_else),
		cmocka_unit_test(who_forks_meanwhile_ends_too),
		cmocka_unit_test(one_that_does_not_end_is_not_waited_for_without_end),
		cmocka_unit_test(one_of_others_is_told),
		cmocka_unit_test(the_machine_and_what_is_gone_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
