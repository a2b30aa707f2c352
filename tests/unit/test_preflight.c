/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Will the kernel take this memory policy, these cpus and this score? */
#include "test.h"

#include "act/preflight.h"
#include "base/cleanup.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

static unsigned allocations_left = UINT32_MAX; /* until one fails */

static bool fails(void)
{
	return allocations_left != UINT32_MAX && allocations_left-- == 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, count, size);
}

static void put(struct nodeset *set, const char *list)
{
	assert_int_equal(nodeset_parse(list, NODESET_CPUS_MAX, set, NULL), 0);
}

/* Nodes 0-3, of which 2 has no memory; 4 may come, 0, 1 and 2 are in the cpuset of /a. Cpus 0-7, of which 6
 * is offline, 5 is isolated, and 0-5 are in the cpuset. */
static void make(struct preflight *machine)
{
	*machine = (struct preflight){.major = 7, .minor = 3, .mems_from = "/a", .cpus_from = "/a"};
	put(&machine->possible_nodes, "0-4");
	put(&machine->online_nodes, "0-3");
	put(&machine->memory_nodes, "0-1,3");
	put(&machine->mems_allowed, "0-2");
	put(&machine->possible_cpus, "0-7");
	put(&machine->online_cpus, "0-5,7");
	put(&machine->isolated_cpus, "5");
	put(&machine->cpus_allowed, "0-5");
}

static void clear(struct preflight *machine)
{
	nodeset_clear(&machine->possible_nodes);
	nodeset_clear(&machine->online_nodes);
	nodeset_clear(&machine->memory_nodes);
	nodeset_clear(&machine->mems_allowed);
	nodeset_clear(&machine->possible_cpus);
	nodeset_clear(&machine->online_cpus);
	nodeset_clear(&machine->isolated_cpus);
	nodeset_clear(&machine->cpus_allowed);
}

static struct mempolicy parse(const char *text)
{
	struct mempolicy policy = {.mode = MEMPOLICY_DEFAULT};

	assert_int_equal(mempolicy_parse(text, &policy, NULL), 0);
	return policy;
}

static void foretells_the_nodes(void **state)
{
	static const struct {
		const char *wanted;
		bool intersect;
		const char *effective;
	} cases[] = {
		{"default", false, "default"},
		{"local", false, "local"},
		{"bind:0-1", false, "bind:0-1"},
		{"prefer:1", false, "prefer:1"},
		{"prefer (many):0-1", false, "prefer (many):0-1"},
		{"interleave:0", false, "interleave:0"},
		{"weighted interleave:0-1", false, "weighted interleave:0-1"},
		{"bind=balancing:1", false, "bind=balancing:1"},
		{"prefer (many)=balancing:1", false, "prefer (many)=balancing:1"},
		{"bind:0-3", true, "bind:0-1"},
		{"bind:1-1023", true, "bind:1"},
		/* Static: what the cpuset has of them, today. */
		{"bind=static:1-4", false, "bind=static:1"},
		{"interleave=static:0,3", false, "interleave=static:0"},
		/* Relative: 0 and 1 are the usable ones, and it begins anew behind them. */
		{"bind=relative:1", false, "bind=relative:1"},
		{"bind=relative:2", false, "bind=relative:0"},
		{"bind=relative:1,3,5", false, "bind=relative:1"},
		{"interleave=relative:0-1023", false, "interleave=relative:0-1"},
		{"prefer=relative:7", false, "prefer=relative:1"},
	};
	struct preflight machine;

	(void)state;
	make(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = parse(cases[i].wanted), effective = {0};
		AUTO(free_p) char *text = NULL;
		struct cgpol_error err = {0};

		machine.policy = &wanted;
		machine.intersect = cases[i].intersect;
		if (preflight_policy(&machine, &effective, &err) != 0)
			fail_msg("%s: %s", cases[i].wanted, err.text);
		text = mempolicy_format(&effective);
		if (strcmp(text, cases[i].effective) != 0)
			fail_msg("%s: %s", cases[i].wanted, text);
	}
	clear(&machine);
}

