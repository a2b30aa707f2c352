/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to values that the kernel does not take: of cgroups, and of the machine. */
#include "policy/reasonvalue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/cause.h"
#include "policy/keys.h"
#include "policy/reasontree.h"

static bool is_cpus(const struct reason *reason)
{
	return strcmp(reason->step->file, "cpuset.mems") != 0;
}

static const char *effective_of(const struct reason *reason)
{
	return is_cpus(reason) ? "cpuset.cpus.effective" : "cpuset.mems.effective";
}

/* What the parent lets through. */
static void show_above(const struct reason *reason, const char *file, char *text, size_t size)
{
	AUTO(free_p) char *have = reason_read_above(reason, file);

	text_escape(have ? have : "?", text, size);
}

void reason_no_file(struct reason *reason)
{
	const char *file = reason->step->file;
	const struct key *key = key_find(file);
	AUTO(free_p) char *controller = key_controller(file);
	AUTO(free_p) char *list = reason_read(reason, "cgroup.controllers");
	const char *hint = cause_of_missing(file);
	struct cause_gap gap;

	if (!list) {
		reason_gone(reason);
		return;
	}
	if (controller && cause_find_gap(reason->host, reason->cgroup, controller, &gap) == 0) {
		reason_say(reason, "%s", gap.why);
		reason_advise(reason, "%s", gap.hint);
		return;
	}
	if (strcmp(reason->cgroup, "/") == 0) {
		reason_say(reason, "the root cgroup has no such file");
		reason_advise(reason, "name a cgroup below it");
		return;
	}
	if (key && key->since)
		reason_say(reason, "this kernel (%u.%u) has no such file: it came with %s",
			   reason->host->major, reason->host->minor, key->since);
	else
		reason_say(reason, "this kernel (%u.%u) has no such file", reason->host->major,
			   reason->host->minor);
	if (hint)
		reason_advise(reason, "%s", hint);
}

void reason_no_device(struct reason *reason)
{
	char device[48];

	text_escape(reason->step->new_value, device, sizeof(device));
	device[strcspn(device, " ")] = '\0';
	reason_say(reason, "this machine has no block device %s", device);
	reason_advise(reason, "lsblk shows the numbers of the devices (MAJ:MIN)");
}

/* kernel/cgroup/rdma.c rdmacg_resource_set_max(): the first word is the name of a device. */
void reason_no_rdma(struct reason *reason)
{
	AUTO(free_p) char *list = reason_read(reason, "cgroup.controllers");
	char device[80];

	if (!list) {
		reason_gone(reason);
		return;
	}
	text_escape(reason->step->new_value, device, sizeof(device));
	device[strcspn(device, " ")] = '\0';
	reason_say(reason, "this machine has no RDMA device %s", device);
	reason_advise(reason, "/sys/class/infiniband lists their names");
}

/* kernel/cgroup/cpuset.c update_nodemask(): EINVAL for what has no memory too; update_cpumask(): EINVAL for
 * what the kernel has no place for, ERANGE for what its bitmaps have none for. */
void reason_not_possible(struct reason *reason)
{
	const char *path = is_cpus(reason) ? "/sys/devices/system/cpu/possible"
					   : "/sys/devices/system/node/possible";
	unsigned limit = is_cpus(reason) ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset can_be = {0, NULL};
	AUTO(free_p) char *possible = NULL;
	char off[80] = "";

	(void)root_read(reason->host->root, path, &possible, NULL);
	if (possible && nodeset_parse(possible, limit, &can_be, NULL) == 0 &&
	    nodeset_parse(reason->step->new_value, limit, &wanted, NULL) == 0 &&
	    nodeset_contains(&can_be, &wanted))
		cause_list_offline(reason->host, is_cpus(reason), reason->step->new_value, off, sizeof(off));
	if (off[0] != '\0') {
		reason_say(reason, "%s %s of it %s now", is_cpus(reason) ? "cpus" : "nodes", off,
			   is_cpus(reason) ? "are offline" : "have no memory");
		reason_advise(reason, "cgpol nodes shows what there is");
		return;
	}
	reason_say(reason, "the list has %s that this machine can never have; possible are %.80s",
		   is_cpus(reason) ? "cpus" : "nodes", possible ? possible : "?");
}

void reason_in_conflict(struct reason *reason)
{
	const char *list = reason->step->new_value;
	AUTO(free_p) char *cpus = NULL;
	AUTO(free_p) char *sibling = cause_find_partition(reason->host, reason->cgroup, list, &cpus);
	char above[96], shown[REASON_NAME], off[80];

	show_above(reason, "cpuset.cpus.effective", above, sizeof(above));
	text_escape(sibling ? sibling : "", shown, sizeof(shown));
	cause_list_offline(reason->host, true, list, off, sizeof(off));
	if (sibling)
		reason_say(reason, "the partition %.120s has cpus %.60s for itself; cgroup %.80s has %s left",
			   shown, cpus, reason->parent, above);
	else
		reason_say(reason,
			   "the cpus are in use by a partition beside or below it; cgroup %.120s has %s%s%s",
			   reason->parent, above, off[0] ? "; offline are " : "", off);
	reason_advise(reason, "compare cpuset.cpus and cpuset.cpus.partition of its siblings");
}

