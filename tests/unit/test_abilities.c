/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of doctor about system calls and privileges: each errno has its own reason. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/abilities.h"

static const uint64_t all = (1ULL << 41) - 1;

static uint64_t without(unsigned capability)
{
	return all & ~(1ULL << capability);
}

/* Nothing is wrong: root, 6.12, two calls may fail in each test. */
static struct facts healthy(void)
{
	return (struct facts){
		.self = {.release = "6.12.1", .caps = (1ULL << 41) - 1, .initial_userns = true},
		.major = 6,
		.minor = 12,
		.is_asked = true,
		.has_numa = true,
		.init = "init",
	};
}

static const struct doctor_row *find(const struct doctor *doctor, const char *name)
{
	for (size_t i = 0; i < doctor->rows; i++)
		if (strcmp(doctor->row[i].name, name) == 0)
			return &doctor->row[i];
	fail_msg("there is no row %s", name);
	return NULL;
}

static void expect(const struct facts *facts, const char *name, enum doctor_state state, const char *reason,
		   const char *remedy)
{
	AUTO(doctor_clear_p) struct doctor doctor = {0};
	const struct doctor_row *row;

	abilities_judge(facts, &doctor);
	assert_false(doctor.is_short);
	row = find(&doctor, name);
	if (row->state != state || strcmp(row->reason, reason) != 0)
		fail_msg("%s is %s: %s", name, doctor_state_name(row->state), row->reason);
	if ((row->remedy == NULL) != (remedy == NULL) || (remedy && strcmp(row->remedy, remedy) != 0))
		fail_msg("%s: the remedy is: %s", name, row->remedy ? row->remedy : "none");
}

static void calls_that_work_are_ok(void **state)
{
	AUTO(doctor_clear_p) struct doctor doctor = {0};
	struct facts facts = healthy();
	size_t required = 0;

	(void)state;
	facts.mounts_error = 0;
	abilities_judge(&facts, &doctor);
	for (size_t i = 0; i < doctor.rows; i++) {
		assert_true(doctor.row[i].state == DOCTOR_OK || doctor.row[i].state == DOCTOR_INFO ||
			    strcmp(doctor.row[i].name, "privileges") == 0);
		assert_null(doctor.row[i].remedy);
		required += doctor.row[i].is_required;
	}
	/* The manual: clone3 into a cgroup, set_mempolicy, pidfd, privileges. */
	assert_int_equal(required, 4);
	assert_true(find(&doctor, "clone3.into_cgroup")->is_required);
	assert_true(find(&doctor, "set_mempolicy")->is_required);
	assert_true(find(&doctor, "pidfd")->is_required);
	assert_true(find(&doctor, "privileges")->is_required);
}

