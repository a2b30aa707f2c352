/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading for overcommit: the machine's figures, and what processes and cgroups commit. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "machine.h"
#include "memory/commit.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

static void host_free_p(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static struct cgpol_host *open_host(struct root *root)
{
	struct cgpol_host *host = NULL;

	assert_int_equal(host_open_root(root, &host, NULL), 0);
	return host;
}

/* ---- the machine ---- */

static struct root *figures(void)
{
	struct root *root = machine_new();

	fakeroot_put(root, "/proc/meminfo",
		     "MemTotal:        2097152 kB\nSwapTotal:        262144 kB\n"
		     "CommitLimit:     1310720 kB\nCommitted_AS:     524288 kB\n"
		     "HugePages_Total:       3\nHugepagesize:       2048 kB\nHugetlb:      1054720 kB\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_memory", "2\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_ratio", "50\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_kbytes", "0\n");
	fakeroot_put(root, "/proc/sys/vm/admin_reserve_kbytes", "8192\n");
	fakeroot_put(root, "/proc/sys/vm/user_reserve_kbytes", "65536\n");
	fakeroot_put(root, "/sys/devices/system/cpu/present", "0-5\n");
	fakeroot_put(root, "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "3\n");
	fakeroot_put(root, "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "1\n");
	fakeroot_mkdir(root, "/sys/kernel/mm/hugepages/hugepages-odd");
	return root;
}

static void reads_every_figure(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = open_host(figures());
	struct overcommit o;

	(void)state;
	assert_int_equal(overcommit_read(host, &o, NULL), 0);
	assert_int_equal(o.mode, OVERCOMMIT_NEVER);
	assert_int_equal(o.ratio, 50);
	assert_int_equal(o.ram, 2097152ULL * KIB);
	assert_int_equal(o.swap, 262144ULL * KIB);
	assert_int_equal(o.told_limit, 1310720ULL * KIB);
	assert_int_equal(o.committed, 524288ULL * KIB);
	assert_int_equal(o.admin_reserve, 8 * MIB);
	assert_int_equal(o.user_reserve, 64 * MIB);
	assert_int_equal(o.cpus, 6);
	assert_int_equal(o.pools, 2);
	assert_int_equal(overcommit_huge(&o), 1030 * MIB);
	assert_true(o.has_exact_sum);
}

static void does_without_what_older_kernels_lack(void **state)
{
	unsigned cpus;
	struct root *root = machine_new();
	AUTO(host_free_p) struct cgpol_host *host = NULL;
	struct overcommit o;

	(void)state;
	(void)snprintf(root->facts.release, sizeof(root->facts.release), "3.8.0");
	fakeroot_put(root, "/proc/meminfo",
		     "MemTotal: 2097152 kB\nSwapTotal: 0 kB\nCommitLimit: 1 kB\nCommitted_AS: 2 kB\n"
		     "HugePages_Total: 3\nHugepagesize: 2048 kB\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_memory", "0\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_ratio", "50\n");
	host = open_host(root);
	assert_int_equal(overcommit_read(host, &o, NULL), 0);
	assert_false(o.has_exact_sum);
	assert_int_equal(o.kbytes, 0);
	assert_int_equal(o.admin_reserve, 0);
	assert_int_equal(overcommit_huge(&o), 6 * MIB);
	assert_int_equal(host_read_cpus(host, &cpus), 0);
	assert_int_equal(o.cpus, cpus);
	/* The sum of all sizes where meminfo has it. */
	fakeroot_put(root, "/proc/meminfo",
		     "MemTotal: 2097152 kB\nSwapTotal: 0 kB\nCommitLimit: 1 kB\nCommitted_AS: 2 kB\n"
		     "HugePages_Total: 3\nHugepagesize: 2048 kB\nHugetlb: 1054720 kB\n");
	assert_int_equal(overcommit_read(host, &o, NULL), 0);
	assert_int_equal(overcommit_huge(&o), 1030 * MIB);
}

static void names_the_file_that_is_at_fault(void **state)
{
	static const struct {
		const char *path, *text;
	} rows[] = {
		{"/proc/sys/vm/overcommit_memory", "x\n"},
		{"/proc/sys/vm/overcommit_memory", "-1\n"},
		{"/proc/sys/vm/overcommit_ratio", "\n"},
		{"/proc/sys/vm/overcommit_kbytes", "1 2\n"},
		{"/proc/sys/vm/user_reserve_kbytes", "-1\n"},
		{"/proc/meminfo", "MemTotal: 5 kB\nSwapTotal: 0 kB\n"},
		{"/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "many\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct root *root = figures();
		AUTO(host_free_p) struct cgpol_host *host = open_host(root);
		struct cgpol_error err = {0};
		struct overcommit o = {.mode = 77};

		fakeroot_put(root, rows[i].path, rows[i].text);
		assert_true(overcommit_read(host, &o, &err) < 0);
		assert_string_equal(err.file, rows[i].path);
		assert_int_equal(err.kind, CGPOL_FAILED);
		assert_int_equal(o.mode, 77);
	}
}

/* ---- processes ---- */

#define FLAGS(flags) "Size: 1 kB\nAnonymous: 0 kB\nVmFlags: " flags " \n"

/* A process with so much private memory; `object`: one of 4 MiB that it maps, 0: none. */
static void add(struct root *root, pid_t pid, const char *cgroup, unsigned private_mib, unsigned object)
{
	const struct machine_process process = {
		.pid = pid, .comm = "p", .cgroup = cgroup, .anon_kib = 1024, .swap_kib = 512};
	char path[64], text[1024];
	int used;

	machine_add(root, &process);
	(void)snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	used = snprintf(text, sizeof(text), "10000000-%x rw-p 0 00:00 0 \n" FLAGS("rd wr ac"),
			0x10000000 + private_mib * MIB);
	if (object)
		(void)snprintf(text + used, sizeof(text) - (size_t)used,
			       "50000000-50400000 rw-s 0 00:01 %u /dev/zero (deleted)\n" FLAGS("rd wr sh"),
			       object);
	fakeroot_put(root, path, text);
}

static const struct commit_row *row_of(const struct commit *commit, pid_t pid)
{
	for (size_t i = 0; i < commit->rows; i++)
		if (commit->row[i].pid == pid)
			return &commit->row[i];
	return NULL;
}

static struct root *populated(void)
{
	struct root *root = machine_new();

	machine_add(root, &(struct machine_process){.pid = 2, .comm = "kthreadd", .is_kthread = true});
	machine_add(root, &(struct machine_process){.pid = 3, .comm = "z", .is_zombie = true});
	add(root, 1, "/", 2, 0);
	add(root, 10, "/a", 16, 7);
	add(root, 11, "/a", 8, 7);
	add(root, 12, "/b", 20, 7);
	add(root, 13, "/b/c", 1, 8);
	return root;
}

static void ranks_processes_and_cgroups(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = open_host(populated());
	AUTO(commit_clear) struct commit commit = {.rows = 0};

	(void)state;
	assert_int_equal(commit_read(host, false, &commit, NULL), 0);
	assert_int_equal(commit.rows, 5);
	assert_int_equal(commit.row[0].pid, 12);
	assert_int_equal(commit.row[0].commit, 24 * MIB);
	assert_int_equal(commit.row[0].shared_bytes, 4 * MIB);
	assert_int_equal(commit.row[0].anon, MIB);
	assert_int_equal(commit.row[0].swap, 512 * KIB);
	assert_int_equal(commit.row[1].pid, 10);
	assert_int_equal(commit.row[2].pid, 11);
	assert_int_equal(commit.row[4].pid, 1);
	/* 47 private, and two objects */
	assert_int_equal(commit.sum, (47 + 8) * MIB);
	assert_int_equal(commit.groups, 4);
	assert_string_equal(commit.group[0].cgroup, "/a");
	assert_int_equal(commit.group[0].commit, (16 + 8 + 4) * MIB);
	assert_int_equal(commit.group[0].processes, 2);
	assert_string_equal(commit.group[1].cgroup, "/b");
	assert_int_equal(commit.group[1].commit, 24 * MIB);
	assert_int_equal(commit.estimated + commit.vanished + commit.unreadable, 0);
	assert_false(commit.hides);
}

static void counts_an_mm_once(void **state)
{
	struct root *root = populated();
	AUTO(host_free_p) struct cgpol_host *host = NULL;
	AUTO(commit_clear) struct commit commit = {.rows = 0};
	const struct machine_process child = {
		.pid = 20, .comm = "v", .cgroup = "/b", .stack = 0x7ff000001000};
	const struct machine_process parent = {
		.pid = 19, .comm = "v", .cgroup = "/b", .stack = 0x7ff000001000};
	const struct machine_process forked = {
		.pid = 21, .comm = "v", .cgroup = "/b", .stack = 0x7ff000001000};

	(void)state;
	for (pid_t pid = 19; pid <= 21; pid++)
		add(root, pid, "/b", 3, 0);
	machine_add(root, &parent);
	machine_add(root, &child);
	machine_add(root, &forked);
	fakeroot_share_mm(root, 19, 20);
	host = open_host(root);
	assert_int_equal(commit_read(host, false, &commit, NULL), 0);
	assert_non_null(row_of(&commit, 19));
	assert_null(row_of(&commit, 20));
	assert_non_null(row_of(&commit, 21));
	assert_int_equal(commit.sum, (47 + 8 + 6) * MIB);
}

static void estimates_what_it_may_not_read(void **state)
{
	struct root *root = populated();
	AUTO(host_free_p) struct cgpol_host *host = NULL;
	AUTO(commit_clear) struct commit commit = {.rows = 0};

	(void)state;
	fakeroot_put(
		root, "/proc/10/status",
		"Name:\tp\nState:\tS (sleeping)\nTgid:\t10\nPPid:\t1\nVmSize:\t 99999 kB\nVmRSS:\t 1024 kB\n"
		"RssAnon:\t 1024 kB\nVmData:\t 5000 kB\nVmStk:\t 132 kB\nThreads:\t1\n");
	fakeroot_fail(root, "/proc/10/smaps", EACCES);
	fakeroot_fail(root, "/proc/11/status", EACCES);
	fakeroot_fail(root, "/proc/12/smaps", ESRCH);
	fakeroot_fail(root, "/proc/13/cgroup", EACCES);
	host = open_host(root);
	assert_int_equal(commit_read(host, false, &commit, NULL), 0);
	assert_false(row_of(&commit, 10)->is_exact);
	assert_int_equal(row_of(&commit, 10)->commit, 5132 * KIB);
	assert_null(row_of(&commit, 11));
	assert_null(row_of(&commit, 12));
	assert_null(row_of(&commit, 13)->cgroup);
	assert_int_equal(commit.estimated, 1);
	assert_int_equal(commit.unreadable, 2);
	assert_int_equal(commit.vanished, 1);
	assert_null(commit.group[1].cgroup);
	assert_int_equal(commit.group[1].commit, 5 * MIB);
	/* On request no mapping is read. */
	commit_clear(&commit);
	fakeroot_fail(root, "/proc/12/smaps", EIO);
	assert_int_equal(commit_read(host, true, &commit, NULL), 0);
	assert_int_equal(commit.rows, 4);
	assert_int_equal(commit.estimated, 4);
	assert_int_equal(commit.unreadable, 1);
}

static void looks_through_a_thread_when_the_leader_has_exited(void **state)
{
	struct root *root = populated();
	AUTO(host_free_p) struct cgpol_host *host = NULL;
	AUTO(commit_clear) struct commit commit = {.rows = 0};

	(void)state;
	machine_add(root, &(struct machine_process){.pid = 30, .comm = "t", .is_zombie = true, .threads = 2});
	machine_add(root, &(struct machine_process){.pid = 31, .tgid = 30, .comm = "t", .anon_kib = 4});
	fakeroot_put(root, "/proc/30/task/31/smaps", "10000000-10100000 rw-p 0 00:00 0 \n" FLAGS("ac"));
	host = open_host(root);
	assert_int_equal(commit_read(host, false, &commit, NULL), 0);
	assert_non_null(row_of(&commit, 30));
	assert_int_equal(row_of(&commit, 30)->commit, MIB);
}

static void leaves_out_the_reader_and_tells_what_may_be_hidden(void **state)
{
	struct root *root = populated();
	AUTO(host_free_p) struct cgpol_host *host = NULL;
	AUTO(commit_clear) struct commit commit = {.rows = 0};

	(void)state;
	root->facts.self = 12;
	root->facts.initial_pidns = false;
	host = open_host(root);
	assert_int_equal(commit_read(host, false, &commit, NULL), 0);
	assert_null(row_of(&commit, 12));
	assert_true(commit.hides);
}

static void fails_where_proc_lists_nobody(void **state)
{
	struct root *root = machine_new();
	AUTO(host_free_p) struct cgpol_host *host = open_host(root);
	struct commit commit = {.rows = 0};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(commit_read(host, false, &commit, &err), -ESRCH);
	assert_int_equal(err.kind, CGPOL_FAILED);
	fakeroot_fail(root, "/proc", EACCES);
	assert_int_equal(commit_read(host, false, &commit, &err), -EACCES);
}

/* Any file may vanish or fail: the others are still ranked, and what is missing is counted. */
static void bears_a_failure_of_any_access(void **state)
{
	static const int errnums[] = {ENOENT, EACCES, ENOMEM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 1;; n++) {
			struct root *root = populated();
			AUTO(host_free_p) struct cgpol_host *host = open_host(root);
			AUTO(commit_clear) struct commit commit = {.rows = 0};
			unsigned before = fakeroot_accesses(root);
			int rc;

			fakeroot_fail_nth(root, n, errnums[i]);
			rc = commit_read(host, false, &commit, NULL);
			if (rc < 0)
				assert_true(commit.rows == 0 && (n == 1 || errnums[i] == ENOMEM));
			else
				assert_true(commit.rows >= 4);
			if (fakeroot_accesses(root) - before < n) {
				assert_int_equal(rc, 0);
				break;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_figure),
		cmocka_unit_test(does_without_what_older_kernels_lack),
		cmocka_unit_test(names_the_file_that_is_at_fault),
		cmocka_unit_test(ranks_processes_and_cgroups),
		cmocka_unit_test(counts_an_mm_once),
		cmocka_unit_test(estimates_what_it_may_not_read),
		cmocka_unit_test(looks_through_a_thread_when_the_leader_has_exited),
		cmocka_unit_test(leaves_out_the_reader_and_tells_what_may_be_hidden),
		cmocka_unit_test(fails_where_proc_lists_nobody),
		cmocka_unit_test(bears_a_failure_of_any_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
