/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* USER[:GROUP] of a command line. */
#include "owner.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

/* (uid_t)-1 is none: it would leave the owner as it is. */
#define NUMBER_MAX 0xfffffffeU

static bool is_number(const char *text, uint64_t *number)
{
	return text[strspn(text, "0123456789")] == '\0' && text_u64(text, number) == 0 &&
	       *number <= NUMBER_MAX;
}

static int refuse(const char *what, const char *name, struct cgpol_error *err)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "there is no %s \"%.80s\"", what, name);
	error_detail(err, NULL, name, "a name of this machine, or a number");
	return -EINVAL;
}

static int find_user(const char *name, uid_t *uid, gid_t *gid, struct cgpol_error *err)
{
	const struct passwd *user = getpwnam(name); // NOLINT(concurrency-mt-unsafe): one thread
	uint64_t number = 0;

	if (!user && is_number(name, &number)) {
		user = getpwuid((uid_t)number); // NOLINT(concurrency-mt-unsafe): one thread
		*uid = (uid_t)number;
		*gid = user ? user->pw_gid : (gid_t)-1;
		return 0;
	}
	if (!user)
		return refuse("user", name, err);
	*uid = user->pw_uid;
	*gid = user->pw_gid;
	return 0;
}

static int find_group(const char *name, gid_t *gid, struct cgpol_error *err)
{
	const struct group *group = getgrnam(name); // NOLINT(concurrency-mt-unsafe): one thread
	uint64_t number = 0;

	if (!group && !is_number(name, &number))
		return refuse("group", name, err);
	*gid = group ? group->gr_gid : (gid_t)number;
	return 0;
}

int owner_parse(const char *text, uid_t *uid, gid_t *gid, struct cgpol_error *err)
{
	const char *colon = strchr(text, ':');
	AUTO(free_p) char *name = colon ? strndup(text, (size_t)(colon - text)) : strdup(text);
	uid_t user = 0;
	gid_t group = 0;
	int rc;

	if (!name)
		return error_no_memory(err);
	rc = find_user(name, &user, &group, err);
	if (rc == 0 && colon)
		rc = find_group(colon + 1, &group, err);
	if (rc < 0)
		return rc;
	*uid = user;
	*gid = group;
	return 0;
}
