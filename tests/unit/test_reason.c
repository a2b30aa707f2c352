/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reason of a refusal while it is being made: what it is of, and that it never overflows. */
#include "policy/reason.h"

#include "base/cleanup.h"
#include "refusal.h"
#include "test.h"

static void it_knows_the_cgroup_and_the_one_above(void **state)
{
	AUTO(refusal_close) struct refusal refusal;
	struct reason reason;

	(void)state;
	refusal_open(&refusal);
	reason_begin(&reason, refusal.host, NULL, "/a/b\n", 22);
	assert_string_equal(reason.shown, "/a/b\\x0a");
	assert_string_equal(reason.parent, "/a");
	assert_int_equal(reason.errnum, 22);
	assert_int_equal(reason.kind, CGPOL_FAILED);
	reason_begin(&reason, refusal.host, NULL, "/", 22);
	assert_string_equal(reason.parent, "/");
	reason_begin(&reason, refusal.host, NULL, NULL, 22);
	assert_string_equal(reason.shown, "");
	assert_null(reason_read(&reason, "cgroup.type"));
	assert_null(reason_read_above(&reason, "cgroup.type"));
}

static void its_files_and_those_above_can_be_read(void **state)
{
	AUTO(refusal_close) struct refusal refusal;
	AUTO(free_p) char *own = NULL;
	AUTO(free_p) char *above = NULL;
	struct reason reason;

	(void)state;
	refusal_open(&refusal);
	refusal_put(&refusal, "/a", "memory\n");
	reason_begin(&reason, refusal.host, NULL, "/a", 22);
	own = reason_read(&reason, "cgroup.controllers");
	above = reason_read_above(&reason, "cpuset.cpus.effective");
	assert_string_equal(own, "memory");
	assert_string_equal(above, "0-3");
	assert_null(reason_read(&reason, "memory.max"));
}

static void what_is_too_long_is_cut(void **state)
{
	AUTO(refusal_close) struct refusal refusal;
	char long_text[2000];
	struct reason reason;

	(void)state;
	refusal_open(&refusal);
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	reason_begin(&reason, refusal.host, NULL, "/a", 22);
	reason_say(&reason, "%s", long_text);
	reason_advise(&reason, "%s", long_text);
	assert_int_equal(strlen(reason.why), sizeof(reason.why) - 1);
	assert_int_equal(strlen(reason.hint), sizeof(reason.hint) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_knows_the_cgroup_and_the_one_above),
		cmocka_unit_test(its_files_and_those_above_can_be_read),
		cmocka_unit_test(what_is_too_long_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
