/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps as values: copied, named, joined, found again. */
#include "policy/step.h"

#include "base/cleanup.h"
#include "test.h"

#define STR(text) ((char *)(uintptr_t)(text))

static int fail_in; /* so many allocations from now; 0: none */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
char *__real_strdup(const char *text);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_reallocarray(void *old, size_t count, size_t size);

static bool is_denied(void)
{
	return fail_in > 0 && --fail_in == 0;
}

void *__wrap_malloc(size_t size)
{
	return is_denied() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_denied() ? NULL : __real_calloc(count, size);
}

char *__wrap_strdup(const char *text)
{
	return is_denied() ? NULL : __real_strdup(text);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return is_denied() ? NULL : __real_reallocarray(old, count, size);
}

static const struct step whole = {.op = STEP_ATTACH,
				  .cgroup = STR("/a"),
				  .file = STR("f"),
				  .old_value = STR("/b"),
				  .new_value = STR("n"),
				  .is_optional = true,
				  .is_thread = true,
				  .pid = 7,
				  .start_time = 9,
				  .lost = "all",
				  .why = "so"};

static void index_free(struct plan_index **index)
{
	plan_index_free(*index);
}

static void a_copy_owns_all_it_has(void **state)
{
	AUTO(step_clear) struct step copy = {0};

	(void)state;
	assert_int_equal(step_copy(&whole, &copy), 0);
	assert_string_equal(copy.cgroup, "/a");
	assert_ptr_not_equal(copy.cgroup, whole.cgroup);
	assert_string_equal(copy.file, "f");
	assert_string_equal(copy.old_value, "/b");
	assert_string_equal(copy.new_value, "n");
	assert_true(copy.is_optional && copy.is_thread);
	assert_int_equal(copy.pid, 7);
	assert_int_equal(copy.start_time, 9);
	assert_ptr_equal(copy.lost, whole.lost);
	assert_ptr_equal(copy.why, whole.why);
}

static void steps_come_in_the_order_they_are_put(void **state)
{
	AUTO(plan_free_p) struct plan *plan = NULL;

	(void)state;
	assert_int_equal(plan_new(NULL, &plan), 0);
	assert_null(plan->cgroup);
	for (pid_t pid = 0; pid < 100; pid++)
		assert_int_equal(plan_add(plan, &(struct step){.op = STEP_AFFINITY, .pid = pid}), 0);
	assert_int_equal(plan_insert(plan, 50, &(struct step){.op = STEP_AFFINITY, .pid = 1000}), 0);
	assert_int_equal(plan_insert(plan, 999, &(struct step){.op = STEP_AFFINITY, .pid = 1001}), 0);
	assert_int_equal(plan->steps, 102);
	assert_int_equal(plan->step[49].pid, 49);
	assert_int_equal(plan->step[50].pid, 1000);
	assert_int_equal(plan->step[51].pid, 50);
	assert_int_equal(plan->step[101].pid, 1001);
}

static void add(struct plan *plan, enum step_op op, const char *cgroup, const char *value, bool is_optional)
{
	const struct step step = {
		.op = op, .cgroup = STR(cgroup), .new_value = STR(value), .is_optional = is_optional};

	assert_int_equal(plan_add(plan, &step), 0);
}

