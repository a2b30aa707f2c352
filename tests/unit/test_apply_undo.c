/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans that fail half-way, or are taken back: what is as it was before, and what stays for others. */
#include "policy/apply.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "fakekernel.h"
#include "host/mark.h"
#include "policies.h"
#include "scene.h"
#include "test.h"

#define CG "/sys/fs/cgroup"

/* What the root handed down before is what it hands down now, but for what it cannot take back with other
 * cgroups below; that is taken off by hand. How many were there? */
static unsigned take_off(struct scene *scene, const char *before)
{
	AUTO(free_p) char *now = NULL;
	struct span line, word;
	unsigned count = 0;

	assert_int_equal(root_read(scene->root, CG "/cgroup.subtree_control", &now, NULL), 0);
	line = (struct span){now, strlen(now)};
	while (text_word(&line, &word)) {
		char minus[32];

		(void)snprintf(minus, sizeof(minus), "-%.*s", (int)word.size, word.at);
		if (strstr(before, minus + 1))
			continue;
		assert_int_equal(fakekernel_poke(scene->root, "", "cgroup.subtree_control", minus), 0);
		count++;
	}
	return count;
}

static char *handed_down(struct scene *scene)
{
	char *text = NULL;

	assert_int_equal(root_read(scene->root, CG "/cgroup.subtree_control", &text, NULL), 0);
	return text;
}

/* Three states to begin with. Each returns the cgroup that is then set. */
static const char *begin_empty(struct root *root)
{
	(void)root;
	return "/a/b";
}

static const char *begin_with_values(struct root *root)
{
	fakekernel_cgroup(root, "/a/b", "memory.max=1048576", "memory.high=4096", "cpuset.mems=0",
			  "pids.max=7", NULL);
	return "/a/b";
}

static const char *begin_half(struct root *root)
{
	assert_int_equal(fakekernel_poke(root, "/a", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "", "cgroup.subtree_control", "+memory"), 0);
	assert_int_equal(fakekernel_poke(root, "/a", "memory.max", "1G"), 0);
	return "/a/c";
}

/* With the n-th access failing: is all as it was? False when it did not fail any more. */
static bool fails_without_a_trace(const char *(*begin)(struct root *), unsigned accesses, unsigned n,
				  unsigned *failures)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	AUTO(free_p) char *enabled = NULL;
	const char *cgroup;
	unsigned left;
	int rc;

	scene_open(&scene, NULL);
	cgroup = begin(scene.root);
	enabled = handed_down(&scene);
	assert_int_equal(scene_plan(&scene, cgroup), 0);
	before = fakekernel_dump(scene.root);
	scene.applied.steps = 77;
	fakekernel_fail_nth(scene.root, accesses, n, EIO);
	rc = scene_apply(&scene);
	fakekernel_fail_nth(scene.root, accesses, 0, 0);
	if (rc == 0) {
		/* Marks are good to have only: all else was done. */
		assert_int_equal(scene_plan(&scene, cgroup), 0);
		assert_int_equal(scene.plan->steps, 0);
		return fakekernel_accesses(scene.root, accesses) >= n;
	}
	++*failures;
	assert_int_equal(rc, -EIO);
	left = take_off(&scene, enabled);
	after = fakekernel_dump(scene.root);
	assert_string_equal(before, after);
	assert_int_equal(left > 0, strstr(scene.err.text, " enabled in /, which has other cgroups") != NULL);
	assert_true(left == 0 || begin == begin_half);
	assert_true(left == 0 || !strstr(scene.err.text, "as it was before"));
	assert_int_equal(scene.applied.steps, 77);
	assert_int_equal(scene.err.code, EIO);
	assert_true(scene.err.kind != 0);
	assert_true(strlen(scene.err.text) > 20);
	return true;
}

static void whatever_fails_nothing_is_left_behind(void **state)
{
	const char *(*const begins[])(struct root *) = {begin_empty, begin_with_values, begin_half};
	unsigned failures = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		for (unsigned n = 1; fails_without_a_trace(begins[i], FAKEKERNEL_CHANGES, n, &failures); n++)
			assert_true(n < 200);
		for (unsigned n = 1; fails_without_a_trace(begins[i], FAKEKERNEL_READS, n, &failures); n++)
			assert_true(n < 200);
	}
	assert_true(failures > 60);
}

static void a_plan_can_be_taken_back_later(void **state)
{
	const char *(*const begins[])(struct root *) = {begin_empty, begin_with_values, begin_half};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
		AUTO(free_p) char *before = NULL;
		AUTO(free_p) char *after = NULL;
		AUTO(free_p) char *enabled = NULL;

		scene_open(&scene, NULL);
		assert_int_equal(scene_plan(&scene, begins[i](scene.root)), 0);
		enabled = handed_down(&scene);
		before = fakekernel_dump(scene.root);
		assert_int_equal(scene_apply(&scene), 0);
		assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
		assert_int_equal(take_off(&scene, enabled), begins[i] == begin_half ? 2 : 0);
		after = fakekernel_dump(scene.root);
		assert_string_equal(before, after);
	}
}

static void what_cannot_be_taken_back_is_told(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	fakekernel_fail(scene.root, FAKEKERNEL_CHANGES, CG "/a/pids.max", EACCES);
	assert_int_equal(scene_apply(&scene), -EACCES);
	assert_non_null(strstr(scene.err.text, "cannot set pids.max of cgroup /a"));
	assert_non_null(strstr(scene.err.text, "; all is as it was before"));
	assert_int_equal(scene.err.kind, CGPOL_FAILED);
	assert_int_equal(fakekernel_poke(scene.root, "/a", NULL, NULL), 0);
	fakekernel_end(scene.root, 1);
	assert_int_equal(fakekernel_rmdir(scene.root, "/a"), 0);
}

