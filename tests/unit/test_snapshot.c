/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of libpolicy/memory/snapshot.c: the machine and the question as values. */
#include "test.h"

#include "fakeroot.h"
#include "machine.h"
#include "memory/snapshot.h"

static struct root *three_processes(void)
{
	struct root *root = machine_new();

	machine_cgroup(root, "/web", 8 << 20, 4 << 20, false);
	machine_add(root,
		    &(struct machine_process){.pid = 10, .comm = "a", .anon_kib = 4096, .cgroup = "/web"});
	machine_add(root, &(struct machine_process){.pid = 11, .comm = "b", .anon_kib = 2048, .mems = "0"});
	machine_add(root,
		    &(struct machine_process){.pid = 12, .comm = "c", .anon_kib = 1024, .policy = "bind:1"});
	return root;
}

static int ask(struct root *root, const struct cgpol_question *question, struct cgpol_host **host,
	       struct snapshot **snapshot, struct cgpol_error *err)
{
	memset(err, 0, sizeof(*err));
	*snapshot = NULL;
	assert_int_equal(host_open_root(root, host, NULL), 0);
	return snapshot_read(*host, question, snapshot, err);
}

static void release(struct cgpol_host *host, struct snapshot *snapshot)
{
	snapshot_free(snapshot);
	cgpol_host_free(host);
}

static const struct oom_task *row(const struct snapshot *snapshot, pid_t pid)
{
	const struct oom_snapshot *values = snapshot_values(snapshot);

	for (size_t i = 0; i < values->tasks; i++)
		if (values->task[i].pid == pid)
			return &values->task[i];
	fail_msg("no row of pid %d", pid);
	return NULL;
}

static void reads_the_machine(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	fakeroot_put(root, "/proc/meminfo", "MemTotal: 2048000 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
	fakeroot_put(root, "/proc/sys/vm/swappiness", "0\n");
	fakeroot_put(root, "/proc/sys/vm/panic_on_oom", "2\n");
	fakeroot_put(root, "/proc/sys/vm/oom_kill_allocating_task", "1\n");
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	const struct oom_snapshot *values = snapshot_values(snapshot);
	assert_int_equal(values->ram, 512000);
	assert_int_equal(values->swap_total, 1024);
	assert_int_equal(values->swap_free, 256);
	assert_int_equal(values->swappiness, 0);
	assert_int_equal(values->panic_on_oom, 2);
	assert_true(values->kill_allocating);
	assert_int_equal(values->cpus, 4);
	assert_int_equal(values->major, 6);
	assert_int_equal(values->minor, 1);
	assert_int_equal(values->tasks, 3);
	assert_true(values->is_complete);
	assert_false(values->memory_on_v1);
	assert_int_equal(nodeset_count(&values->topology.memory), 2);
	release(host, snapshot);
}

static void needs_meminfo_and_says_so(void **state)
{
	static const char *const texts[] = {"", "MemTotal: x kB\n", "MemTotal: 99999999999999999999999 kB\n"};
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct root *root = three_processes();
		fakeroot_put(root, "/proc/meminfo", texts[i]);
		assert_true(ask(root, &question, &host, &snapshot, &err) < 0);
		assert_non_null(strstr(err.text, "/proc/meminfo"));
		assert_null(snapshot);
		release(host, snapshot);
	}
}

static void is_incomplete_without_the_right_to_trace_or_in_a_pid_namespace(void **state)
{
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct root *root = three_processes();
		if (i == 0)
			root->facts.caps = 0;
		else
			root->facts.initial_pidns = false;
		assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
		assert_false(snapshot_values(snapshot)->is_complete);
		release(host, snapshot);
	}
}

static void takes_a_process_as_the_trigger_with_its_own_policy_and_limits(void **state)
{
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	question.tid = 12;
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), 0);
	const struct oom_question *asked = snapshot_question(snapshot);
	const struct oom_task *task = &snapshot_values(snapshot)->task[asked->task];
	assert_int_equal(task->pid, 12);
	assert_int_equal(task->thread[asked->thread].policy->mode, MEMPOLICY_BIND);
	release(host, snapshot);

	question.tid = 10;
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), 0);
	const struct oom_memcg *web = &snapshot_values(snapshot)->memcg[row(snapshot, 10)->memcg];
	assert_string_equal(web->name, "/web");
	assert_true(web->is_read);
	assert_int_equal(web->max, 2048);
	release(host, snapshot);
}

