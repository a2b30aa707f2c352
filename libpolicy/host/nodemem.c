/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The memory of each node in detail: meminfo, huge pages by size, watermarks, tier. */
#include "host/nodemem.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#define NODE_DIR "/sys/devices/system/node"
#define HUGE_DIR "/sys/kernel/mm/hugepages"
#define TIER_DIR "/sys/devices/virtual/memory_tiering"
#define MEMINFO "/proc/meminfo"

enum {
	PATH_SIZE = 160,
	OTHERS_MAX = 256, /* names: a kernel has some forty lines */
	HUGES_MAX = 64,	  /* the kernel's HUGE_MAX_HSTATE is below ten */
	ROUNDS_MAX = 3,	  /* readings before a changing machine is shown as it is */
};

static const char *const field_names[NODEMEM_FIELDS] = {
	[NODEMEM_TOTAL] = "MemTotal",
	[NODEMEM_FREE] = "MemFree",
	[NODEMEM_USED] = "MemUsed",
	[NODEMEM_SWAP_CACHED] = "SwapCached",
	[NODEMEM_ACTIVE] = "Active",
	[NODEMEM_INACTIVE] = "Inactive",
	[NODEMEM_ACTIVE_ANON] = "Active(anon)",
	[NODEMEM_INACTIVE_ANON] = "Inactive(anon)",
	[NODEMEM_ACTIVE_FILE] = "Active(file)",
	[NODEMEM_INACTIVE_FILE] = "Inactive(file)",
	[NODEMEM_UNEVICTABLE] = "Unevictable",
	[NODEMEM_MLOCKED] = "Mlocked",
	[NODEMEM_DIRTY] = "Dirty",
	[NODEMEM_WRITEBACK] = "Writeback",
	[NODEMEM_FILE] = "FilePages",
	[NODEMEM_MAPPED] = "Mapped",
	[NODEMEM_ANON] = "AnonPages",
	[NODEMEM_SHMEM] = "Shmem",
	[NODEMEM_KERNEL_STACK] = "KernelStack",
	[NODEMEM_PAGE_TABLES] = "PageTables",
	[NODEMEM_KERNEL_RECLAIMABLE] = "KReclaimable",
	[NODEMEM_SLAB] = "Slab",
	[NODEMEM_SLAB_RECLAIMABLE] = "SReclaimable",
	[NODEMEM_SLAB_UNRECLAIMABLE] = "SUnreclaim",
	[NODEMEM_ANON_HUGE] = "AnonHugePages",
	[NODEMEM_SHMEM_HUGE] = "ShmemHugePages",
	[NODEMEM_FILE_HUGE] = "FileHugePages",
};

void nodemem_init(struct nodemem_node *node)
{
	*node = (struct nodemem_node){.available = NODEMEM_ABSENT,
				      .min = NODEMEM_ABSENT,
				      .low = NODEMEM_ABSENT,
				      .high = NODEMEM_ABSENT,
				      .tier = -1};
	for (size_t i = 0; i < NODEMEM_FIELDS; i++)
		node->field[i] = NODEMEM_ABSENT;
	for (size_t i = 0; i < NODEMEM_SPEEDS; i++)
		node->speed[i] = NODEMEM_ABSENT;
}

void nodemem_clear_node(struct nodemem_node *node)
{
	free(node->other);
	free(node->huge);
	nodemem_init(node);
}

void nodemem_clear(struct nodemem *nodemem)
{
	for (size_t i = 0; i < nodemem->nodes; i++)
		nodemem_clear_node(&nodemem->node[i]);
	for (size_t i = 0; i < nodemem->troubles; i++)
		free(nodemem->trouble[i].path);
	free(nodemem->node);
	free(nodemem->trouble);
	topology_clear(&nodemem->topology);
	nodeset_clear(&nodemem->possible);
	memset(nodemem, 0, sizeof(*nodemem));
}

/* ---- meminfo ---- */

static bool is_visible(struct span name)
{
	for (size_t i = 0; i < name.size; i++)
		if (name.at[i] <= ' ' || name.at[i] > '~')
			return false;
	return name.size > 0;
}

