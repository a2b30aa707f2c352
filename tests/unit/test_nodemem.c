/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nodes' memory: of real machines (tests/roots/topology), of texts that lie, and while nodes come and go.
 */
#include "test.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "host/nodemem.h"

#define NODES "/sys/devices/system/node"
#define KIB UINT64_C(1024)

static void close_host(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static void assert_set(const struct nodeset *set, const char *expected)
{
	AUTO(free_p) char *text = nodeset_format(set);

	assert_string_equal(text, expected);
}

static void read_capture(const char *name, struct nodemem *nodemem)
{
	AUTO(close_host) struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};
	char path[256];

	(void)snprintf(path, sizeof(path), TESTS_DIR "/roots/topology/%s", name);
	if (host_open(path, NULL, &host, &err) < 0 || nodemem_read(host, nodemem, &err) < 0)
		fail_msg("%s", err.text);
}

static const struct nodemem_other *find_other(const struct nodemem_node *node, const char *name)
{
	for (size_t i = 0; i < node->others; i++)
		if (strcmp(node->other[i].name, name) == 0)
			return &node->other[i];
	return NULL;
}

static const struct nodemem_node *find_node(const struct nodemem *nodemem, unsigned id)
{
	for (size_t i = 0; i < nodemem->nodes; i++)
		if (nodemem->node[i].id == id)
			return &nodemem->node[i];
	return NULL;
}

/* ---- meminfo ---- */

/* numactl#115: tools with a closed list of fields printed complaints about the new ones of this machine. */
static void keeps_fields_that_it_does_not_know(void **state)
{
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	const struct nodemem_node *node;

	(void)state;
	read_capture("gb10-new-meminfo-fields", &nodemem);
	assert_int_equal(nodemem.nodes, 1);
	assert_int_equal(nodemem.troubles, 0);
	node = &nodemem.node[0];
	assert_int_equal(node->field[NODEMEM_TOTAL], 125508468 * KIB);
	assert_int_equal(node->field[NODEMEM_FREE], 67220216 * KIB);
	assert_int_equal(node->field[NODEMEM_USED], 58288252 * KIB);
	assert_int_equal(node->field[NODEMEM_ACTIVE], 14233992 * KIB);
	assert_int_equal(node->field[NODEMEM_ACTIVE_ANON], 214168 * KIB);
	assert_int_equal(node->field[NODEMEM_INACTIVE_FILE], 41250828 * KIB);
	assert_int_equal(node->field[NODEMEM_FILE], 55328140 * KIB);
	assert_int_equal(node->field[NODEMEM_ANON], 280200 * KIB);
	assert_int_equal(node->field[NODEMEM_SHMEM], 3516 * KIB);
	assert_int_equal(node->field[NODEMEM_SLAB], 813812 * KIB);
	assert_int_equal(node->field[NODEMEM_KERNEL_RECLAIMABLE], 332656 * KIB);
	assert_int_equal(node->field[NODEMEM_FILE_HUGE], 139264 * KIB);
	assert_non_null(find_other(node, "ShadowCallStack"));
	assert_int_equal(find_other(node, "ShadowCallStack")->value, 4116 * KIB);
	assert_int_equal(find_other(node, "SecPageTables")->value, 7372 * KIB);
	assert_null(find_other(node, "HugePages_Total")); /* of which size? hugepages/ tells */
	assert_null(find_other(node, "MemTotal"));
}

static void parse(const char *text, struct nodemem_node *node, size_t odd)
{
	size_t found = 77;

	nodemem_init(node);
	assert_int_equal(nodemem_parse(text, node, &found), 0);
	if (found != odd)
		fail_msg("%zu odd lines, not %zu, in: %s", found, odd, text);
}

