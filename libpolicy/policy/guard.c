/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plan would do to those who live there, asked before the first step. */
#include "policy/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/cause.h"
#include "policy/guardfacts.h"
#include "policy/guardrules.h"
#include "policy/step.h"

#define STATIC_TEXT(text) ((char *)(uintptr_t)(text))

/* What is put around the step of a finding that is solved by that. */
struct detour {
	bool is_needed;
	uint64_t excess; /* bytes above the limit */
	uint64_t high;	 /* memory.high before and after; UINT64_MAX: max */
	bool has_reclaim;
	size_t before, after; /* steps that were put in */
};

struct guarding {
	struct guardfacts facts;
	struct plan *plan;
	bool is_forced;
	struct guard guard;
	struct detour *detour; /* one for each finding */
	size_t room;
	struct plan_index *index; /* of the steps, made when first asked */
};

void guard_clear(struct guard *guard)
{
	free(guard->finding);
	*guard = (struct guard){NULL, 0};
}

static void guarding_clear(struct guarding *guarding)
{
	guard_clear(&guarding->guard);
	free(guarding->detour);
	plan_index_free(guarding->index);
}

/* The step that changes the same as `like`, or plan->steps. */
static int find_step(struct guarding *guarding, const struct step *like, size_t *at)
{
	const struct plan *plan = guarding->plan;
	int rc = 0;

	if (!guarding->index) {
		rc = step_index_new(plan->steps, &guarding->index);
		for (size_t i = 0; rc == 0 && i < plan->steps; i++)
			rc = step_index_add(guarding->index, plan, i);
	}
	if (rc == 0)
		*at = step_index_find(guarding->index, plan, like);
	return rc;
}

/* Does the plan make the cgroup, so that nobody lives there yet? 1, 0 or -ENOMEM. */
static int is_made(struct guarding *guarding, const char *cgroup)
{
	const struct step like = {.op = STEP_MKDIR, .cgroup = STATIC_TEXT(cgroup)};
	size_t at = guarding->plan->steps;
	int rc = find_step(guarding, &like, &at);

	return rc < 0 ? rc : at < guarding->plan->steps;
}

/* ---- findings ---- */

/* "cannot set memory.max of cgroup /a to "1": WHY", or the same without the refusal. */
static void put_in_front(const struct step *step, bool is_refused, struct guard_finding *finding)
{
	char why[sizeof(finding->text)], cgroup[120], value[60];

	(void)snprintf(why, sizeof(why), "%s", finding->text);
	text_escape(step->cgroup, cgroup, sizeof(cgroup));
	text_escape(step->new_value ? step->new_value : "", value, sizeof(value));
	if (step->op == STEP_THREADED)
		(void)snprintf(finding->text, sizeof(finding->text), "%scgroup %s threaded: %.360s",
			       is_refused ? "cannot make " : "", cgroup, why);
	else
		(void)snprintf(finding->text, sizeof(finding->text), "%s%.40s of cgroup %s to \"%s\": %.260s",
			       is_refused ? "cannot set " : "", step->file, cgroup, value, why);
}

static int add_finding(struct guarding *guarding, size_t at, struct guard_finding *finding,
		       const struct detour *detour)
{
	struct guard *guard = &guarding->guard;

	if (guard->findings == guarding->room) {
		size_t room = guarding->room ? 2 * guarding->room : 4;
		struct guard_finding *more = reallocarray(guard->finding, room, sizeof(*more));
		struct detour *detours;

		if (!more)
			return -ENOMEM;
		guard->finding = more;
		detours = reallocarray(guarding->detour, room, sizeof(*detours));
		if (!detours)
			return -ENOMEM;
		guarding->detour = detours;
		guarding->room = room;
	}
	finding->step = at;
	put_in_front(&guarding->plan->step[at], !finding->is_solved && !guarding->is_forced, finding);
	guarding->detour[guard->findings] = detour ? *detour : (struct detour){0};
	guard->finding[guard->findings++] = *finding;
	return 0;
}

/* ---- one kind of step each: 0 also where nothing can be told ---- */

typedef int judge_fn(struct guarding *guarding, size_t at);

/* Gets a limit lower? What is not there yet (a new cgroup, a controller that is enabled by the plan) counts
 * nothing so far. */
static bool is_lowered(const struct step *step, uint64_t *limit)
{
	uint64_t old;

	return step->old_value && text_limit(step->new_value, limit) == 0 &&
	       (text_limit(step->old_value, &old) < 0 || *limit < old);
}

