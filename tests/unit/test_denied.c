/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reason why a process is not let into a cgroup is found by the kernel's rules. */
#include "test.h"

#include "act/denied.h"
#include "fakekernel.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct cgpol_error err;

static int set_up(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	fakekernel_cgroup(root, "/a/b", NULL);
	fakekernel_cgroup(root, "/c", NULL);
	assert_int_equal(fakekernel_start(root, "/c", 10), 0);
	err = (struct cgpol_error){0};
	return host_open_root(root, &host, &err);
}

static int tear_down(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

static void expect(int rc, int want, int kind, const char *part)
{
	assert_int_equal(rc, want);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
}

/* kernel/cgroup/cgroup.c cgroup_migrate_vet_dst() */
static void a_cgroup_whose_children_have_controllers_takes_none(void **state)
{
	(void)state;
	expect(denied_by_cgroup(host, "/a", false, &err), -EBUSY, CGPOL_REFUSED, "/a");
	assert_int_equal(denied_by_cgroup(host, "/a/b", false, &err), 0);
	assert_int_equal(denied_by_cgroup(host, "/", false, &err), 0);
}

static void threaded_controllers_are_no_obstacle(void **state)
{
	(void)state;
	assert_int_equal(fakekernel_poke(root, "/c", "cgroup.subtree_control", "+cpu +pids"), 0);
	assert_int_equal(denied_by_cgroup(host, "/c", false, &err), 0);
}

static void one_that_is_not_there_is_told(void **state)
{
	(void)state;
	expect(denied_by_cgroup(host, "/none", false, &err), -ENOENT, CGPOL_FAILED, "no such cgroup");
}

static void an_invalid_one_and_single_threads_are_told(void **state)
{
	(void)state;
	assert_int_equal(fakekernel_poke(root, "/c/t", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/c/t", "cgroup.type", "threaded"), 0);
	assert_int_equal(fakekernel_poke(root, "/c/i", NULL, NULL), 0);
	expect(denied_by_cgroup(host, "/c/i", false, &err), -EOPNOTSUPP, CGPOL_REFUSED, "domain invalid");
	expect(denied_by_cgroup(host, "/a/b", true, &err), -EOPNOTSUPP, CGPOL_REFUSED,
	       "cgroup.type is \"domain\"");
	assert_int_equal(denied_by_cgroup(host, "/c/t", true, &err), 0);
	assert_int_equal(denied_by_cgroup(host, "/c", true, &err), 0);
}

static void kernel_threads_that_are_bound_are_told_by_their_flags(void **state)
{
	struct proc_stat stat = {.flags = PROC_KTHREAD | 0x04000000};

	(void)state;
	expect(denied_by_kind(20, &stat, &err), -EINVAL, CGPOL_REFUSED, "bound to its cpus");
	stat.flags = PROC_KTHREAD;
	assert_int_equal(denied_by_kind(20, &stat, &err), 0);
	expect(denied_by_kind(2, &stat, &err), -EINVAL, CGPOL_REFUSED, "kthreadd");
	/* A user's process may have an affinity that cannot be changed. */
	stat.flags = 0x04000000;
	assert_int_equal(denied_by_kind(20, &stat, &err), 0);
}

static int find(const char *to, bool is_thread)
{
	char cgroup[32], from[] = "/c";
	struct proc_stat stat = {.state = 'S'};
	const struct step step = {
		.op = STEP_ATTACH, .cgroup = cgroup, .old_value = from, .pid = 10, .is_thread = is_thread};

	(void)snprintf(cgroup, sizeof(cgroup), "%s", to);
	err = (struct cgpol_error){0};
	return denied_find(host, &step, &stat, &err);
}

static void an_owner_that_is_somebody_else_is_the_reason(void **state)
{
	(void)state;
	fakekernel_put(root, "/proc/self/status",
		       "Name:\tcgpol\nGid:\t1000\t1000\t1000\t1000\nGroups:\t1000\n");
	root->facts.uid = 1000;
	root->facts.caps = 0;
	fakekernel_own(root, "/a/b", "cgroup.procs", 1000, 1000);
	/* The common ancestor, /, is root's. */
	expect(find("/a/b", false), -EACCES, CGPOL_FAILED, "permission denied");
}

static void there_is_always_a_sentence(void **state)
{
	(void)state;
	assert_true(find("/a/b", false) < 0);
	assert_true(*err.text);
	assert_true(find("/a", false) == -EBUSY);
	assert_true(*err.text);
	assert_true(find("/none", false) == -ENOENT);
	assert_true(*err.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_cgroup_whose_children_have_controllers_takes_none, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(threaded_controllers_are_no_obstacle, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_is_not_there_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_invalid_one_and_single_threads_are_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(kernel_threads_that_are_bound_are_told_by_their_flags, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(an_owner_that_is_somebody_else_is_the_reason, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(there_is_always_a_sentence, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
