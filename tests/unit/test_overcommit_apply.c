/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Changing the overcommit policy: what is written, in which order, and what a failure leaves. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "memory/commit.h"

#define MARKER "# Written by \"cgpol overcommit set --persist\", which replaces the whole file.\n"

/* The writes since the machine was made, "ratio=80 memory=2", and what shall go wrong. */
static struct kernel {
	char log[256];
	const char *denied; /* the file whose write fails */
	const char *denied_too;
	const char *rival; /* after this file is written another program sets kbytes, the ratio is 0 */
	const char *rival_kbytes;
	int errnum;
	bool is_deaf;	/* takes every value and keeps the old one */
	bool is_shared; /* someone else sets the mode as soon as the file is saved */
} kernel;

static int kernel_write(struct root *root, const char *path, const char *text)
{
	const char *name = path + strlen("/proc/sys/vm/overcommit_");

	if ((kernel.denied && strcmp(path, kernel.denied) == 0) ||
	    (kernel.denied_too && strcmp(path, kernel.denied_too) == 0))
		return -kernel.errnum;
	(void)snprintf(kernel.log + strlen(kernel.log), sizeof(kernel.log) - strlen(kernel.log), "%s%s=%s",
		       *kernel.log ? " " : "", name, text);
	if (kernel.is_deaf)
		return 0;
	fakeroot_put(root, path, text);
	if (strcmp(name, "ratio") == 0)
		fakeroot_put(root, "/proc/sys/vm/overcommit_kbytes", "0\n");
	if (strcmp(name, "kbytes") == 0)
		fakeroot_put(root, "/proc/sys/vm/overcommit_ratio", "0\n");
	if (kernel.rival && strcmp(path, kernel.rival) == 0) {
		fakeroot_put(root, "/proc/sys/vm/overcommit_ratio", "0\n");
		fakeroot_put(root, "/proc/sys/vm/overcommit_kbytes", kernel.rival_kbytes);
	}
	return 0;
}

static int kernel_save(struct root *root, const char *path, const char *text)
{
	struct root_info info;

	if (kernel.denied && strcmp(path, kernel.denied) == 0)
		return -kernel.errnum;
	if (root->ops->stat(root, "/etc/sysctl.d", &info) < 0)
		return -ENOENT;
	fakeroot_put(root, path, text);
	if (kernel.is_shared)
		fakeroot_put(root, "/proc/sys/vm/overcommit_memory", "0\n");
	return 0;
}

static int kernel_mkdir(struct root *root, const char *path)
{
	fakeroot_mkdir(root, path);
	return 0;
}

/* 2 GiB, half of it the limit; 512 MiB committed. */
static struct cgpol_host *machine(bool writable)
{
	static struct root_ops ops;
	struct root *root = fakeroot_new();
	struct cgpol_host *host = NULL;

	memset(&kernel, 0, sizeof(kernel));
	ops = *root->ops;
	ops.write = writable ? kernel_write : NULL;
	ops.save = writable ? kernel_save : NULL;
	ops.mkdir = writable ? kernel_mkdir : NULL;
	root->ops = &ops;
	fakeroot_put(root, "/proc/meminfo",
		     "MemTotal:        2097152 kB\nSwapTotal:        262144 kB\n"
		     "CommitLimit:     1310720 kB\nCommitted_AS:     524288 kB\n"
		     "HugePages_Total:       3\nHugepagesize:       2048 kB\nHugetlb:      8192 kB\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_memory", "0\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_ratio", "50\n");
	fakeroot_put(root, "/proc/sys/vm/overcommit_kbytes", "0\n");
	fakeroot_put(root, "/proc/sys/vm/admin_reserve_kbytes", "8192\n");
	fakeroot_put(root, "/proc/sys/vm/user_reserve_kbytes", "65536\n");
	fakeroot_put(root, "/sys/devices/system/cpu/present", "0-1\n");
	fakeroot_mkdir(root, "/sys/kernel/mm/hugepages");
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	return host;
}

