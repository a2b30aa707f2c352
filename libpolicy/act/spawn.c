/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting a command inside a cgroup, with affinity, memory policy and oom_score_adj set before exec. */
#include "act/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"

enum {
	WORD_BITS = 8 * sizeof(unsigned long),
	CPU_WORDS = NODESET_CPUS_MAX / WORD_BITS,
	NODE_WORDS = MEMPOLICY_READ_BITS / WORD_BITS,
	STACK_SIZE = 256 << 10, /* besides the pointers of argv */
	STATUS_FAILED = 127,	/* nobody sees it: the parent reads the answer instead */
};

/* What the child works with and answers with. In memory that both share: the child has a copy of the rest.
 * Pages that nobody touches cost nothing. */
struct exchange {
	const struct spawn *spawn;
	sigset_t mask;
	struct mempolicy_call wanted; /* its words are in the child's copy of our memory */
	unsigned long cgroup_mems[NODE_WORDS], cgroup_cpus[CPU_WORDS];
	unsigned long cpus[CPU_WORDS];
	/* answers */
	int error; /* 0: exec was reached */
	enum spawn_stage stage;
	int got_mode;
	unsigned long got_nodes[NODE_WORDS];
	unsigned long got_cpus[CPU_WORDS];
};

static void exchange_free(struct exchange **exchange)
{
	if (!*exchange)
		return;
	mempolicy_call_clear(&(*exchange)->wanted);
	(void)munmap(*exchange, sizeof(**exchange));
}

struct stack {
	char *at;
	size_t size;
};

static void stack_free(struct stack *stack)
{
	if (stack->at)
		(void)munmap(stack->at, stack->size);
}

/* execvp puts a copy of argv on it for a script without an interpreter's name, and a path. */
static int stack_make(char *const *argv, struct stack *stack)
{
	struct stack made = {NULL, STACK_SIZE};

	for (size_t i = 0; argv[i]; i++)
		made.size += sizeof(*argv);
	made.size = (made.size + 15) / 16 * 16;
	made.at = mmap(NULL, made.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1,
		       0);
	if (made.at == MAP_FAILED)
		return -errno;
	*stack = made;
	return 0;
}

static void copy_bits(unsigned long *word, size_t words, const struct nodeset *set)
{
	for (int bit = nodeset_next(set, 0); bit >= 0; bit = nodeset_next(set, bit + 1))
		if ((size_t)bit < words * WORD_BITS)
			word[(size_t)bit / WORD_BITS] |= 1UL << ((size_t)bit % WORD_BITS);
}

/* ---- in the child: only calls that are safe between fork and exec ---- */

static int write_all(int fd, const char *text, size_t size)
{
	ssize_t put;

	do {
		put = write(fd, text, size);
	} while (put < 0 && errno == EINTR);
	if (put < 0)
		return -errno;
	return (size_t)put == size ? 0 : -EIO;
}

static int join(int cgroup)
{
	AUTO(close_p) int fd = openat(cgroup, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	return fd < 0 ? -errno : write_all(fd, "0", 1);
}

/* -1000..1000 as text; snprintf may take a lock or memory. */
static size_t format_adj(int adj, char text[static 8])
{
	unsigned rest = adj < 0 ? (unsigned)-adj : (unsigned)adj;
	char digits[8];
	size_t count = 0, size = 0;

	do {
		digits[count++] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0 && count < sizeof(digits) - 1);
	if (adj < 0)
		text[size++] = '-';
	while (count > 0 && size < 8)
		text[size++] = digits[--count];
	return size;
}

static int set_adj(struct exchange *exchange)
{
	int wanted = *exchange->spawn->oom_score_adj;
	AUTO(close_p) int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC);
	char text[8], got[8] = "";
	size_t size = format_adj(wanted, text);
	ssize_t count;
	int rc;

	if (fd < 0)
		return -errno;
	rc = write_all(fd, text, size);
	if (rc < 0)
		return rc;
	count = pread(fd, got, sizeof(got), 0);
	if (count < 0)
		return -errno;
	return (size_t)count == size + 1 && memcmp(got, text, size) == 0 ? 0 : -EXDEV;
}

