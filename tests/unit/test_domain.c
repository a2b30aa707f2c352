/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which constraint an allocation meets, what scales the points there, and how far away it is. The rules are
 * those of mm/oom_kill.c constrained_alloc(), mm/mempolicy.c and mm/memcontrol.c. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/domain.h"
#include "snapshots.h"

enum { PRESENT = 100000, MANAGED = PRESENT - 100, SWAP = 5000 };

static const struct oom_domain *find(struct snap *s)
{
	oom_forecast_clear(&s->forecast);
	assert_int_equal(domain_find(&s->snapshot, &s->question, &s->forecast.domain, &s->err), 0);
	return &s->forecast.domain;
}

static void assert_nodes(const struct nodeset *set, const char *list)
{
	AUTO(free_p) char *text = nodeset_format(set);

	assert_non_null(text);
	assert_string_equal(text, list);
}

/* Two nodes with memory, swap, and a task that asks. */
static struct snap *two_nodes(void)
{
	struct snap *s = snap_new(2, PRESENT);

	s->snapshot.swap_total = SWAP;
	snap_ask(s, snap_task(s, "t", 10));
	return s;
}

static void an_unrestricted_task_has_no_constraint_and_counts_managed_ram(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	const struct oom_domain *domain = find(s);

	(void)state;
	assert_int_equal(domain->constraint, OOM_NONE);
	assert_int_equal(domain->totalpages, 2 * MANAGED + SWAP);
	assert_nodes(&domain->nodes, "");
	assert_nodes(&domain->allowed, "0-1");
	assert_nodes(&domain->mems, "0-1");
}

static void a_cpuset_without_all_memory_counts_present_pages_of_its_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	const struct oom_domain *domain;

	(void)state;
	snap_confine(s, 0, "1");
	domain = find(s);
	assert_int_equal(domain->constraint, OOM_CPUSET);
	assert_int_equal(domain->totalpages, PRESENT + SWAP);
	assert_nodes(&domain->nodes, "1");
	assert_nodes(&domain->allowed, "1");
}

static void a_cpuset_may_leave_out_nodes_without_memory(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	assert_int_equal(nodeset_add(&s->snapshot.topology.online, 2), 0);
	snap_confine(s, 0, "0-1");
	assert_int_equal(find(s)->constraint, OOM_NONE);
}

static void only_bind_makes_a_policy_oom(void **state)
{
	static const struct {
		enum mempolicy_mode mode;
		const char *nodes;
		enum oom_constraint constraint;
	} cases[] = {
		{MEMPOLICY_DEFAULT, NULL, OOM_NONE},	  {MEMPOLICY_LOCAL, NULL, OOM_NONE},
		{MEMPOLICY_PREFERRED, "1", OOM_NONE},	  {MEMPOLICY_PREFERRED_MANY, "1", OOM_NONE},
		{MEMPOLICY_INTERLEAVE, "1", OOM_NONE},	  {MEMPOLICY_WEIGHTED_INTERLEAVE, "1", OOM_NONE},
		{MEMPOLICY_BIND, "1", OOM_MEMORY_POLICY}, {MEMPOLICY_OTHER, "1", OOM_NONE},
		{MEMPOLICY_BIND, "0-1", OOM_NONE}, /* all of N_MEMORY is no constraint */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = two_nodes();
		snap_bind(s, 0, cases[i].mode, cases[i].nodes);
		assert_int_equal(find(s)->constraint, cases[i].constraint);
	}
}

static void a_policy_oom_counts_present_pages_of_the_mask(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	const struct oom_domain *domain;

	(void)state;
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	domain = find(s);
	assert_int_equal(domain->totalpages, PRESENT + SWAP);
	assert_nodes(&domain->nodes, "1");
	assert_nodes(&domain->allowed, "1");
	assert_nodes(&domain->mems, "0-1");
}

