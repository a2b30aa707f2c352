/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The probes: what this kernel says, what a seccomp filter makes of it, and that nothing is left changed. */
#include "test.h"

#include <linux/filter.h>
#include <linux/mempolicy.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "host/probe.h"

/* What the kernel is from, as major * 1000 + minor. */
static int kernel(void)
{
	struct utsname uts;
	char *end;
	long major;

	assert_int_equal(uname(&uts), 0);
	major = strtol(uts.release, &end, 10);
	return (int)(major * 1000 + strtol(end + 1, NULL, 10));
}

/* A sandbox around the tests makes every answer possible. */
static void need_no_filter(void)
{
	if (probe_run("seccomp") != 0)
		skip();
}

static void every_name_is_a_probe(void **state)
{
	size_t count = 0;

	(void)state;
	need_no_filter();
	for (; probe_names[count]; count++) {
		int rc = probe_run(probe_names[count]);

		if (strncmp(probe_names[count], "mempolicy:", 10) == 0)
			assert_true(rc == 0 || rc == -EINVAL || rc == -ENOSYS);
		else
			assert_true(rc == 0 || rc == -ENOSYS || (rc == -EINVAL && count == 0) ||
				    rc == -EOPNOTSUPP);
		for (size_t i = 0; i < count; i++)
			assert_string_not_equal(probe_names[i], probe_names[count]);
	}
	assert_int_equal(count, 18);
	assert_int_equal(probe_run(""), -EINVAL);
	assert_int_equal(probe_run("mempolicy:"), -EINVAL);
	assert_int_equal(probe_run("mempolicy:bind=other"), -EINVAL);
	assert_int_equal(probe_run("PIDFD_OPEN"), -EINVAL);
}

/* Since when a kernel has it: the manual pages of the calls, set_mempolicy(2), and the commits that the
 * kernel documentation names. */
static const struct {
	const char *name;
	int since;
} ages[] = {
	{"clone3_into_cgroup", 5007},
	{"pidfd_open", 5003},
	{"pidfd_send_signal", 5001},
	{"process_mrelease", 5015},
	{"set_mempolicy_home_node", 5017},
	{"get_mempolicy", 2006},
	{"mempolicy:default", 2006},
	{"mempolicy:local", 3008},
	{"mempolicy:preferred", 2006},
	{"mempolicy:preferred_many", 5015},
	{"mempolicy:bind", 2006},
	{"mempolicy:interleave", 2006},
	{"mempolicy:weighted_interleave", 6009},
	{"mempolicy:bind=static", 2006},
	{"mempolicy:bind=relative", 2006},
	{"mempolicy:bind=balancing", 5012},
	{"mempolicy:preferred_many=balancing", 6009},
};

static bool is_of_numa(const char *name)
{
	return strstr(name, "mempolicy") != NULL;
}

static void answers_as_the_kernels_version_says(void **state)
{
	bool has_numa = probe_run("get_mempolicy") != -ENOSYS;

	(void)state;
	need_no_filter();
	for (size_t i = 0; i < ARRAY_SIZE(ages); i++) {
		int rc = probe_run(ages[i].name);
		int expected = 0;
		size_t at = 0;

		while (probe_names[at] && strcmp(probe_names[at], ages[i].name) != 0)
			at++;
		assert_non_null(probe_names[at]);

		if (is_of_numa(ages[i].name) && !has_numa)
			expected = -ENOSYS;
		else if (kernel() < ages[i].since)
			expected = strncmp(ages[i].name, "mempolicy:", 10) == 0 || i == 0 ? -EINVAL : -ENOSYS;
		/* Kernels between 5.3 and 5.7 know clone3, earlier ones do not. */
		if (i == 0 && kernel() < 5003)
			expected = -ENOSYS;
		if (rc != expected)
			fail_msg("%s: %d instead of %d", ages[i].name, rc, expected);
	}
}

static void run_all(void)
{
	for (size_t i = 0; probe_names[i]; i++)
		(void)probe_run(probe_names[i]);
}

