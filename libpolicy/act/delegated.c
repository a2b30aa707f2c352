/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a user without rights may make cgroups: the nearest ancestor of the own one that was handed over. */
#include "act/delegated.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "policy/facts.h"

bool delegated_is_root(const struct cgpol_host *host)
{
	return host->root->facts.uid == 0 && host->root->facts.initial_userns;
}

/* 1: it was handed over, 0: it was not, or cannot be looked at. */
static int check(struct cgpol_host *host, const struct facts_groups *groups, const char *name,
		 struct root_info *directory)
{
	AUTO(free_p) char *path = cgroup_path(host, name, NULL);
	AUTO(free_p) char *procs = cgroup_path(host, name, "cgroup.procs");
	const struct root_facts *self = &host->root->facts;
	struct root_info file = {0};
	int rc;

	if (!path || !procs)
		return -ENOMEM;
	rc = root_stat(host->root, path, directory);
	if (rc == 0)
		rc = root_stat(host->root, procs, &file);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	return facts_may_write(self, groups, directory) && facts_may_write(self, groups, &file);
}

static int refuse(const struct cgpol_host *host, const char *own, const struct root_info *info,
		  struct cgpol_error *err)
{
	char shown[200];

	text_escape(own, shown, sizeof(shown));
	(void)error_set(
		err, EACCES, CGPOL_FAILED,
		"no cgroup is delegated to user %llu: neither %s, which belongs to user %u, nor one above it",
		(unsigned long long)host->root->facts.uid, shown, info->uid);
	error_detail(
		err, host->cgroup2, shown,
		"run it in a scope of its own (systemd-run --user --scope -p Delegate=yes cgpol run ...), "
		"let an administrator chown a cgroup to you, or use --no-cgroup");
	return -EACCES;
}

static int no_own(int rc, struct cgpol_error *err)
{
	if (rc == -ENOMEM)
		return error_no_memory(err);
	(void)error_set(err, -rc, CGPOL_UNSUPPORTED, "the cgroup of this process cannot be found: %s",
			rc == -EXDEV ? "it lies outside the mounted part of cgroup v2" : strerror(-rc));
	error_detail(err, "/proc/self/cgroup", NULL, "name one with --cgroup, or use --no-cgroup");
	return rc;
}

int delegated_find(struct cgpol_host *host, char **name, struct cgpol_error *err)
{
	AUTO(facts_clear_groups) struct facts_groups groups = {NULL, 0};
	struct root_info info = {0}, first = {0};
	AUTO(free_p) char *own = NULL;
	AUTO(free_p) char *at = NULL;
	int rc = proc_read_cgroup(host, host->root->facts.self, &own);

	if (rc < 0)
		return no_own(rc, err);
	at = strdup(own);
	rc = at ? facts_read_groups(host, &groups) : -ENOMEM;
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "cannot find out who this is: %s", strerror(-rc));
	for (bool is_first = true;; is_first = false) {
		char *slash;

		rc = check(host, &groups, at, &info);
		if (rc < 0)
			return error_set(err, -rc, CGPOL_FAILED, "out of memory");
		if (rc > 0) {
			*name = TAKE(at);
			return 0;
		}
		if (is_first)
			first = info;
		slash = strrchr(at, '/');
		if (!slash || !at[1])
			return refuse(host, own, &first, err);
		slash[slash == at ? 1 : 0] = '\0';
	}
}
