/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroups a forecast needs: those that processes live in, with their ancestors, and the walk of an OOM
 * domain. */
#include "memory/memcg.h"

#include <errno.h>
#include <search.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/cgroup.h"
#include "host/proc.h"

/* Deeper trees are not walked; the kernel's own default for cgroup.max.depth is no limit. */
enum {
	DEPTH_MAX = 256,
	NAME_BYTES_MAX =
		64 << 20, /* of all names together: a hostile capture could have one of 4 KiB a level */
};

struct name_entry {
	char *name;
	size_t at;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct name_entry *)a)->name, ((const struct name_entry *)b)->name);
}

static void free_entry(void *entry)
{
	free(((struct name_entry *)entry)->name);
	free(entry);
}

static int append(struct memcg_list *list, const char *name, size_t parent, size_t *index)
{
	struct oom_memcg *more = reallocarray(list->group, list->groups + 1, sizeof(*more));
	struct name_entry *entry;

	if (!more)
		return -ENOMEM;
	list->group = more;
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->name = strdup(name);
	entry->at = list->groups;
	if (!entry->name || !tsearch(entry, &list->index, by_name)) {
		free_entry(entry);
		return -ENOMEM;
	}
	more[list->groups] = (struct oom_memcg){
		.name = entry->name,
		.parent = parent,
		.max = OOM_UNLIMITED,
		.swap_max = OOM_UNLIMITED,
	};
	list->name_bytes += strlen(name);
	*index = list->groups++;
	return 0;
}

static bool find(const struct memcg_list *list, char *name, size_t *index)
{
	struct name_entry key = {.name = name};
	struct name_entry **found = tfind(&key, &list->index, by_name);

	if (found)
		*index = (*found)->at;
	return found != NULL;
}

int memcg_list_init(struct memcg_list *list)
{
	size_t root;

	memset(list, 0, sizeof(*list));
	int rc = append(list, "/", OOM_NOBODY, &root);
	if (rc < 0)
		memcg_list_clear(list);
	else
		list->group[0].has_memory = true;
	return rc;
}

void memcg_list_clear(struct memcg_list *list)
{
	tdestroy(list->index, free_entry);
	free(list->group);
	memset(list, 0, sizeof(*list));
}

int memcg_list_add(struct memcg_list *list, const char *name, size_t *index)
{
	AUTO(free_p) char *path = strdup(name);
	size_t at = 0;
	char *end;

	if (!path)
		return -ENOMEM;
	if (find(list, path, index))
		return 0;
	if (list->name_bytes > NAME_BYTES_MAX)
		return -E2BIG;
	/* Each prefix that ends before a slash is an ancestor. */
	end = path;
	do {
		end = strchr(end + 1, '/');
		if (end)
			*end = '\0';
		if (!find(list, path, &at)) {
			int rc = append(list, path, at, &at);
			if (rc < 0)
				return rc;
		}
		if (end)
			*end = '/';
	} while (end);
	*index = at;
	return 0;
}

int memcg_read_groups(struct cgpol_host *host, struct memcg_list *list)
{
	if (!host->has_memory)
		return 0;
	for (size_t i = 0; i < list->groups; i++) {
		struct cgroup_memory memory = {0};
		int rc = cgroup_read_oom_group(host, list->group[i].name, &memory);
		if (rc == -ENOMEM)
			return rc;
		if (rc < 0) {
			list->is_incomplete |= rc != -ENOENT && rc != -ENODEV;
			continue;
		}
		list->group[i].has_memory = memory.has_controller;
		list->group[i].oom_group = memory.oom_group;
	}
	return 0;
}

static void set_numbers(struct oom_memcg *group, const struct cgroup_memory *memory, uint64_t page)
{
	group->is_read = true;
	group->has_memory = memory->has_controller;
	group->oom_group = memory->oom_group;
	group->max = memory->max == UINT64_MAX ? OOM_UNLIMITED : memory->max / page;
	group->swap_max = memory->swap_max == UINT64_MAX ? OOM_UNLIMITED : memory->swap_max / page;
	group->current = memory->current / page;
	group->swap_current = memory->swap_current / page;
	group->file = memory->file / page;
	/* Shared memory is charged as shmem, and goes with its last process as anonymous memory does. */
	group->anon = (memory->anon + memory->shmem) / page;
	group->slab = memory->slab_reclaimable / page;
}

int memcg_read_path(struct cgpol_host *host, struct memcg_list *list, size_t index, struct cgpol_error *err)
{
	for (size_t at = index; at != OOM_NOBODY; at = list->group[at].parent) {
		struct cgroup_memory memory = {0};
		if (list->group[at].is_read)
			continue;
		int rc = cgroup_read_memory(host, list->group[at].name, &memory, err);
		if (rc < 0)
			return rc;
		set_numbers(&list->group[at], &memory, host->root->facts.page_size);
	}
	return 0;
}

struct walk {
	struct cgpol_host *host;
	struct memcg_member *member;
	size_t members, room;
};

static int note(struct walk *walk, pid_t pid)
{
	if (walk->members == walk->room) {
		size_t room = walk->room ? walk->room * 2 : 64;
		struct memcg_member *more = reallocarray(walk->member, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		walk->member = more;
		walk->room = room;
	}
	walk->member[walk->members] = (struct memcg_member){pid, walk->members};
	walk->members++;
	return 0;
}

static int walk_procs(struct walk *walk, const char *name)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = cgroup_procs(walk->host, name, &pids, &count);

	if (rc < 0) /* gone, or threaded: no order to learn */
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = note(walk, pids[i]);
	return rc;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is limited
static int walk_below(struct walk *walk, const char *name, unsigned depth)
{
	char **children = NULL;
	size_t count = 0;
	int rc = walk_procs(walk, name);

	if (rc == 0 && depth < DEPTH_MAX) {
		rc = cgroup_children(walk->host, name, &children, &count);
		if (rc < 0 && rc != -ENOMEM) /* removed meanwhile */
			rc = 0;
	}
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = walk_below(walk, children[i], depth + 1);
	root_list_free(children, count);
	return rc;
}

static int by_pid(const void *a, const void *b)
{
	const struct memcg_member *left = a, *right = b;

	return left->pid < right->pid ? -1 : left->pid > right->pid;
}

int memcg_walk(struct cgpol_host *host, const char *name, struct memcg_member **member, size_t *members)
{
	struct walk walk = {.host = host};
	int rc = walk_below(&walk, name, 0);

	if (rc < 0) {
		free(walk.member);
		return rc;
	}
	if (walk.members)
		qsort(walk.member, walk.members, sizeof(*walk.member), by_pid);
	*member = walk.member;
	*members = walk.members;
	return 0;
}
