/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there now of the steps of a change that is to be taken back. */
#include "policy/aftermath.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/mark.h"
#include "host/proc.h"
#include "host/subtree.h"
#include "policy/cause.h"
#include "policy/inventory.h"
#include "policy/need.h"
#include "policy/remake.h"
#include "policy/step.h"
#include "policy/trace.h"

/* So many steps of one file are looked through: no plan has more. */
enum { CHAIN_MAX = 64 };

/* A file, a process or a cgroup, as it will be when the steps looked at so far are taken back. */
struct place {
	char *key;
	char *now;     /* NULL: nothing */
	bool is_there; /* of a cgroup */
	bool goes;     /* of a process: it will be moved back; of a cgroup: it will be made again */
	bool is_seen;  /* a step of it was judged */
	size_t last;   /* while chaining: the last step of it so far, and one more; 0: none */
};

struct look {
	struct cgpol_host *host;
	const struct journal *journal;
	struct recovery *recovery;
	void *places;	/* tsearch(3) */
	size_t *before; /* by step: the one before it of the same place, and one more; 0: none */
	int rc;		/* -ENOMEM, which ends it */
};

/* ---- the places ---- */

static int compare_places(const void *a, const void *b)
{
	return strcmp(((const struct place *)a)->key, ((const struct place *)b)->key);
}

static void free_place(void *of)
{
	struct place *place = of;

	free(place->key);
	free(place->now);
	free(place);
}

static void look_clear(struct look *look)
{
	tdestroy(look->places, free_place);
	free(look->before);
}

/* Takes the key over. NULL when memory is short. */
static struct place *find_place(struct look *look, char *key, bool *is_new)
{
	AUTO(free_p) char *owned = key;
	struct place like = {.key = key}, *made;
	void **found = key ? tfind(&like, &look->places, compare_places) : NULL;

	*is_new = false;
	if (found)
		return *found;
	made = key ? calloc(1, sizeof(*made)) : NULL;
	if (made)
		made->key = TAKE(owned);
	if (!made || !tsearch(made, &look->places, compare_places)) {
		if (made)
			free_place(made);
		look->rc = -ENOMEM;
		return NULL;
	}
	*is_new = true;
	return made;
}

static char *make_key(const char *kind, const char *of, const char *in)
{
	char *key;

	return asprintf(&key, "%s %s%s%s", kind, of ? of : "", in ? "/" : "", in ? in : "") < 0 ? NULL : key;
}

static char *make_pid_key(const char *kind, pid_t pid)
{
	char *key;

	return asprintf(&key, "%s %d", kind, (int)pid) < 0 ? NULL : key;
}

static char *key_of(const struct step *step)
{
	switch (step->op) {
	case STEP_ENABLE:
		return make_key("file", step->cgroup, "cgroup.subtree_control");
	case STEP_THREADED:
		return make_key("file", step->cgroup, "cgroup.type");
	case STEP_OWNER:
		return make_key("owner", step->cgroup, step->file);
	case STEP_ATTACH:
		return make_pid_key("process", step->pid);
	case STEP_TASK:
		return make_pid_key(step->file, step->pid);
	case STEP_AFFINITY:
		return make_pid_key("cpus", step->pid);
	case STEP_HOST:
	case STEP_SAVE:
		return make_key("machine", step->file, NULL);
	default:
		return make_key("file", step->cgroup, step->file);
	}
}

/* What is there of a step; NULL when memory is short. What cannot be read counts as not there. */
static struct place *place_of(struct look *look, const struct step *step)
{
	bool is_new;
	struct place *place = find_place(look, key_of(step), &is_new);

	if (place && is_new && trace_read(look->host, step, &place->now) == -ENOMEM) {
		look->rc = -ENOMEM;
		return NULL;
	}
	return place;
}

static struct place *cgroup_of(struct look *look, const char *cgroup)
{
	AUTO(free_p) char *path = cgroup_path(look->host, cgroup, NULL);
	bool is_new;
	struct place *place = find_place(look, make_key("cgroup", cgroup, NULL), &is_new);
	struct root_info info;

