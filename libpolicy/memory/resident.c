/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The row of one process: what it has mapped on each node. */
#include "memory/resident.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "memory/row.h"

enum { KIB = 1024, SHOWN_SIZE = 160 /* of a name in a sentence */ };

void resident_clear(struct resident_source *source)
{
	numamaps_mounts_clear(&source->mounts);
	free(source->mountinfo);
	memset(source, 0, sizeof(*source));
}

int resident_prepare(struct cgpol_host *host, struct resident_source *source)
{
	AUTO(free_p) char *meminfo = NULL;
	uint64_t kib = 0;

	if (source->is_ready)
		return 0;
	if (root_read(host->root, "/proc/meminfo", &meminfo, NULL) == 0)
		(void)text_field(meminfo, "Hugepagesize", &kib);
	source->context.page_size = host->root->facts.page_size;
	source->context.huge_page_size = kib > UINT64_MAX / KIB ? 0 : kib * KIB;
	free(source->mountinfo);
	source->mountinfo = NULL;
	if (root_read(host->root, "/proc/self/mountinfo", &source->mountinfo, NULL) == 0 &&
	    numamaps_mounts_parse(source->mountinfo, &source->mounts) < 0)
		return -ENOMEM;
	source->is_ready = true;
	return 0;
}

static int take_maps(const struct numamaps *maps, struct usage_row *row)
{
	static const enum usage_kind kinds[NUMA_KINDS] = {
		[NUMA_ANON] = USAGE_ANON,
		[NUMA_FILE] = USAGE_FILE,
		[NUMA_SHMEM] = USAGE_SHMEM,
		[NUMA_HUGE] = USAGE_HUGE,
	};

	for (size_t i = 0; i < maps->nodes; i++) {
		struct usage_node *node;

		if (row_get_node(row, maps->node[i].id, &node) < 0)
			return -ENOMEM;
		for (size_t kind = 0; kind < NUMA_KINDS; kind++)
			node->bytes[kinds[kind]] = maps->node[i].bytes[kind];
	}
	return 0;
}

static bool is_forbidden(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

static void take_totals(const struct proc_status *status, uint64_t bytes[USAGE_KINDS])
{
	bytes[USAGE_ANON] = status->rss_anon;
	bytes[USAGE_FILE] = status->rss_file;
	bytes[USAGE_SHMEM] = status->rss_shmem;
	bytes[USAGE_HUGE] = status->hugetlb;
}

/* A single node holds everything. */
static int take_status(struct cgpol_host *host, pid_t pid, pid_t tid, const struct nodeset *memory,
		       struct usage_row *row)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	struct usage_node *node;
	int only = nodeset_next(memory, 0), rc;

	rc = proc_read_thread_status(host, pid, tid, &status);
	if (rc < 0)
		return rc;
	take_totals(&status, row->bytes);
	if (nodeset_count(memory) > 1)
		return 0;
	if (row_get_node(row, only < 0 ? 0 : (unsigned)only, &node) < 0)
		return -ENOMEM;
	take_totals(&status, node->bytes);
	return 0;
}

static int read_maps(struct cgpol_host *host, const struct resident_source *source,
		     const struct nodeset *memory, pid_t pid, pid_t tid, struct usage_row *row)
{
	AUTO(free_p) char *text = NULL;
	AUTO(numamaps_clear) struct numamaps maps = {.node = NULL};
	int rc = proc_read_numa_maps(host, pid, tid, false, &text);

	if (rc == -ENOENT && nodeset_count(memory) > 1)
		return -ESRCH; /* with CONFIG_NUMA it must be there, so the process went away */
	if (is_forbidden(rc))
		row->denied = rc;
	if (rc == -ENOENT || is_forbidden(rc))
		return take_status(host, pid, tid, memory, row);
	if (rc == 0)
		rc = numamaps_parse_mounted(text, &source->context, &source->mounts, &maps);
	return rc < 0 ? rc : take_maps(&maps, row);
}

/* The memory of a process whose leader has exited is seen through one of its other threads. */
static int find_thread(struct cgpol_host *host, pid_t pid, pid_t *tid, struct proc_status *status)
{
	AUTO(free_p) pid_t *tids = NULL;
	size_t count = 0;
	int rc = proc_threads(host, pid, &tids, &count);

	for (size_t i = 0; rc >= 0 && i < count && !status->has_mm; i++) {
		AUTO(proc_status_clear) struct proc_status thread = {0};

		if (tids[i] == pid)
			continue;
		rc = proc_read_thread_status(host, pid, tids[i], &thread);
		if (rc == 0 && thread.has_mm) {
			proc_status_clear(status);
			*status = thread;
			thread.mems = NULL;
			*tid = tids[i];
		}
		if (proc_is_gone(rc)) /* that thread only */
			rc = 0;
	}
	return rc;
}

int resident_read(struct cgpol_host *host, const struct resident_source *source, const struct nodeset *memory,
		  pid_t pid, struct usage_row *row, bool *has_memory)
{
	AUTO(proc_status_clear) struct proc_status status = {0};
	AUTO(row_clear) struct usage_row made = {.pid = pid};
	pid_t tid = pid;
	int rc = proc_read_status(host, pid, &status);

	if (rc == 0 && !status.has_mm && status.threads > 1)
		rc = find_thread(host, pid, &tid, &status);
	if (rc == 0 && status.has_mm)
		rc = read_maps(host, source, memory, pid, tid, &made);
	if (rc == 0 && (!made.denied || made.nodes))
		rc = row_cover(&made, memory);
	if (rc < 0)
		return rc;
	made.swap = status.swap;
	made.has_swap = true;
	row_sum(&made);
	*row = made;
	memset(&made, 0, sizeof(made));
	*has_memory = status.has_mm;
	return 0;
}

int resident_explain(pid_t pid, const char *comm, const char *file, int rc, struct cgpol_error *err)
{
	char who[SHOWN_SIZE], shown[SHOWN_SIZE - 32], path[64], value[16];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(comm, shown, sizeof(shown));
	(void)snprintf(who, sizeof(who), "process %d%s%s%s", (int)pid, comm[0] ? " (" : "", shown,
		       comm[0] ? ")" : "");
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	(void)snprintf(value, sizeof(value), "%d", (int)pid);
	if (proc_is_gone(rc))
		rc = error_set(err, ESRCH, CGPOL_FAILED, comm[0] ? "%s went away" : "%s does not exist", who);
	else if (is_forbidden(rc))
		rc = error_set(
			err, EACCES, CGPOL_FAILED,
			"%s cannot be read: %s needs ptrace permission (CAP_SYS_PTRACE or the same user)",
			who, path);
	else if (rc == -EINVAL)
		error_set(err, EINVAL, CGPOL_FAILED, "%s cannot be read: %s is malformed", who, path);
	else
		error_set(err, -rc, CGPOL_FAILED, "%s cannot be read: %s: %s", who, path,
			  strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown error");
	error_detail(err, path, value, NULL);
	return rc;
}
