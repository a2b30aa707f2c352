/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cpuset partitions: what is read of one, and the steps that make one. */
#include "policy/partition.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "machine.h"
#include "policy/apply.h"
#include "test.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	struct cgpol_policy *policy;
	struct cgpol_error err;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	fakekernel_cgroup(scene->root, "/a/b", NULL);
	assert_int_equal(fakekernel_poke(scene->root, "/a/b", "cgroup.subtree_control", "+cpuset"), 0);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
}

static void close_scene(struct scene *scene)
{
	plan_free(scene->plan);
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

static int make(struct scene *scene, const struct partition_request *request)
{
	plan_free(TAKE(scene->plan));
	policy_free(TAKE(scene->policy));
	return partition_plan(scene->host, request, &scene->plan, &scene->policy, &scene->err);
}

/* "FILE=VALUE of CGROUP" for each step. */
static void expect_steps(const struct plan *plan, const char *expected)
{
	char text[1024] = "";

	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];

		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s %s", i ? "; " : "",
			       step->cgroup, step->op == STEP_SET ? step->file : "?",
			       step->new_value ? step->new_value : "?");
	}
	assert_string_equal(text, expected);
}

static void what_is_there_is_read(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(partition_clear) struct partition partition = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.cpus", "2-3"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a", "cpuset.cpus.partition", "root"), 0);
	assert_int_equal(partition_read(scene.host, "/a", &partition, NULL), 0);
	assert_string_equal(partition.type, "root");
	assert_false(partition.is_invalid);
	assert_null(partition.reason);
	assert_string_equal(partition.cpus, "2-3");
	assert_string_equal(partition.effective, "2-3");
	assert_null(partition.exclusive); /* 6.1 */
}

static void an_invalid_one_has_the_kernels_reason(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(partition_clear) struct partition partition = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "cpuset.cpus", "3"), 0);
	assert_int_equal(fakekernel_poke(scene.root, "/a/b", "cpuset.cpus.partition", "isolated"), 0);
	assert_int_equal(partition_read(scene.host, "/a/b", &partition, NULL), 0);
	assert_string_equal(partition.type, "isolated");
	assert_true(partition.is_invalid);
	assert_string_equal(partition.reason, "Parent is not a partition root");
	assert_false(partition_is_parent(scene.host, "/a/b"));
	assert_false(partition_is_parent(scene.host, "/a"));
	assert_true(partition_is_parent(scene.host, "/"));
	assert_int_equal(partition_read(scene.host, "/none", &partition, &scene.err), -ENOENT);
	assert_int_equal(scene.err.kind, CGPOL_FAILED);
	assert_string_equal(partition.type, "isolated");
}

static void the_cpus_come_before_the_type(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(partition_clear) struct partition partition = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(
		make(&scene, &(struct partition_request){.cgroup = "/a", .type = "root", .cpus = "2-3"}), 0);
	expect_steps(scene.plan, "/a cpuset.cpus 2-3; /a cpuset.cpus.partition root");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	assert_int_equal(partition_read(scene.host, "/a", &partition, NULL), 0);
	assert_string_equal(partition.type, "root");
	assert_false(partition.is_invalid);
	/* Again: nothing is left to do. */
	assert_int_equal(
		make(&scene, &(struct partition_request){.cgroup = "/a", .type = "root", .cpus = "2-3"}), 0);
	assert_int_equal(scene.plan->steps, 0);
	/* And back: the type first, so that the cpus are never shared. */
	assert_int_equal(
		make(&scene, &(struct partition_request){.cgroup = "/a", .type = "member", .cpus = "0-3"}),
		0);
	expect_steps(scene.plan, "/a cpuset.cpus.partition member; /a cpuset.cpus 0-3");
}

static void one_that_is_invalid_is_taken_back(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *before = NULL;
	AUTO(free_p) char *after = NULL;
	const struct partition_request request = {.cgroup = "/a/b", .type = "root", .cpus = "3"};

	(void)state;
	open_scene(&scene);
	before = fakekernel_dump_settings(scene.root);
	assert_int_equal(make(&scene, &request), 0);
	assert_true(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err) < 0);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(scene.err.text, "Parent is not a partition root"));
	partition_explain(scene.host, &request, &scene.err);
	assert_non_null(strstr(scene.err.hint, "--exclusive"));
	after = fakekernel_dump_settings(scene.root);
	assert_string_equal(before, after);
}

static void lists_may_be_written_in_every_form(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(
		make(&scene, &(struct partition_request){.cgroup = "/a", .cpus = "!0-1", .mems = "all"}), 0);
	expect_steps(scene.plan, "/a cpuset.mems 0-1; /a cpuset.cpus 2-3");
	assert_int_equal(make(&scene, &(struct partition_request){.cgroup = "/a", .cpus = "3-0"}), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
	assert_null(scene.plan);
}

/* ---- remote partitions, on a machine that can only be read ---- */

static struct root *make_newer(void)
{
	static const char *const cgroups[] = {"/a", "/a/b", "/a/b/c"};
	struct root *root = machine_new();

	(void)snprintf(root->facts.release, sizeof(root->facts.release), "6.12.0");
	fakeroot_put(root, "/sys/devices/system/cpu/possible", "0-3\n");
	fakeroot_put(root, "/sys/devices/system/node/possible", "0-1\n");
	fakeroot_put(root, "/sys/fs/cgroup/cpuset.cpus.effective", "0-3\n");
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.subtree_control", "cpuset\n");
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		static const char *const files[][2] = {{"cgroup.controllers", "cpuset\n"},
						       {"cgroup.subtree_control", "cpuset\n"},
						       {"cgroup.type", "domain\n"},
						       {"cgroup.procs", ""},
						       {"cpuset.cpus", "\n"},
						       {"cpuset.cpus.effective", "0-3\n"},
						       {"cpuset.cpus.exclusive", "\n"},
						       {"cpuset.cpus.partition", "member\n"},
						       {"cpuset.mems.effective", "0-1\n"}};
		char path[128];

		for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
			(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", cgroups[i], files[f][0]);
			fakeroot_put(root, path, files[f][1]);
		}
	}
	return root;
}

