/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is behind a refusal: read from the ancestors, the processes in the way, and the machine. */
#include "policy/cause.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/mounts.h"
#include "policy/need.h"

enum {
	SHOWN_SIZE = 160,    /* of a name in a sentence */
	PROCESSES_SHOWN = 8, /* enough to find out whose they are */
	REALTIME_SHOWN = 4,
	REALTIME_LOOKED = 65536, /* processes that are looked at for it */
};

static int lack(const char *controller, struct cgpol_error *err, const char *file, const char *hint,
		const char *why)
{
	(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
			"controller %.64s is not in cgroup.controllers of the root cgroup /: %s", controller,
			why);
	error_detail(err, file, controller, hint);
	return -EOPNOTSUPP;
}

static int lack_on_v1(const char *controller, const struct mounts_one *mount, struct cgpol_error *err)
{
	char point[SHOWN_SIZE], why[256], hint[160];

	text_escape(mount->point, point, sizeof(point));
	(void)snprintf(why, sizeof(why), "it is bound to cgroup v1, mounted at %s", point);
	(void)snprintf(hint, sizeof(hint),
		       "boot with cgroup_no_v1=%.64s, or with systemd.unified_cgroup_hierarchy=1",
		       controller);
	return lack(controller, err, "/proc/self/mountinfo", hint, why);
}

/* The line of a controller in /proc/cgroups (name, hierarchy, cgroups, enabled), which some later kernels do
 * without. -ENOENT when the file cannot be read or is empty, 0 when it was, and *is_there tells. */
static int read_line(struct cgpol_host *host, const char *v1_name, bool *is_there, uint64_t *hierarchy,
		     uint64_t *enabled)
{
	AUTO(free_p) char *text = NULL;
	struct span line, word, count;
	const char *rest;

	*is_there = false;
	if (root_read(host->root, "/proc/cgroups", &text, NULL) < 0 || !strchr(text, '\n'))
		return -ENOENT;
	for (rest = text; text_line(&rest, &line);) {
		if (!text_word(&line, &word) || !span_is(word, v1_name))
			continue;
		*is_there = text_word(&line, &word) && span_u64(word, hierarchy) == 0 &&
			    text_word(&line, &count) && text_word(&line, &word) &&
			    span_u64(word, enabled) == 0;
		break;
	}
	return 0;
}

static const struct mounts_one *find_v1(struct cgpol_host *host, const char *controller, const char *v1_name,
					struct mounts *mounts)
{
	AUTO(free_p) char *text = NULL;

	if (root_read(host->root, "/proc/self/mountinfo", &text, NULL) < 0 || mounts_parse(text, mounts) < 0)
		return NULL;
	return mounts_find_v1(mounts, controller, v1_name);
}

static void mounts_clear_p(struct mounts *mounts)
{
	mounts_clear(mounts);
}

int cause_of_lack(struct cgpol_host *host, const char *controller, struct cgpol_error *err)
{
	const char *v1_name = strcmp(controller, "io") == 0 ? "blkio" : controller;
	AUTO(mounts_clear_p) struct mounts mounts = {NULL, 0};
	const struct mounts_one *v1 = find_v1(host, controller, v1_name, &mounts);
	AUTO(free_p) char *cmdline = NULL;
	uint64_t hierarchy = 0, enabled = 0;
	bool is_there, has_table;

	if (v1)
		return lack_on_v1(controller, v1, err);
	(void)root_read(host->root, "/proc/cmdline", &cmdline, NULL);
	if (mounts_is_disabled(cmdline, controller, v1_name))
		return lack(controller, err, "/proc/cmdline",
			    "take cgroup_disable= off the kernel's command line",
			    "it is switched off on the kernel's command line (cgroup_disable=)");
	has_table = read_line(host, v1_name, &is_there, &hierarchy, &enabled) == 0;
	if (has_table && !is_there)
		return lack(controller, err, "/proc/cgroups", "use a kernel that has it",
			    "the kernel is built without it");
	if (has_table && enabled == 0)
		return lack(controller, err, "/proc/cgroups",
			    "boot without cgroup_disable=", "the kernel says that it is disabled");
	if (has_table && hierarchy != 0)
		return lack(controller, err, "/proc/cgroups", "boot with cgroup_no_v1=all",
			    "it is bound to a cgroup v1 hierarchy that is not mounted here");
	return lack(controller, err, "cgroup.controllers",
		    "delegate it: on a systemd machine with Delegate= of the unit that contains this one",
		    "the cgroup that is mounted there is not given it");
}