static void reads_lines_with_and_without_their_node(void **state)
{
	AUTO(nodemem_clear_node) struct nodemem_node node;

	(void)state;
	parse("\nNode 63 MemTotal:      8064400 kB\nMemFree: 7 kB\nNode 0 Count: 5\nNew(x): 3 kB", &node, 0);
	assert_int_equal(node.field[NODEMEM_TOTAL], 8064400 * KIB);
	assert_int_equal(node.field[NODEMEM_FREE], 7 * KIB);
	assert_true(node.field[NODEMEM_USED] == NODEMEM_ABSENT);
	assert_int_equal(find_other(&node, "Count")->value, 5);
	assert_int_equal(find_other(&node, "New(x)")->value, 3 * KIB);
	assert_int_equal(node.others, 2);
}

static void keeps_the_first_of_an_unknown_name(void **state)
{
	AUTO(nodemem_clear_node) struct nodemem_node node;

	(void)state;
	parse("X: 1 kB\nX: 2 kB\n", &node, 0);
	assert_int_equal(node.others, 1);
	assert_int_equal(node.other[0].value, KIB);
}

static void counts_lines_that_are_no_fields(void **state)
{
	static const char *const cases[] = {
		"Node",
		"Node 0",
		"Node x MemTotal: 1 kB",
		"Node -1 MemTotal: 1 kB",
		"MemTotal:",
		"MemTotal 5 kB",
		"MemTotal: kB",
		"MemTotal: 5 pages",
		"MemTotal: 5 kB more",
		"MemTotal: -5 kB",
		"MemTotal: 5kB",
		"MemTotal: 18446744073709551616 kB",
		"MemTotal: 18014398509481984 kB", /* 1 << 54: its bytes do not fit */
		"MemTotal: 18446744073709551615",
		": 5 kB",
		"\x1b[31m: 5 kB",
		"\xff\xfe: 5 kB",
		"a_name_that_is_longer_than_any_of_the_kernel_ever_was_0123456789ab: 1 kB",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodemem_clear_node) struct nodemem_node node;

		parse(cases[i], &node, 1);
		assert_true(node.field[NODEMEM_TOTAL] == NODEMEM_ABSENT);
		assert_int_equal(node.others, 0);
	}
}

static void does_not_grow_without_end(void **state)
{
	AUTO(nodemem_clear_node) struct nodemem_node node;
	AUTO(free_p) char *text = calloc(1000, 16);
	size_t used = 0;

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		used += (size_t)sprintf(text + used, "New%u: 1 kB\n", i);
	parse(text, &node, 1000 - 256);
	assert_int_equal(node.others, 256);
}

/* ---- what follows from other figures ---- */

static void add_zone(struct topology_node *node, struct topology_zone zone)
{
	node->zone = reallocarray(node->zone, node->zones + 1, sizeof(*node->zone));
	assert_non_null(node->zone);
	node->zone[node->zones++] = zone;
}

static void clear_zones(struct topology_node *node)
{
	free(node->zone);
}

/* calculate_totalreserve_pages(): DMA keeps max(235, 235) + 284, DMA32 4489 without its boost of 400, and an
 * empty zone nothing, whatever its watermark. */
static void keeps_a_reserve_as_the_kernel_does(void **state)
{
	AUTO(clear_zones) struct topology_node node = {.id = 0};

	(void)state;
	assert_int_equal(nodemem_reserve(&node), 0);
	add_zone(&node, (struct topology_zone){.index = 0,
					       .high = 284,
					       .managed = 3840,
					       .protection = {9999, 235, 230},
					       .protections = 3});
	node.zone[0].protection[0] = 0;
	assert_int_equal(nodemem_reserve(&node), 235 + 284);
	add_zone(&node, (struct topology_zone){
				.index = 1, .high = 4489, .boost = 400, .managed = 60304, .protections = 3});
	assert_int_equal(nodemem_reserve(&node), 235 + 284 + 4089);
	add_zone(&node, (struct topology_zone){.index = 2, .high = 32, .managed = 0, .protections = 3});
	assert_int_equal(nodemem_reserve(&node), 235 + 284 + 4089);
	/* A reserve for lower zones is none of this one; more than all is all. */
	node.zone[1].protection[0] = 50000;
	assert_int_equal(nodemem_reserve(&node), 235 + 284 + 4089);
	node.zone[1].protection[2] = UINT64_MAX;
	assert_int_equal(nodemem_reserve(&node), 235 + 284 + 60304);
}

