/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups of processes with one mm. */
#include "test.h"

#include "base/cleanup.h"
#include "host/sharing.h"

static void calls_strangers_their_own_leaders(void **state)
{
	struct sharing sharing = {NULL, 0};

	(void)state;
	assert_int_equal(sharing_leader(&sharing, 5), 5);
	assert_int_equal(sharing_init(&sharing, NULL, 0), 0);
	assert_int_equal(sharing_leader(&sharing, 5), 5);
	sharing_clear(&sharing);
}

static void merges_groups_that_overlap(void **state)
{
	static const pid_t pids[] = {400, 398, 399, 399, 500, 501, 398};
	struct sharing sharing = {NULL, 0};

	(void)state;
	assert_int_equal(sharing_init(&sharing, pids, ARRAY_SIZE(pids)), 0);
	assert_int_equal(sharing.members, 5);
	sharing_join(&sharing, 400, 399);
	sharing_join(&sharing, 501, 500);
	assert_int_equal(sharing_leader(&sharing, 400), 399);
	sharing_join(&sharing, 398, 399);
	sharing_join(&sharing, 398, 398);
	assert_int_equal(sharing_leader(&sharing, 400), 398);
	assert_int_equal(sharing_leader(&sharing, 399), 398);
	assert_int_equal(sharing_leader(&sharing, 398), 398);
	assert_int_equal(sharing_leader(&sharing, 500), 500);
	assert_int_equal(sharing_leader(&sharing, 501), 500);
	assert_int_equal(sharing_leader(&sharing, 499), 499);
	sharing_clear(&sharing);
}

/* A long chain, joined from its far end, must not take quadratic time. */
static void stays_quick_with_long_chains(void **state)
{
	enum { COUNT = 100000 };
	AUTO(free_p) pid_t *pids = calloc(COUNT, sizeof(*pids));
	struct sharing sharing = {NULL, 0};

	(void)state;
	for (int i = 0; i < COUNT; i++)
		pids[i] = i + 1;
	assert_int_equal(sharing_init(&sharing, pids, COUNT), 0);
	for (int i = COUNT; i > 1; i--)
		sharing_join(&sharing, i, i - 1);
	for (int i = 1; i <= COUNT; i++)
		assert_int_equal(sharing_leader(&sharing, i), 1);
	sharing_clear(&sharing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_strangers_their_own_leaders),
		cmocka_unit_test(merges_groups_that_overlap),
		cmocka_unit_test(stays_quick_with_long_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
