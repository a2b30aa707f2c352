/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting: what the child is given before exec, what it is not, and each way of failing. On the live
 * machine, without a cgroup; the guest's scenarios have the rest. */
#include "test.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/spawn.h"
#include "base/cleanup.h"

static int refused; /* errno for clone3; 0: as the kernel has it */
static int policy_errno, policy_narrow;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e);
int __real_mempolicy_call(const struct mempolicy_call *call);
int __wrap_mempolicy_call(const struct mempolicy_call *call);
int __wrap_mempolicy_read(int *mode, unsigned long *word, unsigned long maxnode);

long __wrap_syscall(long number, long a, long b, long c, long d, long e)
{
	enum { CLONE3 = 435 }; /* the same number everywhere but on alpha */

	if (number == CLONE3 && refused) {
		errno = refused;
		return -1;
	}
	return __real_syscall(number, a, b, c, d, e);
}

static int call_mode;
static unsigned long call_word;

/* This machine may have one node or none: a kernel with four is played. */
int __wrap_mempolicy_call(const struct mempolicy_call *call)
{
	call_mode = call->mode;
	call_word = call->word ? call->word[0] : 0;
	return -policy_errno;
}

int __wrap_mempolicy_read(int *mode, unsigned long *word, unsigned long maxnode)
{
	(void)maxnode;
	*mode = call_mode;
	memset(word, 0, (maxnode - 1) / 8);
	word[0] = policy_narrow ? call_word & 1 : call_word;
	return 0;
}

static int forget(void **state)
{
	(void)state;
	refused = policy_errno = policy_narrow = 0;
	return 0;
}

static char *const true_argv[] = {(char[]){"true"}, NULL};

static int wait_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Runs a program and returns its exit status. */
static int run_program(struct spawn *spawn, char *const *argv, struct spawn_result *result)
{
	struct cgpol_error err = {0};
	int rc, status;

	spawn->argv = argv;
	rc = spawn_start(spawn, result, &err);
	if (rc < 0)
		fail_msg("%s", err.text);
	status = wait_status(result->pid);
	close_p(&result->pidfd);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int run_shell(struct spawn *spawn, const char *text, struct spawn_result *result)
{
	AUTO(free_p) char *copy = strdup(text);
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, copy, NULL};

	return run_program(spawn, argv, result);
}

/* Does a line of the child's own status match? Not by a shell, which changes its signals. */
static bool has_status(struct spawn *spawn, const char *pattern)
{
	AUTO(free_p) char *copy = strdup(pattern);
	char *const argv[] = {(char[]){"grep"}, (char[]){"-qE"}, copy, (char[]){"/proc/self/status"}, NULL};
	struct spawn_result result = {0};

	return run_program(spawn, argv, &result) == 0;
}

static void starts_and_gives_the_pid(void **state)
{
	struct spawn spawn = {.argv = true_argv, .cgroup = -1};
	struct spawn_result result = {0};

	(void)state;
	assert_int_equal(spawn_start(&spawn, &result, NULL), 0);
	assert_true(result.pid > 0);
	assert_true(result.pidfd > STDERR_FILENO);
	assert_true((fcntl(result.pidfd, F_GETFD) & FD_CLOEXEC) != 0);
	assert_false(result.was_moved);
	assert_false(result.has_policy);
	assert_int_equal(wait_status(result.pid), 0);
	close_p(&result.pidfd);
}

