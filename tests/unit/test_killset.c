/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who dies with a victim, and what that gives back: mm/oom_kill.c oom_kill_process(), __oom_kill_process(),
 * mm/memcontrol.c mem_cgroup_get_oom_group(). */
#include "test.h"

#include "base/cleanup.h"
#include "memory/killset.h"
#include "snapshots.h"

enum { MIB_PAGES = (1 << 20) / SNAP_PAGE };

/* The kill set of a victim as text. */
static const char *kills(struct snap *s, size_t victim)
{
	free(s->forecast.killed);
	s->forecast.killed = NULL;
	assert_int_equal(killset_make(&s->snapshot, &s->forecast.domain, victim, &s->forecast.killed,
				      &s->forecast.kills),
			 0);
	return snap_kills(s);
}

static void set_domain(struct snap *s, enum oom_constraint constraint, size_t memcg)
{
	s->forecast.domain.constraint = constraint;
	s->forecast.domain.memcg = memcg;
}

/* /a/b/c with one task in each, and one in the root; nothing constrains. */
static struct snap *chain_of_groups(void)
{
	static const char *const names[] = {"root", "in_a", "in_b", "in_c"};
	struct snap *s = snap_new(2, 1000000);

	(void)snap_cgroup(s, "/a", 0, 1000);
	(void)snap_cgroup(s, "/a/b", 1, 1000);
	(void)snap_cgroup(s, "/a/b/c", 2, 1000);
	for (size_t i = 0; i < 4; i++)
		snap_at(s, snap_task(s, names[i], 10))->memcg = i;
	set_domain(s, OOM_NONE, OOM_NOBODY);
	return s;
}

static void without_a_group_only_the_victim_dies(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	assert_string_equal(kills(s, 3), "in_c");
}

static void the_highest_group_up_to_the_domain_dies(void **state)
{
	static const struct {
		bool a, b, c;
		enum oom_constraint constraint;
		size_t memcg;
		const char *kills;
	} cases[] = {
		{false, false, true, OOM_NONE, OOM_NOBODY, "in_c"},
		{false, true, false, OOM_NONE, OOM_NOBODY, "in_c in_b:oom_group"},
		{false, true, true, OOM_NONE, OOM_NOBODY, "in_c in_b:oom_group"},
		{true, false, true, OOM_NONE, OOM_NOBODY, "in_c in_a:oom_group in_b:oom_group"},
		{true, false, false, OOM_CPUSET, OOM_NOBODY, "in_c in_a:oom_group in_b:oom_group"},
		{true, false, false, OOM_MEMORY_POLICY, OOM_NOBODY, "in_c in_a:oom_group in_b:oom_group"},
		{true, true, true, OOM_MEMCG, 1, "in_c in_a:oom_group in_b:oom_group"},
		{true, true, true, OOM_MEMCG, 2, "in_c in_b:oom_group"}, /* the domain is the end */
		{true, true, true, OOM_MEMCG, 3, "in_c"},
		{true, false, false, OOM_MEMCG, 2, "in_c"}, /* the only flag is above the domain */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = chain_of_groups();
		s->snapshot.memcg[1].oom_group = cases[i].a;
		s->snapshot.memcg[2].oom_group = cases[i].b;
		s->snapshot.memcg[3].oom_group = cases[i].c;
		set_domain(s, cases[i].constraint, cases[i].memcg);
		assert_string_equal(kills(s, 3), cases[i].kills);
	}
}

static void a_victim_in_the_root_has_no_group(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	assert_int_equal(killset_group(&s->snapshot, &s->forecast.domain, 0), OOM_NOBODY);
	assert_string_equal(kills(s, 0), "root");
	assert_string_equal(kills(s, 3), "in_c");
}

/* The real root has no memory.oom.group, but what a cgroup namespace shows as the root is an ordinary cgroup.
 */
static void the_root_of_a_cgroup_namespace_can_be_a_group(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[0].oom_group = true;
	assert_int_equal(killset_group(&s->snapshot, &s->forecast.domain, 3), 0);
	assert_string_equal(kills(s, 3), "in_c root:oom_group in_a:oom_group in_b:oom_group");
}

static void a_victim_outside_of_the_domain_has_no_group(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[1].oom_group = true;
	set_domain(s, OOM_MEMCG, 3);
	assert_int_equal(killset_group(&s->snapshot, &s->forecast.domain, 1), OOM_NOBODY);
	s->snapshot.task[1].memcg = OOM_NOBODY;
	set_domain(s, OOM_NONE, OOM_NOBODY);
	assert_int_equal(killset_group(&s->snapshot, &s->forecast.domain, 1), OOM_NOBODY);
}

