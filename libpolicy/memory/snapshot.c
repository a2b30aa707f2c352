/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the forecast needs of a machine, read once. */
#include "memory/snapshot.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "memory/badness.h"
#include "memory/census.h"
#include "memory/domain.h"
#include "memory/memcg.h"
#include "memory/numamaps.h"
#include "memory/pool.h"
#include "policy/facts.h"

/* Capability numbers of include/uapi/linux/capability.h. */
enum { CAPABILITY_SYS_PTRACE = 19 };

struct snapshot {
	struct oom_snapshot values;
	struct oom_question question;
	struct pool pool;
	struct memcg_list memcgs;
	struct census census;
	struct nodeset nodes, mems; /* the question's */
	struct mempolicy policy;    /* the question's */
	char *release;
	char *mountinfo;
	uint64_t huge_page_size; /* bytes */
	char **warning;
	size_t warnings;
};

static int add_warning(struct snapshot *snapshot, char *text)
{
	char **more = text ? reallocarray(snapshot->warning, snapshot->warnings + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(text);
		return -ENOMEM;
	}
	snapshot->warning = more;
	more[snapshot->warnings++] = text;
	return 0;
}

static uint64_t sysctl_or(struct cgpol_host *host, const char *path, uint64_t missing)
{
	uint64_t value = missing;

	return root_read_u64(host->root, path, &value) < 0 ? missing : value;
}

static int read_meminfo(struct cgpol_host *host, struct snapshot *snapshot, struct cgpol_error *err)
{
	AUTO(free_p) char *text = NULL;
	struct oom_snapshot *values = &snapshot->values;
	uint64_t total = 0, mem_free = 0, swap = 0, swap_free = 0, huge = 0;
	int rc = root_read(host->root, "/proc/meminfo", &text, NULL);

	if (rc == 0 && text_field(text, "MemTotal", &total) < 0)
		rc = -EINVAL;
	if (rc < 0) {
		error_set(err, -rc, CGPOL_FAILED, "/proc/meminfo cannot be used: %s", strerror(-rc));
		error_detail(err, "/proc/meminfo", NULL, NULL);
		return rc;
	}
	/* Without CONFIG_SWAP its two lines are missing. */
	(void)text_field(text, "MemFree", &mem_free);
	(void)text_field(text, "SwapTotal", &swap);
	(void)text_field(text, "SwapFree", &swap_free);
	(void)text_field(text, "Hugepagesize", &huge);
	snapshot->huge_page_size = huge > UINT64_MAX / 1024 ? 0 : huge * 1024;
	uint64_t page_kib = values->page_size / 1024;
	values->ram = total / page_kib;
	values->ram_free = mem_free / page_kib;
	values->swap_total = swap / page_kib;
	values->swap_free = swap_free / page_kib;
	return 0;
}

static int read_system(struct cgpol_host *host, struct snapshot *snapshot, struct cgpol_error *err)
{
	struct oom_snapshot *values = &snapshot->values;

	snapshot->release = strdup(host->root->facts.release);
	if (!snapshot->release)
		return -ENOMEM;
	values->release = snapshot->release;
	values->major = host->major;
	values->minor = host->minor;
	values->patch = host->patch;
	if (host_read_cpus(host, &values->cpus) < 0)
		return -ENOMEM;
	values->page_size = host->root->facts.page_size;
	values->memory_on_v1 = host->memory_v1 != NULL;
	values->swappiness = sysctl_or(host, "/proc/sys/vm/swappiness", 60);
	values->panic_on_oom = sysctl_or(host, "/proc/sys/vm/panic_on_oom", 0);
	values->kill_allocating = sysctl_or(host, "/proc/sys/vm/oom_kill_allocating_task", 0) != 0;
	int rc = read_meminfo(host, snapshot, err);
	if (rc < 0)
		return rc;
	/* Tells tmpfs files from others; only for the split of a process's memory, so it may fail. */
	rc = root_read(host->root, "/proc/self/mountinfo", &snapshot->mountinfo, NULL);
	if (rc == -ENOMEM)
		return rc;
	return topology_read(host, &values->topology, err);
}