static void fails_to_run(char *program, int errnum)
{
	char *const argv[] = {program, NULL};
	struct spawn spawn = {.argv = argv, .cgroup = -1};
	struct spawn_result result = {.pid = 4711};
	struct cgpol_error err = {0};

	assert_int_equal(spawn_start(&spawn, &result, &err), -errnum);
	assert_int_equal(result.stage, SPAWN_EXEC);
	assert_int_equal(result.pid, 4711);
	assert_int_equal(err.code, errnum);
	assert_non_null(strstr(err.text, strerror(errnum)));
	/* The child is gone, and waited for. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void tells_why_a_program_cannot_be_run(void **state)
{
	(void)state;
	fails_to_run((char[]){"there-is-no-such-program"}, ENOENT);
	fails_to_run((char[]){"/etc/passwd"}, EACCES);
	fails_to_run((char[]){"/"}, EACCES);
	fails_to_run((char[]){""}, ENOENT);
	fails_to_run((char[]){"/etc/passwd/x"}, ENOTDIR);
	refused = ENOSYS;
	fails_to_run((char[]){"there-is-no-such-program"}, ENOENT);
}

static void escapes_a_hostile_name(void **state)
{
	char name[] = "/no\033[31m\n";
	char *const argv[] = {name, NULL};
	struct spawn spawn = {.argv = argv, .cgroup = -1};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(spawn_start(&spawn, &result, &err), -ENOENT);
	assert_null(strchr(err.text, '\033'));
	assert_null(strchr(err.text, '\n'));
}

static void too_many_arguments_are_told(void **state)
{
	/* fs/exec.c: one string is at most MAX_ARG_STRLEN, 32 pages. */
	char *large = malloc(40 * 4096);
	char *argv[] = {(char[]){"true"}, large, NULL};
	struct spawn spawn = {.argv = argv, .cgroup = -1};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};

	(void)state;
	memset(large, 'x', 40 * 4096 - 1);
	large[40 * 4096 - 1] = '\0';
	assert_int_equal(spawn_start(&spawn, &result, &err), -E2BIG);
	assert_int_equal(result.stage, SPAWN_EXEC);
	free(large);
}

/* execvp copies argv to the stack for a script without "#!", also on the stack of a child that moves itself.
 */
static void a_script_may_have_many_arguments(void **state)
{
	enum { MANY = 60000 };
	char path[] = "/tmp/cgpol-spawn-XXXXXX";
	AUTO(free_p) char **argv = calloc(MANY + 1, sizeof(*argv));
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && argv);
	assert_int_equal(write(fd, "exit 4\n", 7), 7);
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal(close(fd), 0);
	argv[0] = path;
	for (size_t i = 1; i < MANY; i++)
		argv[i] = (char[]){"x"};
	for (int i = 0; i < 2; i++) {
		struct spawn spawn = {.cgroup = -1};
		struct spawn_result result = {0};

		refused = i == 0 ? 0 : ENOSYS;
		assert_int_equal(run_program(&spawn, argv, &result), 4);
		assert_int_equal(result.was_moved, i == 1);
	}
	assert_int_equal(unlink(path), 0);
}

static void clone3_may_be_refused(void **state)
{
	const int errnum[] = {ENOSYS, EPERM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnum); i++) {
		struct spawn spawn = {.cgroup = -1};
		struct spawn_result result = {0};

		refused = errnum[i];
		assert_int_equal(run_shell(&spawn, "exit 6", &result), 6);
		assert_true(result.was_moved);
		assert_int_equal(result.pidfd, -1);
	}
}

static void clone3_may_fail_otherwise(void **state)
{
	const int errnum[] = {EAGAIN, ENOMEM, EBUSY, EACCES, ENODEV, EOPNOTSUPP};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnum); i++) {
		struct spawn spawn = {.argv = true_argv, .cgroup = -1};
		struct spawn_result result = {.stage = SPAWN_EXEC};
		struct cgpol_error err = {0};

		refused = errnum[i];
		assert_int_equal(spawn_start(&spawn, &result, &err), -errnum[i]);
		assert_int_equal(result.stage, SPAWN_CLONE);
		assert_int_equal(err.code, errnum[i]);
	}
}

