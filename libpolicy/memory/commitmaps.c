/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mappings of one process commit, by its smaps. Pure. */
#include "memory/commitmaps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* "7f00-7f01 rw-s 00000000 00:01 1024   /dev/zero (deleted)", fs/proc/task_mmu.c show_map_vma(). */
struct mapping {
	uint64_t size;
	bool is_object;
	struct commit_object object;
};

static bool parse_hex(struct span word, uint64_t *value, struct span *rest)
{
	size_t i = 0;

	for (*value = 0; i < word.size && memchr("0123456789abcdef", word.at[i], 16); i++) {
		unsigned digit = word.at[i] <= '9' ? (unsigned)(word.at[i] - '0')
						   : (unsigned)(word.at[i] - 'a') + 10;

		if (*value >> 60)
			return false;
		*value = *value << 4 | digit;
	}
	*rest = (struct span){word.at + i, word.size - i};
	return i > 0;
}

/* Shared anonymous memory and System V segments have names of the kernel's own, on a device of no disk. */
static void name_object(struct mapping *mapping, struct span device, struct span path, bool is_shared)
{
	struct commit_object *object = &mapping->object;

	while (path.size && path.at[0] == ' ')
		path = (struct span){path.at + 1, path.size - 1};
	object->is_segment = span_starts(path, "/SYSV");
	mapping->is_object = is_shared && span_starts(device, "00:") &&
			     device.size < sizeof(object->device) &&
			     (object->is_segment || span_is(path, "/dev/zero (deleted)"));
	if (mapping->is_object) {
		memcpy(object->device, device.at, device.size);
		object->device[device.size] = '\0';
	}
}

static int parse_mapping(struct span line, struct mapping *mapping)
{
	struct span range, flags, offset, device, inode, rest;
	uint64_t start, end, skip;

	*mapping = (struct mapping){.size = 0};
	if (!text_word(&line, &range) || !parse_hex(range, &start, &rest) || rest.size == 0 ||
	    rest.at[0] != '-' || !parse_hex((struct span){rest.at + 1, rest.size - 1}, &end, &rest) ||
	    rest.size || end < start || !text_word(&line, &flags) || flags.size != 4 ||
	    !text_word(&line, &offset) || !parse_hex(offset, &skip, &rest) || rest.size ||
	    !text_word(&line, &device) || !text_word(&line, &inode) ||
	    span_u64(inode, &mapping->object.inode) < 0)
		return -EINVAL;
	mapping->size = end - start;
	if (__builtin_add_overflow(skip, mapping->size, &mapping->object.size))
		return -EINVAL;
	name_object(mapping, device, line, flags.at[3] == 's');
	return 0;
}

int commit_maps_add(struct commit_maps *maps, const struct commit_object *object)
{
	/* Doubles at each power of two. */
	if ((maps->objects & (maps->objects - 1)) == 0) {
		struct commit_object *grown =
			reallocarray(maps->object, maps->objects ? 2 * maps->objects : 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		maps->object = grown;
	}
	maps->object[maps->objects++] = *object;
	return 0;
}

/* What the kernel unaccounts when the mapping goes: "ac" is VM_ACCOUNT. Memory whose size is not promised,
 * and huge pages, which were taken out of the limit before, count page by page or not at all: "nr", "ht". */
static int take_flags(struct span flags, const struct mapping *mapping, struct commit_maps *maps)
{
	bool is_accounted = false, is_object = mapping->is_object;
	struct span word;

	while (text_word(&flags, &word)) {
		is_accounted |= span_is(word, "ac");
		is_object &= !span_is(word, "nr") && !span_is(word, "ht");
	}
	if (is_accounted && __builtin_add_overflow(maps->private_bytes, mapping->size, &maps->private_bytes))
		return -EINVAL;
	return is_object ? commit_maps_add(maps, &mapping->object) : 0;
}

static int compare_objects(const void *left, const void *right)
{
	const struct commit_object *a = left, *b = right;
	int order = strcmp(a->device, b->device);

	if (order == 0)
		order = (int)a->is_segment - (int)b->is_segment;
	if (order == 0)
		order = (a->inode > b->inode) - (a->inode < b->inode);
	return order;
}

uint64_t commit_maps_merge(struct commit_maps *maps)
{
	struct commit_object *object = maps->object;
	uint64_t sum = 0;
	size_t kept = 0;

	if (maps->objects > 1)
		qsort(object, maps->objects, sizeof(*object), compare_objects);
	for (size_t i = 0; i < maps->objects; i++) {
		if (kept == 0 || compare_objects(&object[kept - 1], &object[i]) != 0)
			object[kept++] = object[i];
		else if (object[i].size > object[kept - 1].size)
			object[kept - 1].size = object[i].size;
	}
	maps->objects = kept;
	for (size_t i = 0; i < kept; i++)
		if (__builtin_add_overflow(sum, object[i].size, &sum))
			sum = UINT64_MAX;
	return sum;
}

void commit_maps_clear(struct commit_maps *maps)
{
	free(maps->object);
	memset(maps, 0, sizeof(*maps));
}

int commit_maps_parse(const char *text, struct commit_maps *maps)
{
	AUTO(commit_maps_clear) struct commit_maps made = {.private_bytes = 0};
	bool has_flags = true;
	struct mapping mapping;
	struct span line;

	while (text_line(&text, &line)) {
		int rc = 0;

		/* Names of fields begin with capital letters. */
		if (line.size && memchr("0123456789abcdef", line.at[0], 16)) {
			rc = has_flags ? parse_mapping(line, &mapping) : -EINVAL;
			has_flags = false;
		} else if (span_starts(line, "VmFlags:")) {
			struct span flags = {line.at + strlen("VmFlags:"), line.size - strlen("VmFlags:")};

			rc = has_flags ? -EINVAL : take_flags(flags, &mapping, &made);
			has_flags = true;
		}
		if (rc < 0)
			return rc;
	}
	if (!has_flags)
		return -EINVAL;
	(void)commit_maps_merge(&made);
	*maps = made;
	made.object = NULL;
	return 0;
}
