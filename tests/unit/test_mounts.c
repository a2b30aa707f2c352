/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroup mounts out of mountinfo, and controllers that the command line switches off. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/mounts.h"

static int mallocs_until_failure;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return mallocs_until_failure > 0 && --mallocs_until_failure == 0 ? NULL : __real_malloc(size);
}

/* As a machine prints it whose systemd is told to use the hybrid layout, with a container's mounts added. */
static const char hybrid[] =
	"22 28 0:20 / /proc rw,nosuid shared:14 - proc proc rw\n"
	"31 30 0:27 / /sys/fs/cgroup/unified rw,nosuid,nodev shared:27 - cgroup2 cgroup2 rw,nsdelegate\n"
	"33 30 0:29 /docker/x /c\\040d/memory rw - cgroup cgroup rw,memory\n"
	"34 30 0:30 / /sys/fs/cgroup/memory rw shared:10 master:2 - cgroup cgroup rw,memory\n"
	"35 30 0:31 / /sys/fs/cgroup/cpu,cpuacct ro,relatime - cgroup cgroup rw,cpuacct,cpu\n"
	"36 30 0:32 / /sys/fs/cgroup/blkio rw - cgroup  ro,blkio\n";

static void finds_every_cgroup_mount(void **state)
{
	struct mounts mounts = {0};

	(void)state;
	assert_int_equal(mounts_parse(hybrid, &mounts), 0);
	assert_int_equal(mounts.count, 5);
	assert_true(mounts.mount[0].is_unified);
	assert_string_equal(mounts.mount[0].point, "/sys/fs/cgroup/unified");
	assert_string_equal(mounts.mount[0].options, "rw,nsdelegate");
	assert_string_equal(mounts.mount[1].point, "/c d/memory");
	assert_string_equal(mounts.mount[1].part, "/docker/x");
	assert_false(mounts.mount[2].is_read_only);
	assert_true(mounts.mount[3].is_read_only);
	assert_true(mounts.mount[4].is_read_only);
	mounts_clear(&mounts);
	assert_int_equal(mounts.count, 0);
}

static void finds_a_controller_by_either_name_and_the_whole_hierarchy_first(void **state)
{
	struct mounts mounts = {0};

	(void)state;
	assert_int_equal(mounts_parse(hybrid, &mounts), 0);
	assert_string_equal(mounts_find_v1(&mounts, "memory", "memory")->point, "/sys/fs/cgroup/memory");
	assert_string_equal(mounts_find_v1(&mounts, "io", "blkio")->point, "/sys/fs/cgroup/blkio");
	assert_string_equal(mounts_find_v1(&mounts, "cpu", "cpu")->point, "/sys/fs/cgroup/cpu,cpuacct");
	assert_null(mounts_find_v1(&mounts, "cpuset", "cpuset"));
	/* An option of the v2 mount is no controller. */
	assert_null(mounts_find_v1(&mounts, "nsdelegate", "nsdelegate"));
	mounts_clear(&mounts);
}

static void finds_a_part_of_a_hierarchy_where_there_is_no_more(void **state)
{
	struct mounts mounts = {0};

	(void)state;
	assert_int_equal(mounts_parse("1 1 0:1 /a /m rw - cgroup c rw,memory\n"
				      "1 1 0:1 /b /n rw - cgroup c rw,memory\n",
				      &mounts),
			 0);
	assert_string_equal(mounts_find_v1(&mounts, "memory", "memory")->point, "/m");
	mounts_clear(&mounts);
}

static void passes_over_malformed_lines(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"1",
		"1 2",
		"1 2 0:3 / /x",
		"1 2 0:3 / /x rw",
		"1 2 0:3 / /x rw shared:1",
		"1 2 0:3 / /x rw -",
		"1 2 0:3 / /x rw - tmpfs cgroup2 rw,memory",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct mounts mounts = {0};

		assert_int_equal(mounts_parse(texts[i], &mounts), 0);
		assert_int_equal(mounts.count, 0);
		mounts_clear(&mounts);
	}
}

static void takes_a_mount_without_source_and_options(void **state)
{
	struct mounts mounts = {0};

	(void)state;
	assert_int_equal(mounts_parse("1 2 0:3 / /x rw - cgroup2\n", &mounts), 0);
	assert_int_equal(mounts.count, 1);
	assert_string_equal(mounts.mount[0].options, "");
	mounts_clear(&mounts);
}

