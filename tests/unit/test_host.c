/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where cgroup v2 is mounted, what it has, and why it lacks memory. */
#include "test.h"

#include <unistd.h>

#include "base/cleanup.h"
#include "fakeroot.h"
#include "host/host.h"
#include "tree.h"

static struct cgpol_host *open_host(struct root *root)
{
	struct cgpol_error err = {0};
	struct cgpol_host *host;

	if (host_open_root(root, &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

/* What is NULL is expected to be absent. */
static void expect_same(const char *what, const char *found, const char *expected)
{
	if ((found == NULL) != (expected == NULL) || (found && strcmp(found, expected) != 0))
		fail_msg("%s: \"%s\" instead of \"%s\"", what, found ? found : "(none)",
			 expected ? expected : "(none)");
}

#define UNIFIED_OPTIONS "rw,nosuid,nodev,noexec,relatime"

/* Machines of the field; those that are known by /proc/mounts only are written as mountinfo. */
static const struct {
	const char *name, *mountinfo;
	const char *cgroup2, *cgroup2_root, *memory_v1, *cpuset_v1;
} machines[] = {
	{"unified",
	 "29 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 "
	 "rw,nsdelegate,memory_recursiveprot\n",
	 "/sys/fs/cgroup", "/", NULL, NULL},
	{"v2 below /cgroup with the source \"none\", beside v1 memory",
	 "40 24 0:30 / /cgroup/freezer rw,relatime - cgroup none "
	 "rw,freezer,release_agent=/x//release_freezer\n"
	 "41 24 0:31 / /cgroup/memory rw,relatime - cgroup none rw,memory,release_agent=/x//release_memory\n"
	 "42 24 0:32 / /cgroup/unified rw - cgroup2 none rw\n",
	 "/cgroup/unified", "/", "/cgroup/memory", NULL},
	{"v2 at /dev/cgroup beside v1 cpuset with noprefix",
	 "50 24 0:40 / /dev/cgroup rw - cgroup2 cgroup2 rw\n"
	 "51 24 0:41 / /dev/cpuset rw,relatime - cgroup cpuset "
	 "rw,cpuset,noprefix,release_agent=/sbin/cpuset_release_agent\n",
	 "/dev/cgroup", "/", NULL, "/dev/cpuset"},
	{"pure v1 with controllers in another order than their directory's name",
	 "30 24 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:8 - tmpfs tmpfs ro,mode=755\n"
	 "31 30 0:27 / /sys/fs/cgroup/systemd rw shared:9 - cgroup cgroup rw,xattr,name=systemd\n"
	 "32 30 0:28 / /sys/fs/cgroup/net_cls,net_prio rw shared:10 - cgroup cgroup rw,net_prio,net_cls\n"
	 "33 30 0:29 / /sys/fs/cgroup/memory rw shared:11 - cgroup cgroup rw,memory\n"
	 "34 30 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:12 - cgroup cgroup rw,cpuacct,cpu\n"
	 "35 30 0:31 / /sys/fs/cgroup/cpuset rw shared:13 - cgroup cgroup rw,cpuset\n",
	 NULL, NULL, "/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpuset"},
	{"a part of v1 bound into a container",
	 "396 394 0:21 /kubepods/besteffort/pod9a18ffb8/d28e /sys/fs/cgroup/memory "
	 "ro,nosuid,nodev,noexec,relatime "
	 "- cgroup cgroup rw,memory\n",
	 NULL, NULL, "/sys/fs/cgroup/memory", NULL},
	{"a container with v2",
	 "1066 1065 0:31 / /sys/fs/cgroup/unified " UNIFIED_OPTIONS " - cgroup2 cgroup2 rw\n",
	 "/sys/fs/cgroup/unified", "/", NULL, NULL},
	{"hybrid with v1 misc",
	 "30 24 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec shared:26 - tmpfs tmpfs "
	 "ro,size=4096k,nr_inodes=1024,mode=755,inode64\n"
	 "31 30 0:27 / /sys/fs/cgroup/unified " UNIFIED_OPTIONS " shared:27 - cgroup2 cgroup2 rw\n"
	 "32 30 0:28 / /sys/fs/cgroup/systemd " UNIFIED_OPTIONS
	 " shared:28 - cgroup cgroup rw,xattr,name=systemd\n"
	 "36 30 0:32 / /sys/fs/cgroup/pids " UNIFIED_OPTIONS " shared:29 - cgroup cgroup rw,pids\n"
	 "40 30 0:36 / /sys/fs/cgroup/misc " UNIFIED_OPTIONS " shared:33 - cgroup cgroup rw,misc\n",
	 "/sys/fs/cgroup/unified", "/", NULL, NULL},
	{"several optional fields",
	 "31 30 0:27 / /cg rw shared:27 master:1 propagate_from:2 unbindable - cgroup2 cgroup2 rw\n", "/cg",
	 "/", NULL, NULL},
	{"the whole hierarchy is preferred to a part of it",
	 "31 30 0:27 /web /srv/web rw - cgroup2 cgroup2 rw\n"
	 "32 30 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	 "33 30 0:27 / /mnt rw - cgroup2 cgroup2 rw\n",
	 "/sys/fs/cgroup", "/", NULL, NULL},
	{"only a part of the hierarchy",
	 "31 30 0:27 /docker/a\\040b /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup",
	 "/docker/a b", NULL, NULL},
	{"outside the cgroup namespace", "31 30 0:27 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
	 "/sys/fs/cgroup", "/../..", NULL, NULL},
	{"mangled paths (fs/proc_namespace.c)",
	 "31 30 0:27 / /a\\040b\\011\\012\\134\\043 rw - cgroup2 x rw\n", "/a b\t\n\\#", "/", NULL, NULL},
	{"a backslash that begins no escape", "31 30 0:27 / /a\\04 rw - cgroup2 x rw\n", "/a\\04", "/", NULL,
	 NULL},
	{"an empty source", "33 30 0:29 / /m rw - cgroup  rw,memory\n", NULL, NULL, "/m", NULL},
	{"a mount point that looks like a type", "1 2 0:3 / /cgroup2 rw - tmpfs cgroup2 rw,memory\n", NULL,
	 NULL, NULL, NULL},
	{"an option that only begins like a controller",
	 "33 30 0:29 / /m rw - cgroup c rw,memory_x,xcpuset\n", NULL, NULL, NULL, NULL},
	{"lines that are cut",
	 "1 2 0:3 / /a rw - \n1 2 0:3 / /a rw -\n1 2 0:3 /\n-\n\n1 2 0:3 / /a rw shared:1\n1 2 0:3 / /b rw - "
	 "cgroup2",
	 "/b", "/", NULL, NULL},
	{"nothing at all", "", NULL, NULL, NULL, NULL},
};

static void finds_the_mounts_of_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_host *host;

		fakeroot_put(root, "/proc/self/mountinfo", machines[i].mountinfo);
		host = open_host(root);
		expect_same(machines[i].name, host->cgroup2, machines[i].cgroup2);
		expect_same(machines[i].name, host->cgroup2_root, machines[i].cgroup2_root);
		expect_same(machines[i].name, host->memory_v1, machines[i].memory_v1);
		expect_same(machines[i].name, host->cpuset_v1, machines[i].cpuset_v1);
		assert_false(host->has_memory || host->has_cpuset);
		cgpol_host_free(host);
	}
}

static const char unified[] = "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

static void reads_the_controllers_of_the_mount(void **state)
{
	static const struct {
		const char *controllers;
		bool has_memory, has_cpuset;
	} rows[] = {
		{"cpuset cpu io memory hugetlb pids rdma misc\n", true, true},
		{"cpu memory\n", true, false},
		{"cpuset\n", false, true},
		{"\n", false, false},
		{"memory_x xmemory cpusets\n", false, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_host *host;

		fakeroot_put(root, "/proc/self/mountinfo", unified);
		fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", rows[i].controllers);
		host = open_host(root);
		assert_int_equal(host->has_memory, rows[i].has_memory);
		assert_int_equal(host->has_cpuset, rows[i].has_cpuset);
		cgpol_host_free(host);
	}
}

static void works_where_the_mount_is_the_root(void **state)
{
	struct root *root = fakeroot_new();
	struct cgpol_host *host;

	(void)state;
	fakeroot_put(root, "/proc/self/mountinfo", "29 23 0:26 / / rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/cgroup.controllers", "memory\n");
	host = open_host(root);
	assert_string_equal(host->cgroup2, "/");
	assert_true(host->has_memory);
	cgpol_host_free(host);
}

static void counts_the_cpus_that_are_online(void **state)
{
	static const struct {
		const char *online, *stat;
		unsigned cpus;
	} rows[] = {
		{"0-3\n", NULL, 4},
		{"0,2-3,65535\n", NULL, 4},
		{"4-20\n", "cpu 1\ncpu0 1\n", 17},
		{NULL, "cpu  1 2 3\ncpu0 1 2\ncpu3 1 2\nintr 5\ncpux 1\n", 2},
		{"nonsense", "cpu 1\ncpu0 1\ncpu1 1\n", 2},
		{"0-99999999\n", "cpu 1\n", 1},
		{NULL, NULL, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_host *host;
		unsigned cpus;

		if (rows[i].online)
			fakeroot_put(root, "/sys/devices/system/cpu/online", rows[i].online);
		if (rows[i].stat)
			fakeroot_put(root, "/proc/stat", rows[i].stat);
		host = open_host(root);
		assert_int_equal(host_read_cpus(host, &cpus), 0);
		assert_int_equal(cpus, rows[i].cpus);
		cgpol_host_free(host);
	}
}

static void reads_the_kernels_version(void **state)
{
	static const struct {
		const char *release;
		unsigned major, minor, patch;
	} rows[] = {
		{"6.1.0-57-cloud-amd64", 6, 1, 0},
		{"6.12.118+deb13-cloud-amd64", 6, 12, 118},
		{"5.10.0-46", 5, 10, 0},
		{"6.18-rc3", 6, 18, 0},
		{"6.11.0-10669-g11a299", 6, 11, 0},
		{"7", 7, 0, 0},
		{"6.x", 6, 0, 0},
		{"nonsense", 0, 0, 0},
		{"99999999999999999999.1", 0, 0, 0},
		{"", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_host *host;

		(void)snprintf(root->facts.release, sizeof(root->facts.release), "%s", rows[i].release);
		host = open_host(root);
		assert_int_equal(host->major, rows[i].major);
		assert_int_equal(host->minor, rows[i].minor);
		assert_int_equal(host->patch, rows[i].patch);
		cgpol_host_free(host);
	}
}

static void compares_kernels(void **state)
{
	struct cgpol_host *host;
	struct root *root = fakeroot_new();

	(void)state;
	(void)snprintf(root->facts.release, sizeof(root->facts.release), "5.10.9");
	host = open_host(root);
	assert_int_equal(host_compare_kernel(host, 5, 10, 9), 0);
	assert_true(host_compare_kernel(host, 5, 9, 100) > 0);
	assert_true(host_compare_kernel(host, 4, 20, 10) > 0);
	assert_true(host_compare_kernel(host, 5, 10, 10) < 0);
	assert_true(host_compare_kernel(host, 6, 0, 0) < 0);
	assert_true(host_compare_kernel(host, 5, 11, 0) < 0);
	cgpol_host_free(host);
}

#define CGROUPS_HEAD "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t1\t1\n"

/* Each reason why there is no memory controller, with what the sentence must say. */
static const struct {
	const char *mountinfo, *controllers, *cmdline, *cgroups;
	const char *words, *file, *value;
} lacks[] = {
	{"33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	 "31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
	 "", "quiet\n", NULL, "bound to cgroup v1, mounted at /sys/fs/cgroup/memory", "/proc/self/mountinfo",
	 "/sys/fs/cgroup/memory"},
	{"33 30 0:29 / /a\\033[31m rw - cgroup cgroup rw,memory\n", NULL, NULL, NULL,
	 "mounted at /a\\x1b[31m", "/proc/self/mountinfo", "/a\\x1b[31m"},
	{"", NULL, "quiet\n", CGROUPS_HEAD "memory\t0\t1\t1\n", "no cgroup2 file system is mounted",
	 "/proc/self/mountinfo", "cgroup2"},
	{NULL, NULL, NULL, NULL, "no cgroup2 file system is mounted", "/proc/self/mountinfo", "cgroup2"},
	{unified, "cpuset cpu", "BOOT_IMAGE=/x root=/y cgroup_disable=memory quiet\n",
	 CGROUPS_HEAD "memory\t0\t1\t0\n", "switched off on the kernel's command line", "/proc/cmdline",
	 "cgroup_disable=memory"},
	{"", NULL, "cgroup_disable=pressure,memory\n", NULL, "switched off on the kernel's command line",
	 "/proc/cmdline", "cgroup_disable=memory"},
	{unified, "cpuset", "cgroup_disable=memory cgroup_enable=memory\n", CGROUPS_HEAD "memory\t0\t1\t0\n",
	 "the kernel says that it is disabled", "/proc/cgroups", "memory"},
	{unified, "cpuset", "cgroup_enable=memory cgroup_disable=memory\n", CGROUPS_HEAD "memory\t0\t1\t0\n",
	 "switched off on the kernel's command line", "/proc/cmdline", "cgroup_disable=memory"},
	{unified, "cpuset", "xcgroup_disable=memory cgroup_disable=memoryx\n", CGROUPS_HEAD,
	 "built without it", "/proc/cgroups", "memory"},
	{unified, "cpuset", "", CGROUPS_HEAD "memory\t4\t21\t1\n",
	 "bound to a cgroup v1 hierarchy that is not mounted here", "/proc/cgroups", "memory"},
	{unified, "cpuset", "", CGROUPS_HEAD "memory\t0\t21\t1\n", "the cgroup at the mount is not given it",
	 "cgroup.controllers", "/sys/fs/cgroup"},
	{unified, NULL, NULL, NULL, "the cgroup at the mount is not given it", "cgroup.controllers",
	 "/sys/fs/cgroup"},
	{unified, "cpuset", "", CGROUPS_HEAD "memory\t-1\t21\t1\n", "built without it", "/proc/cgroups",
	 "memory"},
};

static void put_if(struct root *root, const char *path, const char *text)
{
	if (text)
		fakeroot_put(root, path, text);
}

static void says_why_there_is_no_memory_controller(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lacks); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_error err = {0};
		struct cgpol_host *host;

		put_if(root, "/proc/self/mountinfo", lacks[i].mountinfo);
		put_if(root, "/sys/fs/cgroup/cgroup.controllers", lacks[i].controllers);
		put_if(root, "/proc/cmdline", lacks[i].cmdline);
		put_if(root, "/proc/cgroups", lacks[i].cgroups);
		host = open_host(root);
		assert_int_equal(host_need_memory(host, &err), -EOPNOTSUPP);
		assert_int_equal(err.kind, CGPOL_UNSUPPORTED);
		if (!strstr(err.text, lacks[i].words))
			fail_msg("row %zu: \"%s\"", i, err.text);
		assert_string_equal(err.file, lacks[i].file);
		assert_string_equal(err.value, lacks[i].value);
		assert_true(err.hint[0] != '\0');
		cgpol_host_free(host);
	}
}

/* From 6.13 on a controller without a v1 side has no line there, built or not. */
static void takes_no_line_in_proc_cgroups_for_a_proof_on_newer_kernels(void **state)
{
	static const char *const releases[][2] = {{"6.12.95", "built without it"},
						  {"6.13.0", "the cgroup at the mount is not given it"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(releases); i++) {
		struct root *root = fakeroot_new();
		struct cgpol_error err = {0};
		struct cgpol_host *host;

		(void)snprintf(root->facts.release, sizeof(root->facts.release), "%s", releases[i][0]);
		fakeroot_put(root, "/proc/self/mountinfo", unified);
		fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset\n");
		fakeroot_put(root, "/proc/cgroups", CGROUPS_HEAD);
		host = open_host(root);
		assert_int_equal(host_need_memory(host, &err), -EOPNOTSUPP);
		assert_non_null(strstr(err.text, releases[i][1]));
		cgpol_host_free(host);
	}
}

static void is_content_with_a_memory_controller(void **state)
{
	struct root *root = fakeroot_new();
	struct cgpol_error err = {0};
	struct cgpol_host *host;

	(void)state;
	/* Also where v1 has a mount of it in a container's view: what v2 lists, v2 has. */
	fakeroot_put(root, "/proc/self/mountinfo", unified);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
	host = open_host(root);
	assert_int_equal(host_need_memory(host, &err), 0);
	assert_string_equal(err.text, "");
	cgpol_host_free(host);
	cgpol_host_free(NULL);
}

/* Nothing but memory that is short keeps a machine from being opened, whichever access fails. */
static void opens_with_any_file_unreadable(void **state)
{
	static const int errnums[] = {EACCES, EIO, ENOMEM};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		for (unsigned n = 1; n <= 4; n++) {
			struct root *root = fakeroot_new();
			struct cgpol_error err = {0};
			struct cgpol_host *host = NULL;
			unsigned cpus;
			int rc;

			fakeroot_put(root, "/proc/self/mountinfo", unified);
			fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpuset memory\n");
			fakeroot_put(root, "/sys/devices/system/cpu/online", "bad");
			fakeroot_put(root, "/proc/stat", "cpu0\n");
			fakeroot_fail_nth(root, n, errnums[i]);
			rc = host_open_root(root, &host, &err);
			assert_int_equal(rc < 0, host == NULL);
			assert_int_equal(rc < 0, err.text[0] != '\0');
			if (rc == 0)
				rc = host_read_cpus(host, &cpus);
			assert_int_equal(rc, errnums[i] == ENOMEM ? -ENOMEM : 0);
			cgpol_host_free(host);
		}
	}
}

static void opens_the_live_machine_and_its_recording(void **state)
{
	char *dir = tree_make();
	struct cgpol_error err = {0};
	struct cgpol_host *live, *again;
	unsigned cpus, same;

	(void)state;
	assert_int_equal(host_open(NULL, dir, &live, &err), 0);
	assert_true(live->root->is_live);
	assert_int_equal(host_read_cpus(live, &cpus), 0);
	assert_int_equal(cpus, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(host_finish(live, &err), 0);
	assert_int_equal(cgpol_host_open(dir, &again, &err), 0);
	assert_false(again->root->is_live);
	expect_same("cgroup2", again->cgroup2, live->cgroup2);
	expect_same("memory_v1", again->memory_v1, live->memory_v1);
	assert_int_equal(host_read_cpus(again, &same), 0);
	assert_int_equal(same, cpus);
	assert_int_equal(again->has_memory, live->has_memory);
	cgpol_host_free(again);
	cgpol_host_free(live);
	/* The directory is full now. */
	assert_int_equal(host_open("/", dir, &live, &err), -ENOTEMPTY);
	assert_int_equal(err.kind, CGPOL_USAGE);
	tree_remove(dir);
}

static void count_access(void *arg, const char *op, const char *path, int result)
{
	(void)op;
	(void)path;
	(void)result;
	(*(int *)arg)++;
}

static void hands_the_trace_to_the_root(void **state)
{
	struct cgpol_host *host = open_host(fakeroot_new());
	int accesses = 0;

	(void)state;
	host_trace(host, count_access, &accesses);
	assert_int_equal(host_need_memory(host, NULL), -EOPNOTSUPP);
	assert_true(accesses > 0);
	assert_int_equal(host_finish(host, NULL), 0);
	cgpol_host_free(host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_mounts_of_machines),
		cmocka_unit_test(reads_the_controllers_of_the_mount),
		cmocka_unit_test(works_where_the_mount_is_the_root),
		cmocka_unit_test(counts_the_cpus_that_are_online),
		cmocka_unit_test(reads_the_kernels_version),
		cmocka_unit_test(compares_kernels),
		cmocka_unit_test(says_why_there_is_no_memory_controller),
		cmocka_unit_test(takes_no_line_in_proc_cgroups_for_a_proof_on_newer_kernels),
		cmocka_unit_test(is_content_with_a_memory_controller),
		cmocka_unit_test(opens_with_any_file_unreadable),
		cmocka_unit_test(opens_the_live_machine_and_its_recording),
		cmocka_unit_test(hands_the_trace_to_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
