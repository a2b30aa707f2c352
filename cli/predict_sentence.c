/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forecast as one sentence for a person, and what follows from it as a second one. */
#include "predict.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "memory/killset.h"
#include "size.h"

enum { NODES_MAX = 8 }; /* nodes that a sentence names one by one */

static void print_escaped(const char *name, FILE *out)
{
	size_t size = 4 * strlen(name) + 1;
	AUTO(free_p) char *text = malloc(size);

	(void)fputs(text ? text_escape(name, text, size) : "?", out);
}

static void print_memcg(const struct predict *predict, size_t memcg, FILE *out)
{
	print_escaped(memcg < predict->snapshot->memcgs ? predict->snapshot->memcg[memcg].name : "?", out);
}

static void print_task(const struct predict *predict, size_t task, FILE *out)
{
	char name[PREDICT_NAME_SIZE];

	(void)fprintf(out, "%s (pid %d)", predict_name(predict, task, name),
		      (int)predict->snapshot->task[task].pid);
}

static void print_subject(const struct predict *predict, FILE *out)
{
	const struct oom_question *question = predict->question;

	if (question->task != OOM_NOBODY) {
		const struct oom_task *task = &predict->snapshot->task[question->task];

		if (question->thread < task->threads && task->thread[question->thread].tid != task->pid)
			(void)fprintf(out, "thread %d of ", (int)task->thread[question->thread].tid);
		print_task(predict, question->task, out);
	} else if (predict->config->cgroup) {
		(void)fputs("a task of ", out);
		if (*predict->config->cgroup != '/')
			(void)fputc('/', out);
		print_escaped(predict->config->cgroup, out);
	} else {
		(void)fputs("an unrestricted task", out);
	}
}

static void print_event(const struct predict *predict, FILE *out)
{
	const struct oom_domain *domain = &predict->oom->domain;
	AUTO(free_p) char *list = NULL;

	if (domain->constraint == OOM_MEMCG) {
		(void)fputs(" reaches memory.max of ", out);
		print_memcg(predict, domain->memcg, out);
		return;
	}
	(void)fputs(" runs out of memory", out);
	if (domain->constraint == OOM_NONE) {
		if (predict->snapshot->topology.nodes > 1)
			(void)fputs(" on all nodes", out);
		return;
	}
	list = nodeset_format(&domain->nodes);
	(void)fprintf(out, " on %s %s", nodeset_count(&domain->nodes) == 1 ? "node" : "nodes",
		      list ? list : "?");
}

/* Nodes where something is freed, and those where memory is short though nothing is. */
static void print_freed_nodes(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	const char *between = "";
	size_t named = 0, more = 0;
	uint64_t more_bytes = 0;
	char size[SIZE_TEXT];

	for (size_t i = 0; i < oom->frees; i++) {
		const struct oom_share *share = &oom->freed[i];

		if (share->freed == 0)
			continue;
		if (named == NODES_MAX) {
			more++;
			more_bytes += share->freed;
			continue;
		}
		(void)fprintf(out, "%s%s on node %u", between, size_long(share->freed, size), share->node);
		between = ", ";
		named++;
	}
	if (more)
		(void)fprintf(out, ", %s on %zu other nodes", size_long(more_bytes, size), more);
	for (int node = nodeset_next(&oom->domain.nodes, 0); node >= 0 && named < 2 * (size_t)NODES_MAX;
	     node = nodeset_next(&oom->domain.nodes, node + 1)) {
		bool frees = false;

		for (size_t i = 0; i < oom->frees; i++)
			frees |= oom->freed[i].node == (unsigned)node && oom->freed[i].freed > 0;
		if (frees)
			continue;
		(void)fprintf(out, "%snothing on node %d", between, node);
		between = ", ";
		named++;
	}
	if (named == 0)
		(void)fputs("this frees nothing", out);
}

static void print_freed(const struct predict *predict, FILE *out)
{
	char size[SIZE_TEXT];

	(void)fputs(": ", out);
	if (predict->oom->has_freed)
		print_freed_nodes(predict, out);
	else
		(void)fprintf(out, "about %s, on which nodes is not known",
			      size_long(predict->oom->freed_bytes, size));
	(void)fputc('.', out);
}