static void makes_no_child_and_no_signal(void **state)
{
	(void)state;
	assert_true(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
	run_all();
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

enum {
	WORDS = 16,
	MASK_BITS = 1025,
	LOW_HALF = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0, /* of an argument of seccomp_data */
};

static int get_policy(int *mode, unsigned long mask[WORDS])
{
	memset(mask, 0, WORDS * sizeof(mask[0]));
	return (int)syscall(SYS_get_mempolicy, mode, mask, MASK_BITS, NULL, 0);
}

static void leaves_the_threads_policy_as_it_was(void **state)
{
	static const int modes[] = {MPOL_DEFAULT,
				    MPOL_BIND,
				    MPOL_INTERLEAVE,
				    MPOL_PREFERRED,
				    MPOL_BIND | MPOL_F_STATIC_NODES,
				    MPOL_BIND | MPOL_F_RELATIVE_NODES,
				    MPOL_LOCAL};
	unsigned long before[WORDS], after[WORDS], nodes[WORDS] = {1};
	int mode = -1, found = -1;

	(void)state;
	need_no_filter();
	if (get_policy(&mode, before) < 0)
		skip(); /* no CONFIG_NUMA */
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		bool is_bare = modes[i] == MPOL_DEFAULT || modes[i] == MPOL_LOCAL;

		assert_int_equal(
			syscall(SYS_set_mempolicy, modes[i], is_bare ? NULL : nodes, is_bare ? 0 : MASK_BITS),
			0);
		assert_int_equal(get_policy(&mode, before), 0);
		run_all();
		assert_int_equal(get_policy(&found, after), 0);
		assert_int_equal(found, mode);
		assert_memory_equal(before, after, sizeof(before));
	}
	assert_int_equal(syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0), 0);
}

/* Makes two calls fail in this process, as a container runtime's seccomp profile does. */
static bool filter_calls(unsigned refused, unsigned lacking)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, lacking, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* 0, or the number of the first thing that is not as it should be. */
static int probe_under_filter(void)
{
	int step = 1;

	if (!filter_calls(SYS_set_mempolicy, SYS_clone3))
		return step;
	step++;
	if (probe_run("seccomp") != -EPERM)
		return step;
	step++;
	if (probe_run("clone3_into_cgroup") != -ENOSYS)
		return step;
	for (size_t i = 0; probe_names[i]; i++) {
		step++;
		if (strncmp(probe_names[i], "mempolicy:", 10) == 0 && probe_run(probe_names[i]) != -EPERM)
			return step;
	}
	step++;
	if (probe_run("pidfd_open") != 0)
		return step;
	step++;
	return probe_run("get_mempolicy") == 0 ? 0 : step;
}

static int probe_refused_calls(void)
{
	if (!filter_calls(SYS_clone3, SYS_get_mempolicy))
		return 1;
	if (probe_run("clone3_into_cgroup") != -EPERM)
		return 2;
	if (probe_run("mempolicy:bind") != -ENOSYS || probe_run("get_mempolicy") != -ENOSYS)
		return 3;
	if (!filter_calls(SYS_pidfd_open, SYS_pidfd_send_signal))
		return 4;
	if (probe_run("pidfd_open") != -EPERM || probe_run("pidfd_send_signal") != -ENOSYS)
		return 5;
	return 0;
}

/* Makes set_mempolicy(2) refuse one mode, as the kernel does when a policy's nodes are gone. */
static bool refuse_mode(unsigned mode)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_set_mempolicy, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + LOW_HALF),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, mode, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int probe_with_a_policy_that_cannot_return(void)
{
	unsigned long nodes[WORDS] = {1}, mask[WORDS];
	int mode = -1;

	if (syscall(SYS_set_mempolicy, MPOL_INTERLEAVE, nodes, MASK_BITS) < 0 ||
	    !refuse_mode(MPOL_INTERLEAVE))
		return 1;
	if (probe_run("mempolicy:bind") != -EBUSY)
		return 2;
	if (get_policy(&mode, mask) < 0 || mode != MPOL_INTERLEAVE || mask[0] != 1)
		return 3;
	return 0;
}

static void run_child(int (*run)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(run());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void gives_up_no_policy_that_cannot_return(void **state)
{
	(void)state;
	if (probe_run("seccomp") != 0 || probe_run("get_mempolicy") != 0)
		skip();
	run_child(probe_with_a_policy_that_cannot_return);
}

static void tells_a_filter_from_the_kernel(void **state)
{
	(void)state;
	if (probe_run("seccomp") != 0 || probe_run("get_mempolicy") != 0 || probe_run("pidfd_open") != 0)
		skip();
	run_child(probe_under_filter);
	run_child(probe_refused_calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_name_is_a_probe),
		cmocka_unit_test(answers_as_the_kernels_version_says),
		cmocka_unit_test(makes_no_child_and_no_signal),
		cmocka_unit_test(leaves_the_threads_policy_as_it_was),
		cmocka_unit_test(tells_a_filter_from_the_kernel),
		cmocka_unit_test(gives_up_no_policy_that_cannot_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