/* Keeps a line of a name that is not known; the first one of a name. False when it cannot be a name. */
static int add_other(struct nodemem_node *node, struct span name, uint64_t value)
{
	struct nodemem_other *other;

	if (!is_visible(name) || name.size >= sizeof(other->name) || node->others == OTHERS_MAX)
		return -EINVAL;
	for (size_t i = 0; i < node->others; i++)
		if (span_is(name, node->other[i].name))
			return 0;
	other = reallocarray(node->other, node->others + 1, sizeof(*other));
	if (!other)
		return -ENOMEM;
	node->other = other;
	other += node->others++;
	*other = (struct nodemem_other){.value = value};
	memcpy(other->name, name.at, name.size);
	return 0;
}

/* "Name:  8064400 kB", "Name:  4". */
static int take_field(struct nodemem_node *node, struct span name, struct span line)
{
	struct span number, unit;
	uint64_t value;

	if (name.size < 2 || name.at[name.size - 1] != ':' || !text_word(&line, &number) ||
	    span_u64(number, &value) < 0)
		return -EINVAL;
	name.size--;
	if (text_word(&line, &unit) &&
	    (!span_is(unit, "kB") || __builtin_mul_overflow(value, 1024, &value) || text_word(&line, &unit)))
		return -EINVAL;
	if (value == NODEMEM_ABSENT)
		return -EINVAL;
	if (span_starts(name, "HugePages_"))
		return 0;
	for (size_t i = 0; i < NODEMEM_FIELDS; i++) {
		if (span_is(name, field_names[i])) {
			node->field[i] = value;
			return 0;
		}
	}
	return add_other(node, name, value);
}

int nodemem_parse(const char *text, struct nodemem_node *node, size_t *odd)
{
	struct span line, word;

	*odd = 0;
	while (text_line(&text, &line)) {
		uint64_t id;
		int rc = 0;

		if (!text_word(&line, &word)) /* old kernels begin with an empty line */
			continue;
		if (span_is(word, "Node") &&
		    (!text_word(&line, &word) || span_u64(word, &id) < 0 || !text_word(&line, &word)))
			rc = -EINVAL;
		if (rc == 0)
			rc = take_field(node, word, line);
		if (rc == -ENOMEM)
			return rc;
		*odd += rc < 0;
	}
	return 0;
}

/* ---- figures that follow from others ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return a == NODEMEM_ABSENT || b == NODEMEM_ABSENT || __builtin_add_overflow(a, b, &sum)
		       ? NODEMEM_ABSENT
		       : sum;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return a == NODEMEM_ABSENT || __builtin_mul_overflow(a, b, &product) ? NODEMEM_ABSENT : product;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t nodemem_reserve(const struct topology_node *zones)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < zones->zones; i++) {
		const struct topology_zone *zone = &zones->zone[i];
		uint64_t most = 0, kept;

		for (unsigned j = zone->index; j < zone->protections; j++)
			most = zone->protection[j] > most ? zone->protection[j] : most;
		/* The kernel takes its sum when it sets the watermarks, which ends any boost. */
		kept = add(most, less(zone->high, zone->boost));
		sum = add(sum, kept > zone->managed ? zone->managed : kept);
	}
	return sum;
}

static uint64_t sum_low(const struct topology_node *zones)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < zones->zones; i++)
		sum = add(sum, zones->zone[i].low);
	return sum;
}

/* What of a stock the kernel expects to get, in pages. */
static uint64_t reclaim(uint64_t stock, uint64_t low)
{
	return stock - (stock / 2 < low ? stock / 2 : low);
}

uint64_t nodemem_available(const struct nodemem_node *node, const struct topology_node *zones,
			   uint64_t page_size)
{
	uint64_t cache = add(node->field[NODEMEM_ACTIVE_FILE], node->field[NODEMEM_INACTIVE_FILE]);
	uint64_t slab = node->field[NODEMEM_KERNEL_RECLAIMABLE], low = sum_low(zones), sum;

	if (slab == NODEMEM_ABSENT)
		slab = node->field[NODEMEM_SLAB_RECLAIMABLE];
	if (zones->zones == 0 || cache == NODEMEM_ABSENT || slab == NODEMEM_ABSENT ||
	    node->field[NODEMEM_FREE] == NODEMEM_ABSENT)
		return NODEMEM_ABSENT;
	sum = add(node->field[NODEMEM_FREE] / page_size,
		  add(reclaim(cache / page_size, low), reclaim(slab / page_size, low)));
	return sum == NODEMEM_ABSENT ? sum : multiply(less(sum, nodemem_reserve(zones)), page_size);
}

