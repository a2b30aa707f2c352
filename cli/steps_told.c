/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a change, and what came of them, as people and scripts read them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "steps.h"

/* Escaped for a terminal; the caller frees it. */
static char *shown(const char *text)
{
	size_t size = text ? 4 * strlen(text) + 1 : sizeof("\"\"");
	char *escaped = malloc(size < sizeof("\"\"") ? sizeof("\"\"") : size);

	if (!escaped)
		return NULL;
	if (!text || !*text)
		return strcpy(escaped,
			      text ? "\"\"" : "-"); // NOLINT(clang-analyzer-security.insecureAPI.strcpy)
	return text_escape(text, escaped, size);
}

struct told {
	char *cgroup, *file, *old_value, *new_value;
};

static void told_clear(struct told *told)
{
	free(told->cgroup);
	free(told->file);
	free(told->old_value);
	free(told->new_value);
}

static int tell(const struct step *step, struct told *told)
{
	told->cgroup = shown(step->cgroup && strcmp(step->cgroup, "/") == 0 ? "/" : step->cgroup);
	told->file = shown(step->file);
	told->old_value = shown(step->old_value);
	told->new_value = shown(step->new_value);
	return told->cgroup && told->file && told->old_value && told->new_value ? 0 : -ENOMEM;
}

/* "/web/memory.max"; of the root "/memory.max". */
static void put_path(const struct told *told, FILE *out)
{
	(void)fprintf(out, "%s/%s", strcmp(told->cgroup, "/") == 0 ? "" : told->cgroup, told->file);
}

static void put_values(const struct step *step, const struct told *told, FILE *out)
{
	if (step->old_value)
		(void)fprintf(out, ": %s -> %s", told->old_value, told->new_value);
	else
		(void)fprintf(out, ": %s", told->new_value);
}

static void put_on_cgroup(const struct step *step, const struct told *told, FILE *out)
{
	switch (step->op) {
	case STEP_MKDIR:
	case STEP_RMDIR:
		(void)fprintf(out, "%s %s", steps_op_name(step->op), told->cgroup);
		return;
	case STEP_ENABLE:
		(void)fprintf(out, "%s/cgroup.subtree_control: %s",
			      strcmp(told->cgroup, "/") == 0 ? "" : told->cgroup, told->new_value);
		return;
	case STEP_THREADED:
		(void)fprintf(out, "%s becomes threaded", told->cgroup);
		return;
	case STEP_ATTACH:
		(void)fprintf(out, "%s %d: %s -> %s", step->is_thread ? "thread" : "process", step->pid,
			      told->old_value, told->cgroup);
		return;
	case STEP_RECLAIM:
		(void)fprintf(out, "%s: reclaim %s bytes", told->cgroup, told->new_value);
		return;
	case STEP_CHECK:
		put_path(told, out);
		(void)fprintf(out, " is at most %s", told->new_value);
		return;
	case STEP_KILL:
		(void)fprintf(out, "%s: end every process", told->cgroup);
		return;
	case STEP_OWNER:
		(void)fprintf(out, "owner of %s%s%s", told->cgroup, step->file ? "/" : "",
			      step->file ? told->file : "");
		put_values(step, told, out);
		return;
	default:
		put_path(told, out);
		put_values(step, told, out);
		return;
	}
}

static void put_elsewhere(const struct step *step, const struct told *told, FILE *out)
{
	switch (step->op) {
	case STEP_SAVE:
		(void)fprintf(out, "%s is %s", told->file, step->old_value ? "rewritten" : "made");
		return;
	case STEP_TASK:
		(void)fprintf(out, "process %d: %s", step->pid, told->file);
		break;
	case STEP_AFFINITY:
		(void)fprintf(out, "thread %d: affinity", step->pid);
		break;
	default:
		(void)fputs(told->file, out);
		break;
	}
	put_values(step, told, out);
}

static const char *result_name(const struct plan *plan, const struct change *change, size_t step)
{
	static const char *const words[] = {
		[STEP_PENDING] = "not reached", [STEP_DONE] = "done",	  [STEP_UNCHANGED] = "unchanged",
		[STEP_SKIPPED] = "skipped",	[STEP_FAILED] = "failed", [STEP_UNDONE] = "undone",
		[STEP_STAYS] = "stays",
	};

	return change ? words[change_result(change, plan, step)] : "planned";
}

int steps_print_text(const struct plan *plan, const struct change *change, FILE *out)
{
	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		AUTO(told_clear) struct told told = {0};
		const char *result = result_name(plan, change, i);

		if (tell(step, &told) < 0)
			return -ENOMEM;
		if (step->cgroup)
			put_on_cgroup(step, &told, out);
		else
			put_elsewhere(step, &told, out);
		if (change && strcmp(result, "done") != 0)
			(void)fprintf(out, " (%s)", result);
		if (!change && step->is_optional)
			(void)fputs(" (if it can be)", out);
		if (step->lost)
			(void)fprintf(out, " (not to be undone: %s)", step->lost);
		(void)fputc('\n', out);
	}
	return 0;
}

static void put_bytes(struct json *json, const char *key, const char *text)
{
	if (text)
		json_put_name(json, key, text);
	else
		json_put_null(json, key);
}

/* What a step is about, when it is no cgroup: "vm.swappiness", "pid 12", else its file. */
static void put_target(struct json *json, const struct step *step)
{
	static const char sysctl[] = "/proc/sys/";
	char name[128];

	if (step->cgroup) {
		json_put_name(json, "target", step->cgroup);
		return;
	}
	if (step->op == STEP_TASK || step->op == STEP_AFFINITY)
		(void)snprintf(name, sizeof(name), "pid %d", step->pid);
	else if (step->file && strncmp(step->file, sysctl, sizeof(sysctl) - 1) == 0)
		(void)snprintf(name, sizeof(name), "%s", step->file + sizeof(sysctl) - 1);
	else
		(void)snprintf(name, sizeof(name), "%s", step->file ? step->file : "");
	if (step->op == STEP_HOST && step->file && *step->file && *name != '/')
		for (char *slash = strchr(name, '/'); slash; slash = strchr(slash, '/'))
			*slash = '.';
	json_put_name(json, "target", name);
}

static void put_step(struct json *json, const struct step *step, const char *result)
{
	json_open_object(json, NULL);
	json_put_text(json, "op", steps_op_name(step->op));
	put_target(json, step);
	put_bytes(json, "file", step->file);
	put_bytes(json, "old", step->old_value);
	put_bytes(json, "new", step->new_value);
	json_put_text(json, "result", result);
	json_put_bool(json, "irreversible", step->lost != NULL);
	if (step->pid)
		json_put_int(json, "pid", step->pid);
	if (step->lost)
		json_put_text(json, "lost", step->lost);
	if (step->why)
		json_put_text(json, "why", step->why);
	json_close(json);
}

void steps_put_json(struct json *json, const struct plan *plan, const struct change *change)
{
	for (size_t i = 0; i < plan->steps; i++)
		put_step(json, &plan->step[i], result_name(plan, change, i));
}

void steps_put_guard(struct json *json, const struct guard *guard)
{
	for (size_t i = 0; i < guard->findings; i++)
		json_put_name(json, NULL, guard->finding[i].text);
}
