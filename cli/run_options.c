/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options of cgpol run, which of them go together, and the settings of the cgroup that they make. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "policy/policy.h"

/* numactl's options that have no meaning here: known, to be refused by name. */
#define NUMACTL_FLAG(name, letter, index)                                                       \
	{                                                                                       \
		name, letter, OPT_FLAG, OPT_AT(run_config, other_flag[index]), NULL, NULL, NULL \
	}
#define NUMACTL_VALUE(name, letter, index, value)                                                   \
	{                                                                                           \
		name, letter, OPT_STRING, OPT_AT(run_config, other_value[index]), value, NULL, NULL \
	}

const struct opt run_options[] = {
	{"cgroup", 0, OPT_STRING, OPT_AT(run_config, cgroup), "CGROUP", NULL,
	 "in this cgroup, which is made when it does not exist"},
	{"keep", 0, OPT_FLAG, OPT_AT(run_config, keep), NULL, NULL, "leave the cgroup there at the end"},
	{"no-cgroup", 0, OPT_FLAG, OPT_AT(run_config, no_cgroup), NULL, NULL,
	 "no cgroup of its own: only cpus, policy and score"},
	{"cpus", 0, OPT_STRING, OPT_AT(run_config, cpus), "LIST", NULL, "cpuset.cpus"},
	{"mems", 0, OPT_STRING, OPT_AT(run_config, mems), "NODES", NULL, "cpuset.mems"},
	{"memory-max", 0, OPT_STRING, OPT_AT(run_config, memory_max), "SIZE", NULL,
	 "memory.max: 512M, 50%, 50% of nodes:0-1, max"},
	{"memory-high", 0, OPT_STRING, OPT_AT(run_config, memory_high), "SIZE", NULL, "memory.high"},
	{"swap-max", 0, OPT_STRING, OPT_AT(run_config, swap_max), "SIZE", NULL, "memory.swap.max"},
	{"oom-group", 0, OPT_FLAG, OPT_AT(run_config, oom_group), NULL, NULL,
	 "memory.oom.group: an OOM kill takes all of it"},
	{"set", 0, OPT_STRINGS, OPT_AT(run_config, set), "KEY=VALUE", NULL, "any other file of the cgroup"},
	{"oom-score-adj", 0, OPT_INT, OPT_AT(run_config, oom_score_adj), "N", NULL, "-1000 to 1000"},
	{"membind", 'm', OPT_STRING, OPT_AT(run_config, nodes[RUN_MEMBIND]), "NODES", NULL,
	 "memory from these nodes only"},
	{"interleave", 'i', OPT_STRING, OPT_AT(run_config, nodes[RUN_INTERLEAVE]), "NODES", NULL,
	 "page by page from each of them"},
	{"preferred", 'p', OPT_STRING, OPT_AT(run_config, nodes[RUN_PREFERRED]), "NODES", NULL,
	 "from this node while it has some"},
	{"preferred-many", 'P', OPT_STRING, OPT_AT(run_config, nodes[RUN_PREFERRED_MANY]), "NODES", NULL,
	 "from these while they have some (5.15)"},
	{"weighted-interleave", 'w', OPT_STRING, OPT_AT(run_config, nodes[RUN_WEIGHTED]), "NODES", NULL,
	 "by the nodes' weights (6.9)"},
	{"localalloc", 'l', OPT_FLAG, OPT_AT(run_config, localalloc), NULL, NULL,
	 "from the node of the cpu that asks"},
	{"balancing", 'b', OPT_FLAG, OPT_AT(run_config, balancing), NULL, NULL,
	 "let NUMA balancing move pages within the policy (5.12)"},
	{"static-nodes", 0, OPT_FLAG, OPT_AT(run_config, static_nodes), NULL, NULL,
	 "keep the policy's nodes when the cpuset changes"},
	{"relative-nodes", 0, OPT_FLAG, OPT_AT(run_config, relative_nodes), NULL, NULL,
	 "the policy's nodes count those of the cpuset"},
	{"home-node", 0, OPT_STRING, OPT_AT(run_config, home_node), "NODE", NULL,
	 "not possible for a command: the reason is told"},
	{"cpunodebind", 'N', OPT_STRING, OPT_AT(run_config, cpunodebind), "NODES", NULL,
	 "on the cpus of these nodes"},
	{"physcpubind", 'C', OPT_STRING, OPT_AT(run_config, physcpubind), "LIST", NULL, "on these cpus"},
	{"all", 'a', OPT_FLAG, OPT_AT(run_config, all), NULL, NULL,
	 "lists are relative to the machine, not to the cpuset"},
	{"intersect", 0, OPT_FLAG, OPT_AT(run_config, intersect), NULL, NULL,
	 "take what is allowed of a list instead of refusing it"},
	{"report", 0, OPT_STRING, OPT_AT(run_config, report), "FILE", NULL,
	 "write what came of it there, as JSON"},
	NUMACTL_FLAG("show", 's', RUN_OTHER_SHOW),
	NUMACTL_FLAG("hardware", 'H', RUN_OTHER_HARDWARE),
	NUMACTL_FLAG("strict", 't', RUN_OTHER_STRICT),
	NUMACTL_FLAG("touch", 'T', RUN_OTHER_TOUCH),
	NUMACTL_FLAG("dump", 'd', RUN_OTHER_DUMP),
	NUMACTL_FLAG("dump-nodes", 'D', RUN_OTHER_DUMP_NODES),
	NUMACTL_FLAG("huge", 'u', RUN_OTHER_HUGE),
	NUMACTL_VALUE("shm", 'S', RUN_OTHER_SHM, "FILE"),
	NUMACTL_VALUE("shmid", 'I', RUN_OTHER_SHMID, "ID"),
	NUMACTL_VALUE("file", 'f', RUN_OTHER_FILE, "FILE"),
	NUMACTL_VALUE("offset", 'o', RUN_OTHER_OFFSET, "SIZE"),
	NUMACTL_VALUE("length", 'L', RUN_OTHER_LENGTH, "SIZE"),
	NUMACTL_VALUE("shmmode", 'M', RUN_OTHER_SHMMODE, "MODE"),
	NUMACTL_VALUE("cpubind", 'c', RUN_OTHER_CPUBIND, "NODES"),
	{0},
};