/* In a cgroup with others below a controller is left enabled, and told: theirs would lose their limits. */
static void a_controller_that_stays_is_told(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("pids.max=5", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(fakekernel_poke(scene.root, "/theirs", NULL, NULL), 0);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	fakekernel_fail(scene.root, FAKEKERNEL_CHANGES, CG "/a/pids.max", EACCES);
	assert_int_equal(scene_apply(&scene), -EACCES);
	assert_non_null(
		strstr(scene.err.text, "; controller pids stays enabled in /, which has other cgroups"));
	assert_null(strstr(scene.err.text, "as it was before"));
	scene_expect(&scene, CG "/theirs/pids.max", "max");
	assert_int_equal(fakekernel_poke(scene.root, "", "cgroup.subtree_control", "-pids"), 0);
	policy_free(scene.policy);
	scene.policy = policies_make("pids.max=5", "memory.max=1M", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(scene_apply(&scene), -EACCES);
	assert_non_null(strstr(scene.err.text,
			       "; controllers pids, memory stay enabled in /, which has other cgroups"));
}

static const struct root_ops *plain;

/* Another cgpol makes its cgroup in the new one, and then this one fails. */
static int write_too_late(struct root *root, const char *path, const char *text)
{
	if (strcmp(path, CG "/a/pids.max") != 0)
		return plain->write(root, path, text);
	assert_int_equal(fakekernel_poke(root, "/a/b", NULL, NULL), 0);
	assert_int_equal(plain->set_xattr(root, CG "/a/b", MARK_ATTRIBUTE, "run 5 7 4026531836"), 0);
	return -EACCES;
}

static void a_cgroup_that_another_cgpol_uses_by_now_is_told(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("pids.max=5", NULL)};
	struct root_ops ops;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	plain = scene.root->ops;
	ops = *plain;
	ops.write = write_too_late;
	scene.root->ops = &ops;
	assert_int_equal(scene_apply(&scene), -EACCES);
	scene.root->ops = plain;
	assert_non_null(strstr(scene.err.text, "; cgroup /a stays, another cgpol uses it"));
	assert_non_null(strstr(scene.err.text, "; controller pids stays enabled in /, which has"));
	assert_null(strstr(scene.err.text, "as it was before"));
}

/* The values of a cgroup with a process in it cannot all be taken back: an emptied cpuset is refused, and
 * gets a list that means the same. */
static void a_value_that_stays_is_named(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("cpuset.mems=1", "pids.max=5", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(fakekernel_start(scene.root, "/a", 12), 0);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	fakekernel_fail(scene.root, FAKEKERNEL_CHANGES, CG "/a/pids.max", EACCES);
	assert_int_equal(scene_apply(&scene), -EACCES);
	assert_non_null(
		strstr(scene.err.text, "; cpuset.mems of cgroup /a says now what the cgroup above has"));
}

static void what_others_did_meanwhile_is_theirs(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = scene_policy()};
	struct mark mark;

	(void)state;
	scene_open(&scene, NULL);
	assert_int_equal(scene_plan(&scene, "/a/b"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "", "cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", NULL, NULL), 0);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(mark_read(scene.host, "/a", &mark), 0);
	assert_int_equal(mark.kind, MARK_NONE);
	assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
	/* Their /a may use it by now. */
	scene_expect(&scene, CG "/cgroup.subtree_control", "cpuset memory pids");
	scene_expect(&scene, CG "/a/cgroup.subtree_control", "");
	assert_int_equal(fakekernel_rmdir(scene.root, "/a"), 0);
}

static void a_value_changed_meanwhile_is_put_back_as_it_was(void **state)
{
	AUTO(scene_close)
	struct scene scene = {.policy = policies_make("memory.max=4096", "memory.swap.max=0", NULL)};

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a", "memory.max=8192", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "memory.max", "16384"), 0);
	fakekernel_fail(scene.root, FAKEKERNEL_CHANGES, CG "/a/memory.swap.max", EIO);
	assert_int_equal(scene_apply(&scene), -EIO);
	scene_expect(&scene, CG "/a/memory.max", "16384");
}

static void a_value_that_others_set_already_is_not_taken_back(void **state)
{
	AUTO(scene_close) struct scene scene = {.policy = policies_make("memory.max=4096", NULL)};
	unsigned changes;

	(void)state;
	scene_open(&scene, NULL);
	fakekernel_cgroup(scene.root, "/a", NULL);
	assert_int_equal(scene_plan(&scene, "/a"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "memory.max", "4096"), 0);
	changes = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	assert_int_equal(scene_apply(&scene), 0);
	assert_int_equal(apply_undo(scene.host, scene.plan, &scene.applied), 0);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES), changes);
	scene_expect(&scene, CG "/a/memory.max", "4096");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_fails_nothing_is_left_behind),
		cmocka_unit_test(a_plan_can_be_taken_back_later),
		cmocka_unit_test(what_cannot_be_taken_back_is_told),
		cmocka_unit_test(a_controller_that_stays_is_told),
		cmocka_unit_test(a_cgroup_that_another_cgpol_uses_by_now_is_told),
		cmocka_unit_test(a_value_that_stays_is_named),
		cmocka_unit_test(what_others_did_meanwhile_is_theirs),
		cmocka_unit_test(a_value_changed_meanwhile_is_put_back_as_it_was),
		cmocka_unit_test(a_value_that_others_set_already_is_not_taken_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
