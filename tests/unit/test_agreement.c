/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel prints against what was written, for each kind of file. */
#include "policy/agreement.h"

#include "base/cleanup.h"
#include "test.h"

static bool holds(const char *line, const char *found)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	AUTO(free_p) char *name = strndup(line, strcspn(line, "="));

	assert_int_equal(policy_new(&policy), 0);
	assert_int_equal(policy_set_any(policy, name, strchr(line, '=') + 1, NULL), 0);
	return agreement_holds(&policy->setting[0], policy->setting[0].value, found);
}

static void numbers_and_words_are_compared_as_they_are(void **state)
{
	(void)state;
	assert_true(holds("memory.max=4096", "4096"));
	assert_false(holds("memory.max=4096", "8192"));
	assert_false(holds("memory.max=max", "4096"));
	assert_true(holds("memory.oom.group=yes", "1"));
	assert_true(holds("cpuset.cpus.partition=root", "root"));
	assert_false(holds("cpuset.cpus.partition=root", "root invalid (cpuset.cpus is empty)"));
}

static void lists_are_compared_as_sets(void **state)
{
	(void)state;
	assert_true(holds("cpuset.cpus=3,1,2", "1-3"));
	assert_false(holds("cpuset.cpus=1-3", "1-2"));
	assert_true(holds("cpuset.mems=", ""));
	assert_false(holds("cpuset.mems=", "0"));
	assert_false(holds("cpuset.mems=0", "garbage"));
}

static void texts_have_defaults_and_lines(void **state)
{
	(void)state;
	assert_true(holds("cpu.max=50000", "50000 100000"));
	assert_true(holds("cpu.max=50000 100000", "50000 100000"));
	assert_false(holds("cpu.max=50000 200000", "50000 100000"));
	assert_false(holds("cpu.max=100000", "50000 100000"));
	assert_true(holds("cpu.max=max", "max 100000"));
	assert_true(holds("io.weight=100", "default 100"));
	assert_true(holds("io.weight=8:16 200", "default 100\n8:16 200"));
	assert_false(holds("io.weight=8:16 200", "default 200"));
	assert_true(
		holds("io.max=8:16 rbps=5", "8:0 rbps=max wbps=1\n8:16 rbps=5 wbps=max riops=max wiops=max"));
	assert_false(holds("io.max=8:16 rbps=5", "8:16 rbps=max wbps=5 riops=max wiops=max"));
	assert_true(holds("io.max=8:16 rbps=max wbps=max", "8:0 rbps=1"));
	assert_false(holds("io.max=8:16 rbps=max", "8:16 rbps=7 wbps=1"));
	assert_true(holds("cpu.uclamp.min=50", "50.00"));
	assert_false(holds("cpu.uclamp.min=50", "50.50"));
	assert_false(holds("cpu.uclamp.min=50", "500"));
	assert_false(holds("io.max=8:16 rbps=5", ""));
}

/* As seen on Debian's kernels 5.10, 6.1 and 7.3 (tests/vm/scenarios/keys.sh). */
static void the_kernel_prints_some_numbers_as_words(void **state)
{
	(void)state;
	assert_true(holds("cgroup.max.depth=2147483647", "max"));
	assert_false(holds("cgroup.max.depth=2147483646", "max"));
	assert_false(holds("cgroup.max.depth=max", "2147483647"));
	assert_false(holds("pids.max=4194303", "max"));
	assert_true(holds("cpu.uclamp.min=100", "max"));
	assert_true(holds("cpu.uclamp.max=100.00", "max"));
	assert_true(holds("cpu.uclamp.max=max", "max"));
	assert_false(holds("cpu.uclamp.max=99", "max"));
	assert_false(holds("cpu.max=100", "max"));
	assert_true(holds("weighted_interleave.auto=yes", "true"));
	assert_true(holds("weighted_interleave.auto=0", "false"));
	assert_false(holds("weighted_interleave.auto=1", "false"));
	assert_false(holds("memory.oom.group=1", "0"));
	assert_true(holds("vm.overcommit_memory=never", "2"));
	assert_false(holds("vm.overcommit_memory=never", "0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_words_are_compared_as_they_are),
		cmocka_unit_test(lists_are_compared_as_sets),
		cmocka_unit_test(texts_have_defaults_and_lines),
		cmocka_unit_test(the_kernel_prints_some_numbers_as_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
