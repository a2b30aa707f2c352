/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan does and in which order, and which requests it refuses and why. */
#include "policy/plan.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policies.h"
#include "test.h"

static unsigned mallocs_until_failure; /* 0: all succeed */

void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
char *__real_strdup(const char *text);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
char *__wrap_strdup(const char *text);

static bool runs_out(void)
{
	return mallocs_until_failure > 0 && --mallocs_until_failure == 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return runs_out() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return runs_out() ? NULL : __real_reallocarray(p, count, size);
}

char *__wrap_strdup(const char *text)
{
	return runs_out() ? NULL : __real_strdup(text);
}

int __wrap_asprintf(char **text, const char *format, ...);

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int rc;

	if (runs_out()) {
		*text = NULL;
		return -1;
	}
	va_start(args, format);
	rc = vasprintf(text, format, args);
	va_end(args);
	return rc;
}

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_policy *policy;
	struct plan *plan;
	struct cgpol_error err;
	char text[2048];
};

static void open_scene(struct scene *scene, struct cgpol_policy *policy)
{
	scene->root = fakekernel_new(NULL);
	scene->policy = policy;
	assert_int_equal(host_open_root(scene->root, &scene->host, &scene->err), 0);
}

static void close_scene(struct scene *scene)
{
	plan_free(scene->plan);
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

static int make_plan(struct scene *scene, const char *cgroup, const char *also)
{
	/* What was found at the beginning is of no use when the fake's files have changed. */
	return plan_read(scene->host, scene->policy, cgroup, also, &scene->plan, &scene->err);
}

/* "mkdir /a; / +memory; /a memory.max 1 (was max)?" : a "?" is an optional step. */
static const char *show_plan(struct scene *scene)
{
	FILE *out = fmemopen(scene->text, sizeof(scene->text), "we");

	for (size_t i = 0; i < scene->plan->steps; i++) {
		const struct step *step = &scene->plan->step[i];
		const char *end = step->is_optional ? "?; " : "; ";

		if (step->op == STEP_MKDIR)
			(void)fprintf(out, "mkdir %s%s", step->cgroup, end);
		else if (step->op == STEP_ENABLE)
			(void)fprintf(out, "%s %s%s", step->cgroup, step->new_value, end);
		else
			(void)fprintf(out, "%s=%s%s", step->file, step->new_value, end);
	}
	(void)fclose(out);
	return scene->text;
}

static void expect_refusal(struct scene *scene, int rc, int errnum, enum cgpol_kind kind, const char *text)
{
	assert_int_equal(rc, -errnum);
	assert_int_equal(scene->err.code, errnum);
	assert_int_equal(scene->err.kind, kind);
	if (!strstr(scene->err.text, text))
		fail_msg("\"%s\" does not have \"%s\"", scene->err.text, text);
	assert_null(scene->plan);
}

static void controllers_are_enabled_from_the_root_down(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("cgroup.freeze=0", "hugetlb.2MB.max=4M", "memory.max=1M", NULL));
	assert_int_equal(make_plan(&scene, "/a/b", NULL), 0);
	assert_string_equal(
		show_plan(&scene),
		"/ +hugetlb; / +memory; mkdir /a; /a +hugetlb; /a +memory; mkdir /a/b; cgroup.freeze=0; "
		"hugetlb.2MB.max=4194304; memory.max=1048576; ");
	assert_string_equal(scene.plan->cgroup, "/a/b");
	assert_null(scene.plan->step[3].old_value);
	assert_string_equal(scene.plan->step[0].old_value, "");
}

static void what_is_there_is_no_step(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", "memory.high=1M", "cpuset.cpus=0,1,2", NULL));
	fakekernel_cgroup(scene.root, "/a/b", "memory.max=1M", "cpuset.cpus=0-2", NULL);
	assert_int_equal(make_plan(&scene, "/a/b", NULL), 0);
	assert_string_equal(show_plan(&scene), "memory.high=1048576; ");
	assert_string_equal(scene.plan->step[0].old_value, "max");
}

static void a_good_to_have_controller_is_optional(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("pids.max=1", NULL));
	assert_int_equal(make_plan(&scene, "/a/b", "memory"), 0);
	assert_string_equal(show_plan(&scene),
			    "/ +pids; / +memory?; mkdir /a; /a +pids; /a +memory?; mkdir /a/b; pids.max=1; ");
}

static void a_good_to_have_controller_is_left_out_where_it_cannot_be(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make(NULL, NULL));
	assert_int_equal(fakekernel_poke(scene.root, "/a", NULL, NULL), 0);
	assert_int_equal(fakekernel_start(scene.root, "/a", 7), 0);
	assert_int_equal(make_plan(&scene, "/a/b", "memory"), 0);
	assert_string_equal(show_plan(&scene), "mkdir /a/b; ");
}

