/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Will the kernel take this memory policy, these cpus and this score? Asked before anything is started. Pure.
 */
#include "act/preflight.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

enum { NODES_MAX = 1024 }; /* MAX_NUMNODES of the largest configuration (NODES_SHIFT 10) */

/* "node 7 is", "nodes 2,7 are". */
static const char *number_of(const struct nodeset *set, const char *one, const char *many)
{
	return nodeset_count(set) == 1 ? one : many;
}

/* A group of members that may not be used, and why. */
struct objection {
	const char *what; /* "node" or "cpu" */
	const char *one, *many;
	const char *file; /* the kernel's file that says so; or NULL */
	const char *hint;
	enum cgpol_kind kind;
};

/* `have` is what could be used, as text that goes in brackets. */
static int object(const struct objection *objection, const struct nodeset *bad, const char *have,
		  struct cgpol_error *err)
{
	AUTO(free_p) char *list = nodeset_format(bad);

	if (!list)
		return error_no_memory(err);
	(void)error_set(err, EINVAL, objection->kind, "%s%s %.120s %s (%.200s)", objection->what,
			number_of(bad, "", "s"), list, number_of(bad, objection->one, objection->many), have);
	error_detail(err, objection->file, list, objection->hint);
	return -EINVAL;
}

/* Objects to what `set` has beyond `allowed`. */
static int need_within(const struct objection *objection, const struct nodeset *set,
		       const struct nodeset *allowed, const char *prefix, const struct nodeset *have,
		       struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset bad = {0, NULL};
	AUTO(free_p) char *list = NULL;
	char text[200];

	if (nodeset_subtract(&bad, set, allowed) < 0)
		return error_no_memory(err);
	if (nodeset_is_empty(&bad))
		return 0;
	list = nodeset_format(have);
	if (!list)
		return error_no_memory(err);
	(void)snprintf(text, sizeof(text), "%s %s", prefix, list[0] ? list : "none");
	return object(objection, &bad, text, err);
}

static const struct feature {
	enum mempolicy_mode mode;
	unsigned flag;
	unsigned major, minor;
	const char *name;
} features[] = {
	{MEMPOLICY_PREFERRED_MANY, 0, 5, 15, "the policy prefer (many)"},
	{MEMPOLICY_WEIGHTED_INTERLEAVE, 0, 6, 9, "the policy weighted interleave"},
	{MEMPOLICY_BIND, MEMPOLICY_BALANCING, 5, 12, "balancing with bind"},
	{MEMPOLICY_PREFERRED_MANY, MEMPOLICY_BALANCING, 6, 10, "balancing with prefer (many)"},
};

static int need_kernel(const struct preflight *preflight, struct cgpol_error *err)
{
	const struct mempolicy *policy = preflight->policy;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		const struct feature *feature = &features[i];

		if (policy->mode != feature->mode || (policy->flags & feature->flag) != feature->flag ||
		    preflight->is_proven)
			continue;
		if (preflight->major > feature->major ||
		    (preflight->major == feature->major && preflight->minor >= feature->minor))
			continue;
		return error_set(err, EINVAL, CGPOL_UNSUPPORTED,
				 "%s needs kernel %u.%u or later (this is %u.%u)", feature->name,
				 feature->major, feature->minor, preflight->major, preflight->minor);
	}
	return 0;
}

/* mm/mempolicy.c sanitize_mpol_flags(), mpol_new() */
static const char *judge(const struct mempolicy *policy)
{
	bool has_nodes = !nodeset_is_empty(&policy->nodes);
	bool is_nodeless = policy->mode == MEMPOLICY_DEFAULT || policy->mode == MEMPOLICY_LOCAL;

	if (policy->mode >= MEMPOLICY_OTHER)
		return "the memory policy is not known";
	if ((policy->flags & MEMPOLICY_STATIC) && (policy->flags & MEMPOLICY_RELATIVE))
		return "static and relative exclude each other";
	if ((policy->flags & MEMPOLICY_BALANCING) && policy->mode != MEMPOLICY_BIND &&
	    policy->mode != MEMPOLICY_PREFERRED_MANY)
		return "balancing is for bind and prefer (many) only";
	if (is_nodeless && has_nodes)
		return "this memory policy takes no nodes";
	if (policy->flags && (is_nodeless || (policy->mode == MEMPOLICY_PREFERRED && !has_nodes)))
		return "this memory policy takes no flags without nodes";
	if (!is_nodeless && policy->mode != MEMPOLICY_PREFERRED && !has_nodes)
		return "this memory policy needs at least one node";
	if (policy->mode == MEMPOLICY_PREFERRED && nodeset_count(&policy->nodes) > 1)
		return "prefer takes one node, prefer (many) takes several";
	if (nodeset_next(&policy->nodes, NODES_MAX) >= 0)
		return "no kernel has more than 1024 nodes";
	return NULL;
}

