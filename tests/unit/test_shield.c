/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A shield: its plan, and who is told to be on its cpus. */
#include "act/shield.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policy/apply.h"
#include "test.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct plan *plan;
	struct cgpol_policy *policy;
	struct shield shield;
	struct cgpol_error err;
};

static void open_scene(struct scene *scene)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
}

static void close_scene(struct scene *scene)
{
	plan_free(scene->plan);
	policy_free(scene->policy);
	shield_clear(&scene->shield);
	cgpol_host_free(scene->host);
}

static int make(struct scene *scene, const char *cgroup, const char *cpus)
{
	const struct shield_request request = {.cgroup = cgroup, .cpus = cpus, .type = "isolated"};

	plan_free(TAKE(scene->plan));
	policy_free(TAKE(scene->policy));
	shield_clear(&scene->shield);
	return shield_plan(scene->host, &request, &scene->plan, &scene->policy, &scene->shield, &scene->err);
}

/* A process as /proc has it: its flags (PF_KTHREAD is 0x200000, PF_NO_SETAFFINITY 0x4000000), and where it
 * may run. */
static void put_thread(struct root *root, pid_t pid, pid_t tid, const char *comm, unsigned flags,
		       const char *cpus)
{
	char path[96], text[512];

	(void)snprintf(
		text, sizeof(text),
		"%d (%s) S 1 1 1 0 -1 %u 1 0 0 0 0 0 0 0 20 0 1 0 7 1 1 1 1 1 140000 0 0 0 0 0 0 0 0 0 17 "
		"0 0 0 0 0 0 1 1 1 1 1 1 1 0\n",
		tid, comm, flags);
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (pid == tid)
		fakekernel_put(root, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	fakekernel_put(root, path, text);
	(void)snprintf(text, sizeof(text), "Name:\t%s\nCpus_allowed_list:\t%s\n", comm, cpus);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pid == tid)
		fakekernel_put(root, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	fakekernel_put(root, path, text);
}

static void put_process(struct root *root, pid_t pid, const char *comm, unsigned flags, const char *cpus,
			const char *cgroup)
{
	char path[64], text[128];

	put_thread(root, pid, pid, comm, flags, cpus);
	(void)snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	(void)snprintf(text, sizeof(text), "0::%s\n", cgroup);
	fakekernel_put(root, path, text);
}

static void the_plan_makes_a_partition_with_its_cpus(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(partition_clear) struct partition partition = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_string_equal(scene.shield.cpus, "2-3");
	assert_string_equal(scene.shield.left, "0-1");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	assert_int_equal(partition_read(scene.host, SHIELD_CGROUP, &partition, NULL), 0);
	assert_string_equal(partition.type, "isolated");
	assert_false(partition.is_invalid);
	assert_string_equal(partition.effective, "2-3");
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_int_equal(scene.plan->steps, 0);
	assert_string_equal(scene.shield.left, "0-1");
	shield_clear(&scene.shield);
	assert_int_equal(shield_read(scene.host, SHIELD_CGROUP, &scene.shield, NULL), 0);
	assert_string_equal(scene.shield.cpus, "2-3");
	assert_string_equal(scene.shield.left, "0-1");
}

static void the_last_cpu_cannot_be_taken(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(make(&scene, SHIELD_CGROUP, "all"), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_string_equal(scene.err.text,
			    "cgroup /shield cannot have cpus 0-3 alone: no cpu would be left for "
			    "everybody else");
	assert_null(scene.plan);
	assert_null(scene.shield.cpus);
	assert_int_equal(make(&scene, SHIELD_CGROUP, "none"), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
	assert_int_equal(make(&scene, SHIELD_CGROUP, "3-0"), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
	assert_int_equal(make(&scene, "/", "3"), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
}

static void bound_kernel_threads_and_insisting_tasks_are_told(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	put_process(scene.root, 20, "migration/3", 0x4200000, "3", "/");
	put_process(scene.root, 22, "kswapd3", 0x200000, "3", "/");
	put_process(scene.root, 21, "kworker/u8:0", 0x4200000, "0-3", "/");
	put_process(scene.root, 30, "pinned", 0, "2-3", "/");
	put_process(scene.root, 31, "free", 0, "1-2", "/");
	put_process(scene.root, 32, "inside", 0, "3", "/shield/x");
	put_process(scene.root, 33, "beside", 0, "3", "/shielded");
	put_process(scene.root, 34, "main", 0, "0-3", "/");
	put_thread(scene.root, 34, 35, "worker", 0, "2");
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_int_equal(scene.shield.kthreads, 1);
	assert_int_equal(scene.shield.kthread[0].pid, 20);
	assert_string_equal(scene.shield.kthread[0].comm, "migration/3");
	assert_string_equal(scene.shield.kthread[0].cpus, "3");
	assert_int_equal(scene.shield.tasks, 3);
	assert_int_equal(scene.shield.task[0].pid, 30);
	assert_int_equal(scene.shield.task[1].pid, 33);
	assert_int_equal(scene.shield.task[2].pid, 34);
	assert_int_equal(scene.shield.task[2].tid, 35);
	assert_string_equal(scene.shield.task[2].cpus, "2");
}

static void what_the_boot_set_aside_is_noted(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_null(scene.shield.isolated);
	assert_null(scene.shield.nohz_full);
	assert_int_equal(scene.shield.notes, 1);
	assert_string_equal(scene.shield.note[0],
			    "the timer tick goes on on cpus 2-3: only booting with nohz_full= ends it");
	fakekernel_put(scene.root, "/sys/devices/system/cpu/isolated", "3\n");
	fakekernel_put(scene.root, "/sys/devices/system/cpu/nohz_full", "2-3\n");
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_string_equal(scene.shield.isolated, "3");
	assert_string_equal(scene.shield.nohz_full, "2-3");
	assert_int_equal(scene.shield.notes, 1);
	assert_string_equal(scene.shield.note[0],
			    "isolcpus= of the kernel's command line isolates cpus 3 already, "
			    "until the next boot without it");
	/* As a kernel without that option prints it. */
	fakekernel_put(scene.root, "/sys/devices/system/cpu/isolated", "\n");
	fakekernel_put(scene.root, "/sys/devices/system/cpu/nohz_full", "  (null)\n");
	assert_int_equal(make(&scene, SHIELD_CGROUP, "2-3"), 0);
	assert_null(scene.shield.isolated);
	assert_null(scene.shield.nohz_full);
}

static void without_a_shield_there_is_nothing_to_look_at(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene);
	assert_int_equal(shield_read(scene.host, SHIELD_CGROUP, &scene.shield, &scene.err), -ENOENT);
	assert_int_equal(scene.err.kind, CGPOL_FAILED);
	assert_null(scene.shield.cpus);
}

/* Processes come and go while they are looked at. */
static void a_failed_read_never_loses_the_others(void **state)
{
	unsigned all = 1;

	(void)state;
	for (unsigned n = 1; n <= all; n++) {
		AUTO(close_scene) struct scene scene = {0};
		unsigned before;
		int rc;

		open_scene(&scene);
		put_process(scene.root, 30, "one", 0, "2", "/");
		put_process(scene.root, 31, "two", 0, "3", "/");
		before = fakekernel_accesses(scene.root, FAKEKERNEL_READS);
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, n, ESRCH);
		rc = make(&scene, SHIELD_CGROUP, "2-3");
		fakekernel_fail_nth(scene.root, FAKEKERNEL_READS, 0, 0);
		if (fakekernel_accesses(scene.root, FAKEKERNEL_READS) - before > all)
			all = fakekernel_accesses(scene.root, FAKEKERNEL_READS) - before;
		assert_true(rc < 0 || scene.shield.tasks <= 2);
		assert_true(rc == 0 || !scene.shield.cpus);
	}
	assert_true(all > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_makes_a_partition_with_its_cpus),
		cmocka_unit_test(the_last_cpu_cannot_be_taken),
		cmocka_unit_test(bound_kernel_threads_and_insisting_tasks_are_told),
		cmocka_unit_test(what_the_boot_set_aside_is_noted),
		cmocka_unit_test(without_a_shield_there_is_nothing_to_look_at),
		cmocka_unit_test(a_failed_read_never_loses_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