static void is_content_with_nothing(void **state)
{
	AUTO(mempolicy_clear)
	struct mempolicy effective = parse("bind:1"), empty = {.mode = MEMPOLICY_PREFERRED};
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct preflight machine;
	char warning[64] = "x";

	(void)state;
	make(&machine);
	assert_int_equal(preflight_policy(&machine, &effective, NULL), 0);
	assert_int_equal(effective.mode, MEMPOLICY_DEFAULT);
	/* mm/mempolicy.c mpol_new(): preferred without nodes is local. */
	machine.policy = &empty;
	assert_int_equal(preflight_policy(&machine, &effective, NULL), 0);
	assert_int_equal(effective.mode, MEMPOLICY_LOCAL);
	put(&cpus, "1");
	assert_int_equal(preflight_cpus(&machine, &cpus, warning, sizeof(warning), NULL), 0);
	assert_true(nodeset_is_empty(&cpus));
	assert_string_equal(warning, "");
	assert_int_equal(preflight_adj(&machine, NULL), 0);
	clear(&machine);
}

static void says_which_nodes_and_why(void **state)
{
	static const struct {
		const char *wanted;
		enum cgpol_kind kind;
		const char *sentence, *file;
	} cases[] = {
		{"bind:7", CGPOL_USAGE, "node 7 does not exist (this machine has 0-3)", ""},
		{"bind:0,7-8", CGPOL_USAGE, "nodes 7-8 do not exist (this machine has 0-3)", ""},
		{"bind=static:1,7", CGPOL_USAGE, "node 7 does not exist (this machine has 0-3)", ""},
		{"bind:4", CGPOL_UNSUPPORTED, "node 4 is offline (online are 0-3)",
		 "/sys/devices/system/node/online"},
		{"bind:0,2", CGPOL_UNSUPPORTED, "node 2 has no memory (memory is on 0-1,3)",
		 "/sys/devices/system/node/has_memory"},
		{"bind:3", CGPOL_UNSUPPORTED,
		 "node 3 is not in cpuset.mems.effective of \"/a\" (which has 0-2)",
		 "/a/cpuset.mems.effective"},
		{"prefer:3", CGPOL_UNSUPPORTED, "node 3 is not in cpuset.mems.effective of \"/a\"",
		 "/a/cpuset.mems.effective"},
		{"interleave:0-1,3", CGPOL_UNSUPPORTED, "node 3 is not in cpuset.mems.effective",
		 "/a/cpuset.mems.effective"},
		{"bind=static:2-3", CGPOL_UNSUPPORTED,
		 "no node is left for the memory policy: requested 2-3, Mems_allowed 0-2 (by \"/a\"), with "
		 "memory 0-1,3, in both 0-1",
		 "/a/cpuset.mems.effective"},
	};
	struct preflight machine;

	(void)state;
	make(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = parse(cases[i].wanted);
		struct mempolicy effective = {.flags = 7};
		struct cgpol_error err = {0};

		machine.policy = &wanted;
		if (preflight_policy(&machine, &effective, &err) != -EINVAL)
			fail_msg("accepted: %s", cases[i].wanted);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("%s: \"%s\"", cases[i].wanted, err.text);
		assert_int_equal(err.kind, cases[i].kind);
		assert_string_equal(err.file, cases[i].file);
		assert_int_equal(effective.flags, 7);
		assert_int_equal(preflight_policy(&machine, &effective, NULL), -EINVAL);
	}
	clear(&machine);
}

static void says_what_is_there_when_nothing_is_left(void **state)
{
	AUTO(mempolicy_clear)
	struct mempolicy wanted = parse("bind:2-3"), relative = parse("bind=relative:0");
	AUTO(mempolicy_clear) struct mempolicy effective = {0};
	struct cgpol_error err = {0};
	struct preflight machine;

	(void)state;
	make(&machine);
	machine.intersect = true;
	machine.mems_from = NULL;
	machine.policy = &wanted;
	assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	assert_string_equal(err.text,
			    "no node is left for the memory policy: requested 2-3, Mems_allowed 0-2, "
			    "with memory 0-1,3, in both 0-1");
	assert_string_equal(err.file, "");
	machine.policy = &relative;
	put(&machine.mems_allowed, "");
	assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
	assert_non_null(strstr(err.text, "Mems_allowed none, with memory 0-1,3, in both none"));
	clear(&machine);
}

