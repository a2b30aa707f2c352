/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is eligible, how many points each has, who is preferred: mm/oom_kill.c oom_evaluate_task(),
 * oom_badness(), oom_cpuset_eligible(), mm/mempolicy.c mempolicy_in_oom_domain(). */
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

/* A trigger bound to node 1 by policy, and one candidate. */
static struct snap *policy_oom(struct oom_task **candidate)
{
	struct snap *s = machine();

	snap_ask(s, snap_task(s, "t", 10));
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	*candidate = snap_at(s, snap_task(s, "c", 20));
	return s;
}

static void init_and_kernel_threads_are_never_candidates(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "init", 9000);
	(void)snap_task(s, "kthread", 8000);
	(void)snap_task(s, "c", 1);
	s->snapshot.task[0].is_init = s->snapshot.task[1].is_kthread = true;
	assert_string_equal(rank(s), "c");
	assert_string_equal(snap_skipped(s), "init:init kthread:kthread");
	assert_int_equal(s->forecast.skipped_count[OOM_SKIP_INIT], 1);
	assert_int_equal(s->forecast.skipped_count[OOM_SKIP_KTHREAD], 1);
}

static void a_memcg_oom_takes_exactly_its_subtree(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	size_t d, child, plain, beside;

	(void)state;
	d = snap_cgroup(s, "/d", 0, 100);
	child = snap_cgroup(s, "/d/c", d, OOM_UNLIMITED);
	plain = snap_cgroup(s, "/d/c/p", child, 0);
	beside = snap_cgroup(s, "/e", 0, OOM_UNLIMITED);
	s->snapshot.memcg[plain].has_memory = s->snapshot.memcg[plain].is_read = false;
	snap_at(s, snap_task(s, "t", 1))->memcg = d;
	snap_at(s, snap_task(s, "child", 2))->memcg = child;
	snap_at(s, snap_task(s, "plain", 3))->memcg = plain;
	snap_at(s, snap_task(s, "beside", 4))->memcg = beside;
	(void)snap_task(s, "root", 5);
	snap_at(s, snap_task(s, "lost", 6))->memcg = OOM_NOBODY;
	snap_ask(s, 0);
	s->question.constraint = OOM_MEMCG;
	s->question.is_kernel = true; /* so that t grows by no more than it has room for */
	s->snapshot.memcg[d].current = 100;
	assert_string_equal(rank(s), "plain child t");
	assert_string_equal(snap_skipped(s), "beside:outside_memcg root:outside_memcg lost:outside_memcg");
}

static void a_memcg_oom_looks_at_neither_cpuset_nor_policy(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();
	size_t d = snap_cgroup(s, "/d", 0, 100);

	(void)state;
	snap_at(s, snap_task(s, "t", 1))->memcg = d;
	snap_at(s, snap_task(s, "c", 900))->memcg = d;
	snap_confine(s, 0, "0");
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	snap_confine(s, 1, "1");
	snap_bind(s, 1, MEMPOLICY_BIND, "1");
	snap_ask(s, 0);
	s->question.constraint = OOM_MEMCG;
	assert_string_equal(rank(s), "c t");
}

static void a_cpuset_oom_skips_who_may_not_use_any_of_its_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(3, PRESENT);

	(void)state;
	snap_ask(s, snap_task(s, "t", 1));
	snap_confine(s, 0, "0-1");
	snap_confine(s, snap_task(s, "other", 900), "2");
	snap_confine(s, snap_task(s, "overlaps", 50), "1-2");
	snap_confine(s, snap_task(s, "inside", 40), "0");
	assert_string_equal(rank(s), "overlaps inside t");
	assert_string_equal(snap_skipped(s), "other:cpuset");
}

static void without_a_constraint_the_cpuset_still_filters(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	/* Page tables of a confined task fill the whole machine; the larger one elsewhere is not looked at.
	 */
	snap_ask(s, snap_task(s, "t", 10));
	snap_confine(s, 0, "1");
	snap_confine(s, snap_task(s, "larger", 90000), "0");
	s->question.is_kernel = true;
	assert_string_equal(rank(s), "t");
	assert_int_equal(s->forecast.domain.constraint, OOM_NONE);
	assert_string_equal(snap_skipped(s), "larger:cpuset");
}

static void owning_no_page_on_the_nodes_does_not_protect(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 10));
	snap_confine(s, 0, "1");
	snap_hold(s, snap_task(s, "a", 5000), 0, 5000);
	assert_string_equal(rank(s), "a t");
}