	if (place && is_new)
		place->is_there = path && root_stat(look->host->root, path, &info) == 0;
	return place;
}

static int set_now(struct look *look, struct place *place, const char *now)
{
	char *copy = now ? strdup(now) : NULL;

	if (now && !copy) {
		look->rc = -ENOMEM;
		return -ENOMEM;
	}
	free(place->now);
	place->now = copy;
	return 0;
}

/* ---- values ---- */

/* Does the place say what was there before an earlier step of it? Then this one is taken back already, or, as
 * memory.high that was lowered for a while, needs not be. */
static bool is_older(const struct look *look, const struct journal_entry *entry, const char *now)
{
	size_t at = look->before[entry - look->journal->entry];

	for (unsigned i = 0; at > 0 && i < CHAIN_MAX; i++, at = look->before[at - 1]) {
		const struct step *step = &look->journal->entry[at - 1].step;

		if (step->old_value && trace_is_same(step, now, step->old_value))
			return true;
	}
	return false;
}

/* Nothing is there any more of what a step wrote. */
static enum recover_finding judge_missing(const struct journal_entry *entry)
{
	const struct step *step = &entry->step;

	if (step->op == STEP_SAVE)
		return step->old_value ? RECOVER_CHANGED : RECOVER_NOTHING;
	return entry->result == STEP_PENDING && !step->old_value ? RECOVER_NOTHING : RECOVER_GONE;
}

/* What was not there before goes with the cgroup, or stays with it: settle() finds out. */
static enum recover_finding judge_new(const struct journal_entry *entry, const char *now)
{
	const struct step *step = &entry->step;

	if (step->op != STEP_SAVE)
		return entry->result == STEP_PENDING && !trace_is_written(step, now) ? RECOVER_NOTHING
										     : RECOVER_PUT_BACK;
	return trace_is_written(step, now) ? RECOVER_PUT_BACK : RECOVER_CHANGED;
}

static enum recover_finding judge_value(struct look *look, const struct journal_entry *entry)
{
	const struct step *step = &entry->step;
	struct place *cgroup = step_is_of_cgroup(step) ? cgroup_of(look, step->cgroup) : NULL;
	struct place *place = place_of(look, step);

	if (look->rc < 0)
		return RECOVER_NOTHING;
	/* Its cgroup was removed later and will be made again, as it was then: with what this step wrote. */
	if (cgroup && cgroup->goes && !place->is_seen && set_now(look, place, step->new_value) < 0)
		return RECOVER_NOTHING;
	place->is_seen = true;
	if (!place->now)
		return judge_missing(entry);
	if (!step->old_value)
		return judge_new(entry, place->now);
	if (trace_is_same(step, place->now, step->old_value) || is_older(look, entry, place->now))
		return RECOVER_NOTHING;
	if (trace_is_widest(look->host, step, place->now))
		return RECOVER_STAYS;
	if (!trace_is_written(step, place->now))
		return RECOVER_CHANGED;
	(void)set_now(look, place, step->old_value);
	return RECOVER_PUT_BACK;
}

/* ---- cgroups ---- */

static bool has_mark(struct cgpol_host *host, const char *cgroup)
{
	struct mark mark = {.kind = MARK_NONE};

	return mark_read(host, cgroup, &mark) == 0 && mark.kind != MARK_NONE;
}

/* cgpol run counts the OOM kills in its cgroup, with or without a limit. */
static bool is_run(struct cgpol_host *host, const char *cgroup)
{
	struct mark mark = {.kind = MARK_NONE};

	return mark_read(host, cgroup, &mark) == 0 && mark.kind == MARK_OWNED;
}

/* What a file of a cgroup will say when the steps so far are taken back; NULL when no step is about it. */
static const char *find_now(const struct look *look, const char *cgroup, const char *file)
{
	struct place like = {.key = look ? make_key("file", cgroup, file) : NULL};
	void **found = like.key ? tfind(&like, &look->places, compare_places) : NULL;

	free(like.key);
	return found ? ((const struct place *)*found)->now : NULL;
}

