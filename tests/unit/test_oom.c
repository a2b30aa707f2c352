/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole forecasts: outcome, victim, kill set, the chain that follows. mm/oom_kill.c out_of_memory(). */
#include "test.h"

#include "base/cleanup.h"
#include "memory/oom.h"
#include "snapshots.h"

enum { PRESENT = 200000 };

static enum oom_outcome outcome(struct snap *s)
{
	assert_int_equal(snap_forecast(s), 0);
	return s->forecast.outcome;
}

/* The scene: a holds much on node 0, b is on both, c is confined to node 1 and grows until it is full. */
static struct snap *scene(void)
{
	struct snap *s = snap_new(2, PRESENT);

	snap_confine(s, snap_task(s, "a", 130000), "0-1");
	snap_hold(s, 0, 0, 130000);
	(void)snap_task(s, "b", 60000);
	snap_hold(s, 1, 0, 30000);
	snap_hold(s, 1, 1, 30000);
	snap_confine(s, snap_task(s, "c", 80000), "1");
	snap_hold(s, 2, 1, 80000);
	snap_free_pages(s, 1, 20480);
	snap_ask(s, 2);
	return s;
}

static void the_first_kill_is_useless_and_the_second_is_right(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_int_equal(s->forecast.domain.constraint, OOM_CPUSET);
	assert_int_equal(s->forecast.domain.headroom, 20480);
	assert_string_equal(snap_ranking(s), "a c b"); /* 130000, 80000 + 20480 + 40, 60000 */
	assert_string_equal(snap_kills(s), "a");
	assert_int_equal(s->forecast.victim_points, 130000);
	assert_int_equal(s->forecast.margin, 130000 - 100520);
	assert_int_equal(s->forecast.useful, OOM_USELESS);
	assert_int_equal(s->forecast.freed_bytes, UINT64_C(130000) * SNAP_PAGE);
	assert_int_equal(s->forecast.frees, 1);
	assert_int_equal(s->forecast.freed[0].node, 0);
	assert_string_equal(snap_then(s), "c+");
	assert_int_equal(s->forecast.then[0].points, 100520);
	assert_int_equal(s->forecast.certainty, OOM_CERTAIN);
}

static void the_scene_is_the_same_with_a_bind_policy(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	snap_confine(s, 2, "0-1");
	snap_bind(s, 2, MEMPOLICY_BIND, "1");
	assert_int_equal(outcome(s), OOM_KILL);
	assert_int_equal(s->forecast.domain.constraint, OOM_MEMORY_POLICY);
	assert_string_equal(snap_kills(s), "a");
	assert_string_equal(snap_then(s), "c+");
}

static void a_chain_goes_on_until_a_kill_helps(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	/* d is second and holds nothing on node 1; b, made larger than c, is third and does. */
	(void)snap_task(s, "d", 120000);
	snap_hold(s, 3, 0, 120000);
	s->snapshot.task[1].anon = 110000;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "a");
	assert_string_equal(snap_then(s), "d- b+");
}

static void what_a_useless_kill_frees_delays_the_next_a_little(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	snap_hold(s, 0, 1, 200); /* below a mebibyte: no help, but c grows by it */
	assert_int_equal(outcome(s), OOM_KILL);
	assert_int_equal(s->forecast.useful, OOM_USELESS);
	assert_int_equal(s->forecast.then[0].points, 80000 + 20680 + 20680 / 512);
}

static void a_useful_kill_ends_the_chain(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	s->snapshot.task[1].anon = 140000;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "b");
	assert_int_equal(s->forecast.useful, OOM_USEFUL);
	assert_string_equal(snap_then(s), "");
}

/* Whatever kills the trigger gives back all that it has taken until then. */
static void the_death_of_the_allocating_task_gives_back_its_growth_and_ends_the_chain(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	s->snapshot.task[2].anon = 200000;
	s->snapshot.task[2].share[0].freed = 0; /* all that it has now is mapped by somebody else too */
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "c");
	assert_int_equal(s->forecast.freed_bytes, UINT64_C(20480) * SNAP_PAGE);
	assert_int_equal(s->forecast.frees, 1);
	assert_int_equal(s->forecast.freed[0].node, 1);
	assert_int_equal(s->forecast.useful, OOM_USEFUL);
	assert_string_equal(snap_then(s), "");
}

static void a_trigger_that_holds_and_takes_nothing_ends_the_chain_without_help(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	snap_free_pages(s, 1, 0);
	s->snapshot.task[2].anon = 200000;
	s->snapshot.task[2].share[0].freed = 0;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "c");
	assert_int_equal(s->forecast.useful, OOM_USELESS);
	assert_string_equal(snap_then(s), "");
}

