/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fake kernel answers as tests/contract/rules.txt says. Called with "--kernel FILE" this program plays
 * the rules on the kernel that runs it instead, and changes its cgroups: only in the guest. */
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "contract.h"
#include "fakekernel.h"
#include "host/proc.h"
#include "test.h"

static char *read_rules(const char *path)
{
	AUTO(fclose_p) FILE *file = fopen(path, "re");
	char *text = calloc(1, 1 << 20);

	if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0)
		abort();
	return text;
}

static int start_fake(struct root *root, const char *path, struct contract_task *task)
{
	static pid_t last = 100;
	const char *cgroup = path + strlen("/sys/fs/cgroup");
	int rc = fakekernel_start(root, cgroup, last + 1);

	if (rc < 0)
		return rc;
	task->pid = ++last;
	if (task->has_thread) {
		task->tid = ++last;
		assert_int_equal(fakekernel_thread(root, task->pid, task->tid), 0);
	}
	if (task->bytes > 0)
		fakekernel_use(root, cgroup, 0, task->bytes, 0);
	return 0;
}

static void end_fake(struct root *root, pid_t pid)
{
	fakekernel_end(root, pid);
}

/* What parent and child tell each other. */
struct shared {
	atomic_int tid; /* of the second thread */
	atomic_int is_ready;
};

static void *run_thread(void *arg)
{
	struct shared *shared = arg;

	atomic_store(&shared->tid, (int)syscall(SYS_gettid));
	for (;;)
		(void)pause();
	return NULL;
}

static _Noreturn void run_child(const struct contract_task *task, struct shared *shared)
{
	AUTO(fclose_p) FILE *adj = fopen("/proc/self/oom_score_adj", "we");
	pthread_t thread;
	char *memory;

	if (!adj || fputs("0", adj) < 0 || fflush(adj) != 0)
		_exit(1);
	memory = mmap(NULL, task->bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		_exit(1);
	memset(memory, 1, task->bytes);
	if (task->has_thread && pthread_create(&thread, NULL, run_thread, shared) != 0)
		_exit(1);
	while (task->has_thread && atomic_load(&shared->tid) == 0)
		(void)sched_yield();
	atomic_store(&shared->is_ready, 1);
	for (;;)
		(void)pause();
}

static int start_real(struct root *root, const char *path, struct contract_task *task)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	AUTO(close_p) int fd = root_open_directory(root, path);
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (unsigned long long)fd};
	long rc;

	if (fd < 0)
		return fd;
	if (shared == MAP_FAILED)
		return -ENOMEM;
	rc = syscall(SYS_clone3, &args, sizeof(args));
	if (rc == 0)
		run_child(task, shared);
	if (rc < 0)
		return -errno;
	/* A child that failed is gone. */
	while (!atomic_load(&shared->is_ready) && kill((pid_t)rc, 0) == 0)
		(void)sched_yield();
	task->pid = (pid_t)rc;
	task->tid = atomic_load(&shared->tid);
	(void)munmap(shared, sizeof(*shared));
	return 0;
}

static void end_real(struct root *root, pid_t pid)
{
	(void)root;
	(void)kill(pid, SIGKILL);
	/* Nobody has to wait for it (SIGCHLD is ignored), but its cgroup is to be empty. */
	while (kill(pid, 0) == 0)
		(void)sched_yield();
}