static size_t count_why(const struct oom_forecast *oom, enum oom_why why)
{
	size_t count = 0;

	for (size_t i = 0; i < oom->kills; i++)
		count += oom->killed[i].why == why;
	return count;
}

static void print_kill(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	size_t sharers = count_why(oom, OOM_WHY_SHARES_MM), group = count_why(oom, OOM_WHY_GROUP);

	(void)fputs(", the kernel kills ", out);
	print_task(predict, oom->killed[0].task, out);
	if (oom->killed[0].task == predict->question->task)
		(void)fputs(" itself", out);
	if (sharers)
		(void)fprintf(out, "%s %zu more that share%s memory", group ? "," : " and", sharers,
			      sharers == 1 ? "s its" : " its");
	if (group) {
		(void)fprintf(out, " and %zu more by memory.oom.group of ", group);
		print_memcg(predict, killset_group(predict->snapshot, &oom->domain, oom->killed[0].task),
			    out);
	}
	if (oom->outcome == OOM_KILL_ALLOCATING)
		(void)fputs(", because vm.oom_kill_allocating_task is set", out);
	print_freed(predict, out);
}

static void print_consequence(const struct predict *predict, FILE *out)
{
	const struct oom_forecast *oom = predict->oom;
	char name[PREDICT_NAME_SIZE];

	if (oom->useful == OOM_USEFUL)
		return;
	(void)fputs(oom->useful == OOM_USELESS ? " That does not help" : " Whether that helps is not known",
		    out);
	if (oom->thens == 0) {
		(void)fputc('.', out);
		return;
	}
	(void)fputs("; ", out);
	if (oom->useful == OOM_USEFUL_UNKNOWN)
		(void)fputs("if it does not, ", out);
	if (oom->then[0].task == predict->question->task)
		(void)fputs(predict_name(predict, oom->then[0].task, name), out);
	else
		print_task(predict, oom->then[0].task, out);
	(void)fputs(" dies next.", out);
}

static void print_panic(const struct predict *predict, FILE *out)
{
	const struct oom_snapshot *snapshot = predict->snapshot;

	if (snapshot->panic_on_oom > 1 ||
	    (snapshot->panic_on_oom == 1 && predict->oom->domain.constraint == OOM_NONE))
		(void)fprintf(out, ", the kernel panics, because vm.panic_on_oom is %llu.",
			      (unsigned long long)snapshot->panic_on_oom);
	else
		(void)fputs(predict->oom->is_complete
				    ? ", the kernel panics, because there is no process that it may kill."
				    : ", the kernel panics, unless it may kill a process that cannot be seen "
				      "here.",
			    out);
}

static void print_blocked(const struct predict *predict, FILE *out)
{
	size_t trigger = predict->question->task;

	if (trigger != OOM_NOBODY && predict->snapshot->task[trigger].is_dying)
		(void)fputs(", the kernel kills nobody: it is dying already, and is left to end.", out);
	else
		(void)fputs(", the kernel may kill nobody yet: an earlier victim of the OOM killer seems to "
			    "be dying still.",
			    out);
}

void predict_print_sentence(const struct predict *predict, FILE *out)
{
	(void)fputs("If ", out);
	print_subject(predict, out);
	print_event(predict, out);
	switch (predict->oom->outcome) {
	case OOM_KILL:
	case OOM_KILL_ALLOCATING:
		if (predict->oom->kills == 0) {
			(void)fputs(", the kernel kills the task that allocates, because "
				    "vm.oom_kill_allocating_task is set.",
				    out);
			break;
		}
		print_kill(predict, out);
		print_consequence(predict, out);
		break;
	case OOM_PANIC:
		print_panic(predict, out);
		break;
	case OOM_NO_VICTIM:
		(void)fputs(", there is nobody that the kernel may kill: the allocation fails, or waits for "
			    "ever.",
			    out);
		break;
	case OOM_BLOCKED:
		print_blocked(predict, out);
		break;
	}
}
