/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of libpolicy/memory/memcg.c: the list of cgroups, and the order of a memcg OOM's walk. */
#include "test.h"

#include "fakeroot.h"
#include "machine.h"
#include "memory/memcg.h"

static struct cgpol_host *open_host(struct root *root)
{
	struct cgpol_host *host = NULL;

	assert_int_equal(host_open_root(root, &host, NULL), 0);
	return host;
}

static void adds_ancestors_first_and_each_once(void **state)
{
	struct memcg_list list;
	size_t leaf, again, sibling;

	(void)state;
	assert_int_equal(memcg_list_init(&list), 0);
	assert_int_equal(memcg_list_add(&list, "/a/b/c", &leaf), 0);
	assert_int_equal(memcg_list_add(&list, "/a/b/c", &again), 0);
	assert_int_equal(memcg_list_add(&list, "/a/bb", &sibling), 0);
	assert_int_equal(leaf, again);
	assert_int_equal(list.groups, 5);
	assert_string_equal(list.group[leaf].name, "/a/b/c");
	assert_string_equal(list.group[list.group[leaf].parent].name, "/a/b");
	assert_string_equal(list.group[list.group[sibling].parent].name, "/a");
	for (size_t i = 1; i < list.groups; i++)
		assert_true(list.group[i].parent < i);
	assert_int_equal(memcg_list_add(&list, "/", &again), 0);
	assert_int_equal(again, 0);
	memcg_list_clear(&list);
}

static void reads_limits_in_pages_rounded_down(void **state)
{
	struct root *root = machine_new();
	struct memcg_list list;
	size_t leaf;

	(void)state;
	machine_cgroup(root, "/a", 8193, 4097, false);
	machine_cgroup(root, "/a/b", 0, 4096, true);
	struct cgpol_host *host = open_host(root);
	assert_int_equal(memcg_list_init(&list), 0);
	assert_int_equal(memcg_list_add(&list, "/a/b", &leaf), 0);
	assert_int_equal(memcg_read_path(host, &list, leaf, NULL), 0);
	const struct oom_memcg *b = &list.group[leaf], *a = &list.group[b->parent];
	assert_true(b->is_read && a->is_read);
	assert_true(b->max == OOM_UNLIMITED);
	assert_int_equal(a->max, 2);
	assert_int_equal(a->current, 1);
	assert_true(b->oom_group);
	assert_false(a->oom_group);
	memcg_list_clear(&list);
	cgpol_host_free(host);
}

static void tells_a_cgroup_that_is_gone(void **state)
{
	struct root *root = machine_new();
	struct cgpol_host *host = open_host(root);
	struct cgpol_error err = {0};
	struct memcg_list list;
	size_t leaf;

	(void)state;
	assert_int_equal(memcg_list_init(&list), 0);
	assert_int_equal(memcg_list_add(&list, "/gone", &leaf), 0);
	assert_int_equal(memcg_read_path(host, &list, leaf, &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.text, "/gone"));
	memcg_list_clear(&list);
	cgpol_host_free(host);
}

static void knows_who_has_a_memory_css_of_its_own(void **state)
{
	struct root *root = machine_new();
	struct memcg_list list;
	size_t with, without;

	(void)state;
	machine_cgroup(root, "/with", 0, 0, true);
	fakeroot_put(root, "/sys/fs/cgroup/with/without/cgroup.procs", "");
	struct cgpol_host *host = open_host(root);
	assert_int_equal(memcg_list_init(&list), 0);
	assert_int_equal(memcg_list_add(&list, "/with/without", &without), 0);
	assert_int_equal(memcg_list_add(&list, "/with", &with), 0);
	assert_int_equal(memcg_read_groups(host, &list), 0);
	assert_true(list.group[with].has_memory && list.group[with].oom_group);
	assert_false(list.group[without].has_memory);
	assert_true(list.group[0].has_memory);
	memcg_list_clear(&list);
	cgpol_host_free(host);
}

/* kernel/cgroup/cgroup.c css_task_iter: pre-order, children by age, cgroup.procs as it stands. */
static void walks_children_by_age_and_members_by_arrival(void **state)
{
	struct root *root = machine_new();
	struct memcg_member *member = NULL;
	size_t members = 0;
	const pid_t expected[] = {30, 10, 40, 20, 50}; /* d itself, then b (made first), b/x, then a */

	(void)state;
	machine_cgroup(root, "/d", 0, 0, false);
	machine_cgroup(root, "/d/b", 0, 0, false);
	machine_cgroup(root, "/d/a", 0, 0, false);
	machine_cgroup(root, "/d/b/x", 0, 0, false);
	machine_procs(root, "/d", "30\n10\n");
	machine_procs(root, "/d/b", "40\n");
	machine_procs(root, "/d/b/x", "20\n");
	machine_procs(root, "/d/a", "50\n");
	struct cgpol_host *host = open_host(root);
	assert_int_equal(memcg_walk(host, "/d", &member, &members), 0);
	assert_int_equal(members, 5);
	for (size_t i = 0; i < members; i++) {
		assert_int_equal(expected[member[i].place], member[i].pid);
		assert_true(i == 0 || member[i - 1].pid < member[i].pid);
	}
	free(member);
	cgpol_host_free(host);
}

static void leaves_out_what_vanishes_during_the_walk(void **state)
{
	(void)state;
	for (unsigned n = 1; n < 12; n++) {
		struct root *root = machine_new();
		struct memcg_member *member = NULL;
		size_t members = 0;
		machine_cgroup(root, "/d", 0, 0, false);
		machine_cgroup(root, "/d/b", 0, 0, false);
		machine_procs(root, "/d", "30\n");
		machine_procs(root, "/d/b", "40\n");
		struct cgpol_host *host = open_host(root);
		fakeroot_fail_nth(root, n, ENODEV);
		assert_int_equal(memcg_walk(host, "/d", &member, &members), 0);
		assert_true(members <= 2);
		assert_true(n > 3 || members < 2);
		free(member);
		cgpol_host_free(host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adds_ancestors_first_and_each_once),
		cmocka_unit_test(reads_limits_in_pages_rounded_down),
		cmocka_unit_test(tells_a_cgroup_that_is_gone),
		cmocka_unit_test(knows_who_has_a_memory_css_of_its_own),
		cmocka_unit_test(walks_children_by_age_and_members_by_arrival),
		cmocka_unit_test(leaves_out_what_vanishes_during_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
