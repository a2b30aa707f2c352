/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who is eligible for an OOM kill, how many points each has, and in which order the kernel prefers them. */
#include "memory/badness.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "memory/domain.h"

enum {
	/* Page table pages for `pages` of memory: one PTE page maps 512 of them on 64-bit. */
	PTES_PER_PAGE = 512,
	/* include/uapi/linux/oom.h OOM_SCORE_ADJ_MIN, OOM_SCORE_ADJ_MAX */
	ADJ_NEVER = -1000,
	ADJ_MAX = 1000,
};

/* No sum of a few of these overflows, whatever a forged file says. */
static uint64_t pages(uint64_t count)
{
	return count < OOM_PAGES_MAX ? count : OOM_PAGES_MAX;
}

/* mm/mempolicy.c mempolicy_in_oom_domain(): only a task policy of mode BIND excludes; before 5.14
 * (b26e517a058b) MPOL_INTERLEAVE did as well. A thread whose policy was not read cannot be excluded. */
static bool policy_allows(const struct oom_snapshot *snapshot, const struct oom_thread *thread,
			  const struct nodeset *mask)
{
	const struct mempolicy *policy = thread->policy;
	bool excludes;

	if (!policy)
		return true;
	excludes = policy->mode == MEMPOLICY_BIND;
	if (snapshot->major < 5 || (snapshot->major == 5 && snapshot->minor < 14))
		excludes |= policy->mode == MEMPOLICY_INTERLEAVE;
	return !excludes || nodeset_intersects(&policy->nodes, mask);
}

bool badness_is_exempt(const struct oom_task *task)
{
	return task->adj <= ADJ_NEVER;
}

bool badness_is_eligible(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
			 const struct oom_task *task)
{
	if (task->threads == 0)
		return true;
	for (size_t i = 0; i < task->threads; i++) {
		const struct oom_thread *thread = &task->thread[i];
		if (domain->constraint == OOM_MEMORY_POLICY) {
			if (policy_allows(snapshot, thread, &domain->nodes))
				return true;
		} else if (!thread->mems || nodeset_intersects(thread->mems, &domain->mems)) {
			return true;
		}
	}
	return false;
}

/* oom_badness(): these never get points. A score of 0 with ordinary oom_score_adj gives away what no file
 * shows: MMF_OOM_SKIP, or a vfork in progress (fs/proc/base.c proc_oom_score()). */
static enum oom_skip_reason skip_by_badness(const struct oom_task *task)
{
	bool is_hidden = task->score == 0 && task->adj > -900 && (task->anon || task->file || task->shmem);

	if (!task->has_mm)
		return OOM_SKIP_NO_MM;
	if (badness_is_exempt(task))
		return OOM_SKIP_ADJ;
	if (task->is_vfork_child)
		return OOM_SKIP_VFORK;
	if (is_hidden)
		return task->is_dying ? OOM_SKIP_REAPED : OOM_SKIP_HIDDEN;
	return OOM_ELIGIBLE;
}

enum oom_skip_reason badness_skip(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
				  const struct oom_task *task)
{
	if (task->has_vanished)
		return OOM_SKIP_VANISHED;
	if (task->is_kthread)
		return OOM_SKIP_KTHREAD;
	if (task->is_init)
		return OOM_SKIP_INIT;
	if (task->is_unreadable)
		return OOM_SKIP_UNREADABLE;
	if (domain->constraint == OOM_MEMCG) {
		if (!domain_is_below(snapshot, task->memcg, domain->memcg))
			return OOM_SKIP_OUTSIDE_MEMCG;
	} else if (!badness_is_eligible(snapshot, domain, task)) {
		return domain->constraint == OOM_MEMORY_POLICY ? OOM_SKIP_MEMPOLICY : OOM_SKIP_CPUSET;
	}
	if (task->is_oom_victim)
		return task->score == 0 ? OOM_SKIP_REAPED : OOM_SKIP_VICTIM;
	return skip_by_badness(task);
}

bool badness_grows(const struct oom_snapshot *snapshot, const struct oom_question *question, size_t task)
{
	if (question->task == OOM_NOBODY)
		return false;
	if (question->task == task)
		return true;
	return snapshot->task[task].mm != 0 && snapshot->task[task].mm == snapshot->task[question->task].mm;
}

/* What a headroom of `pages` adds to the points: the pages, and the tables that map them. When the kernel
 * allocates, the pages are the tables themselves. */
static uint64_t growth(const struct oom_question *question, uint64_t headroom, uint64_t extra)
{
	uint64_t more = pages(pages(headroom) + pages(extra));

	return question->is_kernel ? more : more + more / PTES_PER_PAGE;
}

