/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as users give them. */
#include "test.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "policy/size.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

static bool allocation_fails;

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_reallocarray(p, count, size);
}

/* What others write for the same amounts, and what the kernel's memparse() makes of them. */
static void reads_bytes_and_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"0", 0},
		{"1", 1},
		{"1048576", 1048576},
		{"128974848", 128974848},
		{"512K", 524288},
		{"512k", 524288},
		{"512M", 536870912},
		{"1G", 1073741824},
		{"1g", 1073741824},
		{"1Gi", 1073741824},
		{"1GiB", 1073741824},
		{"1giB", 1073741824},
		{"1mi", 1048576},
		{"1miB", 1048576},
		{"123Mi", 128974848},
		{"2T", UINT64_C(2199023255552)},
		{"2TiB", UINT64_C(2199023255552)},
		{"1.5GiB", 1610612736},
		/* 1288490188.8, rounded down */
		{"1.2Gi", 1288490188},
		{"0.5K", 512},
		{"0.0009765625K", 1},
		{"0.0009765624K", 0},
		{"0.99999999999999999999999999999999999999K", 1023},
		/* a double would make 9007199254740992 of it */
		{"9007199254740993", UINT64_C(9007199254740993)},
		/* "unlimited" of cgroup v1 */
		{"9223372036854771712", UINT64_C(9223372036854771712)},
		{"9223372036854775807", UINT64_C(9223372036854775807)},
		{"8388607T", UINT64_C(8388607) << 40},
		{"8388607.9999999999999T", (UINT64_C(8388607) << 40) + UINT64_C(1099511627775)},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(size_clear) struct size size = {.kind = SIZE_UNLIMITED};
		struct cgpol_error err = {0};

		if (size_parse(cases[i].text, &size, &err) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(size.kind, SIZE_FIXED);
		if (size.bytes != cases[i].bytes)
			fail_msg("%s: %" PRIu64 ", not %" PRIu64, cases[i].text, size.bytes, cases[i].bytes);
	}
}

static void knows_two_words_for_no_limit(void **state)
{
	AUTO(size_clear) struct size size = {.kind = SIZE_FIXED, .bytes = 7};

	(void)state;
	assert_int_equal(size_parse("max", &size, NULL), 0);
	assert_int_equal(size.kind, SIZE_UNLIMITED);
	size.kind = SIZE_FIXED;
	assert_int_equal(size_parse("infinity", &size, NULL), 0);
	assert_int_equal(size.kind, SIZE_UNLIMITED);
}

