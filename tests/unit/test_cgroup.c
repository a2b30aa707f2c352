/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cgroups as values: names, memory files, children, members, and what happens when one goes away. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/cgroup.h"

#define MOUNT "/sys/fs/cgroup"

struct fixture {
	struct root *root;
	struct cgpol_host host;
};

static void tear_down(struct fixture *fixture)
{
	root_free(fixture->root);
}

static struct fixture set_up(void)
{
	static char mount[] = MOUNT, top[] = "/";
	struct root *root = fakeroot_new();

	fakeroot_mkdir(root, MOUNT);
	return (struct fixture){root,
				{.root = root,
				 .cgroup2 = mount,
				 .cgroup2_root = top,
				 .has_memory = true,
				 .has_cpuset = true}};
}

/* A cgroup with its memory files as the kernel makes them. */
static void put_cgroup(struct root *root, const char *name, const char *max, const char *current)
{
	static const char *const files[][2] = {
		{"memory.swap.max", "1073741824\n"},
		{"memory.swap.current", "4096\n"},
		{"memory.oom.group", "0\n"},
		{"memory.stat",
		 "anon 42049536\nfile 8192\nkernel 196608\nanon_thp 41943040\ninactive_anon 5\n"
		 "active_anon 42049536\ninactive_file 4096\nactive_file 8192\nunevictable 0\n"
		 "slab_reclaimable 2736\nslab_unreclaimable 11272\nslab 14008\n"},
	};
	char path[256];

	(void)snprintf(path, sizeof(path), MOUNT "%s/memory.max", name);
	fakeroot_put(root, path, max);
	(void)snprintf(path, sizeof(path), MOUNT "%s/memory.current", name);
	fakeroot_put(root, path, current);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		(void)snprintf(path, sizeof(path), MOUNT "%s/%s", name, files[i][0]);
		fakeroot_put(root, path, files[i][1]);
	}
}

static void takes_names_with_and_without_a_slash(void **state)
{
	static const char *const cases[][2] = {
		{"/", "/"},
		{"web", "/web"},
		{"/web/db", "/web/db"},
		{"web/db", "/web/db"},
		{"web/-x", "/web/-x"},
		{"/-x", "/-x"},
		{"...", "/..."},
		{"a..b", "/a..b"},
		{"my cgroup", "/my cgroup"},
		{"/system.slice/dev-disk-by\\x2duuid-b853cc7e.swap",
		 "/system.slice/dev-disk-by\\x2duuid-b853cc7e.swap"},
		{"/app.slice/tab(2336326).scope", "/app.slice/tab(2336326).scope"},
		{"a.slice:cri-containerd:278a0aac1fff", "/a.slice:cri-containerd:278a0aac1fff"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_p) char *name = NULL;

		assert_int_equal(cgroup_name(cases[i][0], &name, NULL), 0);
		assert_string_equal(name, cases[i][1]);
	}
}

static void refuses_names_that_leave_the_tree(void **state)
{
	static const char *const cases[] = {
		"",	  "..",	   "/..", "../a", "a/..", "a/../b", "/web/../../../etc",
		".",	  "a/./b", "//",  "a//b", "a/",	  "/a/",    "-a",
		"--json", "a\nb",  "\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cgpol_error err = {0};
		char *name = NULL;

		if (cgroup_name(cases[i], &name, &err) != -EINVAL)
			fail_msg("accepted: \"%s\"", cases[i]);
		assert_null(name);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_null(strchr(err.text, '\n'));
		assert_non_null(strstr(err.text, "cgroup \""));
	}
}

static void refuses_names_that_are_too_long(void **state)
{
	char part[300], path[5000];
	char *name = NULL;

	(void)state;
	memset(part, 'a', sizeof(part));
	part[256] = '\0'; /* NAME_MAX + 1 */
	assert_int_equal(cgroup_name(part, &name, NULL), -EINVAL);
	part[255] = '\0';
	assert_int_equal(cgroup_name(part, &name, NULL), 0);
	free(name);
	for (size_t i = 0; i < sizeof(path); i++)
		path[i] = i % 2 ? '/' : 'a';
	path[4097] = '\0';
	assert_int_equal(cgroup_name(path, &name, NULL), -EINVAL);
}