static uint64_t oom_kills(struct cgpol_host *host)
{
	AUTO(free_p) char *text = NULL;
	uint64_t kills = 0;

	if (root_read(host->root, "/proc/vmstat", &text, NULL) < 0)
		return 0;
	return text_field(text, "oom_kill", &kills) < 0 ? 0 : kills;
}

/* Who else kills on this machine, and often earlier than the kernel. */
static int find_other_killers(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->census.tasks; i++) {
		const struct oom_task *task = &snapshot->census.task[i];
		for (const char *const *killer = facts_oom_killers; task->comm && *killer; killer++) {
			char *text = NULL;
			if (strcmp(task->comm, *killer) != 0)
				continue;
			if (asprintf(&text, "%s (pid %d) runs here and may kill before the kernel does",
				     *killer, task->pid) < 0)
				text = NULL;
			int rc = add_warning(snapshot, text);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

/* Everything is visible and readable only for one who may trace all and sees all pids. */
static bool sees_all(const struct cgpol_host *host)
{
	const struct root_facts *facts = &host->root->facts;

	return facts->initial_pidns && facts->initial_userns && (facts->caps >> CAPABILITY_SYS_PTRACE & 1);
}

static void point_at_rows(struct snapshot *snapshot)
{
	struct oom_snapshot *values = &snapshot->values;

	values->task = snapshot->census.task;
	values->tasks = snapshot->census.tasks;
	values->memcg = snapshot->memcgs.group;
	values->memcgs = snapshot->memcgs.groups;
	values->warning = snapshot->warning;
	values->warnings = snapshot->warnings;
}

/* A node that this machine does not have, or that holds no memory, cannot be what a page comes from. */
static int check_nodes(const struct snapshot *snapshot, const struct nodeset *nodes, const char *text,
		       struct cgpol_error *err)
{
	const struct nodeset *memory = &snapshot->values.topology.memory;
	AUTO(free_p) char *have = nodeset_format(memory);

	if (nodeset_is_empty(nodes))
		return error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" names no node", text);
	for (int node = nodeset_next(nodes, 0); node >= 0; node = nodeset_next(nodes, node + 1)) {
		if (nodeset_has(memory, (unsigned)node))
			continue;
		const char *what = topology_find(&snapshot->values.topology, (unsigned)node)
					   ? "has no memory"
					   : "does not exist";
		error_set(err, EINVAL, CGPOL_USAGE, "node %d %s (this machine has memory on %s)", node, what,
			  have ? have : "?");
		error_detail(err, NULL, text, NULL);
		return -EINVAL;
	}
	return 0;
}

static int take_words(const struct cgpol_question *asked, struct snapshot *snapshot, struct cgpol_error *err)
{
	struct oom_question *question = &snapshot->question;
	int rc;

	question->constraint = asked->constraint;
	question->is_kernel = asked->kernel != 0;
	if (asked->nodes) {
		rc = nodeset_parse(asked->nodes, NODESET_NODES_MAX, &snapshot->nodes, err);
		if (rc == 0)
			rc = check_nodes(snapshot, &snapshot->nodes, asked->nodes, err);
		if (rc < 0)
			return rc;
		question->nodes = &snapshot->nodes;
	}
	if (asked->policy) {
		rc = mempolicy_parse(asked->policy, &snapshot->policy, err);
		if (rc == 0 && !nodeset_is_empty(&snapshot->policy.nodes))
			rc = check_nodes(snapshot, &snapshot->policy.nodes, asked->policy, err);
		if (rc < 0)
			return rc;
		question->policy = &snapshot->policy;
	}
	return 0;
}

/* The process a thread id belongs to, as the kernel says: a thread id is not listed in /proc but can be read.
 */
static int find_trigger(struct cgpol_host *host, pid_t tid, struct snapshot *snapshot,
			struct cgpol_error *err)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	struct oom_question *question = &snapshot->question;
	int rc = proc_read_status(host, tid, &status);

	if (rc == 0 && status.tgid == host->root->facts.self)
		return error_set(err, EINVAL, CGPOL_USAGE, "process %d is cgpol itself, which will be gone",
				 tid);
	if (rc == 0) {
		question->task = census_find(&snapshot->census, status.tgid);
		if (question->task == OOM_NOBODY || snapshot->census.task[question->task].has_vanished)
			rc = -ESRCH;
	}
	if (rc == 0) {
		struct oom_task *task = &snapshot->census.task[question->task];
		rc = census_add_thread(host, &snapshot->pool, task, tid, &question->thread);
		if (rc == 0)
			rc = census_read_policy(host, &snapshot->pool, task, &task->thread[question->thread]);
	}
	if (rc == -ENOMEM)
		return rc;
	if (proc_is_gone(rc))
		return error_set(err, ESRCH, CGPOL_FAILED, "process %d does not exist%s", tid,
				 sees_all(host) ? "" : ", or is hidden");
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "process %d cannot be read: %s", tid, strerror(-rc));
	return 0;
}

