/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where cgpol run puts a command: affinity, memory policy and score, checked against the machine. */
#include "run.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/topology.h"
#include "policy/placement.h"
#include "policy/policy.h"

static const struct mode {
	const char *option;
	enum mempolicy_mode mode;
} modes[RUN_MODES] = {
	[RUN_MEMBIND] = {"--membind", MEMPOLICY_BIND},
	[RUN_INTERLEAVE] = {"--interleave", MEMPOLICY_INTERLEAVE},
	[RUN_PREFERRED] = {"--preferred", MEMPOLICY_PREFERRED},
	[RUN_PREFERRED_MANY] = {"--preferred-many", MEMPOLICY_PREFERRED_MANY},
	[RUN_WEIGHTED] = {"--weighted-interleave", MEMPOLICY_WEIGHTED_INTERLEAVE},
};

static unsigned count_numbers(const struct nodeset *set)
{
	unsigned last = 0;

	for (int bit = nodeset_next(set, 0); bit >= 0; bit = nodeset_next(set, bit + 1))
		last = (unsigned)bit + 1;
	return last;
}

/* A list, or the node of a device. `other`: the nodes that "same" means; NULL: there are none. */
static int parse_list(struct run *run, const struct placement *placement, const char *text,
		      const struct nodeset *other, struct nodeset *set, struct cgpol_error *err)
{
	int rc = placement_parse(placement, text, set, err);

	if (rc != -EOPNOTSUPP || (err && *err->text))
		return rc;
	if (strcmp(text, "same") == 0) {
		if (other)
			return nodeset_copy(set, other) < 0 ? error_no_memory(err) : 0;
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s: \"same\" needs another option with nodes",
				placement->what);
		error_detail(err, NULL, text, NULL);
		return -EINVAL;
	}
	if (placement->is_cpus) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is no list of cpus", placement->what,
				text);
		error_detail(err, NULL, text, "--cpunodebind takes the node of a device");
		return -EINVAL;
	}
	rc = placement_of_device(run->host, text, set, err);
	return rc < 0 ? error_wrap(err, rc, "%s", placement->what) : 0;
}

/* ---- memory policy ---- */

static int parse_memory(struct run *run, const struct nodeset *other, struct cgpol_error *err)
{
	const struct run_config *config = run->config;
	struct placement placement = {.allowed = config->all ? run->places.memory_nodes
							     : run->places.mems_allowed,
				      .limit = count_numbers(&run->places.possible_nodes)};
	size_t i = 0;
	int rc;

	run->has_memory = true;
	if (config->localalloc) {
		run->memory.mode = MEMPOLICY_LOCAL;
		return 0;
	}
	while (!config->nodes[i])
		i++;
	placement.what = modes[i].option;
	run->memory.mode = modes[i].mode;
	run->memory.flags = (config->static_nodes ? MEMPOLICY_STATIC : 0U) |
			    (config->relative_nodes ? MEMPOLICY_RELATIVE : 0U) |
			    (config->balancing ? MEMPOLICY_BALANCING : 0U);
	/* Relative numbers count the cpuset's nodes, and begin anew at their end. */
	if (config->relative_nodes)
		placement.limit = MEMPOLICY_READ_BITS;
	rc = parse_list(run, &placement, config->nodes[i], other, &run->memory.nodes, err);
	if (rc == 0 && nodeset_is_empty(&run->memory.nodes)) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s needs at least one node", placement.what);
		error_detail(err, NULL, config->nodes[i], NULL);
		return -EINVAL;
	}
	return rc;
}

/* With --intersect the kernel is asked for what is left, so that what it tells later can be compared. */
static int judge_memory(struct run *run, struct preflight *preflight, struct cgpol_error *err)
{
	const struct run_config *config = run->config;
	int rc = preflight_policy(preflight, &run->effective, err);

	/* By its version the kernel lacks the mode; before that is said it is asked. */
	if (rc < 0 && !preflight->is_proven && places_prove(run->host, preflight->policy)) {
		preflight->is_proven = true;
		rc = preflight_policy(preflight, &run->effective, err);
	}

	if (rc == 0 && config->intersect && !config->static_nodes && !config->relative_nodes &&
	    nodeset_copy(&run->memory.nodes, &run->effective.nodes) < 0)
		return error_no_memory(err);
	return rc;
}

/* ---- affinity ---- */

