/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forecast as the JSON document of share/cgpol/schema/predict.schema.json. */
#include "predict.h"

#include <errno.h>

#include "base/cleanup.h"

static void put_task(struct json *json, const struct predict *predict, size_t task)
{
	json_put_int(json, "pid", predict->snapshot->task[task].pid);
	json_put_name(json, "comm", predict_comm(predict, task));
}

static void put_name_or_null(struct json *json, const char *key, const char *name)
{
	if (name)
		json_put_name(json, key, name);
	else
		json_put_null(json, key);
}

/* A list string; an empty set is null where `is_known` is false. */
static int put_nodes(struct json *json, const char *key, const struct nodeset *nodes, bool is_known)
{
	AUTO(free_p) char *list = is_known ? nodeset_format(nodes) : NULL;

	if (is_known && !list)
		return -ENOMEM;
	json_put_text(json, key, list);
	return 0;
}

static void put_useful(struct json *json, enum oom_useful useful)
{
	if (useful == OOM_USEFUL_UNKNOWN)
		json_put_null(json, "useful");
	else
		json_put_bool(json, "useful", useful == OOM_USEFUL);
}

static void put_shares(struct json *json, const struct oom_share *share, size_t shares, bool freed)
{
	json_open_object(json, "nodes");
	for (size_t i = 0; i < shares; i++) {
		char id[16];

		(void)snprintf(id, sizeof(id), "%u", share[i].node);
		json_put_u64(json, id, freed ? share[i].freed : share[i].bytes);
	}
	json_close(json);
}

static int put_domain(struct json *json, const struct predict *predict)
{
	const struct oom_domain *domain = &predict->oom->domain;
	bool has_nodes = domain->constraint == OOM_CPUSET || domain->constraint == OOM_MEMORY_POLICY;
	bool has_memcg = domain->constraint == OOM_MEMCG && domain->memcg < predict->snapshot->memcgs;
	int rc;

	json_put_text(json, "constraint", oom_constraint_name(domain->constraint));
	rc = put_nodes(json, "nodes", &domain->nodes, has_nodes);
	put_name_or_null(json, "oom_memcg", has_memcg ? predict->snapshot->memcg[domain->memcg].name : NULL);
	json_put_u64(json, "totalpages", domain->totalpages);
	if (domain->lacks_headroom)
		json_put_null(json, "headroom_bytes");
	else
		json_put_u64(json, "headroom_bytes", domain->headroom * predict->snapshot->page_size);
	return rc;
}

static void put_kills(struct json *json, const struct predict *predict)
{
	const struct oom_forecast *oom = predict->oom;

	json_put_text(json, "outcome", oom_outcome_name(oom->outcome));
	json_put_text(json, "certainty", oom_certainty_name(oom->certainty));
	if (oom->kills) {
		json_open_object(json, "victim");
		put_task(json, predict, oom->killed[0].task);
		json_put_int(json, "points", oom->victim_points);
		json_close(json);
	} else {
		json_put_null(json, "victim");
	}
	if (oom->has_margin)
		json_put_int(json, "margin_points", oom->margin);
	else
		json_put_null(json, "margin_points");
	json_open_array(json, "kills");
	for (size_t i = 0; i < oom->kills; i++) {
		json_open_object(json, NULL);
		put_task(json, predict, oom->killed[i].task);
		json_put_text(json, "why", oom_why_name(oom->killed[i].why));
		json_close(json);
	}
	json_close(json);
}

static void put_effect(struct json *json, const struct predict *predict)
{
	const struct oom_forecast *oom = predict->oom;

	json_open_object(json, "frees");
	json_put_u64(json, "bytes", oom->freed_bytes);
	if (oom->has_freed || oom->kills == 0)
		put_shares(json, oom->freed, oom->frees, true);
	else
		json_put_null(json, "nodes");
	json_close(json);
	put_useful(json, oom->useful);
	json_open_array(json, "then");
	for (size_t i = 0; i < oom->thens; i++) {
		json_open_object(json, NULL);
		put_task(json, predict, oom->then[i].task);
		json_put_int(json, "points", oom->then[i].points);
		put_useful(json, oom->then[i].useful);
		json_close(json);
	}
	json_close(json);
}

