/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows: nodes in order, sums that do not wrap. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/row.h"

static void keeps_nodes_in_order_and_once(void **state)
{
	static const unsigned ids[] = {255, 0, 8, 255, 8, 4095};
	static const unsigned sorted[] = {0, 8, 255, 4095};
	AUTO(row_clear) struct usage_row row = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct usage_node *node;

		assert_int_equal(row_get_node(&row, ids[i], &node), 0);
		assert_int_equal(node->id, ids[i]);
		node->bytes[USAGE_ANON]++;
	}
	assert_int_equal(row.nodes, ARRAY_SIZE(sorted));
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		assert_int_equal(row.node[i].id, sorted[i]);
	assert_int_equal(row.node[2].bytes[USAGE_ANON], 2);
}

static void covers_nodes_without_touching_others(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset memory = {0};
	AUTO(row_clear) struct usage_row row = {0};
	struct usage_node *node;

	(void)state;
	assert_int_equal(nodeset_add(&memory, 0), 0);
	assert_int_equal(nodeset_add(&memory, 2), 0);
	assert_int_equal(row_get_node(&row, 2, &node), 0);
	node->bytes[USAGE_FILE] = 5;
	assert_int_equal(row_get_node(&row, 7, &node), 0);
	assert_int_equal(row_cover(&row, &memory), 0);
	assert_int_equal(row.nodes, 3);
	assert_int_equal(row.node[0].id, 0);
	assert_int_equal(row.node[1].bytes[USAGE_FILE], 5);
	assert_int_equal(row.node[2].id, 7);
}

static void sums_by_node_and_by_kind(void **state)
{
	AUTO(row_clear) struct usage_row row = {0};
	struct usage_node *node;

	(void)state;
	assert_int_equal(row_get_node(&row, 0, &node), 0);
	node->bytes[USAGE_ANON] = 1;
	node->bytes[USAGE_KERNEL] = 10;
	assert_int_equal(row_get_node(&row, 1, &node), 0);
	node->bytes[USAGE_ANON] = 100;
	row_sum(&row);
	row_sum(&row); /* again gives the same */
	assert_int_equal(row.node[0].total, 11);
	assert_int_equal(row.bytes[USAGE_ANON], 101);
	assert_int_equal(row.total, 111);
}

static void stays_at_the_largest_number(void **state)
{
	AUTO(row_clear) struct usage_row row = {0};
	struct usage_node *node;

	(void)state;
	assert_int_equal(row_get_node(&row, 0, &node), 0);
	node->bytes[USAGE_ANON] = UINT64_MAX;
	node->bytes[USAGE_FILE] = 1;
	row_sum(&row);
	assert_true(row.total == UINT64_MAX);
	assert_true(row_add_capped(UINT64_MAX - 1, 1) == UINT64_MAX);
	assert_true(row_add_capped(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
}

static void keeps_the_sums_of_a_row_without_nodes(void **state)
{
	AUTO(row_clear) struct usage_row row = {.bytes = {[USAGE_ANON] = 100, [USAGE_SHMEM] = 7}};

	(void)state;
	row_sum(&row);
	row_sum(&row);
	assert_int_equal(row.bytes[USAGE_ANON], 100);
	assert_int_equal(row.total, 107);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_nodes_in_order_and_once),
		cmocka_unit_test(covers_nodes_without_touching_others),
		cmocka_unit_test(sums_by_node_and_by_kind),
		cmocka_unit_test(stays_at_the_largest_number),
		cmocka_unit_test(keeps_the_sums_of_a_row_without_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
