/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists and masks as the kernel reads and prints them. */
#include "test.h"

#include "base/cleanup.h"
#include "base/nodeset.h"

/* The rows of the kernel's lib/test_bitmap.c parselist_tests, the results in %*pbl's form. */
static const struct {
	const char *text;
	unsigned limit;
	int rc;
	const char *list;
} parselist[] = {
	{"0", 8, 0, "0"},
	{"0-15", 32, 0, "0-15"},
	{"0-31:1/2", 32, 0, "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30"},
	{"1-31:1/4", 32, 0, "1,5,9,13,17,21,25,29"},
	{"0-31:4/4", 32, 0, "0-31"},
	{"1-31:4/4", 32, 0, "1-31"},
	{"0-31:1/4,32-63:2/4", 64, 0, "0,4,8,12,16,20,24,28,32-33,36-37,40-41,44-45,48-49,52-53,56-57,60-61"},
	{" ,,  0-31:3/4  ,, 32-63:4/4  ,,  ", 64, 0, "0-2,4-6,8-10,12-14,16-18,20-22,24-26,28-30,32-63"},
	{"", 8, 0, ""},
	{"\n", 8, 0, ""},
	{",,  ,,  , ,  ,", 8, 0, ""},
	{"-1", 8, -EINVAL, NULL},
	{"-0", 8, -EINVAL, NULL},
	{"10-1", 8, -EINVAL, NULL},
	{"0-\n", 8, -EINVAL, NULL},
	{"0-31:", 8, -EINVAL, NULL},
	{"0-31:0", 8, -EINVAL, NULL},
	{"0-31:0/", 8, -EINVAL, NULL},
	{"0-31:0/0", 8, -EINVAL, NULL},
	{"0-31:1/0", 8, -EINVAL, NULL},
	{"0-31:10/1", 8, -EINVAL, NULL},
	{"0-98765432123456789:10/1", 8, -EOVERFLOW, NULL},
	{"a-31", 8, -EINVAL, NULL},
	{"0-a1", 8, -EINVAL, NULL},
	{"0-31:a/1", 8, -EINVAL, NULL},
	{"8", 8, -ERANGE, NULL},
	{"N", 64, 0, "63"},
	{"all", 64, 0, "0-63"},
	/* lib/test_bitmap.c of 5.13 and later: "N" and "all" as parts */
	{"0-N", 64, 0, "0-63"},
	{"N-N", 64, 0, "63"},
	{"ALL:1/2", 8, 0, "0,2,4,6"},
	{"0-N:1/N", 8, 0, "0,7"},
	{"N-7", 64, -EINVAL, NULL},
	{"Nx", 64, -EINVAL, NULL},
	{"allx", 64, -EINVAL, NULL},
	/* What a stranger may send */
	{"0-4294967295", 64, -ERANGE, NULL},
	{"4294967296", 64, -EOVERFLOW, NULL},
	{"5-7:1/4294967295", 64, 0, "5"},
	{"0-7:0/2", 64, 0, ""},
	{"1.5", 8, -EINVAL, NULL},
	{"0x1", 8, -EINVAL, NULL},
	{"+1", 8, -EINVAL, NULL},
	{"1 - 2", 8, -EINVAL, NULL},
	{"1\n2", 8, -EINVAL, NULL},
	{"0-3,8\n", 64, 0, "0-3,8"},
};

static void reads_lists_as_the_kernel_does(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parselist); i++) {
		struct nodeset set = {0, NULL};
		struct cgpol_error err = {0};
		int rc;

		assert_int_equal(nodeset_add(&set, 3), 0);
		rc = nodeset_parse(parselist[i].text, parselist[i].limit, &set, &err);
		if (rc != parselist[i].rc)
			fail_msg("\"%s\": %d instead of %d", parselist[i].text, rc, parselist[i].rc);
		if (rc == 0) {
			AUTO(free_p) char *list = nodeset_format(&set);

			assert_string_equal(list, parselist[i].list);
		} else {
			/* Untouched on failure, and the sentence names the part. */
			assert_int_equal(nodeset_count(&set), 1);
			assert_true(nodeset_has(&set, 3));
			assert_int_equal(err.code, -rc);
			assert_int_equal(err.kind, CGPOL_USAGE);
			assert_true(strlen(err.value) > 0 && strstr(err.text, err.value));
		}
		nodeset_clear(&set);
	}
}

