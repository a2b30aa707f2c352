/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of doctor about nodes, pressure, swap, other killers and vm.*. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/settings.h"

static char list01[] = "0-1", list0[] = "0", list2[] = "2", none[] = "";

/* Two nodes, all settings 0, nothing wrong. */
static struct facts healthy(void)
{
	return (struct facts){
		.major = 6,
		.minor = 1,
		.is_asked = true,
		.has_nodes = true,
		.memory_nodes = 2,
		.with_memory = list01,
		.memoryless = none,
		.cpuless = none,
		.isolated = none,
		.swaps = 1,
		.swap_bytes = 64 << 20,
		.swap_used = 3 << 20,
		.sees_all = true,
	};
}

static void expect(const struct facts *facts, const char *name, enum doctor_state state, const char *reason,
		   const char *remedy)
{
	AUTO(doctor_clear_p) struct doctor doctor = {0};
	const struct doctor_row *row = NULL;

	settings_judge(facts, &doctor);
	assert_false(doctor.is_short);
	for (size_t i = 0; i < doctor.rows; i++) {
		assert_false(doctor.row[i].is_required);
		if (strcmp(doctor.row[i].name, name) == 0)
			row = &doctor.row[i];
	}
	if (!row)
		fail_msg("there is no row %s", name);
	if (row->state != state || strcmp(row->reason, reason) != 0)
		fail_msg("%s is %s: %s", name, doctor_state_name(row->state), row->reason);
	if ((row->remedy == NULL) != (remedy == NULL) || (remedy && strcmp(row->remedy, remedy) != 0))
		fail_msg("%s: the remedy is: %s", name, row->remedy ? row->remedy : "none");
}

static void one_node_is_told_from_many(void **state)
{
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "numa.nodes", DOCTOR_OK, "2 nodes with memory: 0-1", NULL);
	expect(&facts, "numa.memoryless", DOCTOR_INFO, "without memory: none; without cpus: none", NULL);
	facts.memory_nodes = 1;
	facts.with_memory = list0;
	facts.memoryless = list2;
	facts.cpuless = list01;
	expect(&facts, "numa.nodes", DOCTOR_INFO,
	       "one node with memory (0): a memory policy has nothing to choose from", NULL);
	expect(&facts, "numa.memoryless", DOCTOR_INFO, "without memory: 2; without cpus: 0-1", NULL);
	facts.memory_nodes = 0;
	expect(&facts, "numa.nodes", DOCTOR_UNKNOWN, "the kernel lists no node with memory", NULL);
	facts.has_nodes = false;
	expect(&facts, "numa.nodes", DOCTOR_UNKNOWN, "the nodes cannot be read", NULL);
	expect(&facts, "numa.memoryless", DOCTOR_UNKNOWN, "the nodes cannot be read", NULL);
}

static void numa_balancing_is_there_when_its_setting_is(void **state)
{
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "numa.balancing", DOCTOR_OK, "this kernel has it", NULL);
	facts.setting[FACTS_BALANCING].error = -ENOENT;
	expect(&facts, "numa.balancing", DOCTOR_MISSING,
	       "this kernel does not move pages to where they are used",
	       "use a kernel with CONFIG_NUMA_BALANCING");
	expect(&facts, "kernel.numa_balancing", DOCTOR_INFO, "this kernel does not have it", NULL);
	facts.is_asked = false;
	expect(&facts, "numa.balancing", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
	expect(&facts, "kernel.numa_balancing", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
	facts.is_asked = true;
	facts.setting[FACTS_BALANCING].error = -EACCES;
	expect(&facts, "numa.balancing", DOCTOR_UNKNOWN, "/proc/sys/kernel/numa_balancing cannot be read",
	       NULL);
	expect(&facts, "kernel.numa_balancing", DOCTOR_UNKNOWN, "cannot be read: EACCES", NULL);
}

static void pressure_says_who_switched_it_off(void **state)
{
	static char off[] = "quiet psi=0", on[] = "quiet";
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "psi", DOCTOR_OK, "/proc/pressure/memory can be read", NULL);
	facts.psi = -ENOENT;
	facts.cmdline = off;
	expect(&facts, "psi", DOCTOR_MISSING, "switched off on the kernel's command line (psi=0)",
	       "boot without psi=0");
	facts.cmdline = on;
	expect(&facts, "psi", DOCTOR_MISSING,
	       "no /proc/pressure: this kernel lacks CONFIG_PSI, or has it off unless told",
	       "boot with psi=1");
	facts.psi = -EACCES;
	expect(&facts, "psi", DOCTOR_UNKNOWN, "/proc/pressure/memory: EACCES", NULL);
	facts.is_asked = false;
	expect(&facts, "psi", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
}

static void swap_is_there_or_says_why_not(void **state)
{
	static char unaccounted[] = "swapaccount=0";
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "swap", DOCTOR_OK, "1 active: 3 of 64 MiB are used", NULL);
	facts.cmdline = unaccounted;
	expect(&facts, "swap", DOCTOR_OK, "1 active: 3 of 64 MiB are used", NULL);
	facts.minor = 0;
	expect(&facts, "swap", DOCTOR_LIMITED, "1 active, but not accounted to cgroups (swapaccount=0)",
	       "boot without swapaccount=0");
	facts.swaps = 0;
	expect(&facts, "swap", DOCTOR_MISSING, "none is active: anonymous memory cannot be reclaimed",
	       "swapon a file, a partition or zram, if that is wanted");
	facts.swaps_error = -EACCES;
	expect(&facts, "swap", DOCTOR_UNKNOWN, "/proc/swaps cannot be read", NULL);
	facts.swaps_error = -ENOENT;
	expect(&facts, "swap", DOCTOR_MISSING, "this kernel is built without CONFIG_SWAP",
	       "use a kernel with CONFIG_SWAP");
	facts.is_asked = false;
	expect(&facts, "swap", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
}

static void other_killers_are_named(void **state)
{
	struct facts_killer killers[] = {{412, "systemd-oomd"}, {600, "earlyoom"}};
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "oom.killers", DOCTOR_OK, "only the kernel kills when memory is short", NULL);
	facts.sees_all = false;
	expect(&facts, "oom.killers", DOCTOR_UNKNOWN, "none is seen, but processes may be hidden from here",
	       NULL);
	facts.killer = killers;
	facts.killers = 2;
	expect(&facts, "oom.killers", DOCTOR_INFO,
	       "may kill before the kernel does: systemd-oomd (pid 412), earlyoom (pid 600)", NULL);
}

