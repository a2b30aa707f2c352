/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step has left: what its file, process or cgroup says now, and whether that is what the step wrote.
 */
#include "policy/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/agreement.h"
#include "policy/cause.h"
#include "policy/perform.h"
#include "policy/step.h"

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ESRCH;
}

static int read_value(struct cgpol_host *host, const struct step *step, char **now)
{
	const char *file = step->op == STEP_ENABLE     ? "cgroup.subtree_control"
			   : step->op == STEP_THREADED ? "cgroup.type"
						       : step->file;
	AUTO(free_p) char *path = NULL;
	int rc;

	switch (step->op) {
	case STEP_SET:
	case STEP_ENABLE:
	case STEP_THREADED:
		path = cgroup_path(host, step->cgroup, file);
		return path ? root_read(host->root, path, now, NULL) : -ENOMEM;
	case STEP_OWNER:
		return perform_read_owner(host, step, now);
	case STEP_HOST:
	case STEP_SAVE:
		return perform_read(host, step, now);
	case STEP_ATTACH:
	case STEP_TASK:
	case STEP_AFFINITY:
		break;
	default:
		return -ENOENT;
	}
	rc = perform_check_process(host, step);
	if (rc < 0)
		return rc;
	return step->op == STEP_ATTACH ? proc_read_cgroup(host, step->pid, now)
				       : perform_read(host, step, now);
}

int trace_read(struct cgpol_host *host, const struct step *step, char **now)
{
	AUTO(free_p) char *found = NULL;
	int rc = read_value(host, step, &found);

	if (rc < 0 && !is_absent(rc))
		return rc;
	*now = TAKE(found);
	return 0;
}

static bool is_partition(const struct step *step)
{
	return step->op == STEP_SET && strcmp(step->file, "cpuset.cpus.partition") == 0;
}

/* "root invalid (Parent is not a partition root)" */
static size_t word_size(const char *text)
{
	const char *reason = strstr(text, " (");

	return reason ? (size_t)(reason - text) : strlen(text);
}

bool trace_is_same(const struct step *step, const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	if (is_partition(step))
		return word_size(a) == word_size(b) && memcmp(a, b, word_size(a)) == 0;
	return strcmp(a, b) == 0;
}

static bool is_same_list(const char *a, const char *b)
{
	AUTO(nodeset_clear_p) struct nodeset left = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset right = {0, NULL};

	return nodeset_parse(a, NODESET_CPUS_MAX, &left, NULL) == 0 &&
	       nodeset_parse(b, NODESET_CPUS_MAX, &right, NULL) == 0 && nodeset_is_equal(&left, &right);
}

static bool is_same_owner(const char *wanted, const char *now)
{
	uid_t uid, wanted_uid;
	gid_t gid, wanted_gid;

	return step_owner(wanted, &wanted_uid, &wanted_gid) == 0 && step_owner(now, &uid, &gid) == 0 &&
	       (wanted_uid == (uid_t)-1 || wanted_uid == uid) &&
	       (wanted_gid == (gid_t)-1 || wanted_gid == gid);
}

/* Does the file say what the step wrote? The kernel does not print all as it was written. */
bool trace_is_written(const struct step *step, const char *now)
{
	const struct setting setting = {
		.key = step->op == STEP_SET ? key_find(step->file) : NULL,
		.name = step->file,
		.value = step->new_value,
	};
	size_t size = strlen(step->new_value);

	if (is_partition(step))
		return strncmp(now, step->new_value, size) == 0 &&
		       (now[size] == '\0' || strncmp(now + size, " invalid", 8) == 0);
	switch (step->op) {
	case STEP_SET:
		return agreement_holds(&setting, step->new_value, now);
	case STEP_AFFINITY:
		return is_same_list(step->new_value, now);
	case STEP_OWNER:
		return is_same_owner(step->new_value, now);
	case STEP_HOST:
		if (strcmp(now, "true") == 0 || strcmp(now, "false") == 0)
			return strcmp(step->new_value, *now == 't' ? "1" : "0") == 0;
		break;
	default:
		break;
	}
	return strcmp(step->new_value, now) == 0;
}

char *trace_read_widest(struct cgpol_host *host, const struct step *step)
{
	AUTO(free_p) char *above = NULL;
	bool is_cpus;

	if (step->op != STEP_SET || !step->old_value || *step->old_value)
		return NULL;
	is_cpus = strcmp(step->file, "cpuset.cpus") == 0;
	if (!is_cpus && strcmp(step->file, "cpuset.mems") != 0)
		return NULL;
	above = cause_parent(step->cgroup);
	return above ? cause_read(host, above, is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective")
		     : NULL;
}

bool trace_is_widest(struct cgpol_host *host, const struct step *step, const char *now)
{
	AUTO(free_p) char *widest = trace_read_widest(host, step);

	return widest && strcmp(widest, now) == 0;
}

char *trace_drop_word(const char *list, const char *drop)
{
	char *made = strdup(list), *at = made;
	struct span rest = {list, strlen(list)}, word;

	while (made && text_word(&rest, &word)) {
		if (span_is(word, drop))
			continue;
		at += sprintf(at, "%s%.*s", at > made ? " " : "", (int)word.size, word.at);
	}
	if (made)
		*at = '\0';
	return made;
}