/* memory.high at the time of the step: what an earlier one writes, else what the file says. */
static int find_high(struct guarding *guarding, size_t at, uint64_t *high)
{
	struct step like = {.op = STEP_SET,
			    .cgroup = guarding->plan->step[at].cgroup,
			    .file = STATIC_TEXT("memory.high")};
	size_t found = 0;
	int rc = find_step(guarding, &like, &found);

	if (rc == 0 && found < at)
		(void)text_limit(guarding->plan->step[found].new_value, high);
	return rc;
}

/* The memory of a cgroup, read only when there is more than the limit; 1 then. */
static int read_memory(struct guarding *guarding, const char *cgroup, uint64_t limit,
		       struct guardfacts_memory *memory)
{
	uint64_t current;
	int rc = guardfacts_read_number(&guarding->facts, cgroup, "memory.current", &current);

	if (rc < 0 || current <= limit)
		return rc;
	rc = guardfacts_read_memory(&guarding->facts, cgroup, memory);
	return rc < 0 ? rc : 1;
}

static int judge_max(struct guarding *guarding, size_t at)
{
	struct step *step = &guarding->plan->step[at];
	struct guard_finding finding = {0};
	struct guardfacts_memory memory;
	struct detour detour = {0};
	uint64_t limit;
	int rc = is_lowered(step, &limit) ? read_memory(guarding, step->cgroup, limit, &memory) : 0;

	if (rc <= 0 || !guardrules_max(&memory, limit, guarding->is_forced, &finding))
		return rc;
	step->lost = finding.is_solved ? "memory that was reclaimed"
				       : "memory that was reclaimed, and processes that were killed";
	detour = (struct detour){.is_needed = finding.is_solved,
				 .excess = memory.current - limit,
				 .high = memory.high,
				 .has_reclaim = memory.has_reclaim};
	rc = find_high(guarding, at, &detour.high);
	return rc < 0 ? rc : add_finding(guarding, at, &finding, &detour);
}

static int judge_high(struct guarding *guarding, size_t at)
{
	struct step *step = &guarding->plan->step[at];
	struct guard_finding finding = {0};
	struct guardfacts_memory memory;
	uint64_t limit;
	int rc = is_lowered(step, &limit) ? read_memory(guarding, step->cgroup, limit, &memory) : 0;

	if (rc <= 0)
		return rc;
	if (memory.current > limit)
		step->lost = "memory that was reclaimed";
	return guardrules_high(&memory, limit, &finding) ? add_finding(guarding, at, &finding, NULL) : 0;
}

static int judge_empty(struct guarding *guarding, size_t at)
{
	const struct step *step = &guarding->plan->step[at];
	const char *what = strcmp(step->file, "cpuset.mems") == 0 ? "nodes" : "cpus";
	struct guard_finding finding = {0};
	bool is_populated = false;
	int rc;

	/* Measured: -ENOSPC up to 6.18, taken by 7.3; in between the kernel is asked. */
	if (!step->old_value || !*step->old_value || host_compare_kernel(guarding->facts.host, 6, 19, 0) >= 0)
		return 0;
	rc = guardfacts_read_populated(&guarding->facts, step->cgroup, &is_populated);
	return rc == 0 && guardrules_empty(what, is_populated, &finding)
		       ? add_finding(guarding, at, &finding, NULL)
		       : rc;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\n")] == '\0';
}

static int judge_cpus(struct guarding *guarding, size_t at)
{
	return is_blank(guarding->plan->step[at].new_value) ? judge_empty(guarding, at) : 0;
}

/* Are all nodes that were asked for before in the new set? */
static bool is_widened(const struct step *step, const struct nodeset *kept)
{
	AUTO(nodeset_clear_p) struct nodeset old = {0, NULL};

	return step->old_value && !is_blank(step->old_value) &&
	       nodeset_parse(step->old_value, NODESET_NODES_MAX, &old, NULL) == 0 &&
	       nodeset_contains(kept, &old);
}

static int judge_nodes(struct guarding *guarding, size_t at, const struct nodeset *kept)
{
	AUTO(guardfacts_nodes_clear) struct guardfacts_nodes nodes = {0};
	struct step *step = &guarding->plan->step[at];
	struct guard_finding finding = {0};
	int rc = step->old_value ? 0 : is_made(guarding, step->cgroup);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = guardfacts_read_nodes(&guarding->facts, step->cgroup, kept, &nodes);
	if (rc < 0 || !guardrules_mems(&nodes, &finding))
		return rc;
	if (nodes.migrates)
		step->lost = "pages that were migrated";
	return add_finding(guarding, at, &finding, NULL);
}

