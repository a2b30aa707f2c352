/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of doctor that is about system calls, privileges and who else manages this machine. Pure. */
#include "policy/abilities.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "policy/controllers.h"

enum { NEEDS_NUMA = 1, IS_REQUIRED = 2 };

/* The version that brought it; distributions' older kernels may have it too, so that it only tells why
 * something is missing. `capability`: what containers' default seccomp profiles ask for. */
struct ability {
	const char *row;
	enum facts_probe probe;
	unsigned major, minor, flags;
	const char *capability;
};

static const char for_nodes[] = "CAP_SYS_NICE", for_all[] = "CAP_SYS_ADMIN";

static const struct ability abilities[] = {
	{"clone3.into_cgroup", FACTS_CLONE3, 5, 7, IS_REQUIRED, for_all},
	{"set_mempolicy", FACTS_DEFAULT, 2, 6, IS_REQUIRED | NEEDS_NUMA, for_nodes},
	{"get_mempolicy", FACTS_GET_MEMPOLICY, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.bind", FACTS_BIND, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.bind.static", FACTS_STATIC, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.bind.relative", FACTS_RELATIVE, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.bind.balancing", FACTS_BIND_BALANCING, 5, 12, NEEDS_NUMA, for_nodes},
	{"mempolicy.preferred", FACTS_PREFERRED, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.preferred_many", FACTS_PREFERRED_MANY, 5, 15, NEEDS_NUMA, for_nodes},
	{"mempolicy.preferred_many.balancing", FACTS_MANY_BALANCING, 6, 10, NEEDS_NUMA, for_nodes},
	{"mempolicy.interleave", FACTS_INTERLEAVE, 2, 6, NEEDS_NUMA, for_nodes},
	{"mempolicy.weighted_interleave", FACTS_WEIGHTED, 6, 9, NEEDS_NUMA, for_nodes},
	{"mempolicy.local", FACTS_LOCAL, 3, 8, NEEDS_NUMA, for_nodes},
	{"home_node", FACTS_HOME_NODE, 5, 17, NEEDS_NUMA, for_nodes},
	{"process_mrelease", FACTS_MRELEASE, 5, 15, 0, for_nodes},
};

static const struct ability pidfd_open = {"pidfd", FACTS_PIDFD_OPEN, 5, 3, IS_REQUIRED, for_nodes};
static const struct ability pidfd_signal = {"pidfd", FACTS_PIDFD_SIGNAL, 5, 1, IS_REQUIRED, for_nodes};

static bool is_older(const struct facts *facts, const struct ability *ability)
{
	return facts->major < ability->major ||
	       (facts->major == ability->major && facts->minor < ability->minor);
}

static bool is_filtered(const struct facts *facts)
{
	return facts->probe[FACTS_SECCOMP] == -EPERM;
}

static void remedy_filter(const struct ability *ability, struct doctor *doctor)
{
	doctor_remedy(doctor, "give the container %s, or a seccomp profile that allows the call",
		      ability->capability);
}

/* ENOSYS, and the EINVAL of a call that does not know a mode or a flag. */
static void judge_lack(const struct facts *facts, const struct ability *ability, int rc,
		       struct doctor *doctor)
{
	if ((ability->flags & NEEDS_NUMA) && rc == -ENOSYS && !facts->has_numa) {
		doctor_add(doctor, ability->row, DOCTOR_MISSING, "this kernel is built without CONFIG_NUMA");
		doctor_remedy(doctor, "use a kernel with CONFIG_NUMA");
	} else if (is_older(facts, ability)) {
		doctor_add(doctor, ability->row, DOCTOR_MISSING,
			   "this kernel (%s) does not have it: Linux %u.%u brought it", facts->self.release,
			   ability->major, ability->minor);
		doctor_remedy(doctor, "use Linux %u.%u or newer", ability->major, ability->minor);
	} else if (rc == -ENOSYS && is_filtered(facts)) {
		doctor_add(doctor, ability->row, DOCTOR_MISSING,
			   "a seccomp filter answers that there is no such call (ENOSYS)");
		remedy_filter(ability, doctor);
	} else {
		doctor_add(doctor, ability->row, DOCTOR_MISSING, "the kernel does not take it (%s)",
			   error_name(-rc));
	}
}

static void judge_refusal(const struct facts *facts, const struct ability *ability, const char *name,
			  struct doctor *doctor)
{
	if (is_filtered(facts)) {
		doctor_add(doctor, ability->row, DOCTOR_MISSING,
			   "blocked by a seccomp filter (%s); containers' default profiles want %s", name,
			   ability->capability);
		remedy_filter(ability, doctor);
	} else {
		doctor_add(doctor, ability->row, DOCTOR_MISSING,
			   "refused (%s), and not by seccomp: a security module or a sandbox does it", name);
		doctor_remedy(doctor, "look into the log of the security module");
	}
}

static void judge_ability(const struct facts *facts, const struct ability *ability, struct doctor *doctor)
{
	int rc = facts->probe[ability->probe];
	const char *name = error_name(-rc);

	name = name ? name : "an unknown error";
	if (rc == 0)
		doctor_add(doctor, ability->row, DOCTOR_OK, "works");
	else if (rc == -ENODATA)
		doctor_add(doctor, ability->row, DOCTOR_UNKNOWN, "the capture was made without asking");
	else if (rc == -ENOSYS || rc == -EINVAL || rc == -EOPNOTSUPP)
		judge_lack(facts, ability, rc, doctor);
	else if (rc == -EPERM || rc == -EACCES || is_filtered(facts)) /* a filter may choose any errno */
		judge_refusal(facts, ability, name, doctor);
	else
		doctor_add(doctor, ability->row, DOCTOR_UNKNOWN, "the attempt failed with %s", name);
	if (ability->flags & IS_REQUIRED)
		doctor_require(doctor);
}

static void judge_seccomp(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "seccomp";
	int rc = facts->probe[FACTS_SECCOMP];

	if (rc == 0)
		doctor_add(doctor, row, DOCTOR_INFO, "no filter is installed");
	else if (rc == -EPERM)
		doctor_add(doctor, row, DOCTOR_INFO, "a filter is installed; a call that it blocks says so");
	else
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "%s",
			   rc == -ENODATA ? "the capture was made without asking"
					  : "/proc/self/status does not tell");
}

