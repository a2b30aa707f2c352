/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One process's memory by node, and the sentences why there is none. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "memory/resident.h"
#include "memory/row.h"

#define STATUS(state, pid, lines) "State:\t" state "\nTgid:\t" pid "\nPPid:\t1\n" lines
#define MEMORY                                                                              \
	"VmRSS:\t24 kB\nRssAnon:\t8 kB\nRssFile:\t4 kB\nRssShmem:\t12 kB\nVmSwap:\t16 kB\n" \
	"HugetlbPages:\t2048 kB\n"

struct fixture {
	struct root *root;
	struct cgpol_host host;
	struct resident_source source;
	struct nodeset memory;
	struct usage_row row;
	bool has_memory;
};

static void tear_down(struct fixture *fixture)
{
	row_clear(&fixture->row);
	resident_clear(&fixture->source);
	nodeset_clear(&fixture->memory);
	root_free(fixture->root);
}

static void set_up(struct fixture *fixture, const char *memory)
{
	*fixture = (struct fixture){.root = fakeroot_new()};
	fixture->host.root = fixture->root;
	assert_int_equal(nodeset_parse(memory, NODESET_NODES_MAX, &fixture->memory, NULL), 0);
	fakeroot_put(fixture->root, "/proc/meminfo", "MemTotal: 9 kB\nHugepagesize:       2048 kB\n");
	fakeroot_put(fixture->root, "/proc/self/mountinfo", "28 27 0:23 / /run rw - tmpfs tmpfs rw\n");
}

static int read_pid(struct fixture *fixture, pid_t pid)
{
	assert_int_equal(resident_prepare(&fixture->host, &fixture->source), 0);
	return resident_read(&fixture->host, &fixture->source, &fixture->memory, pid, &fixture->row,
			     &fixture->has_memory);
}

static void puts_each_kind_on_its_node(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	const struct usage_row *row = &fixture.row;

	(void)state;
	set_up(&fixture, "0-2");
	fakeroot_put(fixture.root, "/proc/9/status", STATUS("S (sleeping)", "9", MEMORY));
	fakeroot_put(fixture.root, "/proc/9/numa_maps",
		     "1 default anon=2 N1=2 kernelpagesize_kB=4\n"
		     "2 default file=/bin/x mapped=1 N0=1 kernelpagesize_kB=4\n"
		     "3 default file=/run/x dirty=3 N1=3 kernelpagesize_kB=4\n"
		     "4 default file=/anon_hugepage\\040(deleted) huge anon=1 N1=1\n");
	assert_int_equal(read_pid(&fixture, 9), 0);
	assert_true(fixture.has_memory);
	assert_int_equal(row->pid, 9);
	assert_int_equal(row->nodes, 3);
	assert_int_equal(row->node[0].bytes[USAGE_FILE], 4096);
	assert_int_equal(row->node[1].bytes[USAGE_ANON], 2 * 4096);
	assert_int_equal(row->node[1].bytes[USAGE_SHMEM], 3 * 4096);
	assert_int_equal(row->node[1].bytes[USAGE_HUGE], 2 << 20);
	assert_int_equal(row->node[2].total, 0);
	assert_int_equal(row->total, 6 * 4096 + (2 << 20));
	assert_true(row->has_swap);
	assert_int_equal(row->swap, 16384);
}

static void gives_zeros_without_memory(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0-1");
	fakeroot_put(fixture.root, "/proc/2/status", STATUS("S (sleeping)", "2", "Threads:\t1\n"));
	assert_int_equal(read_pid(&fixture, 2), 0);
	assert_false(fixture.has_memory);
	assert_int_equal(fixture.row.nodes, 2);
	assert_int_equal(fixture.row.total, 0);
}

static void sees_past_a_leader_that_has_exited(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0-1");
	fakeroot_put(fixture.root, "/proc/9/status", STATUS("Z (zombie)", "9", "Threads:\t3\n"));
	fakeroot_mkdir(fixture.root, "/proc/9/task/9");
	fakeroot_mkdir(fixture.root, "/proc/9/task/10"); /* this thread has just gone */
	fakeroot_put(fixture.root, "/proc/9/task/11/status",
		     STATUS("S (sleeping)", "9", MEMORY "Threads:\t3\n"));
	fakeroot_put(fixture.root, "/proc/9/task/11/numa_maps",
		     "1 default anon=2 N1=2 kernelpagesize_kB=4\n");
	assert_int_equal(read_pid(&fixture, 9), 0);
	assert_true(fixture.has_memory);
	assert_int_equal(fixture.row.node[1].bytes[USAGE_ANON], 2 * 4096);
	assert_int_equal(fixture.row.swap, 16384);
}

static void takes_the_totals_without_config_numa(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0");
	fakeroot_put(fixture.root, "/proc/9/status", STATUS("S (sleeping)", "9", MEMORY));
	assert_int_equal(read_pid(&fixture, 9), 0);
	assert_int_equal(fixture.row.nodes, 1);
	assert_int_equal(fixture.row.node[0].bytes[USAGE_ANON], 8 * 1024);
	assert_int_equal(fixture.row.node[0].bytes[USAGE_FILE], 4 * 1024);
	assert_int_equal(fixture.row.node[0].bytes[USAGE_SHMEM], 12 * 1024);
	assert_int_equal(fixture.row.node[0].bytes[USAGE_HUGE], 2 << 20);
}

