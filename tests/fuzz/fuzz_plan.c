/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a tree of cgroups and a policy made from the input. What is applied leaves nothing for a
 * second plan; what fails, by itself or at an access that the input chooses, leaves the tree as it was, but
 * for controllers of cgroups that have others below. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/apply.h"

/* The fuzz targets have no test library to link with: the fake kernel comes in whole. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "../lib/fakecgroup.c"
#include "../lib/fakecpuset.c"
#include "../lib/fakedomain.c"
#include "../lib/fakedump.c"
#include "../lib/fakekernel.c"
#include "../lib/fakememory.c"
#include "../lib/fakeops.c"
#include "../lib/fakeproc.c"
#include "../lib/fakeroot.c"
#include "../lib/fakesysctl.c"
#include "../lib/faketask.c"
#include "../lib/fakevalue.c"
#include "../lib/fakewatch.c"
/* NOLINTEND(bugprone-suspicious-include) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *at;
	size_t left;
};

static unsigned take(struct bytes *bytes, unsigned below)
{
	if (bytes->left == 0)
		return 0;
	bytes->left--;
	return *bytes->at++ % below;
}

static void require(int condition)
{
	if (!condition)
		abort();
}

static const char *const places[] = {"/a", "/a/b", "/a/b/c", "/d", "/d/e"};

static const char *const settings[][2] = {
	{"memory.max", "max"},
	{"memory.max", "1M"},
	{"memory.max", "5000"},
	{"memory.high", "0"},
	{"memory.high", "50%"},
	{"memory.low", "10% of nodes:0-1"},
	{"memory.swap.max", "0"},
	{"memory.oom.group", "1"},
	{"memory.newest", "1"},
	{"cpuset.mems", ""},
	{"cpuset.mems", "0"},
	{"cpuset.mems", "1"},
	{"cpuset.mems", "0-3"},
	{"cpuset.cpus", ""},
	{"cpuset.cpus", "1-2"},
	{"cpuset.cpus", "3"},
	{"cpuset.cpus", "0-9"},
	{"cpuset.cpus.partition", "root"},
	{"cpuset.cpus.partition", "member"},
	{"cpu.weight", "7"},
	{"cpu.max", "5000"},
	{"cpu.max", "max 5000"},
	{"cpu.max", "nonsense"},
	{"io.max", "252:0 rbps=4096"},
	{"io.max", "8:0 rbps=4096"},
	{"hugetlb.2MB.max", "3M"},
	{"pids.max", "10"},
	{"cgroup.freeze", "1"},
	{"cgroup.max.depth", "5"},
};

/* Anything may be refused: the tree is what comes of it. */
static void build_tree(struct root *root, struct bytes *bytes)
{
	static const char *const controllers[] = {"+memory", "+cpuset", "+cpu", "+pids", "+io", "+hugetlb"};
	unsigned actions = take(bytes, 32);

	for (unsigned i = 0; i < actions; i++) {
		const char *place = places[take(bytes, ARRAY_SIZE(places))];
		unsigned setting;

		switch (take(bytes, 6)) {
		case 0:
		case 1:
			(void)fakekernel_poke(root, place, NULL, NULL);
			break;
		case 2:
			(void)fakekernel_poke(root, take(bytes, 2) ? place : "", "cgroup.subtree_control",
					      controllers[take(bytes, ARRAY_SIZE(controllers))]);
			break;
		case 3:
			(void)fakekernel_start(root, place, (pid_t)i + 1);
			break;
		case 4:
			(void)fakekernel_poke(root, place, "cgroup.type", "threaded");
			break;
		default:
			setting = take(bytes, ARRAY_SIZE(settings));
			(void)fakekernel_poke(root, place, settings[setting][0], settings[setting][1]);
			break;
		}
	}
}

static void build_policy(struct cgpol_policy *policy, struct bytes *bytes)
{
	unsigned count = take(bytes, 8);

	for (unsigned i = 0; i < count; i++) {
		unsigned setting = take(bytes, ARRAY_SIZE(settings));

		require(policy_set(policy, settings[setting][0], settings[setting][1], NULL) == 0);
	}
}

static void require_same(struct root *root, const char *before)
{
	AUTO(free_p) char *after = fakekernel_dump(root);

	if (strcmp(before, after) == 0)
		return;
	(void)fprintf(stderr, "before:\n%s\nafter:\n%s", before, after);
	abort();
}

/* The root last: a controller goes upwards. */
static const char *const parents[] = {"/a/b/c", "/a/b", "/a", "/d/e", "/d", ""};

struct handed_down {
	char *controllers[ARRAY_SIZE(parents)];
};

static void clear_handed_down(struct handed_down *down)
{
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
		free(down->controllers[i]);
}

