/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings of the whole machine as steps of a plan. */
#include "policy/hostkeys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "policy/agreement.h"

#define MODE "vm.overcommit_memory"
#define RATIO "vm.overcommit_ratio"
#define KBYTES "vm.overcommit_kbytes"
#define WEIGHT "weighted_interleave.node"
#define AUTOMATIC "weighted_interleave.auto"
#define NEVER "2"
#define ALWAYS "1"

static const char lost_weights[] = "the weights that were set by hand";
static const char lost_auto[] = "the automatic choice of weights, for which this machine tells no bandwidths";
static const char why_other[] = "the kernel would set it to 0 with the next step: so undo knows what it was";
static const char why_open[] = "in the mode never nothing could be allocated between the next two steps";
static const char why_mode_last[] = "the limit holds before the mode that keeps to it";
static const char why_mode_first[] = "the mode that keeps to the limit ends before the limit changes";

/* What hostkeys_plan works with. */
struct work {
	struct cgpol_host *host;
	const struct cgpol_policy *policy;
	struct plan *plan;
	struct cgpol_error *err;
};

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

char *hostkeys_path(const char *name)
{
	const struct key *key = key_find(name);
	char *path = NULL;
	int rc = -1;

	if (!key || key->scope != KEY_HOST)
		return NULL;
	if (starts_with(name, "vm."))
		rc = asprintf(&path, "/proc/sys/vm/%s", name + 3);
	else if (starts_with(name, "kernel."))
		rc = asprintf(&path, "/proc/sys/kernel/%s", name + 7);
	else
		rc = asprintf(&path, "/sys/kernel/mm/mempolicy/weighted_interleave/%s",
			      strchr(name, '.') + 1);
	return rc < 0 ? NULL : path;
}

static int refuse_missing(const struct work *work, const char *name, const char *path)
{
	const struct cgpol_host *host = work->host;
	const struct key *key = key_find(name);

	if (key && key_is_later(key, host->major, host->minor))
		(void)error_set(work->err, ENOENT, CGPOL_UNSUPPORTED,
				"this kernel (%u.%u) has no %s: it came with %s", host->major, host->minor,
				name, key->since);
	else if (starts_with(name, WEIGHT))
		(void)error_set(work->err, ENOENT, CGPOL_UNSUPPORTED,
				"there is no %s: only nodes with memory have a weight", name);
	else
		(void)error_set(work->err, ENOENT, CGPOL_UNSUPPORTED, "this kernel (%u.%u) has no %s",
				host->major, host->minor, name);
	error_detail(work->err, path, NULL,
		     starts_with(name, WEIGHT) ? "\"cgpol nodes\" shows which have memory" : NULL);
	return -ENOENT;
}

static int read_old(const struct work *work, const char *name, const char *path, char **old)
{
	int rc = root_read(work->host->root, path, old, NULL);

	if (rc == -ENOENT)
		return refuse_missing(work, name, path);
	if (rc == -ENOMEM)
		(void)error_no_memory(work->err);
	if (rc < 0 && rc != -ENOMEM) {
		(void)error_set(work->err, -rc, CGPOL_FAILED, "cannot read %s: %s", name,
				strerrordesc_np(-rc));
		error_detail(work->err, path, NULL, NULL);
	}
	return rc;
}

static int read_key(const struct work *work, const char *name, char **old)
{
	AUTO(free_p) char *path = hostkeys_path(name);

	if (!path) {
		(void)error_no_memory(work->err);
		return -ENOMEM;
	}
	return read_old(work, name, path, old);
}

static int add(const struct work *work, const char *name, const char *old, const char *new, const char *why,
	       const char *lost)
{
	AUTO(free_p) char *path = hostkeys_path(name);
	const struct step step = {
		.op = STEP_HOST,
		.file = path,
		.old_value = (char *)(uintptr_t)old,
		.new_value = (char *)(uintptr_t) new,
		.why = why,
		.lost = lost,
	};

	if (!path || plan_add(work->plan, &step) < 0)
		return error_no_memory(work->err);
	return 0;
}