static void takes_a_thread_id_as_that_thread(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root,
		    &(struct machine_process){.pid = 13, .tgid = 11, .policy = "bind:0", .mems = "0-1"});
	question.tid = 13;
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	const struct oom_question *asked = snapshot_question(snapshot);
	const struct oom_task *task = &snapshot_values(snapshot)->task[asked->task];
	assert_int_equal(task->pid, 11);
	assert_int_equal(task->thread[asked->thread].tid, 13);
	assert_true(nodeset_has(&task->thread[asked->thread].policy->nodes, 0));
	release(host, snapshot);
}

static void refuses_a_question_it_cannot_ask(void **state)
{
	static const struct {
		struct cgpol_question question;
		int rc, kind;
		const char *says;
	} rows[] = {
		{{.tid = 4711, .constraint = CGPOL_CONSTRAINT_DERIVED}, -ESRCH, CGPOL_FAILED, "4711"},
		{{.tid = 10, .nodes = "7", .constraint = CGPOL_CONSTRAINT_CPUSET},
		 -EINVAL,
		 CGPOL_USAGE,
		 "node 7"},
		{{.tid = 10, .nodes = "3-1", .constraint = CGPOL_CONSTRAINT_CPUSET},
		 -EINVAL,
		 CGPOL_USAGE,
		 "3-1"},
		{{.tid = 10, .nodes = "", .constraint = CGPOL_CONSTRAINT_CPUSET},
		 -EINVAL,
		 CGPOL_USAGE,
		 "no node"},
		{{.tid = 10, .policy = "bound:1", .constraint = CGPOL_CONSTRAINT_DERIVED},
		 -EINVAL,
		 CGPOL_USAGE,
		 "bound"},
		{{.tid = 10, .policy = "bind:9", .constraint = CGPOL_CONSTRAINT_DERIVED},
		 -EINVAL,
		 CGPOL_USAGE,
		 "node 9"},
		{{.tid = 11, .constraint = CGPOL_CONSTRAINT_MEMCG}, -ENODATA, CGPOL_FAILED, "memory.max"},
		{{.tid = 10, .constraint = CGPOL_CONSTRAINT_MEMORY_POLICY}, -EINVAL, CGPOL_USAGE, "nodes"},
		{{.cgroup = "/nothing", .constraint = CGPOL_CONSTRAINT_DERIVED},
		 -ENOENT,
		 CGPOL_FAILED,
		 "/nothing"},
		{{.cgroup = "a/../b", .constraint = CGPOL_CONSTRAINT_DERIVED}, -EINVAL, CGPOL_USAGE, ".."},
	};
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(ask(three_processes(), &rows[i].question, &host, &snapshot, &err),
				 rows[i].rc);
		assert_int_equal(err.kind, rows[i].kind);
		assert_non_null(strstr(err.text, rows[i].says));
		assert_null(snapshot);
		release(host, snapshot);
	}
}

static void asks_for_policies_only_in_a_policy_oom(void **state)
{
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	question.tid = 11; /* cpuset */
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), 0);
	assert_false(row(snapshot, 10)->thread[0].has_policy);
	release(host, snapshot);
	question.tid = 12; /* bind */
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), 0);
	assert_true(row(snapshot, 10)->thread[0].has_policy);
	release(host, snapshot);
}

static void looks_at_other_threads_where_the_leader_alone_would_exclude(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 20, .policy = "bind:0", .threads = 2});
	machine_add(root, &(struct machine_process){.pid = 20, .tgid = 20, .policy = "bind:0", .threads = 2});
	machine_add(root, &(struct machine_process){.pid = 21, .tgid = 20, .policy = "bind:1"});
	question.tid = 12;
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	assert_int_equal(row(snapshot, 20)->threads, 2);
	assert_int_equal(row(snapshot, 10)->threads, 1); /* eligible by its leader: no need to look further */
	release(host, snapshot);
}

static void learns_the_scan_order_in_a_memcg_oom(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 14, .cgroup = "/web"});
	machine_procs(root, "/web", "14\n10\n");
	question.cgroup = "web";
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	assert_true(row(snapshot, 14)->memcg_order < row(snapshot, 10)->memcg_order);
	release(host, snapshot);
}

