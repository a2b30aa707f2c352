/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each errno of the kernel becomes a sentence that names the file, the value and the cause. */
#include "policy/explain.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "test.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_error err;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/a/b", NULL);
}

static void close_scene(struct scene *scene)
{
	cgpol_host_free(scene->host);
}

static void expect(const struct scene *scene, int errnum, enum cgpol_kind kind, const char *text,
		   const char *hint)
{
	assert_int_equal(scene->err.code, errnum);
	assert_int_equal(scene->err.kind, kind);
	if (!strstr(scene->err.text, text))
		fail_msg("\"%s\" does not have \"%s\"", scene->err.text, text);
	if (hint && !strstr(scene->err.hint, hint))
		fail_msg("hint \"%s\" does not have \"%s\"", scene->err.hint, hint);
}

struct example {
	struct step step;
	int errnum;
	enum cgpol_kind kind;
	const char *text, *hint;
};

#define STR(text) ((char *)(uintptr_t)(text))
#define SET(cgroup_, file_, value)                                                                  \
	{                                                                                           \
		.op = STEP_SET, .cgroup = STR(cgroup_), .file = STR(file_), .new_value = STR(value) \
	}
#define ENABLE(cgroup_, value)                                                                    \
	{                                                                                         \
		.op = STEP_ENABLE, .cgroup = STR(cgroup_), .file = STR("cgroup.subtree_control"), \
		.new_value = STR(value)                                                           \
	}
#define MAKE(cgroup_)                                    \
	{                                                \
		.op = STEP_MKDIR, .cgroup = STR(cgroup_) \
	}

static void explain_all(struct scene *scene, const struct example *examples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct example *example = &examples[i];

		memset(&scene->err, 0, sizeof(scene->err));
		assert_int_equal(explain_step(scene->host, &example->step, -example->errnum, &scene->err),
				 -example->errnum);
		expect(scene, example->errnum, example->kind, example->text, example->hint);
		assert_string_equal(scene->err.file,
				    example->step.file ? example->step.file : example->step.cgroup);
	}
}

static void values_that_the_kernel_refuses(void **state)
{
	static const struct example examples[] = {
		{SET("/a/b", "cpuset.mems", "7"), EINVAL, CGPOL_REFUSED,
		 "cannot set cpuset.mems of cgroup /a/b to \"7\": the list has nodes that this machine can "
		 "never have; "
		 "possible are 0-3",
		 NULL},
		{SET("/a/b", "cpuset.cpus", "99"), ERANGE, CGPOL_REFUSED, "possible are 0-7", NULL},
		{SET("/a/b", "cpuset.cpus", "1"), EINVAL, CGPOL_REFUSED, "cgroup /a has 0-3", "siblings"},
		{SET("/a/b", "cpuset.cpus", ""), ENOSPC, CGPOL_REFUSED,
		 "would be left without cpus; cpuset.cpus.effective: / 0-3, /a 0-3, /a/b 0-3",
		 "end its processes"},
		{SET("/a/b", "cpuset.mems", "1"), ENOSPC, CGPOL_REFUSED,
		 "without nodes; cpuset.mems.effective: / 0-1, /a 0-1, /a/b 0-1", NULL},
		{SET("/a/b", "cpuset.cpus", "1"), EBUSY, CGPOL_REFUSED, "SCHED_DEADLINE", NULL},
		{SET("/a/b", "cpuset.cpus.partition", "root"), EINVAL, CGPOL_REFUSED, "which no sibling has",
		 NULL},
		{SET("/a/b", "cpu.max", "1"), EINVAL, CGPOL_REFUSED, "\"QUOTA PERIOD\" in microseconds",
		 NULL},
		{SET("/a/b", "cpu.weight", "0"), ERANGE, CGPOL_REFUSED, "the kernel takes 1 to 10000", NULL},
		{SET("/a/b", "memory.max", "1"), EINVAL, CGPOL_REFUSED, "does not take this value", NULL},
		{SET("/a/b", "memory.max", "1"), EBUSY, CGPOL_REFUSED, "busy", NULL},
		{SET("/a/b", "io.max", "8:16 rbps=1"), ENODEV, CGPOL_UNSUPPORTED, "no block device 8:16",
		 "lsblk"},
		{SET("/a/b", "rdma.max", "mlx5_9 hca_handle=1"), ENODEV, CGPOL_UNSUPPORTED,
		 "no RDMA device mlx5_9", "infiniband"},
		{SET("/gone", "rdma.max", "mlx5_9 hca_handle=1"), ENODEV, CGPOL_FAILED,
		 "cgroup /gone does not exist", "try again"},
		{SET("/a/b", "memory.max", "1"), EIO, CGPOL_FAILED, "Input/output error", NULL},
	};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	explain_all(&scene, examples, ARRAY_SIZE(examples));
}