/* The kernel wants room for all cpus that it may ever have, and takes the cpuset's part of what is asked
 * (kernel/sched/core.c __sched_setaffinity). */
static int set_affinity(struct exchange *exchange)
{
	cpu_set_t *got = (cpu_set_t *)exchange->got_cpus;

	if (sched_setaffinity(0, sizeof(exchange->cpus), (const cpu_set_t *)exchange->cpus) < 0 ||
	    sched_getaffinity(0, sizeof(exchange->got_cpus), got) < 0)
		return -errno;
	return memcmp(exchange->cpus, exchange->got_cpus, sizeof(exchange->cpus)) == 0 ? 0 : -EXDEV;
}

/* Mode and flags have been compared; the nodes are judged as everywhere, but without malloc. */
static bool has_nodes(const struct exchange *exchange)
{
	enum { SET_BITS = 64 };
	const struct mempolicy *asked = exchange->spawn->policy;
	const struct mempolicy *effective = exchange->spawn->effective ? exchange->spawn->effective : asked;
	uint64_t word[MEMPOLICY_READ_BITS / SET_BITS] = {0};
	struct mempolicy got = {
		.mode = asked->mode, .flags = asked->flags, .nodes = {ARRAY_SIZE(word), word}};

	for (size_t bit = 0; bit < MEMPOLICY_READ_BITS; bit++)
		word[bit / SET_BITS] |=
			(uint64_t)(exchange->got_nodes[bit / WORD_BITS] >> (bit % WORD_BITS) & 1)
			<< (bit % SET_BITS);
	if (got.mode == MEMPOLICY_PREFERRED && nodeset_is_empty(&asked->nodes))
		got.mode = MEMPOLICY_LOCAL;
	return mempolicy_is_confirmed(&got, asked, effective);
}

static int set_policy(struct exchange *exchange)
{
	const struct mempolicy_call *wanted = &exchange->wanted;
	int rc = mempolicy_call(wanted), mode;

	if (rc == 0)
		rc = mempolicy_read(&exchange->got_mode, exchange->got_nodes, MEMPOLICY_READ_BITS + 1);
	if (rc < 0)
		return rc;
	mode = exchange->got_mode;
	/* Before 5.14 local is stored as preferred without nodes. */
	if (mode == MEMPOLICY_PREFERRED && wanted->mode == MEMPOLICY_LOCAL)
		mode = MEMPOLICY_LOCAL;
	return mode == wanted->mode && has_nodes(exchange) ? 0 : -EXDEV;
}

/* What the command ignores goes through exec; handlers do not (flush_old_exec). */
static void set_signals(const struct exchange *exchange)
{
	const struct spawn *spawn = exchange->spawn;

	for (int sig = 1; spawn->ignored && sig < NSIG; sig++)
		if (sigismember(spawn->ignored, sig) == 1)
			(void)signal(sig, SIG_IGN);
	for (int sig = 1; spawn->defaults && sig < NSIG; sig++)
		if (sigismember(spawn->defaults, sig) == 1)
			(void)signal(sig, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &exchange->mask, NULL);
}

__attribute__((noreturn)) static void run_child(struct exchange *exchange)
{
	const struct spawn *spawn = exchange->spawn;
	int rc = 0;

	if (spawn->oom_score_adj) {
		exchange->stage = SPAWN_ADJ;
		rc = set_adj(exchange);
	}
	if (rc == 0 && spawn->cpus) {
		exchange->stage = SPAWN_AFFINITY;
		rc = set_affinity(exchange);
	}
	if (rc == 0 && spawn->policy) {
		exchange->stage = SPAWN_POLICY;
		rc = set_policy(exchange);
	}
	if (rc == 0) {
		exchange->stage = SPAWN_EXEC;
		set_signals(exchange);
		(void)execvp(spawn->argv[0], spawn->argv);
		rc = -errno;
	}
	exchange->error = rc;
	_exit(STATUS_FAILED);
}

