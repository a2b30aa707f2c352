/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes, zones and distances: of real machines (tests/roots/topology) and of texts that lie. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/topology.h"

#define NODES "/sys/devices/system/node"

static void close_host(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static void assert_set(const struct nodeset *set, const char *expected)
{
	AUTO(free_p) char *text = nodeset_format(set);

	assert_string_equal(text, expected);
}

static void read_capture(const char *name, struct topology *topology)
{
	AUTO(close_host) struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};
	char path[256];

	(void)snprintf(path, sizeof(path), TESTS_DIR "/roots/topology/%s", name);
	if (host_open(path, NULL, &host, &err) < 0)
		fail_msg("%s", err.text);
	if (topology_read(host, topology, &err) < 0)
		fail_msg("%s", err.text);
}

static void keeps_the_numbers_of_nodes_with_gaps(void **state)
{
	static const unsigned ids[] = {0, 8, 250, 251, 252, 253, 254, 255};
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("power9-0-8-250-255", &topology);
	assert_set(&topology.online, "0,8,250-255");
	assert_set(&topology.memory, "0,8,250-255");
	assert_set(&topology.cpu, "0,8");
	assert_int_equal(topology.nodes, ARRAY_SIZE(ids));
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		assert_int_equal(topology.node[i].id, ids[i]);
		assert_ptr_equal(topology_find(&topology, ids[i]), &topology.node[i]);
	}
	assert_null(topology_find(&topology, 1));
	assert_null(topology_find(&topology, 256));
}

/* Column 2 of a distance file there is node 250, not node 2. */
static void takes_distances_by_column(void **state)
{
	AUTO(topology_clear) struct topology topology = {0}, tiers = {0};
	const struct topology_node *node;

	(void)state;
	read_capture("power9-0-8-250-255", &topology);
	node = topology_find(&topology, 250);
	assert_int_equal(node->distances, 8);
	assert_int_equal(node->distance[0], 80);
	assert_int_equal(node->distance[2], 10);
	read_capture("holes-cpuless-tiers", &tiers);
	node = topology_find(&tiers, 9);
	assert_int_equal(node->distances, 7);
	assert_int_equal(node->distance[6], 10);
}

/* node0/cpulist says 0-87, of which cpu/online has 0-15; node8 88-175, 88-103. */
static void knows_only_cpus_that_are_online(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("power9-0-8-250-255", &topology);
	assert_set(&topology_find(&topology, 0)->cpus, "0-15");
	assert_set(&topology_find(&topology, 8)->cpus, "88-103");
	assert_set(&topology_find(&topology, 252)->cpus, "");
}

/* has_memory says 0-1, but only node 1 is online; its distance file has a column too many. */
static void lives_without_node_0(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("node0-offline", &topology);
	assert_set(&topology.online, "1");
	assert_set(&topology.memory, "1");
	assert_int_equal(topology.nodes, 1);
	assert_set(&topology.node[0].cpus, "5,7,9,11,13,15,17,19");
	assert_null(topology.node[0].distance);
	assert_int_equal(topology.node[0].distances, 0);
}

static void tells_memory_and_cpus_apart(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("memless-and-cpuless-nodes", &topology);
	assert_set(&topology.online, "0-10");
	assert_set(&topology.memory, "5-10");
	assert_set(&topology.cpu, "0-3");
	assert_set(&topology_find(&topology, 1)->cpus, "2-3"); /* from the mask 0000,00000000,0000000c */
	assert_set(&topology_find(&topology, 4)->cpus, "");
	assert_int_equal(topology_find(&topology, 0)->distance[5], 11);
}

static void scans_directories_of_old_kernels(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("old-ia64-64nodes-few-files", &topology);
	assert_set(&topology.online, "0-63");
	assert_set(&topology.memory, "0-63"); /* by MemTotal of each node's meminfo */
	assert_set(&topology_find(&topology, 1)->cpus, "4-7");
	assert_set(&topology_find(&topology, 63)->cpus, "252-255");
	assert_int_equal(topology_find(&topology, 63)->distance[63], 10);
}

