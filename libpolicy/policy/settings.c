/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of doctor that is about nodes, pressure, swap, other killers, and the settings of vm.*. Pure. */
#include "policy/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

static const char unasked[] = "the capture was made without asking";

/* ---- nodes ---- */

static void judge_nodes(const struct facts *facts, struct doctor *doctor)
{
	if (!facts->has_nodes)
		doctor_add(doctor, "numa.nodes", DOCTOR_UNKNOWN, "the nodes cannot be read");
	else if (facts->memory_nodes == 0)
		doctor_add(doctor, "numa.nodes", DOCTOR_UNKNOWN, "the kernel lists no node with memory");
	else if (facts->memory_nodes > 1)
		doctor_add(doctor, "numa.nodes", DOCTOR_OK, "%zu nodes with memory: %s", facts->memory_nodes,
			   facts->with_memory);
	else
		doctor_add(doctor, "numa.nodes", DOCTOR_INFO,
			   "one node with memory (%s): a memory policy has nothing to choose from",
			   facts->with_memory);
	if (!facts->has_nodes)
		doctor_add(doctor, "numa.memoryless", DOCTOR_UNKNOWN, "the nodes cannot be read");
	else
		doctor_add(doctor, "numa.memoryless", DOCTOR_INFO, "without memory: %s; without cpus: %s",
			   *facts->memoryless ? facts->memoryless : "none",
			   *facts->cpuless ? facts->cpuless : "none");
}

/* The file is made when CONFIG_NUMA_BALANCING is built in (kernel/sched/core.c). */
static void judge_balancing(const struct facts *facts, struct doctor *doctor)
{
	const struct facts_number *setting = &facts->setting[FACTS_BALANCING];

	if (setting->error == 0) {
		doctor_add(doctor, "numa.balancing", DOCTOR_OK, "this kernel has it");
	} else if (!facts->is_asked || setting->error != -ENOENT) {
		doctor_add(doctor, "numa.balancing", DOCTOR_UNKNOWN, "%s",
			   facts->is_asked ? "/proc/sys/kernel/numa_balancing cannot be read" : unasked);
	} else {
		doctor_add(doctor, "numa.balancing", DOCTOR_MISSING,
			   "this kernel does not move pages to where they are used");
		doctor_remedy(doctor, "use a kernel with CONFIG_NUMA_BALANCING");
	}
}

/* ---- pressure, swap, other killers ---- */

/* The directory is made unless psi is off at boot (kernel/sched/psi.c psi_proc_init). */
static void judge_psi(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "psi";
	bool is_off = mounts_has_word(facts->cmdline, "psi=0");

	if (facts->psi == 0) {
		doctor_add(doctor, row, DOCTOR_OK, "/proc/pressure/memory can be read");
	} else if (!facts->is_asked) {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "%s", unasked);
	} else if (facts->psi == -ENOENT || facts->psi == -EOPNOTSUPP) {
		doctor_add(doctor, row, DOCTOR_MISSING, "%s",
			   is_off ? "switched off on the kernel's command line (psi=0)"
				  : "no /proc/pressure: this kernel lacks CONFIG_PSI, or has it off unless "
				    "told");
		doctor_remedy(doctor, "%s", is_off ? "boot without psi=0" : "boot with psi=1");
	} else {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "/proc/pressure/memory: %s", error_name(-facts->psi));
	}
}

static void judge_swap(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "swap";

	if (facts->swaps_error == -ENOENT && facts->is_asked) {
		doctor_add(doctor, row, DOCTOR_MISSING, "this kernel is built without CONFIG_SWAP");
		doctor_remedy(doctor, "use a kernel with CONFIG_SWAP");
	} else if (facts->swaps_error < 0) {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "%s",
			   facts->is_asked ? "/proc/swaps cannot be read" : unasked);
	} else if (facts->swaps == 0) {
		doctor_add(doctor, row, DOCTOR_MISSING,
			   "none is active: anonymous memory cannot be reclaimed");
		doctor_remedy(doctor, "swapon a file, a partition or zram, if that is wanted");
		/* From 6.1 on the option does nothing (mm/memcontrol.c setup_swap_account). */
	} else if (mounts_has_word(facts->cmdline, "swapaccount=0") &&
		   (facts->major < 6 || (facts->major == 6 && facts->minor == 0))) {
		doctor_add(doctor, row, DOCTOR_LIMITED,
			   "%zu active, but not accounted to cgroups (swapaccount=0)", facts->swaps);
		doctor_remedy(doctor, "boot without swapaccount=0");
	} else {
		doctor_add(doctor, row, DOCTOR_OK, "%zu active: %" PRIu64 " of %" PRIu64 " MiB are used",
			   facts->swaps, facts->swap_used >> 20, facts->swap_bytes >> 20);
	}
}

static char *list_killers(const struct facts *facts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < facts->killers; i++)
		(void)fprintf(out, "%s%s (pid %d)", i ? ", " : "", facts->killer[i].name,
			      facts->killer[i].pid);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void judge_killers(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "oom.killers";
	AUTO(free_p) char *list = NULL;

	if (facts->killers == 0) {
		doctor_add(doctor, row, facts->sees_all ? DOCTOR_OK : DOCTOR_UNKNOWN, "%s",
			   facts->sees_all ? "only the kernel kills when memory is short"
					   : "none is seen, but processes may be hidden from here");
		return;
	}
	list = list_killers(facts);
	if (!list)
		doctor->is_short = true;
	else
		doctor_add(doctor, row, DOCTOR_INFO, "may kill before the kernel does: %s", list);
}