/* Where the points may stand when the OOM comes: clean page cache is reclaimed first, anonymous memory moves
 * to swap and keeps its points, mapped shared memory that is swapped out leaves them. How much of what the
 * kernel allocates for the trigger are page tables is not known: slab has no points. */
static void set_interval(const struct oom_snapshot *snapshot, const struct oom_task *task, bool grows,
			 const struct oom_question *question, const struct oom_domain *domain,
			 struct oom_candidate *row)
{
	int64_t shmem = (int64_t)pages(task->shmem);
	int64_t fixed = (int64_t)(pages(task->anon) + row->swap + row->pgtables) + row->adj;

	row->low = fixed + (snapshot->swap_free ? 0 : shmem);
	row->high = fixed + (int64_t)pages(task->file) + shmem;
	if (!grows)
		return;
	row->low += question->is_kernel ? 0 : (int64_t)growth(question, domain->headroom_low, 0);
	row->high += (int64_t)growth(question, domain->headroom_high, 0);
}

static void score(const struct oom_snapshot *snapshot, const struct oom_question *question,
		  const struct oom_domain *domain, uint64_t extra, struct oom_candidate *row)
{
	const struct oom_task *task = &snapshot->task[row->task];
	bool grows = badness_grows(snapshot, question, row->task) && !domain->lacks_headroom;

	row->rss = pages(task->anon) + pages(task->file) + pages(task->shmem);
	row->swap = pages(task->swap);
	row->pgtables = pages(task->pgtables);
	/* Integer division before multiplication, as the kernel does it. */
	row->adj = (int64_t)(task->adj < ADJ_MAX ? task->adj : ADJ_MAX) *
		   (int64_t)(pages(domain->totalpages) / 1000);
	row->grow = grows ? growth(question, domain->headroom, extra) : 0;
	row->points = (int64_t)(row->rss + row->swap + row->pgtables + row->grow) + row->adj;
	set_interval(snapshot, task, grows, question, domain, row);
}

/* The place of a task in the kernel's walk: select_bad_process() goes through the init task list (creation
 * order) or the css tasks of the domain. */
static uint64_t scan_place(const struct oom_snapshot *snapshot, const struct oom_domain *domain, size_t task)
{
	return domain->constraint == OOM_MEMCG ? snapshot->task[task].memcg_order : task;
}

struct rank_context {
	const struct oom_snapshot *snapshot;
	const struct oom_domain *domain;
};

/* The most points first; among equals the one scanned last, since the kernel replaces its choice on >=. */
static int by_preference(const void *left, const void *right, void *context)
{
	const struct oom_candidate *a = left, *b = right;
	const struct rank_context *rank = context;

	if (a->points != b->points)
		return a->points > b->points ? -1 : 1;
	uint64_t place_a = scan_place(rank->snapshot, rank->domain, a->task);
	uint64_t place_b = scan_place(rank->snapshot, rank->domain, b->task);
	if (place_a != place_b)
		return place_a > place_b ? -1 : 1;
	return a->task > b->task ? -1 : a->task < b->task;
}

int badness_rank(const struct oom_snapshot *snapshot, const struct oom_question *question, const bool *gone,
		 uint64_t extra, struct oom_forecast *forecast)
{
	size_t most = snapshot->tasks ? snapshot->tasks : 1;
	AUTO(free_p) struct oom_candidate *candidate = calloc(most, sizeof(*candidate));
	AUTO(free_p) struct oom_skipped *skipped = calloc(most, sizeof(*skipped));
	size_t count[OOM_SKIP_REASONS] = {0};
	size_t candidates = 0, skips = 0;

	if (!candidate || !skipped)
		return -ENOMEM;
	for (size_t i = 0; i < snapshot->tasks; i++) {
		if (gone && gone[i])
			continue;
		enum oom_skip_reason reason = badness_skip(snapshot, &forecast->domain, &snapshot->task[i]);
		count[reason]++;
		if (reason != OOM_ELIGIBLE) {
			skipped[skips++] = (struct oom_skipped){i, reason};
			continue;
		}
		candidate[candidates].task = i;
		score(snapshot, question, &forecast->domain, extra, &candidate[candidates++]);
	}
	struct rank_context context = {snapshot, &forecast->domain};
	qsort_r(candidate, candidates, sizeof(*candidate), by_preference, &context);
	free(forecast->candidate);
	free(forecast->skipped);
	forecast->candidate = TAKE(candidate);
	forecast->candidates = candidates;
	forecast->skipped = TAKE(skipped);
	forecast->skips = skips;
	for (size_t i = 0; i < OOM_SKIP_REASONS; i++)
		forecast->skipped_count[i] = count[i];
	return 0;
}