/* Is the cpuset of the cgroup in force? From 5.7 to 6.3 CLONE_INTO_CGROUP left a child with the sets of its
 * parent (kernel/cgroup/cpuset.c cpuset_fork; some stable kernels have the correction). */
static bool has_cpuset(struct exchange *exchange)
{
	unsigned long mems[NODE_WORDS] = {0};
	cpu_set_t *cpus = (cpu_set_t *)exchange->got_cpus;

	if (syscall(SYS_get_mempolicy, NULL, mems, MEMPOLICY_READ_BITS + 1UL, NULL,
		    4UL /* MPOL_F_MEMS_ALLOWED */) < 0 ||
	    sched_getaffinity(0, sizeof(exchange->got_cpus), cpus) < 0)
		return false;
	return memcmp(mems, exchange->cgroup_mems, sizeof(mems)) == 0 &&
	       memcmp(exchange->got_cpus, exchange->cgroup_cpus, sizeof(exchange->got_cpus)) == 0;
}

/* Where clone3 is refused: not in the cgroup yet, and with the caller's handlers. */
static int run_moved_child(void *arg)
{
	struct exchange *exchange = arg;

	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction action;

		if (sigaction(sig, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
		    action.sa_handler != SIG_DFL)
			(void)signal(sig, SIG_DFL);
	}
	exchange->stage = SPAWN_CLONE;
	exchange->error = exchange->spawn->cgroup >= 0 ? join(exchange->spawn->cgroup) : 0;
	if (exchange->error < 0)
		_exit(STATUS_FAILED);
	run_child(exchange);
}

/* ---- in the parent ---- */

static void await(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static pid_t clone_moved(struct exchange *exchange)
{
	AUTO(stack_free) struct stack stack = {NULL, 0};
	int rc = stack_make(exchange->spawn->argv, &stack);
	pid_t pid;

	if (rc < 0)
		return rc;
	pid = clone(run_moved_child, stack.at + stack.size, CLONE_VFORK | SIGCHLD, exchange);
	return pid < 0 ? -errno : pid;
}

/* Without CLONE_VM: the child has its own copy of this small process, so that no assembly is needed for a
 * stack of its own, and what it does cannot harm us. CLONE_VFORK: we go on when it has called exec. */
static pid_t clone_into(struct exchange *exchange, int *pidfd)
{
	struct clone_args args = {
		.flags = CLONE_PIDFD | CLONE_VFORK | CLONE_CLEAR_SIGHAND,
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};
	long pid;

	if (exchange->spawn->cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)exchange->spawn->cgroup;
	}
	pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0 && exchange->spawn->cgroup_mems && exchange->spawn->cgroup_cpus &&
	    !has_cpuset(exchange)) {
		exchange->stage = SPAWN_CLONE;
		exchange->error = -ESTALE;
		_exit(STATUS_FAILED);
	}
	if (pid == 0)
		run_child(exchange);
	return pid < 0 ? -errno : (pid_t)pid;
}

static pid_t start(struct exchange *exchange, struct spawn_result *made)
{
	sigset_t all;
	pid_t pid;

	/* No handler of the caller's may run in the child. */
	(void)sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, &exchange->mask) < 0)
		return -errno;
	sigset_t before = exchange->mask;
	if (exchange->spawn->mask)
		exchange->mask = *exchange->spawn->mask;
	pid = clone_into(exchange, &made->pidfd);
	if (pid > 0 && exchange->error == -ESTALE && exchange->stage == SPAWN_CLONE) {
		await(pid);
		close_p(&made->pidfd);
		made->pidfd = -1;
		exchange->error = 0;
		pid = -ENOSYS;
	}
	if (pid == -ENOSYS || pid == -EPERM) {
		made->was_moved = true;
		pid = clone_moved(exchange);
		if (pid < 0)
			made->stage = SPAWN_FORK;
	}
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	return pid;
}