static void reads_the_simplest_machine(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	read_capture("gb10-new-meminfo-fields", &topology);
	assert_set(&topology.online, "0");
	assert_set(&topology.memory, "0");
	assert_set(&topology.node[0].cpus, "0-19");
}

/* Debian 6.12 with five nodes of which node 2 has no memory; shortened by keys that are not read. */
static const char zoneinfo[] =
	"Node 0, zone      DMA\n  per-node stats\n      nr_inactive_anon 3\n      nr_inactive_file 7\n"
	"      nr_active_file 5\n      nr_slab_reclaimable 17\n      nr_slab_unreclaimable 685\n"
	"  pages free     3808\n        boost    0\n        min      190\n        low      237\n"
	"        high     284\n        spanned  4095\n        present  3998\n        managed  3840\n"
	"        cma      0\n        protection: (0, 235, 235, 235, 235)\n      nr_free_pages 3808\n"
	"      nr_zone_inactive_file 1000\n      nr_zone_active_file 1000\n"
	"  pagesets\n    cpu: 0\n              count: 0\n              high:  0\n              batch: 1\n"
	"  vm stats threshold: 6\n  node_unreclaimable:  0\n  start_pfn:           1\n"
	"Node 0, zone    DMA32\n  pages free     55618\n        min      2993\n        high     4489\n"
	"        present  61440\n        managed  60304\n        protection: (0, 0, 0, 0, 0)\n"
	"  pagesets\n    cpu: 0\n              count:    157\n              high:     3741\n"
	"              batch:    15\n              high_min: 3741\n              high_max: 7538\n"
	"    cpu: 1\n              count:    95\n              high:     3741\n"
	"Node 0, zone   Normal\n  pages free     0\n        min      0\n        present  0\n"
	"        managed  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 0, zone  Movable\n  pages free     0\n        min      32\n        present  0\n"
	"        managed  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 0, zone   Device\n  pages free     0\n        min      0\n        present  0\n"
	"        managed  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 2, zone      DMA\n  pages free     0\n        present  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 2, zone    DMA32\n  pages free     0\n        present  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 2, zone   Normal\n  pages free     0\n        present  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 2, zone  Movable\n  pages free     0\n        present  0\n        protection: (0, 0, 0, 0, 0)\n"
	"Node 2, zone   Device\n  pages free     0\n        present  0\n        protection: (0, 0, 0, 0, "
	"0)\n";

static void reads_the_zones_of_a_recent_kernel(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};
	const struct topology_node *node;

	(void)state;
	assert_int_equal(topology_parse_zoneinfo(zoneinfo, &topology), 0);
	assert_int_equal(topology.nodes, 2);
	assert_set(&topology.online, "0,2");
	assert_int_equal(topology.normal, 2);
	assert_int_equal(topology.movable, 3);
	node = topology_find(&topology, 0);
	assert_int_equal(node->present, 3998 + 61440);
	assert_int_equal(node->file, 7 + 5); /* of the node: the zone's counters are another view of it */
	assert_int_equal(node->slab_reclaimable, 17);
	assert_int_equal(node->zones, 5);
	assert_string_equal(node->zone[0].name, "DMA");
	assert_int_equal(node->zone[0].free, 3808);
	assert_int_equal(node->zone[0].min, 190);
	assert_int_equal(node->zone[0].low, 237);
	assert_int_equal(node->zone[0].high, 284); /* not the pagesets' "high:" */
	assert_int_equal(node->zone[0].boost, 0);
	assert_int_equal(node->zone[0].managed, 3840);
	assert_int_equal(node->zone[0].protections, 5);
	assert_int_equal(node->zone[0].protection[0], 0);
	assert_int_equal(node->zone[0].protection[3], 235);
	assert_int_equal(node->zone[1].index, 1);
	assert_int_equal(node->zone[1].high, 4489);
	assert_int_equal(node->zone[1].pcp, 157 + 95);
	assert_int_equal(node->zone[3].min, 32);
	assert_int_equal(node->zone[4].index, 4);
	assert_int_equal(topology_find(&topology, 2)->present, 0);
}

