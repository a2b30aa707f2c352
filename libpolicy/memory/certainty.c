/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How sure a forecast is: the counters' error, the reclaimable part, and what cannot be seen. */
#include "memory/certainty.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "memory/badness.h"
#include "memory/domain.h"
#include "memory/killset.h"

enum {
	/* The rules were checked from 5.10 to 7.3. */
	OLDEST_MAJOR = 5,
	OLDEST_MINOR = 10,
	NEWEST_MAJOR = 7,
	NEWEST_MINOR = 3,
	/* A process counts as growing when it gained more than this during the snapshot, in pages: more than
	 * the unsynced counters of a few threads make appear. */
	GROWTH_NOISE = 256,
	/* More possible victims than this are not compared by their kill sets. */
	WINNERS_MAX = 32,
	/* Nobody reads more names than this in a warning. */
	NAMES_MAX = 4,
};

static bool is_before(const struct oom_snapshot *snapshot, unsigned major, unsigned minor)
{
	return snapshot->major != major ? snapshot->major < major : snapshot->minor < minor;
}

uint64_t certainty_counter_error(const struct oom_snapshot *snapshot)
{
	/* Up to 6.1 both read the same per-thread counters; from 7.3 on both take the exact sum. In between
	 * the OOM killer reads the approximate value of four percpu counters (lib/percpu_counter.c: batch =
	 * max(32, 2 * cpus)) while /proc may print the exact one; which stable kernel does which cannot be
	 * seen. */
	uint64_t cpus = snapshot->cpus < NODESET_CPUS_MAX ? snapshot->cpus : NODESET_CPUS_MAX;
	uint64_t batch = 2 * cpus > 32 ? 2 * cpus : 32;

	if (is_before(snapshot, 6, 2) || !is_before(snapshot, NEWEST_MAJOR, NEWEST_MINOR))
		return 0;
	return 4 * (batch - 1) * cpus;
}

static const char *safe_comm(const struct oom_task *task, char *buffer, size_t size)
{
	return text_escape(task->comm ? task->comm : "?", buffer, size);
}

/* The flag of a leader that has exited says nothing about the threads that live on. */
static bool is_ending(const struct oom_task *task)
{
	return task->is_dying && !task->is_zombie_leader;
}

/* The kernel's rules may have changed since they were checked. */
static int check_kernel(const struct oom_snapshot *snapshot, struct oom_forecast *forecast, bool *capped)
{
	const char *release = snapshot->release ? snapshot->release : "?";

	if (is_before(snapshot, OLDEST_MAJOR, OLDEST_MINOR)) {
		*capped = true;
		return oom_warn(forecast, "kernel %s is older than 5.10, the oldest whose rules were checked",
				release);
	}
	if (is_before(snapshot, NEWEST_MAJOR, NEWEST_MINOR + 1))
		return 0;
	*capped = true;
	return oom_warn(forecast, "kernel %s is newer than 7.3, the newest whose rules were checked",
			release);
}

static int check_seen(const struct oom_snapshot *snapshot, struct oom_forecast *forecast, bool *capped)
{
	size_t unreadable = forecast->skipped_count[OOM_SKIP_UNREADABLE];
	int rc = 0;

	if (!snapshot->is_complete) {
		*capped = true;
		rc = oom_warn(forecast,
			      "not everything could be read (run as root in the initial pid namespace)");
	}
	if (rc == 0 && unreadable) {
		*capped = true;
		rc = oom_warn(forecast,
			      unreadable == 1 ? "%zu process could not be read"
					      : "%zu processes could not be read",
			      unreadable);
	}
	if (rc == 0 && snapshot->has_unknown_limits) {
		*capped = true;
		rc = oom_warn(forecast, "limits or groups of some cgroups could not be read");
	}
	return rc;
}

/* What was not seen may be the victim: that nobody can be killed is then no more than a guess. */
static bool may_have_missed(const struct oom_snapshot *snapshot, const struct oom_forecast *forecast)
{
	bool finds_nobody = forecast->candidates == 0 &&
			    (forecast->outcome == OOM_NO_VICTIM || forecast->outcome == OOM_PANIC);
	bool by_sysctl = snapshot->panic_on_oom >= 2 ||
			 (snapshot->panic_on_oom == 1 && forecast->domain.constraint == OOM_NONE);

	return finds_nobody && !by_sysctl && !forecast->is_complete;
}

