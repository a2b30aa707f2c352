/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Giving a cgroup to a user, as the kernel wants it to be delegated. */
#include "policy/delegate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "policy/need.h"

static const char listing[] = "/sys/kernel/cgroup/delegate";
static const char always[] = "cgroup.procs\ncgroup.threads\ncgroup.subtree_control\n";

static void format_owner(char *text, size_t size, uid_t uid, gid_t gid)
{
	char user[16] = "", group[16] = "";

	if (uid != (uid_t)-1)
		(void)snprintf(user, sizeof(user), "%u", uid);
	if (gid != (gid_t)-1)
		(void)snprintf(group, sizeof(group), "%u", gid);
	(void)snprintf(text, size, "%s:%s", user, group);
}

struct giving {
	struct cgpol_host *host;
	const char *cgroup;
	uid_t uid;
	gid_t gid;
	bool exists;
	struct plan *plan;
};

/* `file` NULL: the directory. */
static int give(const struct giving *giving, char *file)
{
	AUTO(free_p) char *path = cgroup_path(giving->host, giving->cgroup, file);
	char old[32], new[32];
	struct root_info info;
	struct step step = {
		.op = STEP_OWNER,
		.cgroup = (char *)(uintptr_t)giving->cgroup,
		.file = file,
		.new_value = new,
		.is_optional = !giving->exists &&file &&
			       !need_list_has("cgroup.procs cgroup.threads cgroup.subtree_control", file)};
	int rc = path ? 0 : -ENOMEM;

	format_owner(new, sizeof(new), giving->uid, giving->gid);
	if (rc == 0 && giving->exists) {
		rc = root_stat(giving->host->root, path, &info);
		if (rc < 0)
			return file && rc == -ENOENT ? 0 : rc;
		if ((giving->uid == (uid_t)-1 || giving->uid == info.uid) &&
		    (giving->gid == (gid_t)-1 || giving->gid == info.gid))
			return 0;
		format_owner(old, sizeof(old), info.uid, info.gid);
		step.old_value = old;
	}
	return rc < 0 ? rc : plan_add(giving->plan, &step);
}

static int give_files(const struct giving *giving, const char *files)
{
	struct span line;
	int rc = 0;

	while (rc == 0 && text_line(&files, &line)) {
		AUTO(free_p) char *file = span_dup(line);

		if (!file)
			return -ENOMEM;
		if (*file != '\0' && !strchr(file, '/') && strcmp(file, "..") != 0)
			rc = give(giving, file);
	}
	return rc;
}

int delegate_plan(struct cgpol_host *host, const char *cgroup, uid_t uid, gid_t gid, struct plan *plan,
		  struct cgpol_error *err)
{
	struct giving giving = {.host = host, .cgroup = cgroup, .uid = uid, .gid = gid, .plan = plan};
	AUTO(free_p) char *files = NULL;
	char shown[160];
	uint64_t inode;
	int rc;

	if (uid == (uid_t)-1 && gid == (gid_t)-1)
		return 0;
	giving.exists = cgroup_inode(host, cgroup, &inode) == 0;
	if (root_read(host->root, listing, &files, NULL) < 0)
		files = strdup(always);
	rc = files ? give(&giving, NULL) : -ENOMEM;
	rc = rc < 0 ? rc : give_files(&giving, files);
	if (rc == 0)
		return 0;
	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(cgroup, shown, sizeof(shown));
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot read who owns cgroup %s: %s", shown, strerror(-rc));
	return rc;
}
