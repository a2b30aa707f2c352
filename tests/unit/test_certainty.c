/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How sure a forecast is: intervals against the counters' error, and everything that makes it likely at most.
 */
#include "test.h"

#include "base/cleanup.h"
#include "memory/certainty.h"
#include "snapshots.h"

enum { PRESENT = 1000000 };

static void set_kernel(struct snap *s, unsigned major, unsigned minor)
{
	s->snapshot.major = major;
	s->snapshot.minor = minor;
}

/* The certainty of a whole forecast. */
static enum oom_certainty certainty(struct snap *s)
{
	assert_int_equal(snap_forecast(s), 0);
	return s->forecast.certainty;
}

static void assert_warns(struct snap *s, const char *part)
{
	if (!strstr(snap_warnings(s), part))
		fail_msg("no warning with \"%s\" in: %s", part, snap_warnings(s));
}

/* A trigger with room for nothing more, and a victim far ahead of the next. */
static struct snap *clear_case(void)
{
	struct snap *s = snap_new(2, PRESENT);

	snap_ask(s, snap_task(s, "t", 1000));
	(void)snap_task(s, "a", 700000);
	(void)snap_task(s, "b", 300000);
	return s;
}

/* lib/percpu_counter.c: batch = max(32, 2 * cpus), (batch - 1) * cpus a counter, four counters. */
static void the_counters_error_depends_on_kernel_and_cpus(void **state)
{
	static const struct {
		unsigned major, minor, cpus;
		uint64_t error;
	} cases[] = {
		{5, 10, 64, 0}, /* per-thread counters: /proc and the OOM killer read the same */
		{6, 1, 64, 0},
		{6, 2, 4, 4 * 124},
		{6, 12, 4, 4 * 124},
		{6, 12, 1, 4 * 31},
		{6, 12, 16, 4 * 31 * 16},
		{6, 12, 64, 4 * 8128},
		{6, 18, 256, 4 * 130816},
		{7, 2, 4, 4 * 124},
		{7, 3, 256, 0}, /* both take the exact sum */
		{7, 4, 256, 0},
		{8, 0, 256, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);
		set_kernel(s, cases[i].major, cases[i].minor);
		s->snapshot.cpus = cases[i].cpus;
		assert_int_equal(certainty_counter_error(&s->snapshot), cases[i].error);
	}
}

static void a_clear_lead_is_certain(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "a");
	assert_string_equal(snap_warnings(s), "");
}

static void intervals_that_meet_are_not_certain(void **state)
{
	static const struct {
		uint64_t anon_a, file_a, anon_b, file_b;
		enum oom_certainty certainty;
	} cases[] = {
		{1000, 0, 999, 0, OOM_CERTAIN},
		{1000, 0, 1000, 0, OOM_AMBIGUOUS}, /* a tie: only the order of the walk decides */
		{1000, 500, 1200, 0, OOM_LIKELY},  /* a leads by 300 but 500 of it may be reclaimed */
		{1000, 500, 999, 0, OOM_CERTAIN},
		{1000, 500, 1000, 0, OOM_LIKELY}, /* equal when all of its page cache is gone */
		{1000, 0, 500, 499, OOM_CERTAIN},
		{1000, 0, 500, 500, OOM_AMBIGUOUS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);
		snap_at(s, snap_task(s, "b", cases[i].anon_b))->file = cases[i].file_b;
		snap_at(s, snap_task(s, "a", cases[i].anon_a))->file = cases[i].file_a;
		assert_int_equal(certainty(s), cases[i].certainty);
		assert_string_equal(snap_kills(s), "a");
	}
}

static void the_counters_error_counts_on_both_sides(void **state)
{
	enum { ERROR = 4 * 124 };
	static const struct {
		uint64_t lead;
		enum oom_certainty certainty;
	} cases[] = {
		{2 * ERROR + 1, OOM_CERTAIN},
		{2 * ERROR, OOM_AMBIGUOUS},
		{1, OOM_AMBIGUOUS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);
		set_kernel(s, 6, 12);
		(void)snap_task(s, "b", 10000);
		(void)snap_task(s, "a", 10000 + cases[i].lead);
		assert_int_equal(certainty(s), cases[i].certainty);
		set_kernel(s, 6, 1);
		assert_int_equal(certainty(s), OOM_CERTAIN);
		set_kernel(s, 7, 3);
		assert_int_equal(certainty(s), OOM_CERTAIN);
	}
}