static int usage(struct cgpol_error *err, const char *value, const char *hint, const char *sentence)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "%s", sentence);
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

static int refuse(const char *option, const char *why, const char *hint, struct cgpol_error *err)
{
	(void)error_set(err, EOPNOTSUPP, CGPOL_USAGE, "--%s is numactl's, and cgpol run does not have it: %s",
			option, why);
	error_detail(err, NULL, option, hint);
	return -EOPNOTSUPP;
}

/* What numactl has beside policies for a command: by name, with what to use. */
static int check_others(const struct run_config *config, struct cgpol_error *err)
{
	static const char shared[] = "it sets the policy of shared memory, not of a command";
	static const char own[] =
		"use numactl itself for that: the policy stays with the segment or the file";
	static const char *const flags[RUN_OTHER_FLAGS] = {"show", "hardware",	 "strict", "touch",
							   "dump", "dump-nodes", "huge"};
	static const char *const values[RUN_OTHER_VALUES] = {"shm",    "shmid",	  "file",   "offset",
							     "length", "shmmode", "cpubind"};

	if (config->other_flag[RUN_OTHER_SHOW])
		return refuse("show", "it starts nothing",
			      "\"cgpol nodes\" shows the nodes, \"numactl --show\" the policy of the shell",
			      err);
	if (config->other_flag[RUN_OTHER_HARDWARE])
		return refuse("hardware", "it starts nothing", "\"cgpol nodes\" shows the nodes", err);
	if (config->other_value[RUN_OTHER_CPUBIND])
		return refuse("cpubind", "its meaning has changed over time",
			      "--cpunodebind takes nodes, --physcpubind cpus", err);
	for (size_t i = RUN_OTHER_STRICT; i < RUN_OTHER_FLAGS; i++)
		if (config->other_flag[i])
			return refuse(flags[i], shared, own, err);
	for (size_t i = 0; i < RUN_OTHER_CPUBIND; i++)
		if (config->other_value[i])
			return refuse(values[i], shared, own, err);
	return 0;
}

/* set_mempolicy_home_node(2) sets it for the mappings of a range of addresses (mm/mempolicy.c), exec(2) ends
 * all mappings, and a task's own policy has no home node: there is nothing to hand over. */
