/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every cgroup file system of /proc/PID/mountinfo, v1 and v2, and what the kernel's command line says of
 * controllers. Pure. */
#include "policy/mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/mountinfo.h"

bool mounts_has_option(const char *list, const char *option)
{
	return mountinfo_has_option((struct span){list, strlen(list)}, option);
}

static void clear_one(struct mounts_one *mount)
{
	free(mount->point);
	free(mount->part);
	free(mount->options);
}

void mounts_clear(struct mounts *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		clear_one(&mounts->mount[i]);
	free(mounts->mount);
	*mounts = (struct mounts){NULL, 0};
}

static void mounts_clear_p(struct mounts *mounts)
{
	mounts_clear(mounts);
}

static int add(struct mounts *mounts, const struct mountinfo *line)
{
	struct mounts_one made = {.point = mountinfo_unmangle(line->point),
				  .part = mountinfo_unmangle(line->root),
				  .options = span_dup(line->super),
				  .is_unified = span_is(line->type, "cgroup2"),
				  .is_read_only = mountinfo_has_option(line->options, "ro") ||
						  mountinfo_has_option(line->super, "ro")};
	struct mounts_one *grown = reallocarray(mounts->mount, mounts->count + 1, sizeof(*mounts->mount));

	if (grown)
		mounts->mount = grown;
	if (!grown || !made.point || !made.part || !made.options) {
		clear_one(&made);
		return -ENOMEM;
	}
	mounts->mount[mounts->count++] = made;
	return 0;
}

int mounts_parse(const char *text, struct mounts *mounts)
{
	AUTO(mounts_clear_p) struct mounts made = {NULL, 0};
	struct mountinfo parts;
	struct span line;

	while (made.count < MOUNTS_MAX && text_line(&text, &line)) {
		if (!mountinfo_parse(line, &parts))
			continue;
		if (!span_is(parts.type, "cgroup2") && !span_is(parts.type, "cgroup"))
			continue;
		if (add(&made, &parts) < 0)
			return -ENOMEM;
	}
	*mounts = made;
	made = (struct mounts){NULL, 0};
	return 0;
}

const struct mounts_one *mounts_find_v1(const struct mounts *mounts, const char *name, const char *v1_name)
{
	const struct mounts_one *found = NULL;

	for (size_t i = 0; i < mounts->count; i++) {
		const struct mounts_one *mount = &mounts->mount[i];

		if (mount->is_unified ||
		    (!mounts_has_option(mount->options, name) && !mounts_has_option(mount->options, v1_name)))
			continue;
		if (strcmp(mount->part, "/") == 0)
			return mount;
		found = found ? found : mount;
	}
	return found;
}

/* The next word of the command line that is the kernel's. */
static bool next_word(const char **rest, struct span *line, struct span *word)
{
	while (!text_word(line, word))
		if (!text_line(rest, line))
			return false;
	return !span_is(*word, "--");
}

bool mounts_is_disabled(const char *cmdline, const char *name, const char *v1_name)
{
	static const char disable[] = "cgroup_disable=", enable[] = "cgroup_enable=";
	struct span line = {"", 0}, word;
	const char *rest = cmdline ? cmdline : "";
	bool is_disabled = false;

	while (next_word(&rest, &line, &word)) {
		bool is_off = span_starts(word, disable);
		size_t skip = is_off ? sizeof(disable) - 1 : sizeof(enable) - 1;
		struct span list;

		if (!is_off && !span_starts(word, enable))
			continue;
		list = (struct span){word.at + skip, word.size - skip};
		if (mountinfo_has_option(list, name) || mountinfo_has_option(list, v1_name))
			is_disabled = is_off;
	}
	return is_disabled;
}

bool mounts_has_word(const char *cmdline, const char *word)
{
	struct span line = {"", 0}, found;
	const char *rest = cmdline ? cmdline : "";

	while (next_word(&rest, &line, &found))
		if (span_is(found, word))
			return true;
	return false;
}
