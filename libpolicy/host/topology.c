/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The NUMA nodes of a machine, from /sys/devices/system/node and /proc/zoneinfo. */
#include "host/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#define NODE_DIR "/sys/devices/system/node"
#define CPU_ONLINE "/sys/devices/system/cpu/online"
#define ZONEINFO "/proc/zoneinfo"

enum { PATH_SIZE = 80 };

static void clear_node(struct topology_node *node)
{
	nodeset_clear(&node->cpus);
	free(node->zone);
	free(node->distance);
}

void topology_clear(struct topology *topology)
{
	for (size_t i = 0; i < topology->nodes; i++)
		clear_node(&topology->node[i]);
	free(topology->node);
	nodeset_clear(&topology->online);
	nodeset_clear(&topology->memory);
	nodeset_clear(&topology->cpu);
	memset(topology, 0, sizeof(*topology));
}

/* Where the node is, or would be inserted. */
static size_t find_place(const struct topology *topology, unsigned id)
{
	size_t low = 0, high = topology->nodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (topology->node[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct topology_node *topology_find(const struct topology *topology, unsigned id)
{
	size_t place = find_place(topology, id);

	if (place == topology->nodes || topology->node[place].id != id)
		return NULL;
	return &topology->node[place];
}

static int add_node(struct topology *topology, unsigned id, struct topology_node **added)
{
	size_t place = find_place(topology, id);
	struct topology_node *node;
	int rc;

	if (place < topology->nodes && topology->node[place].id == id) {
		*added = &topology->node[place];
		return 0;
	}
	rc = nodeset_add(&topology->online, id);
	if (rc < 0)
		return rc;
	node = reallocarray(topology->node, topology->nodes + 1, sizeof(*node));
	if (!node)
		return -ENOMEM;
	topology->node = node;
	memmove(node + place + 1, node + place, (topology->nodes - place) * sizeof(*node));
	node[place] = (struct topology_node){.id = id};
	topology->nodes++;
	*added = &node[place];
	return 0;
}

enum { ZONES_MAX = ARRAY_SIZE(((struct topology_zone *)NULL)->protection) };

/* All zone types in the order of enum zone_type (include/linux/mmzone.h). */
static const char *const zone_types[] = {"DMA", "DMA32", "Normal", "HighMem", "Movable", "Device"};
enum { TYPE_DMA, TYPE_DMA32, TYPE_NORMAL, TYPE_HIGHMEM, TYPE_MOVABLE, TYPE_DEVICE, TYPES };

/* /proc/zoneinfo (mm/vmstat.c zoneinfo_show_print), read into a topology of its own, so that a malformed one
 * changes nothing. */
struct zoneinfo {
	struct topology topology;
	struct topology_node *node; /* of the lines that are being read; NULL before the first */
	struct topology_zone *zone;
};

static void clear_zoneinfo(struct zoneinfo *zoneinfo)
{
	topology_clear(&zoneinfo->topology);
}

static int find_type(const char *name)
{
	for (int i = 0; i < TYPES; i++)
		if (strcmp(name, zone_types[i]) == 0)
			return i;
	return -1;
}

/* "Node 0, zone    DMA32" */
static int open_zone(struct zoneinfo *zoneinfo, struct span id_word, struct span name)
{
	struct topology_node *node;
	struct topology_zone *zone;
	uint64_t id;
	int rc;

	if (id_word.size < 2 || id_word.at[id_word.size - 1] != ',' || name.size >= sizeof(zone->name))
		return -EINVAL;
	id_word.size--;
	if (span_u64(id_word, &id) < 0 || id >= NODESET_NODES_MAX)
		return -EINVAL;
	rc = add_node(&zoneinfo->topology, (unsigned)id, &node);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < node->zones; i++)
		if (span_is(name, node->zone[i].name))
			return -EINVAL;
	if (node->zones == ZONES_MAX)
		return -EINVAL;
	zone = reallocarray(node->zone, node->zones + 1, sizeof(*zone));
	if (!zone)
		return -ENOMEM;
	node->zone = zone;
	zone += node->zones++;
	*zone = (struct topology_zone){.index = 0};
	memcpy(zone->name, name.at, name.size);
	zoneinfo->node = node;
	zoneinfo->zone = zone;
	return 0;
}

/* "protection: (0, 235, 235, 235, 235)": one number for each zone type of the kernel. */
static int take_protection(struct span line, struct topology_zone *zone)
{
	struct span word;

	zone->protections = 0;
	while (text_word(&line, &word)) {
		char last = word.at[word.size - 1];

		if (zone->protections == 0 && word.at[0] == '(')
			word = (struct span){word.at + 1, word.size - 1};
		if (word.size == 0 || (last != ',' && last != ')') || zone->protections == ZONES_MAX)
			return -EINVAL;
		word.size--;
		if (span_u64(word, &zone->protection[zone->protections++]) < 0)
			return -EINVAL;
		if (last == ')')
			return text_word(&line, &word) ? -EINVAL : 0;
	}
	return -EINVAL;
}

static int take_number(struct span line, uint64_t *value)
{
	struct span word;

	if (!text_word(&line, &word) || span_u64(word, value) < 0)
		return -EINVAL;
	return 0;
}

/* For page lists, which are counted by node since 4.8 and by zone before: the sum is right for both. */
static int add_number(struct span line, uint64_t *sum)
{
	uint64_t value;

	if (take_number(line, &value) < 0 || __builtin_add_overflow(*sum, value, sum))
		return -EINVAL;
	return 0;
}

/* A line inside a zone. Unknown keys come and go with kernels. */
static int take_zone_line(struct zoneinfo *zoneinfo, struct span key, struct span line)
{
	struct topology_node *node = zoneinfo->node;
	struct topology_zone *zone = zoneinfo->zone;
	static const char *const keys[] = {"min", "low", "high", "boost", "managed"};
	uint64_t *const values[] = {&zone->min, &zone->low, &zone->high, &zone->boost, &zone->managed};
	struct span word;

	if (span_is(key, "pages"))
		return text_word(&line, &word) && span_is(word, "free") ? take_number(line, &zone->free) : 0;
	if (span_is(key, "present"))
		return take_number(line, &zone->present) < 0 ? -EINVAL : add_number(line, &node->present);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (span_is(key, keys[i]))
			return take_number(line, values[i]);
	if (span_is(key, "protection:"))
		return take_protection(line, zone);
	if (span_is(key, "count:"))
		return add_number(line, &zone->pcp);
	if (span_is(key, "nr_inactive_file") || span_is(key, "nr_active_file"))
		return add_number(line, &node->file);
	if (span_is(key, "nr_slab_reclaimable"))
		return add_number(line, &node->slab_reclaimable);
	return 0;
}

static int take_line(struct zoneinfo *zoneinfo, struct span line)
{
	struct span key, id, word, name;

	if (!text_word(&line, &key))
		return 0;
	if (!span_is(key, "Node"))
		return zoneinfo->zone ? take_zone_line(zoneinfo, key, line) : 0;
	if (!text_word(&line, &id) || !text_word(&line, &word) || !span_is(word, "zone") ||
	    !text_word(&line, &name))
		return -EINVAL;
	return open_zone(zoneinfo, id, name);
}

/* Which zone types this kernel has, for texts that do not show all of them. Normal and Movable exist always;
 * those that a node shows exist; what is still missing to the number of protections is taken in the order in
 * which 64-bit kernels are likely to have them. */
static void guess_types(const struct topology *topology, size_t protections, bool has[TYPES])
{
	static const int likely[] = {TYPE_DMA32, TYPE_DMA, TYPE_DEVICE, TYPE_HIGHMEM};
	size_t known = 0;

	memset(has, 0, TYPES * sizeof(*has));
	has[TYPE_NORMAL] = has[TYPE_MOVABLE] = true;
	for (size_t i = 0; i < topology->nodes; i++) {
		for (size_t j = 0; j < topology->node[i].zones; j++) {
			int type = find_type(topology->node[i].zone[j].name);

			if (type >= 0)
				has[type] = true;
		}
	}
	for (size_t i = 0; i < TYPES; i++)
		known += has[i];
	for (size_t i = 0; i < ARRAY_SIZE(likely) && known < protections; i++) {
		known += !has[likely[i]];
		has[likely[i]] = true;
	}
}

static unsigned count_before(const bool has[TYPES], int type)
{
	unsigned index = 0;

	for (int i = 0; i < type; i++)
		index += has[i];
	return index;
}

/* protection[] (lowmem_reserve[MAX_NR_ZONES]) has one entry a zone type. Kernels since 4.12 print every zone
 * of a node, also empty ones: as many as there are protections, in the order of their index. Older ones print
 * populated zones only: there the index follows from the names. */
static void number_zones(struct topology *topology)
{
	bool has[TYPES], is_whole = true;
	size_t protections = 0;

	for (size_t i = 0; i < topology->nodes; i++) {
		const struct topology_node *node = &topology->node[i];

		protections = node->zones ? node->zone[0].protections : protections;
		is_whole &= node->zones == protections;
	}
	guess_types(topology, protections, has);
	topology->normal = count_before(has, TYPE_NORMAL);
	topology->movable = count_before(has, TYPE_MOVABLE);
	for (size_t i = 0; i < topology->nodes; i++) {
		for (size_t j = 0; j < topology->node[i].zones; j++) {
			struct topology_zone *zone = &topology->node[i].zone[j];
			int type = find_type(zone->name);

			zone->index = is_whole || type < 0 ? (unsigned)j : count_before(has, type);
			if (type == TYPE_NORMAL)
				topology->normal = zone->index;
			if (type == TYPE_MOVABLE)
				topology->movable = zone->index;
		}
	}
}

/* Hands the zones over. Nothing fails once the nodes are there. */
static int merge_zones(struct topology *from, struct topology *to)
{
	for (size_t i = 0; i < from->nodes; i++) {
		struct topology_node *node;
		int rc = add_node(to, from->node[i].id, &node);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < from->nodes; i++) {
		struct topology_node *source = &from->node[i];
		struct topology_node *node = topology_find(to, source->id);

		free(node->zone);
		node->zone = TAKE(source->zone);
		node->zones = source->zones;
		node->present = source->present;
		node->file = source->file;
		node->slab_reclaimable = source->slab_reclaimable;
	}
	to->normal = from->normal;
	to->movable = from->movable;
	return 0;
}

int topology_parse_zoneinfo(const char *text, struct topology *topology)
{
	AUTO(clear_zoneinfo) struct zoneinfo zoneinfo = {.node = NULL};
	struct span line;
	int rc;

	while (text_line(&text, &line)) {
		rc = take_line(&zoneinfo, line);
		if (rc < 0)
			return rc;
	}
	number_zones(&zoneinfo.topology);
	return merge_zones(&zoneinfo.topology, topology);
}

/* A file that this kernel, or this container, does not have. */
static bool is_missing(int rc)
{
	return rc == -ENOENT || rc == -EACCES || rc == -EPERM || rc == -ENODEV;
}

static int read_list(struct cgpol_host *host, const char *path, unsigned limit, struct nodeset *set,
		     struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, path, &text, NULL);

	if (rc < 0)
		return rc;
	rc = nodeset_parse(text, limit, set, err);
	if (rc < 0 && err) {
		err->kind = CGPOL_FAILED; /* not the user's list */
		error_detail(err, path, NULL, NULL);
	}
	return rc < 0 ? error_wrap(err, rc, "%s", path) : 0;
}

/* Kernels before 2.6.25 have no node/online: the directories tell. */
static int scan_nodes(struct cgpol_host *host, struct nodeset *online)
{
	char **names = NULL;
	size_t count = 0;
	int rc = root_list(host->root, NODE_DIR, &names, &count);

	if (rc < 0)
		return is_missing(rc) ? 0 : rc;
	for (size_t i = 0; rc >= 0 && i < count; i++) {
		uint64_t id;

		if (strncmp(names[i], "node", 4) == 0 && text_u64(names[i] + 4, &id) == 0 &&
		    id < NODESET_NODES_MAX)
			rc = nodeset_add(online, (unsigned)id);
	}
	root_list_free(names, count);
	return rc;
}

int topology_read_online(struct cgpol_host *host, struct nodeset *online, struct cgpol_error *err)
{
	int rc = read_list(host, NODE_DIR "/online", NODESET_NODES_MAX, online, err);

	if (is_missing(rc))
		rc = scan_nodes(host, online);
	if (rc < 0 || !nodeset_is_empty(online))
		return rc;
	return nodeset_add(online, 0); /* without CONFIG_NUMA the machine is one node */
}

int topology_read_possible(struct cgpol_host *host, struct nodeset *possible, struct cgpol_error *err)
{
	int rc = read_list(host, NODE_DIR "/possible", NODESET_NODES_MAX, possible, err);

	return is_missing(rc) ? 0 : rc;
}

static int add_online_nodes(const struct nodeset *online, struct topology *topology)
{
	for (int id = nodeset_next(online, 0); id >= 0; id = nodeset_next(online, id + 1)) {
		struct topology_node *node;
		int rc = add_node(topology, (unsigned)id, &node);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_zones(struct cgpol_host *host, struct topology *topology, struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(host->root, ZONEINFO, &text, NULL);

	if (is_missing(rc))
		return 0;
	if (rc == 0)
		rc = topology_parse_zoneinfo(text, topology);
	if (rc == -EINVAL) {
		error_set(err, EINVAL, CGPOL_FAILED, ZONEINFO " is malformed");
		error_detail(err, ZONEINFO, NULL, NULL);
	}
	return rc;
}

/* Is "Node 0 MemTotal:  8064400 kB" above 0? Not every node has the file. */
static bool has_meminfo(struct cgpol_host *host, unsigned id)
{
	static const char key[] = " MemTotal:";
	AUTO(free_p) char *text = NULL;
	char path[PATH_SIZE];
	const char *at;
	uint64_t kib;

	(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", id);
	if (root_read(host->root, path, &text, NULL) < 0)
		return false;
	at = strstr(text, key);
	return at && text_u64_head(at + sizeof(key) - 1, NULL, &kib) == 0 && kib > 0;
}

static bool has_zones(const struct topology *topology)
{
	for (size_t i = 0; i < topology->nodes; i++)
		if (topology->node[i].zones > 0)
			return true;
	return false;
}

/* Nodes with memory where no file lists them. */
static int derive_memory(struct cgpol_host *host, struct topology *topology, struct nodeset *memory,
			 struct cgpol_error *err)
{
	int rc = has_zones(topology) ? 0 : read_zones(host, topology, err);

	for (size_t i = 0; rc == 0 && i < topology->nodes; i++) {
		const struct topology_node *node = &topology->node[i];

		if (has_zones(topology) ? node->present > 0 : has_meminfo(host, node->id))
			rc = nodeset_add(memory, node->id);
	}
	if (rc == 0 && nodeset_is_empty(memory)) /* nothing tells: memory must be somewhere */
		rc = nodeset_copy(memory, &topology->online);
	return rc;
}

static int read_memory(struct cgpol_host *host, struct topology *topology, struct cgpol_error *err)
{
	static const char *const files[] = {NODE_DIR "/has_memory", NODE_DIR "/has_normal_memory"};
	AUTO(nodeset_clear_p) struct nodeset memory = {0, NULL};
	int rc = -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(files) && is_missing(rc); i++)
		rc = read_list(host, files[i], NODESET_NODES_MAX, &memory, err);
	if (is_missing(rc))
		rc = derive_memory(host, topology, &memory, err);
	return rc < 0 ? rc : nodeset_and(&topology->memory, &memory, &topology->online);
}

/* cpulist holds offline cpus too on some machines; old kernels have only the mask. `online` may be NULL. */
static int read_cpus(struct cgpol_host *host, const struct nodeset *online, bool is_only,
		     struct topology_node *node)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	AUTO(free_p) char *text = NULL;
	char path[PATH_SIZE];
	int rc;

	(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/cpulist", node->id);
	rc = read_list(host, path, NODESET_CPUS_MAX, &cpus, NULL);
	if (is_missing(rc)) {
		(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/cpumap", node->id);
		rc = root_read(host->root, path, &text, NULL);
		if (rc == 0)
			rc = nodeset_parse_mask(text, NODESET_CPUS_MAX, &cpus, NULL);
	}
	if (is_missing(rc) && is_only && online) /* a kernel without CONFIG_NUMA: all are the one node's */
		return nodeset_copy(&node->cpus, online);
	if (rc == -ENOMEM)
		return rc;
	/* What cannot be read or understood is no cpu that could be used. */
	return online ? nodeset_and(&node->cpus, &cpus, online) : nodeset_copy(&node->cpus, &cpus);
}

/* The columns are the online nodes in ascending order (drivers/base/node.c node_read_distance): one for each,
 * or the file says nothing that can be trusted. */
static int read_distance(struct cgpol_host *host, struct topology_node *node, size_t nodes)
{
	AUTO(free_p) unsigned *distance = NULL;
	AUTO(free_p) char *text = NULL;
	char path[PATH_SIZE];
	struct span rest, word;
	size_t found = 0;

	(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/distance", node->id);
	if (root_read(host->root, path, &text, NULL) < 0)
		return 0;
	distance = calloc(nodes, sizeof(*distance));
	if (!distance)
		return -ENOMEM;
	node->is_distance_bad = true;
	rest = (struct span){text, strcspn(text, "\n")};
	for (; text_word(&rest, &word); found++) {
		uint64_t value;

		if (found == nodes || span_u64(word, &value) < 0 || value > UINT_MAX)
			return 0;
		distance[found] = (unsigned)value;
	}
	if (found != nodes)
		return 0;
	node->is_distance_bad = false;
	node->distance = TAKE(distance);
	node->distances = nodes;
	return 0;
}

static int read_nodes(struct cgpol_host *host, struct topology *topology)
{
	AUTO(nodeset_clear_p) struct nodeset online = {0, NULL};
	bool has_online = read_list(host, CPU_ONLINE, NODESET_CPUS_MAX, &online, NULL) == 0;

	for (size_t i = 0; i < topology->nodes; i++) {
		struct topology_node *node = &topology->node[i];
		int rc = read_cpus(host, has_online ? &online : NULL, topology->nodes == 1, node);

		if (rc == 0)
			rc = read_distance(host, node, topology->nodes);
		if (rc == 0 && !nodeset_is_empty(&node->cpus))
			rc = nodeset_add(&topology->cpu, node->id);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_online_nodes(struct cgpol_host *host, struct topology *topology, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset online = {0, NULL};
	int rc = topology_read_online(host, &online, err);

	return rc < 0 ? rc : add_online_nodes(&online, topology);
}

static int explain(int rc, struct cgpol_error *err)
{
	if (err && err->code == 0)
		error_set(err, -rc, CGPOL_FAILED, "the nodes of this machine cannot be read: %s",
			  strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown error");
	return rc;
}

int topology_read(struct cgpol_host *host, struct topology *topology, struct cgpol_error *err)
{
	AUTO(topology_clear) struct topology made = {.node = NULL};
	int rc = read_online_nodes(host, &made, err);

	if (rc == 0)
		rc = read_zones(host, &made, err);
	if (rc == 0)
		rc = read_memory(host, &made, err);
	if (rc == 0)
		rc = read_nodes(host, &made);
	if (rc < 0)
		return explain(rc, err);
	*topology = made;
	memset(&made, 0, sizeof(made));
	return 0;
}

int topology_read_memory(struct cgpol_host *host, struct nodeset *memory, struct cgpol_error *err)
{
	AUTO(topology_clear) struct topology made = {.node = NULL};
	int rc = read_online_nodes(host, &made, err);

	if (rc == 0)
		rc = read_memory(host, &made, err);
	if (rc == 0)
		rc = nodeset_copy(memory, &made.memory);
	return rc < 0 ? explain(rc, err) : 0;
}
