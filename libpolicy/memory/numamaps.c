/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/numa_maps as values (fs/proc/task_mmu.c show_numa_map): bytes by node and kind, and the policy.
 */
#include "memory/numamaps.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "host/root.h"

enum { KIB = 1024 };

/* Pages of one mapping on one node, in the mapping's unit. */
struct count {
	unsigned node;
	uint64_t pages;
	uint64_t anon;	    /* of them anonymous */
	uint64_t remainder; /* of the division that gave `anon` */
};

/* One line, that is one mapping. `count` is kept from line to line. */
struct mapping {
	struct span policy;
	struct span file; /* escaped as the kernel did; size 0: none */
	bool is_huge;
	uint64_t anon, mapmax, page_kib;
	struct count *count; /* ascending by node, at most NODESET_NODES_MAX */
	size_t counts, room;
	uint64_t pages; /* sum over the nodes */
};

static void clear_mapping(struct mapping *mapping)
{
	free(mapping->count);
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Is it an attribute, "N0=512" or "heap", or still a word of the policy, "(many)=static:0-1"? A policy has
 * letters behind its '='. */
static bool is_attribute(struct span word)
{
	const char *equals = memchr(word.at, '=', word.size);

	if (!equals)
		return span_is(word, "heap") || span_is(word, "stack") || span_is(word, "huge");
	if (span_starts(word, "file="))
		return true;
	return equals + 1 == word.at + word.size || equals[1] < 'a' || equals[1] > 'z';
}

/* Cuts off the address and the policy. The first word of a policy is one whatever it looks like. */
static int cut_policy(struct span *line, struct span *policy)
{
	struct span rest = *line, word;

	if (!text_word(&rest, &word) || !text_word(&rest, policy))
		return -EINVAL;
	*line = rest;
	while (text_word(&rest, &word) && !is_attribute(word)) {
		policy->size = (size_t)(word.at + word.size - policy->at);
		*line = rest;
	}
	return 0;
}

/* "N3=512": nodes come in ascending order, each once. */
static int take_count(struct mapping *mapping, struct span id_word, uint64_t pages)
{
	struct count *count;
	uint64_t id;

	if (span_u64(id_word, &id) < 0 || id >= NODESET_NODES_MAX)
		return -EINVAL;
	if (mapping->counts > 0 && id <= mapping->count[mapping->counts - 1].node)
		return -EINVAL;
	if (__builtin_add_overflow(mapping->pages, pages, &mapping->pages))
		return -EINVAL;
	if (mapping->counts == mapping->room) {
		size_t room = mapping->room ? 2 * mapping->room : 8;

		count = reallocarray(mapping->count, room, sizeof(*count));
		if (!count)
			return -ENOMEM;
		mapping->count = count;
		mapping->room = room;
	}
	mapping->count[mapping->counts++] = (struct count){.node = (unsigned)id, .pages = pages};
	return 0;
}

static int take_attribute(struct mapping *mapping, struct span word)
{
	const char *equals = memchr(word.at, '=', word.size);
	struct span key = word, value;
	uint64_t number;

	if (!equals) {
		mapping->is_huge |= span_is(word, "huge");
		return 0;
	}
	key.size = (size_t)(equals - word.at);
	value = (struct span){equals + 1, word.size - key.size - 1};
	if (span_is(key, "file")) {
		mapping->file = value;
		return 0;
	}
	if (span_u64(value, &number) < 0)
		return -EINVAL;
	if (key.size > 1 && key.at[0] == 'N' && key.at[1] >= '0' && key.at[1] <= '9')
		return take_count(mapping, (struct span){key.at + 1, key.size - 1}, number);
	if (span_is(key, "anon"))
		mapping->anon = number;
	else if (span_is(key, "mapmax"))
		mapping->mapmax = number;
	else if (span_is(key, "kernelpagesize_kB"))
		mapping->page_kib = number;
	return 0;
}

static int parse_mapping(struct span line, struct mapping *mapping)
{
	struct span word;
	int rc;

	*mapping = (struct mapping){.count = mapping->count, .room = mapping->room};
	rc = cut_policy(&line, &mapping->policy);
	while (rc == 0 && text_word(&line, &word))
		rc = take_attribute(mapping, word);
	return rc;
}

static bool is_deleted(struct span path)
{
	static const char tail[] = "\\040(deleted)";
	const size_t size = sizeof(tail) - 1;

	return path.size >= size && memcmp(path.at + path.size - size, tail, size) == 0;
}

/* Are files of a file system shared memory? rootfs and devtmpfs are a tmpfs or, without CONFIG_TMPFS, a
 * ramfs, whose pages count as file pages; only a tmpfs prints its size (mm/shmem.c shmem_show_options). */
static bool is_memory_fs(struct span type, struct span options)
{
	if (span_is(type, "tmpfs"))
		return true;
	return (span_is(type, "rootfs") || span_is(type, "devtmpfs")) &&
	       memmem(options.at, options.size, "size=", strlen("size="));
}

/* "25 24 0:23 / /dev/shm rw,relatime shared:3 - tmpfs tmpfs rw,size=4k": the mount point is the fifth word,
 * the type stands behind " - ", then the source and the options. */
static bool parse_mount(struct span line, struct numamaps_mount *mount)
{
	struct span word, type;

	for (int i = 0; i < 5; i++)
		if (!text_word(&line, &mount->point))
			return false;
	while (text_word(&line, &word)) {
		if (!span_is(word, "-"))
			continue;
		if (!text_word(&line, &type) || mount->point.size > PATH_MAX)
			return false;
		mount->is_memory = is_memory_fs(type, line);
		return true;
	}
	return false;
}

static int compare_points(const struct numamaps_mount *a, const struct numamaps_mount *b)
{
	size_t size = a->point.size < b->point.size ? a->point.size : b->point.size;
	int order = memcmp(a->point.at, b->point.at, size);

	return order ? order : (a->point.size > b->point.size) - (a->point.size < b->point.size);
}

/* By mount point; of several on one point the last comes first, since it covers the others. */
static int compare_mounts(const void *left, const void *right)
{
	const struct numamaps_mount *a = left, *b = right;
	int order = compare_points(a, b);

	return order ? order : (a->point.at < b->point.at) - (a->point.at > b->point.at);
}

void numamaps_mounts_clear(struct numamaps_mounts *mounts)
{
	free(mounts->mount);
	memset(mounts, 0, sizeof(*mounts));
}

static int add_mount(struct numamaps_mounts *mounts, const struct numamaps_mount *mount)
{
	if (mounts->count == mounts->room) {
		size_t room = mounts->room ? 2 * mounts->room : 64;
		struct numamaps_mount *grown = reallocarray(mounts->mount, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		mounts->mount = grown;
		mounts->room = room;
	}
	mounts->mount[mounts->count++] = *mount;
	if (mounts->longest < mount->point.size)
		mounts->longest = mount->point.size;
	return 0;
}

int numamaps_mounts_parse(const char *mountinfo, struct numamaps_mounts *mounts)
{
	struct numamaps_mounts made = {.mount = NULL};
	struct numamaps_mount mount;
	struct span line;
	size_t unique = 0;

	while (mountinfo && text_line(&mountinfo, &line)) {
		if (parse_mount(line, &mount) && add_mount(&made, &mount) < 0) {
			numamaps_mounts_clear(&made);
			return -ENOMEM;
		}
	}
	if (made.count > 0)
		qsort(made.mount, made.count, sizeof(*made.mount), compare_mounts);
	for (size_t i = 0; i < made.count; i++)
		if (i == 0 || compare_points(&made.mount[unique - 1], &made.mount[i]) != 0)
			made.mount[unique++] = made.mount[i];
	made.count = unique;
	*mounts = made;
	return 0;
}

static const struct numamaps_mount *find_mount(const struct numamaps_mounts *mounts, struct span point)
{
	const struct numamaps_mount key = {point, false};
	size_t low = 0, high = mounts->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_points(&mounts->mount[middle], &key);

		if (order == 0)
			return &mounts->mount[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Does the path lie on a file system in memory? The longest mount point decides. Both texts are escaped in
 * octal by the kernel, so they compare as they are but for '=', which only numa_maps escapes. */
static bool is_on_memory_fs(struct span path, const struct numamaps_mounts *mounts)
{
	size_t size = path.size < mounts->longest ? path.size : mounts->longest;

	for (; size > 0; size--) {
		const struct numamaps_mount *mount;

		if ((size < path.size && path.at[size] != '/') || path.at[size - 1] == '/')
			continue;
		mount = find_mount(mounts, (struct span){path.at, size});
		if (mount)
			return mount->is_memory;
	}
	if (path.at[0] == '/' && mounts->count > 0) {
		const struct numamaps_mount *mount = find_mount(mounts, (struct span){path.at, 1});

		return mount && mount->is_memory;
	}
	return false;
}

/* Files that live on the kernel's own tmpfs mount, which no mountinfo shows (mm/shmem.c shm_mnt): shared
 * anonymous memory, System V segments, memfd_create(2). */
static bool is_kernel_shmem(struct span path)
{
	return (span_starts(path, "/dev/zero") && is_deleted(path)) || span_starts(path, "/SYSV") ||
	       span_starts(path, "/memfd:") || span_starts(path, "/dev/shm/");
}

static enum numa_kind classify(const struct mapping *mapping, const struct numamaps_mounts *mounts)
{
	if (mapping->is_huge)
		return NUMA_HUGE;
	if (mapping->file.size == 0)
		return NUMA_ANON;
	if (is_kernel_shmem(mapping->file) || is_on_memory_fs(mapping->file, mounts))
		return NUMA_SHMEM;
	return NUMA_FILE;
}

static int find_node(struct numamaps *maps, unsigned id, struct numamaps_node **found)
{
	size_t low = 0, high = maps->nodes;
	struct numamaps_node *node;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->node[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == maps->nodes || maps->node[low].id != id) {
		node = reallocarray(maps->node, maps->nodes + 1, sizeof(*node));
		if (!node)
			return -ENOMEM;
		maps->node = node;
		memmove(node + low + 1, node + low, (maps->nodes - low) * sizeof(*node));
		node[low] = (struct numamaps_node){.id = id};
		maps->nodes++;
	}
	*found = &maps->node[low];
	return 0;
}

static int compare_remainders(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	if (a->remainder != b->remainder)
		return a->remainder < b->remainder ? 1 : -1;
	return (a->node > b->node) - (a->node < b->node);
}

/* A private mapping of a file has pages of the file and anonymous copies; the line tells how many copies
 * there are but not where. They are spread like all its pages: by largest remainder, so that the sum is
 * exact. */
static void spread_anon(struct mapping *mapping)
{
	uint64_t left = mapping->anon;

	if (mapping->pages == 0) /* no kernel prints N0=0, but a capture may hold it */
		return;
	for (size_t i = 0; i < mapping->counts; i++) {
		struct count *count = &mapping->count[i];
		unsigned __int128 product = (unsigned __int128)mapping->anon * count->pages;

		count->anon = (uint64_t)(product / mapping->pages);
		count->remainder = (uint64_t)(product % mapping->pages);
		left -= count->anon;
	}
	if (left == 0)
		return;
	qsort(mapping->count, mapping->counts, sizeof(*mapping->count), compare_remainders);
	for (size_t i = 0; i < left; i++)
		mapping->count[i].anon++;
}

/* What dies with its last mapping: shared anonymous memory and unlinked files. System V segments look
 * unlinked too but live until IPC_RMID. */
static bool is_nameless(struct span path)
{
	return is_deleted(path) && !span_starts(path, "/SYSV");
}

/* Bytes of what the mapping's counts count. Only hugetlb counts in its own page size; a transparent huge page
 * counts as its base pages. */
static int find_unit(const struct mapping *mapping, const struct numamaps_context *context, uint64_t *unit)
{
	uint64_t bytes;

	if (!mapping->is_huge)
		*unit = context->page_size;
	else if (mapping->page_kib == 0)
		*unit = context->huge_page_size;
	else if (__builtin_mul_overflow(mapping->page_kib, KIB, unit))
		return -EINVAL;
	if (*unit == 0 || __builtin_mul_overflow(mapping->pages, *unit, &bytes))
		return -EINVAL;
	return 0;
}

static void add_count(const struct count *count, enum numa_kind kind, uint64_t unit,
		      struct numamaps_node *node)
{
	uint64_t anon = count->anon * unit, other = (count->pages - count->anon) * unit;

	node->bytes[NUMA_ANON] = add_capped(node->bytes[NUMA_ANON], anon);
	node->bytes[kind] = add_capped(node->bytes[kind], other);
}

/* How much of a count goes when the process dies. */
static uint64_t find_freed(const struct mapping *mapping, const struct count *count, enum numa_kind kind)
{
	if (mapping->mapmax > 1)
		return 0;
	return kind == NUMA_SHMEM && is_nameless(mapping->file) ? count->pages : count->anon;
}

static int add_mapping(struct mapping *mapping, const struct numamaps_context *context,
		       const struct numamaps_mounts *mounts, struct numamaps *maps)
{
	enum numa_kind kind = classify(mapping, mounts);
	uint64_t unit;

	if (mapping->anon > mapping->pages || find_unit(mapping, context, &unit) < 0)
		return -EINVAL;
	/* The pages of a private hugetlb mapping are called anonymous too, and without a file all are. */
	if (kind == NUMA_HUGE)
		mapping->anon = 0;
	if (kind == NUMA_ANON)
		mapping->anon = mapping->pages;
	if (mapping->pages > 0)
		spread_anon(mapping);
	for (size_t i = 0; i < mapping->counts; i++) {
		const struct count *count = &mapping->count[i];
		struct numamaps_node *node;

		if (find_node(maps, count->node, &node) < 0)
			return -ENOMEM;
		add_count(count, kind, unit, node);
		node->freed = add_capped(node->freed, find_freed(mapping, count, kind) * unit);
		if (mapping->mapmax > 1)
			node->unsure = add_capped(node->unsure, count->anon * unit);
	}
	return 0;
}

void numamaps_clear(struct numamaps *maps)
{
	free(maps->node);
	memset(maps, 0, sizeof(*maps));
}

void numamaps_settle(struct numamaps *maps, uint64_t shared, uint64_t page_size)
{
	uint64_t unsure = 0;

	for (size_t i = 0; i < maps->nodes; i++)
		unsure = add_capped(unsure, maps->node[i].unsure);
	if (unsure <= shared)
		return;
	for (size_t i = 0; i < maps->nodes; i++) {
		struct numamaps_node *node = &maps->node[i];
		unsigned __int128 product = (unsigned __int128)(unsure - shared) * node->unsure;
		uint64_t sure = (uint64_t)(product / unsure);

		/* Where the sum was capped, a share may come out as more than there is. */
		if (sure > node->unsure)
			sure = node->unsure;
		sure -= sure % page_size;
		node->freed = add_capped(node->freed, sure);
		node->unsure -= sure;
	}
}

int numamaps_parse_mounted(const char *text, const struct numamaps_context *context,
			   const struct numamaps_mounts *mounts, struct numamaps *maps)
{
	AUTO(numamaps_clear) struct numamaps made = {.node = NULL};
	AUTO(clear_mapping) struct mapping mapping = {.count = NULL};
	struct span line;

	while (text_line(&text, &line)) {
		int rc;

		if (line.size == 0)
			continue;
		rc = parse_mapping(line, &mapping);
		if (rc == 0 && mapping.counts > 0)
			rc = add_mapping(&mapping, context, mounts, &made);
		if (rc == -ENOMEM)
			return rc;
		made.malformed += rc < 0;
	}
	*maps = made;
	made.node = NULL;
	return 0;
}

int numamaps_parse(const char *text, const struct numamaps_context *context, struct numamaps *maps)
{
	AUTO(numamaps_mounts_clear) struct numamaps_mounts mounts = {.mount = NULL};
	int rc = numamaps_mounts_parse(context->mountinfo, &mounts);

	return rc < 0 ? rc : numamaps_parse_mounted(text, context, &mounts, maps);
}

/* The whole lines of a head: the last one is cut when the head is full. */
static bool head_line(const char **rest, bool is_full, struct span *line)
{
	return text_line(rest, line) && !(is_full && **rest == '\0' && line->at[line->size] != '\n');
}

/* How likely is it that a mapping has no policy of its own? The text of the program, which is the first
 * mapping of a file, and the stack are never bound. */
static int rank_line(struct span line, bool *has_text)
{
	struct span word;
	int rank = 1;

	while (text_word(&line, &word)) {
		if (span_is(word, "stack"))
			rank = 2;
		if (span_starts(word, "file=") && !*has_text) {
			*has_text = true;
			rank = 3;
		}
	}
	return rank;
}

int numamaps_task_policy(const char *head, struct mempolicy *policy, bool *mixed)
{
	/* root_read_head may have stripped the newline of a whole last line. */
	bool is_full = strlen(head) >= ROOT_HEAD_SIZE - 1;
	bool has_text = false, disagree = false;
	struct span line, column, best = {NULL, 0};
	int best_rank = 0;

	while (head_line(&head, is_full, &line)) {
		struct span rest = line;
		int rank;

		if (cut_policy(&rest, &column) < 0)
			continue;
		disagree |= best.at &&
			    (column.size != best.size || memcmp(column.at, best.at, best.size) != 0);
		rank = rank_line(rest, &has_text);
		if (rank > best_rank) {
			best = column;
			best_rank = rank;
		}
	}
	if (!best.at)
		return -ENODATA;
	if (mempolicy_parse_span(best, policy) < 0)
		return -ENOMEM;
	*mixed = disagree;
	return 0;
}
