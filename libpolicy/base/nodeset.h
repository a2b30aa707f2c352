/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of node or cpu numbers: the kernel's lists and masks to bits and back. */
#ifndef CGPOL_BASE_NODESET_H
#define CGPOL_BASE_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cgpol/cgpol.h>

/* The most that is accepted from a file or a user, far above the kernel's MAX_NUMNODES (1 << 10) and NR_CPUS.
 */
enum { NODESET_NODES_MAX = 4096, NODESET_CPUS_MAX = 65536 };

/* Zero-initialised it is the empty set. Owns `word`; give it back with nodeset_clear. */
struct nodeset {
	size_t words;
	uint64_t *word;
};

void nodeset_clear(struct nodeset *set);
int nodeset_add(struct nodeset *set, unsigned bit); /* 0 or -ENOMEM */
int nodeset_copy(struct nodeset *to, const struct nodeset *from);
int nodeset_and(struct nodeset *to, const struct nodeset *a, const struct nodeset *b);
/* to = those of a that are not in b */
int nodeset_subtract(struct nodeset *to, const struct nodeset *a, const struct nodeset *b);
int nodeset_merge(struct nodeset *to, const struct nodeset *from); /* to |= from */
bool nodeset_has(const struct nodeset *set, unsigned bit);
bool nodeset_is_empty(const struct nodeset *set);
bool nodeset_is_equal(const struct nodeset *a, const struct nodeset *b);
bool nodeset_intersects(const struct nodeset *a, const struct nodeset *b);
bool nodeset_contains(const struct nodeset *set, const struct nodeset *part); /* part is a subset of set */
size_t nodeset_count(const struct nodeset *set);
int nodeset_next(const struct nodeset *set, int from); /* first member >= from, or -1 */

/* Parses the list form that cpuset.cpus and cpuset.mems take (lib/bitmap.c bitmap_parselist: "0-3,8",
 * "0-31:2/4", stray commas and blanks, "all", "N" for the last). Bits are 0..limit-1. -EINVAL for what the
 * kernel calls malformed, -ERANGE for a bit >= limit, -EOVERFLOW for a number that does not fit. Empty text
 * is the empty set. `err` names the offending part. The set is replaced on success only. */
int nodeset_parse(const char *text, unsigned limit, struct nodeset *set, struct cgpol_error *err);
/* Parses the mask form ("00000000,000000ff", most significant word first). */
int nodeset_parse_mask(const char *text, unsigned limit, struct nodeset *set, struct cgpol_error *err);
/* The canonical list, byte for byte what the kernel's %*pbl prints ("" for the empty set); the caller frees
 * it. NULL when memory is short. */
char *nodeset_format(const struct nodeset *set);

static inline void nodeset_clear_p(struct nodeset *set)
{
	nodeset_clear(set);
}

#endif