/* Processes that move while we look: other growers, and those that are dying already. */
static int check_moving(const struct oom_snapshot *snapshot, const struct oom_question *question,
			struct oom_forecast *forecast, bool *capped)
{
	char name[128];
	size_t moving = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < forecast->candidates; i++) {
		size_t index = forecast->candidate[i].task;
		const struct oom_task *task = &snapshot->task[index];
		bool grows = task->grew > GROWTH_NOISE && !badness_grows(snapshot, question, index);
		if ((!grows && !is_ending(task)) || ++moving > NAMES_MAX)
			continue;
		rc = oom_warn(forecast, grows ? "%s (pid %d) grows as well" : "%s (pid %d) is dying already",
			      safe_comm(task, name, sizeof(name)), task->pid);
	}
	*capped |= moving > 0;
	if (rc == 0 && moving > NAMES_MAX)
		rc = oom_warn(forecast, "%zu more processes grow or are dying", moving - NAMES_MAX);
	return rc;
}

/* Where the allocating thread may allocate: its policy, when that governs the page, and its cpuset. */
static int check_thread(const struct oom_question *question, const struct oom_thread *thread,
			struct oom_forecast *forecast, bool *capped)
{
	bool has_own = domain_has_own_policy(question);
	const struct mempolicy *policy = has_own ? question->policy : thread->policy;
	const char *text = NULL;

	if (!has_own && !policy && !thread->has_policy)
		text = "its memory policy could not be read, default is assumed";
	else if (!has_own && thread->is_mixed)
		text = "its mappings disagree about its memory policy";
	else if (policy && policy->mode == MEMPOLICY_OTHER)
		text = "its memory policy is of a kind that is not known here";
	else if (!thread->mems)
		text = "the nodes it may use could not be read, all are assumed";
	if (!text)
		return 0;
	*capped = true;
	return oom_warn(forecast, "thread %d: %s", thread->tid, text);
}

static int check_trigger(const struct oom_snapshot *snapshot, const struct oom_question *question,
			 struct oom_forecast *forecast, bool *capped)
{
	int rc = 0;

	if (question->task != OOM_NOBODY && question->thread < snapshot->task[question->task].threads)
		rc = check_thread(question, &snapshot->task[question->task].thread[question->thread],
				  forecast, capped);
	if (rc == 0 && forecast->domain.is_close) {
		*capped = true;
		rc = oom_warn(forecast,
			      "another limit is about as close: the constraint may be a different one");
	}
	if (rc == 0 && snapshot->memory_on_v1) {
		*capped = true;
		rc = oom_warn(forecast, "memory limits of cgroup v1 exist here and are not looked at");
	}
	return rc;
}

/* MemFree and the zones are the same pages. Where MemFree is larger by more than what two reads may differ,
 * the machine counts pages of a memory balloon as free, and gets them back instead of killing (OOM
 * notifiers). */
static bool has_hidden_free(const struct oom_snapshot *snapshot)
{
	uint64_t free = snapshot->ram / 50;

	for (size_t i = 0; i < snapshot->topology.nodes; i++)
		for (size_t z = 0; z < snapshot->topology.node[i].zones; z++)
			free += snapshot->topology.node[i].zone[z].free;
	return snapshot->ram_free > free;
}

static int check_headroom(const struct oom_snapshot *snapshot, struct oom_forecast *forecast, bool *capped)
{
	int rc = 0;

	if (forecast->domain.lacks_headroom) {
		*capped = true;
		rc = oom_warn(forecast,
			      "the zones in /proc/zoneinfo cannot be used: headroom, totalpages and so the "
			      "weight of oom_score_adj are not known");
	} else if (forecast->domain.constraint != OOM_MEMCG && has_hidden_free(snapshot)) {
		*capped = true;
		rc = oom_warn(forecast,
			      "more memory is free than the zones hold: a balloon may give pages back "
			      "before the kernel kills");
	}
	return rc;
}

/* Is the thread's answer, eligible or not, certain for this domain? */
static bool is_sure(const struct oom_domain *domain, const struct oom_thread *thread)
{
	if (domain->constraint != OOM_MEMORY_POLICY)
		return thread->mems != NULL;
	if (thread->policy && thread->policy->mode == MEMPOLICY_OTHER)
		return false;
	return (thread->policy || thread->has_policy) && !thread->is_mixed;
}

/* One thread that is surely eligible suffices; without one, every thread must be surely known. */
static bool is_surely_known(const struct oom_snapshot *snapshot, const struct oom_domain *domain,
			    const struct oom_task *task)
{
	struct oom_task one = *task;
	bool all_sure = task->threads > 0;

	one.threads = 1;
	for (size_t i = 0; i < task->threads; i++) {
		one.thread = &task->thread[i];
		if (!is_sure(domain, one.thread))
			all_sure = false;
		else if (badness_is_eligible(snapshot, domain, &one))
			return true;
	}
	return all_sure;
}