static bool hands_on(struct cgpol_host *host, const struct look *look, const char *cgroup,
		     const char *controller)
{
	const char *now = find_now(look, cgroup, "cgroup.subtree_control");
	AUTO(free_p) char *control = now ? NULL : cause_read(host, cgroup, "cgroup.subtree_control");

	return need_list_has(now ? now : control, controller);
}

static bool has_settings_of(struct cgpol_host *host, const struct look *look, const char *cgroup,
			    const char *controller)
{
	AUTO(inventory_clear) struct inventory inventory = {0};

	/* What cannot be read may have some. */
	if (inventory_read(host, cgroup, false, &inventory, NULL) < 0)
		return true;
	for (size_t i = 0; i < inventory.count; i++) {
		const struct key *key = inventory.item[i].key;
		const char *now = find_now(look, cgroup, inventory.item[i].name);

		if (key->controller && strcmp(key->controller, controller) == 0 &&
		    !(now && strcmp(now, key->initial ? key->initial : "") == 0))
			return true;
	}
	return false;
}

/* Only those that stay are asked: `look` NULL asks all. */
static bool is_used(struct cgpol_host *host, struct look *look, const char *cgroup, const char *controller)
{
	char **name = NULL;
	size_t count = 0;
	bool is_found = false;

	if (cgroup_children(host, cgroup, &name, &count) < 0)
		return false;
	for (size_t i = 0; i < count && !is_found; i++) {
		const struct place *place = look ? cgroup_of(look, name[i]) : NULL;

		is_found = (!place || place->is_there) &&
			   (is_run(host, name[i]) || hands_on(host, look, name[i], controller) ||
			    has_settings_of(host, look, name[i], controller));
	}
	root_list_free(name, count);
	return is_found;
}

bool aftermath_is_used(struct cgpol_host *host, const char *cgroup, const char *controller)
{
	return is_used(host, NULL, cgroup, controller);
}

static enum recover_finding judge_enable(struct look *look, const struct journal_entry *entry)
{
	const struct step *step = &entry->step;
	const char *controller = step->new_value + 1;
	struct place *place = place_of(look, step);
	char *without;

	if (!place || !place->now)
		return entry->result == STEP_PENDING ? RECOVER_NOTHING : RECOVER_GONE;
	if (!need_list_has(place->now, controller) || need_list_has(step->old_value, controller))
		return RECOVER_NOTHING;
	if (is_used(look->host, look, step->cgroup, controller))
		return RECOVER_STAYS;
	without = trace_drop_word(place->now, controller);
	if (!without)
		look->rc = -ENOMEM;
	if (!without)
		return RECOVER_NOTHING;
	free(place->now);
	place->now = without;
	return RECOVER_PUT_BACK;
}

/* Did this change make it, and not somebody else since? Before 5.7 nothing carries a mark. */
static bool is_ours(struct look *look, const struct journal_entry *entry)
{
	AUTO(free_p) char *path = cgroup_path(look->host, entry->step.cgroup, NULL);
	AUTO(free_p) char *mark = NULL;
	int rc = path ? root_get_xattr(look->host->root, path, MARK_ATTRIBUTE, &mark) : -ENOMEM;

	if (rc == -EOPNOTSUPP || has_mark(look->host, entry->step.cgroup))
		return true;
	/* Killed between making and marking it. */
	return entry->result == STEP_PENDING && remake_is_bare(look->host, entry->step.cgroup);
}

static bool has_other_children(struct look *look, const char *cgroup)
{
	char **name = NULL;
	size_t count = 0;
	bool is_found = false;

	if (cgroup_children(look->host, cgroup, &name, &count) < 0)
		return false;
	for (size_t i = 0; i < count && !is_found; i++) {
		const struct place *place = cgroup_of(look, name[i]);

		is_found = !place || place->is_there;
	}
	root_list_free(name, count);
	return is_found;
}

