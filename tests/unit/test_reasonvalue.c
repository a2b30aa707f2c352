/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values that the kernel does not take. */
#include "policy/reasonvalue.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "refusal.h"
#include "test.h"

static void a_missing_file_tells_which_controller_is_not_enabled_where(void **state)
{
	static const struct refusal_case cases[] = {
		{SET_OF("/a/b", "cpuset.mems", "0"), ENOENT, CGPOL_UNSUPPORTED,
		 "cannot set cpuset.mems of cgroup /a/b to \"0\": controller cpuset is not enabled in cgroup "
		 "/, so that /a "
		 "has nothing of it",
		 "\"+cpuset\" into cgroup.subtree_control of /"},
		{SET_OF("/a/b", "misc.max", "x 1"), ENOENT, CGPOL_UNSUPPORTED,
		 "controller misc is not in cgroup.controllers of the root cgroup /: the cgroup that is "
		 "mounted there is "
		 "not given it",
		 "Delegate="},
		{SET_OF("/t/u", "memory.max", "1"), ENOENT, CGPOL_UNSUPPORTED,
		 "controller memory cannot be enabled in cgroup /t, which is \"domain threaded\"",
		 "\"domain\""},
		{SET_OF("/s.service/x", "cpuset.mems", "1"), ENOENT, CGPOL_UNSUPPORTED,
		 "is not enabled in cgroup /s.service,",
		 "systemctl edit s.service, with [Service] and Delegate=cpuset"},
		{SET_OF("/r.scope/x", "cpuset.mems", "1"), ENOENT, CGPOL_UNSUPPORTED,
		 "is not enabled in cgroup /r.scope,", "systemd-run --scope -p Delegate=yes"},
		{SET_OF("/", "memory.max", "1"), ENOENT, CGPOL_UNSUPPORTED,
		 "the root cgroup has no such file", "below it"},
		{SET_OF("/full", "memory.max", "1"), ENOENT, CGPOL_UNSUPPORTED,
		 "this kernel (6.1) has no such file", NULL},
		{SET_OF("/gone", "memory.max", "1"), ENOENT, CGPOL_FAILED, "cgroup /gone does not exist",
		 "try again"},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/a", "memory\n");
	refusal_put(&refusal, "/a/b", "memory\n");
	refusal_put(&refusal, "/full", NULL);
	refusal_put(&refusal, "/t", NULL);
	refusal_put(&refusal, "/t/cgroup.type", "domain threaded\n");
	refusal_put(&refusal, "/t/u", "cpu\n");
	refusal_put(&refusal, "/s.service", NULL);
	refusal_put(&refusal, "/s.service/x", "memory\n");
	refusal_put(&refusal, "/r.scope", NULL);
	refusal_put(&refusal, "/r.scope/x", "memory\n");
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
}

static void the_machine_may_lack_the_controller(void **state)
{
	static const struct step step = SET_OF("/a", "memory.max", "1");
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/cgroup.controllers", "cpu\n");
	refusal_put(&refusal, "/a", "cpu\n");
	fakeroot_put(refusal.root, "/proc/cmdline", "quiet cgroup_disable=memory\n");
	refusal_expect(&refusal,
		       &(struct refusal_case){step, ENOENT, CGPOL_UNSUPPORTED,
					      "switched off on the kernel's command line (cgroup_disable=)",
					      "cgroup_disable="});
	fakeroot_put(refusal.root, "/proc/self/mountinfo",
		     "24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
		     "25 1 0:23 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	refusal_expect(&refusal,
		       &(struct refusal_case){step, ENOENT, CGPOL_UNSUPPORTED,
					      "it is bound to cgroup v1, mounted at /sys/fs/cgroup/memory",
					      "cgroup_no_v1=memory"});
}

static void cpusets_show_the_chain_and_what_is_offline(void **state)
{
	static const struct refusal_case cases[] = {
		{SET_OF("/a/b", "cpuset.cpus", "4-5"), ENOSPC, CGPOL_REFUSED,
		 "the processes in it would be left without cpus; cpuset.cpus.effective: / 0-3, /a 1-2, /a/b "
		 "none; 4-5 "
		 "offline",
		 NULL},
		{SET_OF("/a/b", "cpuset.mems", "2"), ENOSPC, CGPOL_REFUSED, "2 without memory", NULL},
		{SET_OF("/a/b", "cpuset.mems", "2"), EINVAL, CGPOL_REFUSED,
		 "nodes 2 of it have no memory now", "cgpol nodes"},
		{SET_OF("/a/b", "cpuset.mems", "9"), EINVAL, CGPOL_REFUSED,
		 "can never have; possible are 0-3", NULL},
		{SET_OF("/a/b", "cpuset.cpus", "99"), ERANGE, CGPOL_REFUSED,
		 "can never have; possible are 0-7", NULL},
		{SET_OF("/a/b", "cpuset.cpus", "1,6"), EINVAL, CGPOL_REFUSED,
		 "cgroup /a has 1-2; offline are 6", "siblings"},
		{SET_OF("/a/b", "cpuset.cpus.partition", "root"), EBUSY, CGPOL_REFUSED,
		 "this kernel (6.1) makes and ends no partition that has cgroups below it", "6.0"},
		{SET_OF("/a/q", "cpuset.cpus.exclusive", "1"), EINVAL, CGPOL_REFUSED,
		 "the partition /a/x has cpus 1 for itself; cgroup /a has 1-2 left", NULL},
		{SET_OF("/a/q", "cpuset.cpus", "1"), ENOSPC, CGPOL_REFUSED,
		 "left without cpus: the partition /a/x has 1; cpuset.cpus.effective: / 0-3, /a 1-2", NULL},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/a", NULL);
	refusal_put(&refusal, "/a/cpuset.cpus.effective", "1-2\n");
	refusal_put(&refusal, "/a/b", NULL);
	refusal_put(&refusal, "/a/b/cpuset.cpus.effective", "\n");
	refusal_expect_all(&refusal, cases, 7);
	refusal_put(&refusal, "/a/q", NULL);
	refusal_put(&refusal, "/a/x", NULL);
	refusal_put(&refusal, "/a/x/cpuset.cpus.exclusive", "1\n");
	refusal_expect_all(&refusal, cases + 7, 2);
}

static void what_the_check_before_memory_max_finds(void **state)
{
	static const struct step step = {.op = STEP_CHECK,
					 .cgroup = STR("/a"),
					 .file = STR("memory.current"),
					 .new_value = STR("1000")};
	static const struct step reclaim = {
		.op = STEP_RECLAIM, .cgroup = STR("/a"), .new_value = STR("1000")};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/a", NULL);
	refusal_put(&refusal, "/a/memory.current", "5000\n");
	refusal_expect(&refusal, &(struct refusal_case){
					 step, EBUSY, CGPOL_REFUSED,
					 "cannot bring memory.current of cgroup /a down to 1000: it is 5000, "
					 "and what is left cannot be reclaimed",
					 "--force"});
	refusal_expect(&refusal, &(struct refusal_case){reclaim, EINVAL, CGPOL_REFUSED,
							"cannot reclaim 1000 bytes of cgroup /a: ", NULL});
	assert_string_equal(refusal.err.file, "memory.reclaim");
}

static void settings_of_the_machine(void **state)
{
	static const struct refusal_case cases[] = {
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/swappiness"), .new_value = STR("900")},
		 EINVAL,
		 CGPOL_REFUSED,
		 "cannot set /proc/sys/vm/swappiness to \"900\": the kernel takes 0 to 200",
		 NULL},
		{{.op = STEP_HOST, .file = STR("/sys/x"), .new_value = STR("900")},
		 EINVAL,
		 CGPOL_REFUSED,
		 "does not take this value",
		 NULL},
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/none"), .new_value = STR("1")},
		 ENOENT,
		 CGPOL_UNSUPPORTED,
		 "this kernel (6.1) has no such setting",
		 NULL},
		{{.op = STEP_HOST, .file = STR("/proc/sys/vm/none"), .new_value = STR("1")},
		 EIO,
		 CGPOL_FAILED,
		 "Input/output error",
		 NULL},
		{{.op = STEP_SAVE, .file = STR("/etc/x/y"), .new_value = STR("1")},
		 ENOENT,
		 CGPOL_FAILED,
		 "cannot write /etc/x/y: its directory does not exist",
		 "mkdir -p"},
	};
	AUTO(refusal_close) struct refusal refusal;

	(void)state;
	refusal_open(&refusal);
	refusal_expect_all(&refusal, cases, ARRAY_SIZE(cases));
	assert_string_equal(refusal.err.file, "/etc/x/y");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_file_tells_which_controller_is_not_enabled_where),
		cmocka_unit_test(the_machine_may_lack_the_controller),
		cmocka_unit_test(cpusets_show_the_chain_and_what_is_offline),
		cmocka_unit_test(what_the_check_before_memory_max_finds),
		cmocka_unit_test(settings_of_the_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
