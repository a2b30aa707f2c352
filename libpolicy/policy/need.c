/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which controllers a policy needs, and what stands in the way of enabling them. Pure. */
#include "policy/need.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static int add(struct need *need, const char *controller)
{
	char **more;

	if (need_has(need, controller))
		return 0;
	more = reallocarray(need->controller, need->controllers + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	need->controller = more;
	more[need->controllers] = strdup(controller);
	if (!more[need->controllers])
		return -ENOMEM;
	need->controllers++;
	return 0;
}

int need_of_policy(const struct cgpol_policy *policy, struct need *need)
{
	AUTO(need_clear_p) struct need made = {NULL, 0};

	for (size_t i = 0; i < policy->settings; i++) {
		const struct setting *setting = &policy->setting[i];
		AUTO(free_p) char *found = NULL;
		const char *controller = setting->key ? setting->key->controller : NULL;

		if (!setting->key) {
			found = key_controller(setting->name);
			if (!found)
				return -ENOMEM;
			controller = found;
		}
		if (controller && add(&made, controller) < 0)
			return -ENOMEM;
	}
	*need = made;
	made = (struct need){NULL, 0};
	return 0;
}

bool need_has(const struct need *need, const char *controller)
{
	for (size_t i = 0; i < need->controllers; i++) {
		if (strcmp(need->controller[i], controller) == 0)
			return true;
	}
	return false;
}

void need_clear(struct need *need)
{
	for (size_t i = 0; i < need->controllers; i++)
		free(need->controller[i]);
	free(need->controller);
	*need = (struct need){NULL, 0};
}

bool need_list_has(const char *list, const char *word)
{
	struct span line = {list, list ? strlen(list) : 0}, found;

	while (line.size > 0 && text_word(&line, &found)) {
		if (span_is(found, word))
			return true;
	}
	return false;
}

bool need_is_threaded(const char *controller)
{
	return need_list_has("cpuset cpu pids perf_event", controller);
}

enum need_obstacle need_judge(const struct current *current, size_t level, const char *controller)
{
	const struct current_level *at = &current->level[level];

	if (!at->exists)
		return NEED_FINE;
	if (level == 0 && !need_list_has(at->controllers, controller))
		return NEED_LACKING;
	/* The children of such a one could only be threaded, or are "domain invalid". */
	if (strcmp(at->type, "domain") != 0)
		return NEED_THREADED;
	/* A threaded controller would be taken, but the cgroup would turn "domain threaded", and processes
	 * could no longer be started in its children (cgroup_is_valid_domain). */
	return at->has_processes ? NEED_PROCESSES : NEED_FINE;
}