static const char *wanted(const struct work *work, const char *name)
{
	const struct setting *setting = policy_get(work->policy, name);

	return setting ? setting->value : NULL;
}

/* ---- overcommit ---- */

/* mm/util.c overcommit_ratio_handler() and overcommit_kbytes_handler(): writing one sets the other to 0. In
 * the mode never a limit of nothing, which there is between the two steps, would refuse everybody's
 * allocations; `is_never` puts a moment of the mode always around them. */
static int plan_limit(const struct work *work, const char *name, const char *other, bool is_never)
{
	AUTO(free_p) char *old = NULL;
	AUTO(free_p) char *others = NULL;
	const char *value = wanted(work, name);
	bool is_other;
	int rc = read_key(work, name, &old);

	if (rc < 0 || strcmp(old, value) == 0)
		return rc;
	rc = read_key(work, other, &others);
	if (rc < 0)
		return rc;
	is_other = strcmp(others, "0") != 0;
	if (is_other && is_never)
		rc = add(work, MODE, NEVER, ALWAYS, why_open, NULL);
	if (rc == 0 && is_other)
		rc = add(work, other, others, "0", why_other, NULL);
	if (rc == 0)
		rc = add(work, name, old, value, NULL, NULL);
	if (rc == 0 && is_other && is_never)
		rc = add(work, MODE, ALWAYS, NEVER, why_mode_last, NULL);
	return rc;
}

/* Which of the two is to be written: the one that is not to be 0. NULL: none. */
static int choose_limit(const struct work *work, const char **name, const char **other)
{
	const char *ratio = wanted(work, RATIO), *kbytes = wanted(work, KBYTES);

	if (ratio && kbytes && strcmp(ratio, "0") != 0 && strcmp(kbytes, "0") != 0) {
		(void)error_set(work->err, EINVAL, CGPOL_USAGE, "%s and %s exclude each other", RATIO,
				KBYTES);
		error_detail(work->err, KBYTES, kbytes, "the kernel sets one to 0 when the other is set");
		return -EINVAL;
	}
	*name = ratio && (!kbytes || strcmp(kbytes, "0") == 0) ? RATIO : kbytes ? KBYTES : NULL;
	*other = *name && strcmp(*name, RATIO) == 0 ? KBYTES : RATIO;
	return 0;
}

static int plan_overcommit(const struct work *work)
{
	AUTO(free_p) char *mode = NULL;
	const char *new_mode = wanted(work, MODE);
	const char *name = NULL, *other = NULL;
	bool is_never, leaves, is_changed;
	int rc = choose_limit(work, &name, &other);

	if (rc < 0 || (!new_mode && !name))
		return rc;
	rc = read_key(work, MODE, &mode);
	if (rc < 0)
		return rc;
	is_never = strcmp(mode, NEVER) == 0;
	is_changed = new_mode && strcmp(mode, new_mode) != 0;
	leaves = is_never && is_changed;
	if (leaves)
		rc = add(work, MODE, mode, new_mode, name ? why_mode_first : NULL, NULL);
	if (rc == 0 && name)
		rc = plan_limit(work, name, other, is_never && !leaves);
	if (rc == 0 && is_changed && !leaves)
		rc = add(work, MODE, mode, new_mode,
			 name && strcmp(new_mode, NEVER) == 0 ? why_mode_last : NULL, NULL);
	return rc;
}

/* ---- weights ---- */

/* mm/mempolicy.c auto_store(): "true" is -ENODEV unless the firmware tells bandwidths, which are then in
 * sysfs (drivers/base/node.c node_set_perf_attrs(), access class 1: from cpus). */
static bool has_bandwidth(const struct work *work, const char *name)
{
	char path[128];
	struct root_info info;

	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/%s/access1/initiators/read_bandwidth",
		       strchr(name, '.') + 1);
	return root_stat(work->host->root, path, &info) == 0;
}

/* mm/mempolicy.c node_store(): a weight that is set by hand ends the automatic choice, which came with 6.16.
 */
