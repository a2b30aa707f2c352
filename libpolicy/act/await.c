/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting until something happens in a cgroup: by inotify where it can be had, else by looking again. */
#include "act/await.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"

enum {
	SHOWN_SIZE = 160,
	POLL_MS = 20,	 /* without inotify */
	REMOVAL_MS = 200 /* kernfs tells nobody that a file is gone */
};

const char *const await_event_names[] = {
	[AWAIT_OOM_KILL] = "oom_kill",
	[AWAIT_OOM] = "oom",
	[AWAIT_OOM_GROUP_KILL] = "oom_group_kill",
	[AWAIT_HIGH] = "high",
	[AWAIT_MAX] = "max",
	[AWAIT_LOW] = "low",
	[AWAIT_EMPTY] = "empty",
	[AWAIT_POPULATED] = "populated",
	[AWAIT_FROZEN] = "frozen",
	[AWAIT_THAWED] = "thawed",
	[AWAIT_REMOVED] = "removed",
	[AWAIT_EVENTS] = NULL,
};

/* Where an event shows. */
static const struct sign {
	const char *file, *field;
	int state; /* the value that is waited for; -1: a counter */
	const char *since;
} signs[] = {
	[AWAIT_OOM_KILL] = {"memory.events", "oom_kill", -1, NULL},
	[AWAIT_OOM] = {"memory.events", "oom", -1, NULL},
	[AWAIT_OOM_GROUP_KILL] = {"memory.events", "oom_group_kill", -1, "5.17"},
	[AWAIT_HIGH] = {"memory.events", "high", -1, NULL},
	[AWAIT_MAX] = {"memory.events", "max", -1, NULL},
	[AWAIT_LOW] = {"memory.events", "low", -1, NULL},
	[AWAIT_EMPTY] = {"cgroup.events", "populated", 0, NULL},
	[AWAIT_POPULATED] = {"cgroup.events", "populated", 1, NULL},
	[AWAIT_FROZEN] = {"cgroup.events", "frozen", 1, "5.2"},
	[AWAIT_THAWED] = {"cgroup.events", "frozen", 0, "5.2"},
	[AWAIT_REMOVED] = {NULL, NULL, 0, NULL},
};

struct waiting {
	struct cgpol_host *host;
	const struct await_request *request;
	uint64_t before[AWAIT_EVENTS];
	uint64_t inode; /* of the cgroup: another one of its name is not the one */
	bool has_begun;
	char shown[SHOWN_SIZE];
};

const char *await_event_name(enum await_event event)
{
	return await_event_names[event];
}

int await_event_of_name(const char *name, enum await_event *event)
{
	for (size_t i = 0; i < AWAIT_EVENTS; i++)
		if (strcmp(await_event_names[i], name) == 0) {
			*event = (enum await_event)i;
			return 0;
		}
	return -EINVAL;
}

static bool is_asked(const struct waiting *waiting, size_t event)
{
	return waiting->request->events & AWAIT_BIT(event);
}

static bool is_file_asked(const struct waiting *waiting, const char *file)
{
	for (size_t i = 0; i < AWAIT_EVENTS; i++)
		if (is_asked(waiting, i) && signs[i].file && strcmp(signs[i].file, file) == 0)
			return true;
	return false;
}

static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENODEV;
}

/* Is the cgroup there, and the same as at the start? 1, 0 or -errno. */
static int is_there(struct waiting *waiting)
{
	uint64_t inode;
	int rc = cgroup_inode(waiting->host, waiting->request->cgroup, &inode);

	if (is_absent(rc))
		return 0;
	if (rc < 0)
		return rc;
	if (!waiting->has_begun)
		waiting->inode = inode;
	return inode == waiting->inode;
}

static int fail_gone(const struct waiting *waiting, struct cgpol_error *err)
{
	int rc = error_set(err, ENOENT, CGPOL_FAILED, "cgroup %s: %s", waiting->shown,
			   waiting->has_begun ? "it was removed before that happened"
					      : "there is no such cgroup");

	error_detail(err, NULL, waiting->shown,
		     waiting->has_begun ? "--event removed waits for that too" : NULL);
	return rc;
}

