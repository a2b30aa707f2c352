/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json as text: the parts that came later, those of old captures, and what is written of them. */
#include "test.h"

#include <linux/limits.h>

#include "base/cleanup.h"
#include "host/document.h"

#define MACHINE                                                                   \
	"\"schema\": 1, \"kernel\": \"6.1.0\", \"page_size\": 4096, \"uid\": 0, " \
	"\"capabilities\": \"0\", \"self\": 812, \"initial_pid_namespace\": true, \"time\": 1"

static struct manifest *parse(const char *text)
{
	struct cgpol_error err = {0};
	struct root_facts facts;
	struct manifest *manifest;

	if (manifest_parse(text, strlen(text), &manifest, &facts, &err) < 0)
		fail_msg("%s", err.text);
	return manifest;
}

static void reads_stats_of_every_age(void **state)
{
	struct manifest *manifest = parse("{" MACHINE ", \"cgroups\": {\"/a\": 41, \"/b\": [42, 3, 16877],"
					  " \"/c\": [43, 2, 33188, 1000, 4294967295]}}");
	struct root_info info;

	(void)state;
	assert_int_equal(manifest_stat(manifest, "/a", &info), 1);
	assert_true(info.inode == 41 && info.nlink == 0 && info.mode == 0 && info.uid == 0 && info.gid == 0);
	assert_int_equal(manifest_stat(manifest, "/b", &info), 1);
	assert_true(info.inode == 42 && info.nlink == 3 && info.mode == 040755 && info.uid == 0 &&
		    info.gid == 0);
	assert_int_equal(manifest_stat(manifest, "/c", &info), 1);
	assert_true(info.inode == 43 && info.mode == 0100644 && info.uid == 1000 && info.gid == 4294967295);
	manifest_free(manifest);
}

static void reads_probes_and_attributes(void **state)
{
	struct manifest *manifest = parse("{" MACHINE ", \"probes\": {\"a\": \"OK\", \"b\": \"ENOSYS\"},"
					  " \"xattrs\": {\"user.a:/x%0A\": \"1%0A\", \"user.b:/x\": \"\"},"
					  " \"errors\": {\"xattr:user.a:/y\": \"ENODATA\"}}");
	AUTO(free_p) char *value = NULL;
	AUTO(free_p) char *empty = NULL;
	int result = 7;

	(void)state;
	assert_true(manifest_probe(manifest, "a", &result));
	assert_int_equal(result, 0);
	assert_true(manifest_probe(manifest, "b", &result));
	assert_int_equal(result, -ENOSYS);
	assert_false(manifest_probe(manifest, "c", &result));
	assert_int_equal(result, -ENOSYS);
	assert_int_equal(manifest_xattr(manifest, "/x\n", "user.a", &value), 1);
	assert_string_equal(value, "1\n");
	assert_int_equal(manifest_xattr(manifest, "/x", "user.b", &empty), 1);
	assert_string_equal(empty, "");
	assert_int_equal(manifest_xattr(manifest, "/x", "user.a", &value), 0);
	assert_int_equal(manifest_xattr(manifest, "/y", "user.a", &value), -ENODATA);
	manifest_free(manifest);
}