/* An ordinary task of a cgroup: default policy, the cgroup's effective mems. */
static int find_group(struct cgpol_host *host, const char *argument, struct snapshot *snapshot,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *name = NULL;
	struct oom_question *question = &snapshot->question;
	int rc = cgroup_name(argument, &name, err);

	if (rc == 0)
		rc = host_need_memory(host, err);
	if (rc == 0)
		rc = memcg_list_add(&snapshot->memcgs, name, &question->memcg);
	if (rc == 0)
		rc = memcg_read_path(host, &snapshot->memcgs, question->memcg, err);
	if (rc < 0)
		return rc;
	rc = cgroup_read_mems(host, name, &snapshot->mems);
	if (rc == 0)
		question->mems = &snapshot->mems;
	else if (rc != -ENOENT) /* without the controller anywhere on the path, every node is allowed */
		return error_set(err, -rc, CGPOL_FAILED,
				 "cpuset.mems.effective of cgroup \"%s\" cannot be used: %s", argument,
				 strerror(-rc));
	return 0;
}

static int read_trigger_limits(struct cgpol_host *host, struct snapshot *snapshot)
{
	const struct oom_question *question = &snapshot->question;

	if (question->task == OOM_NOBODY || !host->has_memory)
		return 0;
	unsigned mm = snapshot->census.task[question->task].mm;
	/* Pages of a shared mm are charged to its owner's cgroup, so the sharers' paths are read too. */
	for (size_t i = 0; i < snapshot->census.tasks; i++) {
		const struct oom_task *task = &snapshot->census.task[i];
		if (i != question->task && (mm == 0 || task->mm != mm))
			continue;
		int rc = memcg_read_path(host, &snapshot->memcgs, task->memcg, NULL);
		if (rc == -ENOMEM)
			return rc;
		snapshot->values.has_unknown_limits |= rc < 0 || task->memcg == OOM_NOBODY;
	}
	return 0;
}

/* The kernel cuts a mapping's nodes to the cpuset when the policy is set (mm/mempolicy.c
 * mpol_set_nodemask()); numa_maps shows what is left, and so does the domain want it. */
static int cut_policy(struct snapshot *snapshot, const char *text, struct cgpol_error *err)
{
	const struct oom_question *question = &snapshot->question;
	const struct nodeset *mems = question->mems;
	struct nodeset cut = {0};
	int rc;

	if (question->task != OOM_NOBODY)
		mems = snapshot->census.task[question->task].thread[question->thread].mems;
	if (!question->policy || !mems || nodeset_is_empty(&snapshot->policy.nodes))
		return 0;
	if (!nodeset_intersects(&snapshot->policy.nodes, mems)) {
		AUTO(free_p) char *may = nodeset_format(mems);
		error_set(err, EINVAL, CGPOL_USAGE, "no node of \"%s\" is one that the task may use (%s)",
			  text, may ? may : "?");
		error_detail(err, NULL, text, NULL);
		return -EINVAL;
	}
	rc = nodeset_and(&cut, &snapshot->policy.nodes, mems);
	if (rc < 0)
		return rc;
	nodeset_clear(&snapshot->policy.nodes);
	snapshot->policy.nodes = cut;
	return 0;
}

static int take_question(struct cgpol_host *host, const struct cgpol_question *asked,
			 struct snapshot *snapshot, struct cgpol_error *err)
{
	int rc = take_words(asked, snapshot, err);

