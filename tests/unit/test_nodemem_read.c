/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nodes' memory: of real machines (tests/roots/topology), of texts that lie, and while nodes come and go.
 */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/nodemem.h"

#define NODES "/sys/devices/system/node"
#define TIERS "/sys/devices/virtual/memory_tiering"
#define KIB UINT64_C(1024)

static void free_root(struct root **root)
{
	root_free(*root);
}

static void assert_set(const struct nodeset *set, const char *expected)
{
	AUTO(free_p) char *text = nodeset_format(set);

	assert_string_equal(text, expected);
}

/* Three nodes; node 2 has no cpus. */
static struct root *make_machine(void)
{
	struct root *root = fakeroot_new();

	fakeroot_put(root, NODES "/online", "0-2\n");
	fakeroot_put(root, NODES "/possible", "0-3\n");
	fakeroot_put(root, NODES "/has_memory", "0-2\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-1\n");
	for (unsigned i = 0; i < 3; i++) {
		char path[128], text[256];

		(void)snprintf(path, sizeof(path), NODES "/node%u/meminfo", i);
		(void)snprintf(text, sizeof(text), "Node %u MemTotal: %u kB\nNode %u MemFree: 4 kB\n", i,
			       1000 + i, i);
		fakeroot_put(root, path, text);
		(void)snprintf(path, sizeof(path), NODES "/node%u/cpulist", i);
		(void)snprintf(text, sizeof(text), "%.*u\n", i < 2, i);
		fakeroot_put(root, path, i < 2 ? text : "\n");
		(void)snprintf(path, sizeof(path), NODES "/node%u/distance", i);
		fakeroot_put(root, path, "10 20 30\n");
	}
	return root;
}

static void put_size(struct root *root, const char *dir, const char *counts)
{
	static const char *const files[] = {"nr", "free", "surplus"};

	for (size_t i = 0; i < 3; i++) {
		char path[160], text[2] = {counts[i], '\0'};

		(void)snprintf(path, sizeof(path), "%s/%s_hugepages", dir, files[i]);
		fakeroot_put(root, path, text);
	}
}

static void reads_huge_pages_of_every_size(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};
	const struct nodemem_huge *huge;

	(void)state;
	put_size(root, NODES "/node1/hugepages/hugepages-1048576kB", "100");
	put_size(root, NODES "/node1/hugepages/hugepages-2048kB", "731");
	put_size(root, NODES "/node1/hugepages/hugepages-64kB", "000");
	put_size(root, NODES "/node1/hugepages/hugepages-2MB", "999");
	put_size(root, NODES "/node1/hugepages/hugepages--1kB", "999");
	put_size(root, NODES "/node1/hugepages/hugepages-18446744073709551615kB", "999");
	put_size(root, NODES "/node1/hugepages/other", "999");
	fakeroot_mkdir(root, NODES "/node2/hugepages");
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_false(nodemem.node[0].has_huge);
	assert_int_equal(nodemem.node[1].huges, 3);
	huge = nodemem.node[1].huge;
	assert_int_equal(huge[0].size, 64 * KIB);
	assert_int_equal(huge[1].size, 2048 * KIB);
	assert_int_equal(huge[1].total, 7);
	assert_int_equal(huge[1].free, 3);
	assert_int_equal(huge[1].surplus, 1);
	assert_int_equal(huge[2].total, 1);
	assert_int_equal(nodemem_huge_bytes(&nodemem.node[1], false), (UINT64_C(1) << 30) + (7 << 21));
	assert_int_equal(nodemem_huge_bytes(&nodemem.node[1], true), 3 << 21);
	assert_true(nodemem.node[2].has_huge);
	assert_int_equal(nodemem_huge_bytes(&nodemem.node[2], false), 0);
}

static void has_no_sum_of_huge_pages_that_cannot_be(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};

	(void)state;
	put_size(root, NODES "/node0/hugepages/hugepages-2048kB", "511");
	fakeroot_put(root, NODES "/node0/hugepages/hugepages-2048kB/nr_hugepages", "18446744073709551614\n");
	fakeroot_put(root, NODES "/node1/hugepages/hugepages-2048kB/free_hugepages", "x\n");
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_true(nodemem_huge_bytes(&nodemem.node[0], false) == NODEMEM_ABSENT);
	assert_int_equal(nodemem_huge_bytes(&nodemem.node[0], true), 1 << 21);
	assert_true(nodemem.node[1].huge[0].total == NODEMEM_ABSENT);
	assert_true(nodemem.node[1].huge[0].free == NODEMEM_ABSENT);
	assert_int_equal(nodemem.troubles, 1);
	assert_string_equal(nodemem.trouble[0].path,
			    NODES "/node1/hugepages/hugepages-2048kB/free_hugepages");
}