static void reads_shares_once_and_notices_growth(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	fakeroot_put(root, "/proc/10/statm", "9999 2024 0 0 0 0 0\n");
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	const struct oom_task *task = row(snapshot, 10);
	size_t index = (size_t)(task - snapshot_values(snapshot)->task);
	assert_false(task->has_shares);
	assert_int_equal(snapshot_read_shares(host, snapshot, index), 0);
	assert_true(task->has_shares);
	assert_int_equal(task->share[0].node, 0);
	assert_int_equal(task->share[0].freed, 4096 * 1024);
	assert_int_equal(task->grew, 0);
	snapshot_read_growth(host, snapshot, index);
	assert_int_equal(task->grew, 1000);
	unsigned before = fakeroot_accesses(root);
	assert_int_equal(snapshot_read_shares(host, snapshot, index), 0);
	snapshot_read_growth(host, snapshot, index);
	assert_int_equal(fakeroot_accesses(root), before);
	release(host, snapshot);
}

/* A mapping's policy is cut to the cpuset when it is set, so its own nodes say too much. */
static void cuts_the_policy_of_a_mapping_to_the_cpuset(void **state)
{
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	question.tid = 11; /* mems 0 */
	question.policy = "bind:0-1";
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), 0);
	const struct nodeset *nodes = &snapshot_question(snapshot)->policy->nodes;
	assert_true(nodeset_has(nodes, 0));
	assert_false(nodeset_has(nodes, 1));
	release(host, snapshot);
	question.policy = "bind:1";
	assert_int_equal(ask(three_processes(), &question, &host, &snapshot, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_USAGE);
	assert_non_null(strstr(err.text, "bind:1"));
	release(host, snapshot);
}

static void says_when_limits_cannot_be_read(void **state)
{
	static const struct {
		const char *path, *text;
		int errnum;
	} rows[] = {
		{"/sys/fs/cgroup/web/memory.max", "garbage\n", 0},
		{"/sys/fs/cgroup/web/memory.max", NULL, EACCES},
		{"/sys/fs/cgroup/web/memory.oom.group", "garbage\n", 0},
		{"/proc/10/cgroup", NULL, EACCES},
		{"/proc/10/cgroup", NULL, ENOENT}, /* the process itself is there */
	};
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	question.tid = 10;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct root *root = three_processes();
		if (rows[i].text)
			fakeroot_put(root, rows[i].path, rows[i].text);
		else
			fakeroot_fail(root, rows[i].path, rows[i].errnum);
		assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
		assert_true(snapshot_values(snapshot)->has_unknown_limits);
		release(host, snapshot);
	}
	question.tid = 0;
	question.cgroup = "/web";
	struct root *root = three_processes();
	fakeroot_put(root, "/sys/fs/cgroup/web/cpuset.mems.effective", "garbage\n");
	assert_true(ask(root, &question, &host, &snapshot, &err) < 0);
	assert_non_null(strstr(err.text, "cpuset.mems.effective"));
	release(host, snapshot);
}

static void is_incomplete_where_capabilities_are_of_a_user_namespace(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	root->facts.initial_userns = false;
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	assert_false(snapshot_values(snapshot)->is_complete);
	release(host, snapshot);
}

static void is_incomplete_when_it_may_not_ask_who_shares_an_mm(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 20, .stack = 0x7ffc0000});
	machine_add(root, &(struct machine_process){.pid = 21, .stack = 0x7ffc0000});
	fakeroot_fail(root, "kcmp:20:21", EPERM);
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	assert_false(snapshot_values(snapshot)->is_complete);
	release(host, snapshot);
}

/* In a cgroup namespace the container's own cgroup is mounted as the root, and has limits. */
static void sees_the_limit_of_a_cgroup_that_is_mounted_as_the_root(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_cgroup(root, "", 16 << 20, 4 << 20, true);
	question.tid = 11;
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	const struct oom_memcg *top = &snapshot_values(snapshot)->memcg[0];
	assert_true(top->is_read && top->has_memory && top->oom_group);
	assert_int_equal(top->max, 4096);
	release(host, snapshot);
}

static void refuses_to_ask_about_itself(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = root->facts.self});
	question.tid = root->facts.self;
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), -EINVAL);
	assert_non_null(strstr(err.text, "cgpol itself"));
	release(host, snapshot);
}