static void bind_to_all_memory_has_the_totalpages_of_no_constraint(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_bind(s, 0, MEMPOLICY_BIND, "0-1");
	assert_int_equal(find(s)->totalpages, 2 * MANAGED + SWAP);
	assert_nodes(&s->forecast.domain.nodes, "");
}

static void bind_inside_a_cpuset_is_a_policy_oom(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(4, PRESENT);
	const struct oom_domain *domain;

	(void)state;
	snap_ask(s, snap_task(s, "t", 10));
	snap_confine(s, 0, "1-2");
	snap_bind(s, 0, MEMPOLICY_BIND, "2");
	domain = find(s);
	assert_int_equal(domain->constraint, OOM_MEMORY_POLICY);
	assert_nodes(&domain->nodes, "2");
	assert_nodes(&domain->allowed, "2");
	assert_nodes(&domain->mems, "1-2");
	assert_int_equal(domain->totalpages, PRESENT);
}

static void bind_to_the_whole_cpuset_is_a_policy_oom_too(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_confine(s, 0, "1");
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	assert_int_equal(find(s)->constraint, OOM_MEMORY_POLICY);
}

static void bind_that_misses_the_cpuset_gives_no_mask(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	const struct oom_domain *domain;

	(void)state;
	snap_confine(s, 0, "1");
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	domain = find(s);
	assert_int_equal(domain->constraint, OOM_CPUSET);
	assert_nodes(&domain->nodes, "1");
	assert_nodes(&domain->allowed, "1");
}

static void the_policy_of_the_mapping_goes_before_that_of_the_task(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	s->question.policy = snap_policy(s, MEMPOLICY_BIND, "1");
	assert_nodes(&find(s)->nodes, "1");
	assert_ptr_equal(s->forecast.domain.policy, s->question.policy);
	s->question.policy = snap_policy(s, MEMPOLICY_INTERLEAVE, "0-1");
	assert_int_equal(find(s)->constraint, OOM_NONE);
}

/* mm/mempolicy.c do_mbind(): MPOL_DEFAULT takes a mapping's policy away. */
static void a_default_policy_of_the_mapping_leaves_that_of_the_task(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	s->question.policy = snap_policy(s, MEMPOLICY_DEFAULT, NULL);
	assert_int_equal(find(s)->constraint, OOM_MEMORY_POLICY);
	assert_nodes(&s->forecast.domain.nodes, "0");
	s->question.policy = snap_policy(s, MEMPOLICY_LOCAL, NULL);
	assert_int_equal(find(s)->constraint, OOM_NONE);
}

static void the_thread_that_allocates_decides(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	size_t thread = snap_thread(s, 0, "1", NULL);
	size_t bound = snap_thread(s, 0, NULL, snap_policy(s, MEMPOLICY_BIND, "0"));

	(void)state;
	assert_int_equal(find(s)->constraint, OOM_NONE);
	s->question.thread = thread;
	assert_int_equal(find(s)->constraint, OOM_CPUSET);
	s->question.thread = bound;
	assert_int_equal(find(s)->constraint, OOM_MEMORY_POLICY);
	assert_nodes(&s->forecast.domain.nodes, "0");
}

static void the_kernel_leaves_the_cpuset_but_keeps_the_tasks_mems(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	const struct oom_domain *domain;

	(void)state;
	snap_confine(s, 0, "1");
	s->question.is_kernel = true;
	domain = find(s);
	assert_int_equal(domain->constraint, OOM_NONE);
	assert_int_equal(domain->totalpages, 2 * MANAGED + SWAP);
	assert_nodes(&domain->allowed, "0-1");
	assert_nodes(&domain->mems, "1");
}

