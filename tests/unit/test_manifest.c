/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json: what is written comes back, and what a stranger writes is refused with a sentence. */
#include "test.h"

#include "base/cleanup.h"
#include "host/manifest.h"

#define MACHINE                                                                                    \
	"\"schema\": 1, \"kernel\": \"6.1.0-57-amd64\", \"page_size\": 4096, \"uid\": 1000, "      \
	"\"capabilities\": \"000001ffffffffff\", \"self\": 812, \"initial_pid_namespace\": true, " \
	"\"time\": 1700000000"

static struct manifest *parse(const char *text, struct root_facts *facts)
{
	struct cgpol_error err = {0};
	struct manifest *manifest;

	if (manifest_parse(text, strlen(text), &manifest, facts, &err) < 0)
		fail_msg("%s", err.text);
	return manifest;
}

static void reads_the_facts(void **state)
{
	struct root_facts facts;
	struct manifest *manifest = parse("{" MACHINE ", \"later\": [1]}", &facts);

	(void)state;
	assert_string_equal(facts.release, "6.1.0-57-amd64");
	assert_int_equal(facts.page_size, 4096);
	assert_int_equal(facts.uid, 1000);
	assert_true(facts.caps == 0x1ffffffffff);
	assert_int_equal(facts.self, 812);
	assert_true(facts.initial_pidns);
	assert_int_equal(facts.time, 1700000000);
	manifest_free(manifest);
	manifest_free(NULL);
}

static const struct {
	const char *text, *word; /* the sentence has the word */
} broken[] = {
	{"", "line"},
	{"{", "line"},
	{"[]", "schema"},
	{"{}", "schema"},
	{"nonsense \033[31m", "line"},
	{"{\"schema\": 2}", "schema"},
	{"{\"schema\": \"1\"}", "schema"},
	{"{\"schema\": 1.0}", "schema"},
	{"{\"schema\": 1}", "kernel"},
	{"{\"schema\": 1, \"schema\": 1}", "duplicate"},
	{"{\"schema\": 1, \"kernel\": 6}", "kernel"},
	{"{\"schema\": 1, \"kernel\": \"\"}", "kernel"},
	{"{\"schema\": 1, \"kernel\": \"6.1\\n\"}", "kernel"},
	{"{\"schema\": 1, \"kernel\": \"6.1\\u001b[31m\"}", "kernel"},
	{"{\"schema\": 1, \"kernel\": "
	 "\"0123456789012345678901234567890123456789012345678901234567890123"
	 "4\"}",
	 "kernel"},
	{"{\"schema\": 1, \"kernel\": \"6\"}", "page_size"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 0}", "page_size"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": -4096}", "page_size"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4095}", "page_size"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 1099511627776}", "page_size"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 99999999999999999999}", "line"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": -1}", "time"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 1, \"uid\": -1}", "uid"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 1, \"uid\": 4294967296}", "uid"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 1, \"uid\": 0, \"self\": "
	 "4194305}",
	 "self"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 1, \"uid\": 0, \"self\": "
	 "1, "
	 "\"capabilities\": \"0x1\"}",
	 "capabilities"},
	{"{\"schema\": 1, \"kernel\": \"6\", \"page_size\": 4096, \"time\": 1, \"uid\": 0, \"self\": "
	 "1, "
	 "\"capabilities\": \"1\", \"initial_pid_namespace\": 1}",
	 "initial_pid_namespace"},
	{"{" MACHINE ", \"errors\": []}", "errors"},
	{"{" MACHINE ", \"errors\": {\"/a\": 3}}", "errors"},
	{"{" MACHINE ", \"errors\": {\"/a\": \"EWHAT\"}}", "errors"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": -1}}", "cgroups"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": \"1\"}}", "cgroups"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": 1.5}}", "cgroups"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": [1, 2]}}", "cgroups"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": [1, -2, 3]}}", "cgroups"},
	{"{" MACHINE ", \"cgroups\": {\"/a\": [1, 2, 4294967296]}}", "cgroups"},
	{"{" MACHINE ", \"lists\": {\"/a\": {}}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [1]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"\"]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"..\"]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"%2E.\"]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"b/c\"]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"%2F\"]}}", "lists"},
	{"{" MACHINE ", \"lists\": {\"/a\": [\"%00\"]}}", "lists"},
	{"{" MACHINE ", \"heads\": {\"/a\": 1}}", "heads"},
	{"{" MACHINE ", \"heads\": {\"/a\": \"%\"}}", "heads"},
	{"{" MACHINE ", \"shared_mm\": {}}", "shared_mm"},
	{"{" MACHINE ", \"shared_mm\": [1]}", "shared_mm"},
	{"{" MACHINE ", \"shared_mm\": [[0]]}", "shared_mm"},
	{"{" MACHINE ", \"shared_mm\": [[-5, 3]]}", "shared_mm"},
	{"{" MACHINE ", \"shared_mm\": [[3, 4194305]]}", "shared_mm"},
	{"{" MACHINE ", \"shared_mm\": [[\"3\"]]}", "shared_mm"},
};

