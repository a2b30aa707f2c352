/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One machine seen through one root: where cgroup v2 is, and which controllers it has there. */
#include "host/host.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nodeset.h"
#include "base/text.h"
#include "host/mountinfo.h"
#include "host/record.h"

static const char mountinfo_path[] = "/proc/self/mountinfo";

static void host_free_p(struct cgpol_host **host)
{
	cgpol_host_free(*host);
}

/* The mounts that matter, by preference: one of a hierarchy's root over one of a part of it, the first over
 * later ones. */
struct choice {
	struct mountinfo mount;
	bool is_found, is_root;
};

static void consider(struct choice *choice, const struct mountinfo *mount)
{
	bool is_root = span_is(mount->root, "/");

	if (choice->is_found && (choice->is_root || !is_root))
		return;
	*choice = (struct choice){*mount, true, is_root};
}

static int take_point(const struct choice *choice, char **point)
{
	if (!choice->is_found)
		return 0;
	*point = mountinfo_unmangle(choice->mount.point);
	return *point ? 0 : -ENOMEM;
}

static int read_mounts(struct cgpol_host *host)
{
	struct choice unified = {0}, memory = {0}, cpuset = {0};
	AUTO(free_p) char *text = NULL;
	struct mountinfo mount;
	struct span line;
	const char *rest;
	int rc = root_read(host->root, mountinfo_path, &text, NULL);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (rest = text; text_line(&rest, &line);) {
		if (!mountinfo_parse(line, &mount))
			continue;
		if (span_is(mount.type, "cgroup2"))
			consider(&unified, &mount);
		if (!span_is(mount.type, "cgroup"))
			continue;
		if (mountinfo_has_option(mount.super, "memory"))
			consider(&memory, &mount);
		if (mountinfo_has_option(mount.super, "cpuset"))
			consider(&cpuset, &mount);
	}
	if (unified.is_found) {
		host->cgroup2_root = mountinfo_unmangle(unified.mount.root);
		if (!host->cgroup2_root)
			return -ENOMEM;
	}
	rc = take_point(&unified, &host->cgroup2);
	rc = rc < 0 ? rc : take_point(&memory, &host->memory_v1);
	return rc < 0 ? rc : take_point(&cpuset, &host->cpuset_v1);
}

/* What the root of cgroup v2 could hand down. Nothing where it cannot be read. */
static int read_controllers(struct cgpol_host *host)
{
	AUTO(free_p) char *path = NULL;
	AUTO(free_p) char *text = NULL;
	struct span list, word;
	int rc;

	if (!host->cgroup2)
		return 0;
	if (asprintf(&path, "%s/cgroup.controllers", strcmp(host->cgroup2, "/") == 0 ? "" : host->cgroup2) <
	    0) {
		path = NULL;
		return -ENOMEM;
	}
	rc = root_read(host->root, path, &text, NULL);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	list = (struct span){text, strlen(text)};
	while (text_word(&list, &word)) {
		host->has_memory = host->has_memory || span_is(word, "memory");
		host->has_cpuset = host->has_cpuset || span_is(word, "cpuset");
	}
	return 0;
}

/* The cpuN lines of /proc/stat: there is one for each cpu that is online (fs/proc/stat.c show_stat). */
static unsigned count_stat_cpus(const char *text)
{
	struct span line;
	unsigned count = 0;

	while (text_line(&text, &line)) {
		if (line.size > 3 && span_starts(line, "cpu") && line.at[3] >= '0' && line.at[3] <= '9')
			count++;
	}
	return count;
}

