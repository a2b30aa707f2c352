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
	return readback_check(scene->host, &scene->plan, scene->policy, NULL, &scene->err);
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

/* memory.high is low only on the way. */
static void the_last_value_of_a_file_counts(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct step steps[3];

	(void)state;
	open_scene(&scene, "memory.high=8192");
	for (size_t i = 0; i < 3; i++)
		steps[i] = scene.step;
	steps[0].new_value = STR("4096");
	steps[1].file = STR("memory.max");
	steps[1].new_value = STR("max");
	scene.plan.step = steps;
	scene.plan.steps = 3;
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "memory.high", "8192"), 0);
	assert_int_equal(check(&scene), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "memory.high", "4096"), 0);
	assert_int_equal(check(&scene), -EIO);
	assert_non_null(strstr(scene.err.text, "is \"4096\" after \"8192\" was written"));
}

/* Without a policy the steps themselves say what is wanted, of any cgroup. */
static void steps_are_enough(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "cpuset.mems=1");
	policy_free(TAKE(scene.policy));
	scene.plan.cgroup = NULL;
	scene.step = (struct step){
		.op = STEP_SET, .cgroup = STR("/a/b"), .file = STR("cpuset.mems"), .new_value = STR("1,0")};
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "cpuset.mems", "0-1"), 0);
	assert_int_equal(check(&scene), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.mems", "1"), 0);
	assert_int_equal(check(&scene), -EINVAL);
	assert_non_null(strstr(scene.err.text, "cpuset.mems.effective of cgroup /a/b is \"1\", not"));
	scene.plan.steps = 0;
	assert_int_equal(check(&scene), 0);
}

/* Nodes 2 and 3 are possible and have no memory yet. */
static void what_is_not_there_yet_is_not_missed(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "cpuset.mems=1-3");
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", "cpuset.mems", "1-3"), 0);
	assert_int_equal(check(&scene), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.mems", "0"), 0);
	assert_int_equal(check(&scene), -EINVAL);
}

static void what_is_of_no_cgroup_is_read_back_too(void **state)
{
	struct step cases[] = {
		{.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("10")},
		{.op = STEP_SAVE, .file = STR("/etc/x"), .new_value = STR("a\n")},
		{.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 100, .new_value = STR("10")},
		{.op = STEP_AFFINITY, .pid = 100, .new_value = STR("1-2")},
		{.op = STEP_OWNER, .cgroup = STR("/a"), .new_value = STR("1000:")},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_scene) struct scene scene = {0};
		AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};

		open_scene(&scene, "pids.max=1");
		policy_free(TAKE(scene.policy));
		assert_int_equal(fakekernel_start(scene.root, "/a/b/c", 100), 0);
		fakekernel_put(scene.root, "/etc/x", "a");
		scene.step = cases[i];
		assert_int_equal(check(&scene), -EIO);
		assert_int_equal(scene.err.kind, CGPOL_REFUSED);
		assert_non_null(strstr(scene.err.text, " was written"));
		assert_int_equal(nodeset_parse("1,2", 8, &cpus, NULL), 0);
		assert_int_equal(root_write(scene.root, "/proc/sys/vm/swappiness", "10"), 0);
		fakekernel_put(scene.root, "/etc/x", "a\n");
		assert_int_equal(root_write(scene.root, "/proc/100/oom_score_adj", "10"), 0);
		assert_int_equal(root_set_affinity(scene.root, 100, &cpus), 0);
		fakekernel_own(scene.root, "/a", NULL, 1000, 5);
		assert_int_equal(check(&scene), 0);
		fakekernel_end(scene.root, 100);
		assert_int_equal(check(&scene), 0);
	}
}

static void a_step_that_was_skipped_is_not_asked_for(void **state)
{
	static const enum step_result done[] = {STEP_DONE}, skipped[] = {STEP_SKIPPED};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, "memory.max=4096");
	assert_int_equal(readback_check(scene.host, &scene.plan, NULL, done, &scene.err), -EIO);
	assert_int_equal(readback_check(scene.host, &scene.plan, NULL, skipped, &scene.err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_must_be_there),
		cmocka_unit_test(the_uppermost_narrow_ancestor_is_named),
		cmocka_unit_test(an_invalid_partition_tells_its_reason),
		cmocka_unit_test(the_last_value_of_a_file_counts),
		cmocka_unit_test(steps_are_enough),
		cmocka_unit_test(what_is_not_there_yet_is_not_missed),
		cmocka_unit_test(what_is_of_no_cgroup_is_read_back_too),
		cmocka_unit_test(what_cannot_be_read_is_a_failure),
		cmocka_unit_test(a_step_that_was_skipped_is_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