/* A directory that is no cgroup: the kernel says EBADF, and without clone3 there is no cgroup.procs in it. */
static void a_wrong_descriptor_is_told(void **state)
{
	struct spawn spawn = {.argv = true_argv, .cgroup = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	struct spawn_result result = {.stage = SPAWN_EXEC};

	(void)state;
	assert_int_equal(spawn_start(&spawn, &result, NULL), -EBADF);
	assert_int_equal(result.stage, SPAWN_CLONE);
	refused = EPERM;
	result.stage = SPAWN_EXEC;
	assert_int_equal(spawn_start(&spawn, &result, NULL), -ENOENT);
	assert_int_equal(result.stage, SPAWN_CLONE);
	(void)close(spawn.cgroup);
}

static void sets_the_score(void **state)
{
	const int scores[] = {1000, 17, 999};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scores); i++) {
		struct spawn spawn = {.cgroup = -1, .oom_score_adj = &scores[i]};
		struct spawn_result result = {0};
		char text[64];

		(void)snprintf(text, sizeof(text), "test $(cat /proc/$$/oom_score_adj) = %d", scores[i]);
		assert_int_equal(run_shell(&spawn, text, &result), 0);
		refused = ENOSYS;
		assert_int_equal(run_shell(&spawn, text, &result), 0);
		refused = 0;
	}
}

static void a_score_out_of_range_is_told(void **state)
{
	const int score = 1001; /* fs/proc/base.c oom_score_adj_write: EINVAL */
	struct spawn spawn = {.argv = true_argv, .cgroup = -1, .oom_score_adj = &score};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(spawn_start(&spawn, &result, &err), -EINVAL);
	assert_int_equal(result.stage, SPAWN_ADJ);
	assert_non_null(strstr(err.text, "1001"));
	assert_string_equal(err.file, "/proc/self/oom_score_adj");
}

static void sets_the_affinity(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct spawn spawn = {.cgroup = -1, .cpus = &cpus};
	struct spawn_result result = {0};
	cpu_set_t own;
	unsigned last = 0;
	char text[96];

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(own), &own), 0);
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &own))
			last = cpu;
	assert_int_equal(nodeset_add(&cpus, last), 0);
	(void)snprintf(text, sizeof(text), "grep -qx \"Cpus_allowed_list:.%u\" /proc/$$/status", last);
	assert_int_equal(run_shell(&spawn, text, &result), 0);
	/* Ours is as it was. */
	cpu_set_t now;
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&own, &now));
}

static void a_narrowed_affinity_is_a_failure(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct spawn spawn = {.argv = true_argv, .cgroup = -1, .cpus = &cpus};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};
	int own = sched_getcpu();

	(void)state;
	/* No machine has the last one: the kernel drops it in silence. */
	assert_int_equal(nodeset_add(&cpus, (unsigned)own), 0);
	assert_int_equal(nodeset_add(&cpus, NODESET_CPUS_MAX - 1), 0);
	assert_int_equal(spawn_start(&spawn, &result, &err), -EXDEV);
	assert_int_equal(result.stage, SPAWN_AFFINITY);
	assert_non_null(strstr(err.text, "65535"));
	assert_string_equal(err.hint, "--intersect takes the allowed part");
	nodeset_clear(&cpus);
	assert_int_equal(nodeset_add(&cpus, NODESET_CPUS_MAX - 1), 0);
	assert_int_equal(spawn_start(&spawn, &result, &err), -EINVAL);
	assert_int_equal(result.stage, SPAWN_AFFINITY);
}

static struct mempolicy bind(struct nodeset *nodes, unsigned flags)
{
	nodeset_clear(nodes);
	assert_int_equal(nodeset_add(nodes, 0), 0);
	assert_int_equal(nodeset_add(nodes, 1), 0);
	return (struct mempolicy){.mode = MEMPOLICY_BIND, .flags = flags, .nodes = *nodes};
}

