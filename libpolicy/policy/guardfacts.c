/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a guard needs to know of those who live in a cgroup, read when a step of a plan asks for it. */
#include "policy/guardfacts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/need.h"

/* What cannot be read cannot be judged; only a lack of memory of ours is a failure. */
static int unknown(int rc)
{
	return rc == 0 || rc == -ENOMEM ? rc : -ENODATA;
}

static int read_text(struct guardfacts *facts, const char *cgroup, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(facts->host, cgroup, file);

	return path ? unknown(root_read(facts->host->root, path, text, NULL)) : -ENOMEM;
}

int guardfacts_read_number(struct guardfacts *facts, const char *cgroup, const char *file, uint64_t *value)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_text(facts, cgroup, file, &text);

	return rc < 0 ? rc : unknown(text_limit(text, value));
}

int guardfacts_read_populated(struct guardfacts *facts, const char *cgroup, bool *is_populated)
{
	AUTO(free_p) char *text = NULL;
	uint64_t populated;
	int rc = read_text(facts, cgroup, "cgroup.events", &text);

	rc = rc < 0 ? rc : unknown(text_field(text, "populated", &populated));
	if (rc == 0)
		*is_populated = populated != 0;
	return rc;
}

/* ---- memory ---- */

static int read_swap(struct guardfacts *facts)
{
	AUTO(free_p) char *text = NULL;
	uint64_t kib = 0;
	int rc;

	if (facts->has_swap)
		return 0;
	rc = root_read(facts->host->root, "/proc/meminfo", &text, NULL);
	/* Without CONFIG_SWAP the line is there, with 0. */
	rc = rc < 0 ? rc : text_field(text, "SwapFree", &kib);
	if (rc < 0)
		return unknown(rc);
	facts->has_swap = true;
	facts->swap_free = kib < UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
	return 0;
}

/* A swap limit counts for all below (mm/memcontrol.c mem_cgroup_get_nr_swap_pages). */
static int read_swap_room(struct guardfacts *facts, const char *cgroup, uint64_t *room)
{
	AUTO(free_p) char *at = strdup(cgroup);
	int rc = at ? read_swap(facts) : -ENOMEM;
	uint64_t left = facts->swap_free;

	while (rc == 0 && at && left > 0) {
		uint64_t limit, used;
		char *above;

		if (guardfacts_read_number(facts, at, "memory.swap.max", &limit) == 0 &&
		    limit != UINT64_MAX &&
		    guardfacts_read_number(facts, at, "memory.swap.current", &used) == 0) {
			uint64_t here = used < limit ? limit - used : 0;

			left = here < left ? here : left;
		}
		above = cause_parent(at);
		free(at);
		at = above;
	}
	if (rc == 0)
		*room = left;
	return rc;
}

static uint64_t field_or_0(const char *text, const char *key)
{
	uint64_t value;

	return text_field(text, key, &value) == 0 ? value : 0;
}

int guardfacts_read_memory(struct guardfacts *facts, const char *cgroup, struct guardfacts_memory *memory)
{
	struct guardfacts_memory made = {.high = UINT64_MAX};
	AUTO(free_p) char *stat = NULL;
	AUTO(free_p) char *reclaim = cgroup_path(facts->host, cgroup, "memory.reclaim");
	struct root_info info;
	int rc = guardfacts_read_number(facts, cgroup, "memory.current", &made.current);

	rc = rc < 0 ? rc : guardfacts_read_number(facts, cgroup, "memory.high", &made.high);
	rc = rc < 0 ? rc : read_text(facts, cgroup, "memory.stat", &stat);
	rc = rc < 0 ? rc : read_swap_room(facts, cgroup, &made.swap_room);
	if (rc < 0 || !reclaim)
		return rc < 0 ? rc : -ENOMEM;
	/* The LRU lists, so that what is locked (unevictable) is in neither, and tmpfs is among the
	 * anonymous. */
	made.cache = field_or_0(stat, "inactive_file") + field_or_0(stat, "active_file") +
		     field_or_0(stat, "slab_reclaimable");
	made.anon = field_or_0(stat, "inactive_anon") + field_or_0(stat, "active_anon");
	made.has_reclaim = root_stat(facts->host->root, reclaim, &info) == 0;
	*memory = made;
	return 0;
}

/* ---- nodes ---- */