const char *cause_of_missing(const char *file)
{
	if (strncmp(file, "memory.swap.", 12) == 0)
		return "boot with swapaccount=1, and use a kernel with CONFIG_SWAP";
	if (strncmp(file, "memory.zswap.", 13) == 0)
		return "use a kernel with CONFIG_ZSWAP";
	if (strncmp(file, "cpu.uclamp.", 11) == 0)
		return "use a kernel with CONFIG_UCLAMP_TASK_GROUP";
	if (strncmp(file, "io.bfq.", 7) == 0)
		return "load the module bfq";
	if (strncmp(file, "io.cost.", 8) == 0)
		return "it is a file of the root cgroup only";
	return NULL;
}

void cause_add(struct cgpol_error *err, const char *more)
{
	struct cgpol_error old;

	if (!err)
		return;
	old = *err;
	(void)error_set(err, old.code, (enum cgpol_kind)old.kind, "%s%s", old.text, more);
	error_detail(err, old.file, old.value, old.hint);
}

void cause_add_processes(struct cgpol_host *host, const char *cgroup, struct cgpol_error *err)
{
	AUTO(free_p) pid_t *pids = NULL;
	char text[160] = "";
	size_t count = 0, used = 0;

	if (cgroup_procs(host, cgroup, &pids, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < PROCESSES_SHOWN; i++) {
		(void)snprintf(text + used, sizeof(text) - used, "%s%d", i == 0 ? ": " : ", ", (int)pids[i]);
		used = strlen(text);
	}
	if (count > PROCESSES_SHOWN)
		(void)snprintf(text + used, sizeof(text) - used, " and %zu more", count - PROCESSES_SHOWN);
	cause_add(err, text);
}

/* The scheduling policy: field 41 of /proc/PID/stat. The name in field 2 may hold anything, also ")". */
static const char *find_policy(const char *stat)
{
	static const char *const names[] = {NULL, "FIFO", "RR", NULL, NULL, NULL, "DEADLINE"};
	const char *at = strrchr(stat, ')');
	struct span line, word = {NULL, 0};
	uint64_t policy;

	if (!at)
		return NULL;
	line = (struct span){at + 1, strlen(at + 1)};
	for (int field = 3; field <= 41; field++) {
		if (!text_word(&line, &word))
			return NULL;
	}
	return span_u64(word, &policy) == 0 && policy < ARRAY_SIZE(names) ? names[policy] : NULL;
}

void cause_list_realtime(struct cgpol_host *host, char *text, size_t size)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0, used = 0;
	int shown = 0;

	text[0] = '\0';
	if (proc_list(host, &pids, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < REALTIME_LOOKED && shown < REALTIME_SHOWN; i++) {
		AUTO(free_p) char *stat = NULL;
		AUTO(free_p) char *cgroup = NULL;
		char path[32], name[64];
		const char *policy;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pids[i]);
		if (root_read(host->root, path, &stat, NULL) < 0)
			continue;
		policy = find_policy(stat);
		if (!policy || proc_read_cgroup(host, pids[i], &cgroup) < 0 || strcmp(cgroup, "/") == 0)
			continue;
		text_escape(cgroup, name, sizeof(name));
		(void)snprintf(text + used, size - used, "%s%d (%s, %s)", shown == 0 ? "" : ", ",
			       (int)pids[i], policy, name);
		used = strlen(text);
		shown++;
	}
}

char *cause_parent(const char *cgroup)
{
	const char *slash = strrchr(cgroup, '/');

	if (!slash || strcmp(cgroup, "/") == 0)
		return NULL;
	return strndup(cgroup, slash == cgroup ? 1 : (size_t)(slash - cgroup));
}

char *cause_read(struct cgpol_host *host, const char *cgroup, const char *file)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);
	char *text;

	return path && root_read(host->root, path, &text, NULL) == 0 ? text : NULL;
}

