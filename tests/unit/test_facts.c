/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What doctor reads of a machine, of which anything may be missing, odd or forbidden. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "policy/doctor.h"
#include "policy/facts.h"

#define CG "/sys/fs/cgroup"

static void put_cgroup(struct root *root, const char *name, const char *controllers, const char *subtree,
		       uint32_t uid)
{
	static const char *const files[] = {"", "/cgroup.controllers", "/cgroup.subtree_control",
					    "/cgroup.procs"};
	const char *const texts[] = {NULL, controllers, subtree, ""};
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		(void)snprintf(path, sizeof(path), CG "%s%s", name, files[i]);
		if (texts[i])
			fakeroot_put(root, path, texts[i]);
		else
			fakeroot_mkdir(root, path);
		fakeroot_own(root, path, uid, uid);
	}
}

static void put_stat(struct root *root, int pid, const char *comm, unsigned flags)
{
	char path[64], text[256];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	(void)snprintf(
		text, sizeof(text),
		"%d (%s) S 0 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 1 4096 1 1 0 0 5 0 0 0 0 0 0 0 0 0 17 0 0 "
		"0 0 0 0 0 0 0 6 7 0 0 0\n",
		pid, comm, flags);
	fakeroot_put(root, path, text);
}

static void answer_probes(struct root *root)
{
	static const char *const names[] = {
		"clone3_into_cgroup",	    "pidfd_open",
		"pidfd_send_signal",	    "process_mrelease",
		"set_mempolicy_home_node",  "get_mempolicy",
		"mempolicy:default",	    "mempolicy:bind",
		"mempolicy:preferred",	    "mempolicy:preferred_many",
		"mempolicy:interleave",	    "mempolicy:local",
		"mempolicy:bind=static",    "mempolicy:bind=relative",
		"mempolicy:bind=balancing", "seccomp",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		fakeroot_set_probe(root, names[i], 0);
	fakeroot_set_probe(root, "mempolicy:weighted_interleave", -EINVAL);
	fakeroot_set_probe(root, "mempolicy:preferred_many=balancing", -EINVAL);
}

/* A machine with v2, systemd, two nodes and swap; the reader is in /user.slice/u/shell. */
static struct root *make_root(void)
{
	struct root *root = fakeroot_new();

	root->facts.uid = 1000;
	root->facts.caps = 0;
	root->facts.initial_pidns = root->facts.initial_userns = true;
	fakeroot_put(root, "/proc/self/mountinfo",
		     "29 23 0:26 / " CG " rw - cgroup2 cgroup2 rw,nsdelegate\n");
	fakeroot_put(root, "/proc/self/cgroup", "0::/user.slice/u/shell\n");
	fakeroot_put(root, "/proc/cgroups", "#subsys_name\nmemory\t0\t9\t1\ncpuset\t0\t9\t0\n");
	fakeroot_put(root, "/proc/cmdline", "ro quiet\n");
	fakeroot_put(root, "/proc/filesystems", "nodev\tcgroup2\n");
	fakeroot_put(root, "/sys/kernel/cgroup/features", "nsdelegate\n");
	put_cgroup(root, "", "memory cpuset", "memory", 0);
	put_cgroup(root, "/user.slice", "memory", "memory", 0);
	put_cgroup(root, "/user.slice/u", "memory", "", 1000);
	put_cgroup(root, "/user.slice/u/shell", "", "", 1000);
	fakeroot_put(root, "/sys/devices/system/node/online", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/has_memory", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/node/node0/cpulist", "0-3\n");
	fakeroot_put(root, "/sys/devices/system/node/node1/cpulist", "\n");
	fakeroot_put(root, "/sys/devices/system/cpu/isolated", "2-3\n");
	fakeroot_put(root, "/proc/pressure/memory", "some avg10=0.00\n");
	fakeroot_put(root, "/proc/swaps",
		     "Filename Type Size Used Priority\n/dev/zram0 partition 65532 1024 -2\n");
	fakeroot_put(root, "/proc/sys/vm/panic_on_oom", "1\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_memory", "max\n");
	fakeroot_mkdir(root, "/run/systemd/system");
	put_stat(root, 1, "systemd", 0);
	put_stat(root, 77, "earlyoom", 0);
	put_stat(root, 78, "oomd", PROC_KTHREAD);
	put_stat(root, 79, "earlyoomd", 0);
	answer_probes(root);
	return root;
}

static struct cgpol_host *open_host(struct root *root)
{
	struct cgpol_error err = {0};
	struct cgpol_host *host;

	if (host_open_root(root, &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

static void read_it(struct root *root, struct facts *facts)
{
	struct cgpol_host *host = open_host(root);

	assert_int_equal(facts_read(host, facts), 0);
	cgpol_host_free(host);
}

static void reads_all_of_a_machine(void **state)
{
	struct facts facts;

	(void)state;
	read_it(make_root(), &facts);
	assert_true(facts.is_asked);
	assert_string_equal(facts.cgroup2, CG);
	assert_string_equal(facts.cgroup2_root, "/");
	assert_false(facts.is_read_only);
	assert_int_equal(facts.is_whole, 1);
	assert_int_equal(facts.controllers, 2);
	assert_false(facts_find(&facts, "cpuset")->is_enabled);
	assert_null(facts_find(&facts, "blkio"));
	assert_string_equal(facts.cmdline, "ro quiet");
	assert_string_equal(facts.features, "nsdelegate");
	assert_true(facts.has_systemd);
	assert_string_equal(facts.init, "systemd");
	assert_true(facts.has_numa);
	assert_int_equal(facts.memory_nodes, 2);
	assert_string_equal(facts.online, "0-1");
	assert_string_equal(facts.memoryless, "");
	assert_string_equal(facts.isolated, "2-3");
	assert_null(facts.nohz_full);
	assert_int_equal(facts.psi, 0);
	assert_int_equal(facts.swaps, 1);
	assert_true(facts.swap_bytes == 65532ULL * 1024 && facts.swap_used == 1024ULL * 1024);
	assert_int_equal(facts.setting[FACTS_PANIC].value, 1);
	assert_int_equal(facts.setting[FACTS_OVERCOMMIT].error, -EINVAL);
	assert_int_equal(facts.setting[FACTS_MIN_FREE].error, -ENOENT);
	assert_int_equal(facts.probe[FACTS_BIND], 0);
	assert_int_equal(facts.probe[FACTS_WEIGHTED], -EINVAL);
	assert_int_equal(facts.killers, 1);
	assert_int_equal(facts.killer[0].pid, 77);
	assert_string_equal(facts.killer[0].name, "earlyoom");
	assert_true(facts.sees_all);
	facts_clear(&facts);
}

static void finds_out_which_levels_may_be_written(void **state)
{
	struct facts facts;

	(void)state;
	read_it(make_root(), &facts);
	assert_int_equal(facts.levels, 4);
	assert_string_equal(facts.level[0].name, "/");
	assert_string_equal(facts.level[0].controllers, "memory cpuset");
	assert_string_equal(facts.level[0].locked, CG);
	assert_string_equal(facts.level[1].name, "/user.slice");
	assert_string_equal(facts.level[1].subtree_control, "memory");
	assert_string_equal(facts.level[1].locked, CG "/user.slice");
	assert_int_equal(facts.level[1].locked_uid, 0);
	assert_int_equal(facts.level[1].locked_mode, 0755);
	assert_null(facts.level[2].locked);
	assert_string_equal(facts.level[3].name, "/user.slice/u/shell");
	assert_null(facts.level[3].locked);
	facts_clear(&facts);
}

static void names_the_file_that_is_not_delegated(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_own(root, CG "/user.slice/u/cgroup.subtree_control", 0, 0);
	fakeroot_fail(root, CG "/user.slice/u/shell/cgroup.procs", EACCES);
	read_it(root, &facts);
	assert_string_equal(facts.level[2].locked, CG "/user.slice/u/cgroup.subtree_control");
	assert_int_equal(facts.level[2].locked_mode, 0644);
	assert_string_equal(facts.level[3].locked, CG "/user.slice/u/shell/cgroup.procs");
	facts_clear(&facts);
}

static void expect_write(const struct facts *facts, uint32_t uid, uint32_t gid, uint32_t mode, bool may)
{
	const struct root_info info = {.uid = uid, .gid = gid, .mode = mode};

	assert_int_equal(facts_may_write(&facts->self, &facts->groups, &info), may);
}

/* As the kernel does: the first of owner, group and others that fits decides (fs/namei.c
 * acl_permission_check). */
static void groups_count_as_for_the_kernel(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_put(root, "/proc/self/status", "Gid:\t100\t101\t100\t100\nGroups:\t4 24 \n");
	read_it(root, &facts);
	assert_int_equal(facts.groups.count, 3);
	expect_write(&facts, 0, 24, 0775, true);
	expect_write(&facts, 0, 4, 0664, true);
	expect_write(&facts, 0, 101, 0664, true);
	expect_write(&facts, 0, 100, 0664, false); /* the real group is not the effective one */
	expect_write(&facts, 0, 24, 0757, false);
	expect_write(&facts, 0, 25, 0757, true);
	expect_write(&facts, 1000, 24, 0575, false);
	expect_write(&facts, 1000, 25, 0755, true);
	facts_clear(&facts);
}

static void groups_that_are_not_understood_are_none(void **state)
{
	static const char *const texts[] = {"", "Gid:\t100\n", "Gid:\t1\t2\t3\t4\nGroups:\t4 x\n",
					    "Gid:\t1\t-2\t3\t4\nGroups:\t4\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct root *root = make_root();
		struct facts facts;

		fakeroot_put(root, "/proc/self/status", texts[i]);
		read_it(root, &facts);
		assert_int_equal(facts.groups.count, 0);
		expect_write(&facts, 0, 4, 0775, false);
		facts_clear(&facts);
	}
}

static void root_may_write_all_that_has_an_owner_here(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	root->facts.uid = 0;
	root->facts.caps = 1ULL << FACTS_DAC_OVERRIDE;
	read_it(root, &facts);
	for (size_t i = 0; i < facts.levels; i++)
		assert_null(facts.level[i].locked);
	facts_clear(&facts);
	/* In a user namespace the host's root is shown as the overflow uid, and no capability reaches it
	 * (capabilities.7, capable_wrt_inode_uidgid). */
	root = make_root();
	root->facts.uid = 0;
	root->facts.caps = 1ULL << FACTS_DAC_OVERRIDE;
	root->facts.initial_userns = false;
	put_cgroup(root, "", "memory", "", 65534);
	read_it(root, &facts);
	assert_string_equal(facts.level[0].locked, CG);
	assert_null(facts.level[1].locked);
	facts_clear(&facts);
}

static void a_cgroup_namespace_is_seen_by_cgroup_events(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_put(root, CG "/cgroup.events", "populated 1\n");
	read_it(root, &facts);
	assert_int_equal(facts.is_whole, 0);
	facts_clear(&facts);
	root = make_root();
	fakeroot_fail(root, CG "/cgroup.events", EACCES);
	read_it(root, &facts);
	assert_int_equal(facts.is_whole, -1);
	facts_clear(&facts);
}

static void an_own_cgroup_outside_leaves_only_the_mount(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_put(root, "/proc/self/cgroup", "0::/../other\n");
	read_it(root, &facts);
	assert_int_equal(facts.levels, 1);
	assert_int_equal(facts.own_error, -EXDEV);
	facts_clear(&facts);
}

static void the_last_of_stacked_mounts_is_read_only(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_put(root, "/proc/self/mountinfo",
		     "29 23 0:26 / " CG " rw - cgroup2 cgroup2 rw\n30 29 0:26 / " CG
		     " ro - cgroup2 cgroup2 rw\n");
	read_it(root, &facts);
	assert_true(facts.is_read_only);
	facts_clear(&facts);
}

static void an_empty_machine_has_no_facts_but_no_error_either(void **state)
{
	struct root *root = fakeroot_new();
	struct facts facts;
	struct doctor doctor;

	(void)state;
	read_it(root, &facts);
	assert_false(facts.is_asked);
	assert_int_equal(facts.mounts_error, -ENOENT);
	assert_null(facts.cgroup2);
	assert_int_equal(facts.levels, 0);
	assert_false(facts.sees_all);
	assert_int_equal(facts.probe[FACTS_CLONE3], -ENODATA);
	assert_int_equal(doctor_examine(&facts, &doctor), 0);
	assert_int_equal(doctor_required(&doctor, DOCTOR_MISSING), 0);
	assert_int_equal(doctor_required(&doctor, DOCTOR_OK), 1); /* privileges: it is root */
	doctor_clear(&doctor);
	facts_clear(&facts);
}

static void a_capture_that_was_not_asked_judges_no_rights(void **state)
{
	struct root *root = make_root();
	struct facts facts;

	(void)state;
	fakeroot_set_probe(root, "clone3_into_cgroup", -ENODATA);
	read_it(root, &facts);
	assert_false(facts.is_asked);
	assert_null(facts.level[0].locked);
	assert_int_equal(facts.is_whole, -1);
	facts_clear(&facts);
}

/* Reads with the n-th access failing; 0: none. Returns how many accesses there were. */
static unsigned read_failing(unsigned n, int errnum)
{
	struct root *root = make_root();
	struct cgpol_host *host = open_host(root);
	unsigned before = fakeroot_accesses(root), accesses;
	struct facts facts = {.levels = 4242};
	int rc;

	fakeroot_fail_nth(root, n, errnum);
	rc = facts_read(host, &facts);
	accesses = fakeroot_accesses(root) - before;
	if (rc == 0) {
		struct doctor doctor;

		assert_int_equal(doctor_examine(&facts, &doctor), 0);
		doctor_clear(&doctor);
		facts_clear(&facts);
	} else {
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(errnum, ENOMEM);
		assert_int_equal(facts.levels, 4242);
	}
	cgpol_host_free(host);
	return accesses;
}

/* Only short memory ends it, and then there are no facts. */
static void any_access_may_fail(void **state)
{
	unsigned accesses = read_failing(0, 0);

	(void)state;
	assert_true(accesses > 40);
	for (unsigned n = 1; n <= accesses; n++) {
		(void)read_failing(n, EIO);
		(void)read_failing(n, ENOMEM);
	}
}

static void passes_over_odd_lines_of_proc_cgroups(void **state)
{
	static const char text[] = "#subsys_name hierarchy num_cgroups enabled\n"
				   "memory\n"
				   "memory 1\n"
				   "memory x 1 1\n"
				   "memory 1 -1 1\n"
				   "memory 1 1 99999999999999999999\n"
				   "a_name_that_is_longer_than_the_kernels_have 0 1 1\n"
				   "cpuset 3 5 1 extra\n";
	struct facts facts = {0};

	(void)state;
	assert_int_equal(facts_parse_controllers(text, &facts), 0);
	assert_int_equal(facts.controllers, 1);
	assert_int_equal(facts_find(&facts, "cpuset")->cgroups, 5);
	facts_clear(&facts);
}

static void keeps_a_limited_number_of_controllers(void **state)
{
	char text[200 * sizeof("c 0 1 1\n")] = "";
	struct facts facts = {0};

	(void)state;
	for (int i = 0; i < 200; i++)
		memcpy(text + strlen(text), "c 0 1 1\n", sizeof("c 0 1 1\n"));
	assert_int_equal(facts_parse_controllers(text, &facts), 0);
	assert_int_equal(facts.controllers, 64);
	facts_clear(&facts);
}

static void adds_up_swaps_and_passes_over_odd_ones(void **state)
{
	static const struct {
		const char *text;
		size_t swaps;
		uint64_t bytes, used;
	} cases[] = {
		{"", 0, 0, 0},
		{"Filename\tType\tSize\tUsed\tPriority\n", 0, 0, 0},
		{"Filename Type Size Used Priority\n/a\\040b file 8 4 -2\n/dev/x partition 16 0 5\n", 2,
		 24 * 1024, 4 * 1024},
		{"/a file 8\n/b file x 0\n/c file 4 8 1\n/d file -1 0\n", 0, 0, 0},
		{"/a file 18446744073709551615 0 1\n/b file 1 1 1\n", 1, 1024, 1024},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct facts facts = {0};

		facts_parse_swaps(cases[i].text, &facts);
		assert_int_equal(facts.swaps, cases[i].swaps);
		assert_true(facts.swap_bytes == cases[i].bytes && facts.swap_used == cases[i].used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_of_a_machine),
		cmocka_unit_test(finds_out_which_levels_may_be_written),
		cmocka_unit_test(names_the_file_that_is_not_delegated),
		cmocka_unit_test(groups_count_as_for_the_kernel),
		cmocka_unit_test(groups_that_are_not_understood_are_none),
		cmocka_unit_test(root_may_write_all_that_has_an_owner_here),
		cmocka_unit_test(a_cgroup_namespace_is_seen_by_cgroup_events),
		cmocka_unit_test(an_own_cgroup_outside_leaves_only_the_mount),
		cmocka_unit_test(the_last_of_stacked_mounts_is_read_only),
		cmocka_unit_test(an_empty_machine_has_no_facts_but_no_error_either),
		cmocka_unit_test(a_capture_that_was_not_asked_judges_no_rights),
		cmocka_unit_test(any_access_may_fail),
		cmocka_unit_test(passes_over_odd_lines_of_proc_cgroups),
		cmocka_unit_test(keeps_a_limited_number_of_controllers),
		cmocka_unit_test(adds_up_swaps_and_passes_over_odd_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
