/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of libpolicy/memory/pool.c: equal things are kept once. */
#include "test.h"

#include "memory/pool.h"

static void keeps_equal_sets_once(void **state)
{
	struct pool pool = {0};
	const struct nodeset *a, *b, *c;

	(void)state;
	assert_int_equal(pool_nodes(&pool, "0-3", &a), 0);
	assert_int_equal(pool_nodes(&pool, "0,1,2,3", &b), 0);
	assert_int_equal(pool_nodes(&pool, "4", &c), 0);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_true(nodeset_has(a, 3) && nodeset_has(c, 4));
	pool_clear(&pool);
}

static void refuses_a_malformed_list(void **state)
{
	struct pool pool = {0};
	const struct nodeset *set = NULL;

	(void)state;
	assert_int_equal(pool_nodes(&pool, "3-1", &set), -EINVAL);
	assert_int_equal(pool_nodes(&pool, "999999", &set), -ERANGE);
	assert_null(set);
	pool_clear(&pool);
}

static void keeps_equal_policies_once_and_takes_what_it_is_given(void **state)
{
	struct pool pool = {0};
	struct mempolicy one = {0}, same = {0}, other = {0};
	const struct mempolicy *a, *b, *c;

	(void)state;
	assert_int_equal(mempolicy_parse("bind:0-1", &one, NULL), 0);
	assert_int_equal(mempolicy_parse("bind:0,1", &same, NULL), 0);
	assert_int_equal(mempolicy_parse("interleave:0-1", &other, NULL), 0);
	assert_int_equal(pool_policy(&pool, &one, &a), 0);
	assert_int_equal(pool_policy(&pool, &same, &b), 0);
	assert_int_equal(pool_policy(&pool, &other, &c), 0);
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	assert_int_equal(a->mode, MEMPOLICY_BIND);
	assert_null(one.nodes.word);
	assert_null(same.nodes.word);
	pool_clear(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_equal_sets_once),
		cmocka_unit_test(refuses_a_malformed_list),
		cmocka_unit_test(keeps_equal_policies_once_and_takes_what_it_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
