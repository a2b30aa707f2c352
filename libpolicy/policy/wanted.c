/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a setting means for one cgroup now: percentages in bytes, and lists that can come true. Pure. */
#include "policy/wanted.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { MILLION = 1000000 };

/* ppm of bytes without overflow, rounded down. */
static uint64_t take_part(uint64_t bytes, uint32_t ppm)
{
	return bytes / MILLION * ppm + bytes % MILLION * ppm / MILLION;
}

static int refuse_percent(const struct setting *setting, const char *why, struct cgpol_error *err)
{
	(void)error_set(err, ENODATA, CGPOL_FAILED, "%s: \"%s\" cannot be computed: %s", setting->name,
			setting->value, why);
	error_detail(err, setting->name, setting->value, "give the size in bytes");
	return -ENODATA;
}

/* What one kind of list is compared with. */
struct list_frame {
	const char *one, *many; /* "node", "nodes" */
	const struct nodeset *possible, *usable, *above;
	const char *unusable; /* what those are that are possible and not usable */
	const char *from;     /* the ancestor that `above` is of; NULL: the machine */
};

/* Those of `set` which `other` lacks, as a list; NULL when memory is short. */
static char *format_missing(const struct nodeset *set, const struct nodeset *other, size_t *count)
{
	AUTO(nodeset_clear_p) struct nodeset missing = {0, NULL};

	if (nodeset_subtract(&missing, set, other) < 0)
		return NULL;
	*count = nodeset_count(&missing);
	return nodeset_format(&missing);
}

static char *format_or(const struct nodeset *set, const char *otherwise)
{
	return nodeset_is_empty(set) ? strdup(otherwise) : nodeset_format(set);
}

static int judge_machine(const struct list_frame *frame, const struct setting *setting,
			 const struct nodeset *asked, struct cgpol_error *err)
{
	bool is_possible = nodeset_contains(frame->possible, asked);
	const struct nodeset *set = is_possible ? frame->usable : frame->possible;
	size_t count = 0;
	AUTO(free_p) char *missing = format_missing(asked, set, &count);
	AUTO(free_p) char *have = format_or(set, "none");
	char hint[160];
	int errnum = is_possible ? ENODEV : ERANGE;

	if (!missing || !have)
		return error_no_memory(err);
	(void)error_set(err, errnum, is_possible ? CGPOL_UNSUPPORTED : CGPOL_USAGE, "%s: %s %.100s %s %s",
			setting->name, count == 1 ? frame->one : frame->many, missing,
			count == 1 ? "is" : "are",
			is_possible ? frame->unusable : "not possible on this machine");
	(void)snprintf(hint, sizeof(hint), "%s %s of this machine: %.100s",
		       is_possible ? "usable" : "possible", frame->many, have);
	error_detail(err, setting->name, setting->value, hint);
	return -errnum;
}

/* A part of nodes that are not all there would be another amount than the one that was meant. */
static int check_nodes(const struct current *current, const struct setting *setting, struct cgpol_error *err)
{
	const struct nodeset *asked = &setting->size.nodes;
	const struct list_frame frame = {.one = "node",
					 .many = "nodes",
					 .possible = &current->possible_nodes,
					 .usable = &current->memory_nodes,
					 .unusable = "without memory"};

	if (nodeset_contains(frame.possible, asked) && nodeset_contains(frame.usable, asked))
		return 0;
	return judge_machine(&frame, setting, asked, err);
}

static int find_bytes(const struct current *current, const struct setting *setting, uint64_t *bytes,
		      struct cgpol_error *err)
{
	const struct size *size = &setting->size;
	uint64_t whole = 0;
	int rc;

	switch (size->kind) {
	case SIZE_FIXED:
		*bytes = size->bytes;
		return 0;
	case SIZE_UNLIMITED:
		*bytes = UINT64_MAX;
		return 0;
	case SIZE_PERCENT:
		whole = current->memory_limit;
		if (current->memory_total != 0 && current->memory_total < whole)
			whole = current->memory_total;
		if (whole == UINT64_MAX)
			return refuse_percent(setting, "/proc/meminfo has no MemTotal", err);
		break;
	case SIZE_PERCENT_NODES:
		rc = check_nodes(current, setting, err);
		if (rc < 0)
			return rc;
		for (size_t node = 0; node < current->nodes; node++)
			whole += nodeset_has(&size->nodes, (unsigned)node) ? current->node_total[node] : 0;
		if (whole == 0)
			return refuse_percent(setting, "these nodes have no memory", err);
		break;
	}
	*bytes = take_part(whole, size->percent_ppm);
	return 0;
}

/* "hugetlb.2MB.max" is kept in pages of that size (mm/hugetlb_cgroup.c hugetlb_cgroup_write). */
static uint64_t unit_of(const struct current *current, const struct setting *setting)
{
	static const char prefix[] = "hugetlb.";
	const char *end;
	uint64_t unit;

	if (strncmp(setting->name, prefix, sizeof(prefix) - 1) != 0 ||
	    text_u64_head(setting->name + sizeof(prefix) - 1, &end, &unit) < 0 || unit == 0 || unit > 1023)
		return current->page_size;
	if (strncmp(end, "KB.", 3) == 0)
		return unit << 10;
	if (strncmp(end, "MB.", 3) == 0)
		return unit << 20;
	return strncmp(end, "GB.", 3) == 0 ? unit << 30 : current->page_size;
}

