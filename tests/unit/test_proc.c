/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes as values: /proc/PID/status, stat and their like as the kernel prints them, and as nobody should.
 */
#include "test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sys/prctl.h>

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/proc.h"

/* Debian 6.12, shortened by lines that are not read. */
#define STATUS_HEAD                                        \
	"Name:\thog\nUmask:\t0022\nState:\tS (sleeping)\n" \
	"Tgid:\t142\nNgid:\t0\nPid:\t142\nPPid:\t132\n"
#define STATUS_MEMORY                                                                                 \
	"VmPeak:\t    3028 kB\nVmSize:\t    3024 kB\nVmLck:\t      16 kB\nVmHWM:\t    2704 kB\n"      \
	"VmRSS:\t    2704 kB\nRssAnon:\t    2052 kB\nRssFile:\t       4 kB\nRssShmem:\t     648 kB\n" \
	"VmPTE:\t      40 kB\nVmSwap:\t      12 kB\nHugetlbPages:\t    2048 "                         \
	"kB\nCoreDumping:\t0\nTHP_enabled:\t1\n"
#define STATUS_TAIL                                                                              \
	"Threads:\t3\nSigQ:\t0/3875\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000000000\n"     \
	"SigBlk:\t0000000000000100\nMems_allowed:\t00000000,0000000f\nMems_allowed_list:\t0-3\n" \
	"voluntary_ctxt_switches:\t2\n"

static void reads_a_status(void **state)
{
	AUTO(proc_status_clear) struct proc_status status = {0};

	(void)state;
	assert_int_equal(proc_status_parse(STATUS_HEAD STATUS_MEMORY STATUS_TAIL, &status), 0);
	assert_int_equal(status.tgid, 142);
	assert_int_equal(status.ppid, 132);
	assert_int_equal(status.state, 'S');
	assert_true(status.has_mm);
	assert_int_equal(status.rss_anon, 2052 * 1024);
	assert_int_equal(status.rss_file, 4 * 1024);
	assert_int_equal(status.rss_shmem, 648 * 1024);
	assert_int_equal(status.swap, 12 * 1024);
	assert_int_equal(status.pgtables, 40 * 1024);
	assert_int_equal(status.hugetlb, 2048 * 1024);
	assert_int_equal(status.locked, 16 * 1024);
	assert_int_equal(status.vm_size, 3024 * 1024);
	assert_int_equal(status.threads, 3);
	assert_false(status.is_dying); /* SigBlk is not pending */
	assert_false(status.is_dumping);
	assert_string_equal(status.mems, "0-3");
}

static void sees_a_process_without_memory(void **state)
{
	AUTO(proc_status_clear) struct proc_status status = {0};

	(void)state;
	assert_int_equal(proc_status_parse(STATUS_HEAD STATUS_TAIL, &status), 0);
	assert_false(status.has_mm);
	assert_int_equal(status.rss_anon, 0);
}

static void takes_all_as_anonymous_before_4_5(void **state)
{
	AUTO(proc_status_clear) struct proc_status status = {0};

	(void)state;
	assert_int_equal(proc_status_parse(STATUS_HEAD "VmRSS:\t    2704 kB\nThreads:\t1\n", &status), 0);
	assert_true(status.has_mm);
	assert_int_equal(status.rss_anon, 2704 * 1024);
	assert_null(status.mems); /* and no cpusets */
}