static void a_third_process_can_make_it_uncertain_too(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	snap_at(s, snap_task(s, "maps much", 10))->file = 8000;
	(void)snap_task(s, "b", 8500);
	snap_at(s, snap_task(s, "a", 7000))->file = 2000;
	assert_string_equal((certainty(s), snap_kills(s)), "a");
	assert_int_equal(s->forecast.certainty, OOM_LIKELY);
	s->snapshot.task[1].anon = 6999;
	assert_int_equal(certainty(s), OOM_LIKELY); /* 10 + 8000 >= 7000 */
	s->snapshot.task[0].file = 6989;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void the_worst_rival_counts_not_the_last(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	(void)snap_task(s, "c", 1200); /* only if page cache of a goes */
	(void)snap_task(s, "b", 1500); /* a tie as it is */
	snap_at(s, snap_task(s, "a", 1000))->file = 500;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	assert_string_equal(snap_ranking(s), "a b c");
}

static void the_uncertain_growth_of_the_trigger_counts(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(2, PRESENT);

	(void)state;
	snap_ask(s, snap_task(s, "t", 400000));
	(void)snap_task(s, "a", 520000);
	snap_free_pages(s, 0, 100000);
	assert_string_equal((certainty(s), snap_kills(s)), "a");
	assert_int_equal(s->forecast.certainty, OOM_LIKELY); /* 500000, give or take 1 % of the machine */
	s->snapshot.task[1].anon = 600000;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void a_rival_that_shares_the_mm_is_no_rival(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	snap_at(s, snap_task(s, "a", 5000))->mm = 1;
	snap_at(s, snap_task(s, "twin", 5000))->mm = 1;
	(void)snap_task(s, "b", 4000);
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "twin a:shares_mm");
	assert_int_equal(s->forecast.margin, 1000);
}

static void rivals_of_one_group_are_likely_since_the_same_die(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	(void)snap_cgroup(s, "/g", 0, OOM_UNLIMITED);
	s->snapshot.memcg[1].oom_group = true;
	snap_at(s, snap_task(s, "a", 5000))->memcg = 1;
	snap_at(s, snap_task(s, "b", 5000))->memcg = 1;
	(void)snap_task(s, "c", 1000);
	assert_int_equal(certainty(s), OOM_LIKELY);
	s->snapshot.memcg[1].oom_group = false;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	s->snapshot.memcg[1].oom_group = true;
	s->snapshot.task[2].anon = 5000; /* a tie with one outside of the group */
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
}

static void many_rivals_are_not_compared_one_by_one(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		(void)snap_task(s, "x", 100);
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
}

/* ---- what makes it likely at most ---- */

static void kernels_outside_of_the_checked_range_are_likely(void **state)
{
	static const struct {
		unsigned major, minor;
		bool checked;
		const char *part;
	} cases[] = {
		{4, 19, false, "older"}, {5, 9, false, "older"}, {5, 10, true, NULL},	 {6, 1, true, NULL},
		{7, 3, true, NULL},	 {7, 4, false, "newer"}, {8, 0, false, "newer"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = clear_case();
		set_kernel(s, cases[i].major, cases[i].minor);
		assert_int_equal(certainty(s), cases[i].checked ? OOM_CERTAIN : OOM_LIKELY);
		if (cases[i].part)
			assert_warns(s, cases[i].part);
		s->snapshot.release = NULL;
		(void)certainty(s);
	}
}

static void what_could_not_be_seen_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.is_complete = false;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_true(s->forecast.warnings == 1 && !s->forecast.is_complete);
	s->snapshot.is_complete = true;
	snap_at(s, snap_task(s, "secret", 0))->is_unreadable = true;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_true(s->forecast.warnings == 1 && !s->forecast.is_complete);
}

static void other_growers_make_it_likely_but_not_noise_or_the_trigger(void **state)
{
	static const struct {
		size_t task;
		int64_t grew;
		enum oom_certainty certainty;
	} cases[] = {
		{2, 5000, OOM_LIKELY},	 {2, 256, OOM_CERTAIN},	 {2, 257, OOM_LIKELY},
		{2, -5000, OOM_CERTAIN}, {0, 5000, OOM_CERTAIN}, /* the trigger is expected to */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = clear_case();
		s->snapshot.task[cases[i].task].grew = cases[i].grew;
		assert_int_equal(certainty(s), cases[i].certainty);
		if (cases[i].certainty == OOM_LIKELY)
			assert_warns(s, "b (pid 102) grows");
	}
}

static void a_grower_outside_of_the_domain_does_not_matter(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_confine(s, 0, "1");
	snap_confine(s, 2, "0");
	s->snapshot.task[2].grew = 5000;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void only_a_few_growers_are_named(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		snap_at(s, snap_task(s, "x", 100))->grew = 999;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_int_equal(s->forecast.warnings, 5);
	assert_warns(s, "4996 more");
}

static void as_many_growers_as_can_be_named_are_named(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	for (size_t i = 0; i < 4; i++)
		snap_at(s, snap_task(s, "x", 100))->grew = 999;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_int_equal(s->forecast.warnings, 4);
}

static void a_candidate_that_is_dying_makes_it_likely_unless_only_its_leader_is(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].is_dying = true;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "b (pid 102) is dying");
	s->snapshot.task[2].is_zombie_leader = true;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void names_in_warnings_are_safe_on_a_terminal(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].comm = "\033[2J\n";
	s->snapshot.task[2].grew = 5000;
	(void)certainty(s);
	assert_null(strchr(s->forecast.warning[0], '\033'));
	assert_null(strchr(s->forecast.warning[0], '\n'));
	s->snapshot.task[2].comm = NULL;
	assert_int_equal(certainty(s), OOM_LIKELY);
}