/* The versions are those in which a guest of each kernel had them for the first time. */
static void an_old_kernel_is_told_with_the_version_that_is_needed(void **state)
{
	static const struct {
		enum facts_probe probe;
		unsigned major, minor;
		int errnum;
		const char *row, *reason, *remedy;
	} cases[] = {
		{FACTS_CLONE3, 5, 4, EINVAL, "clone3.into_cgroup",
		 "this kernel (6.12.1) does not have it: Linux 5.7 brought it", "use Linux 5.7 or newer"},
		{FACTS_CLONE3, 4, 19, ENOSYS, "clone3.into_cgroup",
		 "this kernel (6.12.1) does not have it: Linux 5.7 brought it", "use Linux 5.7 or newer"},
		{FACTS_MRELEASE, 5, 10, ENOSYS, "process_mrelease",
		 "this kernel (6.12.1) does not have it: Linux 5.15 brought it", "use Linux 5.15 or newer"},
		{FACTS_PREFERRED_MANY, 5, 10, EINVAL, "mempolicy.preferred_many",
		 "this kernel (6.12.1) does not have it: Linux 5.15 brought it", "use Linux 5.15 or newer"},
		{FACTS_WEIGHTED, 6, 1, EINVAL, "mempolicy.weighted_interleave",
		 "this kernel (6.12.1) does not have it: Linux 6.9 brought it", "use Linux 6.9 or newer"},
		{FACTS_PIDFD_OPEN, 5, 2, ENOSYS, "pidfd",
		 "this kernel (6.12.1) does not have it: Linux 5.3 brought it", "use Linux 5.3 or newer"},
		{FACTS_WEIGHTED, 6, 9, EINVAL, "mempolicy.weighted_interleave",
		 "the kernel does not take it (EINVAL)", NULL},
		{FACTS_PIDFD_SIGNAL, 6, 1, ENOSYS, "pidfd", "the kernel does not take it (ENOSYS)", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts facts = healthy();

		facts.major = cases[i].major;
		facts.minor = cases[i].minor;
		facts.probe[cases[i].probe] = -cases[i].errnum;
		expect(&facts, cases[i].row, DOCTOR_MISSING, cases[i].reason, cases[i].remedy);
	}
}

static void a_kernel_without_nodes_is_not_called_old(void **state)
{
	struct facts facts = healthy();

	(void)state;
	facts.has_numa = false;
	facts.probe[FACTS_DEFAULT] = -ENOSYS;
	facts.probe[FACTS_MRELEASE] = -ENOSYS;
	expect(&facts, "set_mempolicy", DOCTOR_MISSING, "this kernel is built without CONFIG_NUMA",
	       "use a kernel with CONFIG_NUMA");
	expect(&facts, "process_mrelease", DOCTOR_MISSING, "the kernel does not take it (ENOSYS)", NULL);
}

static void eperm_is_seccomps_only_with_a_filter(void **state)
{
	struct facts facts = healthy();

	(void)state;
	facts.probe[FACTS_DEFAULT] = -EPERM;
	expect(&facts, "set_mempolicy", DOCTOR_MISSING,
	       "refused (EPERM), and not by seccomp: a security module or a sandbox does it",
	       "look into the log of the security module");
	facts.probe[FACTS_SECCOMP] = -EPERM;
	expect(&facts, "set_mempolicy", DOCTOR_MISSING,
	       "blocked by a seccomp filter (EPERM); containers' default profiles want CAP_SYS_NICE",
	       "give the container CAP_SYS_NICE, or a seccomp profile that allows the call");
	facts.probe[FACTS_CLONE3] = -ENOSYS;
	expect(&facts, "clone3.into_cgroup", DOCTOR_MISSING,
	       "a seccomp filter answers that there is no such call (ENOSYS)",
	       "give the container CAP_SYS_ADMIN, or a seccomp profile that allows the call");
}

static void what_was_not_asked_is_unknown(void **state)
{
	struct facts facts = healthy();

	(void)state;
	for (size_t i = 0; i < FACTS_PROBES; i++)
		facts.probe[i] = -ENODATA;
	facts.is_asked = false;
	expect(&facts, "pidfd", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
	expect(&facts, "mempolicy.bind", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
	expect(&facts, "seccomp", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
	expect(&facts, "systemd", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
}

static void other_failures_are_unknown(void **state)
{
	struct facts facts = healthy();

	(void)state;
	facts.probe[FACTS_BIND] = -EIO;
	facts.probe[FACTS_LOCAL] = -4000;
	facts.probe[FACTS_SECCOMP] = -ENOENT;
	expect(&facts, "mempolicy.bind", DOCTOR_UNKNOWN, "the attempt failed with EIO", NULL);
	expect(&facts, "mempolicy.local", DOCTOR_UNKNOWN, "the attempt failed with an unknown error", NULL);
	expect(&facts, "seccomp", DOCTOR_UNKNOWN, "/proc/self/status does not tell", NULL);
	facts.probe[FACTS_SECCOMP] = -EPERM;
	expect(&facts, "mempolicy.bind", DOCTOR_MISSING,
	       "blocked by a seccomp filter (EIO); containers' default profiles want CAP_SYS_NICE",
	       "give the container CAP_SYS_NICE, or a seccomp profile that allows the call");
	expect(&facts, "mempolicy.local", DOCTOR_MISSING,
	       "blocked by a seccomp filter (an unknown error); containers' default profiles want "
	       "CAP_SYS_NICE",
	       "give the container CAP_SYS_NICE, or a seccomp profile that allows the call");
}

static void seccomp_itself_is_a_fact(void **state)
{
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "seccomp", DOCTOR_INFO, "no filter is installed", NULL);
	facts.probe[FACTS_SECCOMP] = -EPERM;
	expect(&facts, "seccomp", DOCTOR_INFO, "a filter is installed; a call that it blocks says so", NULL);
}

static void privileges_follow_from_what_may_be_written(void **state)
{
	struct facts facts = healthy();
	char mount[] = "/cg", name[] = "/", locked[] = "/cg";
	struct facts_cgroup level = {.name = name};
	static const char full[] =
		"uid 0, with CAP_SYS_ADMIN, CAP_SYS_NICE, CAP_SYS_RESOURCE and CAP_SYS_PTRACE";

	(void)state;
	expect(&facts, "privileges", DOCTOR_OK, full, NULL);
	facts.cgroup2 = mount;
	facts.level = &level;
	facts.levels = 1;
	expect(&facts, "privileges", DOCTOR_OK, full, NULL);
	facts.self.caps = without(FACTS_SYS_NICE) & without(FACTS_SYS_RESOURCE);
	expect(&facts, "privileges", DOCTOR_LIMITED,
	       "uid 0, without CAP_SYS_NICE (no pages of others moved), CAP_SYS_RESOURCE (oom_score_adj only "
	       "goes up)",
	       NULL);
	facts.self.caps = all;
	facts.self.initial_userns = false;
	expect(&facts, "privileges", DOCTOR_LIMITED,
	       "uid 0 of a user namespace, with CAP_SYS_ADMIN, CAP_SYS_NICE, CAP_SYS_RESOURCE and "
	       "CAP_SYS_PTRACE there only",
	       NULL);
	facts.self.initial_userns = true;
	facts.is_read_only = true;
	expect(&facts, "privileges", DOCTOR_OK, full, NULL);
	facts.is_read_only = false;
	facts.self.uid = 1000;
	facts.self.caps = 0;
	expect(&facts, "privileges", DOCTOR_LIMITED,
	       "uid 1000, without CAP_SYS_ADMIN (no mounts), CAP_SYS_NICE (no pages of others moved), "
	       "CAP_SYS_RESOURCE (oom_score_adj only goes up), CAP_SYS_PTRACE (numa_maps of others unread)",
	       NULL);
	level.locked = locked;
	expect(&facts, "privileges", DOCTOR_MISSING, "uid 1000 may write no cgroup",
	       "be root, or have a cgroup delegated");
	facts.is_asked = false;
	expect(&facts, "privileges", DOCTOR_UNKNOWN, "uid 1000; what it may write is not known", NULL);
}

static void privileges_without_a_mount_are_those_of_root(void **state)
{
	struct facts facts = healthy();

	(void)state;
	facts.self.uid = 1000;
	facts.self.caps = 0;
	expect(&facts, "privileges", DOCTOR_MISSING, "uid 1000 may write no cgroup",
	       "be root, or have a cgroup delegated");
	facts.mounts_error = -EACCES;
	expect(&facts, "privileges", DOCTOR_UNKNOWN, "uid 1000; what it may write is not known", NULL);
}

static void systemd_is_a_fact(void **state)
{
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "systemd", DOCTOR_INFO,
	       "not running: there is no /run/systemd/system (process 1 is init)", NULL);
	facts.init[0] = '\0';
	expect(&facts, "systemd", DOCTOR_INFO,
	       "not running: there is no /run/systemd/system (process 1 is not visible)", NULL);
	facts.has_systemd = true;
	memcpy(facts.init, "systemd", sizeof("systemd"));
	expect(&facts, "systemd", DOCTOR_INFO,
	       "running (process 1 is systemd): it switches controllers off that no unit asks for", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_that_work_are_ok),
		cmocka_unit_test(an_old_kernel_is_told_with_the_version_that_is_needed),
		cmocka_unit_test(a_kernel_without_nodes_is_not_called_old),
		cmocka_unit_test(eperm_is_seccomps_only_with_a_filter),
		cmocka_unit_test(what_was_not_asked_is_unknown),
		cmocka_unit_test(other_failures_are_unknown),
		cmocka_unit_test(seccomp_itself_is_a_fact),
		cmocka_unit_test(privileges_follow_from_what_may_be_written),
		cmocka_unit_test(privileges_without_a_mount_are_those_of_root),
		cmocka_unit_test(systemd_is_a_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
