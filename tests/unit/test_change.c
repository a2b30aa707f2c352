/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changes of every operation: written down first, all or nothing, and what the journal says of it. */
#include "policy/change.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/proc.h"
#include "host/state.h"
#include "policy/journal.h"
#include "policy/perform.h"
#include "policy/recover.h"
#include "test.h"
#include "tree.h"

#define CG "/sys/fs/cgroup"
#define STR(text) ((char *)(uintptr_t)(text))

struct scene {
	struct root *root;
	struct cgpol_host *host;
	char *tree;
	char *state, *persistent;
	struct change *change;
	struct plan *plan;
	struct cgpol_error err;
};

static uint64_t start_time_of(struct scene *scene, pid_t pid)
{
	struct proc_stat stat;

	assert_int_equal(proc_read_stat(scene->host, pid, &stat), 0);
	return stat.start_time;
}

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	scene->root->facts.self = 4194303;
	scene->root->facts.time = 1796077041; /* 2026-11-30 22:17:21 UTC */
	assert_int_equal(host_open_root(scene->root, &scene->host, &scene->err), 0);
	scene->tree = tree_make();
	scene->state = strdup(tree_path(scene->tree, "/state"));
	scene->persistent = strdup(tree_path(scene->tree, "/persistent"));
	fakekernel_cgroup(scene->root, "/web/x", "memory.max=64M", NULL);
	fakekernel_cgroup(scene->root, "/old", "memory.max=1M", "pids.max=9", NULL);
	assert_int_equal(fakekernel_start(scene->root, "/web/x", 100), 0);
	fakekernel_put(scene->root, "/proc/sys/kernel/random/boot_id", "b00t\n");
}

static void close_scene(struct scene *scene)
{
	change_close(scene->change);
	plan_free(scene->plan);
	cgpol_host_free(scene->host);
	tree_remove(scene->tree);
	free(scene->state);
	free(scene->persistent);
}

static int begin(struct scene *scene)
{
	const struct change_setup setup = {
		.state = scene->state, .persistent = scene->persistent, .command = "cgpol test a\tb"};

	return change_open(scene->host, &setup, &scene->change, &scene->err);
}

static void add(struct plan *plan, struct step step)
{
	assert_int_equal(plan_add(plan, &step), 0);
}

static struct plan *new_plan(const char *cgroup)
{
	struct plan *plan = NULL;

	assert_int_equal(plan_new(cgroup, &plan), 0);
	return plan;
}

static struct step set(const char *cgroup, const char *file, const char *old, const char *new)
{
	return (struct step){.op = STEP_SET,
			     .cgroup = STR(cgroup),
			     .file = STR(file),
			     .old_value = STR(old),
			     .new_value = STR(new)};
}

/* One of each operation that can be taken back whole. */
static struct plan *plan_of_all(struct scene *scene)
{
	struct plan *plan = new_plan("/new");
	uint64_t start = start_time_of(scene, 100);

	plan->is_lasting = true;
	add(plan, (struct step){.op = STEP_ENABLE,
				.cgroup = STR("/"),
				.file = STR("cgroup.subtree_control"),
				.old_value = STR("cpuset cpu io memory hugetlb pids"),
				.new_value = STR("+memory")});
	add(plan, (struct step){.op = STEP_MKDIR, .cgroup = STR("/new")});
	add(plan, set("/new", "memory.high", NULL, "33554432"));
	add(plan, (struct step){.op = STEP_MKDIR, .cgroup = STR("/new/threads")});
	add(plan, (struct step){.op = STEP_THREADED, .cgroup = STR("/new/threads")});
	add(plan, (struct step){.op = STEP_OWNER, .cgroup = STR("/web"), .new_value = STR("1000:")});
	add(plan, (struct step){.op = STEP_OWNER,
				.cgroup = STR("/web"),
				.file = STR("cgroup.procs"),
				.old_value = STR("0:0"),
				.new_value = STR("1000:1000")});
	add(plan, (struct step){.op = STEP_TASK,
				.file = STR("oom_score_adj"),
				.pid = 100,
				.start_time = start,
				.old_value = STR("0"),
				.new_value = STR("300")});
	add(plan, (struct step){.op = STEP_ATTACH,
				.cgroup = STR("/new"),
				.pid = 100,
				.start_time = start,
				.old_value = STR("/web/x")});
	/* After the move: before 6.2 it takes an affinity away. */
	add(plan, (struct step){.op = STEP_AFFINITY,
				.pid = 100,
				.start_time = start,
				.old_value = STR("0-3"),
				.new_value = STR("1-2")});
	add(plan, set("/web/x", "memory.high", "max", "16777216"));
	add(plan, (struct step){.op = STEP_RECLAIM, .cgroup = STR("/web/x"), .new_value = STR("4096")});
	add(plan, (struct step){.op = STEP_CHECK,
				.cgroup = STR("/web/x"),
				.file = STR("memory.current"),
				.new_value = STR("16777216")});
	add(plan, set("/web/x", "memory.max", "67108864", "16777216"));
	add(plan, set("/web/x", "memory.high", "16777216", "max"));
	add(plan, (struct step){.op = STEP_RMDIR, .cgroup = STR("/old")});
	add(plan, (struct step){.op = STEP_HOST,
				.file = STR("/proc/sys/vm/swappiness"),
				.old_value = STR("60"),
				.new_value = STR("10")});
	add(plan, (struct step){.op = STEP_SAVE,
				.file = STR("/etc/sysctl.d/x.conf"),
				.new_value = STR("vm.swappiness = 10\n")});
	return plan;
}

