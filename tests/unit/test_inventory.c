/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The settings that a cgroup has, and those that a new one would not have. */
#include "policy/inventory.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "test.h"

static struct root *root;
static struct cgpol_host *host;

static int make_machine(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	fakekernel_put(root, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
	return host_open_root(root, &host, NULL);
}

static int remove_machine(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static const char *find(const struct inventory *inventory, const char *name)
{
	for (size_t i = 0; i < inventory->count; i++)
		if (strcmp(inventory->item[i].name, name) == 0)
			return inventory->item[i].text;
	return NULL;
}

static void a_new_cgroup_differs_in_nothing(void **state)
{
	AUTO(inventory_clear) struct inventory inventory = {0};

	(void)state;
	fakekernel_cgroup(root, "/new", NULL);
	assert_int_equal(inventory_read(host, "/new", false, &inventory, NULL), 0);
	for (size_t i = 0; i < inventory.count; i++)
		print_error("%s is \"%s\"\n", inventory.item[i].name, inventory.item[i].text);
	assert_int_equal(inventory.count, 0);
}

static void what_was_set_is_told_in_the_order_of_the_table(void **state)
{
	AUTO(inventory_clear) struct inventory inventory = {0};

	(void)state;
	fakekernel_cgroup(root, "/a", "pids.max=7", "memory.max=1048576", "cpuset.mems=1", NULL);
	assert_int_equal(inventory_read(host, "/a", false, &inventory, NULL), 0);
	assert_int_equal(inventory.count, 3);
	assert_string_equal(inventory.item[0].name, "memory.max");
	assert_string_equal(inventory.item[0].text, "1048576");
	assert_ptr_equal(inventory.item[0].key, key_find("memory.max"));
	assert_string_equal(inventory.item[1].name, "cpuset.mems");
	assert_string_equal(inventory.item[2].name, "pids.max");
}

static void all_has_what_is_as_in_a_new_one_too(void **state)
{
	AUTO(inventory_clear) struct inventory inventory = {0};

	(void)state;
	fakekernel_cgroup(root, "/a", "memory.max=1048576", NULL);
	assert_int_equal(inventory_read(host, "/a", true, &inventory, NULL), 0);
	assert_string_equal(find(&inventory, "memory.max"), "1048576");
	assert_string_equal(find(&inventory, "memory.high"), "max");
	assert_string_equal(find(&inventory, "cpuset.cpus"), "");
	assert_null(find(&inventory, "memory.current"));
	assert_null(find(&inventory, "vm.swappiness"));
	assert_null(find(&inventory, "oom_score_adj"));
}

static void controllers_that_it_does_not_have_are_left_out(void **state)
{
	AUTO(inventory_clear) struct inventory inventory = {0};

	(void)state;
	fakekernel_cgroup(root, "/a/b", NULL);
	assert_int_equal(fakekernel_poke(root, "/a", "cgroup.subtree_control", "-memory"), 0);
	assert_int_equal(inventory_read(host, "/a/b", true, &inventory, NULL), 0);
	assert_null(find(&inventory, "memory.max"));
	assert_non_null(find(&inventory, "pids.max"));
	inventory_clear(&inventory);
	assert_int_equal(inventory_read(host, "/", true, &inventory, NULL), 0);
	assert_null(find(&inventory, "pids.max"));
}

static void huge_pages_have_a_file_for_each_size(void **state)
{
	struct root *plain = fakeroot_new();
	struct cgpol_host *other = NULL;
	AUTO(inventory_clear) struct inventory inventory = {0};

	(void)state;
	fakeroot_put(plain, "/proc/self/mountinfo", "30 25 0:26 / /sys/fs/cgroup rw - cgroup2 none rw\n");
	fakeroot_put(plain, "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "0\n");
	fakeroot_put(plain, "/sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "0\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/cgroup.controllers", "hugetlb\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/cgroup.type", "domain\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/hugetlb.2MB.max", "max\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/hugetlb.1GB.max", "0\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/hugetlb.1GB.rsvd.max", "1073741824\n");
	assert_int_equal(host_open_root(plain, &other, NULL), 0);
	assert_int_equal(inventory_read(other, "/a", false, &inventory, NULL), 0);
	assert_int_equal(inventory.count, 2);
	assert_string_equal(find(&inventory, "hugetlb.1GB.max"), "0");
	assert_string_equal(find(&inventory, "hugetlb.1GB.rsvd.max"), "1073741824");
	cgpol_host_free(other);
}

static void sizes_are_named_as_the_kernel_names_them(void **state)
{
	static const char *const names[][2] = {{"hugepages-64kB", "64KB"},
					       {"hugepages-2048kB", "2MB"},
					       {"hugepages-1048576kB", "1GB"},
					       {"hugepages-16777216kB", "16GB"},
					       {"hugepages-xkB", NULL},
					       {"hugepages-1", NULL},
					       {"node0", NULL}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO(free_p) char *size = inventory_huge_size(names[i][0]);

		if (names[i][1])
			assert_string_equal(size, names[i][1]);
		else
			assert_null(size);
	}
}

static void a_cgroup_that_is_not_there_is_said_to_be(void **state)
{
	struct inventory inventory = {0};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(inventory_read(host, "/none", true, &inventory, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "cgroup \"/none\" does not exist");
	assert_null(inventory.item);
}

static void what_cannot_be_read_is_left_out(void **state)
{
	AUTO(inventory_clear) struct inventory inventory = {0};
	struct cgpol_error err = {0};

	(void)state;
	fakekernel_cgroup(root, "/a", "memory.max=1048576", "pids.max=7", NULL);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/memory.max", EACCES);
	assert_int_equal(inventory_read(host, "/a", false, &inventory, NULL), 0);
	assert_int_equal(inventory.count, 1);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/memory.max", ENOMEM);
	inventory_clear(&inventory);
	assert_int_equal(inventory_read(host, "/a", false, &inventory, &err), -ENOMEM);
	assert_null(inventory.item);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_cgroup_differs_in_nothing),
		TEST(what_was_set_is_told_in_the_order_of_the_table),
		TEST(all_has_what_is_as_in_a_new_one_too),
		TEST(controllers_that_it_does_not_have_are_left_out),
		TEST(huge_pages_have_a_file_for_each_size),
		TEST(sizes_are_named_as_the_kernel_names_them),
		TEST(a_cgroup_that_is_not_there_is_said_to_be),
		TEST(what_cannot_be_read_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
