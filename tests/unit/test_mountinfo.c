/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of mountinfo, whole, odd and broken. */
#include "host/mountinfo.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static void expect_span(struct span span, const char *text)
{
	assert_true(span_is(span, text));
}

static struct span of(const char *text)
{
	return (struct span){text, strlen(text)};
}

/* The example of proc(5), and one with two optional fields. */
static void splits_a_line_whatever_its_optional_fields(void **state)
{
	static const char *const lines[] = {
		"36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue",
		"36 35 98:0 /mnt1 /mnt2 rw,noatime - ext3 /dev/root rw,errors=continue",
		"36 35 98:0 /mnt1 /mnt2 rw,noatime shared:2 master:1 - ext3 /dev/root rw,errors=continue",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct mountinfo mount;

		assert_true(mountinfo_parse(of(lines[i]), &mount));
		expect_span(mount.device, "98:0");
		expect_span(mount.root, "/mnt1");
		expect_span(mount.point, "/mnt2");
		expect_span(mount.options, "rw,noatime");
		expect_span(mount.type, "ext3");
		expect_span(mount.source, "/dev/root");
		expect_span(mount.super, "rw,errors=continue");
	}
}

static void an_empty_source_leaves_the_options_in_place(void **state)
{
	struct mountinfo mount;

	(void)state;
	assert_true(mountinfo_parse(of("1 2 0:3 / /sys/fs/cgroup rw - cgroup2  rw,nsdelegate"), &mount));
	expect_span(mount.source, "");
	expect_span(mount.super, "rw,nsdelegate");
	assert_true(mountinfo_parse(of("1 2 0:3 / /x rw - tmpfs"), &mount));
	expect_span(mount.super, "");
}

static void a_line_without_one_of_its_parts_is_none(void **state)
{
	static const char *const lines[] = {"", "1 2 0:3 / /x rw", "1 2 0:3 / /x rw -", "1 2 0:3 /",
					    "1 2 0:3 / /x - ext4 a b"};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct mountinfo mount = {.device = {"kept", 4}};

		/* In the last one "-" stands where the options should. */
		assert_false(mountinfo_parse(of(lines[i]), &mount));
		expect_span(mount.device, "kept");
	}
}

static void undoes_the_kernels_escapes_and_nothing_else(void **state)
{
	static const char *const rows[][2] = {{"/a\\040b\\011c\\012d\\134e\\043f", "/a b\tc\nd\\e#f"},
					      {"/a\\04", "/a\\04"},
					      {"/a\\400", "/a\\400"},
					      {"\\x2d", "\\x2d"},
					      {"", ""},
					      {"/\\", "/\\"}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *path = mountinfo_unmangle(of(rows[i][0]));

		assert_string_equal(path, rows[i][1]);
		free(path);
	}
}

static void finds_whole_options_only(void **state)
{
	(void)state;
	assert_true(mountinfo_has_option(of("rw,memory"), "memory"));
	assert_true(mountinfo_has_option(of("memory,rw"), "memory"));
	assert_false(mountinfo_has_option(of("rw,memory_recursiveprot"), "memory"));
	assert_false(mountinfo_has_option(of("xmemory"), "memory"));
	assert_false(mountinfo_has_option(of(""), "memory"));
	assert_false(mountinfo_has_option(of(","), "memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_a_line_whatever_its_optional_fields),
		cmocka_unit_test(an_empty_source_leaves_the_options_in_place),
		cmocka_unit_test(a_line_without_one_of_its_parts_is_none),
		cmocka_unit_test(undoes_the_kernels_escapes_and_nothing_else),
		cmocka_unit_test(finds_whole_options_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