static void the_kernel_obeys_the_policy_of_the_task_not_of_the_mapping(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	s->question.is_kernel = true;
	s->question.policy = snap_policy(s, MEMPOLICY_BIND, "1");
	assert_int_equal(find(s)->constraint, OOM_NONE);
	snap_bind(s, 0, MEMPOLICY_BIND, "0");
	assert_int_equal(find(s)->constraint, OOM_MEMORY_POLICY);
	assert_nodes(&s->forecast.domain.nodes, "0");
	assert_nodes(&s->forecast.domain.allowed, "0");
}

/* mm/mempolicy.c apply_policy_zone() */
static void a_policy_of_movable_nodes_does_not_bind_the_kernel(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	s->snapshot.topology.node[1].zone[0].index = SNAP_MOVABLE;
	snap_bind(s, 0, MEMPOLICY_BIND, "1");
	assert_int_equal(find(s)->constraint, OOM_MEMORY_POLICY);
	s->question.is_kernel = true;
	assert_int_equal(find(s)->constraint, OOM_NONE);
	assert_nodes(&s->forecast.domain.allowed, "0-1");
}

static void without_a_task_the_question_names_the_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = snap_new(2, PRESENT);

	(void)state;
	assert_int_equal(find(s)->constraint, OOM_NONE);
	assert_nodes(&s->forecast.domain.mems, "0-1");
	s->question.mems = snap_nodes(s, "1");
	assert_int_equal(find(s)->constraint, OOM_CPUSET);
	assert_nodes(&s->forecast.domain.nodes, "1");
}

static void the_question_overrides_constraint_and_nodes(void **state)
{
	static const struct {
		int constraint;
		const char *mode_bind, *nodes;
		enum oom_constraint want;
		const char *want_nodes, *want_allowed;
		uint64_t totalpages;
	} cases[] = {
		{OOM_NONE, "1", NULL, OOM_NONE, "", "0-3", 4 * MANAGED},
		{OOM_CPUSET, "1", "2", OOM_CPUSET, "2", "2", PRESENT},
		{OOM_CPUSET, NULL, "2-3", OOM_CPUSET, "2-3", "2-3", 2 * PRESENT},
		{OOM_CPUSET, NULL, NULL, OOM_CPUSET, "0-3", "0-3", 4 * PRESENT},
		{OOM_MEMORY_POLICY, "1", NULL, OOM_MEMORY_POLICY, "1", "1", PRESENT},
		{OOM_MEMORY_POLICY, "1", "2-3", OOM_MEMORY_POLICY, "2-3", "2-3", 2 * PRESENT},
		{OOM_MEMORY_POLICY, NULL, "0", OOM_MEMORY_POLICY, "0", "0", PRESENT},
		{OOM_DERIVED, NULL, "0", OOM_CPUSET, "0", "0", PRESENT},
		{OOM_DERIVED, "1", "0", OOM_MEMORY_POLICY, "0", "0", PRESENT},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = snap_new(4, PRESENT);
		snap_ask(s, snap_task(s, "t", 10));
		if (cases[i].mode_bind)
			snap_bind(s, 0, MEMPOLICY_BIND, cases[i].mode_bind);
		s->question.constraint = cases[i].constraint;
		s->question.nodes = cases[i].nodes ? snap_nodes(s, cases[i].nodes) : NULL;
		assert_int_equal(find(s)->constraint, cases[i].want);
		assert_nodes(&s->forecast.domain.nodes, cases[i].want_nodes);
		assert_nodes(&s->forecast.domain.allowed, cases[i].want_allowed);
		assert_int_equal(s->forecast.domain.totalpages, cases[i].totalpages);
	}
}

static void a_forced_cpuset_is_short_on_its_own_nodes_for_the_kernel_too(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_confine(s, 0, "1");
	s->question.is_kernel = true;
	s->question.constraint = OOM_CPUSET;
	assert_nodes(&find(s)->allowed, "1");
}

