/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there now, as far as a plan needs it: the levels from the root to one cgroup, and the values to be
 * changed. */
#include "policy/current.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/need.h"

/* A file, or a whole cgroup, that is not there: ENODEV when it went away while it was open. */
static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

static int explain_read(const char *path, int rc, struct cgpol_error *err)
{
	char shown[192];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(path, shown, sizeof(shown));
	if (rc == -EINVAL)
		(void)error_set(err, EINVAL, CGPOL_FAILED, "%s holds something that is not understood",
				shown);
	else
		(void)error_set(err, -rc, CGPOL_FAILED, "cannot read %s: %s", shown, strerror(-rc));
	error_detail(err, shown, NULL, NULL);
	return rc;
}

/* Reads a file of a cgroup; *text stays NULL when it is not there. */
static int read_file(struct cgpol_host *host, const char *cgroup, const char *file, char **text,
		     struct cgpol_error *err)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);
	int rc;

	if (!path)
		return error_no_memory(err);
	rc = root_read(host->root, path, text, NULL);
	return rc < 0 && !is_absent(rc) ? explain_read(path, rc, err) : 0;
}

/* The first page of cgroup.procs tells whether there is any. A threaded cgroup does not tell (EOPNOTSUPP). */
static int read_has_processes(struct cgpol_host *host, struct current_level *level, struct cgpol_error *err)
{
	AUTO(free_p) char *path = cgroup_path(host, level->name, "cgroup.procs");
	AUTO(free_p) char *text = NULL;
	int rc;

	if (!path)
		return error_no_memory(err);
	rc = root_read_head(host->root, path, &text);
	if (rc < 0 && rc != -EOPNOTSUPP && !is_absent(rc))
		return explain_read(path, rc, err);
	level->has_processes = text && text[strspn(text, "\n")] != '\0';
	return 0;
}

static int read_level(struct cgpol_host *host, struct current_level *level, struct cgpol_error *err)
{
	bool is_real_root;
	int rc = 0;

	if (!level->controllers)
		rc = read_file(host, level->name, "cgroup.controllers", &level->controllers, err);
	if (rc < 0 || !level->controllers)
		return rc;
	level->exists = true;
	rc = read_file(host, level->name, "cgroup.subtree_control", &level->subtree_control, err);
	if (rc == 0)
		rc = read_file(host, level->name, "cgroup.type", &level->type, err);
	if (rc < 0)
		return rc;
	/* Only the real root has no cgroup.type (CFTYPE_NOT_ON_ROOT), and only there processes do no harm
	 * (kernel/cgroup/cgroup.c cgroup_is_mixable); what a cgroup namespace shows as "/" has the file. */
	is_real_root = !level->type && strcmp(level->name, "/") == 0;
	if (!level->subtree_control)
		level->subtree_control = strdup("");
	if (!level->type)
		level->type = strdup("domain");
	if (!level->subtree_control || !level->type)
		return error_no_memory(err);
	return is_real_root ? 0 : read_has_processes(host, level, err);
}

/* "/a/b" is the levels "/", "/a" and "/a/b". */
static int name_levels(const char *cgroup, struct current *current)
{
	size_t size = strlen(cgroup), levels = 1;

	for (size_t i = 1; i < size; i++)
		levels += i == 1 || cgroup[i] == '/';
	current->level = calloc(levels, sizeof(*current->level));
	if (!current->level)
		return -ENOMEM;
	/* `end` is behind the name of the level: 1 for the root, then behind each part. */
	for (size_t end = 1; current->levels < levels; end += strcspn(cgroup + end, "/")) {
		struct current_level *level = &current->level[current->levels];

		level->name = strndup(cgroup, end);
		if (!level->name)
			return -ENOMEM;
		current->levels++;
		end += cgroup[end] == '/';
	}
	return 0;
}

static int read_all_levels(struct cgpol_host *host, size_t deepest, struct current *current,
			   struct cgpol_error *err)
{
	bool exists = true;

	for (size_t i = 0; exists && i <= deepest; i++) {
		struct current_level *level = &current->level[i];
		int rc = read_level(host, level, err);

		if (rc < 0)
			return rc;
		exists = level->exists;
	}
	return 0;
}