	snapshot->question.task = OOM_NOBODY;
	snapshot->question.memcg = OOM_NOBODY;
	if (rc == 0 && asked->constraint == CGPOL_CONSTRAINT_MEMCG)
		rc = host_need_memory(host, err);
	if (rc == 0 && asked->tid)
		rc = find_trigger(host, asked->tid, snapshot, err);
	else if (rc == 0 && asked->cgroup)
		rc = find_group(host, asked->cgroup, snapshot, err);
	if (rc == 0)
		rc = cut_policy(snapshot, asked->policy, err);
	if (rc == 0)
		rc = read_trigger_limits(host, snapshot);
	if (rc == 0)
		rc = memcg_read_groups(host, &snapshot->memcgs);
	return rc;
}

/* Policies of everyone: only a policy OOM asks for them, and reading them is dear. */
static int read_policies(struct cgpol_host *host, struct snapshot *snapshot, const struct oom_domain *domain)
{
	for (size_t i = 0; i < snapshot->census.tasks; i++) {
		struct oom_task *task = &snapshot->census.task[i];
		int rc = 0;
		if (task->is_kthread || !task->has_mm || task->has_vanished || task->is_unreadable)
			continue;
		for (size_t t = 0; rc == 0 && t < task->threads; t++)
			rc = census_read_policy(host, &snapshot->pool, task, &task->thread[t]);
		if (rc == 0 && !badness_is_eligible(&snapshot->values, domain, task))
			rc = census_add_threads(host, &snapshot->pool, task);
		for (size_t t = 0; rc == 0 && t < task->threads; t++)
			rc = census_read_policy(host, &snapshot->pool, task, &task->thread[t]);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* One thread whose mems_allowed meets the trigger's is enough: look at the others where the leader's does
 * not. */
static int read_mems(struct cgpol_host *host, struct snapshot *snapshot, const struct oom_domain *domain)
{
	for (size_t i = 0; i < snapshot->census.tasks; i++) {
		struct oom_task *task = &snapshot->census.task[i];
		if (task->is_kthread || !task->has_mm || badness_is_eligible(&snapshot->values, domain, task))
			continue;
		int rc = census_add_threads(host, &snapshot->pool, task);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_order(struct cgpol_host *host, struct snapshot *snapshot, const struct oom_domain *domain)
{
	AUTO(free_p) struct memcg_member *member = NULL;
	size_t members = 0;
	int rc = memcg_walk(host, snapshot->memcgs.group[domain->memcg].name, &member, &members);

	for (size_t i = 0; rc == 0 && i < members; i++) {
		size_t at = census_find(&snapshot->census, member[i].pid);
		if (at != OOM_NOBODY)
			snapshot->census.task[at].memcg_order = member[i].place;
	}
	return rc;
}

/* What only this kind of OOM needs to know of the others. */
static int read_for_domain(struct cgpol_host *host, struct snapshot *snapshot, struct cgpol_error *err)
{
	AUTO(domain_clear) struct oom_domain domain = {0};
	int rc;

	point_at_rows(snapshot);
	rc = domain_find(&snapshot->values, &snapshot->question, &domain, err);
	if (rc < 0)
		return rc;
	if (domain.constraint == OOM_MEMORY_POLICY)
		return read_policies(host, snapshot, &domain);
	if (domain.constraint == OOM_MEMCG)
		return read_order(host, snapshot, &domain);
	return read_mems(host, snapshot, &domain);
}

static int fill(struct cgpol_host *host, const struct cgpol_question *asked, struct snapshot *snapshot,
		struct cgpol_error *err)
{
	int rc = read_system(host, snapshot, err);

	if (rc == 0)
		rc = memcg_list_init(&snapshot->memcgs);
	if (rc == 0)
		rc = census_take(host, &snapshot->pool, &snapshot->memcgs, oom_kills(host),
				 &snapshot->census);
	if (rc == 0)
		rc = take_question(host, asked, snapshot, err);
	if (rc == 0)
		rc = find_other_killers(snapshot);
	if (rc == 0)
		rc = read_for_domain(host, snapshot, err);
	if (rc < 0)
		return rc;
	snapshot->values.has_unknown_limits |= snapshot->memcgs.is_incomplete ||
					       snapshot->census.has_unknown_cgroup;
	snapshot->values.is_complete = sees_all(host) && !snapshot->census.has_unknown_mm;
	point_at_rows(snapshot);
	return 0;
}

int snapshot_read(struct cgpol_host *host, const struct cgpol_question *question, struct snapshot **snapshot,
		  struct cgpol_error *err)
{
	struct snapshot *made = calloc(1, sizeof(*made));
	struct cgpol_error own = {0};
	int rc = made ? fill(host, question, made, &own) : -ENOMEM;

	if (rc < 0) {
		snapshot_free(made);
		if (own.text[0] == '\0')
			error_set(&own, -rc, CGPOL_FAILED, "the machine cannot be read: %s", strerror(-rc));
		if (err)
			*err = own;
		return rc;
	}
	*snapshot = made;
	return 0;
}

const struct oom_snapshot *snapshot_values(const struct snapshot *snapshot)
{
	return &snapshot->values;
}

const struct oom_question *snapshot_question(const struct snapshot *snapshot)
{
	return &snapshot->question;
}

static int keep_shares(struct oom_task *task, const struct numamaps *maps)
{
	struct oom_share *share = calloc(maps->nodes ? maps->nodes : 1, sizeof(*share));

	if (!share)
		return -ENOMEM;
	for (size_t i = 0; i < maps->nodes; i++) {
		share[i].node = maps->node[i].id;
		share[i].freed = maps->node[i].freed;
		for (size_t kind = 0; kind < NUMA_KINDS; kind++)
			share[i].bytes += maps->node[i].bytes[kind];
	}
	task->share = share;
	task->shares = maps->nodes;
	task->has_shares = true;
	return 0;
}

/* Where smaps_rollup cannot be read, the lower bound of numa_maps stays. */
static int settle_shared(struct cgpol_host *host, pid_t pid, pid_t tid, uint64_t page_size,
			 struct numamaps *maps)
{
	uint64_t shared;
	bool is_unsure = false;
	int rc;

	for (size_t i = 0; i < maps->nodes; i++)
		is_unsure |= maps->node[i].unsure > 0;
	if (!is_unsure)
		return 0;
	rc = proc_read_shared_anon(host, pid, tid, &shared);
	if (rc == 0)
		numamaps_settle(maps, shared, page_size);
	return rc == -ENOMEM ? rc : 0;
}

/* The files of a dead leader are empty; the census has kept a thread that lives. */
static pid_t thread_with_mm(const struct oom_task *task)
{
	return task->is_zombie_leader && task->threads > 1 ? task->thread[1].tid : task->pid;
}

int snapshot_read_shares(struct cgpol_host *host, struct snapshot *snapshot, size_t index)
{
	struct oom_task *task = &snapshot->census.task[index];
	struct numamaps_context context = {snapshot->values.page_size, snapshot->huge_page_size,
					   snapshot->mountinfo};
	AUTO(numamaps_clear) struct numamaps maps = {0};
	AUTO(free_p) char *text = NULL;
	int rc;

	if (task->shares_tried)
		return 0;
	task->shares_tried = true;
	pid_t tid = thread_with_mm(task);
	rc = proc_read_numa_maps(host, task->pid, tid, false, &text);
	if (rc == 0)
		rc = numamaps_parse(text, &context, &maps);
	if (rc == 0)
		rc = settle_shared(host, task->pid, tid, context.page_size, &maps);
	if (rc == 0)
		rc = keep_shares(task, &maps);
	return rc == -ENOMEM ? rc : 0;
}

void snapshot_read_growth(struct cgpol_host *host, struct snapshot *snapshot, size_t index)
{
	struct oom_task *task = &snapshot->census.task[index];
	uint64_t resident = 0;

	if (task->growth_tried)
		return;
	task->growth_tried = true;
	if (proc_read_resident(host, thread_with_mm(task), &resident) == 0)
		task->grew = (int64_t)resident - (int64_t)(task->anon + task->file + task->shmem);
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	census_clear(&snapshot->census);
	memcg_list_clear(&snapshot->memcgs);
	pool_clear(&snapshot->pool);
	topology_clear(&snapshot->values.topology);
	nodeset_clear(&snapshot->nodes);
	nodeset_clear(&snapshot->mems);
	mempolicy_clear(&snapshot->policy);
	for (size_t i = 0; i < snapshot->warnings; i++)
		free(snapshot->warning[i]);
	free(snapshot->warning);
	free(snapshot->release);
	free(snapshot->mountinfo);
	free(snapshot);
}