static void set_watermarks(struct nodemem_node *node, const struct topology_node *zones, uint64_t page_size)
{
	if (zones->zones == 0)
		return;
	node->min = node->low = node->high = 0;
	for (size_t i = 0; i < zones->zones; i++) {
		node->min = add(node->min, multiply(zones->zone[i].min, page_size));
		node->low = add(node->low, multiply(zones->zone[i].low, page_size));
		node->high = add(node->high, multiply(zones->zone[i].high, page_size));
	}
}

uint64_t nodemem_huge_bytes(const struct nodemem_node *node, bool only_free)
{
	uint64_t sum = node->has_huge ? 0 : NODEMEM_ABSENT;

	for (size_t i = 0; i < node->huges; i++) {
		const struct nodemem_huge *huge = &node->huge[i];

		sum = add(sum, multiply(only_free ? huge->free : huge->total, huge->size));
	}
	return sum;
}

/* ---- reading ---- */

/* What this kernel does not have, or what went away with its node. */
static bool is_gone(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR;
}

/* Notes what else is wrong with a file. 0, or -ENOMEM: also that of the reading. */
static int note(struct nodemem *nodemem, const char *path, int rc)
{
	struct nodemem_trouble *trouble;

	if (rc >= 0 || is_gone(rc))
		return 0;
	if (rc == -ENOMEM)
		return rc;
	trouble = reallocarray(nodemem->trouble, nodemem->troubles + 1, sizeof(*trouble));
	if (!trouble)
		return -ENOMEM;
	nodemem->trouble = trouble;
	trouble += nodemem->troubles;
	*trouble = (struct nodemem_trouble){strdup(path), -rc};
	if (!trouble->path)
		return -ENOMEM;
	nodemem->troubles++;
	return 0;
}

/* A file of one number; it stays absent where it cannot be had. */
static int read_number(struct cgpol_host *host, struct nodemem *nodemem, const char *path, uint64_t *value)
{
	uint64_t number = NODEMEM_ABSENT;
	int rc = root_read_u64(host->root, path, &number);

	*value = rc < 0 ? NODEMEM_ABSENT : number;
	return note(nodemem, path, rc);
}

static int take_meminfo(struct nodemem *nodemem, const char *path, const char *text,
			struct nodemem_node *node)
{
	size_t odd = 0;
	int rc = nodemem_parse(text, node, &odd);

	return rc < 0 ? rc : note(nodemem, path, odd ? -EINVAL : 0);
}

static uint64_t take_other(const struct nodemem_node *node, const char *name)
{
	for (size_t i = 0; i < node->others; i++)
		if (strcmp(node->other[i].name, name) == 0)
			return node->other[i].value;
	return NODEMEM_ABSENT;
}

/* The machine's own file has other names for two figures, and the kernel's answer for a third: Cached is
 * NR_FILE_PAGES without the swap cache and Buffers (fs/proc/meminfo.c). */
static void translate_meminfo(struct nodemem_node *node)
{
	uint64_t cached = add(take_other(node, "Cached"), take_other(node, "Buffers"));

	node->field[NODEMEM_FILE] = add(cached, node->field[NODEMEM_SWAP_CACHED]);
	if (node->field[NODEMEM_TOTAL] != NODEMEM_ABSENT && node->field[NODEMEM_FREE] != NODEMEM_ABSENT)
		node->field[NODEMEM_USED] = less(node->field[NODEMEM_TOTAL], node->field[NODEMEM_FREE]);
	node->available = take_other(node, "MemAvailable");
}