static void forced_nodes_may_lie_outside_of_everything(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	s->question.constraint = OOM_CPUSET;
	s->question.nodes = snap_nodes(s, "7");
	assert_nodes(&find(s)->allowed, "7");
	assert_int_equal(s->forecast.domain.totalpages, SWAP);
	snap_confine(s, 0, "1");
	s->question.constraint = OOM_MEMORY_POLICY;
	s->question.nodes = snap_nodes(s, "0");
	assert_nodes(&find(s)->allowed, "0");
}

static void a_thread_that_is_not_there_is_an_ordinary_one(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();

	(void)state;
	snap_confine(s, 0, "1");
	s->question.thread = 1;
	assert_int_equal(find(s)->constraint, OOM_NONE);
}

static void a_forced_policy_without_nodes_is_refused(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	struct oom_domain domain = {.totalpages = 77};

	(void)state;
	s->question.constraint = OOM_MEMORY_POLICY;
	assert_int_equal(domain_find(&s->snapshot, &s->question, &domain, &s->err), -EINVAL);
	assert_int_equal(s->err.kind, CGPOL_USAGE);
	assert_true(strlen(s->err.text) > 10);
	assert_int_equal(domain.totalpages, 77);
}

static void a_forced_memcg_without_any_limit_is_refused(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_nodes();
	struct oom_domain domain = {.totalpages = 77};

	(void)state;
	s->snapshot.task[0].memcg = snap_cgroup(s, "/a", 0, OOM_UNLIMITED);
	s->question.constraint = OOM_MEMCG;
	assert_int_equal(domain_find(&s->snapshot, &s->question, &domain, &s->err), -ENODATA);
	assert_true(strlen(s->err.text) > 10);
	assert_int_equal(domain.totalpages, 77);
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

static void the_limit_that_ends_first_is_the_domain(void **state)
{
	static const struct {
		uint64_t max_a, max_b;
		enum oom_constraint constraint;
		size_t memcg;
		uint64_t headroom;
	} cases[] = {
		{OOM_UNLIMITED, 1000, OOM_MEMCG, 2, 1000},
		{900, 1000, OOM_MEMCG, 1, 900},
		{1000, 900, OOM_MEMCG, 2, 900},
		{1000, 1000, OOM_MEMCG, 2, 1000}, /* the leaf is charged first */
		{OOM_UNLIMITED, 50001, OOM_NONE, OOM_NOBODY, 50000},
		{OOM_UNLIMITED, 50000, OOM_MEMCG, 2, 50000}, /* equal: nobody can tell, the memcg is named */
		{OOM_UNLIMITED, OOM_UNLIMITED, OOM_NONE, OOM_NOBODY, 50000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = two_groups(cases[i].max_a, cases[i].max_b);
		assert_int_equal(find(s)->constraint, cases[i].constraint);
		assert_int_equal(s->forecast.domain.memcg, cases[i].memcg);
		assert_int_equal(s->forecast.domain.headroom, cases[i].headroom);
	}
}

static void a_memcg_domain_has_no_nodes(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);

	(void)state;
	snap_confine(s, 0, "0");
	assert_int_equal(find(s)->constraint, OOM_MEMCG);
	assert_nodes(&s->forecast.domain.nodes, "");
}

static void a_memcg_at_or_over_its_limit_has_no_headroom(void **state)
{
	static const uint64_t current[] = {1000, 1001, UINT64_MAX};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(current); i++) {
		AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);
		s->snapshot.memcg[2].current = current[i];
		assert_int_equal(find(s)->constraint, OOM_MEMCG);
		assert_int_equal(s->forecast.domain.headroom, 0);
		assert_false(s->forecast.domain.lacks_headroom);
	}
}