static void a_plain_cgroup_counts_as_the_one_above_that_has_the_controller(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[3].has_memory = false;
	s->snapshot.memcg[3].oom_group = true; /* no controller, no such file */
	assert_int_equal(killset_group(&s->snapshot, &s->forecast.domain, 3), OOM_NOBODY);
	s->snapshot.memcg[2].oom_group = true;
	assert_string_equal(kills(s, 3), "in_c in_b:oom_group");
	assert_string_equal(kills(s, 2), "in_b in_c:oom_group");
}

static void the_group_dies_whatever_its_cpuset_or_policy(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[1].oom_group = true;
	snap_confine(s, 2, "0");
	snap_bind(s, 2, MEMPOLICY_BIND, "0");
	set_domain(s, OOM_CPUSET, OOM_NOBODY);
	assert_int_equal(nodeset_add(&s->forecast.domain.mems, 1), 0);
	assert_string_equal(kills(s, 3), "in_c in_a:oom_group in_b:oom_group");
}

static void a_group_spares_minus_1000_init_and_who_has_no_memory(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[1].oom_group = true;
	snap_at(s, snap_task(s, "exempt", 5))->adj = -1000;
	snap_at(s, snap_task(s, "almost", 5))->adj = -999;
	snap_at(s, snap_task(s, "init", 5))->is_init = true;
	snap_at(s, snap_task(s, "kthread", 5))->is_kthread = true;
	snap_at(s, snap_task(s, "zombie", 0))->has_mm = false;
	snap_at(s, snap_task(s, "vanished", 0))->has_vanished = true;
	for (size_t i = 4; i < s->snapshot.tasks; i++)
		snap_at(s, i)->memcg = 2;
	assert_string_equal(kills(s, 3), "in_c in_a:oom_group in_b:oom_group almost:oom_group");
}

static void who_shares_the_mm_dies_even_with_minus_1000(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, 1000);

	(void)state;
	(void)snap_task(s, "v", 10);
	snap_at(s, snap_task(s, "exempt", 10))->adj = -1000;
	snap_at(s, snap_task(s, "vforked", 10))->is_vfork_child = true;
	snap_at(s, snap_task(s, "kthread", 10))->is_kthread = true;
	snap_at(s, snap_task(s, "init", 10))->is_init = true;
	snap_at(s, snap_task(s, "gone", 10))->has_vanished = true;
	for (size_t i = 0; i < s->snapshot.tasks; i++)
		snap_at(s, i)->mm = 4;
	(void)snap_task(s, "alone", 10);
	snap_at(s, snap_task(s, "other", 10))->mm = 5;
	assert_string_equal(kills(s, 0), "v exempt:shares_mm vforked:shares_mm");
	assert_string_equal(kills(s, 6), "alone"); /* 0 is no number: nobody shares it */
}

static void members_of_the_group_take_their_sharers_with_them_once(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();

	(void)state;
	s->snapshot.memcg[2].oom_group = true;
	/* in_b shares with somebody outside of the group; in_c, the victim, with somebody inside. */
	s->snapshot.task[2].mm = 1;
	snap_at(s, snap_task(s, "outside", 10))->mm = 1;
	s->snapshot.task[3].mm = 2;
	snap_at(s, snap_task(s, "twin", 10))->mm = 2;
	snap_at(s, 5)->memcg = 3;
	assert_string_equal(kills(s, 3), "in_c twin:shares_mm in_b:oom_group outside:shares_mm");
	assert_int_equal(s->forecast.kills, 4);
}

static void a_large_group_of_sharers_is_taken_in_reasonable_time(void **state)
{
	enum { TASKS = 30000 };
	AUTO(snap_free_p) struct snap *s = chain_of_groups();
	struct killset_freed freed;

	(void)state;
	for (size_t i = 4; i < TASKS; i++) {
		struct oom_task *task = snap_at(s, snap_task(s, "x", 1));
		task->memcg = 3;
		task->mm = (unsigned)(i / 2);
	}
	s->snapshot.memcg[3].oom_group = true;
	assert_int_equal(
		killset_make(&s->snapshot, &s->forecast.domain, 3, &s->forecast.killed, &s->forecast.kills),
		0);
	assert_int_equal(s->forecast.kills, TASKS - 3);
	assert_int_equal(killset_free_estimate(&s->snapshot, &s->forecast.domain, s->forecast.killed,
					       s->forecast.kills, 0, &freed),
			 0);
	assert_int_equal(freed.bytes, (10 + (TASKS - 4) / 2) * SNAP_PAGE);
}