static void keeps_odd_names_of_cgroups_off_the_terminal(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy wanted = parse("bind:3"), effective = {0};
	struct cgpol_error err = {0};
	struct preflight machine;

	(void)state;
	make(&machine);
	machine.mems_from = "/\x1b[31m";
	machine.policy = &wanted;
	assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
	assert_non_null(strstr(err.text, "of \"/\\x1b[31m\""));
	assert_string_equal(err.file, "/\\x1b[31m/cpuset.mems.effective");
	machine.mems_from = "/";
	assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
	assert_string_equal(err.file, "/cpuset.mems.effective");
	machine.mems_from = NULL;
	assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
	assert_string_equal(err.text,
			    "node 3 is not in cpuset.mems.effective of this cgroup (which has 0-2)");
	clear(&machine);
}

/* mm/mempolicy.c sanitize_mpol_flags(), mpol_new() */
static void refuses_what_no_kernel_takes(void **state)
{
	static const struct {
		enum mempolicy_mode mode;
		unsigned flags;
		const char *nodes, *reason;
	} cases[] = {
		{MEMPOLICY_BIND, MEMPOLICY_STATIC | MEMPOLICY_RELATIVE, "0", "exclude each other"},
		{MEMPOLICY_INTERLEAVE, MEMPOLICY_BALANCING, "0", "balancing is for"},
		{MEMPOLICY_PREFERRED, MEMPOLICY_BALANCING, "0", "balancing is for"},
		{MEMPOLICY_WEIGHTED_INTERLEAVE, MEMPOLICY_BALANCING, "0", "balancing is for"},
		{MEMPOLICY_LOCAL, MEMPOLICY_BALANCING, "", "balancing is for"},
		{MEMPOLICY_DEFAULT, 0, "0", "takes no nodes"},
		{MEMPOLICY_LOCAL, 0, "0", "takes no nodes"},
		{MEMPOLICY_LOCAL, MEMPOLICY_STATIC, "", "no flags"},
		{MEMPOLICY_DEFAULT, MEMPOLICY_RELATIVE, "", "no flags"},
		{MEMPOLICY_PREFERRED, MEMPOLICY_STATIC, "", "no flags"},
		{MEMPOLICY_BIND, 0, "", "at least one node"},
		{MEMPOLICY_PREFERRED_MANY, 0, "", "at least one node"},
		{MEMPOLICY_PREFERRED, 0, "0-1", "takes one node"},
		{MEMPOLICY_BIND, MEMPOLICY_RELATIVE, "1024", "more than 1024 nodes"},
		{MEMPOLICY_OTHER, 0, "0", "not known"},
	};
	struct preflight machine;

	(void)state;
	make(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear)
		struct mempolicy wanted = {.mode = cases[i].mode, .flags = cases[i].flags}, effective = {0};
		struct cgpol_error err = {0};

		put(&wanted.nodes, cases[i].nodes);
		machine.policy = &wanted;
		assert_int_equal(preflight_policy(&machine, &effective, &err), -EINVAL);
		assert_int_equal(err.kind, CGPOL_USAGE);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%zu: %s", i, err.text);
	}
	clear(&machine);
}

static void knows_since_when_each_mode_is_there(void **state)
{
	static const struct {
		const char *wanted;
		unsigned major, minor;
		bool is_there;
	} cases[] = {
		{"bind=static:0", 5, 10, true},
		{"local", 5, 10, true},
		{"prefer (many):0", 5, 14, false},
		{"prefer (many):0", 5, 15, true},
		{"bind=balancing:0", 5, 11, false},
		{"bind=balancing:0", 5, 12, true},
		{"prefer (many)=balancing:0", 6, 1, false},
		{"prefer (many)=balancing:0", 6, 12, true},
		{"prefer (many)=balancing:0", 5, 10, false},
		{"weighted interleave:0", 6, 8, false},
		{"weighted interleave:0", 6, 9, true},
		{"weighted interleave:0", 5, 99, false},
		{"weighted interleave:0", 7, 0, true},
	};
	struct preflight machine;

	(void)state;
	make(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = parse(cases[i].wanted), effective = {0};
		struct cgpol_error err = {0};
		int rc;

		machine.policy = &wanted;
		machine.major = cases[i].major;
		machine.minor = cases[i].minor;
		rc = preflight_policy(&machine, &effective, &err);
		if ((rc == 0) != cases[i].is_there)
			fail_msg("%s on %u.%u: %d", cases[i].wanted, cases[i].major, cases[i].minor, rc);
		if (rc < 0) {
			assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
			assert_non_null(strstr(err.text, "needs kernel"));
			/* It was asked, and has it: carried back by a distribution. */
			machine.is_proven = true;
			assert_int_equal(preflight_policy(&machine, &effective, &err), 0);
			machine.is_proven = false;
		}
	}
	clear(&machine);
}