static void one_thread_in_the_cpuset_suffices(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 10));
	snap_confine(s, 0, "1");
	snap_confine(s, snap_task(s, "c", 50), "0");
	assert_string_equal(rank(s), "t");
	(void)snap_thread(s, 1, "1", NULL);
	assert_string_equal(rank(s), "c t");
}

static void a_policy_oom_asks_the_policy_of_candidates_by_mode(void **state)
{
	static const struct {
		enum mempolicy_mode mode;
		const char *nodes;
		unsigned major, minor;
		bool eligible;
	} cases[] = {
		{MEMPOLICY_DEFAULT, NULL, 6, 1, true},
		{MEMPOLICY_LOCAL, NULL, 6, 1, true},
		{MEMPOLICY_PREFERRED, "0", 6, 1, true},
		{MEMPOLICY_PREFERRED_MANY, "0", 6, 1, true},
		{MEMPOLICY_WEIGHTED_INTERLEAVE, "0", 6, 12, true},
		{MEMPOLICY_BIND, "0", 6, 1, false},
		{MEMPOLICY_BIND, "1", 6, 1, true},
		{MEMPOLICY_BIND, "0-1", 6, 1, true},
		/* Up to 5.13 interleave excludes like bind; 5.14 left only bind. */
		{MEMPOLICY_INTERLEAVE, "0", 5, 10, false},
		{MEMPOLICY_INTERLEAVE, "0", 5, 13, false},
		{MEMPOLICY_INTERLEAVE, "0-1", 5, 10, true},
		{MEMPOLICY_INTERLEAVE, "0", 5, 14, true},
		{MEMPOLICY_INTERLEAVE, "0", 5, 15, true},
		{MEMPOLICY_INTERLEAVE, "0", 6, 1, true},
		{MEMPOLICY_INTERLEAVE, "0", 4, 19, false},
		{MEMPOLICY_BIND, "0", 5, 10, false},
		{MEMPOLICY_PREFERRED, "0", 5, 10, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct oom_task *candidate;
		AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);
		snap_bind(s, 1, cases[i].mode, cases[i].nodes);
		s->snapshot.major = cases[i].major;
		s->snapshot.minor = cases[i].minor;
		assert_string_equal(rank(s), cases[i].eligible ? "c t" : "t");
		assert_string_equal(snap_skipped(s), cases[i].eligible ? "" : "c:mempolicy");
	}
}

static void a_policy_oom_does_not_look_at_cpusets(void **state)
{
	struct oom_task *candidate;
	AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);

	(void)state;
	snap_confine(s, 1, "0");
	assert_string_equal(rank(s), "c t");
}

static void one_thread_without_a_disjoint_bind_suffices(void **state)
{
	struct oom_task *candidate;
	AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);

	(void)state;
	snap_bind(s, 1, MEMPOLICY_BIND, "0");
	(void)snap_thread(s, 1, NULL, snap_policy(s, MEMPOLICY_BIND, "0"));
	assert_string_equal(rank(s), "t");
	(void)snap_thread(s, 1, NULL, NULL);
	assert_string_equal(rank(s), "c t");
}

static void a_dead_leader_has_dropped_its_policy_and_makes_the_process_eligible(void **state)
{
	struct oom_task *candidate;
	AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);

	(void)state;
	candidate->is_zombie_leader = true;
	(void)snap_thread(s, 1, NULL, snap_policy(s, MEMPOLICY_BIND, "0"));
	assert_string_equal(rank(s), "c t");
}

static void nobody_is_excluded_for_what_could_not_be_read(void **state)
{
	struct oom_task *candidate;
	AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);

	(void)state;
	candidate->thread[0].has_policy = false;
	assert_string_equal(rank(s), "c t");
	s->question.constraint = OOM_CPUSET;
	snap_confine(s, 0, "1");
	candidate->thread[0].mems = NULL;
	assert_string_equal(rank(s), "c t");
}

static void a_victim_that_is_still_dying_blocks_unless_it_was_reaped(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "v", 50);
	(void)snap_task(s, "c", 10);
	s->snapshot.task[0].is_oom_victim = true;
	s->snapshot.task[0].score = 700;
	assert_string_equal(rank(s), "c");
	assert_string_equal(snap_skipped(s), "v:victim");
	s->snapshot.task[0].score = 0; /* MMF_OOM_SKIP */
	assert_string_equal(rank(s), "c");
	assert_string_equal(snap_skipped(s), "v:reaped");
}

static void a_dying_victim_outside_of_the_domain_is_just_outside(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_ask(s, snap_task(s, "t", 50));
	snap_confine(s, 0, "1");
	snap_confine(s, snap_task(s, "v", 10), "0");
	s->snapshot.task[1].is_oom_victim = true;
	assert_string_equal(rank(s), "t");
	assert_string_equal(snap_skipped(s), "v:cpuset");
}