static bool will_go(struct look *look, pid_t pid)
{
	struct place like = {.key = make_pid_key("process", pid)};
	void **found = like.key ? tfind(&like, &look->places, compare_places) : NULL;

	free(like.key);
	return found && ((const struct place *)*found)->goes;
}

/* Processes, or in a threaded cgroup threads, that no step moves out again. */
static bool has_other_processes(struct look *look, const char *cgroup)
{
	AUTO(free_p) char *threads = NULL;
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	struct span line;
	int rc = cgroup_procs(look->host, cgroup, &pids, &count);

	for (size_t i = 0; i < count; i++) {
		if (!will_go(look, pids[i]))
			return true;
	}
	if (rc != -EOPNOTSUPP)
		return false;
	threads = cause_read(look->host, cgroup, "cgroup.threads");
	for (const char *rest = threads; rest && text_line(&rest, &line);) {
		uint64_t tid;

		if (span_u64(line, &tid) == 0 && tid > 0 && !will_go(look, (pid_t)tid))
			return true;
	}
	return false;
}

static enum recover_finding judge_mkdir(struct look *look, const struct journal_entry *entry)
{
	const char *name = entry->step.cgroup;
	struct place *cgroup = cgroup_of(look, name);

	if (!cgroup || !cgroup->is_there)
		return entry->result == STEP_PENDING ? RECOVER_NOTHING : RECOVER_GONE;
	if (!is_ours(look, entry))
		return entry->result == STEP_PENDING ? RECOVER_NOTHING : RECOVER_CHANGED;
	if (has_other_children(look, name) || has_other_processes(look, name))
		return RECOVER_STAYS;
	cgroup->is_there = false;
	return RECOVER_PUT_BACK;
}

static bool is_as_saved(struct look *look, const struct step *step)
{
	AUTO(free_p) char *now = NULL;

	return remake_save(look->host, step->cgroup, &now) == 0 && strcmp(now, step->old_value) == 0;
}

static enum recover_finding judge_rmdir(struct look *look, const struct journal_entry *entry)
{
	const struct step *step = &entry->step;
	AUTO(free_p) char *above = cause_parent(step->cgroup);
	struct place *cgroup = cgroup_of(look, step->cgroup);
	const struct place *parent = above ? cgroup_of(look, above) : NULL;

	/* It was killed before it came so far as to look what it would remove. */
	if (look->rc < 0 || !step->old_value)
		return RECOVER_NOTHING;
	if (cgroup->is_there && !remake_is_unfinished(look->host, step->cgroup)) {
		if (is_as_saved(look, step) || entry->result == STEP_PENDING)
			return RECOVER_NOTHING;
		return RECOVER_CHANGED;
	}
	if (cgroup->is_there && is_as_saved(look, step))
		return RECOVER_NOTHING;
	if (!parent || !parent->is_there)
		return RECOVER_GONE;
	cgroup->goes = cgroup->is_there = true;
	return RECOVER_PUT_BACK;
}

/* ---- processes ---- */

static enum recover_finding judge_attach(struct look *look, const struct journal_entry *entry)
{
	const struct step *step = &entry->step;
	struct place *place = place_of(look, step);
	const struct place *former = step->old_value ? cgroup_of(look, step->old_value) : NULL;

	if (look->rc < 0 || !place->now)
		return RECOVER_GONE;
	if (!step->old_value)
		return RECOVER_LOST;
	if (strcmp(place->now, step->old_value) == 0 || is_older(look, entry, place->now))
		return RECOVER_NOTHING;
	if (strcmp(place->now, step->cgroup) != 0)
		return RECOVER_CHANGED;
	if (!former->is_there)
		return RECOVER_STAYS;
	place->goes = true;
	(void)set_now(look, place, step->old_value);
	return RECOVER_PUT_BACK;
}

/* ---- all of them ---- */

static enum recover_finding judge(struct look *look, const struct journal_entry *entry)
{
	enum recover_finding finding;