static void with_unknown_shares_the_next_kill_is_told_all_the_same(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	s->snapshot.task[0].has_shares = false;
	s->snapshot.task[0].shares = 0;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_int_equal(s->forecast.useful, OOM_USEFUL_UNKNOWN);
	assert_false(s->forecast.has_freed);
	assert_null(s->forecast.freed);
	assert_int_equal(s->forecast.freed_bytes, UINT64_C(130000) * SNAP_PAGE);
	assert_string_equal(snap_then(s), "c+");
}

static void long_chains_are_cut(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	for (size_t i = 0; i < 100; i++)
		snap_hold(s, snap_task(s, "x", 150000), 0, 1);
	assert_int_equal(outcome(s), OOM_KILL);
	assert_true(s->forecast.thens > 0 && s->forecast.thens < 100);
}

/* ---- panic_on_oom ---- */

static struct snap *by_constraint(enum oom_constraint constraint)
{
	struct snap *s = snap_new(2, PRESENT);

	snap_ask(s, snap_task(s, "t", 1000));
	(void)snap_task(s, "c", 900);
	if (constraint == OOM_CPUSET)
		snap_confine(s, 0, "1");
	if (constraint == OOM_MEMORY_POLICY)
		snap_bind(s, 0, MEMPOLICY_BIND, "1");
	if (constraint == OOM_MEMCG) {
		s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = snap_cgroup(s, "/d", 0, 100);
		s->snapshot.memcg[1].current = 100;
	}
	return s;
}

static void panic_on_oom_1_spares_constrained_ooms_and_2_none(void **state)
{
	static const struct {
		uint64_t panic_on_oom;
		enum oom_constraint constraint;
		enum oom_outcome outcome;
	} cases[] = {
		{0, OOM_NONE, OOM_KILL},    {1, OOM_NONE, OOM_PANIC},	       {2, OOM_NONE, OOM_PANIC},
		{1, OOM_CPUSET, OOM_KILL},  {1, OOM_MEMORY_POLICY, OOM_KILL},  {1, OOM_MEMCG, OOM_KILL},
		{2, OOM_CPUSET, OOM_PANIC}, {2, OOM_MEMORY_POLICY, OOM_PANIC}, {2, OOM_MEMCG, OOM_PANIC},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = by_constraint(cases[i].constraint);
		s->snapshot.panic_on_oom = cases[i].panic_on_oom;
		assert_int_equal(outcome(s), cases[i].outcome);
		assert_int_equal(s->forecast.domain.constraint, cases[i].constraint);
		assert_int_equal(s->forecast.kills, cases[i].outcome == OOM_KILL ? 1 : 0);
		assert_int_equal(s->forecast.candidates, 2); /* named all the same */
	}
}

static void panic_goes_before_the_allocating_task_and_before_dying_victims(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.panic_on_oom = 1;
	s->snapshot.kill_allocating = true;
	s->snapshot.task[1].is_oom_victim = true;
	assert_int_equal(outcome(s), OOM_PANIC);
}

/* ---- oom_kill_allocating_task ---- */

static void the_allocating_task_is_killed_unscored_except_in_a_memcg(void **state)
{
	static const struct {
		enum oom_constraint constraint;
		enum oom_outcome outcome;
		const char *kills;
	} cases[] = {
		{OOM_NONE, OOM_KILL_ALLOCATING, "t"},
		{OOM_CPUSET, OOM_KILL_ALLOCATING, "t"},
		{OOM_MEMORY_POLICY, OOM_KILL_ALLOCATING, "t"},
		{OOM_MEMCG, OOM_KILL, "c"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = by_constraint(cases[i].constraint);
		s->snapshot.kill_allocating = true;
		s->snapshot.task[1].anon = 150000; /* far more points */
		assert_int_equal(outcome(s), cases[i].outcome);
		assert_string_equal(snap_kills(s), cases[i].kills);
		assert_int_equal(s->forecast.has_margin, cases[i].outcome == OOM_KILL);
	}
}

static void the_allocating_task_must_be_killable(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);
		struct oom_task *trigger = snap_at(s, 0);
		s->snapshot.kill_allocating = true;
		trigger->adj = i == 0 ? -1000 : 0;
		trigger->is_init = i == 1;
		trigger->is_kthread = i == 2;
		trigger->has_mm = i != 3;
		if (i == 4) { /* a page of a mapping bound to node 1, but a task bound to node 0 */
			s->question.policy = snap_policy(s, MEMPOLICY_BIND, "1");
			snap_bind(s, 0, MEMPOLICY_BIND, "0");
		}
		if (i == 5)
			trigger->adj = -999; /* ignored, and so is every other adj */
		assert_int_equal(outcome(s), i == 5 ? OOM_KILL_ALLOCATING : OOM_KILL);
		assert_string_equal(snap_kills(s), i == 5 ? "t" : "c");
	}
}

