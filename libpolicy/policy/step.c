/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One step of a plan as a value: copied, freed, named, and found again by what it changes. */
#include "policy/step.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { SHOWN_SIZE = 160, ROOM_MIN = 8, SLOTS_MIN = 16 };

/* ---- one step ---- */

void step_clear(struct step *step)
{
	free(step->cgroup);
	free(step->file);
	free(step->old_value);
	free(step->new_value);
	free(step->absent);
	*step = (struct step){0};
}

static bool copy_text(const char *from, char **to)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

int step_copy(const struct step *from, struct step *to)
{
	AUTO(step_clear) struct step made = *from;
	bool is_whole;

	made.cgroup = made.file = made.old_value = made.new_value = made.absent = NULL;
	is_whole = copy_text(from->cgroup, &made.cgroup) && copy_text(from->file, &made.file) &&
		   copy_text(from->old_value, &made.old_value) &&
		   copy_text(from->new_value, &made.new_value) && copy_text(from->absent, &made.absent);
	if (!is_whole)
		return -ENOMEM;
	*to = made;
	made = (struct step){0};
	return 0;
}

bool step_is_of_cgroup(const struct step *step)
{
	switch (step->op) {
	case STEP_HOST:
	case STEP_SAVE:
	case STEP_TASK:
	case STEP_AFFINITY:
		return false;
	default:
		return true;
	}
}

char *step_describe(const struct step *step, char *text, size_t size)
{
	char cgroup[SHOWN_SIZE], file[SHOWN_SIZE];

	text_escape(step->cgroup ? step->cgroup : "", cgroup, sizeof(cgroup));
	text_escape(step->file ? step->file : "", file, sizeof(file));
	switch (step->op) {
	case STEP_ENABLE:
		(void)snprintf(text, size, "cgroup.subtree_control of cgroup %s", cgroup);
		break;
	case STEP_SET:
	case STEP_CHECK:
	case STEP_OWNER:
		(void)snprintf(text, size, "%s%scgroup %s", step->file ? file : "", step->file ? " of " : "",
			       cgroup);
		break;
	case STEP_THREADED:
		(void)snprintf(text, size, "cgroup.type of cgroup %s", cgroup);
		break;
	case STEP_RECLAIM:
		(void)snprintf(text, size, "memory.reclaim of cgroup %s", cgroup);
		break;
	case STEP_ATTACH:
		(void)snprintf(text, size, "%s %d", step->is_thread ? "thread" : "process", (int)step->pid);
		break;
	case STEP_HOST:
	case STEP_SAVE:
		(void)snprintf(text, size, "%s", file);
		break;
	case STEP_TASK:
		(void)snprintf(text, size, "%s of process %d", file, (int)step->pid);
		break;
	case STEP_AFFINITY:
		(void)snprintf(text, size, "the cpus of thread %d", (int)step->pid);
		break;
	default:
		(void)snprintf(text, size, "cgroup %s", cgroup);
	}
	return text;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Where in its cgroup a step changes something. */
static const char *place_in(const struct step *step)
{
	return step->op == STEP_ENABLE ? step->new_value : step->file;
}

bool step_is_same(const struct step *a, const struct step *b)
{
	return a->op == b->op && a->pid == b->pid && is_same_text(a->cgroup, b->cgroup) &&
	       is_same_text(place_in(a), place_in(b));
}

static int owner_part(const char **at, unsigned *id)
{
	uint64_t number;

	*id = UINT_MAX;
	if (**at < '0' || **at > '9')
		return 0;
	if (text_u64_head(*at, at, &number) < 0 || number >= UINT_MAX)
		return -EINVAL;
	*id = (unsigned)number;
	return 0;
}

int step_owner(const char *text, uid_t *uid, gid_t *gid)
{
	unsigned user, group;

	if (owner_part(&text, &user) < 0 || *text++ != ':' || owner_part(&text, &group) < 0 || *text != '\0')
		return -EINVAL;
	*uid = user;
	*gid = group;
	return 0;
}

/* ---- the steps of a plan ---- */

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->steps; i++)
		step_clear(&plan->step[i]);
	free(plan->step);
	free(plan->cgroup);
	free(plan);
}

int plan_new(const char *cgroup, struct plan **plan)
{
	AUTO(plan_free_p) struct plan *made = calloc(1, sizeof(*made));

	if (!made || !copy_text(cgroup, &made->cgroup))
		return -ENOMEM;
	*plan = TAKE(made);
	return 0;
}

/* Doubles, so that n steps one after the other cost time in proportion to n. */
static int make_room(struct plan *plan, size_t more)
{
	size_t wanted = plan->steps + more, room = plan->room < ROOM_MIN ? ROOM_MIN : plan->room;
	struct step *step;

	if (wanted <= plan->room)
		return 0;
	while (room < wanted)
		room *= 2;
	step = reallocarray(plan->step, room, sizeof(*step));
	if (!step)
		return -ENOMEM;
	plan->step = step;
	plan->room = room;
	return 0;
}

int plan_add(struct plan *plan, const struct step *step)
{
	struct step made;

	if (make_room(plan, 1) < 0 || step_copy(step, &made) < 0)
		return -ENOMEM;
	plan->step[plan->steps++] = made;
	return 0;
}

