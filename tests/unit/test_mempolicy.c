/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies: the words of numa_maps, both ways, and the arguments of the system calls. */
#include "test.h"

#include <limits.h>

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

enum { WORD_BITS = sizeof(unsigned long) * CHAR_BIT };

/* A kernel with as many possible nodes as a test likes: mm/mempolicy.c get_nodes(), copy_nodes_to_user(). */
static struct kernel {
	bool is_real;
	unsigned possible; /* nr_node_ids; MAX_NUMNODES too */
	int mode;
	unsigned long nodes[65536 / WORD_BITS];
	unsigned long allowed;
	int errnum;	/* what every call gives */
	unsigned calls; /* of get_mempolicy */
} kernel = {.is_real = true};

static bool allocation_fails;

long __real_set_mempolicy(int mode, const unsigned long *word, unsigned long maxnode);
long __wrap_set_mempolicy(int mode, const unsigned long *word, unsigned long maxnode);
long __real_get_mempolicy(int *mode, unsigned long *word, unsigned long maxnode, void *addr, unsigned flags);
long __wrap_get_mempolicy(int *mode, unsigned long *word, unsigned long maxnode, void *addr, unsigned flags);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_reallocarray(p, count, size);
}

static long refuse(int errnum)
{
	errno = errnum;
	return -1;
}

/* get_nodes(): "--maxnode", copy the words that hold so many bits, cut the last one off behind them; bits
 * that the kernel has no node for must be 0. */
long __wrap_set_mempolicy(int mode, const unsigned long *word, unsigned long maxnode)
{
	unsigned long bits = maxnode - 1;

	if (kernel.is_real)
		return __real_set_mempolicy(mode, word, maxnode);
	if (kernel.errnum)
		return refuse(kernel.errnum);
	memset(kernel.nodes, 0, sizeof(kernel.nodes));
	if (maxnode == 0 || bits == 0 || !word)
		bits = 0;
	if (bits > 4096UL * CHAR_BIT)
		return refuse(EINVAL);
	for (unsigned long bit = 0; bit < bits; bit++) {
		if (!(word[bit / WORD_BITS] >> bit % WORD_BITS & 1))
			continue;
		if (bit >= kernel.possible)
			return refuse(EINVAL);
		kernel.nodes[bit / WORD_BITS] |= 1UL << bit % WORD_BITS;
	}
	kernel.mode = mode;
	return 0;
}

long __wrap_get_mempolicy(int *mode, unsigned long *word, unsigned long maxnode, void *addr, unsigned flags)
{
	unsigned long bytes = (maxnode - 1 + WORD_BITS - 1) / WORD_BITS * sizeof(long);
	unsigned long most = (kernel.possible + WORD_BITS - 1) / WORD_BITS * sizeof(long);

	if (kernel.is_real)
		return __real_get_mempolicy(mode, word, maxnode, addr, flags);
	kernel.calls++;
	if (kernel.errnum)
		return refuse(kernel.errnum);
	if (maxnode < kernel.possible || addr)
		return refuse(EINVAL);
	if (bytes > most && bytes > 4096)
		return refuse(EINVAL);
	if (mode)
		*mode = kernel.mode;
	memset(word, 0, bytes);
	memcpy(word, flags == 1 << 2 ? &kernel.allowed : kernel.nodes,
	       flags == 1 << 2 ? sizeof(kernel.allowed)
	       : bytes < most  ? bytes
			       : most);
	return 0;
}

static void pretend(unsigned possible)
{
	kernel = (struct kernel){.possible = possible};
}

static int stop_pretending(void **state)
{
	(void)state;
	kernel = (struct kernel){.is_real = true};
	allocation_fails = false;
	return 0;
}

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

static struct mempolicy make_policy(enum mempolicy_mode mode, unsigned flags, const char *nodes)
{
	struct mempolicy policy = {.mode = mode, .flags = flags};

	assert_int_equal(nodeset_parse(nodes, NODESET_NODES_MAX, &policy.nodes, NULL), 0);
	return policy;
}

