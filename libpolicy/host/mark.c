/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cgroups cgpol made itself: an extended attribute on their directory. */
#include "host/mark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"

enum { PID_MAX = 1 << 22 }; /* include/linux/threads.h PID_MAX_LIMIT */

static const char owned[] = "run ", parent[] = "parent", kept[] = "kept";

int mark_set(struct cgpol_host *host, const char *cgroup, enum mark_kind kind)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	char value[sizeof("run -2147483648 18446744073709551615 18446744073709551615")];
	const struct root_facts *facts = &host->root->facts;
	struct proc_stat stat;
	int rc;

	if (!path)
		return -ENOMEM;
	if (kind != MARK_OWNED)
		return root_set_xattr(host->root, path, MARK_ATTRIBUTE, kind == MARK_PARENT ? parent : kept);
	rc = proc_read_stat(host, facts->self, &stat);
	if (rc < 0)
		return rc;
	(void)snprintf(value, sizeof(value), "%s%d %" PRIu64 " %" PRIu64, owned, facts->self, stat.start_time,
		       facts->pidns);
	return root_set_xattr(host->root, path, MARK_ATTRIBUTE, value);
}

static bool take_number(const char **at, uint64_t *number)
{
	return **at >= '0' && **at <= '9' && text_u64_head(*at, at, number) == 0;
}

/* Anybody who may write to a cgroup can set the attribute: whatever is not just as mark_set writes it is not
 * ours. */
static void parse_mark(const char *value, struct mark *mark)
{
	const char *at = value + sizeof(owned) - 1;
	uint64_t pid, start_time, pidns = 0;

	*mark = (struct mark){.kind = MARK_NONE};
	if (strcmp(value, parent) == 0)
		mark->kind = MARK_PARENT;
	else if (strcmp(value, kept) == 0)
		mark->kind = MARK_KEPT;
	if (strncmp(value, owned, sizeof(owned) - 1) != 0 || !take_number(&at, &pid) || pid == 0 ||
	    pid > PID_MAX)
		return;
	if (*at++ != ' ' || !take_number(&at, &start_time))
		return;
	if (*at != '\0' && (*at++ != ' ' || !take_number(&at, &pidns) || *at != '\0'))
		return;
	*mark = (struct mark){MARK_OWNED, (pid_t)pid, start_time, pidns};
}

int mark_read(struct cgpol_host *host, const char *cgroup, struct mark *mark)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	AUTO(free_p) char *value = NULL;
	int rc;

	if (!path)
		return -ENOMEM;
	rc = root_get_xattr(host->root, path, MARK_ATTRIBUTE, &value);
	/* None, a file system without them, too long for one of ours, or no text. */
	if (rc == -ENODATA || rc == -EOPNOTSUPP || rc == -EFBIG || rc == -EINVAL) {
		*mark = (struct mark){.kind = MARK_NONE};
		return 0;
	}
	if (rc < 0)
		return rc;
	parse_mark(value, mark);
	return 0;
}

/* With hidepid= of proc the processes of others look as if they were gone, and so does pid 1. */
static bool sees_all(struct cgpol_host *host)
{
	struct proc_stat stat;

	return proc_read_stat(host, 1, &stat) == 0;
}

bool mark_is_stale(struct cgpol_host *host, const struct mark *mark)
{
	struct proc_stat stat;
	int rc;

	/* In another pid namespace the number is another process, or none. */
	if (mark->kind != MARK_OWNED || mark->pidns == 0 || mark->pidns != host->root->facts.pidns)
		return false;
	rc = proc_read_stat(host, mark->pid, &stat);
	if (proc_is_gone(rc))
		return sees_all(host);
	/* A zombie removes nothing any more. */
	return rc == 0 && (stat.start_time != mark->start_time || stat.state == 'Z' || stat.state == 'X');
}