/* The deepest level that exists, whose cgroup.controllers is read: one file of a cgroup that is there. */
static int find_deepest(struct cgpol_host *host, struct current *current, size_t *deepest,
			struct cgpol_error *err)
{
	for (size_t i = current->levels; i-- > 0;) {
		struct current_level *level = &current->level[i];
		int rc = read_file(host, level->name, "cgroup.controllers", &level->controllers, err);

		if (rc < 0)
			return rc;
		*deepest = i;
		if (level->controllers)
			break;
	}
	return 0;
}

/* Has a level all that will be wanted, so that nothing needs to be enabled above it? */
static int has_enough(const struct cgpol_policy *policy, const char *also, const char *controllers)
{
	AUTO(need_clear_p) struct need need = {NULL, 0};

	if (!controllers || (also && !need_list_has(controllers, also)))
		return 0;
	if (need_of_policy(policy, &need) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < need.controllers; i++) {
		if (!need_list_has(controllers, need.controller[i]))
			return 0;
	}
	return 1;
}

/* What a level's cgroup.controllers lists is what the one above has in its cgroup.subtree_control
 * (kernel/cgroup/cgroup.c cgroup_control()), and so on up: for the plan it need not be read. */
static int derive_above(struct current *current, size_t deepest)
{
	for (size_t i = 0; i < deepest; i++) {
		struct current_level *level = &current->level[i];

		level->exists = true;
		level->controllers = strdup(current->level[deepest].controllers);
		level->subtree_control = strdup(current->level[deepest].controllers);
		level->type = strdup("domain");
		if (!level->controllers || !level->subtree_control || !level->type)
			return -ENOMEM;
	}
	return 0;
}

/* Reads from the bottom up to where all is as wanted; mostly that is one level. */
static int read_levels(struct cgpol_host *host, const struct cgpol_policy *policy, const char *also,
		       struct current *current, struct cgpol_error *err)
{
	struct current_level *level;
	size_t deepest = 0;
	int rc = find_deepest(host, current, &deepest, err);

	if (rc < 0)
		return rc;
	level = &current->level[deepest];
	rc = has_enough(policy, also, level->controllers);
	if (rc < 0)
		return error_no_memory(err);
	if (rc == 0 || deepest == 0)
		return read_all_levels(host, deepest, current, err);
	/* Only of one that gets children more matters than its controllers. */
	level->exists = true;
	rc = deepest + 1 < current->levels ? read_level(host, level, err) : 0;
	return rc < 0 ? rc : derive_above(current, deepest) < 0 ? error_no_memory(err) : 0;
}

static int read_values(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
		       struct current *current, struct cgpol_error *err)
{
	bool exists = current->level[current->levels - 1].exists;

	current->value = calloc(policy->settings + 1, sizeof(*current->value));
	if (!current->value)
		return error_no_memory(err);
	current->values = policy->settings;
	for (size_t i = 0; exists && i < policy->settings; i++) {
		struct current_value *value = &current->value[i];
		AUTO(free_p) char *path = cgroup_path(host, cgroup, policy->setting[i].name);
		int rc;

		if (!path)
			return error_no_memory(err);
		rc = root_read(host->root, path, &value->text, NULL);
		if (rc == -ENOMEM)
			return error_no_memory(err);
		value->error = rc < 0 && !is_absent(rc) ? rc : 0;
	}
	return 0;
}

/* The lowest memory.max of those above. Where the controller is off there is no limit. */
static int read_memory_limit(struct cgpol_host *host, struct current *current, struct cgpol_error *err)
{
	for (size_t i = 0; i + 1 < current->levels && current->level[i].exists; i++) {
		AUTO(free_p) char *text = NULL;
		uint64_t limit;
		int rc = read_file(host, current->level[i].name, "memory.max", &text, err);

		if (rc < 0)
			return rc;
		if (!text)
			continue;
		if (text_limit(text, &limit) < 0)
			return explain_read("memory.max", -EINVAL, err);
		if (limit < current->memory_limit)
			current->memory_limit = limit;
	}
	return 0;
}