static int play_on_kernel(const char *path)
{
	static const struct contract_processes processes = {start_real, end_real};
	AUTO(free_p) char *rules = read_rules(path);
	struct cgpol_error err = {0};
	unsigned played = 0;
	struct root *root;
	int wrong;

	(void)signal(SIGCHLD, SIG_IGN);
	if (root_open("/", &root, &err) < 0) {
		(void)fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	wrong = contract_play(root, &processes, rules, stdout, &played);
	(void)printf("%u answers, %d differ\n", played, wrong);
	root_free(root);
	return wrong == 0 ? 0 : 1;
}

static void the_rules_hold(void **state)
{
	static const struct contract_processes processes = {start_fake, end_fake};
	AUTO(free_p) char *rules = read_rules(TESTS_DIR "/contract/rules.txt");
	struct root *root = fakekernel_new(NULL);
	unsigned played = 0;

	(void)state;
	fakekernel_machine(root, "0-3", "0-3", "0-3", "0-3");
	assert_int_equal(contract_play(root, &processes, rules, stderr, &played), 0);
	assert_true(played > 300);
	root_free(root);
}

static void a_rule_that_does_not_hold_is_told(void **state)
{
	static const struct contract_processes processes = {start_fake, end_fake};
	struct root *root = fakekernel_new(NULL);
	unsigned played = 0;
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(
		contract_play(root, &processes, "mkdir /a = EBUSY\nmkdir /a = EEXIST\n", out, &played), 1);
	assert_int_equal(contract_play(root, &processes, "what /a = ok\n", out, &played), -1);
	(void)fclose(out);
	assert_string_equal(text, "line 1: mkdir /a : expected EBUSY, got ok\nline 1 is not understood\n");
	root_free(root);
}

static void the_nth_access_fails(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *text = NULL;

	(void)state;
	fakekernel_fail_nth(root, FAKEKERNEL_CHANGES, 2, EIO);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/a"), 0);
	assert_int_equal(root_read(root, "/sys/fs/cgroup/a/cgroup.procs", &text, NULL), 0);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/b"), -EIO);
	assert_int_equal(root_mkdir(root, "/sys/fs/cgroup/b"), 0);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_CHANGES), 3);
	assert_int_equal(fakekernel_accesses(root, FAKEKERNEL_READS), 1);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/b", EACCES);
	assert_int_equal(root_rmdir(root, "/sys/fs/cgroup/b"), -EACCES);
	fakekernel_fail(root, FAKEKERNEL_CHANGES, "/sys/fs/cgroup/b", 0);
	assert_int_equal(root_rmdir(root, "/sys/fs/cgroup/b"), 0);
	root_free(root);
}

static void attributes_and_directories_are_there(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *value = NULL;
	struct root_info info;
	int fd;

	(void)state;
	fakekernel_cgroup(root, "/a/b", "memory.max=8192", NULL);
	assert_int_equal(root_get_xattr(root, "/sys/fs/cgroup/a/b", "user.x", &value), -ENODATA);
	assert_int_equal(root_set_xattr(root, "/sys/fs/cgroup/a/b", "user.x", "1"), 0);
	assert_int_equal(root_set_xattr(root, "/sys/fs/cgroup/a/b", "user.x", "2"), 0);
	assert_int_equal(root_get_xattr(root, "/sys/fs/cgroup/a/b", "user.x", &value), 0);
	assert_string_equal(value, "2");
	assert_int_equal(root_stat(root, "/sys/fs/cgroup/a/b", &info), 0);
	assert_int_equal(info.inode, 3);
	fd = root_open_directory(root, "/sys/fs/cgroup/a/b");
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(root_open_directory(root, "/sys/fs/cgroup/x"), -ENOENT);
	root_free(root);
}

static void expect(struct root *root, const char *path, const char *text)
{
	AUTO(free_p) char *found = NULL;

	assert_int_equal(root_read(root, path, &found, NULL), 0);
	assert_string_equal(found, text);
}

#define CG "/sys/fs/cgroup"