static void the_allocating_task_is_killed_though_a_victim_still_dies(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.kill_allocating = true;
	s->snapshot.task[1].is_oom_victim = true;
	assert_int_equal(outcome(s), OOM_KILL_ALLOCATING);
}

static void without_an_allocating_task_the_sysctl_takes_whoever_allocates(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.kill_allocating = true;
	s->question.task = OOM_NOBODY;
	assert_int_equal(outcome(s), OOM_KILL_ALLOCATING);
	assert_int_equal(s->forecast.kills, 0);
	assert_int_equal(s->forecast.certainty, OOM_LIKELY);
}

static void the_killed_allocating_task_takes_its_group_along(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.kill_allocating = true;
	s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = snap_cgroup(s, "/g", 0, OOM_UNLIMITED);
	s->snapshot.memcg[1].oom_group = true;
	assert_int_equal(outcome(s), OOM_KILL_ALLOCATING);
	assert_string_equal(snap_kills(s), "t c:oom_group");
}

/* ---- nobody, blocked ---- */

static void nobody_killable_stalls_a_memcg_and_panics_otherwise(void **state)
{
	static const enum oom_constraint all[] = {OOM_NONE, OOM_CPUSET, OOM_MEMORY_POLICY, OOM_MEMCG};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		AUTO(snap_free_p) struct snap *s = by_constraint(all[i]);
		s->snapshot.task[0].adj = s->snapshot.task[1].adj = -1000;
		assert_int_equal(outcome(s), all[i] == OOM_MEMCG ? OOM_NO_VICTIM : OOM_PANIC);
		assert_int_equal(s->forecast.kills, 0);
		assert_int_equal(s->forecast.thens, 0);
		assert_int_equal(s->forecast.useful, OOM_USEFUL_UNKNOWN);
		assert_false(s->forecast.has_margin);
	}
}

static void a_victim_that_is_still_dying_in_the_domain_blocks(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_CPUSET);

	(void)state;
	s->snapshot.task[1].is_oom_victim = true;
	assert_int_equal(outcome(s), OOM_BLOCKED);
	assert_int_equal(s->forecast.kills, 0);
	s->snapshot.task[1].score = 0; /* reaped */
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "t");
	s->snapshot.task[1].score = 700;
	snap_confine(s, 1, "0"); /* outside */
	assert_int_equal(outcome(s), OOM_KILL);
}

static void an_allocating_task_that_ends_is_left_to_end(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.task[0].is_dying = true;
	s->snapshot.panic_on_oom = 2; /* task_will_free_mem() is asked before */
	assert_int_equal(outcome(s), OOM_BLOCKED);
	s->snapshot.panic_on_oom = 0;
	assert_int_equal(outcome(s), OOM_BLOCKED);
	s->snapshot.task[0].mm = s->snapshot.task[1].mm = 1; /* but somebody else keeps its memory */
	assert_int_equal(outcome(s), OOM_KILL);
	s->snapshot.task[1].is_dying = true;
	assert_int_equal(outcome(s), OOM_BLOCKED);
}

static void a_dead_leader_whose_threads_live_is_not_ending(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.task[0].is_dying = s->snapshot.task[0].is_zombie_leader = true;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "t");
}

/* ---- victim, margin ---- */

static void the_margin_is_to_the_next_with_another_mm(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	snap_at(s, snap_task(s, "a", 5000))->mm = 1;
	snap_at(s, snap_task(s, "twin", 4999))->mm = 1;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_false(s->forecast.has_margin);
	(void)snap_task(s, "b", 3000);
	assert_int_equal(outcome(s), OOM_KILL);
	assert_true(s->forecast.has_margin);
	assert_int_equal(s->forecast.margin, 2000);
	assert_string_equal(snap_kills(s), "a twin:shares_mm");
}

static void a_margin_between_negative_points_is_positive(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	snap_at(s, snap_task(s, "a", 5000))->adj = -999;
	snap_at(s, snap_task(s, "b", 3000))->adj = -999;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "a");
	assert_true(s->forecast.victim_points < 0);
	assert_int_equal(s->forecast.margin, 2000);
}