char *cause_first_without(struct cgpol_host *host, const char *cgroup, const char *controller)
{
	for (size_t end = 1;; end += strcspn(cgroup + end, "/")) {
		AUTO(free_p) char *name = strndup(cgroup, end);
		AUTO(free_p) char *list = name ? cause_read(host, name, "cgroup.controllers") : NULL;

		if (!list)
			return NULL;
		if (!need_list_has(list, controller))
			return TAKE(name);
		end += cgroup[end] == '/';
		if (cgroup[end] == '\0')
			return NULL;
	}
}

int cause_find_limit(struct cgpol_host *host, const char *cgroup, const char *limit, const char *used,
		     char **name, uint64_t *value)
{
	AUTO(free_p) char *at = strdup(cgroup);

	while (at) {
		AUTO(free_p) char *most = cause_read(host, at, limit);
		AUTO(free_p) char *now = used ? cause_read(host, at, used) : NULL;
		uint64_t allowed, have = UINT64_MAX;
		char *above;

		if (most && text_limit(most, &allowed) == 0 && allowed != UINT64_MAX &&
		    (!used || (now && text_u64(now, &have) == 0 && have >= allowed))) {
			*name = TAKE(at);
			*value = allowed;
			return 0;
		}
		above = cause_parent(at);
		free(at);
		at = above;
	}
	return -ENOENT;
}

static bool takes_one(const char *list, const struct nodeset *wanted)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};

	return list && nodeset_parse(list, NODESET_CPUS_MAX, &set, NULL) == 0 &&
	       nodeset_intersects(&set, wanted);
}

/* Has the cgroup, as a partition or for one (cpuset.cpus.exclusive, since 6.7), one of the cpus? */
static bool has_as_partition(struct cgpol_host *host, const char *cgroup, const struct nodeset *wanted,
			     char **cpus)
{
	AUTO(free_p) char *exclusive = cause_read(host, cgroup, "cpuset.cpus.exclusive");
	AUTO(free_p) char *state = NULL;
	AUTO(free_p) char *list = NULL;

	if (takes_one(exclusive, wanted)) {
		*cpus = TAKE(exclusive);
		return true;
	}
	state = cause_read(host, cgroup, "cpuset.cpus.partition");
	list = cause_read(host, cgroup, "cpuset.cpus");
	if (!state || strcmp(state, "member") == 0 || !takes_one(list, wanted))
		return false;
	*cpus = TAKE(list);
	return true;
}

char *cause_find_partition(struct cgpol_host *host, const char *cgroup, const char *list, char **cpus)
{
	AUTO(free_p) char *parent = cause_parent(cgroup);
	AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL};
	char **names = NULL, *found = NULL;
	size_t count = 0;

	if (!parent || nodeset_parse(list, NODESET_CPUS_MAX, &wanted, NULL) < 0 ||
	    cgroup_children(host, parent, &names, &count) < 0)
		return NULL;
	for (size_t i = 0; i < count && !found; i++) {
		if (strcmp(names[i], cgroup) != 0 && has_as_partition(host, names[i], &wanted, cpus))
			found = TAKE(names[i]);
	}
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return found;
}

const char cause_delegate_users[] =
	"put \"[Service]\" and \"Delegate=cpu cpuset io memory pids\" into "
	"/etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload, and log in again";

char *cause_common(const char *a, const char *b)
{
	size_t size = 0, last = 0;

	while (a[size] && a[size] == b[size]) {
		size++;
		if ((a[size] == '/' || a[size] == '\0') && (b[size] == '/' || b[size] == '\0'))
			last = size;
	}
	return strndup(a, last > 0 ? last : 1);
}

bool cause_has_seccomp(struct cgpol_host *host)
{
	AUTO(free_p) char *status = NULL;
	uint64_t mode;

	return root_read(host->root, "/proc/self/status", &status, NULL) == 0 &&
	       text_field(status, "Seccomp", &mode) == 0 && mode != 0;
}

void cause_list_chain(struct cgpol_host *host, const char *cgroup, const char *file, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t end = 1;; end += strcspn(cgroup + end, "/")) {
		AUTO(free_p) char *name = strndup(cgroup, end);
		AUTO(free_p) char *list = name ? cause_read(host, name, file) : NULL;
		char shown[SHOWN_SIZE], value[64];

		text_escape(name ? name : "?", shown, sizeof(shown));
		text_escape(list && *list ? list : "none", value, sizeof(value));
		if (list)
			(void)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", shown, value);
		used = strlen(text);
		end += cgroup[end] == '/';
		if (cgroup[end] == '\0')
			return;
	}
}