static void totalpages_of_a_memcg_are_its_own_limits(void **state)
{
	static const struct {
		uint64_t max, swap_max, swappiness, totalpages;
	} cases[] = {
		{1000, OOM_UNLIMITED, 60, 1000 + SWAP},
		{1000, 200, 60, 1200},
		{1000, 0, 60, 1000},
		{1000, SWAP + 1, 60, 1000 + SWAP},
		{1000, 200, 0, 1000},
		{0, 0, 60, 1},					   /* never 0 */
		{OOM_UNLIMITED - 1, 0, 60, INT64_MAX / SNAP_PAGE}, /* "max" is LONG_MAX bytes */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, cases[i].max);
		s->snapshot.memcg[1].max = OOM_UNLIMITED - 1; /* an ancestor never counts */
		s->snapshot.memcg[1].swap_max = 3;
		s->snapshot.memcg[2].swap_max = cases[i].swap_max;
		s->snapshot.swappiness = cases[i].swappiness;
		s->question.constraint = OOM_MEMCG;
		assert_int_equal(find(s)->memcg, 2);
		assert_int_equal(s->forecast.domain.totalpages, cases[i].totalpages);
	}
}

static void page_cache_of_a_memcg_is_headroom(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);

	(void)state;
	s->snapshot.memcg[2].current = 900;
	s->snapshot.memcg[2].file = 300;
	assert_int_equal(find(s)->headroom, 400);
}

static void swap_of_a_memcg_is_headroom_up_to_the_tightest_limit(void **state)
{
	static const struct {
		uint64_t free, max_a, used_a, max_b, used_b, swappiness, headroom;
	} cases[] = {
		{4000, OOM_UNLIMITED, 0, OOM_UNLIMITED, 0, 60, 5000},
		{4000, 700, 100, OOM_UNLIMITED, 0, 60, 1600}, /* an ancestor's limit counts here */
		{4000, 700, 100, 500, 50, 60, 1450},
		{300, 700, 100, 500, 50, 60, 1300},
		{4000, 700, 900, OOM_UNLIMITED, 0, 60, 1000},
		{4000, OOM_UNLIMITED, 0, OOM_UNLIMITED, 0, 0,
		 1000}, /* get_scan_count(): memcgs do not swap */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);
		s->snapshot.swap_free = cases[i].free;
		s->snapshot.swappiness = cases[i].swappiness;
		s->snapshot.memcg[1].swap_max = cases[i].max_a;
		s->snapshot.memcg[1].swap_current = cases[i].used_a;
		s->snapshot.memcg[2].swap_max = cases[i].max_b;
		s->snapshot.memcg[2].swap_current = cases[i].used_b;
		assert_int_equal(find(s)->headroom, cases[i].headroom);
	}
}

static void a_group_without_the_controller_belongs_to_the_one_above(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(1000, 5);
	size_t leaf = snap_cgroup(s, "/a/b/c", 2, 5);

	(void)state;
	s->snapshot.memcg[2].has_memory = s->snapshot.memcg[leaf].has_memory = false;
	s->snapshot.memcg[2].is_read = s->snapshot.memcg[leaf].is_read = false;
	s->snapshot.task[0].memcg = leaf;
	assert_int_equal(domain_css(&s->snapshot, leaf), 1);
	assert_int_equal(find(s)->memcg, 1);
	assert_int_equal(domain_css(&s->snapshot, 0), 0);
	assert_int_equal(domain_css(&s->snapshot, OOM_NOBODY), OOM_NOBODY);
}

static void below_means_itself_or_any_descendant(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(1, 1);
	size_t other = snap_cgroup(s, "/o", 0, 1);

	(void)state;
	assert_true(domain_is_below(&s->snapshot, 2, 2));
	assert_true(domain_is_below(&s->snapshot, 2, 1));
	assert_true(domain_is_below(&s->snapshot, 2, 0));
	assert_false(domain_is_below(&s->snapshot, 1, 2));
	assert_false(domain_is_below(&s->snapshot, other, 1));
	assert_false(domain_is_below(&s->snapshot, OOM_NOBODY, 0));
}