/* Kernels before 4.12 leave out zones without pages; their page lists are counted by zone before 4.8. */
static void numbers_the_zones_of_older_kernels_by_name(void **state)
{
	static const char text[] =
		"Node 0, zone      DMA\n  pages free     3976\n        min      5\n        present  3997\n"
		"        protection: (0, 2892, 15955, 15955)\n    nr_inactive_file 1\n    nr_active_file 2\n"
		"Node 0, zone    DMA32\n  pages free     700000\n        present  757930\n"
		"        protection: (0, 0, 13063, 13063)\n    nr_inactive_file 10\n    nr_active_file 20\n"
		"    nr_slab_reclaimable 4\n"
		"Node 0, zone   Normal\n  pages free     3000000\n        present  3407872\n"
		"        protection: (0, 0, 0, 0)\n    nr_inactive_file 100\n    nr_slab_reclaimable 6\n"
		"Node 1, zone   Normal\n  pages free     4000000\n        present  4194304\n"
		"        protection: (0, 0, 0, 0)\n";
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	assert_int_equal(topology_parse_zoneinfo(text, &topology), 0);
	assert_int_equal(topology_find(&topology, 1)->zone[0].index, 2);
	assert_int_equal(topology_find(&topology, 0)->zone[2].index, 2);
	assert_int_equal(topology.normal, 2);
	assert_int_equal(topology.movable, 3);
	assert_int_equal(topology_find(&topology, 0)->file, 133);
	assert_int_equal(topology_find(&topology, 0)->slab_reclaimable, 10);
}

/* A 64-bit kernel without ZONE_DMA, and powerpc, which has DMA, Normal and Movable. */
static void numbers_zones_where_types_are_missing(void **state)
{
	AUTO(topology_clear) struct topology no_dma = {0}, power = {0};

	(void)state;
	assert_int_equal(topology_parse_zoneinfo("Node 0, zone DMA32\n protection: (0, 9, 9)\n"
						 "Node 0, zone Normal\n protection: (0, 0, 0)\n",
						 &no_dma),
			 0);
	assert_int_equal(no_dma.node[0].zone[1].index, 1);
	assert_int_equal(no_dma.movable, 2);
	assert_int_equal(topology_parse_zoneinfo("Node 8, zone DMA\n protection: (0, 0, 0)\n", &power), 0);
	assert_int_equal(power.node[0].zone[0].index, 0);
	assert_int_equal(power.movable, 2);
}

/* Since 5.14 zoneinfo tells how much of the watermarks is a boost; the three include it. */
static void reads_the_boost_of_the_watermarks(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	assert_int_equal(topology_parse_zoneinfo("Node 0, zone Normal\n  pages free 9\n        boost    512\n"
						 "        min      1000\n        low      1100\n"
						 "        high     1200\n        promo    1300\n",
						 &topology),
			 0);
	assert_int_equal(topology.node[0].zone[0].boost, 512);
	assert_int_equal(topology.node[0].zone[0].min, 1000);
	assert_int_equal(topology.node[0].zone[0].low, 1100);
	assert_int_equal(topology.node[0].zone[0].high, 1200);
}