static void knows_that_several_nodes_need_numa_maps(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0-1");
	fakeroot_put(fixture.root, "/proc/9/status", STATUS("S (sleeping)", "9", MEMORY));
	assert_true(proc_is_gone(read_pid(&fixture, 9)));
	assert_null(fixture.row.node);
}

/* Another user's process on two nodes and on one: the sums are for everyone. */
static void takes_the_totals_where_the_nodes_may_not_be_read(void **state)
{
	static const int errnums[] = {EACCES, EPERM};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		AUTO(tear_down) struct fixture fixture;
		int errnum = errnums[i / 2];
		bool is_single = i % 2;

		set_up(&fixture, is_single ? "2" : "0-1");
		fakeroot_put(fixture.root, "/proc/9/status", STATUS("S (sleeping)", "9", MEMORY));
		fakeroot_fail(fixture.root, "/proc/9/numa_maps", errnum);
		assert_int_equal(read_pid(&fixture, 9), 0);
		assert_true(fixture.has_memory);
		assert_int_equal(fixture.row.denied, -errnum);
		assert_int_equal(fixture.row.bytes[USAGE_ANON], 8 * 1024);
		assert_int_equal(fixture.row.bytes[USAGE_FILE], 4 * 1024);
		assert_int_equal(fixture.row.bytes[USAGE_SHMEM], 12 * 1024);
		assert_int_equal(fixture.row.bytes[USAGE_HUGE], 2 << 20);
		assert_int_equal(fixture.row.total, 24 * 1024 + (2 << 20));
		assert_int_equal(fixture.row.swap, 16384);
		assert_int_equal(fixture.row.nodes, is_single ? 1 : 0);
		if (is_single) {
			assert_int_equal(fixture.row.node[0].id, 2);
			assert_int_equal(fixture.row.node[0].total, fixture.row.total);
		}
	}
}

static void fails_where_not_even_the_totals_can_be_read(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0-1");
	fakeroot_fail(fixture.root, "/proc/9/status", EPERM);
	fakeroot_fail(fixture.root, "/proc/9/numa_maps", EPERM);
	assert_int_equal(read_pid(&fixture, 9), -EPERM);
	assert_null(fixture.row.node);
}

static void works_without_meminfo_and_mountinfo(void **state)
{
	AUTO(tear_down) struct fixture fixture;

	(void)state;
	set_up(&fixture, "0");
	fakeroot_fail(fixture.root, "/proc/meminfo", EACCES);
	fakeroot_fail(fixture.root, "/proc/self/mountinfo", EACCES);
	fakeroot_put(fixture.root, "/proc/9/status", STATUS("S (sleeping)", "9", MEMORY));
	fakeroot_put(fixture.root, "/proc/9/numa_maps", "1 default anon=2 N0=2\n");
	assert_int_equal(read_pid(&fixture, 9), 0);
	assert_int_equal(fixture.row.total, 2 * 4096);
}

static void reads_the_machine_once(void **state)
{
	AUTO(tear_down) struct fixture fixture;
	unsigned before;

	(void)state;
	set_up(&fixture, "0");
	assert_int_equal(resident_prepare(&fixture.host, &fixture.source), 0);
	before = fakeroot_accesses(fixture.root);
	assert_int_equal(resident_prepare(&fixture.host, &fixture.source), 0);
	assert_int_equal(fakeroot_accesses(fixture.root), before);
}

static void says_why_a_process_gives_no_row(void **state)
{
	static const struct {
		const char *comm, *file;
		int rc, result;
		const char *text;
	} cases[] = {
		{"", "stat", -ENOENT, -ESRCH, "process 12 does not exist"},
		{"sshd", "numa_maps", -ESRCH, -ESRCH, "process 12 (sshd) went away"},
		{"sshd", "numa_maps", -EACCES, -EACCES,
		 "process 12 (sshd) cannot be read: /proc/12/numa_maps needs ptrace permission "
		 "(CAP_SYS_PTRACE or "
		 "the same user)"},
		{"", "stat", -EPERM, -EACCES,
		 "process 12 cannot be read: /proc/12/stat needs ptrace permission (CAP_SYS_PTRACE or the "
		 "same "
		 "user)"},
		{"a\n\x1b[31m", "numa_maps", -EINVAL, -EINVAL,
		 "process 12 (a\\x0a\\x1b[31m) cannot be read: /proc/12/numa_maps is malformed"},
		{"x", "numa_maps", -EIO, -EIO,
		 "process 12 (x) cannot be read: /proc/12/numa_maps: Input/output error"},
		{"x", "numa_maps", -ENOMEM, -ENOMEM, "out of memory"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cgpol_error err = {0};

		assert_int_equal(resident_explain(12, cases[i].comm, cases[i].file, cases[i].rc, &err),
				 cases[i].result);
		assert_string_equal(err.text, cases[i].text);
		assert_int_equal(err.kind, CGPOL_FAILED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_each_kind_on_its_node),
		cmocka_unit_test(gives_zeros_without_memory),
		cmocka_unit_test(sees_past_a_leader_that_has_exited),
		cmocka_unit_test(takes_the_totals_without_config_numa),
		cmocka_unit_test(knows_that_several_nodes_need_numa_maps),
		cmocka_unit_test(takes_the_totals_where_the_nodes_may_not_be_read),
		cmocka_unit_test(fails_where_not_even_the_totals_can_be_read),
		cmocka_unit_test(works_without_meminfo_and_mountinfo),
		cmocka_unit_test(reads_the_machine_once),
		cmocka_unit_test(says_why_a_process_gives_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