/* The only node of a machine has what the machine has. */
static int read_meminfo(struct cgpol_host *host, struct nodemem *nodemem, struct nodemem_node *node)
{
	AUTO(free_p) char *text = NULL;
	char path[PATH_SIZE];
	int rc;

	(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/meminfo", node->id);
	rc = root_read(host->root, path, &text, NULL);
	if (rc == 0)
		return take_meminfo(nodemem, path, text, node);
	if (!is_gone(rc) || nodemem->topology.nodes > 1)
		return note(nodemem, path, rc);
	rc = root_read(host->root, MEMINFO, &text, NULL);
	if (rc == 0)
		rc = take_meminfo(nodemem, MEMINFO, text, node);
	else
		return note(nodemem, MEMINFO, rc);
	if (rc == 0)
		translate_meminfo(node);
	return rc;
}

/* "hugepages-2048kB" in bytes; 0 when it is none. */
static uint64_t parse_size(const char *name)
{
	static const char prefix[] = "hugepages-";
	const char *end;
	uint64_t size;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    text_u64_head(name + sizeof(prefix) - 1, &end, &size) < 0 || strcmp(end, "kB") != 0 ||
	    __builtin_mul_overflow(size, 1024, &size))
		return 0;
	return size;
}

static int read_size(struct cgpol_host *host, struct nodemem *nodemem, const char *dir, const char *name,
		     struct nodemem_huge *huge)
{
	static const char *const files[] = {"nr_hugepages", "free_hugepages", "surplus_hugepages"};
	uint64_t *const values[] = {&huge->total, &huge->free, &huge->surplus};
	char path[PATH_SIZE];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < ARRAY_SIZE(files); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s/%s", dir, name, files[i]);
		rc = read_number(host, nodemem, path, values[i]);
	}
	return rc;
}

static int compare_sizes(const void *a, const void *b)
{
	const struct nodemem_huge *left = a, *right = b;

	return left->size < right->size ? -1 : left->size > right->size;
}

static int read_sizes(struct cgpol_host *host, struct nodemem *nodemem, const char *dir,
		      struct nodemem_node *node)
{
	char **names = NULL;
	size_t count = 0;
	int rc = root_list(host->root, dir, &names, &count);

	if (rc < 0)
		return rc;
	node->has_huge = true;
	node->huge = count ? calloc(count < HUGES_MAX ? count : HUGES_MAX, sizeof(*node->huge)) : NULL;
	if (count && !node->huge)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < count && node->huges < HUGES_MAX; i++) {
		struct nodemem_huge *huge = &node->huge[node->huges];

		huge->size = parse_size(names[i]);
		if (huge->size == 0)
			continue;
		rc = read_size(host, nodemem, dir, names[i], huge);
		node->huges++;
	}
	root_list_free(names, count);
	if (node->huge)
		qsort(node->huge, node->huges, sizeof(*node->huge), compare_sizes);
	return rc;
}

/* A kernel without node/ has the sizes of the whole machine elsewhere. */
static int read_huge(struct cgpol_host *host, struct nodemem *nodemem, struct nodemem_node *node)
{
	char path[PATH_SIZE];
	int rc;

	(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/hugepages", node->id);
	rc = read_sizes(host, nodemem, path, node);
	if (!is_gone(rc) || nodemem->topology.nodes > 1)
		return note(nodemem, path, rc);
	return note(nodemem, HUGE_DIR, read_sizes(host, nodemem, HUGE_DIR, node));
}

static int read_speed(struct cgpol_host *host, struct nodemem *nodemem, struct nodemem_node *node)
{
	static const char *const files[NODEMEM_SPEEDS] = {
		[NODEMEM_READ_BANDWIDTH] = "read_bandwidth",
		[NODEMEM_WRITE_BANDWIDTH] = "write_bandwidth",
		[NODEMEM_READ_LATENCY] = "read_latency",
		[NODEMEM_WRITE_LATENCY] = "write_latency",
	};
	char path[PATH_SIZE];
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < NODEMEM_SPEEDS; i++) {
		(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/access0/initiators/%s", node->id,
			       files[i]);
		rc = read_number(host, nodemem, path, &node->speed[i]);
		if (node->speed[i] == NODEMEM_ABSENT) /* no table of the firmware: none of the four */
			break;
	}
	return rc;
}

static void set_tier(struct nodemem *nodemem, const struct nodeset *nodes, int tier)
{
	for (size_t i = 0; i < nodemem->nodes; i++)
		if (nodeset_has(nodes, nodemem->node[i].id))
			nodemem->node[i].tier = tier;
}