/* "N1=4096" of a wanted node. */
static int add_node(struct span word, const struct nodeset *nodes, uint64_t *bytes)
{
	AUTO(free_p) char *text = span_dup(word);
	const char *end;
	uint64_t node, size;

	if (!text)
		return -ENOMEM;
	if (text[0] != 'N' || text_u64_head(text + 1, &end, &node) < 0 || *end != '=' ||
	    text_u64(end + 1, &size) < 0 || node >= NODESET_NODES_MAX)
		return -EINVAL;
	if (nodeset_has(nodes, (unsigned)node))
		*bytes = size < UINT64_MAX - *bytes ? *bytes + size : UINT64_MAX;
	return 0;
}

int guardfacts_parse_numa_stat(const char *text, const struct nodeset *nodes, uint64_t *bytes)
{
	uint64_t sum = 0;
	struct span line, word;

	while (text_line(&text, &line)) {
		/* Page cache that nobody maps stays where it is (mm/mempolicy.c do_migrate_pages). */
		if (!text_word(&line, &word) || (!span_is(word, "anon") && !span_is(word, "file_mapped")))
			continue;
		while (text_word(&line, &word)) {
			int rc = add_node(word, nodes, &sum);

			if (rc < 0)
				return rc;
		}
	}
	*bytes = sum;
	return 0;
}

void guardfacts_nodes_clear(struct guardfacts_nodes *nodes)
{
	nodeset_clear(&nodes->dropped);
	*nodes = (struct guardfacts_nodes){0};
}

static int read_bytes(struct guardfacts *facts, const char *cgroup, struct guardfacts_nodes *nodes)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_text(facts, cgroup, "memory.numa_stat", &text);

	rc = rc < 0 ? rc : unknown(guardfacts_parse_numa_stat(text, &nodes->dropped, &nodes->bytes));
	nodes->has_bytes = rc == 0;
	return rc == -ENOMEM ? rc : 0;
}

int guardfacts_read_nodes(struct guardfacts *facts, const char *cgroup, const struct nodeset *kept,
			  struct guardfacts_nodes *nodes)
{
	AUTO(guardfacts_nodes_clear) struct guardfacts_nodes made = {0};
	AUTO(nodeset_clear_p) struct nodeset now = {0, NULL};
	int rc = guardfacts_read_populated(facts, cgroup, &made.is_populated);

	/* "cgroup/cpuset: Enable memory migration for cpuset v2", 5.16; before that only new pages obey. */
	made.migrates = host_compare_kernel(facts->host, 5, 16, 0) >= 0;
	if (rc == 0 && made.is_populated) {
		rc = unknown(cgroup_read_mems(facts->host, cgroup, &now));
		rc = rc < 0 ? rc : nodeset_subtract(&made.dropped, &now, kept);
		if (rc == 0 && !nodeset_is_empty(&made.dropped))
			rc = read_bytes(facts, cgroup, &made);
	}
	if (rc < 0)
		return rc;
	guardfacts_nodes_clear(nodes);
	*nodes = made;
	made = (struct guardfacts_nodes){0};
	return 0;
}

/* ---- threads ---- */

static bool has_domain_controller(const char *list)
{
	struct span line = {list ? list : "", list ? strlen(list) : 0}, word;
	char name[64];

	while (text_word(&line, &word)) {
		(void)snprintf(name, sizeof(name), "%.*s", word.size < 63 ? (int)word.size : 63, word.at);
		if (!need_is_threaded(name))
			return true;
	}
	return false;
}

static void add_name(const char *name, char *text, size_t size)
{
	size_t used = strlen(text);
	char shown[80];

	text_escape(name, shown, sizeof(shown));
	(void)snprintf(text + used, size - used, "%s%s", used ? ", " : "", shown);
}

/* One of the other children. */
static int judge_sibling(struct guardfacts *facts, const char *name, struct guardfacts_threads *threads)
{
	AUTO(free_p) char *type = NULL;
	AUTO(free_p) char *subtree = NULL;
	bool is_populated = false;
	int rc = read_text(facts, name, "cgroup.type", &type);

	if (rc < 0 || strcmp(type, "threaded") == 0)
		return rc == -ENOMEM ? rc : 0;
	rc = guardfacts_read_populated(facts, name, &is_populated);
	rc = rc == -ENOMEM ? rc : read_text(facts, name, "cgroup.subtree_control", &subtree);
	if (rc == -ENOMEM)
		return rc;
	threads->others++;
	if (is_populated || has_domain_controller(subtree)) {
		if (threads->busy++ == 0)
			threads->names[0] = '\0';
		if (threads->busy <= GUARDFACTS_SHOWN)
			add_name(name, threads->names, sizeof(threads->names));
	} else if (threads->busy == 0 && threads->others <= GUARDFACTS_SHOWN) {
		add_name(name, threads->names, sizeof(threads->names));
	}
	return 0;
}