/* The kernel looks at maxnode - 1 bits: who passes the number of bits loses the highest node. */
static void gives_the_kernel_the_top_node_of_every_size(void **state)
{
	(void)state;
	for (unsigned top = 0; top < 1024; top++) {
		/* A kernel that has just so many nodes, and the largest one. */
		const unsigned sizes[] = {top + 1, 1024};

		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			AUTO(mempolicy_clear) struct mempolicy policy = {.mode = MEMPOLICY_BIND};
			AUTO(mempolicy_clear) struct mempolicy read = {.mode = MEMPOLICY_OTHER};

			pretend(sizes[i]);
			assert_int_equal(nodeset_add(&policy.nodes, top), 0);
			if (mempolicy_set(&policy) != 0)
				fail_msg("node %u of %u is refused", top, sizes[i]);
			if (kernel.nodes[top / WORD_BITS] != 1UL << top % WORD_BITS)
				fail_msg("node %u of %u is lost", top, sizes[i]);
			assert_int_equal(mempolicy_get(&read), 0);
			assert_true(mempolicy_is_equal(&read, &policy));
		}
	}
}

static void passes_whole_sets(void **state)
{
	static const char *const cases[] = {
		"0", "0-1023", "63-64", "0,8,250-255", "0-63", "1-1023:1/2", "62,127,191,255,1022"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear)
		struct mempolicy policy = make_policy(MEMPOLICY_INTERLEAVE, 0, cases[i]);
		AUTO(mempolicy_clear) struct mempolicy read = {.mode = MEMPOLICY_OTHER};

		pretend(1024);
		assert_int_equal(mempolicy_set(&policy), 0);
		assert_int_equal(mempolicy_get(&read), 0);
		assert_true(mempolicy_is_equal(&read, &policy));
	}
}

/* include/uapi/linux/mempolicy.h */
static void puts_the_flags_into_the_mode(void **state)
{
	static const struct {
		enum mempolicy_mode mode;
		unsigned flags;
		const char *nodes;
		int argument;
		unsigned long maxnode;
	} cases[] = {
		{MEMPOLICY_DEFAULT, 0, "", 0, 0},
		{MEMPOLICY_LOCAL, 0, "", 4, 0},
		{MEMPOLICY_PREFERRED, 0, "", 4, 0},
		{MEMPOLICY_PREFERRED, 0, "1", 1, WORD_BITS + 1},
		{MEMPOLICY_BIND, 0, "0", 2, WORD_BITS + 1},
		{MEMPOLICY_BIND, MEMPOLICY_STATIC, "1", 2 | 1 << 15, WORD_BITS + 1},
		{MEMPOLICY_INTERLEAVE, MEMPOLICY_RELATIVE, "64", 3 | 1 << 14,
		 (64 / WORD_BITS + 1) * WORD_BITS + 1},
		{MEMPOLICY_BIND, MEMPOLICY_BALANCING, "0", 2 | 1 << 13, WORD_BITS + 1},
		{MEMPOLICY_PREFERRED_MANY, MEMPOLICY_STATIC | MEMPOLICY_BALANCING, "0-1",
		 5 | 1 << 15 | 1 << 13, WORD_BITS + 1},
		{MEMPOLICY_WEIGHTED_INTERLEAVE, 0, "0-1", 6, WORD_BITS + 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear)
		struct mempolicy policy = make_policy(cases[i].mode, cases[i].flags, cases[i].nodes);
		AUTO(mempolicy_clear) struct mempolicy again = {.mode = MEMPOLICY_OTHER};
		AUTO(mempolicy_call_clear) struct mempolicy_call call = {-1, NULL, 7};

		assert_int_equal(mempolicy_prepare(&policy, &call), 0);
		assert_int_equal(call.mode, cases[i].argument);
		assert_int_equal(call.maxnode, cases[i].maxnode);
		assert_int_equal(call.word == NULL, cases[i].nodes[0] == '\0');
		assert_int_equal(mempolicy_decode(call.mode, call.word, call.maxnode, &again), 0);
		if (call.mode == 4)
			policy.mode = MEMPOLICY_LOCAL;
		assert_true(mempolicy_is_equal(&again, &policy));
	}
}

static void prepares_nothing_that_makes_no_sense(void **state)
{
	static const struct {
		enum mempolicy_mode mode;
		unsigned flags;
		const char *nodes;
	} cases[] = {
		{MEMPOLICY_DEFAULT, 0, "0"},
		{MEMPOLICY_LOCAL, 0, "0"},
		{MEMPOLICY_BIND, 0, ""},
		{MEMPOLICY_INTERLEAVE, 0, ""},
		{MEMPOLICY_PREFERRED, MEMPOLICY_STATIC, ""},
		{MEMPOLICY_PREFERRED_MANY, 0, ""},
		{MEMPOLICY_OTHER, 0, "0"},
		{MEMPOLICY_OTHER, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear)
		struct mempolicy policy = make_policy(cases[i].mode, cases[i].flags, cases[i].nodes);
		struct mempolicy_call call = {-1, NULL, 7};

		assert_int_equal(mempolicy_prepare(&policy, &call), -EINVAL);
		assert_int_equal(call.mode, -1);
		assert_int_equal(call.maxnode, 7);
		assert_int_equal(mempolicy_set(&policy), -EINVAL);
	}
}