static int end_auto(const struct work *work, const char *name, const char **lost)
{
	AUTO(free_p) char *path = hostkeys_path(AUTOMATIC);
	AUTO(free_p) char *now = NULL;
	int rc = path ? root_read(work->host->root, path, &now, NULL) : -ENOMEM;

	if (rc == -ENOMEM)
		return error_no_memory(work->err);
	if (rc < 0 || strcmp(now, "true") != 0)
		return 0;
	if (!has_bandwidth(work, name)) {
		*lost = lost_auto;
		return 0;
	}
	for (size_t i = 0; i < work->plan->steps; i++) {
		if (work->plan->step[i].op == STEP_HOST && strcmp(work->plan->step[i].file, path) == 0)
			return 0;
	}
	return add(work, AUTOMATIC, now, "false", "the kernel would do so with the next step", NULL);
}

/* ---- all of it ---- */

static int plan_setting(const struct work *work, const struct setting *setting)
{
	AUTO(free_p) char *old = NULL;
	bool is_auto = strcmp(setting->name, AUTOMATIC) == 0;
	const char *value = setting->value, *lost = NULL;
	int rc = read_key(work, setting->name, &old);

	if (rc < 0 || agreement_holds(setting, value, old))
		return rc;
	if (is_auto) {
		value = value[0] == '1' ? "true" : "false"; /* as it is read back */
		lost = value[0] == 't' ? lost_weights : NULL;
	}
	if (starts_with(setting->name, WEIGHT))
		rc = end_auto(work, setting->name, &lost);
	return rc < 0 ? rc : add(work, setting->name, old, value, NULL, lost);
}

static int check_weights(const struct work *work)
{
	const char *automatic = wanted(work, AUTOMATIC);

	for (size_t i = 0; automatic && automatic[0] == '1' && i < work->policy->settings; i++) {
		if (!starts_with(work->policy->setting[i].name, WEIGHT))
			continue;
		(void)error_set(work->err, EINVAL, CGPOL_USAGE, "%s and %s exclude each other", AUTOMATIC,
				work->policy->setting[i].name);
		error_detail(work->err, AUTOMATIC, "1", "a weight that is set ends the automatic choice");
		return -EINVAL;
	}
	return 0;
}

static bool is_overcommit(const char *name)
{
	return strcmp(name, MODE) == 0 || strcmp(name, RATIO) == 0 || strcmp(name, KBYTES) == 0;
}

static int plan_all(const struct work *work)
{
	int rc = check_weights(work);

	rc = rc < 0 ? rc : plan_overcommit(work);
	for (size_t i = 0; rc == 0 && i < work->policy->settings; i++) {
		const struct setting *setting = &work->policy->setting[i];

		if (setting->key && setting->key->scope == KEY_HOST && !is_overcommit(setting->name))
			rc = plan_setting(work, setting);
	}
	return rc;
}

int hostkeys_plan(struct cgpol_host *host, const struct cgpol_policy *policy, struct plan *plan,
		  struct cgpol_error *err)
{
	AUTO(plan_free_p) struct plan *made = NULL;
	struct work work = {.host = host, .policy = policy, .err = err};
	int rc = plan_new(NULL, &made);

	if (rc < 0)
		return rc == -ENOMEM ? error_no_memory(err) : rc;
	work.plan = made;
	rc = plan_all(&work);
	/* All of them or, on a failure, none. */
	for (size_t i = 0; rc == 0 && i < made->steps; i++)
		rc = plan_add(plan, &made->step[i]) < 0 ? error_no_memory(err) : 0;
	return rc;
}

int hostkeys_make_folder(struct cgpol_host *host, const char *file, struct cgpol_error *err)
{
	AUTO(free_p) char *folder = strndup(file, (size_t)(strrchr(file, '/') - file));
	struct root_info info;
	int rc;

	if (!folder)
		return error_no_memory(err);
	rc = root_stat(host->root, folder, &info);
	if (rc == -ENOENT)
		rc = root_mkdir(host->root, folder);
	if (rc == 0 || rc == -EEXIST)
		return 0;
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot make %s: %s", folder, strerrordesc_np(-rc));
	error_detail(err, folder, NULL, NULL);
	return rc;
}