static void sums_watermarks_over_the_zones(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};

	(void)state;
	fakeroot_put(root, "/proc/zoneinfo",
		     "Node 0, zone DMA\n  pages free 9\n boost 2\n min 10\n low 12\n high 14\n managed 99\n "
		     "protection: (0, 1)\n"
		     "  pagesets\n    cpu: 0\n              count: 1\n              high:  777\n"
		     "Node 0, zone Normal\n  pages free 9\n min 100\n low 120\n high 140\n managed 99\n "
		     "protection: (0, 0)\n"
		     "Node 1, zone Normal\n  pages free 9\n min 7\n low 8\n high 9\n");
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_int_equal(nodemem.node[0].min, 110 * 4096);
	assert_int_equal(nodemem.node[0].low, 132 * 4096);
	assert_int_equal(nodemem.node[0].high, 154 * 4096);
	assert_int_equal(nodemem.node[1].low, 8 * 4096);
	assert_true(nodemem.node[2].low == NODEMEM_ABSENT);
}

static void knows_tiers_and_speeds(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};

	(void)state;
	fakeroot_put(root, TIERS "/memory_tier4/nodelist", "0-1\n");
	fakeroot_put(root, TIERS "/memory_tier22/nodelist", "2,900\n");
	fakeroot_put(root, TIERS "/memory_tier99999999999/nodelist", "0\n");
	fakeroot_put(root, TIERS "/memory_tierx/nodelist", "0\n");
	fakeroot_put(root, TIERS "/memory_tier7/nodelist", "0-\n");
	fakeroot_mkdir(root, TIERS "/power");
	fakeroot_put(root, NODES "/node2/access0/initiators/read_bandwidth", "10240\n");
	fakeroot_put(root, NODES "/node2/access0/initiators/write_bandwidth", "5120\n");
	fakeroot_put(root, NODES "/node2/access0/initiators/read_latency", "90\n");
	fakeroot_put(root, NODES "/node2/access0/initiators/write_latency", "95\n");
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_int_equal(nodemem.node[0].tier, 4);
	assert_int_equal(nodemem.node[1].tier, 4);
	assert_int_equal(nodemem.node[2].tier, 22);
	assert_true(nodemem.node[0].speed[NODEMEM_READ_BANDWIDTH] == NODEMEM_ABSENT);
	assert_int_equal(nodemem.node[2].speed[NODEMEM_READ_BANDWIDTH], 10240);
	assert_int_equal(nodemem.node[2].speed[NODEMEM_WRITE_BANDWIDTH], 5120);
	assert_int_equal(nodemem.node[2].speed[NODEMEM_READ_LATENCY], 90);
	assert_int_equal(nodemem.node[2].speed[NODEMEM_WRITE_LATENCY], 95);
	assert_int_equal(nodemem.troubles, 1);
	assert_string_equal(nodemem.trouble[0].path, TIERS "/memory_tier7/nodelist");
}

/* fs/proc/meminfo.c: Cached is NR_FILE_PAGES without SwapCached and Buffers. */
static void is_one_node_where_the_kernel_has_none(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};
	const struct nodemem_node *node;

	(void)state;
	fakeroot_put(
		root, "/proc/meminfo",
		"MemTotal: 1000 kB\nMemFree: 300 kB\nMemAvailable: 555 kB\nBuffers: 20 kB\nCached: 100 kB\n"
		"SwapCached: 3 kB\nAnonPages: 50 kB\nShmem: 7 kB\nSlab: 9 kB\nHugePages_Total: 5\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-3\n");
	put_size(root, "/sys/kernel/mm/hugepages/hugepages-2048kB", "521");
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_int_equal(nodemem.nodes, 1);
	assert_set(&nodemem.possible, "0");
	node = &nodemem.node[0];
	assert_int_equal(node->id, 0);
	assert_int_equal(node->field[NODEMEM_TOTAL], 1000 * KIB);
	assert_int_equal(node->field[NODEMEM_USED], 700 * KIB);
	assert_int_equal(node->field[NODEMEM_FILE], 123 * KIB);
	assert_int_equal(node->available, 555 * KIB);
	assert_int_equal(node->huge[0].total, 5);
	assert_set(&nodemem.topology.node[0].cpus, "0-3");
}