static void lowering_goes_from_soft_to_hard_and_raising_the_other_way(void **state)
{
	AUTO(close_scene) struct scene lower = {0};
	AUTO(close_scene) struct scene higher = {0};

	(void)state;
	open_scene(&lower, policies_make("memory.swap.max=0", "memory.max=1M", "memory.high=1M",
					 "memory.oom.group=1", "memory.low=4096", NULL));
	fakekernel_cgroup(lower.root, "/a", NULL);
	assert_int_equal(make_plan(&lower, "/a", NULL), 0);
	assert_string_equal(show_plan(&lower), "memory.oom.group=1; memory.low=4096; memory.high=1048576; "
					       "memory.max=1048576; memory.swap.max=0; ");
	open_scene(&higher, policies_make("memory.high=max", "memory.swap.max=max", "memory.max=1G", NULL));
	fakekernel_cgroup(higher.root, "/a", "memory.max=4096", "memory.high=4096", "memory.swap.max=0",
			  NULL);
	assert_int_equal(make_plan(&higher, "/a", NULL), 0);
	assert_string_equal(show_plan(&higher),
			    "memory.max=1073741824; memory.high=max; memory.swap.max=max; ");
}

static void a_partition_comes_after_its_cpus_and_ends_before_them(void **state)
{
	AUTO(close_scene) struct scene begin = {0};
	AUTO(close_scene) struct scene end = {0};

	(void)state;
	open_scene(&begin,
		   policies_make("cpuset.cpus.partition=root", "cpuset.cpus=1", "cpuset.mems=0", NULL));
	fakekernel_cgroup(begin.root, "/a", NULL);
	assert_int_equal(make_plan(&begin, "/a", NULL), 0);
	assert_string_equal(show_plan(&begin), "cpuset.mems=0; cpuset.cpus=1; cpuset.cpus.partition=root; ");
	open_scene(&end, policies_make("cpuset.cpus=0-3", "cpuset.cpus.partition=member", NULL));
	fakekernel_cgroup(end.root, "/a", "cpuset.cpus=1", "cpuset.cpus.partition=root", NULL);
	/* Its own cpus are no longer the parent's, and still it may have them. */
	assert_int_equal(make_plan(&end, "/a", NULL), 0);
	assert_string_equal(show_plan(&end), "cpuset.cpus.partition=member; cpuset.cpus=0-3; ");
}

static void percentages_are_of_the_lowest_limit_above(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=50%", "memory.high=10% of nodes:1", NULL));
	fakekernel_cgroup(scene.root, "/a/b", NULL);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "memory.max", "100M"), 0);
	assert_int_equal(make_plan(&scene, "/a/b/c", NULL), 0);
	assert_non_null(strstr(show_plan(&scene), "memory.high=107372544; memory.max=52428800; "));
}

static void a_controller_that_the_root_lacks_is_named_with_the_reason(void **state)
{
	static const struct {
		const char *file, *text, *reason;
	} cases[] = {
		{"/proc/cmdline", "quiet cgroup_disable=hugetlb\n",
		 "switched off on the kernel's command line"},
		{"/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t0\t1\t1\n",
		 "built without it"},
		{"/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\nhugetlb\t3\t1\t1\n",
		 "bound to a cgroup v1 hierarchy that is not mounted"},
		{"/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\nhugetlb\t0\t1\t0\n",
		 "it is disabled"},
		{"/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\nhugetlb\t0\t1\t1\n",
		 "is not given it"},
		{"/proc/self/mountinfo",
		 "24 1 0:22 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n30 1 0:29 / "
		 "/sys/fs/cgroup/hugetlb rw - "
		 "cgroup cgroup rw,hugetlb\n",
		 "bound to cgroup v1, mounted at /sys/fs/cgroup/hugetlb"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_scene) struct scene scene = {.policy = policies_make("hugetlb.2MB.max=0", NULL)};
		AUTO(free_p) char *before = NULL;
		AUTO(free_p) char *after = NULL;
		int rc;

		scene.root = fakekernel_new("cpuset memory");
		assert_int_equal(host_open_root(scene.root, &scene.host, &scene.err), 0);
		fakekernel_put(scene.root, cases[i].file, cases[i].text);
		before = fakekernel_dump(scene.root);
		rc = make_plan(&scene, "/foo/bar", NULL);
		after = fakekernel_dump(scene.root);
		expect_refusal(&scene, rc, EOPNOTSUPP, CGPOL_UNSUPPORTED, cases[i].reason);
		assert_non_null(
			strstr(scene.err.text,
			       "controller hugetlb is not in cgroup.controllers of the root cgroup /"));
		assert_string_equal(before, after);
	}
}