/* ---- what it frees ---- */

static struct killset_freed freed_by(struct snap *s, size_t victim)
{
	struct killset_freed freed;

	(void)kills(s, victim);
	assert_int_equal(killset_free_estimate(&s->snapshot, &s->forecast.domain, s->forecast.killed,
					       s->forecast.kills, 0, &freed),
			 0);
	return freed;
}

static void frees_are_summed_by_node_in_ascending_order(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(3, 1000);
	struct killset_freed freed;

	(void)state;
	(void)snap_cgroup(s, "/g", 0, 1000);
	s->snapshot.memcg[1].oom_group = true;
	snap_at(s, snap_task(s, "a", 10))->memcg = 1;
	snap_at(s, snap_task(s, "b", 10))->memcg = 1;
	snap_hold(s, 0, 2, 5);
	snap_hold(s, 0, 0, 7);
	snap_hold(s, 1, 1, 11);
	snap_hold(s, 1, 2, 13);
	s->snapshot.task[1].share[1].freed = 3 * SNAP_PAGE; /* the rest is mapped by others */
	set_domain(s, OOM_NONE, OOM_NOBODY);
	freed = freed_by(s, 0);
	assert_true(freed.is_known);
	assert_int_equal(freed.bytes, (5 + 7 + 11 + 3) * SNAP_PAGE);
	assert_int_equal(freed.shares, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(freed.share[i].node, i);
	assert_int_equal(freed.share[2].bytes, 18 * SNAP_PAGE);
	assert_int_equal(freed.share[2].freed, 8 * SNAP_PAGE);
	free(freed.share);
}

static void growth_is_spread_over_the_allowed_nodes_by_their_room(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(3, 100000);
	struct killset_freed freed;

	(void)state;
	snap_ask(s, snap_task(s, "t", 0));
	snap_hold(s, 0, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		snap_free_pages(s, i, 1000 * (i + 1)); /* watermarks are 0 here */
	snap_confine(s, 0, "1-2");
	assert_int_equal(snap_forecast(s), 0);
	assert_int_equal(s->forecast.domain.headroom, 5000);
	assert_int_equal(killset_free_estimate(&s->snapshot, &s->forecast.domain, s->forecast.killed,
					       s->forecast.kills, 500, &freed),
			 0);
	assert_int_equal(freed.bytes, 500 * SNAP_PAGE);
	assert_int_equal(freed.share[freed.shares - 2].node, 1);
	assert_int_equal(freed.share[freed.shares - 2].freed, 200 * SNAP_PAGE);
	assert_int_equal(freed.share[freed.shares - 1].freed, 300 * SNAP_PAGE);
	free(freed.share);
	/* What the nodes cannot hold went to swap and frees no memory. */
	assert_int_equal(killset_free_estimate(&s->snapshot, &s->forecast.domain, s->forecast.killed,
					       s->forecast.kills, 50000, &freed),
			 0);
	assert_int_equal(freed.bytes, 5000 * SNAP_PAGE);
	free(freed.share);
}

static void a_shared_mm_is_freed_once(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(2, 1000);
	struct killset_freed freed;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snap_at(s, snap_task(s, "x", 10))->mm = i == 1 ? 8 : 3;
		snap_hold(s, i, 0, 10);
	}
	set_domain(s, OOM_NONE, OOM_NOBODY);
	freed = freed_by(s, 0);
	assert_int_equal(s->forecast.kills, 2);
	assert_int_equal(freed.bytes, 10 * SNAP_PAGE);
	free(freed.share);
}

static void mms_that_alternate_in_a_group_are_freed_once_each(void **state)
{
	AUTO(snap_free_p) struct snap *s = chain_of_groups();
	struct killset_freed freed;

	(void)state;
	s->snapshot.memcg[1].oom_group = true;
	for (size_t i = 1; i < 4; i++)
		s->snapshot.task[i].anon = 0;
	for (unsigned i = 0; i < 6; i++) {
		struct oom_task *task = snap_at(s, snap_task(s, "x", i % 2 ? 1000 : 7));
		task->memcg = 1;
		task->mm = 2 - i % 2;
	}
	freed = freed_by(s, 3);
	assert_int_equal(s->forecast.kills, 9);
	assert_int_equal(freed.bytes, 1007 * SNAP_PAGE);
}

/* A victim with memory on two nodes; the page may come from node 1 only. */
static struct snap *short_on_node_1(enum oom_constraint constraint, uint64_t on_0, uint64_t on_1)
{
	struct snap *s = snap_new(2, 1000000);

	(void)snap_task(s, "v", on_0 + on_1);
	snap_hold(s, 0, 0, on_0);
	snap_hold(s, 0, 1, on_1);
	set_domain(s, constraint, OOM_NOBODY);
	assert_int_equal(nodeset_add(&s->forecast.domain.allowed, 1), 0);
	return s;
}

static void useful_is_a_mebibyte_or_a_hundredth_where_memory_is_short(void **state)
{
	static const struct {
		enum oom_constraint constraint;
		uint64_t on_0, on_1;
		enum oom_useful useful;
	} cases[] = {
		{OOM_CPUSET, 50 * MIB_PAGES, MIB_PAGES, OOM_USEFUL},
		{OOM_CPUSET, 50 * MIB_PAGES, MIB_PAGES - 1, OOM_USELESS},
		{OOM_CPUSET, 0, MIB_PAGES - 1, OOM_USELESS},
		{OOM_MEMORY_POLICY, 50 * MIB_PAGES, MIB_PAGES - 1, OOM_USELESS},
		{OOM_CPUSET, 990 * MIB_PAGES, 10 * MIB_PAGES, OOM_USEFUL},
		{OOM_CPUSET, 991 * MIB_PAGES, 9 * MIB_PAGES, OOM_USELESS},
		{OOM_NONE, 50 * MIB_PAGES, 0, OOM_USEFUL}, /* any node helps */
		{OOM_NONE, 0, MIB_PAGES - 1, OOM_USELESS},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p)
		struct snap *s = short_on_node_1(cases[i].constraint, cases[i].on_0, cases[i].on_1);
		struct killset_freed freed = freed_by(s, 0);
		free(freed.share);
		assert_int_equal(freed.useful, cases[i].useful);
		if (cases[i].constraint != OOM_NONE)
			assert_int_equal(freed.relief, cases[i].on_1);
	}
}