static void has_a_node_without_figures_when_nothing_can_be_read(void **state)
{
	AUTO(free_root) struct root *root = fakeroot_new();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};

	(void)state;
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_int_equal(nodemem.nodes, 1);
	assert_int_equal(nodemem.troubles, 0);
	for (size_t i = 0; i < NODEMEM_FIELDS; i++)
		assert_true(nodemem.node[0].field[i] == NODEMEM_ABSENT);
}

static void notes_what_cannot_be_read_or_understood(void **state)
{
	static const struct {
		const char *path, *text;
		int errnum;
	} cases[] = {
		{NODES "/node1/meminfo", NULL, EACCES},
		{NODES "/node1/meminfo", NULL, EIO},
		{NODES "/node1/meminfo", "Node 1 What\n", EINVAL},
		{NODES "/node1/distance", "10 20\n", EINVAL},
		{NODES "/node1/distance", "10 x 20\n", EINVAL},
		{NODES "/possible", "3-0\n", EINVAL},
		{NODES "/node1/hugepages", NULL, EACCES},
		{TIERS, NULL, EACCES},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_root) struct root *root = make_machine();
		AUTO(nodemem_clear) struct nodemem nodemem = {0};
		struct cgpol_host host = {.root = root};

		if (cases[i].text)
			fakeroot_put(root, cases[i].path, cases[i].text);
		else
			fakeroot_fail(root, cases[i].path, cases[i].errnum);
		assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
		assert_int_equal(nodemem.nodes, 3);
		assert_int_equal(nodemem.troubles, 1);
		assert_string_equal(nodemem.trouble[0].path, cases[i].path);
		assert_int_equal(nodemem.trouble[0].code, cases[i].errnum);
		assert_int_equal(nodemem.node[0].field[NODEMEM_TOTAL], 1000 * KIB);
		assert_int_equal(nodemem.node[2].field[NODEMEM_TOTAL], 1002 * KIB);
	}
}

static void says_which_list_is_malformed(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	struct nodemem nodemem = {.nodes = 77};
	struct cgpol_host host = {.root = root};
	struct cgpol_error err = {0};

	(void)state;
	fakeroot_put(root, NODES "/online", "0-4096\n");
	assert_true(nodemem_read(&host, &nodemem, &err) < 0);
	assert_string_equal(err.file, NODES "/online");
	assert_int_equal(nodemem.nodes, 77);
}

/* ---- hotplug ---- */

struct change {
	struct root *root;
	unsigned at, accesses;
	const char *online, *distance;
	unsigned ids;
	int errnum; /* of the files of node 2 */
	bool done;
};

static void take_away(struct root *root, int errnum)
{
	static const char *const files[] = {"meminfo", "cpulist", "distance", "hugepages"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), NODES "/node2/%s", files[i]);
		fakeroot_fail(root, path, errnum);
	}
}

/* Between two accesses, as hotplug comes. */
static void change_machine(void *arg, const char *op, const char *path, int result)
{
	struct change *change = arg;

	(void)op;
	(void)path;
	(void)result;
	if (++change->accesses != change->at)
		return;
	change->done = true;
	fakeroot_put(change->root, NODES "/online", change->online);
	fakeroot_put(change->root, NODES "/has_memory", change->online);
	for (unsigned i = 0; i < change->ids; i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), NODES "/node%u/distance", i);
		fakeroot_put(change->root, name, change->distance);
	}
	take_away(change->root, change->errnum);
}

static void assert_two_nodes(const struct nodemem *nodemem)
{
	assert_int_equal(nodemem->nodes, 2);
	assert_set(&nodemem->topology.online, "0-1");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(nodemem->node[i].id, i);
		assert_int_equal(nodemem->node[i].field[NODEMEM_TOTAL], (1000 + i) * KIB);
		assert_int_equal(nodemem->topology.node[i].distances, 2);
		assert_int_equal(nodemem->topology.node[i].distance[1], 20);
	}
	assert_int_equal(nodemem->troubles, 0);
}

