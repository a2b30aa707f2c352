/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is read back after a plan, against what was wanted. */
#include "policy/readback.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policies.h"
#include "test.h"

#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_policy *policy;
	struct step step;
	struct plan plan;
	struct cgpol_error err;
};

/* A plan of one step that sets what the policy's first setting says. */
static void open_scene(struct scene *scene, const char *setting)
{
	scene->root = fakekernel_new(NULL);
	scene->policy = policies_make(setting, NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/a/b/c", NULL);
	scene->step = (struct step){.op = STEP_SET,
				    .cgroup = STR("/a/b/c"),
				    .file = scene->policy->setting[0].name,
				    .new_value = scene->policy->setting[0].value};
	scene->plan = (struct plan){.cgroup = STR("/a/b/c"), .step = &scene->step, .steps = 1};
}

static void close_scene(struct scene *scene)
{
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

static int check(struct scene *scene)
{
	return readback_check(scene->host, &scene->plan, scene->policy, &scene->err);
}

static void a_value_must_be_there(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "memory.max=4096");
	assert_int_equal(check(&scene), -EIO);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_string_equal(scene.err.text,
			    "memory.max of cgroup /a/b/c is \"max\" after \"4096\" was written");
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "memory.max", "5000"), 0);
	assert_int_equal(check(&scene), 0);
	assert_int_equal(fakekernel_rmdir(scene.root, "/a/b/c"), 0);
	assert_int_equal(check(&scene), -ENOENT);
}

static void the_uppermost_narrow_ancestor_is_named(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "cpuset.cpus=1-2");
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "cpuset.cpus", "1-2"), 0);
	assert_int_equal(check(&scene), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.cpus", "2-3"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "cpuset.cpus", "2"), 0);
	assert_int_equal(check(&scene), -EINVAL);
	assert_string_equal(scene.err.text,
			    "cpuset.cpus.effective of cgroup /a/b/c is \"2\", not \"1-2\": cgroup /a "
			    "above it has only \"2-3\"");
	/* A list that was there before is checked as well. */
	scene.plan.steps = 0;
	assert_int_equal(check(&scene), -EINVAL);
}

static void an_invalid_partition_tells_its_reason(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "cpuset.cpus.partition=root");
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "cpuset.cpus.partition", "root"), 0);
	assert_int_equal(check(&scene), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_string_equal(scene.err.text,
			    "cgroup /a/b/c cannot be a cpuset partition: Parent is not a partition root");
}

static void what_cannot_be_read_is_a_failure(void **state)
{
	(void)state;
	for (unsigned n = 1; n <= 2; n++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, "cpuset.mems=1");
		assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "cpuset.mems", "1"), 0);
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, EIO);
		assert_int_equal(check(&scene), -EIO);
		assert_int_equal(scene.err.kind, CGPOL_FAILED);
		assert_int_equal(check(&scene), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_must_be_there),
		cmocka_unit_test(the_uppermost_narrow_ancestor_is_named),
		cmocka_unit_test(an_invalid_partition_tells_its_reason),
		cmocka_unit_test(what_cannot_be_read_is_a_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