static void each_value_of_a_setting_has_its_meaning(void **state)
{
	static const struct {
		enum facts_setting which;
		uint64_t value;
		const char *row;
		enum doctor_state state;
		const char *reason, *remedy;
	} cases[] = {
		{FACTS_OVERCOMMIT, 0, "vm.overcommit_memory", DOCTOR_INFO,
		 "0: only what obviously cannot be had is refused", NULL},
		{FACTS_OVERCOMMIT, 2, "vm.overcommit_memory", DOCTOR_INFO,
		 "2: requests beyond CommitLimit are refused, so that the OOM killer hardly acts", NULL},
		{FACTS_OVERCOMMIT, 7, "vm.overcommit_memory", DOCTOR_INFO, "7", NULL},
		{FACTS_PANIC, 0, "vm.panic_on_oom", DOCTOR_OK, "0: the OOM killer ends a process", NULL},
		{FACTS_PANIC, 1, "vm.panic_on_oom", DOCTOR_LIMITED,
		 "1: the machine panics when its memory is used up; not for the limit of a cgroup, a cpuset "
		 "or a "
		 "memory policy",
		 "sysctl vm.panic_on_oom=0, if that is not wanted"},
		{FACTS_PANIC, 2, "vm.panic_on_oom", DOCTOR_LIMITED,
		 "2: the machine panics at every OOM, even at that of a cgroup",
		 "sysctl vm.panic_on_oom=0, if that is not wanted"},
		{FACTS_KILL_ALLOCATING, 0, "vm.oom_kill_allocating_task", DOCTOR_OK,
		 "0: the largest process is taken", NULL},
		{FACTS_KILL_ALLOCATING, 5, "vm.oom_kill_allocating_task", DOCTOR_LIMITED,
		 "5: the process that asks for memory is taken, not the largest",
		 "sysctl vm.oom_kill_allocating_task=0, if that is not wanted"},
		{FACTS_ZONE_RECLAIM, 1, "vm.zone_reclaim_mode", DOCTOR_INFO,
		 "1: a full node reclaims before it borrows from others", NULL},
		{FACTS_MIN_FREE, 67584, "vm.min_free_kbytes", DOCTOR_INFO,
		 "67584 KiB are kept for the kernel", NULL},
		{FACTS_BALANCING, 2, "kernel.numa_balancing", DOCTOR_INFO, "2: memory tiering only", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts facts = healthy();

		facts.setting[cases[i].which].value = cases[i].value;
		expect(&facts, cases[i].row, cases[i].state, cases[i].reason, cases[i].remedy);
	}
}

static void isolated_cpus_are_listed(void **state)
{
	static char cpus[] = "2-3", null[] = "  (null)";
	struct facts facts = healthy();

	(void)state;
	expect(&facts, "isolated_cpus", DOCTOR_INFO, "isolated: none; nohz_full: none", NULL);
	facts.isolated = cpus;
	facts.nohz_full = null;
	expect(&facts, "isolated_cpus", DOCTOR_INFO, "isolated: 2-3; nohz_full: none", NULL);
	facts.nohz_full = cpus;
	expect(&facts, "isolated_cpus", DOCTOR_INFO, "isolated: 2-3; nohz_full: 2-3", NULL);
	facts.isolated = NULL;
	expect(&facts, "isolated_cpus", DOCTOR_UNKNOWN, "/sys/devices/system/cpu/isolated cannot be read",
	       NULL);
	facts.is_asked = false;
	expect(&facts, "isolated_cpus", DOCTOR_UNKNOWN, "the capture was made without asking", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_node_is_told_from_many),
		cmocka_unit_test(numa_balancing_is_there_when_its_setting_is),
		cmocka_unit_test(pressure_says_who_switched_it_off),
		cmocka_unit_test(swap_is_there_or_says_why_not),
		cmocka_unit_test(other_killers_are_named),
		cmocka_unit_test(each_value_of_a_setting_has_its_meaning),
		cmocka_unit_test(isolated_cpus_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
