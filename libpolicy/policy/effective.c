/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting comes to: what was asked for, what holds, and who makes the difference. */
#include "policy/effective.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"
#include "policy/hostkeys.h"
#include "policy/narrowing.h"

enum { SHOWN_SIZE = 160, NAME_SHOWN = 96 };

/* One file that is being judged. `made` has the file's text in `holds`. */
struct judging {
	struct cgpol_host *host;
	const char *cgroup, *file;
	struct effective *made;
};

void effective_clear(struct effective *effective)
{
	free(effective->requested);
	free(effective->holds);
	free(effective->from);
	free(effective->reason);
	*effective = (struct effective){0};
}

const char *effective_by_name(enum effective_by by)
{
	static const char *const names[] = {
		[EFFECTIVE_ITSELF] = "itself",	 [EFFECTIVE_ANCESTOR] = "ancestor",
		[EFFECTIVE_MACHINE] = "machine", [EFFECTIVE_SIBLING] = "sibling",
		[EFFECTIVE_INVALID] = "invalid", [EFFECTIVE_UNKNOWN] = "unknown",
	};

	return (size_t)by < ARRAY_SIZE(names) ? names[by] : "unknown";
}

/* Sets who is the reason and the sentence; `from` may be NULL. 0 or -ENOMEM. */
__attribute__((format(printf, 4, 5))) static int blame(struct effective *made, enum effective_by by,
						       const char *from, const char *format, ...)
{
	AUTO(free_p) char *copy = from ? strdup(from) : NULL;
	char *reason;
	va_list args;
	int size;

	va_start(args, format);
	size = vasprintf(&reason, format, args);
	va_end(args);
	if (size < 0)
		return -ENOMEM;
	free(made->reason);
	made->reason = reason;
	if (from && !copy)
		return -ENOMEM;
	free(made->from);
	made->from = TAKE(copy);
	made->by = by;
	return 0;
}

static int hold_number(struct effective *made, uint64_t number)
{
	char *text;

	if (asprintf(&text, "%" PRIu64, number) < 0)
		return -ENOMEM;
	free(made->holds);
	made->holds = text;
	return 0;
}

/* ---- a file that is not there ---- */

static int lack_controller(struct cgpol_host *host, const char *cgroup, const char *controller,
			   const char *file, struct cgpol_error *err)
{
	struct cause_gap gap;
	char shown[SHOWN_SIZE];

	if (cause_find_gap(host, cgroup, controller, &gap) < 0)
		return 0;
	text_escape(cgroup, shown, sizeof(shown));
	(void)error_set(err, EOPNOTSUPP, gap.kind, "cgroup %s has no %.64s: %s", shown, file, gap.why);
	error_detail(err, file, NULL, gap.hint);
	return -EOPNOTSUPP;
}

/* A name that is of v1, or of nothing: the request is wrong, not the machine. */
static int refuse_name(const char *file, struct cgpol_error *err)
{
	AUTO(free_p) char *controller = key_controller(file);
	const char *advice = NULL, *now = key_of_v1(file, &advice);
	char shown[NAME_SHOWN], hint[216] = "";
	unsigned distance;
	const char *nearest;

	if (key_find(file) || (controller && key_is_controller(controller) && !now))
		return 0;
	text_escape(file, shown, sizeof(shown));
	if (now && *now)
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s is a file of cgroup v1: in v2 it is %s", shown,
				now);
	else if (now)
		(void)error_set(err, EINVAL, CGPOL_USAGE, "%s is a file of cgroup v1", shown);
	else
		(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no file of a cgroup", shown);
	nearest = now ? NULL : key_nearest(file, &distance);
	if (advice)
		(void)snprintf(hint, sizeof(hint), "%s", advice);
	else if (nearest)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", nearest);
	error_detail(err, NULL, shown, hint[0] ? hint : NULL);
	return -EINVAL;
}

static int explain_missing(struct cgpol_host *host, const char *cgroup, const char *file,
			   struct cgpol_error *err)
{
	const struct key *key = key_find(file);
	AUTO(free_p) char *controller = key_controller(file);
	char shown[SHOWN_SIZE];
	uint64_t inode;
	int rc;