static void refuses_a_zoneinfo_that_lies(void **state)
{
	static const char *const cases[] = {
		"Node",
		"Node 0",
		"Node 0, zone",
		"Node x, zone DMA\n",
		"Node -1, zone DMA\n",
		"Node 4096, zone DMA\n",
		"Node 4294967296, zone DMA\n",
		"Node 0 zone DMA\n",
		"Node 0, zone a_name_of_16_bytes\n",
		"Node 0, zone DMA\nNode 0, zone DMA\n",
		"Node 0, zone DMA\n        present  -1\n",
		"Node 0, zone DMA\n        present  18446744073709551616\n",
		"Node 0, zone DMA\n        present  18446744073709551615\nNode 0, zone DMA32\n        "
		"present  1\n",
		"Node 0, zone DMA\n        min\n",
		"Node 0, zone DMA\n        low      -3\n",
		"Node 0, zone DMA\n        high     18446744073709551616\n",
		"Node 0, zone DMA\n        boost    x\n",
		"Node 0, zone DMA\n        protection: (0, 1\n",
		"Node 0, zone DMA\n        protection: 0, 1)\n  pages free x\n",
		"Node 0, zone DMA\n        protection: (0, -1)\n",
		"Node 0, zone DMA\n        protection: (0, 1, 2, 3, 4, 5, 6, 7, 8)\n",
		"Node 0, zone DMA\n        protection: ()\n",
		"Node 0, zone DMA\n        protection: (0) 1\n",
		"Node 0, zone DMA\n              count: 18446744073709551615\n              count: 1\n",
		"Node 0, zone DMA\n      nr_active_file many\n",
		"Node 0, zone a\nNode 0, zone b\nNode 0, zone c\nNode 0, zone d\nNode 0, zone e\n"
		"Node 0, zone f\nNode 0, zone g\nNode 0, zone h\nNode 0, zone i\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(topology_clear) struct topology topology = {0};

		assert_int_equal(topology_parse_zoneinfo(zoneinfo, &topology), 0);
		if (topology_parse_zoneinfo(cases[i], &topology) != -EINVAL)
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(topology.nodes, 2);
		assert_int_equal(topology.node[0].zones, 5);
	}
}

static void ignores_what_is_no_zone(void **state)
{
	AUTO(topology_clear) struct topology topology = {0};

	(void)state;
	assert_int_equal(topology_parse_zoneinfo("", &topology), 0);
	assert_int_equal(topology_parse_zoneinfo("min 3\npresent x\n\n", &topology), 0);
	assert_int_equal(topology.nodes, 0);
}

static struct cgpol_host make_host(struct root *root)
{
	return (struct cgpol_host){.root = root};
}

static void free_root(struct root **root)
{
	root_free(*root);
}

static void is_one_node_without_numa(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(topology_clear) struct topology topology = {0};
	struct cgpol_host host = make_host(root);

	(void)state;
	fakeroot_put(root, "/proc/zoneinfo", "Node 0, zone Normal\n  pages free 9\n        present  99\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-3\n");
	assert_int_equal(topology_read(&host, &topology, NULL), 0);
	assert_set(&topology.online, "0");
	assert_set(&topology.memory, "0");
	assert_set(&topology.cpu, "0");
	assert_set(&topology.node[0].cpus, "0-3");
	assert_int_equal(topology.node[0].present, 99);
}

static void has_one_node_even_when_nothing_can_be_read(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(topology_clear) struct topology topology = {0};
	struct cgpol_host host = make_host(root);

	(void)state;
	assert_int_equal(topology_read(&host, &topology, NULL), 0);
	assert_set(&topology.online, "0");
	assert_set(&topology.memory, "0");
	assert_int_equal(topology.node[0].zones, 0);
}

