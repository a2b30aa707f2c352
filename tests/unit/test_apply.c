/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All or nothing: plans applied to a fake kernel, with every access failing in turn. Called with "--kernel"
 * this program applies some to the kernel that runs it instead, and changes its cgroups: only in the guest.
 */
#include "policy/apply.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "policies.h"
#include "scene.h"
#include "test.h"

#define CG "/sys/fs/cgroup"

static void a_cgroup_is_made_with_all_it_needs_and_marked(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	struct mark mark;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(scene.applied.steps, scene.plan->steps);
	scene_expect(&scene, CG "/cgroup.subtree_control", "cpuset memory pids");
	scene_expect(&scene, CG "/a/cgroup.subtree_control", "cpuset memory pids");
	scene_expect(&scene, CG "/a/b/cgroup.subtree_control", "");
	scene_expect(&scene, CG "/a/b/memory.max", "134217728");
	scene_expect(&scene, CG "/a/b/memory.high", "67108864");
	scene_expect(&scene, CG "/a/b/cpuset.cpus.effective", "1-2");
	scene_expect(&scene, CG "/a/b/cpuset.mems.effective", "1");
	assert_int_equal(mark_read(scene.host, "/a", &mark), 0);
	assert_int_equal(mark.kind, MARK_PARENT);
	assert_int_equal(mark_read(scene.host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_OWNED);
	assert_int_equal(mark.start_time, 777);
}

static void a_kept_cgroup_is_marked_as_kept(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	struct mark mark;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	scene.plan->is_kept = true;
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(mark_read(scene.host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_KEPT);
}

static void the_second_plan_is_empty_and_writes_nothing(void **state)
{
	AUTO(scene_close)
	struct scene scene = {.policy = policies_make("memory.max=10000", "cpuset.mems=0,1", "cpu.max=50000",
						      "memory.high=50%", "memory.low=25% of nodes:0-1",
						      "io.max=252:0 rbps=1048576", "hugetlb.2MB.max=5M",
						      "cgroup.max.depth=3", NULL)};
	unsigned changes;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene_apply(&scene), 0);
	scene_expect(&scene, CG "/a/memory.max", "8192");
	scene_expect(&scene, CG "/a/memory.high", "1073741824");
	scene_expect(&scene, CG "/a/memory.low", "536870912");
	scene_expect(&scene, CG "/a/hugetlb.2MB.max", "4194304");
	changes = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene.plan->steps, 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES), changes);
}

static void a_plan_without_end_is_refused(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make(NULL, NULL)};
	struct plan plan = {.steps = APPLY_STEPS_MAX + 1};

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(apply_plan(scene.host, &plan, scene.policy, NULL, &scene.err), -E2BIG);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
}

/* Another cgpol removes the cgroup between two reads: it has no files then, and that is no kernel's lack. */
static void a_cgroup_that_goes_while_it_is_read_is_read_again(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 1, count = n; n <= count; n++) {
			AUTO(scene_close) struct scene scene = {0};
			int rc;

			scene_open(&scene, NULL);
			assert_int_equal(policy_new(&scene.policy), 0);
			assert_int_equal(policy_set(scene.policy, "memory.max", "1M", NULL), 0);
			fakekernel_cgroup(scene.root, "/a/b", NULL);
			fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, errnums[i]);
			count = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
			rc = scene_plan(&scene, "/a/b");
			count = fakekernel_accesses(scene.root, FAKEKERNEL_READS) - count;
			if (rc < 0)
				fail_msg("read %u: %s", n, scene.err.text);
		}
	}
}

static void a_parent_that_went_away_asks_for_a_new_plan(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	assert_int_equal(fakekernel_rmdir(scene.root, "/a"), 0);
	assert_int_equal(scene_apply(&scene), -ENOENT);
	assert_int_equal(scene.err.kind, CGPOL_FAILED);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	assert_int_equal(scene_apply(&scene), 0);
}

static void an_optional_controller_may_fail(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("pids.max=5", NULL)};
	struct step *step;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(plan_read(scene.host, scene.policy, "/a", "memory", &scene.plan, &scene.err), 0);
	assert_int_equal(scene.plan->steps, 4);
	step = &scene.plan->step[1];
	assert_true(step->is_optional);
	assert_string_equal(step->new_value, "+memory");
	step->new_value[1] = 'x'; /* a controller that the kernel does not know */
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(scene.applied.skipped, 1);
	assert_int_equal(scene.applied.failed_optional, 2);
	scene_expect(&scene, CG "/a/pids.max", "5");
	assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
}

