/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting means in bytes, and whether a list can come true. */
#include "policy/wanted.h"

#include "base/cleanup.h"
#include "policies.h"
#include "test.h"

enum { MIB = 1 << 20 };

static void must_mean(const struct current *current, const char *line, const char *wanted)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = policies_make(line, NULL);
	AUTO(free_p) char *text = NULL;

	assert_int_equal(wanted_value(current, &policy->setting[0], &text, NULL), 0);
	assert_string_equal(text, wanted);
}

static void sizes_are_whole_pages(void **state)
{
	struct current current = {.page_size = 4096};

	(void)state;
	must_mean(&current, "memory.max=4097", "4096");
	must_mean(&current, "memory.max=1", "0");
	must_mean(&current, "memory.max=infinity", "max");
	must_mean(&current, "memory.max=9223372036854775807", "max"); /* PAGE_COUNTER_MAX */
	must_mean(&current, "memory.max=9223372036854771711", "9223372036854767616");
	current.page_size = 65536;
	must_mean(&current, "memory.max=100000", "65536");
	must_mean(&current, "pids.max=7", "7");
}

static void huge_pages_are_whole_too(void **state)
{
	struct current current = {.page_size = 4096};

	(void)state;
	must_mean(&current, "hugetlb.2MB.max=5M", "4194304");
	must_mean(&current, "hugetlb.1GB.max=3G", "3221225472");
	must_mean(&current, "hugetlb.1GB.rsvd.max=1000M", "0");
	must_mean(&current, "hugetlb.64KB.max=100K", "65536");
	must_mean(&current, "hugetlb.odd.max=5000", "4096");
}

static void percentages_are_of_what_there_is(void **state)
{
	uint64_t totals[] = {UINT64_C(100) * MIB, 0, UINT64_C(300) * MIB};
	struct current current = {.page_size = 4096,
				  .memory_limit = UINT64_MAX,
				  .memory_total = UINT64_C(1000) * MIB,
				  .node_total = totals,
				  .nodes = 3};

	(void)state;
	assert_int_equal(nodeset_parse("0-3", 4, &current.possible_nodes, NULL), 0);
	assert_int_equal(nodeset_parse("0,2", 4, &current.memory_nodes, NULL), 0);
	must_mean(&current, "memory.max=50%", "524288000");
	must_mean(&current, "memory.max=100%", "1048576000");
	must_mean(&current, "memory.max=50% of nodes:0,2", "209715200");
	must_mean(&current, "memory.max=50% of nodes:0", "52428800");
	current.memory_limit = UINT64_C(10) * MIB;
	must_mean(&current, "memory.max=12.5%", "1310720");
	/* A limit above all the memory there is counts for nothing. */
	current.memory_limit = UINT64_C(2000) * MIB;
	must_mean(&current, "memory.max=50%", "524288000");
	current.memory_total = UINT64_C(1) << 60; /* no overflow: 2^60 * 999999 / 10^6, in pages */
	current.memory_limit = UINT64_MAX;
	must_mean(&current, "memory.max=99.9999%", "1152920351685341184");
	nodeset_clear(&current.possible_nodes);
	nodeset_clear(&current.memory_nodes);
}

static void must_refuse(const struct current *current, const char *line, int rc, enum cgpol_kind kind,
			const char *why, const char *hint)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = policies_make(line, NULL);
	struct cgpol_error err = {0};
	char *text = NULL;

	assert_int_equal(wanted_value(current, &policy->setting[0], &text, &err), rc);
	assert_null(text);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, why) || !strstr(err.hint, hint))
		fail_msg("%s (%s)", err.text, err.hint);
}

/* Half of node 0 would be another limit than the one that was asked for. */
static void a_percentage_of_nodes_that_are_not_all_there_is_refused(void **state)
{
	uint64_t totals[] = {UINT64_C(100) * MIB, 0};
	struct current current = {.page_size = 4096, .node_total = totals, .nodes = 2};

	(void)state;
	assert_int_equal(nodeset_parse("0-1", 4, &current.possible_nodes, NULL), 0);
	assert_int_equal(nodeset_parse("0", 4, &current.memory_nodes, NULL), 0);
	must_refuse(&current, "memory.max=50% of nodes:0,9", -ERANGE, CGPOL_USAGE,
		    "memory.max: node 9 is not possible on this machine", "nodes of this machine: 0-1");
	must_refuse(&current, "memory.max=50% of nodes:0-1", -ENODEV, CGPOL_UNSUPPORTED,
		    "memory.max: node 1 is without memory", "nodes of this machine: 0");
	nodeset_clear(&current.possible_nodes);
	nodeset_clear(&current.memory_nodes);
}

static void a_percentage_of_nothing_is_told(void **state)
{
	AUTO(policy_free_p)
	struct cgpol_policy *policy = policies_make("memory.max=50%", "memory.high=50% of nodes:1", NULL);
	struct current current = {.page_size = 4096, .memory_limit = UINT64_MAX};
	struct cgpol_error err = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(nodeset_add(&current.possible_nodes, 1), 0);
	assert_int_equal(nodeset_add(&current.memory_nodes, 1), 0);
	assert_int_equal(wanted_value(&current, &policy->setting[0], &text, &err), -ENODATA);
	assert_non_null(strstr(err.text, "MemTotal"));
	assert_int_equal(wanted_value(&current, &policy->setting[1], &text, &err), -ENODATA);
	assert_non_null(strstr(err.text, "these nodes have no memory"));
	assert_null(text);
	nodeset_clear(&current.possible_nodes);
	nodeset_clear(&current.memory_nodes);
}