static const struct objection missing_node = {
	"node", "does not exist", "do not exist", NULL, "cgpol nodes shows what there is", CGPOL_USAGE,
};
static const struct objection offline_node = {
	"node",
	"is offline",
	"are offline",
	"/sys/devices/system/node/online",
	"bring it up first",
	CGPOL_UNSUPPORTED,
};
static const struct objection empty_node = {
	"node",
	"has no memory",
	"have no memory",
	"/sys/devices/system/node/has_memory",
	"with --intersect such nodes are left out",
	CGPOL_UNSUPPORTED,
};

/* "is not in cpuset.mems of "/a"" needs the cgroup's name in it. */
static int need_in_cpuset(const struct nodeset *set, const struct nodeset *allowed, const char *what,
			  const char *file, const char *from, struct cgpol_error *err)
{
	struct objection outside = {what, NULL, NULL, NULL, NULL, CGPOL_UNSUPPORTED};
	char shown[96], one[224], many[224], path[192];

	outside.one = one;
	outside.many = many;
	if (from) {
		text_escape(from, shown, sizeof(shown));
		(void)snprintf(one, sizeof(one), "is not in %s of \"%s\"", file, shown);
		(void)snprintf(many, sizeof(many), "are not in %s of \"%s\"", file, shown);
		(void)snprintf(path, sizeof(path), "%s/%s", strcmp(shown, "/") == 0 ? "" : shown, file);
		outside.file = path;
		outside.hint = "widen it there, choose others, or use --intersect";
	} else {
		(void)snprintf(one, sizeof(one), "is not in %s of this cgroup", file);
		(void)snprintf(many, sizeof(many), "are not in %s of this cgroup", file);
		outside.hint = "choose others, or use --intersect";
	}
	return need_within(&outside, set, allowed, "which has", allowed, err);
}

/* Every node must be usable now: a policy that the kernel would narrow in silence is not what was asked. */
static int need_nodes(const struct preflight *preflight, struct cgpol_error *err)
{
	const struct nodeset *nodes = &preflight->policy->nodes;
	const struct nodeset *online = &preflight->online_nodes;
	int rc;

	if (preflight->intersect || (preflight->policy->flags & MEMPOLICY_RELATIVE))
		return 0;
	rc = need_within(&missing_node, nodes, &preflight->possible_nodes, "this machine has", online, err);
	if (rc < 0 || (preflight->policy->flags & MEMPOLICY_STATIC))
		return rc;
	rc = need_within(&offline_node, nodes, online, "online are", online, err);
	if (rc == 0)
		rc = need_within(&empty_node, nodes, &preflight->memory_nodes, "memory is on",
				 &preflight->memory_nodes, err);
	if (rc == 0)
		rc = need_in_cpuset(nodes, &preflight->mems_allowed, "node", "cpuset.mems.effective",
				    preflight->mems_from, err);
	return rc;
}

/* The n-th member, counted from 0; -1 when there are fewer. */
static int pick(const struct nodeset *set, size_t n)
{
	int bit = nodeset_next(set, 0);

	while (bit >= 0 && n-- > 0)
		bit = nodeset_next(set, bit + 1);
	return bit;
}

/* mm/mempolicy.c mpol_relative_nodemask(): the numbers count the usable nodes, and begin anew at their end
 * (lib/bitmap.c bitmap_fold, bitmap_onto). */
static int relate(struct nodeset *to, const struct nodeset *wanted, const struct nodeset *usable)
{
	AUTO(nodeset_clear_p) struct nodeset made = {0, NULL};
	size_t count = nodeset_count(usable);

	for (int bit = nodeset_next(wanted, 0); bit >= 0 && count > 0; bit = nodeset_next(wanted, bit + 1)) {
		int rc = nodeset_add(&made, (unsigned)pick(usable, (size_t)bit % count));

		if (rc < 0)
			return rc;
	}
	nodeset_clear(to);
	*to = made;
	made = (struct nodeset){0, NULL};
	return 0;
}

/* mm/mempolicy.c mpol_new_preferred() */
static int keep_first(struct nodeset *nodes)
{
	AUTO(nodeset_clear_p) struct nodeset first = {0, NULL};
	int rc = nodeset_add(&first, (unsigned)nodeset_next(nodes, 0));

	return rc < 0 ? rc : nodeset_copy(nodes, &first);
}