static void reads_with_a_mask_that_is_large_enough(void **state)
{
	static const unsigned sizes[] = {1, 64, 1024, 1025, 1026, 4096, 32768};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		AUTO(mempolicy_clear) struct mempolicy read = {.mode = MEMPOLICY_OTHER};
		unsigned top = sizes[i] - 1;

		pretend(sizes[i]);
		kernel.mode = 2;
		kernel.nodes[top / WORD_BITS] = 1UL << top % WORD_BITS;
		assert_int_equal(mempolicy_get(&read), 0);
		assert_int_equal(read.mode, MEMPOLICY_BIND);
		assert_int_equal(nodeset_next(&read.nodes, 0), top);
		assert_int_equal(nodeset_count(&read.nodes), 1);
	}
	pretend(32770);
	assert_int_equal(mempolicy_get(&(struct mempolicy){.mode = MEMPOLICY_OTHER}), -EINVAL);
	assert_true(kernel.calls < 10);
}

static void reads_the_nodes_that_are_allowed(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	AUTO(free_p) char *text = NULL;

	(void)state;
	pretend(8);
	kernel.allowed = 0xa3;
	assert_int_equal(mempolicy_get_allowed(&nodes), 0);
	text = nodeset_format(&nodes);
	assert_string_equal(text, "0-1,5,7");
}

static void reads_modes_of_other_kernels(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy read = {.mode = MEMPOLICY_BIND};
	unsigned long word = 0;

	(void)state;
	/* 5.10 keeps local as preferred without nodes. */
	assert_int_equal(mempolicy_decode(1, &word, WORD_BITS + 1, &read), 0);
	assert_int_equal(read.mode, MEMPOLICY_LOCAL);
	word = 3;
	assert_int_equal(mempolicy_decode(7, &word, WORD_BITS + 1, &read), 0);
	assert_int_equal(read.mode, MEMPOLICY_OTHER);
	assert_int_equal(mempolicy_decode(2 | 1 << 12, &word, WORD_BITS + 1, &read), 0);
	assert_int_equal(read.mode, MEMPOLICY_OTHER);
	assert_int_equal(mempolicy_decode(-1, &word, WORD_BITS + 1, &read), 0);
	assert_int_equal(read.mode, MEMPOLICY_OTHER);
	/* Bits behind maxnode - 1 are not the kernel's. */
	assert_int_equal(mempolicy_decode(2, &word, 2, &read), 0);
	assert_int_equal(nodeset_count(&read.nodes), 1);
	assert_int_equal(mempolicy_decode(0, NULL, 0, &read), 0);
	assert_true(nodeset_is_empty(&read.nodes));
}

static void hands_the_errno_on_and_leaves_the_rest(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy policy = make_policy(MEMPOLICY_BIND, 0, "1");
	AUTO(mempolicy_clear) struct mempolicy read = make_policy(MEMPOLICY_INTERLEAVE, 0, "0-1");
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	unsigned long word[1024 / WORD_BITS];
	int mode;

	(void)state;
	pretend(2);
	kernel.errnum = EPERM; /* seccomp */
	assert_int_equal(mempolicy_set(&policy), -EPERM);
	assert_int_equal(mempolicy_get(&read), -EPERM);
	assert_int_equal(mempolicy_get_allowed(&nodes), -EPERM);
	assert_int_equal(mempolicy_read(&mode, word, 1025), -EPERM);
	kernel.errnum = 0;
	allocation_fails = true;
	assert_int_equal(mempolicy_set(&policy), -ENOMEM);
	assert_int_equal(mempolicy_get(&read), -ENOMEM);
	assert_int_equal(mempolicy_get_allowed(&nodes), -ENOMEM);
	allocation_fails = false;
	assert_int_equal(read.mode, MEMPOLICY_INTERLEAVE);
	assert_int_equal(nodeset_count(&read.nodes), 2);
	/* A node that this kernel does not have. */
	assert_int_equal(nodeset_add(&policy.nodes, 2), 0);
	assert_int_equal(mempolicy_set(&policy), -EINVAL);
}

