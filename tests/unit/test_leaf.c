/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A populated inner cgroup: its processes move into a child first, and threads have a way of their own. */
#include "policy/leaf.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policies.h"
#include "policy/apply.h"
#include "test.h"

#define CG "/sys/fs/cgroup"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_policy *policy;
	struct plan *plan;
	struct plan_request request;
	struct cgpol_error err;
	char text[1024];
};

/* /web has processes 100 and 101, and no controllers below it yet. */
static void open_scene(struct scene *scene, struct cgpol_policy *policy)
{
	scene->root = fakekernel_new(NULL);
	assert_int_equal(host_open_root(scene->root, &scene->host, NULL), 0);
	fakekernel_cgroup(scene->root, "/web", NULL);
	assert_int_equal(fakekernel_start(scene->root, "/web", 100), 0);
	assert_int_equal(fakekernel_start(scene->root, "/web", 101), 0);
	scene->policy = policy;
	scene->request = (struct plan_request){.policy = policy, .cgroup = "/web/db"};
}

static void close_scene(struct scene *scene)
{
	plan_free(scene->plan);
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

static int make(struct scene *scene)
{
	plan_free(TAKE(scene->plan));
	return plan_read_with(scene->host, &scene->request, &scene->plan, &scene->err);
}

static const char *show(struct scene *scene)
{
	scene->text[0] = '\0';
	for (size_t i = 0; i < scene->plan->steps; i++) {
		const struct step *step = &scene->plan->step[i];
		char pid[16];
		size_t used = strlen(scene->text);

		(void)snprintf(pid, sizeof(pid), "%d", (int)step->pid);
		(void)snprintf(scene->text + used, sizeof(scene->text) - used, "%s %s%s; ", step->cgroup,
			       step->op == STEP_MKDIR	   ? "mkdir"
			       : step->op == STEP_ATTACH   ? pid
			       : step->op == STEP_THREADED ? "threaded"
							   : step->new_value,
			       step->is_optional ? "?" : "");
	}
	return scene->text;
}

static void without_a_leaf_it_is_refused_with_the_pids_and_the_way_round(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	assert_int_equal(make(&scene), -EBUSY);
	assert_int_equal(scene.err.kind, CGPOL_REFUSED);
	assert_non_null(strstr(scene.err.text, "100, 101"));
	assert_non_null(strstr(scene.err.hint, "--leaf NAME"));
}

static void its_processes_move_first(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	scene.request.leaf = "main";
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene), "/web/main mkdir; /web/main 100?; /web/main 101?; /web +memory; "
					  "/web/db mkdir; /web/db 1048576; ");
	assert_string_equal(scene.plan->step[1].old_value, "/web");
	assert_true(scene.plan->step[1].start_time > 0);
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	assert_string_equal(fakekernel_where(scene.root, 101), "/web/main");
	assert_int_equal(make(&scene), 0);
	assert_int_equal(scene.plan->steps, 0);
}

static void only_the_moves_until_there_are_none(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	scene.request.leaf = "main";
	scene.request.is_leaf_only = true;
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene), "/web/main mkdir; /web/main 100?; /web/main 101?; ");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	/* One was forked before its parent moved. */
	assert_int_equal(fakekernel_start(scene.root, "/web", 102), 0);
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene), "/web/main 102?; ");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	assert_int_equal(make(&scene), 0);
	assert_int_equal(scene.plan->steps, 0);
}

static void the_cgroup_itself_may_be_the_leaf(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	scene.request.leaf = "db";
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene), "/web/db mkdir; /web/db 100?; /web/db 101?; /web +memory; "
					  "/web/db 1048576; ");
}

static void names_that_cannot_be_are_usage(void **state)
{
	static const char *const bad[] = {"", "..", "a/b", "/a", "-x", "a\nb", "on"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO(close_scene) struct scene scene = {0};

		open_scene(&scene, policies_make("memory.max=1M", NULL));
		scene.request.cgroup = "/web/on/db";
		scene.request.leaf = bad[i];
		assert_int_equal(make(&scene), -EINVAL);
		assert_int_equal(scene.err.kind, CGPOL_USAGE);
	}
}