static int judge_mems(struct guarding *guarding, size_t at)
{
	AUTO(nodeset_clear_p) struct nodeset kept = {0, NULL};
	const struct step *step = &guarding->plan->step[at];
	int rc;

	if (is_blank(step->new_value))
		return judge_empty(guarding, at);
	rc = nodeset_parse(step->new_value, NODESET_NODES_MAX, &kept, NULL);
	if (rc < 0 || is_widened(step, &kept))
		return rc == -ENOMEM ? rc : 0;
	return judge_nodes(guarding, at, &kept);
}

/* The cpus of the partition: what the plan gives it, else what it has. */
static int find_cpus(struct guarding *guarding, size_t at, struct nodeset *cpus)
{
	const char *cgroup = guarding->plan->step[at].cgroup;
	struct step like = {
		.op = STEP_SET, .cgroup = STATIC_TEXT(cgroup), .file = STATIC_TEXT("cpuset.cpus")};
	AUTO(free_p) char *text = NULL;
	size_t found = 0;
	int rc = find_step(guarding, &like, &found);

	if (rc < 0)
		return rc;
	if (found < guarding->plan->steps)
		return nodeset_parse(guarding->plan->step[found].new_value, NODESET_CPUS_MAX, cpus, NULL);
	text = cause_read(guarding->facts.host, cgroup, "cpuset.cpus");
	return text ? nodeset_parse(text, NODESET_CPUS_MAX, cpus, NULL) : -ENODATA;
}

static int judge_partition(struct guarding *guarding, size_t at)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	const struct step *step = &guarding->plan->step[at];
	struct guardfacts_affinity affinity;
	struct guard_finding finding = {0};
	int rc;

	if (strcmp(step->new_value, "member") == 0 ||
	    (step->old_value &&
	     (strcmp(step->old_value, "root") == 0 || strcmp(step->old_value, "isolated") == 0)))
		return 0;
	rc = find_cpus(guarding, at, &cpus);
	if (rc < 0 || nodeset_is_empty(&cpus))
		return rc;
	rc = guardfacts_read_affinity(&guarding->facts, step->cgroup, &cpus, &affinity);
	return rc == 0 && guardrules_affinity(&affinity, &finding) ? add_finding(guarding, at, &finding, NULL)
								   : rc;
}

static int judge_pids(struct guarding *guarding, size_t at)
{
	const struct step *step = &guarding->plan->step[at];
	struct guard_finding finding = {0};
	uint64_t limit, current = 0;
	int rc = is_lowered(step, &limit)
			 ? guardfacts_read_number(&guarding->facts, step->cgroup, "pids.current", &current)
			 : -ENODATA;

	return rc == 0 && guardrules_pids(current, limit, &finding)
		       ? add_finding(guarding, at, &finding, NULL)
		       : rc;
}

static int judge_threaded(struct guarding *guarding, size_t at)
{
	const struct step *step = &guarding->plan->step[at];
	AUTO(free_p) char *parent = cause_parent(step->cgroup);
	struct guardfacts_threads threads;
	struct guard_finding finding = {0};
	int rc = parent ? is_made(guarding, parent) : 1;

	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = guardfacts_read_threads(&guarding->facts, step->cgroup, &threads);
	return rc == 0 && guardrules_threads(&threads, parent, &finding)
		       ? add_finding(guarding, at, &finding, NULL)
		       : rc;
}

static const struct judge {
	const char *file;
	judge_fn *judge;
} judges[] = {
	{"memory.max", judge_max},   {"memory.high", judge_high}, {"cpuset.mems", judge_mems},
	{"cpuset.cpus", judge_cpus}, {"pids.max", judge_pids},	  {"cpuset.cpus.partition", judge_partition},
};

static int judge_absent(struct guarding *guarding, size_t at)
{
	struct guard_finding finding = {.kind = GUARD_ABSENT, .is_solved = true};

	(void)snprintf(finding.text, sizeof(finding.text), "%s", guarding->plan->step[at].absent);
	return add_finding(guarding, at, &finding, NULL);
}

static int judge_step(struct guarding *guarding, size_t at)
{
	const struct step *step = &guarding->plan->step[at];
	int rc = 0;

	if (step->op == STEP_THREADED)
		return judge_threaded(guarding, at);
	if (step->op != STEP_SET)
		return 0;
	if (step->absent)
		rc = judge_absent(guarding, at);
	for (size_t i = 0; rc != -ENOMEM && i < ARRAY_SIZE(judges); i++) {
		if (strcmp(step->file, judges[i].file) == 0)
			return judges[i].judge(guarding, at);
	}
	return rc;
}

