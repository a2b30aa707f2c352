/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cpus of a thread, from its status. */
#include "host/affinity.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "machine.h"
#include "test.h"

static void expect(const char *text, int rc, const char *list)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(free_p) char *found = NULL;

	assert_int_equal(nodeset_add(&cpus, 7), 0);
	assert_int_equal(affinity_parse(text, &cpus), rc);
	found = nodeset_format(&cpus);
	assert_string_equal(found, list);
}

static void the_list_is_taken_and_not_the_mask(void **state)
{
	(void)state;
	expect("Name:\tsh\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\nMems_allowed:\t1\n", 0, "0-3");
	expect("Cpus_allowed_list:\t0-1,4,4095\n", 0, "0-1,4,4095");
	expect("Cpus_allowed_list:\t\n", 0, "");
}

static void what_is_no_list_leaves_the_set_alone(void **state)
{
	(void)state;
	expect("", -ENODATA, "7");
	expect("Cpus_allowed:\tf\n", -ENODATA, "7");
	expect("Cpus_allowed_list:\t3-0\n", -EINVAL, "7");
	expect("Cpus_allowed_list:\tx\n", -EINVAL, "7");
	expect("Cpus_allowed_list:\t99999999999\n", -EINVAL, "7");
}

static void a_thread_has_its_own(void **state)
{
	struct root *root = machine_new();
	struct cgpol_host *host = NULL;
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};

	(void)state;
	fakeroot_put(root, "/proc/12/status", "Cpus_allowed_list:\t1\n");
	fakeroot_put(root, "/proc/12/task/13/status", "Cpus_allowed_list:\t2\n");
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	assert_int_equal(affinity_read(host, 12, 0, &cpus), 0);
	assert_int_equal(nodeset_next(&cpus, 0), 1);
	assert_int_equal(affinity_read(host, 12, 13, &cpus), 0);
	assert_int_equal(nodeset_next(&cpus, 0), 2);
	assert_int_equal(affinity_read(host, 14, 0, &cpus), -ENOENT);
	fakeroot_fail(root, "/proc/12/status", ESRCH);
	assert_int_equal(affinity_read(host, 12, 0, &cpus), -ESRCH);
	assert_int_equal(nodeset_next(&cpus, 0), 2);
	cgpol_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_is_taken_and_not_the_mask),
		cmocka_unit_test(what_is_no_list_leaves_the_set_alone),
		cmocka_unit_test(a_thread_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