static void a_trigger_whose_place_is_not_surely_known_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();
	struct oom_thread *thread = s->snapshot.task[0].thread;

	(void)state;
	thread->has_policy = false;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "could not be read");
	s->question.policy = snap_policy(s, MEMPOLICY_LOCAL, NULL); /* then the task's does not matter */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->question.is_kernel = true; /* but for the kernel it does */
	assert_int_equal(certainty(s), OOM_LIKELY);
	s->question.is_kernel = false;
	s->question.policy = NULL;
	thread->has_policy = thread->is_mixed = true;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "disagree");
	thread->is_mixed = false;
	thread->mems = NULL;
	assert_int_equal(certainty(s), OOM_LIKELY);
}

static void a_policy_of_an_unknown_kind_is_never_certain(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_bind(s, 0, MEMPOLICY_OTHER, "1");
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_int_equal(s->forecast.domain.constraint, OOM_NONE);
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	assert_int_equal(certainty(s), OOM_CERTAIN);
	snap_bind(s, 2, MEMPOLICY_OTHER, "0"); /* a candidate's matters in a policy OOM */
	assert_int_equal(certainty(s), OOM_LIKELY);
	snap_bind(s, 0, MEMPOLICY_DEFAULT, NULL);
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void a_candidate_that_may_or_may_not_be_eligible_makes_a_policy_oom_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	s->snapshot.task[2].thread[0].has_policy = false;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "pid 102");
	(void)snap_thread(s, 2, NULL, NULL); /* one thread that surely is suffices */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	snap_bind(s, 2, MEMPOLICY_BIND, "0");
	s->snapshot.task[2].thread[0].has_policy = s->snapshot.task[2].thread[0].is_mixed = true;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->snapshot.task[2].thread[1].policy = s->snapshot.task[2].thread[0].policy;
	assert_int_equal(certainty(s), OOM_LIKELY); /* excluded, but not surely */
	s->snapshot.task[2].adj = -1000;	    /* never killed in any case */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->snapshot.task[2].adj = 0;
	snap_bind(s, 0, MEMPOLICY_DEFAULT, NULL); /* not a policy OOM: nobody asks */
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void a_candidate_with_unknown_mems_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_confine(s, 0, "1");
	s->snapshot.task[2].thread[0].mems = NULL;
	assert_int_equal(certainty(s), OOM_LIKELY);
	(void)snap_thread(s, 2, "1", NULL);
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->snapshot.task[2].memcg = snap_cgroup(s, "/d", 0, 10);
	s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = 1;
	s->snapshot.task[2].threads = 1;
	s->question.constraint = OOM_MEMCG; /* a memcg OOM does not look at cpusets */
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void a_process_whose_threads_are_not_known_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].threads = 0;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "mems_allowed of pid 102");
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "task policy of pid 102");
	s->snapshot.task[2].is_kthread = true; /* never a candidate, whatever its policy */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->snapshot.task[2].is_kthread = false;
	s->snapshot.task[2].is_vfork_child = true;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void a_limit_that_is_about_as_close_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_free_pages(s, 0, 50000);
	s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = snap_cgroup(s, "/d", 0, 50000);
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "another limit");
	s->snapshot.memcg[1].max = 10000;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