/* ---- sentences ---- */

/* kernel/fork.c copy_process(): without namespaces EPERM and ENOSYS are not the kernel's. */
static int tell_clone(int rc, struct cgpol_error *err)
{
	const char *hint = NULL, *why = strerror(-rc);

	if (rc == -EPERM || rc == -ENOSYS) {
		why = "clone3(2) and clone(2) are blocked by a seccomp filter";
	} else if (rc == -EAGAIN) {
		why = "the user has as many processes as RLIMIT_NPROC allows, or the cgroup as its pids.max "
		      "does, or the machine is full";
		hint = "\"ulimit -u\" shows the user's limit";
	}
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot start a process: %s", why);
	error_detail(err, NULL, NULL, hint);
	return rc;
}

static int tell_adj(const struct spawn *spawn, int rc, struct cgpol_error *err)
{
	char value[16];

	(void)snprintf(value, sizeof(value), "%d", *spawn->oom_score_adj);
	(void)error_set(err, -rc, CGPOL_FAILED, "oom_score_adj cannot be set to %s: %s", value,
			rc == -EACCES  ? "going below the lowest value so far needs CAP_SYS_RESOURCE"
			: rc == -EXDEV ? "the kernel reads back something else"
				       : strerror(-rc));
	error_detail(err, "/proc/self/oom_score_adj", value, NULL);
	return rc;
}

static char *format_bits(const unsigned long *word, size_t bits)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};

	for (size_t bit = 0; bit < bits; bit++)
		if ((word[bit / WORD_BITS] >> (bit % WORD_BITS) & 1) != 0 &&
		    nodeset_add(&set, (unsigned)bit) < 0)
			return NULL;
	return nodeset_format(&set);
}

static int tell_affinity(const struct exchange *exchange, int rc, struct cgpol_error *err)
{
	AUTO(free_p) char *asked = nodeset_format(exchange->spawn->cpus);
	AUTO(free_p) char *got = format_bits(exchange->got_cpus, NODESET_CPUS_MAX);

	if (!asked || !got)
		return error_no_memory(err);
	if (rc == -EXDEV)
		(void)error_set(err, EXDEV, CGPOL_REFUSED,
				"cpu affinity %.150s: the kernel made it %.150s, which is what the cpuset "
				"allows of it",
				asked, got);
	else if (rc == -EINVAL)
		(void)error_set(err, EINVAL, CGPOL_REFUSED,
				"cpu affinity %.150s: none of these cpus is online and in the cpuset", asked);
	else if (rc == -EPERM)
		(void)error_set(err, EPERM, CGPOL_FAILED,
				"cpu affinity %.150s: sched_setaffinity(2) is blocked by a seccomp filter",
				asked);
	else
		(void)error_set(err, -rc, CGPOL_FAILED, "cpu affinity %.150s: %s", asked, strerror(-rc));
	error_detail(err, NULL, asked, rc == -EXDEV ? "--intersect takes the allowed part" : NULL);
	return rc;
}

static int tell_policy(const struct exchange *exchange, int rc, struct cgpol_error *err)
{
	AUTO(free_p) char *asked = mempolicy_format(exchange->spawn->policy);
	AUTO(free_p) char *got = format_bits(exchange->got_nodes, MEMPOLICY_READ_BITS);
	const char *hint = NULL;

	if (!asked || !got)
		return error_no_memory(err);
	if (rc == -EPERM) {
		/* mm/mempolicy.c do_set_mempolicy has no EPERM. */
		(void)error_set(err, EPERM, CGPOL_FAILED,
				"memory policy %.150s: set_mempolicy(2) is blocked by a seccomp filter",
				asked);
		hint = "the default profiles of container runtimes want CAP_SYS_NICE for it: --cap-add "
		       "SYS_NICE";
	} else if (rc == -ENOSYS) {
		(void)error_set(err, ENOSYS, CGPOL_UNSUPPORTED,
				"memory policy %.150s: this kernel has no NUMA support", asked);
	} else if (rc == -EXDEV) {
		(void)error_set(err, EXDEV, CGPOL_REFUSED,
				"memory policy %.150s: the kernel made its nodes \"%.150s\", which is what "
				"the cpuset allows of them",
				asked, got);
		hint = "--intersect takes the allowed part";
	} else if (rc == -EINVAL) {
		(void)error_set(err, EINVAL, CGPOL_REFUSED,
				"memory policy %.150s: either this kernel lacks the mode or the flags, or "
				"none of the nodes has memory and is in the cpuset",
				asked);
	} else {
		(void)error_set(err, -rc, CGPOL_FAILED, "memory policy %.150s: %s", asked, strerror(-rc));
	}
	error_detail(err, NULL, asked, hint);
	return rc;
}