/* A process whose policy or cpuset is not surely known may be a candidate or not. */
static int check_eligible(const struct oom_snapshot *snapshot, struct oom_forecast *forecast, bool *capped)
{
	const struct oom_domain *domain = &forecast->domain;
	const char *what = domain->constraint == OOM_MEMORY_POLICY ? "task policy" : "mems_allowed";

	if (domain->constraint == OOM_MEMCG)
		return 0;
	for (size_t i = 0; i < snapshot->tasks; i++) {
		const struct oom_task *task = &snapshot->task[i];
		enum oom_skip_reason reason = badness_skip(snapshot, domain, task);
		if (reason != OOM_ELIGIBLE && reason != OOM_SKIP_MEMPOLICY && reason != OOM_SKIP_CPUSET)
			continue;
		if (badness_is_exempt(task) || !task->has_mm || is_surely_known(snapshot, domain, task))
			continue;
		*capped = true;
		return oom_warn(forecast, "the %s of pid %d is not surely known", what, task->pid);
	}
	return 0;
}

/* Size does not always decide: say so, it surprises everyone. */
static int check_adj(const struct oom_snapshot *snapshot, struct oom_forecast *forecast)
{
	const struct oom_candidate *first = forecast->candidate, *largest = first;
	char name[128];

	for (size_t i = 1; i < forecast->candidates; i++)
		if (forecast->candidate[i].points - forecast->candidate[i].adj >
		    largest->points - largest->adj)
			largest = &forecast->candidate[i];
	if (forecast->candidates == 0 || largest == first || first->adj == largest->adj)
		return 0;
	return oom_warn(forecast, "oom_score_adj decides, not size: %s (pid %d) is larger",
			safe_comm(&snapshot->task[largest->task], name, sizeof(name)),
			snapshot->task[largest->task].pid);
}

/* Where the threads of a process may allocate, all together; false when that is not known of one. */
static bool read_mems(const struct oom_task *task, struct nodeset *mems, int *rc)
{
	for (size_t i = 0; *rc == 0 && i < task->threads; i++) {
		if (!task->thread[i].mems)
			return false;
		*rc = nodeset_merge(mems, task->thread[i].mems);
	}
	return *rc == 0 && !nodeset_is_empty(mems);
}

static int warn_of_trap(const struct oom_task *task, const struct nodeset *mems,
			struct oom_forecast *forecast)
{
	AUTO(free_p) char *list = nodeset_format(mems);
	char name[128];

	if (!list)
		return -ENOMEM;
	return oom_warn(
		forecast,
		"%s (pid %d) may use %s %s only, by its cpuset, and still is a candidate: a cpuset does not "
		"protect from a memory-policy OOM; a memory policy of its own would (cgpol run -m %s ...)",
		safe_comm(task, name, sizeof(name)), task->pid, nodeset_count(mems) == 1 ? "node" : "nodes",
		list, list);
}

/* mm/oom_kill.c oom_cpuset_eligible(): with a nodemask only the candidates' policies are looked at. One whose
 * cpuset keeps it off the nodes that are short is taken all the same, and its death frees nothing there. */
static int check_trap(const struct oom_snapshot *snapshot, struct oom_forecast *forecast)
{
	size_t told = 0;
	int rc = 0;

	if (forecast->domain.constraint != OOM_MEMORY_POLICY)
		return 0;
	for (size_t i = 0; rc == 0 && i < forecast->kills && told < NAMES_MAX; i++) {
		const struct oom_task *task = &snapshot->task[forecast->killed[i].task];
		AUTO(nodeset_clear_p) struct nodeset mems = {0};

		/* A group takes those along who are no candidates. */
		if (forecast->killed[i].why == OOM_WHY_GROUP || !read_mems(task, &mems, &rc) ||
		    nodeset_intersects(&mems, &forecast->domain.nodes))
			continue;
		rc = warn_of_trap(task, &mems, forecast);
		told++;
	}
	return rc;
}

static bool has_same_mm(const struct oom_snapshot *snapshot, size_t a, size_t b)
{
	return a == b || (snapshot->task[a].mm != 0 && snapshot->task[a].mm == snapshot->task[b].mm);
}

/* Would another victim lead to the same deaths? `dies` tells by task who is in the forecast's kill set. */
static int leads_to_same(const struct oom_snapshot *snapshot, const struct oom_forecast *forecast,
			 const bool *dies, size_t other, bool *same)
{
	AUTO(free_p) struct oom_killed *killed = NULL;
	size_t kills = 0;
	int rc = killset_make(snapshot, &forecast->domain, other, &killed, &kills);

	if (rc < 0)
		return rc;
	*same = kills == forecast->kills;
	for (size_t i = 0; *same && i < kills; i++)
		*same = dies[killed[i].task];
	return 0;
}

/* One more than `seen` possible winners: name it, up to a few. */
static int warn_of_rival(const struct oom_snapshot *snapshot, struct oom_forecast *forecast, size_t task,
			 size_t seen)
{
	char name[128];

	if (seen >= NAMES_MAX)
		return 0;
	return oom_warn(forecast, "%s (pid %d) may have as many points by then",
			safe_comm(&snapshot->task[task], name, sizeof(name)), snapshot->task[task].pid);
}