int host_read_cpus(struct cgpol_host *host, unsigned *cpus)
{
	AUTO(nodeset_clear_p) struct nodeset online = {0, NULL};
	AUTO(free_p) char *list = NULL;
	AUTO(free_p) char *stat = NULL;
	unsigned count;
	int rc = root_read(host->root, "/sys/devices/system/cpu/online", &list, NULL);

	if (rc == 0)
		rc = nodeset_parse(list, NODESET_CPUS_MAX, &online, NULL);
	if (rc == -ENOMEM)
		return rc;
	count = (unsigned)nodeset_count(&online);
	if (count == 0) {
		rc = root_read(host->root, "/proc/stat", &stat, NULL);
		if (rc == -ENOMEM)
			return rc;
		count = rc == 0 ? count_stat_cpus(stat) : 0;
	}
	*cpus = count > 0 ? count : 1;
	return 0;
}

/* "6.1.0-57-cloud-amd64": three numbers, where what is missing is 0. */
static void parse_release(struct cgpol_host *host)
{
	unsigned *part[] = {&host->major, &host->minor, &host->patch};
	const char *at = host->root->facts.release;

	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		uint64_t number;

		if (text_u64_head(at, &at, &number) < 0 || number > UINT_MAX)
			return;
		*part[i] = (unsigned)number;
		if (*at != '.')
			return;
		at++;
	}
}

int host_open_root(struct root *root, struct cgpol_host **host, struct cgpol_error *err)
{
	AUTO(host_free_p) struct cgpol_host *made = calloc(1, sizeof(*made));
	int rc;

	if (!made) {
		root_free(root);
		return error_no_memory(err);
	}
	made->root = root;
	parse_release(made);
	rc = read_mounts(made);
	rc = rc < 0 ? rc : read_controllers(made);
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "cannot read this machine: %s", strerror(-rc));
	*host = TAKE(made);
	return 0;
}

int host_open(const char *dir, const char *record, struct cgpol_host **host, struct cgpol_error *err)
{
	struct root *root;
	int rc = root_open(dir ? dir : "/", &root, err);

	if (rc < 0)
		return rc;
	if (record) {
		rc = record_open(root, record, &root, err);
		if (rc < 0)
			return rc;
	}
	return host_open_root(root, host, err);
}

int host_finish(struct cgpol_host *host, struct cgpol_error *err)
{
	return record_finish(host->root, err);
}

void host_trace(struct cgpol_host *host, root_trace_fn *trace, void *arg)
{
	host->root->trace = trace;
	host->root->trace_arg = arg;
}

int host_compare_kernel(const struct cgpol_host *host, unsigned major, unsigned minor, unsigned patch)
{
	if (host->major != major)
		return host->major < major ? -1 : 1;
	if (host->minor != minor)
		return host->minor < minor ? -1 : 1;
	return (host->patch > patch) - (host->patch < patch);
}

int cgpol_host_open(const char *root, struct cgpol_host **host, struct cgpol_error *err)
{
	return host_open(root, NULL, host, err);
}

void cgpol_host_free(struct cgpol_host *host)
{
	if (!host)
		return;
	root_free(host->root);
	free(host->cgroup2);
	free(host->cgroup2_root);
	free(host->memory_v1);
	free(host->cpuset_v1);
	free(host);
}

/* Is the controller switched off by cgroup_disable= (kernel/cgroup/cgroup.c cgroup_disable)? A later
 * cgroup_enable=, which some distributions' kernels know, takes it back. */
static int is_disabled_at_boot(struct cgpol_host *host, bool *is_disabled)
{
	static const char disable[] = "cgroup_disable=", enable[] = "cgroup_enable=";
	AUTO(free_p) char *text = NULL;
	struct span line, word;
	const char *rest;
	int rc = root_read(host->root, "/proc/cmdline", &text, NULL);

	*is_disabled = false;
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (rest = text; text_line(&rest, &line);) {
		while (text_word(&line, &word)) {
			bool is_off = span_starts(word, disable);
			size_t skip = is_off ? sizeof(disable) - 1 : sizeof(enable) - 1;

			if (!is_off && !span_starts(word, enable))
				continue;
			if (mountinfo_has_option((struct span){word.at + skip, word.size - skip}, "memory"))
				*is_disabled = is_off;
		}
	}
	return 0;
}