static void refuses_entries_of_the_wrong_kind(void **state)
{
	static const struct {
		const char *text, *part;
	} broken[] = {
		{"\"probes\": []", "probes"},
		{"\"probes\": {\"a\": 0}", "probes"},
		{"\"probes\": {\"a\": \"ok\"}", "probes"},
		{"\"probes\": {\"a\": \"EWHAT\"}", "probes"},
		{"\"errors\": {\"/a\": \"OK\"}", "errors"},
		{"\"xattrs\": 1", "xattrs"},
		{"\"xattrs\": {\"user.a:/x\": 1}", "xattrs"},
		{"\"xattrs\": {\"user.a:/x\": \"%00\"}", "xattrs"},
		{"\"xattrs\": {\"user.a:/x\": \"%zz\"}", "xattrs"},
		{"\"cgroups\": {\"/a\": []}", "cgroups"},
		{"\"cgroups\": {\"/a\": [1, 2, 3, 4]}", "cgroups"},
		{"\"cgroups\": {\"/a\": [1, 2, 3, 4, 5, 6]}", "cgroups"},
		{"\"cgroups\": {\"/a\": [1, 2, 3, -1, 0]}", "cgroups"},
		{"\"cgroups\": {\"/a\": [1, 2, 3, 0, 4294967296]}", "cgroups"},
		{"\"cgroups\": {\"/a\": {}}", "cgroups"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct manifest *manifest = NULL;
		struct root_facts facts = {.self = 77};
		struct cgpol_error err = {0};
		char text[512];

		(void)snprintf(text, sizeof(text), "{" MACHINE ", %s}", broken[i].text);
		if (manifest_parse(text, strlen(text), &manifest, &facts, &err) >= 0)
			fail_msg("%s was taken", text);
		assert_null(manifest);
		assert_int_equal(facts.self, 77);
		assert_int_equal(err.kind, CGPOL_FAILED);
		assert_string_equal(err.value, broken[i].part);
	}
}

static void writes_later_parts_only_where_something_was_asked(void **state)
{
	const struct root_facts facts = {"6.1.0", 4096, 0, 0, 5, true, 0, true, 1};
	const struct root_info info = {7, 2, 040755, 1000, 100};
	struct manifest *manifest;
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;

	(void)state;
	assert_int_equal(manifest_new(&manifest), 0);
	assert_int_equal(document_format(manifest, &facts, &before), 0);
	assert_null(strstr(before, "probes"));
	assert_null(strstr(before, "xattrs"));
	assert_non_null(strstr(before, "\"errors\": {}"));
	assert_non_null(strstr(before, "\"cgroups\": {}"));
	assert_int_equal(manifest_put_probe(manifest, "a", 0), 0);
	assert_int_equal(manifest_put_probe(manifest, "b", -EINVAL), 0);
	assert_int_equal(manifest_put_xattr(manifest, "/x", "user.a", 0, "\xff"), 0);
	assert_int_equal(manifest_put_xattr(manifest, "/y", "user.a", -ENODATA, NULL), 0);
	assert_int_equal(manifest_put_stat(manifest, "/z", 0, &info), 0);
	assert_int_equal(document_format(manifest, &facts, &after), 0);
	assert_non_null(strstr(after, "\"a\": \"OK\""));
	assert_non_null(strstr(after, "\"b\": \"EINVAL\""));
	assert_non_null(strstr(after, "\"user.a:/x\": \"%FF\""));
	assert_non_null(strstr(after, "\"xattr:user.a:/y\": \"ENODATA\""));
	assert_non_null(strstr(after, "1000,\n   100\n"));
	manifest_free(manifest);
	manifest = parse(after);
	manifest_free(manifest);
}

static void refuses_names_longer_than_the_kernels(void **state)
{
	static char name[6 * PATH_MAX];
	struct manifest *manifest;

	(void)state;
	memset(name, '\n', sizeof(name) - 1);
	assert_int_equal(manifest_new(&manifest), 0);
	assert_int_equal(manifest_put_xattr(manifest, "/a", name, 0, "1"), -ENAMETOOLONG);
	assert_int_equal(manifest_put_probe(manifest, name, 0), -ENAMETOOLONG);
	name[XATTR_NAME_MAX] = '\0';
	assert_int_equal(manifest_put_xattr(manifest, "/a", name, 0, "1"), 0);
	manifest_free(manifest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_stats_of_every_age),
		cmocka_unit_test(reads_probes_and_attributes),
		cmocka_unit_test(refuses_entries_of_the_wrong_kind),
		cmocka_unit_test(writes_later_parts_only_where_something_was_asked),
		cmocka_unit_test(refuses_names_longer_than_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