static void processes_have_their_files(void **state)
{
	struct root *root = fakekernel_new(NULL);
	struct cgpol_host *host;
	AUTO(proc_status_clear) struct proc_status status = {0};
	struct proc_stat stat;
	pid_t *pids, *tids;
	size_t count;
	int adj;

	(void)state;
	fakekernel_put(root, "/proc/7/comm", "by hand\n");
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 7), 0);
	assert_int_equal(fakekernel_thread(root, 7, 8), 0);
	fakekernel_comm(root, 7, "db");
	assert_int_equal(fakekernel_fork(root, 7, 9), 0);
	assert_int_equal(fakekernel_fork(root, 70, 10), -ESRCH);
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	assert_int_equal(proc_list(host, &pids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(pids[1], 9);
	free(pids);
	assert_int_equal(proc_threads(host, 7, &tids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(tids[1], 8);
	free(tids);
	assert_int_equal(proc_read_stat(host, 9, &stat), 0);
	assert_string_equal(stat.comm, "db");
	assert_int_equal(stat.ppid, 7);
	assert_true(stat.start_time > 1000);
	assert_int_equal(proc_read_thread_status(host, 7, 8, &status), 0);
	assert_int_equal(status.tgid, 7);
	assert_int_equal(status.threads, 2);
	assert_int_equal(proc_read_adj(host, 7, &adj), 0);
	assert_int_equal(adj, 0);
	expect(root, "/proc/7/comm", "by hand");
	expect(root, "/proc/7/task/8/comm", "db");
	fakekernel_end(root, 8);
	assert_int_equal(proc_read_stat(host, 8, &stat), -ENOENT);
	fakekernel_end(root, 7);
	expect(root, CG "/a/cgroup.procs", "9");
	cgpol_host_free(host);
}

static void processes_behave_as_they_are_told(void **state)
{
	struct root *root = fakekernel_new(NULL);

	(void)state;
	fakekernel_cgroup(root, "/a/b", NULL);
	for (pid_t pid = 10; pid < 15; pid++)
		assert_int_equal(fakekernel_start(root, "/a/b", pid), 0);
	fakekernel_behave(root, 11, FAKEKERNEL_STUCK);
	fakekernel_behave(root, 12, FAKEKERNEL_KTHREAD);
	fakekernel_behave(root, 13, FAKEKERNEL_FOREIGN);
	fakekernel_behave(root, 14, FAKEKERNEL_ZOMBIE);
	expect(root, CG "/a/b/cgroup.procs", "10\n11\n12\n13");
	assert_int_equal(root_write(root, CG "/cgroup.procs", "12"), -EINVAL);
	assert_int_equal(root_write(root, CG "/cgroup.procs", "13"), -EACCES);
	assert_int_equal(root_write(root, CG "/cgroup.procs", "14"), 0);
	assert_int_equal(root_write(root, "/proc/13/oom_score_adj", "1"), -EACCES);
	assert_string_equal(fakekernel_where(root, 14), "/a/b");
	assert_null(fakekernel_where(root, 99));
	assert_int_equal(root_write(root, CG "/a/cgroup.freeze", "1"), 0);
	expect(root, CG "/a/cgroup.events", "populated 1\nfrozen 0");
	fakekernel_end(root, 11);
	fakekernel_end(root, 12);
	expect(root, CG "/a/cgroup.events", "populated 1\nfrozen 1");
	assert_int_equal(root_write(root, CG "/a/cgroup.kill", "1"), 0);
	expect(root, CG "/a/b/cgroup.procs", "13");
	fakekernel_end(root, 13);
	assert_int_equal(root_rmdir(root, CG "/a/b"), 0);
	expect(root, "/proc/14/cgroup", "0::/ (deleted)");
	root_free(root);
}

static void descriptors_of_processes_tell_their_end(void **state)
{
	struct root *root = fakekernel_new(NULL);
	struct pollfd waiting = {.events = POLLIN};
	int other;

	(void)state;
	assert_int_equal(root_open_process(root, 7), -ESRCH);
	assert_int_equal(fakekernel_start(root, "/", 7), 0);
	assert_int_equal(fakekernel_start(root, "/", 8), 0);
	fakekernel_behave(root, 7, FAKEKERNEL_IGNORES);
	waiting.fd = root_open_process(root, 7);
	other = root_open_process(root, 8);
	assert_int_equal(root_signal(root, waiting.fd, 0), 0);
	assert_int_equal(root_signal(root, waiting.fd, SIGTERM), 0);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(root_signal(root, waiting.fd, SIGKILL), 0);
	assert_int_equal(poll(&waiting, 1, 0), 1);
	assert_int_equal(waiting.revents & POLLIN, POLLIN);
	assert_int_equal(root_signal(root, waiting.fd, 0), -ESRCH);
	/* Its number is used again, which is none of its. */
	assert_int_equal(fakekernel_start(root, "/", 7), 0);
	assert_int_equal(root_signal(root, waiting.fd, SIGKILL), -ESRCH);
	assert_string_equal(fakekernel_where(root, 7), "/");
	assert_int_equal(root_signal(root, other, SIGTERM), 0);
	assert_null(fakekernel_where(root, 8));
	assert_int_equal(root_signal(root, STDIN_FILENO, SIGTERM), -EBADF);
	(void)close(waiting.fd);
	(void)close(other);
	root_free(root);
}

static void watched_files_tell_their_changes(void **state)
{
	struct root *root = fakekernel_new(NULL);
	const char *paths[] = {CG "/a/cgroup.events", CG "/a/memory.events"};
	struct pollfd waiting = {.events = POLLIN};
	char event[4096];

	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	waiting.fd = root_watch(root, paths, 2);
	assert_true(waiting.fd >= 0);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(fakekernel_start(root, "/a", 7), 0);
	assert_int_equal(poll(&waiting, 1, 0), 1);
	assert_true(read(waiting.fd, event, sizeof(event)) > 0);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	assert_int_equal(root_write(root, CG "/a/memory.high", "8192"), 0);
	assert_int_equal(poll(&waiting, 1, 0), 0);
	fakekernel_end(root, 7);
	assert_int_equal(poll(&waiting, 1, 0), 1);
	(void)close(waiting.fd);
	paths[1] = CG "/b/cgroup.events";
	assert_int_equal(root_watch(root, paths, 2), -ENOENT);
	root_free(root);
}

static void memory_is_reclaimed_as_far_as_it_goes(void **state)
{
	struct root *root = fakekernel_new(NULL);

	(void)state;
	fakekernel_cgroup(root, "/a/b", NULL);
	fakekernel_use(root, "/a/b", 0, 40960, 8192);
	fakekernel_use(root, "/a/b", 1, 4096, 0);
	expect(root, CG "/a/memory.current", "53248");
	expect(root, CG "/a/memory.numa_stat", "anon N0=40960 N1=4096\nfile N0=8192 N1=0");
	/* All that is file goes; there is no swap for the rest. */
	assert_int_equal(root_write(root, CG "/a/memory.reclaim", "4096"), 0);
	expect(root, CG "/a/b/memory.current", "49152");
	assert_int_equal(root_write(root, CG "/a/memory.reclaim", "8192"), -EAGAIN);
	expect(root, CG "/a/memory.current", "45056");
	fakekernel_swap(root, 8192);
	assert_int_equal(root_write(root, CG "/a/b/memory.swap.max", "4096"), 0);
	assert_int_equal(root_write(root, CG "/a/memory.high", "4096"), 0);
	expect(root, CG "/a/memory.current", "40960");
	expect(root, CG "/a/memory.swap.current", "4096");
	assert_int_equal(fakekernel_oom_kills(root), 0);
	assert_int_equal(root_write(root, CG "/a/b/memory.swap.max", "max"), 0);
	fakekernel_pin(root, "/a/b", 40960);
	assert_int_equal(root_write(root, CG "/a/memory.reclaim", "4096"), -EAGAIN);
	root_free(root);
}

static void memory_max_kills_when_nothing_can_be_reclaimed(void **state)
{
	struct root *root = fakekernel_new(NULL);

	(void)state;
	fakekernel_cgroup(root, "/a/b", NULL);
	fakekernel_use(root, "/a/b", 0, 32768, 4096);
	for (pid_t pid = 7; pid < 9; pid++)
		assert_int_equal(fakekernel_start(root, "/a/b", pid), 0);
	assert_int_equal(fakekernel_start(root, "/a/b", 9), 0);
	assert_int_equal(root_write(root, "/proc/9/oom_score_adj", "-1000"), 0);
	assert_int_equal(root_write(root, CG "/a/memory.max", "32768"), 0);
	assert_int_equal(fakekernel_oom_kills(root), 0);
	assert_int_equal(root_write(root, CG "/a/memory.max", "24576"), 0);
	assert_int_equal(fakekernel_oom_kills(root), 1);
	expect(root, CG "/a/memory.events", "low 0\nhigh 0\nmax 0\noom 1\noom_kill 1");
	expect(root, CG "/a/memory.events.local", "low 0\nhigh 0\nmax 0\noom 1\noom_kill 0");
	assert_int_equal(root_write(root, CG "/a/memory.max", "0"), 0);
	assert_int_equal(fakekernel_oom_kills(root), 2);
	expect(root, CG "/a/b/cgroup.procs", "9");
	root_free(root);
}

static void a_dead_cgpol_changes_nothing_any_more(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 7), 0);
	fakekernel_crash_after(root, 2);
	assert_int_equal(root_mkdir(root, CG "/b"), 0);
	before = fakekernel_dump(root);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(root_write(root, CG "/b/cgroup.procs", "7"), -EIO);
		assert_int_equal(root_rmdir(root, CG "/b"), -EIO);
		assert_int_equal(root_save(root, "/etc/file", "a"), -EIO);
		assert_int_equal(root_chown(root, CG "/b", 1, 1), -EIO);
	}
	after = fakekernel_dump(root);
	assert_string_equal(after, before);
	expect(root, CG "/a/cgroup.procs", "7");
	fakekernel_crash_after(root, 0);
	assert_int_equal(root_rmdir(root, CG "/b"), 0);
	root_free(root);
}