static void gives_the_rest_when_a_node_goes_at_any_step(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		bool was_in_time = true;
		unsigned steps = 0;

		for (unsigned at = 1; was_in_time; at++) {
			AUTO(free_root) struct root *root = make_machine();
			AUTO(nodemem_clear) struct nodemem nodemem = {0};
			struct cgpol_host host = {.root = root};
			struct change change = {.root = root,
						.at = at,
						.online = "0-1\n",
						.distance = "10 20\n",
						.ids = 2,
						.errnum = errnums[i]};

			root->trace = change_machine;
			root->trace_arg = &change;
			assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
			/* The last access is the one that looks whether anything changed. */
			was_in_time = change.done && change.accesses > at;
			if (was_in_time)
				assert_two_nodes(&nodemem);
			steps += was_in_time;
		}
		assert_true(steps > 10);
	}
}

static void takes_in_a_node_that_comes_at_any_step(void **state)
{
	bool was_in_time = true;

	(void)state;
	for (unsigned at = 1; was_in_time; at++) {
		AUTO(free_root) struct root *root = make_machine();
		AUTO(nodemem_clear) struct nodemem nodemem = {0};
		struct cgpol_host host = {.root = root};
		struct change change = {
			.root = root, .at = at, .online = "0-2\n", .distance = "10 20 30\n", .ids = 3};

		fakeroot_put(root, NODES "/online", "0-1\n");
		fakeroot_put(root, NODES "/node0/distance", "10 20\n");
		fakeroot_put(root, NODES "/node1/distance", "10 20\n");
		take_away(root, ENOENT);
		root->trace = change_machine;
		root->trace_arg = &change;
		assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
		was_in_time = change.done && change.accesses > at;
		if (!was_in_time)
			break;
		assert_int_equal(nodemem.nodes, 3);
		assert_int_equal(nodemem.node[2].field[NODEMEM_TOTAL], 1002 * KIB);
		assert_int_equal(nodemem.topology.node[0].distances, 3);
		assert_int_equal(nodemem.troubles, 0);
	}
}

/* A machine that changes whenever one looks is shown as it was the last time. */
static void flip(void *arg, const char *op, const char *path, int result)
{
	static const char *const lists[] = {"0-2\n", "0-1\n"};
	struct change *change = arg;

	(void)op;
	(void)result;
	if (strcmp(path, NODES "/online") == 0)
		fakeroot_put(change->root, NODES "/online", lists[++change->accesses % 2]);
}

static void does_not_wait_for_ever(void **state)
{
	AUTO(free_root) struct root *root = make_machine();
	AUTO(nodemem_clear) struct nodemem nodemem = {0};
	struct cgpol_host host = {.root = root};
	struct change change = {.root = root};

	(void)state;
	root->trace = flip;
	root->trace_arg = &change;
	assert_int_equal(nodemem_read(&host, &nodemem, NULL), 0);
	assert_true(nodemem.nodes >= 2);
	assert_int_equal(change.accesses, 6);
}

static void survives_any_failing_access(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV, EIO, EACCES, ENOMEM};
	unsigned accesses = 200;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 0; n <= accesses; n++) {
			AUTO(free_root) struct root *root = make_machine();
			AUTO(nodemem_clear) struct nodemem nodemem = {0};
			struct cgpol_host host = {.root = root};
			struct cgpol_error err = {0};
			int rc;

			put_size(root, NODES "/node1/hugepages/hugepages-2048kB", "731");
			fakeroot_put(root, TIERS "/memory_tier4/nodelist", "0-1\n");
			fakeroot_fail_nth(root, n, errnums[i]);
			rc = nodemem_read(&host, &nodemem, &err);
			if (rc < 0 && rc != -ENOMEM)
				assert_true(err.text[0] != '\0');
			if (rc == 0)
				assert_in_range(nodemem.nodes, 1, 3);
			else
				assert_int_equal(nodemem.nodes, 0);
			if (n == 0)
				accesses = fakeroot_accesses(root);
		}
	}
	assert_true(accesses > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_huge_pages_of_every_size),
		cmocka_unit_test(has_no_sum_of_huge_pages_that_cannot_be),
		cmocka_unit_test(sums_watermarks_over_the_zones),
		cmocka_unit_test(knows_tiers_and_speeds),
		cmocka_unit_test(is_one_node_where_the_kernel_has_none),
		cmocka_unit_test(has_a_node_without_figures_when_nothing_can_be_read),
		cmocka_unit_test(notes_what_cannot_be_read_or_understood),
		cmocka_unit_test(says_which_list_is_malformed),
		cmocka_unit_test(gives_the_rest_when_a_node_goes_at_any_step),
		cmocka_unit_test(takes_in_a_node_that_comes_at_any_step),
		cmocka_unit_test(does_not_wait_for_ever),
		cmocka_unit_test(survives_any_failing_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