static void makes_paths_below_the_mount(void **state)
{
	char mount[] = "/";
	struct cgpol_host host = {.cgroup2 = mount};
	AUTO(tear_down) struct fixture fixture = set_up();
	AUTO(free_p) char *file = cgroup_path(&fixture.host, "/web/db", "memory.max");
	AUTO(free_p) char *directory = cgroup_path(&fixture.host, "/web/db", NULL);
	AUTO(free_p) char *top = cgroup_path(&fixture.host, "/", "cgroup.procs");
	AUTO(free_p) char *mounted_at_root = cgroup_path(&host, "/web", "memory.max");

	(void)state;
	assert_string_equal(file, MOUNT "/web/db/memory.max");
	assert_string_equal(directory, MOUNT "/web/db");
	assert_string_equal(top, MOUNT "/cgroup.procs");
	assert_string_equal(mounted_at_root, "/web/memory.max");
}

static void finds_the_v2_cgroup_of_a_process(void **state)
{
	static const struct {
		const char *mounted, *text, *name;
		int rc;
	} cases[] = {
		{"/", "0::/\n", "/", 0},
		{"/", "0::/user.slice/user-0.slice/session-1.scope\n",
		 "/user.slice/user-0.slice/session-1.scope", 0},
		/* the v2 line is not the first, and not the last */
		{"/", "1:net_cls:/\n0::/web\n", "/web", 0},
		{"/", "11:memory:/a\n0::/web\n10:cpuset:/b\n", "/web", 0},
		{"/", "10::/x\n0::/web", "/web", 0},
		/* colons in the path (cri-containerd with the systemd driver) */
		{"/", "0::/kubepods-besteffort-pod162385e5.slice:cri-containerd:278a0aac\n",
		 "/kubepods-besteffort-pod162385e5.slice:cri-containerd:278a0aac", 0},
		{"/", "0::/gone (deleted)\n", "/gone", 0},
		{"/", "0::/my cgroup\n", "/my cgroup", 0},
		/* only a part is mounted: a bind mount or a container */
		{"/kubepods/x", "0::/kubepods/x\n", "/", 0},
		{"/kubepods/x", "0::/kubepods/x/y\n", "/y", 0},
		{"/kubepods/x", "0::/kubepods/xy\n", NULL, -EXDEV},
		{"/kubepods/x", "0::/kubepods\n", NULL, -EXDEV},
		{"/kubepods/x", "0::/\n", NULL, -EXDEV},
		/* outside the reader's cgroup namespace */
		{"/", "0::/../../system.slice/ssh.service\n", NULL, -EXDEV},
		{"/", "0::/..\n", NULL, -EXDEV},
		{"/", "0::/a/../b\n", NULL, -EXDEV},
		{"/..", "0::/../sibling\n", "/sibling", 0},
		{"/", "0::/..a\n", "/..a", 0},
		/* cgroup v1 only */
		{"/", "5:memory:/user.slice\n1:name=systemd:/user.slice\n", NULL, -ENOENT},
		{"/", "", NULL, -ENOENT},
		{"/", "0::\n", NULL, -EINVAL},
		{"/", "0::web\n", NULL, -EINVAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_p) char *mounted = strdup(cases[i].mounted);
		struct cgpol_host host = {.cgroup2_root = mounted};
		AUTO(free_p) char *name = NULL;

		if (cgroup_of_text(&host, cases[i].text, &name) != cases[i].rc)
			fail_msg("wrong: %s", cases[i].text);
		if (cases[i].name)
			assert_string_equal(name, cases[i].name);
		else
			assert_null(name);
	}
}

static void reads_limits_and_usage(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory;

	(void)state;
	put_cgroup(fixture.root, "/web", "268435456\n", "53477376\n");
	fakeroot_put(fixture.root, MOUNT "/web/memory.oom.group", "1\n");
	assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, NULL), 0);
	assert_true(memory.has_controller);
	assert_int_equal(memory.max, 268435456);
	assert_int_equal(memory.swap_max, 1073741824);
	assert_int_equal(memory.current, 53477376);
	assert_int_equal(memory.swap_current, 4096);
	assert_int_equal(memory.file, 4096 + 8192);
	assert_int_equal(memory.anon, 42049536);
	assert_int_equal(memory.slab_reclaimable, 2736);
	assert_true(memory.oom_group);
}

