/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that keep an affinity of their own are counted, and given all cpus where that is asked for. */
#include "test.h"

#include "act/pinned.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"
#include "tree.h"

static struct root *root;
static struct cgpol_host *host;
static struct change *change;
static struct moves moves;
static struct cgpol_error err;
static char *tree;

/* A kernel that keeps affinities, and process 10 with threads 10 (any cpu) and 31 (cpu 1). */
static int set_up(void **state)
{
	struct change_setup setup = {.command = "cgpol move"};
	AUTO(nodeset_clear_p) struct nodeset cpu = {0};

	(void)state;
	tree = tree_make();
	setup.state = tree_path(tree, "state");
	root = fakekernel_new(NULL);
	fakekernel_release(root, "6.6.0");
	fakekernel_cgroup(root, "/a", NULL);
	fakekernel_cgroup(root, "/b", "cpuset.cpus=1-2", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 10), 0);
	assert_int_equal(fakekernel_thread(root, 10, 31), 0);
	assert_int_equal(nodeset_add(&cpu, 1), 0);
	assert_int_equal(root_set_affinity(root, 31, &cpu), 0);
	err = (struct cgpol_error){0};
	change = NULL;
	if (host_open_root(root, &host, &err) < 0 || change_open(host, &setup, &change, &err) < 0)
		fail_msg("%s", err.text);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	change_close(change);
	moves_clear(&moves);
	cgpol_host_free(host);
	tree_remove(tree);
	return 0;
}

static void move_it(struct change *to_change, bool resets_affinity)
{
	static const pid_t pids[] = {10};
	const struct move_request request = {
		.pid = pids, .pids = 1, .to = "/b", .resets_affinity = resets_affinity};

	if (move(host, to_change, &request, &moves, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(moves.count, 1);
}

static const char *affinity(pid_t tid)
{
	static char list[64];
	AUTO(free_p) char *text = NULL;
	char path[64];
	const char *at;

	(void)snprintf(path, sizeof(path), "/proc/10/task/%d/status", (int)tid);
	assert_int_equal(root_read(root, path, &text, NULL), 0);
	at = strstr(text, "Cpus_allowed_list:\t");
	assert_non_null(at);
	(void)sscanf(at, "Cpus_allowed_list:\t%63s", list);
	return list;
}

static void a_thread_with_its_own_affinity_is_counted_and_left(void **state)
{
	(void)state;
	move_it(change, false);
	assert_int_equal(moves.moved[0].pinned, 1);
	assert_string_equal(affinity(10), "1-2");
	assert_string_equal(affinity(31), "1");
	assert_int_equal(moves.plans, 1);
}

static void it_gets_all_cpus_of_the_cgroup_when_asked_for(void **state)
{
	(void)state;
	move_it(change, true);
	assert_int_equal(moves.moved[0].pinned, 0);
	assert_string_equal(affinity(31), "1-2");
	assert_int_equal(moves.plans, 2);
	assert_int_equal(moves.plan[1]->step[0].op, STEP_AFFINITY);
	assert_string_equal(moves.plan[1]->step[0].old_value, "1");
	assert_int_equal(change_abort(change, &err), 0);
	assert_string_equal(affinity(31), "1");
}

static void a_dry_run_tells_the_step(void **state)
{
	(void)state;
	move_it(NULL, true);
	assert_int_equal(moves.moved[0].pinned, 1);
	assert_int_equal(moves.plans, 2);
	assert_string_equal(affinity(31), "1");
}

static void where_nothing_confines_nothing_is_counted(void **state)
{
	static const pid_t pids[] = {10};
	const struct move_request request = {.pid = pids, .pids = 1, .to = "/c", .resets_affinity = true};

	(void)state;
	assert_int_equal(fakekernel_poke(root, "", "cgroup.subtree_control", "-cpuset"), 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/c/cpuset.cpus.effective", ENOENT);
	assert_int_equal(fakekernel_poke(root, "/c", NULL, NULL), 0);
	if (move(host, change, &request, &moves, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(moves.moved[0].pinned, 0);
	assert_int_equal(moves.plans, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_thread_with_its_own_affinity_is_counted_and_left, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(it_gets_all_cpus_of_the_cgroup_when_asked_for, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_dry_run_tells_the_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(where_nothing_confines_nothing_is_counted, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