/* CONFIG_RT_GROUP_SCHED: with a realtime process outside the root +cpu is EINVAL (PAIN P05). */
static void cpu_that_nobody_asked_for_is_left_out(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("pids.max=5", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(plan_read(scene.host, scene.policy, "/a", "cpu", &scene.plan, &scene.err), 0);
	assert_string_equal(scene.plan->step[1].new_value, "+cpu");
	fakekernel_fail_nth(scene.root, FAKEKERNEL_CHANGES, 2, EINVAL);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(scene.applied.skipped, 1);
	scene_expect(&scene, CG "/cgroup.subtree_control", "pids");
	policy_free(scene.policy);
	scene.policy = policies_make("cpu.weight=5", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	fakekernel_fail_nth(scene.root, FAKEKERNEL_CHANGES, 1, EINVAL);
	assert_int_equal(scene_apply(&scene), -EINVAL);
}

static void cgroups_that_last_are_all_marked_as_kept(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	struct mark mark;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	scene.plan->is_lasting = true;
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(mark_read(scene.host, "/a", &mark), 0);
	assert_int_equal(mark.kind, MARK_KEPT);
	assert_int_equal(mark_read(scene.host, "/a/b", &mark), 0);
	assert_int_equal(mark.kind, MARK_KEPT);
}

struct seen {
	size_t before, after, undone;
	size_t fail_at;
};

static int see_before(void *arg, size_t step, const char *old, struct cgpol_error *err)
{
	struct seen *seen = arg;

	(void)old;
	seen->before++;
	return step == seen->fail_at ? error_set(err, ENOSPC, CGPOL_FAILED, "no room") : 0;
}

static void see_after(void *arg, size_t step, enum step_result result, int rc)
{
	struct seen *seen = arg;

	(void)step;
	(void)rc;
	seen->after++;
	seen->undone += result == STEP_UNDONE;
}

static void a_watcher_sees_every_step_and_can_stop_it(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	struct seen seen = {.fail_at = 3};
	const struct apply_watch watch = {see_before, see_after, &seen};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	before = fakekernel_dump(scene.root);
	assert_int_equal(apply_plan_with(scene.host, scene.plan, scene.policy, NULL, &watch, &scene.err),
			 -ENOSPC);
	assert_string_equal(scene.err.text, "no room; all is as it was before");
	assert_int_equal(seen.before, 4);
	assert_int_equal(seen.undone, 3);
	after = fakekernel_dump(scene.root);
	assert_string_equal(before, after);
	seen = (struct seen){.fail_at = 999};
	assert_int_equal(apply_plan_with(scene.host, scene.plan, scene.policy, NULL, &watch, &scene.err), 0);
	assert_int_equal(seen.before, scene.plan->steps);
	assert_int_equal(seen.after, scene.plan->steps);
}

static void a_partition_that_is_invalid_is_refused_and_undone(void **state)
{
	AUTO(scene_close)
	struct scene scene = {.policy = policies_make("cpuset.cpus=1", "cpuset.cpus.partition=root", NULL)};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a/b", "cpuset.cpus=2", NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	before = fakekernel_dump(scene.root);
	assert_int_equal(scene_apply(&scene), -EINVAL);
	after = fakekernel_dump(scene.root);
	assert_string_equal(before, after);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(scene.err.text, "Parent is not a partition root"));
	assert_string_equal(scene.err.file, "cpuset.cpus.partition");
}

static void a_partition_can_be_planned_again(void **state)
{
	AUTO(scene_close)
	struct scene scene = {.policy = policies_make("cpuset.cpus=1", "cpuset.cpus.partition=root", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene.plan->steps, 0);
	policy_free(scene.policy);
	scene.policy = policies_make("cpuset.cpus=1-2", "cpuset.cpus.partition=root", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene.plan->steps, 1);
	assert_int_equal(scene_apply(&scene), 0);
	scene_expect(&scene, CG "/cpuset.cpus.effective", "0,3");
}

static void a_set_that_an_ancestor_narrows_names_it(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("cpuset.mems=1", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a/b/c", NULL);
	assert_int_equal(scene_plan(&scene, "/a/b/c"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.mems", "0"), 0);
	assert_int_equal(scene_apply(&scene), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(scene.err.text,
			       "cpuset.mems.effective of cgroup /a/b/c is \"0\", not \"1\": cgroup /a above "
			       "it has only \"0\""));
	scene_expect(&scene, CG "/a/b/c/cpuset.mems", "");
}

static void a_device_is_forgotten_again(void **state)
{
	AUTO(scene_close)
	struct scene scene = {.policy = policies_make("io.max=252:0 rbps=4096", "pids.max=5", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
	scene_expect(&scene, CG "/a/io.max", "");
	policy_free(scene.policy);
	scene.policy = policies_make("io.max=9:9 rbps=4096", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene_apply(&scene), -ENODEV);
	assert_int_equal(scene.err.kind, CGPOL_UNSUPPORTED);
	assert_non_null(strstr(scene.err.text, "no block device 9:9"));
}

/* One policy on a real kernel: what was applied leaves nothing to plan, and is taken back whole. False, with
 * the sentence, when it does not. */
static bool works_on_the_kernel(struct cgpol_policy *policy, const char *cgroup)
{
	struct scene scene = {.policy = policy};
	size_t steps;
	int rc;

	assert_int_equal(host_open(NULL, NULL, &scene.host, &scene.err), 0);
	rc = scene_plan(&scene, cgroup);
	rc = rc < 0 ? rc : scene_apply(&scene);
	if (rc < 0) {
		(void)printf("%s: %s (%s)\n", cgroup, scene.err.text, scene.err.hint);
		scene_close(&scene);
		return false;
	}
	rc = scene_plan(&scene, cgroup);
	steps = rc < 0 ? 0 : scene.plan->steps;
	for (size_t i = 0; i < steps; i++)
		(void)printf("%s: again %s %s\n", cgroup, scene.plan->step[i].file,
			     scene.plan->step[i].new_value);
	scene_close(&scene);
	return rc == 0 && steps == 0;
}

/* As above, and back again: nothing is left of the cgroup or the controllers. */
static bool goes_back_on_the_kernel(struct cgpol_policy *policy, const char *cgroup)
{
	struct scene scene = {.policy = policy};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	AUTO(free_p) char *path = NULL;
	struct root_info info;
	bool is_same;

	assert_int_equal(host_open(NULL, NULL, &scene.host, &scene.err), 0);
	scene.root = scene.host->root;
	assert_int_equal(root_read(scene.root, CG "/cgroup.subtree_control", &before, NULL), 0);
	assert_int_equal(scene_plan(&scene, cgroup), 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
	assert_int_equal(root_read(scene.root, CG "/cgroup.subtree_control", &after, NULL), 0);
	assert_true(asprintf(&path, CG "%s", cgroup) > 0);
	is_same = strcmp(before, after) == 0 && root_stat(scene.root, path, &info) == -ENOENT;
	(void)printf("%s: \"%s\" before, \"%s\" after\n", cgroup, before, after);
	scene_close(&scene);
	return is_same;
}

static bool is_refused_by_the_kernel(struct cgpol_policy *policy, const char *cgroup, const char *text)
{
	struct scene scene = {.policy = policy};
	bool is_right;
	int rc;

	assert_int_equal(host_open(NULL, NULL, &scene.host, &scene.err), 0);
	rc = scene_plan(&scene, cgroup);
	rc = rc < 0 ? rc : scene_apply(&scene);
	is_right = rc < 0 && strstr(scene.err.text, text);
	(void)printf("%s: %d %s\n", cgroup, rc, scene.err.text);
	scene_close(&scene);
	return is_right;
}

static int run_on_kernel(void)
{
	bool is_good = goes_back_on_the_kernel(scene_policy(), "/p/one");

	is_good &= works_on_the_kernel(scene_policy(), "/p/one");
	is_good &= works_on_the_kernel(policies_make("memory.max=50%", "memory.high=25% of nodes:0-1",
						     "memory.low=5000", "memory.min=1M", "cpu.max=50000",
						     "cpu.weight=7", "pids.max=max", "hugetlb.2MB.max=5M",
						     "cgroup.max.depth=3", "cpuset.mems=0,1",
						     "memory.max=9223372036854775807", NULL),
				       "/p/two");
	is_good &= works_on_the_kernel(policies_make("cpuset.cpus.partition=root", "cpuset.cpus=3", NULL),
				       "/q");
	is_good &= works_on_the_kernel(policies_make("cpuset.cpus.partition=root", "cpuset.cpus=2-3", NULL),
				       "/q");
	is_good &= works_on_the_kernel(policies_make("cpuset.cpus.partition=member", "cpuset.cpus=0-3", NULL),
				       "/q");
	is_good &= is_refused_by_the_kernel(
		policies_make("cpuset.cpus.partition=root", "cpuset.cpus=0", NULL), "/q/r", "partition");
	is_good &= is_refused_by_the_kernel(policies_make("io.max=99:99 rbps=1", NULL), "/p/three",
					    "no block device 99:99");
	is_good &= is_refused_by_the_kernel(policies_make("cpu.max=nonsense", NULL), "/p/three",
					    "QUOTA PERIOD");
	is_good &= is_refused_by_the_kernel(policies_make("cpuset.mems=3", NULL), "/p/one/x",
					    "not among those of cgroup /p/one");
	return is_good ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cgroup_is_made_with_all_it_needs_and_marked),
		cmocka_unit_test(a_kept_cgroup_is_marked_as_kept),
		cmocka_unit_test(the_second_plan_is_empty_and_writes_nothing),
		cmocka_unit_test(a_plan_without_end_is_refused),
		cmocka_unit_test(a_cgroup_that_goes_while_it_is_read_is_read_again),
		cmocka_unit_test(a_parent_that_went_away_asks_for_a_new_plan),
		cmocka_unit_test(an_optional_controller_may_fail),
		cmocka_unit_test(cpu_that_nobody_asked_for_is_left_out),
		cmocka_unit_test(cgroups_that_last_are_all_marked_as_kept),
		cmocka_unit_test(a_watcher_sees_every_step_and_can_stop_it),
		cmocka_unit_test(a_partition_that_is_invalid_is_refused_and_undone),
		cmocka_unit_test(a_partition_can_be_planned_again),
		cmocka_unit_test(a_set_that_an_ancestor_narrows_names_it),
		cmocka_unit_test(a_device_is_forgotten_again),
	};

	if (argc == 2 && strcmp(argv[1], "--kernel") == 0)
		return run_on_kernel();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