static void reads_no_limit_and_no_swap(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory;

	(void)state;
	fakeroot_put(fixture.root, MOUNT "/web/memory.current", "4096\n");
	fakeroot_put(fixture.root, MOUNT "/web/memory.max", "max\n");
	assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, NULL), 0);
	assert_true(memory.has_controller);
	assert_true(memory.max == UINT64_MAX);
	assert_true(memory.swap_max == UINT64_MAX);
	assert_int_equal(memory.swap_current, 0);
	assert_int_equal(memory.file, 0);
	assert_false(memory.oom_group);
}

static void knows_a_cgroup_without_the_controller(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory = {.has_controller = true};

	(void)state;
	fakeroot_put(fixture.root, MOUNT "/web/cgroup.procs", "");
	assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, NULL), 0);
	assert_false(memory.has_controller);
	assert_true(memory.max == UINT64_MAX);
	assert_int_equal(memory.current, 0);
	memory.has_controller = true;
	assert_int_equal(cgroup_read_oom_group(&fixture.host, "/web", &memory), 0);
	assert_false(memory.has_controller);
}

static void knows_that_the_root_has_no_limits(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory;

	(void)state;
	fakeroot_put(fixture.root, MOUNT "/memory.stat", "anon 4096\nfile 0\ninactive_file 8192\n");
	assert_int_equal(cgroup_read_memory(&fixture.host, "/", &memory, NULL), 0);
	assert_true(memory.has_controller);
	assert_true(memory.max == UINT64_MAX);
	assert_int_equal(memory.file, 8192);
	assert_false(memory.oom_group);
	fixture.host.has_memory = false;
	assert_int_equal(cgroup_read_memory(&fixture.host, "/", &memory, NULL), 0);
	assert_false(memory.has_controller);
}

static void says_when_a_cgroup_is_gone(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory = {.current = 77};
	struct cgpol_error err = {0};
	uint64_t inode;

	(void)state;
	assert_int_equal(cgroup_read_memory(&fixture.host, "/nothing", &memory, &err), -ENOENT);
	assert_string_equal(err.text, "cgroup \"/nothing\" does not exist");
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_int_equal(memory.current, 77);
	assert_int_equal(cgroup_read_oom_group(&fixture.host, "/nothing", &memory), -ENOENT);
	assert_int_equal(cgroup_inode(&fixture.host, "/nothing", &inode), -ENOENT);
}

/* rmdir between two reads: all that follows is ENOENT, or ENODEV for a file that was open already. */
static void notices_a_cgroup_that_goes_away_while_it_is_read(void **state)
{
	static const char *const files[] = {"memory.current",	   "memory.max",  "memory.swap.max",
					    "memory.swap.current", "memory.stat", "memory.oom.group"};

	(void)state;
	for (size_t first = 0; first < ARRAY_SIZE(files); first++) {
		AUTO(tear_down) struct fixture fixture = set_up();
		struct cgroup_memory memory = {.current = 77};

		put_cgroup(fixture.root, "/web", "max\n", "4096\n");
		for (size_t i = first; i < ARRAY_SIZE(files); i++) {
			char path[256];

			(void)snprintf(path, sizeof(path), MOUNT "/web/%s", files[i]);
			fakeroot_fail(fixture.root, path, i == first ? ENODEV : ENOENT);
		}
		fakeroot_fail(fixture.root, MOUNT "/web", ENOENT);
		assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, NULL), -ENOENT);
		assert_int_equal(memory.current, 77);
	}
}

static void refuses_numbers_that_are_none(void **state)
{
	static const char *const cases[] = {"",	       "-1\n",	 "18446744073709551616\n", "1 2\n", "0x10",
					    "maximum", "\x1b[2J"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(tear_down) struct fixture fixture = set_up();
		struct cgroup_memory memory = {.current = 77};
		struct cgpol_error err = {0};

		put_cgroup(fixture.root, "/web", cases[i], "4096\n");
		assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, &err), -EINVAL);
		assert_string_equal(err.text, "memory.max of cgroup \"/web\" holds no number");
		assert_int_equal(memory.current, 77);
	}
}

