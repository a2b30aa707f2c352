/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan becomes under its guards, and what comes of it on the fake kernel. */
#include "policy/guard.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policies.h"
#include "policy/apply.h"
#include "test.h"

enum { MIB = 1 << 20 };

#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	struct guard guard;
	struct cgpol_error err;
};

/* A process in /web, with no swap. */
static void open_scene(struct scene *scene)
{
	*scene = (struct scene){.root = fakekernel_new(NULL)};
	fakekernel_put(scene->root, "/proc/meminfo",
		       "MemTotal: 2097152 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/web", NULL);
	assert_int_equal(fakekernel_start(scene->root, "/web", 30), 0);
	assert_int_equal(plan_new("/web", &scene->plan), 0);
}

static void close_scene(struct scene *scene)
{
	guard_clear(&scene->guard);
	plan_free(scene->plan);
	cgpol_host_free(scene->host);
}

static void add(struct scene *scene, enum step_op op, const char *file, const char *old, const char *new)
{
	const struct step step = {.op = op,
				  .cgroup = STR("/web"),
				  .file = STR(file),
				  .old_value = STR(old),
				  .new_value = STR(new)};

	assert_int_equal(plan_add(scene->plan, &step), 0);
}

static int judge(struct scene *scene, bool is_forced)
{
	scene->err = (struct cgpol_error){0};
	return guard_plan(scene->host, scene->plan, is_forced, &scene->guard, &scene->err);
}

/* "op file new" of each step. */
static void expect_steps(const struct scene *scene, const char *const *wanted, size_t count)
{
	static const char *const names[] = {[STEP_SET] = "set",
					    [STEP_RECLAIM] = "reclaim",
					    [STEP_CHECK] = "check",
					    [STEP_THREADED] = "threaded"};

	assert_int_equal(scene->plan->steps, count);
	for (size_t i = 0; i < count; i++) {
		const struct step *step = &scene->plan->step[i];
		char text[256];

		(void)snprintf(text, sizeof(text), "%s %s %s", names[step->op], step->file ? step->file : "-",
			       step->new_value);
		assert_string_equal(text, wanted[i]);
		assert_string_equal(step->cgroup, "/web");
	}
}

static void expect_file(struct scene *scene, const char *file, const char *wanted)
{
	AUTO(free_p) char *path = cgroup_path(scene->host, "/web", file);
	AUTO(free_p) char *text = NULL;

	assert_int_equal(root_read(scene->root, path, &text, NULL), 0);
	assert_string_equal(text, wanted);
}

static void expect_refused(struct scene *scene, enum guard_kind kind, const char *text)
{
	assert_int_equal(judge(scene, false), -EBUSY);
	assert_int_equal(scene->err.kind, CGPOL_REFUSED);
	assert_int_equal(scene->err.code, EBUSY);
	if (!strstr(scene->err.text, text))
		fail_msg("\"%s\" does not have \"%s\"", scene->err.text, text);
	assert_int_equal(scene->guard.findings, 1);
	assert_int_equal(scene->guard.finding[0].kind, kind);
	assert_false(scene->guard.finding[0].is_solved);
	assert_string_equal(scene->guard.finding[0].text, scene->err.text);
	assert_string_equal(scene->guard.finding[0].hint, scene->err.hint);
}

/* P40 */
static void anonymous_memory_without_swap_is_refused_before_any_write(void **state)
{
	AUTO(close_scene) struct scene scene;
	unsigned changes;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 200 * MIB, 0);
	add(&scene, STEP_SET, "memory.max", "max", "104857600");
	changes = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	expect_refused(&scene, GUARD_MEMORY_MAX,
		       "cannot set memory.max of cgroup /web to \"104857600\": 200M are in use, and 200M of "
		       "it cannot be "
		       "reclaimed");
	assert_string_equal(scene.err.file, "memory.max");
	assert_string_equal(scene.err.value, "104857600");
	assert_int_equal(scene.plan->steps, 1);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES), changes);
	assert_non_null(strstr(scene.plan->step[0].lost, "killed"));
	/* Forced it is written as it is, and told. */
	assert_int_equal(judge(&scene, true), 0);
	assert_int_equal(scene.plan->steps, 1);
	assert_int_equal(scene.guard.findings, 1);
	assert_int_equal(strncmp(scene.guard.finding[0].text, "memory.max of cgroup /web to", 28), 0);
	assert_int_equal(apply_plan(scene.host, scene.plan, NULL, NULL, &scene.err), 0);
	assert_int_equal(fakekernel_oom_kills(scene.root), 1);
}

