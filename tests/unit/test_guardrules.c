/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step would do to those who live there: the judgement, from values. */
#include "policy/guardrules.h"

#include "base/cleanup.h"
#include "test.h"

enum { MIB = 1 << 20 };

static void expect(const struct guard_finding *finding, enum guard_kind kind, bool is_solved,
		   const char *text, const char *hint)
{
	assert_int_equal(finding->kind, kind);
	assert_int_equal(finding->is_solved, is_solved);
	if (!strstr(finding->text, text))
		fail_msg("\"%s\" does not have \"%s\"", finding->text, text);
	if (!strstr(finding->hint, hint))
		fail_msg("hint \"%s\" does not have \"%s\"", finding->hint, hint);
}

static void sizes_are_short(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0"},
		{1023, "1023"},
		{1024, "1K"},
		{1536, "1.5K"},
		{100 * MIB, "100M"},
		{200 * MIB + 419430, "200.3M"},
		{200 * MIB + 419431, "200.4M"},
		{UINT64_C(1) << 60, "1E"},
		{UINT64_MAX, "15.9E"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(guardrules_show_size(cases[i].bytes, text, sizeof(text)), cases[i].text);
}

/* mm/memcontrol.c memory_max_write(): what reclaim cannot take is killed for. */
static void memory_max_is_solved_where_reclaim_gets_there(void **state)
{
	struct guardfacts_memory memory = {.current = 200 * MIB, .anon = 190 * MIB, .cache = 5 * MIB};
	struct guard_finding finding = {0};

	(void)state;
	assert_false(guardrules_max(&memory, 200 * MIB, false, &finding));
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	expect(&finding, GUARD_MEMORY_MAX, false,
	       "200M are in use, and 195M of it cannot be reclaimed (anonymous memory, and it has no swap "
	       "left): the kernel "
	       "would kill",
	       "choose more than 195M");
	assert_int_equal(finding.bytes, 100 * MIB);
	memory.swap_room = 50 * MIB;
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	expect(&finding, GUARD_MEMORY_MAX, false,
	       "145M of it cannot be reclaimed (anonymous memory, and too little swap", "");
	/* To the byte: 200 - 5 - 95 = 100. */
	memory.swap_room = 95 * MIB;
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	expect(&finding, GUARD_MEMORY_MAX, true, "200M are in use: reclaimed first, so that nobody is killed",
	       "");
	memory.swap_room--;
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	assert_false(finding.is_solved);
	/* Page cache goes without swap. */
	memory = (struct guardfacts_memory){.current = 200 * MIB, .cache = 190 * MIB, .anon = 5 * MIB};
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	assert_true(finding.is_solved);
	assert_true(guardrules_max(&memory, 100 * MIB, true, &finding));
	expect(&finding, GUARD_MEMORY_MAX, false, "the kernel reclaims, and kills where that is not enough",
	       "");
	/* The lists may say more than there is, since they are not read at one instant. */
	memory.cache = UINT64_MAX / 2;
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	assert_true(finding.is_solved);
}

static void what_is_locked_never_goes(void **state)
{
	const struct guardfacts_memory memory = {.current = 200 * MIB, .swap_room = UINT64_MAX};
	struct guard_finding finding = {0};

	(void)state;
	assert_true(guardrules_max(&memory, 100 * MIB, false, &finding));
	expect(&finding, GUARD_MEMORY_MAX, false, "200M of it cannot be reclaimed (locked, or the kernel's)",
	       "");
}

static void memory_high_stalls_only_without_swap(void **state)
{
	struct guardfacts_memory memory = {.current = 200 * MIB, .anon = 190 * MIB};
	struct guard_finding finding = {0};

	(void)state;
	assert_false(guardrules_high(&memory, 200 * MIB, &finding));
	assert_true(guardrules_high(&memory, 100 * MIB, &finding));
	expect(&finding, GUARD_MEMORY_STALL, false, "stall without end, and nobody be killed",
	       "set memory.max close above memory.high");
	assert_int_equal(finding.bytes, 100 * MIB);
	memory.swap_room = 100 * MIB;
	assert_false(guardrules_high(&memory, 100 * MIB, &finding));
}

static void nodes_that_are_dropped_count_their_bytes(void **state)
{
	struct guardfacts_nodes nodes = {
		.is_populated = true, .migrates = true, .has_bytes = true, .bytes = 40 * MIB};
	struct guard_finding finding = {0};

	(void)state;
	assert_false(guardrules_mems(&nodes, &finding));
	assert_int_equal(nodeset_add(&nodes.dropped, 1), 0);
	assert_true(guardrules_mems(&nodes, &finding));
	expect(&finding, GUARD_MEMS, false, "up to 40M of its memory lie on node 1, and would be migrated",
	       "--force");
	assert_int_equal(finding.bytes, 40 * MIB);
	assert_int_equal(nodeset_add(&nodes.dropped, 3), 0);
	assert_true(guardrules_mems(&nodes, &finding));
	expect(&finding, GUARD_MEMS, false, "nodes 1,3", "");
	nodes.has_bytes = false;
	assert_true(guardrules_mems(&nodes, &finding));
	expect(&finding, GUARD_MEMS, true, "how much cannot be told without the memory controller", "");
	nodes.has_bytes = true;
	nodes.migrates = false;
	assert_true(guardrules_mems(&nodes, &finding));
	expect(&finding, GUARD_MEMS, true, "kernels before 5.16 migrate nothing", "migratepages");
	nodes.bytes = 0;
	assert_false(guardrules_mems(&nodes, &finding));
	nodes.bytes = 1;
	nodes.is_populated = false;
	assert_false(guardrules_mems(&nodes, &finding));
	guardfacts_nodes_clear(&nodes);
}

static void threads_change_their_parent_and_those_beside(void **state)
{
	struct guardfacts_threads threads = {.type = "", .others = 2, .busy = 1, .names = "/p/a"};
	struct guard_finding finding = {0};

	(void)state;
	/* The real root, and what is threaded already. */
	assert_false(guardrules_threads(&threads, "/", &finding));
	(void)strcpy(threads.type, "domain threaded");
	assert_false(guardrules_threads(&threads, "/p", &finding));
	(void)strcpy(threads.type, "domain");
	assert_true(guardrules_threads(&threads, "/p", &finding));
	expect(&finding, GUARD_THREADED, false,
	       "cgroup /p above it turns \"domain threaded\", and its other children \"domain invalid\", for "
	       "good: /p/a",
	       "of their own");
	threads.busy = 0;
	assert_true(guardrules_threads(&threads, "/p", &finding));
	expect(&finding, GUARD_THREADED, true, "which are empty, \"domain invalid\": /p/a", "");
	threads.others = 0;
	assert_true(guardrules_threads(&threads, "/p", &finding));
	expect(&finding, GUARD_THREADED, true, "as long as it is there", "");
	threads.has_controllers = true;
	assert_true(guardrules_threads(&threads, "/p", &finding));
	expect(&finding, GUARD_THREADED, false, "controllers for whole processes", "");
}

static void warnings_refuse_nothing(void **state)
{
	struct guardfacts_affinity affinity = {.threads = 0};
	struct guard_finding finding = {0};

	(void)state;
	assert_false(guardrules_affinity(&affinity, &finding));
	affinity = (struct guardfacts_affinity){.threads = 1, .names = "12 (sh)"};
	assert_true(guardrules_affinity(&affinity, &finding));
	expect(&finding, GUARD_PARTITION, true,
	       "1 thread outside may run on its cpus only, and the kernel will move it "
	       "elsewhere: 12 (sh)",
	       "affinity=LIST");
	affinity.threads = 9;
	assert_true(guardrules_affinity(&affinity, &finding));
	expect(&finding, GUARD_PARTITION, true,
	       "9 threads outside may run on its cpus only, and the kernel will move them "
	       "elsewhere: 12 (sh) and others",
	       "");
	assert_false(guardrules_pids(5, 5, &finding));
	assert_true(guardrules_pids(6, 5, &finding));
	expect(&finding, GUARD_PIDS, true, "it has 6 processes and threads: nothing new can start", "");
	assert_false(guardrules_empty("cpus", false, &finding));
	assert_true(guardrules_empty("cpus", true, &finding));
	expect(&finding, GUARD_EMPTY, false, "empties no list under them",
	       "name the cpus of the cgroup above");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_short),
		cmocka_unit_test(memory_max_is_solved_where_reclaim_gets_there),
		cmocka_unit_test(what_is_locked_never_goes),
		cmocka_unit_test(memory_high_stalls_only_without_swap),
		cmocka_unit_test(nodes_that_are_dropped_count_their_bytes),
		cmocka_unit_test(threads_change_their_parent_and_those_beside),
		cmocka_unit_test(warnings_refuse_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
