/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to the making, removing, emptying and threading of cgroups, and to the enabling of controllers. */
#include "policy/reasontree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/subtree.h"
#include "policy/cause.h"
#include "policy/need.h"

enum { CHILDREN_SHOWN = 3 };

void reason_gone(struct reason *reason)
{
	AUTO(free_p) char *list = reason_read(reason, "cgroup.controllers");

	reason->kind = CGPOL_FAILED;
	if (list)
		reason_say(reason, "the kernel says that it is not there");
	else
		reason_say(reason, "cgroup %s does not exist", reason->shown);
	reason_advise(reason, "somebody removed it meanwhile: try again");
}

void reason_no_parent(struct reason *reason)
{
	reason->kind = CGPOL_FAILED;
	reason_say(reason, "cgroup %s above it does not exist", reason->parent);
	reason_advise(reason, "somebody removed it meanwhile: try again");
}

void reason_too_many(struct reason *reason)
{
	AUTO(free_p) char *parent = cause_parent(reason->cgroup);
	AUTO(free_p) char *name = NULL;
	const char *file = "cgroup.max.descendants";
	char shown[REASON_NAME];
	uint64_t limit;

	if (parent && cause_find_limit(reason->host, parent, file, NULL, &name, &limit) < 0) {
		file = "cgroup.max.depth";
		(void)cause_find_limit(reason->host, parent, file, NULL, &name, &limit);
	}
	if (!name) {
		reason_say(reason, "there are as many cgroups as are allowed");
		return;
	}
	text_escape(name, shown, sizeof(shown));
	reason_say(reason, "%s of cgroup %s allows no more than %" PRIu64, file, shown, limit);
	reason_advise(reason, "raise it, or remove cgroups that are not used: cgpol reap");
}

void reason_no_id(struct reason *reason)
{
	/* mm/memcontrol.c mem_cgroup_alloc(): MEM_CGROUP_ID_MAX is 65535. */
	reason_say(reason,
		   "the kernel has no more than 65535 memory cgroups, with those that are removed but "
		   "still hold memory");
	reason_advise(reason, "remove cgroups that are not used: cgpol reap");
}

void reason_bad_name(struct reason *reason)
{
	reason_say(reason, "the kernel does not take this name");
}

static const char *controller_of(const struct reason *reason)
{
	return reason->step->new_value + 1;
}

void reason_not_available(struct reason *reason)
{
	AUTO(free_p) char *list = reason_read(reason, "cgroup.controllers");
	AUTO(free_p) char *first = cause_first_without(reason->host, reason->cgroup, controller_of(reason));
	struct cause_gap gap;
	char shown[REASON_NAME];

	if (!list) {
		reason_gone(reason);
		return;
	}
	text_escape(first ? first : reason->cgroup, shown, sizeof(shown));
	if (cause_find_gap(reason->host, reason->cgroup, controller_of(reason), &gap) < 0) {
		reason_say(reason, "it is not available: cgroup.controllers of cgroup %s does not list it",
			   shown);
		return;
	}
	reason_say(reason, "%s", gap.why);
	reason_advise(reason, "%s", gap.hint);
}

void reason_internal(struct reason *reason)
{
	reason_say(
		reason,
		"cgroup %s has processes of its own, and the kernel lets a cgroup have either processes or "
		"children with controllers",
		reason->shown);
	reason_advise(reason, "move its processes into a child of it first, or choose another place");
}

void reason_not_domain(struct reason *reason)
{
	AUTO(free_p) char *type = reason_read(reason, "cgroup.type");

	reason_say(reason, "cgroup %s is \"%.32s\", and only one that is \"domain\" can have it",
		   reason->shown, type ? type : "threaded");
	reason_advise(reason, "choose a place whose cgroup.type is \"domain\"");
}

void reason_realtime(struct reason *reason)
{
	char text[200] = "";

	if (strcmp(controller_of(reason), "cpu") == 0)
		cause_list_realtime(reason->host, text, sizeof(text));
	if (text[0] == '\0') {
		reason_say(reason, "the kernel does not know it");
		return;
	}
	/* kernel/sched/core.c cpu_cgroup_can_attach(): CONFIG_RT_GROUP_SCHED */
	reason_say(reason,
		   "this kernel can enable it only while no realtime process is outside the root cgroup: %s",
		   text);
	reason_advise(reason, "move them to the root cgroup, or use a kernel without CONFIG_RT_GROUP_SCHED");
}

void reason_not_listed(struct reason *reason)
{
	reason_say(reason, "the kernel took it, but does not list it afterwards");
}

/* Is one of the controllers in the list for whole processes only? */
static bool has_domain_controller(const char *list, char *name, size_t size)
{
	struct span line = {list ? list : "", list ? strlen(list) : 0}, word;

	while (text_word(&line, &word)) {
		(void)snprintf(name, size, "%.*s", (int)(word.size < size ? word.size : size - 1), word.at);
		if (!need_is_threaded(name))
			return true;
	}
	return false;
}

static bool is_populated(const struct reason *reason, const char *cgroup)
{
	AUTO(free_p) char *events = cause_read(reason->host, cgroup, "cgroup.events");
	uint64_t populated;

	return events && text_field(events, "populated", &populated) == 0 && populated != 0;
}

