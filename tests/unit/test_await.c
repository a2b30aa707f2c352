/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting ends with the event, and not without it. */
#include "test.h"

#include "act/await.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct cgpol_error err;
static struct await_result result;

static int set_up(void **state)
{
	(void)state;
	root = fakekernel_new(NULL);
	fakekernel_cgroup(root, "/a", NULL);
	err = (struct cgpol_error){0};
	result = (struct await_result){0};
	return host_open_root(root, &host, &err);
}

static int tear_down(void **state)
{
	(void)state;
	fakekernel_hook(root, NULL, NULL);
	cgpol_host_free(host);
	return 0;
}

static int wait_for(unsigned events, unsigned milliseconds, uint64_t times)
{
	const struct await_request request = {
		.cgroup = "/a", .events = events, .milliseconds = milliseconds, .times = times};

	return await_event(host, &request, &result, &err);
}

static void expect_event(int rc, enum await_event event, uint64_t count, uint64_t before)
{
	if (rc < 0)
		fail_msg("%s", err.text);
	assert_string_equal(await_event_name(result.event), await_event_name(event));
	assert_int_equal(result.count, count);
	assert_int_equal(result.before, before);
}

static void expect_failure(int rc, int want, int kind, const char *part)
{
	assert_int_equal(rc, want);
	assert_int_equal(err.kind, kind);
	if (!strstr(err.text, part))
		fail_msg("%s", err.text);
}

static void names_are_those_of_the_kernel(void **state)
{
	(void)state;
	for (int i = 0; i < AWAIT_EVENTS; i++) {
		enum await_event event;

		assert_int_equal(await_event_of_name(await_event_name((enum await_event)i), &event), 0);
		assert_int_equal(event, i);
	}
	assert_int_equal(await_event_of_name("oomkill", &(enum await_event){0}), -EINVAL);
	assert_int_equal(await_event_of_name("", &(enum await_event){0}), -EINVAL);
}

static void a_state_that_holds_is_told_at_once(void **state)
{
	(void)state;
	expect_event(wait_for(AWAIT_BIT(AWAIT_EMPTY), 1, 0), AWAIT_EMPTY, 0, 0);
	assert_int_equal(fakekernel_start(root, "/a", 10), 0);
	expect_event(wait_for(AWAIT_BIT(AWAIT_EMPTY) | AWAIT_BIT(AWAIT_POPULATED), 1, 0), AWAIT_POPULATED, 1,
		     1);
	expect_event(wait_for(AWAIT_BIT(AWAIT_THAWED), 1, 0), AWAIT_THAWED, 0, 0);
}

static void one_that_never_comes_is_given_up_in_time(void **state)
{
	uint64_t begin = await_clock();

	(void)state;
	expect_failure(wait_for(AWAIT_BIT(AWAIT_POPULATED) | AWAIT_BIT(AWAIT_OOM_KILL), 60, 0), -ETIMEDOUT,
		       CGPOL_FAILED, "no event oom_kill, populated in 0.060 s");
	assert_true(await_clock() - begin >= 60);
	assert_true(await_clock() - begin < 2000);
}

static unsigned looks;

static void end_at_the_third_look(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access == FAKEKERNEL_READS && strcmp(path, "/sys/fs/cgroup/a/cgroup.events") == 0 && ++looks == 3)
		fakekernel_end(root, 10);
}

static void a_change_ends_the_waiting(void **state)
{
	(void)state;
	looks = 0;
	assert_int_equal(fakekernel_start(root, "/a", 10), 0);
	fakekernel_hook(root, end_at_the_third_look, NULL);
	expect_event(wait_for(AWAIT_BIT(AWAIT_EMPTY), 10000, 0), AWAIT_EMPTY, 0, 1);
}

static void without_inotify_it_looks_again(void **state)
{
	(void)state;
	looks = 0;
	assert_int_equal(fakekernel_start(root, "/a", 10), 0);
	fakekernel_fail(root, FAKEKERNEL_READS, "/sys/fs/cgroup/a/cgroup.events", 0);
	fakekernel_fail_nth(root, FAKEKERNEL_READS, 1, EMFILE);
	fakekernel_hook(root, end_at_the_third_look, NULL);
	expect_event(wait_for(AWAIT_BIT(AWAIT_EMPTY), 10000, 0), AWAIT_EMPTY, 0, 1);
}

