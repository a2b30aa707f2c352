/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies in the words of numa_maps, both ways. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/mempolicy.h"

/* The words of mm/mempolicy.c policy_modes[] and mpol_to_str(). */
static const struct {
	const char *text;
	enum mempolicy_mode mode;
	unsigned flags;
	const char *nodes;
} words[] = {
	{"default", MEMPOLICY_DEFAULT, 0, ""},
	{"local", MEMPOLICY_LOCAL, 0, ""},
	{"prefer:3", MEMPOLICY_PREFERRED, 0, "3"},
	{"prefer=relative:4", MEMPOLICY_PREFERRED, MEMPOLICY_RELATIVE, "4"},
	{"prefer (many):4-5", MEMPOLICY_PREFERRED_MANY, 0, "4-5"},
	{"prefer (many)=static:0-1", MEMPOLICY_PREFERRED_MANY, MEMPOLICY_STATIC, "0-1"},
	{"bind:0-1", MEMPOLICY_BIND, 0, "0-1"},
	{"bind:0,8,250-255", MEMPOLICY_BIND, 0, "0,8,250-255"},
	{"bind=static:1", MEMPOLICY_BIND, MEMPOLICY_STATIC, "1"},
	{"bind=relative:0", MEMPOLICY_BIND, MEMPOLICY_RELATIVE, "0"},
	{"bind=balancing:0-1", MEMPOLICY_BIND, MEMPOLICY_BALANCING, "0-1"},
	{"bind=static|balancing:2-3", MEMPOLICY_BIND, MEMPOLICY_STATIC | MEMPOLICY_BALANCING, "2-3"},
	{"interleave:0-3", MEMPOLICY_INTERLEAVE, 0, "0-3"},
	{"interleave=static:0-3", MEMPOLICY_INTERLEAVE, MEMPOLICY_STATIC, "0-3"},
	{"weighted interleave:0-3", MEMPOLICY_WEIGHTED_INTERLEAVE, 0, "0-3"},
	{"weighted interleave=relative:0,2", MEMPOLICY_WEIGHTED_INTERLEAVE, MEMPOLICY_RELATIVE, "0,2"},
};

static struct span make_span(const char *text)
{
	return (struct span){text, strlen(text)};
}

static void reads_the_kernels_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		AUTO(mempolicy_clear) struct mempolicy policy = {0}, column = {0};
		AUTO(free_p) char *nodes = NULL;

		assert_int_equal(mempolicy_parse(words[i].text, &policy, NULL), 0);
		assert_int_equal(policy.mode, words[i].mode);
		assert_int_equal(policy.flags, words[i].flags);
		nodes = nodeset_format(&policy.nodes);
		assert_string_equal(nodes, words[i].nodes);
		assert_int_equal(mempolicy_parse_span(make_span(words[i].text), &column), 0);
		assert_true(mempolicy_is_equal(&policy, &column));
	}
}

static void prints_the_kernels_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		AUTO(mempolicy_clear) struct mempolicy policy = {0};
		AUTO(free_p) char *text = NULL;

		assert_int_equal(mempolicy_parse(words[i].text, &policy, NULL), 0);
		text = mempolicy_format(&policy);
		assert_string_equal(text, words[i].text);
	}
}

/* include/uapi/linux/mempolicy.h */
static void has_the_kernels_numbers(void **state)
{
	(void)state;
	assert_int_equal(MEMPOLICY_BIND, 2);
	assert_int_equal(MEMPOLICY_LOCAL, 4);
	assert_int_equal(MEMPOLICY_WEIGHTED_INTERLEAVE, 6);
}

static void reads_what_the_first_kernels_wrote(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy policy = {0};
	AUTO(free_p) char *nodes = NULL;

	(void)state;
	assert_int_equal(mempolicy_parse_span(make_span("interleave=0-7"), &policy), 0);
	assert_int_equal(policy.mode, MEMPOLICY_INTERLEAVE);
	nodes = nodeset_format(&policy.nodes);
	assert_string_equal(nodes, "0-7");
}

static void refuses_with_a_reason(void **state)
{
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{"", "the modes are"},
		{"bound:1", "the modes are"},
		{"bind1", "the modes are"},
		{"BIND:1", "the modes are"},
		{" bind:1", "the modes are"},
		{"prefer (some):1", "the modes are"},
		{"bind", "needs nodes"},
		{"bind:", "needs nodes"},
		{"interleave=static", "needs nodes"},
		{"default:0", "takes no nodes"},
		{"local:0", "takes no nodes"},
		{"default:", "takes no nodes"},
		{"local=static", "takes no flags"},
		{"bind=sticky:1", "a flag is static, relative or balancing"},
		{"bind=:1", "a flag is"},
		{"bind=static|:1", "a flag is"},
		{"bind=static|static:1", "a flag is"},
		{"bind=static|relative:1", "exclude each other"},
		{"interleave=balancing:0-1", "balancing is for bind"},
		{"prefer:0-1", "prefer takes one node"},
		{"bind:1-", "policy \"bind:1-\": "},
		{"bind:3-1", "policy \"bind:3-1\": "},
		{"bind:4096", "policy \"bind:4096\": "},
		{"bind:99999999999999999999", "policy \"bind:99999999999999999999\": "},
		{"bind:x\x1b[31m", "policy \"bind:x\\x1b[31m\": "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mempolicy policy = {.mode = MEMPOLICY_LOCAL, .flags = 7};
		struct cgpol_error err = {0};

		if (mempolicy_parse(cases[i].text, &policy, &err) != -EINVAL)
			fail_msg("accepted: %s", cases[i].text);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].text, err.text, cases[i].reason);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_int_equal(policy.flags, 7);
	}
}

static void makes_something_other_of_unknown_columns(void **state)
{
	static const char *const cases[] = {
		"unknown",
		"future mode:0-1",
		"bind",
		"bind:9999",
		"bind=new:1",
		"",
		/* 63 bytes: the kernel's buffer was full, and the list may have lost its end */
		"bind:0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,401",
	};

	(void)state;
	assert_int_equal(strlen(cases[ARRAY_SIZE(cases) - 1]), 63);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy policy = {0};

		assert_int_equal(mempolicy_parse_span(make_span(cases[i]), &policy), 0);
		assert_int_equal(policy.mode, MEMPOLICY_OTHER);
		assert_true(nodeset_is_empty(&policy.nodes));
	}
}

static void tells_policies_apart(void **state)
{
	static const char *const different[] = {"default",  "local",	      "bind:0",
						"bind:0-1", "bind=static:0",  "interleave:0",
						"prefer:0", "prefer (many):0"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(different); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(different); j++) {
			AUTO(mempolicy_clear) struct mempolicy a = {0}, b = {0};

			assert_int_equal(mempolicy_parse(different[i], &a, NULL), 0);
			assert_int_equal(mempolicy_parse(different[j], &b, NULL), 0);
			assert_int_equal(mempolicy_is_equal(&a, &b), i == j);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_kernels_words),
		cmocka_unit_test(prints_the_kernels_words),
		cmocka_unit_test(has_the_kernels_numbers),
		cmocka_unit_test(reads_what_the_first_kernels_wrote),
		cmocka_unit_test(refuses_with_a_reason),
		cmocka_unit_test(makes_something_other_of_unknown_columns),
		cmocka_unit_test(tells_policies_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