/* One page that a child still shares must not hide 4 MiB. */
static void frees_what_no_child_shares(void **state)
{
	static const struct {
		const char *rollup;
		int errnum;
		uint64_t freed; /* pages of 1024 */
	} rows[] = {
		{"Shared_Clean: 0 kB\nShared_Dirty: 4 kB\nAnonymous: 4096 kB\n", 0, 1023},
		{"Pss_Anon: 4092 kB\nShared_Clean: 100 kB\nShared_Dirty: 8 kB\nAnonymous: 4096 kB\n", 0,
		 1022},
		{"Shared_Clean: 0 kB\nShared_Dirty: 4096 kB\nAnonymous: 4096 kB\n", 0, 0},
		{"", EACCES, 0},
		{"", ENOENT, 0},
		{"", 0, 0},
	};
	struct cgpol_question question = CGPOL_QUESTION_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct root *root = three_processes();
		struct cgpol_host *host;
		struct snapshot *snapshot;
		struct cgpol_error err;

		fakeroot_put(root, "/proc/10/numa_maps", "1000 default heap anon=1024 mapmax=2 N0=1024\n");
		fakeroot_put(root, "/proc/10/smaps_rollup", rows[i].rollup);
		if (rows[i].errnum)
			fakeroot_fail(root, "/proc/10/smaps_rollup", rows[i].errnum);
		assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
		const struct oom_task *task = row(snapshot, 10);
		size_t index = (size_t)(task - snapshot_values(snapshot)->task);
		assert_int_equal(snapshot_read_shares(host, snapshot, index), 0);
		assert_true(task->has_shares);
		assert_int_equal(task->share[0].bytes, 1024 * 4096);
		assert_int_equal(task->share[0].freed, rows[i].freed * 4096);
		release(host, snapshot);
	}
}

static void names_other_killers(void **state)
{
	struct root *root = three_processes();
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_host *host;
	struct snapshot *snapshot;
	struct cgpol_error err;

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 77, .comm = "earlyoom"});
	assert_int_equal(ask(root, &question, &host, &snapshot, &err), 0);
	assert_int_equal(snapshot_values(snapshot)->warnings, 1);
	assert_non_null(strstr(snapshot_values(snapshot)->warning[0], "earlyoom (pid 77)"));
	release(host, snapshot);
}

/* Fail the n-th access, for all n: an answer or a sentence, and nothing is lost or leaked. */
static void survives_any_failing_access(void **state)
{
	static const int reasons[] = {ENOENT, ESRCH, EACCES, EIO, ENOMEM};
	struct cgpol_question question = CGPOL_QUESTION_INIT;

	(void)state;
	question.tid = 12;
	for (size_t r = 0; r < 5; r++) {
		for (unsigned n = 1; n < 80; n++) {
			struct cgpol_host *host = NULL;
			struct snapshot *snapshot = NULL;
			struct cgpol_error err = {0};
			struct root *root = three_processes();
			assert_int_equal(host_open_root(root, &host, NULL), 0);
			fakeroot_fail_nth(root, n, reasons[r]);
			int rc = snapshot_read(host, &question, &snapshot, &err);
			assert_true((rc == 0) == (snapshot != NULL));
			assert_true(rc == 0 || err.text[0] != '\0');
			if (snapshot)
				assert_int_equal(snapshot_values(snapshot)->tasks, 3);
			release(host, snapshot);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_machine),
		cmocka_unit_test(needs_meminfo_and_says_so),
		cmocka_unit_test(is_incomplete_without_the_right_to_trace_or_in_a_pid_namespace),
		cmocka_unit_test(takes_a_process_as_the_trigger_with_its_own_policy_and_limits),
		cmocka_unit_test(takes_a_thread_id_as_that_thread),
		cmocka_unit_test(refuses_a_question_it_cannot_ask),
		cmocka_unit_test(asks_for_policies_only_in_a_policy_oom),
		cmocka_unit_test(looks_at_other_threads_where_the_leader_alone_would_exclude),
		cmocka_unit_test(learns_the_scan_order_in_a_memcg_oom),
		cmocka_unit_test(reads_shares_once_and_notices_growth),
		cmocka_unit_test(cuts_the_policy_of_a_mapping_to_the_cpuset),
		cmocka_unit_test(says_when_limits_cannot_be_read),
		cmocka_unit_test(is_incomplete_where_capabilities_are_of_a_user_namespace),
		cmocka_unit_test(is_incomplete_when_it_may_not_ask_who_shares_an_mm),
		cmocka_unit_test(sees_the_limit_of_a_cgroup_that_is_mounted_as_the_root),
		cmocka_unit_test(refuses_to_ask_about_itself),
		cmocka_unit_test(frees_what_no_child_shares),
		cmocka_unit_test(names_other_killers),
		cmocka_unit_test(survives_any_failing_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