static void a_victim_blocks_even_with_oom_score_adj_minus_1000(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "v", 50);
	s->snapshot.task[0].is_oom_victim = true;
	s->snapshot.task[0].adj = -1000;
	(void)rank(s);
	assert_string_equal(snap_skipped(s), "v:victim");
}

static void no_mm_minus_1000_and_vfork_have_no_points(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_at(s, snap_task(s, "zombie", 0))->has_mm = false;
	snap_at(s, snap_task(s, "exempt", 90000))->adj = -1000;
	snap_at(s, snap_task(s, "vforked", 90000))->is_vfork_child = true;
	snap_at(s, snap_task(s, "almost", 1))->adj = -999;
	assert_string_equal(rank(s), "almost");
	assert_string_equal(snap_skipped(s), "zombie:no_mm exempt:oom_score_adj vforked:vfork");
}

static void a_plain_sharer_of_an_mm_is_an_ordinary_candidate(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	(void)snap_task(s, "parent", 50);
	(void)snap_task(s, "sharer", 50);
	s->snapshot.task[0].mm = s->snapshot.task[1].mm = 3;
	assert_string_equal(rank(s), "sharer parent"); /* a tie: the younger */
}

static void a_score_of_0_gives_away_a_hidden_exclusion(void **state)
{
	static const struct {
		int score, adj;
		uint64_t anon;
		bool dying;
		const char *skipped;
	} cases[] = {
		{0, 0, 500, false, "c:hidden"},
		{0, 0, 500, true, "c:reaped"},
		{0, -899, 500, false, "c:hidden"},
		{0, -900, 500, false, ""}, /* so low an adj may itself give 0 */
		{0, -999, 500, false, ""},
		{0, 0, 0, false, ""}, /* no memory, no points */
		{1, 0, 500, false, ""},
		{-1, 0, 500, false, ""}, /* unknown */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = machine();
		struct oom_task *task = snap_at(s, snap_task(s, "c", cases[i].anon));
		task->score = cases[i].score;
		task->adj = cases[i].adj;
		task->is_dying = cases[i].dying;
		(void)rank(s);
		assert_string_equal(snap_skipped(s), cases[i].skipped);
	}
}

static void unreadable_and_vanished_ones_are_listed_as_such(void **state)
{
	AUTO(snap_free_p) struct snap *s = machine();

	(void)state;
	snap_at(s, snap_task(s, "u", 500))->is_unreadable = true;
	snap_at(s, snap_task(s, "v", 500))->has_vanished = true;
	(void)snap_task(s, "c", 5);
	assert_string_equal(rank(s), "c");
	assert_string_equal(snap_skipped(s), "u:unreadable v:vanished");
}

/* ---- points ---- */

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
		cmocka_unit_test(init_and_kernel_threads_are_never_candidates),
		cmocka_unit_test(a_memcg_oom_takes_exactly_its_subtree),
		cmocka_unit_test(a_memcg_oom_looks_at_neither_cpuset_nor_policy),
		cmocka_unit_test(a_cpuset_oom_skips_who_may_not_use_any_of_its_nodes),
		cmocka_unit_test(without_a_constraint_the_cpuset_still_filters),
		cmocka_unit_test(owning_no_page_on_the_nodes_does_not_protect),
		cmocka_unit_test(one_thread_in_the_cpuset_suffices),
		cmocka_unit_test(a_policy_oom_asks_the_policy_of_candidates_by_mode),
		cmocka_unit_test(a_policy_oom_does_not_look_at_cpusets),
		cmocka_unit_test(one_thread_without_a_disjoint_bind_suffices),
		cmocka_unit_test(a_dead_leader_has_dropped_its_policy_and_makes_the_process_eligible),
		cmocka_unit_test(nobody_is_excluded_for_what_could_not_be_read),
		cmocka_unit_test(a_victim_that_is_still_dying_blocks_unless_it_was_reaped),
		cmocka_unit_test(a_dying_victim_outside_of_the_domain_is_just_outside),
		cmocka_unit_test(a_victim_blocks_even_with_oom_score_adj_minus_1000),
		cmocka_unit_test(no_mm_minus_1000_and_vfork_have_no_points),
		cmocka_unit_test(a_plain_sharer_of_an_mm_is_an_ordinary_candidate),
		cmocka_unit_test(a_score_of_0_gives_away_a_hidden_exclusion),
		cmocka_unit_test(unreadable_and_vanished_ones_are_listed_as_such),
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
