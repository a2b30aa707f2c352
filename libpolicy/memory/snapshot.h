/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the forecast needs of a machine, read once. */
#ifndef CGPOL_MEMORY_SNAPSHOT_H
#define CGPOL_MEMORY_SNAPSHOT_H

#include "host/host.h"
#include "memory/oom.h"

struct snapshot;

/* Reads the machine for one question and turns the public question into oom.h's. A named thread that is gone,
 * or a named cgroup that is gone: CGPOL_FAILED; malformed words: CGPOL_USAGE; a memcg question without cgroup
 * v2's memory controller: CGPOL_UNSUPPORTED. */
int snapshot_read(struct cgpol_host *host, const struct cgpol_question *question, struct snapshot **snapshot,
		  struct cgpol_error *err);
const struct oom_snapshot *snapshot_values(const struct snapshot *snapshot);
const struct oom_question *snapshot_question(const struct snapshot *snapshot);
/* Reads numa_maps of one task into its shares. Unreadable ones stay NULL and are not tried again. Only
 * -ENOMEM. */
int snapshot_read_shares(struct cgpol_host *host, struct snapshot *snapshot, size_t task);
/* Reads again how large a task is: who grew since the census grows as well as the trigger. Once for each. */
void snapshot_read_growth(struct cgpol_host *host, struct snapshot *snapshot, size_t task);
void snapshot_free(struct snapshot *snapshot);

#endif