static void host_free_p(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

/* Plans and does. */
static int change(struct cgpol_host *host, struct overcommit_request request, struct cgpol_error *err)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	int rc = overcommit_plan_read(host, &request, &plan, err);

	return rc < 0 ? rc : overcommit_apply(host, &plan, err);
}

static void assert_settings(struct cgpol_host *host, int mode, int64_t ratio, uint64_t kbytes)
{
	struct overcommit now;

	assert_int_equal(overcommit_read(host, &now, NULL), 0);
	assert_int_equal(now.mode, mode);
	assert_int_equal(now.ratio, ratio);
	assert_int_equal(now.kbytes, kbytes);
}

static void writes_what_differs_in_order(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);

	(void)state;
	assert_int_equal(change(host, (struct overcommit_request){2, 80, -1, false, false}, NULL), 0);
	assert_string_equal(kernel.log, "ratio=80 memory=2");
	assert_settings(host, 2, 80, 0);
	*kernel.log = '\0';
	assert_int_equal(change(host, (struct overcommit_request){2, 80, -1, false, false}, NULL), 0);
	assert_string_equal(kernel.log, "");
	assert_int_equal(change(host, (struct overcommit_request){0, -1, 9000, false, false}, NULL), 0);
	assert_string_equal(kernel.log, "memory=0 kbytes=9000");
	assert_settings(host, 0, 0, 9000);
}

static void restores_what_it_changed_when_a_later_step_fails(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	struct cgpol_error err = {0};

	(void)state;
	kernel.denied = "/proc/sys/vm/overcommit_memory";
	kernel.errnum = EACCES;
	assert_int_equal(change(host, (struct overcommit_request){2, -1, 2000000, false, false}, &err),
			 -EACCES);
	assert_string_equal(kernel.log, "kbytes=2000000 ratio=50");
	assert_settings(host, 0, 50, 0);
	assert_non_null(strstr(err.text, "cannot set vm.overcommit_memory to 2: Permission denied; the old"));
	assert_non_null(strstr(err.hint, "root"));
	assert_int_equal(err.kind, CGPOL_FAILED);
	/* Back to kbytes when they were in force. */
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_ratio", "0\n");
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_kbytes", "700000\n");
	*kernel.log = '\0';
	assert_true(change(host, (struct overcommit_request){2, 90, -1, false, false}, &err) < 0);
	assert_string_equal(kernel.log, "ratio=90 kbytes=700000");
	assert_settings(host, 0, 0, 700000);
}

/* The kernel takes every unsigned long, and shows it so. */
static void knows_every_number_of_kbytes(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {2, -1, 2000000, false, false};

	(void)state;
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_ratio", "0\n");
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_kbytes", "18446744073709551615\n");
	assert_int_equal(overcommit_plan_read(host, &request, &plan, NULL), 0);
	assert_string_equal(plan.step[0].old_text, "18446744073709551615");
	kernel.denied = "/proc/sys/vm/overcommit_memory";
	kernel.errnum = EACCES;
	assert_int_equal(overcommit_apply(host, &plan, NULL), -EACCES);
	assert_string_equal(kernel.log, "kbytes=2000000 kbytes=18446744073709551615");
	assert_settings(host, 0, 0, UINT64_MAX);
}

static void tells_when_restoring_fails_too(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	struct cgpol_error err = {0};

	(void)state;
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_ratio", "0\n");
	fakeroot_put(host->root, "/proc/sys/vm/overcommit_kbytes", "700000\n");
	kernel.denied = "/proc/sys/vm/overcommit_memory";
	kernel.denied_too = "/proc/sys/vm/overcommit_kbytes";
	kernel.errnum = EIO;
	assert_true(change(host, (struct overcommit_request){2, 90, -1, false, false}, &err) < 0);
	assert_string_equal(kernel.log, "ratio=90");
	assert_non_null(strstr(err.text, "; and restoring the old values failed too"));
}