static void refuses_what_is_broken(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct root_facts facts = {.self = 77};
		struct manifest *manifest = NULL;
		struct cgpol_error err = {0};
		int rc = manifest_parse(broken[i].text, strlen(broken[i].text), &manifest, &facts, &err);

		if (rc >= 0)
			fail_msg("%s was taken", broken[i].text);
		assert_null(manifest);
		assert_int_equal(facts.self, 77);
		assert_int_equal(err.kind, CGPOL_FAILED);
		if (!strstr(err.text, broken[i].word))
			fail_msg("%s: \"%s\"", broken[i].text, err.text);
		assert_null(strchr(err.text, '\033'));
	}
}

static void survives_deep_and_binary_input(void **state)
{
	static char deep[100000];
	struct root_facts facts;
	struct manifest *manifest = NULL;

	(void)state;
	memset(deep, '[', sizeof(deep));
	assert_true(manifest_parse(deep, sizeof(deep), &manifest, &facts, NULL) < 0);
	assert_true(manifest_parse("\xff\xfe\0{", 4, &manifest, &facts, NULL) < 0);
	assert_true(manifest_parse("{\"a\": \"\xff\"}", 9, &manifest, &facts, NULL) < 0);
	assert_null(manifest);
}

/* Sorting needs an order in which equal processes are neighbours: by the group's lowest pid, not by the pid.
 */
static void orders_processes_by_their_groups(void **state)
{
	struct root_facts facts;
	struct manifest *manifest = parse("{" MACHINE ", \"shared_mm\": [[398, 405], [405, 410], [399]], "
					  "\"errors\": {\"kcmp:398:400\": \"EPERM\"}}",
					  &facts);
	int order;

	(void)state;
	assert_int_equal(manifest_compare_mm(manifest, 410, 398, &order), 0);
	assert_int_equal(order, 0);
	assert_int_equal(manifest_compare_mm(manifest, 399, 410, &order), 0);
	assert_int_equal(order, 1);
	assert_int_equal(manifest_compare_mm(manifest, 405, 399, &order), 0);
	assert_int_equal(order, -1);
	assert_int_equal(manifest_compare_mm(manifest, 399, 399, &order), 0);
	assert_int_equal(order, 0);
	assert_int_equal(manifest_compare_mm(manifest, 400, 398, &order), -EPERM);
	assert_int_equal(manifest_compare_mm(manifest, 398, 400, &order), -EPERM);
	manifest_free(manifest);
}