static void page_cache_is_reclaimed_first_and_nobody_killed(void **state)
{
	static const char *const steps[] = {"reclaim - 104857600", "set memory.high 104857600",
					    "check memory.current 104857600", "set memory.max 104857600",
					    "set memory.high max"};
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 0, 200 * MIB);
	add(&scene, STEP_SET, "memory.max", "max", "104857600");
	assert_int_equal(judge(&scene, false), 0);
	expect_steps(&scene, steps, ARRAY_SIZE(steps));
	assert_int_equal(scene.guard.findings, 1);
	assert_true(scene.guard.finding[0].is_solved);
	assert_int_equal(scene.guard.finding[0].step, 3);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		assert_true(scene.plan->step[i].why || i == 3);
	assert_int_equal(apply_plan(scene.host, scene.plan, NULL, NULL, &scene.err), 0);
	assert_int_equal(fakekernel_oom_kills(scene.root), 0);
	expect_file(&scene, "memory.max", "104857600");
	expect_file(&scene, "memory.high", "max");
	/* Not more than is too much. */
	expect_file(&scene, "memory.current", "104857600");
}

static void a_run_that_does_not_get_there_is_taken_back(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 0, 200 * MIB);
	add(&scene, STEP_SET, "memory.max", "max", "104857600");
	assert_int_equal(judge(&scene, false), 0);
	/* It grew in the meantime by what cannot be reclaimed. */
	fakekernel_use(scene.root, "/web", 0, 150 * MIB, 200 * MIB);
	assert_int_equal(apply_plan(scene.host, scene.plan, NULL, NULL, &scene.err), -EBUSY);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	expect_file(&scene, "memory.max", "max");
	expect_file(&scene, "memory.high", "max");
	assert_int_equal(fakekernel_oom_kills(scene.root), 0);
}

/* memory.high of the same plan is what is put back; one that is low enough needs no detour. */
static void the_wanted_memory_high_is_kept(void **state)
{
	static const char *const above[] = {"set memory.high 157286400", "reclaim - 104857600",
					    "set memory.high 104857600", "check memory.current 104857600",
					    "set memory.max 104857600",	 "set memory.high 157286400"};
	static const char *const below[] = {"set memory.high 52428800", "reclaim - 104857600",
					    "check memory.current 104857600", "set memory.max 104857600"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		AUTO(close_scene) struct scene scene;

		open_scene(&scene);
		fakekernel_use(scene.root, "/web", 0, 0, 200 * MIB);
		add(&scene, STEP_SET, "memory.high", "max", i == 0 ? "157286400" : "52428800");
		add(&scene, STEP_SET, "memory.max", "max", "104857600");
		assert_int_equal(judge(&scene, false), 0);
		expect_steps(&scene, i == 0 ? above : below, i == 0 ? 6 : 4);
		assert_int_equal(apply_plan(scene.host, scene.plan, NULL, NULL, &scene.err), 0);
		expect_file(&scene, "memory.high", i == 0 ? "157286400" : "52428800");
	}
}

static void without_memory_reclaim_memory_high_does_it(void **state)
{
	static const char *const steps[] = {"set memory.high 104857600", "check memory.current 104857600",
					    "set memory.max 104857600", "set memory.high max"};
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 0, 200 * MIB);
	fakekernel_fail(scene.root, FAKEKERNEL_READS, "/sys/fs/cgroup/web/memory.reclaim", ENOENT);
	add(&scene, STEP_SET, "memory.max", "max", "104857600");
	assert_int_equal(judge(&scene, false), 0);
	expect_steps(&scene, steps, ARRAY_SIZE(steps));
}

/* P41 */
static void memory_high_that_can_only_stall_is_refused(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 200 * MIB, 0);
	add(&scene, STEP_SET, "memory.high", "max", "104857600");
	expect_refused(&scene, GUARD_MEMORY_STALL, "would stall without end");
	assert_non_null(strstr(scene.err.hint, "memory.max close above"));
	fakekernel_put(scene.root, "/proc/meminfo", "SwapTotal: 1048576 kB\nSwapFree: 1048576 kB\n");
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 0);
	/* Swap that the cgroup may not use is none. */
	assert_int_equal(fakekernel_poke(scene.root, "/web", "memory.swap.max", "0"), 0);
	expect_refused(&scene, GUARD_MEMORY_STALL, "would stall without end");
}

