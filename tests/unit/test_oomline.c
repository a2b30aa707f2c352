/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An OOM kill by the kernel's log, whose names may lie, and by the counters where there is no log. */
#include "test.h"

#include "act/oomline.h"
#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;

static int make(void **state)
{
	(void)state;
	root = fakeroot_new();
	fakeroot_put(root, "/proc/self/mountinfo", "24 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
	fakeroot_mkdir(root, "/sys/fs/cgroup/x/y");
	return host_open_root(root, &host, NULL);
}

static int drop(void **state)
{
	(void)state;
	cgpol_host_free(host);
	return 0;
}

/* As real kernels wrote them. */
#define MEMCG                                                                                 \
	"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=oomed,mems_allowed=0-3," \
	"oom_memcg=/x,task_memcg=/x/y,task=load,pid=123,uid=0\n"
#define CPUSET                                                                                          \
	"oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),cpuset=job,mems_allowed=1,3,global_oom," \
	"task_memcg=/x/y,task=load,pid=123,uid=0\n"
#define POLICY                                                                                              \
	"oom-kill:constraint=CONSTRAINT_MEMORY_POLICY,nodemask=1-2,4,cpuset=/,mems_allowed=0-3,global_oom," \
	"task_memcg=/,task=load,pid=123,uid=0\n"
#define NONE                                                                                      \
	"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom," \
	"task_memcg=/,task=load,pid=123,uid=0\n"

static const struct oomline_search by_pid = {.pid = 123};

static void expect_line(const char *log, enum cgpol_constraint constraint, const char *nodes,
			const char *cgroup)
{
	struct oomline line = {0};

	assert_int_equal(oomline_parse(log, &by_pid, &line), 0);
	assert_int_equal(line.constraint, constraint);
	assert_int_equal(line.pid, 123);
	assert_string_equal(line.comm, "load");
	assert_false(line.is_guess);
	if (nodes)
		assert_string_equal(line.nodes, nodes);
	else
		assert_null(line.nodes);
	if (cgroup)
		assert_string_equal(line.cgroup, cgroup);
	else
		assert_null(line.cgroup);
	oomline_clear(&line);
}

static void reads_each_constraint(void **state)
{
	(void)state;
	expect_line("<6>[   12.345678] " MEMCG, CGPOL_CONSTRAINT_MEMCG, NULL, "/x");
	expect_line("<6>[   12.345678] " CPUSET, CGPOL_CONSTRAINT_CPUSET, "1,3", NULL);
	expect_line("<6>[   12.345678] " POLICY, CGPOL_CONSTRAINT_MEMORY_POLICY, "1-2,4", NULL);
	expect_line("<6>[   12.345678] " NONE, CGPOL_CONSTRAINT_NONE, NULL, NULL);
	/* Without a time, and with a caller. */
	expect_line(MEMCG, CGPOL_CONSTRAINT_MEMCG, NULL, "/x");
	expect_line("<6>[12345.000001][  T123] " MEMCG, CGPOL_CONSTRAINT_MEMCG, NULL, "/x");
}

static void the_last_one_counts(void **state)
{
	(void)state;
	expect_line("<6>[ 1.0] " NONE "<6>[ 2.0] something\n<6>[ 3.0] " MEMCG "<6>[ 4.0] else\n",
		    CGPOL_CONSTRAINT_MEMCG, NULL, "/x");
}

static void expect_none(const char *log, const struct oomline_search *search)
{
	struct oomline line = {.pid = 7};

	assert_int_equal(oomline_parse(log, search, &line), -ENOENT);
	assert_int_equal(line.pid, 7);
}

static void only_the_start_of_a_record_counts(void **state)
{
	(void)state;
	expect_none(
		"<3>[ 1.0] EXT4-fs error: comm oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,"
		"mems_allowed=0,global_oom,task_memcg=/,task=a,pid=123,uid=0\n",
		&by_pid);
	expect_none("", &by_pid);
	expect_none("<6>[ 1.0] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null)\n", &by_pid);
	expect_none("<6>[ 1.0] "
		    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,"
		    "task_memcg=/,task=a,pid=99999999999,uid=0\n",
		    &by_pid);
	expect_none("<6>[ 1.0] " MEMCG, &(struct oomline_search){.pid = 12});
}

static void names_cannot_lie_about_the_process(void **state)
{
	static const char lie[] =
		"<6>[ 1.0] "
		"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a,mems_allowed=0,oom_memcg=/x,"
		"task_memcg=/x,task=a,pid=123,uid=0,pid=456,uid=0\n";
	struct oomline line = {0};

	(void)state;
	expect_none(lie, &by_pid);
	assert_int_equal(oomline_parse(lie, &(struct oomline_search){.pid = 456}, &line), 0);
	assert_string_equal(line.comm, "a,pid=123,uid=0");
	assert_string_equal(line.cgroup, "/x");
	oomline_clear(&line);
	/* The cgroup's name has what looks like other fields. */
	assert_int_equal(
		oomline_parse(
			"<6>[ 1.0] oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=(null),"
			"cpuset=a,mems_allowed=7,mems_allowed=0,global_oom,task_memcg=/b,task=c,pid=1,uid=2,"
			"task_memcg=/x,task=load,pid=123,uid=0\n",
			&by_pid, &line),
		0);
	assert_string_equal(line.comm, "load");
	assert_string_equal(line.nodes, "0");
	oomline_clear(&line);
}

/* As Linux 6.1 wrote them. A process's name has 15 bytes at most, and a full cgroup is above its victim. */
static void names_may_have_keys_in_them(void **state)
{
	struct oomline line = {0};

	(void)state;
	assert_int_equal(
		oomline_parse(
			"<6>[ 1.0] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
			"mems_allowed=0-3,oom_memcg=/x,task_memcg=/x,task=a,task=b,pid=1,pid=217,uid=0\n",
			&(struct oomline_search){.cgroup = "/x"}, &line),
		0);
	assert_string_equal(line.comm, "a,task=b,pid=1");
	assert_int_equal(line.pid, 217);
	oomline_clear(&line);
	assert_int_equal(
		oomline_parse("<6>[ 1.0] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,"
			      "mems_allowed=0-3,oom_memcg=/o,oom_memcg=/x,task_memcg=/o,oom_memcg=/x,"
			      "task=plain,pid=123,uid=0\n",
			      &by_pid, &line),
		0);
	assert_string_equal(line.comm, "plain");
	assert_string_equal(line.cgroup, "/o,oom_memcg=/x");
	oomline_clear(&line);
}

static void a_search_by_cgroup_takes_those_below(void **state)
{
	struct oomline line = {0};

	(void)state;
	assert_int_equal(oomline_parse("<6>[ 1.0] " MEMCG, &(struct oomline_search){.cgroup = "/x"}, &line),
			 0);
	oomline_clear(&line);
	assert_int_equal(oomline_parse("<6>[ 1.0] " MEMCG, &(struct oomline_search){.cgroup = "/x/y"}, &line),
			 0);
	oomline_clear(&line);
	assert_int_equal(oomline_parse("<6>[ 1.0] " MEMCG, &(struct oomline_search){.cgroup = "/"}, &line),
			 0);
	oomline_clear(&line);
	expect_none("<6>[ 1.0] " MEMCG, &(struct oomline_search){.cgroup = "/x/y/z"});
	expect_none("<6>[ 1.0] " MEMCG, &(struct oomline_search){.cgroup = "/x/"});
}

static void older_records_do_not_count(void **state)
{
	struct oomline line = {0};
	const struct oomline_search since = {.pid = 123, .since_us = 12345678};

	(void)state;
	assert_int_equal(oomline_parse("<6>[   12.345678] " MEMCG, &since, &line), 0);
	oomline_clear(&line);
	expect_none("<6>[   12.345677] " MEMCG, &since);
	expect_none(MEMCG, &since);
}

static void put_events(const char *cgroup, const char *file, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroup, file);
	fakeroot_put(root, path, text);
}