/* The line of the memory controller in /proc/cgroups: name, hierarchy, cgroups, enabled. */
static int read_memory_line(struct cgpol_host *host, bool *is_there, uint64_t *hierarchy, uint64_t *enabled)
{
	AUTO(free_p) char *text = NULL;
	struct span line, word, count;
	const char *rest;
	int rc = root_read(host->root, "/proc/cgroups", &text, NULL);

	*is_there = false;
	if (rc < 0)
		return rc;
	for (rest = text; text_line(&rest, &line);) {
		if (!text_word(&line, &word) || !span_is(word, "memory"))
			continue;
		*is_there = text_word(&line, &word) && span_u64(word, hierarchy) == 0 &&
			    text_word(&line, &count) && text_word(&line, &word) &&
			    span_u64(word, enabled) == 0;
		break;
	}
	return 0;
}

static int lack(struct cgpol_error *err, const char *file, const char *value, const char *hint,
		const char *why)
{
	(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
			"cgroup v2 has no memory controller on this machine: %s", why);
	error_detail(err, file, value, hint);
	return -EOPNOTSUPP;
}

static int lack_on_v1(const struct cgpol_host *host, struct cgpol_error *err)
{
	char point[160], why[256];

	text_escape(host->memory_v1, point, sizeof(point));
	(void)snprintf(why, sizeof(why), "it is bound to cgroup v1, mounted at %s", point);
	return lack(err, mountinfo_path, point,
		    "boot with cgroup_no_v1=memory, or with systemd.unified_cgroup_hierarchy=1", why);
}

/* The mount is there, v1 does not have it: why does cgroup.controllers not name it? */
static int explain_lack(struct cgpol_host *host, struct cgpol_error *err)
{
	uint64_t hierarchy = 0, enabled = 0;
	bool is_there;
	int rc = read_memory_line(host, &is_there, &hierarchy, &enabled);

	if (rc == -ENOMEM)
		return error_no_memory(err);
	/* From 6.13 on /proc/cgroups leaves out what has no v1 side (kernel/cgroup/cgroup-v1.c
	 * proc_cgroupstats_show): no line proves nothing there. */
	if (rc == 0 && !is_there && host_compare_kernel(host, 6, 13, 0) < 0)
		return lack(err, "/proc/cgroups", "memory", "use a kernel with CONFIG_MEMCG",
			    "the kernel is built without it");
	if (rc == 0 && is_there && enabled == 0)
		return lack(err, "/proc/cgroups", "memory", "boot without cgroup_disable=memory",
			    "the kernel says that it is disabled");
	if (rc == 0 && hierarchy != 0)
		return lack(err, "/proc/cgroups", "memory", "boot with cgroup_no_v1=memory",
			    "it is bound to a cgroup v1 hierarchy that is not mounted here");
	return lack(err, "cgroup.controllers", host->cgroup2,
		    "enable it in cgroup.subtree_control of the cgroups above",
		    "the cgroup at the mount is not given it");
}

int host_need_cgroup2(const struct cgpol_host *host, struct cgpol_error *err)
{
	if (host->cgroup2)
		return 0;
	(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED, "no cgroup2 file system is mounted");
	error_detail(err, mountinfo_path, "cgroup2", "mount -t cgroup2 none /sys/fs/cgroup");
	return -EOPNOTSUPP;
}

int host_need_memory(struct cgpol_host *host, struct cgpol_error *err)
{
	bool is_disabled;

	if (host->has_memory)
		return 0;
	if (host->memory_v1)
		return lack_on_v1(host, err);
	if (is_disabled_at_boot(host, &is_disabled) < 0)
		return error_no_memory(err);
	if (is_disabled)
		return lack(err, "/proc/cmdline", "cgroup_disable=memory",
			    "take it off the kernel's command line",
			    "it is switched off on the kernel's command line");
	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	return explain_lack(host, err);
}