static void a_partition_in_the_way_is_named(void **state)
{
	static const struct example examples[] = {
		{SET("/a", "cpuset.cpus", "0-2"), EINVAL, CGPOL_REFUSED,
		 "the partition /p has cpus 2-3 for itself; cgroup / has 0-1 left", "siblings"},
	};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	fakekernel_cgroup(scene.root, "/p", "cpuset.cpus=2-3", "cpuset.cpus.partition=root", NULL);
	explain_all(&scene, examples, ARRAY_SIZE(examples));
	assert_int_equal(explain_step(scene.host, &examples[0].step, -EINVAL, NULL), -EINVAL);
}

static void files_that_are_not_there(void **state)
{
	static const struct example examples[] = {
		{SET("/a/b/c", "cpuset.mems", "0"), ENOENT, CGPOL_UNSUPPORTED,
		 "controller cpuset is not enabled in cgroup /a/b", "\"+cpuset\""},
		{SET("/gone", "cpuset.mems", "0"), ENOENT, CGPOL_FAILED, "cgroup /gone does not exist",
		 "try again"},
		{SET("/gone", "cpuset.mems", "0"), ENODEV, CGPOL_FAILED, "cgroup /gone does not exist",
		 "try again"},
		{SET("/a/b", "memory.zswap.writeback", "0"), ENOENT, CGPOL_UNSUPPORTED,
		 "this kernel (6.1) has no such file: it came with 6.8", NULL},
		{SET("/a/b", "memory.swap.max", "0"), ENOENT, CGPOL_UNSUPPORTED,
		 "this kernel (6.1) has no such file", "swapaccount=1"},
		{SET("/a/b", "cgroup.pressure", "0"), ENOENT, CGPOL_UNSUPPORTED, "it came with 6.1", NULL},
	};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", NULL, NULL), 0);
	explain_all(&scene, examples, ARRAY_SIZE(examples));
}

static void cgroups_and_controllers(void **state)
{
	static const struct example examples[] = {
		{MAKE("/x/y"), ENOENT, CGPOL_FAILED,
		 "cannot make cgroup /x/y: cgroup /x above it does not exist", NULL},
		{MAKE("/a/b/c"), EAGAIN, CGPOL_REFUSED,
		 "cgroup.max.descendants of cgroup /a allows no more than 1", "raise it"},
		{MAKE("/a/b/c"), ENOSPC, CGPOL_REFUSED, "65535", NULL},
		{MAKE("/a/b/c"), EINVAL, CGPOL_REFUSED, "name", NULL},
		{MAKE("/a/b/c"), EACCES, CGPOL_FAILED, "permission denied", "Delegate=yes"},
		{MAKE("/a/b/c"), EROFS, CGPOL_FAILED, "mounted read-only", "container"},
		{ENABLE("/a/b/c", "+memory"), ENOENT, CGPOL_UNSUPPORTED,
		 "cannot enable controller memory for the children of cgroup /a/b/c: controller memory is "
		 "not "
		 "enabled in cgroup /a/b, so that /a/b/c has nothing of it",
		 "write \"+memory\" into cgroup.subtree_control of /a/b"},
		{ENABLE("/a/b", "+memory"), EBUSY, CGPOL_REFUSED, "or children with controllers: 30, 31",
		 "move its processes"},
		{ENABLE("/a/b", "+memory"), EOPNOTSUPP, CGPOL_REFUSED, "cgroup /a/b is \"domain\"", NULL},
		{ENABLE("/a/b", "+memory"), EINVAL, CGPOL_REFUSED, "does not know it", NULL},
		{ENABLE("/a/b", "+cpu"), EINVAL, CGPOL_REFUSED,
		 "no realtime process is outside the root cgroup: 30 (FIFO, /a/b), 31 (DEADLINE, /a/b)",
		 "CONFIG_RT_GROUP_SCHED"},
		{ENABLE("/a", "+cpuset"), EACCES, CGPOL_FAILED, "permission denied",
		 "user@.service.d/delegate.conf, run systemctl daemon-reload, and log in again"},
		{ENABLE("/a/b", "+cpu"), EIO, CGPOL_FAILED, "does not list it afterwards", NULL},
		{ENABLE("/gone", "+cpu"), ENODEV, CGPOL_FAILED, "cgroup /gone does not exist", NULL},
	};
	static const char stat[] = "%d (a ) b) S 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 "
				   "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 %d %d 0 0 0 0 0 0 0 0 0 0 0\n";
	static const int policies[] = {1, 6, 0};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b/c", NULL, NULL), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cgroup.max.descendants", "1"), 0);
	for (int i = 0; i < 3; i++) {
		char path[64], text[512];

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", 30 + i);
		(void)snprintf(text, sizeof(text), stat, 30 + i, i, policies[i]);
		fakekernel_put(scene.root, path, text);
		(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", 30 + i);
		fakekernel_put(scene.root, path, "0::/a/b\n");
		if (i < 2)
			assert_int_equal(fakekernel_start(scene.root, "/a/b", 30 + i), 0);
	}
	explain_all(&scene, examples, ARRAY_SIZE(examples));
}