/* A line "KEY: N kB" as bytes; 0 when the file is not there. */
static int read_total(struct cgpol_host *host, const char *path, const char *key, uint64_t *bytes,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	const char *line;
	uint64_t kib;
	int rc = root_read(host->root, path, &text, NULL);

	*bytes = 0;
	if (is_absent(rc))
		return 0;
	if (rc < 0)
		return explain_read(path, rc, err);
	line = strstr(text, key); /* of a node: "Node 0 MemTotal:" */
	if (!line || text_field(line, key, &kib) < 0 || kib > UINT64_MAX / 1024)
		return explain_read(path, -EINVAL, err);
	*bytes = kib * 1024;
	return 0;
}

static int read_node_totals(struct cgpol_host *host, const struct nodeset *nodes, struct current *current,
			    struct cgpol_error *err)
{
	for (int node = nodeset_next(nodes, 0); node >= 0; node = nodeset_next(nodes, node + 1)) {
		char path[64];
		int rc;

		if ((size_t)node >= current->nodes) {
			size_t wanted = (size_t)node + 1;
			uint64_t *more = reallocarray(current->node_total, wanted, sizeof(*more));

			if (!more)
				return error_no_memory(err);
			memset(more + current->nodes, 0, (wanted - current->nodes) * sizeof(*more));
			current->node_total = more;
			current->nodes = wanted;
		}
		(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
		rc = read_total(host, path, "MemTotal", &current->node_total[node], err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_list(struct cgpol_host *host, const char *path, unsigned limit, struct nodeset *set,
		     struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, path, &text, NULL);

	if (rc < 0)
		return is_absent(rc) ? rc : explain_read(path, rc, err);
	rc = nodeset_parse(text, limit, set, NULL);
	return rc < 0 ? explain_read(path, rc == -ENOMEM ? rc : -EINVAL, err) : 0;
}

/* Without CONFIG_NUMA there is no such file, and node 0 is all there is. */
static int read_nodes(struct cgpol_host *host, const char *path, struct nodeset *set, struct cgpol_error *err)
{
	int rc = read_list(host, path, NODESET_NODES_MAX, set, err);

	if (!is_absent(rc))
		return rc;
	return nodeset_add(set, 0) < 0 ? error_no_memory(err) : 0;
}

static int read_machine_nodes(struct cgpol_host *host, struct current *current, struct cgpol_error *err)
{
	int rc = read_nodes(host, "/sys/devices/system/node/possible", &current->possible_nodes, err);

	rc = rc < 0 ? rc : read_nodes(host, "/sys/devices/system/node/online", &current->online_nodes, err);
	return rc < 0 ? rc
		      : read_nodes(host, "/sys/devices/system/node/has_memory", &current->memory_nodes, err);
}

static int read_machine_cpus(struct cgpol_host *host, struct current *current, struct cgpol_error *err)
{
	int rc = read_list(host, "/sys/devices/system/cpu/possible", NODESET_CPUS_MAX,
			   &current->possible_cpus, err);

	if (rc == 0)
		rc = read_list(host, "/sys/devices/system/cpu/online", NODESET_CPUS_MAX,
			       &current->online_cpus, err);
	return is_absent(rc) ? explain_read("/sys/devices/system/cpu", rc, err) : rc;
}

/* An effective set of a cgroup. -ENOENT, without a sentence, when there is no such file. */
static int read_effective(struct cgpol_host *host, const char *cgroup, bool is_cpus, struct nodeset *set,
			  struct cgpol_error *err)
{
	AUTO(free_p)
	char *path = cgroup_path(host, cgroup, is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective");

	if (!path)
		return error_no_memory(err);
	return read_list(host, path, is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX, set, err);
}

/* What the nearest one above that has a cpuset lets through. */
static int read_above(struct cgpol_host *host, bool is_cpus, struct current *current, struct cgpol_error *err)
{
	struct nodeset *set = is_cpus ? &current->cpus : &current->mems;
	char **from = is_cpus ? &current->cpus_from : &current->mems_from;

	for (size_t i = current->levels - 1; i-- > 0;) {
		int rc = current->level[i].exists
				 ? read_effective(host, current->level[i].name, is_cpus, set, err)
				 : -ENOENT;

		if (is_absent(rc))
			continue;
		if (rc < 0)
			return rc;
		*from = strdup(current->level[i].name);
		return *from ? 0 : error_no_memory(err);
	}
	return nodeset_copy(set, is_cpus ? &current->online_cpus : &current->memory_nodes) < 0
		       ? error_no_memory(err)
		       : 0;
}

/* A partition's cpus are no longer among its parent's effective ones, but it has them. */
static int add_partition(struct cgpol_host *host, struct current *current, struct cgpol_error *err)
{
	const struct current_level *last = &current->level[current->levels - 1];
	AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};
	AUTO(free_p) char *state = NULL;
	int rc = last->exists ? read_file(host, last->name, "cpuset.cpus.partition", &state, err) : 0;

	if (rc < 0 || !state || (strcmp(state, "root") != 0 && strcmp(state, "isolated") != 0))
		return rc;
	rc = read_effective(host, last->name, true, &own, err);
	if (rc < 0)
		return is_absent(rc) ? 0 : rc;
	return nodeset_merge(&current->cpus, &own) < 0 ? error_no_memory(err) : 0;
}

static bool has_type(const struct cgpol_policy *policy, enum key_type type)
{
	for (size_t i = 0; i < policy->settings; i++) {
		if (policy->setting[i].key && policy->setting[i].key->type == type)
			return true;
	}
	return false;
}

static int read_sets(struct cgpol_host *host, const struct cgpol_policy *policy, struct current *current,
		     struct cgpol_error *err)
{
	int rc = 0;

	if (has_type(policy, KEY_CPUS)) {
		rc = read_machine_cpus(host, current, err);
		rc = rc < 0 ? rc : read_above(host, true, current, err);
		rc = rc < 0 ? rc : add_partition(host, current, err);
	}
	if (rc == 0 && has_type(policy, KEY_NODES)) {
		rc = read_machine_nodes(host, current, err);
		rc = rc < 0 ? rc : read_above(host, false, current, err);
	}
	return rc;
}

/* What percentages refer to. */
static int read_sizes(struct cgpol_host *host, const struct cgpol_policy *policy, struct current *current,
		      struct cgpol_error *err)
{
	bool has_percent = false;
	bool has_nodes = false;
	int rc = 0;

	for (size_t i = 0; i < policy->settings; i++) {
		const struct setting *setting = &policy->setting[i];

		if (!setting->key || setting->key->type != KEY_SIZE)
			continue;
		if (setting->size.kind == SIZE_PERCENT_NODES) {
			rc = has_nodes ? 0 : read_machine_nodes(host, current, err);
			rc = rc < 0 ? rc : read_node_totals(host, &setting->size.nodes, current, err);
			has_nodes = true;
		}
		if (rc < 0)
			return rc;
		has_percent = has_percent || setting->size.kind == SIZE_PERCENT;
	}
	if (!has_percent)
		return 0;
	rc = read_total(host, "/proc/meminfo", "MemTotal", &current->memory_total, err);
	return rc < 0 ? rc : read_memory_limit(host, current, err);
}

static void current_clear_p(struct current *current)
{
	current_clear(current);
}

int current_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
		 const char *also, struct current *current, struct cgpol_error *err)
{
	AUTO(current_clear_p) struct current made = {.memory_limit = UINT64_MAX};
	int rc;

	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	made.page_size = host->root->facts.page_size;
	made.major = host->major;
	made.minor = host->minor;
	rc = name_levels(cgroup, &made) < 0 ? error_no_memory(err) : 0;
	rc = rc < 0 ? rc : read_levels(host, policy, also, &made, err);
	rc = rc < 0 ? rc : read_values(host, policy, cgroup, &made, err);
	rc = rc < 0 ? rc : read_sizes(host, policy, &made, err);
	rc = rc < 0 ? rc : read_sets(host, policy, &made, err);
	if (rc < 0)
		return rc;
	*current = made;
	made = (struct current){0};
	return 0;
}

void current_clear(struct current *current)
{
	struct nodeset *const sets[] = {&current->cpus,		  &current->mems,
					&current->possible_nodes, &current->online_nodes,
					&current->memory_nodes,	  &current->possible_cpus,
					&current->online_cpus};

	for (size_t i = 0; i < current->levels; i++) {
		free(current->level[i].name);
		free(current->level[i].controllers);
		free(current->level[i].subtree_control);
		free(current->level[i].type);
	}
	for (size_t i = 0; i < current->values; i++)
		free(current->value[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		nodeset_clear(sets[i]);
	free(current->level);
	free(current->value);
	free(current->node_total);
	free(current->cpus_from);
	free(current->mems_from);
	memset(current, 0, sizeof(*current));
}