static void a_remote_one_is_kept_for_by_all_on_the_way(void **state)
{
	AUTO(close_scene) struct scene scene = {.root = make_newer()};
	const struct partition_request request = {.cgroup = "/a/b/c", .type = "isolated", .exclusive = "2"};

	(void)state;
	assert_int_equal(host_open_root(scene.root, &scene.host, NULL), 0);
	fakeroot_put(scene.root, "/sys/fs/cgroup/a/cpuset.cpus.exclusive", "3\n");
	assert_int_equal(make(&scene, &request), 0);
	expect_steps(scene.plan, "/a cpuset.cpus.exclusive 2-3; /a/b cpuset.cpus.exclusive 2; /a/b/c "
				 "cpuset.cpus.exclusive 2; /a/b/c cpuset.cpus.partition isolated");
	assert_null(scene.policy);
	/* Those that keep them already are left alone. */
	fakeroot_put(scene.root, "/sys/fs/cgroup/a/cpuset.cpus.exclusive", "1-3\n");
	assert_int_equal(make(&scene, &request), 0);
	expect_steps(scene.plan, "/a/b cpuset.cpus.exclusive 2; /a/b/c cpuset.cpus.exclusive 2; /a/b/c "
				 "cpuset.cpus.partition isolated");
	/* Below a partition it is a local one. */
	fakeroot_put(scene.root, "/sys/fs/cgroup/a/b/cpuset.cpus.partition", "root\n");
	assert_int_equal(make(&scene, &request), 0);
	expect_steps(scene.plan, "/a/b/c cpuset.cpus.exclusive 2; /a/b/c cpuset.cpus.partition isolated");
	assert_non_null(scene.policy);
}

static void a_failed_read_is_a_failure_or_does_not_matter(void **state)
{
	const struct partition_request request = {.cgroup = "/a/b/c", .type = "isolated", .exclusive = "2"};
	unsigned all = 1;

	(void)state;
	for (unsigned n = 1; n <= all; n++) {
		AUTO(close_scene) struct scene scene = {.root = make_newer()};
		unsigned before;
		int rc;

		assert_int_equal(host_open_root(scene.root, &scene.host, NULL), 0);
		before = fakeroot_accesses(scene.root);
		fakeroot_fail_nth(scene.root, n, ENOMEM);
		rc = make(&scene, &request);
		fakeroot_fail_nth(scene.root, 0, 0);
		all = fakeroot_accesses(scene.root) - before > all ? fakeroot_accesses(scene.root) - before
								   : all;
		if (rc < 0) {
			assert_null(scene.plan);
			assert_null(scene.policy);
		}
	}
	assert_true(all > 10);
}

/* ---- sentences ---- */

static void a_kernel_without_isolated_ones_lacks_something(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct partition_request isolated = {.cgroup = "/a", .type = "isolated"};
	const struct partition_request plain = {.cgroup = "/a", .type = "root"};
	static const char refusal[] = "cannot set cpuset.cpus.partition of cgroup /a to \"isolated\": no";

	(void)state;
	open_scene(&scene);
	(void)error_set(&scene.err, EINVAL, CGPOL_REFUSED, refusal);
	error_detail(&scene.err, "cpuset.cpus.partition", "isolated", "hint");
	partition_explain(scene.host, &isolated, &scene.err);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED); /* 6.1 has them */
	scene.host->major = 5;
	scene.host->minor = 10;
	partition_explain(scene.host, &plain, &scene.err);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	partition_explain(scene.host, &isolated, &scene.err);
	assert_int_equal(scene.err.kind, CGPOL_UNSUPPORTED);
	assert_string_equal(scene.err.text,
			    "this kernel (5.10) has no isolated partitions: they came with 6.1");
}

static void other_failures_stay_as_they_are(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	const struct partition_request request = {.cgroup = "/a", .type = "root"};

	(void)state;
	open_scene(&scene);
	partition_explain(scene.host, &request, NULL);
	(void)error_set(&scene.err, EACCES, CGPOL_FAILED, "Parent is not writable");
	error_detail(&scene.err, "cpuset.cpus.partition", "root", "hint");
	partition_explain(scene.host, &request, &scene.err);
	assert_string_equal(scene.err.hint, "hint");
	(void)error_set(&scene.err, EINVAL, CGPOL_REFUSED, "Parent");
	error_detail(&scene.err, "cpuset.cpus", "root", "hint");
	partition_explain(scene.host, &request, &scene.err);
	assert_string_equal(scene.err.hint, "hint");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_read),
		cmocka_unit_test(an_invalid_one_has_the_kernels_reason),
		cmocka_unit_test(the_cpus_come_before_the_type),
		cmocka_unit_test(one_that_is_invalid_is_taken_back),
		cmocka_unit_test(lists_may_be_written_in_every_form),
		cmocka_unit_test(a_remote_one_is_kept_for_by_all_on_the_way),
		cmocka_unit_test(a_failed_read_is_a_failure_or_does_not_matter),
		cmocka_unit_test(a_kernel_without_isolated_ones_lacks_something),
		cmocka_unit_test(other_failures_stay_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
