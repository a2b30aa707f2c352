/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ending every process of a cgroup and below it. */
#include "policy/kill.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"

enum { TICK_MS = 2 };

static int write_file(struct cgpol_host *host, const char *cgroup, const char *file, const char *text)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? root_write(host->root, path, text) : -ENOMEM;
}

/* By a descriptor: the number may be another process by the time it is used. It must be in the cgroup when
 * the descriptor is there, since numbers are given again. */
static int kill_process(struct cgpol_host *host, const char *cgroup, pid_t pid)
{
	AUTO(free_p) char *now = NULL;
	int process = root_open_process(host->root, pid);
	int rc = process < 0 ? process : proc_read_cgroup(host, pid, &now);

	if (rc == 0 && strcmp(now, cgroup) == 0)
		rc = root_signal(host->root, process, SIGKILL);
	close_p(&process);
	return proc_is_gone(rc) ? 0 : rc;
}

static int kill_listed(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;
	int rc = cgroup_procs(host, cgroup, &pids, &count);
	int first = 0;

	/* A threaded one lists none; the processes are those of the domain above it. */
	if (rc == -EOPNOTSUPP || rc == -ENOENT || rc == -ENODEV)
		return 0;
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < count; i++) {
		rc = kill_process(host, cgroup, pids[i]);
		first = first < 0 ? first : rc;
	}
	return first;
}

static int kill_each(struct cgpol_host *host, const char *cgroup)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	int rc = subtree_list(host, cgroup, &tree);
	int first = 0;

	for (size_t i = 0; rc == 0 && i < tree.count; i++) {
		int result = kill_listed(host, tree.name[i]);

		first = first < 0 ? first : result;
	}
	return rc < 0 ? rc : first;
}

/* Until none is counted. `kill` NULL: they have been killed already. */
static int wait_until_empty(struct cgpol_host *host, const char *cgroup, unsigned milliseconds,
			    int (*kill)(struct cgpol_host *host, const char *cgroup))
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

	for (unsigned waited = 0; subtree_is_populated(host, cgroup); waited += TICK_MS) {
		int rc = kill ? kill(host, cgroup) : 0;

		if (rc < 0)
			return rc;
		if (waited >= milliseconds)
			return -EBUSY;
		if (subtree_is_populated(host, cgroup))
			(void)nanosleep(&tick, NULL);
	}
	return 0;
}

/* Frozen they cannot fork while they are looked for; a frozen process dies of SIGKILL all the same
 * (kernel/cgroup/freezer.c: it waits interruptibly). */
static int kill_frozen(struct cgpol_host *host, const char *cgroup, unsigned milliseconds)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, "cgroup.freeze");
	AUTO(free_p) char *before = NULL;
	bool is_frozen = false;
	int rc;

	if (!path)
		return -ENOMEM;
	rc = root_read(host->root, path, &before, NULL);
	if (rc == 0 && strcmp(before, "0") == 0)
		is_frozen = root_write(host->root, path, "1") == 0;
	rc = wait_until_empty(host, cgroup, milliseconds, kill_each);
	if (is_frozen)
		(void)root_write(host->root, path, "0");
	return rc;
}

int kill_cgroup(struct cgpol_host *host, const char *cgroup, unsigned milliseconds)
{
	uint64_t inode;
	int rc;

	if (strcmp(cgroup, "/") == 0)
		return -EINVAL;
	rc = write_file(host, cgroup, "cgroup.kill", "1");
	if (rc == 0)
		return wait_until_empty(host, cgroup, milliseconds, NULL);
	if (rc != -ENOENT)
		return rc;
	rc = cgroup_inode(host, cgroup, &inode);
	return rc < 0 ? rc : kill_frozen(host, cgroup, milliseconds);
}