static int tell_exec(const struct spawn *spawn, int rc, struct cgpol_error *err)
{
	char shown[200];

	text_escape(spawn->argv[0], shown, sizeof(shown));
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot run \"%s\": %s", shown, strerror(-rc));
	error_detail(err, NULL, shown, NULL);
	return rc;
}

static int tell(const struct exchange *exchange, int rc, struct cgpol_error *err)
{
	switch (exchange->stage) {
	case SPAWN_ADJ:
		return tell_adj(exchange->spawn, rc, err);
	case SPAWN_AFFINITY:
		return tell_affinity(exchange, rc, err);
	case SPAWN_POLICY:
		return tell_policy(exchange, rc, err);
	case SPAWN_EXEC:
		return tell_exec(exchange->spawn, rc, err);
	case SPAWN_CLONE:
	case SPAWN_FORK:
		break;
	}
	return tell_clone(rc, err);
}

/* The child has answered: it is gone, and so is everything that was to be started. */
static int fail(const struct exchange *exchange, pid_t pid, struct spawn_result *result,
		struct cgpol_error *err)
{
	await(pid);
	result->stage = exchange->stage;
	return tell(exchange, exchange->error, err);
}

int spawn_open_cgroup(struct cgpol_host *host, const char *cgroup, int *fd)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	int rc = path ? root_open_directory(host->root, path) : -ENOMEM;

	if (rc < 0)
		return rc;
	*fd = rc;
	return 0;
}

static int make_exchange(const struct spawn *spawn, struct exchange **exchange)
{
	AUTO(exchange_free)
	struct exchange *made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				     -1, 0);
	int rc;

	if (made == MAP_FAILED) {
		made = NULL;
		return -errno;
	}
	made->spawn = spawn;
	if (spawn->cpus)
		copy_bits(made->cpus, CPU_WORDS, spawn->cpus);
	if (spawn->cgroup_mems)
		copy_bits(made->cgroup_mems, NODE_WORDS, spawn->cgroup_mems);
	if (spawn->cgroup_cpus)
		copy_bits(made->cgroup_cpus, CPU_WORDS, spawn->cgroup_cpus);
	rc = spawn->policy ? mempolicy_prepare(spawn->policy, &made->wanted) : 0;
	if (rc < 0)
		return rc;
	*exchange = TAKE(made);
	return 0;
}

int spawn_start(const struct spawn *spawn, struct spawn_result *result, struct cgpol_error *err)
{
	AUTO(exchange_free) struct exchange *exchange = NULL;
	struct spawn_result made = {.pidfd = -1};
	pid_t pid;
	int rc = make_exchange(spawn, &exchange);

	pid = exchange ? start(exchange, &made) : rc;
	if (!exchange || pid < 0) {
		result->stage = made.stage;
		return tell_clone(pid, err);
	}
	if (exchange->error < 0) {
		close_p(&made.pidfd);
		return fail(exchange, pid, result, err);
	}
	made.pid = pid;
	made.has_policy = spawn->policy && mempolicy_decode(exchange->got_mode, exchange->got_nodes,
							    MEMPOLICY_READ_BITS + 1, &made.effective) == 0;
	*result = made;
	return 0;
}