/* Compares the intervals: can anyone else end up with as many points as the victim? */
static int judge_margin(const struct oom_snapshot *snapshot, struct oom_forecast *forecast)
{
	const struct oom_candidate *best = &forecast->candidate[0];
	int64_t error = (int64_t)certainty_counter_error(snapshot);
	AUTO(free_p) bool *dies = calloc(snapshot->tasks, sizeof(*dies));
	bool is_within_error = false;
	size_t winners = 0, rivals = 0;
	int rc = 0;

	if (!dies)
		return -ENOMEM;
	for (size_t i = 0; i < forecast->kills; i++)
		dies[forecast->killed[i].task] = true;
	for (size_t i = 1; rc == 0 && i < forecast->candidates; i++) {
		const struct oom_candidate *other = &forecast->candidate[i];
		bool same = false;
		if (other->high + error < best->low - error)
			continue;
		if (winners++ < WINNERS_MAX)
			rc = leads_to_same(snapshot, forecast, dies, other->task, &same);
		/* They die together, whichever of them is named. */
		if (same && has_same_mm(snapshot, other->task, best->task))
			continue;
		is_within_error |= !same && best->points - other->points <= 2 * error;
		if (rc == 0)
			rc = warn_of_rival(snapshot, forecast, other->task, rivals++);
	}
	if (rc == 0 && rivals > NAMES_MAX)
		rc = oom_warn(forecast, "%zu more may have as many points by then", rivals - NAMES_MAX);
	forecast->certainty = is_within_error ? OOM_AMBIGUOUS : rivals ? OOM_LIKELY : OOM_CERTAIN;
	return rc;
}

/* What the outcome rests on when it is not the ranking. */
static int check_inferred(const struct oom_snapshot *snapshot, const struct oom_question *question,
			  struct oom_forecast *forecast)
{
	if (may_have_missed(snapshot, forecast))
		return oom_warn(forecast,
				"of what can be seen nobody can be killed, but not all can be seen");
	if (forecast->outcome == OOM_KILL_ALLOCATING && question->task == OOM_NOBODY)
		return oom_warn(forecast, "vm.oom_kill_allocating_task is set: whoever allocates is killed");
	if (forecast->outcome == OOM_BLOCKED && forecast->skipped_count[OOM_SKIP_VICTIM])
		return oom_warn(
			forecast,
			"that the dying process is a victim of the OOM killer is inferred: if another "
			"signal ended it, the kernel kills the first candidate");
	return 0;
}

int certainty_judge(const struct oom_snapshot *snapshot, const struct oom_question *question,
		    struct oom_forecast *forecast)
{
	bool capped = false;
	int rc = check_kernel(snapshot, forecast, &capped);

	if (rc == 0)
		rc = check_seen(snapshot, forecast, &capped);
	if (rc == 0)
		rc = check_trigger(snapshot, question, forecast, &capped);
	if (rc == 0)
		rc = check_headroom(snapshot, forecast, &capped);
	if (rc == 0)
		rc = check_eligible(snapshot, forecast, &capped);
	if (rc == 0)
		rc = check_moving(snapshot, question, forecast, &capped);
	if (rc == 0)
		rc = check_inferred(snapshot, question, forecast);
	forecast->certainty = OOM_CERTAIN;
	if (rc == 0 && forecast->outcome == OOM_KILL && forecast->candidates)
		rc = judge_margin(snapshot, forecast);
	if (rc == 0 && forecast->outcome == OOM_KILL)
		rc = check_adj(snapshot, forecast);
	if (rc == 0 && forecast->outcome == OOM_KILL)
		rc = check_trap(snapshot, forecast);
	/* Somebody is killed, but it is not known who; or nobody, as long as what was inferred holds. */
	capped |= forecast->outcome == OOM_BLOCKED ||
		  (forecast->candidates == 0 &&
		   forecast->skipped_count[OOM_SKIP_VFORK] + forecast->skipped_count[OOM_SKIP_HIDDEN] > 0) ||
		  (forecast->outcome == OOM_KILL_ALLOCATING && forecast->kills == 0);
	if (capped && forecast->certainty == OOM_CERTAIN)
		forecast->certainty = OOM_LIKELY;
	/* That a dying process is a victim of the OOM killer is only inferred. */
	if (forecast->skipped_count[OOM_SKIP_VICTIM] || may_have_missed(snapshot, forecast) ||
	    (forecast->domain.lacks_headroom && forecast->domain.constraint != OOM_NONE))
		forecast->certainty = OOM_AMBIGUOUS;
	return rc;
}
