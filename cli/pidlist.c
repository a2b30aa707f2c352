/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes or threads on the command line: "12,600-700". */
#include "pidlist.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "host/proc.h"

enum { RANGE_MAX = 65536 };

static int refuse_range(const char *text, const char *why, struct cgpol_error *err)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "--pid: \"%s\" %s", text, why);
	error_detail(err, NULL, text, "process ids and ranges of them: 12,600-700");
	return -EINVAL;
}

static int add_processes(struct cgpol_host *host, pid_t first, pid_t last, struct pids *pids)
{
	AUTO(free_p) pid_t *all = NULL;
	size_t count = 0;
	int rc = proc_list(host, &all, &count);

	for (size_t i = 0; rc == 0 && i < count; i++)
		if (all[i] >= first && all[i] <= last)
			rc = opt_pids_add(pids, all[i]);
	return rc;
}

static int add_threads(struct cgpol_host *host, pid_t first, pid_t last, struct pids *pids)
{
	int rc = 0;

	for (pid_t tid = first; rc == 0 && tid <= last; tid++) {
		struct proc_stat stat;

		if (proc_read_stat(host, tid, &stat) == 0)
			rc = opt_pids_add(pids, tid);
	}
	return rc;
}

static int add_part(struct cgpol_host *host, char *part, bool is_thread, struct pids *pids,
		    struct cgpol_error *err)
{
	AUTO(free_p) char *whole = strdup(part);
	char *dash = strchr(part, '-');
	pid_t first, last;
	int rc;

	if (!whole)
		return -ENOMEM;
	if (dash)
		*dash = '\0';
	rc = opt_pid("--pid", part, &first, err);
	if (rc < 0 || !dash)
		return rc < 0 ? rc : opt_pids_add(pids, first);
	rc = opt_pid("--pid", dash + 1, &last, err);
	if (rc < 0)
		return rc;
	if (last < first)
		return refuse_range(whole, "ends before it begins", err);
	if (is_thread && last - first >= RANGE_MAX)
		return refuse_range(whole, "has more than 65536 numbers", err);
	return is_thread ? add_threads(host, first, last, pids) : add_processes(host, first, last, pids);
}

int pidlist_parse(struct cgpol_host *host, const struct words *lists, bool is_thread, struct pids *pids,
		  struct cgpol_error *err)
{
	for (size_t i = 0; i < lists->count; i++) {
		for (const char *at = lists->word[i];; at++) {
			size_t size = strcspn(at, ",");
			AUTO(free_p) char *part = strndup(at, size);
			int rc = part ? add_part(host, part, is_thread, pids, err) : -ENOMEM;

			if (rc < 0)
				return rc;
			at += size;
			if (!*at)
				break;
		}
	}
	return 0;
}
