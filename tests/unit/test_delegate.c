/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delegation: the directory, the files that the kernel names, and nothing else. */
#include "policy/delegate.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "test.h"

/* kernel/cgroup/cgroup.c delegate_show() of 6.1, as far as the fake has the files. */
static const char listing[] = "cgroup.procs\ncgroup.threads\ncgroup.subtree_control\nmemory.oom.group\n"
			      "memory.reclaim\n../up\nno.such.file\n";

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	struct cgpol_error err;
	char text[1024];
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	assert_int_equal(plan_new("/a", &scene->plan), 0);
}

static void close_scene(struct scene *scene)
{
	plan_free(scene->plan);
	cgpol_host_free(scene->host);
}

static const char *show(struct scene *scene)
{
	scene->text[0] = '\0';
	for (size_t i = 0; i < scene->plan->steps; i++) {
		const struct step *step = &scene->plan->step[i];
		size_t used = strlen(scene->text);

		assert_int_equal(step->op, STEP_OWNER);
		(void)snprintf(scene->text + used, sizeof(scene->text) - used, "%s %s>%s%s; ",
			       step->file ? step->file : ".", step->old_value ? step->old_value : "",
			       step->new_value, step->is_optional ? "?" : "");
	}
	return scene->text;
}

static void what_the_kernel_names_is_given(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_put(scene.root, "/sys/kernel/cgroup/delegate", listing);
	fakekernel_cgroup(scene.root, "/a", NULL);
	fakekernel_own(scene.root, "/a", "cgroup.threads", 7, 8);
	assert_int_equal(delegate_plan(scene.host, "/a", 7, (gid_t)-1, scene.plan, &scene.err), 0);
	assert_string_equal(show(&scene), ". 0:0>7:; cgroup.procs 0:0>7:; cgroup.subtree_control 0:0>7:; "
					  "memory.oom.group 0:0>7:; memory.reclaim 0:0>7:; ");
}

static void an_old_kernel_names_nothing(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(delegate_plan(scene.host, "/a", 7, 8, scene.plan, &scene.err), 0);
	assert_string_equal(show(&scene), ". 0:0>7:8; cgroup.procs 0:0>7:8; cgroup.threads 0:0>7:8; "
					  "cgroup.subtree_control 0:0>7:8; ");
}

/* Which files it will have is not known yet. */
static void of_a_cgroup_to_be_made_some_files_are_hoped_for(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_put(scene.root, "/sys/kernel/cgroup/delegate", listing);
	assert_int_equal(delegate_plan(scene.host, "/a", (uid_t)-1, 8, scene.plan, &scene.err), 0);
	assert_string_equal(show(&scene),
			    ". >:8; cgroup.procs >:8; cgroup.threads >:8; cgroup.subtree_control >:8; "
			    "memory.oom.group >:8?; memory.reclaim >:8?; no.such.file >:8?; ");
}

static void nobody_is_nothing(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(delegate_plan(scene.host, "/a", (uid_t)-1, (gid_t)-1, scene.plan, &scene.err), 0);
	assert_int_equal(scene.plan->steps, 0);
	fakekernel_fail(scene.root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/cgroup.procs", EACCES);
	assert_int_equal(delegate_plan(scene.host, "/a", 5, (gid_t)-1, scene.plan, &scene.err), -EACCES);
	assert_non_null(strstr(scene.err.text, "cannot read who owns cgroup /a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_kernel_names_is_given),
		cmocka_unit_test(an_old_kernel_names_nothing),
		cmocka_unit_test(of_a_cgroup_to_be_made_some_files_are_hoped_for),
		cmocka_unit_test(nobody_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