static void what_others_map_too_is_no_relief(void **state)
{
	AUTO(snap_free_p) struct snap *s = short_on_node_1(OOM_CPUSET, 0, 100 * MIB_PAGES);
	struct killset_freed freed;

	(void)state;
	s->snapshot.task[0].share[1].freed = 0;
	freed = freed_by(s, 0);
	free(freed.share);
	assert_int_equal(freed.useful, OOM_USELESS);
	assert_int_equal(freed.relief, 0);
}

static void usefulness_is_unknown_without_the_shares_of_everyone(void **state)
{
	AUTO(snap_free_p) struct snap *s = short_on_node_1(OOM_CPUSET, 10, 50 * MIB_PAGES);
	struct killset_freed freed;

	(void)state;
	(void)snap_task(s, "sharerless", 70);
	(void)snap_cgroup(s, "/g", 0, 1000);
	s->snapshot.memcg[1].oom_group = true;
	s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = 1;
	freed = freed_by(s, 0);
	free(freed.share);
	assert_false(freed.is_known);
	assert_int_equal(freed.useful, OOM_USEFUL_UNKNOWN);
	assert_int_equal(freed.bytes, (80 + 50 * MIB_PAGES) * SNAP_PAGE); /* anonymous memory is known */
	set_domain(s, OOM_NONE, OOM_NOBODY);
	freed = freed_by(s, 0);
	free(freed.share);
	assert_int_equal(freed.useful, OOM_USEFUL); /* for all nodes the sum suffices */
}

static void relief_is_the_sum_over_the_allowed_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = short_on_node_1(OOM_CPUSET, 300, 70);
	struct killset_freed freed;

	(void)state;
	assert_int_equal(nodeset_add(&s->forecast.domain.allowed, 0), 0);
	freed = freed_by(s, 0);
	free(freed.share);
	assert_int_equal(freed.relief, 370);
}

static void one_unknown_member_anywhere_makes_it_unknown(void **state)
{
	AUTO(snap_free_p) struct snap *s = short_on_node_1(OOM_CPUSET, 10, 50 * MIB_PAGES);
	struct killset_freed freed;

	(void)state;
	(void)snap_task(s, "known", 70);
	snap_hold(s, 1, 1, 70);
	(void)snap_cgroup(s, "/g", 0, 1000);
	s->snapshot.memcg[1].oom_group = true;
	s->snapshot.task[0].memcg = s->snapshot.task[1].memcg = 1;
	s->snapshot.task[0].has_shares = false;
	freed = freed_by(s, 0);
	free(freed.share);
	assert_false(freed.is_known);
}