static void tells_cpus_apart(void **state)
{
	static const struct {
		const char *wanted;
		bool intersect;
		const char *effective, *sentence; /* one of them */
		enum cgpol_kind kind;
	} cases[] = {
		{"0-3", false, "0-3", NULL, 0},
		{"0-5", false, "0-5", NULL, 0},
		{"8", false, NULL, "cpu 8 does not exist (this machine has 0-7)", CGPOL_USAGE},
		{"0-303", false, NULL, "cpus 8-303 do not exist (this machine has 0-7)", CGPOL_USAGE},
		{"6", false, NULL, "cpu 6 is offline (online are 0-5,7)", CGPOL_UNSUPPORTED},
		{"0-7", false, NULL, "cpu 6 is offline", CGPOL_UNSUPPORTED},
		{"7", false, NULL, "cpu 7 is not in cpuset.cpus.effective of \"/a\" (which has 0-5)",
		 CGPOL_UNSUPPORTED},
		{"0-7", true, "0-5", NULL, 0},
		{"5-303", true, "5", NULL, 0},
		{"6-7", true, NULL, "no cpu is left: requested 6-7, allowed 0-5, online 0-5,7",
		 CGPOL_UNSUPPORTED},
		{"", false, NULL, "no cpu is given", CGPOL_USAGE},
		{"", true, NULL, "no cpu is given", CGPOL_USAGE},
	};
	struct preflight machine;

	(void)state;
	make(&machine);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL}, effective = {0, NULL};
		AUTO(free_p) char *text = NULL;
		struct cgpol_error err = {0};
		char warning[160];
		int rc;

		put(&wanted, cases[i].wanted);
		machine.cpus = &wanted;
		machine.intersect = cases[i].intersect;
		rc = preflight_cpus(&machine, &effective, warning, sizeof(warning), &err);
		text = nodeset_format(&effective);
		if ((rc == 0) != (cases[i].effective != NULL))
			fail_msg("%s: %d, %s", cases[i].wanted, rc, err.text);
		if (rc == 0) {
			assert_string_equal(text, cases[i].effective);
			continue;
		}
		assert_int_equal(rc, -EINVAL);
		assert_string_equal(text, "");
		assert_int_equal(err.kind, cases[i].kind);
		if (!strstr(err.text, cases[i].sentence))
			fail_msg("%s: \"%s\"", cases[i].wanted, err.text);
	}
	clear(&machine);
}

/* The same cpu is refused wherever it stands in a range: the ends are not looked at alone. */
static void treats_ends_and_insides_of_ranges_alike(void **state)
{
	static const char *const ranges[] = {"3", "0-3", "3-7", "2-4", "0-7"};
	struct preflight machine;

	(void)state;
	make(&machine);
	put(&machine.online_cpus, "0-7");
	put(&machine.cpus_allowed, "0-2,4-7");
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL}, effective = {0, NULL};
		struct cgpol_error err = {0};
		char warning[160];

		put(&wanted, ranges[i]);
		machine.cpus = &wanted;
		assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), &err),
				 -EINVAL);
		assert_string_equal(err.text,
				    "cpu 3 is not in cpuset.cpus.effective of \"/a\" (which has 0-2,4-7)");
	}
	clear(&machine);
}

static void names_the_nodes_whose_cpus_were_asked_for(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL}, wanted = {0, NULL}, effective = {0, NULL};
	struct cgpol_error err = {0};
	struct preflight machine;
	char warning[160];

	(void)state;
	make(&machine);
	put(&nodes, "2-3");
	machine.cpu_nodes = &nodes;
	machine.cpus = &wanted;
	assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), &err), -EINVAL);
	assert_string_equal(err.text, "the cpus of nodes 2-3: no cpu is given");
	assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
	put(&wanted, "5-7");
	put(&nodes, "3");
	assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), &err), -EINVAL);
	assert_string_equal(err.text, "the cpus of node 3: cpu 6 is offline (online are 0-5,7)");
	clear(&machine);
}

