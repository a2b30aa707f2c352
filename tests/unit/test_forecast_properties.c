/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The properties of the fuzz target, on as many random snapshots as fit in a second or two. */
#include "test.h"

/* NOLINTNEXTLINE(bugprone-suspicious-include): one copy of the properties for both */
#include "../fuzz/fuzz_forecast.c"

/* Marsaglia's xorshift: the same sequence on every machine, so that a failure comes again. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void forecasts_of_random_snapshots_keep_the_properties(void **state)
{
	enum { ROUNDS = 20000 };
	uint64_t seed = 88172645463325252;
	uint8_t data[2048];

	(void)state;
	for (int i = 0; i < ROUNDS; i++) {
		for (size_t at = 0; at < sizeof(data); at += sizeof(seed)) {
			uint64_t word = next(&seed);
			memcpy(data + at, &word, sizeof(word));
		}
		/* Short inputs give snapshots that end in zeros. */
		assert_int_equal(LLVMFuzzerTestOneInput(data, next(&seed) % sizeof(data)), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forecasts_of_random_snapshots_keep_the_properties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
