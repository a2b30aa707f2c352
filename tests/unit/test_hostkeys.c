/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the machine as steps: their order, their way back, and what a kernel lacks. */
#include "test.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policy/apply.h"
#include "policy/hostkeys.h"

#define VM "/proc/sys/vm/"
#define WEIGHTS "/sys/kernel/mm/mempolicy/weighted_interleave/"

static void close_host(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

static struct cgpol_host *open_kernel(void)
{
	struct cgpol_host *host = NULL;
	struct cgpol_error err = {0};

	if (host_open_root(fakekernel_new(NULL), &host, &err) < 0)
		fail_msg("%s", err.text);
	return host;
}

/* "vm.swappiness=10 vm.panic_on_oom=1" */
static struct cgpol_policy *make_policy(const char *text)
{
	struct cgpol_policy *policy = NULL;
	AUTO(free_p) char *copy = strdup(text);
	char *rest = copy;

	assert_int_equal(policy_new(&policy), 0);
	for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
		struct cgpol_error err = {0};
		char *value = strchr(word, '=');

		*value++ = '\0';
		if (policy_set_any(policy, word, value, &err) < 0)
			fail_msg("%s: %s", text, err.text);
	}
	return policy;
}

static int make_plan(struct cgpol_host *host, const char *text, struct plan **plan, struct cgpol_error *err)
{
	AUTO(policy_free_p) struct cgpol_policy *policy = make_policy(text);

	assert_int_equal(plan_new(NULL, plan), 0);
	return hostkeys_plan(host, policy, *plan, err);
}

/* "overcommit_ratio 50>80, ..." */
static char *describe(const struct plan *plan)
{
	char *text = strdup("");

	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		char *more = NULL;

		assert_int_equal(step->op, STEP_HOST);
		assert_null(step->cgroup);
		assert_true(asprintf(&more, "%s%s%s %s>%s", text, i ? ", " : "", strrchr(step->file, '/') + 1,
				     step->old_value, step->new_value) > 0);
		free(text);
		text = more;
	}
	return text;
}

static void must_plan(struct cgpol_host *host, const char *text, const char *steps)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	AUTO(free_p) char *made = NULL;
	struct cgpol_error err = {0};

	if (make_plan(host, text, &plan, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	made = describe(plan);
	if (strcmp(made, steps) != 0)
		fail_msg("%s: %s\nnot %s", text, made, steps);
}

static void each_setting_has_its_file(void **state)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{"vm.swappiness", VM "swappiness"},
		{"kernel.numa_balancing", "/proc/sys/kernel/numa_balancing"},
		{"weighted_interleave.node12", WEIGHTS "node12"},
		{"weighted_interleave.auto", WEIGHTS "auto"},
		{"weighted_interleave.node*", NULL},
		{"weighted_interleave.node1/../../x", NULL},
		{"memory.max", NULL},
		{"oom_score_adj", NULL},
		{"vm.unknown", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(free_p) char *path = hostkeys_path(cases[i].name);

		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
	}
	for (const struct key *key = key_table; key->name; key++) {
		AUTO(free_p) char *path = hostkeys_path(key->name);

		if (!strchr(key->name, '*'))
			assert_int_equal(path != NULL, key->scope == KEY_HOST);
	}
}

static void only_differences_are_steps(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();

	(void)state;
	must_plan(host,
		  "vm.swappiness=60 vm.panic_on_oom=0 vm.overcommit_ratio=50 vm.overcommit_memory=heuristic",
		  "");
	must_plan(host, "vm.swappiness=10 vm.panic_on_oom=0 kernel.numa_balancing=1",
		  "swappiness 60>10, numa_balancing 0>1");
	must_plan(host, "vm.overcommit_kbytes=0", "");
	/* Settings of others are not its business. */
	must_plan(host, "memory.max=1M oom_score_adj=5 vm.zone_reclaim_mode=1", "zone_reclaim_mode 0>1");
}

/* mm/util.c: writing one of ratio and kbytes sets the other to 0. In the mode never a limit of nothing would
 * refuse everything. */