/* memory.events as the kernel of a plain root prints it: the fake's own cannot be written. */
static void put_events(struct root *plain, unsigned oom, unsigned oom_kill)
{
	char text[160];

	(void)snprintf(text, sizeof(text), "low 0\nhigh 4\nmax 7\noom %u\noom_kill %u\n", oom, oom_kill);
	fakeroot_put(plain, "/sys/fs/cgroup/a/memory.events", text);
}

struct growing {
	struct root_ops ops;
	const struct root_ops *plain;
	unsigned reads;
};

static struct growing growing;

/* One kill more at each look, from the second on. */
static int read_growing(struct root *plain, const char *path, size_t most, char **text, size_t *size)
{
	if (strcmp(path, "/sys/fs/cgroup/a/memory.events") == 0 && growing.reads++ > 0)
		put_events(plain, 0, 2 + growing.reads);
	return growing.plain->read(plain, path, most, text, size);
}

static int no_watch(struct root *plain, const char *const *paths, size_t count)
{
	(void)plain;
	(void)paths;
	(void)count;
	return -EOPNOTSUPP;
}

static int no_write(struct root *plain, const char *path, const char *text)
{
	(void)plain;
	(void)path;
	(void)text;
	return -EACCES;
}

static struct cgpol_host *open_plain(void)
{
	struct root *plain = fakeroot_new();
	struct cgpol_host *opened = NULL;

	fakeroot_put(plain, "/proc/self/mountinfo",
		     "24 1 0:22 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n");
	fakeroot_put(plain, "/sys/fs/cgroup/cgroup.controllers", "memory\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/cgroup.controllers", "memory\n");
	fakeroot_put(plain, "/sys/fs/cgroup/a/cgroup.events", "populated 1\nfrozen 0\n");
	put_events(plain, 0, 3);
	assert_int_equal(host_open_root(plain, &opened, NULL), 0);
	return opened;
}

static void make_growing(struct cgpol_host *opened)
{
	growing = (struct growing){.ops = *opened->root->ops, .plain = opened->root->ops};
	growing.ops.read = read_growing;
	growing.ops.watch = no_watch;
	growing.ops.write = no_write; /* it is no capture */
	opened->root->ops = &growing.ops;
}

static void a_counter_is_waited_for_from_where_it_is(void **state)
{
	struct cgpol_host *opened = open_plain();
	struct await_request request = {.cgroup = "/a",
					.events = AWAIT_BIT(AWAIT_OOM_KILL) | AWAIT_BIT(AWAIT_OOM)};

	(void)state;
	make_growing(opened);
	expect_event(await_event(opened, &request, &result, &err), AWAIT_OOM_KILL, 4, 3);
	put_events(opened->root, 0, 3);
	growing.reads = 0;
	request.times = 3;
	expect_event(await_event(opened, &request, &result, &err), AWAIT_OOM_KILL, 6, 3);
	opened->root->ops = growing.plain;
	cgpol_host_free(opened);
}

static void in_a_capture_only_what_holds_is_told(void **state)
{
	struct cgpol_host *opened = open_plain();
	struct await_request request = {.cgroup = "/a", .events = AWAIT_BIT(AWAIT_POPULATED)};

	(void)state;
	expect_event(await_event(opened, &request, &result, &err), AWAIT_POPULATED, 1, 1);
	request.events = AWAIT_BIT(AWAIT_EMPTY);
	expect_failure(await_event(opened, &request, &result, &err), -EROFS, CGPOL_REFUSED, "capture");
	cgpol_host_free(opened);
}

static void a_counter_that_this_kernel_lacks_is_told(void **state)
{
	struct cgpol_host *opened = open_plain();
	const struct await_request request = {.cgroup = "/a", .events = AWAIT_BIT(AWAIT_OOM_GROUP_KILL)};

	(void)state;
	expect_failure(await_event(opened, &request, &result, &err), -ENOENT, CGPOL_UNSUPPORTED,
		       "came with 5.17");
	cgpol_host_free(opened);
}