static void names_the_part_that_is_wrong(void **state)
{
	struct nodeset set = {0, NULL};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(nodeset_parse("0-3,7,5", 6, &set, &err), -ERANGE);
	assert_string_equal(err.value, "7");
	assert_string_equal(err.text, "\"7\" is out of range: the highest number is 5");
	assert_int_equal(nodeset_parse("0-3,\033[31m,5", 6, &set, &err), -EINVAL);
	assert_null(strchr(err.text, '\033'));
	assert_null(strchr(err.value, '\033'));
}

static void keeps_each_top_bit_up_to_4095(void **state)
{
	(void)state;
	for (unsigned top = 0; top < NODESET_NODES_MAX; top++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL}, again = {0, NULL};
		AUTO(free_p) char *list = NULL;
		char expected[16];

		assert_int_equal(nodeset_add(&set, top), 0);
		assert_true(nodeset_has(&set, top));
		assert_false(nodeset_has(&set, top + 1));
		assert_int_equal(nodeset_count(&set), 1);
		assert_int_equal(nodeset_next(&set, 0), (int)top);
		assert_int_equal(nodeset_next(&set, (int)top), (int)top);
		assert_int_equal(nodeset_next(&set, (int)top + 1), -1);
		list = nodeset_format(&set);
		(void)snprintf(expected, sizeof(expected), "%u", top);
		assert_string_equal(list, expected);
		assert_int_equal(nodeset_parse(list, top + 1, &again, NULL), 0);
		assert_true(nodeset_is_equal(&set, &again));
		assert_int_equal(nodeset_parse(list, top, &again, NULL), -ERANGE);
	}
}

static void prints_what_the_kernel_prints(void **state)
{
	/* lib/test_bitmap.c test_fill_set and test_zero_clear: %*pbl of 1024 bits */
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	AUTO(free_p) char *list = NULL;

	(void)state;
	for (unsigned bit = 64; bit < 1024; bit++) {
		if (bit < 79 || bit > 97)
			assert_int_equal(nodeset_add(&set, bit), 0);
	}
	list = nodeset_format(&set);
	assert_string_equal(list, "64-78,98-1023");
}

static void prints_the_longest_list_there_is(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL}, again = {0, NULL};
	AUTO(free_p) char *list = NULL;

	(void)state;
	assert_int_equal(nodeset_parse("all:1/2", NODESET_CPUS_MAX, &set, NULL), 0);
	assert_int_equal(nodeset_count(&set), NODESET_CPUS_MAX / 2);
	list = nodeset_format(&set);
	assert_int_equal(nodeset_parse(list, NODESET_CPUS_MAX, &again, NULL), 0);
	assert_true(nodeset_is_equal(&set, &again));
}

static void never_grows_beyond_its_limit(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};

	(void)state;
	assert_int_equal(nodeset_add(&set, NODESET_CPUS_MAX), -ERANGE);
	assert_int_equal(nodeset_add(&set, UINT32_MAX), -ERANGE);
	assert_int_equal(nodeset_parse("0-4294967294", UINT32_MAX, &set, NULL), -ERANGE);
	assert_int_equal(set.words, 0);
	assert_int_equal(nodeset_parse("0", 0, &set, NULL), -ERANGE);
}