static void the_limits_come_before_the_mode_that_keeps_to_them(void **state)
{
	static const struct {
		const char *mode, *ratio, *kbytes, *wanted, *steps;
	} cases[] = {
		{"0", "50", "0", "vm.overcommit_memory=never vm.overcommit_ratio=80",
		 "overcommit_ratio 50>80, overcommit_memory 0>2"},
		{"0", "50", "0", "vm.overcommit_memory=2 vm.overcommit_kbytes=5000",
		 "overcommit_ratio 50>0, overcommit_kbytes 0>5000, overcommit_memory 0>2"},
		{"2", "50", "0", "vm.overcommit_memory=1 vm.overcommit_ratio=80",
		 "overcommit_memory 2>1, overcommit_ratio 50>80"},
		{"2", "50", "0", "vm.overcommit_memory=1 vm.overcommit_kbytes=80",
		 "overcommit_memory 2>1, overcommit_ratio 50>0, overcommit_kbytes 0>80"},
		{"2", "50", "0", "vm.overcommit_ratio=80", "overcommit_ratio 50>80"},
		{"2", "50", "0", "vm.overcommit_kbytes=80",
		 "overcommit_memory 2>1, overcommit_ratio 50>0, overcommit_kbytes 0>80, overcommit_memory "
		 "1>2"},
		{"2", "0", "70", "vm.overcommit_ratio=80 vm.overcommit_memory=2",
		 "overcommit_memory 2>1, overcommit_kbytes 70>0, overcommit_ratio 0>80, overcommit_memory "
		 "1>2"},
		{"1", "0", "70", "vm.overcommit_ratio=80", "overcommit_kbytes 70>0, overcommit_ratio 0>80"},
		{"1", "0", "70", "vm.overcommit_ratio=0", ""},
		{"1", "0", "70", "vm.overcommit_kbytes=70 vm.overcommit_ratio=0", ""},
		{"1", "50", "0", "vm.overcommit_kbytes=0 vm.overcommit_ratio=60", "overcommit_ratio 50>60"},
		{"1", "50", "0", "vm.overcommit_kbytes=9 vm.overcommit_ratio=0",
		 "overcommit_ratio 50>0, overcommit_kbytes 0>9"},
		{"0", "50", "0", "vm.overcommit_memory=always", "overcommit_memory 0>1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_host) struct cgpol_host *host = open_kernel();

		fakekernel_put(host->root, VM "overcommit_memory", cases[i].mode);
		fakekernel_put(host->root, VM "overcommit_ratio", cases[i].ratio);
		fakekernel_put(host->root, VM "overcommit_kbytes", cases[i].kbytes);
		must_plan(host, cases[i].wanted, cases[i].steps);
	}
}

static char *read_limits(struct cgpol_host *host)
{
	static const char *const names[] = {"memory", "ratio", "kbytes"};
	char *all = strdup("");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		AUTO(free_p) char *text = NULL;
		char path[64], *more = NULL;

		(void)snprintf(path, sizeof(path), VM "overcommit_%s", names[i]);
		assert_int_equal(root_read(host->root, path, &text, NULL), 0);
		assert_true(asprintf(&more, "%s%s ", all, text) > 0);
		free(all);
		all = more;
	}
	return all;
}

/* Done and undone, and with each write failing once: what was there is there again. */
static void undoing_brings_both_limits_back(void **state)
{
	static const struct {
		const char *mode, *ratio, *kbytes, *wanted, *then;
	} cases[] = {
		{"0", "50", "0", "vm.overcommit_kbytes=5000", "0 0 5000 "},
		{"0", "0", "70", "vm.overcommit_ratio=80 vm.overcommit_memory=2", "2 80 0 "},
		{"2", "0", "70", "vm.overcommit_ratio=80", "2 80 0 "},
		{"2", "50", "0", "vm.overcommit_kbytes=9 vm.overcommit_memory=0", "0 0 9 "},
		{"2", "50", "0", "vm.overcommit_kbytes=9", "2 0 9 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (unsigned n = 0; n <= 4; n++) {
			AUTO(close_host) struct cgpol_host *host = open_kernel();
			AUTO(plan_free_p) struct plan *plan = NULL;
			AUTO(free_p) char *before = NULL, *then = NULL, *after = NULL;
			struct applied applied = {0};
			struct cgpol_error err = {0};
			int rc;

			fakekernel_put(host->root, VM "overcommit_memory", cases[i].mode);
			fakekernel_put(host->root, VM "overcommit_ratio", cases[i].ratio);
			fakekernel_put(host->root, VM "overcommit_kbytes", cases[i].kbytes);
			before = read_limits(host);
			assert_int_equal(make_plan(host, cases[i].wanted, &plan, &err), 0);
			fakekernel_fail_nth(host->root, FAKEKERNEL_CHANGES, n, EPERM);
			rc = apply_plan(host, plan, NULL, &applied, &err);
			if (n == 0 || n > plan->steps) {
				if (rc < 0)
					fail_msg("%s: %s", cases[i].wanted, err.text);
				then = read_limits(host);
				assert_string_equal(then, cases[i].then);
				fakekernel_fail_nth(host->root, FAKEKERNEL_CHANGES, 0, 0);
				assert_int_equal(apply_undo(host, plan, &applied), 0);
			} else {
				assert_int_equal(rc, -EPERM);
			}
			after = read_limits(host);
			assert_string_equal(after, before);
		}
	}
}