static void reads_the_policy_back(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	struct mempolicy policy = bind(&nodes, MEMPOLICY_STATIC);
	struct spawn spawn = {.argv = true_argv, .cgroup = -1, .policy = &policy};
	struct spawn_result result = {0};

	(void)state;
	assert_int_equal(spawn_start(&spawn, &result, NULL), 0);
	assert_true(result.has_policy);
	assert_true(mempolicy_is_equal(&result.effective, &policy));
	mempolicy_clear(&result.effective);
	assert_int_equal(wait_status(result.pid), 0);
	close_p(&result.pidfd);
}

static void a_narrowed_policy_is_a_failure(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL}, narrow = {0, NULL};
	struct mempolicy policy = bind(&nodes, 0), effective = {.mode = MEMPOLICY_BIND};
	struct spawn spawn = {.argv = true_argv, .cgroup = -1, .policy = &policy};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};

	(void)state;
	policy_narrow = 1;
	assert_int_equal(spawn_start(&spawn, &result, &err), -EXDEV);
	assert_int_equal(result.stage, SPAWN_POLICY);
	assert_non_null(strstr(err.text, "bind:0-1"));
	assert_non_null(strstr(err.text, "\"0\""));
	/* But not when just that was expected. */
	assert_int_equal(nodeset_add(&narrow, 0), 0);
	effective.nodes = narrow;
	spawn.effective = &effective;
	assert_int_equal(spawn_start(&spawn, &result, &err), 0);
	assert_int_equal(wait_status(result.pid), 0);
	mempolicy_clear(&result.effective);
	close_p(&result.pidfd);
}

static void a_seccomp_filter_is_told_from_the_kernel(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	struct mempolicy policy = bind(&nodes, 0);
	struct spawn spawn = {.argv = true_argv, .cgroup = -1, .policy = &policy};
	struct spawn_result result = {0};
	struct cgpol_error err = {0};
	const struct {
		int errnum, kind;
		const char *text;
	} row[] = {
		{EPERM, CGPOL_FAILED, "blocked by a seccomp filter"},
		{ENOSYS, CGPOL_UNSUPPORTED, "no NUMA support"},
		{EINVAL, CGPOL_REFUSED, "this kernel lacks the mode"},
		{ENOMEM, CGPOL_FAILED, "Cannot allocate memory"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		policy_errno = row[i].errnum;
		assert_int_equal(spawn_start(&spawn, &result, &err), -row[i].errnum);
		assert_int_equal(result.stage, SPAWN_POLICY);
		assert_int_equal(err.kind, row[i].kind);
		if (!strstr(err.text, row[i].text))
			fail_msg("%s", err.text);
	}
	policy_errno = EPERM;
	assert_int_equal(spawn_start(&spawn, &result, &err), -EPERM);
	assert_non_null(strstr(err.hint, "CAP_SYS_NICE"));
}

static void sets_signals_as_told(void **state)
{
	sigset_t mask, ignored, defaults, before, after;
	struct spawn spawn = {.cgroup = -1, .mask = &mask, .ignored = &ignored, .defaults = &defaults};

	(void)state;
	(void)sigemptyset(&mask);
	(void)sigemptyset(&ignored);
	(void)sigemptyset(&defaults);
	(void)sigaddset(&mask, SIGUSR2);     /* 12: bit 11 */
	(void)sigaddset(&ignored, SIGUSR1);  /* 10: bit 9 */
	(void)sigaddset(&defaults, SIGXFSZ); /* 25: bit 24 */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)sigprocmask(SIG_SETMASK, NULL, &before);
	for (int i = 0; i < 2; i++) {
		refused = i ? ENOSYS : 0;
		assert_true(has_status(&spawn, "^SigBlk:.0*800$"));
		assert_true(has_status(&spawn, "^SigIgn:.*[2367abef]..$"));
		assert_false(has_status(&spawn, "^SigIgn:.*[13579bdf]......$"));
	}
	(void)sigprocmask(SIG_SETMASK, NULL, &after);
	for (int sig = 1; sig < NSIG; sig++)
		assert_int_equal(sigismember(&before, sig), sigismember(&after, sig));
	(void)signal(SIGXFSZ, SIG_DFL);
}