static void settings_and_files_are_written(void **state)
{
	struct root *root = fakekernel_new(NULL);

	(void)state;
	assert_int_equal(root_write(root, "/proc/sys/vm/overcommit_kbytes", "1000\n"), 0);
	expect(root, "/proc/sys/vm/overcommit_ratio", "0");
	assert_int_equal(root_write(root, "/proc/sys/vm/swappiness", ""), -EINVAL);
	fakekernel_put(root, "/sys/node0", "1\n");
	assert_int_equal(root_write(root, "/sys/node0", "2"), -EACCES);
	fakekernel_writable(root, "/sys/node0");
	assert_int_equal(root_write(root, "/sys/node0", "2"), 0);
	expect(root, "/sys/node0", "2");
	assert_int_equal(root_write(root, "/sys/node1", "2"), -ENOENT);
	assert_int_equal(root_save(root, "/etc/sysctl.d/60-a.conf", "vm.swappiness = 10\n"), 0);
	expect(root, "/etc/sysctl.d/60-a.conf", "vm.swappiness = 10");
	assert_int_equal(root_save(root, "/etc/none/a", "b"), -ENOENT);
	assert_int_equal(root_save(root, "/etc/sysctl.d", "b"), -EISDIR);
	assert_int_equal(root_save(root, "/proc/a", "b"), -EACCES);
	root_free(root);
}

