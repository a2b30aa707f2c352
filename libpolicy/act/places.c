/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cpus and nodes that a command will be able to use, read for act/preflight.h. */
#include "act/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/topology.h"

enum { CAP_SYS_RESOURCE_BIT = 24 }; /* include/uapi/linux/capability.h */

static int fail(int rc, const char *what, struct cgpol_error *err)
{
	return error_set(err, -rc, CGPOL_FAILED, "cannot read %s: %s", what, strerror(-rc));
}

void places_clear(struct places *places)
{
	nodeset_clear(&places->possible_nodes);
	nodeset_clear(&places->online_nodes);
	nodeset_clear(&places->memory_nodes);
	nodeset_clear(&places->mems_allowed);
	nodeset_clear(&places->possible_cpus);
	nodeset_clear(&places->online_cpus);
	nodeset_clear(&places->isolated_cpus);
	nodeset_clear(&places->cpus_allowed);
	free(places->mems_from);
	free(places->cpus_from);
	*places = (struct places){.adj_min = 0};
}

/* A list file. -ENOENT where it is not there; an empty file is the empty set. */
static int read_list(struct cgpol_host *host, const char *path, unsigned limit, struct nodeset *set)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, path, &text, NULL);

	if (rc < 0)
		return rc;
	rc = nodeset_parse(text, limit, set, NULL);
	return rc == 0 || rc == -ENOMEM ? rc : -EINVAL;
}

static int read_cgroup_list(struct cgpol_host *host, const char *cgroup, const char *file, unsigned limit,
			    struct nodeset *set)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? read_list(host, path, limit, set) : -ENOMEM;
}

/* One of the two sets of a cpuset, and how its files are called. */
struct kind {
	const char *effective, *requested;
	unsigned limit;
};

/* What is asked about it. */
struct question {
	const struct kind *kind;
	const struct nodeset *requested; /* NULL: nothing */
	const struct nodeset *all;	 /* that the machine has */
};

static const struct kind cpu_kind = {"cpuset.cpus.effective", "cpuset.cpus", NODESET_CPUS_MAX};
static const struct kind node_kind = {"cpuset.mems.effective", "cpuset.mems", NODESET_NODES_MAX};

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR || rc == -EOPNOTSUPP;
}

/* To the parent of "/a/b"; false at the root. */
static bool climb(char *cgroup)
{
	char *slash = strrchr(cgroup, '/');

	if (!slash || !cgroup[1])
		return false;
	slash[slash == cgroup] = '\0';
	return true;
}

/* The effective set of the nearest level that has one. */
static int read_effective(struct cgpol_host *host, const char *cgroup, const struct kind *kind,
			  struct nodeset *set)
{
	AUTO(free_p) char *at = strdup(cgroup);
	int rc;

	if (!at)
		return -ENOMEM;
	do {
		rc = read_cgroup_list(host, at, kind->effective, kind->limit, set);
	} while (is_absent(rc) && climb(at));
	return rc;
}

/* Which level narrows: the nearest that asks for a set of its own. NULL when none does. */
static int find_narrow(struct cgpol_host *host, const char *cgroup, const struct kind *kind, char **from)
{
	AUTO(free_p) char *at = strdup(cgroup);

	if (!at)
		return -ENOMEM;
	do {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		int rc = read_cgroup_list(host, at, kind->requested, kind->limit, &set);

		if (rc == -ENOMEM)
			return rc;
		if (rc == 0 && !nodeset_is_empty(&set)) {
			*from = TAKE(at);
			return 0;
		}
	} while (climb(at));
	return 0;
}

/* What may be used of `all`. -ENOENT where no cpuset of cgroup v2 says it. */
static int read_allowed(struct cgpol_host *host, const struct place *place, const struct question *question,
			struct nodeset *allowed, char **from)
{
	AUTO(free_p) char *own = NULL;
	const struct nodeset *requested = question->requested, *all = question->all;
	const char *cgroup = place->cgroup;
	int rc = 0;

	if (!host->has_cpuset)
		return -ENOENT;
	if (!cgroup) {
		rc = proc_read_cgroup(host, host->root->facts.self, &own);
		if (rc < 0)
			return rc == -ENOMEM ? rc : -ENOENT;
		cgroup = own;
	}
	if (requested && !nodeset_is_empty(requested)) {
		rc = nodeset_and(allowed, requested, all);
		if (rc == 0 && !nodeset_contains(requested, all)) {
			*from = strdup(cgroup);
			rc = *from ? 0 : -ENOMEM;
		}
		return rc;
	}
	rc = read_effective(host, cgroup, question->kind, allowed);
	if (rc == 0 && !nodeset_contains(allowed, all))
		rc = find_narrow(host, cgroup, question->kind, from);
	return is_absent(rc) ? -ENOENT : rc;
}

/* Where cgroup v2 does not know: what the caller itself may use, which its children may too. */
static int read_own_mems(struct cgpol_host *host, struct places *places)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	int rc = proc_read_status(host, host->root->facts.self, &status);

	if (rc == -ENOMEM)
		return rc;
	if (rc == 0 && status.mems &&
	    nodeset_parse(status.mems, NODESET_NODES_MAX, &places->mems_allowed, NULL) == 0)
		return 0;
	return nodeset_copy(&places->mems_allowed, &places->memory_nodes);
}