static void limits_of_cgroup_v1_make_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.memory_on_v1 = true;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "v1");
}

static void a_cap_never_makes_it_surer(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	(void)snap_task(s, "a", 100);
	(void)snap_task(s, "b", 100);
	s->snapshot.is_complete = false;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
}

static void that_adj_decides_and_not_size_is_said(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].adj = 1000;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "b");
	assert_warns(s, "oom_score_adj decides");
	assert_warns(s, "a (pid 101)");
	s->snapshot.task[0].adj = s->snapshot.task[1].adj = 1000; /* the same for all: size decides */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_warnings(s), "");
}

static void an_adj_that_decides_nothing_is_not_mentioned(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[0].adj = 200; /* 1000 + 200 * 1999 points, and still behind */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "a");
	assert_string_equal(snap_warnings(s), "");
}

static void a_panic_that_is_configured_is_certain(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.panic_on_oom = 2;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_int_equal(s->forecast.outcome, OOM_PANIC);
}

static void forged_cpus_do_not_overflow(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	set_kernel(s, 6, 12);
	s->snapshot.cpus = UINT32_MAX;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	s->snapshot.cpus = 0;
	assert_int_equal(certainty(s), OOM_CERTAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counters_error_depends_on_kernel_and_cpus),
		cmocka_unit_test(a_clear_lead_is_certain),
		cmocka_unit_test(intervals_that_meet_are_not_certain),
		cmocka_unit_test(the_counters_error_counts_on_both_sides),
		cmocka_unit_test(a_third_process_can_make_it_uncertain_too),
		cmocka_unit_test(the_worst_rival_counts_not_the_last),
		cmocka_unit_test(the_uncertain_growth_of_the_trigger_counts),
		cmocka_unit_test(a_rival_that_shares_the_mm_is_no_rival),
		cmocka_unit_test(rivals_of_one_group_are_likely_since_the_same_die),
		cmocka_unit_test(many_rivals_are_not_compared_one_by_one),
		cmocka_unit_test(kernels_outside_of_the_checked_range_are_likely),
		cmocka_unit_test(what_could_not_be_seen_makes_it_likely),
		cmocka_unit_test(other_growers_make_it_likely_but_not_noise_or_the_trigger),
		cmocka_unit_test(a_grower_outside_of_the_domain_does_not_matter),
		cmocka_unit_test(only_a_few_growers_are_named),
		cmocka_unit_test(as_many_growers_as_can_be_named_are_named),
		cmocka_unit_test(a_candidate_that_is_dying_makes_it_likely_unless_only_its_leader_is),
		cmocka_unit_test(names_in_warnings_are_safe_on_a_terminal),
		cmocka_unit_test(a_trigger_whose_place_is_not_surely_known_makes_it_likely),
		cmocka_unit_test(a_policy_of_an_unknown_kind_is_never_certain),
		cmocka_unit_test(a_candidate_that_may_or_may_not_be_eligible_makes_a_policy_oom_likely),
		cmocka_unit_test(a_candidate_with_unknown_mems_makes_it_likely),
		cmocka_unit_test(a_process_whose_threads_are_not_known_makes_it_likely),
		cmocka_unit_test(a_limit_that_is_about_as_close_makes_it_likely),
		cmocka_unit_test(limits_of_cgroup_v1_make_it_likely),
		cmocka_unit_test(a_cap_never_makes_it_surer),
		cmocka_unit_test(that_adj_decides_and_not_size_is_said),
		cmocka_unit_test(an_adj_that_decides_nothing_is_not_mentioned),
		cmocka_unit_test(a_panic_that_is_configured_is_certain),
		cmocka_unit_test(forged_cpus_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