int guardfacts_read_threads(struct guardfacts *facts, const char *cgroup, struct guardfacts_threads *threads)
{
	struct guardfacts_threads made = {0};
	AUTO(free_p) char *parent = cause_parent(cgroup);
	AUTO(free_p) char *type = NULL;
	AUTO(free_p) char *subtree = NULL;
	char **names = NULL;
	size_t count = 0;
	int rc;

	if (!parent)
		return -ENODATA;
	rc = read_text(facts, parent, "cgroup.subtree_control", &subtree);
	/* The real root alone has no such file. */
	rc = rc < 0 ? rc : read_text(facts, parent, "cgroup.type", &type);
	if (rc < 0 && (rc == -ENOMEM || strcmp(parent, "/") != 0))
		return rc;
	(void)snprintf(made.type, sizeof(made.type), "%s", type ? type : "");
	made.has_controllers = has_domain_controller(subtree);
	rc = strcmp(made.type, "domain") == 0 ? unknown(cgroup_children(facts->host, parent, &names, &count))
					      : 0;
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = strcmp(names[i], cgroup) == 0 ? 0 : judge_sibling(facts, names[i], &made);
	root_list_free(names, count);
	if (rc == 0)
		*threads = made;
	return rc;
}

/* ---- affinity ---- */

/* Is all that a thread may run on among these cpus? `text`: its status. */
static bool is_inside(const char *text, const struct nodeset *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset allowed = {0, NULL};
	AUTO(free_p) char *list = NULL;
	struct span span = text_field_span(text, "Cpus_allowed_list");

	list = span.at ? span_dup(span) : NULL;
	return list && nodeset_parse(list, NODESET_CPUS_MAX, &allowed, NULL) == 0 &&
	       !nodeset_is_empty(&allowed) && nodeset_contains(cpus, &allowed);
}

/* Is it a thread of the kernel's, or one that the partition is for? */
static bool is_exempt(struct guardfacts *facts, pid_t pid, const char *cgroup)
{
	AUTO(free_p) char *own = NULL;
	struct proc_stat stat;
	size_t size = strlen(cgroup);

	if (proc_read_stat(facts->host, pid, &stat) < 0 || (stat.flags & PROC_KTHREAD))
		return true;
	return proc_read_cgroup(facts->host, pid, &own) == 0 && strncmp(own, cgroup, size) == 0 &&
	       (own[size] == '\0' || own[size] == '/');
}

static void add_thread(struct guardfacts *facts, pid_t pid, pid_t tid, struct guardfacts_affinity *affinity)
{
	struct proc_stat stat;
	char name[PROC_COMM_SIZE + 24];

	if (affinity->threads++ >= GUARDFACTS_SHOWN)
		return;
	if (proc_read_stat(facts->host, pid, &stat) < 0)
		stat.comm[0] = '\0';
	(void)snprintf(name, sizeof(name), "%d (%s)", (int)tid, stat.comm);
	add_name(name, affinity->names, sizeof(affinity->names));
}

static void look_at_thread(struct guardfacts *facts, pid_t pid, pid_t tid, const struct nodeset *cpus,
			   struct guardfacts_affinity *affinity)
{
	AUTO(free_p) char *status = NULL;
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)tid);
	if (root_read(facts->host->root, path, &status, NULL) == 0 && is_inside(status, cpus))
		add_thread(facts, pid, tid, affinity);
}

static int look_at_process(struct guardfacts *facts, pid_t pid, const char *cgroup,
			   const struct nodeset *cpus, struct guardfacts_affinity *affinity)
{
	AUTO(free_p) char *status = NULL;
	AUTO(free_p) pid_t *tids = NULL;
	uint64_t threads = 1;
	char path[48];
	size_t count = 0;
	int rc;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	rc = root_read(facts->host->root, path, &status, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	(void)text_field(status, "Threads", &threads);
	if ((threads <= 1 && !is_inside(status, cpus)) || is_exempt(facts, pid, cgroup))
		return 0;
	if (threads <= 1) {
		add_thread(facts, pid, pid, affinity);
		return 0;
	}
	rc = proc_threads(facts->host, pid, &tids, &count);
	for (size_t i = 0; rc == 0 && i < count; i++)
		look_at_thread(facts, pid, tids[i], cpus, affinity);
	return rc == -ENOMEM ? rc : 0;
}

int guardfacts_read_affinity(struct guardfacts *facts, const char *cgroup, const struct nodeset *cpus,
			     struct guardfacts_affinity *affinity)
{
	struct guardfacts_affinity made = {0};
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = unknown(proc_list(facts->host, &pids, &count));

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = look_at_process(facts, pids[i], cgroup, cpus, &made);
	if (rc == 0)
		*affinity = made;
	return rc;
}