/* Whatever can be changed shows in the dump, and is as before when it is taken back. */
static void the_dump_shows_every_change(void **state)
{
	static const char *const change[][3] = {
		{CG "/a/memory.max", "8192", "max"}, {CG "/a/cgroup.freeze", "1", "0"},
		{CG "/b/cgroup.procs", "7", NULL},   {CG "/a/cgroup.procs", "7", NULL},
		{"/proc/7/oom_score_adj", "5", "0"}, {"/proc/sys/vm/swappiness", "1", "60"},
	};
	struct root *root = fakekernel_new(NULL);
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(free_p) char *first = NULL;
	AUTO(free_p) char *last = NULL;

	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	fakekernel_cgroup(root, "/b", NULL);
	for (pid_t pid = 7; pid < 9; pid++)
		assert_int_equal(fakekernel_start(root, "/a", pid), 0);
	first = fakekernel_dump(root);
	for (size_t i = 0; i < ARRAY_SIZE(change); i++) {
		AUTO(free_p) char *before = fakekernel_dump(root);
		AUTO(free_p) char *after = NULL;

		assert_int_equal(root_write(root, change[i][0], change[i][1]), 0);
		after = fakekernel_dump(root);
		assert_string_not_equal(before, after);
		if (change[i][2])
			assert_int_equal(root_write(root, change[i][0], change[i][2]), 0);
	}
	last = fakekernel_dump(root);
	assert_string_equal(last, first);
	assert_int_equal(root_chown(root, CG "/a/cgroup.procs", 1, 2), 0);
	assert_int_equal(root_set_xattr(root, CG "/a", "user.a", "b"), 0);
	assert_int_equal(nodeset_add(&cpus, 2), 0);
	assert_int_equal(root_set_affinity(root, 8, &cpus), 0);
	free(last);
	last = fakekernel_dump(root);
	assert_non_null(strstr(last, "/a/cgroup.procs: 7 8 owner=1:2\n"));
	assert_non_null(strstr(last, "/a/ user.a=b\n"));
	assert_non_null(strstr(last, "cgroup=/a cpus=2 oom_score_adj=0"));
	root_free(root);
}