static void reads_percentages_in_parts_per_million(void **state)
{
	static const struct {
		const char *text;
		uint32_t ppm;
		const char *nodes;
	} cases[] = {
		{"50%", 500000, NULL},
		{"0%", 0, NULL},
		{"100%", 1000000, NULL},
		{"100.0000%", 1000000, NULL},
		{"12.5%", 125000, NULL},
		{"0.0001%", 1, NULL},
		{"33.33330000%", 333333, NULL},
		{"50% of nodes:0-1", 500000, "0-1"},
		{"12.5% of nodes:0,8,250-255", 125000, "0,8,250-255"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(size_clear) struct size size = {.kind = SIZE_FIXED};
		AUTO(free_p) char *nodes = NULL;
		struct cgpol_error err = {0};

		if (size_parse(cases[i].text, &size, &err) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		assert_int_equal(size.kind, cases[i].nodes ? SIZE_PERCENT_NODES : SIZE_PERCENT);
		assert_int_equal(size.percent_ppm, cases[i].ppm);
		nodes = nodeset_format(&size.nodes);
		assert_string_equal(nodes, cases[i].nodes ? cases[i].nodes : "");
	}
}

static const struct {
	const char *text;
	int rc;
	const char *reason;
} refused[] = {
	/* Which of 1000 and 1024? */
	{"1KB", -EINVAL, "powers of 1024"},
	{"1GB", -EINVAL, "powers of 1024"},
	{"1gb", -EINVAL, "powers of 1024"},
	{"1TB", -EINVAL, "powers of 1024"},
	{"1mb", -EINVAL, "powers of 1024"},
	/* milli in one system, mebi in another */
	{"400m", -EINVAL, "milli"},
	{"1288490188800m", -EINVAL, "milli"},
	{"10b", -EINVAL, "bare numbers are bytes"},
	{"10B", -EINVAL, "bare numbers are bytes"},
	{"-1", -EINVAL, "not negative"},
	{"0x40000000", -EINVAL, "hexadecimal"},
	{"0755", -EINVAL, "octal"},
	{"010M", -EINVAL, "octal"},
	{"129e6", -EINVAL, "exponents"},
	{"1e+3", -EINVAL, "exponents"},
	{"1 G", -EINVAL, "right behind the number"},
	{"10 0M", -EINVAL, "right behind the number"},
	{"1_000", -EINVAL, "the units are"},
	{"1P", -EINVAL, "the units are"},
	{"1GIB", -EINVAL, "the units are"},
	{"1Gib", -EINVAL, "the units are"},
	{"1Gi ", -EINVAL, "the units are"},
	{"1\n", -EINVAL, "the units are"},
	{"", -EINVAL, "not a number"},
	{" 1", -EINVAL, "not a number"},
	{"+1", -EINVAL, "not a number"},
	{".5G", -EINVAL, "not a number"},
	{"G", -EINVAL, "not a number"},
	{"MAX", -EINVAL, "not a number"},
	{"maximum", -EINVAL, "not a number"},
	{"1.", -EINVAL, "no digit behind the point"},
	{"1.G", -EINVAL, "no digit behind the point"},
	{"1.5", -EINVAL, "a byte has no parts"},
	{"1.0", -EINVAL, "a byte has no parts"},
	{"1.5.5G", -EINVAL, "the units are"},
	{"9223372036854775808", -ERANGE, "2^63 - 1"},
	{"18446744073709551615", -ERANGE, "2^63 - 1"},
	{"18446744073709551616", -ERANGE, "2^63 - 1"},
	{"8388608T", -ERANGE, "2^63 - 1"},
	{"99999999999999999999999999999999999G", -ERANGE, "2^63 - 1"},
	{"101%", -EINVAL, "more than 100%"},
	{"100.0001%", -EINVAL, "more than 100%"},
	{"18446744073709551615%", -EINVAL, "more than 100%"},
	{"0.00001%", -EINVAL, "four decimals"},
	{"50%%", -EINVAL, "behind % comes"},
	{"50% ", -EINVAL, "behind % comes"},
	{"50% of memory", -EINVAL, "behind % comes"},
	{"50% of nodes:", -EINVAL, "the list of nodes is empty"},
	{"50% of nodes:all", -EINVAL, "write the numbers"},
	{"50% of nodes:0-N", -EINVAL, "write the numbers"},
	{"50% of nodes:3-1", -EINVAL, "malformed"},
	{"50% of nodes:4096", -ERANGE, "out of range"},
	{"1\x1b[31m", -EINVAL, "\"1\\x1b[31m\""},
};

static void refuses_with_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct size size = {.kind = SIZE_FIXED, .bytes = 7};
		struct cgpol_error err = {0};
		int rc = size_parse(refused[i].text, &size, &err);

		if (rc != refused[i].rc)
			fail_msg("\"%s\" gives %d", refused[i].text, rc);
		if (!strstr(err.text, refused[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", refused[i].text, err.text, refused[i].reason);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_int_equal(size.bytes, 7);
		assert_int_equal(size_parse(refused[i].text, &size, NULL), rc);
	}
}

static void replaces_what_was_there(void **state)
{
	AUTO(size_clear) struct size size = {.kind = SIZE_FIXED};

	(void)state;
	assert_int_equal(size_parse("50% of nodes:1", &size, NULL), 0);
	assert_int_equal(size_parse("1K", &size, NULL), 0);
	assert_true(nodeset_is_empty(&size.nodes));
	assert_int_equal(size.percent_ppm, 0);
}

static void says_when_memory_is_short(void **state)
{
	struct size size = {.kind = SIZE_FIXED, .bytes = 7};
	struct cgpol_error err = {0};
	int rc;

	(void)state;
	allocation_fails = true;
	rc = size_parse("50% of nodes:1", &size, &err);
	allocation_fails = false;
	assert_int_equal(rc, -ENOMEM);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_int_equal(size.bytes, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_bytes_and_units),
		cmocka_unit_test(knows_two_words_for_no_limit),
		cmocka_unit_test(reads_percentages_in_parts_per_million),
		cmocka_unit_test(refuses_with_a_reason),
		cmocka_unit_test(replaces_what_was_there),
		cmocka_unit_test(says_when_memory_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
