/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures ways to start a command, and prints one number: see usage. Runs in the guest. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 100000 };

static const char usage[] =
	"usage: spawn cost N COMMAND...       CPU time of a start, median of N, in thousandths of a "
	"microsecond; with\n"
	"                                     QEMU's -icount shift=0 that is the number of instructions, "
	"user and kernel\n"
	"       spawn latency N GAP COMMAND.. time from the start to its end, median of N, in us, with GAP "
	"ms in between\n"
	"       spawn bare N CGROUP COMMAND.. cost of the bare system calls: mkdir, 4 values, clone3, exec, "
	"wait, rmdir\n"
	"       spawn into N CGROUP COMMAND.. cost of clone3 into a cgroup that is there, exec, wait\n";

static const char *const values[][2] = {{"memory.max", "104857600"},
					{"memory.high", "94371840"},
					{"memory.oom.group", "1"},
					{"cpuset.mems", "0"}};

static void die(const char *what)
{
	(void)fprintf(stderr, "spawn: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	(void)clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Of this process and of all that it waited for. */
static int64_t cpu_time(void)
{
	struct rusage own, children;
	int64_t sum = now(CLOCK_PROCESS_CPUTIME_ID);

	(void)getrusage(RUSAGE_SELF, &own);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	sum += ((int64_t)children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1000000000;
	sum += ((int64_t)children.ru_utime.tv_usec + children.ru_stime.tv_usec) * 1000;
	return sum;
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return left < right ? -1 : left > right;
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0) {
		errno = ECHILD;
		die("the command failed");
	}
}

static void start(char **argv)
{
	pid_t pid = vfork();

	if (pid < 0)
		die("vfork");
	if (pid == 0) {
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	wait_for(pid);
}

static void start_into(const char *cgroup, char **argv)
{
	int fd = open(cgroup, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct clone_args args = {.flags = CLONE_INTO_CGROUP | CLONE_VFORK, .exit_signal = SIGCHLD};
	pid_t pid;

	if (fd < 0)
		die(cgroup);
	args.cgroup = (uint64_t)fd;
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		die("clone3");
	if (pid == 0) {
		(void)execvp(argv[0], argv);
		_exit(127);
	}
	(void)close(fd);
	wait_for(pid);
}

static void start_bare(const char *cgroup, char **argv)
{
	char path[512];

	if (mkdir(cgroup, 0755) < 0)
		die(cgroup);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		int fd;

		(void)snprintf(path, sizeof(path), "%s/%s", cgroup, values[i][0]);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, values[i][1], strlen(values[i][1])) < 0)
			die(path);
		(void)close(fd);
	}
	start_into(cgroup, argv);
	if (rmdir(cgroup) < 0)
		die(cgroup);
}

static int64_t once(const char *mode, char **argv)
{
	bool is_latency = strcmp(mode, "latency") == 0;
	int64_t before;

	if (is_latency)
		(void)usleep((useconds_t)strtoul(argv[0], NULL, 10) * 1000);
	before = is_latency ? now(CLOCK_MONOTONIC) : cpu_time();
	if (strcmp(mode, "bare") == 0)
		start_bare(argv[0], argv + 1);
	else if (strcmp(mode, "into") == 0)
		start_into(argv[0], argv + 1);
	else
		start(is_latency ? argv + 1 : argv);
	return is_latency ? (now(CLOCK_MONOTONIC) - before) / 1000 : cpu_time() - before;
}

int main(int argc, char **argv)
{
	static int64_t taken[LONGEST];
	unsigned long count = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (count < 1 || count > LONGEST) {
		(void)fputs(usage, stderr);
		return 2;
	}
	for (int i = 0; i < 3; i++)
		(void)once(argv[1], argv + 3);
	for (unsigned long i = 0; i < count; i++)
		taken[i] = once(argv[1], argv + 3);
	qsort(taken, count, sizeof(*taken), compare);
	printf("%lld\n", (long long)taken[count / 2]);
	return 0;
}