static void a_cgroup_with_processes_cannot_have_such_children(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	int rc;

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	fakekernel_cgroup(scene.root, "/web", NULL);
	for (pid_t pid = 20; pid < 31; pid++)
		assert_int_equal(fakekernel_start(scene.root, "/web", pid), 0);
	rc = make_plan(&scene, "/web/db", NULL);
	expect_refusal(&scene, rc, EBUSY, CGPOL_REFUSED,
		       "memory for the children of cgroup /web: it has processes of its own");
	assert_non_null(strstr(scene.err.text, ": 20, 21, 22, 23, 24, 25, 26, 27 and 3 more"));
	assert_non_null(strstr(scene.err.hint, "move its processes"));
}

static void no_cgroup_is_turned_threaded(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	int rc;

	(void)state;
	open_scene(&scene, policies_make("cpu.weight=50", NULL));
	fakekernel_cgroup(scene.root, "/web", NULL);
	assert_int_equal(fakekernel_start(scene.root, "/web", 20), 0);
	rc = make_plan(&scene, "/web/db", NULL);
	expect_refusal(&scene, rc, EBUSY, CGPOL_REFUSED, "would become threaded");
	assert_int_equal(fakekernel_poke(scene.root, "/web", "cgroup.subtree_control", "+cpu"), 0);
	rc = make_plan(&scene, "/web/db", NULL);
	expect_refusal(&scene, rc, EOPNOTSUPP, CGPOL_REFUSED, "cgroup /web is \"domain threaded\"");
	/* A child that exists already is of no more use. */
	assert_int_equal(fakekernel_poke(scene.root, "/web/db", NULL, NULL), 0);
	policy_free(scene.policy);
	scene.policy = policies_make("memory.max=1M", NULL);
	rc = make_plan(&scene, "/web/db", NULL);
	expect_refusal(&scene, rc, EOPNOTSUPP, CGPOL_REFUSED, "cgroup /web is \"domain threaded\"");
}