static void says_which_file_may_not_be_read(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory;
	struct cgpol_error err = {0};

	(void)state;
	put_cgroup(fixture.root, "/web", "max\n", "4096\n");
	fakeroot_fail(fixture.root, MOUNT "/web/memory.stat", EACCES);
	assert_int_equal(cgroup_read_memory(&fixture.host, "/web", &memory, &err), -EACCES);
	assert_non_null(strstr(err.text, "memory.stat of cgroup \"/web\" cannot be read"));
	assert_string_equal(err.file, "memory.stat");
}

static void reads_only_what_decides_a_kill_set(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	struct cgroup_memory memory;
	unsigned before;

	(void)state;
	put_cgroup(fixture.root, "/web", "4096\n", "4096\n");
	fakeroot_put(fixture.root, MOUNT "/web/memory.oom.group", "1\n");
	before = fakeroot_accesses(fixture.root);
	assert_int_equal(cgroup_read_oom_group(&fixture.host, "/web", &memory), 0);
	assert_int_equal(fakeroot_accesses(fixture.root) - before, 1);
	assert_true(memory.has_controller);
	assert_true(memory.oom_group);
	assert_int_equal(memory.current, 0);
}

static void takes_the_nodes_of_the_nearest_ancestor(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	AUTO(nodeset_clear_p) struct nodeset mems = {0};
	AUTO(free_p) char *text = NULL;

	(void)state;
	fakeroot_mkdir(fixture.root, MOUNT "/a/b/c");
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a/b/c", &mems), -ENOENT);
	fakeroot_put(fixture.root, MOUNT "/cpuset.mems.effective", "0-3\n");
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a/b/c", &mems), 0);
	text = nodeset_format(&mems);
	assert_string_equal(text, "0-3");
	fakeroot_put(fixture.root, MOUNT "/a/cpuset.mems.effective", "1,3\n");
	free(TAKE(text));
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a/b/c", &mems), 0);
	text = nodeset_format(&mems);
	assert_string_equal(text, "1,3");
	fakeroot_put(fixture.root, MOUNT "/a/cpuset.mems.effective", "3-1\n");
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a/b/c", &mems), -EINVAL);
	fakeroot_fail(fixture.root, MOUNT "/a/cpuset.mems.effective", EACCES);
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a/b/c", &mems), -EACCES);
}