/* The mode never is not begun on a limit that is another's, and such a limit is not taken away. */
static void leaves_what_another_set_meanwhile(void **state)
{
	static const struct {
		const char *rival, *log;
	} rows[] = {
		{"/proc/sys/vm/overcommit_ratio", "ratio=90"},
		{"/proc/sys/vm/overcommit_memory", "ratio=90 memory=2 memory=0"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO(host_free_p) struct cgpol_host *host = machine(true);
		struct cgpol_error err = {0};

		kernel.rival = rows[i].rival;
		kernel.rival_kbytes = "800000\n";
		assert_int_equal(change(host, (struct overcommit_request){2, 90, -1, false, false}, &err),
				 -EIO);
		assert_string_equal(kernel.log, rows[i].log);
		assert_settings(host, 0, 0, 800000);
		assert_non_null(strstr(err.text, "reads back as something else; another program sets it"));
	}
}

/* Both were written at once, and each write set the other to 0. */
static void restores_a_limit_that_nobody_wants(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);

	(void)state;
	kernel.rival = "/proc/sys/vm/overcommit_ratio";
	kernel.rival_kbytes = "0\n";
	assert_int_equal(change(host, (struct overcommit_request){2, 90, -1, false, false}, NULL), -EIO);
	assert_string_equal(kernel.log, "ratio=90 ratio=50");
}

static void notices_a_value_that_does_not_hold(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	struct cgpol_error err = {0};

	(void)state;
	kernel.is_deaf = true;
	assert_int_equal(change(host, (struct overcommit_request){1, -1, -1, false, true}, &err), -EIO);
	assert_non_null(strstr(err.text, "vm.overcommit_memory to 1: it reads back as something else"));
	assert_string_equal(err.file, "/proc/sys/vm/overcommit_memory");
	/* And the file was not written. */
	assert_true(root_read(host->root, OVERCOMMIT_FILE, &(char *){NULL}, NULL) < 0);
}

static void explains_a_proc_that_is_read_only(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	struct cgpol_error err = {0};

	(void)state;
	kernel.denied = "/proc/sys/vm/overcommit_memory";
	kernel.errnum = EROFS;
	assert_int_equal(change(host, (struct overcommit_request){1, -1, -1, false, false}, &err), -EROFS);
	assert_int_equal(err.kind, CGPOL_FAILED);
	assert_non_null(strstr(err.hint, "container"));
	kernel.errnum = EINVAL;
	assert_int_equal(change(host, (struct overcommit_request){1, -1, -1, false, false}, &err), -EINVAL);
	assert_int_equal(err.kind, CGPOL_REFUSED);
}

static void changes_no_capture(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(false);
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(change(host, (struct overcommit_request){1, -1, -1, false, false}, &err), -EROFS);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	assert_int_equal(change(host, (struct overcommit_request){0, -1, -1, false, false}, &err), 0);
}

static void saves_the_file_once_the_values_hold(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	AUTO(free_p) char *text = NULL;
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {2, 80, -1, false, true};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(change(host, request, &err), 0);
	assert_int_equal(root_read(host->root, OVERCOMMIT_FILE, &text, NULL), 0);
	assert_string_equal(text, MARKER "vm.overcommit_ratio = 80\nvm.overcommit_memory = 2");
	assert_int_equal(overcommit_plan_read(host, &request, &plan, &err), 0);
	assert_int_equal(plan.steps, 0);
	assert_false(plan.is_shadowed);
	fakeroot_put(host->root, "/etc/sysctl.conf", "vm.overcommit_kbytes = 5\n");
	assert_int_equal(overcommit_plan_read(host, &request, &plan, &err), 0);
	assert_true(plan.is_shadowed);
	fakeroot_put(host->root, OVERCOMMIT_FILE, "vm.overcommit_ratio = 1\n");
	overcommit_plan_clear(&plan);
	assert_true(overcommit_plan_read(host, &request, &plan, &err) < 0);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	fakeroot_fail(host->root, OVERCOMMIT_FILE, EACCES);
	assert_int_equal(overcommit_plan_read(host, &request, &plan, &err), -EACCES);
}