static void a_capture_cannot_be_changed(void **state)
{
	static const struct step step = MAKE("/a");
	struct root *root = fakeroot_new();
	struct root_ops ops = *root->ops;
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	ops.write = NULL;
	root->ops = &ops;
	fakeroot_put(root, "/proc/self/mountinfo", "24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	assert_int_equal(host_open_root(root, &scene.host, NULL), 0);
	assert_int_equal(explain_step(scene.host, &step, -EROFS, &scene.err), -EROFS);
	expect(&scene, EROFS, CGPOL_REFUSED, "this is a capture of another machine", "--root");
}

static void starting_a_process(void **state)
{
	static const struct {
		const char *cgroup;
		int errnum;
		enum cgpol_kind kind;
		const char *text, *hint;
	} cases[] = {
		{"/a", EBUSY, CGPOL_REFUSED,
		 "cannot start a process in cgroup /a: controllers are enabled for its children (cpuset cpu "
		 "io memory",
		 "below it"},
		{"/a/b", EOPNOTSUPP, CGPOL_REFUSED, "its cgroup.type is \"domain\"", NULL},
		{"/a/b", ENODEV, CGPOL_FAILED, "removed meanwhile", "try again"},
		{"/a/b", ENOENT, CGPOL_FAILED, "removed meanwhile", "try again"},
		{"/a/b", ENOSPC, CGPOL_REFUSED,
		 "its cpuset has no cpus (cpuset.cpus.effective \"0-3\"); the chain of it: / 0-3, /a 0-3, "
		 "/a/b 0-3",
		 "a partition"},
		{"/a/b", EAGAIN, CGPOL_REFUSED, "pids.max of cgroup /a allows no more than 0 processes",
		 "raise it"},
		{"/", EAGAIN, CGPOL_REFUSED, "as this user or this machine may have", "ulimit"},
		{"/a/b", ENOMEM, CGPOL_FAILED, "out of memory", NULL},
		{"/a/b", EACCES, CGPOL_FAILED, "cgroup.procs of cgroup /a,", "systemd-run"},
		{"/ax/b", EACCES, CGPOL_FAILED, "cgroup.procs of cgroup /,", "AttachProcessesToUnit"},
		{"/a/b", EROFS, CGPOL_FAILED, "read-only", NULL},
		{"/a/b", EINTR, CGPOL_FAILED, "Interrupted", NULL},
	};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "pids.max", "0"), 0);
	fakekernel_put(scene.root, "/proc/4194303/cgroup", "0::/a/c/d\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&scene.err, 0, sizeof(scene.err));
		assert_int_equal(explain_start(scene.host, cases[i].cgroup, -cases[i].errnum, &scene.err),
				 -cases[i].errnum);
		expect(&scene, cases[i].errnum, cases[i].kind, cases[i].text, cases[i].hint);
	}
	assert_int_equal(explain_start(scene.host, "/a", -EBUSY, NULL), -EBUSY);
}

/* What is read for an explanation may be unreadable too: there is a sentence nevertheless. */
static void a_sentence_comes_whatever_cannot_be_read(void **state)
{
	static const int errnums[] = {ENOENT, ENODEV, EBUSY,	  EINVAL, ERANGE,
				      ENOSPC, EAGAIN, EOPNOTSUPP, EACCES};
	static const struct step steps[] = {SET("/a/b", "cpuset.mems", "7"), ENABLE("/a/b", "+cpu"),
					    MAKE("/a/b/c")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(errnums) * ARRAY_SIZE(steps); i++) {
		for (unsigned n = 1; n < 6; n++) {
			AUTO(close_scene) struct scene scene = {0};
			int errnum = errnums[i / ARRAY_SIZE(steps)];

			open_scene(&scene);
			fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, EACCES);
			(void)explain_step(scene.host, &steps[i % ARRAY_SIZE(steps)], -errnum, &scene.err);
			assert_int_equal(scene.err.code, errnum);
			assert_true(strlen(scene.err.text) > 30);
			fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, EACCES);
			(void)explain_start(scene.host, "/a/b", -errnum, &scene.err);
			assert_int_equal(scene.err.code, errnum);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_the_kernel_refuses),
		cmocka_unit_test(a_partition_in_the_way_is_named),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(cgroups_and_controllers),
		cmocka_unit_test(a_capture_cannot_be_changed),
		cmocka_unit_test(starting_a_process),
		cmocka_unit_test(a_sentence_comes_whatever_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