	if (!entry->is_begun || entry->result == STEP_UNCHANGED || entry->result == STEP_SKIPPED ||
	    entry->result == STEP_UNDONE)
		return RECOVER_NOTHING;
	switch (entry->step.op) {
	case STEP_MKDIR:
		return judge_mkdir(look, entry);
	case STEP_ENABLE:
		return judge_enable(look, entry);
	case STEP_RMDIR:
		return judge_rmdir(look, entry);
	case STEP_ATTACH:
		return judge_attach(look, entry);
	case STEP_THREADED:
		/* Only a removal takes it back: settle() finds out. */
		finding = judge_value(look, entry);
		return finding == RECOVER_NOTHING || finding == RECOVER_GONE ? finding : RECOVER_PUT_BACK;
	case STEP_RECLAIM:
		return RECOVER_LOST;
	case STEP_KILL:
		return entry->result == STEP_PENDING && subtree_is_populated(look->host, entry->step.cgroup)
			       ? RECOVER_NOTHING
			       : RECOVER_LOST;
	case STEP_CHECK:
		return RECOVER_NOTHING;
	default:
		return judge_value(look, entry);
	}
}

static bool has_place(const struct step *step)
{
	return step->op != STEP_MKDIR && step->op != STEP_RMDIR && step->op != STEP_RECLAIM &&
	       step->op != STEP_KILL && step->op != STEP_CHECK;
}

/* Links the steps of each place. */
static int chain(struct look *look)
{
	look->before = calloc(look->journal->entries + 1, sizeof(*look->before));
	if (!look->before)
		return -ENOMEM;
	for (size_t i = 0; i < look->journal->entries; i++) {
		const struct step *step = &look->journal->entry[i].step;
		struct place *place = has_place(step) ? place_of(look, step) : NULL;

		if (place) {
			look->before[i] = place->last;
			place->last = i + 1;
		}
	}
	return look->rc;
}

/* Keeps what is there before the step is judged, which may change the place. */
static int judge_entry(struct look *look, size_t i)
{
	const struct journal_entry *entry = &look->journal->entry[i];
	const struct place *place = has_place(&entry->step) ? place_of(look, &entry->step) : NULL;

	if (look->rc == 0 && place && place->now) {
		look->recovery->now[i] = strdup(place->now);
		if (!look->recovery->now[i])
			return -ENOMEM;
	}
	look->recovery->finding[i] = judge(look, entry);
	return look->rc;
}

/* What was made with a cgroup goes with it, or stays with it. */
static void settle(struct look *look)
{
	for (size_t i = 0; i < look->recovery->entries && look->rc == 0; i++) {
		const struct step *step = &look->journal->entry[i].step;
		enum recover_finding *finding = &look->recovery->finding[i];
		bool is_bound = step->op == STEP_THREADED ||
				((step->op == STEP_SET || step->op == STEP_OWNER) && !step->old_value);
		const struct place *cgroup = is_bound && *finding == RECOVER_PUT_BACK
						     ? cgroup_of(look, step->cgroup)
						     : NULL;

		if (cgroup && cgroup->is_there)
			*finding = step->op == STEP_THREADED ? RECOVER_LOST : RECOVER_STAYS;
	}
}

int aftermath_look(struct cgpol_host *host, const struct journal *journal, struct recovery *recovery)
{
	AUTO(recovery_clear) struct recovery made = {.entries = journal->entries};
	AUTO(look_clear) struct look look = {.host = host, .journal = journal, .recovery = &made};

	made.finding = calloc(journal->entries + 1, sizeof(*made.finding));
	made.now = calloc(journal->entries + 1, sizeof(*made.now));
	if (!made.finding || !made.now || chain(&look) < 0)
		return -ENOMEM;
	for (size_t i = journal->entries; i-- > 0;) {
		if (judge_entry(&look, i) < 0)
			return -ENOMEM;
	}
	settle(&look);
	if (look.rc < 0)
		return look.rc;
	recovery_clear(recovery);
	*recovery = made;
	made = (struct recovery){0};
	return 0;
}