static void what_is_put_comes_back(void **state)
{
	char odd[] = "a\nb\xff%", plain[] = "10", *names[] = {odd, plain}, **list;
	const struct root_facts facts = {"6.1.0", 65536, 1000, 0x8000000000000001, 812, false, 0, false, 42};
	const struct root_info info = {UINT64_C(1) << 40, 3, 040755, 0, 0};
	struct root_facts read;
	struct root_info found;
	struct manifest *manifest, *again;
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *head = NULL;
	size_t size;
	int order;

	(void)state;
	assert_int_equal(manifest_new(&manifest), 0);
	assert_int_equal(manifest_put_errno(manifest, "/x/\xff\n", -ESRCH), 0);
	assert_int_equal(manifest_put_head(manifest, "/h", "7f00 default\nfile=/a\\040\xe9%\n"), 0);
	assert_int_equal(manifest_put_list(manifest, "/l", 0, names, 2), 0);
	assert_int_equal(manifest_put_list(manifest, "/m", -EACCES, NULL, 0), 0);
	assert_int_equal(manifest_put_stat(manifest, "/s", 0, &info), 0);
	assert_int_equal(manifest_put_stat(manifest, "/t", -ENOENT, NULL), 0);
	assert_int_equal(manifest_put_order(manifest, 9, 7, 0, 0), 0);
	assert_int_equal(manifest_put_order(manifest, 9, 8, 0, 1), 0);
	assert_int_equal(manifest_put_order(manifest, 6, 5, -EPERM, 0), 0);
	assert_int_equal(manifest_format(manifest, &facts, &text), 0);
	for (const char *p = text; *p != '\0'; p++)
		assert_true(*p == '\n' || (*p >= 0x20 && *p <= 0x7e));
	again = parse(text, &read);
	assert_string_equal(read.release, "6.1.0");
	assert_true(read.caps == facts.caps && read.page_size == 65536 && read.uid == 1000);
	assert_true(!read.initial_pidns && read.time == 42 && read.self == 812);
	assert_int_equal(manifest_errno(again, "/x/\xff\n"), -ESRCH);
	assert_int_equal(manifest_errno(again, "/x"), 0);
	assert_int_equal(manifest_head(again, "/h", &head, &size), 1);
	assert_string_equal(head, "7f00 default\nfile=/a\\040\xe9%\n");
	assert_int_equal(size, strlen(head));
	assert_int_equal(manifest_list(again, "/l", &list, &size), 1);
	assert_int_equal(size, 2);
	assert_string_equal(list[0], odd);
	root_list_free(list, size);
	assert_int_equal(manifest_list(again, "/m", &list, &size), -EACCES);
	assert_int_equal(manifest_list(again, "/n", &list, &size), 0);
	assert_int_equal(manifest_stat(again, "/s", &found), 1);
	assert_true(found.inode == info.inode && found.nlink == info.nlink && found.mode == info.mode);
	assert_int_equal(manifest_stat(again, "/t", &found), -ENOENT);
	assert_int_equal(manifest_compare_mm(again, 7, 9, &order), 0);
	assert_int_equal(order, 0);
	assert_int_equal(manifest_compare_mm(again, 5, 6, &order), -EPERM);
	manifest_free(again);
	manifest_free(manifest);
}

static void keeps_orders_and_notes_of_a_recording(void **state)
{
	struct manifest *manifest;
	int value;

	(void)state;
	assert_int_equal(manifest_new(&manifest), 0);
	assert_int_equal(manifest_order(manifest, 1, 2, &value), 0);
	assert_int_equal(manifest_put_order(manifest, 2, 1, 0, -1), 0);
	assert_int_equal(manifest_order(manifest, 2, 1, &value), 1);
	assert_int_equal(value, -1);
	assert_int_equal(manifest_order(manifest, 1, 2, &value), 1);
	assert_int_equal(value, 1);
	assert_false(manifest_note(manifest, "/a", &value));
	assert_int_equal(manifest_put_note(manifest, "/a", -ENOENT), 0);
	assert_true(manifest_note(manifest, "/a", &value));
	assert_int_equal(value, -ENOENT);
	manifest_free(manifest);
}

static void refuses_paths_longer_than_the_kernels(void **state)
{
	static char path[5000];
	struct manifest *manifest;

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	assert_int_equal(manifest_new(&manifest), 0);
	assert_int_equal(manifest_put_errno(manifest, path, -EIO), 0);
	memset(path, '\n', sizeof(path) - 1);
	assert_int_equal(manifest_put_errno(manifest, path, -EIO), -ENAMETOOLONG);
	assert_int_equal(manifest_errno(manifest, path), 0);
	/* The longest that the kernel takes, with the dearest bytes. */
	path[4095] = '\0';
	assert_int_equal(manifest_put_stat(manifest, path, -EIO, NULL), 0);
	manifest_free(manifest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_facts),
		cmocka_unit_test(refuses_what_is_broken),
		cmocka_unit_test(survives_deep_and_binary_input),
		cmocka_unit_test(orders_processes_by_their_groups),
		cmocka_unit_test(what_is_put_comes_back),
		cmocka_unit_test(keeps_orders_and_notes_of_a_recording),
		cmocka_unit_test(refuses_paths_longer_than_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