static int check_home_node(const struct run_config *config, struct cgpol_error *err)
{
	if (!config->home_node)
		return 0;
	(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
			"--home-node cannot be given to a command: the kernel keeps it for mappings, and "
			"exec drops all of them");
	error_detail(err, NULL, config->home_node,
		     "-N NODE with --membind or --preferred-many does it: of the policy's nodes the kernel "
		     "takes the one nearest to the cpu");
	return -EOPNOTSUPP;
}

static int check_memory(const struct run_config *config, struct cgpol_error *err)
{
	unsigned modes = config->localalloc ? 1 : 0;

	for (size_t i = 0; i < RUN_MODES; i++)
		modes += config->nodes[i] != NULL;
	if (modes > 1)
		return usage(
			err, NULL, NULL,
			"a process has one memory policy: give one of --membind, --interleave, --preferred, "
			"--preferred-many, --weighted-interleave, --localalloc");
	if (config->static_nodes && config->relative_nodes)
		return usage(err, NULL, NULL, "--static-nodes and --relative-nodes exclude each other");
	if ((config->static_nodes || config->relative_nodes) && (modes == 0 || config->localalloc))
		return usage(err, NULL, NULL,
			     "--static-nodes and --relative-nodes need a memory policy with nodes");
	if (config->balancing && !config->nodes[RUN_MEMBIND] && !config->nodes[RUN_PREFERRED_MANY])
		return usage(err, NULL, NULL, "--balancing needs --membind or --preferred-many");
	if (config->cpunodebind && config->physcpubind)
		return usage(err, NULL, NULL,
			     "--cpunodebind and --physcpubind both choose the cpus: give one of them");
	return 0;
}

static bool has_settings(const struct run_config *config)
{
	return config->cpus || config->mems || config->memory_max || config->memory_high ||
	       config->swap_max || config->oom_group || config->set.count > 0;
}

int run_check(const struct run *run, struct cgpol_error *err)
{
	const struct run_config *config = run->config;
	int rc = check_others(config, err);

	if (rc == 0)
		rc = check_home_node(config, err);
	if (rc == 0)
		rc = check_memory(config, err);
	if (rc < 0)
		return rc;
	if (config->no_cgroup && (config->cgroup || config->keep || has_settings(config)))
		return usage(
			err, NULL, NULL,
			"--no-cgroup excludes --cgroup, --keep and what is set on a cgroup: --cpus, --mems, "
			"--memory-max, --memory-high, --swap-max, --oom-group, --set");
	if (run->cli->words.count == 0 || !*run->cli->words.word[0])
		return usage(err, NULL, "usage: cgpol run [OPTION...] [--] COMMAND [ARGUMENT...]",
			     "no command to run is given");
	return 0;
}

static int set_one(struct cgpol_policy *policy, const char *text, struct cgpol_error *err)
{
	const char *equals = strchr(text, '=');
	AUTO(free_p) char *name = NULL;

	if (!equals)
		return usage(err, text, "--set memory.low=64M", "--set wants KEY=VALUE");
	name = strndup(text, (size_t)(equals - text));
	return name ? policy_set(policy, name, equals + 1, err) : -ENOMEM;
}

int run_settings(const struct run_config *config, struct cgpol_policy *policy, struct cgpol_error *err)
{
	const struct {
		const char *option, *file, *value;
	} row[] = {
		{"--cpus", "cpuset.cpus", config->cpus},
		{"--mems", "cpuset.mems", config->mems},
		{"--memory-max", "memory.max", config->memory_max},
		{"--memory-high", "memory.high", config->memory_high},
		{"--swap-max", "memory.swap.max", config->swap_max},
		{"--oom-group", "memory.oom.group", config->oom_group ? "1" : NULL},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(row); i++) {
		if (row[i].value)
			rc = policy_set(policy, row[i].file, row[i].value, err);
		if (rc < 0 && rc != -ENOMEM)
			return error_wrap(err, rc, "%s", row[i].option);
	}
	for (size_t i = 0; rc == 0 && i < config->set.count; i++)
		rc = set_one(policy, config->set.word[i], err);
	return rc;
}
