/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's text shapes. */
#include "test.h"

#include "base/cleanup.h"
#include "base/text.h"

static void reads_whole_numbers_only(void **state)
{
	static const struct {
		const char *text;
		int rc;
		uint64_t value;
	} rows[] = {
		{"0", 0, 0},
		{"42\n", 0, 42},
		{"  7 \n", 0, 7},
		{"\t7", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999999", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"\n", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"1 2", -EINVAL, 0},
		{"1\n\n", -EINVAL, 0},
		{"\n1", -EINVAL, 0},
		{"1k", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"max", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t value = 12345;
		int rc = text_u64(rows[i].text, &value);

		if (rc != rows[i].rc)
			fail_msg("\"%s\": %d instead of %d", rows[i].text, rc, rows[i].rc);
		assert_true(value == (rc == 0 ? rows[i].value : 12345));
	}
}

static void reads_signed_numbers_to_their_ends(void **state)
{
	int64_t value = 5;
	const char *end;

	(void)state;
	assert_int_equal(text_i64("-9223372036854775808", &value), 0);
	assert_true(value == INT64_MIN);
	assert_int_equal(text_i64("9223372036854775807\n", &value), 0);
	assert_true(value == INT64_MAX);
	assert_int_equal(text_i64("9223372036854775808", &value), -ERANGE);
	assert_int_equal(text_i64("-9223372036854775809", &value), -ERANGE);
	assert_int_equal(text_i64("--1", &value), -EINVAL);
	assert_int_equal(text_i64("-", &value), -EINVAL);
	assert_int_equal(text_i64("- 1", &value), -EINVAL);
	assert_true(value == INT64_MAX);
	assert_int_equal(text_i64_head(" -1000 x", &end, &value), 0);
	assert_true(value == -1000);
	assert_string_equal(end, " x");
}

static void reads_numbers_at_the_head(void **state)
{
	const char *text = "12:34", *end = text;
	uint64_t value = 0;

	(void)state;
	assert_int_equal(text_u64_head(text, &end, &value), 0);
	assert_true(value == 12);
	assert_string_equal(end, ":34");
	assert_int_equal(text_u64_head("x", &end, &value), -EINVAL);
	assert_string_equal(end, ":34");
	assert_int_equal(text_u64_head("5", NULL, &value), 0);
	assert_true(value == 5);
}

static void reads_limits(void **state)
{
	uint64_t value = 0;

	(void)state;
	assert_int_equal(text_limit("max\n", &value), 0);
	assert_true(value == UINT64_MAX);
	assert_int_equal(text_limit("104857600\n", &value), 0);
	assert_true(value == 104857600);
	assert_int_equal(text_limit("maximum", &value), -EINVAL);
	assert_int_equal(text_limit("", &value), -EINVAL);
}

static void cuts_lines(void **state)
{
	const char *rest = "one\n\ntwo", *end;
	struct span line;

	(void)state;
	assert_true(text_line(&rest, &line));
	assert_true(span_is(line, "one"));
	assert_true(text_line(&rest, &line));
	assert_int_equal(line.size, 0);
	assert_true(text_line(&rest, &line));
	assert_true(span_is(line, "two"));
	assert_false(text_line(&rest, &line));
	end = rest;
	assert_false(text_line(&rest, &line));
	assert_ptr_equal(rest, end);
}

static void cuts_words_and_stays_inside_the_span(void **state)
{
	struct span line = {" a\tbc  dXX", 8}, word;
	uint64_t value;

	(void)state;
	assert_true(text_word(&line, &word));
	assert_true(span_is(word, "a"));
	assert_true(text_word(&line, &word));
	assert_true(span_is(word, "bc"));
	assert_true(text_word(&line, &word));
	assert_true(span_is(word, "d"));
	assert_false(text_word(&line, &word));
	assert_int_equal(span_u64((struct span){"123456", 3}, &value), 0);
	assert_true(value == 123);
	assert_int_equal(span_u64((struct span){" 12 ", 4}, &value), 0);
	assert_true(value == 12);
	assert_int_equal(span_u64((struct span){"1 2", 3}, &value), -EINVAL);
	assert_int_equal(span_u64((struct span){NULL, 0}, &value), -EINVAL);
	assert_int_equal(span_u64((struct span){"18446744073709551616", 20}, &value), -ERANGE);
}

static void compares_and_copies_spans(void **state)
{
	struct span span = {"memory_recursiveprot", 6};
	AUTO(free_p) char *copy = span_dup(span);
	AUTO(free_p) char *empty = span_dup((struct span){NULL, 0});

	(void)state;
	assert_string_equal(copy, "memory");
	assert_string_equal(empty, "");
	assert_true(span_is(span, "memory"));
	assert_false(span_is(span, "memory_"));
	assert_false(span_is(span, "mem"));
	assert_true(span_starts(span, "mem"));
	assert_true(span_starts(span, ""));
	assert_false(span_starts(span, "memory_recursiveprot"));
	assert_true(span_is((struct span){NULL, 0}, ""));
}

/* Shapes of /proc/meminfo, /proc/PID/status and memory.stat. */
static void finds_fields_by_their_whole_key(void **state)
{
	static const char text[] =
		"Name:\tVmRSS: 1\nMemTotalX: 5 kB\nMemTotal:       16384 kB\nVmSwap:\t      12 kB\n"
		"anon_thp 3\nanon 4096\nfile\nempty:\nbig: 18446744073709551616\nodd: 12abc\n"
		"Node 0 x 1\n";
	uint64_t value = 77;

	(void)state;
	assert_int_equal(text_field(text, "MemTotal", &value), 0);
	assert_true(value == 16384);
	assert_int_equal(text_field(text, "VmSwap", &value), 0);
	assert_true(value == 12);
	assert_int_equal(text_field(text, "anon", &value), 0);
	assert_true(value == 4096);
	/* A process may call itself like a field: a key counts at the start of a line only. */
	assert_int_equal(text_field(text, "VmRSS", &value), -ENOENT);
	assert_int_equal(text_field(text, "file", &value), -ENOENT);
	assert_int_equal(text_field(text, "empty", &value), -EINVAL);
	assert_int_equal(text_field(text, "big", &value), -ERANGE);
	assert_int_equal(text_field(text, "odd", &value), -EINVAL);
	assert_int_equal(text_field("", "odd", &value), -ENOENT);
	assert_true(value == 4096);
}

static void gives_the_rest_of_a_field(void **state)
{
	static const char text[] =
		"Name:\ta b \nState:\tS (sleeping)\nMems_allowed:\t1\nMems_allowed_list:\t0-1\nEmpty:\n";

	(void)state;
	assert_true(span_is(text_field_span(text, "State"), "S (sleeping)"));
	assert_true(span_is(text_field_span(text, "Mems_allowed"), "1"));
	assert_true(span_is(text_field_span(text, "Mems_allowed_list"), "0-1"));
	assert_true(span_is(text_field_span(text, "Name"), "a b"));
	assert_non_null(text_field_span(text, "Empty").at);
	assert_int_equal(text_field_span(text, "Empty").size, 0);
	assert_null(text_field_span(text, "Absent").at);
}

static void never_lets_control_bytes_through(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"bash", "bash"},
		{"a\nb", "a\\x0ab"},
		{"\033[31mred", "\\x1b[31mred"},
		{"\x7f", "\\x7f"},
		{"caf\xc3\xa9", "caf\xc3\xa9"},
		{"\xe6\x9c\x88", "\xe6\x9c\x88"},
		{"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xc3", "\\xc3"},		     /* cut short */
		{"\xc0\xaf", "\\xc0\\xaf"},	     /* overlong "/" */
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* surrogate */
		{"\xc2\x9b", "\\xc2\\x9b"},	     /* C1 control: CSI */
		{"\xe2\x80\xae", "\\xe2\\x80\\xae"}, /* turns the text around */
		{"dev\\x2ddisk", "dev\\x2ddisk"},
		{"", ""},
	};
	char buffer[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_string_equal(text_escape(rows[i].text, buffer, sizeof(buffer)), rows[i].shown);
}

static void cuts_escapes_whole(void **state)
{
	char buffer[8];

	(void)state;
	assert_string_equal(text_escape("abcde\n", buffer, sizeof(buffer)), "abcde");
	assert_string_equal(text_escape("abc\n", buffer, sizeof(buffer)), "abc\\x0a");
	assert_string_equal(text_escape("abcdef\xc3\xa9", buffer, sizeof(buffer)), "abcdef");
	assert_string_equal(text_escape("abcdefgh", buffer, sizeof(buffer)), "abcdefg");
	assert_string_equal(text_escape("a", buffer, 1), "");
	buffer[0] = 'x';
	(void)text_escape("a", buffer, 0);
	assert_int_equal(buffer[0], 'x');
}

static void knows_utf8(void **state)
{
	(void)state;
	assert_true(text_is_utf8(""));
	assert_true(text_is_utf8("a\xc3\xa9\xe6\x9c\x88\xf0\x9f\x98\x80"));
	assert_true(text_is_utf8("\xf4\x8f\xbf\xbf"));
	assert_false(text_is_utf8("\xf4\x90\x80\x80"));
	assert_false(text_is_utf8("\x80"));
	assert_false(text_is_utf8("a\xe6\x9c"));
	assert_false(text_is_utf8("\xe0\x80\xaf"));
	assert_false(text_is_utf8("\xf0\x80\x80\xaf"));
}

static void any_bytes_survive_encoding(void **state)
{
	AUTO(free_p) char *back = NULL;
	char text[256], encoded[3 * 255 + 1];
	size_t size;

	(void)state;
	for (int i = 1; i < 256; i++)
		text[i - 1] = (char)i;
	text[255] = '\0';
	assert_true(text_encode(text, encoded, sizeof(encoded)));
	for (const char *p = encoded; *p != '\0'; p++)
		assert_in_range(*p, 0x20, 0x7e);
	assert_int_equal(text_decode(encoded, &back, &size), 0);
	assert_int_equal(size, 255);
	assert_string_equal(back, text);
	assert_true(text_encode("a%\n", encoded, 8));
	assert_string_equal(encoded, "a%25%0A");
	assert_false(text_encode("a%\n", encoded, 7));
	assert_true(text_encode("", encoded, 1));
	assert_false(text_encode("", encoded, 0));
}

static void refuses_what_encoding_never_writes(void **state)
{
	static const char *const rows[] = {"%", "%4", "%zz", "%00", "%41", "%0a", "a\n", "\xc3\xa9", "%2"};
	char *text = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (text_decode(rows[i], &text, NULL) != -EINVAL)
			fail_msg("\"%s\" was decoded", rows[i]);
	}
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_whole_numbers_only),
		cmocka_unit_test(reads_signed_numbers_to_their_ends),
		cmocka_unit_test(reads_numbers_at_the_head),
		cmocka_unit_test(reads_limits),
		cmocka_unit_test(cuts_lines),
		cmocka_unit_test(cuts_words_and_stays_inside_the_span),
		cmocka_unit_test(compares_and_copies_spans),
		cmocka_unit_test(finds_fields_by_their_whole_key),
		cmocka_unit_test(gives_the_rest_of_a_field),
		cmocka_unit_test(never_lets_control_bytes_through),
		cmocka_unit_test(cuts_escapes_whole),
		cmocka_unit_test(knows_utf8),
		cmocka_unit_test(any_bytes_survive_encoding),
		cmocka_unit_test(refuses_what_encoding_never_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
