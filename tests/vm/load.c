/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays any process of an OOM scenario: takes memory, of one kind and on one node, as its arguments say.
 *
 * usage: load STEP...      the steps are done in order; after the last one it sleeps.
 *   name=COMM              of the calling thread
 *   cpu=N                  run there only
 *   adj=N                  oom_score_adj
 *   cgroup=/PATH           move this process there (cgroup2 on /sys/fs/cgroup)
 *   policy=MODE[:NODES]    task policy of the calling thread: default local prefer bind interleave
 *   mbind=MODE[:NODES]     mappings made from now on have this policy of their own; "none" ends that
 *   anon=SIZE[@NODE]       take private memory, on that node or as the policies say, and keep it
 *   shm=SIZE[@NODE]        the same in shared memory
 *   huge=SIZE[@NODE]       the same in huge pages that were reserved
 *   file=SIZE[@NODE]:PATH  the same in a file, which is made
 *   tables=SIZE[@NODE]     page tables of that size, with no memory behind them
 *   pageout                write the last mapping to swap
 *   grow[=SIZE] growshm    take memory MiB by MiB, for ever or up to a size
 *   growtables             take page tables for ever
 *   ready=FILE             write "PID TID" there
 *   wait=FILE              until it exists
 *   thread                 a new thread does the other steps; this one sleeps
 *   leaderexit             the thread that slept ends: the process has a zombie leader from now on
 *   fork clonevm vfork     a child does the other steps, with its own memory, with ours, or while we are held
 * in vfork(2) sleep                  for ever
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_NODES = 1024, WORD_BITS = 8 * sizeof(unsigned long), CHUNK = 1 << 20, STACK = 256 << 10 };
enum { TICK_US = 5000 };

struct policy {
	int mode;
	unsigned long nodes[MAX_NODES / WORD_BITS];
};

struct load {
	char **step;	       /* the one being done */
	struct policy policy;  /* task policy to go back to */
	struct policy mapping; /* of new mappings, when has_mapping */
	bool has_mapping;
	size_t page;
	char *last; /* the last mapping */
	size_t last_size;
	atomic_uint leader_may_go; /* a futex */
};

static void run(struct load *load);

__attribute__((noreturn, format(printf, 2, 3))) static void die(const struct load *load, const char *format,
								...)
{
	int error = errno;
	va_list args;

	fprintf(stderr, "load: %s: ", *load->step ? *load->step : "end");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, error ? ": %s\n" : "\n", strerror(error));
	_exit(1);
}

static long number(const struct load *load, const char *text, char **end)
{
	errno = 0;
	long value = strtol(text, end, 10);
	if (*end == text || errno) {
		errno = EINVAL;
		die(load, "\"%s\" is no number", text);
	}
	return value;
}

static void write_file(const struct load *load, const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(load, "%s", path);
	close(fd);
}

/* ---- policies ---- */

static void parse_nodes(const struct load *load, const char *text, unsigned long *nodes)
{
	char *end;

	memset(nodes, 0, MAX_NODES / 8);
	for (;; text = end + 1) {
		long first = number(load, text, &end), last = first;
		if (*end == '-')
			last = number(load, end + 1, &end);
		for (long n = first; n <= last && n >= 0 && n < MAX_NODES; n++)
			nodes[n / WORD_BITS] |= 1UL << n % WORD_BITS;
		if (*end != ',')
			break;
	}
}

static struct policy parse_policy(const struct load *load, const char *text)
{
	static const struct {
		const char *name;
		int mode;
	} modes[] = {{"default", MPOL_DEFAULT},
		     {"local", MPOL_LOCAL},
		     {"prefer", MPOL_PREFERRED},
		     {"bind", MPOL_BIND},
		     {"interleave", MPOL_INTERLEAVE}};
	struct policy policy = {0};
	size_t length = strcspn(text, ":");

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
		if (strlen(modes[i].name) != length || strncmp(modes[i].name, text, length))
			continue;
		policy.mode = modes[i].mode;
		if (text[length])
			parse_nodes(load, text + length + 1, policy.nodes);
		return policy;
	}
	errno = 0;
	die(load, "no such policy");
}

/* The kernel takes one bit less than maxnode says (mm/mempolicy.c get_nodes), hence + 1. */
static void set_policy(const struct load *load, const struct policy *policy)
{
	bool has_nodes = policy->mode != MPOL_DEFAULT && policy->mode != MPOL_LOCAL;

	if (syscall(SYS_set_mempolicy, policy->mode, has_nodes ? policy->nodes : NULL,
		    has_nodes ? MAX_NODES + 1 : 0))
		die(load, "set_mempolicy");
}

static void step_policy(struct load *load, const char *value)
{
	load->policy = parse_policy(load, value);
	set_policy(load, &load->policy);
}