static void keeps_a_limited_number(void **state)
{
	static const char line[] = "1 2 0:3 / /x rw - cgroup2 c rw\n";
	size_t size = (MOUNTS_MAX + 10) * (sizeof(line) - 1);
	char *text = malloc(size + 1);
	struct mounts mounts = {0};

	(void)state;
	assert_non_null(text);
	for (size_t at = 0; at < size; at += sizeof(line) - 1)
		memcpy(text + at, line, sizeof(line));
	assert_int_equal(mounts_parse(text, &mounts), 0);
	assert_int_equal(mounts.count, MOUNTS_MAX);
	mounts_clear(&mounts);
	free(text);
}

static void tells_when_memory_is_short(void **state)
{
	(void)state;
	for (int n = 1; n <= 6; n++) {
		struct mounts mounts = {0};
		int rc;

		mallocs_until_failure = n;
		rc = mounts_parse(hybrid, &mounts);
		if (mallocs_until_failure > 0) {
			assert_int_equal(rc, 0);
			mounts_clear(&mounts);
		} else {
			assert_int_equal(rc, -ENOMEM);
			assert_null(mounts.mount);
		}
		mallocs_until_failure = 0;
	}
}

static void reads_what_the_command_line_switches_off(void **state)
{
	static const struct {
		const char *cmdline, *name, *v1;
		bool is_disabled;
	} cases[] = {
		{NULL, "memory", "memory", false},
		{"", "memory", "memory", false},
		{"quiet cgroup_disable=memory", "memory", "memory", true},
		{"cgroup_disable=memory", "cpuset", "cpuset", false},
		{"cgroup_disable=cpu,memory ro", "memory", "memory", true},
		{"cgroup_disable=memoryx", "memory", "memory", false},
		{"xcgroup_disable=memory", "memory", "memory", false},
		/* kernel/cgroup/cgroup.c cgroup_disable takes ss->name and ss->legacy_name */
		{"cgroup_disable=blkio", "io", "blkio", true},
		{"cgroup_disable=io", "io", "blkio", true},
		{"cgroup_disable=memory cgroup_enable=memory", "memory", "memory", false},
		{"cgroup_enable=memory cgroup_disable=memory", "memory", "memory", true},
		{"cgroup_disable=memory cgroup_enable=cpuset", "memory", "memory", true},
		{"quiet -- cgroup_disable=memory", "memory", "memory", false},
		{"quiet\ncgroup_disable=memory", "memory", "memory", true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (mounts_is_disabled(cases[i].cmdline, cases[i].name, cases[i].v1) != cases[i].is_disabled)
			fail_msg("%s: %s", cases[i].cmdline, cases[i].name);
}

static void finds_whole_words_of_the_command_line(void **state)
{
	(void)state;
	assert_true(mounts_has_word("ro psi=0", "psi=0"));
	assert_false(mounts_has_word("ro psi=01", "psi=0"));
	assert_false(mounts_has_word("ro -- psi=0", "psi=0"));
	assert_false(mounts_has_word(NULL, "psi=0"));
}

static void knows_the_words_of_a_list(void **state)
{
	(void)state;
	assert_true(mounts_has_option("rw,memory", "memory"));
	assert_true(mounts_has_option("memory,rw", "memory"));
	assert_false(mounts_has_option("rw,memory_recursiveprot", "memory"));
	assert_false(mounts_has_option("", "memory"));
	assert_false(mounts_has_option(",,", "memory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_every_cgroup_mount),
		cmocka_unit_test(finds_a_controller_by_either_name_and_the_whole_hierarchy_first),
		cmocka_unit_test(finds_a_part_of_a_hierarchy_where_there_is_no_more),
		cmocka_unit_test(passes_over_malformed_lines),
		cmocka_unit_test(takes_a_mount_without_source_and_options),
		cmocka_unit_test(keeps_a_limited_number),
		cmocka_unit_test(tells_when_memory_is_short),
		cmocka_unit_test(reads_what_the_command_line_switches_off),
		cmocka_unit_test(finds_whole_words_of_the_command_line),
		cmocka_unit_test(knows_the_words_of_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