static int read_tier(struct cgpol_host *host, struct nodemem *nodemem, const char *name)
{
	static const char prefix[] = "memory_tier";
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	AUTO(free_p) char *text = NULL;
	char path[PATH_SIZE];
	uint64_t tier;
	int rc;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    text_u64(name + sizeof(prefix) - 1, &tier) < 0 || tier > INT_MAX)
		return 0;
	(void)snprintf(path, sizeof(path), TIER_DIR "/memory_tier%" PRIu64 "/nodelist", tier);
	rc = root_read(host->root, path, &text, NULL);
	if (rc == 0)
		rc = nodeset_parse(text, NODESET_NODES_MAX, &nodes, NULL);
	if (rc == 0)
		set_tier(nodemem, &nodes, (int)tier);
	return note(nodemem, path, rc);
}

static int read_tiers(struct cgpol_host *host, struct nodemem *nodemem)
{
	char **names = NULL;
	size_t count = 0;
	int rc = root_list(host->root, TIER_DIR, &names, &count);

	if (rc < 0)
		return note(nodemem, TIER_DIR, rc);
	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = read_tier(host, nodemem, names[i]);
	root_list_free(names, count);
	return rc;
}

static int read_node(struct cgpol_host *host, struct nodemem *nodemem, size_t at)
{
	const struct topology_node *zones = &nodemem->topology.node[at];
	struct nodemem_node *node = &nodemem->node[at];
	uint64_t page_size = host->root->facts.page_size;
	char path[PATH_SIZE];
	int rc;

	if (zones->is_distance_bad) {
		(void)snprintf(path, sizeof(path), NODE_DIR "/node%u/distance", node->id);
		rc = note(nodemem, path, -EINVAL);
		if (rc < 0)
			return rc;
	}
	rc = read_meminfo(host, nodemem, node);
	if (rc == 0)
		rc = read_huge(host, nodemem, node);
	if (rc == 0)
		rc = read_speed(host, nodemem, node);
	if (rc < 0)
		return rc;
	set_watermarks(node, zones, page_size);
	if (node->available == NODEMEM_ABSENT)
		node->available = nodemem_available(node, zones, page_size);
	return 0;
}

static int read_possible(struct cgpol_host *host, struct nodemem *nodemem)
{
	int rc = topology_read_possible(host, &nodemem->possible, NULL);

	if (rc < 0 && note(nodemem, NODE_DIR "/possible", rc) < 0)
		return -ENOMEM;
	return nodeset_merge(&nodemem->possible, &nodemem->topology.online);
}

static int read_once(struct cgpol_host *host, struct nodemem *nodemem, struct cgpol_error *err)
{
	int rc = topology_read(host, &nodemem->topology, err);

	if (rc == 0)
		rc = read_possible(host, nodemem);
	if (rc < 0)
		return rc;
	nodemem->node = calloc(nodemem->topology.nodes + 1, sizeof(*nodemem->node));
	if (!nodemem->node)
		return -ENOMEM;
	nodemem->nodes = nodemem->topology.nodes;
	for (size_t i = 0; i < nodemem->nodes; i++) {
		nodemem_init(&nodemem->node[i]);
		nodemem->node[i].id = nodemem->topology.node[i].id;
	}
	for (size_t i = 0; rc == 0 && i < nodemem->nodes; i++)
		rc = read_node(host, nodemem, i);
	return rc < 0 ? rc : read_tiers(host, nodemem);
}

/* Nodes come and go with memory hotplug: files of one that went away are missing, and a new one adds a column
 * to the distances of the others. */
static bool is_steady(struct cgpol_host *host, const struct nodemem *nodemem)
{
	AUTO(nodeset_clear_p) struct nodeset online = {0, NULL};

	return topology_read_online(host, &online, NULL) < 0 ||
	       nodeset_is_equal(&online, &nodemem->topology.online);
}

int nodemem_read(struct cgpol_host *host, struct nodemem *nodemem, struct cgpol_error *err)
{
	AUTO(nodemem_clear) struct nodemem made = {.nodes = 0};

	for (int round = 0; round < ROUNDS_MAX; round++) {
		int rc;

		nodemem_clear(&made);
		rc = read_once(host, &made, err);
		if (rc < 0)
			return rc;
		if (is_steady(host, &made))
			break;
	}
	*nodemem = made;
	memset(&made, 0, sizeof(made));
	return 0;
}