void cause_list_offline(struct cgpol_host *host, bool is_cpus, const char *list, char *text, size_t size)
{
	const char *path = is_cpus ? "/sys/devices/system/cpu/online" : "/sys/devices/system/node/has_memory";
	unsigned limit = is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(nodeset_clear_p) struct nodeset wanted = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset online = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset off = {0, NULL};
	AUTO(free_p) char *there = NULL;
	AUTO(free_p) char *missing = NULL;

	text[0] = '\0';
	if (root_read(host->root, path, &there, NULL) < 0 || nodeset_parse(list, limit, &wanted, NULL) < 0 ||
	    nodeset_parse(there, limit, &online, NULL) < 0 || nodeset_subtract(&off, &wanted, &online) < 0)
		return;
	missing = nodeset_format(&off);
	if (missing)
		(void)snprintf(text, size, "%s", missing);
}

/* The unit of systemd that a cgroup lies in: its last part that ends so. {NULL, 0}: none. */
static struct span find_unit(const char *cgroup)
{
	struct span unit = {NULL, 0};

	for (const char *at = cgroup; *at;) {
		size_t size = strcspn(at, "/");

		if ((size > 8 && strncmp(at + size - 8, ".service", 8) == 0) ||
		    (size > 6 && strncmp(at + size - 6, ".scope", 6) == 0))
			unit = (struct span){at, size};
		at += size;
		at += *at == '/';
	}
	return unit;
}

static void advise_gap(const char *parent, const char *cgroup, const char *controller, struct cause_gap *gap)
{
	struct span unit = find_unit(parent);
	char shown[128];

	if (strstr(cgroup, "/user@")) {
		(void)snprintf(gap->hint, sizeof(gap->hint), "as root: %s", cause_delegate_users);
	} else if (unit.at && unit.at[unit.size - 1] == 'e' &&
		   strcmp(unit.at + unit.size - 5, "scope") == 0) {
		(void)snprintf(gap->hint, sizeof(gap->hint),
			       "have the scope made with it: systemd-run --scope -p Delegate=yes COMMAND");
	} else if (unit.at) {
		(void)snprintf(
			gap->hint, sizeof(gap->hint),
			"as root: systemctl edit %.*s, with [Service] and Delegate=%.64s, and restart it",
			unit.size < 80 ? (int)unit.size : 80, unit.at, controller);
	} else {
		text_escape(parent, shown, sizeof(shown));
		(void)snprintf(gap->hint, sizeof(gap->hint),
			       "write \"+%.64s\" into cgroup.subtree_control of %.100s", controller, shown);
	}
}

int cause_find_gap(struct cgpol_host *host, const char *cgroup, const char *controller, struct cause_gap *gap)
{
	AUTO(free_p) char *first = cause_first_without(host, cgroup, controller);
	AUTO(free_p) char *parent = first ? cause_parent(first) : NULL;
	AUTO(free_p) char *type = parent ? cause_read(host, parent, "cgroup.type") : NULL;
	struct cgpol_error lack = {0};
	char above[SHOWN_SIZE], shown[128];

	if (!first)
		return -ENOENT;
	*gap = (struct cause_gap){.kind = CGPOL_UNSUPPORTED};
	if (!parent) {
		(void)cause_of_lack(host, controller, &lack);
		(void)snprintf(gap->why, sizeof(gap->why), "%.431s", lack.text);
		(void)snprintf(gap->hint, sizeof(gap->hint), "%s", lack.hint);
		return 0;
	}
	text_escape(parent, above, sizeof(above));
	text_escape(first, shown, sizeof(shown));
	if (type && strcmp(type, "domain") != 0 && !need_is_threaded(controller)) {
		(void)snprintf(gap->why, sizeof(gap->why),
			       "controller %.64s cannot be enabled in cgroup %s, which is \"%.32s\"",
			       controller, above, type);
		(void)snprintf(gap->hint, sizeof(gap->hint),
			       "choose a place whose cgroup.type is \"domain\"");
		return 0;
	}
	(void)snprintf(gap->why, sizeof(gap->why),
		       "controller %.64s is not enabled in cgroup %s, so that %s has nothing of it",
		       controller, above, shown);
	advise_gap(parent, cgroup, controller, gap);
	return 0;
}