/* ---- privileges ---- */

static const struct {
	unsigned number;
	const char *name, *lost;
} capabilities[] = {
	{FACTS_SYS_ADMIN, for_all, "no mounts"},
	{FACTS_SYS_NICE, for_nodes, "no pages of others moved"},
	{FACTS_SYS_RESOURCE, "CAP_SYS_RESOURCE", "oom_score_adj only goes up"},
	{FACTS_SYS_PTRACE, "CAP_SYS_PTRACE", "numa_maps of others unread"},
};

/* "without CAP_SYS_NICE (...), CAP_SYS_PTRACE (...)"; false when none is missing. */
static bool list_lost(const struct facts *facts, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(capabilities); i++) {
		int more;

		if (facts_can(facts, capabilities[i].number))
			continue;
		more = snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "without ",
				capabilities[i].name, capabilities[i].lost);
		if (more > 0 && (size_t)more < size - used)
			used += (size_t)more;
	}
	return used > 0;
}

/* Whether the reader may make cgroups: 1, 0, or -1 when it is not known. */
static int may_confine(const struct facts *facts)
{
	if (facts->cgroup2 && facts->is_asked)
		return facts->is_read_only ? facts_can(facts, FACTS_SYS_ADMIN)
					   : controllers_place(facts) >= 0;
	if (facts->self.uid == 0 && facts_can(facts, FACTS_DAC_OVERRIDE))
		return 1;
	return facts->cgroup2 || facts->mounts_error < 0 ? -1 : 0;
}

static void judge_privileges(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "privileges";
	const char *where = facts->self.initial_userns ? "" : " of a user namespace";
	char lost[256];
	int may = may_confine(facts);
	bool has_lost = list_lost(facts, lost, sizeof(lost));

	if (may < 0) {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "uid %" PRIu64 "%s; what it may write is not known",
			   facts->self.uid, where);
	} else if (!may) {
		doctor_add(doctor, row, DOCTOR_MISSING, "uid %" PRIu64 "%s may write no cgroup",
			   facts->self.uid, where);
		doctor_remedy(doctor, "be root, or have a cgroup delegated");
	} else if (has_lost) {
		doctor_add(doctor, row, DOCTOR_LIMITED, "uid %" PRIu64 "%s, %s", facts->self.uid, where,
			   lost);
	} else {
		doctor_add(doctor, row, facts->self.initial_userns ? DOCTOR_OK : DOCTOR_LIMITED,
			   "uid %" PRIu64
			   "%s, with CAP_SYS_ADMIN, CAP_SYS_NICE, CAP_SYS_RESOURCE and CAP_SYS_PTRACE%s",
			   facts->self.uid, where, facts->self.initial_userns ? "" : " there only");
	}
	doctor_require(doctor);
}

static void judge_systemd(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "systemd";
	const char *init = *facts->init ? facts->init : "not visible";

	if (facts->has_systemd)
		doctor_add(doctor, row, DOCTOR_INFO,
			   "running (process 1 is %s): it switches controllers off that no unit asks for",
			   init);
	else if (!facts->is_asked)
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "the capture was made without asking");
	else
		doctor_add(doctor, row, DOCTOR_INFO,
			   "not running: there is no /run/systemd/system (process 1 is %s)", init);
}

void abilities_judge(const struct facts *facts, struct doctor *doctor)
{
	/* Two calls, one row: the first that is missing counts. */
	bool is_open = facts->probe[FACTS_PIDFD_OPEN] == 0;

	judge_privileges(facts, doctor);
	judge_ability(facts, is_open ? &pidfd_signal : &pidfd_open, doctor);
	for (size_t i = 0; i < ARRAY_SIZE(abilities); i++)
		judge_ability(facts, &abilities[i], doctor);
	judge_seccomp(facts, doctor);
	judge_systemd(facts, doctor);
}