static char *read_journal(struct scene *scene, const char *dir, const char *id)
{
	AUTO(state_close_p) struct state *state = NULL;
	char *text = NULL;

	assert_int_equal(state_open(dir, false, &state, &scene->err), 0);
	assert_int_equal(state_read(state, id, &text), 0);
	return text;
}

static void parse_journal(struct scene *scene, const char *dir, struct journal *journal)
{
	AUTO(free_p) char *text = read_journal(scene, dir, change_id(scene->change));

	if (journal_parse(text, journal, &scene->err) < 0)
		fail_msg("%s", scene->err.text);
}

static void expect(struct scene *scene, const char *path, const char *text)
{
	AUTO(free_p) char *found = NULL;

	assert_int_equal(root_read(scene->root, path, &found, NULL), 0);
	assert_string_equal(found, text);
}

static void every_operation_is_done_and_written_down(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_put(scene.root, "/etc/sysctl.d/x.conf", "# mine\n");
	assert_int_equal(begin(&scene), 0);
	assert_null(change_id(scene.change));
	scene.plan = plan_of_all(&scene);
	if (change_apply(scene.change, scene.plan, NULL, &scene.err) < 0)
		fail_msg("%s", scene.err.text);
	assert_int_equal(change_commit(scene.change, &scene.err), 0);
	expect(&scene, CG "/new/memory.high", "33554432");
	expect(&scene, CG "/new/threads/cgroup.type", "threaded");
	expect(&scene, CG "/web/x/memory.max", "16777216");
	expect(&scene, CG "/web/x/memory.high", "max");
	expect(&scene, "/proc/100/oom_score_adj", "300");
	expect(&scene, "/proc/sys/vm/swappiness", "10");
	expect(&scene, "/etc/sysctl.d/x.conf", "vm.swappiness = 10");
	assert_string_equal(fakekernel_where(scene.root, 100), "/new");
	assert_string_equal(change_id(scene.change), "20261130T221721-4194303");
	parse_journal(&scene, scene.state, &journal);
	assert_int_equal(journal.state, JOURNAL_DONE);
	assert_string_equal(journal.command, "cgpol test a\tb");
	assert_string_equal(journal.boot, "b00t");
	assert_int_equal(journal.entries, scene.plan->steps);
	/* Found when it was done: */
	assert_int_equal(journal.entry[0].result, STEP_UNCHANGED);
	assert_string_equal(journal.entry[5].step.old_value, "0:0");
	assert_non_null(journal.entry[15].step.old_value);
	assert_string_equal(journal.entry[17].step.old_value, "# mine\n");
	assert_int_equal(change_result(scene.change, scene.plan, 0), STEP_UNCHANGED);
	assert_int_equal(change_result(scene.change, scene.plan, 1), STEP_DONE);
	assert_int_equal(change_result(scene.change, scene.plan, 99), STEP_PENDING);
}