/* NULL where there is no such cgroup. */
static char *read_controllers(struct root *root, const char *parent)
{
	AUTO(free_p) char *path = NULL;
	char *text = NULL;

	require(asprintf(&path, "/sys/fs/cgroup%s/cgroup.subtree_control", parent) > 0);
	return root_read(root, path, &text, NULL) == 0 ? text : NULL;
}

static void note_handed_down(struct root *root, struct handed_down *down)
{
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
		down->controllers[i] = read_controllers(root, parents[i]);
}

static int has_cgroups(struct root *root, const char *parent)
{
	AUTO(free_p) char *path = NULL;
	char **name = NULL;
	size_t count = 0;

	require(asprintf(&path, "/sys/fs/cgroup%s", parent) > 0);
	require(root_list(root, path, &name, &count) == 0);
	root_list_free(name, count);
	return count > 0;
}

/* Only where there are other cgroups a controller may be left enabled. */
static void take_off(struct root *root, const struct handed_down *before)
{
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
		AUTO(free_p) char *now = read_controllers(root, parents[i]);
		struct span line = {now, now ? strlen(now) : 0}, word;

		if (!before->controllers[i] || !now || !has_cgroups(root, parents[i]))
			continue;
		while (text_word(&line, &word)) {
			struct span old = {before->controllers[i], strlen(before->controllers[i])}, has;
			char minus[32];
			int is_old = 0;

			(void)snprintf(minus, sizeof(minus), "-%.*s", (int)word.size, word.at);
			while (!is_old && text_word(&old, &has))
				is_old = span_is(has, minus + 1);
			if (!is_old)
				(void)fakekernel_poke(root, parents[i], "cgroup.subtree_control", minus);
		}
	}
}

/* Steps that may fail may be left, nothing else. */
static void require_done(struct cgpol_host *host, const struct cgpol_policy *policy, const char *place,
			 const char *also)
{
	AUTO(plan_free_p) struct plan *plan = NULL;

	require(plan_read(host, policy, place, also, &plan, NULL) == 0);
	for (size_t i = 0; i < plan->steps; i++)
		require(plan->step[i].is_optional);
}

/* Does the plan say itself that something cannot come back? */
static bool is_marked_lost(const struct plan *plan)
{
	for (size_t i = 0; i < plan->steps; i++) {
		if (plan->step[i].lost)
			return true;
	}
	return false;
}

static void try_plan(struct cgpol_host *host, const struct cgpol_policy *policy, struct bytes *bytes)
{
	/* Not ENOENT and ENODEV: said of something that is there they are lies, which are believed. */
	static const int errnums[] = {EIO, EACCES, EBUSY, ENOMEM, EINVAL, EROFS, ERANGE, EINTR};
	const char *place = places[take(bytes, ARRAY_SIZE(places))];
	const char *also = take(bytes, 2) ? "memory" : NULL;
	AUTO(free_p) char *before = fakekernel_dump(host->root);
	AUTO(clear_handed_down) struct handed_down down = {{NULL}};
	AUTO(plan_free_p) struct plan *plan = NULL;
	struct cgpol_error err = {0};
	struct applied applied = {0};
	int rc = plan_read(host, policy, place, also, &plan, &err);

	require_same(host->root, before);
	if (rc < 0) {
		require(err.code == -rc && err.text[0] != '\0' && err.kind != 0);
		return;
	}
	note_handed_down(host->root, &down);
	fakekernel_fail_nth(host->root, 1 + take(bytes, 3), take(bytes, 32),
			    errnums[take(bytes, ARRAY_SIZE(errnums))]);
	rc = apply_plan(host, plan, policy, &applied, &err);
	fakekernel_fail_nth(host->root, FAKEKERNEL_READS, 0, 0);
	if (rc < 0) {
		require(err.code == -rc && err.text[0] != '\0' && err.kind != 0);
		if (strstr(err.text, "failed too") || strstr(err.text, "does not take an empty list"))
			return;
		if (!strstr(err.text, "as it was before"))
			take_off(host->root, &down);
		require_same(host->root, before);
		return;
	}
	require_done(host, policy, place, also);
	if (apply_undo(host, plan, &applied) < 0 || is_marked_lost(plan))
		return;
	take_off(host->root, &down);
	require_same(host->root, before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	struct root *root = fakekernel_new(take(&bytes, 4) ? NULL : "cpuset memory");
	AUTO(policy_free_p) struct cgpol_policy *policy = NULL;
	struct cgpol_host *host = NULL;

	require(policy_new(&policy) == 0);
	build_tree(root, &bytes);
	build_policy(policy, &bytes);
	require(host_open_root(root, &host, NULL) == 0);
	try_plan(host, policy, &bytes);
	cgpol_host_free(host);
	return 0;
}