static void sees_a_kill_that_is_pending(void **state)
{
	static const struct {
		const char *lines;
		bool is_dying;
	} cases[] = {
		{"SigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n", true},
		{"SigPnd:\t0000000000000000\nShdPnd:\t0000000000000100\n", true},
		{"SigPnd:\t0000000000000300\nShdPnd:\t0000000000000000\n", true},
		{"SigPnd:\t0000000000000000\nShdPnd:\t0000000000004b00\n", true},
		{"SigPnd:\t0000000000004200\nShdPnd:\t0000000000000000\n", false}, /* SIGTERM, SIGUSR1 */
		{"SigPnd:\t0000000000000001\nShdPnd:\t0000000000000010\n", false},
		/* 128 signals, as on MIPS */
		{"SigPnd:\t00000000000000000000000000000100\nShdPnd:\t00000000000000000000000000000000\n",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(proc_status_clear) struct proc_status status = {0};
		char text[512];

		(void)snprintf(text, sizeof(text), "%s%s", STATUS_HEAD, cases[i].lines);
		assert_int_equal(proc_status_parse(text, &status), 0);
		assert_int_equal(status.is_dying, cases[i].is_dying);
	}
}

static void refuses_a_malformed_status(void **state)
{
	static const char *const cases[] = {
		"",
		"\n\n\n",
		"Name:\thog\nState:\tS (sleeping)\nTgid:\t1\n", /* no PPid */
		"Name:\thog\nState:\tS (sleeping)\nPPid:\t1\n", /* no Tgid */
		"Tgid:\t1\nPPid:\t1\n",				/* no State */
		"State:\n" STATUS_HEAD,
		"State:\tS\nTgid:\t-1\nPPid:\t1\n",
		"State:\tS\nTgid:\t4294967297\nPPid:\t1\n", /* would wrap to 1 */
		"State:\tS\nTgid:\t1\nPPid:\t99999999999999999999\n",
		STATUS_HEAD "VmRSS:\t-1 kB\n",
		STATUS_HEAD "VmRSS:\t18014398509481984 kB\n", /* 2^54 kB are 2^64 bytes */
		STATUS_HEAD "RssAnon:\t18446744073709551616 kB\n",
		STATUS_HEAD "VmSwap:\tmany kB\n",
		STATUS_HEAD "VmPTE:\n",
		STATUS_HEAD "Threads:\t1x\n",
		STATUS_HEAD "SigPnd:\t00000000000001G0\n",
		STATUS_HEAD "ShdPnd:\t1\n",
		STATUS_HEAD "CoreDumping:\tno\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct proc_status status = {.tgid = 77};

		if (proc_status_parse(cases[i], &status) != -EINVAL)
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(status.tgid, 77);
		assert_null(status.mems);
	}
}

static void takes_the_largest_size_that_fits(void **state)
{
	AUTO(proc_status_clear) struct proc_status status = {0};

	(void)state;
	assert_int_equal(proc_status_parse(STATUS_HEAD "VmSwap:\t18014398509481983 kB\n", &status), 0);
	assert_true(status.swap == UINT64_MAX - 1023);
}

/* Debian 6.12. */
#define STAT_REST                                                                                       \
	" S 132 132 132 0 -1 4194560 609 0 0 0 0 17 0 0 20 0 1 0 350 3100672 676 18446744073709551615 " \
	"4198400 4689201 140736515780448 0 0 0 0 6 0 0 0 0 17 3 0 0 0 0 0 4851416 4874864 164200448 "   \
	"140736515788682 140736515788688 140736515788688 140736515788783 0"

static void reads_a_stat(void **state)
{
	struct proc_stat stat;

	(void)state;
	assert_int_equal(proc_stat_parse("142 (hog)" STAT_REST, &stat), 0);
	assert_string_equal(stat.comm, "hog");
	assert_int_equal(stat.state, 'S');
	assert_int_equal(stat.ppid, 132);
	assert_int_equal(stat.flags, 4194560);
	assert_false(stat.flags & PROC_KTHREAD);
	assert_int_equal(stat.start_time, 350);
	assert_true(stat.start_stack == 140736515780448);
	assert_true(stat.arg_start == 140736515788682);
}

static void finds_the_name_whatever_it_holds(void **state)
{
	static const struct {
		const char *stat, *comm;
	} cases[] = {
		{"4503 ((sd-pam))" STAT_REST, "(sd-pam)"},
		{"1 ()" STAT_REST, ""},
		{"1 (()" STAT_REST, "("},
		{"1 (Plex Media Server)" STAT_REST, "Plex Media Server"},
		{"1 (a) R 1 1 1 (b)" STAT_REST, "a) R 1 1 1 (b"},
		{"1 (a\nb)" STAT_REST, "a\nb"},
		{"1 (a\\nb\\)" STAT_REST, "a\\nb\\"},
		{"1 (\x1b[31m)" STAT_REST, "\x1b[31m"},
		/* the longest: a kernel thread's name, 63 bytes */
		{"9 (kworker/u8:1-events_unbound_with_a_name_that_fills_it_all_0123)" STAT_REST,
		 "kworker/u8:1-events_unbound_with_a_name_that_fills_it_all_0123"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct proc_stat stat;

		assert_int_equal(proc_stat_parse(cases[i].stat, &stat), 0);
		assert_string_equal(stat.comm, cases[i].comm);
		assert_int_equal(stat.ppid, 132);
	}
}

/* The kernel escapes a name in status but not in stat: asked of the kernel that runs this test. */
static void reads_the_name_as_this_kernel_prints_it(void **state)
{
	static const char name[] = "a\nb)\\n\\";
	struct proc_stat stat;
	char text[1024], old[16];
	FILE *file;

	(void)state;
	assert_int_equal(prctl(PR_GET_NAME, old), 0);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
	file = fopen("/proc/self/stat", "re");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	assert_int_equal(fclose(file), 0);
	assert_int_equal(prctl(PR_SET_NAME, old), 0);
	assert_int_equal(proc_stat_parse(text, &stat), 0);
	assert_string_equal(stat.comm, name);
}

static void reads_a_stat_without_its_later_fields(void **state)
{
	struct proc_stat stat;

	(void)state;
	/* Linux 2.4: up to 41 fields */
	assert_int_equal(
		proc_stat_parse("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 17 0 0", &stat),
		0);
	assert_true(stat.flags & PROC_KTHREAD);
	assert_int_equal(stat.start_time, 17);
	assert_int_equal(stat.arg_start, 0);
}

static void refuses_a_malformed_stat(void **state)
{
	static const char *const cases[] = {
		"",
		"142",
		"142 hog S 1",
		"142 )hog( S 1",
		"142 (hog) S 132 132 132 0 -1 4194560 609 0 0 0 0 17 0 0 20 0 1 0", /* cut before the start */
		"142 (hog) S -1 132 132 0 -1 4194560 609 0 0 0 0 17 0 0 20 0 1 0 350",
		"142 (hog) S 4294967297 132 132 0 -1 4194560 609 0 0 0 0 17 0 0 20 0 1 0 350",
		"142 (hog) S 1 132 132 0 -1 4194560 609 0 0 0 0 17 0 0 20 0 1 0 18446744073709551616",
		"142 (hog) S 1 132 132 0 -1 flags 609 0 0 0 0 17 0 0 20 0 1 0 350",
		"142 (0123456789012345678901234567890123456789012345678901234567890123456789)" STAT_REST,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct proc_stat stat = {.ppid = 77};

		if (proc_stat_parse(cases[i], &stat) != -EINVAL)
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(stat.ppid, 77);
	}
}

static struct cgpol_host make_host(struct root *root)
{
	static char mount[] = "/sys/fs/cgroup", top[] = "/";

	return (struct cgpol_host){.root = root, .cgroup2 = mount, .cgroup2_root = top};
}

static void free_root(struct root **root)
{
	root_free(*root);
}

static void lists_processes_and_nothing_else(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	fakeroot_mkdir(root, "/proc/10");
	fakeroot_mkdir(root, "/proc/9");
	fakeroot_mkdir(root, "/proc/sys");
	fakeroot_mkdir(root, "/proc/0");
	fakeroot_mkdir(root, "/proc/7x");
	fakeroot_mkdir(root, "/proc/007");
	fakeroot_mkdir(root, "/proc/4194304");
	fakeroot_mkdir(root, "/proc/4294967306"); /* would wrap to 10 */
	fakeroot_put(root, "/proc/11", "a file");
	assert_int_equal(proc_list(&host, &pids, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(pids[0], 9);
	assert_int_equal(pids[1], 10);
	assert_int_equal(pids[2], 4194304);
}

static void lists_the_threads_of_a_process(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;

	(void)state;
	fakeroot_mkdir(root, "/proc/9/task/100");
	fakeroot_mkdir(root, "/proc/9/task/9");
	assert_int_equal(proc_threads(&host, 9, &tids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(tids[0], 9);
	assert_int_equal(tids[1], 100);
	assert_true(proc_is_gone(proc_threads(&host, 8, &tids, &count)));
}

static void reads_a_leader_by_its_process(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	AUTO(proc_status_clear) struct proc_status leader = {0};
	AUTO(proc_status_clear) struct proc_status thread = {0};
	AUTO(free_p) char *whole = NULL;
	AUTO(free_p) char *head = NULL;

	(void)state;
	fakeroot_put(root, "/proc/9/status", "State:\tS\nTgid:\t9\nPPid:\t1\n");
	fakeroot_put(root, "/proc/9/task/10/status", "State:\tR\nTgid:\t9\nPPid:\t1\n");
	fakeroot_put(root, "/proc/9/numa_maps", "00400000 default\n");
	fakeroot_put(root, "/proc/9/task/10/numa_maps", "00400000 bind:1\n");
	assert_int_equal(proc_read_thread_status(&host, 9, 9, &leader), 0);
	assert_int_equal(leader.state, 'S');
	assert_int_equal(proc_read_thread_status(&host, 9, 10, &thread), 0);
	assert_int_equal(thread.state, 'R');
	assert_int_equal(proc_read_numa_maps(&host, 9, 9, false, &whole), 0);
	assert_string_equal(whole, "00400000 default");
	assert_int_equal(proc_read_numa_maps(&host, 9, 10, true, &head), 0);
	assert_int_equal(strncmp(head, "00400000 bind:1", 15), 0);
}

static void reads_small_numbers_within_their_range(void **state)
{
	static const struct {
		const char *text;
		int adj_rc, adj, score_rc, score;
	} cases[] = {
		{"-1000\n", 0, -1000, -EINVAL, 0},
		{"1000\n", 0, 1000, 0, 1000},
		{"0", 0, 0, 0, 0},
		{"1333", -EINVAL, 0, 0, 1333}, /* oom_score of adj 1000 and all memory */
		{"-1001", -EINVAL, 0, -EINVAL, 0},
		{"4294967296", -EINVAL, 0, -EINVAL, 0},
		{"99999999999999999999", -EINVAL, 0, -EINVAL, 0},
		{"", -EINVAL, 0, -EINVAL, 0},
		{"1 2", -EINVAL, 0, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_root) struct root *root = fakeroot_new();
		struct cgpol_host host = make_host(root);
		int adj = 0, score = 0;

		fakeroot_put(root, "/proc/9/oom_score_adj", cases[i].text);
		fakeroot_put(root, "/proc/9/oom_score", cases[i].text);
		assert_int_equal(proc_read_adj(&host, 9, &adj), cases[i].adj_rc);
		assert_int_equal(adj, cases[i].adj);
		assert_int_equal(proc_read_score(&host, 9, &score), cases[i].score_rc);
		assert_int_equal(score, cases[i].score);
	}
}

static void reads_resident_pages(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	uint64_t pages = 0;

	(void)state;
	fakeroot_put(root, "/proc/9/statm", "757 676 163 120 0 587 0\n");
	fakeroot_put(root, "/proc/10/statm", "757\n");
	fakeroot_put(root, "/proc/11/statm", "757 -3 1\n");
	assert_int_equal(proc_read_resident(&host, 9, &pages), 0);
	assert_int_equal(pages, 676);
	assert_int_equal(proc_read_resident(&host, 10, &pages), -EINVAL);
	assert_int_equal(proc_read_resident(&host, 11, &pages), -EINVAL);
	assert_int_equal(pages, 676);
}

static void reads_the_cgroup(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	AUTO(free_p) char *name = NULL;

	(void)state;
	fakeroot_put(root, "/proc/9/cgroup", "1:net_cls:/\n0::/web/db\n");
	assert_int_equal(proc_read_cgroup(&host, 9, &name), 0);
	assert_string_equal(name, "/web/db");
}

static void knows_when_a_process_is_gone(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	struct proc_stat stat;

	(void)state;
	assert_true(proc_is_gone(proc_read_stat(&host, 9, &stat)));
	fakeroot_put(root, "/proc/9/stat", "9 (x)" STAT_REST);
	fakeroot_fail(root, "/proc/9/stat", ESRCH);
	assert_true(proc_is_gone(proc_read_stat(&host, 9, &stat)));
	fakeroot_fail(root, "/proc/9/stat", EACCES);
	assert_int_equal(proc_read_stat(&host, 9, &stat), -EACCES);
	assert_false(proc_is_gone(-EACCES));
	assert_false(proc_is_gone(0));
}

#define ROLLUP(anonymous, clean, dirty, more)                                                            \
	"00400000-7fff0000 ---p 00000000 00:00 0                          [rollup]\n"                    \
	"Rss:             9999999 kB\nPss:             9999999 kB\n" more "Shared_Clean:    " clean      \
	" kB\nShared_Dirty:    " dirty " kB\nPrivate_Clean:    777777 kB\nPrivate_Dirty:    888888 kB\n" \
	"Referenced:            0 kB\nAnonymous:       " anonymous " kB\n"

/* A process of 900 MiB with 40 MiB of file pages that others map, of which a child shares 100 MiB. */
static void bounds_the_anonymous_memory_that_is_shared(void **state)
{
	static const struct {
		const char *text;
		uint64_t kib;
	} cases[] = {
		{ROLLUP("921600", "40960", "102400", ""), 143360},
		/* 800 MiB whole and 100 MiB by halves */
		{ROLLUP("921600", "40960", "102400", "Pss_Anon:        870400 kB\n"), 102400},
		/* 100 MiB by thirds: 834133.3; the bound is looser */
		{ROLLUP("921600", "0", "204800", "Pss_Anon:        853333 kB\n"), 136534},
		{ROLLUP("921600", "0", "102400", "Pss_Anon:        853333 kB\n"), 102400},
		{ROLLUP("921600", "40960", "0", "Pss_Anon:        921600 kB\n"), 0},
		{ROLLUP("921600", "40960", "0", "Pss_Anon:        921601 kB\n"), 0},
		/* much shared memory of files, little that is anonymous */
		{ROLLUP("100", "40960", "8388608", ""), 100},
		{ROLLUP("0", "0", "0", "Pss_Anon:        0 kB\n"), 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t bytes = 1;

		assert_int_equal(proc_shared_anon_parse(cases[i].text, &bytes), 0);
		assert_int_equal(bytes, cases[i].kib * 1024);
	}
}

static void refuses_a_malformed_rollup(void **state)
{
	static const char *const cases[] = {
		"",
		"Shared_Clean: 1 kB\nShared_Dirty: 1 kB\n",
		"Shared_Clean: 1 kB\nAnonymous: 1 kB\n",
		"Shared_Dirty: 1 kB\nAnonymous: 1 kB\n",
		"Shared_Clean: -1 kB\nShared_Dirty: 1 kB\nAnonymous: 1 kB\n",
		"Shared_Clean: 18446744073709551615 kB\nShared_Dirty: 1 kB\nAnonymous: 1 kB\n",
		"Shared_Clean: 18014398509481984\nShared_Dirty: 0\nAnonymous: 18014398509481984\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t bytes = 77;

		assert_int_equal(proc_shared_anon_parse(cases[i], &bytes), -EINVAL);
		assert_int_equal(bytes, 77);
	}
}

static void reads_the_rollup_of_a_thread(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	struct cgpol_host host = make_host(root);
	uint64_t bytes = 0;

	(void)state;
	fakeroot_put(root, "/proc/9/task/10/smaps_rollup", ROLLUP("8", "4", "0", ""));
	assert_int_equal(proc_read_shared_anon(&host, 9, 10, &bytes), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(proc_read_shared_anon(&host, 9, 9, &bytes), -ENOENT);
}

/* The child shares the memory until this process writes to it again. */
static void sees_what_a_child_shares(void **state)
{
	enum { SIZE = 8 << 20, SLACK = 256 << 10 };
	struct cgpol_host *host = NULL;
	uint64_t shared = 0, after = 0;
	char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int rc;

	(void)state;
	assert_true(memory != MAP_FAILED);
	memset(memory, 1, SIZE);
	assert_int_equal(cgpol_host_open("/", &host, NULL), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		for (;;)
			(void)pause();
	rc = proc_read_shared_anon(host, getpid(), getpid(), &shared);
	memset(memory, 2, SIZE);
	if (rc == 0)
		rc = proc_read_shared_anon(host, getpid(), getpid(), &after);
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	(void)munmap(memory, SIZE);
	cgpol_host_free(host);
	if (rc == -ENOENT) /* before 4.14, or without CONFIG_PROC_PAGE_MONITOR */
		skip();
	assert_int_equal(rc, 0);
	assert_true(shared >= SIZE);
	assert_true(after + SIZE <= shared + SLACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_status),
		cmocka_unit_test(sees_a_process_without_memory),
		cmocka_unit_test(takes_all_as_anonymous_before_4_5),
		cmocka_unit_test(sees_a_kill_that_is_pending),
		cmocka_unit_test(refuses_a_malformed_status),
		cmocka_unit_test(takes_the_largest_size_that_fits),
		cmocka_unit_test(reads_a_stat),
		cmocka_unit_test(finds_the_name_whatever_it_holds),
		cmocka_unit_test(reads_the_name_as_this_kernel_prints_it),
		cmocka_unit_test(reads_a_stat_without_its_later_fields),
		cmocka_unit_test(refuses_a_malformed_stat),
		cmocka_unit_test(lists_processes_and_nothing_else),
		cmocka_unit_test(lists_the_threads_of_a_process),
		cmocka_unit_test(reads_a_leader_by_its_process),
		cmocka_unit_test(reads_small_numbers_within_their_range),
		cmocka_unit_test(reads_resident_pages),
		cmocka_unit_test(reads_the_cgroup),
		cmocka_unit_test(knows_when_a_process_is_gone),
		cmocka_unit_test(bounds_the_anonymous_memory_that_is_shared),
		cmocka_unit_test(refuses_a_malformed_rollup),
		cmocka_unit_test(reads_the_rollup_of_a_thread),
		cmocka_unit_test(sees_what_a_child_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
