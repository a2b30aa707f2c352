/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A fake kernel, a policy, and the plan for one cgroup, for tests that apply it. */
#ifndef CGPOL_TEST_SCENE_H
#define CGPOL_TEST_SCENE_H

#include "host/host.h"
#include "policy/apply.h"
#include "policy/policy.h"

struct scene {
	struct root *root;
	struct cgpol_host *host;
	struct cgpol_policy *policy;
	struct plan *plan;
	struct applied applied;
	struct cgpol_error err;
};

/* Makes the machine with these controllers (NULL: all); a process 4194303, cgpol itself, started at 777. */
void scene_open(struct scene *scene, const char *controllers);
/* Frees all, the policy too. */
void scene_close(struct scene *scene);
/* Makes the plan, in the place of an earlier one; and applies it. 0 or -errno, with scene->err. */
int scene_plan(struct scene *scene, const char *cgroup);
int scene_apply(struct scene *scene);
/* A file holds this text, or the test fails. */
void scene_expect(struct scene *scene, const char *path, const char *text);
/* Of memory, cpuset and pids. */
struct cgpol_policy *scene_policy(void);

#endif