static void finds_memory_by_the_next_best_file(void **state)
{
	static const struct {
		const char *has_memory, *has_normal_memory, *zones, *memory;
	} cases[] = {
		{"0-1\n", "0\n", "Node 2, zone Normal\n  present 1\n", "0-1"},
		{NULL, "0\n", "Node 2, zone Normal\n  present 1\n", "0"},
		{NULL, NULL, "Node 0, zone Normal\n  present 0\nNode 2, zone Normal\n  present 1\n", "2"},
		{NULL, NULL, NULL, "1"},    /* its meminfo */
		{"0,7\n", NULL, NULL, "0"}, /* 7 is not online */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_root) struct root *root = fakeroot_new();
		AUTO(topology_clear) struct topology topology = {0};
		AUTO(nodeset_clear_p) struct nodeset memory = {0};
		struct cgpol_host host = make_host(root);

		fakeroot_put(root, NODES "/online", "0-2\n");
		fakeroot_put(root, NODES "/node0/meminfo", "Node 0 MemTotal:              0 kB\n");
		fakeroot_put(root, NODES "/node1/meminfo",
			     "\nNode 1 MemTotal:        1002460 kB\nNode 1 MemFree:  1 kB\n");
		if (cases[i].has_memory)
			fakeroot_put(root, NODES "/has_memory", cases[i].has_memory);
		if (cases[i].has_normal_memory)
			fakeroot_put(root, NODES "/has_normal_memory", cases[i].has_normal_memory);
		if (cases[i].zones)
			fakeroot_put(root, "/proc/zoneinfo", cases[i].zones);
		assert_int_equal(topology_read(&host, &topology, NULL), 0);
		assert_set(&topology.memory, cases[i].memory);
		assert_int_equal(topology_read_memory(&host, &memory, NULL), 0);
		assert_set(&memory, cases[i].memory);
	}
}

static void reads_two_files_for_the_nodes_with_memory(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(nodeset_clear_p) struct nodeset memory = {0};
	struct cgpol_host host = make_host(root);

	(void)state;
	fakeroot_put(root, NODES "/online", "0-1\n");
	fakeroot_put(root, NODES "/has_memory", "0-1\n");
	assert_int_equal(topology_read_memory(&host, &memory, NULL), 0);
	assert_int_equal(fakeroot_accesses(root), 2);
}

static void ignores_distances_that_do_not_fit(void **state)
{
	static const char *const cases[] = {"10\n", "10 20 30\n", "10 x\n", "10 -1\n", "10 4294967296\n", ""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_root) struct root *root = fakeroot_new();
		AUTO(topology_clear) struct topology topology = {0};
		struct cgpol_host host = make_host(root);

		fakeroot_put(root, NODES "/online", "0-1\n");
		fakeroot_put(root, NODES "/node0/distance", cases[i]);
		fakeroot_put(root, NODES "/node1/distance", "20 10\n");
		assert_int_equal(topology_read(&host, &topology, NULL), 0);
		assert_null(topology.node[0].distance);
		assert_true(topology.node[0].is_distance_bad);
		assert_int_equal(topology.node[1].distance[0], 20);
		assert_false(topology.node[1].is_distance_bad);
	}
}

static void tells_a_missing_distance_from_a_bad_one(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(topology_clear) struct topology topology = {0};
	struct cgpol_host host = make_host(root);

	(void)state;
	fakeroot_put(root, NODES "/online", "0-1\n");
	assert_int_equal(topology_read(&host, &topology, NULL), 0);
	assert_null(topology.node[0].distance);
	assert_false(topology.node[0].is_distance_bad);
}

static void reads_which_nodes_are_online_and_which_may_be(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(nodeset_clear_p) struct nodeset online = {0}, possible = {0}, none = {0};
	struct cgpol_host host = make_host(root);
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(topology_read_online(&host, &none, NULL), 0);
	assert_set(&none, "0");
	assert_int_equal(topology_read_possible(&host, &possible, NULL), 0);
	assert_true(nodeset_is_empty(&possible));
	fakeroot_put(root, NODES "/online", "1,3\n");
	fakeroot_put(root, NODES "/possible", "0-7\n");
	assert_int_equal(topology_read_online(&host, &online, NULL), 0);
	assert_set(&online, "1,3");
	assert_int_equal(topology_read_possible(&host, &possible, NULL), 0);
	assert_set(&possible, "0-7");
	fakeroot_put(root, NODES "/possible", "7-0\n");
	assert_int_equal(topology_read_possible(&host, &possible, &err), -EINVAL);
	assert_string_equal(err.file, NODES "/possible");
	assert_set(&possible, "0-7");
	fakeroot_fail(root, NODES "/online", EIO);
	assert_int_equal(topology_read_online(&host, &online, NULL), -EIO);
}