static void put_candidates(struct json *json, const struct predict *predict)
{
	json_open_array(json, "candidates");
	for (size_t i = 0; i < predict_shown(predict); i++) {
		const struct oom_candidate *row = &predict->oom->candidate[i];
		const struct oom_task *task = &predict->snapshot->task[row->task];

		json_open_object(json, NULL);
		put_task(json, predict, row->task);
		json_put_int(json, "points", row->points);
		json_put_u64(json, "rss_pages", row->rss);
		json_put_u64(json, "swap_pages", row->swap);
		json_put_u64(json, "pgtable_pages", row->pgtables);
		json_put_u64(json, "grow_pages", row->grow);
		json_put_int(json, "oom_score_adj", task->adj);
		json_put_int(json, "adj_pages", row->adj);
		put_name_or_null(json, "cgroup", predict_cgroup(predict, row->task));
		if (task->has_shares)
			put_shares(json, task->share, task->shares, false);
		else
			json_put_null(json, "nodes");
		json_close(json);
	}
	json_close(json);
	json_put_u64(json, "candidates_total", predict->oom->candidates);
}

static void put_skipped(struct json *json, const struct predict *predict)
{
	const struct oom_forecast *oom = predict->oom;

	json_open_array(json, "skipped");
	for (size_t i = 0; i < oom->skips; i++) {
		if (!predict_tells_skipped(predict, &oom->skipped[i]))
			continue;
		json_open_object(json, NULL);
		put_task(json, predict, oom->skipped[i].task);
		json_put_text(json, "reason", oom_skip_name(oom->skipped[i].reason));
		json_close(json);
	}
	json_close(json);
	json_open_object(json, "skipped_count");
	for (int reason = OOM_ELIGIBLE + 1; reason < OOM_SKIP_REASONS; reason++)
		json_put_u64(json, oom_skip_name(reason), oom->skipped_count[reason]);
	json_close(json);
}

static int put_trigger(struct json *json, const struct predict *predict)
{
	const struct oom_question *question = predict->question;
	const struct oom_thread *thread;
	const struct oom_task *task;
	AUTO(free_p) char *policy = NULL;
	int rc = 0;

	if (question->task == OOM_NOBODY) {
		json_put_null(json, "trigger");
		return 0;
	}
	task = &predict->snapshot->task[question->task];
	thread = question->thread < task->threads ? &task->thread[question->thread] : NULL;
	json_open_object(json, "trigger");
	put_task(json, predict, question->task);
	json_put_int(json, "tid", thread ? thread->tid : task->pid);
	put_name_or_null(json, "cgroup", predict_cgroup(predict, question->task));
	rc = put_nodes(json, "mems_allowed", thread ? thread->mems : NULL, thread && thread->mems);
	if (thread && thread->policy) {
		policy = mempolicy_format(thread->policy);
		rc = policy ? rc : -ENOMEM;
	}
	json_put_text(json, "policy", policy || !thread || !thread->has_policy ? policy : "default");
	json_close(json);
	return rc;
}

int predict_print_json(struct cli *cli, const struct predict *predict)
{
	AUTO(json_free_p) struct json *json = json_new();
	int rc;

	if (!json)
		return -ENOMEM;
	json_put_text(json, "kernel", predict->snapshot->release);
	json_put_u64(json, "page_size", predict->snapshot->page_size);
	json_put_bool(json, "complete", predict->oom->is_complete);
	json_open_array(json, "warnings");
	for (size_t i = 0; i < predict->oom->warnings; i++)
		json_put_text(json, NULL, predict->oom->warning[i]);
	json_close(json);
	rc = put_domain(json, predict);
	put_kills(json, predict);
	put_effect(json, predict);
	put_candidates(json, predict);
	put_skipped(json, predict);
	if (rc == 0)
		rc = put_trigger(json, predict);
	return rc < 0 ? rc : cli_print_json(cli, json);
}