static int refuse_empty(const struct preflight *preflight, const struct nodeset *usable,
			struct cgpol_error *err)
{
	AUTO(free_p) char *wanted = nodeset_format(&preflight->policy->nodes);
	AUTO(free_p) char *allowed = nodeset_format(&preflight->mems_allowed);
	AUTO(free_p) char *memory = nodeset_format(&preflight->memory_nodes);
	AUTO(free_p) char *both = nodeset_format(usable);
	char from[96] = "", path[192] = "";

	if (!wanted || !allowed || !memory || !both)
		return error_no_memory(err);
	if (preflight->mems_from) {
		text_escape(preflight->mems_from, from, sizeof(from));
		(void)snprintf(path, sizeof(path), "%s/cpuset.mems.effective",
			       strcmp(from, "/") == 0 ? "" : from);
	}
	(void)error_set(err, EINVAL, CGPOL_UNSUPPORTED,
			"no node is left for the memory policy: requested %.80s, Mems_allowed %.80s%s%s%s, "
			"with memory %.80s, in both %.80s",
			wanted, allowed[0] ? allowed : "none", from[0] ? " (by \"" : "", from,
			from[0] ? "\")" : "", memory[0] ? memory : "none", both[0] ? both : "none");
	error_detail(err, path[0] ? path : NULL, wanted, "choose nodes that are in both");
	return -EINVAL;
}

/* mm/mempolicy.c mpol_set_nodemask() */
static int narrow(const struct preflight *preflight, struct nodeset *nodes, struct cgpol_error *err)
{
	const struct mempolicy *policy = preflight->policy;
	AUTO(nodeset_clear_p) struct nodeset usable = {0, NULL};
	int rc = nodeset_and(&usable, &preflight->mems_allowed, &preflight->memory_nodes);

	if (rc == 0)
		rc = (policy->flags & MEMPOLICY_RELATIVE) ? relate(nodes, &policy->nodes, &usable)
							  : nodeset_and(nodes, &policy->nodes, &usable);
	if (rc == 0 && nodeset_is_empty(nodes))
		return refuse_empty(preflight, &usable, err);
	if (rc == 0 && policy->mode == MEMPOLICY_PREFERRED)
		rc = keep_first(nodes);
	return rc < 0 ? error_no_memory(err) : 0;
}

int preflight_policy(const struct preflight *preflight, struct mempolicy *effective, struct cgpol_error *err)
{
	AUTO(mempolicy_clear) struct mempolicy made = {.mode = MEMPOLICY_DEFAULT};
	const struct mempolicy *policy = preflight->policy;
	const char *reason = policy ? judge(policy) : NULL;
	int rc = 0;

	if (reason)
		return error_set(err, EINVAL, CGPOL_USAGE, "%s", reason);
	if (policy) {
		made.mode = policy->mode;
		made.flags = policy->flags;
		rc = need_kernel(preflight, err);
		if (nodeset_is_empty(&policy->nodes) && policy->mode == MEMPOLICY_PREFERRED)
			made.mode = MEMPOLICY_LOCAL;
		else if (rc == 0 && !nodeset_is_empty(&policy->nodes)) {
			rc = need_nodes(preflight, err);
			if (rc == 0)
				rc = narrow(preflight, &made.nodes, err);
		}
	}
	if (rc < 0)
		return rc;
	mempolicy_clear(effective);
	*effective = made;
	made.nodes = (struct nodeset){0, NULL};
	return 0;
}

static const struct objection missing_cpu = {
	"cpu", "does not exist", "do not exist", NULL, NULL, CGPOL_USAGE,
};
static const struct objection offline_cpu = {
	"cpu",
	"is offline",
	"are offline",
	"/sys/devices/system/cpu/online",
	"bring it up first, or use --intersect",
	CGPOL_UNSUPPORTED,
};

/* One rule for all members, the ends of a range and what lies between them. */
static int need_cpus(const struct preflight *preflight, struct cgpol_error *err)
{
	const struct nodeset *online = &preflight->online_cpus;
	int rc;

	if (preflight->intersect)
		return 0;
	rc = need_within(&missing_cpu, preflight->cpus, &preflight->possible_cpus, "this machine has",
			 &preflight->possible_cpus, err);
	if (rc == 0)
		rc = need_within(&offline_cpu, preflight->cpus, online, "online are", online, err);
	if (rc == 0)
		rc = need_in_cpuset(preflight->cpus, &preflight->cpus_allowed, "cpu", "cpuset.cpus.effective",
				    preflight->cpus_from, err);
	return rc;
}