static void nodes_with_memory_are_not_taken_away(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 40 * MIB, 0);
	add(&scene, STEP_SET, "cpuset.mems", "", "1");
	expect_refused(
		&scene, GUARD_MEMS,
		"cannot set cpuset.mems of cgroup /web to \"1\": up to 40M of its memory lie on node 0");
	assert_int_equal(scene.guard.finding[0].bytes, 40 * MIB);
	assert_string_equal(scene.plan->step[0].lost, "pages that were migrated");
	assert_int_equal(judge(&scene, true), 0);
	assert_int_equal(scene.guard.findings, 1);
	fakekernel_use(scene.root, "/web", 0, 0, 0);
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 0);
}

static void a_list_is_not_emptied_under_processes(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	add(&scene, STEP_SET, "cpuset.cpus", "0-1", "");
	expect_refused(&scene, GUARD_EMPTY,
		       "cannot set cpuset.cpus of cgroup /web to \"\": it has processes");
	scene.host->major = 7;
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 0);
	scene.host->major = 6;
	fakekernel_end(scene.root, 30);
	assert_int_equal(judge(&scene, false), 0);
}

static void fewer_pids_than_there_are_is_a_warning(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	add(&scene, STEP_SET, "pids.max", "max", "0");
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 1);
	assert_int_equal(scene.guard.finding[0].kind, GUARD_PIDS);
	assert_true(scene.guard.finding[0].is_solved);
	assert_non_null(
		strstr(scene.guard.finding[0].text, "pids.max of cgroup /web to \"0\": it has 1 processes"));
}

static void a_partition_tells_of_those_who_lose_their_cpus(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_start(scene.root, "/", 40), 0);
	fakekernel_comm(scene.root, 40, "pinned");
	fakekernel_put(scene.root, "/proc/40/status", "Name:\tpinned\nThreads:\t1\nCpus_allowed_list:\t3\n");
	add(&scene, STEP_SET, "cpuset.cpus", "", "2-3");
	add(&scene, STEP_SET, "cpuset.cpus.partition", "member", "root");
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 1);
	assert_int_equal(scene.guard.finding[0].kind, GUARD_PARTITION);
	assert_int_equal(scene.guard.finding[0].step, 1);
	assert_non_null(strstr(scene.guard.finding[0].text, "40 (pinned)"));
}

static void threads_beside_processes_are_refused(void **state)
{
	const struct step step = {.op = STEP_THREADED, .cgroup = STR("/p/t"), .new_value = STR("threaded")};
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/p", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/p/t", NULL, NULL), 0);
	assert_int_equal(plan_add(scene.plan, &step), 0);
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 1);
	assert_true(scene.guard.finding[0].is_solved);
	assert_int_equal(fakekernel_poke(scene.root, "/p/s", NULL, NULL), 0);
	assert_int_equal(fakekernel_start(scene.root, "/p/s", 50), 0);
	expect_refused(&scene, GUARD_THREADED,
		       "cannot make cgroup /p/t threaded: cgroup /p above it turns \"domain threaded\"");
	assert_string_equal(scene.err.file, "cgroup.type");
	assert_string_equal(scene.err.value, "threaded");
}

/* New cgroups, limits that are raised, nodes that are added, and everything else. */
static void harmless_plans_cost_no_read(void **state)
{
	static const struct step mkdir = {.op = STEP_MKDIR, .cgroup = STR("/new")};
	static const struct step mems = {
		.op = STEP_SET, .cgroup = STR("/new"), .file = STR("cpuset.mems"), .new_value = STR("1")};
	static const struct step max = {
		.op = STEP_SET, .cgroup = STR("/new"), .file = STR("memory.max"), .new_value = STR("1")};
	static const struct step made = {.op = STEP_MKDIR, .cgroup = STR("/new/t")};
	static const struct step type = {
		.op = STEP_THREADED, .cgroup = STR("/new/t"), .new_value = STR("threaded")};
	static const struct step host = {
		.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("1")};
	const struct step *const more[] = {&mkdir, &mems, &max, &made, &type, &host};
	AUTO(close_scene) struct scene scene;
	unsigned reads;

	(void)state;
	open_scene(&scene);
	add(&scene, STEP_SET, "memory.max", "1000", "max");
	add(&scene, STEP_SET, "memory.high", "1000", "2000");
	add(&scene, STEP_SET, "pids.max", "1", "2");
	add(&scene, STEP_SET, "cpuset.mems", "0", "0-1");
	add(&scene, STEP_SET, "cpuset.mems", "", "");
	add(&scene, STEP_SET, "cpuset.cpus", "0", "0-1");
	add(&scene, STEP_SET, "cpuset.cpus.partition", "root", "member");
	add(&scene, STEP_SET, "cpuset.cpus.partition", "root", "isolated");
	add(&scene, STEP_SET, "memory.low", "1", "0");
	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		assert_int_equal(plan_add(scene.plan, more[i]), 0);
	reads = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_READS), reads);
	assert_int_equal(scene.guard.findings, 0);
}

