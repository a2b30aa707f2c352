/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Errors as sentences. */
#include "test.h"

#include "base/error.h"
#include "base/text.h"

static void returns_the_negated_errno(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(error_set(&err, ESRCH, CGPOL_FAILED, "pid %d is gone", 7), -ESRCH);
	assert_int_equal(err.code, ESRCH);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.text, "pid 7 is gone");
	assert_int_equal(error_set(NULL, EINVAL, CGPOL_USAGE, "x"), -EINVAL);
	assert_int_equal(error_wrap(NULL, -EINVAL, "x"), -EINVAL);
	error_detail(NULL, "a", "b", "c");
}

static void forgets_the_details_of_the_last_error(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "bad");
	error_detail(&err, "cpuset.mems", "7", "this machine has 0-1");
	assert_string_equal(err.file, "cpuset.mems");
	assert_string_equal(err.value, "7");
	assert_string_equal(err.hint, "this machine has 0-1");
	error_detail(&err, NULL, "8", NULL);
	assert_string_equal(err.file, "cpuset.mems");
	assert_string_equal(err.value, "8");
	(void)error_set(&err, EIO, CGPOL_FAILED, "worse");
	assert_string_equal(err.file, "");
	assert_string_equal(err.value, "");
	assert_string_equal(err.hint, "");
}

static void puts_the_context_in_front_once(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "\"x\" is malformed");
	assert_int_equal(error_wrap(&err, -EINVAL, "--%s", "nodes"), -EINVAL);
	assert_string_equal(err.text, "--nodes: \"x\" is malformed");
	(void)error_wrap(&err, -EINVAL, "--nodes");
	assert_string_equal(err.text, "--nodes: \"x\" is malformed");
	(void)error_wrap(&err, -EINVAL, "predict");
	assert_string_equal(err.text, "predict: --nodes: \"x\" is malformed");
}

static void takes_its_own_text_as_an_argument(void **state)
{
	struct cgpol_error err = {0};

	(void)state;
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "inner");
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "outer(%s)", err.text);
	assert_string_equal(err.text, "outer(inner)");
}

/* A text that is cut must still be UTF-8, or the JSON report would have no sentence at all. */
static void cuts_long_text_between_characters(void **state)
{
	struct cgpol_error err = {0};
	char text[1200], shifted[1201];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa9", 3);
	(void)snprintf(shifted, sizeof(shifted), "a%s", text);
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "%s", text);
	assert_true(text_is_utf8(err.text));
	assert_true(strlen(err.text) >= sizeof(err.text) - 3);
	(void)error_set(&err, EINVAL, CGPOL_USAGE, "%s", shifted);
	assert_true(text_is_utf8(err.text));
	(void)error_wrap(&err, -EINVAL, "%s", text);
	assert_true(text_is_utf8(err.text));
	error_detail(&err, shifted, shifted, shifted);
	assert_true(text_is_utf8(err.file) && text_is_utf8(err.value) && text_is_utf8(err.hint));
	assert_true(strlen(err.file) >= sizeof(err.file) - 3);
}

static void names_errnos_as_errno_h_does(void **state)
{
	(void)state;
	assert_string_equal(error_name(EINVAL), "EINVAL");
	assert_string_equal(error_name(ESRCH), "ESRCH");
	assert_null(error_name(0));
	assert_null(error_name(-1));
	assert_null(error_name(100000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns_the_negated_errno),
		cmocka_unit_test(forgets_the_details_of_the_last_error),
		cmocka_unit_test(puts_the_context_in_front_once),
		cmocka_unit_test(takes_its_own_text_as_an_argument),
		cmocka_unit_test(cuts_long_text_between_characters),
		cmocka_unit_test(names_errnos_as_errno_h_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