/* lib/test_bitmap.c parse_tests: groups of up to eight digits, the most significant first. */
static void reads_masks_as_the_kernel_does(void **state)
{
	static const struct {
		const char *text;
		unsigned limit;
		int rc;
		const char *list;
	} masks[] = {
		{"0", 32, 0, ""},
		{"1", 32, 0, "0"},
		{"deadbeef\n", 32, 0, "0-3,5-7,9-13,15-16,18-19,21,23,25-28,30-31"},
		{"00000000,000000ff", 64, 0, "0-7"},
		{"00000001,00000000", 64, 0, "32"},
		{"1,0", 64, 0, "32"},
		{"80000000,00000000", 64, 0, "63"},
		{"AAAA0", 32, 0, "5,7,9,11,13,15,17,19"},
		{"", 32, 0, ""},
		{"3,0,0,1", 128, 0, "0,96-97"},
		{"100", 8, -ERANGE, NULL},
		{"100000000", 64, -EOVERFLOW, NULL},
		{"goodfood,deadbeef", 64, -EINVAL, NULL},
		{",1", 64, -EINVAL, NULL},
		{"1,", 64, -EINVAL, NULL},
		{"1,,1", 128, -EINVAL, NULL},
		{"0x1", 64, -EINVAL, NULL},
		{"-1", 64, -EINVAL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		AUTO(free_p) char *list = NULL;
		struct cgpol_error err = {0};
		int rc = nodeset_parse_mask(masks[i].text, masks[i].limit, &set, &err);

		if (rc != masks[i].rc)
			fail_msg("\"%s\": %d instead of %d", masks[i].text, rc, masks[i].rc);
		list = nodeset_format(&set);
		assert_string_equal(list, rc == 0 ? masks[i].list : "");
		assert_true(rc == 0 || err.text[0] != '\0');
	}
}

/* An old machine's cpumap: 32 groups, 1024 bits. */
static void reads_a_mask_of_1024_bits(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	AUTO(free_p) char *list = NULL;
	char text[32 * 9 + 1] = "";

	(void)state;
	for (int i = 0; i < 32; i++)
		(void)snprintf(text + (size_t)i * 9, sizeof(text) - (size_t)i * 9, "%s,",
			       i == 0 ? "80000000" : "00000000");
	text[32 * 9 - 1] = '\n';
	assert_int_equal(nodeset_parse_mask(text, 1024, &set, NULL), 0);
	list = nodeset_format(&set);
	assert_string_equal(list, "1023");
}

static struct nodeset parse(const char *text)
{
	struct nodeset set = {0, NULL};

	assert_int_equal(nodeset_parse(text, NODESET_NODES_MAX, &set, NULL), 0);
	return set;
}

static void compares_sets_of_different_lengths(void **state)
{
	AUTO(nodeset_clear_p)
	struct nodeset small = parse("0-3"), large = parse("0-3,200"), same = parse("0-3"),
		       far = parse("200"), none = parse("");

	(void)state;
	/* A longer array of words with nothing in it is the same set. */
	assert_int_equal(nodeset_and(&same, &large, &small), 0);
	assert_true(nodeset_is_equal(&small, &same));
	assert_false(nodeset_is_equal(&small, &large));
	assert_true(nodeset_contains(&large, &small));
	assert_false(nodeset_contains(&small, &large));
	assert_true(nodeset_contains(&small, &none));
	assert_true(nodeset_intersects(&large, &far));
	assert_false(nodeset_intersects(&small, &far));
	assert_false(nodeset_intersects(&none, &none));
	assert_true(nodeset_is_empty(&none));
	assert_false(nodeset_is_empty(&far));
	assert_int_equal(nodeset_next(&large, 4), 200);
	assert_int_equal(nodeset_next(&none, 0), -1);
	assert_int_equal(nodeset_next(&small, -5), 0);
}

static void combines_sets_in_place(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset a = parse("0-3,64"), b = parse("2-5,64,300"), copy = {0, NULL};
	AUTO(free_p) char *list = NULL;

	(void)state;
	assert_int_equal(nodeset_copy(&copy, &a), 0);
	assert_int_equal(nodeset_and(&a, &a, &b), 0);
	list = nodeset_format(&a);
	assert_string_equal(list, "2-3,64");
	free(list);
	assert_int_equal(nodeset_merge(&copy, &b), 0);
	list = nodeset_format(&copy);
	assert_string_equal(list, "0-5,64,300");
	assert_int_equal(nodeset_copy(&copy, &copy), 0);
	assert_int_equal(nodeset_count(&copy), 8);
}

static void takes_one_set_away_from_another(void **state)
{
	static const char *const rows[][3] = {{"0-3,200", "1,200", "0,2-3"},
					      {"0-3", "0-300", ""},
					      {"0-3", "", "0-3"},
					      {"", "7", ""},
					      {"64", "0-63", "64"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		AUTO(nodeset_clear_p) struct nodeset a = parse(rows[i][0]), b = parse(rows[i][1]);
		AUTO(free_p) char *list = NULL;

		/* Into one of its own operands, as well. */
		assert_int_equal(nodeset_subtract(i % 2 ? &a : &b, &a, &b), 0);
		list = nodeset_format(i % 2 ? &a : &b);
		assert_string_equal(list, rows[i][2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_one_set_away_from_another),
		cmocka_unit_test(reads_lists_as_the_kernel_does),
		cmocka_unit_test(names_the_part_that_is_wrong),
		cmocka_unit_test(keeps_each_top_bit_up_to_4095),
		cmocka_unit_test(prints_what_the_kernel_prints),
		cmocka_unit_test(prints_the_longest_list_there_is),
		cmocka_unit_test(never_grows_beyond_its_limit),
		cmocka_unit_test(reads_masks_as_the_kernel_does),
		cmocka_unit_test(reads_a_mask_of_1024_bits),
		cmocka_unit_test(compares_sets_of_different_lengths),
		cmocka_unit_test(combines_sets_in_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
