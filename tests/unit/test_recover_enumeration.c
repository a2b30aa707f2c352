/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Killed before any of its changes, and again while that is taken back: all is as it was, byte for byte. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "host/host.h"
#include "host/state.h"
#include "policy/change.h"
#include "policy/recover.h"
#include "tree.h"

#define STR(text) ((char *)(uintptr_t)(text))

enum { CHANGES_MAX = 400 };

/* One machine, and one change of it. */
struct story {
	const char *name;
	void (*prepare)(struct root *root);
	const struct step *step; /* ends with a STEP_CHECK without a cgroup */
};

#define END                      \
	{                        \
		.op = STEP_CHECK \
	}
#define MKDIR(at)                                   \
	{                                           \
		.op = STEP_MKDIR, .cgroup = STR(at) \
	}
#define ENABLE(at, controller)                                                               \
	{                                                                                    \
		.op = STEP_ENABLE, .cgroup = STR(at), .file = STR("cgroup.subtree_control"), \
		.new_value = STR("+" controller)                                             \
	}
#define SET(at, in, to)                                                                  \
	{                                                                                \
		.op = STEP_SET, .cgroup = STR(at), .file = STR(in), .new_value = STR(to) \
	}
#define OWNER(at, in, to)                                                                  \
	{                                                                                  \
		.op = STEP_OWNER, .cgroup = STR(at), .file = STR(in), .new_value = STR(to) \
	}
#define ATTACH(at, of)                                            \
	{                                                         \
		.op = STEP_ATTACH, .cgroup = STR(at), .pid = (of) \
	}
#define RMDIR(at)                                   \
	{                                           \
		.op = STEP_RMDIR, .cgroup = STR(at) \
	}
#define HOST(in, to)                                                   \
	{                                                              \
		.op = STEP_HOST, .file = STR(in), .new_value = STR(to) \
	}
#define TASK(of, to)                                                                             \
	{                                                                                        \
		.op = STEP_TASK, .pid = (of), .file = STR("oom_score_adj"), .new_value = STR(to) \
	}
#define CPUS(of, to)                                                   \
	{                                                              \
		.op = STEP_AFFINITY, .pid = (of), .new_value = STR(to) \
	}

static void nothing_there(struct root *root)
{
	(void)root;
}

static const struct step nested[] = {
	ENABLE("/", "cpuset"),
	ENABLE("/", "memory"),
	MKDIR("/a"),
	ENABLE("/a", "cpuset"),
	ENABLE("/a", "memory"),
	MKDIR("/a/b"),
	SET("/a/b", "cpuset.cpus", "1-2"),
	SET("/a/b", "cpuset.mems", "1"),
	SET("/a/b", "memory.high", "1048576"),
	SET("/a/b", "memory.max", "2097152"),
	OWNER("/a/b", NULL, "1000:1000"),
	OWNER("/a/b", "cgroup.procs", "1000:1000"),
	OWNER("/a/b", "cgroup.subtree_control", "1000:1000"),
	END,
};

static void one_with_values(struct root *root)
{
	fakekernel_cgroup(root, "/web", "memory.max=8388608", "memory.high=4194304", "cpuset.cpus=0-3",
			  "cpuset.mems=0", "cpu.max=50000 100000", "io.max=252:0 rbps=1048576", NULL);
}

static const struct step files[] = {
	SET("/web", "cpuset.mems", ""),
	SET("/web", "cpuset.cpus", "0,2"),
	SET("/web", "memory.oom.group", "1"),
	SET("/web", "memory.high", "2097152"),
	SET("/web", "memory.max", "3145728"),
	/* As the guard does: lowered for a while. */
	SET("/web", "memory.high", "max"),
	SET("/web", "io.max", "252:0 rbps=max"),
	SET("/web", "io.max", "252:0 wiops=100"),
	SET("/web", "cpu.max", "max 20000"),
	SET("/web", "cpu.weight", "7"),
	SET("/web", "pids.max", "99"),
	SET("/web", "cgroup.max.depth", "3"),
	END,
};

static const struct step partition[] = {
	SET("/web", "cpuset.cpus", "2-3"),
	SET("/web", "cpuset.cpus.partition", "root"),
	END,
};

static void processes(struct root *root)
{
	fakekernel_cgroup(root, "/from", NULL);
	assert_int_equal(fakekernel_start(root, "/from", 101), 0);
	assert_int_equal(fakekernel_start(root, "/from", 102), 0);
	assert_int_equal(fakekernel_start(root, "/from", 103), 0);
}

