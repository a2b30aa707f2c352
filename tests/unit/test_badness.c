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

static void any_kind_of_mapped_memory_makes_a_score_of_0_suspicious(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		AUTO(snap_free_p) struct snap *s = machine();
		struct oom_task *task = snap_at(s, snap_task(s, "c", kind == 0));
		task->file = kind == 1;
		task->shmem = kind == 2;
		task->score = 0;
		(void)rank(s);
		assert_string_equal(snap_skipped(s), "c:hidden");
	}
}

static void a_process_whose_threads_are_not_known_is_eligible(void **state)
{
	struct oom_task *candidate;
	AUTO(snap_free_p) struct snap *s = policy_oom(&candidate);

	(void)state;
	candidate->threads = 0;
	assert_string_equal(rank(s), "c t");
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
		cmocka_unit_test(any_kind_of_mapped_memory_makes_a_score_of_0_suspicious),
		cmocka_unit_test(a_process_whose_threads_are_not_known_is_eligible),
		cmocka_unit_test(unreadable_and_vanished_ones_are_listed_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