	text_escape(cgroup, shown, sizeof(shown));
	if (cgroup_inode(host, cgroup, &inode) < 0)
		return error_set(err, ENOENT, CGPOL_FAILED, "cgroup \"%s\" does not exist", shown);
	rc = refuse_name(file, err);
	if (rc == 0 && controller)
		rc = lack_controller(host, cgroup, controller, file, err);
	if (rc < 0)
		return rc;
	if (strcmp(cgroup, "/") == 0)
		(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED, "the root cgroup has no %.64s", file);
	else if (key && key->since)
		(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
				"cgroup %s has no %.64s: this kernel is %u.%u, and it came with %s", shown,
				file, host->major, host->minor, key->since);
	else
		(void)error_set(err, EOPNOTSUPP, CGPOL_UNSUPPORTED, "cgroup %s has no %.64s", shown, file);
	error_detail(err, file, NULL, cause_of_missing(file));
	if (err && !key && !err->hint[0] && key_nearest(file, NULL))
		(void)snprintf(err->hint, sizeof(err->hint), "did you mean %s?", key_nearest(file, NULL));
	return -EOPNOTSUPP;
}

/* ---- reading ---- */

/* Names of files only: what comes from the command line must not lead elsewhere. */
static bool is_file_name(const char *file)
{
	return *file && *file != '.' && !strchr(file, '/') && strlen(file) < 256;
}

static int read_own(struct cgpol_host *host, const char *cgroup, const char *file, char **text,
		    struct cgpol_error *err)
{
	AUTO(free_p) char *path = NULL;
	char shown[SHOWN_SIZE];
	int rc;

	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	if (!is_file_name(file)) {
		text_escape(file, shown, sizeof(shown));
		(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no file of a cgroup", shown);
		error_detail(err, NULL, shown, NULL);
		return -EINVAL;
	}
	path = cgroup_path(host, cgroup, file);
	if (!path)
		return error_no_memory(err);
	rc = root_read(host->root, path, text, NULL);
	if (rc == 0)
		return 0;
	if (rc == -ENOENT || rc == -ENODEV)
		return explain_missing(host, cgroup, file, err);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(cgroup, shown, sizeof(shown));
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot read %.64s of cgroup %s: %s", file, shown,
			strerror(-rc));
	error_detail(err, file, NULL, rc == -EOPNOTSUPP ? "a threaded cgroup has it not" : NULL);
	return rc;
}

/* ---- lists ---- */