static int format_size(const struct current *current, const struct setting *setting, uint64_t bytes,
		       char **text)
{
	uint64_t unit = unit_of(current, setting);
	/* include/linux/page_counter.h PAGE_COUNTER_MAX: from there on it is "max". */
	uint64_t most = (uint64_t)INT64_MAX / current->page_size;

	if (bytes / current->page_size >= most) {
		*text = strdup("max");
		return *text ? 0 : -ENOMEM;
	}
	if (asprintf(text, "%" PRIu64, bytes / unit * unit) < 0) {
		*text = NULL;
		return -ENOMEM;
	}
	return 0;
}

int wanted_value(const struct current *current, const struct setting *setting, char **text,
		 struct cgpol_error *err)
{
	char *made = NULL;
	uint64_t bytes;
	int rc;

	if (!setting->key || setting->key->type != KEY_SIZE) {
		made = strdup(setting->value);
	} else {
		rc = find_bytes(current, setting, &bytes, err);
		if (rc < 0)
			return rc;
		(void)format_size(current, setting, bytes, &made);
	}
	if (!made)
		return error_no_memory(err);
	*text = made;
	return 0;
}

static int judge_ancestor(const struct list_frame *frame, const struct setting *setting,
			  const struct nodeset *asked, struct cgpol_error *err)
{
	size_t count = 0;
	AUTO(free_p) char *missing = format_missing(asked, frame->above, &count);
	AUTO(free_p) char *have = format_or(frame->above, "none");
	char shown[160], hint[216];

	if (!missing || !have)
		return error_no_memory(err);
	text_escape(frame->from ? frame->from : "the machine", shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_REFUSED,
			"%s: %s %.100s %s not among those of cgroup %s, which are %.100s", setting->name,
			count == 1 ? frame->one : frame->many, missing, count == 1 ? "is" : "are", shown,
			have);
	(void)snprintf(hint, sizeof(hint),
		       "a cgroup has only what those above it have: choose among %.60s, or widen %s of %.80s",
		       have, setting->name, shown);
	error_detail(err, setting->name, setting->value, hint);
	return -EINVAL;
}

/* False for settings that are no list. */
static bool frame_of(const struct current *current, const struct setting *setting, struct list_frame *frame)
{
	const struct list_frame nodes = {.one = "node",
					 .many = "nodes",
					 .possible = &current->possible_nodes,
					 .usable = &current->memory_nodes,
					 .above = &current->mems,
					 .unusable = "without memory",
					 .from = current->mems_from};
	const struct list_frame cpus = {.one = "cpu",
					.many = "cpus",
					.possible = &current->possible_cpus,
					.usable = &current->online_cpus,
					.above = &current->cpus,
					.unusable = "offline",
					.from = current->cpus_from};

	if (!setting->key || (setting->key->type != KEY_CPUS && setting->key->type != KEY_NODES))
		return false;
	*frame = setting->key->type == KEY_CPUS ? cpus : nodes;
	return true;
}

/* kernel/cgroup/cpuset.c keeps what was asked for, and what of it is online and has memory is effective: of a
 * part that is not there the rest holds, and the part comes when it is there. Of nothing that is there the
 * kernel makes all that the parent has: the opposite of what was asked for. */
int wanted_check_list(const struct current *current, const struct setting *setting, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset there = {0, NULL};
	struct list_frame frame;

	if (!frame_of(current, setting, &frame) || nodeset_is_empty(&setting->set))
		return 0;
	if (!nodeset_contains(frame.possible, &setting->set) ||
	    !nodeset_intersects(frame.usable, &setting->set))
		return judge_machine(&frame, setting, &setting->set, err);
	if (nodeset_and(&there, &setting->set, frame.usable) < 0)
		return error_no_memory(err);
	return nodeset_contains(frame.above, &there) ? 0 : judge_ancestor(&frame, setting, &there, err);
}

int wanted_absent(const struct current *current, const struct setting *setting, char *text, size_t size)
{
	struct list_frame frame;
	size_t count = 0;
	AUTO(free_p) char *missing = NULL;

	if (!frame_of(current, setting, &frame) || nodeset_contains(frame.usable, &setting->set) ||
	    !nodeset_intersects(frame.usable, &setting->set))
		return 0;
	missing = format_missing(&setting->set, frame.usable, &count);
	if (!missing)
		return -ENOMEM;
	(void)snprintf(text, size, "%s %.100s %s %s now; what is there is used until %s",
		       count == 1 ? frame.one : frame.many, missing, count == 1 ? "is" : "are",
		       frame.unusable, count == 1 ? "it comes" : "they come");
	return 1;
}
