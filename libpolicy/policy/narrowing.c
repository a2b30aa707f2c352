/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a cpuset has other cpus or nodes than it asks for. */
#include "policy/narrowing.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"

enum { SHOWN_SIZE = 160, LIST_SHOWN = 100 };

struct search {
	struct cgpol_host *host;
	const char *cgroup;
	bool is_cpus;
	FILE *out; /* the sentence */
	bool has_text;
	struct effective *effective;
};

static unsigned limit_of(bool is_cpus)
{
	return is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
}

__attribute__((format(printf, 2, 3))) static void say(struct search *search, const char *format, ...)
{
	va_list args;

	if (search->has_text)
		(void)fputs("; ", search->out);
	search->has_text = true;
	va_start(args, format);
	(void)vfprintf(search->out, format, args);
	va_end(args);
}

/* "cpu 3" or "nodes 1-2"; the caller frees it. */
static char *name_set(bool is_cpus, const struct nodeset *set)
{
	AUTO(free_p) char *list = nodeset_format(set);
	const char *one = is_cpus ? "cpu" : "node";
	char *text;

	if (!list ||
	    asprintf(&text, "%s%s %.*s", one, nodeset_count(set) == 1 ? "" : "s", LIST_SHOWN, list) < 0)
		return NULL;
	return text;
}

/* A list in a file of a cgroup; false when it cannot be read. */
static bool read_set(struct search *search, const char *cgroup, const char *file, struct nodeset *set)
{
	AUTO(free_p) char *text = cause_read(search->host, cgroup, file);

	return text && nodeset_parse(text, limit_of(search->is_cpus), set, NULL) == 0;
}

static int blame(struct search *search, enum effective_by by, const char *from)
{
	char *copy = from ? strdup(from) : NULL;

	if (from && !copy)
		return -ENOMEM;
	free(search->effective->from);
	search->effective->from = copy;
	search->effective->by = by;
	return 0;
}

/* Takes what a machine's list lacks out of `missing` and says that it `is` that. */
static int take_absent(struct search *search, const char *path, const char *is, struct nodeset *missing)
{
	AUTO(nodeset_clear_p) struct nodeset there = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset absent = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset rest = {0, NULL};
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *name = NULL;

	if (root_read(search->host->root, path, &text, NULL) < 0 ||
	    nodeset_parse(text, limit_of(search->is_cpus), &there, NULL) < 0)
		return 0;
	if (nodeset_subtract(&absent, missing, &there) < 0 || nodeset_and(&rest, missing, &there) < 0)
		return -ENOMEM;
	if (nodeset_is_empty(&absent))
		return 0;
	name = name_set(search->is_cpus, &absent);
	if (!name || nodeset_copy(missing, &rest) < 0)
		return -ENOMEM;
	say(search, "%s %s", name,
	    nodeset_count(&absent) == 1	    ? is
	    : strcmp(is, "is offline") == 0 ? "are offline"
					    : "have no memory");
	return blame(search, EFFECTIVE_MACHINE, NULL);
}

static int take_machine(struct search *search, struct nodeset *missing)
{
	int rc = take_absent(search,
			     search->is_cpus ? "/sys/devices/system/cpu/online"
					     : "/sys/devices/system/node/online",
			     "is offline", missing);

	if (rc < 0 || search->is_cpus)
		return rc;
	return take_absent(search, "/sys/devices/system/node/has_memory", "has no memory", missing);
}

/* Is `above` the cgroup itself, or one above it? */
static bool is_on_way(const char *above, const char *cgroup)
{
	size_t size = strcmp(above, "/") == 0 ? 0 : strlen(above);

	return strncmp(above, cgroup, size) == 0 && (cgroup[size] == '/' || cgroup[size] == '\0');
}

/* Which of these cpus a cgroup keeps for itself, or for a remote partition below it (6.7). */
static bool keeps(struct search *search, const char *cgroup, const struct nodeset *cpus, struct nodeset *kept,
		  bool *is_partition)
{
	AUTO(free_p) char *state = cause_read(search->host, cgroup, "cpuset.cpus.partition");
	AUTO(nodeset_clear_p) struct nodeset own = {0, NULL};

	*is_partition = state && strcmp(state, "member") != 0 && !strstr(state, "invalid");
	if (!read_set(search, cgroup, "cpuset.cpus.exclusive.effective", &own) &&
	    (!*is_partition || !read_set(search, cgroup, "cpuset.cpus", &own)))
		return false;
	return nodeset_and(kept, &own, cpus) == 0 && !nodeset_is_empty(kept);
}

/* 1 when a child of `parent` that is not on the way to the cgroup has some of the cpus, 0 or -ENOMEM. */
static int find_keeper(struct search *search, const char *parent, const struct nodeset *cpus)
{
	char **names = NULL;
	size_t count = 0;
	int rc = 0;

	if (cgroup_children(search->host, parent, &names, &count) < 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		AUTO(nodeset_clear_p) struct nodeset kept = {0, NULL};
		AUTO(free_p) char *list = NULL;
		char shown[SHOWN_SIZE];
		bool is_partition;

		if (is_on_way(names[i], search->cgroup) ||
		    !keeps(search, names[i], cpus, &kept, &is_partition))
			continue;
		list = name_set(true, &kept);
		text_escape(names[i], shown, sizeof(shown));
		if (list)
			say(search, "cgroup %s %s %s", shown,
			    is_partition ? "is a partition and has" : "keeps", list);
		rc = list ? blame(search, EFFECTIVE_SIBLING, names[i]) : -ENOMEM;
		rc = rc < 0 ? rc : 1;
	}
	root_list_free(names, count);
	return rc;
}