static void swap_of_all_members_is_relief_for_a_memcg(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, 1000000);
	struct killset_freed freed;

	(void)state;
	(void)snap_cgroup(s, "/d", 0, 100 * MIB_PAGES);
	s->snapshot.memcg[1].oom_group = true;
	s->snapshot.memcg[1].anon = 90 * MIB_PAGES;
	snap_at(s, snap_task(s, "v", 300))->memcg = 1;
	snap_at(s, snap_task(s, "w", 40))->memcg = 1;
	s->snapshot.task[0].swap = 5000;
	set_domain(s, OOM_MEMCG, 1);
	freed = freed_by(s, 0);
	assert_int_equal(freed.relief, 5340);
	assert_int_equal(freed.bytes, 340 * SNAP_PAGE);
}

static void a_memcg_gets_back_at_most_what_it_is_charged_for(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, 1000000);
	struct killset_freed freed;

	(void)state;
	(void)snap_cgroup(s, "/d", 0, 100 * MIB_PAGES);
	snap_at(s, snap_task(s, "v", 50 * MIB_PAGES))->memcg = 1;
	set_domain(s, OOM_MEMCG, 1);
	s->snapshot.memcg[1].anon = 90 * MIB_PAGES;
	freed = freed_by(s, 0);
	assert_int_equal(freed.relief, 50 * MIB_PAGES);
	assert_int_equal(freed.useful, OOM_USEFUL);
	s->snapshot.memcg[1].anon = MIB_PAGES - 1; /* it was charged elsewhere before it was moved here */
	freed = freed_by(s, 0);
	assert_int_equal(freed.relief, MIB_PAGES - 1);
	assert_int_equal(freed.useful, OOM_USELESS);
}

static void who_dies_outside_of_the_memcg_gives_nothing_back_to_it(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(1, 1000000);
	struct killset_freed freed;

	(void)state;
	(void)snap_cgroup(s, "/d", 0, 100 * MIB_PAGES);
	s->snapshot.memcg[1].anon = 90 * MIB_PAGES;
	(void)snap_task(s, "outside", 50 * MIB_PAGES);
	set_domain(s, OOM_MEMCG, 1);
	freed = freed_by(s, 0);
	assert_int_equal(freed.relief, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_group_only_the_victim_dies),
		cmocka_unit_test(the_highest_group_up_to_the_domain_dies),
		cmocka_unit_test(a_victim_in_the_root_has_no_group),
		cmocka_unit_test(the_root_of_a_cgroup_namespace_can_be_a_group),
		cmocka_unit_test(a_victim_outside_of_the_domain_has_no_group),
		cmocka_unit_test(a_plain_cgroup_counts_as_the_one_above_that_has_the_controller),
		cmocka_unit_test(the_group_dies_whatever_its_cpuset_or_policy),
		cmocka_unit_test(a_group_spares_minus_1000_init_and_who_has_no_memory),
		cmocka_unit_test(who_shares_the_mm_dies_even_with_minus_1000),
		cmocka_unit_test(members_of_the_group_take_their_sharers_with_them_once),
		cmocka_unit_test(a_large_group_of_sharers_is_taken_in_reasonable_time),
		cmocka_unit_test(frees_are_summed_by_node_in_ascending_order),
		cmocka_unit_test(growth_is_spread_over_the_allowed_nodes_by_their_room),
		cmocka_unit_test(a_shared_mm_is_freed_once),
		cmocka_unit_test(mms_that_alternate_in_a_group_are_freed_once_each),
		cmocka_unit_test(useful_is_a_mebibyte_or_a_hundredth_where_memory_is_short),
		cmocka_unit_test(what_others_map_too_is_no_relief),
		cmocka_unit_test(usefulness_is_unknown_without_the_shares_of_everyone),
		cmocka_unit_test(relief_is_the_sum_over_the_allowed_nodes),
		cmocka_unit_test(one_unknown_member_anywhere_makes_it_unknown),
		cmocka_unit_test(swap_of_all_members_is_relief_for_a_memcg),
		cmocka_unit_test(a_memcg_gets_back_at_most_what_it_is_charged_for),
		cmocka_unit_test(who_dies_outside_of_the_memcg_gives_nothing_back_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
