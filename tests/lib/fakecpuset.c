/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of cpusets in the fake kernel: effective sets and partitions. */
#include "fakecpuset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

static void parse_set(const char *text, struct nodeset *set)
{
	faketree_check(nodeset_parse(text, NODESET_CPUS_MAX, set, NULL) == 0);
}

static bool has_cpuset(const struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	return faketree_controllers(tree, cgroup) & fakevalue_controller("cpuset");
}

/* Why it is no valid partition, or NULL. The reasons are kernel/cgroup/cpuset.c's perr_strings. */
static const char *judge_partition(const struct cgroup *cgroup)
{
	AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};

	parse_set(faketree_value(cgroup, "cpuset.cpus"), &own);
	if (cgroup->parent->parent &&
	    (strcmp(faketree_value(cgroup->parent, "cpuset.cpus.partition"), "member") == 0 ||
	     judge_partition(cgroup->parent)))
		return "Parent is not a partition root";
	if (nodeset_is_empty(&own))
		return "cpuset.cpus is empty";
	for (const struct cgroup *other = cgroup->parent->child; other; other = other->next) {
		AUTO(nodeset_clear_p) struct nodeset theirs = {0, NULL};

		parse_set(faketree_value(other, "cpuset.cpus"), &theirs);
		if (other != cgroup && nodeset_intersects(&own, &theirs))
			return "Cpu list in cpuset.cpus not exclusive";
	}
	return NULL;
}

static bool is_partition(const struct cgroup *cgroup)
{
	return cgroup->parent && strcmp(faketree_value(cgroup, "cpuset.cpus.partition"), "member") != 0 &&
	       !judge_partition(cgroup);
}

/* Takes out of a cgroup's cpus those which partitions below it have. */
static void subtract_partitions(const struct cgroup *cgroup, struct nodeset *cpus)
{
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		AUTO(nodeset_clear_p) struct nodeset taken = {0, NULL};
		struct nodeset rest = {0, NULL};

		if (!is_partition(child))
			continue;
		parse_set(faketree_value(child, "cpuset.cpus"), &taken);
		for (int bit = nodeset_next(cpus, 0); bit >= 0; bit = nodeset_next(cpus, bit + 1)) {
			if (!nodeset_has(&taken, (unsigned)bit))
				faketree_check(nodeset_add(&rest, (unsigned)bit) == 0);
		}
		nodeset_clear(cpus);
		*cpus = rest;
	}
}

/* update_cpumasks_hier() and update_nodemasks_hier(): what is asked for as far as the parent has it, else all
 * that the parent has. */
static void find_effective(const struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_cpus,
			   struct nodeset *set)
{
	AUTO(nodeset_clear_p) struct nodeset asked = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset above = {0, NULL};

	if (!cgroup->parent || !has_cpuset(tree, cgroup)) {
		if (cgroup->parent)
			find_effective(tree, cgroup->parent, is_cpus, set);
		else
			faketree_check(nodeset_copy(set, is_cpus ? &tree->machine.online_cpus
								 : &tree->machine.memory_nodes) == 0);
	} else {
		parse_set(faketree_value(cgroup, is_cpus ? "cpuset.cpus" : "cpuset.mems"), &asked);
		find_effective(tree, cgroup->parent, is_cpus, &above);
		if (is_cpus && is_partition(cgroup)) {
			faketree_check(nodeset_copy(set, &asked) == 0);
		} else {
			faketree_check(nodeset_and(set, &asked, &above) == 0);
			if (nodeset_is_empty(set))
				faketree_check(nodeset_copy(set, &above) == 0);
		}
	}
	if (is_cpus)
		subtract_partitions(cgroup, set);
}

/* update_cpumask(), update_nodemask() and validate_change() */
int fakecpuset_check(struct cgroup_tree *tree, const struct cgroup *cgroup, const char *name,
		     const char *text)
{
	bool is_cpus = strcmp(name, "cpuset.cpus") == 0;
	const struct nodeset *possible = is_cpus ? &tree->machine.possible_cpus
						 : &tree->machine.possible_nodes;
	/* Cpus are parsed with nr_cpu_ids bits, nodes with MAX_NUMNODES. */
	unsigned limit = 1024;
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	int rc;

	if (is_cpus) {
		for (limit = 0; nodeset_next(possible, (int)limit) >= 0;)
			limit = (unsigned)nodeset_next(possible, (int)limit) + 1;
	}
	rc = nodeset_parse(text, limit, &set, NULL);
	if (rc < 0)
		return rc;
	if (!nodeset_contains(possible, &set))
		return -EINVAL;
	if (nodeset_is_empty(&set) && *faketree_value(cgroup, name) && faketree_is_populated(cgroup))
		return -ENOSPC;
	return 0;
}

static char *format_set(const struct nodeset *set)
{
	return faketree_must(nodeset_format(set));
}

char *fakecpuset_partition(const struct cgroup *cgroup)
{
	const char *value = faketree_value(cgroup, "cpuset.cpus.partition");
	const char *reason = strcmp(value, "member") == 0 ? NULL : judge_partition(cgroup);
	char *text;

	faketree_check(asprintf(&text, "%s%s%s%s", value, reason ? " invalid (" : "", reason ? reason : "",
				reason ? ")" : "") >= 0);
	return text;
}

char *fakecpuset_effective(const struct cgroup_tree *tree, const struct cgroup *cgroup, bool is_cpus)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};

	find_effective(tree, cgroup, is_cpus, &set);
	return format_set(&set);
}