static void restores_when_the_file_cannot_be_saved(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);
	struct cgpol_error err = {0};

	(void)state;
	kernel.denied = OVERCOMMIT_FILE;
	kernel.errnum = ENOSPC;
	assert_int_equal(change(host, (struct overcommit_request){2, 80, -1, false, true}, &err), -ENOSPC);
	assert_string_equal(kernel.log, "ratio=80 memory=2 memory=0 ratio=50");
	assert_non_null(strstr(err.text, "cannot write " OVERCOMMIT_FILE));
	assert_non_null(strstr(err.text, "; the old values are restored"));
}

/* The values held when the file was written; it and they stay together. */
static void restores_nothing_after_the_file_is_saved(void **state)
{
	AUTO(host_free_p) struct cgpol_host *host = machine(true);

	(void)state;
	kernel.is_shared = true;
	assert_int_equal(change(host, (struct overcommit_request){2, 80, -1, false, true}, NULL), 0);
	assert_string_equal(kernel.log, "ratio=80 memory=2");
}

static void keeps_what_stands_in_place_of_the_file(void **state)
{
	static const struct {
		int errnum; /* of reading it: a link to /dev/null or a pipe, and a directory */
		int kind;
	} rows[] = {{EINVAL, CGPOL_REFUSED}, {EISDIR, CGPOL_REFUSED}, {EIO, CGPOL_FAILED}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO(host_free_p) struct cgpol_host *host = machine(true);
		struct cgpol_error err = {0};

		fakeroot_put(host->root, OVERCOMMIT_FILE, "x\n");
		fakeroot_fail(host->root, OVERCOMMIT_FILE, rows[i].errnum);
		assert_true(change(host, (struct overcommit_request){1, -1, -1, false, true}, &err) < 0);
		assert_int_equal(err.kind, rows[i].kind);
		assert_string_equal(err.file, OVERCOMMIT_FILE);
		if (err.kind == CGPOL_REFUSED)
			assert_string_equal(err.text, OVERCOMMIT_FILE " is no regular file");
		assert_string_equal(kernel.log, "");
	}
}

static void fails_well_at_any_access(void **state)
{
	struct overcommit_request request = {2, 80, -1, false, true};

	(void)state;
	for (unsigned n = 1;; n++) {
		AUTO(host_free_p) struct cgpol_host *host = machine(true);
		AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
		struct cgpol_error err = {0};
		unsigned before = fakeroot_accesses(host->root);
		int rc;

		fakeroot_fail_nth(host->root, n, EIO);
		rc = overcommit_plan_read(host, &request, &plan, &err);
		if (rc < 0)
			assert_true(*err.text && err.kind == CGPOL_FAILED && plan.steps == 0);
		if (fakeroot_accesses(host->root) - before < n) {
			assert_int_equal(rc, 0);
			break;
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_what_differs_in_order),
		cmocka_unit_test(restores_what_it_changed_when_a_later_step_fails),
		cmocka_unit_test(knows_every_number_of_kbytes),
		cmocka_unit_test(tells_when_restoring_fails_too),
		cmocka_unit_test(leaves_what_another_set_meanwhile),
		cmocka_unit_test(restores_a_limit_that_nobody_wants),
		cmocka_unit_test(notices_a_value_that_does_not_hold),
		cmocka_unit_test(explains_a_proc_that_is_read_only),
		cmocka_unit_test(changes_no_capture),
		cmocka_unit_test(saves_the_file_once_the_values_hold),
		cmocka_unit_test(restores_when_the_file_cannot_be_saved),
		cmocka_unit_test(restores_nothing_after_the_file_is_saved),
		cmocka_unit_test(keeps_what_stands_in_place_of_the_file),
		cmocka_unit_test(fails_well_at_any_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