static void lists_are_held_against_the_machine_and_the_ancestors(void **state)
{
	static const struct {
		const char *setting;
		int errnum;
		enum cgpol_kind kind;
		const char *text;
	} cases[] = {
		{"cpuset.mems=1,9", ERANGE, CGPOL_USAGE, "node 9 is not possible on this machine"},
		{"cpuset.mems=2-3", ENODEV, CGPOL_UNSUPPORTED, "nodes 2-3 are without memory"},
		{"cpuset.mems=0-1", EINVAL, CGPOL_REFUSED,
		 "node 0 is not among those of cgroup /a, which are 1"},
		{"cpuset.cpus=0-8", ERANGE, CGPOL_USAGE, "cpu 8 is not possible"},
		{"cpuset.cpus=4-5", ENODEV, CGPOL_UNSUPPORTED, "cpus 4-5 are offline"},
		{"cpuset.cpus=0-3", EINVAL, CGPOL_REFUSED,
		 "cpus 2-3 are not among those of cgroup /a/b, which are 0-1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, policies_make(cases[i].setting, NULL));
		fakekernel_cgroup(scene.root, "/a/b", "cpuset.cpus=0-1", NULL);
		assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.mems", "1"), 0);
		if (strncmp(cases[i].setting, "cpuset.mems", 11) == 0)
			assert_int_equal(fakekernel_rmdir(scene.root, "/a/b"), 0);
		expect_refusal(&scene, make_plan(&scene, "/a/b/c", NULL), cases[i].errnum, cases[i].kind,
			       cases[i].text);
	}
}

static void a_file_this_kernel_does_not_have_is_refused(void **state)
{
	AUTO(close_scene) struct scene old = {0};
	AUTO(close_scene) struct scene unknown = {0};
	AUTO(close_scene) struct scene on_root = {0};
	int rc;

	(void)state;
	open_scene(&old, policies_make("memory.zswap.writeback=0", NULL));
	rc = make_plan(&old, "/a", NULL);
	expect_refusal(&old, rc, EOPNOTSUPP, CGPOL_UNSUPPORTED,
		       "this kernel (6.1) has no memory.zswap.writeback: it came with 6.8");
	open_scene(&unknown, policies_make("memory.newest=0", NULL));
	assert_int_equal(make_plan(&unknown, "/a", NULL), 0); /* it may come when the controller is enabled */
	plan_free(TAKE(unknown.plan));
	fakekernel_cgroup(unknown.root, "/a", NULL);
	rc = make_plan(&unknown, "/a", NULL);
	expect_refusal(&unknown, rc, EOPNOTSUPP, CGPOL_UNSUPPORTED, "has no memory.newest");
	open_scene(&on_root, policies_make("memory.max=1M", NULL));
	rc = make_plan(&on_root, "/", NULL);
	expect_refusal(&on_root, rc, EOPNOTSUPP, CGPOL_UNSUPPORTED, "the root cgroup has no memory.max");
}

static void what_cannot_come_back_is_marked(void **state)
{
	static const struct {
		const char *before, *setting;
		bool is_populated;
		const char *lost;
	} cases[] = {
		{"cpuset.mems=0-1", "cpuset.mems=1", true, NULL},
		{"cpuset.mems=", "cpuset.mems=1", true,
		 "an empty list, which this kernel refuses while processes live there"},
		{"cpuset.mems=", "cpuset.mems=1", false, NULL},
		{"cpuset.mems=0", "cpuset.mems=", true, NULL},
		{"memory.max=1M", "memory.max=max", true, NULL},
		{"pids.max=9", "pids.max=8", true, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, policies_make(cases[i].setting, NULL));
		fakekernel_cgroup(scene.root, "/a", cases[i].before, NULL);
		if (cases[i].is_populated)
			assert_int_equal(fakekernel_start(scene.root, "/a", 100), 0);
		assert_int_equal(make_plan(&scene, "/a", NULL), 0);
		assert_int_equal(scene.plan->steps, 1);
		if (cases[i].lost)
			assert_string_equal(scene.plan->step[0].lost, cases[i].lost);
		else
			assert_null(scene.plan->step[0].lost);
	}
}

static void names_are_safe_to_print(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	int rc;

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	fakekernel_cgroup(scene.root, "/\033[31m", NULL);
	assert_int_equal(fakekernel_start(scene.root, "/\033[31m", 20), 0);
	rc = make_plan(&scene, "/\033[31m/x", NULL);
	expect_refusal(&scene, rc, EBUSY, CGPOL_REFUSED, "of cgroup /\\x1b[31m:");
	assert_null(strchr(scene.err.text, '\033'));
}

static void a_plan_without_memory_is_no_plan(void **state)
{
	struct cgpol_policy *policy = policies_make("memory.max=1M", "cpuset.mems=0", NULL);
	struct current current = {0};
	struct root *root = fakekernel_new(NULL);
	struct cgpol_host *host = NULL;
	struct plan *plan = NULL;
	unsigned n = 0;
	int rc;

	(void)state;
	assert_int_equal(host_open_root(root, &host, NULL), 0);
	assert_int_equal(current_read(host, policy, "/a/b", NULL, &current, NULL), 0);
	do {
		struct cgpol_error err = {0};

		mallocs_until_failure = ++n;
		rc = plan_make(&current, policy, "pids", &plan, &err);
		if (rc < 0) {
			assert_null(plan);
			assert_int_equal(err.code, ENOMEM);
			assert_string_equal(err.text, "out of memory");
		}
	} while (rc == -ENOMEM);
	mallocs_until_failure = 0;
	assert_int_equal(rc, 0);
	assert_true(n > 25);
	plan_free(plan);
	current_clear(&current);
	cgpol_host_free(host);
	policy_free(policy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(controllers_are_enabled_from_the_root_down),
		cmocka_unit_test(what_is_there_is_no_step),
		cmocka_unit_test(a_good_to_have_controller_is_optional),
		cmocka_unit_test(a_good_to_have_controller_is_left_out_where_it_cannot_be),
		cmocka_unit_test(lowering_goes_from_soft_to_hard_and_raising_the_other_way),
		cmocka_unit_test(a_partition_comes_after_its_cpus_and_ends_before_them),
		cmocka_unit_test(percentages_are_of_the_lowest_limit_above),
		cmocka_unit_test(a_controller_that_the_root_lacks_is_named_with_the_reason),
		cmocka_unit_test(a_cgroup_with_processes_cannot_have_such_children),
		cmocka_unit_test(no_cgroup_is_turned_threaded),
		cmocka_unit_test(lists_are_held_against_the_machine_and_the_ancestors),
		cmocka_unit_test(a_file_this_kernel_does_not_have_is_refused),
		cmocka_unit_test(what_cannot_come_back_is_marked),
		cmocka_unit_test(names_are_safe_to_print),
		cmocka_unit_test(a_plan_without_memory_is_no_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
