/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much an allocation can still take before a node, a zone or a limit ends it (mm/page_alloc.c
 * __zone_watermark_ok()), and how close other limits are. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/domain.h"
#include "snapshots.h"

enum { PRESENT = 100000, SWAP = 5000 };

static const struct oom_domain *find(struct snap *s)
{
	oom_forecast_clear(&s->forecast);
	assert_int_equal(domain_find(&s->snapshot, &s->question, &s->forecast.domain, &s->err), 0);
	return &s->forecast.domain;
}

/* Two nodes with memory, swap, and a task that asks. */
static struct snap *two_nodes(void)
{
	struct snap *s = snap_new(2, PRESENT);

	s->snapshot.swap_total = SWAP;
	snap_ask(s, snap_task(s, "t", 10));
	return s;
}

/* A cgroup /a/b of a task on a machine with 50000 free pages. */
static struct snap *two_groups(uint64_t max_a, uint64_t max_b)
{
	struct snap *s = two_nodes();

	snap_free_pages(s, 0, 50000);
	(void)snap_cgroup(s, "/a", 0, max_a);
	s->snapshot.task[0].memcg = snap_cgroup(s, "/a/b", 1, max_b);
	return s;
}

static struct topology_zone *zone_of(struct snap *s, unsigned node)
{
	return &s->snapshot.topology.node[node].zone[0];
}

static void headroom_is_the_sum_over_the_allowed_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(3, PRESENT);

	(void)state;
	snap_ask(s, snap_task(s, "t", 10));
	snap_free_pages(s, 0, 100);
	snap_free_pages(s, 1, 2000);
	snap_free_pages(s, 2, 30000);
	assert_int_equal(find(s)->headroom, 32100);
	snap_confine(s, 0, "0,2");
	assert_int_equal(find(s)->headroom, 30100);
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	assert_int_equal(find(s)->headroom, 100);
	s->question.is_kernel = true;
	snap_bind(s, 0, MEMPOLICY_PREFERRED, "0");
	assert_int_equal(find(s)->headroom, 32100);
}

static void a_zone_gives_what_is_above_its_watermark_and_reserve(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	*zone_of(s, 0) = (struct topology_zone){.index = SNAP_NORMAL,
						.present = PRESENT,
						.free = 1000,
						.min = 300,
						.protection = {1, 2, 3, 250},
						.protections = 4};
	assert_int_equal(find(s)->headroom, 450); /* a user page may be movable: protection[3] */
	s->question.is_kernel = true;
	assert_int_equal(find(s)->headroom, 697);
	s->question.is_kernel = false;
	zone_of(s, 0)->free = 549; /* below the watermark: nothing, and nothing is taken from node 1 */
	snap_free_pages(s, 1, 40);
	assert_int_equal(find(s)->headroom, 40);
}

static void a_zone_that_keeps_no_reserve_from_this_kind_gives_all(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_free_pages(s, 0, 1000);
	zone_of(s, 0)->protection[SNAP_MOVABLE] = 999;
	zone_of(s, 0)->protections = SNAP_MOVABLE; /* protection[0] to [2] were read */
	assert_int_equal(find(s)->headroom, 1000);
}

static void the_per_cpu_lists_are_headroom_of_the_zones_that_may_be_used(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_free_pages(s, 0, 1000);
	zone_of(s, 0)->pcp = 30;
	zone_of(s, 1)->pcp = 5;
	assert_int_equal(find(s)->headroom, 1035);
	zone_of(s, 1)->index = SNAP_MOVABLE;
	s->question.is_kernel = true;
	assert_int_equal(find(s)->headroom, 1030);
}

/* /proc/zoneinfo lists zones that are empty. */
static void an_empty_zone_does_not_make_a_movable_node_serve_the_kernel(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_free_pages(s, 0, 1000);
	zone_of(s, 1)->present = 0;
	s->snapshot.topology.node[1].file = 700;
	s->question.is_kernel = true;
	assert_int_equal(find(s)->headroom, 1000);
}

static void swap_limits_that_were_not_read_do_not_count(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);

	(void)state;
	s->snapshot.swap_free = 400;
	s->snapshot.memcg[1].is_read = false;
	s->snapshot.memcg[1].swap_max = 3;
	assert_int_equal(find(s)->headroom, 1400);
}

static void page_cache_and_swap_of_the_machine_are_headroom(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_free_pages(s, 0, 100);
	s->snapshot.topology.node[0].file = 2000;
	s->snapshot.topology.node[1].file = 30000;
	s->snapshot.swap_free = 4;
	assert_int_equal(find(s)->headroom, 32104);
	snap_confine(s, 0, "0");
	assert_int_equal(find(s)->headroom, 2104);
}