static int fail_file(struct waiting *waiting, const char *file, int rc, struct cgpol_error *err)
{
	AUTO(free_p) char *first = NULL;
	AUTO(free_p) char *above = NULL;
	char shown[SHOWN_SIZE], hint[200];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	if (rc != -ENOENT) {
		rc = error_set(err, -rc, CGPOL_FAILED, "cannot read %s of cgroup %s: %s", file,
			       waiting->shown, strerror(-rc));
		error_detail(err, file, waiting->shown, NULL);
		return rc;
	}
	first = cause_first_without(waiting->host, waiting->request->cgroup, "memory");
	if (strcmp(file, "memory.events") != 0 || !first || strcmp(first, "/") == 0) {
		rc = error_set(err, ENOENT, CGPOL_UNSUPPORTED,
			       "cgroup %s has no file %s: this machine's cgroup v2 does not have it",
			       waiting->shown, file);
		error_detail(err, file, waiting->shown, "\"cgpol doctor\" tells why");
		return rc;
	}
	above = cause_parent(first);
	text_escape(above ? above : "/", shown, sizeof(shown));
	(void)snprintf(hint, sizeof(hint), "echo +memory > cgroup.subtree_control of %.120s", shown);
	rc = error_set(err, ENOENT, CGPOL_UNSUPPORTED,
		       "cgroup %s has no file %s: controller memory is not enabled in cgroup %s",
		       waiting->shown, file, shown);
	error_detail(err, file, waiting->shown, hint);
	return rc;
}

static int fail_field(const struct waiting *waiting, const struct sign *sign, struct cgpol_error *err)
{
	int rc = error_set(err, ENOENT, CGPOL_UNSUPPORTED,
			   "%s of cgroup %s has no \"%s\"%s%s: this kernel (%u.%u) does not count it",
			   sign->file, waiting->shown, sign->field, sign->since ? ", which came with " : "",
			   sign->since ? sign->since : "", waiting->host->major, waiting->host->minor);

	error_detail(err, sign->file, sign->field, NULL);
	return rc;
}

/* Does the text of a file say that it has happened? 1, 0, or -errno. */
static int judge(struct waiting *waiting, size_t event, const char *text, struct await_result *result,
		 struct cgpol_error *err)
{
	const struct sign *sign = &signs[event];
	uint64_t times = waiting->request->times ? waiting->request->times : 1, now;

	if (text_field(text, sign->field, &now) < 0)
		return fail_field(waiting, sign, err);
	if (!waiting->has_begun)
		waiting->before[event] = now;
	if (sign->state < 0 ? now - waiting->before[event] < times : now != (uint64_t)sign->state)
		return 0;
	*result = (struct await_result){(enum await_event)event, now, waiting->before[event]};
	return 1;
}

static int judge_file(struct waiting *waiting, const char *file, struct await_result *result,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *path = cgroup_path(waiting->host, waiting->request->cgroup, file);
	AUTO(free_p) char *text = NULL;
	int rc, happened = 0;

	if (!path)
		return error_no_memory(err);
	rc = root_read(waiting->host->root, path, &text, NULL);
	if (rc < 0) {
		/* A cgroup on its way out has no files any more: the next look finds that out. */
		if (is_absent(rc) && waiting->has_begun)
			return 0;
		return fail_file(waiting, file, rc, err);
	}
	/* All are looked at, so that each learns where it begins. */
	for (size_t i = 0; i < AWAIT_EVENTS; i++) {
		if (!is_asked(waiting, i) || !signs[i].file || strcmp(signs[i].file, file) != 0)
			continue;
		rc = judge(waiting, i, text, happened ? &(struct await_result){0} : result, err);
		if (rc < 0)
			return rc;
		happened |= rc;
	}
	return happened;
}