/* ---- the detour of memory.max ---- */

static int insert(struct plan *plan, size_t at, size_t *count, const struct step *step)
{
	int rc = plan_insert(plan, at, step);

	*count += rc == 0;
	return rc;
}

static void show_limit(uint64_t limit, char *text, size_t size)
{
	if (limit == UINT64_MAX)
		(void)snprintf(text, size, "max");
	else
		(void)snprintf(text, size, "%" PRIu64, limit);
}

/* Around the step `at`: its strings stay where they are while steps move. */
static int insert_detour(struct plan *plan, size_t at, struct detour *detour)
{
	char *cgroup = plan->step[at].cgroup, *target = plan->step[at].new_value;
	char high[32], excess[32];
	struct step reclaim = {.op = STEP_RECLAIM,
			       .cgroup = cgroup,
			       .new_value = excess,
			       .lost = "memory that was reclaimed",
			       .why = "before the limits, which throttle and kill while there is too much"};
	struct step lower = {.op = STEP_SET,
			     .cgroup = cgroup,
			     .file = STATIC_TEXT("memory.high"),
			     .old_value = high,
			     .new_value = target,
			     .lost = "memory that was reclaimed",
			     .why = "holds growth back and reclaims the rest, without killing"};
	struct step check = {.op = STEP_CHECK,
			     .cgroup = cgroup,
			     .file = STATIC_TEXT("memory.current"),
			     .new_value = target,
			     .why = "memory.max kills what is above it"};
	struct step back = {.op = STEP_SET,
			    .cgroup = cgroup,
			    .file = STATIC_TEXT("memory.high"),
			    .old_value = target,
			    .new_value = high,
			    .why = "as it was, or is to be"};
	uint64_t limit = 0;
	int rc = 0;

	show_limit(detour->high, high, sizeof(high));
	show_limit(detour->excess, excess, sizeof(excess));
	(void)text_limit(target, &limit);
	if (detour->has_reclaim)
		rc = insert(plan, at, &detour->before, &reclaim);
	if (rc == 0 && detour->high > limit)
		rc = insert(plan, at + detour->before, &detour->before, &lower);
	if (rc == 0)
		rc = insert(plan, at + detour->before, &detour->before, &check);
	if (rc == 0 && detour->high > limit)
		rc = insert(plan, at + detour->before + 1, &detour->after, &back);
	return rc;
}

/* From the last to the first, so that the numbers of those before stay right. */
static int insert_detours(struct guarding *guarding)
{
	struct guard *guard = &guarding->guard;
	size_t shift = 0;
	int rc = 0;

	for (size_t i = guard->findings; rc == 0 && i-- > 0;) {
		if (guarding->detour[i].is_needed)
			rc = insert_detour(guarding->plan, guard->finding[i].step, &guarding->detour[i]);
	}
	for (size_t i = 0; rc == 0 && i < guard->findings; i++) {
		guard->finding[i].step += shift + guarding->detour[i].before;
		shift += guarding->detour[i].before + guarding->detour[i].after;
	}
	return rc;
}

static int refuse(const struct guarding *guarding, struct cgpol_error *err)
{
	for (size_t i = 0; i < guarding->guard.findings; i++) {
		const struct guard_finding *finding = &guarding->guard.finding[i];
		const struct step *step = &guarding->plan->step[finding->step];
		char value[80];

		if (finding->is_solved)
			continue;
		text_escape(step->new_value ? step->new_value : "threaded", value, sizeof(value));
		(void)error_set(err, EBUSY, CGPOL_REFUSED, "%s", finding->text);
		error_detail(err, step->file ? step->file : "cgroup.type", value, finding->hint);
		return -EBUSY;
	}
	return 0;
}

int guard_plan(struct cgpol_host *host, struct plan *plan, bool is_forced, struct guard *guard,
	       struct cgpol_error *err)
{
	AUTO(guarding_clear)
	struct guarding guarding = {.facts = {.host = host}, .plan = plan, .is_forced = is_forced};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < plan->steps; i++) {
		rc = judge_step(&guarding, i);
		rc = rc == -ENOMEM ? rc : 0;
	}
	rc = rc < 0 ? rc : insert_detours(&guarding);
	if (rc < 0)
		return error_no_memory(err);
	rc = is_forced ? 0 : refuse(&guarding, err);
	guard_clear(guard);
	*guard = guarding.guard;
	guarding.guard = (struct guard){NULL, 0};
	return rc;
}