static void joined_plans_make_and_enable_once(void **state)
{
	AUTO(index_free) struct plan_index *index = NULL;
	AUTO(plan_free_p) struct plan *plan = NULL;
	AUTO(plan_free_p) struct plan *more = NULL;

	(void)state;
	assert_int_equal(plan_new(NULL, &plan), 0);
	assert_int_equal(plan_new("/a/c", &more), 0);
	add(plan, STEP_ENABLE, "/", "+memory", true);
	add(plan, STEP_MKDIR, "/a", NULL, false);
	add(more, STEP_ENABLE, "/", "+memory", false);
	add(more, STEP_ENABLE, "/", "+cpu", false);
	add(more, STEP_MKDIR, "/a", NULL, false);
	add(more, STEP_MKDIR, "/a/c", NULL, false);
	add(more, STEP_SET, "/a/c", "1", false);
	add(more, STEP_SET, "/a/c", "2", false);
	assert_int_equal(plan_join(plan, more, &index), 0);
	assert_int_equal(more->steps, 0);
	assert_int_equal(plan->steps, 6);
	/* One that needs it needs it. */
	assert_false(plan->step[0].is_optional);
	assert_string_equal(plan->step[2].new_value, "+cpu");
	assert_string_equal(plan->step[3].cgroup, "/a/c");
	assert_string_equal(plan->step[5].new_value, "2");
	/* What came in between by other ways is seen too. */
	assert_int_equal(plan_insert(plan, 0, &(struct step){.op = STEP_MKDIR, .cgroup = STR("/z")}), 0);
	add(plan, STEP_MKDIR, "/y", NULL, false);
	add(more, STEP_MKDIR, "/z", NULL, false);
	add(more, STEP_MKDIR, "/y", NULL, false);
	add(more, STEP_ENABLE, "/", "+cpu", false);
	assert_int_equal(plan_join(plan, more, &index), 0);
	assert_int_equal(plan->steps, 8);
}

static void many_plans_are_joined_without_a_search(void **state)
{
	AUTO(index_free) struct plan_index *index = NULL;
	AUTO(plan_free_p) struct plan *plan = NULL;

	(void)state;
	assert_int_equal(plan_new(NULL, &plan), 0);
	for (int i = 0; i < 20000; i++) {
		AUTO(plan_free_p) struct plan *more = NULL;
		char name[32];

		(void)snprintf(name, sizeof(name), "/a/g%d", i);
		assert_int_equal(plan_new(name, &more), 0);
		add(more, STEP_MKDIR, "/a", NULL, false);
		add(more, STEP_ENABLE, "/a", "+memory", false);
		add(more, STEP_MKDIR, name, NULL, false);
		add(more, STEP_SET, name, "1", false);
		assert_int_equal(plan_join(plan, more, &index), 0);
	}
	assert_int_equal(plan->steps, 40002);
}

static void the_last_of_the_same_is_found(void **state)
{
	AUTO(index_free) struct plan_index *index = NULL;
	AUTO(plan_free_p) struct plan *plan = NULL;
	struct step like = {.op = STEP_SET, .cgroup = STR("/a"), .file = STR("x"), .new_value = STR("7")};

	(void)state;
	assert_int_equal(plan_new("/a", &plan), 0);
	assert_int_equal(step_index_new(0, &index), 0);
	for (size_t i = 0; i < 40; i++) {
		like.new_value = STR(i % 2 ? "1" : "2");
		assert_int_equal(plan_add(plan, &like), 0);
		assert_int_equal(step_index_add(index, plan, i), 0);
		assert_int_equal(step_index_find(index, plan, &like), i);
	}
	like.file = STR("y");
	assert_int_equal(step_index_find(index, plan, &like), plan->steps);
	like = (struct step){.op = STEP_SET, .cgroup = STR("/b"), .file = STR("x")};
	assert_int_equal(step_index_find(index, plan, &like), plan->steps);
}

