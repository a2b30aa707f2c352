/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What doctor needs to know of a machine, read once. */
#include "policy/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/topology.h"

enum {
	GROUPS_MAX = 65536,   /* include/uapi/linux/limits.h NGROUPS_MAX */
	CONTROLLERS_MAX = 64, /* the kernel has 16 bits for them (CGROUP_SUBSYS_COUNT) */
	OVERFLOW_UID = 65534, /* what an owner without a number in this user namespace is shown as */
};

static const char *const probe_name[FACTS_PROBES] = {
	[FACTS_CLONE3] = "clone3_into_cgroup",
	[FACTS_PIDFD_OPEN] = "pidfd_open",
	[FACTS_PIDFD_SIGNAL] = "pidfd_send_signal",
	[FACTS_MRELEASE] = "process_mrelease",
	[FACTS_HOME_NODE] = "set_mempolicy_home_node",
	[FACTS_GET_MEMPOLICY] = "get_mempolicy",
	[FACTS_DEFAULT] = "mempolicy:default",
	[FACTS_BIND] = "mempolicy:bind",
	[FACTS_PREFERRED] = "mempolicy:preferred",
	[FACTS_PREFERRED_MANY] = "mempolicy:preferred_many",
	[FACTS_INTERLEAVE] = "mempolicy:interleave",
	[FACTS_WEIGHTED] = "mempolicy:weighted_interleave",
	[FACTS_LOCAL] = "mempolicy:local",
	[FACTS_STATIC] = "mempolicy:bind=static",
	[FACTS_RELATIVE] = "mempolicy:bind=relative",
	[FACTS_BIND_BALANCING] = "mempolicy:bind=balancing",
	[FACTS_MANY_BALANCING] = "mempolicy:preferred_many=balancing",
	[FACTS_SECCOMP] = "seccomp",
};

static const char *const setting_path[FACTS_SETTINGS] = {
	[FACTS_OVERCOMMIT] = "/proc/sys/vm/overcommit_memory",
	[FACTS_PANIC] = "/proc/sys/vm/panic_on_oom",
	[FACTS_KILL_ALLOCATING] = "/proc/sys/vm/oom_kill_allocating_task",
	[FACTS_ZONE_RECLAIM] = "/proc/sys/vm/zone_reclaim_mode",
	[FACTS_MIN_FREE] = "/proc/sys/vm/min_free_kbytes",
	[FACTS_BALANCING] = "/proc/sys/kernel/numa_balancing",
};

const char *const facts_oom_killers[] = {"systemd-oomd", "earlyoom", "nohang", "oomd", NULL};

bool facts_can(const struct facts *facts, unsigned capability)
{
	return facts->self.caps >> capability & 1;
}

const struct facts_controller *facts_find(const struct facts *facts, const char *v1_name)
{
	for (size_t i = 0; i < facts->controllers; i++)
		if (strcmp(facts->controller[i].name, v1_name) == 0)
			return &facts->controller[i];
	return NULL;
}

static void clear_level(struct facts_cgroup *level)
{
	free(level->name);
	free(level->controllers);
	free(level->subtree_control);
	free(level->locked);
}

void facts_clear(struct facts *facts)
{
	char *texts[] = {facts->cgroup2, facts->cgroup2_root, facts->features,	  facts->filesystems,
			 facts->cmdline, facts->online,	      facts->with_memory, facts->memoryless,
			 facts->cpuless, facts->isolated,     facts->nohz_full};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	for (size_t i = 0; i < facts->levels; i++)
		clear_level(&facts->level[i]);
	free(facts->level);
	free(facts->controller);
	free(facts->killer);
	facts_clear_groups(&facts->groups);
	mounts_clear(&facts->mounts);
	*facts = (struct facts){0};
}

/* Only short memory ends the reading; every other failure is a fact. */
static int tolerate(int rc)
{
	return rc == -ENOMEM ? rc : 0;
}

static int read_text(struct cgpol_host *host, const char *path, char **text)
{
	return tolerate(root_read(host->root, path, text, NULL));
}

/* ---- who reads ---- */

void facts_clear_groups(struct facts_groups *groups)
{
	free(groups->gid);
	*groups = (struct facts_groups){NULL, 0};
}