/* mm/mempolicy.c do_get_mempolicy(): the user's mask where a flag keeps it, else the effective one. */
static void tells_whether_it_was_taken(void **state)
{
	static const struct {
		const char *wanted, *effective, *read;
		bool is_taken;
	} cases[] = {
		{"default", "default", "default", true},
		{"local", "local", "local", true},
		{"default", "default", "local", false},
		{"bind:0-1", "bind:0-1", "bind:0-1", true},
		{"bind:0-1", "bind:1", "bind:1", true},
		{"bind:0-1", "bind:1", "bind:0-1", false},
		{"bind:0-1", "bind:0-1", "bind:1", false},
		{"bind:0-1", "bind:0-1", "interleave:0-1", false},
		{"bind:0-1", "bind:0-1", "default", false},
		{"bind=static:0-1", "bind=static:1", "bind=static:0-1", true},
		{"bind=static:0-1", "bind=static:1", "bind=static:1", false},
		{"bind=static:0-1", "bind=static:1", "bind:0-1", false},
		{"bind=relative:0", "bind=relative:1", "bind=relative:0", true},
		{"bind=balancing:0-1", "bind=balancing:1", "bind=balancing:0-1", true},
		{"bind=balancing:0-1", "bind=balancing:1", "bind=balancing:1", true},
		{"bind=balancing:0-1", "bind=balancing:1", "bind=balancing:0", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = {0}, effective = {0}, read = {0};

		assert_int_equal(mempolicy_parse(cases[i].wanted, &wanted, NULL), 0);
		assert_int_equal(mempolicy_parse(cases[i].effective, &effective, NULL), 0);
		assert_int_equal(mempolicy_parse(cases[i].read, &read, NULL), 0);
		if (mempolicy_is_confirmed(&read, &wanted, &effective) != cases[i].is_taken)
			fail_msg("%s, read %s", cases[i].wanted, cases[i].read);
	}
	assert_true(mempolicy_is_confirmed(&(struct mempolicy){.mode = MEMPOLICY_LOCAL},
					   &(struct mempolicy){.mode = MEMPOLICY_PREFERRED},
					   &(struct mempolicy){.mode = MEMPOLICY_LOCAL}));
}

/* Node 0 has memory wherever this may run; with more nodes, whichever is allowed first. */
static void binds_on_the_real_kernel(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy policy = {.mode = MEMPOLICY_BIND}, read = {0}, none = {0};
	AUTO(nodeset_clear_p) struct nodeset allowed = {0, NULL};
	AUTO(mempolicy_call_clear) struct mempolicy_call call = {0, NULL, 0};
	unsigned long word[MEMPOLICY_READ_BITS / WORD_BITS];
	int mode = -1, rc = mempolicy_get_allowed(&allowed);

	(void)state;
	if (rc == -ENOSYS || rc == -EPERM)
		skip(); /* no CONFIG_NUMA, or a container's filter */
	assert_int_equal(rc, 0);
	assert_false(nodeset_is_empty(&allowed));
	assert_int_equal(nodeset_add(&policy.nodes, (unsigned)nodeset_next(&allowed, 0)), 0);
	assert_int_equal(mempolicy_prepare(&policy, &call), 0);
	assert_int_equal(mempolicy_call(&call), 0);
	assert_int_equal(mempolicy_read(&mode, word, MEMPOLICY_READ_BITS + 1), 0);
	assert_int_equal(mode, call.mode);
	assert_int_equal(mempolicy_get(&read), 0);
	assert_true(mempolicy_is_equal(&read, &policy));
	policy.flags = MEMPOLICY_STATIC;
	assert_int_equal(mempolicy_set(&policy), 0);
	assert_int_equal(mempolicy_get(&read), 0);
	assert_true(mempolicy_is_equal(&read, &policy));
	assert_int_equal(mempolicy_set(&none), 0);
	assert_int_equal(mempolicy_get(&read), 0);
	assert_true(mempolicy_is_equal(&read, &none));
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
		cmocka_unit_test_teardown(gives_the_kernel_the_top_node_of_every_size, stop_pretending),
		cmocka_unit_test_teardown(passes_whole_sets, stop_pretending),
		cmocka_unit_test(puts_the_flags_into_the_mode),
		cmocka_unit_test(prepares_nothing_that_makes_no_sense),
		cmocka_unit_test_teardown(reads_with_a_mask_that_is_large_enough, stop_pretending),
		cmocka_unit_test_teardown(reads_the_nodes_that_are_allowed, stop_pretending),
		cmocka_unit_test(reads_modes_of_other_kernels),
		cmocka_unit_test_teardown(hands_the_errno_on_and_leaves_the_rest, stop_pretending),
		cmocka_unit_test(tells_whether_it_was_taken),
		cmocka_unit_test_teardown(binds_on_the_real_kernel, stop_pretending),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