/* What is there already costs no write, neither of the kernel nor of an old value. */
static void a_second_time_nothing_is_written(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(plan_free_p) struct plan *again = NULL;
	unsigned changes;

	(void)state;
	open_scene(&scene);
	assert_int_equal(begin(&scene), 0);
	scene.plan = plan_of_all(&scene);
	/* Those are orders, not states: reclaiming, a value on the way, a removal. */
	scene.plan->steps = 10;
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
	changes = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	again = plan_of_all(&scene);
	for (size_t i = 0; i < again->steps; i++) {
		if (again->step[i].op == STEP_MKDIR)
			again->step[i].is_optional = true;
	}
	again->steps = 10;
	assert_int_equal(change_apply(scene.change, again, NULL, &scene.err), 0);
	/* Only mkdir(2) asks by trying. */
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES), changes + 2);
	for (size_t i = 0; i < again->steps; i++)
		assert_int_equal(change_result(scene.change, again, i), STEP_UNCHANGED);
	assert_int_equal(change_commit(scene.change, &scene.err), 0);
	again->steps = scene.plan->steps = 18;
}

/* With the n-th access failing: is all as it was? False when it did not fail any more. */
static bool fails_without_a_trace(unsigned accesses, unsigned n, unsigned *failures)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	int rc;

	open_scene(&scene);
	fakekernel_put(scene.root, "/etc/sysctl.d/x.conf", "# mine\n");
	fakekernel_writable(scene.root, "/etc/sysctl.d/x.conf");
	assert_int_equal(begin(&scene), 0);
	scene.plan = plan_of_all(&scene);
	before = fakekernel_dump_settings(scene.root);
	fakekernel_fail_nth(scene.root, accesses, n, EIO);
	rc = change_apply(scene.change, scene.plan, NULL, &scene.err);
	fakekernel_fail_nth(scene.root, accesses, 0, 0);
	if (rc == 0)
		return fakekernel_accesses(scene.root, accesses) >= n;
	++*failures;
	after = fakekernel_dump_settings(scene.root);
	if (strcmp(before, after) != 0)
		fail_msg("access %u of kind %u: %s\n%s\nis not\n%s", n, accesses, scene.err.text, before,
			 after);
	assert_true(strlen(scene.err.text) > 20);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), -EINVAL);
	assert_int_equal(change_commit(scene.change, &scene.err), -EINVAL);
	parse_journal(&scene, scene.state, &journal);
	assert_int_equal(journal.state, JOURNAL_FAILED);
	return true;
}

static void whatever_fails_nothing_is_left_behind(void **state)
{
	unsigned failures = 0;

	(void)state;
	for (unsigned n = 1; fails_without_a_trace(FAKEKERNEL_CHANGES, n, &failures); n++)
		assert_true(n < 200);
	assert_true(failures > 12);
	failures = 0;
	for (unsigned n = 1; fails_without_a_trace(FAKEKERNEL_READS, n, &failures); n++)
		assert_true(n < 1000);
	assert_in_range(failures, 25, 1000);
}

/* Two plans of one change: the second fails, and the first is taken back too. */
static void several_plans_count_as_one(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(plan_free_p) struct plan *first = new_plan("/a");
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan("/a");
	add(first, (struct step){.op = STEP_MKDIR, .cgroup = STR("/a")});
	add(first, set("/web/x", "memory.max", "67108864", "max"));
	add(scene.plan, set("/a", "memory.max", "max", "4096"));
	add(scene.plan, set("/a", "memory.max", "4096", "none"));
	before = fakekernel_dump_settings(scene.root);
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, first, NULL, &scene.err), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), -EINVAL);
	assert_non_null(strstr(scene.err.text, "cannot set memory.max of cgroup /a to \"none\""));
	assert_non_null(strstr(scene.err.text, "; all is as it was before"));
	after = fakekernel_dump_settings(scene.root);
	assert_string_equal(before, after);
	assert_int_equal(change_result(scene.change, first, 1), STEP_UNDONE);
	assert_int_equal(change_result(scene.change, scene.plan, 1), STEP_FAILED);
	parse_journal(&scene, scene.state, &journal);
	assert_int_equal(journal.state, JOURNAL_FAILED);
	assert_int_equal(journal.entries, 4);
	assert_int_equal(journal.entry[1].result, STEP_UNDONE);
	assert_int_equal(journal.entry[3].result, STEP_FAILED);
}