int plan_insert(struct plan *plan, size_t at, const struct step *step)
{
	struct step made;

	if (at >= plan->steps)
		return plan_add(plan, step);
	if (make_room(plan, 1) < 0 || step_copy(step, &made) < 0)
		return -ENOMEM;
	memmove(plan->step + at + 1, plan->step + at, (plan->steps - at) * sizeof(*plan->step));
	plan->step[at] = made;
	plan->steps++;
	plan->inserted++;
	return 0;
}

/* ---- finding them ---- */

/* Open addressing, at most half full. */
struct plan_index {
	size_t *slot; /* a step's number and one more; 0: free */
	size_t slots; /* a power of two */
	size_t used;
	/* plan_join: of which plan, and how far. */
	const struct plan *plan;
	size_t seen, inserted;
};

/* FNV-1a. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
	return (hash ^ 0xff) * UINT64_C(1099511628211);
}

static uint64_t hash_step(const struct step *step)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)step->op ^ (uint64_t)step->pid << 8;

	hash = hash_text(hash, step->cgroup);
	return hash_text(hash, place_in(step));
}

static size_t *find_slot(const struct plan_index *index, const struct plan *plan, const struct step *like)
{
	size_t at = hash_step(like) & (index->slots - 1);

	while (index->slot[at] != 0 && !step_is_same(&plan->step[index->slot[at] - 1], like))
		at = (at + 1) & (index->slots - 1);
	return &index->slot[at];
}

int step_index_new(size_t steps, struct plan_index **index)
{
	struct plan_index *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->slots = SLOTS_MIN;
	while (made->slots < 2 * steps)
		made->slots *= 2;
	made->slot = calloc(made->slots, sizeof(*made->slot));
	if (!made->slot) {
		free(made);
		return -ENOMEM;
	}
	*index = made;
	return 0;
}

void plan_index_free(struct plan_index *index)
{
	if (index)
		free(index->slot);
	free(index);
}

/* Makes it large enough for so many more. */
static int widen(struct plan_index *index, const struct plan *plan, size_t more)
{
	size_t *old = index->slot, slots = index->slots, count = slots;

	while (slots < 2 * (index->used + more))
		slots *= 2;
	if (slots == index->slots)
		return 0;
	index->slot = calloc(slots, sizeof(*index->slot));
	if (!index->slot) {
		index->slot = old;
		return -ENOMEM;
	}
	index->slots = slots;
	for (size_t i = 0; i < count; i++) {
		if (old[i] != 0)
			*find_slot(index, plan, &plan->step[old[i] - 1]) = old[i];
	}
	free(old);
	return 0;
}

/* There is room. */
static void note(struct plan_index *index, const struct plan *plan, size_t at)
{
	size_t *slot = find_slot(index, plan, &plan->step[at]);

	index->used += *slot == 0;
	*slot = at + 1;
}

int step_index_add(struct plan_index *index, const struct plan *plan, size_t at)
{
	if (widen(index, plan, 1) < 0)
		return -ENOMEM;
	note(index, plan, at);
	return 0;
}

size_t step_index_find(const struct plan_index *index, const struct plan *plan, const struct step *like)
{
	size_t slot = *find_slot(index, plan, like);

	return slot ? slot - 1 : plan->steps;
}

/* ---- joining ---- */

/* Only these are shared: every other step of the same changes it again. */
static bool can_be_shared(const struct step *step)
{
	return step->op == STEP_MKDIR || step->op == STEP_ENABLE;
}

/* Takes in what was added since, or all when another plan, or steps in other places, are found. */
static int catch_up(struct plan_index *index, const struct plan *plan, size_t more)
{
	if (index->plan != plan || index->inserted != plan->inserted || index->seen > plan->steps) {
		memset(index->slot, 0, index->slots * sizeof(*index->slot));
		index->used = index->seen = 0;
		index->plan = plan;
		index->inserted = plan->inserted;
	}
	if (widen(index, plan, plan->steps - index->seen + more) < 0)
		return -ENOMEM;
	for (; index->seen < plan->steps; index->seen++) {
		if (can_be_shared(&plan->step[index->seen]))
			note(index, plan, index->seen);
	}
	return 0;
}

static void join_step(struct plan *plan, struct step *step, struct plan_index *index)
{
	size_t same = can_be_shared(step) ? step_index_find(index, plan, step) : plan->steps;

	if (same < plan->steps) {
		/* Who needs it decides. */
		plan->step[same].is_optional = plan->step[same].is_optional && step->is_optional;
		step_clear(step);
		return;
	}
	plan->step[plan->steps++] = *step;
	if (can_be_shared(step))
		note(index, plan, plan->steps - 1);
	index->seen = plan->steps;
}

int plan_join(struct plan *plan, struct plan *more, struct plan_index **index)
{
	if (!*index && step_index_new(plan->steps + more->steps, index) < 0)
		return -ENOMEM;
	if (make_room(plan, more->steps) < 0 || catch_up(*index, plan, more->steps) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < more->steps; i++)
		join_step(plan, &more->step[i], *index);
	more->steps = 0;
	return 0;
}