static void weights_end_the_automatic_choice(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();
	AUTO(plan_free_p) struct plan *lossy = NULL;
	AUTO(plan_free_p) struct plan *again = NULL;

	(void)state;
	fakekernel_put(host->root, WEIGHTS "node0", "1\n");
	fakekernel_put(host->root, WEIGHTS "node1", "1\n");
	/* Before 6.16. */
	must_plan(host, "weighted_interleave.node0=5", "node0 1>5");
	fakekernel_put(host->root, WEIGHTS "auto", "true\n");
	must_plan(host, "weighted_interleave.auto=1", "");
	/* Without bandwidths from the firmware the kernel does not take "true" (-ENODEV): there is no way
	 * back. */
	assert_int_equal(make_plan(host, "weighted_interleave.node0=5", &lossy, NULL), 0);
	assert_int_equal(lossy->steps, 1);
	assert_non_null(strstr(lossy->step[0].lost, "automatic"));
	fakekernel_put(host->root, "/sys/devices/system/node/node0/access1/initiators/read_bandwidth",
		       "9000\n");
	fakekernel_put(host->root, "/sys/devices/system/node/node1/access1/initiators/read_bandwidth",
		       "900\n");
	must_plan(host, "weighted_interleave.node0=5 weighted_interleave.node1=2",
		  "auto true>false, node0 1>5, node1 1>2");
	fakekernel_put(host->root, WEIGHTS "auto", "false\n");
	must_plan(host, "weighted_interleave.node1=2", "node1 1>2");
	assert_int_equal(make_plan(host, "weighted_interleave.auto=yes", &again, NULL), 0);
	assert_int_equal(again->steps, 1);
	assert_string_equal(again->step[0].new_value, "true");
	assert_non_null(strstr(again->step[0].lost, "by hand"));
}

static void must_refuse(struct cgpol_host *host, const char *text, int rc, enum cgpol_kind kind,
			const char *why)
{
	AUTO(plan_free_p) struct plan *plan = NULL;
	struct cgpol_error err = {0};

	assert_int_equal(make_plan(host, text, &plan, &err), rc);
	if ((enum cgpol_kind)err.kind != kind || !strstr(err.text, why))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(plan->steps, 0);
}

static void what_the_kernel_lacks_is_told(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();
	static const char set[] = "vm.swappiness=1 weighted_interleave.node0=5";

	(void)state;
	must_refuse(host, set, -ENOENT, CGPOL_UNSUPPORTED,
		    "this kernel (6.1) has no weighted_interleave.node0: it came with 6.9");
	must_refuse(host, "weighted_interleave.auto=1", -ENOENT, CGPOL_UNSUPPORTED, "it came with 6.16");
	must_refuse(host, "vm.overcommit_ratio=5 vm.overcommit_kbytes=5", -EINVAL, CGPOL_USAGE,
		    "exclude each other");
	must_refuse(host, "weighted_interleave.auto=1 weighted_interleave.node0=5", -EINVAL, CGPOL_USAGE,
		    "exclude each other");
	fakekernel_fail(host->root, FAKEKERNEL_READS, VM "swappiness", EACCES);
	must_refuse(host, "vm.swappiness=1", -EACCES, CGPOL_FAILED, "cannot read vm.swappiness");
	fakekernel_fail(host->root, FAKEKERNEL_READS, "/proc/sys/kernel/numa_balancing", ENOENT);
	must_refuse(host, "kernel.numa_balancing=1", -ENOENT, CGPOL_UNSUPPORTED,
		    "this kernel (6.1) has no kernel.numa_balancing");
}

static void a_node_without_memory_has_no_weight(void **state)
{
	AUTO(close_host) struct cgpol_host *host = NULL;
	struct root *root = fakekernel_new(NULL);

	(void)state;
	fakekernel_release(root, "6.12.0");
	fakekernel_put(root, WEIGHTS "node0", "1\n");
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	must_refuse(host, "weighted_interleave.node1=5", -ENOENT, CGPOL_UNSUPPORTED,
		    "only nodes with memory have a weight");
}

static void a_missing_folder_is_made(void **state)
{
	AUTO(close_host) struct cgpol_host *host = open_kernel();
	struct cgpol_error err = {0};

	(void)state;
	/* It is there. */
	assert_int_equal(hostkeys_make_folder(host, "/etc/sysctl.d/60-cgpol.conf", &err), 0);
	assert_int_equal(fakekernel_accesses(host->root, FAKEKERNEL_CHANGES), 0);
	fakekernel_fail(host->root, FAKEKERNEL_READS, "/etc/sysctl.d", ENOENT);
	/* Another makes it at the same time. */
	fakekernel_fail_nth(host->root, FAKEKERNEL_CHANGES, 1, EEXIST);
	assert_int_equal(hostkeys_make_folder(host, "/etc/sysctl.d/60-cgpol.conf", &err), 0);
	fakekernel_fail_nth(host->root, FAKEKERNEL_CHANGES, 1, EACCES);
	assert_int_equal(hostkeys_make_folder(host, "/etc/sysctl.d/60-cgpol.conf", &err), -EACCES);
	assert_string_equal(err.text, "cannot make /etc/sysctl.d: Permission denied");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_setting_has_its_file),
		cmocka_unit_test(only_differences_are_steps),
		cmocka_unit_test(the_limits_come_before_the_mode_that_keeps_to_them),
		cmocka_unit_test(undoing_brings_both_limits_back),
		cmocka_unit_test(weights_end_the_automatic_choice),
		cmocka_unit_test(what_the_kernel_lacks_is_told),
		cmocka_unit_test(a_node_without_memory_has_no_weight),
		cmocka_unit_test(a_missing_folder_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