static void what_is_not_committed_is_taken_back(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	struct cgpol_error err = {.text = "the caller failed"};

	(void)state;
	open_scene(&scene);
	before = fakekernel_dump_settings(scene.root);
	for (int is_aborted = 0; is_aborted < 2; is_aborted++) {
		AUTO(plan_free_p) struct plan *plan = new_plan("/a");

		add(plan, (struct step){.op = STEP_MKDIR, .cgroup = STR("/a")});
		assert_int_equal(begin(&scene), 0);
		assert_int_equal(change_apply(scene.change, plan, NULL, &scene.err), 0);
		if (is_aborted)
			assert_int_equal(change_abort(scene.change, &err), 0);
		change_close(TAKE(scene.change));
		free(TAKE(after));
		after = fakekernel_dump_settings(scene.root);
		assert_string_equal(before, after);
	}
	assert_string_equal(err.text, "the caller failed; all is as it was before");
}

static void a_change_without_steps_leaves_no_journal(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(state_close_p) struct state *store = NULL;
	char **names = NULL;
	size_t count = 0;

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan(NULL);
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
	assert_int_equal(change_commit(scene.change, &scene.err), 0);
	assert_null(change_id(scene.change));
	assert_int_equal(state_open(scene.state, false, &store, &scene.err), 0);
	assert_int_equal(state_list(store, &names, &count), 0);
	assert_int_equal(count, 0);
	root_list_free(names, count);
}

static void changes_of_one_second_have_names_of_their_own(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan("/a");
	add(scene.plan, set("/web/x", "memory.high", "max", "16777216"));
	for (int i = 1; i < 4; i++) {
		char id[64] = "20261130T221721-4194303";

		if (i > 1)
			(void)snprintf(id + strlen(id), 8, "-%d", i);
		change_close(TAKE(scene.change));
		assert_int_equal(begin(&scene), 0);
		assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
		assert_string_equal(change_id(scene.change), id);
	}
}

/* What outlives a boot is written down where that does too, with all that was before it. */
static void a_saved_file_has_a_second_journal(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(plan_free_p) struct plan *first = new_plan("/a");
	AUTO(free_p) char *one = NULL;
	AUTO(free_p) char *two = NULL;

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan(NULL);
	add(first, set("/web/x", "memory.high", "max", "16777216"));
	add(scene.plan,
	    (struct step){.op = STEP_SAVE, .file = STR("/etc/sysctl.d/y.conf"), .new_value = STR("a = 1\n")});
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, first, NULL, &scene.err), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
	assert_int_equal(change_commit(scene.change, &scene.err), 0);
	one = read_journal(&scene, scene.state, change_id(scene.change));
	two = read_journal(&scene, scene.persistent, change_id(scene.change));
	assert_string_equal(one, two);
	assert_non_null(strstr(one, "end\tdone\n"));
}

static void a_file_that_was_made_is_removed(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *text = NULL;
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan(NULL);
	add(scene.plan,
	    (struct step){.op = STEP_SAVE, .file = STR("/etc/sysctl.d/y.conf"), .new_value = STR("a = 1\n")});
	add(scene.plan, set("/gone", "memory.max", NULL, "1"));
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), -ENOENT);
	assert_int_equal(change_result(scene.change, scene.plan, 0), STEP_UNDONE);
	parse_journal(&scene, scene.state, &journal);
	assert_int_equal(journal.state, JOURNAL_FAILED);
	assert_int_equal(root_read(scene.root, "/etc/sysctl.d/y.conf", &text, NULL), -ENOENT);
}

static void ended_processes_do_not_come_back(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan(NULL);
	add(scene.plan, (struct step){.op = STEP_KILL, .cgroup = STR("/web")});
	add(scene.plan, (struct step){.op = STEP_RMDIR, .cgroup = STR("/web/x")});
	add(scene.plan, (struct step){.op = STEP_RMDIR, .cgroup = STR("/gone")});
	add(scene.plan, set("/gone", "memory.max", NULL, "1"));
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), -ENOENT);
	assert_null(fakekernel_where(scene.root, 100));
	assert_non_null(
		strstr(scene.err.text, "the processes of cgroup /web that were ended do not come back"));
	assert_int_equal(change_result(scene.change, scene.plan, 1), STEP_UNDONE);
	expect(&scene, CG "/web/x/memory.max", "67108864");
}

