/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of writes: room is given before it is taken. */
#include "policy/order.h"

#include "base/cleanup.h"
#include "test.h"

#define STR(text) ((char *)(uintptr_t)(text))

static struct step set(const char *file, const char *old, const char *new)
{
	return (struct step){.op = STEP_SET, .file = STR(file), .old_value = STR(old), .new_value = STR(new)};
}

static void expect_order(const struct step *step, size_t steps, const char *const *files)
{
	for (size_t i = 0; i < steps; i++)
		assert_string_equal(step[i].file, files[i]);
}

static void what_gives_room_comes_before_what_takes_it(void **state)
{
	static const char *const files[] = {"memory.oom.group", "memory.swap.max", "pids.max",
					    "memory.high",	"memory.max",	   "memory.zswap.max"};
	struct step step[] = {
		set("memory.zswap.max", "max", "0"), set("memory.max", "8192", "4096"),
		set("pids.max", "1", "2"),	     set("memory.high", "8192", "4096"),
		set("memory.swap.max", "0", "max"),  set("memory.oom.group", "0", "1"),
	};

	(void)state;
	order_steps(step, ARRAY_SIZE(step));
	expect_order(step, ARRAY_SIZE(step), files);
}

static void a_new_cgroup_is_unlimited_at_first(void **state)
{
	static const char *const files[] = {"memory.high", "memory.max"};
	struct step step[] = {set("memory.max", NULL, "8192"), set("memory.high", NULL, "4096")};

	(void)state;
	order_steps(step, ARRAY_SIZE(step));
	expect_order(step, ARRAY_SIZE(step), files);
}

static void others_stay_in_the_order_given(void **state)
{
	static const char *const files[] = {"io.max", "cpu.weight", "pids.max", "cgroup.freeze"};
	struct step step[] = {set("io.max", "", "x"), set("cpu.weight", "1", "2"), set("pids.max", "1", "2"),
			      set("cgroup.freeze", "0", "1")};

	(void)state;
	order_steps(step, ARRAY_SIZE(step));
	expect_order(step, ARRAY_SIZE(step), files);
	order_steps(step, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_gives_room_comes_before_what_takes_it),
		cmocka_unit_test(a_new_cgroup_is_unlimited_at_first),
		cmocka_unit_test(others_stay_in_the_order_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
