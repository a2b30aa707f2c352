/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which the values of a cgroup are written. */
#include "policy/order.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/nodeset.h"
#include "base/text.h"

/* Lower goes first. The kernel takes memory limits in any order, but lowering one reclaims at once, and
 * memory.max then kills what is left (mm/memcontrol.c memory_max_write): so before that every value that
 * gives room, and whether to kill all or one, is in place. */
enum rank {
	RANK_OOM_GROUP, /* decides what a kill takes along */
	RANK_MEMBER,	/* ends a partition: while it lasts the cpus must stay exclusive to it */
	RANK_MEMS,	/* no rule of the kernel: beside the cpus, where people look for it */
	RANK_CPUS,	/* cpuset.cpus and what else a partition is made of */
	RANK_PARTITION, /* kernel/cgroup/cpuset.c update_prstate(): without cpuset.cpus it is refused (5.10)
			   or invalid */
	RANK_RAISE_MAX, /* a higher memory.high below a lower memory.max would have no effect */
	RANK_RAISE,	/* swap, memory.high and whatever else gives room */
	RANK_ANY,
	RANK_LOWER_HIGH, /* reclaims without killing */
	RANK_LOWER_MAX,	 /* reclaims, then kills */
	RANK_LOWER_SWAP, /* lowered earlier, the reclaim above would have nowhere to go */
};

static bool is_file(const struct step *step, const char *name)
{
	return strcmp(step->file, name) == 0;
}

/* Does a limit get lower? What it was before a controller is enabled is "max". */
static bool is_lowered(const struct step *step)
{
	uint64_t old = UINT64_MAX, new = UINT64_MAX;

	if (step->old_value && text_limit(step->old_value, &old) < 0)
		return true;
	return text_limit(step->new_value, &new) < 0 || new < old;
}

static enum rank rank_of(const struct step *step)
{
	if (is_file(step, "memory.oom.group"))
		return RANK_OOM_GROUP;
	if (is_file(step, "cpuset.cpus.partition"))
		return strcmp(step->new_value, "member") == 0 ? RANK_MEMBER : RANK_PARTITION;
	if (is_file(step, "cpuset.mems"))
		return RANK_MEMS;
	if (is_file(step, "cpuset.cpus") || is_file(step, "cpuset.cpus.exclusive"))
		return RANK_CPUS;
	if (is_file(step, "memory.max"))
		return is_lowered(step) ? RANK_LOWER_MAX : RANK_RAISE_MAX;
	if (is_file(step, "memory.high"))
		return is_lowered(step) ? RANK_LOWER_HIGH : RANK_RAISE;
	if (strncmp(step->file, "memory.swap.", 12) == 0 || strncmp(step->file, "memory.zswap.", 13) == 0)
		return is_lowered(step) ? RANK_LOWER_SWAP : RANK_RAISE;
	return RANK_ANY;
}

static bool has_file(const struct step *step, size_t steps, const char *file)
{
	for (size_t i = 0; i < steps; i++) {
		if (is_file(&step[i], file))
			return true;
	}
	return false;
}

/* What a reader would ask about. */
static const char *why(const struct step *step, const struct step *all, size_t steps)
{
	bool has_max = has_file(all, steps, "memory.max");

	switch (rank_of(step)) {
	case RANK_MEMBER:
		return has_file(all, steps, "cpuset.cpus") ? "before its cpus change" : NULL;
	case RANK_PARTITION:
		return has_file(all, steps, "cpuset.cpus") ? "after its cpus: without any it is invalid"
							   : NULL;
	case RANK_LOWER_HIGH:
		return has_max ? "before memory.max, since this one reclaims and does not kill" : NULL;
	case RANK_RAISE:
		return has_max && is_file(step, "memory.high") ? "after memory.max, which would still hold"
							       : NULL;
	case RANK_LOWER_SWAP:
		return has_max ? "after memory.max, which may have to swap" : NULL;
	default:
		return NULL;
	}
}

/* An insertion sort: stable, and there are few. */
void order_steps(struct step *step, size_t steps)
{
	for (size_t i = 1; i < steps; i++) {
		struct step moving = step[i];
		size_t at = i;

		for (; at > 0 && rank_of(&step[at - 1]) > rank_of(&moving); at--)
			step[at] = step[at - 1];
		step[at] = moving;
	}
	for (size_t i = 0; i < steps; i++) {
		const char *reason = why(&step[i], step, steps);

		step[i].why = reason ? reason : step[i].why;
	}
}

/* ---- several cgroups ---- */

enum phase {
	PHASE_BUILD, /* cgroups, controllers, owners */
	PHASE_MEMBER,
	PHASE_WIDEN,
	PHASE_NARROW,
	PHASE_PARTITION,
	PHASE_VALUES,
};

struct place {
	enum phase phase;
	long depth; /* what is smaller goes first */
	size_t at;  /* where it was */
};

static bool is_before_all(enum step_op op)
{
	return op == STEP_MKDIR || op == STEP_ENABLE || op == STEP_THREADED || op == STEP_OWNER;
}

/* Is all that was there still there? An empty list has what the parent has: all that can be said is that it
 * is no less than any other. */
static bool is_widened(const struct step *step)
{
	AUTO(nodeset_clear_p) struct nodeset old = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset new = {0, NULL};

	if (!step->old_value)
		return true;
	if (nodeset_parse(step->old_value, NODESET_CPUS_MAX, &old, NULL) < 0 ||
	    nodeset_parse(step->new_value, NODESET_CPUS_MAX, &new, NULL) < 0)
		return false;
	return nodeset_is_empty(&new) || (!nodeset_is_empty(&old) && nodeset_contains(&new, &old));
}

static long depth_of(const char *cgroup)
{
	long depth = 0;

	for (; *cgroup; cgroup++)
		depth += *cgroup == '/';
	return depth;
}

static struct place place_of(const struct step *step, size_t at)
{
	struct place place = {.phase = PHASE_VALUES, .at = at};
	long depth = depth_of(step->cgroup);

	if (is_before_all(step->op)) {
		place.phase = PHASE_BUILD;
		return place;
	}
	switch (rank_of(step)) {
	case RANK_MEMBER:
		place.phase = PHASE_MEMBER;
		place.depth = -depth;
		break;
	case RANK_MEMS:
	case RANK_CPUS:
		place.phase = is_widened(step) ? PHASE_WIDEN : PHASE_NARROW;
		place.depth = place.phase == PHASE_WIDEN ? depth : -depth;
		break;
	case RANK_PARTITION:
		place.phase = PHASE_PARTITION;
		place.depth = depth;
		break;
	default:
		break;
	}
	return place;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	if (left->phase != right->phase)
		return left->phase < right->phase ? -1 : 1;
	if (left->depth != right->depth)
		return left->depth < right->depth ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

int order_plan(struct plan *plan)
{
	AUTO(free_p) struct place *place = NULL;
	AUTO(free_p) struct step *sorted = NULL;
	size_t count = 0;

	while (count < plan->steps &&
	       (is_before_all(plan->step[count].op) || plan->step[count].op == STEP_SET))
		count++;
	place = calloc(count + 1, sizeof(*place));
	sorted = calloc(count + 1, sizeof(*sorted));
	if (!place || !sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		place[i] = place_of(&plan->step[i], i);
	if (count > 1)
		qsort(place, count, sizeof(*place), compare_places);
	for (size_t i = 0; i < count; i++)
		sorted[i] = plan->step[place[i].at];
	if (count > 0)
		memcpy(plan->step, sorted, count * sizeof(*sorted));
	plan->inserted++;
	return 0;
}