/* 1: it has happened, 0: not yet, or -errno. */
static int look(struct waiting *waiting, struct await_result *result, struct cgpol_error *err)
{
	static const char *const files[] = {"memory.events", "cgroup.events"};
	struct await_result found = {0};
	int happened = 0, rc = is_there(waiting);

	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "cannot look at cgroup %s: %s", waiting->shown,
				 strerror(-rc));
	if (rc == 0) {
		if (!is_asked(waiting, AWAIT_REMOVED))
			return fail_gone(waiting, err);
		*result = (struct await_result){AWAIT_REMOVED, 1, !waiting->has_begun};
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (!is_file_asked(waiting, files[i]))
			continue;
		rc = judge_file(waiting, files[i], &found, err);
		if (rc < 0)
			return rc;
		if (rc > 0 && !happened)
			*result = found;
		happened |= rc;
	}
	waiting->has_begun = true;
	return happened;
}

uint64_t await_clock(void)
{
	struct timespec now = {0};

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A descriptor, -EOPNOTSUPP when there is none to be had, or -errno. */
static int watch(struct waiting *waiting)
{
	AUTO(free_p) char *memory = NULL;
	AUTO(free_p) char *core = NULL;
	const char *path[2];
	size_t count = 0;
	int rc;

	if (is_file_asked(waiting, "memory.events")) {
		path[count++] = memory = cgroup_path(waiting->host, waiting->request->cgroup,
						     "memory.events");
		if (!memory)
			return -ENOMEM;
	}
	/* Also for the removal, which is seldom far from its "populated 0". */
	path[count++] = core = cgroup_path(waiting->host, waiting->request->cgroup, "cgroup.events");
	if (!core)
		return -ENOMEM;
	rc = root_watch(waiting->host->root, path, count);
	/* What is not there is told by the first look. A machine that is out of inotify instances is looked
	 * at. */
	return rc == -ENOMEM || rc >= 0 ? rc : -EOPNOTSUPP;
}

static void sleep_until_change(int fd, unsigned milliseconds)
{
	char events[4096];
	struct pollfd poller = {.fd = fd, .events = POLLIN};

	if (poll(&poller, fd >= 0 ? 1 : 0, (int)milliseconds) <= 0 || !(poller.revents & POLLIN))
		return;
	while (read(fd, events, sizeof(events)) > 0)
		;
}

static int fail_late(const struct waiting *waiting, struct cgpol_error *err)
{
	const struct await_request *request = waiting->request;
	char list[160] = "";
	int rc;

	for (size_t i = 0; i < AWAIT_EVENTS; i++)
		if (is_asked(waiting, i))
			(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				       *list ? ", " : "", await_event_names[i]);
	rc = error_set(err, ETIMEDOUT, CGPOL_FAILED, "cgroup %s: no event %s in %u.%03u s", waiting->shown,
		       list, request->milliseconds / 1000, request->milliseconds % 1000);
	error_detail(err, NULL, waiting->shown, NULL);
	return rc;
}

static int wait_for(struct waiting *waiting, int fd, struct await_result *result, struct cgpol_error *err)
{
	const struct await_request *request = waiting->request;
	uint64_t end = await_clock() + request->milliseconds;

	for (;;) {
		unsigned pause = fd >= 0 ? REMOVAL_MS : POLL_MS;
		int rc = look(waiting, result, err);
		uint64_t now = await_clock();

		if (rc != 0)
			return rc < 0 ? rc : 0;
		if (!waiting->host->root->ops->write) {
			rc = error_set(err, EROFS, CGPOL_REFUSED, "nothing ever happens in a capture");
			error_detail(err, NULL, waiting->shown, "wait on the live machine");
			return rc;
		}
		if (request->milliseconds && now >= end)
			return fail_late(waiting, err);
		if (request->milliseconds && end - now < pause)
			pause = (unsigned)(end - now);
		sleep_until_change(fd, pause);
	}
}

int await_event(struct cgpol_host *host, const struct await_request *request, struct await_result *result,
		struct cgpol_error *err)
{
	struct waiting waiting = {.host = host, .request = request};
	AUTO(close_p) int fd = -1;

	text_escape(request->cgroup, waiting.shown, sizeof(waiting.shown));
	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	if (strcmp(request->cgroup, "/") == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "the root cgroup has no events to wait for");
		error_detail(err, NULL, "/", "name a cgroup below it");
		return -EINVAL;
	}
	fd = watch(&waiting);
	if (fd == -ENOMEM)
		return error_no_memory(err);
	return wait_for(&waiting, fd, result, err);
}