static int refuse_no_cpus(const struct preflight *preflight, struct cgpol_error *err)
{
	AUTO(free_p) char *wanted = nodeset_format(preflight->cpus);
	AUTO(free_p) char *allowed = nodeset_format(&preflight->cpus_allowed);
	AUTO(free_p) char *online = nodeset_format(&preflight->online_cpus);

	if (!wanted || !allowed || !online)
		return error_no_memory(err);
	if (wanted[0] == '\0')
		return error_set(err, EINVAL, preflight->cpu_nodes ? CGPOL_UNSUPPORTED : CGPOL_USAGE,
				 "no cpu is given");
	(void)error_set(err, EINVAL, CGPOL_UNSUPPORTED,
			"no cpu is left: requested %.100s, allowed %.100s, online %.100s", wanted,
			allowed[0] ? allowed : "none", online[0] ? online : "none");
	error_detail(err, NULL, wanted, "choose cpus that are allowed and online");
	return -EINVAL;
}

/* In front of every sentence about cpus that were named by their nodes. */
static int name_nodes(const struct preflight *preflight, int rc, struct cgpol_error *err)
{
	AUTO(free_p) char *list = NULL;

	if (rc == -ENOMEM || !preflight->cpu_nodes)
		return rc;
	list = nodeset_format(preflight->cpu_nodes);
	return error_wrap(err, rc, "the cpus of node%s %.100s", number_of(preflight->cpu_nodes, "", "s"),
			  list ? list : "?");
}

static int warn_isolated(const struct preflight *preflight, const struct nodeset *cpus, char *warning,
			 size_t size)
{
	AUTO(nodeset_clear_p) struct nodeset isolated = {0, NULL};
	AUTO(free_p) char *list = NULL;
	int rc = nodeset_and(&isolated, cpus, &preflight->isolated_cpus);

	if (rc < 0)
		return rc;
	list = nodeset_format(&isolated);
	if (!list)
		return -ENOMEM;
	if (size > 0)
		warning[0] = '\0';
	if (list[0] != '\0')
		(void)snprintf(
			warning, size,
			"cpu%s %.100s %s isolated (isolcpus): the scheduler balances no load there, so "
			"threads stay where they start",
			number_of(&isolated, "", "s"), list, number_of(&isolated, "is", "are"));
	return 0;
}

int preflight_cpus(const struct preflight *preflight, struct nodeset *effective, char *warning, size_t size,
		   struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset made = {0, NULL};
	int rc = preflight->cpus ? need_cpus(preflight, err) : 0;

	if (rc < 0)
		return name_nodes(preflight, rc, err);
	if (preflight->cpus) {
		rc = nodeset_and(&made, preflight->cpus, &preflight->cpus_allowed);
		if (rc == 0)
			rc = nodeset_and(&made, &made, &preflight->online_cpus);
		if (rc < 0)
			return error_no_memory(err);
		if (nodeset_is_empty(&made))
			return name_nodes(preflight, refuse_no_cpus(preflight, err), err);
	}
	if (warn_isolated(preflight, &made, warning, size) < 0)
		return error_no_memory(err);
	nodeset_clear(effective);
	*effective = made;
	made = (struct nodeset){0, NULL};
	return 0;
}

int preflight_adj(const struct preflight *preflight, struct cgpol_error *err)
{
	enum { ADJ_MIN = -1000, ADJ_MAX = 1000 }; /* include/uapi/linux/oom.h */
	char value[16];
	int adj;

	if (!preflight->oom_score_adj)
		return 0;
	adj = *preflight->oom_score_adj;
	(void)snprintf(value, sizeof(value), "%d", adj);
	if (adj < ADJ_MIN || adj > ADJ_MAX) {
		(void)error_set(err, ERANGE, CGPOL_USAGE, "oom_score_adj %d is out of range: -1000 to 1000",
				adj);
		error_detail(err, NULL, value, NULL);
		return -ERANGE;
	}
	if (adj >= preflight->adj_min || preflight->has_sys_resource)
		return 0;
	(void)error_set(err, EACCES, CGPOL_FAILED,
			"oom_score_adj %d is below %d, which needs CAP_SYS_RESOURCE", adj,
			preflight->adj_min);
	error_detail(err, "/proc/self/oom_score_adj", value, "run it as root, or choose a higher score");
	return -EACCES;
}
