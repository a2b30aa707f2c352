/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether this machine has a setting: its kernel, its controller, its file. */
#include "policy/presence.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"
#include "policy/hostkeys.h"
#include "policy/need.h"

enum { CHILDREN_MAX = 64, SHOWN_SIZE = 160 }; /* one of the first so many has the controller, or none */

__attribute__((format(printf, 3, 4))) static void say(struct presence *presence, enum presence_state state,
						      const char *format, ...)
{
	va_list args;

	presence->state = state;
	va_start(args, format);
	(void)vsnprintf(presence->text, sizeof(presence->text), format, args);
	va_end(args);
}

static void advise(struct presence *presence, const char *hint)
{
	(void)snprintf(presence->hint, sizeof(presence->hint), "%s", hint ? hint : "");
}

static bool is_older(const struct cgpol_host *host, const struct key *key)
{
	return key_is_later(key, host->major, host->minor);
}

static void say_absent(const struct cgpol_host *host, const struct key *key, const char *name,
		       struct presence *presence)
{
	if (is_older(host, key)) {
		say(presence, PRESENCE_NO, "this kernel (%u.%u) is too old: it came with %s", host->major,
		    host->minor, key->since);
		return;
	}
	say(presence, PRESENCE_NO, "this kernel (%u.%u) has no %s", host->major, host->minor, name);
	advise(presence, cause_of_missing(name));
}

/* 1: it is there, 0: it is not. */
static int look(struct cgpol_host *host, const char *path, struct presence *presence)
{
	struct root_info info;
	char shown[2 * SHOWN_SIZE];
	int rc = root_stat(host->root, path, &info);

	text_escape(path, shown, sizeof(shown));
	if (rc == 0)
		say(presence, PRESENCE_YES, "%s", shown);
	else if (rc != -ENOENT && rc != -ENODEV)
		say(presence, PRESENCE_UNKNOWN, "%s cannot be looked at: %s", shown, strerrordesc_np(-rc));
	return rc == -ENOENT || rc == -ENODEV ? 0 : 1;
}

static int look_in(struct cgpol_host *host, const char *cgroup, const char *file, struct presence *presence)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, file);

	return path ? look(host, path, presence) : -ENOMEM;
}

static bool has_controller(struct cgpol_host *host, const char *cgroup, const char *controller)
{
	AUTO(free_p) char *list = cause_read(host, cgroup, "cgroup.controllers");

	return list && (!controller || need_list_has(list, controller));
}

/* Of the children of the root the first that has the controller shows whether the kernel has the file. */
static int look_below(struct cgpol_host *host, const struct key *key, const char *file,
		      struct presence *presence)
{
	char **names = NULL;
	size_t count = 0;
	bool is_seen = false;
	int rc = cgroup_children(host, "/", &names, &count);

	if (rc < 0 && rc != -ENOMEM)
		say(presence, PRESENCE_UNKNOWN, "the cgroups below the root cannot be listed: %s",
		    strerrordesc_np(-rc));
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	for (size_t i = 0; rc == 0 && i < count && i < CHILDREN_MAX && !is_seen; i++) {
		if (!has_controller(host, names[i], key->controller))
			continue;
		rc = look_in(host, names[i], file, presence);
		is_seen = true;
	}
	root_list_free(names, count);
	if (rc != 0)
		return rc == -ENOMEM ? rc : 0;
	if (is_seen || is_older(host, key))
		say_absent(host, key, file, presence);
	else
		say(presence, PRESENCE_UNKNOWN,
		    "no cgroup below the root has %s%s yet, so that its file cannot be seen",
		    key->controller ? "controller " : "", key->controller ? key->controller : "it");
	return 0;
}

static int read_cgroup(struct cgpol_host *host, const struct key *key, const char *file,
		       struct presence *presence)
{
	struct cgpol_error why = {0};
	int rc;

	if (!host->cgroup2) {
		say(presence, PRESENCE_NO, "no cgroup2 file system is mounted");
		advise(presence, "mount -t cgroup2 none /sys/fs/cgroup");
		return 0;
	}
	if (key->controller && !has_controller(host, "/", key->controller)) {
		(void)cause_of_lack(host, key->controller, &why);
		say(presence, PRESENCE_NO, "%s", why.text);
		advise(presence, why.hint);
		return 0;
	}
	rc = key->is_on_root ? look_in(host, "/", file, presence) : 0;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if (key->is_root_only) {
		say_absent(host, key, file, presence);
		return 0;
	}
	return look_below(host, key, file, presence);
}

/* hugetlb.*.max: a size that the machine has, as mm/hugetlb_cgroup.c mem_fmt() names it. */
static int name_size(struct cgpol_host *host, const char *pattern, char *file, size_t size)
{
	static const char prefix[] = "hugepages-";
	const char *star = strchr(pattern, '*');
	char **names = NULL;
	size_t count = 0;
	uint64_t kib = 2048;
	int rc = root_list(host->root, "/sys/kernel/mm/hugepages", &names, &count);

	if (rc == 0 && count && strncmp(names[0], prefix, sizeof(prefix) - 1) == 0)
		(void)text_u64_head(names[0] + sizeof(prefix) - 1, NULL, &kib);
	root_list_free(names, count);
	(void)snprintf(file, size, "%.*s%llu%s%s", (int)(star - pattern), pattern,
		       (unsigned long long)(kib >= 1 << 20   ? kib >> 20
					    : kib >= 1 << 10 ? kib >> 10
							     : kib),
		       kib >= 1 << 20	? "GB"
		       : kib >= 1 << 10 ? "MB"
					: "KB",
		       star + 1);
	return rc == -ENOMEM ? rc : 0;
}

static int read_host(struct cgpol_host *host, const struct key *key, const char *name,
		     struct presence *presence)
{
	/* weighted_interleave.node*: the folder is there when the nodes are. */
	bool is_pattern = strchr(name, '*') != NULL;
	AUTO(free_p)
	char *path = is_pattern ? strdup("/sys/kernel/mm/mempolicy/weighted_interleave")
				: hostkeys_path(name);

	if (!path)
		return -ENOMEM;
	if (look(host, path, presence) == 0)
		say_absent(host, key, name, presence);
	return 0;
}

int presence_read(struct cgpol_host *host, const struct key *key, const char *name, struct presence *presence)
{
	struct presence found = {.state = PRESENCE_UNKNOWN};
	char file[SHOWN_SIZE];
	int rc = 0;

	(void)snprintf(file, sizeof(file), "%s", name);
	switch (key->scope) {
	case KEY_HOST:
		rc = read_host(host, key, file, &found);
		break;
	case KEY_TASK:
		if (is_older(host, key))
			say_absent(host, key, file, &found);
		else
			say(&found, PRESENCE_YES, "this kernel (%u.%u) has it", host->major, host->minor);
		break;
	case KEY_CGROUP:
		if (strchr(name, '*'))
			rc = name_size(host, name, file, sizeof(file));
		rc = rc < 0 ? rc : read_cgroup(host, key, file, &found);
		break;
	}
	if (rc == 0)
		*presence = found;
	return rc;
}
