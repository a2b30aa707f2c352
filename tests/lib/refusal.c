/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine of plain files, and what explain_step makes of a step that failed there. */
#include "refusal.h"

#include "fakeroot.h"
#include "test.h"

static const char all[] = "cpuset cpu io memory hugetlb pids";

/* A machine, no capture: it could be written to. */
static int write_nothing(struct root *root, const char *path, const char *text)
{
	(void)root;
	(void)path;
	(void)text;
	return -EROFS;
}

void refusal_open(struct refusal *refusal)
{
	struct root *root = fakeroot_new();

	*refusal = (struct refusal){.root = root, .ops = *root->ops};
	refusal->ops.write = write_nothing;
	root->ops = &refusal->ops;
	fakeroot_put(root, "/proc/self/mountinfo", "24 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/proc/cmdline", "quiet\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", all);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.subtree_control", all);
	fakeroot_put(root, "/sys/fs/cgroup/cpuset.cpus.effective", "0-3\n");
	fakeroot_put(root, "/sys/fs/cgroup/cpuset.mems.effective", "0-1\n");
	fakeroot_put(root, "/sys/devices/system/cpu/possible", "0-7\n");
	fakeroot_put(root, "/sys/devices/system/cpu/online", "0-3\n");
	fakeroot_put(root, "/sys/devices/system/node/possible", "0-3\n");
	fakeroot_put(root, "/sys/devices/system/node/has_memory", "0-1\n");
	assert_int_equal(host_open_root(root, &refusal->host, NULL), 0);
}

void refusal_close(struct refusal *refusal)
{
	cgpol_host_free(refusal->host);
}

void refusal_put(struct refusal *refusal, const char *name, const char *text)
{
	static const char *const rooms[] = {"cgroup.", "memory.", "cpuset.", "pids."};
	bool is_file = false;
	char path[512];

	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
		is_file = is_file || strncmp(strrchr(name, '/') + 1, rooms[i], strlen(rooms[i])) == 0;
	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s%s", name, is_file ? "" : "/cgroup.controllers");
	fakeroot_put(refusal->root, path, text ? text : all);
	if (!is_file) {
		(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cgroup.type", name);
		fakeroot_put(refusal->root, path, "domain\n");
	}
}

void refusal_process(struct refusal *refusal, pid_t pid, const char *comm, unsigned flags, const char *cgroup)
{
	char path[64], text[512];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	(void)snprintf(text, sizeof(text),
		       "%d (%s) S 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
		       "17 0 0 0 0 0 0 "
		       "0 0 0 0 0 0 0 0\n",
		       (int)pid, comm, flags);
	fakeroot_put(refusal->root, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	(void)snprintf(text, sizeof(text), "0::%s\n", cgroup);
	fakeroot_put(refusal->root, path, text);
}

void refusal_expect(struct refusal *refusal, const struct refusal_case *wanted)
{
	struct cgpol_error *err = &refusal->err;

	*err = (struct cgpol_error){0};
	assert_int_equal(explain_step(refusal->host, &wanted->step, -wanted->errnum, err), -wanted->errnum);
	assert_int_equal(err->code, wanted->errnum);
	if (err->kind != (int)wanted->kind)
		fail_msg("\"%s\" is of kind %d, not %d", err->text, err->kind, (int)wanted->kind);
	if (!strstr(err->text, wanted->text))
		fail_msg("\"%s\" does not have \"%s\"", err->text, wanted->text);
	if (wanted->hint && !strstr(err->hint, wanted->hint))
		fail_msg("hint \"%s\" of \"%s\" does not have \"%s\"", err->hint, err->text, wanted->hint);
}

void refusal_expect_all(struct refusal *refusal, const struct refusal_case *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refusal_expect(refusal, &wanted[i]);
}