static void many_small_ones_survive_one_big_one(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	for (size_t i = 0; i < 500; i++)
		(void)snap_task(s, "small", 300);
	(void)snap_task(s, "big", 301);
	for (size_t i = 0; i < 500; i++)
		(void)snap_task(s, "small", 300);
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_kills(s), "big");
}

static void a_memcg_oom_kills_inside_with_the_group_one_level_up(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	snap_free_pages(s, 0, 100000);
	(void)snap_cgroup(s, "/top", 0, 50000);
	(void)snap_cgroup(s, "/top/leaf", 1, 20000);
	(void)snap_cgroup(s, "/top/beside", 1, OOM_UNLIMITED);
	s->snapshot.memcg[1].oom_group = true;
	s->snapshot.memcg[1].current = 45000;
	s->snapshot.memcg[1].anon = 45000;
	s->snapshot.memcg[2].current = 10000;
	snap_at(s, snap_task(s, "t", 9000))->memcg = 2;
	snap_at(s, snap_task(s, "beside", 30000))->memcg = 3;
	snap_at(s, snap_task(s, "exempt", 1))->memcg = 3;
	snap_at(s, 2)->adj = -1000;
	(void)snap_task(s, "outside", 90000);
	snap_ask(s, 0);
	assert_int_equal(outcome(s), OOM_KILL);
	assert_int_equal(s->forecast.domain.memcg, 1); /* 5000 left there, 10000 in the leaf */
	assert_string_equal(snap_kills(s), "beside t:oom_group");
	assert_int_equal(s->forecast.useful, OOM_USEFUL);
}

/* ---- the rest ---- */

static void warnings_of_the_snapshot_are_handed_on_once(void **state)
{
	char first[] = "earlyoom runs here", second[] = "100%s of it";
	char *warning[] = {first, second, first};
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	s->snapshot.warning = warning;
	s->snapshot.warnings = 3;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_warnings(s), "earlyoom runs here\n100%s of it");
}

static void a_forecast_is_complete_only_if_the_snapshot_is(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);

	(void)state;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_true(s->forecast.is_complete);
	s->snapshot.is_complete = false;
	assert_int_equal(outcome(s), OOM_KILL);
	assert_false(s->forecast.is_complete);
}

static void a_failure_leaves_the_forecast_alone(void **state)
{
	AUTO(snap_free_p) struct snap *s = by_constraint(OOM_NONE);
	struct oom_forecast forecast = {.victim_points = 42, .kills = 7};

	(void)state;
	s->question.constraint = OOM_MEMCG;
	assert_int_equal(oom_forecast_make(&s->snapshot, &s->question, &forecast, &s->err), -ENODATA);
	assert_int_equal(forecast.victim_points, 42);
	assert_int_equal(forecast.kills, 7);
	assert_int_equal(oom_forecast_make(&s->snapshot, &s->question, &forecast, NULL), -ENODATA);
}

static void the_same_question_gets_the_same_answer(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();
	char first[256];

	(void)state;
	assert_int_equal(outcome(s), OOM_KILL);
	(void)snprintf(first, sizeof(first), "%s", snap_ranking(s));
	assert_int_equal(outcome(s), OOM_KILL);
	assert_string_equal(snap_ranking(s), first);
}

static void an_empty_machine_panics(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, PRESENT);

	(void)state;
	assert_int_equal(outcome(s), OOM_PANIC);
}

static void clearing_twice_is_harmless(void **state)
{
	AUTO(snap_free_p) struct snap *s = scene();

	(void)state;
	assert_int_equal(outcome(s), OOM_KILL);
	oom_forecast_clear(&s->forecast);
	oom_forecast_clear(&s->forecast);
	assert_int_equal(s->forecast.kills, 0);
}