static int add_group(struct facts_groups *groups, struct span word)
{
	uint64_t *grown, gid;

	if (groups->count == GROUPS_MAX + 1)
		return -E2BIG;
	if (span_u64(word, &gid) < 0)
		return -EINVAL;
	grown = reallocarray(groups->gid, groups->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	groups->gid = grown;
	groups->gid[groups->count++] = gid;
	return 0;
}

int facts_read_groups(struct cgpol_host *host, struct facts_groups *groups)
{
	AUTO(facts_clear_groups) struct facts_groups made = {NULL, 0};
	AUTO(free_p) char *status = NULL;
	struct span line, word;
	int rc = root_read(host->root, "/proc/self/status", &status, NULL);

	if (rc < 0)
		return rc;
	line = text_field_span(status, "Gid");
	/* real, effective, saved, file system (fs/proc/array.c task_state) */
	for (int i = 0; i < 2; i++)
		if (!text_word(&line, &word))
			return -EINVAL;
	rc = add_group(&made, word);
	line = text_field_span(status, "Groups");
	while (rc == 0 && text_word(&line, &word))
		rc = add_group(&made, word);
	if (rc < 0)
		return rc;
	*groups = made;
	made = (struct facts_groups){NULL, 0};
	return 0;
}

static bool is_member(const struct facts_groups *groups, uint64_t gid)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->gid[i] == gid)
			return true;
	return false;
}

bool facts_may_write(const struct root_facts *self, const struct facts_groups *groups,
		     const struct root_info *info)
{
	/* fs/namei.c generic_permission(), kernel/capability.c capable_wrt_inode_uidgid() */
	bool is_mapped = self->initial_userns || info->uid != OVERFLOW_UID;

	if ((self->caps >> FACTS_DAC_OVERRIDE & 1) != 0 && is_mapped)
		return true;
	if (info->uid == self->uid && is_mapped)
		return (info->mode & S_IWUSR) != 0;
	if (is_member(groups, info->gid))
		return (info->mode & S_IWGRP) != 0;
	return (info->mode & S_IWOTH) != 0;
}

/* ---- cgroups ---- */

int facts_parse_controllers(const char *text, struct facts *facts)
{
	AUTO(free_p) struct facts_controller *made = calloc(CONTROLLERS_MAX, sizeof(*made));
	struct span line, name, word;
	size_t count = 0;

	if (!made)
		return -ENOMEM;
	while (count < CONTROLLERS_MAX && text_line(&text, &line)) {
		struct facts_controller *one = &made[count];
		uint64_t enabled;

		if (!text_word(&line, &name) || name.size >= sizeof(one->name) || span_starts(name, "#"))
			continue;
		if (!text_word(&line, &word) || span_u64(word, &one->hierarchy) < 0 ||
		    !text_word(&line, &word) || span_u64(word, &one->cgroups) < 0 ||
		    !text_word(&line, &word) || span_u64(word, &enabled) < 0)
			continue;
		memcpy(one->name, name.at, name.size);
		one->name[name.size] = '\0';
		one->is_enabled = enabled != 0;
		count++;
	}
	free(facts->controller);
	facts->controller = TAKE(made);
	facts->controllers = count;
	facts->has_controllers = true;
	return 0;
}

static int read_controllers(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, "/proc/cgroups", &text, NULL);

	return rc < 0 ? tolerate(rc) : facts_parse_controllers(text, facts);
}

static int read_mounts(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, "/proc/self/mountinfo", &text, NULL);

	facts->mounts_error = rc;
	if (rc == 0)
		rc = mounts_parse(text, &facts->mounts);
	if (rc < 0 || !host->cgroup2)
		return tolerate(rc);
	facts->cgroup2 = strdup(host->cgroup2);
	facts->cgroup2_root = strdup(host->cgroup2_root ? host->cgroup2_root : "/");
	if (!facts->cgroup2 || !facts->cgroup2_root)
		return -ENOMEM;
	for (size_t i = 0; i < facts->mounts.count; i++) {
		const struct mounts_one *mount = &facts->mounts.mount[i];

		/* A mount over another hides it: the last one counts. */
		if (mount->is_unified && strcmp(mount->point, facts->cgroup2) == 0)
			facts->is_read_only = mount->is_read_only;
	}
	return 0;
}

/* What one needs to make a cgroup there, put processes into it and hand controllers down to it. */
static int read_lock(struct cgpol_host *host, const struct facts *facts, struct facts_cgroup *level)
{
	static const char *const files[] = {NULL, "cgroup.procs", "cgroup.subtree_control"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO(free_p) char *path = cgroup_path(host, level->name, files[i]);
		struct root_info info = {0};
		int rc = path ? root_stat(host->root, path, &info) : -ENOMEM;

		if (rc == -ENOMEM)
			return rc;
		if (rc == 0 && facts_may_write(&facts->self, &facts->groups, &info))
			continue;
		level->locked = TAKE(path);
		level->locked_uid = info.uid;
		level->locked_mode = info.mode & 07777;
		break;
	}
	return 0;
}

