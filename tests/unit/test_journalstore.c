/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The journals of a state directory: their order, and which of them are let go. */
#include "test.h"

#include <sys/stat.h>

#include "base/cleanup.h"
#include "host/root.h"
#include "policy/journalstore.h"
#include "tree.h"

static char *dir; /* empty, one for each test */
static struct state *store;

static int make_store(void **unused)
{
	struct cgpol_error err = {0};

	(void)unused;
	dir = tree_make();
	if (state_open(tree_path(dir, "/s"), true, &store, &err) < 0)
		fail_msg("%s", err.text);
	return 0;
}

static int remove_store(void **unused)
{
	(void)unused;
	state_close(store);
	tree_remove(dir);
	return 0;
}

/* A journal with one step; JOURNAL_OPEN: without an end. */
static void put(const char *id, enum journal_state end)
{
	const struct journal head = {.id = (char *)(uintptr_t)id, .command = (char *)(uintptr_t) "cgpol"};
	AUTO(free_p) char *begin = journal_begin(&head);
	AUTO(free_p) char *last = journal_end(end);

	assert_int_equal(state_create(store, id), 0);
	assert_int_equal(state_append(store, begin), 0);
	assert_int_equal(state_append(store, "step\t0\tmkdir\t-\t0\t0\t=/a\t-\t-\t-\t-\n"), 0);
	if (end != JOURNAL_OPEN)
		assert_int_equal(state_append(store, last), 0);
}

static size_t count_ids(void)
{
	char **ids = NULL;
	size_t count = 0;

	assert_int_equal(journalstore_list(store, &ids, &count, NULL), 0);
	root_list_free(ids, count);
	return count;
}

static void names_of_journals_are_told_from_others(void **unused)
{
	static const char *const good[] = {"20261130T221721-1", "20261130T221721-1234",
					   "20261130T221721-1-2"};
	static const char *const bad[] = {
		"20261130T221721",   "20261130T221721-",  "20261130t221721-1",	"2026",
		"20261130T22172-1",  "20261130T221721-x", "20261130T221721-1-", "20261130T221721-1x",
		"20261130T221721-+1"};

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(journalstore_is_id(good[i]));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(journalstore_is_id(bad[i]));
}

static void they_are_listed_oldest_first_also_within_a_second(void **unused)
{
	static const char *const order[] = {"20250101T000000-70000", "20260101T000000-9",
					    "20260101T000000-9-2",   "20260101T000000-9-10",
					    "20260101T000000-10",    "20260101T000001-1"};
	char **ids = NULL;
	size_t count = 0;

	(void)unused;
	for (size_t i = ARRAY_SIZE(order); i-- > 0;)
		put(order[i], JOURNAL_DONE);
	tree_put(dir, "/s/note", "", 0);
	assert_int_equal(journalstore_list(store, &ids, &count, NULL), 0);
	assert_int_equal(count, ARRAY_SIZE(order));
	for (size_t i = 0; i < count; i++)
		assert_string_equal(ids[i], order[i]);
	root_list_free(ids, count);
}

static void one_is_read_with_its_end(void **unused)
{
	AUTO(journal_clear) struct journal journal = {0};

	(void)unused;
	put("20260101T000000-9", JOURNAL_DONE);
	assert_int_equal(journalstore_read(store, "20260101T000000-9", &journal, NULL), 0);
	assert_int_equal(journal.entries, 1);
	assert_int_equal(journal.state, JOURNAL_DONE);
	assert_int_equal(journalstore_end(store, "20260101T000000-9", JOURNAL_UNDONE, NULL), 0);
	journal_clear(&journal);
	assert_int_equal(journalstore_read(store, "20260101T000000-9", &journal, NULL), 0);
	assert_int_equal(journal.state, JOURNAL_UNDONE);
}

static void what_cannot_be_read_is_named(void **unused)
{
	struct cgpol_error err = {0};
	struct journal journal = {0};

	(void)unused;
	assert_int_equal(journalstore_read(store, "20260101T000000-9", &journal, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot read journal 20260101T000000-9: No such file"));
	tree_put(dir, "/s/20260101T000000-9", "rubbish\n", 8);
	assert_int_equal(journalstore_read(store, "20260101T000000-9", &journal, &err), -EINVAL);
	assert_non_null(strstr(err.text, "journal 20260101T000000-9: this is no journal of cgpol's"));
	assert_int_equal(journalstore_end(store, "20260101T000000-8", JOURNAL_UNDONE, &err), -ENOENT);
	assert_non_null(strstr(err.text, "cannot write into journal 20260101T000000-8 that it is undone"));
}

static void one_with_the_name_of_another_is_refused(void **unused)
{
	struct cgpol_error err = {0};
	struct journal journal = {0};

	(void)unused;
	put("20260101T000000-9", JOURNAL_DONE);
	AUTO(free_p) char *text = NULL;

	assert_int_equal(state_read(store, "20260101T000000-9", &text), 0);
	tree_put(dir, "/s/20260101T000000-7", text, strlen(text));
	assert_int_equal(journalstore_read(store, "20260101T000000-7", &journal, &err), -EINVAL);
	assert_non_null(strstr(err.text, "written for another change"));
}

static void the_oldest_that_are_over_are_pruned(void **unused)
{
	(void)unused;
	put("20260101T000000-1", JOURNAL_DONE);
	put("20260101T000000-2", JOURNAL_OPEN);
	put("20260101T000000-3", JOURNAL_STUCK);
	put("20260101T000000-4", JOURNAL_FAILED);
	put("20260101T000000-5", JOURNAL_UNDONE);
	put("20260101T000000-6", JOURNAL_DONE);
	put("20260101T000000-7", JOURNAL_DONE);
	assert_int_equal(journal_prune(store, 7), 0);
	assert_int_equal(journal_prune(store, 2), 3);
	assert_int_equal(count_ids(), 4);
	assert_int_equal(journal_prune(store, 2), 0);
	AUTO(journal_clear) struct journal journal = {0};

	assert_int_equal(journalstore_read(store, "20260101T000000-2", &journal, NULL), 0);
}

static void one_that_never_began_is_pruned_and_one_that_is_strange_stays(void **unused)
{
	(void)unused;
	tree_put(dir, "/s/20250101T000000-1", "", 0);
	tree_put(dir, "/s/20250101T000000-2", "cgpol journal 9\n", 16);
	put("20260101T000000-6", JOURNAL_DONE);
	assert_int_equal(journal_prune(store, 1), 1);
	assert_int_equal(count_ids(), 2);
}

static void even_those_that_want_an_undo_are_bounded(void **unused)
{
	char id[40];

	(void)unused;
	for (unsigned i = 0; i < 12; i++) {
		(void)snprintf(id, sizeof(id), "20260101T000000-%u", i + 1);
		put(id, JOURNAL_OPEN);
	}
	assert_int_equal(journal_prune(store, 2), 4);
	assert_int_equal(count_ids(), 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_store, remove_store)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_of_journals_are_told_from_others),
		TEST(they_are_listed_oldest_first_also_within_a_second),
		TEST(one_is_read_with_its_end),
		TEST(what_cannot_be_read_is_named),
		TEST(one_with_the_name_of_another_is_refused),
		TEST(the_oldest_that_are_over_are_pruned),
		TEST(one_that_never_began_is_pruned_and_one_that_is_strange_stays),
		TEST(even_those_that_want_an_undo_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
