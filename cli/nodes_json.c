/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes and their memory as the document of nodes.schema.json. */
#include "nodes.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"

static const char *const field_keys[NODEMEM_FIELDS] = {
	[NODEMEM_TOTAL] = "total",
	[NODEMEM_FREE] = "free",
	[NODEMEM_USED] = "used",
	[NODEMEM_SWAP_CACHED] = "swap_cached",
	[NODEMEM_ACTIVE] = "active",
	[NODEMEM_INACTIVE] = "inactive",
	[NODEMEM_ACTIVE_ANON] = "active_anon",
	[NODEMEM_INACTIVE_ANON] = "inactive_anon",
	[NODEMEM_ACTIVE_FILE] = "active_file",
	[NODEMEM_INACTIVE_FILE] = "inactive_file",
	[NODEMEM_UNEVICTABLE] = "unevictable",
	[NODEMEM_MLOCKED] = "mlocked",
	[NODEMEM_DIRTY] = "dirty",
	[NODEMEM_WRITEBACK] = "writeback",
	[NODEMEM_FILE] = "file",
	[NODEMEM_MAPPED] = "mapped",
	[NODEMEM_ANON] = "anon",
	[NODEMEM_SHMEM] = "shmem",
	[NODEMEM_KERNEL_STACK] = "kernel_stack",
	[NODEMEM_PAGE_TABLES] = "page_tables",
	[NODEMEM_KERNEL_RECLAIMABLE] = "kernel_reclaimable",
	[NODEMEM_SLAB] = "slab",
	[NODEMEM_SLAB_RECLAIMABLE] = "slab_reclaimable",
	[NODEMEM_SLAB_UNRECLAIMABLE] = "slab_unreclaimable",
	[NODEMEM_ANON_HUGE] = "anon_thp",
	[NODEMEM_SHMEM_HUGE] = "shmem_thp",
	[NODEMEM_FILE_HUGE] = "file_thp",
};

static const char *const speed_keys[NODEMEM_SPEEDS] = {
	[NODEMEM_READ_BANDWIDTH] = "read_bandwidth_mb_s",
	[NODEMEM_WRITE_BANDWIDTH] = "write_bandwidth_mb_s",
	[NODEMEM_READ_LATENCY] = "read_latency_ns",
	[NODEMEM_WRITE_LATENCY] = "write_latency_ns",
};

static void put_number(struct json *json, const char *key, uint64_t number)
{
	if (number == NODEMEM_ABSENT)
		json_put_null(json, key);
	else
		json_put_u64(json, key, number);
}

static void put_set(struct json *json, const char *key, const struct nodeset *set)
{
	AUTO(free_p) char *text = nodeset_format(set);

	json_put_text(json, key, text);
}

static void put_distances(struct json *json, const struct topology *topology,
			  const struct topology_node *node)
{
	if (!node || !node->distance) {
		json_put_null(json, "distances");
		return;
	}
	json_open_object(json, "distances");
	for (size_t i = 0; i < node->distances; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "%u", topology->node[i].id);
		json_put_u64(json, id, node->distance[i]);
	}
	json_close(json);
}

static void put_huge(struct json *json, const struct nodemem_node *node)
{
	put_number(json, "huge", nodemem_huge_bytes(node, false));
	put_number(json, "huge_free", nodemem_huge_bytes(node, true));
	if (!node->has_huge) {
		json_put_null(json, "hugepages");
		return;
	}
	json_open_object(json, "hugepages");
	for (size_t i = 0; i < node->huges; i++) {
		char size[24];

		(void)snprintf(size, sizeof(size), "%" PRIu64, node->huge[i].size);
		json_open_object(json, size);
		put_number(json, "total", node->huge[i].total);
		put_number(json, "free", node->huge[i].free);
		put_number(json, "surplus", node->huge[i].surplus);
		json_close(json);
	}
	json_close(json);
}

static void put_watermarks(struct json *json, const struct nodemem_node *node)
{
	if (node->min == NODEMEM_ABSENT) {
		json_put_null(json, "watermarks");
		return;
	}
	json_open_object(json, "watermarks");
	put_number(json, "min", node->min);
	put_number(json, "low", node->low);
	put_number(json, "high", node->high);
	json_close(json);
}

static void put_speed(struct json *json, const struct nodemem_node *node)
{
	if (node->speed[0] == NODEMEM_ABSENT) {
		json_put_null(json, "access");
		return;
	}
	json_open_object(json, "access");
	for (size_t i = 0; i < NODEMEM_SPEEDS; i++)
		put_number(json, speed_keys[i], node->speed[i]);
	json_close(json);
}

static void put_memory(struct json *json, const struct nodemem_node *node)
{
	for (size_t i = 0; i < NODEMEM_FIELDS; i++)
		put_number(json, field_keys[i], node->field[i]);
	put_number(json, "available", node->available);
	put_huge(json, node);
	put_watermarks(json, node);
	put_number(json, "tier", node->tier < 0 ? NODEMEM_ABSENT : (uint64_t)node->tier);
	put_speed(json, node);
	json_open_object(json, "other");
	for (size_t i = 0; i < node->others; i++)
		json_put_u64(json, node->other[i].name, node->other[i].value);
	json_close(json);
}

static void put_node(struct json *json, const struct nodes_view *view, unsigned id)
{
	static const struct nodeset none = {0, NULL};
	const struct topology *topology = &view->nodemem.topology;
	const struct topology_node *topology_node = topology_find(topology, id);
	const struct nodemem_node *node = nodes_find(view, id);
	struct nodemem_node absent;

	nodemem_init(&absent);
	json_open_object(json, NULL);
	json_put_u64(json, "node", id);
	json_put_bool(json, "online", node);
	json_put_bool(json, "has_cpu", nodeset_has(&topology->cpu, id));
	json_put_bool(json, "has_memory", nodeset_has(&topology->memory, id));
	put_set(json, "cpus", topology_node ? &topology_node->cpus : &none);
	put_distances(json, topology, topology_node);
	put_memory(json, node ? node : &absent);
	json_close(json);
}

int nodes_print_json(struct cli *cli, const struct nodes_view *view)
{
	AUTO(json_free_p) struct json *json = json_new();
	const struct nodemem *nodemem = &view->nodemem;

	if (!json)
		return -ENOMEM;
	json_open_array(json, "nodes");
	for (int id = nodeset_next(&view->shown, 0); id >= 0; id = nodeset_next(&view->shown, id + 1))
		put_node(json, view, (unsigned)id);
	json_close(json);
	put_set(json, "online", &nodemem->topology.online);
	put_set(json, "possible", &nodemem->possible);
	put_set(json, "has_cpu", &nodemem->topology.cpu);
	put_set(json, "has_memory", &nodemem->topology.memory);
	json_put_bool(json, "complete", nodemem->troubles == 0);
	return cli_print_json(cli, json);
}