void reason_deadline(struct reason *reason)
{
	reason_say(reason, "the cpus would not suffice for the SCHED_DEADLINE processes that run there");
}

/* kernel/cgroup/cpuset.c validate_change(): a list that is set cannot be emptied under processes; and no
 * partition may take the last cpu of the processes above it. */
void reason_emptied(struct reason *reason)
{
	const char *what = is_cpus(reason) ? "cpus" : "nodes";
	AUTO(free_p) char *cpus = NULL;
	AUTO(free_p)
	char *sibling = is_cpus(reason) ? cause_find_partition(reason->host, reason->cgroup,
							       reason->step->new_value, &cpus)
					: NULL;
	char chain[200], off[60], shown[80];

	cause_list_chain(reason->host, reason->cgroup, effective_of(reason), chain, sizeof(chain));
	cause_list_offline(reason->host, is_cpus(reason), reason->step->new_value, off, sizeof(off));
	if (sibling) {
		text_escape(sibling, shown, sizeof(shown));
		reason_say(reason, "processes would be left without %s: the partition %s has %.40s; %s: %s",
			   what, shown, cpus, effective_of(reason), chain);
	} else {
		reason_say(reason, "the processes in it would be left without %s; %s: %s%s%s%s", what,
			   effective_of(reason), chain[0] ? chain : "unknown", off[0] ? "; " : "", off,
			   off[0] ? (is_cpus(reason) ? " offline" : " without memory") : "");
	}
	reason_advise(reason, "name what it may use, or end its processes first");
}

void reason_not_partition(struct reason *reason)
{
	reason_say(reason,
		   "a partition needs cpuset.cpus of its own, which no sibling has, and a partition or "
		   "the root above it");
	reason_advise(
		reason,
		"set cpuset.cpus in the same change, and see cpuset.cpus.partition of the cgroup above");
}

/* kernel/cgroup/cpuset.c update_parent_subparts_cpumask() before 6.0: -EBUSY with online children */
void reason_has_children(struct reason *reason)
{
	reason_say(reason, "this kernel (%u.%u) makes and ends no partition that has cgroups below it",
		   reason->host->major, reason->host->minor);
	reason_advise(reason, "make it a partition before its children, or use kernel 6.0 or later");
}

void reason_bad_cpu_max(struct reason *reason)
{
	reason_say(
		reason,
		"it takes \"QUOTA PERIOD\" in microseconds: a quota of at least 1000 or max, and a period of "
		"1000 to 1000000");
}

void reason_not_taken(struct reason *reason)
{
	reason_say(reason, "the kernel does not take this value");
}

static void say_range(struct reason *reason, const struct key *key)
{
	if (key && key->max > key->min)
		reason_say(reason, "the kernel takes %" PRId64 " to %" PRId64, key->min, key->max);
	else
		reason_say(reason, "the kernel does not take a value of this size");
}

void reason_out_of_range(struct reason *reason)
{
	say_range(reason, key_find(reason->step->file));
}

void reason_by_errno(struct reason *reason)
{
	const char *text = strerrordesc_np(reason->errnum);

	reason_say(reason, "%s", text ? text : "unknown error");
}

void reason_still_above(struct reason *reason)
{
	AUTO(free_p) char *now = reason_read(reason, reason->step->file);

	reason_say(reason, "it is %.40s, and what is left cannot be reclaimed: the kernel would kill",
		   now ? now : "more");
	reason_advise(
		reason,
		"choose a higher limit, give it swap, or end processes first; --force lets the kernel kill");
}

void reason_no_setting(struct reason *reason)
{
	reason_say(reason, "this kernel (%u.%u) has no such setting", reason->host->major,
		   reason->host->minor);
}

/* "vm.swappiness" of /proc/sys/vm/swappiness. */
static const struct key *find_host_key(const char *path)
{
	static const char prefix[] = "/proc/sys/";
	char name[128];

	if (!path || strncmp(path, prefix, sizeof(prefix) - 1) != 0 ||
	    snprintf(name, sizeof(name), "%s", path + sizeof(prefix) - 1) >= (int)sizeof(name))
		return NULL;
	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '.';
	return key_find(name);
}

void reason_bad_setting(struct reason *reason)
{
	const struct key *key = find_host_key(reason->step->file);

	if (key && key->max > key->min)
		say_range(reason, key);
	else
		reason_not_taken(reason);
}

void reason_no_directory(struct reason *reason)
{
	reason_say(reason, "its directory does not exist");
	reason_advise(reason, "make it first: mkdir -p");
}