static void step_mbind(struct load *load, const char *value)
{
	load->has_mapping = strcmp(value, "none") != 0;
	if (load->has_mapping)
		load->mapping = parse_policy(load, value);
}

/* ---- memory ---- */

/* "SIZE[K|M|G][@NODE]"; node is -1 when there is none. */
static size_t parse_size(const struct load *load, const char *text, long *node, char **end)
{
	long size = number(load, text, end);

	switch (**end) {
	case 'G':
		size <<= 10;
		__attribute__((fallthrough));
	case 'M':
		size <<= 10;
		__attribute__((fallthrough));
	case 'K':
		size <<= 10;
		(*end)++;
	}
	*node = -1;
	if (**end == '@')
		*node = number(load, *end + 1, end);
	return (size_t)size;
}

static void map(struct load *load, size_t size, int flags, int fd)
{
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		die(load, "mmap of %zu bytes", size);
	/* Not for huge pages of one's own, and a kernel may be built without: no error then. */
	madvise(p, size, MADV_NOHUGEPAGE);
	if (load->has_mapping &&
	    syscall(SYS_mbind, p, size, load->mapping.mode, load->mapping.nodes, MAX_NODES + 1, 0))
		die(load, "mbind");
	load->last = p;
	load->last_size = size;
}

/* Writes each page once: only that makes the kernel find one. */
static void touch(const struct load *load)
{
	volatile char *p = load->last;

	for (size_t i = 0; i < load->last_size; i += load->page)
		p[i] = 1;
}

/* Reads one word behind each page table: the zero page is mapped, which counts for nobody. */
static void touch_tables(const struct load *load)
{
	size_t reach = load->page * (load->page / sizeof(void *));
	volatile char *p = load->last;

	for (size_t i = 0; i < load->last_size; i += reach)
		(void)p[i];
}

/* Touches the last mapping with the task bound to a node; the mapping keeps no policy from that. */
static void place(struct load *load, long node, void (*toucher)(const struct load *load))
{
	struct policy bound = {.mode = MPOL_BIND};

	if (node >= MAX_NODES) {
		errno = EINVAL;
		die(load, "node %ld", node);
	}
	if (node >= 0) {
		bound.nodes[node / WORD_BITS] = 1UL << node % WORD_BITS;
		set_policy(load, &bound);
	}
	toucher(load);
	if (node >= 0)
		set_policy(load, &load->policy);
}

static void take(struct load *load, const char *value, int flags)
{
	char *end;
	long node;
	size_t size = parse_size(load, value, &node, &end);

	if (!size)
		return;
	map(load, size, flags | MAP_ANONYMOUS, -1);
	place(load, node, touch);
}

static void step_anon(struct load *load, const char *value)
{
	take(load, value, MAP_PRIVATE);
}

static void step_shm(struct load *load, const char *value)
{
	take(load, value, MAP_SHARED);
}

static void step_huge(struct load *load, const char *value)
{
	take(load, value, MAP_PRIVATE | MAP_HUGETLB);
}

static void step_file(struct load *load, const char *value)
{
	char *end;
	long node;
	size_t size = parse_size(load, value, &node, &end);
	int fd = *end == ':' ? open(end + 1, O_RDWR | O_CREAT | O_CLOEXEC, 0644) : -1;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		die(load, "cannot make the file");
	map(load, size, MAP_SHARED, fd);
	close(fd);
	place(load, node, touch);
}

/* A page table of 8 bytes an entry maps `page / 8` pages. */
static void map_tables(struct load *load, size_t size)
{
	map(load, size * (load->page / sizeof(void *)), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

static void step_tables(struct load *load, const char *value)
{
	char *end;
	long node;

	map_tables(load, parse_size(load, value, &node, &end));
	place(load, node, touch_tables);
}

static void step_pageout(struct load *load, const char *value)
{
	(void)value;
	if (madvise(load->last, load->last_size, MADV_PAGEOUT))
		die(load, "MADV_PAGEOUT");
}

static void grow(struct load *load, const char *value, int flags)
{
	char *end;
	long node = -1;
	size_t size = *value ? parse_size(load, value, &node, &end) : SIZE_MAX;

	for (size_t had = 0; had < size; had += CHUNK) {
		map(load, CHUNK, flags | MAP_ANONYMOUS, -1);
		place(load, node, touch);
	}
}

static void step_grow(struct load *load, const char *value)
{
	grow(load, value, MAP_PRIVATE);
}

static void step_growshm(struct load *load, const char *value)
{
	grow(load, value, MAP_SHARED);
}

static void step_growtables(struct load *load, const char *value)
{
	(void)value;
	for (;;) {
		map_tables(load, CHUNK);
		touch_tables(load);
	}
}

/* ---- the process ---- */

static void step_name(struct load *load, const char *value)
{
	if (prctl(PR_SET_NAME, value))
		die(load, "prctl");
}

static void step_cpu(struct load *load, const char *value)
{
	char *end;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned)number(load, value, &end), &set);
	if (sched_setaffinity(0, sizeof set, &set))
		die(load, "sched_setaffinity");
}

