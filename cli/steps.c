/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a change as a shell does them. What came of them is in steps_told.c: a start of a command,
 * which only prints what it would do, must not pay for the journal. */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/cgroup.h"
#include "quote.h"

const char *steps_op_name(enum step_op op)
{
	static const char *const words[] = {
		[STEP_MKDIR] = "mkdir",	      [STEP_ENABLE] = "enable",	    [STEP_SET] = "set",
		[STEP_THREADED] = "threaded", [STEP_OWNER] = "owner",	    [STEP_ATTACH] = "attach",
		[STEP_RECLAIM] = "reclaim",   [STEP_CHECK] = "check",	    [STEP_KILL] = "kill",
		[STEP_RMDIR] = "rmdir",	      [STEP_HOST] = "write",	    [STEP_SAVE] = "save",
		[STEP_TASK] = "task",	      [STEP_AFFINITY] = "affinity",
	};

	return (size_t)op < ARRAY_SIZE(words) && words[op] ? words[op] : "unknown";
}

/* The file that a step is about, when the plan leaves it to the operation. */
static const char *file_of(const struct step *step)
{
	if (step->file)
		return step->file;
	switch (step->op) {
	case STEP_ENABLE:
		return "cgroup.subtree_control";
	case STEP_THREADED:
		return "cgroup.type";
	case STEP_ATTACH:
		return step->is_thread ? "cgroup.threads" : "cgroup.procs";
	case STEP_RECLAIM:
		return "memory.reclaim";
	case STEP_CHECK:
		return "memory.current";
	case STEP_KILL:
		return "cgroup.kill";
	default:
		return NULL;
	}
}

/* echo of some shells reads backslashes, and all take "-n" for an option. */
static void put_echo(const char *value, FILE *out)
{
	if (strchr(value, '\\') || (value[0] == '-' && !(value[1] >= '0' && value[1] <= '9'))) {
		(void)fputs("printf '%s\\n' ", out);
		quote_put(value, out);
		return;
	}
	(void)fputs("echo", out);
	if (!*value)
		return;
	(void)fputc(' ', out);
	quote_put(value, out);
}

static void put_write(const char *value, const char *path, FILE *out)
{
	put_echo(value, out);
	(void)fputs(" > ", out);
	quote_put(path, out);
}

/* A whole file in one line: as a format of printf(1). */
static void put_save(const char *text, const char *path, FILE *out)
{
	(void)fputs("printf '", out);
	for (; *text; text++)
		if (*text == '\n')
			(void)fputs("\\n", out);
		else if (*text == '%')
			(void)fputs("%%", out);
		else if (*text == '\\' || *text == '\'' || (unsigned char)*text < ' ' ||
			 (unsigned char)*text >= 0x7f)
			(void)fprintf(out, "\\%03o", (unsigned)(unsigned char)*text);
		else
			(void)fputc(*text, out);
	(void)fputs("' > ", out);
	quote_put(path, out);
}

static void put_kill(const struct step *step, const char *path, FILE *out)
{
	static const char file[] = "cgroup.kill";
	size_t size = strlen(path) - (step->file ? strlen(step->file) : sizeof(file) - 1);
	AUTO(free_p) char *events = NULL;

	if (asprintf(&events, "%.*scgroup.events", (int)size, path) < 0) {
		events = NULL;
		return;
	}
	put_write("1", path, out);
	(void)fputs("; while grep -q 'populated 1' ", out);
	quote_put(events, out);
	(void)fputs("; do sleep 0.1; done", out);
}

static void put_on_cgroup(const struct step *step, const char *path, FILE *out)
{
	const char *new_value = step->new_value ? step->new_value : "";

	switch (step->op) {
	case STEP_MKDIR:
	case STEP_RMDIR:
		(void)fprintf(out, "%s ", steps_op_name(step->op));
		quote_put(path, out);
		return;
	case STEP_OWNER:
		(void)fputs("chown ", out);
		quote_put(new_value, out);
		(void)fputc(' ', out);
		quote_put(path, out);
		return;
	case STEP_ATTACH:
		(void)fprintf(out, "echo %d > ", step->pid);
		quote_put(path, out);
		return;
	case STEP_CHECK:
		(void)fputs("test \"$(cat ", out);
		quote_put(path, out);
		(void)fputs(")\" -le ", out);
		quote_put(new_value, out);
		(void)fputs(" || exit 1", out);
		return;
	case STEP_KILL:
		put_kill(step, path, out);
		return;
	default:
		put_write(step->op == STEP_THREADED ? "threaded" : new_value, path, out);
		break;
	}
}

static int put_elsewhere(const struct step *step, FILE *out)
{
	const char *new_value = step->new_value ? step->new_value : "";
	AUTO(free_p) char *path = NULL;

	switch (step->op) {
	case STEP_HOST:
		put_write(new_value, step->file, out);
		return 0;
	case STEP_SAVE:
		put_save(new_value, step->file, out);
		return 0;
	case STEP_TASK:
		if (asprintf(&path, "/proc/%d/%s", step->pid, step->file) < 0) {
			path = NULL;
			return -ENOMEM;
		}
		put_write(new_value, path, out);
		return 0;
	case STEP_AFFINITY:
		(void)fputs("taskset -pc ", out);
		quote_put(new_value, out);
		(void)fprintf(out, " %d > /dev/null", step->pid);
		return 0;
	default:
		(void)fprintf(out, "# %s: no shell command does this", steps_op_name(step->op));
		return 0;
	}
}

static int put_command(const struct cgpol_host *host, const struct step *step, FILE *out)
{
	AUTO(free_p) char *path = NULL;

	if (!step->cgroup)
		return put_elsewhere(step, out);
	path = cgroup_path(host, step->cgroup, file_of(step));
	if (!path)
		return -ENOMEM;
	put_on_cgroup(step, path, out);
	return 0;
}

int steps_print_shell(const struct cgpol_host *host, const struct plan *plan, FILE *out)
{
	for (size_t i = 0; i < plan->steps; i++) {
		const struct step *step = &plan->step[i];
		int rc = put_command(host, step, out);

		if (rc < 0)
			return rc;
		/* The kernel gives back what it could: less than was asked for is EAGAIN. */
		if (step->is_optional || step->op == STEP_RECLAIM)
			(void)fputs(" || :", out);
		if (step->why)
			(void)fprintf(out, " # %s", step->why);
		(void)fputc('\n', out);
	}
	return 0;
}
