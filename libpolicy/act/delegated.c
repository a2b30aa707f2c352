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

enum { GROUPS_MAX = 65536, OWNER_WRITE = 0200, GROUP_WRITE = 020, OTHER_WRITE = 02 };

/* Who is asking: by /proc/self/status, so that a test's root can be somebody else. */
struct person {
	uint64_t uid;
	uint64_t *gid; /* the effective one, then the supplementary ones */
	size_t gids;
};

static void person_clear(struct person *person)
{
	free(person->gid);
}

static int add_gid(struct person *person, uint64_t gid)
{
	uint64_t *grown;

	if (person->gids == GROUPS_MAX)
		return -E2BIG;
	grown = reallocarray(person->gid, person->gids + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	person->gid = grown;
	person->gid[person->gids++] = gid;
	return 0;
}

static int read_person(struct cgpol_host *host, struct person *person)
{
	AUTO(free_p) char *status = NULL;
	struct span line, word;
	uint64_t gid;
	int rc = root_read(host->root, "/proc/self/status", &status, NULL);

	if (rc < 0)
		return rc;
	person->uid = host->root->facts.uid;
	line = text_field_span(status, "Gid");
	/* real, effective, saved, file system (fs/proc/array.c task_state) */
	for (int i = 0; i < 2; i++)
		if (!text_word(&line, &word))
			return -EINVAL;
	if (span_u64(word, &gid) < 0)
		return -EINVAL;
	rc = add_gid(person, gid);
	line = text_field_span(status, "Groups");
	while (rc == 0 && text_word(&line, &word))
		rc = span_u64(word, &gid) == 0 ? add_gid(person, gid) : -EINVAL;
	return rc;
}

static bool is_member(const struct person *person, uint64_t gid)
{
	for (size_t i = 0; i < person->gids; i++)
		if (person->gid[i] == gid)
			return true;
	return false;
}

static bool may_write(const struct person *person, const struct root_info *info)
{
	if (person->uid == 0)
		return true;
	if (info->uid == person->uid)
		return (info->mode & OWNER_WRITE) != 0;
	if (is_member(person, info->gid))
		return (info->mode & GROUP_WRITE) != 0;
	return (info->mode & OTHER_WRITE) != 0;
}

/* 1: it was handed over, 0: it was not, or cannot be looked at. */
static int check(struct cgpol_host *host, const struct person *person, const char *name,
		 struct root_info *directory)
{
	AUTO(free_p) char *path = cgroup_path(host, name, NULL);
	AUTO(free_p) char *procs = cgroup_path(host, name, "cgroup.procs");
	struct root_info file = {0};
	int rc;

	if (!path || !procs)
		return -ENOMEM;
	rc = root_stat(host->root, path, directory);
	if (rc == 0)
		rc = root_stat(host->root, procs, &file);
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	return may_write(person, directory) && may_write(person, &file);
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
		return error_set(err, ENOMEM, CGPOL_FAILED, "out of memory");
	(void)error_set(err, -rc, CGPOL_UNSUPPORTED, "the cgroup of this process cannot be found: %s",
			rc == -EXDEV ? "it lies outside the mounted part of cgroup v2" : strerror(-rc));
	error_detail(err, "/proc/self/cgroup", NULL, "name one with --cgroup, or use --no-cgroup");
	return rc;
}

int delegated_find(struct cgpol_host *host, char **name, struct cgpol_error *err)
{
	AUTO(person_clear) struct person person = {0};
	struct root_info info = {0}, first = {0};
	AUTO(free_p) char *own = NULL;
	AUTO(free_p) char *at = NULL;
	int rc = proc_read_cgroup(host, host->root->facts.self, &own);

	if (rc < 0)
		return no_own(rc, err);
	at = strdup(own);
	rc = at ? read_person(host, &person) : -ENOMEM;
	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "cannot find out who this is: %s", strerror(-rc));
	for (bool is_first = true;; is_first = false) {
		char *slash;

		rc = check(host, &person, at, &info);
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