static void warns_of_isolated_cpus(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL}, effective = {0, NULL};
	struct preflight machine;
	char warning[200] = "x", small[8];

	(void)state;
	make(&machine);
	machine.cpus = &wanted;
	put(&wanted, "0-4");
	assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), NULL), 0);
	assert_string_equal(warning, "");
	put(&wanted, "4-5");
	assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), NULL), 0);
	assert_true(strncmp(warning, "cpu 5 is isolated", 17) == 0);
	put(&machine.isolated_cpus, "4-5");
	assert_int_equal(preflight_cpus(&machine, &effective, warning, sizeof(warning), NULL), 0);
	assert_true(strncmp(warning, "cpus 4-5 are isolated", 21) == 0);
	assert_int_equal(preflight_cpus(&machine, &effective, small, sizeof(small), NULL), 0);
	assert_int_equal(strlen(small), sizeof(small) - 1);
	assert_int_equal(preflight_cpus(&machine, &effective, NULL, 0, NULL), 0);
	clear(&machine);
}

/* fs/proc/base.c oom_score_adj_write(), __set_oom_adj() */
static void judges_scores(void **state)
{
	static const struct {
		int adj, least;
		bool has_cap;
		int rc;
	} cases[] = {
		{0, 0, false, 0},	   {1000, 0, false, 0},		  {1001, 0, true, -ERANGE},
		{-1001, 0, true, -ERANGE}, {-1, 0, false, -EACCES},	  {-1, 0, true, 0},
		{-1000, 0, true, 0},	   {-500, -500, false, 0},	  {-501, -500, false, -EACCES},
		{50, 100, false, -EACCES}, {INT32_MIN, 0, true, -ERANGE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct preflight machine = {.oom_score_adj = &cases[i].adj,
					    .adj_min = cases[i].least,
					    .has_sys_resource = cases[i].has_cap};
		struct cgpol_error err = {0};

		assert_int_equal(preflight_adj(&machine, &err), cases[i].rc);
		if (cases[i].rc < 0)
			assert_int_equal(err.kind, cases[i].rc == -ERANGE ? CGPOL_USAGE : CGPOL_FAILED);
		if (cases[i].rc == -EACCES)
			assert_non_null(strstr(err.text, "CAP_SYS_RESOURCE"));
	}
}

static void survives_a_lack_of_memory_anywhere(void **state)
{
	static const char *const policies[] = {"bind:0-1", "bind=relative:5", "prefer:1",
					       "bind:3",   "bind:7",	      "bind=static:3"};
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL}, nodes = {0, NULL}, set = {0, NULL};
	struct preflight machine;
	char warning[64];

	(void)state;
	make(&machine);
	put(&cpus, "4-5");
	put(&nodes, "1");
	machine.cpus = &cpus;
	machine.cpu_nodes = &nodes;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(policies); i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = parse(policies[i / 2]), effective = {0};
		bool failed = true;

		machine.policy = &wanted;
		for (unsigned n = 0; failed; n++) {
			struct cgpol_error err = {0};
			int rc;

			assert_in_range(n, 0, 50);
			allocations_left = n;
			rc = i % 2 ? preflight_policy(&machine, &effective, &err)
				   : preflight_cpus(&machine, &set, warning, sizeof(warning), &err);
			failed = allocations_left == UINT32_MAX;
			allocations_left = UINT32_MAX;
			if (failed)
				assert_int_equal(rc, -ENOMEM);
			else
				assert_true(n > 0);
		}
	}
	clear(&machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foretells_the_nodes),
		cmocka_unit_test(is_content_with_nothing),
		cmocka_unit_test(says_which_nodes_and_why),
		cmocka_unit_test(says_what_is_there_when_nothing_is_left),
		cmocka_unit_test(keeps_odd_names_of_cgroups_off_the_terminal),
		cmocka_unit_test(refuses_what_no_kernel_takes),
		cmocka_unit_test(knows_since_when_each_mode_is_there),
		cmocka_unit_test(tells_cpus_apart),
		cmocka_unit_test(treats_ends_and_insides_of_ranges_alike),
		cmocka_unit_test(names_the_nodes_whose_cpus_were_asked_for),
		cmocka_unit_test(warns_of_isolated_cpus),
		cmocka_unit_test(judges_scores),
		cmocka_unit_test(survives_a_lack_of_memory_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
