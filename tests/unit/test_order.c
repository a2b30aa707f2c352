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

static void it_is_said_why(void **state)
{
	struct step step[] = {set("memory.max", "8192", "4096"), set("memory.high", "8192", "4096"),
			      set("memory.swap.max", "max", "0"), set("pids.max", "1", "2")};
	struct step raise[] = {set("memory.high", "1", "max"), set("memory.max", "1", "max")};
	struct step cpus[] = {set("cpuset.cpus.partition", "member", "root"), set("cpuset.cpus", "", "1")};

	(void)state;
	order_steps(step, ARRAY_SIZE(step));
	assert_null(step[0].why);
	assert_string_equal(step[1].file, "memory.high");
	assert_non_null(strstr(step[1].why, "before memory.max"));
	assert_null(step[2].why);
	assert_non_null(strstr(step[3].why, "after memory.max"));
	order_steps(raise, ARRAY_SIZE(raise));
	assert_string_equal(raise[1].file, "memory.high");
	assert_non_null(strstr(raise[1].why, "after memory.max"));
	order_steps(cpus, ARRAY_SIZE(cpus));
	assert_string_equal(cpus[1].file, "cpuset.cpus.partition");
	assert_non_null(strstr(cpus[1].why, "after its cpus"));
}

static void add(struct plan *plan, const char *cgroup, const char *file, const char *old, const char *new)
{
	struct step step = set(file, old, new);

	step.cgroup = STR(cgroup);
	assert_int_equal(plan_add(plan, &step), 0);
}

static void expect_plan(const struct plan *plan, const char *text)
{
	char shown[1024] = "";

	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		size_t used = strlen(shown);

		(void)snprintf(shown + used, sizeof(shown) - used, "%s %s; ", step->cgroup,
			       step->op == STEP_SET	 ? step->new_value
			       : step->op == STEP_ATTACH ? "attach"
							 : "mkdir");
	}
	assert_string_equal(shown, text);
}

static void several_cpusets_are_widened_downwards_and_narrowed_upwards(void **state)
{
	AUTO(plan_free_p) struct plan *plan = NULL;

	(void)state;
	assert_int_equal(plan_new(NULL, &plan), 0);
	assert_int_equal(order_plan(plan), 0);
	/* All of it moves from node 0 to node 1: by way of none it would have what is above. */
	add(plan, "/a", "cpuset.mems", "0-1", "1");
	add(plan, "/a/b", "cpuset.mems", "0", "0-1");
	add(plan, "/a/b/c", "cpuset.mems", "0-1", "1");
	add(plan, "/x", "memory.max", "max", "4096");
	add(plan, "/a", "cpuset.cpus", "0", "0-3");
	add(plan, "/a/b", "cpuset.cpus", "1", "");
	add(plan, "/p", "cpuset.cpus.partition", "member", "root");
	add(plan, "/p/q", "cpuset.cpus.partition", "member", "isolated");
	add(plan, "/o", "cpuset.cpus.partition", "root", "member");
	add(plan, "/o/q", "cpuset.cpus.partition", "root", "member");
	assert_int_equal(plan_add(plan, &(struct step){.op = STEP_MKDIR, .cgroup = STR("/new")}), 0);
	assert_int_equal(plan_add(plan, &(struct step){.op = STEP_ATTACH, .cgroup = STR("/new")}), 0);
	/* What comes behind a move was put there. */
	add(plan, "/z", "cpuset.mems", "0", "0-1");
	assert_int_equal(order_plan(plan), 0);
	expect_plan(plan, "/new mkdir; /o/q member; /o member; /a 0-3; /a/b 0-1; /a/b ; /a/b/c 1; /a 1; "
			  "/p root; /p/q isolated; /x 4096; /new attach; /z 0-1; ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_gives_room_comes_before_what_takes_it),
		cmocka_unit_test(a_new_cgroup_is_unlimited_at_first),
		cmocka_unit_test(others_stay_in_the_order_given),
		cmocka_unit_test(it_is_said_why),
		cmocka_unit_test(several_cpusets_are_widened_downwards_and_narrowed_upwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
