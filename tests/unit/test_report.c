/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports go into regular files only: never into a device or a link to one. */
#include "test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "act/report.h"
#include "base/cleanup.h"
#include "host/host.h"
#include "tree.h"

static struct cgpol_host *host;
static char *tree;

static int make(void **state)
{
	(void)state;
	tree = tree_make();
	return host_open(NULL, NULL, &host, NULL);
}

static int drop(void **state)
{
	(void)state;
	tree_remove(tree);
	cgpol_host_free(host);
	return 0;
}

static void expect_refusal(const char *path, int kind, const char *text)
{
	struct cgpol_error err = {0};
	char *full = NULL;

	assert_true(report_check(host, tree, path, &full, &err) < 0);
	assert_null(full);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, text))
		fail_msg("%s", err.text);
}

static void writes_a_file_and_replaces_it(void **state)
{
	AUTO(free_p) char *full = NULL;
	char text[16] = "";
	FILE *file;

	(void)state;
	for (int i = 0; i < 2; i++) {
		free(full);
		full = NULL;
		assert_int_equal(report_check(host, tree, "out.json", &full, NULL), 0);
		assert_string_equal(full, tree_path(tree, "/out.json"));
		assert_int_equal(report_save(host, full, i ? "second\n" : "first\n", NULL), 0);
	}
	file = fopen(full, "re");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "second\n");
	(void)fclose(file);
}

static void an_absolute_name_stays(void **state)
{
	AUTO(free_p) char *full = NULL;

	(void)state;
	assert_int_equal(report_check(host, "/nowhere", tree_path(tree, "/x"), &full, NULL), 0);
	assert_string_equal(full, tree_path(tree, "/x"));
}

static void never_replaces_what_is_no_file(void **state)
{
	(void)state;
	expect_refusal("/dev/null", CGPOL_USAGE, "something else than a file");
	expect_refusal("-", CGPOL_USAGE, "it is no file");
	expect_refusal("", CGPOL_USAGE, "it is no file");
	expect_refusal("/tmp", CGPOL_USAGE, "it is a folder");
	expect_refusal("new/", CGPOL_USAGE, "it is a folder");
	expect_refusal("no/such/folder", CGPOL_FAILED, "No such file");
	tree_put(tree, "/file", "x", 1);
	expect_refusal("file/x", CGPOL_FAILED, "Not a directory");
	tree_link(tree, "/link", "/dev/null");
	expect_refusal("link", CGPOL_USAGE, "something else than a file");
}

static void a_failed_write_is_told(void **state)
{
	struct cgpol_error err = {0};
	char full[256];

	(void)state;
	(void)snprintf(full, sizeof(full), "%s/gone/x", tree);
	assert_int_equal(report_save(host, full, "x", &err), -ENOENT);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_string_equal(err.file, full);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(writes_a_file_and_replaces_it),
		TEST(an_absolute_name_stays),
		TEST(never_replaces_what_is_no_file),
		TEST(a_failed_write_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
