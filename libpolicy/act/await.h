/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting until something happens in a cgroup: by inotify where it can be had, else by looking again. */
#ifndef CGPOL_ACT_AWAIT_H
#define CGPOL_ACT_AWAIT_H

#include "host/host.h"

enum await_event {
	/* Counters of memory.events: waited for until they grow. */
	AWAIT_OOM_KILL,
	AWAIT_OOM,
	AWAIT_OOM_GROUP_KILL,
	AWAIT_HIGH,
	AWAIT_MAX,
	AWAIT_LOW,
	/* States of cgroup.events, which may hold already. */
	AWAIT_EMPTY,
	AWAIT_POPULATED,
	AWAIT_FROZEN,
	AWAIT_THAWED,
	AWAIT_REMOVED, /* so does that of a cgroup that is not there */
	AWAIT_EVENTS
};

#define AWAIT_BIT(event) (1U << (event))

struct await_request {
	const char *cgroup;
	unsigned events;       /* AWAIT_BITs: the first that comes */
	unsigned milliseconds; /* 0: without end */
	uint64_t times;	       /* of a counter: until it has grown by so many; 0 is 1 */
};

struct await_result {
	enum await_event event;
	uint64_t count, before; /* the number in the file, now and when the waiting began; states: 1 is yes */
};

/* Waits. -ETIMEDOUT (CGPOL_FAILED) when the time is over; -ENOENT (CGPOL_FAILED) when there is no such
 * cgroup, or it went away (or another has its name) and AWAIT_REMOVED was not asked for; CGPOL_UNSUPPORTED
 * when the cgroup has no such counter: the controller is not enabled above it (where it begins not to be), or
 * the kernel is older (memory.events has oom_group_kill since 5.17; cgroup.freeze came with 5.2);
 * CGPOL_REFUSED (-EROFS) with a capture, in which nothing ever happens, unless it holds already. The root
 * has none of these files: CGPOL_USAGE. Sleeps all the time but for a look at each change, and five a second
 * for what no event tells: the removal. */
int await_event(struct cgpol_host *host, const struct await_request *request, struct await_result *result,
		struct cgpol_error *err);
/* Milliseconds of the monotonic clock, for deadlines. */
uint64_t await_clock(void);
/* "oom_kill", "empty", ... by enum await_event; ends with NULL. */
extern const char *const await_event_names[];
const char *await_event_name(enum await_event event);
/* 0, or -EINVAL when there is no such event. */
int await_event_of_name(const char *name, enum await_event *event);

#endif