static int judge_list(struct judging *judging)
{
	bool is_cpus = strcmp(judging->file, "cpuset.cpus") == 0;
	unsigned limit = is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(free_p)
	char *have = cause_read(judging->host, judging->cgroup,
				is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective");
	AUTO(nodeset_clear_p) struct nodeset asked = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset got = {0, NULL};

	if (!have || nodeset_parse(judging->made->requested, limit, &asked, NULL) < 0 ||
	    nodeset_parse(have, limit, &got, NULL) < 0)
		return blame(judging->made, EFFECTIVE_UNKNOWN, NULL, "the effective list cannot be read");
	free(judging->made->holds);
	judging->made->holds = TAKE(have);
	return narrowing_find(judging->host, judging->cgroup, is_cpus, &asked, &got, judging->made);
}

/* What the kernel lets it have of the cpus that it asks to keep, since 6.7. */
static int judge_exclusive(struct judging *judging)
{
	char *have = cause_read(judging->host, judging->cgroup, "cpuset.cpus.exclusive.effective");

	if (!have)
		return 0;
	free(judging->made->holds);
	judging->made->holds = have;
	if (!*judging->made->requested || strcmp(have, judging->made->requested) == 0)
		return 0;
	return blame(judging->made, EFFECTIVE_UNKNOWN, NULL,
		     "the cgroup above does not keep the others for it, or somebody else has them");
}

/* ---- limits: the lowest from here up ---- */

static bool is_limit(const char *file)
{
	static const char *const limits[] = {"memory.max",	 "memory.high",	     "memory.swap.max",
					     "memory.swap.high", "memory.zswap.max", "memory.min",
					     "memory.low",	 "pids.max"};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (strcmp(limits[i], file) == 0)
			return true;
	return strncmp(file, "hugetlb.", 8) == 0 && key_find(file);
}

/* The lowest value above that is below *lowest, and whose it is; *from stays NULL where there is none. */
static int find_lowest(struct judging *judging, uint64_t *lowest, char **from)
{
	AUTO(free_p) char *at = cause_parent(judging->cgroup);

	while (at) {
		AUTO(free_p) char *text = cause_read(judging->host, at, judging->file);
		char *above = cause_parent(at);
		uint64_t value;

		if (text && text_limit(text, &value) == 0 && value < *lowest) {
			free(*from);
			*from = strdup(at);
			*lowest = value;
			if (!*from) {
				free(above);
				return -ENOMEM;
			}
		}
		free(at);
		at = above;
	}
	return 0;
}

/* "Node 0 MemTotal:  1048576 kB" in bytes. */
static bool find_line(const char *text, const char *key, uint64_t *bytes)
{
	const char *line = text ? strstr(text, key) : NULL;
	uint64_t kib;

	if (!line || text_field(line, key, &kib) < 0 || kib > UINT64_MAX / 1024)
		return false;
	*bytes = kib * 1024;
	return true;
}

static int judge_memory(struct judging *judging, uint64_t limit)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	AUTO(free_p) char *list = NULL;
	uint64_t total = 0, free_bytes = 0;

	if (cgroup_read_mems(judging->host, judging->cgroup, &nodes) < 0)
		return 0;
	for (int node = nodeset_next(&nodes, 0); node >= 0; node = nodeset_next(&nodes, node + 1)) {
		AUTO(free_p) char *text = NULL;
		uint64_t bytes, unused;
		char path[64];

		(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", node);
		if (root_read(judging->host->root, path, &text, NULL) < 0 ||
		    !find_line(text, "MemTotal", &bytes))
			return 0;
		total += bytes;
		free_bytes += find_line(text, "MemFree", &unused) ? unused : 0;
	}
	list = nodeset_format(&nodes);
	if (!list || (total < limit && hold_number(judging->made, total) < 0))
		return -ENOMEM;
	if (total == 0 || total >= limit)
		return 0;
	return blame(judging->made, EFFECTIVE_MACHINE, NULL,
		     "node%s %.100s, which it may use, %s %" PRIu64 " bytes of memory, %" PRIu64
		     " of them free",
		     nodeset_count(&nodes) == 1 ? "" : "s", list, nodeset_count(&nodes) == 1 ? "has" : "have",
		     total, free_bytes);
}

static int judge_swap(struct judging *judging, uint64_t limit)
{
	AUTO(free_p) char *text = NULL;
	uint64_t total;

	if (root_read(judging->host->root, "/proc/meminfo", &text, NULL) < 0 ||
	    !find_line(text, "SwapTotal", &total) || total >= limit)
		return 0;
	if (hold_number(judging->made, total) < 0)
		return -ENOMEM;
	if (total == 0)
		return blame(judging->made, EFFECTIVE_MACHINE, NULL, "the machine has no swap");
	return blame(judging->made, EFFECTIVE_MACHINE, NULL, "the machine has %" PRIu64 " bytes of swap",
		     total);
}

static int judge_limit(struct judging *judging)
{
	AUTO(free_p) char *from = NULL;
	char shown[SHOWN_SIZE];
	uint64_t lowest;
	int rc;

	if (text_limit(judging->made->requested, &lowest) < 0)
		return 0;
	rc = find_lowest(judging, &lowest, &from);
	if (rc == 0 && from) {
		text_escape(from, shown, sizeof(shown));
		rc = hold_number(judging->made, lowest);
		rc = rc < 0 ? rc
			    : blame(judging->made, EFFECTIVE_ANCESTOR, from, "%s of cgroup %s is %" PRIu64,
				    judging->file, shown, lowest);
	}
	if (rc == 0 && strcmp(judging->file, "memory.max") == 0)
		rc = judge_memory(judging, lowest);
	if (rc == 0 && strcmp(judging->file, "memory.swap.max") == 0)
		rc = judge_swap(judging, lowest);
	return rc;
}

/* ---- flags that reach down, and partitions ---- */

/* The highest cgroup above whose file says 1; NULL when there is none. */
static int find_highest(struct judging *judging, char **from)
{
	AUTO(free_p) char *at = cause_parent(judging->cgroup);

	while (at) {
		AUTO(free_p) char *text = cause_read(judging->host, at, judging->file);
		char *above = cause_parent(at);

		if (text && strcmp(text, "1") == 0) {
			free(*from);
			*from = TAKE(at);
		}
		free(at);
		at = above;
	}
	return 0;
}

static int judge_flag(struct judging *judging)
{
	bool is_group = strcmp(judging->file, "memory.oom.group") == 0;
	AUTO(free_p) char *from = NULL;
	char shown[SHOWN_SIZE];
	int rc = find_highest(judging, &from);

	if (rc < 0 || !from)
		return rc;
	text_escape(from, shown, sizeof(shown));
	rc = hold_number(judging->made, 1);
	if (rc < 0)
		return rc;
	/* mm/memcontrol.c mem_cgroup_get_oom_group(): not above the cgroup whose limit is hit. */
	return is_group ? blame(judging->made, EFFECTIVE_ANCESTOR, from,
				"cgroup %s has it: a kill for a limit of %s or above takes all of %s", shown,
				shown, shown)
			: blame(judging->made, EFFECTIVE_ANCESTOR, from, "cgroup %s is frozen", shown);
}

/* "root invalid (Parent is not a partition root)" since 6.0; before it is only "root invalid". */
static int judge_partition(struct judging *judging)
{
	const char *reason = strchr(judging->made->holds, '(');
	char *invalid = strstr(judging->made->holds, " invalid");

	if (!invalid)
		return 0;
	judging->made->requested[invalid - judging->made->holds] = '\0';
	if (blame(judging->made, EFFECTIVE_INVALID, NULL, "%.*s", reason ? (int)strcspn(reason + 1, ")") : 40,
		  reason ? reason + 1 : "the kernel says it is invalid") < 0)
		return -ENOMEM;
	invalid[sizeof(" invalid") - 1] = '\0';
	return 0;
}

static int judge(struct judging *judging)
{
	const char *file = judging->file;

	if (strcmp(file, "cpuset.cpus") == 0 || strcmp(file, "cpuset.mems") == 0)
		return judge_list(judging);
	if (strcmp(file, "cpuset.cpus.exclusive") == 0)
		return judge_exclusive(judging);
	if (strcmp(file, "cpuset.cpus.partition") == 0)
		return judge_partition(judging);
	if (strcmp(file, "memory.oom.group") == 0 || strcmp(file, "cgroup.freeze") == 0)
		return judge_flag(judging);
	return is_limit(file) ? judge_limit(judging) : 0;
}

int effective_read(struct cgpol_host *host, const char *cgroup, const char *file, struct effective *effective,
		   struct cgpol_error *err)
{
	AUTO(effective_clear) struct effective made = {0};
	struct judging judging = {host, cgroup, file, &made};
	int rc = read_own(host, cgroup, file, &made.holds, err);

	if (!made.holds)
		return rc;
	if (!key_refusal(file)) {
		made.requested = strdup(made.holds);
		rc = made.requested ? judge(&judging) : -ENOMEM;
		if (rc < 0)
			return error_no_memory(err);
	}
	*effective = made;
	made = (struct effective){0};
	return 0;
}

int effective_read_host(struct cgpol_host *host, const char *name, struct effective *effective,
			struct cgpol_error *err)
{
	AUTO(effective_clear) struct effective made = {0};
	AUTO(free_p) char *path = hostkeys_path(name);
	char shown[NAME_SHOWN];
	int rc;

	text_escape(name, shown, sizeof(shown));
	if (!path) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no setting of the machine", shown);
		error_detail(err, NULL, shown, NULL);
		return -EINVAL;
	}
	rc = root_read(host->root, path, &made.holds, NULL);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc < 0) {
		(void)error_set(err, -rc, rc == -ENOENT ? CGPOL_UNSUPPORTED : CGPOL_FAILED,
				rc == -ENOENT ? "this kernel has no %s (%s)" : "cannot read %s (%s)", shown,
				path);
		error_detail(err, path, NULL, NULL);
		return rc;
	}
	made.requested = strdup(made.holds);
	if (!made.requested)
		return error_no_memory(err);
	*effective = made;
	made = (struct effective){0};
	return 0;
}
