/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asking the running kernel what it can do: system calls that fail in a telling way and change nothing. */
#include "host/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

/* The same numbers on every architecture but alpha, since 5.1 (include/uapi/asm-generic/unistd.h). */
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_set_mempolicy_home_node
#define SYS_set_mempolicy_home_node 450
#endif

enum {
	/* include/uapi/linux/mempolicy.h; older headers lack the later ones, and some have them as an enum.
	 */
	MODE_PREFERRED_MANY = 5,      /* 5.15 */
	MODE_WEIGHTED_INTERLEAVE = 6, /* 6.9 */
	FLAG_BALANCING = 1 << 13,     /* 5.12 with bind, 6.10 with preferred_many */
	FLAGS = MPOL_F_STATIC_NODES | MPOL_F_RELATIVE_NODES | FLAG_BALANCING,
	/* NODES_SHIFT is at most 10. */
	NODES_MAX = 1024,
	WORD_BITS = 8 * sizeof(unsigned long),
	/* get_nodes() of mm/mempolicy.c takes one off. */
	MASK_BITS = NODES_MAX + 1,
	STATUS_SIZE = 8192,
};

struct mask {
	unsigned long word[NODES_MAX / WORD_BITS];
};

static int answer(long rc)
{
	return rc < 0 ? -errno : 0;
}

/* A call that was given nonsense: the errno that it has for that says that it is there. */
static int is_there(long rc, int expected)
{
	return rc < 0 && errno != expected ? -errno : 0;
}

/* A child comes only of a kernel without CONFIG_CGROUPS, which does not look at the descriptor. It has no
 * signal to send at its end, and leaves without running what the parent's exit would. */
static int end_child(pid_t child)
{
	if (child == 0)
		_exit(0);
	while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
		;
	return -EOPNOTSUPP;
}

/* kernel/cgroup/cgroup.c cgroup_css_set_fork() looks the descriptor up: EBADF. INT_MAX is the largest that
 * copy_clone_args_from_user() of kernel/fork.c takes, and beyond what fs/file.c ever hands out. Kernels
 * before 5.7 refuse the flag (EINVAL), or the size of a structure with a field that they do not know (E2BIG).
 */
static int probe_clone3(void)
{
	struct clone_args args = {.flags = CLONE_INTO_CGROUP, .cgroup = INT_MAX};
	long rc = syscall(SYS_clone3, &args, sizeof(args));

	if (rc >= 0)
		return end_child((pid_t)rc);
	return errno == EBADF ? 0 : errno == E2BIG ? -EINVAL : -errno;
}

static int probe_pidfd_open(void)
{
	return is_there(syscall(SYS_pidfd_open, -1, 0), EINVAL);
}

static int probe_pidfd_send_signal(void)
{
	return is_there(syscall(SYS_pidfd_send_signal, -1, 0, NULL, 0), EBADF);
}

static int probe_mrelease(void)
{
	return is_there(syscall(SYS_process_mrelease, -1, 0), EBADF);
}

static int probe_home_node(void)
{
	return is_there(syscall(SYS_set_mempolicy_home_node, 0UL, 0UL, 0UL, 1UL), EINVAL);
}

static int get_allowed(struct mask *mask)
{
	return answer(syscall(SYS_get_mempolicy, NULL, mask, MASK_BITS, NULL, MPOL_F_MEMS_ALLOWED));
}

static int probe_get_mempolicy(void)
{
	struct mask mask = {{0}};

	return get_allowed(&mask);
}

/* Default and local are of no nodes; a mask, though empty, would do, but they are clearer without. */
static int set_policy(int mode, const struct mask *mask)
{
	int bare = mode & ~FLAGS;
	bool is_bare = bare == MPOL_DEFAULT || bare == MPOL_LOCAL;

	return answer(syscall(SYS_set_mempolicy, mode, is_bare ? NULL : mask, is_bare ? 0 : MASK_BITS));
}

static int probe_mode(int mode)
{
	struct mask allowed = {{0}}, old = {{0}};
	int old_mode = MPOL_DEFAULT, rc;

	rc = answer(syscall(SYS_get_mempolicy, &old_mode, &old, MASK_BITS, NULL, 0));
	rc = rc < 0 ? rc : get_allowed(&allowed);
	if (rc < 0)
		return rc;
	/* What could not be restored (its nodes may be gone) is not given up. */
	if (old_mode != MPOL_DEFAULT && set_policy(old_mode, &old) < 0)
		return errno == EINVAL ? -EBUSY : -errno;
	rc = set_policy(mode, &allowed);
	if (rc == 0)
		(void)set_policy(old_mode, &old);
	return rc;
}

/* The Seccomp line says it without the risk of prctl(PR_GET_SECCOMP), which a filter may answer with a kill.
 */
static int probe_seccomp(void)
{
	AUTO(close_p) int fd = open("/proc/thread-self/status", O_RDONLY | O_CLOEXEC);
	char status[STATUS_SIZE];
	uint64_t mode = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, status, sizeof(status) - 1);
	if (got < 0)
		return -errno;
	status[got] = '\0';
	return text_field(status, "Seccomp", &mode) == 0 && mode != 0 ? -EPERM : 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} calls[] = {
	{"clone3_into_cgroup", probe_clone3},
	{"pidfd_open", probe_pidfd_open},
	{"pidfd_send_signal", probe_pidfd_send_signal},
	{"process_mrelease", probe_mrelease},
	{"set_mempolicy_home_node", probe_home_node},
	{"get_mempolicy", probe_get_mempolicy},
	{"seccomp", probe_seccomp},
};

static const struct {
	const char *name;
	int mode;
} modes[] = {
	{"mempolicy:default", MPOL_DEFAULT},
	{"mempolicy:local", MPOL_LOCAL},
	{"mempolicy:preferred", MPOL_PREFERRED},
	{"mempolicy:preferred_many", MODE_PREFERRED_MANY},
	{"mempolicy:bind", MPOL_BIND},
	{"mempolicy:interleave", MPOL_INTERLEAVE},
	{"mempolicy:weighted_interleave", MODE_WEIGHTED_INTERLEAVE},
	{"mempolicy:bind=static", MPOL_BIND | MPOL_F_STATIC_NODES},
	{"mempolicy:bind=relative", MPOL_BIND | MPOL_F_RELATIVE_NODES},
	{"mempolicy:bind=balancing", MPOL_BIND | FLAG_BALANCING},
	{"mempolicy:preferred_many=balancing", MODE_PREFERRED_MANY | FLAG_BALANCING},
};

/* The names of both tables; a test holds them together. */
const char *const probe_names[] = {
	"clone3_into_cgroup",
	"pidfd_open",
	"pidfd_send_signal",
	"process_mrelease",
	"set_mempolicy_home_node",
	"get_mempolicy",
	"seccomp",
	"mempolicy:default",
	"mempolicy:local",
	"mempolicy:preferred",
	"mempolicy:preferred_many",
	"mempolicy:bind",
	"mempolicy:interleave",
	"mempolicy:weighted_interleave",
	"mempolicy:bind=static",
	"mempolicy:bind=relative",
	"mempolicy:bind=balancing",
	"mempolicy:preferred_many=balancing",
	NULL,
};

int probe_run(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(name, calls[i].name) == 0)
			return calls[i].run();
	}
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(name, modes[i].name) == 0)
			return probe_mode(modes[i].mode);
	}
	return -EINVAL;
}