static volatile sig_atomic_t handled;

static void handle(int sig)
{
	(void)sig;
	handled = handled + 1;
}

static void handlers_do_not_survive(void **state)
{
	struct spawn spawn = {.cgroup = -1};

	(void)state;
	(void)signal(SIGUSR1, handle);
	for (int i = 0; i < 2; i++) {
		refused = i ? EPERM : 0;
		assert_false(has_status(&spawn, "^SigCgt:.*[2367abef]..$"));
	}
	(void)raise(SIGUSR1);
	assert_int_equal(handled, 1);
	(void)signal(SIGUSR1, SIG_DFL);
}

static void no_process_is_left_when_there_may_be_none(void **state)
{
	struct rlimit old, none = {0, 0};
	struct spawn spawn = {.argv = true_argv, .cgroup = -1};
	struct spawn_result result = {0};
	int rc;

	(void)state;
	if (geteuid() == 0)
		skip(); /* root is not held to it */
	assert_int_equal(getrlimit(RLIMIT_NPROC, &old), 0);
	none.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NPROC, &none), 0);
	rc = spawn_start(&spawn, &result, NULL);
	assert_int_equal(setrlimit(RLIMIT_NPROC, &old), 0);
	assert_int_equal(rc, -EAGAIN);
}

static void own_list(const char *key, unsigned limit, struct nodeset *set)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[8192];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			assert_int_equal(nodeset_parse(line + strlen(key), limit, set, NULL), 0);
	(void)fclose(file);
}

/* Kernels from 5.7 to 6.3: the child has the cpuset of its parent, and is replaced by one that moves itself.
 */
static void a_forgotten_cpuset_is_noticed(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset mems = {0, NULL}, cpus = {0, NULL};
	struct spawn spawn = {.cgroup = -1, .cgroup_mems = &mems, .cgroup_cpus = &cpus};
	struct spawn_result result = {0};

	(void)state;
	own_list("Mems_allowed_list:", NODESET_NODES_MAX, &mems);
	own_list("Cpus_allowed_list:", NODESET_CPUS_MAX, &cpus);
	assert_int_equal(run_shell(&spawn, "exit 3", &result), 3);
	assert_false(result.was_moved);
	assert_int_equal(nodeset_add(&cpus, 60000), 0);
	assert_int_equal(run_shell(&spawn, "exit 4", &result), 4);
	assert_true(result.was_moved);
	assert_int_equal(result.pidfd, -1);
	nodeset_clear(&cpus);
	own_list("Cpus_allowed_list:", NODESET_CPUS_MAX, &cpus);
	assert_int_equal(nodeset_add(&mems, 1000), 0);
	assert_int_equal(run_shell(&spawn, "exit 5", &result), 5);
	assert_true(result.was_moved);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

#define TEST(name) cmocka_unit_test_setup(name, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(starts_and_gives_the_pid),
		TEST(tells_why_a_program_cannot_be_run),
		TEST(escapes_a_hostile_name),
		TEST(too_many_arguments_are_told),
		TEST(a_script_may_have_many_arguments),
		TEST(clone3_may_be_refused),
		TEST(clone3_may_fail_otherwise),
		TEST(a_wrong_descriptor_is_told),
		TEST(sets_the_score),
		TEST(a_score_out_of_range_is_told),
		TEST(sets_the_affinity),
		TEST(a_narrowed_affinity_is_a_failure),
		TEST(reads_the_policy_back),
		TEST(a_narrowed_policy_is_a_failure),
		TEST(a_seccomp_filter_is_told_from_the_kernel),
		TEST(a_forgotten_cpuset_is_noticed),
		TEST(sets_signals_as_told),
		TEST(handlers_do_not_survive),
		TEST(no_process_is_left_when_there_may_be_none),
	};

	/* A folder that may not be searched would make a missing program EACCES. */
	if (setenv("PATH", "/usr/bin:/bin", 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
