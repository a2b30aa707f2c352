/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A fake kernel, a policy, and the plan for one cgroup, for tests that apply it. */
#include "scene.h"

#include "base/cleanup.h"
#include "fakekernel.h"
#include "policies.h"
#include "test.h"

void scene_open(struct scene *scene, const char *controllers)
{
	scene->root = fakekernel_new(controllers);
	fakekernel_put(scene->root, "/proc/4194303/stat",
		       "4194303 (cgpol) R 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0 0 0 0 0 0 0 0 "
		       "0 0 0 0 0 0 "
		       "0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(host_open_root(scene->root, &scene->host, &scene->err), 0);
}

void scene_close(struct scene *scene)
{
	plan_free(scene->plan);
	policy_free(scene->policy);
	cgpol_host_free(scene->host);
}

int scene_plan(struct scene *scene, const char *cgroup)
{
	plan_free(TAKE(scene->plan));
	return plan_read(scene->host, scene->policy, cgroup, NULL, &scene->plan, &scene->err);
}

int scene_apply(struct scene *scene)
{
	return apply_plan(scene->host, scene->plan, scene->policy, &scene->applied, &scene->err);
}

void scene_expect(struct scene *scene, const char *path, const char *text)
{
	AUTO(free_p) char *found = NULL;

	assert_int_equal(root_read(scene->root, path, &found, NULL), 0);
	assert_string_equal(found, text);
}

struct cgpol_policy *scene_policy(void)
{
	return policies_make("memory.high=64M", "memory.max=128M", "cpuset.cpus=1-2", "cpuset.mems=1",
			     "memory.oom.group=1", "pids.max=100", NULL);
}
