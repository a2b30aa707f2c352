/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step has left: read in its own form, and told from what somebody else wrote. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"
#include "policy/trace.h"

#define STR(text) ((char *)(uintptr_t)(text))

static struct root *kernel;
static struct cgpol_host *host;

static int open_host(void **state)
{
	(void)state;
	kernel = fakekernel_new(NULL);
	fakekernel_cgroup(kernel, "/a", "memory.max=8192", NULL);
	(void)fakekernel_start(kernel, "/a", 101);
	return host_open_root(kernel, &host, NULL);
}

static int close_host(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void says(struct step step, const char *should)
{
	AUTO(free_p) char *now = NULL;

	assert_int_equal(trace_read(host, &step, &now), 0);
	if (should)
		assert_non_null(now);
	if (should)
		assert_string_equal(now, should);
	else
		assert_null(now);
}

static void each_operation_is_read_in_its_own_form(void **state)
{
	(void)state;
	says((struct step){.op = STEP_SET, .cgroup = STR("/a"), .file = STR("memory.max")}, "8192");
	says((struct step){.op = STEP_ENABLE, .cgroup = STR("/a"), .new_value = STR("+memory")}, "");
	says((struct step){.op = STEP_THREADED, .cgroup = STR("/a")}, "domain");
	says((struct step){.op = STEP_ATTACH, .cgroup = STR("/b"), .pid = 101}, "/a");
	says((struct step){.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 101}, "0");
	says((struct step){.op = STEP_AFFINITY, .pid = 101}, "0-3");
	says((struct step){.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness")}, "60");
	fakekernel_own(kernel, "/a", "cgroup.procs", 7, 8);
	says((struct step){.op = STEP_OWNER, .cgroup = STR("/a"), .file = STR("cgroup.procs")}, "7:8");
}

static void what_is_gone_says_nothing(void **state)
{
	(void)state;
	says((struct step){.op = STEP_SET, .cgroup = STR("/b"), .file = STR("memory.max")}, NULL);
	says((struct step){.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 102}, NULL);
	/* Another process has the number now. */
	says((struct step){.op = STEP_TASK, .file = STR("oom_score_adj"), .pid = 101, .start_time = 1}, NULL);
	says((struct step){.op = STEP_SAVE, .file = STR("/etc/sysctl.d/x.conf")}, NULL);
	says((struct step){.op = STEP_KILL, .cgroup = STR("/a")}, NULL);
}

static void what_cannot_be_read_is_a_failure(void **state)
{
	const struct step step = {.op = STEP_SET, .cgroup = STR("/a"), .file = STR("memory.max")};
	char *now = NULL;

	(void)state;
	fakekernel_fail(kernel, FAKEKERNEL_READS, "/sys/fs/cgroup/a/memory.max", EACCES);
	assert_int_equal(trace_read(host, &step, &now), -EACCES);
	assert_null(now);
}

static void values_are_compared_byte_for_byte(void **state)
{
	const struct step step = {.op = STEP_SET, .file = STR("cpuset.cpus")};
	const struct step partition = {.op = STEP_SET, .file = STR("cpuset.cpus.partition")};

	(void)state;
	assert_true(trace_is_same(&step, "0-1", "0-1"));
	assert_false(trace_is_same(&step, "0-1", "0,1"));
	assert_false(trace_is_same(&step, "0-1", NULL));
	assert_true(trace_is_same(&step, NULL, NULL));
	/* The reason is the kernel's, and may be another one by now. */
	assert_true(trace_is_same(&partition, "root invalid (a)", "root invalid (b)"));
	assert_false(trace_is_same(&partition, "root invalid (a)", "root"));
}

static bool is_written(enum step_op op, const char *file, const char *wrote, const char *now)
{
	const struct step step = {.op = op, .file = STR(file), .new_value = STR(wrote)};

	return trace_is_written(&step, now);
}

static void what_was_written_is_known_as_the_kernel_prints_it(void **state)
{
	(void)state;
	assert_true(is_written(STEP_SET, "cpuset.cpus", "0,1,2", "0-2"));
	assert_false(is_written(STEP_SET, "cpuset.cpus", "0,1,2", "0-3"));
	assert_true(is_written(STEP_SET, "cpu.max", "50000", "50000 100000"));
	assert_true(is_written(STEP_SET, "cpuset.cpus.partition", "root", "root invalid (no cpus)"));
	assert_true(is_written(STEP_SET, "cpuset.cpus.partition", "root", "root"));
	assert_false(is_written(STEP_SET, "cpuset.cpus.partition", "root", "member"));
	assert_true(is_written(STEP_AFFINITY, NULL, "0,1", "0-1"));
	assert_false(is_written(STEP_AFFINITY, NULL, "0,1", "1"));
	assert_false(is_written(STEP_AFFINITY, NULL, "0,1", "rubbish"));
	assert_true(is_written(STEP_OWNER, NULL, "7:", "7:9"));
	assert_false(is_written(STEP_OWNER, NULL, "7:8", "7:9"));
	assert_true(is_written(STEP_HOST, "/sys/kernel/mm/numa/demotion_enabled", "1", "true"));
	assert_false(is_written(STEP_HOST, "/sys/kernel/mm/numa/demotion_enabled", "1", "false"));
	assert_true(is_written(STEP_TASK, "oom_score_adj", "5", "5"));
	assert_false(is_written(STEP_SAVE, "/etc/x", "a\n", "a"));
}

static void an_empty_list_stands_for_what_the_parent_has(void **state)
{
	const struct step cpus = {
		.op = STEP_SET, .cgroup = STR("/a"), .file = STR("cpuset.cpus"), .old_value = STR("")};
	const struct step limit = {
		.op = STEP_SET, .cgroup = STR("/a"), .file = STR("memory.max"), .old_value = STR("")};
	AUTO(free_p) char *widest = trace_read_widest(host, &cpus);

	(void)state;
	assert_string_equal(widest, "0-3");
	assert_true(trace_is_widest(host, &cpus, "0-3"));
	assert_false(trace_is_widest(host, &cpus, "1"));
	assert_null(trace_read_widest(host, &limit));
}

static void one_word_is_dropped_from_a_list(void **state)
{
	AUTO(free_p) char *first = trace_drop_word("cpu memory io", "cpu");
	AUTO(free_p) char *last = trace_drop_word("cpu memory io", "io");
	AUTO(free_p) char *only = trace_drop_word("cpu", "cpu");
	AUTO(free_p) char *none = trace_drop_word("cpuset memory", "cpu");

	(void)state;
	assert_string_equal(first, "memory io");
	assert_string_equal(last, "cpu memory");
	assert_string_equal(only, "");
	assert_string_equal(none, "cpuset memory");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_host, close_host)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_operation_is_read_in_its_own_form),
		TEST(what_is_gone_says_nothing),
		TEST(what_cannot_be_read_is_a_failure),
		TEST(an_empty_list_stands_for_what_the_parent_has),
		TEST(one_word_is_dropped_from_a_list),
		TEST(values_are_compared_byte_for_byte),
		TEST(what_was_written_is_known_as_the_kernel_prints_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