static void tells_available_by_the_kernels_rule(void **state)
{
	static const struct {
		uint64_t free, active, inactive, slab, available; /* pages */
	} cases[] = {
		{1000, 0, 0, 0, 700},	      {300, 0, 0, 0, 0},   {100, 0, 0, 0, 0}, /* never below 0 */
		{1000, 60, 40, 0, 750},	     /* half of a small cache */
		{1000, 600, 400, 0, 1500},   /* all of a large one but the low watermark */
		{1000, 600, 400, 150, 1575}, /* the same of slab, by itself */
		{1000, 600, 400, 1000, 2300}, {100, 300, 0, 0, 0}, /* 100 - 300 + 150 */
		{100, 1000, 0, 0, 600},
	};
	AUTO(clear_zones) struct topology_node zones = {.id = 0};

	(void)state;
	add_zone(&zones, (struct topology_zone){.low = 150, .high = 200, .managed = 9000, .protections = 1});
	add_zone(&zones, (struct topology_zone){
				 .index = 1, .low = 50, .high = 100, .managed = 9000, .protections = 1});
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nodemem_node node;

		nodemem_init(&node);
		node.field[NODEMEM_FREE] = cases[i].free * 65536;
		node.field[NODEMEM_ACTIVE_FILE] = cases[i].active * 65536;
		node.field[NODEMEM_INACTIVE_FILE] = cases[i].inactive * 65536;
		node.field[NODEMEM_SLAB_RECLAIMABLE] = 0;
		node.field[NODEMEM_KERNEL_RECLAIMABLE] = cases[i].slab * 65536;
		assert_int_equal(nodemem_available(&node, &zones, 65536), cases[i].available * 65536);
		/* Before 4.20 there is only the slab's. */
		node.field[NODEMEM_SLAB_RECLAIMABLE] = cases[i].slab * 65536;
		node.field[NODEMEM_KERNEL_RECLAIMABLE] = NODEMEM_ABSENT;
		assert_int_equal(nodemem_available(&node, &zones, 65536), cases[i].available * 65536);
	}
}

static void tells_no_available_without_its_parts(void **state)
{
	static const enum nodemem_field parts[] = {NODEMEM_FREE, NODEMEM_ACTIVE_FILE, NODEMEM_INACTIVE_FILE,
						   NODEMEM_SLAB_RECLAIMABLE};
	AUTO(clear_zones) struct topology_node zones = {.id = 0};

	(void)state;
	add_zone(&zones, (struct topology_zone){.low = 1, .high = 1, .managed = 9000, .protections = 1});
	for (size_t i = 0; i <= ARRAY_SIZE(parts); i++) {
		struct nodemem_node node;
		struct topology_node none = {.id = 0};

		nodemem_init(&node);
		for (size_t j = 0; j < ARRAY_SIZE(parts); j++)
			node.field[parts[j]] = i == j ? NODEMEM_ABSENT : 1 << 20;
		assert_int_equal(nodemem_available(&node, &zones, 4096) == NODEMEM_ABSENT,
				 i < ARRAY_SIZE(parts));
		assert_true(nodemem_available(&node, &none, 4096) == NODEMEM_ABSENT);
	}
}

