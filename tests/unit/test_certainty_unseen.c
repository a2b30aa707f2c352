/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cannot be seen or is only inferred: it makes a forecast likely at most, or a guess. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/certainty.h"
#include "snapshots.h"

enum { PRESENT = 1000000 };

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

static void without_zones_the_headroom_is_not_known_and_nothing_certain(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	for (size_t i = 0; i < s->snapshot.topology.nodes; i++)
		s->snapshot.topology.node[i].zones = 0;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_true(s->forecast.domain.lacks_headroom);
	assert_warns(s, "/proc/zoneinfo");
}

static void free_memory_that_no_zone_holds_makes_it_likely(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.ram_free = s->snapshot.ram / 50; /* what two reads may differ by */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	s->snapshot.ram_free++;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "balloon");
}

static void a_panic_is_a_guess_where_not_all_can_be_seen(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	for (size_t i = 0; i < s->snapshot.tasks; i++)
		s->snapshot.task[i].adj = -1000;
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_int_equal(s->forecast.outcome, OOM_PANIC);
	s->snapshot.is_complete = false;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	assert_warns(s, "not all can be seen");
	s->snapshot.is_complete = true;
	s->snapshot.task[1].is_unreadable = true;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	s->snapshot.panic_on_oom = 2; /* then it does not depend on who is there */
	assert_int_equal(certainty(s), OOM_LIKELY);
}

static void unknown_limits_make_it_likely_and_incomplete(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.has_unknown_limits = true;
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_false(s->forecast.is_complete);
	assert_warns(s, "limits or groups");
}

static void without_zones_the_weight_of_adj_in_a_cpuset_is_a_guess(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_confine(s, 0, "0");
	for (size_t i = 0; i < s->snapshot.topology.nodes; i++)
		s->snapshot.topology.node[i].zones = 0;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS);
	assert_warns(s, "totalpages");
}

static void a_blocked_search_is_a_guess(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].is_oom_victim = true;
	assert_int_equal(certainty(s), OOM_AMBIGUOUS); /* oom_mm is not to be seen */
	assert_int_equal(s->forecast.outcome, OOM_BLOCKED);
	assert_warns(s, "inferred");
}

static void nobody_to_kill_is_likely_where_one_is_only_inferred_to_be_exempt(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	for (size_t i = 0; i < s->snapshot.tasks; i++)
		s->snapshot.task[i].adj = -1000;
	s->snapshot.task[1].adj = 0;
	s->snapshot.task[1].is_vfork_child = true; /* a candidate again once it execs */
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_int_equal(s->forecast.outcome, OOM_PANIC);
}

static void rivals_are_named(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	s->snapshot.task[2].file = 500000; /* b: 300,000 of its own, and page cache that may stay or go */
	assert_int_equal(certainty(s), OOM_LIKELY);
	assert_warns(s, "(pid 101) may have as many points by then");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_to_kill_is_likely_where_one_is_only_inferred_to_be_exempt),
		cmocka_unit_test(rivals_are_named),
		cmocka_unit_test(without_zones_the_headroom_is_not_known_and_nothing_certain),
		cmocka_unit_test(free_memory_that_no_zone_holds_makes_it_likely),
		cmocka_unit_test(a_panic_is_a_guess_where_not_all_can_be_seen),
		cmocka_unit_test(unknown_limits_make_it_likely_and_incomplete),
		cmocka_unit_test(without_zones_the_weight_of_adj_in_a_cpuset_is_a_guess),
		cmocka_unit_test(a_blocked_search_is_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