static void a_shared_mm_is_charged_to_the_one_who_made_it(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(OOM_UNLIMITED, 1000);
	size_t other = snap_cgroup(s, "/o", 0, 70);
	size_t child = snap_task(s, "child", 10);

	(void)state;
	s->snapshot.task[child].memcg = other;
	s->snapshot.task[0].mm = s->snapshot.task[child].mm = 9;
	snap_ask(s, child);
	assert_int_equal(find(s)->memcg, 2);
	s->question.is_kernel = true; /* page tables and slab are charged to the allocating task's */
	assert_int_equal(find(s)->memcg, other);
	s->question.is_kernel = false;
	s->snapshot.task[0].has_vanished = true;
	assert_int_equal(find(s)->memcg, other);
}

static void a_cgroup_question_asks_the_limits_of_that_cgroup(void **state)
{
	AUTO(snap_free_p) struct snap *s = two_groups(800, 1000);

	(void)state;
	s->question.task = OOM_NOBODY;
	assert_int_equal(find(s)->constraint, OOM_NONE);
	s->question.memcg = 2;
	assert_int_equal(find(s)->memcg, 1);
	assert_int_equal(s->forecast.domain.headroom, 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unrestricted_task_has_no_constraint_and_counts_managed_ram),
		cmocka_unit_test(a_cpuset_without_all_memory_counts_present_pages_of_its_nodes),
		cmocka_unit_test(a_cpuset_may_leave_out_nodes_without_memory),
		cmocka_unit_test(only_bind_makes_a_policy_oom),
		cmocka_unit_test(a_policy_oom_counts_present_pages_of_the_mask),
		cmocka_unit_test(bind_to_all_memory_has_the_totalpages_of_no_constraint),
		cmocka_unit_test(bind_inside_a_cpuset_is_a_policy_oom),
		cmocka_unit_test(bind_to_the_whole_cpuset_is_a_policy_oom_too),
		cmocka_unit_test(bind_that_misses_the_cpuset_gives_no_mask),
		cmocka_unit_test(the_policy_of_the_mapping_goes_before_that_of_the_task),
		cmocka_unit_test(a_default_policy_of_the_mapping_leaves_that_of_the_task),
		cmocka_unit_test(the_thread_that_allocates_decides),
		cmocka_unit_test(the_kernel_leaves_the_cpuset_but_keeps_the_tasks_mems),
		cmocka_unit_test(the_kernel_obeys_the_policy_of_the_task_not_of_the_mapping),
		cmocka_unit_test(a_policy_of_movable_nodes_does_not_bind_the_kernel),
		cmocka_unit_test(without_a_task_the_question_names_the_nodes),
		cmocka_unit_test(the_question_overrides_constraint_and_nodes),
		cmocka_unit_test(a_forced_cpuset_is_short_on_its_own_nodes_for_the_kernel_too),
		cmocka_unit_test(forced_nodes_may_lie_outside_of_everything),
		cmocka_unit_test(a_thread_that_is_not_there_is_an_ordinary_one),
		cmocka_unit_test(a_forced_policy_without_nodes_is_refused),
		cmocka_unit_test(a_forced_memcg_without_any_limit_is_refused),
		cmocka_unit_test(the_limit_that_ends_first_is_the_domain),
		cmocka_unit_test(a_memcg_domain_has_no_nodes),
		cmocka_unit_test(a_memcg_at_or_over_its_limit_has_no_headroom),
		cmocka_unit_test(totalpages_of_a_memcg_are_its_own_limits),
		cmocka_unit_test(page_cache_of_a_memcg_is_headroom),
		cmocka_unit_test(swap_of_a_memcg_is_headroom_up_to_the_tightest_limit),
		cmocka_unit_test(a_group_without_the_controller_belongs_to_the_one_above),
		cmocka_unit_test(below_means_itself_or_any_descendant),
		cmocka_unit_test(a_shared_mm_is_charged_to_the_one_who_made_it),
		cmocka_unit_test(a_cgroup_question_asks_the_limits_of_that_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
