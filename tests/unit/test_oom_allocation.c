/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every allocation of a forecast fails once: -ENOMEM, nothing leaks (the sanitizers look), nothing changes.
 * Linked with --wrap for the functions below. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/oom.h"
#include "snapshots.h"

/* Allocations until one fails; negative: none does. Volatile, since compilers know that malloc(3) reads no
 * variable of ours. */
static volatile long until_failure = -1;
static volatile bool has_failed;

static bool fails_now(void)
{
	if (until_failure < 0)
		return false;
	if (until_failure > 0) {
		until_failure = until_failure - 1;
		return false;
	}
	until_failure = -1;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
__attribute__((format(printf, 2, 0))) int __real_vasprintf(char **text, const char *format, va_list args);
__attribute__((format(printf, 2, 0))) int __wrap_vasprintf(char **text, const char *format, va_list args);

void *__wrap_malloc(size_t size)
{
	return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails_now() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails_now() ? NULL : __real_reallocarray(old, count, size);
}

int __wrap_vasprintf(char **text, const char *format, va_list args)
{
	/* vasprintf(3): the contents are undefined then. */
	if (fails_now()) {
		*text = (char *)(uintptr_t)0xdead;
		return -1;
	}
	return __real_vasprintf(text, format, args);
}

/* Fails the first, the second, ... allocation until a forecast needs no more. Returns how many there were. */
static long fail_each(struct snap *s)
{
	static const struct oom_forecast untouched;

	for (long n = 0;; n++) {
		struct oom_forecast forecast = {0};
		struct cgpol_error err = {0};
		until_failure = n;
		has_failed = false;
		int rc = oom_forecast_make(&s->snapshot, &s->question, &forecast, &err);
		until_failure = -1;
		if (!has_failed) {
			assert_int_equal(rc, 0);
			oom_forecast_clear(&forecast);
			return n;
		}
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(err.code, ENOMEM);
		assert_memory_equal(&forecast, &untouched, sizeof(forecast));
	}
}

/* Useless kills in a row, a group with sharers, rivals within the error, and every kind of warning. */
static struct snap *crowded(void)
{
	struct snap *s = snap_new(3, 100000);

	(void)snap_cgroup(s, "/g", 0, OOM_UNLIMITED);
	s->snapshot.memcg[1].oom_group = true;
	for (unsigned i = 0; i < 6; i++) {
		struct oom_task *task = snap_at(s, snap_task(s, "x", 5000 + i));
		task->mm = 1 + i / 2;
		task->memcg = i % 2;
		task->grew = i == 3 ? 9999 : 0;
		task->thread[0].has_policy = i != 4;
		snap_hold(s, i, 0, 4000);
		snap_hold(s, i, 2, 100 * i);
	}
	s->snapshot.task[5].adj = 100;
	s->snapshot.minor = 19; /* 6.19: with a counter error */
	s->snapshot.is_complete = false;
	s->snapshot.memory_on_v1 = true;
	snap_confine(s, 4, "1,2");
	snap_bind(s, 4, MEMPOLICY_BIND, "1");
	snap_ask(s, 4);
	return s;
}

static void no_failed_allocation_of_a_policy_oom_leaks_or_shows(void **state)
{
	AUTO(snap_free_p) struct snap *s = crowded();

	(void)state;
	assert_true(fail_each(s) > 10);
}

static void no_failed_allocation_of_a_cpuset_oom_leaks_or_shows(void **state)
{
	AUTO(snap_free_p) struct snap *s = crowded();

	(void)state;
	snap_bind(s, 4, MEMPOLICY_DEFAULT, NULL);
	assert_true(fail_each(s) > 10);
}

static void no_failed_allocation_of_a_memcg_oom_leaks_or_shows(void **state)
{
	AUTO(snap_free_p) struct snap *s = crowded();

	(void)state;
	s->snapshot.memcg[1].max = 100;
	s->snapshot.task[2].memcg = 1; /* the owner of the mm */
	s->question.constraint = OOM_MEMCG;
	snap_ask(s, 3);
	assert_true(fail_each(s) > 10);
}

static void no_failed_allocation_with_forced_nodes_leaks_or_shows(void **state)
{
	AUTO(snap_free_p) struct snap *s = crowded();

	(void)state;
	s->question.constraint = OOM_CPUSET;
	s->question.nodes = snap_nodes(s, "0,2");
	assert_true(fail_each(s) > 10);
}

static void the_wrapping_works(void **state)
{
	(void)state;
	until_failure = 1;
	char *volatile first = malloc(10);
	char *volatile second = malloc(10);
	until_failure = -1;
	assert_non_null(first);
	assert_null(second);
	free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wrapping_works),
		cmocka_unit_test(no_failed_allocation_of_a_policy_oom_leaks_or_shows),
		cmocka_unit_test(no_failed_allocation_of_a_cpuset_oom_leaks_or_shows),
		cmocka_unit_test(no_failed_allocation_of_a_memcg_oom_leaks_or_shows),
		cmocka_unit_test(no_failed_allocation_with_forced_nodes_leaks_or_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