/* The kernel's own answer, taken in the same moment as what it is made of, on a machine of one node. */
static void agrees_with_memavailable(void **state)
{
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	AUTO(fclose_p) FILE *file = fopen(TESTS_DIR "/roots/topology/one-node-6.1/proc/meminfo", "re");
	char text[4096] = "";
	uint64_t kib = 0;

	(void)state;
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	assert_int_equal(text_field(text, "MemAvailable", &kib), 0);
	assert_true(kib > 0);
	read_capture("one-node-6.1", &nodemem);
	assert_int_equal(nodemem.node[0].available, kib * KIB);
}

/* ---- machines ---- */

static void keeps_sparse_numbers(void **state)
{
	AUTO(nodemem_clear) struct nodemem power = {0}, tiers = {0}, odd = {0};

	(void)state;
	read_capture("power9-0-8-250-255", &power);
	assert_int_equal(power.nodes, 8);
	assert_int_equal(power.node[2].id, 250);
	assert_int_equal(find_node(&power, 255)->field[NODEMEM_TOTAL], 15728640 * KIB);
	assert_set(&power.possible, "0,8,250-255");
	read_capture("holes-cpuless-tiers", &tiers);
	assert_set(&tiers.topology.online, "0-2,4,6,8-9");
	assert_set(&tiers.possible, "0-9");
	assert_null(find_node(&tiers, 3));
	assert_int_equal(find_node(&tiers, 9)->field[NODEMEM_TOTAL], 393216 * KIB);
	read_capture("node0-offline", &odd);
	assert_int_equal(odd.nodes, 1);
	assert_int_equal(odd.node[0].id, 1);
	assert_int_equal(odd.troubles, 1);
	assert_string_equal(odd.trouble[0].path, NODES "/node1/distance");
	assert_int_equal(odd.trouble[0].code, EINVAL);
}

static void knows_nodes_without_memory(void **state)
{
	AUTO(nodemem_clear) struct nodemem nodemem = {0};

	(void)state;
	read_capture("memless-and-cpuless-nodes", &nodemem);
	assert_int_equal(nodemem.nodes, 11);
	assert_int_equal(nodemem.node[0].field[NODEMEM_TOTAL], 0);
	assert_int_equal(nodemem.node[4].field[NODEMEM_FREE], 0);
	assert_true(nodemem.node[5].field[NODEMEM_TOTAL] > 0);
	assert_set(&nodemem.topology.memory, "5-10");
}

static void lives_with_few_files(void **state)
{
	AUTO(nodemem_clear) struct nodemem nodemem = {0};

	(void)state;
	read_capture("old-ia64-64nodes-few-files", &nodemem);
	assert_int_equal(nodemem.nodes, 64);
	assert_int_equal(nodemem.node[63].id, 63);
	assert_set(&nodemem.possible, "0-63");
	assert_true(nodemem.node[0].field[NODEMEM_TOTAL] != NODEMEM_ABSENT);
	assert_true(nodemem.node[0].field[NODEMEM_FILE] == NODEMEM_ABSENT);
	assert_true(nodemem.node[0].available == NODEMEM_ABSENT);
	assert_true(nodemem.node[0].low == NODEMEM_ABSENT);
	assert_false(nodemem.node[0].has_huge);
	assert_true(nodemem_huge_bytes(&nodemem.node[0], false) == NODEMEM_ABSENT);
	assert_int_equal(nodemem.node[0].tier, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_fields_that_it_does_not_know),
		cmocka_unit_test(reads_lines_with_and_without_their_node),
		cmocka_unit_test(keeps_the_first_of_an_unknown_name),
		cmocka_unit_test(counts_lines_that_are_no_fields),
		cmocka_unit_test(does_not_grow_without_end),
		cmocka_unit_test(keeps_a_reserve_as_the_kernel_does),
		cmocka_unit_test(tells_available_by_the_kernels_rule),
		cmocka_unit_test(tells_no_available_without_its_parts),
		cmocka_unit_test(agrees_with_memavailable),
		cmocka_unit_test(keeps_sparse_numbers),
		cmocka_unit_test(knows_nodes_without_memory),
		cmocka_unit_test(lives_with_few_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