static void says_which_file_is_malformed(void **state)
{
	static const struct {
		const char *path, *text, *part;
	} cases[] = {
		{NODES "/online", "0-4096\n", NODES "/online: "},
		{NODES "/online", "3-1\n", NODES "/online: "},
		{NODES "/has_memory", "\x1b[2J\n", NODES "/has_memory: "},
		{"/proc/zoneinfo", "Node x, zone DMA\n", "/proc/zoneinfo is malformed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_root) struct root *root = fakeroot_new();
		struct topology topology = {.normal = 77};
		struct cgpol_host host = make_host(root);
		struct cgpol_error err = {0};

		fakeroot_put(root, cases[i].path, cases[i].text);
		assert_true(topology_read(&host, &topology, &err) < 0);
		assert_int_equal(err.kind, CGPOL_FAILED);
		assert_string_equal(err.file, cases[i].path);
		if (!strstr(err.text, cases[i].part))
			fail_msg("\"%s\" lacks \"%s\"", err.text, cases[i].part);
		assert_int_equal(topology.normal, 77);
		assert_null(topology.node);
	}
}

/* Files come and go with hotplug; whatever fails, the answer is an error or a machine with a node. */
static void survives_any_failing_access(void **state)
{
	static const int errnums[] = {ENOENT, EIO, EACCES, ENOMEM};
	unsigned accesses = 100;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 0; n <= accesses; n++) {
			AUTO(free_root) struct root *root = fakeroot_new();
			AUTO(topology_clear) struct topology topology = {0};
			struct cgpol_host host = make_host(root);
			struct cgpol_error err = {0};
			int rc;

			fakeroot_put(root, NODES "/online", "0-1\n");
			fakeroot_put(root, NODES "/has_memory", "0-1\n");
			fakeroot_put(root, NODES "/node0/cpulist", "0-1\n");
			fakeroot_put(root, NODES "/node1/cpumap", "c\n");
			fakeroot_put(root, "/proc/zoneinfo", zoneinfo);
			fakeroot_fail_nth(root, n, errnums[i]);
			rc = topology_read(&host, &topology, &err);
			if (rc == 0)
				assert_true(topology.nodes > 0);
			else
				assert_true(err.text[0] != '\0');
			if (n == 0)
				accesses = fakeroot_accesses(root);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_the_numbers_of_nodes_with_gaps),
		cmocka_unit_test(takes_distances_by_column),
		cmocka_unit_test(knows_only_cpus_that_are_online),
		cmocka_unit_test(lives_without_node_0),
		cmocka_unit_test(tells_memory_and_cpus_apart),
		cmocka_unit_test(scans_directories_of_old_kernels),
		cmocka_unit_test(reads_the_simplest_machine),
		cmocka_unit_test(reads_the_zones_of_a_recent_kernel),
		cmocka_unit_test(numbers_the_zones_of_older_kernels_by_name),
		cmocka_unit_test(numbers_zones_where_types_are_missing),
		cmocka_unit_test(reads_the_boost_of_the_watermarks),
		cmocka_unit_test(refuses_a_zoneinfo_that_lies),
		cmocka_unit_test(ignores_what_is_no_zone),
		cmocka_unit_test(is_one_node_without_numa),
		cmocka_unit_test(has_one_node_even_when_nothing_can_be_read),
		cmocka_unit_test(finds_memory_by_the_next_best_file),
		cmocka_unit_test(reads_two_files_for_the_nodes_with_memory),
		cmocka_unit_test(ignores_distances_that_do_not_fit),
		cmocka_unit_test(tells_a_missing_distance_from_a_bad_one),
		cmocka_unit_test(reads_which_nodes_are_online_and_which_may_be),
		cmocka_unit_test(says_which_file_is_malformed),
		cmocka_unit_test(survives_any_failing_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