/* A cgroup beside it that is no thread's and has processes: kernel/cgroup/cgroup.c
 * cgroup_can_be_thread_root(). */
static char *find_busy_sibling(const struct reason *reason)
{
	AUTO(free_p) char *parent = cause_parent(reason->cgroup);
	char **names = NULL, *found = NULL;
	size_t count = 0;

	if (!parent || cgroup_children(reason->host, parent, &names, &count) < 0)
		return NULL;
	for (size_t i = 0; i < count && !found; i++) {
		AUTO(free_p) char *type = cause_read(reason->host, names[i], "cgroup.type");

		if (strcmp(names[i], reason->cgroup) != 0 && type && strcmp(type, "threaded") != 0 &&
		    is_populated(reason, names[i]))
			found = TAKE(names[i]);
	}
	root_list_free(names, count);
	return found;
}

/* kernel/cgroup/cgroup.c cgroup_enable_threaded() */
void reason_no_thread_domain(struct reason *reason)
{
	AUTO(free_p) char *own = reason_read(reason, "cgroup.subtree_control");
	AUTO(free_p) char *above = reason_read_above(reason, "cgroup.subtree_control");
	AUTO(free_p) char *type = reason_read_above(reason, "cgroup.type");
	AUTO(free_p) char *sibling = find_busy_sibling(reason);
	char name[64], shown[REASON_NAME];

	if (is_populated(reason, reason->cgroup)) {
		reason_say(reason,
			   "it, or a cgroup below it, has processes, and only an empty one turns threaded");
		reason_advise(reason, "move its processes out first");
	} else if (has_domain_controller(own, name, sizeof(name))) {
		reason_say(reason, "controller %s is enabled for its children, and is for whole processes",
			   name);
		reason_advise(reason, "write \"-%s\" into its cgroup.subtree_control first", name);
	} else if (type && has_domain_controller(above, name, sizeof(name))) {
		reason_say(reason,
			   "controller %s is enabled in cgroup %s above it, and is for whole processes, not "
			   "for threads",
			   name, reason->parent);
		reason_advise(reason,
			      "choose a parent with none but cpu, cpuset and pids in cgroup.subtree_control");
	} else if (type && sibling) {
		text_escape(sibling, shown, sizeof(shown));
		reason_say(reason, "cgroup %s beside it has processes, and is no place for threads", shown);
		reason_advise(reason, "choose a parent without such children");
	} else {
		reason_say(reason, "cgroup %s above it is \"%.32s\", and cannot hold the threads together",
			   reason->parent, type ? type : "?");
		reason_advise(reason, "choose a parent whose cgroup.type is \"domain\" or \"threaded\"");
	}
}

/* "/a/b, /a/c and 3 more"; "" when there is none. */
static void list_children(const struct reason *reason, char *text, size_t size)
{
	char **names = NULL;
	size_t count = 0, used = 0;

	text[0] = '\0';
	if (cgroup_children(reason->host, reason->cgroup, &names, &count) < 0)
		return;
	for (size_t i = 0; i < count && i < CHILDREN_SHOWN; i++) {
		char shown[64];

		text_escape(names[i], shown, sizeof(shown));
		(void)snprintf(text + used, size - used, "%s%s", i ? ", " : "", shown);
		used = strlen(text);
	}
	if (count > CHILDREN_SHOWN)
		(void)snprintf(text + used, size - used, " and %zu more", count - CHILDREN_SHOWN);
	root_list_free(names, count);
}

/* "12 (sh), 15 (db) and 3 more", in it and below; "" when none is seen, NULL when memory is short. */
static char *name_living(const struct reason *reason)
{
	AUTO(subtree_clear) struct subtree tree = {0};

	return subtree_list(reason->host, reason->cgroup, &tree) == 0 ? subtree_living(reason->host, &tree)
								      : NULL;
}

void reason_in_use(struct reason *reason)
{
	AUTO(free_p) char *living = name_living(reason);
	char children[240];

	list_children(reason, children, sizeof(children));
	if (children[0] != '\0') {
		reason_say(reason, "there are cgroups below it: %s", children);
		reason_advise(reason, "remove those first, or all together: cgpol delete --recursive");
	} else if (living && *living) {
		reason_say(reason, "it has processes: %.200s", living);
		reason_advise(reason, "end or move them first: cgpol delete --kill, or --move-to CGROUP");
	} else {
		reason_say(reason, "it is empty, but processes of it have not quite ended");
		reason_advise(reason, "try again in a moment");
	}
}

void reason_alive(struct reason *reason)
{
	AUTO(free_p) char *living = name_living(reason);

	reason_say(reason, "some have not ended%s%.200s", living && *living ? ": " : "",
		   living ? living : "");
	reason_advise(
		reason,
		"one that waits in the kernel (state D of ps) ends when that is over; or it was started "
		"meanwhile: try again");
}

void reason_no_end(struct reason *reason)
{
	reason_say(reason, "the kernel does not end all processes of the machine");
	reason_advise(reason, "name a cgroup below it");
}

void reason_no_kill(struct reason *reason)
{
	reason_say(reason, "it has threads of processes that are elsewhere too");
	reason_advise(reason, "name the cgroup above it whose cgroup.type is \"domain threaded\"");
}