/* ---- vm.* ---- */

struct meaning {
	uint64_t value;
	enum doctor_state state;
	const char *reason;
};

/* `others`: what the values without a meaning of their own mean, behind the number. */
struct setting {
	const char *row;
	enum facts_setting which;
	const struct meaning *meaning;
	size_t meanings;
	enum doctor_state state;
	const char *others;
};

/* Documentation/admin-guide/sysctl/vm.rst */
static const struct meaning overcommit[] = {
	{0, DOCTOR_INFO, "0: only what obviously cannot be had is refused"},
	{1, DOCTOR_INFO, "1: no request for memory is refused"},
	{2, DOCTOR_INFO, "2: requests beyond CommitLimit are refused, so that the OOM killer hardly acts"},
};

/* mm/oom_kill.c check_panic_on_oom */
static const struct meaning panic[] = {
	{0, DOCTOR_OK, "0: the OOM killer ends a process"},
	{1, DOCTOR_LIMITED,
	 "1: the machine panics when its memory is used up; not for the limit of a cgroup, a "
	 "cpuset or a memory policy"},
	{2, DOCTOR_LIMITED, "2: the machine panics at every OOM, even at that of a cgroup"},
};

static const struct meaning allocating[] = {
	{0, DOCTOR_OK, "0: the largest process is taken"},
};

static const struct meaning reclaim[] = {
	{0, DOCTOR_OK, "0: a full node borrows from others before it reclaims"},
};

static const struct meaning balancing[] = {
	{0, DOCTOR_INFO, "0: off"},
	{1, DOCTOR_INFO, "1: pages move to the node that uses them, within their memory policy"},
	{2, DOCTOR_INFO, "2: memory tiering only"},
	{3, DOCTOR_INFO, "3: pages move to the node that uses them, and between memory tiers"},
};

static const struct setting settings[] = {
	{"vm.overcommit_memory", FACTS_OVERCOMMIT, overcommit, ARRAY_SIZE(overcommit), DOCTOR_INFO, ""},
	{"vm.panic_on_oom", FACTS_PANIC, panic, ARRAY_SIZE(panic), DOCTOR_INFO, ""},
	{"vm.oom_kill_allocating_task", FACTS_KILL_ALLOCATING, allocating, ARRAY_SIZE(allocating),
	 DOCTOR_LIMITED, ": the process that asks for memory is taken, not the largest"},
	{"vm.zone_reclaim_mode", FACTS_ZONE_RECLAIM, reclaim, ARRAY_SIZE(reclaim), DOCTOR_INFO,
	 ": a full node reclaims before it borrows from others"},
	{"vm.min_free_kbytes", FACTS_MIN_FREE, NULL, 0, DOCTOR_INFO, " KiB are kept for the kernel"},
	{"kernel.numa_balancing", FACTS_BALANCING, balancing, ARRAY_SIZE(balancing), DOCTOR_INFO, ""},
};

static const struct meaning *find_meaning(const struct setting *setting, uint64_t value)
{
	for (size_t i = 0; i < setting->meanings; i++)
		if (setting->meaning[i].value == value)
			return &setting->meaning[i];
	return NULL;
}

static void judge_setting(const struct facts *facts, const struct setting *setting, struct doctor *doctor)
{
	const struct facts_number *number = &facts->setting[setting->which];
	const struct meaning *meaning = find_meaning(setting, number->value);
	enum doctor_state state = meaning ? meaning->state : setting->state;
	const char *name = error_name(-number->error);

	if (number->error == -ENOENT) {
		doctor_add(doctor, setting->row, facts->is_asked ? DOCTOR_INFO : DOCTOR_UNKNOWN, "%s",
			   facts->is_asked ? "this kernel does not have it" : unasked);
		return;
	}
	if (number->error < 0) {
		doctor_add(doctor, setting->row, DOCTOR_UNKNOWN, "cannot be read: %s",
			   name ? name : "an unknown error");
		return;
	}
	if (meaning)
		doctor_add(doctor, setting->row, state, "%s", meaning->reason);
	else
		doctor_add(doctor, setting->row, state, "%" PRIu64 "%s", number->value, setting->others);
	if (state == DOCTOR_LIMITED)
		doctor_remedy(doctor, "sysctl %s=0, if that is not wanted", setting->row);
}

/* "(null)" is what some kernels print for an empty nohz_full (drivers/base/cpu.c print_cpus_nohz_full). */
static const char *list_or_none(const char *list)
{
	return !list || *list == '\0' || strspn(list, " \n") == strlen(list) || strstr(list, "(null)")
		       ? "none"
		       : list;
}

static void judge_isolated(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "isolated_cpus";

	if (!facts->isolated)
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "%s",
			   facts->is_asked ? "/sys/devices/system/cpu/isolated cannot be read" : unasked);
	else
		doctor_add(doctor, row, DOCTOR_INFO, "isolated: %s; nohz_full: %s",
			   list_or_none(facts->isolated), list_or_none(facts->nohz_full));
}

void settings_judge(const struct facts *facts, struct doctor *doctor)
{
	judge_nodes(facts, doctor);
	judge_balancing(facts, doctor);
	judge_psi(facts, doctor);
	judge_swap(facts, doctor);
	judge_killers(facts, doctor);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		judge_setting(facts, &settings[i], doctor);
	judge_isolated(facts, doctor);
}
