/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points term by term, ties, and the intervals they may lie in: mm/oom_kill.c oom_badness(),
 * select_bad_process(). */
#include "test.h"

#include "base/cleanup.h"
#include "memory/badness.h"
#include "memory/domain.h"
#include "snapshots.h"

enum { PRESENT = 100000 };

/* Ranks everyone for the question; the text of the ranking. */
static const char *rank(struct snap *s)
{
	oom_forecast_clear(&s->forecast);
	assert_int_equal(domain_find(&s->snapshot, &s->question, &s->forecast.domain, &s->err), 0);
	assert_int_equal(badness_rank(&s->snapshot, &s->question, NULL, 0, &s->forecast), 0);
	return snap_ranking(s);
}

static struct snap *machine(void)
{
	return snap_new(2, PRESENT);
}

static void points_are_the_sum_of_their_terms(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	struct oom_task *task = snap_at(s, snap_task(s, "c", 1000));
	const struct oom_candidate *row;

	(void)state;
	task->file = 200;
	task->shmem = 30;
	task->swap = 4000;
	task->pgtables = 5;
	(void)rank(s);
	row = snap_row(s, 0);
	assert_int_equal(row->rss, 1230);
	assert_int_equal(row->swap, 4000);
	assert_int_equal(row->pgtables, 5);
	assert_int_equal(row->grow, 0);
	assert_int_equal(row->adj, 0);
	assert_int_equal(row->points, 5235);
}

static void adj_is_scaled_by_a_thousandth_rounded_down_first(void **state)
{
	static const struct {
		uint64_t totalpages;
		int adj;
		int64_t want;
	} cases[] = {
		{1999, 500, 500}, /* 1999 / 1000 = 1, not 999 */
		{1999, -999, -999}, {999, 1000, 0},
		{1000, 1000, 1000}, {199900, -300, -59700},
		{199900, 1, 199},   {UINT64_C(1) << 40, -998, -998 * (INT64_C(1099511627))},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = machine();
		snap_at(s, snap_task(s, "c", 7))->adj = cases[i].adj;
		s->snapshot.ram = cases[i].totalpages;
		(void)rank(s);
		assert_int_equal(snap_row(s, 0)->adj, cases[i].want);
		assert_int_equal(snap_row(s, 0)->points, cases[i].want + 7);
	}
}

static void adj_is_scaled_by_the_totalpages_of_the_domain(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 1));
	s->snapshot.task[0].adj = 10;
	s->snapshot.swap_total = 5000;
	assert_int_equal((rank(s), snap_row(s, 0)->adj), 10 * 204); /* 199800 + 5000 */
	snap_confine(s, 0, "1");
	assert_int_equal((rank(s), snap_row(s, 0)->adj), 10 * 105); /* 100000 + 5000 */
	s->snapshot.task[0].memcg = snap_cgroup(s, "/d", 0, 30000);
	s->snapshot.memcg[1].swap_max = 1000;
	s->question.constraint = OOM_MEMCG;
	assert_int_equal((rank(s), snap_row(s, 0)->adj), 10 * 31);
}

/* Before 5.9 negative points counted as 1; since then they are compared as they are. */
static void negative_points_are_ordered_and_can_win(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_at(s, snap_task(s, "pause", 1))->adj = -998;
	snap_at(s, snap_task(s, "big", 50000))->adj = -998;
	snap_at(s, snap_task(s, "low", 60000))->adj = -999;
	assert_string_equal(rank(s), "low big pause");
	assert_true(s->forecast.candidate[0].points < 0);
	s->snapshot.task[2].anon = 50000;
	assert_string_equal(rank(s), "big low pause");
}

static void adj_can_outweigh_any_size(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "big", 90000);
	snap_at(s, snap_task(s, "small", 1))->adj = 500; /* 500 * 199 = 99500 */
	assert_string_equal(rank(s), "small big");
	s->snapshot.task[1].adj = 450;
	assert_string_equal(rank(s), "big small");
}

static void memory_on_every_node_counts(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 4000));
	snap_confine(s, 0, "1");
	(void)snap_task(s, "a", 5000);
	snap_hold(s, 1, 0, 4999);
	snap_hold(s, 1, 1, 1);
	assert_string_equal(rank(s), "a t");
	assert_int_equal(snap_row(s, 1)->points, 5000);
}

static void the_allocating_task_grows_by_the_headroom_and_its_tables(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 1000));
	snap_confine(s, 0, "1");
	snap_free_pages(s, 1, 10240);
	(void)snap_task(s, "sharer", 1000);
	s->snapshot.task[0].mm = s->snapshot.task[1].mm = 2;
	(void)snap_task(s, "c", 5000);
	assert_string_equal(rank(s), "sharer t c");
	assert_int_equal(snap_row(s, 0)->grow, 10240 + 20);
	assert_int_equal(snap_row(s, 1)->grow, 10240 + 20);
	assert_int_equal(snap_row(s, 2)->grow, 0);
	assert_int_equal(snap_row(s, 0)->points, 11260);
	s->question.is_kernel = true;
	snap_free_pages(s, 1, 2048);
	(void)rank(s);
	assert_int_equal(snap_row(s, 0)->grow, 2048); /* the pages are the tables */
}

static void without_an_allocating_task_nobody_grows(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "c", 1000);
	snap_free_pages(s, 0, 7000);
	(void)rank(s);
	assert_int_equal(snap_row(s, 0)->grow, 0);
}