static int read_level(struct cgpol_host *host, const struct facts *facts, struct facts_cgroup *level)
{
	AUTO(free_p) char *controllers = cgroup_path(host, level->name, "cgroup.controllers");
	AUTO(free_p) char *subtree_control = cgroup_path(host, level->name, "cgroup.subtree_control");
	int rc;

	if (!controllers || !subtree_control)
		return -ENOMEM;
	rc = read_text(host, controllers, &level->controllers);
	if (rc == 0)
		rc = read_text(host, subtree_control, &level->subtree_control);
	if (rc == 0 && facts->is_asked)
		rc = read_lock(host, facts, level);
	return rc;
}

static int add_level(struct cgpol_host *host, struct facts *facts, const char *name, size_t size)
{
	struct facts_cgroup *grown = reallocarray(facts->level, facts->levels + 1, sizeof(*facts->level));
	struct facts_cgroup *level;

	if (!grown)
		return -ENOMEM;
	facts->level = grown;
	level = &facts->level[facts->levels];
	*level = (struct facts_cgroup){.name = strndup(name, size)};
	if (!level->name)
		return -ENOMEM;
	facts->levels++;
	return read_level(host, facts, level);
}

/* The cgroup at the mount, and each one on the way to the reader's own. */
static int read_levels(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *own = NULL;
	int rc = root_read(host->root, "/proc/self/cgroup", &text, NULL);

	if (rc == 0)
		rc = cgroup_of_text(host, text, &own);
	facts->own_error = rc;
	if (rc == -ENOMEM)
		return rc;
	rc = add_level(host, facts, "/", 1);
	for (const char *at = own ? own : ""; rc == 0 && *at != '\0' && at[1] != '\0';) {
		at += 1 + strcspn(at + 1, "/");
		rc = add_level(host, facts, own, (size_t)(at - own));
	}
	return rc;
}

/* The root of the hierarchy has no cgroup.events, every other cgroup has one (kernel/cgroup/cgroup.c
 * cgroup_base_files: CFTYPE_NOT_ON_ROOT). In a cgroup namespace the mount looks like the root, and is none.
 */
static int read_whole(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) char *path = cgroup_path(host, "/", "cgroup.events");
	struct root_info info;
	int rc = path ? root_stat(host->root, path, &info) : -ENOMEM;

	facts->is_whole = rc == 0 ? 0 : rc == -ENOENT && facts->is_asked ? 1 : -1;
	return tolerate(rc);
}

static int read_cgroups(struct cgpol_host *host, struct facts *facts)
{
	int rc = read_mounts(host, facts);

	facts->is_whole = -1;
	if (rc == 0)
		rc = read_text(host, "/sys/kernel/cgroup/features", &facts->features);
	if (rc == 0)
		rc = read_text(host, "/proc/filesystems", &facts->filesystems);
	if (rc == 0)
		rc = read_text(host, "/proc/cmdline", &facts->cmdline);
	if (rc == 0)
		rc = read_controllers(host, facts);
	if (rc == 0 && facts->cgroup2)
		rc = read_whole(host, facts);
	if (rc == 0 && facts->cgroup2)
		rc = read_levels(host, facts);
	return rc;
}

/* ---- memory and nodes ---- */

/* Members of `all` that are not in `part`. */
static int format_rest(const struct nodeset *all, const struct nodeset *part, char **text)
{
	AUTO(nodeset_clear_p) struct nodeset rest = {0, NULL};

	if (nodeset_subtract(&rest, all, part) < 0)
		return -ENOMEM;
	*text = nodeset_format(&rest);
	return *text ? 0 : -ENOMEM;
}

static int read_nodes(struct cgpol_host *host, struct facts *facts)
{
	struct topology topology = {0};
	struct cgpol_error err = {0};
	struct root_info info;
	int rc = root_stat(host->root, "/sys/devices/system/node", &info);

	facts->has_numa = rc == 0;
	if (rc == -ENOMEM)
		return rc;
	rc = topology_read(host, &topology, &err);
	if (rc < 0)
		return tolerate(rc);
	facts->has_nodes = true;
	facts->memory_nodes = nodeset_count(&topology.memory);
	facts->online = nodeset_format(&topology.online);
	facts->with_memory = nodeset_format(&topology.memory);
	rc = facts->online && facts->with_memory ? 0 : -ENOMEM;
	if (rc == 0)
		rc = format_rest(&topology.online, &topology.memory, &facts->memoryless);
	if (rc == 0)
		rc = format_rest(&topology.online, &topology.cpu, &facts->cpuless);
	topology_clear(&topology);
	return rc;
}

