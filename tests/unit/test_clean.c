/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which of the cgroups that cgpol made are removed, and that no others are. */
#include "test.h"

#include "act/clean.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/cgroup.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	int fail; /* what the reaper answers for /c/b */
};

static void open_scene(struct scene *scene)
{
	*scene = (struct scene){.root = fakekernel_new(NULL)};
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
}

static void close_scene(struct scene *scene)
{
	cgpol_host_free(scene->host);
}

static int take_away(void *arg, const char *cgroup)
{
	struct scene *scene = arg;
	AUTO(free_p) char *path = cgroup_path(scene->host, cgroup, NULL);

	return scene->fail && strcmp(cgroup, "/c/b") == 0 ? scene->fail : root_rmdir(scene->root, path);
}

static void mark(struct scene *scene, const char *cgroup, enum mark_kind kind)
{
	assert_int_equal(mark_set(scene->host, cgroup, kind), 0);
}

static void assert_list(char *const *name, size_t count, const char *should)
{
	char text[200] = "";

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			strcat(text, " ");
		strcat(text, name[i]);
	}
	assert_string_equal(text, should);
}

static void clean(struct scene *scene, const char *parent, bool is_dry, const char *gone, const char *busy)
{
	AUTO(reaped_clear) struct reaped reaped = {0};
	const struct reaper reaper = {take_away, scene};
	struct cgpol_error err = {0};

	if (clean_with(scene->host, parent, is_dry ? NULL : &reaper, &reaped, &err) < 0)
		fail_msg("%s", err.text);
	assert_list(reaped.name, reaped.count, gone);
	assert_list(reaped.busy, reaped.busy_count, busy);
}

static void marked_ones_go_deepest_first_and_kept_ones_too(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b/c", NULL);
	mark(&scene, "/a", MARK_PARENT);
	mark(&scene, "/a/b", MARK_KEPT);
	mark(&scene, "/a/b/c", MARK_KEPT);
	clean(&scene, "/", true, "/a/b/c /a/b /a", "");
	clean(&scene, "/", false, "/a/b/c /a/b /a", "");
	clean(&scene, "/", false, "", "");
}

static void one_without_a_mark_stays_and_holds_those_above(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b/c", NULL);
	fakekernel_cgroup(scene.root, "/other", NULL);
	mark(&scene, "/a", MARK_KEPT);
	mark(&scene, "/a/b/c", MARK_KEPT);
	clean(&scene, "/", true, "/a/b/c", "/a");
	clean(&scene, "/", false, "/a/b/c", "/a");
}

static void one_with_processes_is_in_use(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", NULL);
	fakekernel_cgroup(scene.root, "/b", NULL);
	mark(&scene, "/a", MARK_KEPT);
	mark(&scene, "/b", MARK_KEPT);
	assert_int_equal(fakekernel_start(scene.root, "/a", 77), 0);
	clean(&scene, "/", false, "/b", "/a");
}

static void a_foreign_attribute_is_no_mark(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(root_set_xattr(scene.root, "/sys/fs/cgroup/a", MARK_ATTRIBUTE, "mine"), 0);
	clean(&scene, "/", false, "", "");
}

static void one_of_a_run_that_lives_stays(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", NULL);
	fakekernel_cgroup(scene.root, "/b", NULL);
	/* Its pid namespace is unknown: nobody can say that the owner is gone. */
	assert_int_equal(root_set_xattr(scene.root, "/sys/fs/cgroup/a", MARK_ATTRIBUTE, "run 12 34"), 0);
	mark(&scene, "/b", MARK_KEPT);
	clean(&scene, "/", false, "/b", "");
}

static void only_what_is_below_the_given_one_is_looked_at(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a/b", NULL);
	fakekernel_cgroup(scene.root, "/ab", NULL);
	mark(&scene, "/a", MARK_KEPT);
	mark(&scene, "/a/b", MARK_KEPT);
	mark(&scene, "/ab", MARK_KEPT);
	clean(&scene, "/a", false, "/a/b", "");
}

static void the_first_failure_is_told_when_the_others_are_gone(void **state)
{
	AUTO(close_scene) struct scene scene;
	AUTO(reaped_clear) struct reaped reaped = {0};
	const struct reaper reaper = {take_away, &scene};
	struct cgpol_error err = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/c/b", NULL);
	fakekernel_cgroup(scene.root, "/a", NULL);
	mark(&scene, "/c/b", MARK_KEPT);
	mark(&scene, "/a", MARK_KEPT);
	scene.fail = -EACCES;
	assert_int_equal(clean_with(scene.host, "/", &reaper, &reaped, &err), -EACCES);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "cgroup \"/c/b\" cannot be removed: Permission denied");
	scene.fail = 0;
	clean(&scene, "/", false, "/c/b", "");
}

static void one_that_is_not_there_is_told(void **state)
{
	AUTO(close_scene) struct scene scene;
	struct reaped reaped = {0};
	struct cgpol_error err = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(clean_with(scene.host, "/no", NULL, &reaped, &err), -ENOENT);
	assert_string_equal(err.text, "there is no cgroup /no");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked_ones_go_deepest_first_and_kept_ones_too),
		cmocka_unit_test(one_without_a_mark_stays_and_holds_those_above),
		cmocka_unit_test(one_with_processes_is_in_use),
		cmocka_unit_test(a_foreign_attribute_is_no_mark),
		cmocka_unit_test(one_of_a_run_that_lives_stays),
		cmocka_unit_test(only_what_is_below_the_given_one_is_looked_at),
		cmocka_unit_test(the_first_failure_is_told_when_the_others_are_gone),
		cmocka_unit_test(one_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