static void lists_children_in_the_order_of_their_creation(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	char **names = NULL;
	size_t count = 0;

	(void)state;
	fakeroot_mkdir(fixture.root, MOUNT "/d/z");
	fakeroot_mkdir(fixture.root, MOUNT "/d/a");
	fakeroot_mkdir(fixture.root, MOUNT "/d/10");
	fakeroot_mkdir(fixture.root, MOUNT "/d/gone");
	fakeroot_put(fixture.root, MOUNT "/d/cgroup.procs", "");
	fakeroot_fail(fixture.root, MOUNT "/d/gone", ENOENT);
	assert_int_equal(cgroup_children(&fixture.host, "/d", &names, &count), 0);
	assert_int_equal(count, 3);
	assert_string_equal(names[0], "/d/z");
	assert_string_equal(names[1], "/d/a");
	assert_string_equal(names[2], "/d/10");
	root_list_free(names, count);
	assert_int_equal(cgroup_children(&fixture.host, "/", &names, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(names[0], "/d");
	root_list_free(names, count);
	assert_int_equal(cgroup_children(&fixture.host, "/nothing", &names, &count), -ENOENT);
	assert_int_equal(cgroup_has_children(&fixture.host, "/"), 1);
	assert_int_equal(cgroup_has_children(&fixture.host, "/d/z"), 0);
	assert_int_equal(cgroup_has_children(&fixture.host, "/nothing"), -ENOENT);
}

static void keeps_members_in_the_kernels_order(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	fakeroot_put(fixture.root, MOUNT "/a/cgroup.procs", "12\n0\n4194303\n11\n");
	assert_int_equal(cgroup_procs(&fixture.host, "/a", &pids, &count), 0);
	assert_int_equal(count, 3); /* 0 is a process of another pid namespace */
	assert_int_equal(pids[0], 12);
	assert_int_equal(pids[1], 4194303);
	assert_int_equal(pids[2], 11);
	free(TAKE(pids));
	fakeroot_put(fixture.root, MOUNT "/a/cgroup.procs", "");
	assert_int_equal(cgroup_procs(&fixture.host, "/a", &pids, &count), 0);
	assert_int_equal(count, 0);
	free(TAKE(pids));
	fakeroot_fail(fixture.root, MOUNT "/a/cgroup.procs", EOPNOTSUPP); /* threaded */
	assert_int_equal(cgroup_procs(&fixture.host, "/a", &pids, &count), -EOPNOTSUPP);
	assert_int_equal(cgroup_procs(&fixture.host, "/b", &pids, &count), -ENOENT);
}

static void refuses_members_that_are_no_pids(void **state)
{
	static const char *const cases[] = {"12\nx\n", "-1\n", "4294967297\n", "1 2\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(tear_down) struct fixture fixture = set_up();
		pid_t *pids = NULL;
		size_t count = 77;

		fakeroot_put(fixture.root, MOUNT "/a/cgroup.procs", cases[i]);
		assert_int_equal(cgroup_procs(&fixture.host, "/a", &pids, &count), -EINVAL);
		assert_null(pids);
		assert_int_equal(count, 77);
	}
}

static void has_no_cgroups_without_a_mount(void **state)
{
	AUTO(tear_down) struct fixture fixture = set_up();
	AUTO(nodeset_clear_p) struct nodeset mems = {0};
	struct cgroup_memory memory;
	char **names = NULL;
	pid_t *pids = NULL;
	uint64_t inode;
	size_t count;

	(void)state;
	fixture.host.cgroup2 = NULL;
	assert_int_equal(cgroup_read_memory(&fixture.host, "/a", &memory, NULL), -ENOENT);
	assert_int_equal(cgroup_read_mems(&fixture.host, "/a", &mems), -ENOENT);
	assert_int_equal(cgroup_children(&fixture.host, "/a", &names, &count), -ENOENT);
	assert_int_equal(cgroup_procs(&fixture.host, "/a", &pids, &count), -ENOENT);
	assert_int_equal(cgroup_inode(&fixture.host, "/a", &inode), -ENOENT);
}

static void refuses_a_path_longer_than_any_of_the_kernels(void **state)
{
	struct cgpol_host host = {.cgroup2_root = NULL};
	char text[3 + 8192 + 1] = "0::";
	char *name = NULL;

	(void)state;
	for (size_t i = 0; i < 8192; i += 2)
		memcpy(text + 3 + i, "/a", 3);
	assert_int_equal(cgroup_of_text(&host, text, &name), -ENAMETOOLONG);
	text[3 + 4094] = '\0';
	assert_int_equal(cgroup_of_text(&host, text, &name), 0);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_a_path_longer_than_any_of_the_kernels),
		cmocka_unit_test(takes_names_with_and_without_a_slash),
		cmocka_unit_test(refuses_names_that_leave_the_tree),
		cmocka_unit_test(refuses_names_that_are_too_long),
		cmocka_unit_test(makes_paths_below_the_mount),
		cmocka_unit_test(finds_the_v2_cgroup_of_a_process),
		cmocka_unit_test(reads_limits_and_usage),
		cmocka_unit_test(reads_no_limit_and_no_swap),
		cmocka_unit_test(knows_a_cgroup_without_the_controller),
		cmocka_unit_test(knows_that_the_root_has_no_limits),
		cmocka_unit_test(says_when_a_cgroup_is_gone),
		cmocka_unit_test(notices_a_cgroup_that_goes_away_while_it_is_read),
		cmocka_unit_test(refuses_numbers_that_are_none),
		cmocka_unit_test(says_which_file_may_not_be_read),
		cmocka_unit_test(reads_only_what_decides_a_kill_set),
		cmocka_unit_test(takes_the_nodes_of_the_nearest_ancestor),
		cmocka_unit_test(lists_children_in_the_order_of_their_creation),
		cmocka_unit_test(keeps_members_in_the_kernels_order),
		cmocka_unit_test(refuses_members_that_are_no_pids),
		cmocka_unit_test(has_no_cgroups_without_a_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