static void an_empty_list_and_other_settings_are_always_fine(void **state)
{
	AUTO(policy_free_p)
	struct cgpol_policy *policy = policies_make("cpuset.mems=", "cpuset.cpus=", "memory.max=1",
						    "memory.newest=1", NULL);
	struct current current = {.page_size = 4096};

	(void)state;
	for (size_t i = 0; i < policy->settings; i++)
		assert_int_equal(wanted_check_list(&current, &policy->setting[i], NULL), 0);
}

static void a_list_the_machine_cannot_have_is_refused(void **state)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = policies_make("cpuset.mems=1", NULL);
	struct current current = {.page_size = 4096};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), -ERANGE);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_int_equal(nodeset_add(&current.possible_nodes, 1), 0);
	assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), -ENODEV);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_int_equal(nodeset_add(&current.memory_nodes, 1), 0);
	assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_int_equal(nodeset_add(&current.mems, 1), 0);
	assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), 0);
	current_clear(&current);
}

/* kernel/cgroup/cpuset.c: what is not there now is kept, and used when it comes. With nothing that is there
 * the parent's set would be in effect (tests/vm/scenarios/keys.sh). */
static void a_list_of_which_a_part_is_there_is_taken(void **state)
{
	AUTO(policy_free_p)
	struct cgpol_policy *policy = policies_make("cpuset.mems=0,2-3", "cpuset.cpus=0-1", NULL);
	AUTO(policy_free_p) struct cgpol_policy *none = policies_make("cpuset.mems=2", "cpuset.cpus=1", NULL);
	struct current current = {.page_size = 4096};
	struct cgpol_error err = {0};
	char text[256] = "";

	(void)state;
	assert_int_equal(nodeset_parse("0-3", 4, &current.possible_nodes, NULL), 0);
	assert_int_equal(nodeset_parse("0-1", 4, &current.memory_nodes, NULL), 0);
	assert_int_equal(nodeset_parse("0-1", 4, &current.mems, NULL), 0);
	assert_int_equal(nodeset_parse("0-1", 4, &current.possible_cpus, NULL), 0);
	assert_int_equal(nodeset_parse("0", 4, &current.online_cpus, NULL), 0);
	assert_int_equal(nodeset_parse("0", 4, &current.cpus, NULL), 0);
	assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), 0);
	assert_int_equal(wanted_absent(&current, &policy->setting[0], text, sizeof(text)), 1);
	assert_string_equal(text, "nodes 2-3 are without memory now; what is there is used until "
				  "they come");
	assert_int_equal(wanted_check_list(&current, &policy->setting[1], &err), 0);
	assert_int_equal(wanted_absent(&current, &policy->setting[1], text, sizeof(text)), 1);
	assert_string_equal(text, "cpu 1 is offline now; what is there is used until it comes");
	/* Nothing of it is there. */
	assert_int_equal(wanted_check_list(&current, &none->setting[0], &err), -ENODEV);
	assert_non_null(strstr(err.text, "node 2 is without memory"));
	assert_int_equal(wanted_absent(&current, &none->setting[0], text, sizeof(text)), 0);
	assert_int_equal(wanted_check_list(&current, &none->setting[1], &err), -ENODEV);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_non_null(strstr(err.text, "cpu 1 is offline"));
	current_clear(&current);
}

/* Of an end and of what lies between the ends alike (numactl is strict about the ends only). */
static void a_number_outside_is_refused_wherever_it_stands(void **state)
{
	static const char *const lists[] = {"cpuset.cpus=0-3", "cpuset.cpus=2-4", "cpuset.cpus=3"};
	struct current current = {.page_size = 4096, .cpus_from = (char *)(uintptr_t) "/web"};
	struct cgpol_error err;

	(void)state;
	assert_int_equal(nodeset_parse("0-7", 8, &current.possible_cpus, NULL), 0);
	assert_int_equal(nodeset_parse("0-7", 8, &current.online_cpus, NULL), 0);
	assert_int_equal(nodeset_parse("0-2,4-7", 8, &current.cpus, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		AUTO(policy_free_p) struct cgpol_policy *policy = policies_make(lists[i], NULL);

		err = (struct cgpol_error){0};
		assert_int_equal(wanted_check_list(&current, &policy->setting[0], &err), -EINVAL);
		assert_int_equal(err.kind, CGPOL_REFUSED);
		assert_non_null(
			strstr(err.text, "cpu 3 is not among those of cgroup /web, which are 0-2,4-7"));
	}
	current.cpus_from = NULL;
	current_clear(&current);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_whole_pages),
		cmocka_unit_test(huge_pages_are_whole_too),
		cmocka_unit_test(percentages_are_of_what_there_is),
		cmocka_unit_test(a_percentage_of_nothing_is_told),
		cmocka_unit_test(a_percentage_of_nodes_that_are_not_all_there_is_refused),
		cmocka_unit_test(an_empty_list_and_other_settings_are_always_fine),
		cmocka_unit_test(a_list_the_machine_cannot_have_is_refused),
		cmocka_unit_test(a_list_of_which_a_part_is_there_is_taken),
		cmocka_unit_test(a_number_outside_is_refused_wherever_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