static void a_step_has_a_name(void **state)
{
	static const struct {
		struct step step;
		const char *name;
	} cases[] = {
		{{.op = STEP_MKDIR, .cgroup = STR("/a\n")}, "cgroup /a\\x0a"},
		{{.op = STEP_RMDIR, .cgroup = STR("/a")}, "cgroup /a"},
		{{.op = STEP_KILL, .cgroup = STR("/a")}, "cgroup /a"},
		{{.op = STEP_ENABLE, .cgroup = STR("/a")}, "cgroup.subtree_control of cgroup /a"},
		{{.op = STEP_SET, .cgroup = STR("/a"), .file = STR("memory.max")}, "memory.max of cgroup /a"},
		{{.op = STEP_OWNER, .cgroup = STR("/a")}, "cgroup /a"},
		{{.op = STEP_OWNER, .cgroup = STR("/a"), .file = STR("f")}, "f of cgroup /a"},
		{{.op = STEP_THREADED, .cgroup = STR("/a")}, "cgroup.type of cgroup /a"},
		{{.op = STEP_RECLAIM, .cgroup = STR("/a")}, "memory.reclaim of cgroup /a"},
		{{.op = STEP_CHECK, .cgroup = STR("/a"), .file = STR("f")}, "f of cgroup /a"},
		{{.op = STEP_ATTACH, .cgroup = STR("/a"), .pid = 7}, "process 7"},
		{{.op = STEP_ATTACH, .cgroup = STR("/a"), .pid = 7, .is_thread = true}, "thread 7"},
		{{.op = STEP_HOST, .file = STR("/p")}, "/p"},
		{{.op = STEP_SAVE, .file = STR("/p")}, "/p"},
		{{.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 7}, "oom_score_adj of process 7"},
		{{.op = STEP_AFFINITY, .pid = 7}, "the cpus of thread 7"},
	};
	char text[100];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(step_describe(&cases[i].step, text, sizeof(text)), cases[i].name);
		assert_int_equal(step_is_of_cgroup(&cases[i].step), cases[i].step.cgroup != NULL);
	}
}

static void owners_are_two_numbers(void **state)
{
	static const char *const bad[] = {"",	 "1", "a:b", "1:2:3", "-1:0", "4294967295:0", "1:99999999999",
					  " 1:2"};
	uid_t uid = 5;
	gid_t gid = 6;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(step_owner(bad[i], &uid, &gid), -EINVAL);
	assert_int_equal(uid, 5);
	assert_int_equal(gid, 6);
	assert_int_equal(step_owner("1000:", &uid, &gid), 0);
	assert_int_equal(uid, 1000);
	assert_true(gid == (gid_t)-1);
	assert_int_equal(step_owner(":4294967294", &uid, &gid), 0);
	assert_true(uid == (uid_t)-1);
	assert_true(gid == 4294967294U);
}

static int build(struct plan **plan, struct plan **more, struct plan_index **index)
{
	int rc = plan_new("/a", plan);

	rc = rc < 0 ? rc : plan_add(*plan, &whole);
	rc = rc < 0 ? rc : plan_insert(*plan, 0, &whole);
	rc = rc < 0 ? rc : plan_new("/b", more);
	for (int i = 0; rc == 0 && i < 40; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "/%d", i);
		rc = plan_add(*more, &(struct step){.op = STEP_MKDIR, .cgroup = name});
	}
	rc = rc < 0 ? rc : plan_join(*plan, *more, index);
	rc = rc < 0 ? rc : plan_add(*more, &whole);
	return rc < 0 ? rc : plan_join(*plan, *more, index);
}

static void without_memory_nothing_is_half(void **state)
{
	int rc = -ENOMEM;

	(void)state;
	for (int n = 1; rc < 0; n++) {
		AUTO(index_free) struct plan_index *index = NULL;
		AUTO(plan_free_p) struct plan *plan = NULL;
		AUTO(plan_free_p) struct plan *more = NULL;

		assert_true(n < 300);
		fail_in = n;
		rc = build(&plan, &more, &index);
		fail_in = 0;
		assert_true(rc == 0 || rc == -ENOMEM);
		assert_true(rc < 0 || plan->steps == 43);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_owns_all_it_has),
		cmocka_unit_test(steps_come_in_the_order_they_are_put),
		cmocka_unit_test(joined_plans_make_and_enable_once),
		cmocka_unit_test(many_plans_are_joined_without_a_search),
		cmocka_unit_test(the_last_of_the_same_is_found),
		cmocka_unit_test(a_step_has_a_name),
		cmocka_unit_test(owners_are_two_numbers),
		cmocka_unit_test(without_memory_nothing_is_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