static void one_that_ended_is_not_missed(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	scene.request.leaf = "main";
	assert_int_equal(make(&scene), 0);
	fakekernel_end(scene.root, 100);
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	assert_string_equal(fakekernel_where(scene.root, 101), "/web/main");
}

/* ---- threads ---- */

static char *type_of(struct scene *scene, const char *cgroup)
{
	AUTO(free_p) char *path = cgroup_path(scene->host, cgroup, "cgroup.type");
	char *text = NULL;

	return root_read(scene->root, path, &text, NULL) == 0 ? text : NULL;
}

static void a_threaded_one_may_be_below_processes(void **state)
{
	AUTO(close_scene) struct scene scene = {0};
	AUTO(free_p) char *above = NULL;
	AUTO(free_p) char *own = NULL;

	(void)state;
	open_scene(&scene, policies_make("cpu.weight=50", NULL));
	scene.request.is_threaded = true;
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene), "/web +cpu; /web/db mkdir; /web/db threaded; /web/db 50; ");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
	above = type_of(&scene, "/web");
	own = type_of(&scene, "/web/db");
	assert_string_equal(above, "domain threaded");
	assert_string_equal(own, "threaded");
	assert_int_equal(make(&scene), 0);
	assert_int_equal(scene.plan->steps, 0);
	/* One level more: all below has to be threaded. */
	scene.request.cgroup = "/web/db/x/y";
	assert_int_equal(make(&scene), 0);
	assert_string_equal(show(&scene),
			    "/web/db +cpu; /web/db/x mkdir; /web/db/x threaded; /web/db/x +cpu; "
			    "/web/db/x/y mkdir; /web/db/x/y threaded; /web/db/x/y 50; ");
	assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
}

static void a_domain_controller_cannot_be_threaded(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("memory.max=1M", NULL));
	scene.request.is_threaded = true;
	assert_int_equal(make(&scene), -EINVAL);
	assert_int_equal(scene.err.kind, CGPOL_USAGE);
	assert_non_null(strstr(scene.err.text, "memory"));
	scene.request.cgroup = "/";
	assert_int_equal(make(&scene), -EINVAL);
}

/* Processes of a cgroup farther up are in the way still: it would turn "domain threaded". */
static void only_the_one_above_becomes_domain_threaded(void **state)
{
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("cpu.weight=50", NULL));
	scene.request.is_threaded = true;
	scene.request.cgroup = "/web/db/t";
	assert_int_equal(make(&scene), -EBUSY);
}

static void types_stay_as_they_are_unless_asked(void **state)
{
	static const char *const cgroups[] = {"/web", "/top", "/top/sub", "/top/sub/x"};
	AUTO(close_scene) struct scene scene = {0};

	(void)state;
	open_scene(&scene, policies_make("cpu.weight=50", "pids.max=7", "cpuset.mems=0", NULL));
	fakekernel_cgroup(scene.root, "/top/sub", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(cgroups); i++) {
		AUTO(free_p) char *type = NULL;

		scene.request.cgroup = cgroups[i];
		assert_int_equal(make(&scene), 0);
		assert_int_equal(apply_plan(scene.host, scene.plan, scene.policy, NULL, &scene.err), 0);
		for (size_t j = 0; j <= i; j++) {
			free(type);
			type = type_of(&scene, cgroups[j]);
			assert_string_equal(type, "domain");
		}
	}
	/* Threaded controllers too are refused where that would change. */
	scene.request.cgroup = "/web/x";
	assert_int_equal(make(&scene), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_leaf_it_is_refused_with_the_pids_and_the_way_round),
		cmocka_unit_test(its_processes_move_first),
		cmocka_unit_test(only_the_moves_until_there_are_none),
		cmocka_unit_test(the_cgroup_itself_may_be_the_leaf),
		cmocka_unit_test(names_that_cannot_be_are_usage),
		cmocka_unit_test(one_that_ended_is_not_missed),
		cmocka_unit_test(a_threaded_one_may_be_below_processes),
		cmocka_unit_test(a_domain_controller_cannot_be_threaded),
		cmocka_unit_test(only_the_one_above_becomes_domain_threaded),
		cmocka_unit_test(types_stay_as_they_are_unless_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