static void a_cgroup_made_again_has_the_same_settings(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	fakekernel_cgroup(root, "/b", NULL);
	before = fakekernel_dump_settings(root);
	assert_int_equal(root_rmdir(root, CG "/a"), 0);
	assert_int_equal(root_mkdir(root, CG "/a"), 0);
	fakekernel_use(root, "/a", 0, 4096, 0);
	after = fakekernel_dump_settings(root);
	assert_string_equal(after, before);
	root_free(root);
}

static void start_another(void *arg, unsigned access, const char *path)
{
	struct root *root = arg;

	if (access == FAKEKERNEL_READS && strcmp(path, CG "/a/cgroup.procs") == 0) {
		assert_int_equal(fakekernel_fork(root, 7, 8), 0);
		fakekernel_hook(root, NULL, NULL);
	}
}

static void others_act_between_two_accesses(void **state)
{
	struct root *root = fakekernel_new(NULL);

	(void)state;
	fakekernel_cgroup(root, "/a", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 7), 0);
	fakekernel_hook(root, start_another, root);
	expect(root, CG "/a/cgroup.events", "populated 1\nfrozen 0");
	expect(root, CG "/a/cgroup.procs", "7\n8");
	expect(root, CG "/a/cgroup.procs", "7\n8");
	root_free(root);
}

static void other_kernels_have_other_files(void **state)
{
	struct root *root = fakekernel_new(NULL);
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct root_info info;

	(void)state;
	fakekernel_cgroup(root, "/a", "cpuset.cpus=0-1", NULL);
	assert_int_equal(fakekernel_start(root, "/a", 7), 0);
	assert_int_equal(nodeset_add(&cpus, 1), 0);
	assert_int_equal(nodeset_add(&cpus, 3), 0);
	assert_int_equal(root_stat(root, CG "/a/memory.reclaim", &info), 0);
	fakekernel_release(root, "5.10.0-46");
	assert_int_equal(root_stat(root, CG "/a/memory.reclaim", &info), -ENOENT);
	assert_int_equal(root_write(root, CG "/a/cgroup.kill", "1"), -ENOENT);
	assert_string_equal(root->facts.release, "5.10.0-46");
	fakekernel_release(root, "6.12");
	assert_int_equal(root_set_affinity(root, 7, &cpus), 0);
	assert_int_equal(root_write(root, CG "/a/cpuset.cpus", "2-3"), 0);
	AUTO(free_p) char *text = fakekernel_dump(root);
	assert_non_null(strstr(text, "cgroup=/a cpus=3 "));
	root_free(root);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rules_hold),
		cmocka_unit_test(a_rule_that_does_not_hold_is_told),
		cmocka_unit_test(the_nth_access_fails),
		cmocka_unit_test(attributes_and_directories_are_there),
		cmocka_unit_test(processes_have_their_files),
		cmocka_unit_test(processes_behave_as_they_are_told),
		cmocka_unit_test(descriptors_of_processes_tell_their_end),
		cmocka_unit_test(watched_files_tell_their_changes),
		cmocka_unit_test(memory_is_reclaimed_as_far_as_it_goes),
		cmocka_unit_test(memory_max_kills_when_nothing_can_be_reclaimed),
		cmocka_unit_test(a_dead_cgpol_changes_nothing_any_more),
		cmocka_unit_test(settings_and_files_are_written),
		cmocka_unit_test(the_dump_shows_every_change),
		cmocka_unit_test(a_cgroup_made_again_has_the_same_settings),
		cmocka_unit_test(others_act_between_two_accesses),
		cmocka_unit_test(other_kernels_have_other_files),
	};

	if (argc == 3 && strcmp(argv[1], "--kernel") == 0)
		return play_on_kernel(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