static void the_kernel_cannot_use_movable_zones(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_free_pages(s, 0, 100);
	zone_of(s, 1)->index = SNAP_MOVABLE;
	snap_free_pages(s, 1, 5000);
	s->snapshot.topology.node[1].file = 700;
	assert_int_equal(find(s)->headroom, 5800);
	s->question.is_kernel = true;
	assert_int_equal(find(s)->headroom, 100);
}

static void the_estimate_lies_in_its_interval(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, OOM_UNLIMITED);
	const struct oom_domain *domain;

	(void)state;
	s->snapshot.topology.node[0].file = 100;
	domain = find(s);
	/* About 1 % of the nodes' memory either way; page cache may prove not reclaimable. */
	assert_int_equal(domain->headroom_low, 50000 - 2 * PRESENT / 100);
	assert_int_equal(domain->headroom, 50100);
	assert_int_equal(domain->headroom_high, 50100 + 2 * PRESENT / 100);
	s->snapshot.memcg[2].max = 10000;
	domain = find(s);
	assert_int_equal(domain->constraint, OOM_MEMCG);
	assert_true(domain->headroom_low < 10000 && domain->headroom_high > 10000);
	assert_true(domain->headroom_low > 9000 && domain->headroom_high < 11000);
}

static void a_limit_within_the_error_is_close(void **state)
{
	static const struct {
		uint64_t max_a, max_b;
		int constraint;
		bool is_close;
	} cases[] = {
		{OOM_UNLIMITED, OOM_UNLIMITED, OOM_DERIVED, false},
		{OOM_UNLIMITED, 1000, OOM_DERIVED, false},
		{OOM_UNLIMITED, 49900, OOM_DERIVED, true}, /* nodes have 50000 */
		{OOM_UNLIMITED, 50100, OOM_DERIVED, true},
		{OOM_UNLIMITED, 90000, OOM_DERIVED, false},
		{10050, 10000, OOM_DERIVED, true},
		{10050, 10000, OOM_MEMCG, true},
		{10050, 10000, OOM_NONE, false},
		{20000, 10000, OOM_DERIVED, false},
		{OOM_UNLIMITED, 49900, OOM_MEMCG, false}, /* forced: the nodes are no rival */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = two_groups(cases[i].max_a, cases[i].max_b);
		s->question.constraint = cases[i].constraint;
		assert_int_equal(find(s)->is_close, cases[i].is_close);
	}
}

static void limits_that_are_close_to_each_other_but_not_to_the_first_do_not_matter(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(100, 20050);
	size_t leaf = snap_cgroup(s, "/a/b/c", 2, 20000);

	(void)state;
	s->snapshot.task[0].memcg = leaf;
	assert_int_equal(find(s)->memcg, 1);
	assert_false(s->forecast.domain.is_close);
}

static void forged_numbers_saturate(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, OOM_UNLIMITED - 1);

	(void)state;
	s->snapshot.ram = s->snapshot.swap_total = s->snapshot.swap_free = UINT64_MAX;
	s->snapshot.topology.node[0].present = UINT64_MAX;
	s->snapshot.topology.node[0].file = UINT64_MAX;
	snap_free_pages(s, 1, UINT64_MAX);
	find(s);
	assert_int_equal(s->forecast.domain.headroom, UINT64_MAX);
	assert_true(s->forecast.domain.totalpages <= OOM_PAGES_MAX);
	assert_true(s->forecast.domain.headroom_low <= s->forecast.domain.headroom_high);
}

static void an_unknown_page_size_is_an_error(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	struct oom_domain domain = {0};

	(void)state;
	s->snapshot.page_size = 0;
	assert_int_equal(domain_find(&s->snapshot, &s->question, &domain, &s->err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_per_cpu_lists_are_headroom_of_the_zones_that_may_be_used),
		cmocka_unit_test(headroom_is_the_sum_over_the_allowed_nodes),
		cmocka_unit_test(a_zone_gives_what_is_above_its_watermark_and_reserve),
		cmocka_unit_test(a_zone_that_keeps_no_reserve_from_this_kind_gives_all),
		cmocka_unit_test(an_empty_zone_does_not_make_a_movable_node_serve_the_kernel),
		cmocka_unit_test(swap_limits_that_were_not_read_do_not_count),
		cmocka_unit_test(page_cache_and_swap_of_the_machine_are_headroom),
		cmocka_unit_test(the_kernel_cannot_use_movable_zones),
		cmocka_unit_test(the_estimate_lies_in_its_interval),
		cmocka_unit_test(a_limit_within_the_error_is_close),
		cmocka_unit_test(limits_that_are_close_to_each_other_but_not_to_the_first_do_not_matter),
		cmocka_unit_test(forged_numbers_saturate),
		cmocka_unit_test(an_unknown_page_size_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