/* The next cgroup on the way down to the one that is asked about; NULL behind it. The caller frees it. */
static char *next_level(const struct search *search, const char *level)
{
	size_t size = strcmp(level, "/") == 0 ? 0 : strlen(level);

	if (search->cgroup[size] == '\0' || strcmp(search->cgroup, level) == 0)
		return NULL;
	return strndup(search->cgroup, size + 1 + strcspn(search->cgroup + size + 1, "/"));
}

static int blame_level(struct search *search, const char *level, const struct nodeset *have)
{
	AUTO(free_p) char *list = name_set(search->is_cpus, have);
	char shown[SHOWN_SIZE];

	if (!list)
		return -ENOMEM;
	text_escape(level, shown, sizeof(shown));
	say(search, "cgroup %s has only %s", shown, list);
	return blame(search, EFFECTIVE_ANCESTOR, level);
}

/* Looks for a partition from a level on downwards that has what is missing there: 1, 0 or -ENOMEM. */
static int find_partition(struct search *search, const char *level, const struct nodeset *missing)
{
	AUTO(free_p) char *at = strdup(level);
	int rc = at ? 0 : -ENOMEM;

	while (rc == 0 && at && search->is_cpus) {
		char *below;

		rc = find_keeper(search, at, missing);
		below = next_level(search, at);
		free(at);
		at = below;
	}
	return rc;
}

/* From the root down: the first level that lacks a part of what is missing, and who has it. 1, 0 or -ENOMEM.
 */
static int find_level(struct search *search, const struct nodeset *missing)
{
	const char *file = search->is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective";
	AUTO(free_p) char *level = strdup("/");

	if (!level)
		return -ENOMEM;
	while (level && strcmp(level, search->cgroup) != 0) {
		AUTO(nodeset_clear_p) struct nodeset have = {0, NULL};
		char *below = next_level(search, level);

		if (read_set(search, level, file, &have) && !nodeset_contains(&have, missing)) {
			int rc = find_partition(search, level, missing);

			free(below);
			if (rc != 0 || strcmp(level, "/") == 0)
				return rc;
			rc = blame_level(search, level, &have);
			return rc < 0 ? rc : 1;
		}
		free(level);
		level = below;
	}
	return find_partition(search, search->cgroup, missing);
}

/* A partition has those of cpuset.cpus.exclusive only, where that is set (6.7). */
static bool is_own_choice(struct search *search, const struct nodeset *missing)
{
	AUTO(nodeset_clear_p) struct nodeset exclusive = {0, NULL};
	AUTO(free_p) char *state = cause_read(search->host, search->cgroup, "cpuset.cpus.partition");

	return search->is_cpus && state && strcmp(state, "member") != 0 &&
	       read_set(search, search->cgroup, "cpuset.cpus.exclusive", &exclusive) &&
	       !nodeset_is_empty(&exclusive) && !nodeset_intersects(&exclusive, missing);
}

static int explain_rest(struct search *search, const struct nodeset *missing)
{
	int rc;

	if (is_own_choice(search, missing)) {
		say(search, "a partition has the cpus of its cpuset.cpus.exclusive only");
		return 0;
	}
	rc = find_level(search, missing);
	if (rc == 0) {
		say(search, "nothing that can be read tells why");
		rc = blame(search, EFFECTIVE_UNKNOWN, NULL);
	}
	return rc < 0 ? rc : 0;
}

/* Asks for nothing: it has what the one above has. */
static int explain_empty(struct search *search)
{
	AUTO(free_p) char *parent = cause_parent(search->cgroup);
	char shown[SHOWN_SIZE];

	if (!parent)
		return 0;
	text_escape(parent, shown, sizeof(shown));
	say(search, "it asks for none, and has what cgroup %s has", shown);
	return blame(search, EFFECTIVE_ANCESTOR, parent);
}

static int explain(struct search *search, const struct nodeset *asked, const struct nodeset *have)
{
	AUTO(nodeset_clear_p) struct nodeset missing = {0, NULL};
	int rc;

	if (nodeset_is_empty(asked))
		return explain_empty(search);
	if (nodeset_is_equal(asked, have))
		return 0;
	if (nodeset_subtract(&missing, asked, have) < 0)
		return -ENOMEM;
	rc = take_machine(search, &missing);
	if (rc == 0 && !nodeset_is_empty(&missing))
		rc = explain_rest(search, &missing);
	/* kernel/cgroup/cpuset.c update_cpumasks_hier(), update_nodemasks_hier() */
	if (rc == 0 && !nodeset_intersects(asked, have))
		say(search, "none of its own is left, so it has what the cgroup above has");
	return rc;
}

int narrowing_find(struct cgpol_host *host, const char *cgroup, bool is_cpus, const struct nodeset *asked,
		   const struct nodeset *have, struct effective *effective)
{
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	struct search search = {.host = host,
				.cgroup = cgroup,
				.is_cpus = is_cpus,
				.out = open_memstream(&text, &size),
				.effective = effective};
	int rc;

	if (!search.out)
		return -ENOMEM;
	effective->by = EFFECTIVE_ITSELF;
	rc = explain(&search, asked, have);
	if (fclose(search.out) != 0)
		return -ENOMEM;
	if (rc == 0 && search.has_text) {
		free(effective->reason);
		effective->reason = TAKE(text);
	}
	return rc;
}
