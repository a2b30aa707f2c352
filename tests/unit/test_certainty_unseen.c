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

/* c is bound to node 1 and fills it; a is the largest, b the next. */
static struct snap *policy_case(void)
{
	struct snap *s = clear_case();

	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	snap_bind(s, 1, MEMPOLICY_DEFAULT, NULL);
	snap_bind(s, 2, MEMPOLICY_DEFAULT, NULL);
	return s;
}

static const char trap[] =
	"a (pid 101) may use node 0 only, by its cpuset, and still is a candidate: a cpuset does not protect "
	"from a memory-policy OOM; a memory policy of its own would (cgpol run -m 0 ...)";

static void a_cpuset_that_does_not_protect_from_a_policy_oom_is_told(void **state)
{
	AUTO(snap_free_p) struct snap *s = policy_case();

	(void)state;
	snap_confine(s, 1, "0");
	assert_int_equal(certainty(s), OOM_CERTAIN); /* the warning is no doubt */
	assert_string_equal(snap_kills(s), "a");
	assert_warns(s, trap);
	assert_int_equal(s->forecast.warnings, 1);
}

static void no_trap_is_told_where_there_is_none(void **state)
{
	AUTO(snap_free_p) struct snap *s = policy_case();

	(void)state;
	snap_confine(s, 2, "0"); /* b does not die */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_warnings(s), "");
	snap_confine(s, 1, "0-1"); /* it may use the node that is short */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_warnings(s), "");
	snap_confine(s, 1, "0");
	snap_bind(s, 1, MEMPOLICY_BIND, "0"); /* the remedy: b dies, who has the next cpuset */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "b");
	assert_null(strstr(snap_warnings(s), "a (pid 101)"));
	assert_warns(s, "b (pid 102) may use node 0 only");
}

static void a_cpuset_oom_has_no_trap(void **state)
{
	AUTO(snap_free_p) struct snap *s = clear_case();

	(void)state;
	snap_confine(s, 0, "1");
	snap_confine(s, 1, "0"); /* not even a candidate */
	assert_int_equal(certainty(s), OOM_CERTAIN);
	assert_string_equal(snap_kills(s), "b");
	assert_string_equal(snap_warnings(s), "");
}

static void every_thread_counts_for_the_trap(void **state)
{
	AUTO(snap_free_p) struct snap *s = policy_case();

	(void)state;
	snap_confine(s, 1, "0");
	(void)snap_thread(s, 1, "1", NULL); /* in another cpuset of a threaded cgroup */
	(void)certainty(s);
	assert_string_equal(snap_kills(s), "a");
	assert_null(strstr(snap_warnings(s), "by its cpuset"));
	s->snapshot.task[1].thread[1].mems = NULL; /* not known, so nothing is said */
	(void)certainty(s);
	assert_null(strstr(snap_warnings(s), "by its cpuset"));
	s->snapshot.task[1].thread[1].mems = snap_nodes(s, "0");
	(void)certainty(s);
	assert_warns(s, "a (pid 101) may use node 0 only");
}

static void several_nodes_are_named_as_a_list(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(4, PRESENT);

	(void)state;
	snap_ask(s, snap_task(s, "t", 1000));
	(void)snap_task(s, "a\033", 700000);
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	snap_confine(s, 1, "0,2-3");
	(void)certainty(s);
	assert_warns(s, "a\\x1b (pid 101) may use nodes 0,2-3 only");
	assert_warns(s, "(cgpol run -m 0,2-3 ...)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_to_kill_is_likely_where_one_is_only_inferred_to_be_exempt),
		cmocka_unit_test(rivals_are_named),
		cmocka_unit_test(a_cpuset_that_does_not_protect_from_a_policy_oom_is_told),
		cmocka_unit_test(no_trap_is_told_where_there_is_none),
		cmocka_unit_test(a_cpuset_oom_has_no_trap),
		cmocka_unit_test(every_thread_counts_for_the_trap),
		cmocka_unit_test(several_nodes_are_named_as_a_list),
		cmocka_unit_test(without_zones_the_headroom_is_not_known_and_nothing_certain),
		cmocka_unit_test(free_memory_that_no_zone_holds_makes_it_likely),
		cmocka_unit_test(a_panic_is_a_guess_where_not_all_can_be_seen),
		cmocka_unit_test(unknown_limits_make_it_likely_and_incomplete),
		cmocka_unit_test(without_zones_the_weight_of_adj_in_a_cpuset_is_a_guess),
		cmocka_unit_test(a_blocked_search_is_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