static void counts_kills(void **state)
{
	struct oom_kills kills = {0};

	(void)state;
	assert_int_equal(oomline_count(host, "/x", &kills), 0);
	assert_false(kills.is_known);
	put_events("/x", "memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 1\n");
	assert_int_equal(oomline_count(host, "/x", &kills), 0);
	assert_true(kills.is_known);
	assert_int_equal(kills.processes, 3);
	assert_int_equal(kills.groups, 1);
	/* before 5.17 */
	put_events("/x", "memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 4\n");
	assert_int_equal(oomline_count(host, "/x", &kills), 0);
	assert_int_equal(kills.processes, 4);
	assert_int_equal(kills.groups, 0);
	fakeroot_fail_nth(root, 1, ENOMEM);
	assert_int_equal(oomline_count(host, "/x", &kills), -ENOMEM);
}

static void reads_the_log_and_the_limit(void **state)
{
	struct oomline line = {0};

	(void)state;
	fakeroot_put_klog(root, "<6>[   12.345678] " MEMCG);
	put_events("/x", "memory.max", "104857600\n");
	assert_int_equal(oomline_read(host, "/x/y", 1, 1, &line), 0);
	assert_int_equal(line.constraint, CGPOL_CONSTRAINT_MEMCG);
	assert_string_equal(line.cgroup, "/x");
	assert_int_equal(line.limit, 104857600);
	oomline_clear(&line);
	/* by the process alone */
	assert_int_equal(oomline_read(host, NULL, 123, 1, &line), 0);
	oomline_clear(&line);
	assert_int_equal(oomline_read(host, NULL, 124, 1, &line), -ENOENT);
	/* whose number means something else in another pid namespace */
	root->facts.initial_pidns = false;
	assert_int_equal(oomline_read(host, NULL, 123, 1, &line), -ENOENT);
}

