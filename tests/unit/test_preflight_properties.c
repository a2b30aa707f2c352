/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The foretold nodes of a memory policy, against the kernel's text, on machines made by chance. */
#include "test.h"

#include "act/preflight.h"
#include "base/cleanup.h"

static void clear(struct preflight *machine)
{
	nodeset_clear(&machine->possible_nodes);
	nodeset_clear(&machine->online_nodes);
	nodeset_clear(&machine->memory_nodes);
	nodeset_clear(&machine->mems_allowed);
}

/* The kernel's text, on one word, as literally as it can be written: lib/bitmap.c bitmap_fold(),
 * bitmap_onto(). */
static uint64_t fold(uint64_t orig, unsigned size)
{
	uint64_t folded = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (orig >> bit & 1)
			folded |= UINT64_C(1) << bit % size;
	}
	return folded;
}

static uint64_t onto(uint64_t orig, uint64_t map)
{
	uint64_t mapped = 0;
	unsigned m = 0;

	for (unsigned n = 0; n < 64; n++) {
		if (!(map >> n & 1))
			continue;
		if (orig >> m & 1)
			mapped |= UINT64_C(1) << n;
		m++;
	}
	return mapped;
}

/* mm/mempolicy.c mpol_set_nodemask() and the mode's create(); 0 is -EINVAL. */
static uint64_t set_nodemask(const struct mempolicy *policy, uint64_t nodes, uint64_t allowed,
			     uint64_t memory)
{
	uint64_t mask1 = allowed & memory, mask2;

	if (mask1 == 0)
		return 0;
	if (policy->flags & MEMPOLICY_RELATIVE)
		mask2 = onto(fold(nodes, (unsigned)__builtin_popcountll(mask1)), mask1);
	else
		mask2 = nodes & mask1;
	if (policy->mode == MEMPOLICY_PREFERRED && mask2 != 0)
		mask2 = UINT64_C(1) << __builtin_ctzll(mask2);
	return mask2;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void fill(struct nodeset *set, uint64_t bits)
{
	nodeset_clear(set);
	for (unsigned bit = 0; bit < 64; bit++) {
		if (bits >> bit & 1)
			assert_int_equal(nodeset_add(set, bit), 0);
	}
}

static void agrees_with_the_kernels_text(void **state)
{
	static const enum mempolicy_mode modes[] = {MEMPOLICY_PREFERRED, MEMPOLICY_BIND, MEMPOLICY_INTERLEAVE,
						    MEMPOLICY_PREFERRED_MANY, MEMPOLICY_WEIGHTED_INTERLEAVE};
	static const unsigned flags[] = {0, MEMPOLICY_STATIC, MEMPOLICY_RELATIVE};
	uint64_t seed = 88172645463325252;
	unsigned taken = 0;

	(void)state;
	for (unsigned i = 0; i < 50000; i++) {
		AUTO(mempolicy_clear) struct mempolicy wanted = {0}, effective = {0};
		AUTO(clear) struct preflight machine = {.major = 7, .policy = &wanted};
		uint64_t width = next_random(&seed) % 3 ? 0xff : UINT64_MAX;
		uint64_t possible = next_random(&seed) & width, online = next_random(&seed) & possible;
		uint64_t memory = next_random(&seed) & online, allowed = next_random(&seed) & online;
		uint64_t nodes = next_random(&seed) & width, expected;
		bool is_strict;
		int rc;

		wanted.mode = modes[next_random(&seed) % ARRAY_SIZE(modes)];
		wanted.flags = flags[next_random(&seed) % ARRAY_SIZE(flags)];
		if (next_random(&seed) % 4 == 0)
			nodes &= allowed & memory;
		if (wanted.mode == MEMPOLICY_PREFERRED)
			nodes &= -nodes;
		if (nodes == 0)
			continue;
		machine.intersect = next_random(&seed) % 2;
		fill(&wanted.nodes, nodes);
		fill(&machine.possible_nodes, possible);
		fill(&machine.online_nodes, online);
		fill(&machine.memory_nodes, memory);
		fill(&machine.mems_allowed, allowed);
		expected = set_nodemask(&wanted, nodes, allowed, memory);
		is_strict = !machine.intersect;
		rc = preflight_policy(&machine, &effective, NULL);
		/* Stricter than the kernel: nothing that it would leave out in silence. */
		if (is_strict && wanted.flags == 0 && (nodes & ~(allowed & memory)))
			expected = 0;
		if (is_strict && wanted.flags == MEMPOLICY_STATIC && (nodes & ~possible))
			expected = 0;
		if ((rc == 0) != (expected != 0))
			fail_msg("round %u: %d", i, rc);
		if (rc == 0) {
			assert_true(effective.nodes.word[0] == expected);
			assert_int_equal(effective.mode, wanted.mode);
			assert_int_equal(effective.flags, wanted.flags);
			taken++;
		}
	}
	/* Both outcomes are there in numbers. */
	assert_in_range(taken, 10000, 40000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_kernels_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