static const struct step moved[] = {
	MKDIR("/to"),
	SET("/to", "memory.max", "1073741824"),
	ATTACH("/to", 101),
	ATTACH("/to", 102),
	TASK(101, "500"),
	CPUS(102, "1-2"),
	TASK(103, "-17"),
	ATTACH("/to", 103),
	SET("/from", "cgroup.freeze", "1"),
	END,
};

static const struct step of_the_machine[] = {
	HOST("/proc/sys/vm/swappiness", "10"),
	HOST("/proc/sys/vm/overcommit_ratio", "80"),
	HOST("/proc/sys/vm/overcommit_memory", "2"),
	END,
};

static void a_tree(struct root *root)
{
	fakekernel_cgroup(root, "/tree/a/x", "memory.max=8388608", "cpuset.cpus=1",
			  "io.max=252:0 rbps=1048576", NULL);
	fakekernel_cgroup(root, "/tree/b", "memory.high=4194304", "cpu.weight=3", NULL);
	fakekernel_own(root, "/tree/b", NULL, 1000, 1000);
	fakekernel_own(root, "/tree/b", "cgroup.procs", 1000, 1000);
	fakekernel_cgroup(root, "/other", NULL);
	assert_int_equal(fakekernel_start(root, "/tree/a/x", 101), 0);
}

static const struct step removed[] = {
	ATTACH("/other", 101), RMDIR("/tree/a/x"), RMDIR("/tree/a"), RMDIR("/tree/b"), RMDIR("/tree"), END,
};