static void what_a_kill_freed_is_growth_too_and_the_dead_are_gone(void **state)
{
	static const bool gone[] = {false, true};
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 1));
	(void)snap_task(s, "dead", 5000);
	(void)rank(s);
	assert_int_equal(badness_rank(&s->snapshot, &s->question, gone, 5120, &s->forecast), 0);
	assert_string_equal(snap_ranking(s), "t");
	assert_int_equal(snap_row(s, 0)->grow, 5130);
	assert_string_equal(snap_skipped(s), "");
}

/* ---- order ---- */

static void a_tie_goes_to_the_youngest(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "old", 50);
	(void)snap_task(s, "mid", 50);
	(void)snap_task(s, "young", 50);
	s->snapshot.task[0].memcg_order = 99; /* not a memcg OOM: this order says nothing */
	assert_string_equal(rank(s), "young mid old");
}

static void a_tie_in_a_memcg_goes_to_the_last_of_the_walk(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	size_t d = snap_cgroup(s, "/d", 0, 100);
	static const uint64_t place[] = {7, 5, 6};

	(void)state;
	(void)snap_task(s, "old", 50);
	(void)snap_task(s, "mid", 50);
	(void)snap_task(s, "young", 50);
	for (size_t i = 0; i < 3; i++) {
		s->snapshot.task[i].memcg = d;
		s->snapshot.task[i].memcg_order = place[i];
	}
	s->question.memcg = d;
	s->question.constraint = OOM_MEMCG;
	assert_string_equal(rank(s), "old young mid");
}

/* ---- intervals ---- */

static void page_cache_may_go_and_so_may_shared_memory_with_swap(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	struct oom_task *task = snap_at(s, snap_task(s, "c", 1000));

	(void)state;
	task->file = 200;
	task->shmem = 30;
	task->swap = 4;
	task->pgtables = 5;
	task->adj = -1; /* 199 */
	(void)rank(s);
	assert_int_equal(snap_row(s, 0)->low, 1039 - 199);
	assert_int_equal(snap_row(s, 0)->high, 1239 - 199);
	s->snapshot.swap_free = 1;
	(void)rank(s);
	assert_int_equal(snap_row(s, 0)->low, 1009 - 199);
	assert_int_equal(snap_row(s, 0)->high, 1239 - 199);
}

static void the_allocating_task_has_the_interval_of_the_headroom(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	const struct oom_domain *domain = &s->forecast.domain;

	(void)state;
	snap_ask(s, snap_task(s, "t", 1000));
	snap_free_pages(s, 0, 20480);
	(void)rank(s);
	assert_true(domain->headroom_low > 0);
	assert_int_equal(snap_row(s, 0)->low, 1000 + domain->headroom_low + domain->headroom_low / 512);
	assert_int_equal(snap_row(s, 0)->high, 1000 + domain->headroom_high + domain->headroom_high / 512);
	s->question.is_kernel = true; /* slab has no points, page tables have */
	(void)rank(s);
	assert_int_equal(snap_row(s, 0)->low, 1000);
	assert_int_equal(snap_row(s, 0)->high, 1000 + domain->headroom_high);
}

static void forged_numbers_neither_overflow_nor_break_the_sum(void **state)
{
	static const int adj[] = {INT32_MIN, -1001, -999, 1001, INT32_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(adj); i++) {
		AUTO(snap_free_p) struct snap *s = machine();
		struct oom_task *task = snap_at(s, snap_task(s, "c", UINT64_MAX));
		task->file = task->shmem = task->swap = task->pgtables = UINT64_MAX;
		task->adj = adj[i];
		snap_ask(s, 0);
		snap_free_pages(s, 0, UINT64_MAX);
		s->snapshot.ram = s->snapshot.swap_total = UINT64_MAX;
		(void)rank(s);
		if (adj[i] <= -1000) {
			assert_string_equal(snap_skipped(s), "c:oom_score_adj");
			continue;
		}
		const struct oom_candidate *row = snap_row(s, 0);
		assert_int_equal(row->points,
				 row->rss + row->swap + row->pgtables + row->grow + (uint64_t)row->adj);
		assert_true(row->low <= row->high);
	}
}

static void no_tasks_give_no_candidates(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	assert_string_equal(rank(s), "");
	assert_int_equal(s->forecast.skips, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_the_sum_of_their_terms),
		cmocka_unit_test(adj_is_scaled_by_a_thousandth_rounded_down_first),
		cmocka_unit_test(adj_is_scaled_by_the_totalpages_of_the_domain),
		cmocka_unit_test(negative_points_are_ordered_and_can_win),
		cmocka_unit_test(adj_can_outweigh_any_size),
		cmocka_unit_test(memory_on_every_node_counts),
		cmocka_unit_test(the_allocating_task_grows_by_the_headroom_and_its_tables),
		cmocka_unit_test(without_an_allocating_task_nobody_grows),
		cmocka_unit_test(what_a_kill_freed_is_growth_too_and_the_dead_are_gone),
		cmocka_unit_test(a_tie_goes_to_the_youngest),
		cmocka_unit_test(a_tie_in_a_memcg_goes_to_the_last_of_the_walk),
		cmocka_unit_test(page_cache_may_go_and_so_may_shared_memory_with_swap),
		cmocka_unit_test(the_allocating_task_has_the_interval_of_the_headroom),
		cmocka_unit_test(forged_numbers_neither_overflow_nor_break_the_sum),
		cmocka_unit_test(no_tasks_give_no_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