int places_read_nodes(struct cgpol_host *host, const struct place *place, struct places *places,
		      struct cgpol_error *err)
{
	int rc = topology_read_memory(host, &places->memory_nodes, err);

	if (rc == 0)
		rc = topology_read_online(host, &places->online_nodes, err);
	/* A machine without CONFIG_NUMA is one node 0. */
	if (rc == 0 && nodeset_is_empty(&places->online_nodes))
		rc = nodeset_copy(&places->online_nodes, &places->memory_nodes);
	if (rc == 0)
		rc = nodeset_copy(&places->possible_nodes, &places->online_nodes);
	if (rc == 0)
		rc = topology_read_possible(host, &places->possible_nodes, err);
	if (rc < 0)
		return err && *err->text ? rc : fail(rc, "the nodes of this machine", err);
	rc = read_allowed(host, place, &(struct question){&node_kind, place->mems, &places->memory_nodes},
			  &places->mems_allowed, &places->mems_from);
	if (rc == -ENOENT)
		rc = read_own_mems(host, places);
	return rc < 0 ? fail(rc, "which nodes may be used", err) : 0;
}

int places_read_cpus(struct cgpol_host *host, const struct place *place, struct places *places,
		     struct cgpol_error *err)
{
	int rc = read_list(host, "/sys/devices/system/cpu/online", NODESET_CPUS_MAX, &places->online_cpus);

	if (rc == 0)
		rc = read_list(host, "/sys/devices/system/cpu/possible", NODESET_CPUS_MAX,
			       &places->possible_cpus);
	if (rc < 0)
		return fail(rc, "the cpus of this machine", err);
	/* Not there without CONFIG_SMP, and needed for a remark only. */
	rc = read_list(host, "/sys/devices/system/cpu/isolated", NODESET_CPUS_MAX, &places->isolated_cpus);
	if (rc == -ENOMEM)
		return fail(rc, "the cpus of this machine", err);
	rc = read_allowed(host, place, &(struct question){&cpu_kind, place->cpus, &places->online_cpus},
			  &places->cpus_allowed, &places->cpus_from);
	if (rc == -ENOENT)
		rc = nodeset_copy(&places->cpus_allowed, &places->online_cpus);
	return rc < 0 ? fail(rc, "which cpus may be used", err) : 0;
}

int places_read_adj(struct cgpol_host *host, struct places *places, struct cgpol_error *err)
{
	const struct root_facts *facts = &host->root->facts;
	int adj = 0, rc = proc_read_adj(host, facts->self, &adj);

	if (rc < 0)
		return fail(rc, "the own oom_score_adj", err);
	places->has_sys_resource = facts->initial_userns && (facts->caps >> CAP_SYS_RESOURCE_BIT & 1) != 0;
	places->adj_min = adj < 0 ? adj : 0;
	return 0;
}

int places_read_effective(struct cgpol_host *host, const char *cgroup, struct nodeset *mems,
			  struct nodeset *cpus)
{
	int rc;

	if (!host->has_cpuset || host_compare_kernel(host, 6, 4, 0) >= 0)
		return -ENOENT;
	rc = read_effective(host, cgroup, &node_kind, mems);
	if (rc == 0)
		rc = read_effective(host, cgroup, &cpu_kind, cpus);
	return is_absent(rc) ? -ENOENT : rc;
}

bool places_prove(struct cgpol_host *host, const struct mempolicy *policy)
{
	static const struct {
		enum mempolicy_mode mode;
		bool is_balancing;
		const char *probe;
	} rows[] = {
		{MEMPOLICY_BIND, true, "mempolicy:bind=balancing"},
		{MEMPOLICY_PREFERRED_MANY, false, "mempolicy:preferred_many"},
		{MEMPOLICY_PREFERRED_MANY, true, "mempolicy:preferred_many=balancing"},
		{MEMPOLICY_WEIGHTED_INTERLEAVE, false, "mempolicy:weighted_interleave"},
	};
	bool is_balancing = (policy->flags & MEMPOLICY_BALANCING) != 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].mode == policy->mode && rows[i].is_balancing == is_balancing)
			return root_probe(host->root, rows[i].probe) == 0;
	}
	return false;
}

void places_lend(const struct places *places, struct preflight *preflight)
{
	preflight->possible_nodes = places->possible_nodes;
	preflight->online_nodes = places->online_nodes;
	preflight->memory_nodes = places->memory_nodes;
	preflight->mems_allowed = places->mems_allowed;
	preflight->possible_cpus = places->possible_cpus;
	preflight->online_cpus = places->online_cpus;
	preflight->isolated_cpus = places->isolated_cpus;
	preflight->cpus_allowed = places->cpus_allowed;
	preflight->mems_from = places->mems_from;
	preflight->cpus_from = places->cpus_from;
	preflight->has_sys_resource = places->has_sys_resource;
	preflight->adj_min = places->adj_min;
}