static void step_adj(struct load *load, const char *value)
{
	write_file(load, "/proc/self/oom_score_adj", value);
}

static void step_cgroup(struct load *load, const char *value)
{
	char path[4096];

	snprintf(path, sizeof path, "/sys/fs/cgroup%s/cgroup.procs", value);
	write_file(load, path, "0");
}

static void step_ready(struct load *load, const char *value)
{
	char text[64];

	snprintf(text, sizeof text, "%d %d\n", getpid(), gettid());
	write_file(load, value, text);
}

static void step_wait(struct load *load, const char *value)
{
	(void)load;
	while (access(value, F_OK))
		usleep(TICK_US);
}

__attribute__((noreturn)) static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

static void step_sleep(struct load *load, const char *value)
{
	(void)load;
	(void)value;
	sleep_for_ever();
}

static void *thread_main(void *data)
{
	run(data);
	return NULL;
}

static void step_thread(struct load *load, const char *value)
{
	pthread_t thread;

	(void)value;
	if (pthread_create(&thread, NULL, thread_main, load))
		die(load, "pthread_create");
	while (!load->leader_may_go)
		syscall(SYS_futex, &load->leader_may_go, FUTEX_WAIT, 0, NULL);
	/* Not exit_group: the thread lives on. */
	for (;;)
		syscall(SYS_exit, 0);
}

static bool leader_is_zombie(void)
{
	char text[64] = "";
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, sizeof text - 1);
	close(fd);
	const char *state = got > 0 ? strrchr(text, ')') : NULL;
	return state && state[1] && state[2] == 'Z';
}

static void step_leaderexit(struct load *load, const char *value)
{
	(void)value;
	if (getpid() == gettid()) {
		errno = 0;
		die(load, "only after \"thread\"");
	}
	load->leader_may_go = 1;
	syscall(SYS_futex, &load->leader_may_go, FUTEX_WAKE, 1);
	while (!leader_is_zombie())
		usleep(TICK_US);
}

static void step_fork(struct load *load, const char *value)
{
	pid_t child = fork();

	(void)value;
	if (child < 0)
		die(load, "fork");
	if (child)
		sleep_for_ever();
}

static int child_main(void *data)
{
	run(data);
	return 0;
}

/* The child has a stack of its own, so it may go on while we sleep in here. */
static void clone_sharing(struct load *load, int flags)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || clone(child_main, stack + STACK, CLONE_VM | flags | SIGCHLD, load) < 0)
		die(load, "clone");
	sleep_for_ever();
}

static void step_clonevm(struct load *load, const char *value)
{
	(void)value;
	clone_sharing(load, 0);
}

static void step_vfork(struct load *load, const char *value)
{
	(void)value;
	clone_sharing(load, CLONE_VFORK);
}

/* ---- steps ---- */

static const struct step {
	const char *name;
	void (*run)(struct load *load, const char *value);
} steps[] = {
	{"name", step_name},
	{"cpu", step_cpu},
	{"adj", step_adj},
	{"cgroup", step_cgroup},
	{"policy", step_policy},
	{"mbind", step_mbind},
	{"anon", step_anon},
	{"shm", step_shm},
	{"huge", step_huge},
	{"file", step_file},
	{"tables", step_tables},
	{"pageout", step_pageout},
	{"grow", step_grow},
	{"growshm", step_growshm},
	{"growtables", step_growtables},
	{"ready", step_ready},
	{"wait", step_wait},
	{"thread", step_thread},
	{"fork", step_fork},
	{"clonevm", step_clonevm},
	{"vfork", step_vfork},
	{"leaderexit", step_leaderexit},
	{"sleep", step_sleep},
};

/* Does the steps that are left; whoever calls it never comes back. */
static void run(struct load *load)
{
	for (; *load->step; load->step++) {
		const char *text = *load->step;
		size_t length = strcspn(text, "="), i = 0, count = sizeof steps / sizeof *steps;

		while (i < count && (strlen(steps[i].name) != length || strncmp(steps[i].name, text, length)))
			i++;
		if (i == count) {
			errno = 0;
			die(load, "no such step");
		}
		/* A child or a thread goes on from the next step while this one never returns. */
		if (steps[i].run == step_thread || steps[i].run == step_clonevm || steps[i].run == step_vfork)
			load->step++;
		steps[i].run(load, text[length] ? text + length + 1 : "");
	}
	sleep_for_ever();
}

int main(int argc, char **argv)
{
	struct load load = {.step = argv + 1, .page = (size_t)sysconf(_SC_PAGESIZE)};

	if (argc < 2) {
		fprintf(stderr, "usage: load STEP... (see tests/vm/load.c)\n");
		return 2;
	}
	run(&load);
}
