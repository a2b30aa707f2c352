/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order in which the values of a cgroup are written. */
#include "policy/order.h"

#include <stdint.h>
#include <string.h>

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
}
