/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol get tells of a process, and which file says so. */
#include "get.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nodeset.h"
#include "base/text.h"
#include "host/affinity.h"
#include "host/proc.h"
#include "memory/mempolicy.h"
#include "memory/numamaps.h"

typedef int tell_fn(struct cgpol_host *host, pid_t pid, struct effective *effective);

static int hold(struct effective *effective, const char *text)
{
	effective->holds = strdup(text);
	return effective->holds ? 0 : -ENOMEM;
}

static int know_nothing(struct effective *effective, const char *reason)
{
	effective->by = EFFECTIVE_UNKNOWN;
	effective->reason = strdup(reason);
	return effective->reason ? hold(effective, "unknown") : -ENOMEM;
}

static int tell_adj(struct cgpol_host *host, pid_t pid, struct effective *effective)
{
	char text[16];
	int adj, rc = proc_read_adj(host, pid, &adj);

	if (rc < 0)
		return rc;
	(void)snprintf(text, sizeof(text), "%d", adj);
	effective->requested = strdup(text);
	return effective->requested ? hold(effective, text) : -ENOMEM;
}

/* What it asked for is not told by the kernel: only what its cpuset leaves of that. */
static int tell_affinity(struct cgpol_host *host, pid_t pid, struct effective *effective)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	int rc = affinity_read(host, pid, 0, &cpus);

	if (rc == -ENODATA)
		return know_nothing(effective, "status has no Cpus_allowed_list");
	if (rc < 0)
		return rc;
	effective->holds = nodeset_format(&cpus);
	return effective->holds ? 0 : -ENOMEM;
}

static int tell_mems(struct cgpol_host *host, pid_t pid, struct effective *effective)
{
	struct proc_status status = {0};
	int rc = proc_read_status(host, pid, &status);

	if (rc < 0)
		return rc;
	rc = status.mems ? hold(effective, status.mems)
			 : know_nothing(effective, "status has no Mems_allowed_list");
	proc_status_clear(&status);
	return rc;
}

static int tell_policy(struct cgpol_host *host, pid_t pid, struct effective *effective)
{
	struct mempolicy policy = {.mode = MEMPOLICY_DEFAULT};
	AUTO(free_p) char *text = NULL;
	bool is_mixed = false;
	int rc = proc_read_numa_maps(host, pid, pid, true, &text);

	if (rc == -EACCES || rc == -EPERM)
		return know_nothing(effective, "numa_maps may not be read: that needs the right to trace it");
	if (rc == -ENOENT)
		return know_nothing(effective, "there is no numa_maps");
	if (rc < 0)
		return rc;
	rc = numamaps_task_policy(text, &policy, &is_mixed);
	if (rc == -ENODATA)
		return know_nothing(effective, "numa_maps has no mapping that tells");
	if (rc < 0)
		return rc;
	effective->holds = mempolicy_format(&policy);
	mempolicy_clear(&policy);
	if (!effective->holds)
		return -ENOMEM;
	if (!is_mixed)
		return 0;
	effective->by = EFFECTIVE_UNKNOWN;
	effective->reason =
		strdup("its mappings have several policies: this is the likely one of the thread");
	return effective->reason ? 0 : -ENOMEM;
}

static int tell_home(struct cgpol_host *host, pid_t pid, struct effective *effective)
{
	(void)host;
	(void)pid;
	return know_nothing(effective, "Linux does not tell the home node of another process");
}

static const struct fact {
	const char *key, *source;
	tell_fn *tell;
	bool is_default;
} facts[] = {
	{"oom_score_adj", "oom_score_adj", tell_adj, true},
	{"affinity", "status Cpus_allowed_list", tell_affinity, true},
	{"mempolicy", "numa_maps", tell_policy, true},
	{"mems_allowed", "status Mems_allowed_list", tell_mems, true},
	{"home_node", NULL, tell_home, false},
};

static int add_fact(struct cgpol_host *host, pid_t pid, const struct fact *fact, struct get_rows *rows,
		    struct cgpol_error *err)
{
	struct effective effective = {0};
	int rc = fact->tell(host, pid, &effective);

	if (rc == 0)
		rc = get_add(rows, pid, fact->key, fact->source, &effective);
	effective_clear(&effective);
	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (proc_is_gone(rc))
		return error_set(err, ESRCH, CGPOL_FAILED, "process %d does not exist", (int)pid);
	if (rc < 0) {
		(void)error_set(err, -rc, CGPOL_FAILED, "%s of process %d cannot be read: %s", fact->key,
				(int)pid, strerror(-rc));
		error_detail(err, fact->source, NULL, NULL);
	}
	return rc;
}

static const struct fact *find_fact(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (strcmp(facts[i].key, key) == 0)
			return &facts[i];
	return NULL;
}

static int refuse_key(const char *key, struct cgpol_error *err)
{
	char shown[96];

	text_escape(key, shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no setting of a process", shown);
	error_detail(err, NULL, shown, "oom_score_adj, affinity, mempolicy, mems_allowed and home_node are");
	return -EINVAL;
}

int get_process(struct cgpol_host *host, pid_t pid, const struct words *keys, struct get_rows *rows,
		struct cgpol_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && keys->count == 0 && i < ARRAY_SIZE(facts); i++)
		rc = facts[i].is_default ? add_fact(host, pid, &facts[i], rows, err) : 0;
	for (size_t i = 0; rc == 0 && i < keys->count; i++) {
		const struct fact *fact = find_fact(keys->word[i]);

		rc = fact ? add_fact(host, pid, fact, rows, err) : refuse_key(keys->word[i], err);
	}
	return rc;
}