/* Filename Type Size Used Priority, in KiB (mm/swapfile.c swap_show); blanks in names are escaped. */
void facts_parse_swaps(const char *text, struct facts *facts)
{
	struct span line, word;

	facts->swaps = 0;
	facts->swap_bytes = facts->swap_used = 0;
	while (text_line(&text, &line)) {
		uint64_t size, used;

		/* The name and the type are passed over. */
		for (int i = 0; i < 3; i++)
			if (!text_word(&line, &word))
				word = (struct span){"", 0};
		if (span_u64(word, &size) < 0 || !text_word(&line, &word) || span_u64(word, &used) < 0)
			continue;
		if (size > UINT64_MAX / 2048 - facts->swap_bytes / 1024 || used > size)
			continue;
		facts->swaps++;
		facts->swap_bytes += size * 1024;
		facts->swap_used += used * 1024;
	}
}

static int read_memory(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) char *swaps = NULL;
	AUTO(free_p) char *pressure = NULL;
	int rc;

	for (size_t i = 0; i < FACTS_SETTINGS; i++) {
		struct facts_number *setting = &facts->setting[i];

		setting->error = root_read_u64(host->root, setting_path[i], &setting->value);
		if (setting->error == -ENOMEM)
			return -ENOMEM;
	}
	facts->psi = root_read(host->root, "/proc/pressure/memory", &pressure, NULL);
	facts->swaps_error = root_read(host->root, "/proc/swaps", &swaps, NULL);
	if (facts->psi == -ENOMEM || facts->swaps_error == -ENOMEM)
		return -ENOMEM;
	if (facts->swaps_error == 0)
		facts_parse_swaps(swaps, facts);
	rc = read_text(host, "/sys/devices/system/cpu/isolated", &facts->isolated);
	return rc < 0 ? rc : read_text(host, "/sys/devices/system/cpu/nohz_full", &facts->nohz_full);
}

/* ---- processes ---- */

static int add_killer(struct facts *facts, pid_t pid, const struct proc_stat *stat)
{
	struct facts_killer *grown;
	size_t i = 0;

	while (facts_oom_killers[i] && strcmp(facts_oom_killers[i], stat->comm) != 0)
		i++;
	if (!facts_oom_killers[i] || (stat->flags & PROC_KTHREAD))
		return 0;
	grown = reallocarray(facts->killer, facts->killers + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	facts->killer = grown;
	facts->killer[facts->killers++] = (struct facts_killer){pid, facts_oom_killers[i]};
	return 0;
}

static int read_processes(struct cgpol_host *host, struct facts *facts)
{
	AUTO(free_p) pid_t *pids = NULL;
	struct root_info info;
	size_t count = 0;
	int rc = proc_list(host, &pids, &count);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct proc_stat stat;

		rc = proc_read_stat(host, pids[i], &stat);
		if (rc == 0 && pids[i] == 1)
			memcpy(facts->init, stat.comm, sizeof(facts->init));
		rc = rc == 0 ? add_killer(facts, pids[i], &stat) : tolerate(rc);
	}
	facts->sees_all = facts->self.initial_pidns && *facts->init != '\0';
	if (rc == -ENOMEM)
		return rc;
	rc = root_stat(host->root, "/run/systemd/system", &info);
	facts->has_systemd = rc == 0;
	return tolerate(rc);
}

static int read_all(struct cgpol_host *host, struct facts *facts)
{
	int rc;

	for (size_t i = 0; i < FACTS_PROBES; i++) {
		facts->probe[i] = root_probe(host->root, probe_name[i]);
		if (facts->probe[i] == -ENOMEM)
			return -ENOMEM;
	}
	facts->is_asked = facts->probe[FACTS_CLONE3] != -ENODATA;
	rc = facts->is_asked ? tolerate(facts_read_groups(host, &facts->groups)) : 0;
	if (rc == 0)
		rc = read_cgroups(host, facts);
	if (rc == 0)
		rc = read_nodes(host, facts);
	if (rc == 0)
		rc = read_memory(host, facts);
	return rc < 0 ? rc : read_processes(host, facts);
}

int facts_read(struct cgpol_host *host, struct facts *facts)
{
	AUTO(facts_clear_p)
	struct facts made = {
		.self = host->root->facts, .major = host->major, .minor = host->minor, .patch = host->patch};
	int rc = read_all(host, &made);

	if (rc < 0)
		return rc;
	*facts = made;
	made = (struct facts){0};
	return 0;
}