/* A sibling that does not use the controller must not keep it on. */
static void a_bare_sibling(struct root *root)
{
	assert_int_equal(fakekernel_poke(root, "/sibling", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/web", NULL, NULL), 0);
}

static const struct step first_limit[] = {
	ENABLE("/", "memory"),
	SET("/web", "memory.max", "1073741824"),
	END,
};

/* Each level hands the controller on to the next. */
static void bare_levels(struct root *root)
{
	assert_int_equal(fakekernel_poke(root, "/top", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/top/leaf", NULL, NULL), 0);
	/* As cgpol create leaves it. */
	assert_int_equal(root_set_xattr(root, "/sys/fs/cgroup/top", "user.cgpol", "kept"), 0);
}

static const struct step deep_limit[] = {
	ENABLE("/", "pids"),
	ENABLE("/", "memory"),
	ENABLE("/top", "memory"),
	ENABLE("/top", "pids"),
	SET("/top/leaf", "memory.max", "1073741824"),
	SET("/top", "memory.low", "4096"),
	END,
};

static const struct story stories[] = {
	{"nested", nothing_there, nested},
	{"files", one_with_values, files},
	{"partition", one_with_values, partition},
	{"moved", processes, moved},
	{"of_the_machine", nothing_there, of_the_machine},
	{"removed", a_tree, removed},
	{"first_limit", a_bare_sibling, first_limit},
	{"deep_limit", bare_levels, deep_limit},
};

/* ---- one run ---- */

struct run {
	const struct story *story;
	char *dir;
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	char *before;	  /* what the machine was */
	unsigned changes; /* left until it is killed */
	char *journal;	  /* what was on disk then; NULL: nothing */
	bool is_killed;
};

static char *read_journal(const struct run *run)
{
	AUTO(state_close_p) struct state *state = NULL;
	char **names = NULL, *text = NULL;
	size_t count = 0;

	if (state_open(tree_path(run->dir, "/state"), false, &state, NULL) < 0)
		return NULL;
	assert_int_equal(state_list(state, &names, &count), 0);
	assert_true(count <= 1);
	if (count == 1)
		assert_int_equal(state_read(state, names[0], &text), 0);
	root_list_free(names, count);
	return text;
}

/* What the process writes after the one change that is its last is not written. */
static void watch(void *arg, unsigned access, const char *path)
{
	struct run *run = arg;

	(void)path;
	if (access != FAKEKERNEL_CHANGES || run->is_killed || --run->changes > 0)
		return;
	run->is_killed = true;
	run->journal = read_journal(run);
}

static void open_run(struct run *run, const struct story *story)
{
	*run = (struct run){.story = story, .dir = tree_make()};
	run->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(run->root, &run->host, NULL), 0);
	story->prepare(run->root);
	assert_int_equal(plan_new("/", &run->plan), 0);
	run->plan->is_lasting = true;
	for (const struct step *step = story->step; step->op != STEP_CHECK; step++)
		assert_int_equal(plan_add(run->plan, step), 0);
	run->before = fakekernel_dump_settings(run->root);
}

static void close_run(struct run *run)
{
	plan_free(run->plan);
	cgpol_host_free(run->host);
	tree_remove(run->dir);
	free(run->before);
	free(run->journal);
}

/* Killed before its n-th change. */
static void change(struct run *run, unsigned n)
{
	const struct change_setup setup = {.state = tree_path(run->dir, "/state"), .command = "cgpol test"};
	struct change *change = NULL;
	struct cgpol_error err = {0};
	int rc;

	run->changes = n;
	fakekernel_hook(run->root, watch, run);
	fakekernel_crash_after(run->root, n);
	rc = change_open(run->host, &setup, &change, &err);
	rc = rc < 0 ? rc : change_apply(change, run->plan, NULL, &err);
	rc = rc < 0 ? rc : change_commit(change, &err);
	change_close(change);
	fakekernel_crash_after(run->root, 0);
	fakekernel_hook(run->root, NULL, NULL);
	if (!run->is_killed && rc < 0)
		fail_msg("%s: %s", run->story->name, err.text);
	if (!run->is_killed)
		run->journal = read_journal(run);
}

static int recover(struct run *run, struct cgpol_error *err)
{
	AUTO(journal_clear) struct journal journal = {0};
	AUTO(recovery_clear) struct recovery recovery = {0};

	if (!run->journal)
		return 0;
	if (journal_parse(run->journal, &journal, err) < 0)
		fail_msg("%s: %s", run->story->name, err->text);
	return recover_apply(run->host, &journal, false, &recovery, err);
}

static void assert_as_before(struct run *run, unsigned n, unsigned m)
{
	AUTO(free_p) char *after = fakekernel_dump_settings(run->root);
	const char *a = run->before, *b = after;

	if (strcmp(a, b) == 0)
		return;
	while (*a && *a == *b)
		a++, b++;
	while (a > run->before && a[-1] != '\n')
		a--, b--;
	fail_msg("%s, killed before change %u (and %u): \"%.80s\" is \"%.80s\"", run->story->name, n, m, a,
		 b);
}

/* True when it was killed. */
static bool kill_at(const struct story *story, unsigned n)
{
	struct cgpol_error err = {0};
	struct run run;
	bool is_killed;

	open_run(&run, story);
	change(&run, n);
	if (recover(&run, &err) < 0)
		fail_msg("%s, killed before change %u: %s", story->name, n, err.text);
	assert_as_before(&run, n, 0);
	/* Once more finds nothing to do. */
	{
		unsigned before = fakekernel_accesses(run.root, FAKEKERNEL_CHANGES);

		assert_int_equal(recover(&run, &err), 0);
		assert_int_equal(fakekernel_accesses(run.root, FAKEKERNEL_CHANGES), before);
	}
	is_killed = run.is_killed;
	close_run(&run);
	return is_killed;
}

/* The undo is killed before its m-th change, and done again. True when it was killed. */
static bool kill_undo_at(const struct story *story, unsigned n, unsigned m)
{
	struct cgpol_error err = {0};
	struct run run;
	unsigned before;
	bool is_killed;

	open_run(&run, story);
	change(&run, n);
	before = fakekernel_accesses(run.root, FAKEKERNEL_CHANGES);
	fakekernel_crash_after(run.root, m);
	(void)recover(&run, &err);
	fakekernel_crash_after(run.root, 0);
	is_killed = fakekernel_accesses(run.root, FAKEKERNEL_CHANGES) - before >= m;
	if (recover(&run, &err) < 0)
		fail_msg("%s, killed before change %u and undo %u: %s", story->name, n, m, err.text);
	assert_as_before(&run, n, m);
	close_run(&run);
	return is_killed;
}

static void a_change_that_was_killed_anywhere_is_taken_back_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stories); i++) {
		unsigned n = 1;

		while (kill_at(&stories[i], n))
			assert_true(++n < CHANGES_MAX);
		/* Each step is a change at least; the last run is the whole one. */
		assert_true(n > 2);
		print_message("%s: %u kills\n", stories[i].name, n - 1);
	}
}

static void an_undo_that_was_killed_anywhere_is_done_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(stories); i++) {
		unsigned n = 1, m = 1, kills = 0;

		/* Of the whole change. */
		while (kill_undo_at(&stories[i], CHANGES_MAX, m)) {
			kills++;
			assert_true(++m < CHANGES_MAX);
		}
		/* And of each part of it, in the middle. */
		for (n = 1; n < 40; n++)
			kills += kill_undo_at(&stories[i], n, 1 + n / 2);
		print_message("%s: %u kills of the undo\n", stories[i].name, kills);
		assert_true(m > 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_that_was_killed_anywhere_is_taken_back_whole),
		cmocka_unit_test(an_undo_that_was_killed_anywhere_is_done_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