static int object_node(const char *what, int node, const char *hint, struct cgpol_error *err)
{
	char value[16];

	(void)snprintf(value, sizeof(value), "%d", node);
	(void)error_set(err, EINVAL, CGPOL_UNSUPPORTED, "--cpunodebind: node %s %s", value, what);
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

/* The cpus of these nodes: a node without memory is as good as another, one without cpus is not. */
static int add_cpus(struct run *run, const struct topology *topology, const struct nodeset *nodes,
		    struct nodeset *cpus, struct cgpol_error *err)
{
	for (int id = nodeset_next(nodes, 0); id >= 0; id = nodeset_next(nodes, id + 1)) {
		const struct topology_node *node = topology_find(topology, (unsigned)id);

		if (!node && !run->config->intersect)
			return object_node("is not online", id, "\"cgpol nodes\" shows what there is", err);
		if (node && nodeset_is_empty(&node->cpus) && !run->config->intersect)
			return object_node("has no cpus", id, "\"cgpol nodes\" shows which have", err);
		if (node && nodeset_merge(cpus, &node->cpus) < 0)
			return error_no_memory(err);
	}
	return 0;
}

/* The nodes that have cpus which may be used: what "all", "!" and "+" are relative to. */
static int find_cpu_nodes(const struct run *run, const struct topology *topology, struct nodeset *nodes)
{
	const struct nodeset *cpus = run->config->all ? &run->places.online_cpus : &run->places.cpus_allowed;

	for (size_t i = 0; i < topology->nodes; i++)
		if (nodeset_intersects(&topology->node[i].cpus, cpus) &&
		    nodeset_add(nodes, topology->node[i].id) < 0)
			return -ENOMEM;
	return 0;
}

static int parse_cpu_nodes(struct run *run, struct nodeset *nodes, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset allowed = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset usable = {0, NULL};
	AUTO(topology_clear) struct topology topology = {.node = NULL};
	struct placement placement = {.what = "--cpunodebind"};
	int rc = topology_read(run->host, &topology, err);

	if (rc == 0 && find_cpu_nodes(run, &topology, &allowed) < 0)
		rc = error_no_memory(err);
	if (rc < 0)
		return rc;
	placement.allowed = allowed;
	placement.limit = count_numbers(&run->places.possible_nodes);
	rc = parse_list(run, &placement, run->config->cpunodebind,
			run->has_memory && !nodeset_is_empty(&run->memory.nodes) ? &run->memory.nodes : NULL,
			nodes, err);
	if (rc == 0)
		rc = add_cpus(run, &topology, nodes, &run->cpus, err);
	/* A node is not refused because the cpuset has only some of its cpus. */
	if (rc == 0 && nodeset_and(&usable, &run->cpus, &run->places.cpus_allowed) < 0)
		return error_no_memory(err);
	if (rc == 0 && !nodeset_is_empty(&usable) && nodeset_copy(&run->cpus, &usable) < 0)
		return error_no_memory(err);
	return rc;
}

static int parse_cpus(struct run *run, struct cgpol_error *err)
{
	const struct placement placement = {
		.what = "--physcpubind",
		.allowed = run->config->all ? run->places.online_cpus : run->places.cpus_allowed,
		.limit = count_numbers(&run->places.possible_cpus),
		.is_cpus = true,
	};

	return parse_list(run, &placement, run->config->physcpubind, NULL, &run->cpus, err);
}

static int judge_cpus(struct run *run, const struct preflight *preflight, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset effective = {0, NULL};
	char warning[256] = "";
	int rc = preflight_cpus(preflight, &effective, warning, sizeof(warning), err);

	if (rc < 0)
		return rc;
	if (*warning)
		cli_note(run->cli, "%s", warning);
	return nodeset_copy(&run->cpus, &effective) < 0 ? error_no_memory(err) : 0;
}

/* ---- all of it ---- */

static bool wants_memory(const struct run_config *config)
{
	for (size_t i = 0; i < RUN_MODES; i++)
		if (config->nodes[i])
			return true;
	return config->localalloc;
}

static bool is_same(const char *text)
{
	return text && strcmp(text, "same") == 0;
}

/* Reads what the lists are relative to, then the lists; the one that says "same" after the other. */
static int parse(struct run *run, struct nodeset *cpu_nodes, struct cgpol_error *err)
{
	const struct run_config *config = run->config;
	bool is_memory_first = is_same(config->cpunodebind);
	int rc = 0;

	if (wants_memory(config) && is_memory_first)
		rc = parse_memory(run, NULL, err);
	if (rc == 0 && config->cpunodebind)
		rc = parse_cpu_nodes(run, cpu_nodes, err);
	if (rc == 0 && config->physcpubind)
		rc = parse_cpus(run, err);
	if (rc == 0 && wants_memory(config) && !is_memory_first)
		rc = parse_memory(run, config->cpunodebind ? cpu_nodes : NULL, err);
	run->has_cpus = config->cpunodebind || config->physcpubind;
	return rc;
}

static int read_places(struct run *run, struct cgpol_error *err)
{
	const struct run_config *config = run->config;
	const struct setting *mems = policy_get(run->policy, "cpuset.mems");
	const struct setting *cpus = policy_get(run->policy, "cpuset.cpus");
	const struct place place = {
		.cgroup = run->cgroup,
		.mems = mems ? &mems->set : NULL,
		.cpus = cpus ? &cpus->set : NULL,
	};
	int rc = 0;

	if (wants_memory(config) || config->cpunodebind)
		rc = places_read_nodes(run->host, &place, &run->places, err);
	if (rc == 0 && (config->cpunodebind || config->physcpubind))
		rc = places_read_cpus(run->host, &place, &run->places, err);
	if (rc == 0 && config->oom_score_adj.is_set)
		rc = places_read_adj(run->host, &run->places, err);
	return rc;
}

static int check_adj(struct run *run, struct preflight *preflight, struct cgpol_error *err)
{
	int64_t adj = run->config->oom_score_adj.number;

	/* preflight_adj says what the range is. */
	run->adj = adj > INT_MAX ? INT_MAX : adj < INT_MIN ? INT_MIN : (int)adj;
	run->has_adj = true;
	preflight->oom_score_adj = &run->adj;
	return preflight_adj(preflight, err);
}

int run_place(struct run *run, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset cpu_nodes = {0, NULL};
	struct preflight preflight = {
		.intersect = run->config->intersect,
		.major = run->host->major,
		.minor = run->host->minor,
	};
	int rc = read_places(run, err);

	if (rc == 0)
		rc = parse(run, &cpu_nodes, err);
	if (rc < 0)
		return rc;
	places_lend(&run->places, &preflight);
	if (run->has_memory)
		preflight.policy = &run->memory;
	if (run->has_cpus)
		preflight.cpus = &run->cpus;
	if (run->config->cpunodebind)
		preflight.cpu_nodes = &cpu_nodes;
	if (run->config->oom_score_adj.is_set)
		rc = check_adj(run, &preflight, err);
	if (rc == 0 && run->has_cpus)
		rc = judge_cpus(run, &preflight, err);
	if (rc == 0 && run->has_memory)
		rc = judge_memory(run, &preflight, err);
	return rc;
}