static void names_are_as_seen_from_the_mount(void **state)
{
	struct oomline line = {0};

	(void)state;
	free(host->cgroup2_root);
	host->cgroup2_root = strdup("/x");
	fakeroot_put_klog(root, "<6>[   12.345678] " MEMCG);
	put_events("", "memory.max", "4096\n");
	put_events("/y", "cgroup.procs", "");
	assert_int_equal(oomline_read(host, "/y", 0, 0, &line), 0);
	assert_string_equal(line.cgroup, "/");
	assert_int_equal(line.limit, 4096);
	oomline_clear(&line);
}

/* The log has /box/x, which is /x in a cgroup namespace: the process tells which record it is. */
static void a_namespace_has_names_of_its_own(void **state)
{
	struct oomline line = {0};

	(void)state;
	fakeroot_put_klog(root,
			  "<6>[ 12.3] "
			  "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,"
			  "oom_memcg=/box/x,task_memcg=/box/x,task=load,pid=123,uid=0\n");
	put_events("/x", "memory.events.local", "max 3\noom 1\noom_kill 1\n");
	put_events("/x", "memory.max", "8192\n");
	assert_int_equal(oomline_read(host, "/x", 123, 0, &line), 0);
	assert_string_equal(line.comm, "load");
	assert_string_equal(line.cgroup, "/x");
	assert_int_equal(line.limit, 8192);
	oomline_clear(&line);
}

/* /x of the mount is the kernel's /box/x: its limit says nothing about the kernel's /x. */
static void a_limit_outside_the_mount_has_no_name_here(void **state)
{
	struct oomline line = {0};

	(void)state;
	free(host->cgroup2_root);
	host->cgroup2_root = strdup("/box");
	fakeroot_put_klog(root, "<6>[   12.345678] " MEMCG);
	put_events("/x", "memory.max", "4096\n");
	assert_int_equal(oomline_read(host, "/y", 123, 0, &line), 0);
	assert_int_equal(line.constraint, CGPOL_CONSTRAINT_MEMCG);
	assert_null(line.cgroup);
	assert_true(line.limit == UINT64_MAX);
	oomline_clear(&line);
}

static void counters_stand_in_for_the_log(void **state)
{
	struct oomline line = {0};

	(void)state;
	fakeroot_fail(root, "klog", EPERM);
	assert_int_equal(oomline_read(host, "/x/y", 123, 1, &line), -ENOENT);
	put_events("/x/y", "memory.events.local", "max 3\noom 1\noom_kill 1\n");
	put_events("/x/y", "memory.max", "8192\n");
	assert_int_equal(oomline_read(host, "/x/y", 123, 1, &line), 0);
	assert_string_equal(line.cgroup, "/x/y");
	assert_int_equal(line.limit, 8192);
	assert_int_equal(line.pid, 0);
	assert_false(line.is_guess);
	oomline_clear(&line);
	/* One above: it was full at some time, perhaps at another. */
	put_events("/x/y", "memory.max", "max\n");
	put_events("/x", "memory.events.local", "max 3\noom 1\noom_kill 0\n");
	put_events("/x", "memory.max", "16384\n");
	assert_int_equal(oomline_read(host, "/x/y", 123, 1, &line), 0);
	assert_string_equal(line.cgroup, "/x");
	assert_true(line.is_guess);
	oomline_clear(&line);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_each_constraint),
		TEST(the_last_one_counts),
		TEST(only_the_start_of_a_record_counts),
		TEST(names_cannot_lie_about_the_process),
		TEST(names_may_have_keys_in_them),
		TEST(a_search_by_cgroup_takes_those_below),
		TEST(older_records_do_not_count),
		TEST(counts_kills),
		TEST(reads_the_log_and_the_limit),
		TEST(names_are_as_seen_from_the_mount),
		TEST(a_namespace_has_names_of_its_own),
		TEST(a_limit_outside_the_mount_has_no_name_here),
		TEST(counters_stand_in_for_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