/* Several at once: each finding names its own step after the insertions. */
static void findings_keep_their_steps(void **state)
{
	AUTO(close_scene) struct scene scene;

	(void)state;
	open_scene(&scene);
	fakekernel_use(scene.root, "/web", 0, 0, 200 * MIB);
	fakekernel_cgroup(scene.root, "/db", NULL);
	fakekernel_use(scene.root, "/db", 1, 0, 300 * MIB);
	add(&scene, STEP_SET, "pids.max", "max", "0");
	add(&scene, STEP_SET, "memory.max", "max", "104857600");
	assert_int_equal(plan_add(scene.plan, &(struct step){.op = STEP_SET,
							     .cgroup = STR("/db"),
							     .file = STR("memory.max"),
							     .old_value = STR("max"),
							     .new_value = STR("104857600")}),
			 0);
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 3);
	assert_int_equal(scene.plan->steps, 11);
	assert_int_equal(scene.guard.finding[0].step, 0);
	assert_int_equal(scene.guard.finding[1].step, 4);
	assert_int_equal(scene.guard.finding[2].step, 9);
	for (size_t i = 1; i < 3; i++)
		assert_string_equal(scene.plan->step[scene.guard.finding[i].step].file, "memory.max");
	assert_string_equal(scene.plan->step[9].cgroup, "/db");
}

/* What cannot be read is not judged: the kernel decides. */
static void a_guard_that_cannot_see_stays_out_of_the_way(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 12; n++) {
		AUTO(close_scene) struct scene scene;
		int rc;

		open_scene(&scene);
		fakekernel_use(scene.root, "/web", 0, 200 * MIB, 0);
		add(&scene, STEP_SET, "memory.max", "max", "104857600");
		add(&scene, STEP_SET, "cpuset.mems", "", "1");
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, EACCES);
		rc = judge(&scene, false);
		assert_true(rc == 0 || rc == -EBUSY);
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, ENOMEM);
		rc = judge(&scene, false);
		assert_true(rc == -ENOMEM || rc == -EBUSY);
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, 0, 0);
	}
}

static void a_part_of_a_list_that_is_not_there_is_told(void **state)
{
	AUTO(close_scene) struct scene scene;
	AUTO(policy_free_p) struct cgpol_policy *policy = policies_make("cpuset.mems=0,3", NULL);

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/new", NULL);
	plan_free(TAKE(scene.plan));
	assert_int_equal(plan_read(scene.host, policy, "/new", NULL, &scene.plan, &scene.err), 0);
	assert_int_equal(judge(&scene, false), 0);
	assert_int_equal(scene.guard.findings, 1);
	assert_int_equal(scene.guard.finding[0].kind, GUARD_ABSENT);
	assert_true(scene.guard.finding[0].is_solved);
	assert_string_equal(
		scene.guard.finding[0].text,
		"cpuset.mems of cgroup /new to \"0,3\": node 3 is without memory now; what is there "
		"is used until it comes");
	assert_string_equal(scene.plan->step[scene.plan->steps - 1].new_value, "0,3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anonymous_memory_without_swap_is_refused_before_any_write),
		cmocka_unit_test(page_cache_is_reclaimed_first_and_nobody_killed),
		cmocka_unit_test(a_run_that_does_not_get_there_is_taken_back),
		cmocka_unit_test(the_wanted_memory_high_is_kept),
		cmocka_unit_test(without_memory_reclaim_memory_high_does_it),
		cmocka_unit_test(memory_high_that_can_only_stall_is_refused),
		cmocka_unit_test(nodes_with_memory_are_not_taken_away),
		cmocka_unit_test(a_list_is_not_emptied_under_processes),
		cmocka_unit_test(fewer_pids_than_there_are_is_a_warning),
		cmocka_unit_test(a_partition_tells_of_those_who_lose_their_cpus),
		cmocka_unit_test(threads_beside_processes_are_refused),
		cmocka_unit_test(harmless_plans_cost_no_read),
		cmocka_unit_test(findings_keep_their_steps),
		cmocka_unit_test(a_guard_that_cannot_see_stays_out_of_the_way),
		cmocka_unit_test(a_part_of_a_list_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