static void a_controller_that_is_not_enabled_is_told_with_where(void **state)
{
	(void)state;
	assert_int_equal(fakekernel_poke(root, "/a/b", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(root, "/a/b/c", NULL, NULL), 0);
	expect_failure(
		await_event(host,
			    &(struct await_request){.cgroup = "/a/b/c", .events = AWAIT_BIT(AWAIT_OOM_KILL)},
			    &result, &err),
		-ENOENT, CGPOL_UNSUPPORTED, "controller memory is not enabled in cgroup /a");
}

static void remove_at_the_third_look(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access == FAKEKERNEL_READS && strcmp(path, "/sys/fs/cgroup/a") == 0 && ++looks == 3)
		assert_int_equal(fakekernel_rmdir(root, "/a"), 0);
}

static void a_removal_is_an_event_or_a_failure(void **state)
{
	(void)state;
	looks = 0;
	fakekernel_hook(root, remove_at_the_third_look, NULL);
	expect_event(wait_for(AWAIT_BIT(AWAIT_REMOVED) | AWAIT_BIT(AWAIT_POPULATED), 10000, 0), AWAIT_REMOVED,
		     1, 0);
	fakekernel_hook(root, NULL, NULL);
	expect_event(wait_for(AWAIT_BIT(AWAIT_REMOVED), 10000, 0), AWAIT_REMOVED, 1, 1);
	expect_failure(wait_for(AWAIT_BIT(AWAIT_POPULATED), 1, 0), -ENOENT, CGPOL_FAILED, "no such cgroup");
	fakekernel_cgroup(root, "/a", NULL);
	looks = 0;
	fakekernel_hook(root, remove_at_the_third_look, NULL);
	expect_failure(wait_for(AWAIT_BIT(AWAIT_POPULATED), 10000, 0), -ENOENT, CGPOL_FAILED,
		       "removed before that happened");
}

static void replace_at_the_third_look(void *arg, unsigned access, const char *path)
{
	(void)arg;
	if (access != FAKEKERNEL_READS || strcmp(path, "/sys/fs/cgroup/a") != 0 || ++looks != 3)
		return;
	assert_int_equal(fakekernel_rmdir(root, "/a"), 0);
	assert_int_equal(fakekernel_poke(root, "/a", NULL, NULL), 0);
}

static void another_cgroup_of_its_name_is_not_the_one(void **state)
{
	(void)state;
	looks = 0;
	fakekernel_hook(root, replace_at_the_third_look, NULL);
	expect_event(wait_for(AWAIT_BIT(AWAIT_REMOVED), 10000, 0), AWAIT_REMOVED, 1, 0);
}

static void the_root_has_no_events(void **state)
{
	const struct await_request request = {.cgroup = "/", .events = AWAIT_BIT(AWAIT_EMPTY)};

	(void)state;
	expect_failure(await_event(host, &request, &result, &err), -EINVAL, CGPOL_USAGE, "root");
}

static void every_failing_read_is_told(void **state)
{
	(void)state;
	for (unsigned n = 2; n < 6; n++) {
		int rc;

		err = (struct cgpol_error){0};
		fakekernel_fail_nth(root, FAKEKERNEL_READS, n, EIO);
		rc = wait_for(AWAIT_BIT(AWAIT_POPULATED) | AWAIT_BIT(AWAIT_OOM), 30, 0);
		fakekernel_fail_nth(root, FAKEKERNEL_READS, 0, 0);
		assert_true(rc < 0);
		assert_true(*err.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_kernel),
		cmocka_unit_test_setup_teardown(a_state_that_holds_is_told_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_that_never_comes_is_given_up_in_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_change_ends_the_waiting, set_up, tear_down),
		cmocka_unit_test_setup_teardown(without_inotify_it_looks_again, set_up, tear_down),
		cmocka_unit_test(a_counter_is_waited_for_from_where_it_is),
		cmocka_unit_test(in_a_capture_only_what_holds_is_told),
		cmocka_unit_test(a_counter_that_this_kernel_lacks_is_told),
		cmocka_unit_test_setup_teardown(a_controller_that_is_not_enabled_is_told_with_where, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_removal_is_an_event_or_a_failure, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_cgroup_of_its_name_is_not_the_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_root_has_no_events, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_failing_read_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