/* Somebody makes the cgroup, and another writes the file, after the plan was made. */
static void what_others_did_meanwhile_is_written_down_first(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(journal_clear) struct journal journal = {0};

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan("/a");
	add(scene.plan, (struct step){.op = STEP_MKDIR, .cgroup = STR("/a")});
	add(scene.plan, set("/a", "memory.max", NULL, "8192"));
	add(scene.plan, set("/web/x", "memory.max", "67108864", "4194304"));
	fakekernel_cgroup(scene.root, "/a", "memory.max=4096", NULL);
	assert_int_equal(fakekernel_poke(scene.root, "/web/x", "memory.max", "5242880"), 0);
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
	parse_journal(&scene, scene.state, &journal);
	assert_int_equal(journal.state, JOURNAL_OPEN);
	assert_int_equal(journal.entry[0].result, STEP_UNCHANGED);
	assert_string_equal(journal.entry[1].step.old_value, "4096");
	assert_string_equal(journal.entry[2].step.old_value, "5242880");
	change_close(TAKE(scene.change));
	expect(&scene, CG "/a/memory.max", "4096");
	expect(&scene, CG "/web/x/memory.max", "5242880");
}

static void one_that_cannot_write_it_down_changes_nothing(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan("/a");
	add(scene.plan, (struct step){.op = STEP_MKDIR, .cgroup = STR("/a")});
	before = fakekernel_dump(scene.root);
	assert_int_equal(begin(&scene), 0);
	tree_remove(scene.tree);
	scene.tree = tree_make();
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), -ENOENT);
	assert_non_null(strstr(scene.err.text, "cannot write down in "));
	assert_int_equal(scene.err.kind, CGPOL_FAILED);
	after = fakekernel_dump(scene.root);
	assert_string_equal(before, after);
}

static void only_one_at_a_time(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(state_close_p) struct state *other = NULL;

	(void)state;
	open_scene(&scene);
	assert_int_equal(begin(&scene), 0);
	assert_int_equal(state_open(scene.state, false, &other, &scene.err), 0);
	assert_int_equal(state_lock(other, 0, &scene.err), -EBUSY);
	change_close(TAKE(scene.change));
	assert_int_equal(state_lock(other, 0, &scene.err), 0);
}

static void a_capture_is_refused(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	struct root_ops ops;

	(void)state;
	open_scene(&scene);
	ops = *scene.root->ops;
	ops.write = NULL;
	scene.root->ops = &ops;
	assert_int_equal(begin(&scene), -EROFS);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
}

/* So many cgroups, so few appends: one for the plan, one for the end. */
static void a_thousand_cgroups_are_written_down_at_once(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	unsigned reads, changes;

	(void)state;
	open_scene(&scene);
	scene.plan = new_plan(NULL);
	for (int i = 0; i < 1000; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "/many/g%d", i);
		fakekernel_cgroup(scene.root, name, NULL);
		add(scene.plan, set(name, "memory.max", "max", "1048576"));
	}
	assert_int_equal(begin(&scene), 0);
	reads = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
	changes = fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES);
	assert_int_equal(change_apply(scene.change, scene.plan, NULL, &scene.err), 0);
	/* Before and after, and what the journal's head asks for. */
	assert_in_range(fakekernel_accesses(scene.root, FAKEKERNEL_READS) - reads, 2000, 2004);
	assert_int_equal(fakekernel_accesses(scene.root, FAKEKERNEL_CHANGES) - changes, 1000);
	assert_int_equal(change_commit(scene.change, &scene.err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_done_and_written_down),
		cmocka_unit_test(a_second_time_nothing_is_written),
		cmocka_unit_test(whatever_fails_nothing_is_left_behind),
		cmocka_unit_test(several_plans_count_as_one),
		cmocka_unit_test(what_is_not_committed_is_taken_back),
		cmocka_unit_test(a_change_without_steps_leaves_no_journal),
		cmocka_unit_test(changes_of_one_second_have_names_of_their_own),
		cmocka_unit_test(a_saved_file_has_a_second_journal),
		cmocka_unit_test(a_file_that_was_made_is_removed),
		cmocka_unit_test(ended_processes_do_not_come_back),
		cmocka_unit_test(what_others_did_meanwhile_is_written_down_first),
		cmocka_unit_test(one_that_cannot_write_it_down_changes_nothing),
		cmocka_unit_test(only_one_at_a_time),
		cmocka_unit_test(a_capture_is_refused),
		cmocka_unit_test(a_thousand_cgroups_are_written_down_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