static void the_words_are_those_of_the_interface(void **state)
{
	static const char *const reasons[] = {
		[OOM_SKIP_INIT] = "init",	    [OOM_SKIP_KTHREAD] = "kthread",
		[OOM_SKIP_ADJ] = "oom_score_adj",   [OOM_SKIP_CPUSET] = "cpuset",
		[OOM_SKIP_MEMPOLICY] = "mempolicy", [OOM_SKIP_OUTSIDE_MEMCG] = "outside_memcg",
		[OOM_SKIP_VFORK] = "vfork",	    [OOM_SKIP_VICTIM] = "victim",
		[OOM_SKIP_REAPED] = "reaped",	    [OOM_SKIP_HIDDEN] = "hidden",
		[OOM_SKIP_NO_MM] = "no_mm",	    [OOM_SKIP_UNREADABLE] = "unreadable",
		[OOM_SKIP_VANISHED] = "vanished",
	};

	(void)state;
	for (size_t i = OOM_SKIP_INIT; i < OOM_SKIP_REASONS; i++)
		assert_string_equal(oom_skip_name((enum oom_skip_reason)i), reasons[i]);
	assert_string_equal(oom_constraint_name(OOM_NONE), "none");
	assert_string_equal(oom_constraint_name(OOM_CPUSET), "cpuset");
	assert_string_equal(oom_constraint_name(OOM_MEMORY_POLICY), "memory_policy");
	assert_string_equal(oom_constraint_name(OOM_MEMCG), "memcg");
	assert_string_equal(oom_outcome_name(OOM_KILL), "kill");
	assert_string_equal(oom_outcome_name(OOM_KILL_ALLOCATING), "kill_allocating_task");
	assert_string_equal(oom_outcome_name(OOM_PANIC), "panic");
	assert_string_equal(oom_outcome_name(OOM_NO_VICTIM), "no_victim");
	assert_string_equal(oom_outcome_name(OOM_BLOCKED), "blocked");
	assert_string_equal(oom_certainty_name(OOM_CERTAIN), "certain");
	assert_string_equal(oom_certainty_name(OOM_LIKELY), "likely");
	assert_string_equal(oom_certainty_name(OOM_AMBIGUOUS), "ambiguous");
	assert_string_equal(oom_why_name(OOM_WHY_VICTIM), "victim");
	assert_string_equal(oom_why_name(OOM_WHY_SHARES_MM), "shares_mm");
	assert_string_equal(oom_why_name(OOM_WHY_GROUP), "oom_group");
	assert_string_equal(oom_skip_name(OOM_SKIP_REASONS), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_kill_is_useless_and_the_second_is_right),
		cmocka_unit_test(the_scene_is_the_same_with_a_bind_policy),
		cmocka_unit_test(a_chain_goes_on_until_a_kill_helps),
		cmocka_unit_test(what_a_useless_kill_frees_delays_the_next_a_little),
		cmocka_unit_test(a_useful_kill_ends_the_chain),
		cmocka_unit_test(the_death_of_the_allocating_task_gives_back_its_growth_and_ends_the_chain),
		cmocka_unit_test(a_trigger_that_holds_and_takes_nothing_ends_the_chain_without_help),
		cmocka_unit_test(with_unknown_shares_the_next_kill_is_told_all_the_same),
		cmocka_unit_test(long_chains_are_cut),
		cmocka_unit_test(panic_on_oom_1_spares_constrained_ooms_and_2_none),
		cmocka_unit_test(panic_goes_before_the_allocating_task_and_before_dying_victims),
		cmocka_unit_test(the_allocating_task_is_killed_unscored_except_in_a_memcg),
		cmocka_unit_test(the_allocating_task_must_be_killable),
		cmocka_unit_test(the_allocating_task_is_killed_though_a_victim_still_dies),
		cmocka_unit_test(without_an_allocating_task_the_sysctl_takes_whoever_allocates),
		cmocka_unit_test(the_killed_allocating_task_takes_its_group_along),
		cmocka_unit_test(nobody_killable_stalls_a_memcg_and_panics_otherwise),
		cmocka_unit_test(a_victim_that_is_still_dying_in_the_domain_blocks),
		cmocka_unit_test(an_allocating_task_that_ends_is_left_to_end),
		cmocka_unit_test(a_dead_leader_whose_threads_live_is_not_ending),
		cmocka_unit_test(the_margin_is_to_the_next_with_another_mm),
		cmocka_unit_test(a_margin_between_negative_points_is_positive),
		cmocka_unit_test(many_small_ones_survive_one_big_one),
		cmocka_unit_test(a_memcg_oom_kills_inside_with_the_group_one_level_up),
		cmocka_unit_test(warnings_of_the_snapshot_are_handed_on_once),
		cmocka_unit_test(a_forecast_is_complete_only_if_the_snapshot_is),
		cmocka_unit_test(a_failure_leaves_the_forecast_alone),
		cmocka_unit_test(the_same_question_gets_the_same_answer),
		cmocka_unit_test(an_empty_machine_panics),
		cmocka_unit_test(clearing_twice_is_harmless),
		cmocka_unit_test(the_words_are_those_of_the_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
