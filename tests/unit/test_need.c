/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which controllers are needed, and what keeps them from being enabled. */
#include "policy/need.h"

#include "base/cleanup.h"
#include "policies.h"
#include "test.h"

static void each_controller_is_needed_once(void **state)
{
	AUTO(policy_free_p)
	struct cgpol_policy *policy = policies_make("memory.max=1", "cgroup.freeze=1", "hugetlb.2MB.max=0",
						    "memory.newest=1", "memory.low=1", NULL);
	AUTO(need_clear_p) struct need need = {NULL, 0};

	(void)state;
	assert_int_equal(need_of_policy(policy, &need), 0);
	assert_int_equal(need.controllers, 2);
	assert_string_equal(need.controller[0], "memory");
	assert_string_equal(need.controller[1], "hugetlb");
	assert_true(need_has(&need, "memory"));
	assert_false(need_has(&need, "mem"));
}

static void words_of_a_list_are_whole(void **state)
{
	(void)state;
	assert_true(need_list_has("cpuset cpu io", "cpu"));
	assert_false(need_list_has("cpuset io", "cpu"));
	assert_false(need_list_has("", "cpu"));
	assert_false(need_list_has(NULL, "cpu"));
	assert_true(need_is_threaded("cpuset"));
	assert_false(need_is_threaded("memory"));
}

#define STR(text) ((char *)(uintptr_t)(text))

static void each_obstacle_is_told(void **state)
{
	struct current_level level[] = {
		{.name = STR("/"),
		 .exists = true,
		 .controllers = STR("cpu memory"),
		 .type = STR("domain"),
		 .has_processes = false},
		{.name = STR("/a"),
		 .exists = true,
		 .controllers = STR(""),
		 .type = STR("domain"),
		 .has_processes = true},
		{.name = STR("/a/b"), .exists = true, .controllers = STR(""), .type = STR("domain threaded")},
		{.name = STR("/a/b/c")},
	};
	struct current current = {.level = level, .levels = ARRAY_SIZE(level)};

	(void)state;
	assert_int_equal(need_judge(&current, 0, "memory"), NEED_FINE);
	assert_int_equal(need_judge(&current, 0, "io"), NEED_LACKING);
	assert_int_equal(need_judge(&current, 1, "memory"), NEED_PROCESSES);
	assert_int_equal(need_judge(&current, 1, "cpu"), NEED_PROCESSES);
	assert_int_equal(need_judge(&current, 2, "cpu"), NEED_THREADED);
	assert_int_equal(need_judge(&current, 3, "cpu"), NEED_FINE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_controller_is_needed_once),
		cmocka_unit_test(words_of_a_list_are_whole),
		cmocka_unit_test(each_obstacle_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
